"""The company of a drawn object or cell: the followers of a robot, and what lies around it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from dungeon.content.catalog.catalog import CatalogObject
    from dungeon.content.catalog.symbols import SymbolEntry
    from dungeon.grid.rect import Cell


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
