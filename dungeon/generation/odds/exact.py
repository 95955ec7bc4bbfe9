"""Exact odds of encounters, where they can be computed: a draw is a *race*, in which copies arrive at random times and the first win.

Copies of an encounter (a *runner*) arrive at random times, at a rate equal to its weight. A *turn* is one encounter that the map
is to have. Three races decide what a map gets:

1. If an encounter has a limit per world, the maps of the world race for its copies. The copies that a map wins are *given* to it.
   A map depends on the other maps only through these copies.
2. On the map, the given copies race for the turns first.
3. Encounters without a world limit race for the turns that are left.

Encounters that share a group exclude each other, and so do two that conflict (a group of two). A turn at which
nothing comes is a copy of one more encounter, `NO_ENCOUNTER`.
"""

from __future__ import annotations

import math
from collections import defaultdict
from itertools import combinations, zip_longest
from typing import TYPE_CHECKING

from dungeon.content.values.grammar import number_at
from dungeon.core.vocabulary import LANDMARKS
from dungeon.generation.encounters.draw import NO_ENCOUNTER, budget_of
from dungeon.generation.encounters.shares import Promises, is_shared, keys_between_maps
from dungeon.generation.odds.odds import DrawnOdds, Estimate
from dungeon.generation.odds.parties import Runner
from dungeon.generation.odds.race import can_run, race

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from dungeon.content.library import Content
    from dungeon.content.models.encounters import EncounterEntry
    from dungeon.content.values.grammar import Value
    from dungeon.generation.encounters.shares import WorldMap

MAX_WANTED = 100
"""Races for more copies than this are not computed, as time and memory grow with this number."""

MAX_WORK = 200_000
"""Maximum product of the copies that may run and the copies that are wanted; longer races are not computed."""

SURE_DIGITS = 9
"""Results are rounded to this many digits after the point; tests hold that all of them are right."""

Chances = tuple[float, ...]
"""The probability that there is a first copy, a second copy, and so on."""

Wins = dict[str, dict[str, Chances] | str]
"""Encounter with a world limit -> map id -> the odds of the copies that the map gets; or why these can't be computed, in words."""

TOO_LONG = "an exact computation would take too long"
"""Why odds are sampled, in words."""

Exclusions = dict[str, set[str | frozenset[str]]]
"""Encounter -> its groups, and its conflicts as pairs of names. Two encounters that share an element exclude each other."""


def number_odds(value: Value[int]) -> dict[int, float]:
    """Return number -> probability, for a value that authors may make random; if chance gives no number, it counts as 0.

    The value `[1, 2]` (one or two) -> {1: 0.5, 2: 0.5}.
    """
    found: defaultdict[int, float] = defaultdict(float)
    for number, likely in value.odds().items():
        found[number or 0] += likely
    return dict(sorted(found.items()))


def wanted_odds(content: Content, place: WorldMap) -> dict[int, float]:
    """Return number of encounters -> probability that a map asks for this number."""
    return number_odds(number_at(content.maps[place.name].encounters, place.depth))


def world_wins(content: Content, places: Sequence[WorldMap]) -> Wins:
    """Return, for each encounter with a limit per world, the odds of how many copies each map gets.

    Args:
        content: The content.
        places: All maps of the world.
    """
    found: Wins = {}
    bound = {name: place.map_id for place in places for name in _refusable_on(content, place)}
    for name, encounter in content.encounters.items():
        if keys := keys_between_maps(encounter) - {"limit.world"}:
            found[name] = f"{name} has {min(keys)}"
        elif name in bound:
            found[name] = f"{bound[name]} may have to refuse {name}, which the world limits"
        elif encounter.limit.world is not None:
            weights = {
                place.map_id: weight
                for place in places
                if (weight := content.weights_on(place.name, place.depth).get(name)) is not None
            }
            found[name] = _won(encounter, encounter.limit.world, weights)
    return found


def most_given(encounter: EncounterEntry) -> int:
    """Return the maximum number of copies of an encounter that limits or minimums of a world or branch may give to one map.

    0 if the encounter has no such limit or minimum.
    """
    limits = [limit for limit in (encounter.limit.branch, encounter.limit.world) if limit is not None]
    return min((max(number_odds(limit)) for limit in limits), default=encounter.least.world or 0)


def _refusable_on(content: Content, place: WorldMap) -> Iterator[str]:
    """Yield the names of encounters whose copies a map may have to refuse after it has won them from the world.

    The reason is always that the map has also won copies of other encounters, and can't have all of them.
    """
    shared = {name for name, encounter in content.encounters.items() if is_shared(encounter)}
    fewest = min(wanted_odds(content, place))
    copies = {
        name: min(given, content.encounters[name].limit.map or given, fewest + 1)
        for name in content.weights_on(place.name, place.depth)
        if name in shared and (given := most_given(content.encounters[name]))
    }
    for name, most in copies.items():
        promises = Promises(content, place.name, place.depth, fewest)
        for other, count in copies.items():
            for _ in range(count if other != name else 0):
                promises.add(other)
        for _ in range(most):
            if not promises.can_keep(name):
                yield name
                break
            promises.add(name)


def _won(
    encounter: EncounterEntry, limit: Value[int], weights: Mapping[str, float]
) -> dict[str, Chances] | str:
    """Return map id -> the probability that the map gets a first copy of an encounter, a second, and so on.

    Args:
        encounter: The encounter.
        limit: Its limit per world, which may be random.
        weights: Map id -> the weight of the encounter on the map.

    Returns:
        The odds; `TOO_LONG` if computing them would take too long.
    """
    limits = {number: likely for number, likely in number_odds(limit).items() if number and likely > 0}
    most = max(limits, default=0)
    if most > MAX_WANTED or most * most * len(weights) > MAX_WORK:
        return TOO_LONG
    found: dict[str, Chances] = dict.fromkeys(weights, ())
    for number, likely in limits.items():
        supply = (1.0,) * min(encounter.limit.map or number, number)
        runners = [[Runner(name=each, weight=weight, supply=supply)] for each, weight in weights.items()]
        for map_id, chances in race(runners, {number: likely}).items():
            found[map_id] = tuple(
                a + b for a, b in zip_longest(found[map_id], chances.tolist(), fillvalue=0.0)
            )
    return found


def exact_odds(
    content: Content, place: WorldMap, won: Wins, unplaced: Collection[str] = ()
) -> dict[str, DrawnOdds] | str:
    """Return encounter -> how often it is drawn on a map; if that can't be computed exactly, return why, in words.

    It can't be computed if it would take too long, or if the map's draw depends on more than weights and limits: a mix or budget,
    guaranteed or required encounters, a `near`, rules between maps, or a fallback of an encounter that may be refused.

    Args:
        content: The content.
        place: The map.
        won: The result of `world_wins`: for encounters with a world limit, the odds of the copies that each map gets.
        unplaced: The encounters that never find space on the map.
    """
    wanted = wanted_odds(content, place)
    most = max(wanted)
    weights = content.weights_on(place.name, place.depth)
    if most > MAX_WANTED:
        return f"the map may want {most} encounters"
    if content.maps[place.name].mix or budget_of(content, place.name, place.depth):
        return f"the map has a {'mix' if content.maps[place.name].mix else 'budget'}"
    reasons = (won_or_why for name in weights if isinstance(won_or_why := won.get(name), str))
    complex_keys = (
        f"{name} has {key}" for name in weights for key in _complex_keys(content.encounters[name])
    )
    if reason := next(reasons, "") or next(complex_keys, ""):
        return reason
    runners = _runners(content, place, most, won)
    parties, allied = _parties(
        content, {name: each for name, each in runners.items() if name not in unplaced}
    )
    refusable = [*unplaced, *(each.name for party in parties if len(party) > 1 for each in party)]
    if with_fallback := [name for name in refusable if _has_fallback(content, name)]:
        return f"{with_fallback[0]}, which has a fallback, may be refused"
    too_long = most * sum(len(each.supply) for each in runners.values()) > MAX_WORK
    if too_long or not all(can_run(party, most, allied) for party in parties):
        return TOO_LONG
    singles = [[each] for party in parties for each in party]
    firsts = race(singles, {1: sum(likely for number, likely in wanted.items() if number)})
    taken = race(parties, wanted, allied)
    return {
        name: DrawnOdds(
            first=_exact(firsts.get(name, ())),
            drawn=_exact(taken.get(name, ())[:1]),
            copies=_exact(taken.get(name, ())),
        )
        for name in weights
    }


def _runners(content: Content, place: WorldMap, most: int, won: Wins) -> dict[str, Runner]:
    """Return name -> runner, for all encounters of a map: a runner takes part in the race that decides what the map gets.

    `NO_ENCOUNTER` is a runner, too, if the map gives a weight to drawing no encounter.

    Args:
        content: The content.
        place: The map.
        most: Maximum number of copies of one runner.
        won: The result of `world_wins`: for encounters with a world limit, the odds of the copies that each map gets.
    """
    weights = content.weights_on(place.name, place.depth)
    runners = {name: _runner(content, name, place, most, won) for name in weights}
    nothing = content.weight_at(content.maps[place.name].nothing, place.depth)
    if nothing > 0:
        runners[NO_ENCOUNTER] = Runner(name=NO_ENCOUNTER, weight=nothing, supply=(1.0,) * most)
    return runners


def _parties(
    content: Content, runners: Mapping[str, Runner]
) -> tuple[list[list[Runner]], set[frozenset[str]]]:
    """Divide the runners (encounters) into parties, such that no two runners of different parties exclude each other.

    Returns:
        (the parties, the pairs of names within a party that don't exclude each other).
    """
    exclusions = _exclusions(content, [name for name, each in runners.items() if each.supply])
    named = parties_of(exclusions)
    allied = {
        frozenset(pair)
        for party in named
        for pair in combinations(party, 2)
        if exclusions[pair[0]].isdisjoint(exclusions[pair[1]])
    }
    return [[runners[name] for name in party] for party in named], allied


def _complex_keys(encounter: EncounterEntry) -> list[str]:
    """Return the YAML keys of an encounter by which more than weights and limits decides how often it is drawn on a map.

    Without such keys it is not guaranteed, depends on no other encounter, and depends on other maps only through its world limit.
    """
    said = {
        "guaranteed": encounter.guaranteed,
        "requires": encounter.requires,
        "least.map": encounter.least.map,
        "near": any(word not in LANDMARKS for word in encounter.near),
    }
    return [key for key, value in said.items() if value]


def _has_fallback(content: Content, name: str) -> bool:
    """Tell whether an encounter has a fallback: another encounter that is drawn in its place if it is excluded."""
    return name != NO_ENCOUNTER and content.encounters[name].fallback is not None


def _exclusions(content: Content, names: Sequence[str]) -> Exclusions:
    """Return encounter -> its groups and its conflicts, as pairs of names; encounters that share one exclude each other."""
    found: Exclusions = {name: set() for name in names}
    for name in names:
        if name != NO_ENCOUNTER:
            found[name].update(content.encounters[name].group.map)
            for other in content.encounters[name].conflicts:
                if other in found:
                    found[name].add(frozenset((name, other)))
                    found[other].add(frozenset((name, other)))
    return found


def _exact(chances: Iterable[float]) -> Estimate:
    """Return the sum of some probabilities, rounded to `SURE_DIGITS`, as an estimate without error."""
    return Estimate(round(math.fsum(chances), SURE_DIGITS))


def _runner(content: Content, name: str, place: WorldMap, most: int, won: Wins) -> Runner:
    """Return an encounter as a runner: it takes part in the race that decides which encounters a map gets.

    Args:
        content: The content.
        name: The name of the encounter.
        place: The map.
        most: Maximum number of copies that are worth computing.
        won: The result of `world_wins`: for encounters with a world limit, the odds of the copies that each map gets.
    """
    weight, limit = content.weights_on(place.name, place.depth)[name], content.encounters[name].limit
    if limit.world is None:
        return Runner(name=name, weight=weight, supply=(1.0,) * min(limit.map or most, most))
    copies = won[name]
    assert not isinstance(copies, str)
    return Runner(name=name, weight=weight, supply=copies[place.map_id], given=True)


def parties_of(exclusions: Exclusions) -> list[list[str]]:
    """Divide encounters into the smallest parties such that no two encounters of different parties exclude each other.

    These are the connected components of the graph whose edges are exclusions, found by merging sets.

    Args:
        exclusions: Encounter -> its groups and conflicts; encounters that share one exclude each other.
    """
    sets: list[list[str]] = []
    for name, own in exclusions.items():
        met = [each for each in sets if any(not own.isdisjoint(exclusions[other]) for other in each)]
        sets = [each for each in sets if each not in met]
        sets.append([*(other for each in met for other in each), name])
    return sets
