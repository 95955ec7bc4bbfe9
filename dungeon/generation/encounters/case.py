"""What there is to say of one encounter and one level."""

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
"""From the most to the least that can happen to an encounter on a map."""


class Turn(NamedTuple):
    """A copy's turn to be placed.

    Attributes:
        number: The how-manieth turn of any encounter on that level it was, from 1.
        decision: What came of it.
    """

    number: int
    decision: Decision


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Case:
    """One encounter of the content and one level.

    Attributes:
        encounter: The encounter's name.
        category: Its category.
        source: Where its entry stands.
        outcome: Whether it stands on the level; if not, whether it was tried and refused, could have been drawn but
            was not, is impossible there, or is not meant for maps of that kind at all.
        turns: The turns that its copies had, in order.
        weight: Its weight on the map, 0 where it can't appear.
        first: The exact chance that it is drawn first on this map in this world, with other luck in the draw.
        limit: How many copies the map may have of it, this world's limits included; None for any number.
        reason: Why it was not drawn or is impossible; of the others, why no further copy came, or nothing.
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
