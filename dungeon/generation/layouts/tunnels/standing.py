"""What stood on the map before tunnels are dug, mostly prefabs, and where one may get into it.

All cells and masks here are framed like a `TunnelPlan`: cell (y, x) of the canvas is (y + 1, x + 1).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dungeon import terrain as t
from dungeon.grid.neighbours import beside
from dungeon.grid.regions import components

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from dungeon.generation.layouts.job import Mouth
    from dungeon.generation.layouts.tunnels.piece import Piece
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
        self.any = bool(mouths) or any(canvas.used.rows)
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
