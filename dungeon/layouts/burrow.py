"""The plan of a tunnelled map before anything is carved: what is free, and which pieces there are.

The plan is kept twice, as rows and as columns (one integer per line), so that every question about a corridor
or a wall is asked in the same words whichever way it runs. A *line* is a row for axis 0 and a column for axis 1;
`across` counts lines and `along` counts the cells of a line:

    axis 0              axis 1
         along ->          across ->
    across  ======         along  ||
       |    ======           |    ||

Coordinates are the canvas's plus one. The frame around the canvas counts as taken, so a piece that is to have
a free cell on every side can never touch the canvas's outermost cells, and no test needs to look at bounds.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dungeon.grid.rows import Rows

PieceKind = Literal["corridor", "junction", "room"]

Lines = tuple[list[int], list[int]]
"""A mask twice: its rows, then its columns, each an integer."""

Side = tuple[int, int, int, int, int]
"""One wall of a piece: (axis, wall, sign, low, high).

The wall is line `wall` of `axis`; what lies outside is beyond it in the direction of `sign`, +1 or -1; and it faces
the piece from the cell `low` to before the cell `high`.
"""


@dataclass(slots=True, eq=False)
class Piece:
    """A straight length of corridor, a junction or a room: a rectangle, joined to the piece it was begun from.

    Attributes:
        index: Its place in `Burrow.pieces`; a parent's is lower than its children's.
        axis: The way it runs; `across` is its first line, `along` its first cell; then its size.
        sign: The direction in which it was dug, +1 or -1.
        parent: The piece it was begun from; `entry` is the (y, x) cell where one comes in from there.
        hold: The (first, last) cells along its parent that it needs; `holds` are what its own children need.
        door: The (y, x) wall cell of the door to the parent, if there is one.
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
    gone: bool = False
    holds: list[tuple[int, int]] = field(default_factory=list)

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
            low, high = min(low, first), max(high, last + 1)
        return low, high

    def held_at(self, axis: int, sign: int, first: int, last: int) -> tuple[int, int]:
        """Return which cells along it are needed by what joins it through these cells of a wall of that axis and sign."""
        if axis == self.axis:
            return first, last
        end = self.along if sign < 0 else self.along + self.length - 1
        return end, end


class Burrow:
    """What is taken, by whom, and the pieces in the order in which they were begun.

    Attributes:
        size: How many lines there are per axis, the frame included.
        used: Per axis, the lines of cells that are not free.
        ways: Likewise, the cells of corridors and junctions.
        doors: Likewise, the cells of doors.
        pieces: All pieces, those taken back included.
        loops: Doors besides those by which pieces were begun: (y, x, a piece, the other piece).
        open: How many cells are open.
    """

    def __init__(self, taken: Rows) -> None:
        height, width = taken.height + 2, taken.width + 2
        self.size = (height, width)
        self.used = _framed(taken)
        self.ways = ([0] * height, [0] * width)
        self.doors = ([0] * height, [0] * width)
        self._lying: tuple[list[list[Piece]], list[list[Piece]]] = (
            [[] for _ in range(height)],
            [[] for _ in range(width)],
        )
        self.pieces: list[Piece] = []
        self.loops: list[tuple[int, int, Piece, Piece]] = []
        self.open = 0

    # -- asking ---------------------------------------------------------------------------------

    def reach(self, axis: int, sign: int, across: int, thick: int, front: int, spacing: int) -> int:
        """Return how many cells a corridor may be dug from `front` on.

        It keeps one cell from whatever is taken, and stops where another corridor or junction comes within
        `spacing` cells beside it.
        """
        taken = 0
        for line in self.used[axis][across - 1 : across + thick + 1]:
            taken |= line
        for line in self.ways[axis][max(across - spacing, 0) : across + thick + spacing]:
            taken |= line
        if sign > 0:
            taken >>= front
            return (taken & -taken).bit_length() - 2
        return front - (taken & ((2 << front) - 1)).bit_length()

    def blocks(self, size: int) -> Lines:
        """Return where blocks of that many cells each way are free, for the whole map as it is now.

        Bit b of line i stands for the block that begins with line i and bit b. That answers for many walls at once
        what lies beyond them, see `faces`. The last lines, where no block begins, are 0; so a block beside the map's
        first lines may be looked up with a line below 0, too.
        """
        return _blocks(self.used[0], size), _blocks(self.used[1], size)

    def reach_both(
        self, axis: int, across: int, thick: int, low: int, high: int, spacing: int
    ) -> tuple[int, int]:
        """Return `reach` twice: back from the cell before `low`, and on from `high`."""
        taken = 0
        for line in self.used[axis][across - 1 : across + thick + 1]:
            taken |= line
        for line in self.ways[axis][max(across - spacing, 0) : across + thick + spacing]:
            taken |= line
        ahead = taken >> high
        return low - 1 - (taken & ((1 << low) - 1)).bit_length(), (ahead & -ahead).bit_length() - 2

    def starts(self, side: Side, low: int, high: int, thick: int, length: int, spacing: int) -> int:
        """Return where from `low` to below `high` a corridor of `length` cells may leave a wall, as bits.

        A bit stands for the first of the corridor's lines, of which there are `thick`.
        """
        axis, wall, sign, _, _ = side
        last = wall + sign * length
        if not 0 <= last < self.size[axis]:
            return 0
        first, last = (wall, last) if sign > 0 else (last, wall)
        near = taken = 0
        for line in self.ways[axis][first : last + 1]:
            near |= line
        start = max(low - spacing, 1)  # short masks are fast masks: look no further than the spacing
        near = near >> start & (1 << (high + spacing - start)) - 1
        places = (1 << (high - thick + 1 - start)) - (1 << (low - start))
        places &= ~_smear(near << spacing, thick + 2 * spacing)
        if places:
            for line in self.used[axis][first : last + 1]:
                taken |= line
            taken = taken >> (start - 1) & (1 << (high - start + 2)) - 1
            places &= ~_smear(taken, thick + 2)
        return places << start

    def stretches(self, side: Side, depth: int, overhang: int) -> Iterator[tuple[int, int]]:
        """Yield the (first, end) cells along a wall beyond which there is space for a room of depth by depth.

        Args:
            side: The wall.
            depth: How many free cells there must be beyond the wall and before the next one.
            overhang: How far rooms may stick out beyond the wall's ends.
        """
        axis, wall, sign, low, high = side
        last = wall + sign * (depth + 1)
        if not 0 <= last < self.size[axis]:
            return
        taken = 0
        for line in self.used[axis][wall : last + 1] if sign > 0 else self.used[axis][last : wall + 1]:
            taken |= line
        start = max(low - overhang - 1, 0)
        free = ~taken >> start & (1 << (min(high + overhang, self.size[1 - axis] - 1) - start + 1)) - 1
        free &= free >> 1 & free << 1
        while free:
            first = (free & -free).bit_length() - 1
            rest = free >> first
            end = first + (~rest & rest + 1).bit_length() - 1
            if end - first >= depth and start + first < high and start + end > low:
                yield start + first, start + end
            free = free >> end << end

    def depth(self, side: Side, first: int, length: int, most: int) -> int:
        """Return how deep, up to `most`, a room beyond that stretch of wall may be."""
        axis, at, sign, _, _ = side
        lines, mask = self.used[axis], (1 << (length + 2)) - 1 << (first - 1)
        for passed in range(most + 2):
            if lines[at] & mask:
                return passed - 2
            at += sign
        return most

    def door_cells(self, side: Side, low: int, high: int) -> int:
        """Return the cells of a wall from `low` to below `high` where a door would stand well.

        Beside it along the wall there is wall, and there is no other door next to it, not even diagonally.
        """
        axis, wall, _, _, _ = side
        doors = self.doors[axis]
        taken = self.used[axis][wall] | doors[wall - 1] | doors[wall + 1]
        return ~(taken | taken << 1 | taken >> 1) & (1 << high) - (1 << low)

    def walk(self, a: Piece, at: tuple[int, int], b: Piece, to: tuple[int, int]) -> float:
        """Return how long the walk between two cells is along the tree of pieces; infinity if there is none.

        Loops are not counted, so that this is an upper bound, found in as many steps as the tree is deep.
        """
        total = 0
        while a is not b:
            if a.index < b.index:
                a, b, at, to = b, a, to, at
            if a.parent is None:
                return math.inf
            total += abs(at[0] - a.entry[0]) + abs(at[1] - a.entry[1]) + 1
            at, a = a.entry, a.parent
        return total + abs(at[0] - to[0]) + abs(at[1] - to[1])

    def piece_at(self, y: int, x: int) -> Piece | None:
        """Return the piece that has the cell, or None."""
        for line, at in ((self._lying[0][y], x), (self._lying[1][x], y)):
            for piece in line:
                if piece.along <= at < piece.along + piece.length and not piece.gone:
                    return piece
        return None

    # -- changing -------------------------------------------------------------------------------

    def add(self, piece: Piece) -> Piece:
        """Add a piece that lies on free ground."""
        self.pieces.append(piece)
        self.take(piece, piece.along, piece.length)
        for line in self._lying[piece.axis][piece.across : piece.across + piece.thick]:
            line.append(piece)
        if piece.parent is not None:
            piece.parent.holds.append(piece.hold)
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

    def add_loop(self, y: int, x: int, a: Piece, b: Piece) -> None:
        """Add a door between two pieces that are connected already."""
        self.add_door(y, x)
        self.loops.append((y, x, a, b))

    def take(self, piece: Piece, along: int, length: int) -> None:
        """Mark the cells of a piece, or of what it grows by, as taken by it."""
        axis, across, thick = piece.axis, piece.across, piece.thick
        below, end = across + thick, along + length
        mask, cross = (1 << length) - 1 << along, (1 << thick) - 1 << across
        for table in (self.used,) if piece.kind == "room" else (self.used, self.ways):
            lines, columns = table[axis], table[1 - axis]
            lines[across:below] = [line | mask for line in lines[across:below]]
            columns[along:end] = [line | cross for line in columns[along:end]]
        self.open += thick * length

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

    def _release(self, piece: Piece, along: int, length: int) -> None:
        axis, across, thick = piece.axis, piece.across, piece.thick
        below, end = across + thick, along + length
        mask, cross = ~((1 << length) - 1 << along), ~((1 << thick) - 1 << across)
        for table in (self.used, self.ways):
            lines, columns = table[axis], table[1 - axis]
            lines[across:below] = [line & mask for line in lines[across:below]]
            columns[along:end] = [line & cross for line in columns[along:end]]
        self.open -= thick * length


def faces(blocks: Lines, size: int, side: Side) -> bool:
    """Tell whether a free block that begins with a wall's line reaches beyond the wall.

    Args:
        blocks: What `Burrow.blocks` returned for that size.
        size: How many cells it has each way; the outer ones are for walls.
        side: The wall.
    """
    axis, wall, sign, low, high = side
    first = low - size + 2 if low > size else 0
    return blocks[axis][wall if sign > 0 else wall - size + 1] >> first & (1 << (high - 1 - first)) - 1 > 0


def cell(axis: int, across: int, along: int) -> tuple[int, int]:
    """Return the (y, x) of a cell."""
    return (along, across) if axis else (across, along)


def _smear(bits: int, count: int) -> int:
    """Return the mask united with itself moved down by 1 to count - 1."""
    done = 1
    while 2 * done <= count:
        bits |= bits >> done
        done *= 2
    return bits | bits >> (count - done)


def _blocks(lines: list[int], size: int) -> list[int]:
    """Return `Burrow.blocks` for one axis."""
    done = 1
    while done < size:
        by = min(done, size - done)
        lines = [a | b for a, b in zip(lines, lines[by:], strict=False)]
        lines = [line | line >> by for line in lines]
        done += by
    return [~line for line in lines] + [0] * (size - 1)


def _framed(taken: Rows) -> Lines:
    """Return the lines of both axes of a mask with a frame of set cells around it."""
    height, width = taken.height + 2, taken.width + 2
    ends = 1 | 1 << (width - 1)
    rows = [(1 << width) - 1, *(row << 1 | ends for row in taken.rows), (1 << width) - 1]
    if not any(taken.rows):
        ends = 1 | 1 << (height - 1)
        return rows, [(1 << height) - 1, *[ends] * taken.width, (1 << height) - 1]
    size = (width + 7) // 8
    data = np.frombuffer(b"".join(row.to_bytes(size, "little") for row in rows), np.uint8)
    cells = np.unpackbits(data.reshape(height, size), axis=1, count=width, bitorder="little")
    columns = np.packbits(cells.T, axis=1, bitorder="little")
    return rows, [int.from_bytes(line.tobytes(), "little") for line in columns]
