"""The plan of a map of the layout `tunnels` before it is carved: its pieces (corridors, junctions, halls, rooms), and masks.

A line is a row of the map for axis 0 and a column for axis 1; a strip is 4 neighbouring lines. A side is a wall of a
piece: (axis, line of the wall, direction away from the piece, first cell along the wall, cell after the last).

Coordinates are those of the map plus 1, since the plan has a frame of one cell.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from dungeon.generation.layouts.dice import pick_bit
from dungeon.generation.layouts.tunnels_pieces import hang_tree, measure_depths
from dungeon.grid.bits import all_in_run, any_in_run, array_of, row_bits, spread_down
from dungeon.grid.rect import Rect

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from dungeon.core.streams import Stream
    from dungeon.generation.layouts.tunnels_pieces import Side, TunnelPiece
    from dungeon.grid.rect import Cell, Rect

# -- plan ------------------------------------------------------------------------------------------
#
# All masks are kept twice, as rows and as columns (one integer per line), so that the same code serves corridors of
# both directions. A *line* is a row for axis 0 and a column for axis 1; `across` counts lines, `along` counts the cells
# of a line:
#
#     axis 0              axis 1
#          along ->          across ->
#     across  ======         along  ||
#        |    ======           |    ||
#
# Corridors and junctions are also kept in *strips*: the OR of four neighbouring lines in one integer. The distance to
# the next corridor is measured in strips, since a cell more or less does not matter there.
#
# Coordinates are the canvas's plus 1. The frame around the canvas counts as taken. A piece needs a free cell on every
# side, so it never touches the outermost cells of the canvas, and no test has to check bounds.


Lines = tuple[list[int], list[int]]
"""A mask as (rows, columns), one integer per line.

A mask of the whole map in one integer would be slower here, where a few whole lines are read at a time. To read a
rectangle and fill it takes 0.8 microseconds in one integer of 198x66 cells and 7.5 in one of 1000x1000.
"""

STRIP = 4
"""Number of lines in a strip: 4 is coarse enough to look 18 cells aside in five steps, and fine enough to keep rooms' space."""


class TunnelPlan:
    """The planned corridors, junctions, halls and rooms of a map, and masks of the cells that are taken.

    Args:
        taken: (height, width) bool, the cells of the canvas where nothing may be dug.

    Attributes:
        size: The number of (rows, columns), the frame included.
        used: (masks of rows, masks of columns): the cells that are not free.
        strips: For each axis the OR of every 4 neighbouring lines: the cells of all corridors, halls and junctions
            that were ever added.
        doors: (masks of rows, masks of columns): the cells of doors.
        pieces: All pieces in the order in which they were begun, removed ones included.
        loops: Doors between two pieces that were joined already: (y, x, one piece, the other piece).
        open: The number of open cells, doors included.
        trees: The number of pieces added without a parent.
        is_divided: Whether some cells were taken at the start, so that parts of the map may be cut off from each other.
        grafted: Whether two trees of pieces were joined, so that a piece may come before its parent in `pieces`.
    """

    def __init__(self, taken: NDArray[np.bool_]) -> None:
        height, width = taken.shape[0] + 2, taken.shape[1] + 2
        self.size = (height, width)
        self.used = _framed(taken)
        self.is_divided = bool(taken.any())
        self.strips = ([0] * (height // STRIP + 1), [0] * (width // STRIP + 1))
        self.doors = ([0] * height, [0] * width)
        self.pieces: list[TunnelPiece] = []
        self.loops: list[tuple[int, int, TunnelPiece, TunnelPiece]] = []
        self.open = 0
        self.grafted = False
        self.trees = 0
        # The index (plus 1) of the piece that took each cell last, 0 for none. The piece may have been cut or removed since.
        last: NDArray[np.int32] = np.zeros((height, width), np.int32)
        self._last = (last, last.T)

    # -- asking ---------------------------------------------------------------------------------

    def reach(self, axis: int, sign: int, across: int, thick: int, front: int, spacing: int) -> int:
        """Return how many cells a straight corridor can be dug from the cell `front` on; negative if `front` is not free.

        The corridor keeps one cell away from everything taken. It stops where another corridor or junction lies
        within about `spacing` cells beside it.

        Args:
            axis: 0 to dig along rows, 1 to dig along columns.
            sign: The direction, +1 or -1.
            across: The first row (axis 0) or column (axis 1) of the corridor.
            thick: The width of the corridor.
            front: The first cell to dig on these rows or columns.
            spacing: The distance to corridors beside it; 0 and 1 ignore them.
        """
        taken = self._beside(axis, across, thick, spacing)
        if sign > 0:
            taken >>= front
            return (taken & -taken).bit_length() - 2
        return front - (taken & ((2 << front) - 1)).bit_length()

    def reach_both(
        self, axis: int, across: int, thick: int, low: int, high: int, spacing: int
    ) -> tuple[int, int]:
        """Return how many cells a corridor can be dug (backward from the cell `low` - 1, forward from the cell `high`).

        Both numbers are as in `reach`: negative if not even the first cell is free.

        Args:
            axis: 0 to dig along rows, 1 to dig along columns.
            across: The first row (axis 0) or column (axis 1) of the corridor.
            thick: The width of the corridor.
            low: The cell after the first cell dug backward.
            high: The first cell dug forward.
            spacing: The distance to corridors beside it; 0 and 1 ignore them.
        """
        taken = self._beside(axis, across, thick, spacing)
        ahead = taken >> high
        return low - 1 - (taken & ((1 << low) - 1)).bit_length(), (ahead & -ahead).bit_length() - 2

    def _beside(self, axis: int, across: int, thick: int, spacing: int) -> int:
        """Return the mask of the positions at which a corridor must stop; bit n is the n-th cell along its rows or columns.

        A corridor must stop at taken cells on its own rows or right beside them, and where another corridor lies within
        `spacing`. Corridors are looked up by strips; a strip counts if at least half of its lines lie within `spacing`.

        Args:
            axis: 0 to dig along rows, 1 to dig along columns.
            across: The first row (axis 0) or column (axis 1) of the corridor.
            thick: The width of the corridor.
            spacing: The distance to corridors beside it; 0 and 1 ignore them.
        """
        taken = 0
        for line in self.used[axis][across - 1 : across + thick + 1]:
            taken |= line
        if spacing > 1:
            first, end = (across - spacing + 1) // STRIP, (across + thick + spacing + 2) // STRIP
            for strip in self.strips[axis][max(0, first) : end]:
                taken |= strip
        return taken

    def starts(self, side: Side, low: int, high: int, thick: int, length: int, spacing: int) -> int:
        """Return the mask of the cells of a wall where a corridor may begin that leads straight away from the wall.

        Bit n is set if the corridor may have its first row or column at the n-th cell along the wall. Other corridors
        are looked up by strips: those with at least half of their lines beyond the wall. In the strip of the wall
        itself, the cells taken beyond the wall count.

        Args:
            side: The wall.
            low: The first cell along the wall that the corridor may begin at.
            high: The cell after the last cell that the corridor may begin at.
            thick: The width of the corridor.
            length: The number of cells that must be free for the corridor.
            spacing: The distance that the corridor keeps from corridors beside it.
        """
        axis, wall, sign, _, _ = side
        last = wall + sign * length
        if not 0 <= last < self.size[axis]:
            return 0
        number, strips, lines, taken = wall // STRIP, self.strips[axis], self.used[axis], 0
        if sign > 0:
            first, beside = wall, lines[wall : (number + 1) * STRIP]
            beyond = strips[number + 1 : (last + 3) // STRIP]
        else:
            first, last, beside = last, wall, lines[number * STRIP : wall + 1]
            beyond = strips[(first + 1) // STRIP : number]
        for line in beside:
            taken |= line
        near, taken = taken & strips[number], 0
        for strip in beyond:
            near |= strip
        # Short masks are fast masks, so cut them off at `spacing` cells on both sides.
        start = low - spacing if low > spacing else 1
        places = (1 << (high - thick + 1 - start)) - (1 << (low - start))
        near = near >> start & (1 << (high + spacing - start)) - 1
        if near:
            places &= ~spread_down(near << spacing, thick + 2 * spacing)
        if places:
            for line in self.used[axis][first : last + 1]:
                taken |= line
            taken = taken >> (start - 1) & (1 << (high - start + 2)) - 1
            if taken:
                places &= ~spread_down(taken, thick + 2)
        return places << start

    def stretches(self, side: Side, depth: int, overhang: int) -> list[tuple[int, int]]:
        """Return the stretches along a wall where a room of `depth` x `depth` has space: (first cell, cell after the last).

        A stretch is a row of cells along the wall, at least `depth` long, behind which the earth is free.

        Args:
            side: The wall.
            depth: The number of cells that must be free behind the wall; a cell for the room's far wall is added.
            overhang: How many cells a room may stick out beyond each end of the wall.
        """
        axis, wall, sign, low, high = side
        last = wall + sign * (depth + 1)
        if not 0 <= last < self.size[axis]:
            return []
        start = low - overhang - 1 if low > overhang else 0
        taken = 0
        for line in self.used[axis][wall : last + 1] if sign > 0 else self.used[axis][last : wall + 1]:
            taken |= line
        free = ~taken >> start & (1 << (min(high + overhang, self.size[1 - axis] - 1) - start + 1)) - 1
        free &= free >> 1 & free << 1
        found = []
        while free:
            first = (free & -free).bit_length() - 1
            rest = free >> first
            end = first + (~rest & rest + 1).bit_length() - 1
            if end - first >= depth and start + first < high and start + end > low:
                found.append((start + first, start + end))
            free = free >> end << end
        return found

    def depth(self, side: Side, first: int, length: int, most: int) -> int:
        """Return how many cells a room behind a wall can reach away from the wall; below 1 if there is no space for a room.

        Args:
            side: The wall.
            first: The first cell along the wall that the room touches.
            length: The number of cells along the wall that the room touches.
            most: The depth at which the search ends; no larger number is returned.
        """
        axis, wall, sign, _, _ = side
        mask, lines = (1 << (length + 2)) - 1 << (first - 1), self.used[axis]
        passed = 0
        if sign > 0:
            for line in lines[wall : wall + most + 2]:
                if line & mask:
                    return passed - 2
                passed += 1
        else:
            for line in lines[wall : (wall - most - 2 if wall > most + 1 else None) : -1]:
                if line & mask:
                    return passed - 2
                passed += 1
        return most

    def faces_void(self, side: Side, size: int) -> bool:
        """Tell whether a free square of `size` x `size` cells touches a wall from outside its piece.

        The square includes the walls of a room that is built there, and one of its sides lies on the wall `side`.
        """
        axis, wall, sign, low, high = side
        first = wall if sign > 0 else wall - size + 1
        if not 0 <= first <= self.size[axis] - size:
            return False
        start = low - size + 2 if low > size else 0
        taken = 0
        for line in self.used[axis][first : first + size]:
            taken |= line
        return ~spread_down(taken, size) & (1 << (high - 1)) - (1 << start) > 0

    def beside_voids(self, size: int) -> list[int]:
        """Return the indices in `pieces` of the pieces that touch a free square of `size` x `size` cells, in ascending order."""
        free, stride = self._free()
        first = all_in_run(all_in_run(free, size, 1), size, stride)
        near = any_in_run(any_in_run(first << size * (stride + 1), size + 2, 1), size + 2, stride)
        touched = (near & ~free).to_bytes(self.size[0] * stride // 8, "little")
        cells = np.unpackbits(np.frombuffer(touched, np.uint8), bitorder="little").view(np.bool_)
        owners = self._last[0][cells.reshape(-1, stride)[:, : self.size[1]]]
        return [number - 1 for number in np.bincount(owners).nonzero()[0].tolist() if number]

    def find_void(self, size: int, stream: Stream) -> tuple[int, int] | None:
        """Return the (y, x) of the middle of a random free square of `size` x `size` cells; None if there is no such square."""
        free, stride = self._free()
        first = all_in_run(all_in_run(free, size, 1), size, stride)
        if not first:
            return None
        y, x = divmod(pick_bit(first, 0, first.bit_length(), stream), stride)
        return y + size // 2, x + size // 2

    def _free(self) -> tuple[int, int]:
        """Return the free cells as one integer, row after row, and the number of bits per row (a multiple of 8)."""
        octets = (self.size[1] + 7) // 8
        rest = (1 << 8 * octets) - (1 << self.size[1])
        taken = b"".join((row | rest).to_bytes(octets, "little") for row in self.used[0])
        return int.from_bytes(taken, "little") ^ (1 << 8 * len(taken)) - 1, 8 * octets

    def door_cells(self, side: Side, low: int, high: int) -> int:
        """Return the mask of the cells of a wall, from `low` to below `high`, where a door may stand.

        Bit n is the n-th cell along the wall. Its two neighbours along the wall must not be open, and no other door may
        touch it, not even diagonally.
        """
        axis, wall, _, _, _ = side
        doors = self.doors[axis]
        taken = self.used[axis][wall] | doors[wall - 1] | doors[wall + 1]
        return ~(taken | taken << 1 | taken >> 1) & (1 << high) - (1 << low)

    def walk(
        self,
        a: TunnelPiece,
        at: tuple[int, int],
        b: TunnelPiece,
        to: tuple[int, int],
        enough: float = math.inf,
    ) -> float:
        """Return the length in steps of the walk between two cells, from piece to parent and from parent to child.

        Doors and corridors that close loops are ignored, so the true walk may be shorter.

        Args:
            a: The piece at which the walk begins.
            at: The (y, x) of the cell of `a` at which the walk begins.
            b: The piece at which the walk ends.
            to: The (y, x) of the cell of `b` at which the walk ends.
            enough: Once the sum exceeds this, measuring stops and a lower bound is returned.

        Returns:
            The length; infinity if the pieces are in different trees.
        """
        total = 0
        while a is not b and total <= enough:
            if a.depth < b.depth:
                a, b, at, to = b, a, to, at
            if a.parent is None:
                return math.inf
            total += abs(at[0] - a.entry[0]) + abs(at[1] - a.entry[1]) + 1
            at, a = a.entry, a.parent
        return total + abs(at[0] - to[0]) + abs(at[1] - to[1])

    def piece_at(self, y: int, x: int) -> TunnelPiece | None:
        """Return the piece (corridor, junction, hall or room) that covers the cell (y, x) of the plan; None without one."""
        number = self._last[0].item(y, x)
        if not number:
            return None
        piece = self.pieces[number - 1]
        if piece.gone or not 0 <= (y if piece.axis else x) - piece.along < piece.length:
            return None
        return piece

    def taken(self) -> NDArray[np.bool_]:
        """Return (height + 2, width + 2) bool: the cells of the plan, with its frame, that are not free."""
        return array_of(self.used[0], self.size[1])

    # -- changing -------------------------------------------------------------------------------

    def add(self, piece: TunnelPiece) -> TunnelPiece:
        """Add a piece with its door to the plan, and return it. Its cells must be free."""
        self.pieces.append(piece)
        self.take(piece, piece.along, piece.length)
        parent = piece.parent
        if parent is None:
            self.trees += 1
        else:
            piece.depth = parent.depth + 1
            parent.holds.append(piece.hold)
        if piece.door is not None:
            self.add_door(*piece.door)
        return piece

    def add_door(self, y: int, x: int) -> None:
        """Mark the cell (y, x) of the plan as a door; the cell counts as open and as taken."""
        row, column = 1 << x, 1 << y
        self.used[0][y] |= row
        self.used[1][x] |= column
        self.doors[0][y] |= row
        self.doors[1][x] |= column
        self.open += 1

    def add_loop(self, y: int, x: int, a: TunnelPiece, b: TunnelPiece) -> None:
        """Add a door at (y, x) between the pieces `a` and `b`, which are joined already, so that it closes a loop."""
        self.add_door(y, x)
        self.loops.append((y, x, a, b))

    def take(self, piece: TunnelPiece, along: int, length: int) -> None:
        """Mark a part of a piece as taken: over its whole thickness, the `length` cells from the position `along` on."""
        axis, across, thick = piece.axis, piece.across, piece.thick
        below, end = across + thick, along + length
        mask, cross = (1 << length) - 1 << along, (1 << thick) - 1 << across
        lines, columns = self.used[axis], self.used[1 - axis]
        for line in range(across, below):
            lines[line] |= mask
        for line in range(along, end):
            columns[line] |= cross
        if piece.kind != "room":
            lines, columns = self.strips[axis], self.strips[1 - axis]
            for strip in range(across // STRIP, (below + 3) // STRIP):
                lines[strip] |= mask
            for strip in range(along // STRIP, (end + 3) // STRIP):
                columns[strip] |= cross
        self.open += thick * length
        self._last[axis][across:below, along:end] = piece.index + 1

    def reserve(self, rect: Rect) -> list[Cell]:
        """Mark the free cells of a rectangle as taken, for a corridor to be dug later; return these cells."""
        rows, columns = self.used
        kept = [each for each in rect.cells() if not rows[each.y] >> each.x & 1]
        for y, x in kept:
            rows[y] |= 1 << x
            columns[x] |= 1 << y
        return kept

    def release_reserved(self, kept: Iterable[Cell]) -> None:
        """Make the cells that `reserve` returned free again."""
        rows, columns = self.used
        for y, x in kept:
            rows[y] &= ~(1 << x)
            columns[x] &= ~(1 << y)

    def graft(self, piece: TunnelPiece, at: tuple[int, int], onto: TunnelPiece) -> None:
        """Make `piece` a child of `onto`, a piece of another tree, with the whole tree that `piece` belongs to.

        Nothing happens if both are in one tree already. `hang_tree` tells how parents change.

        Args:
            piece: The piece that gets a new parent.
            at: The (y, x) of the cell of `piece` next to `onto`.
            onto: The new parent.
        """
        if hang_tree(piece, at, onto):
            self.grafted = True
            measure_depths(self.pieces)

    def cut(self, piece: TunnelPiece, low: int, high: int) -> None:
        """Shorten a corridor: of the positions along its length, those from `low` to below `high` stay."""
        end = piece.along + piece.length
        if low > piece.along:
            self._release(piece, piece.along, low - piece.along)
        if high < end:
            self._release(piece, high, end - high)
        piece.along, piece.length = low, high - low

    def remove(self, piece: TunnelPiece) -> None:
        """Remove a corridor, a junction or an anteroom, with the door to its parent."""
        self._release(piece, piece.along, piece.length)
        piece.gone = True
        if piece.parent is not None:
            piece.parent.holds.remove(piece.hold)
        if piece.door is not None:
            y, x = piece.door
            for table in (self.used, self.doors):
                table[0][y] &= ~(1 << x)
                table[1][x] &= ~(1 << y)
            self.open -= 1

    def _release(self, piece: TunnelPiece, along: int, length: int) -> None:
        """Mark a part of a piece as free again: over its whole thickness, the `length` cells from the position `along` on."""
        axis, across, thick = piece.axis, piece.across, piece.thick
        below, end = across + thick, along + length
        mask, cross = ~((1 << length) - 1 << along), ~((1 << thick) - 1 << across)
        lines, columns = self.used[axis], self.used[1 - axis]
        for line in range(across, below):
            lines[line] &= mask
        for line in range(along, end):
            columns[line] &= cross
        self.open -= thick * length


def _framed(taken: NDArray[np.bool_]) -> Lines:
    """Add a frame of set cells around a mask; return (masks of its rows, masks of its columns), with a bit for each cell."""
    framed = np.pad(taken, 1, constant_values=True)
    return row_bits(framed), row_bits(framed.T)
