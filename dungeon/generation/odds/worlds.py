"""The maps that worlds of a content can have, the probability of each, and the encounters drawn for them (*due*).

Worlds of different seeds may lack whole *branches* (maps whose ids begin alike), and a map may have one of several *types*.
Encounters are due to a level if they are drawn for it, whether they find space or not.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, Literal, TypeVar

from dungeon.core.frozen import NOTHING
from dungeon.core.streams import Streams
from dungeon.generation.atlas import is_sure, maps_of, reached_in
from dungeon.generation.encounters.draw import Draw
from dungeon.generation.encounters.shares import WorldMap, share_out
from dungeon.generation.odds.odds import Estimate, chance_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from dungeon.content.library import Content
    from dungeon.content.models.world import ChartMap
    from dungeon.generation.encounters.draw import Arrival, RuleRefusal
    from dungeon.generation.encounters.shares import Shares

T = TypeVar("T")

MAX_WORLDS = 32
"""Maximum number of different sets of maps that are listed; if worlds have more, they are sampled."""

WORLD_SAMPLES = 4000
"""Number of worlds that are sampled for the maps that they have: enough to know a chance to within 2.6 percentage points."""

Worlds = dict[frozenset[WorldMap], float]
"""Set of maps -> the probability that a world has exactly these maps."""


def places_in(content: Content, seed: int) -> list[WorldMap]:
    """Return the maps of the world with this seed."""
    return [WorldMap(node.id, node.name, node.depth) for node in maps_of(content, seed)]


def likely_worlds(content: Content) -> Worlds | None:
    """Return every set of maps that a world can have -> its probability; None if there are too many sets."""
    if is_sure(content):
        return {frozenset(places_in(content, 0)): 1.0}
    lacking = _missing_branches(content)
    found: defaultdict[frozenset[WorldMap], float] = defaultdict(float)
    for branches, likely in ({} if lacking is None else lacking).items():
        worlds = _worlds_without(content, branches)
        for places, chance in ({} if worlds is None else worlds).items():
            found[places] += likely * chance
        if worlds is None or len(found) > MAX_WORLDS:
            return None
    return dict(found) or None


def _worlds_without(content: Content, branches: Collection[str]) -> Worlds | None:
    """Return every set of maps that a world can have if it lacks exactly these branches -> its probability then.

    Args:
        content: The content.
        branches: The names of the missing branches.

    Returns:
        The sets; None if there are too many.
    """
    spots = {spot.id: spot for spot in content.chart.spots.values() if spot.branch not in branches}
    worlds: Worlds | None = {frozenset(): 1.0}
    for map_id in reached_in(content, spots, lambda _, mouths: mouths[0]):
        worlds = _unions(
            worlds, {frozenset([place]): chance for place, chance in _types(content, spots[map_id])}
        )
    return worlds


def _missing_branches(content: Content) -> dict[frozenset[str], float] | None:
    """Return set of branches -> the probability that a world lacks exactly these branches; None if there are too many sets."""
    found: dict[frozenset[str], float] | None = {frozenset(): 1.0}
    for branch, said in content.world.maps.items():
        if said.chance < 1:
            found = _unions(found, {frozenset([branch]): 1 - said.chance, frozenset(): said.chance})
    for choice in content.world.choose:
        sets: defaultdict[frozenset[str], float] = defaultdict(float)
        for count, likely in choice.count.odds().items():
            missing = len(choice.of) - (count or 0)
            if comb(len(choice.of), missing) > MAX_WORLDS:
                return None
            for branches in combinations(choice.of, missing):
                sets[frozenset(branches)] += likely / comb(len(choice.of), missing)
        found = _unions(found, sets)
    return found


def _types(content: Content, spot: ChartMap) -> Iterable[tuple[WorldMap, float]]:
    """Yield (the map with one of its types, probability of this type) for each type that a map may have.

    Args:
        content: The content.
        spot: The map.
    """
    weights = {name: content.weight_at(weight, spot.depth) for name, weight in spot.types.items()}
    total = sum(weights.values())
    for name, weight in weights.items():
        if weight > 0:
            yield WorldMap(spot.id, name, spot.depth), weight / total


def _unions(
    ones: Mapping[frozenset[T], float] | None, others: Mapping[frozenset[T], float]
) -> dict[frozenset[T], float] | None:
    """Combine two independent random sets: return each possible union -> its probability; None if there are too many.

    {a: 1} and {b: 0.5, empty: 0.5} -> {a and b: 0.5, a: 0.5}.

    Args:
        ones: Each value of the first random set -> its probability; for None, the result is None.
        others: Each value of the second random set -> its probability.
    """
    if ones is None or len(ones) * len(others) > MAX_WORLDS:
        return None
    found: defaultdict[frozenset[T], float] = defaultdict(float)
    for one, chance in ones.items():
        for other, likely in others.items():
            if chance * likely > 0:
                found[one | other] += chance * likely
    return dict(found)


def likely_places(content: Content, worlds: Worlds | None) -> Mapping[WorldMap, Estimate]:
    """Return map -> the probability that a world has it, in order of depth.

    Args:
        content: The content.
        worlds: The result of `likely_worlds`. If it is None, worlds of the seeds 0, 1, ... are sampled.
    """
    order = {map_id: number for number, map_id in enumerate(content.chart.spots)}
    chances: dict[WorldMap, Estimate] = {}
    if worlds is not None:
        for place in dict.fromkeys(place for world in worlds for place in world):
            likely = [chance for world, chance in worlds.items() if place in world]
            chances[place] = Estimate(min(round(sum(likely), 9), 1.0))
    else:
        counted = Counter(place for seed in range(WORLD_SAMPLES) for place in places_in(content, seed))
        for place, count in counted.items():
            chances[place] = chance_of(count, WORLD_SAMPLES)
    return dict(
        sorted(chances.items(), key=lambda pair: (pair[0].depth, order[pair[0].map_id], pair[0].name))
    )


def due_in_world(
    content: Content,
    seed: int,
    places: Sequence[WorldMap],
    asked: Collection[WorldMap],
    unplaced: Mapping[WorldMap, Collection[str]] = NOTHING,
) -> Iterator[tuple[WorldMap, list[str]]]:
    """Yield (map, names of the encounters drawn for it, in the order of drawing) for some maps of a world.

    The random streams are those of the levels, so a level has exactly these encounters if all of them find space.

    Args:
        content: The content.
        seed: The seed of the world.
        places: All maps of the world.
        asked: The maps to yield.
        unplaced: Map -> the encounters that never find space there; maps without any may be left out.
    """
    shares = share_out(content, places, seed)
    for place in places:
        if place in asked:
            streams = Streams(seed, place.map_id)
            yield place, due_on(content, place, shares, streams, unplaced.get(place, ()))


def due_on(
    content: Content, place: WorldMap, shares: Shares, streams: Streams, unplaced: Collection[str] = ()
) -> list[str]:
    """Return the names of the encounters that are drawn for a level, in the order of drawing, whether they find space or not.

    Args:
        content: The content.
        place: The map.
        shares: The copies of encounters that the world gives to each of its maps.
        streams: The random streams of the level.
        unplaced: Encounters that never find space on this map: each is refused at its turn, and the next one is drawn.

    Returns:
        The names of the encounters, and `NO_ENCOUNTER` for each draw that gives the map no encounter.
    """
    most, first = shares.on(place.map_id, content.weights_on(place.name, place.depth))
    draw = Draw(content, place.name, place.depth, most, streams, first)

    def refusal(arrival: Arrival) -> RuleRefusal | Literal["space"] | None:
        return "space" if arrival.encounter in unplaced else draw.refusal(arrival)

    return [turn.placed.encounter for turn in draw.run(refusal) if turn.placed]
