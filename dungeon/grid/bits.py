"""A whole mask in one integer, so that one machine instruction handles 30 or more cells at a time.

The rows stand one after another in the integer with one empty column between them: cell (y, x) of a map
of width w is bit `y * (w + 1) + x`. The empty column keeps a shift by one cell from running into the next row:

    . # # |        row 0: bits 0..2, column bit 3 is always 0
    # . # |        row 1: bits 4..6, ...

Moving a mask by (dy, dx) is one shift; "is there room for a block here?", asked of every cell at once,
is a handful of shifts and ANDs (`Board.fits`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dungeon.grid.rect import Cell

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray


class Board:
    """How masks of one size are laid out in integers, and what can be asked of them.

    Attributes:
        height: Rows of the map.
        width: Columns of the map.
        stride: Bits per row: the width and the empty column.
    """

    __slots__ = ("full", "height", "stride", "width")

    def __init__(self, height: int, width: int) -> None:
        self.height = height
        self.width = width
        self.stride = width + 1
        self.full = self.block(0, 0, height, width)

    def from_array(self, mask: NDArray[np.bool_]) -> int:
        """Return the integer of a (height, width) array."""
        padded = np.zeros((self.height, self.stride), np.bool_)
        padded[:, :-1] = mask
        return int.from_bytes(np.packbits(padded, bitorder="little").tobytes(), "little")

    def to_array(self, bits: int) -> NDArray[np.bool_]:
        """Return the (height, width) array of an integer."""
        size = self.height * self.stride
        data = np.frombuffer(bits.to_bytes((size + 7) // 8, "little"), np.uint8)
        flat = np.unpackbits(data, count=size, bitorder="little").view(np.bool_)
        return flat.reshape(self.height, self.stride)[:, :-1]

    def from_cells(self, cells: Iterable[tuple[int, int]]) -> int:
        """Return the integer with just these (y, x) cells set."""
        bits = 0
        for y, x in cells:
            bits |= 1 << (y * self.stride + x)
        return bits

    def cells(self, bits: int) -> list[Cell]:
        """Return the cells that are set, row by row."""
        found = []
        while bits:
            low = bits & -bits
            found.append(Cell(*divmod(low.bit_length() - 1, self.stride)))
            bits ^= low
        return found

    def nth(self, bits: int, index: int) -> Cell:
        """Return the cell of the set bit with that index, counted row by row from 0.

        Raises:
            IndexError: Fewer cells are set.
        """
        if not 0 <= index < bits.bit_count():
            raise IndexError(f"{bits.bit_count()} cells are set, so none has the index {index}")
        low, high = 0, self.height
        while high - low > 1:  # halve the rows until one holds the bit
            middle = (low + high) // 2
            below = (bits & ((1 << (middle * self.stride)) - 1)).bit_count()
            low, high = (middle, high) if below <= index else (low, middle)
        start = low * self.stride
        index -= (bits & ((1 << start) - 1)).bit_count()
        row = bits >> start & ((1 << self.stride) - 1)
        for _ in range(index):
            row &= row - 1
        return Cell(low, (row & -row).bit_length() - 1)

    def block(self, y: int, x: int, height: int, width: int) -> int:
        """Return the mask of a rectangle that lies on the map."""
        row = ((1 << width) - 1) << x
        return _repeat(row, height, self.stride) << (y * self.stride)

    def move(self, bits: int, dy: int, dx: int) -> int:
        """Return the mask moved by (dy, dx), with |dx| at most 1; what leaves the map is lost."""
        by = dy * self.stride + dx
        return (bits << by if by >= 0 else bits >> -by) & self.full

    def beside(self, bits: int) -> int:
        """Return the cells that share an edge with a cell of the mask, and the mask itself."""
        stride = self.stride
        return (bits | bits << 1 | bits >> 1 | bits << stride | bits >> stride) & self.full

    def around(self, bits: int) -> int:
        """Return the cells that touch a cell of the mask, corners included, and the mask itself."""
        stride = self.stride
        wide = bits | bits << 1 | bits >> 1
        return (wide | wide << stride | wide >> stride) & self.full

    def fits(self, bits: int, height: int, width: int) -> int:
        """Return the top-left cells of every height x width block that lies wholly in the mask.

        Each AND with a shifted copy doubles the length that is known to be free, so a block of 12 takes four.
        """
        bits = _erode(bits, width, 1)
        return _erode(bits, height, self.stride)

    def fronts(self, bits: int, start: int) -> list[int]:
        """Return the cells of the mask that are 0, 1, 2... 4-neighbour steps from `start`, as far as steps lead."""
        found, rest, front = [], bits & ~start, start
        while front:
            found.append(front)
            # A move by (1, 1) and one by (1, -1) make all four steps, each a row too far down.
            front |= front << self.stride + 1
            front = (front | front << self.stride - 1) >> self.stride & rest
            rest ^= front
        return found

    def flood(self, bits: int, start: int) -> int:
        """Return the part of the mask that 4-neighbour steps reach from `start`.

        One pass over the map per step of the longest way: right for rooms and small maps;
        `grid.regions.components` is the one for whole large maps.
        """
        reached = start & bits
        while True:
            wider = self.beside(reached) & bits
            if wider == reached:
                return reached
            reached = wider


def _erode(bits: int, length: int, step: int) -> int:
    """Keep the bits that begin a run of `length` set bits, `step` apart."""
    known = 1
    while known < length:
        by = min(known, length - known)
        bits &= bits >> (by * step)
        known += by
    return bits


def _repeat(row: int, count: int, stride: int) -> int:
    """Return `count` copies of a row, stacked."""
    result, done = 0, 0
    power, size = row, 1
    while count:
        if count & 1:
            result |= power << (done * stride)
            done += size
        count >>= 1
        power |= power << (size * stride)
        size *= 2
    return result
