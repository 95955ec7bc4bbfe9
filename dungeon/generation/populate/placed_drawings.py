"""Drawings on the canvas that wait to be filled with objects: chains of their characters, which get the same object; company; marks for keys.

The company of a drawn object or cell is the followers of a robot, and what lies around it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from dungeon.content.prefab.drawing import name_of, place_of
from dungeon.grid.rect import Rect

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dungeon.content.catalog.catalog import CatalogObject
    from dungeon.content.catalog.symbols import SymbolEntry
    from dungeon.content.prefab.drawing import Drawing, Machine, Reference
    from dungeon.core.streams import Stream
    from dungeon.grid.rect import Cell
    from dungeon.level.model import Spawn


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedDrawing:
    """A prefab that is drawn on the canvas, ready to be filled with objects.

    Attributes:
        drawing: The prefab's drawing.
        y: The row of the drawing's top left cell on the map.
        x: The column of that cell.
        index: The prefab's index among the level's placements; None if it is no placement, for example if the layout drew it.
        stream: The random stream for the prefab's objects.
        kept_off: The names of the kinds of objects of which the map scatters none over the prefab.
    """

    drawing: Drawing
    y: int
    x: int
    index: int | None
    stream: Stream
    kept_off: tuple[str, ...] = ()

    def drawn_at(self, cell: tuple[int, int]) -> list[Reference | Machine]:
        """Return the characters and machines that are drawn on a cell (y, x) of the drawing."""
        references, machines = self.drawing.references, self.drawing.machines  # references are sorted by cell
        begin = bisect_left(references, cell, key=place_of)
        end = bisect_right(references, cell, begin, key=place_of)
        return [*references[begin:end], *(each for each in machines if cell in each.cells)]

    @property
    def area(self) -> Rect:
        """The rectangle of the map that the drawing covers."""
        return Rect(self.y, self.x, self.drawing.height, self.drawing.width)


class Company(NamedTuple):
    """A cell or object of a drawing that followers or other objects are put around.

    Attributes:
        cells: The cells of the object, or the cell.
        symbol: The meaning of its character, which says what comes with it.
        thing: The object; None for a cell without one.
        source: The prefab and the character, for `Spawn.source`.
        placement: The index of the placement that the drawing belongs to; None if it is none of them.
    """

    cells: tuple[Cell, ...]
    symbol: SymbolEntry
    thing: CatalogObject | None
    source: str
    placement: int | None


class KeyMark(NamedTuple):
    """A cell or object that a drawing marks for a key.

    Attributes:
        word: The name of the lock whose key may be put here; None for any lock.
        place: The cell where the key may lie or stand, or the object that may hold it.
        placement: The index of the placement that the drawing belongs to.
        is_shared: Whether something else is drawn on the cell, too.
    """

    word: str | None
    place: Cell | Spawn
    placement: int | None
    is_shared: bool = False


def chains(references: Sequence[Reference]) -> list[list[Reference]]:
    """Group drawn characters: equal characters that touch, not just at a corner, are one chain and get the same object.

    Characters of different parts (a prefab and the prefabs inserted into it) are never in one chain. If a cell has the same
    character several times, on several layers, each is in a chain of its own.
    """
    alike: dict[tuple[object, ...], dict[tuple[int, int], Reference]] = {}
    own = []  # for each character, those on other cells with which it may be in a chain
    for each in references:
        name, place = name_of(each), place_of(each)
        left = alike.setdefault(name, {})
        while place in left:
            name = (*name, "again")
            left = alike.setdefault(name, {})
        left[place] = each
        own.append(left)
    groups = []
    for first, left in zip(references, own, strict=True):
        if left.pop(place_of(first), None) is None:
            continue
        group = [first]
        groups.append(group)
        if not left:
            continue
        for each in group:  # a flood fill: the group grows while it is iterated
            y, x = each.y, each.x
            beside = ((y - 1, x), (y, x - 1), (y, x + 1), (y + 1, x))
            group += [left.pop(near) for near in beside if near in left]
    return groups
