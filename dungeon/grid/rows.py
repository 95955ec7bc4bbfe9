"""A mask held as one integer per row: the fastest way to ask whether a rectangle is free and to fill it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from dungeon.grid.rect import Rect


class Rows:
    """A (height, width) mask; bit x of `rows[y]` is the cell (y, x).

    A rectangle test is one AND per row, whatever the width. Coordinates must lie on the map: callers keep to
    its border anyway, and a check here would cost more than the test itself.
    """

    __slots__ = ("height", "rows", "width")

    def __init__(self, height: int, width: int, rows: list[int] | None = None) -> None:
        self.height = height
        self.width = width
        self.rows = [0] * height if rows is None else rows

    @classmethod
    def of(cls, cells: NDArray[np.bool_]) -> Rows:
        """Return the mask of a (height, width) array."""
        height, width = cells.shape
        return cls(height, width, row_bits(cells))

    def any_in(self, y: int, x: int, height: int, width: int) -> bool:
        """Tell whether any cell of the rectangle is set."""
        mask = ((1 << width) - 1) << x
        return any(row & mask for row in self.rows[y : y + height])

    def fill(self, y: int, x: int, height: int, width: int) -> None:
        """Set every cell of the rectangle."""
        mask = ((1 << width) - 1) << x
        rows = self.rows
        for i in range(y, y + height):
            rows[i] |= mask

    def clear(self, y: int, x: int, height: int, width: int) -> None:
        """Unset every cell of the rectangle."""
        mask = ~(((1 << width) - 1) << x)
        rows = self.rows
        for i in range(y, y + height):
            rows[i] &= mask

    def cut(self, part: Rect) -> list[int]:
        """Return the rows of a rectangle of the map, whose first column is bit 0."""
        mask = (1 << part.width) - 1
        return [row >> part.x & mask for row in self.rows[part.y : part.bottom]]

    def to_array(self) -> NDArray[np.bool_]:
        """Return the (height, width) array of the mask."""
        return array_of(self.rows, self.width)

    def __contains__(self, cell: tuple[int, int]) -> bool:
        return bool(self.rows[cell[0]] >> cell[1] & 1)


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
