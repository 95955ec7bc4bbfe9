"""How often encounters are met where space is endless: computed where that can be done, else drawn often."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from dungeon.core.frozen import Frozen
from dungeon.generation.odds.computed import computed, numbers, wins
from dungeon.generation.odds.due import due_in_world
from dungeon.generation.odds.odds import Drawn, EncounterOdds, Estimate, MapOdds, Odds, Z, margin

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from dungeon.content.library import Content
    from dungeon.content.models.encounters import EncounterEntry
    from dungeon.content.values.grammar import Value
    from dungeon.generation.encounters.shares import Place

SAMPLES, FEWEST = 4000, 100
"""So many worlds are drawn for what is not computed, and at least so many where that would take long."""

LONG = 1_200_000
"""So many copies are drawn at most, for all these worlds together."""


def expected(content: Content, places: Sequence[Place], asked: Collection[str]) -> Odds:
    """Return how often encounters are met where space is endless.

    Args:
        content: The content.
        places: Every map of the world.
        asked: The ids of the maps that are asked for.
    """
    samples = _samples(content, places)
    found = _all_drawn(content, places, samples)
    copies: defaultdict[str, list[Estimate]] = defaultdict(list)
    for on_map in found.values():
        for name, drawn in on_map.items():
            copies[name].append(drawn.copies)
    worlds = {name: _sum(each) for name, each in copies.items()}
    maps = tuple(
        _map_odds(content, place, found[place.map_id], worlds) for place in places if place.map_id in asked
    )
    is_exact = all(each.world.is_exact for told in maps for each in told.encounters)
    return Odds(maps=maps, samples=0 if is_exact else samples, worlds=0)


def _samples(content: Content, places: Sequence[Place]) -> int:
    """Return how many worlds are drawn, if any are."""
    wanted = sum(max(numbers(content.maps[place.name].encounters)) for place in places)
    shared = sum(map(_shared, content.encounters.values())) * len(places)
    return min(SAMPLES, max(FEWEST, LONG // (wanted + shared + 1)))


def _shared(encounter: EncounterEntry) -> int:
    """Return for how many copies of an encounter each map may run, where worlds or branches share it out."""
    limits = [limit for limit in (encounter.limit.branch, encounter.limit.world) if limit is not None]
    return min((max(numbers(limit)) for limit in limits), default=encounter.least.world or 0)


def _span(limit: Value[int] | None) -> tuple[int, int] | None:
    """Return the least and the most that a limit may be."""
    return None if limit is None else (min(numbers(limit)), max(numbers(limit)))


def _map_odds(
    content: Content, place: Place, found: Mapping[str, Drawn], worlds: Mapping[str, Estimate]
) -> MapOdds:
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
                **found[name]._asdict(),
            )
        )
    wanted: Frozen[int, float] = Frozen(numbers(content.maps[place.name].encounters))
    return MapOdds(id=place.map_id, wanted=wanted, encounters=tuple(encounters))


def _all_drawn(content: Content, places: Sequence[Place], samples: int) -> dict[str, dict[str, Drawn]]:
    """Return map id -> encounter -> how often it is drawn there."""
    won = wins(content, places)
    known = {place.map_id: computed(content, place, won) for place in places}
    rest = [place for place in places if known[place.map_id] is None]
    drawn_often = sampled(content, places, rest, samples) if rest else {}
    return {map_id: drawn_often[map_id] if each is None else each for map_id, each in known.items()}


def _sum(estimates: Sequence[Estimate]) -> Estimate:
    """Return the sum of estimates, whose errors may go together."""
    return Estimate(math.fsum(each.value for each in estimates), math.fsum(each.margin for each in estimates))


def sampled(
    content: Content, places: Sequence[Place], asked: Sequence[Place], samples: int
) -> dict[str, dict[str, Drawn]]:
    """Return map id -> encounter -> how often it is drawn there, as many worlds say that are drawn but not made.

    Args:
        content: The content.
        places: Every map of the world.
        asked: Those that are asked for.
        samples: How many worlds are drawn, of the seeds 0, 1...
    """
    first: Counter[tuple[str, str]] = Counter()
    counted: Counter[tuple[str, str, int]] = Counter()
    ids = {place.map_id for place in asked}
    for seed in range(samples):
        for map_id, names in due_in_world(content, seed, places, ids):
            first.update((map_id, name) for name in names[:1])
            counted.update((map_id, name, count) for name, count in Counter(names).items())
    copies: defaultdict[tuple[str, str], dict[int, int]] = defaultdict(dict)
    for (map_id, name, count), times in counted.items():
        copies[map_id, name][count] = times
    return {
        place.map_id: {
            name: Drawn(
                first=_mean({1: first[place.map_id, name]}, samples),
                drawn=_mean({1: sum(copies[place.map_id, name].values())}, samples),
                copies=_mean(copies[place.map_id, name], samples),
            )
            for name in content.weights_on(place.name, place.depth)
        }
        for place in asked
    }


def _mean(times: Mapping[int, int], samples: int) -> Estimate:
    """Return the mean of a number, of which all that was not 0 is told: how often it was what."""
    total = sum(number * count for number, count in times.items())
    squares = sum(number * number * count for number, count in times.items())
    # What comes less often than it takes to be seen at all may still come: the second term is for that.
    return Estimate(total / samples, margin(total, squares, samples) + Z * Z / samples)
