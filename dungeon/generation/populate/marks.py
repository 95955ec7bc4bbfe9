"""Where drawings say that what opens a lock may be."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from dungeon.grid.rect import Cell
    from dungeon.level.model import Spawn


class KeyMark(NamedTuple):
    """Where a drawing says that what opens a lock may be.

    Attributes:
        word: Which lock; None for any.
        place: The cell on which it may lie or stand, or what may hold it.
        placement: The index of the placement whose drawing says so.
    """

    word: str | None
    place: Cell | Spawn
    placement: int | None
