"""Cells and rectangles, in (y, x) order like the arrays they index."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator


class Cell(NamedTuple):
    """A cell of a map: row y, column x, from 0 at the top left."""

    y: int
    x: int


Leap = tuple[Cell, Cell]
"""Two cells, from each of which one gets to the other in one step, wherever they lie."""


class Rect(NamedTuple):
    """A rectangle of cells.

    Attributes:
        y: The row of its top-left cell; `x`: the column.
        height: How many rows it has; `width`: how many columns.
    """

    y: int
    x: int
    height: int
    width: int

    @classmethod
    def around(cls, cells: Collection[tuple[int, int]]) -> Rect:
        """Return the smallest rectangle around cells (y, x). ValueError if there are none."""
        top, left = min(y for y, _ in cells), min(x for _, x in cells)
        return cls(top, left, max(y for y, _ in cells) - top + 1, max(x for _, x in cells) - left + 1)

    @property
    def bottom(self) -> int:
        """The first row below."""
        return self.y + self.height

    @property
    def right(self) -> int:
        """The first column to the right."""
        return self.x + self.width

    @property
    def area(self) -> int:
        """How many cells it has."""
        return self.height * self.width

    @property
    def slices(self) -> tuple[slice, slice]:
        """The index that cuts this rectangle out of an array."""
        y, x, height, width = self
        return slice(y, y + height), slice(x, x + width)

    def grown(self, by: int = 1) -> Rect:
        """Return it with `by` more cells on every side (fewer, if negative)."""
        y, x, height, width = self
        return Rect(y - by, x - by, height + 2 * by, width + 2 * by)

    def clipped(self, height: int, width: int) -> Rect:
        """Return the part of it that lies on a map of that size."""
        y, x, down, right = self
        top, left = max(y, 0), max(x, 0)
        return Rect(top, left, max(min(y + down, height) - top, 0), max(min(x + right, width) - left, 0))

    def common(self, other: Rect) -> Rect:
        """Return the part of it that lies in the other rectangle; one of no cells if there is none."""
        top, left = max(self.y, other.y), max(self.x, other.x)
        height, width = min(self.bottom, other.bottom) - top, min(self.right, other.right) - left
        return Rect(top, left, max(height, 0), max(width, 0))

    def joined(self, other: Rect) -> Rect:
        """Return the smallest rectangle around both."""
        top, left = min(self.y, other.y), min(self.x, other.x)
        height, width = max(self.bottom, other.bottom) - top, max(self.right, other.right) - left
        return Rect(top, left, height, width)

    def contains(self, y: int, x: int) -> bool:
        """Tell whether the cell lies in it."""
        return self.y <= y < self.y + self.height and self.x <= x < self.x + self.width

    def encloses(self, other: Rect) -> bool:
        """Tell whether the whole of the other rectangle lies in it."""
        return (
            self.y <= other.y
            and self.x <= other.x
            and other.bottom <= self.bottom
            and other.right <= self.right
        )

    def overlaps(self, other: Rect) -> bool:
        """Tell whether they share a cell."""
        return (
            self.y < other.bottom and other.y < self.bottom and self.x < other.right and other.x < self.right
        )

    def cells(self) -> Iterator[Cell]:
        """Yield its cells row by row."""
        for y in range(self.y, self.y + self.height):
            for x in range(self.x, self.x + self.width):
                yield Cell(y, x)
