"""How often encounters are drawn for maps, ignoring whether rooms fit: computed exactly where possible, else sampled.

To *sample* is to draw the encounters of many worlds without making levels, and to count them.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from dungeon.core.frozen import Frozen
from dungeon.generation.atlas import is_sure
from dungeon.generation.odds.exact import (
    SURE_DIGITS,
    exact_odds,
    most_given,
    number_odds,
    wanted_odds,
    world_wins,
)
from dungeon.generation.odds.odds import DrawnOdds, EncounterOdds, Estimate, MapOdds, Odds, Z, margin
from dungeon.generation.odds.worlds import Worlds, due_in_world, likely_places, likely_worlds, places_in

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from dungeon.content.library import Content
    from dungeon.content.values.grammar import Value
    from dungeon.generation.encounters.shares import WorldMap

SAMPLES, FEWEST = 4000, 100
"""Number of worlds that are sampled for odds that can't be computed, and the least number where sampling takes long.

With 4,000 samples a probability is known to within 2.6 percentage points, with 100 to within 16.
"""

MAX_DRAWN_COPIES = 900_000
"""Maximum number of copies that are drawn in all samples together; `FEWEST` worlds are drawn in any case."""


def expected(content: Content, asked: Collection[str]) -> Odds:
    """Return how often each encounter is drawn for some maps, ignoring whether it finds space there.

    Args:
        content: The content.
        asked: The ids of the maps.
    """
    differing = likely_worlds(content)
    chances = likely_places(content, differing)
    places = list(chances)
    samples = _samples(content, places)
    found = _all_drawn(content, chances, differing, samples)
    copies: defaultdict[str, list[Estimate]] = defaultdict(list)
    for place, on_map in found.items():
        for name, drawn in on_map.items():
            copies[name].append(_times(drawn.copies, chances[place]))
    worlds = {name: _sum(each) for name, each in copies.items()}
    maps = tuple(
        _map_odds(content, place, chances[place], found[place], worlds)
        for place in places
        if place.map_id in asked
    )
    is_exact = all(each.world.is_exact for told in maps for each in told.encounters)
    return Odds(maps=maps, samples=0 if is_exact else samples, worlds=0)


def _samples(content: Content, places: Sequence[WorldMap]) -> int:
    """Return how many random worlds to draw for odds that can't be computed exactly; fewer if each world takes long.

    Args:
        content: The content.
        places: All maps of the world.
    """
    wanted = sum(max(wanted_odds(content, place)) for place in places)
    shared = sum(map(most_given, content.encounters.values())) * len(places)
    return min(SAMPLES, max(FEWEST, MAX_DRAWN_COPIES // (wanted + shared + 1)))


def _span(limit: Value[int] | None) -> tuple[int, int] | None:
    """Return the smallest and the largest value that a random limit may have; None without a limit."""
    return None if limit is None else (min(number_odds(limit)), max(number_odds(limit)))


def _map_odds(
    content: Content,
    place: WorldMap,
    chance: Estimate,
    found: Mapping[str, DrawnOdds],
    worlds: Mapping[str, Estimate],
) -> MapOdds:
    """Return the odds of one map as the user sees them.

    Args:
        content: The content.
        place: The map.
        chance: The probability that a world has the map.
        found: Encounter -> how often it is drawn on the map.
        worlds: Encounter -> the expected number of copies on all maps of a world together.
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
                variants=_variants(content, name, place.depth),
                **found[name]._asdict(),
            )
        )
    wanted: Frozen[int, float] = Frozen(wanted_odds(content, place))
    return MapOdds(
        id=place.map_id, name=place.name, chance=chance, wanted=wanted, encounters=tuple(encounters)
    )


def _variants(content: Content, name: str, depth: int) -> Frozen[str, float]:
    """Return variant -> the probability that a copy of an encounter tries this variant first, on a map at the depth `depth`."""
    forms = content.forms_at(name, depth)
    whole = sum(weight for _, weight in forms)
    return Frozen({form.variant: weight / whole for form, weight in forms if form.variant})


def _all_drawn(
    content: Content, chances: Mapping[WorldMap, Estimate], worlds: Worlds | None, samples: int
) -> dict[WorldMap, dict[str, DrawnOdds]]:
    """Return map -> encounter -> how often the encounter is drawn on the map, in worlds that have this map.

    Args:
        content: The content.
        chances: Map -> the probability that a world has it.
        worlds: Set of maps -> the probability that a world has exactly these maps; None if there are too many such sets.
        samples: The number of worlds to sample for a map whose odds can't be computed.
    """
    parts: dict[WorldMap, list[tuple[float, dict[str, DrawnOdds] | None]]] = {place: [] for place in chances}
    for world, likely in ({frozenset(chances): 1.0} if worlds is None else worlds).items():
        places = [place for place in chances if place in world]
        won = world_wins(content, places)
        if worlds is None:  # which map wins a copy depends on which maps there are
            won = dict.fromkeys(won)
        for place in places:
            parts[place].append((likely / chances[place].value, exact_odds(content, place, won)))
    known = {place: _weighted_average(told) for place, told in parts.items()}
    rest = [place for place, told in known.items() if told is None]
    drawn_often = sampled(content, rest, samples) if rest else {}
    return {place: drawn_often[place] if each is None else each for place, each in known.items()}


def _weighted_average(
    parts: Sequence[tuple[float, dict[str, DrawnOdds] | None]],
) -> dict[str, DrawnOdds] | None:
    """Return the average of the odds of a map over the sets of maps that worlds with this map can have.

    Args:
        parts: For each such set, (its probability, encounter -> how often it is drawn on the map; None if that is unknown).

    Returns:
        Encounter -> the average; None if the odds are unknown for one of the sets.
    """
    known = [(chance, told) for chance, told in parts if told is not None]
    if len(known) < len(parts):
        return None
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


def sampled(
    content: Content, asked: Sequence[WorldMap], samples: int
) -> dict[WorldMap, dict[str, DrawnOdds]]:
    """Return map -> encounter -> how often it is drawn on the map, estimated from many worlds whose levels are not made.

    Args:
        content: The content.
        asked: The maps. If only some worlds have a map, its average is over these worlds.
        samples: The number of worlds, which have the seeds 0, 1, ...
    """
    first: Counter[tuple[WorldMap, str]] = Counter()
    counted: Counter[tuple[WorldMap, str, int]] = Counter()
    there: Counter[WorldMap] = Counter()
    sure = places_in(content, 0) if is_sure(content) else None
    wanted = set(asked)
    for seed in range(samples):
        for place, names in due_in_world(content, seed, sure or places_in(content, seed), wanted):
            there[place] += 1
            first.update((place, name) for name in names[:1])
            counted.update((place, name, count) for name, count in Counter(names).items())
    copies: defaultdict[tuple[WorldMap, str], dict[int, int]] = defaultdict(dict)
    for (place, name, count), times in counted.items():
        copies[place, name][count] = times
    return {
        place: {
            name: DrawnOdds(
                first=_mean({1: first[place, name]}, max(there[place], 1)),
                drawn=_mean({1: sum(copies[place, name].values())}, max(there[place], 1)),
                copies=_mean(copies[place, name], max(there[place], 1)),
            )
            for name in content.weights_on(place.name, place.depth)
        }
        for place in asked
    }


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
