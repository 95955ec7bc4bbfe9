"""A way between two spaces: where it is dug, and how it is carved."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dungeon import terrain as t
from dungeon.grid.rect import Rect

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dungeon.level.canvas import Canvas


class Way(NamedTuple):
    """A way from the space `a` to the space `b`.

    Attributes:
        cells: The (y, x) cells of the tunnel; none where a single door parts a space from a room.
        doors: The (y, x, number) of the doors to those of the spaces that are rooms.
    """

    a: int
    b: int
    cells: Sequence[tuple[int, int]]
    doors: Sequence[tuple[int, int, int]] = ()

    @property
    def pair(self) -> tuple[int, int]:
        """Both spaces, the lower number first."""
        return (self.a, self.b) if self.a < self.b else (self.b, self.a)

    def carve(self, canvas: Canvas, before: int, close: Callable[[], int]) -> None:
        """Carve it as a corridor, with doors where it meets rooms.

        Args:
            canvas: The map.
            before: What to add to a space's number to get its region.
            close: Rolls what closes a room: the terrain of the door.
        """
        if not self.cells:
            y, x, _ = self.doors[0]
            canvas.add_door(y, x, (self.a + before, self.b + before), close())
            return
        ys, xs = zip(*self.cells, strict=True)
        top, left = min(ys), min(xs)
        corridor = canvas.add_region("corridor", Rect(top, left, max(ys) - top + 1, max(xs) - left + 1))
        canvas.carve_cells(self.cells, t.CORRIDOR, corridor)
        for y, x, number in self.doors:
            canvas.add_door(y, x, (number + before, corridor), close())
