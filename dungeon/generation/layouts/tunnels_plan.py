"""The pieces of a tunnelled map's plan: rectangles that hang together like a tree, and their walls."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np

from dungeon.generation.layouts.dice import pick_bit
from dungeon.grid.bits import array_of, meets, row_bits, smeared, starts
from dungeon.grid.rect import Rect

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from dungeon.core.streams import Stream
    from dungeon.grid.rect import Cell

# -- piece -----------------------------------------------------------------------------------------


SHORTEST = 4
"""The fewest cells that are worth a corridor."""

PieceKind = Literal["corridor", "junction", "hall", "room"]

Side = tuple[int, int, int, int, int]
"""One wall of a piece: (axis, wall, sign, low, high).

The wall is line `wall` of `axis`; what lies outside is beyond it in the direction of `sign`, +1 or -1; and it faces
the piece from the cell `low` to before the cell `high`.
"""


@dataclass(slots=True, eq=False)
class Piece:
    """A straight length of corridor, a junction, a hall or a room: a rectangle, joined to the piece it was begun from.

    Attributes:
        index: Its place in `TunnelPlan.pieces`.
        axis: The way it runs; `across` is its first line, `along` its first cell; then its size.
        sign: The direction in which it was dug, +1 or -1.
        parent: The piece it was begun from; `entry` is the (y, x) cell where one comes in from there.
        hold: The (first, last) cells along its parent that it needs; `holds` are what its own children need.
        door: The (y, x) wall cell of the door to the parent, if there is one.
        taste: Whether rooms beside it are smaller (down to -1) or larger (up to 1) than elsewhere.
        depth: How many pieces it is away from the one that has no parent.
        gone: Whether it has been taken back.
    """

    index: int
    kind: PieceKind
    axis: int
    across: int
    along: int
    thick: int
    length: int
    sign: int
    parent: Piece | None
    entry: tuple[int, int]
    hold: tuple[int, int] = (0, 0)
    door: tuple[int, int] | None = None
    taste: float = 0.0
    depth: int = 0
    gone: bool = False
    holds: list[tuple[int, int]] = field(default_factory=list)

    def rect(self) -> Rect:
        """Return where it lies on the canvas."""
        if self.axis:
            return Rect(self.along - 1, self.across - 1, self.length, self.thick)
        return Rect(self.across - 1, self.along - 1, self.thick, self.length)

    def framed(self) -> Rect:
        """Return where it lies in a framed mask, as a `TunnelPlan` has them."""
        if self.axis:
            return Rect(self.along, self.across, self.length, self.thick)
        return Rect(self.across, self.along, self.thick, self.length)

    def held_by(self, y: int, x: int) -> tuple[int, int]:
        """Return which cells along it are needed by what joins it at one of its own cells, or one just beyond its end."""
        at = min(max(y if self.axis else x, self.along), self.along + self.length - 1)
        return at, at

    def sides(self) -> tuple[Side, ...]:
        """Return its four walls: the two along it, then those at its ends."""
        axis, across, along = self.axis, self.across, self.along
        below, end = across + self.thick, along + self.length
        return (
            (axis, across - 1, -1, along, end),
            (axis, below, 1, along, end),
            (1 - axis, along - 1, -1, across, below),
            (1 - axis, end, 1, across, below),
        )

    def needed(self) -> tuple[int, int]:
        """Return the part of its length that is needed: from the first cell to before the last."""
        low, high = self.along + self.length, self.along
        if self.parent is not None:
            low = high = self.along if self.sign > 0 else self.along + self.length
        for first, last in self.holds:
            low = min(low, first)
            if last >= high:
                high = last + 1
        return low, high

    def held_at(self, axis: int, sign: int, first: int, last: int) -> tuple[int, int]:
        """Return which cells along it are needed by what joins it through these cells of a wall of that axis and sign."""
        if axis == self.axis:
            return first, last
        end = self.along if sign < 0 else self.along + self.length - 1
        return end, end


def cell(axis: int, across: int, along: int) -> tuple[int, int]:
    """Return the (y, x) of a cell."""
    return (along, across) if axis else (across, along)


# -- trees --------------------------------------------------------------------------------------


def hang(piece: Piece, at: tuple[int, int], onto: Piece) -> bool:
    """Let a piece, and with it the whole tree that it is part of, hang on a piece; tell whether that was another tree's.

    Args:
        piece: The piece; what it was begun from hangs on it from now on, and so on up to its tree's root.
        at: The (y, x) of its cell where one comes in.
        onto: What that cell touches.
    """
    if root_of(piece) is root_of(onto):
        return False
    child: Piece | None = piece
    parent, entry, hold, door = onto, at, onto.held_by(*at), None
    while child is not None:
        above, come_from, hung = child.parent, child.entry, child.door
        child.parent, child.entry, child.hold, child.door = parent, entry, hold, door
        parent.holds.append(hold)
        parent, entry, hold, door = child, come_from, child.held_by(*come_from), hung
        child = above
    return True


def sound(pieces: Iterable[Piece]) -> None:
    """Find out anew how deep all pieces are."""
    waiting = list(pieces)
    for piece in waiting:
        piece.depth = 0 if piece.parent is None else -1
    for piece in waiting:
        chain = []
        above: Piece | None = piece
        while above is not None and above.depth < 0:
            chain.append(above)
            above = above.parent
        depth = above.depth if above is not None else -1
        for each in reversed(chain):
            depth += 1
            each.depth = depth


def root_of(piece: Piece) -> Piece:
    """Return the piece of its tree that was begun from no other."""
    while piece.parent is not None:
        piece = piece.parent
    return piece


# -- plan ------------------------------------------------------------------------------------------
#
# The plan of a tunnelled map before anything is carved: what is free, and which pieces there are.
#
# The plan is kept twice, as rows and as columns (one integer per line), so that every question about a corridor
# or a wall is asked in the same words whichever way it runs. A *line* is a row for axis 0 and a column for axis 1;
# `across` counts lines and `along` counts the cells of a line:
#
#     axis 0              axis 1
#          along ->          across ->
#     across  ======         along  ||
#        |    ======           |    ||
#
# Corridors and junctions are also kept in *strips* of four lines, each strip's lines united in one integer: how far
# the next corridor is, is asked by the strip, for a cell more or less makes no odds there.
#
# Coordinates are the canvas's plus one. The frame around the canvas counts as taken, so a piece that is to have
# a free cell on every side can never touch the canvas's outermost cells, and no test needs to look at bounds.
#


Lines = tuple[list[int], list[int]]
"""A mask twice: its rows, then its columns, each an integer.

A corridor looks at a few whole lines, which a mask of the map in one integer would have to be shifted and copied for: to look at
a rectangle and fill it takes 0.8 microseconds in one integer of 198x66 cells and 7.5 in one of 1000x1000.
"""

STRIP = 4
"""How many lines are a strip."""


class TunnelPlan:
    """What is taken, by whom, and the pieces in the order in which they were begun.

    Attributes:
        size: How many lines there are per axis, the frame included.
        used: Per axis, the lines of cells that are not free.
        strips: Per axis, the strips of cells that corridors and junctions have ever had: what is taken back stays there.
        doors: Per axis, the lines of cells of doors.
        pieces: All pieces, those taken back included.
        loops: Doors besides those by which pieces were begun: (y, x, a piece, the other piece).
        open: How many cells are open, doors included.
        trees: How many pieces were begun from no other.
        is_divided: Whether something stands on the map that digging goes around.
        grafted: Whether a piece may have a lower index than the one that it hangs on.
    """

    def __init__(self, taken: NDArray[np.bool_]) -> None:
        height, width = taken.shape[0] + 2, taken.shape[1] + 2
        self.size = (height, width)
        self.used = _framed(taken)
        self.is_divided = bool(taken.any())
        self.strips = ([0] * (height // STRIP + 1), [0] * (width // STRIP + 1))
        self.doors = ([0] * height, [0] * width)
        self.pieces: list[Piece] = []
        self.loops: list[tuple[int, int, Piece, Piece]] = []
        self.open = 0
        self.grafted = False
        self.trees = 0
        # Who took each cell last: an index in `pieces` plus one. Whether it still has it, the piece must tell.
        last: NDArray[np.int32] = np.zeros((height, width), np.int32)
        self._last = (last, last.T)

    # -- asking ---------------------------------------------------------------------------------

    def reach(self, axis: int, sign: int, across: int, thick: int, front: int, spacing: int) -> int:
        """Return how many cells a corridor may be dug from `front` on.

        It keeps one cell from whatever is taken, and stops where another corridor or junction comes within about
        `spacing` cells beside it.
        """
        taken = self._beside(axis, across, thick, spacing)
        if sign > 0:
            taken >>= front
            return (taken & -taken).bit_length() - 2
        return front - (taken & ((2 << front) - 1)).bit_length()

    def reach_both(
        self, axis: int, across: int, thick: int, low: int, high: int, spacing: int
    ) -> tuple[int, int]:
        """Return `reach` twice: back from the cell before `low`, and on from `high`."""
        taken = self._beside(axis, across, thick, spacing)
        ahead = taken >> high
        return low - 1 - (taken & ((1 << low) - 1)).bit_length(), (ahead & -ahead).bit_length() - 2

    def _beside(self, axis: int, across: int, thick: int, spacing: int) -> int:
        """Return what stops a corridor in these lines: all that is taken beside it, and ways within `spacing`.

        A strip counts if at least half of it lies within.
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
        """Return where from `low` to below `high` a corridor of `length` cells may leave a wall, as bits.

        A bit stands for the first of the corridor's lines, of which there are `thick`. Ways count by the strip: those
        at least half of which lie beyond the wall, and in the wall's own strip what is taken beyond the wall.
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
        # Short masks are fast masks: look no further than the spacing.
        start = low - spacing if low > spacing else 1
        places = (1 << (high - thick + 1 - start)) - (1 << (low - start))
        near = near >> start & (1 << (high + spacing - start)) - 1
        if near:
            places &= ~smeared(near << spacing, thick + 2 * spacing)
        if places:
            for line in self.used[axis][first : last + 1]:
                taken |= line
            taken = taken >> (start - 1) & (1 << (high - start + 2)) - 1
            if taken:
                places &= ~smeared(taken, thick + 2)
        return places << start

    def stretches(self, side: Side, depth: int, overhang: int) -> list[tuple[int, int]]:
        """Return the (first, end) cells along a wall beyond which there is space for a room of depth by depth.

        Args:
            side: The wall.
            depth: How many free cells there must be beyond the wall and before the next one.
            overhang: How far rooms may stick out beyond the wall's ends.
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
        """Return how deep, up to `most`, a room beyond that stretch of wall may be."""
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
        """Tell whether a block of `size` free cells each way that begins with the wall's line reaches beyond a wall.

        The block's outermost cells are for walls.
        """
        axis, wall, sign, low, high = side
        first = wall if sign > 0 else wall - size + 1
        if not 0 <= first <= self.size[axis] - size:
            return False
        start = low - size + 2 if low > size else 0
        taken = 0
        for line in self.used[axis][first : first + size]:
            taken |= line
        return ~smeared(taken, size) & (1 << (high - 1)) - (1 << start) > 0

    def beside_voids(self, size: int) -> list[int]:
        """Return the indices of the pieces that touch a block of `size` free cells each way, the lowest first."""
        free, stride = self._free()
        first = starts(starts(free, size, 1), size, stride)
        near = meets(meets(first << size * (stride + 1), size + 2, 1), size + 2, stride)
        touched = (near & ~free).to_bytes(self.size[0] * stride // 8, "little")
        cells = np.unpackbits(np.frombuffer(touched, np.uint8), bitorder="little").view(np.bool_)
        owners = self._last[0][cells.reshape(-1, stride)[:, : self.size[1]]]
        return [number - 1 for number in np.bincount(owners).nonzero()[0].tolist() if number]

    def find_void(self, size: int, stream: Stream) -> tuple[int, int] | None:
        """Return the (y, x) of the middle of one of the blocks of `size` free cells each way; None if there is none."""
        free, stride = self._free()
        first = starts(starts(free, size, 1), size, stride)
        if not first:
            return None
        y, x = divmod(pick_bit(first, 0, first.bit_length(), stream), stride)
        return y + size // 2, x + size // 2

    def _free(self) -> tuple[int, int]:
        """Return the free cells, all rows one after another, and how many bits a row has: whole bytes."""
        octets = (self.size[1] + 7) // 8
        rest = (1 << 8 * octets) - (1 << self.size[1])
        taken = b"".join((row | rest).to_bytes(octets, "little") for row in self.used[0])
        return int.from_bytes(taken, "little") ^ (1 << 8 * len(taken)) - 1, 8 * octets

    def door_cells(self, side: Side, low: int, high: int) -> int:
        """Return the cells of a wall from `low` to below `high` where a door would stand well.

        Beside it along the wall there is wall, and there is no other door next to it, not even diagonally.
        """
        axis, wall, _, _, _ = side
        doors = self.doors[axis]
        taken = self.used[axis][wall] | doors[wall - 1] | doors[wall + 1]
        return ~(taken | taken << 1 | taken >> 1) & (1 << high) - (1 << low)

    def walk(
        self, a: Piece, at: tuple[int, int], b: Piece, to: tuple[int, int], enough: float = math.inf
    ) -> float:
        """Return how long the walk between two cells is along the tree of pieces; infinity if there is none.

        Loops are not counted, so that this is an upper bound, found in as many steps as the tree is deep. What is longer
        than `enough` need not be measured to its end.
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

    def piece_at(self, y: int, x: int) -> Piece | None:
        """Return the piece that has the cell, or None."""
        number = self._last[0].item(y, x)
        if not number:
            return None
        piece = self.pieces[number - 1]
        if piece.gone or not 0 <= (y if piece.axis else x) - piece.along < piece.length:
            return None
        return piece

    def taken(self) -> NDArray[np.bool_]:
        """Return (height + 2, width + 2) bool, the cells that are not free."""
        return array_of(self.used[0], self.size[1])

    # -- changing -------------------------------------------------------------------------------

    def add(self, piece: Piece) -> Piece:
        """Add a piece that lies on free ground."""
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
        """Mark the cell of a door."""
        row, column = 1 << x, 1 << y
        self.used[0][y] |= row
        self.used[1][x] |= column
        self.doors[0][y] |= row
        self.doors[1][x] |= column
        self.open += 1

    def add_loop(self, y: int, x: int, a: Piece, b: Piece) -> None:
        """Add a door between two pieces that are connected already."""
        self.add_door(y, x)
        self.loops.append((y, x, a, b))

    def take(self, piece: Piece, along: int, length: int) -> None:
        """Mark the cells of a piece, or of what it grows by, as taken by it."""
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

    def keep(self, rect: Rect) -> list[Cell]:
        """Take what is free of a rectangle for somebody who is still to come; return these cells."""
        rows, columns = self.used
        kept = [each for each in rect.cells() if not rows[each.y] >> each.x & 1]
        for y, x in kept:
            rows[y] |= 1 << x
            columns[x] |= 1 << y
        return kept

    def give_back(self, kept: Iterable[Cell]) -> None:
        """Free cells that were kept for somebody."""
        rows, columns = self.used
        for y, x in kept:
            rows[y] &= ~(1 << x)
            columns[x] &= ~(1 << y)

    def graft(self, piece: Piece, at: tuple[int, int], onto: Piece) -> None:
        """Let a piece, and with it the whole tree that it is part of, hang on a piece of another tree: see `hang`."""
        if hang(piece, at, onto):
            self.grafted = True
            sound(self.pieces)

    def cut(self, piece: Piece, low: int, high: int) -> None:
        """Take back the cells of a corridor before `low` and from `high` on."""
        end = piece.along + piece.length
        if low > piece.along:
            self._release(piece, piece.along, low - piece.along)
        if high < end:
            self._release(piece, high, end - high)
        piece.along, piece.length = low, high - low

    def remove(self, piece: Piece) -> None:
        """Take back a corridor or a junction, with the door that it was begun from."""
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

    def _release(self, piece: Piece, along: int, length: int) -> None:
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
    """Return the lines of both axes of a mask with a frame of set cells around it."""
    framed = np.pad(taken, 1, constant_values=True)
    return row_bits(framed), row_bits(framed.T)
