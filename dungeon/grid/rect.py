"""Cells and rectangles, in (y, x) order like the arrays they index."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator


class Cell(NamedTuple):
    """A cell of a map: row y, column x, from 0 at the top left."""

    y: int
    x: int

    @classmethod
    def parse(cls, text: str) -> Cell | None:
        """Return the cell that a text such as ``12,40`` names, its row and column; None if the text is none."""
        y, comma, x = text.partition(",")
        return cls(int(y), int(x)) if comma and y.isdecimal() and x.isdecimal() else None


Leap = tuple[Cell, Cell]
"""Two cells that a portal joins, so that they count as neighbours: one step leads from each to the other, however far."""


class Rect(NamedTuple):
    """A rectangle of cells.

    Attributes:
        y: The row of its top left cell.
        x: The column of that cell.
        height: The number of its rows.
        width: The number of its columns.
    """

    y: int
    x: int
    height: int
    width: int

    @classmethod
    def around(cls, cells: Collection[tuple[int, int]]) -> Rect:
        """Return the smallest rectangle around (y, x) cells.

        Raises:
            ValueError: There are no cells.
        """
        top, left = min(y for y, _ in cells), min(x for _, x in cells)
        return cls(top, left, max(y for y, _ in cells) - top + 1, max(x for _, x in cells) - left + 1)

    @property
    def bottom(self) -> int:
        """The row right below the last row of the rectangle."""
        return self.y + self.height

    @property
    def right(self) -> int:
        """The column right after the last column of the rectangle."""
        return self.x + self.width

    @property
    def area(self) -> int:
        """The number of cells of the rectangle: height times width."""
        return self.height * self.width

    @property
    def slices(self) -> tuple[slice, slice]:
        """The (row, column) slices of this rectangle, for indexing a (height, width) array."""
        y, x, height, width = self
        return slice(y, y + height), slice(x, x + width)

    def grown(self, by: int = 1) -> Rect:
        """Return the rectangle widened by `by` cells on each of its four sides; narrowed if `by` is negative."""
        y, x, height, width = self
        return Rect(y - by, x - by, height + 2 * by, width + 2 * by)

    def clipped(self, height: int, width: int) -> Rect:
        """Return the part of the rectangle that lies on a map of this size; a rectangle without cells if none does."""
        y, x, down, right = self
        top, left = max(y, 0), max(x, 0)
        return Rect(top, left, max(min(y + down, height) - top, 0), max(min(x + right, width) - left, 0))

    def common(self, other: Rect) -> Rect:
        """Return the intersection with `other`; a rectangle without cells if they share none."""
        top, left = max(self.y, other.y), max(self.x, other.x)
        height, width = min(self.bottom, other.bottom) - top, min(self.right, other.right) - left
        return Rect(top, left, max(height, 0), max(width, 0))

    def joined(self, other: Rect) -> Rect:
        """Return the smallest rectangle around this one and `other`."""
        top, left = min(self.y, other.y), min(self.x, other.x)
        height, width = max(self.bottom, other.bottom) - top, max(self.right, other.right) - left
        return Rect(top, left, height, width)

    def contains(self, y: int, x: int) -> bool:
        """Tell whether the cell (y, x) lies in the rectangle."""
        return self.y <= y < self.y + self.height and self.x <= x < self.x + self.width

    def encloses(self, other: Rect) -> bool:
        """Tell whether all of `other` lies in this rectangle."""
        return (
            self.y <= other.y
            and self.x <= other.x
            and other.bottom <= self.bottom
            and other.right <= self.right
        )

    def overlaps(self, other: Rect) -> bool:
        """Tell whether the two rectangles share a cell."""
        return (
            self.y < other.bottom and other.y < self.bottom and self.x < other.right and other.x < self.right
        )

    def cells(self) -> Iterator[Cell]:
        """Yield the cells of the rectangle, row by row."""
        for y in range(self.y, self.y + self.height):
            for x in range(self.x, self.x + self.width):
                yield Cell(y, x)
