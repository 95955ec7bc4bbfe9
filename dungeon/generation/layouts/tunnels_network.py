"""The network of corridors of the layout `tunnels`: where tunnelers start to dig, and how dead ends are cut off.

A tunneler is an agent that digs corridors, junctions and halls, the pieces of a plan. Its breed, main or side, has the
author's parameters. A line is a row of the map for axis 0 and a column for axis 1; a strip is 4 neighbouring lines.

Two tunnelers start back to back near the middle of the map. Later ones start from the walls of what is dug, into
empty parts of the map. How a tunneler digs is in `tunnels_diggers`.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from dungeon.generation.layouts.dice import pick_bit
from dungeon.generation.layouts.tunnels_diggers import Breed, Tunneler, Tunnelers
from dungeon.generation.layouts.tunnels_pieces import SHORTEST, TunnelPiece, cell
from dungeon.generation.layouts.tunnels_plan import STRIP, TunnelPlan
from dungeon.grid.rect import Rect

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dungeon.core.streams import Stream
    from dungeon.generation.layouts.job import Mouth
    from dungeon.generation.layouts.tunnels_params import TunnelsParams
    from dungeon.generation.layouts.tunnels_pieces import Side

# -- network ---------------------------------------------------------------------------------------
#
# Where the first tunnelers begin, and where further ones start into empty parts of the map.


TYPICAL_OPEN = 0.42
"""The default share of open cells; on maps with a smaller share, corridors are longer and keep farther apart."""

THINNING = 1.3
"""Exponent by which corridors spread out on thin maps (small `open`). Above 1, so that more of the floor is left for rooms."""

POCKET = 12
"""Side of a free square that is worth a side tunneler: a corridor, a room and their walls fit into 12 cells."""

VAST = 24
"""Side of a free square that is worth a network of its own, on a map that prefabs may divide into parts."""

FIRST_TRIES = 12
"""Number of random places tried for the first two tunnelers, if a corridor is possible at some place but nowhere a long one."""

LAST_TRIES = 300
"""Number of random places tried before the map counts as too small for a corridor."""


class QuietStrips:
    """Remembers which cells are far from all corridors and from the map's edge, for each strip of 4 rows or columns.

    It gives a quick test for places where a corridor might start, before the exact test `TunnelPlan.starts`.

    Args:
        plan: The plan of the map.
        breed: The kind of tunneler (main or side) that is to start.
        length: How many cells the tunneler must be able to dig.
    """

    def __init__(self, plan: TunnelPlan, breed: Breed, length: int) -> None:
        self.spacing = breed.least_spacing
        self._strips = max(0, length // STRIP - 1)
        height, width = plan.size
        top, left = breed.edges
        self._cells = (
            [(1 << width - left) - (1 << left)] * len(plan.strips[0]),
            [(1 << height - top) - (1 << top)] * len(plan.strips[1]),
        )
        self.disturb(piece for piece in plan.pieces if piece.kind != "room")

    def disturb(self, dug: Iterable[TunnelPiece]) -> None:
        """Note that these corridors and junctions are new, so that the cells near them are no longer far from all corridors."""
        spacing = self.spacing
        for piece in dug:
            axis, across, along = piece.axis, piece.across, piece.along
            below, end = across + piece.thick, along + piece.length
            low = along - spacing if along > spacing else 0
            mask, cells = ~((1 << end + spacing) - (1 << low)), self._cells[axis]
            for strip in range(across // STRIP, (below + 3) // STRIP):
                cells[strip] &= mask
            low = across - spacing if across > spacing else 0
            mask, cells = ~((1 << below + spacing) - (1 << low)), self._cells[1 - axis]
            for strip in range(along // STRIP, (end + 3) // STRIP):
                cells[strip] &= mask

    def beyond(self, side: Side) -> bool:
        """Tell whether a corridor might start at a wall and lead away from it with no other corridor near.

        Only two strips are checked: the first one beyond the wall, and the last one that the corridor must reach.
        """
        axis, wall, sign, low, high = side
        cells = self._cells[axis]
        strip = (wall + STRIP - 1) // STRIP if sign > 0 else (wall + 1) // STRIP - 1
        last = strip + sign * self._strips
        if last < 0 or last >= len(cells):
            return False
        return bool(cells[strip] & cells[last] & (1 << high) - (1 << low))


class TunnelNetwork:
    """Digs the network of corridors of one map: it starts main and side tunnelers and lets them dig.

    Args:
        plan: The plan to dig in.
        params: The author's parameters.
        stream: The random stream of the tunnelers.

    Attributes:
        tunnelers: The tunnelers that wait to dig, and the rules by which they dig.
        farthest: A third of the map's shorter side, in cells: no free square that is searched for has a longer side.
        pocket: The side, in cells, of the smallest free square into which a side passage is worth digging.
        main: The kind of tunnelers that dig the main corridors.
        side: The kind of tunnelers that dig side passages.
    """

    def __init__(self, plan: TunnelPlan, params: TunnelsParams, stream: Stream) -> None:
        self.plan = plan
        self.stream = stream
        spread = max(1.0, TYPICAL_OPEN / max(params.open, 0.05)) ** THINNING
        self.tunnelers = Tunnelers(plan, params, spread, stream)
        self.farthest = max(1, min(plan.size) // 3)
        self.pocket = min(POCKET, self.farthest)
        self.main = Breed(params.main, plan.size, spread, stream)
        self.side = Breed(params.side, plan.size, spread, stream)

    def enter(self, mouths: Iterable[Mouth]) -> None:
        """Start a tunneler at every mouth (opening) of a prefab that has the kind "tunneler", as wide as the mouth.

        The tunnelers dig one after the other. The first cells in front of each mouth are reserved, so that earlier
        tunnelers don't dig there.
        """
        diggers = [digger for mouth in mouths if mouth.kind == "tunneler" and (digger := self._at(mouth))]
        kept = [self.plan.reserve(_first_cells(digger)) for digger in diggers]
        for digger, cells in zip(diggers, kept, strict=True):
            self.plan.release_reserved(cells)
            self.tunnelers.leave(digger)
        self.tunnelers.dig()

    def _at(self, mouth: Mouth) -> Tunneler | None:
        """Return a tunneler that starts at a mouth (opening) of a prefab; None if its corridor would touch the map's edge."""
        axis = int(mouth.dy != 0)
        across, front = (mouth.x, mouth.y) if axis else (mouth.y, mouth.x)
        lines, cells = self.plan.size[axis] - 2, self.plan.size[1 - axis] - 2
        if not (across > 0 and across + mouth.width < lines and 0 < front < cells - 1):
            return None
        sign = mouth.dy + mouth.dx
        return self._tunneler(self.main, axis, sign, across + 1, mouth.width, front + 1, self.main.spacing())

    def begin(self) -> TunnelPiece | None:
        """Start two tunnelers, back to back, in the middle part of the map, and let them dig.

        Return the corridor from which both start, or None if there is no space for a corridor.
        """
        plan, stream, breed = self.plan, self.stream, self.main
        height, width = plan.size
        best, found = SHORTEST - 1, None
        for tried in range(LAST_TRIES):
            axis = int(stream.below(height + width) < height)  # mostly along the longer side
            lines, cells = plan.size[axis], plan.size[1 - axis]
            thick = min(breed.width(), self.tunnelers.widest)
            across = stream.between(max(lines * 3 // 10, 2), max(lines * 7 // 10 - thick, 2))
            front = stream.between(max(cells // 4, 2), max(cells * 3 // 4, 2))
            length = self._reach_both_ways(axis, across, thick, front)
            if length > best:
                best, found = length, (axis, across, thick, front)
            if best > cells // 2 or (found is not None and tried >= FIRST_TRIES):
                break
        return self._begin_at(*found) if found is not None else None

    def begin_elsewhere(self) -> TunnelPiece | None:
        """Start two tunnelers, back to back, in the middle of a free square of `VAST` x `VAST` cells, and let them dig.

        Return the corridor from which both start. Return None if there is no such square, or the corridor stayed too
        short.
        """
        at = self.plan.find_void(VAST, self.stream)
        if at is None:
            return None
        axis, breed = self.stream.below(2), self.main
        across, front = at if axis == 0 else at[::-1]
        return self._begin_at(axis, across, min(breed.width(), self.tunnelers.widest), front)

    def _begin_at(self, axis: int, across: int, thick: int, front: int) -> TunnelPiece | None:
        """Start two tunnelers, back to back, and let them dig.

        Args:
            axis: The direction that they dig: 0 along a row, 1 along a column.
            across: The first row (axis 0) or column (axis 1) of their corridor.
            thick: The width of the corridor.
            front: The cell on these rows or columns where they start.

        Returns:
            The corridor from which both start; None if it stayed shorter than `SHORTEST` and nothing is joined to it.
        """
        plan, breed = self.plan, self.main
        first = plan.add(
            TunnelPiece(len(plan.pieces), "corridor", axis, across, front, thick, 1, 1, None, (0, 0))
        )
        for sign in (1, -1):
            digger = self._tunneler(breed, axis, sign, across, thick, front + sign, breed.spacing())
            digger.piece = first
            self.tunnelers.queue.append(digger)
        self.tunnelers.dig()
        if first.length < SHORTEST and not first.holds:
            plan.remove(first)
        return None if first.gone else first

    def _reach_both_ways(self, axis: int, across: int, thick: int, front: int) -> int:
        """Return how long a straight corridor through a cell can be, both directions together; 0 if the cell can't be dug.

        Args:
            axis: The direction of the corridor: 0 along a row, 1 along a column.
            across: The first row (axis 0) or column (axis 1) of the corridor.
            thick: The width of the corridor.
            front: The cell on these rows or columns to start from.
        """
        ahead = self.plan.reach(axis, 1, across, thick, front, 0)
        behind = self.plan.reach(axis, -1, across, thick, front, 0)
        return ahead + behind - 1 if ahead > 0 and behind > 0 else 0

    def _tunneler(
        self, breed: Breed, axis: int, sign: int, across: int, width: int, front: int, spacing: int
    ) -> Tunneler:
        """Return a tunneler of a breed (main or side) with a rolled lifetime; the other parameters are those of `Tunneler`."""
        params = breed.params
        return Tunneler(
            breed, axis, sign, across, width, front, breed.life(), params.turn, params.branch, spacing
        )

    # -- filling --------------------------------------------------------------------------------

    def fill(
        self, breed: Breed, hosts: Iterable[TunnelPiece], length: int, pocket: int = 0
    ) -> Iterator[list[TunnelPiece]]:
        """Start tunnelers from the walls of pieces, and from the walls of what they dig, until no place for one is left.

        Args:
            breed: The kind of tunneler (main or side).
            hosts: The pieces to start from, in any order; they are shuffled.
            length: The number of free cells that a tunneler must have ahead to start.
            pocket: Start only at walls that touch a free square with sides of this many cells. 0 starts wherever no
                corridor is near.

        Yields:
            After each start, the pieces that were dug. The caller may stop at any time.
        """
        plan, pieces = self.plan, self.plan.pieces
        quiet = None if pocket else QuietStrips(plan, breed, length)
        promises = quiet.beyond if quiet is not None else partial(plan.faces_void, size=pocket)
        waiting = [host for host in hosts if not host.gone]
        self.stream.shuffle(waiting)
        for host in waiting:
            for side in host.sides()[: 2 if host.kind == "corridor" else None]:  # never prolong a corridor
                while promises(side) and self._start(breed, host, side, length):
                    before = len(pieces)
                    self.tunnelers.dig()
                    if len(pieces) == before:  # there was less space than it seemed
                        break
                    dug = pieces[before:]
                    if quiet is not None:
                        quiet.disturb(dug)
                    waiting.extend(dug)
                    yield dug

    def _start(self, breed: Breed, host: TunnelPiece, side: Side, length: int) -> bool:
        """Add a tunneler that starts at a random place along a wall to the queue; return False if there is no such place.

        Args:
            breed: The kind of tunneler (main or side).
            host: The piece that the tunneler starts from. From a room, its corridor begins behind a door.
            side: The wall of that piece.
            length: The number of free cells that the tunneler must have ahead.
        """
        plan, is_room, (facing, wall, sign, low, high) = self.plan, host.kind == "room", side
        axis, width = 1 - facing, 1
        low_edge, high_edge = breed.edges[axis], plan.size[axis] - breed.edges[axis]
        low = max(low, low_edge)
        high = min(high, high_edge)
        if not is_room and host.thick > 1:
            width = min(breed.width(), host.thick, self.tunnelers.widest)
        if high - low < width:
            return False
        places = plan.starts(side, low, high, width, length, breed.least_spacing)
        if places and is_room:
            places &= plan.door_cells(side, low, high)
        if not places:
            return False
        across = pick_bit(places, low, high, self.stream)
        digger = self._tunneler(breed, axis, sign, across, width, wall, breed.least_spacing - STRIP // 2)
        digger.life = max(length, digger.life)
        digger.size_bias = self.tunnelers.drifted(host.size_bias)
        digger.parent, digger.hold = host, host.held_at(facing, sign, across, across + width - 1)
        if is_room:
            digger.door = cell(facing, wall, across)
            digger.front += sign
        self.tunnelers.queue.append(digger)
        return True


def _first_cells(digger: Tunneler) -> Rect:
    """Return the first cells that a tunneler digs, as a rectangle of the plan: one cell deep and as wide as its corridor."""
    if digger.axis:
        return Rect(digger.front, digger.across, 1, digger.width)
    return Rect(digger.across, digger.front, digger.width, 1)


# -- trimming ---------------------------------------------------------------------------------------


STUB = 3
"""A dead end shorter than this many cells would look like a mistake, so it is always cut off, whatever `dead_ends` is."""


def trim(plan: TunnelPlan, first: TunnelPiece | None, dead_ends: float, stream: Stream) -> None:
    """Cut off the loose ends of corridors, and remove corridors, junctions and halls to which nothing is joined.

    A piece is trimmed before its parent (the piece that it was dug from), so that a parent which has lost all that was joined to
    it is removed as well. Rooms stay. A corridor may be spared by chance if its loose end has at least `STUB` cells.

    Args:
        plan: The plan; it is changed.
        first: The first corridor, which was dug in both directions and so has two ends to trim; None if there is none.
        dead_ends: The probability (0 to 1) that a corridor with a loose end of `STUB` cells or more is spared.
        stream: The random stream that decides which corridors are spared.
    """
    random = stream.random
    pieces = plan.pieces[::-1]
    if plan.grafted:
        pieces.sort(key=lambda piece: -piece.depth)
    for piece in pieces:
        if piece.kind == "room" or piece is first or piece.gone:
            continue
        low, high = piece.needed()
        if piece.kind == "corridor" and piece.length - (high - low) >= STUB and random() < dead_ends:
            continue
        if not piece.holds:
            plan.remove(piece)
        elif piece.kind == "corridor":
            plan.cut(piece, low, high)
    if first is not None and first.parent is None and not first.gone:
        _trim_first(plan, first)


def _trim_first(plan: TunnelPlan, first: TunnelPiece) -> None:
    """Cut off the unused ends of the first corridor, which was dug in both directions.

    A first corridor with a single corridor or junction joined to it, and nothing else, is removed; the joined piece
    takes its place and is trimmed next.
    """
    while len(first.holds) == 1:
        children = [p for p in plan.pieces if p.parent is first and not p.gone and p.door is None]
        if not children:
            break
        plan.remove(first)
        first = children[0]
        first.parent = None
    if not first.holds:
        plan.remove(first)
    elif first.kind == "corridor":
        low, high = first.needed()
        least = STUB if len(first.holds) == 1 else first.thick
        high = min(max(high, low + least), first.along + first.length)
        plan.cut(first, max(min(low, high - least), first.along), high)
