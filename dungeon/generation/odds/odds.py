"""The results of `World.odds`: how often each encounter is drawn for each map, and how many copies levels really contain.

A drawn encounter is *due*; the level has it if it also finds space.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from dungeon.core.frozen import NOTHING, short_repr
from dungeon.core.intervals import wilson

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dungeon.core.vocabulary import Category

Z = 3.2905
"""Half-width, in standard deviations, of the interval that holds 99.9 % of a normal distribution."""


class Estimate(NamedTuple):
    """A number and its margin of error.

    Attributes:
        value: The number.
        margin: Half-width of the number's 99.9 % confidence interval; 0 if the number was computed exactly.
    """

    value: float
    margin: float = 0.0

    @property
    def is_exact(self) -> bool:
        """Whether the number was computed rather than sampled. Then at least 9 digits after the point are right."""
        return self.margin == 0


def margin(total: float, squares: float, count: int) -> float:
    """Return the half-width of the 99.9 % confidence interval of the mean of some samples.

    Args:
        total: The sum of the samples.
        squares: The sum of the squares of the samples.
        count: The number of samples, above 0.
    """
    variance = max(0.0, squares / count - (total / count) ** 2)
    return Z * math.sqrt(variance / count)


def chance_of(count: int, samples: int) -> Estimate:
    """Return the estimate of a probability, after `count` successes in `samples` trials.

    The margin reaches to the farther end of Wilson's interval, so it is above 0 even if all trials agree.
    """
    share = count / samples
    low, high = wilson(count, samples, Z)
    return Estimate(share, max(share - low, high - share))


class DrawnOdds(NamedTuple):
    """How often an encounter is drawn on a map.

    Attributes:
        first: The probability that the encounter is drawn first on the map.
        drawn: The probability that at least one copy is drawn.
        copies: The expected number of copies.
    """

    first: Estimate
    drawn: Estimate
    copies: Estimate


class Cause(NamedTuple):
    """One reason why levels contain more or fewer copies of an encounter than were drawn for them.

    Attributes:
        reason: The reason, as text for the author, such as "taken by guard_post".
        share: The share of the missing or additional copies that this reason explains, 0 to 1.
    """

    reason: str
    share: float


def causes_by_share(counts: Mapping[str, float]) -> tuple[Cause, ...]:
    """Return each reason with its share of all counts, the largest first: {"a": 1, "b": 3} -> b with 0.75, a with 0.25."""
    total = sum(counts.values())
    ordered = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return tuple(Cause(reason, count / total) for reason, count in ordered)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Compared:
    """What levels contain on average, compared with what was drawn for them: numbers of copies, or shares of a variant.

    Attributes:
        had: The average for the encounters that the levels contain.
        due: The average for the encounters that were drawn for the levels, whether they found space or not.
        margin: Half-width of the 99.9 % confidence interval of `had - due`.
    """

    had: float
    due: float
    margin: float

    __repr__ = short_repr

    @property
    def differs(self) -> bool:
        """Whether `had` and `due` differ by more than chance explains."""
        return abs(self.had - self.due) > self.margin


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Realised(Compared):
    """How many copies of an encounter levels contain on average (`had`), and how many were drawn for them (`due`).

    Attributes:
        causes: Why drawn copies are missing, the most frequent reason first. The shares add up to 1; empty if none is missing.
        instead: Where levels contain copies that were not drawn: the encounters whose places these copies took, the most frequent
            first. The shares add up to 1; empty if there are no such copies.
        variants: Variant -> its share of the copies that the levels contain (`had`), and the share of these copies for which
            chance chose the variant to be tried first (`due`). Empty for an encounter without variants or without any copy.
    """

    causes: tuple[Cause, ...]
    instead: tuple[Cause, ...]
    variants: Mapping[str, Compared] = NOTHING

    __repr__ = short_repr


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class EncounterOdds:
    """How often an encounter is drawn on a map, over worlds of all seeds, ignoring whether it finds space.

    Attributes:
        encounter: The name of the encounter.
        category: The category of the encounter.
        weight: The encounter's weight on the map, with the factors of the world and its difficulty.
        limit: Maximum number of copies on a map; None for no limit.
        branch_limit: (least, greatest) possible value of the limit per branch, which may be random; None for no limit.
        world_limit: (least, greatest) possible value of the limit per world, which may be random; None for no limit.
        groups: The encounter's groups. Two encounters that share a group are never on the same map.
        first: The probability that the encounter is drawn first on the map.
        drawn: The probability that at least one copy is drawn.
        copies: The expected number of copies on the map.
        world: The expected number of copies on all maps of a world together.
        variants: Variant -> the probability that a copy tries this variant first; empty for an encounter without variants.
        unplaced: If the encounter fits on none of the ground plans that were tried (`Odds.plans`): the rules that left it no place, the
            most frequent first, with shares that add up to 1. Then its odds are 0, and its turns go to other encounters. Else empty.
        realised: How many copies levels really contain; None if no levels were made.
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
    unplaced: tuple[Cause, ...] = ()
    realised: Realised | None = None

    __repr__ = short_repr


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class MapOdds:
    """The odds of all encounters on a map, over the worlds in which this map exists and has this type.

    Attributes:
        id: The map's id.
        name: The map's type.
        chance: The probability that a world has this map with this type.
        wanted: Number of encounters that the map asks for -> the probability of this number.
        encounters: The encounters that can be drawn at the map's depth, by descending weight, then by name.
        sampled: Why the odds were estimated from sampled worlds, such as "the map has a budget"; empty if they were computed.
    """

    id: str
    name: str
    chance: Estimate
    wanted: Mapping[int, float]
    encounters: tuple[EncounterOdds, ...]
    sampled: str = ""

    __repr__ = short_repr


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Odds:
    """How often encounters are drawn on maps.

    Attributes:
        maps: The maps that were asked for, in order of depth.
        samples: The number of worlds that were drawn for odds that can't be computed; 0 if all were computed.
        worlds: The number of worlds whose levels were made to fill `EncounterOdds.realised`; 0 for none.
        plans: The number of ground plans of each map on which each encounter was tried; 0 for none.
    """

    maps: tuple[MapOdds, ...]
    samples: int
    worlds: int
    plans: int = 0

    __repr__ = short_repr
