"""The locked doors and boxes of a drawing, and the keys to them."""

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


class Box(NamedTuple):
    """A locked prop that may stand on these cells of a drawing: keys that are used up may be spent on it."""

    cells: tuple[Cell, ...]
    word: str

    def moved(self, dy: int, dx: int) -> Box:
        """Return it so many rows farther down, and columns to the right."""
        return self._replace(cells=tuple(Cell(y + dy, x + dx) for y, x in self.cells))


class Key(NamedTuple):
    """What is sure to stand on these cells of a drawing, and opens what is locked with a word.

    Something that opens several words is one key for each of them, all on the same cells.

    Attributes:
        cells: Where it stands; none if it is somewhere on the level, before the door.
        underfoot: Whether it comes only where one can walk.
        consumed: Whether it may be used up by the first lock that it opens.
        locked: The word that the key itself is locked with; empty for none.
    """

    cells: tuple[Cell, ...]
    word: str
    underfoot: bool = False
    consumed: bool = False
    locked: str = ""

    def moved(self, dy: int, dx: int) -> Key:
        """Return it so many rows farther down, and columns to the right."""
        return self._replace(cells=tuple(Cell(y + dy, x + dx) for y, x in self.cells))
