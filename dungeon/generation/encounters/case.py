"""The result types of `World.why`: what happened to one encounter on one level. They import little, so that `dungeon.Case` is cheap."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

from dungeon.core.frozen import short_repr

if TYPE_CHECKING:
    from dungeon.core.errors import Source
    from dungeon.core.vocabulary import Category
    from dungeon.level.journal import Decision

CaseOutcome = Literal["chosen", "refused", "not drawn", "impossible", "elsewhere"]
OUTCOMES: tuple[CaseOutcome, ...] = ("chosen", "refused", "not drawn", "impossible", "elsewhere")
"""All outcomes, ordered from placed on the map to never possible there."""


class Turn(NamedTuple):
    """One attempt to place a copy of an encounter on a level.

    Attributes:
        number: The number of the attempt among all attempts on the level, from 1.
        decision: The journal's line about it: was the copy placed, and where, or why not.
    """

    number: int
    decision: Decision


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Case:
    """What happened to one encounter on one level, and why.

    Attributes:
        encounter: The encounter's name.
        category: Its category.
        source: The file, line and column of its entry.
        outcome: "chosen" (it is on the level), "refused" (it was tried), "not drawn" (it was possible), "impossible" there, or
            "elsewhere" (not meant for this type of map).
        turns: The attempts to place its copies, in order.
        weight: Its weight on the map; 0 if it can't appear.
        first: The exact probability that it is drawn first on this map of this world.
        limit: The maximum number of copies on the map, with this world's limits; None for any number.
        reason: Why it was not drawn or is impossible; else why no further copy came, or "".
    """

    encounter: str
    category: Category
    source: Source
    outcome: CaseOutcome
    turns: tuple[Turn, ...]
    weight: float
    first: float
    limit: int | None
    reason: str

    __repr__ = short_repr
