"""A whole mask in one integer, so that one machine instruction handles 30 or more cells at a time.

The rows stand one after another in the integer with one empty column between them: cell (y, x) of a map
of width w is bit `y * (w + 1) + x`. The empty column keeps a shift by one cell from running into the next row:

    . # # |        row 0: bits 0..2, column bit 3 is always 0
    # . # |        row 1: bits 4..6, ...

Moving a mask by (dy, dx) is one shift; "is there room for a block here?", asked of every cell at once,
is a handful of shifts and ANDs (`Board.fits`).
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
"""So many bits are looked at one by one."""

SOON = 6
"""So many set bits are taken off a mask of any length, one by one, sooner than it is halved a few times."""

FEW = 24
"""So many set bits are found one by one sooner than all at once."""

BLOCKS = 1024
"""So many masks of blocks are kept of those that were asked for last."""


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
        return bits_of(mask, self.stride)

    def to_array(self, bits: int) -> NDArray[np.bool_]:
        """Return the (height, width) array of an integer."""
        size = self.height * self.stride
        data = np.frombuffer(self.to_bytes(bits), np.uint8)
        flat = np.unpackbits(data, count=size, bitorder="little").view(np.bool_)
        return flat.reshape(self.height, self.stride)[:, :-1]

    def to_numbers(self, digits: Sequence[int]) -> NDArray[np.int32]:
        """Return (height, width) the numbers whose binary digits, the lowest first, are masks."""
        size = self.height * self.stride
        numbers = np.zeros(size, np.int32)
        for first in range(0, len(digits), 8):  # by the byte, which is quicker to write
            low = np.zeros(size, np.uint8)
            for place, digit in enumerate(digits[first : first + 8]):
                data = np.frombuffer(self.to_bytes(digit), np.uint8)
                low |= np.unpackbits(data, count=size, bitorder="little") * np.uint8(1 << place)
            numbers |= low.astype(np.int32) << first
        return np.ascontiguousarray(numbers.reshape(self.height, self.stride)[:, :-1])

    def to_flags(self, bits: int) -> bytes:
        """Return a byte for each place, 1 where it is set: to look at many places one by one."""
        data = np.frombuffer(self.to_bytes(bits), np.uint8)
        return np.unpackbits(data, bitorder="little").tobytes()

    def from_rows(self, rows: Sequence[int]) -> int:
        """Return the integer of one integer per row, bit x of each being its cell x."""
        parts, stride = list(rows), self.stride
        while len(parts) > 1:  # two by two, so that few are long
            parts = [
                upper | lower << stride for upper, lower in zip_longest(parts[::2], parts[1::2], fillvalue=0)
            ]
            stride *= 2
        return parts[0]

    def from_part(self, mask: NDArray[np.bool_], x: int) -> int:
        """Return the integer of an array that is not as wide as the map, with its top-left cell at (0, x)."""
        return bits_of(mask, self.stride) << x

    def to_bytes(self, bits: int) -> bytes:
        """Return the bytes of an integer, eight cells each, the first one lowest."""
        return bits.to_bytes((self.height * self.stride + 7) // 8, "little")

    def from_cells(self, cells: Iterable[tuple[int, int]]) -> int:
        """Return the integer with just these (y, x) cells set."""
        bits = 0
        for y, x in cells:
            bits |= 1 << (y * self.stride + x)
        return bits

    def cells(self, bits: int) -> list[Cell]:
        """Return the cells that are set, row by row."""
        return [Cell(*divmod(place, self.stride)) for place in places(bits)]

    def nth(self, bits: int, index: int) -> Cell:
        """Return the cell of the set bit with that index, counted row by row from 0.

        Raises:
            IndexError: Fewer cells are set.
        """
        return Cell(*divmod(nth_bit(bits, index), self.stride))

    def block(self, y: int, x: int, height: int, width: int) -> int:
        """Return the mask of a rectangle that lies on the map."""
        return _corner(height, width, self.stride) << (y * self.stride + x)

    def bounds(self, bits: int) -> Rect:
        """Return the smallest rectangle around the set cells, of which there must be one."""
        top, bottom = self.rows_of(bits)
        columns = reduce(or_, self._rows(bits, Rect(top, 0, bottom - top, self.width)))
        left = (columns & -columns).bit_length() - 1
        return Rect(top, left, bottom - top, columns.bit_length() - left)

    def cut(self, bits: int, part: Rect) -> int:
        """Return the mask of a part of the map, as on a board of that size."""
        return Board(part.height, part.width).from_rows(self._rows(bits, part))

    def put_back(self, bits: int, part: Rect) -> int:
        """Return the mask of the whole map of which such a part was cut, with nothing set around it."""
        own = Board(part.height, part.width)
        rows = own._rows(bits, Rect(0, 0, part.height, part.width))
        return self.from_rows(rows) << part.y * self.stride + part.x

    def _rows(self, bits: int, part: Rect) -> list[int]:
        """Return the rows of a rectangle, whose first column is bit 0 of each."""
        row, stride = (1 << part.width) - 1, self.stride
        bits = bits >> part.y * stride + part.x & (1 << part.height * stride) - 1
        return [bits >> y * stride & row for y in range(part.height)]

    def rows_of(self, bits: int, beyond: int = 0) -> tuple[int, int]:
        """Return the first row with a set cell, and the row after the last one with a set cell.

        Args:
            bits: The mask, with at least one set cell.
            beyond: The number of rows to add above and below, as far as the map reaches.
        """
        top, bottom = ((bits & -bits).bit_length() - 1) // self.stride, bits.bit_length() // self.stride + 1
        return max(top - beyond, 0), min(bottom + beyond, self.height)

    def with_rows(self, bits: int, top: int, bottom: int, now: int) -> int:
        """Return a mask with the rows `top` to `bottom` - 1 replaced.

        Args:
            bits: The mask.
            top: The first row to replace.
            bottom: The row after the last one to replace.
            now: The mask of the new rows; its row 0 is the map's row `top`.
        """
        first, rows = top * self.stride, (1 << (bottom - top) * self.stride) - 1
        return bits ^ (bits >> first & rows ^ now) << first

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
        return starts(starts(bits, width, 1), height, self.stride)

    def touches(self, bits: int, height: int, width: int) -> int:
        """Return the top-left cells of every height x width block of which some cell is in the mask.

        What it says of blocks that stick out of the map means nothing.
        """
        return meets(meets(bits, width, 1), height, self.stride)

    def flood(self, bits: int, start: int) -> int:
        """Return the part of the mask that 4-neighbour steps reach from `start`.

        One pass over the map per step of the longest way: right for rooms and small maps;
        `grid.regions.components` is the one for whole large maps.
        """
        return flooded(bits, start & bits, self.stride)

    def last_reached(self, bits: int, start: int) -> int:
        """Return one of the cells of the mask that are farthest from `start` in 4-neighbour steps."""
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
    """Return the integer of an array that is less than `stride` wide, its rows so many bits apart."""
    height, width = mask.shape
    padded = np.zeros((height, stride), np.bool_)
    padded[:, :width] = mask
    return int.from_bytes(np.packbits(padded, None, "little").tobytes(), "little")


def flooded(bits: int, start: int, stride: int) -> int:
    """Return the part of a mask that 4-neighbour steps reach from `start`, which is part of it."""
    rest, front = bits ^ start, start
    while front:
        # A move by (1, 1) and one by (1, -1) make all four steps, each a row too far down.
        front |= front << stride + 1
        front = (front | front << stride - 1) >> stride & rest
        rest ^= front
    return bits ^ rest


def shifted(bits: int, by: int) -> int:
    """Return the bits moved up by so many places, or down if that is negative."""
    return bits << by if by >= 0 else bits >> -by


def without(bits: int, others: int) -> int:
    """Return the bits but for those that are in the other mask, too: several times as quick as `bits & ~others`."""
    return bits ^ bits & others


def places(bits: int) -> list[int]:
    """Return the places of the set bits, the lowest first."""
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
    """Return the same as an array, for masks in which many are set."""
    data = np.frombuffer(bits.to_bytes((bits.bit_length() + 7) // 8, "little"), np.uint8)
    return np.unpackbits(data, bitorder="little").view(np.bool_).nonzero()[0]


def runs(bits: int) -> list[tuple[int, int]]:
    """Return the runs of set bits, the lowest first: the place of each one's first bit, and how many it has."""
    found, place = [], 0
    while bits:
        gap = (bits & -bits).bit_length() - 1
        bits >>= gap
        length = (~bits & bits + 1).bit_length() - 1
        found.append((place + gap, length))
        bits >>= length
        place += gap + length
    return found


def starts(bits: int, length: int, step: int) -> int:
    """Keep the bits that begin a run of `length` set bits, `step` apart."""
    known = 1
    while 2 * known < length:
        bits &= bits >> known * step
        known *= 2
    return bits & bits >> (length - known) * step


def meets(bits: int, length: int, step: int) -> int:
    """Return the bits from which at least one of `length` bits, `step` apart and this one included, is set."""
    known = 1
    while 2 * known < length:
        bits |= bits >> known * step
        known *= 2
    return bits | bits >> (length - known) * step


def nth_bit(bits: int, index: int) -> int:
    """Return the place of the set bit with that index, counted from the lowest, from 0.

    Raises:
        IndexError: Fewer bits are set.
    """
    if not 0 <= index < bits.bit_count():
        raise IndexError(f"{bits.bit_count()} bits are set, so none has the index {index}")
    place = 0
    while index >= SOON and (size := bits.bit_length()) > WORD:  # halve it until a word holds the bit
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
    """Return the mask of a block in the top left corner."""
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


def smeared(bits: int, count: int) -> int:
    """Return the mask united with itself moved down by 1 to count - 1 bits; each step doubles what is covered."""
    done = 1
    while 2 * done <= count:
        bits |= bits >> done
        done *= 2
    return bits | bits >> (count - done)


def array_of(rows: Sequence[int], width: int) -> NDArray[np.bool_]:
    """Return the (height, width) array of a mask that is given as one integer per row."""
    size = (width + 7) // 8
    data = np.frombuffer(b"".join(row.to_bytes(size, "little") for row in rows), np.uint8)
    cells = np.unpackbits(data.reshape(len(rows), size), axis=1, count=width, bitorder="little")
    return cells.view(np.bool_)


def row_bits(cells: NDArray[np.bool_]) -> list[int]:
    """Return the rows of a (height, width) array as integers."""
    packed = np.packbits(cells, axis=1, bitorder="little")
    size = packed.shape[1]
    data = packed.tobytes()
    return [int.from_bytes(data[at : at + size], "little") for at in range(0, len(data), size)]
