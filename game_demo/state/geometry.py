"""Cells of a map, and rectangles of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

Cell = tuple[int, int]
"""A cell: row y, column x."""

Direction = tuple[int, int]
"""A step to a neighbour: rows down, columns right; (0, 0) for none."""

NEIGHBOURS: tuple[Direction, ...] = ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1))


def side_of(way: Direction) -> str:
    """Return the name of a direction: ``north``, ``southeast``; empty for none."""
    return ("", "south", "north")[way[0]] + ("", "east", "west")[way[1]]


def bearing_of(start: Cell, goal: Cell) -> str:
    """Return the direction from one cell to another as one of eight names; empty for the same cell."""
    down, right = goal[0] - start[0], goal[1] - start[1]
    counts = 2 * abs(down) >= abs(right), 2 * abs(right) >= abs(down)
    return side_of((counts[0] * ((down > 0) - (down < 0)), counts[1] * ((right > 0) - (right < 0))))


def distance(one: Cell, other: Cell) -> int:
    """Return the number of steps between two cells, diagonal steps allowed and walls ignored."""
    return max(abs(one[0] - other[0]), abs(one[1] - other[1]))


def mask_of(cells: NDArray[np.bool_]) -> int:
    """Return a (height, width) bool array as one integer: cell (y, x) is bit y * width + x.

    Set operations on such masks take one instruction for many cells.
    """
    return int.from_bytes(np.packbits(cells, bitorder="little").tobytes(), "little")


def cells_in(mask: int, width: int) -> Iterator[Cell]:
    """Yield the cells of a bitmask in the form of `mask_of`, row by row."""
    while mask:
        lowest = mask & -mask
        mask ^= lowest
        yield divmod(lowest.bit_length() - 1, width)


class Area(NamedTuple):
    """A rectangle of a map's cells, without its bottom row and right column."""

    top: int
    left: int
    bottom: int
    right: int

    @property
    def slices(self) -> tuple[slice, slice]:
        """The index that cuts the area out of an array of the map."""
        return slice(self.top, self.bottom), slice(self.left, self.right)

    @property
    def shape(self) -> tuple[int, int]:
        """(height, width) of the area."""
        return self.bottom - self.top, self.right - self.left

    def within(self, cell: Cell) -> Cell | None:
        """Return the position of a cell of the map inside the area, or None if it is outside."""
        y, x = cell
        inside = self.top <= y < self.bottom and self.left <= x < self.right
        return (y - self.top, x - self.left) if inside else None

    def overlaps(self, other: Area) -> bool:
        """Return whether the area has a cell in common with another one."""
        rows = self.top < other.bottom and other.top < self.bottom
        return rows and self.left < other.right and other.left < self.right


def area_around(cell: Cell, radius: int, shape: tuple[int, ...]) -> Area:
    """Return the part of a map of that shape within `radius` rows and columns of a cell."""
    (y, x), (height, width) = cell, shape
    return Area(
        max(y - radius, 0), max(x - radius, 0), min(y + radius + 1, height), min(x + radius + 1, width)
    )
