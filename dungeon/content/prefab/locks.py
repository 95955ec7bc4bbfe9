"""The locked doors of a drawing, and the keys to them."""

from __future__ import annotations

from typing import NamedTuple

from dungeon.grid.rect import Cell


class Lock(NamedTuple):
    """The word that bars a locked door of a drawing."""

    y: int
    x: int
    word: str

    def moved(self, dy: int, dx: int) -> Lock:
        """Return it so many rows farther down, and columns to the right."""
        return Lock(self.y + dy, self.x + dx, self.word)


class Key(NamedTuple):
    """What is sure to stand on these cells of a drawing, and opens what is locked with a word.

    Attributes:
        cells: Where it stands; none if it is somewhere on the level, before the door.
        underfoot: Whether it comes only where one can walk.
    """

    cells: tuple[Cell, ...]
    word: str
    underfoot: bool = False

    def moved(self, dy: int, dx: int) -> Key:
        """Return it so many rows farther down, and columns to the right."""
        return self._replace(cells=tuple(Cell(y + dy, x + dx) for y, x in self.cells))
