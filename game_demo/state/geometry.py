"""Cells of a map, and rectangles of them."""

from __future__ import annotations

from typing import NamedTuple

Place = tuple[int, int]
"""A cell: row y, column x."""

NEIGHBOURS: tuple[Place, ...] = ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1))


def distance(one: Place, other: Place) -> int:
    """Return how many steps lie between two cells, walls aside."""
    return max(abs(one[0] - other[0]), abs(one[1] - other[1]))


class Area(NamedTuple):
    """A rectangle of a map's cells, up to but without its bottom row and its right column."""

    top: int
    left: int
    bottom: int
    right: int

    @property
    def slices(self) -> tuple[slice, slice]:
        """The index that cuts it out of an array of the map."""
        return slice(self.top, self.bottom), slice(self.left, self.right)

    @property
    def shape(self) -> tuple[int, int]:
        """(height, width)."""
        return self.bottom - self.top, self.right - self.left

    def within(self, place: Place) -> Place | None:
        """Return where in it a cell of the map lies, or None if it lies outside."""
        y, x = place
        inside = self.top <= y < self.bottom and self.left <= x < self.right
        return (y - self.top, x - self.left) if inside else None


def area_around(place: Place, reach: int, shape: tuple[int, ...]) -> Area:
    """Return the part of a map of that shape that is at most `reach` rows and columns away from a cell."""
    (y, x), (height, width) = place, shape
    return Area(max(y - reach, 0), max(x - reach, 0), min(y + reach + 1, height), min(x + reach + 1, width))
