"""What stood on the map before tunnels are dug, mostly prefabs, and where one may get into it.

All cells and masks here are framed like a `TunnelPlan`: cell (y, x) of the canvas is (y + 1, x + 1).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dungeon import terrain as t
from dungeon.generation.layouts.tunnels.piece import Piece
from dungeon.grid.neighbours import beside
from dungeon.grid.regions import components

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from dungeon.generation.layouts.job import Mouth
    from dungeon.generation.layouts.tunnels.plan import TunnelPlan
    from dungeon.level.canvas import Canvas

DEEPEST = 4
"""How much earth inside a prefab may be dug through to get into it, in cells."""


class Lane(NamedTuple):
    """One line of a mouth: a straight way into a prefab.

    Attributes:
        mouth: What the prefab says about it.
        front: The (y, x) of the first cell beyond the prefab.
        inner: Cells of earth in the prefab, from its edge inward, that have to be dug.
    """

    mouth: Mouth
    front: tuple[int, int]
    inner: tuple[tuple[int, int], ...]


class Standing:
    """What is open on a canvas before the layout, and how one gets into it.

    Args:
        canvas: The canvas.
        mouths: Where what stands on it is to be joined.
        stopped: (height, width) bool, its open cells that no way need lead to, nor may lead through; by default none.

    Attributes:
        any: Whether there is anything at all that digging must go around.
        places: How many regions there are in which somebody could be.
        blind: How many mouths lead nowhere, those that only may be opened not counted.
        open: (height + 2, width + 2) bool, the cells that are open, not stopped and not sealed off on purpose.
        lanes: The ways in.
        inner: The cells within prefabs that a way which must be dug may lead through, with the prefab's region.
        closed: Likewise bool, where no way may be dug, for it would open a prefab where that has no mouth.
        dug: Cells within prefabs that have become part of a way, with the region that they belong to.
        doors: Doors between a prefab and a room: (y, x, region, room).
    """

    def __init__(
        self, canvas: Canvas, mouths: Sequence[Mouth], stopped: NDArray[np.bool_] | None = None
    ) -> None:
        shape = canvas.height + 2, canvas.width + 2
        self.any = bool(mouths) or bool(canvas.used.any())
        self.places = self.blind = 0
        self.open = self.closed = np.zeros(shape, np.bool_)
        self.lanes: list[Lane] = []
        self.inner: dict[tuple[int, int], int] = {}
        self.dug: list[tuple[int, int, int]] = []
        self.doors: list[tuple[int, int, int, Piece]] = []
        if self.any:
            self._survey(canvas, mouths, stopped)

    def _survey(self, canvas: Canvas, mouths: Sequence[Mouth], stopped: NDArray[np.bool_] | None) -> None:
        """Find out what is open and how to get in."""
        opened, earth = np.zeros_like(self.open), np.zeros_like(self.open)
        opened[1:-1, 1:-1] = canvas.open
        earth[1:-1, 1:-1] = canvas.terrain == t.EARTH
        sealed = np.array([False, *(region.sealed for region in canvas.regions)])
        self.places = int((~sealed[1:]).sum())
        self.open = opened.copy()
        self.open[1:-1, 1:-1] &= ~sealed[canvas.region]
        if stopped is not None:
            self.open[1:-1, 1:-1] &= ~stopped
        for mouth in mouths:
            before = len(self.lanes)
            for line in range(mouth.width):
                front = mouth.y + 1 + line * abs(mouth.dx), mouth.x + 1 + line * abs(mouth.dy)
                inner = self._inner(mouth, front, earth)
                if inner is not None:
                    self.lanes.append(Lane(mouth, front, inner))
            self.blind += len(self.lanes) == before and mouth.kind != "diggable"
        self.closed = beside(opened) & ~self._entries()

    def _inner(
        self, mouth: Mouth, front: tuple[int, int], earth: NDArray[np.bool_]
    ) -> tuple[tuple[int, int], ...] | None:
        """Return the cells to dig between the cell beyond a prefab and its open cells; None if there is no way."""
        height, width = earth.shape
        y, x = front
        if not (1 < y < height - 2 and 1 < x < width - 2):
            return None
        inner: list[tuple[int, int]] = []
        while len(inner) <= DEEPEST:
            y, x = y - mouth.dy, x - mouth.dx
            if not (0 < y < height - 1 and 0 < x < width - 1):
                return None
            if self.open[y, x]:
                return tuple(inner)
            if not earth[y, x]:
                return None
            inner.append((y, x))
        return None

    def _entries(self) -> NDArray[np.bool_]:
        """Return the cells beyond mouths through which a way may be dug that has to be.

        A part of what is open that has no mouth for tunnelers and connectors may be entered through its diggable
        edge or, if it has none either, wherever it touches free earth.
        """
        labels, count = components(self.open)
        by_part: dict[int, list[Lane]] = {number: [] for number in range(1, count + 1)}
        for lane in self.lanes:
            y, x = lane.inner[-1] if lane.inner else lane.front
            by_part[int(labels[y - lane.mouth.dy, x - lane.mouth.dx])].append(lane)
        entries = np.zeros_like(self.open)
        for number, lanes in by_part.items():
            for lane in [lane for lane in lanes if lane.mouth.kind != "diggable"] or lanes:
                entries[lane.front] = True
                self.inner |= dict.fromkeys(lane.inner, lane.mouth.region)
            if not lanes:
                entries |= beside(labels == number)
        return entries

    def dig(self, cells: Sequence[tuple[int, int]], region: int) -> None:
        """Lead a way through cells within a prefab."""
        for y, x in cells:
            self.dug.append((y, x, region))
            self.open[y, x] = True


# -- opening ----------------------------------------------------------------------------------------
#
# Ways into prefabs that may be, and are opened because a corridor or a room happens to lie close by.


CLOSE = 4
"""How many cells of earth there may be between a prefab and what it is opened to."""


def open_lanes(plan: TunnelPlan, standing: Standing) -> None:
    """Open prefabs toward corridors and rooms that lie close beyond their mouths, once at most to each side."""
    opened: set[tuple[int, int, int]] = set()
    for lane in standing.lanes:
        mouth = lane.mouth
        key = (mouth.region, mouth.dy, mouth.dx)
        if key in opened:
            continue
        if _is_joined(plan, standing, lane) or (mouth.kind != "tunneler" and _open(plan, standing, lane)):
            opened.add(key)


def _is_joined(plan: TunnelPlan, standing: Standing, lane: Lane) -> bool:
    """Tell whether a way leads through a lane already."""
    return _is_taken(plan, lane.front) and all(standing.open[cell] for cell in lane.inner)


def _open(plan: TunnelPlan, standing: Standing, lane: Lane) -> bool:
    """Open a lane straight ahead, if that leads to a corridor or through a wall into a room; tell whether it was done."""
    mouth, inner = lane.mouth, lane.inner
    dy, dx = mouth.dy, mouth.dx
    # Its own earth comes first, into which others may have dug.
    for number, (y, x) in enumerate(reversed(inner)):
        piece = plan.piece_at(y, x)
        if piece is not None and piece.kind != "room":
            standing.dig(inner[len(inner) - number :], mouth.region)
            return True
        if any(_is_shut(plan, place) for place in ((y, x), (y + dx, x + dy), (y - dx, x - dy))):
            return False
    y, x = lane.front
    for length in range(CLOSE + 1):
        piece = plan.piece_at(y, x)
        if piece is not None and piece.kind != "room":
            _dig(plan, standing, lane, length, piece)
            return True
        if _is_taken(plan, (y, x)) or _is_taken(plan, (y + dx, x + dy)) or _is_taken(plan, (y - dx, x - dy)):
            return False
        room = plan.piece_at(y + dy, x + dx)
        if room is not None and room.kind == "room":
            return _add_door(plan, standing, lane, length, room)
        y, x = y + dy, x + dx
    return False


def _add_door(plan: TunnelPlan, standing: Standing, lane: Lane, length: int, room: Piece) -> bool:
    """Open a lane of that length into a room, with a door in the room's wall; tell whether a door can stand there."""
    mouth, (y, x) = lane.mouth, lane.front
    y, x = y + length * mouth.dy, x + length * mouth.dx
    axis, across, along = (0, y, x) if mouth.dy else (1, x, y)
    near = plan.doors[axis][across - 1] | plan.doors[axis][across] | plan.doors[axis][across + 1]
    if near >> (along - 1) & 7:
        return False
    piece = _dig(plan, standing, lane, length, None)
    if piece is not None:
        plan.add_loop(y, x, piece, room)
    else:
        plan.add_door(y, x)
        standing.doors.append((y, x, mouth.region, room))
    return True


def _dig(plan: TunnelPlan, standing: Standing, lane: Lane, length: int, target: Piece | None) -> Piece | None:
    """Dig a lane's cells within the prefab and that many beyond; return the piece that these are, if there are any."""
    mouth, (y, x) = lane.mouth, lane.front
    standing.dig(lane.inner, mouth.region)
    if not length:
        return None
    axis, sign = int(mouth.dy != 0), mouth.dy + mouth.dx
    across, along = (x, y) if axis else (y, x)
    end = along + sign * (length - 1)
    entry, hold = (end, across) if axis else (across, end), (0, 0)
    if target is not None:
        hold = target.held_by(*entry)
    low, index = min(along, end), len(plan.pieces)
    return plan.add(Piece(index, "corridor", axis, across, low, 1, length, -sign, target, entry, hold))


def _is_shut(plan: TunnelPlan, place: tuple[int, int]) -> bool:
    """Tell whether a cell is part of a room or is a door, which nothing but doors may open."""
    y, x = place
    piece = plan.piece_at(y, x)
    return bool(plan.doors[0][y] >> x & 1) or (piece is not None and piece.kind == "room")


def _is_taken(plan: TunnelPlan, place: tuple[int, int]) -> bool:
    y, x = place
    return bool(plan.used[0][y] >> x & 1)
