"""How often encounters are drawn for maps, ignoring whether rooms fit: computed exactly where possible, else sampled.

To *sample* is to draw the encounters of many worlds without making levels, and to count them.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from dungeon.core.frozen import NOTHING, Frozen
from dungeon.generation.atlas import is_sure
from dungeon.generation.odds.exact import SURE_DIGITS, exact_odds, number_odds, wanted_odds, world_wins
from dungeon.generation.odds.odds import (
    DrawnOdds,
    EncounterOdds,
    Estimate,
    MapOdds,
    Odds,
    Z,
    chance_of,
    margin,
)
from dungeon.generation.odds.plans import unplaced_on
from dungeon.generation.odds.worlds import Worlds, due_in_world, likely_places, likely_worlds, places_in

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from dungeon.content.library import Content
    from dungeon.content.values.grammar import Value
    from dungeon.generation.encounters.shares import WorldMap
    from dungeon.generation.odds.plans import Unplaced

WIDTH = 0.05
"""Worlds are sampled until each probability is known to within this margin, unless the caller names another one."""

SAMPLED_AT_ONCE = 50
"""After this number of sampled worlds, the margins are computed again."""

PLANS = 30
"""Number of ground plans on which encounters are tried. One that fits on a fifth of all plans is missed once in 800 times."""


def expected(
    content: Content, asked: Collection[str], *, width: float | None = None, plans: int = PLANS
) -> Odds:
    """Return how often each encounter is drawn for some maps, ignoring whether it finds space on the levels.

    An encounter that fits on no ground plan of a map is never drawn there: its turns go to other encounters, as on levels.

    Args:
        content: The content.
        asked: The ids of the maps.
        width: The margin of error of a probability at which sampling ends, above 0 and below 0.5; None for `WIDTH`.
        plans: The number of ground plans on which encounters are tried; with 0, each encounter is taken to fit.

    Raises:
        ValueError: `width` is not above 0 and below 0.5.
    """
    width = WIDTH if width is None else width
    if not 0 < width < 0.5:
        raise ValueError(f"width must be above 0 and below 0.5, not {width:g}")
    differing = likely_worlds(content)
    chances = likely_places(content, differing)
    unplaced = {
        place: content.derive(("unplaced", place, plans), unplaced_on, content, place, plans)
        for place in chances
    }
    known = _computed(content, chances, differing, unplaced)
    whys = {place: told for place, told in known.items() if isinstance(told, str)}
    sampling = Sampling(content, whys, unplaced)
    sampling.until(width)
    found = {
        place: sampling.drawn_on(place) if isinstance(told, str) else told for place, told in known.items()
    }
    copies: dict[str, list[Estimate]] = {name: [] for name in content.encounters}
    for place, on_map in found.items():
        for name, drawn in on_map.items() if place not in whys else ():
            copies[name].append(_times(drawn.copies, chances[place]))
    for name in {name: None for place in whys for name in found[place] if name not in unplaced[place]}:
        copies[name].append(sampling.in_world(name))
    worlds = {name: _sum(each) for name, each in copies.items()}
    maps = tuple(
        _map_odds(content, place, chances[place], found[place], worlds, unplaced[place], whys.get(place, ""))
        for place in chances
        if place.map_id in asked
    )
    is_exact = all(each.world.is_exact for told in maps for each in told.encounters)
    return Odds(maps=maps, samples=0 if is_exact else sampling.worlds, worlds=0, plans=plans)


def _span(limit: Value[int] | None) -> tuple[int, int] | None:
    """Return the smallest and the largest value that a random limit may have; None without a limit."""
    return None if limit is None else (min(number_odds(limit)), max(number_odds(limit)))


def _map_odds(
    content: Content,
    place: WorldMap,
    chance: Estimate,
    found: Mapping[str, DrawnOdds],
    worlds: Mapping[str, Estimate],
    unplaced: Unplaced,
    sampled: str,
) -> MapOdds:
    """Return the odds of one map as the user sees them.

    Args:
        content: The content.
        place: The map.
        chance: The probability that a world has the map.
        found: Encounter -> how often it is drawn on the map.
        worlds: Encounter -> the expected number of copies on all maps of a world together.
        unplaced: The encounters that never find space on the map.
        sampled: Why the odds were sampled; empty if they were computed.
    """
    weights = content.weights_on(place.name, place.depth)
    encounters = []
    for name, weight in sorted(weights.items(), key=lambda pair: (-pair[1], pair[0])):
        encounter = content.encounters[name]
        encounters.append(
            EncounterOdds(
                encounter=name,
                category=encounter.category,
                weight=weight,
                limit=encounter.limit.map,
                branch_limit=_span(encounter.limit.branch),
                world_limit=_span(encounter.limit.world),
                groups=encounter.group.map,
                world=worlds[name],
                variants=_variants(content, name, place),
                unplaced=unplaced.get(name, ()),
                **found[name]._asdict(),
            )
        )
    wanted: Frozen[int, float] = Frozen(wanted_odds(content, place))
    return MapOdds(
        id=place.map_id,
        name=place.name,
        chance=chance,
        wanted=wanted,
        encounters=tuple(encounters),
        sampled=sampled,
    )


def _variants(content: Content, name: str, place: WorldMap) -> Frozen[str, float]:
    """Return variant -> the probability that a copy of an encounter tries this variant first on a map."""
    forms = content.forms_on(name, place.name, place.depth)
    whole = sum(weight for _, weight in forms)
    return Frozen({form.variant: weight / whole for form, weight in forms if form.variant})


def _computed(
    content: Content,
    chances: Mapping[WorldMap, Estimate],
    worlds: Worlds | None,
    unplaced: Mapping[WorldMap, Unplaced],
) -> dict[WorldMap, dict[str, DrawnOdds] | str]:
    """Return map -> encounter -> how often it is drawn on the map, in worlds that have this map; or why that can't be computed, in words.

    Args:
        content: The content.
        chances: Map -> the probability that a world has it.
        worlds: Set of maps -> the probability that a world has exactly these maps; None if there are too many such sets.
        unplaced: Map -> the encounters that never find space there.
    """
    parts: dict[WorldMap, list[tuple[float, dict[str, DrawnOdds] | str]]] = {place: [] for place in chances}
    for world, likely in ({frozenset(chances): 1.0} if worlds is None else worlds).items():
        places = [place for place in chances if place in world]
        won = world_wins(content, places)
        if worlds is None:  # which map wins a copy depends on which maps there are
            won = {name: f"worlds differ too much to compute the shares of {name}" for name in won}
        for place in places:
            odds = exact_odds(content, place, won, unplaced[place])
            parts[place].append((likely / chances[place].value, odds))
    return {place: _weighted_average(told) for place, told in parts.items()}


def _weighted_average(
    parts: Sequence[tuple[float, dict[str, DrawnOdds] | str]],
) -> dict[str, DrawnOdds] | str:
    """Return the average of the odds of a map over the sets of maps that worlds with this map can have.

    Args:
        parts: For each such set, (its probability, encounter -> how often it is drawn on the map, or why that is unknown).

    Returns:
        Encounter -> the average; or why the odds are unknown for one of the sets.
    """
    known = [(chance, told) for chance, told in parts if not isinstance(told, str)]
    if len(known) < len(parts):
        return next(told for _, told in parts if isinstance(told, str))
    if len(known) == 1:
        return known[0][1]
    return {
        name: DrawnOdds(
            *(
                Estimate(
                    round(math.fsum(chance * told[name][each].value for chance, told in known), SURE_DIGITS)
                )
                for each in range(len(DrawnOdds._fields))
            )
        )
        for name in known[0][1]
    }


def _times(one: Estimate, other: Estimate) -> Estimate:
    """Return the product of two estimates, with the margin of error that follows from theirs."""
    most = (one.value + one.margin) * (other.value + other.margin)
    value = one.value * other.value
    return Estimate(value, most - value)


def _sum(estimates: Sequence[Estimate]) -> Estimate:
    """Return the sum of estimates. Their margins of error are added, as the errors may be correlated."""
    return Estimate(math.fsum(each.value for each in estimates), math.fsum(each.margin for each in estimates))


class Sampling:
    """Worlds whose encounters are drawn, but whose levels are not made. They have the seeds 0, 1, ...

    Args:
        content: The content.
        asked: The maps to look at. If only some worlds have a map, its averages are over these worlds.
        unplaced: Map -> the encounters that never find space there; maps without any may be left out.

    Attributes:
        worlds: The number of worlds sampled so far.
    """

    def __init__(
        self,
        content: Content,
        asked: Collection[WorldMap],
        unplaced: Mapping[WorldMap, Collection[str]] = NOTHING,
    ) -> None:
        self._content, self._asked, self._unplaced = content, asked, unplaced
        self._sure = places_in(content, 0) if is_sure(content) else None
        self._there: Counter[WorldMap] = Counter()
        self._first: Counter[tuple[WorldMap, str]] = Counter()
        self._copies: defaultdict[tuple[WorldMap, str], Counter[int]] = defaultdict(Counter)
        self._totals: defaultdict[str, Counter[int]] = defaultdict(Counter)
        self.worlds = 0

    def add(self, worlds: int) -> None:
        """Sample further worlds."""
        for seed in range(self.worlds, self.worlds + worlds):
            places = self._sure or places_in(self._content, seed)
            total: Counter[str] = Counter()
            for place, names in due_in_world(self._content, seed, places, self._asked, self._unplaced):
                self._there[place] += 1
                self._first.update((place, name) for name in names[:1])
                copies = Counter(names)
                total += copies
                for name, count in copies.items():
                    self._copies[place, name][count] += 1
            for name, count in total.items():
                self._totals[name][count] += 1
        self.worlds += worlds

    def until(self, width: float) -> None:
        """Sample worlds until the margin of each probability is at most `width`, but no more than a map of every world needs for that.

        Maps that few worlds have keep wider margins.
        """
        # The interval is widest for a probability of a half: Z * sqrt(1/2 * 1/2 / worlds).
        most = math.ceil((Z / (2 * width)) ** 2) if self._asked else 0
        while self.worlds < most and (not self.worlds or self._widest() > width):
            self.add(min(SAMPLED_AT_ONCE, most - self.worlds))

    def _widest(self) -> float:
        """Return the largest margin of a probability."""
        told = [drawn for place in self._asked for drawn in self.drawn_on(place).values()]
        return max((max(each.first.margin, each.drawn.margin) for each in told), default=0.0)

    def drawn_on(self, place: WorldMap) -> dict[str, DrawnOdds]:
        """Return encounter -> how often it is drawn on one of the maps, with margins of error."""
        there = max(self._there[place], 1)
        never = dict.fromkeys(self._unplaced.get(place, ()), DrawnOdds(*[Estimate(0.0)] * 3))
        return never | {
            name: DrawnOdds(
                first=chance_of(self._first[place, name], there),
                drawn=chance_of(self._copies[place, name].total(), there),
                copies=_mean(self._copies[place, name], there),
            )
            for name in self._content.weights_on(place.name, place.depth)
            if name not in never
        }

    def in_world(self, name: str) -> Estimate:
        """Return how many copies of an encounter the maps of a world have together.

        Each world is counted as a whole, because its limit makes the maps of a world depend on each other.
        """
        return _mean(self._totals[name], max(self.worlds, 1))


def _mean(times: Mapping[int, int], samples: int) -> Estimate:
    """Return the mean of a number over all samples, with its margin of error.

    Args:
        times: Number -> how many samples had this number; the number 0 may be left out. {1: 3, 2: 1} of 10 samples -> 0.5.
        samples: The number of samples.
    """
    total = sum(number * count for number, count in times.items())
    squares = sum(number * number * count for number, count in times.items())
    # The second term: what no sample showed may still occur, with a probability of about 1 / samples.
    return Estimate(total / samples, margin(total, squares, samples) + Z * Z / samples)
