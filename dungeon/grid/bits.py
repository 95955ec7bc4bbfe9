"""Bitmasks: a set of map cells (a *mask*) as one Python integer, in which cell (y, x) is bit y * stride + x, its *place*.

The *stride* is the number of bits per row, the map's width plus 1: one unused bit (the empty column) follows each row. A *board*
knows the height, width and stride of one map. Thanks to the empty column, a shift by one cell never runs into the next row. One machine instruction handles 30 or more cells:

    . # # |        row 0: bits 0 to 2; bit 3 is the empty column, always 0
    # . # |        row 1: bits 4 to 6, ...

Moving a mask by (dy, dx) is one shift. Finding all positions where a block fits takes a few shifts and ANDs (`Board.fits`).
"""

from __future__ import annotations

from functools import lru_cache, reduce
from itertools import zip_longest
from operator import or_
from typing import TYPE_CHECKING

import numpy as np

from dungeon.grid.rect import Cell, Rect

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray


WORD = 64
"""`nth_bit` stops halving a mask at this length: one machine word, in which set bits are quickly removed one by one."""

SOON = 6
"""Below this index, `nth_bit` removes the lowest set bits one by one, which is quicker than halving the mask."""

FEW = 24
"""Up to 24 set bits, `places` finds them one by one, which is quicker than one numpy pass over all bits."""

BLOCKS = 1024
"""Size of the cache of block masks, each for one height, width and stride."""


class Board:
    """The layout of bitmasks of one map size, with the operations on them.

    Attributes:
        height: Rows of the map.
        width: Columns of the map.
        stride: Bits per row: the width plus one for the empty column.
        full: The mask of all cells.
    """

    __slots__ = ("full", "height", "stride", "width")

    def __init__(self, height: int, width: int) -> None:
        self.height = height
        self.width = width
        self.stride = width + 1
        self.full = self.block(0, 0, height, width)

    def from_array(self, mask: NDArray[np.bool_]) -> int:
        """Return the bitmask of a (height, width) bool array."""
        return bits_of(mask, self.stride)

    def to_array(self, bits: int) -> NDArray[np.bool_]:
        """Return the (height, width) bool array of a bitmask."""
        size = self.height * self.stride
        data = np.frombuffer(self.to_bytes(bits), np.uint8)
        flat = np.unpackbits(data, count=size, bitorder="little").view(np.bool_)
        return flat.reshape(self.height, self.stride)[:, :-1]

    def to_numbers(self, digits: Sequence[int]) -> NDArray[np.int32]:
        """Return (height, width) int32: for each cell, the number whose binary digit n is the cell's bit in `digits[n]`.

        A cell that is set in `digits[0]` and in `digits[2]`, but in no other mask, has the number 1 + 4 = 5.
        """
        size = self.height * self.stride
        numbers = np.zeros(size, np.int32)
        for first in range(0, len(digits), 8):  # eight digits at a time, as writing bytes is quicker
            low = np.zeros(size, np.uint8)
            for place, digit in enumerate(digits[first : first + 8]):
                data = np.frombuffer(self.to_bytes(digit), np.uint8)
                low |= np.unpackbits(data, count=size, bitorder="little") * np.uint8(1 << place)
            numbers |= low.astype(np.int32) << first
        return np.ascontiguousarray(numbers.reshape(self.height, self.stride)[:, :-1])

    def to_flags(self, bits: int) -> bytes:
        """Return one byte for each place of the bitmask, 1 if the bit is set and 0 if not, so that many bits can be tested quickly."""
        data = np.frombuffer(self.to_bytes(bits), np.uint8)
        return np.unpackbits(data, bitorder="little").tobytes()

    def from_rows(self, rows: Sequence[int]) -> int:
        """Return the bitmask of rows, each an integer whose bit x is the cell in column x."""
        parts, stride = list(rows), self.stride
        while len(parts) > 1:  # in pairs, so that few of the integers are long
            parts = [
                upper | lower << stride for upper, lower in zip_longest(parts[::2], parts[1::2], fillvalue=0)
            ]
            stride *= 2
        return parts[0]

    def from_part(self, mask: NDArray[np.bool_], x: int) -> int:
        """Return the map's bitmask of a (height, width) bool array that is laid on the map with its top left cell at (0, x).

        Args:
            mask: The array, which must fit on the map there.
            x: The column of the array's left column on the map.
        """
        return bits_of(mask, self.stride) << x

    def to_bytes(self, bits: int) -> bytes:
        """Return a bitmask as little-endian bytes; the lowest bit of the first byte is place 0."""
        return bits.to_bytes((self.height * self.stride + 7) // 8, "little")

    def from_cells(self, cells: Iterable[tuple[int, int]]) -> int:
        """Return the bitmask in which exactly these (y, x) cells are set."""
        bits = 0
        for y, x in cells:
            bits |= 1 << (y * self.stride + x)
        return bits

    def cells(self, bits: int) -> list[Cell]:
        """Return the set cells, row by row."""
        return [Cell(*divmod(place, self.stride)) for place in places(bits)]

    def nth(self, bits: int, index: int) -> Cell:
        """Return the cell number `index` among the set cells of the mask, counted row by row from 0.

        Raises:
            IndexError: No set cell has this index.
        """
        return Cell(*divmod(nth_bit(bits, index), self.stride))

    def block(self, y: int, x: int, height: int, width: int) -> int:
        """Return the mask of all cells of a rectangle, given by its top left cell and size; it must lie on the map."""
        return _corner(height, width, self.stride) << (y * self.stride + x)

    def bounds(self, bits: int) -> Rect:
        """Return the smallest rectangle around the set cells; the mask must not be empty."""
        top, bottom = self.rows_of(bits)
        columns = reduce(or_, self._rows(bits, Rect(top, 0, bottom - top, self.width)))
        left = (columns & -columns).bit_length() - 1
        return Rect(top, left, bottom - top, columns.bit_length() - left)

    def cut(self, bits: int, part: Rect) -> int:
        """Return the rectangle `part` of the map's mask as a mask of a smaller board, which has the rectangle's size."""
        return Board(part.height, part.width).from_rows(self._rows(bits, part))

    def put_back(self, bits: int, part: Rect) -> int:
        """Return a mask of the whole map that is empty outside the rectangle `part`: the inverse of `cut`.

        Args:
            bits: The cells inside the rectangle, as a mask of a board of its size.
            part: The rectangle of the map.
        """
        own = Board(part.height, part.width)
        rows = own._rows(bits, Rect(0, 0, part.height, part.width))
        return self.from_rows(rows) << part.y * self.stride + part.x

    def _rows(self, bits: int, part: Rect) -> list[int]:
        """Return the rows of a rectangle of the map as integers; bit 0 is the rectangle's first column."""
        row, stride = (1 << part.width) - 1, self.stride
        bits = bits >> part.y * stride + part.x & (1 << part.height * stride) - 1
        return [bits >> y * stride & row for y in range(part.height)]

    def rows_of(self, bits: int, beyond: int = 0) -> tuple[int, int]:
        """Return the first row with a set cell, and the row after the last one with a set cell.

        Args:
            bits: The mask, with at least one set cell.
            beyond: The number of rows by which to widen the result above and below; it never leaves the map.
        """
        top, bottom = ((bits & -bits).bit_length() - 1) // self.stride, bits.bit_length() // self.stride + 1
        return max(top - beyond, 0), min(bottom + beyond, self.height)

    def with_rows(self, bits: int, top: int, bottom: int, now: int) -> int:
        """Return the mask `bits` with the rows `top` to `bottom` - 1 replaced by those of `now`.

        Args:
            bits: A mask of the map.
            top: The first row to replace.
            bottom: The row after the last one to replace.
            now: The new rows; its row 0 takes the place of the map's row `top`.
        """
        first, rows = top * self.stride, (1 << (bottom - top) * self.stride) - 1
        return bits ^ (bits >> first & rows ^ now) << first

    def move(self, bits: int, dy: int, dx: int) -> int:
        """Return the mask moved by (dy, dx), with |dx| at most 1; cells that leave the map are dropped."""
        by = dy * self.stride + dx
        return (bits << by if by >= 0 else bits >> -by) & self.full

    def beside(self, bits: int) -> int:
        """Return the mask with all cells added that share an edge with a set cell."""
        stride = self.stride
        return (bits | bits << 1 | bits >> 1 | bits << stride | bits >> stride) & self.full

    def around(self, bits: int) -> int:
        """Return the mask with all cells added that touch a set cell, at an edge or a corner."""
        stride = self.stride
        wide = bits | bits << 1 | bits >> 1
        return (wide | wide << stride | wide >> stride) & self.full

    def fits(self, bits: int, height: int, width: int) -> int:
        """Return the mask of the top left cells of all height x width blocks whose cells are all set in `bits`.

        Each AND with a shifted copy doubles the length that is known to be set, so a length of 12 takes four of them.
        """
        return all_in_run(all_in_run(bits, width, 1), height, self.stride)

    def touches(self, bits: int, height: int, width: int) -> int:
        """Return the mask of the top left cells of all height x width blocks that have at least one cell in `bits`.

        The result is meaningless for blocks that reach beyond the map.
        """
        return any_in_run(any_in_run(bits, width, 1), height, self.stride)

    def flood(self, bits: int, start: int) -> int:
        """Return the cells of `bits` that 4-neighbour steps within `bits` reach from the cells of `start` (a flood fill).

        Each step of the fill takes time for the whole map, which suits rooms and small maps. For large maps, use
        `grid.regions.components`.
        """
        return flooded(bits, start & bits, self.stride)

    def last_reached(self, bits: int, start: int) -> int:
        """Return the mask of one cell: the cell of `bits` with the longest walk from the cells of `start`.

        Walks take 4-neighbour steps within `bits`. Of several farthest cells, it is the first one, row by row.
        """
        stride, layer = self.stride, start & bits
        left = bits ^ layer
        while True:
            near = layer | layer << stride + 1  # as in `flooded`
            wider = (near | near << stride - 1) >> stride & left
            if not wider:
                return layer & -layer
            layer = wider
            left ^= wider


def bits_of(mask: NDArray[np.bool_], stride: int) -> int:
    """Return the bitmask of a (height, width) bool array, with `stride` bits for each row; `stride` must exceed the width."""
    height, width = mask.shape
    padded = np.zeros((height, stride), np.bool_)
    padded[:, :width] = mask
    return int.from_bytes(np.packbits(padded, None, "little").tobytes(), "little")


def flooded(bits: int, start: int, stride: int) -> int:
    """Return the cells of `bits` that 4-neighbour steps within `bits` reach from `start`, a subset of `bits` (a flood fill).

    Args:
        bits: The mask of the cells that steps may enter.
        start: The mask of the cells from which the fill begins.
        stride: The number of bits per row.
    """
    rest, front = bits ^ start, start
    while front:
        # Moving by (1, 1) and then by (1, -1) makes all four steps, each one row too far down; the shift back corrects that.
        front |= front << stride + 1
        front = (front | front << stride - 1) >> stride & rest
        rest ^= front
    return bits ^ rest


def shifted(bits: int, by: int) -> int:
    """Return the bits shifted up by `by` places; down if `by` is negative.

    Example:
        >>> from dungeon.extend import shifted
        >>> bin(shifted(0b101, 2)), bin(shifted(0b101, -2))
        ('0b10100', '0b1')
    """
    return bits << by if by >= 0 else bits >> -by


def without(bits: int, others: int) -> int:
    """Return `bits & ~others`, several times as quickly as Python computes it for long integers."""
    return bits ^ bits & others


def places(bits: int) -> list[int]:
    """Return the places (indices) of the set bits, lowest first: 0b1010 -> [1, 3]."""
    if bits.bit_count() > FEW:
        listed: list[int] = all_places(bits).tolist()
        return listed
    found, offset = [], 0
    while bits:
        low = (bits & -bits).bit_length()
        offset += low
        found.append(offset - 1)
        bits >>= low
    return found


def all_places(bits: int) -> NDArray[np.intp]:
    """Return the places of the set bits as an array, lowest first; for masks with many set bits."""
    data = np.frombuffer(bits.to_bytes((bits.bit_length() + 7) // 8, "little"), np.uint8)
    return np.unpackbits(data, bitorder="little").view(np.bool_).nonzero()[0]


def runs(bits: int) -> list[tuple[int, int]]:
    """Return the runs of consecutive set bits, lowest first, as (place of the first bit, length): 0b110100 -> [(2, 1), (4, 2)]."""
    found, place = [], 0
    while bits:
        gap = (bits & -bits).bit_length() - 1
        bits >>= gap
        length = (~bits & bits + 1).bit_length() - 1
        found.append((place + gap, length))
        bits >>= length
        place += gap + length
    return found


def all_in_run(bits: int, length: int, step: int) -> int:
    """Return the bitmask of the places p for which all `length` bits p, p + step, p + 2 * step... are set: (0b1110, 2, 1) -> 0b0110."""
    known = 1
    while 2 * known < length:
        bits &= bits >> known * step
        known *= 2
    return bits & bits >> (length - known) * step


def any_in_run(bits: int, length: int, step: int) -> int:
    """Return the bitmask of the places p for which at least one of the `length` bits p, p + step, p + 2 * step... is set.

    The run may begin at an unset bit: (0b100, 2, 1) -> 0b110.
    """
    known = 1
    while 2 * known < length:
        bits |= bits >> known * step
        known *= 2
    return bits | bits >> (length - known) * step


def nth_bit(bits: int, index: int) -> int:
    """Return the place of set bit number `index`, where the lowest set bit is number 0: (0b1010, 1) -> 3.

    Raises:
        IndexError: No set bit has this index.
    """
    if not 0 <= index < bits.bit_count():
        raise IndexError(f"{bits.bit_count()} bits are set, so none has the index {index}")
    place = 0
    while index >= SOON and (size := bits.bit_length()) > WORD:  # halve the mask until a word holds the bit
        half = size // 2
        lower = bits & ((1 << half) - 1)
        below = lower.bit_count()
        if index < below:
            bits = lower
        else:
            index -= below
            bits >>= half
            place += half
    for _ in range(index):
        bits &= bits - 1
    return place + (bits & -bits).bit_length() - 1


@lru_cache(BLOCKS)
def _corner(height: int, width: int, stride: int) -> int:
    """Return the mask of a height x width block in the top left corner of a board; `stride` is the board's bits per row."""
    result, done = 0, 0
    power, size = (1 << width) - 1, 1
    left = height
    while left:
        if left & 1:
            result |= power << (done * stride)
            done += size
        left >>= 1
        power |= power << (size * stride)
        size *= 2
    return result


def spread_down(bits: int, count: int) -> int:
    """Return `bits | bits >> 1 | ... | bits >> (count - 1)`, in about log2(count) shifts: (0b1000, 3) -> 0b1110."""
    done = 1
    while 2 * done <= count:
        bits |= bits >> done
        done *= 2
    return bits | bits >> (count - done)


def array_of(rows: Sequence[int], width: int) -> NDArray[np.bool_]:
    """Return the (height, width) bool array of rows, each an integer whose bit x is the cell in column x."""
    size = (width + 7) // 8
    data = np.frombuffer(b"".join(row.to_bytes(size, "little") for row in rows), np.uint8)
    cells = np.unpackbits(data.reshape(len(rows), size), axis=1, count=width, bitorder="little")
    return cells.view(np.bool_)


def row_bits(cells: NDArray[np.bool_]) -> list[int]:
    """Return the rows of a (height, width) bool array as integers; bit x is the cell in column x."""
    packed = np.packbits(cells, axis=1, bitorder="little")
    size = packed.shape[1]
    data = packed.tobytes()
    return [int.from_bytes(data[at : at + size], "little") for at in range(0, len(data), size)]
