"""The exact odds of encounters, as far as they can be computed: one race among maps, two on each map.

Copies that the world limits are won by maps, in a race of each such encounter among the maps; all that matters to a map of what
happens on the others is how many copies it has won. On the map these come first, in a race of their own; then what no
world limits. Encounters that share a group shut each other out, and so do those that conflict: a conflict is a group of two.
Turns at which nothing comes are copies of one more encounter.
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
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from dungeon.content.library import Content
    from dungeon.content.models.encounters import EncounterEntry
    from dungeon.content.values.grammar import Value
    from dungeon.generation.encounters.shares import WorldMap

MOST_WANTED = 100
"""No race for more copies is computed."""

LONGEST = 200_000
"""Nor one in which all copies that may run, multiplied by those that are wanted, are more."""

SURE_DIGITS = 9
"""So many digits behind the point are sure; tests hold that."""

Chances = tuple[float, ...]
"""How likely there is a first copy, a second..."""

Wins = dict[str, dict[str, Chances] | None]
"""Encounter -> map id -> the copies that the map wins; None where there are too many copies, or others count."""

Company = dict[str, set[str | frozenset[str]]]
"""Encounter -> its groups, and its conflicts as pairs: no two who share any of these go together."""


def numbers(value: Value[int]) -> dict[int, float]:
    """Return the odds of a number, which is 0 where its value does not apply."""
    found: defaultdict[int, float] = defaultdict(float)
    for number, likely in value.odds().items():
        found[number or 0] += likely
    return dict(sorted(found.items()))


def wanted_on(content: Content, place: WorldMap) -> dict[int, float]:
    """Return how many encounters a map gets, and how likely that is."""
    return numbers(number_at(content.maps[place.name].encounters, place.depth))


def wins(content: Content, places: Sequence[WorldMap]) -> Wins:
    """Return what maps win of the encounters that the world limits.

    Args:
        content: The content.
        places: Every map of the world.
    """
    found: Wins = {}
    bound = {name for place in places for name in _bound_on(content, place)}
    for name, encounter in content.encounters.items():
        if name in bound or keys_between_maps(encounter) - {"limit.world"}:
            found[name] = None
        elif encounter.limit.world is not None:
            weights = {
                place.map_id: weight
                for place in places
                if (weight := content.weights_on(place.name, place.depth).get(name)) is not None
            }
            found[name] = _won(encounter, encounter.limit.world, weights)
    return found


def given_at_most(encounter: EncounterEntry) -> int:
    """Return how many copies of an encounter a map may be given, where worlds or branches share it out."""
    limits = [limit for limit in (encounter.limit.branch, encounter.limit.world) if limit is not None]
    return min((max(numbers(limit)) for limit in limits), default=encounter.least.world or 0)


def _bound_on(content: Content, place: WorldMap) -> Iterator[str]:
    """Yield the encounters of which a map may refuse a copy that it wins, for the sake of others that it has or may have won."""
    shared = {name for name, encounter in content.encounters.items() if is_shared(encounter)}
    fewest = min(wanted_on(content, place))
    copies = {
        name: min(given, content.encounters[name].limit.map or given, fewest + 1)
        for name in content.weights_on(place.name, place.depth)
        if name in shared and (given := given_at_most(content.encounters[name]))
    }
    for name, most in copies.items():
        promises = Promises(content, place.name, place.depth, fewest)
        for other, count in copies.items():
            for _ in range(count if other != name else 0):
                promises.add(other)
        for _ in range(most):
            if not promises.have_room_for(name):
                yield name
                break
            promises.add(name)


def _won(
    encounter: EncounterEntry, limit: Value[int], weights: Mapping[str, float]
) -> dict[str, Chances] | None:
    limits = {number: likely for number, likely in numbers(limit).items() if number and likely > 0}
    most = max(limits, default=0)
    if most > MOST_WANTED or most * most * len(weights) > LONGEST:
        return None
    found: dict[str, Chances] = dict.fromkeys(weights, ())
    for number, likely in limits.items():
        supply = (1.0,) * min(encounter.limit.map or number, number)
        runners = [[Runner(name=each, weight=weight, supply=supply)] for each, weight in weights.items()]
        for map_id, chances in race(runners, {number: likely}).items():
            found[map_id] = tuple(
                a + b for a, b in zip_longest(found[map_id], chances.tolist(), fillvalue=0.0)
            )
    return found


def computed(content: Content, place: WorldMap, won: Wins) -> dict[str, DrawnOdds] | None:
    """Return encounter -> how often it is drawn on a map; None where that can't be computed.

    Args:
        content: The content.
        place: The map.
        won: What maps win of the encounters that the world limits.
    """
    wanted = wanted_on(content, place)
    most = max(wanted)
    weights = content.weights_on(place.name, place.depth)
    if most > MOST_WANTED or any(won.get(name, {}) is None for name in weights):
        return None
    has_budget = bool(content.maps[place.name].mix or budget_of(content, place.name, place.depth))
    if has_budget or not all(_is_simple(content.encounters[name]) for name in weights):
        return None
    runners = _runners(content, place, most, won)
    parties, allied = _parties(content, runners)
    too_long = most * sum(len(each.supply) for each in runners.values()) > LONGEST
    stood_in = any(
        len(party) > 1 and _has_stand_in(content, each.name) for party in parties for each in party
    )
    if too_long or stood_in or not all(can_run(party, most, allied) for party in parties):
        return None
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
    """Return name -> what runs for the places of a map, `most` at most: its encounters, and that nothing comes."""
    weights = content.weights_on(place.name, place.depth)
    runners = {name: _runner(content, name, place, most, won) for name in weights}
    nothing = content.weight_at(content.maps[place.name].nothing, place.depth)
    if nothing > 0:
        runners[NO_ENCOUNTER] = Runner(name=NO_ENCOUNTER, weight=nothing, supply=(1.0,) * most)
    return runners


def _parties(
    content: Content, runners: Mapping[str, Runner]
) -> tuple[list[list[Runner]], set[frozenset[str]]]:
    """Return the runners in sets of which none shuts out one of another, and the pairs in them that don't shut each other out."""
    company = _company(content, [name for name, each in runners.items() if each.supply])
    named = parties_of(company)
    allied = {
        frozenset(pair)
        for party in named
        for pair in combinations(party, 2)
        if company[pair[0]].isdisjoint(company[pair[1]])
    }
    return [[runners[name] for name in party] for party in named], allied


def _is_simple(encounter: EncounterEntry) -> bool:
    """Tell whether races decide how often an encounter comes; if not, others must come first, or what other maps have counts."""
    comes_first = encounter.guaranteed or bool(encounter.requires or encounter.least.map)
    waits = any(word not in LANDMARKS for word in encounter.near)
    return not (comes_first or waits) and keys_between_maps(encounter) <= {"limit.world"}


def _has_stand_in(content: Content, name: str) -> bool:
    return name != NO_ENCOUNTER and content.encounters[name].fallback is not None


def _company(content: Content, names: Sequence[str]) -> Company:
    """Return which of these encounters shut each other out."""
    found: Company = {name: set() for name in names}
    for name in names:
        if name != NO_ENCOUNTER:
            found[name].update(content.encounters[name].group.map)
            for other in content.encounters[name].conflicts:
                if other in found:
                    found[name].add(frozenset((name, other)))
                    found[other].add(frozenset((name, other)))
    return found


def _exact(chances: Iterable[float]) -> Estimate:
    """Return the sum of chances, as many digits of it as are sure."""
    return Estimate(round(math.fsum(chances), SURE_DIGITS))


def _runner(content: Content, name: str, place: WorldMap, most: int, won: Wins) -> Runner:
    """Return an encounter as one that runs for places on a map."""
    weight, limit = content.weights_on(place.name, place.depth)[name], content.encounters[name].limit
    if limit.world is None:
        return Runner(name=name, weight=weight, supply=(1.0,) * min(limit.map or most, most))
    copies = won[name]
    assert copies is not None
    return Runner(name=name, weight=weight, supply=copies[place.map_id], given=True)


def parties_of(company: Company) -> list[list[str]]:
    """Return the encounters in sets, as small as they can be, of which none shuts out one of another set.

    Args:
        company: Which of them shut each other out.
    """
    sets: list[list[str]] = []
    for name, own in company.items():
        met = [each for each in sets if any(not own.isdisjoint(company[other]) for other in each)]
        sets = [each for each in sets if each not in met]
        sets.append([*(other for each in met for other in each), name])
    return sets
