"""The results of `World.odds`: how often each encounter is drawn on each map, and what levels really contain."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from dungeon.core.frozen import NOTHING, short_repr

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dungeon.core.vocabulary import Category

Z = 3.2905
"""Half-width, in standard deviations, of the interval that holds 99.9 % of a normal distribution."""


class Estimate(NamedTuple):
    """A number and its margin of error.

    Attributes:
        value: The number.
        margin: Half-width of its 99.9 % confidence interval; 0 where the number was computed exactly.
    """

    value: float
    margin: float = 0.0

    @property
    def is_exact(self) -> bool:
        """Whether the number was computed rather than sampled. Then at least 9 digits after the point are right."""
        return self.margin == 0


def margin(total: float, squares: float, count: int) -> float:
    """Return the half-width of the 99.9 % confidence interval of a mean.

    Args:
        total: The sum of the samples.
        squares: The sum of their squares.
        count: The number of samples, above 0.
    """
    variance = max(0.0, squares / count - (total / count) ** 2)
    return Z * math.sqrt(variance / count)


class DrawnOdds(NamedTuple):
    """How often an encounter is drawn on a map. The fields are those of `EncounterOdds` with the same names."""

    first: Estimate
    drawn: Estimate
    copies: Estimate


class Cause(NamedTuple):
    """One reason why levels contain more or fewer copies of an encounter than were drawn for them.

    Attributes:
        reason: The reason, as text for the author, such as "taken by guard_post".
        share: The part of the missing or added copies that this reason explains, 0 to 1.
    """

    reason: str
    share: float


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Compared:
    """The average number of copies (or share of a variant) in levels, beside that which was drawn for the same levels.

    Attributes:
        had: The average of what the levels contain.
        due: The average of what was drawn for them, as if every encounter found space.
        margin: Half-width of the 99.9 % confidence interval of `had - due`, over all worlds.
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
    """How many copies of an encounter levels contain, beside how many were drawn for them.

    Attributes:
        causes: Why drawn copies are missing, the most frequent reason first. The shares add up to 1; empty if
            none is missing.
        instead: Encounters that this one replaced where it is present without being drawn, likewise.
        variants: Variant -> its share of the copies present (`had`), beside the share of copies for which chance
            tried it first (`due`). Empty for an encounter without variants or without any copy.
    """

    causes: tuple[Cause, ...]
    instead: tuple[Cause, ...]
    variants: Mapping[str, Compared] = NOTHING

    __repr__ = short_repr


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class EncounterOdds:
    """How often an encounter is drawn on a map, over worlds of all seeds, ignoring whether it finds space.

    Attributes:
        encounter: Its name.
        category: Its category.
        weight: Its weight on the map, with the factors of the world and its difficulty.
        limit: Maximum number of copies on a map; None for no limit.
        branch_limit: (least, most) that the limit per branch may be, as a limit may be random; None for no limit.
        world_limit: (least, most) that the limit per world may be, likewise.
        groups: Its groups. Two encounters that share a group are never on the same map.
        first: The probability that it is drawn first on the map.
        drawn: The probability that at least one copy is drawn.
        copies: The expected number of copies on the map.
        world: The expected number of copies on all maps of a world together.
        variants: Variant -> the probability that a copy tries it first; empty for an encounter without variants.
        realised: What levels really contain; None if no levels were made.
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
    """The odds of all encounters on a map, over the worlds that have this map with this type.

    Attributes:
        id: The map's id; `name` is its type.
        chance: The probability that a world has the map.
        wanted: Number of encounters that the map asks for -> its probability.
        encounters: The encounters that can be drawn at its depth, by descending weight, then by name.
    """

    id: str
    name: str
    chance: Estimate
    wanted: Mapping[int, float]
    encounters: tuple[EncounterOdds, ...]

    __repr__ = short_repr


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Odds:
    """How often encounters are drawn on maps.

    Attributes:
        maps: The maps that were asked for, in order of depth.
        samples: The number of worlds that were drawn for odds that can't be computed; 0 if all were computed.
        worlds: The number of worlds that were made to fill `EncounterOdds.realised`.
    """

    maps: tuple[MapOdds, ...]
    samples: int
    worlds: int

    __repr__ = short_repr
