"""The result types of `World.why`, which tells what happened to one encounter on one level.

This module imports little, so that the import of `dungeon.Case` is fast. A level tries to place copies of encounters
one by one; each attempt is a turn, and its outcome is a line of the level's journal.
"""

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
        decision: The journal's line about the attempt: where the copy was placed, or why it was not.
    """

    number: int
    decision: Decision


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Case:
    """What happened to one encounter on one level, and why.

    Attributes:
        encounter: The encounter's name.
        category: The encounter's category.
        source: The file, line and column of its entry.
        outcome: "chosen" (it is on the level), "refused" (all attempts failed), "not drawn" (possible, but never tried), "impossible"
            (on this map), or "elsewhere" (its entry does not name this type of map).
        turns: The attempts to place its copies, in order.
        weight: Its weight on the map; 0 if it can't appear.
        first: The exact probability that it is the first encounter that this map of this world draws.
        limit: The maximum number of copies on the map, with this world's limits; None for any number.
        reason: Why it was not drawn or is impossible; for a chosen one why no further copy came; else "".
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
