"""What there is to say of how often encounters are met."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from dungeon.core.frozen import NOTHING, short_repr

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dungeon.core.vocabulary import Category

Z = 3.2905
"""So many standard deviations to both sides of the mean there are 99.9 % of what is normally distributed."""


class Estimate(NamedTuple):
    """A number, and how well it is known.

    Attributes:
        value: The number.
        margin: By how much it may be off, with 99.9 % confidence; 0 where it has been computed.
    """

    value: float
    margin: float = 0.0

    @property
    def is_exact(self) -> bool:
        """Whether it has been computed, to far more digits than anyone prints."""
        return self.margin == 0


def margin(total: float, squares: float, count: int) -> float:
    """Return how far the mean of samples may be off the mean of what they are taken from, with 99.9 % confidence.

    Args:
        total: The sum of the samples.
        squares: The sum of their squares.
        count: How many there are.
    """
    variance = max(0.0, squares / count - (total / count) ** 2)
    return Z * math.sqrt(variance / count)


class DrawnOdds(NamedTuple):
    """How often an encounter is drawn on a map: see `EncounterOdds`."""

    first: Estimate
    drawn: Estimate
    copies: Estimate


class Cause(NamedTuple):
    """What made the difference between what was had and what was due.

    Attributes:
        reason: What it was, in words.
        share: Its share in the difference, 0 to 1.
    """

    reason: str
    share: float


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Compared:
    """What levels really had of something, beside what these very levels were due.

    Attributes:
        had: How much they had, on average.
        due: How much they would have had, on average, where space is endless: drawn for each of the levels.
        margin: By how much `had - due` may be off for what it would be over all worlds, with 99.9 % confidence.
    """

    had: float
    due: float
    margin: float

    __repr__ = short_repr

    @property
    def parts(self) -> bool:
        """Whether what was had parts from what was due by more than chance."""
        return abs(self.had - self.due) > self.margin


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Realised(Compared):
    """How many copies of an encounter a level really had, beside how many it was due.

    Attributes:
        causes: Why copies that were due were not had, the most frequent reason first. Their shares add up to 1; empty where
            nothing was lost.
        instead: Of which encounters it took the place where it was had without being due, likewise.
        variants: Variant -> its share in the copies that levels had: in how many of these they came, beside in how many chance
            took it first. Nothing for an encounter without variants, or of which there was no copy.
    """

    causes: tuple[Cause, ...]
    instead: tuple[Cause, ...]
    variants: Mapping[str, Compared] = NOTHING

    __repr__ = short_repr


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class EncounterOdds:
    """How often an encounter is met on a map, where space is endless: over all worlds, whatever their seed.

    Attributes:
        encounter: Its name.
        category: Its category.
        weight: Its weight on the map, as declared.
        limit: How many copies a map may have; None for any number.
        branch_limit: How many a branch may have, at least and at most, where that is left to chance; None for any number.
        world_limit: How many the world may have, likewise.
        groups: Its groups: no two encounters of a group share a map.
        first: How likely it is drawn at the first turn.
        drawn: How likely it is drawn at all.
        copies: How many copies of it are drawn, on average.
        world: How many copies of it are drawn on all maps of a world together, on average.
        variants: Variant -> how likely a copy is to be tried as that first; nothing for an encounter without variants.
        realised: What levels really had; None where none were made.
    """

    encounter: str
    category: Category
    weight: float
    limit: int | None
    branch_limit: tuple[int, int] | None
    world_limit: tuple[int, int] | None
    groups: tuple[str, ...]
    first: Estimate
    drawn: Estimate
    copies: Estimate
    world: Estimate
    variants: Mapping[str, float] = NOTHING
    realised: Realised | None = None

    __repr__ = short_repr


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class MapOdds:
    """The odds of all encounters that may be on a map, in worlds that have that map, of that type.

    Attributes:
        id: The map's id; `name` is its type.
        chance: How likely a world has it.
        wanted: How many encounters it gets -> how likely that is.
        encounters: Those that can be there at that depth, the most likely by weight first.
    """

    id: str
    name: str
    chance: Estimate
    wanted: Mapping[int, float]
    encounters: tuple[EncounterOdds, ...]

    __repr__ = short_repr


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Odds:
    """How often encounters are met.

    Attributes:
        maps: Every map that was asked for, in order of depth.
        samples: How many worlds were drawn for what could not be computed; 0 where everything was.
        worlds: How many worlds were made to see what is realised.
    """

    maps: tuple[MapOdds, ...]
    samples: int
    worlds: int

    __repr__ = short_repr
