"""The exact odds of encounters, as far as they can be computed: one race among maps, two on each map.

Copies that the world limits are won by maps, in a race of each such encounter among the maps; all that matters to a map of what
happens on the others is how many copies it has won. On the map these come first, in a race of their own; then what no
world limits. Encounters that share a group are rivals.
"""

from __future__ import annotations

import math
from collections import defaultdict
from itertools import zip_longest
from typing import TYPE_CHECKING

from dungeon.generation.odds.odds import Drawn, Estimate
from dungeon.generation.odds.race import Runner, race

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from dungeon.content.library import Content
    from dungeon.content.models.entries import EncounterEntry
    from dungeon.content.values.grammar import Value
    from dungeon.generation.encounters.shares import Place

MOST_WANTED = 100
"""No race for more copies is computed."""

MOST_GIVEN = 8
"""No set of rivals is computed of which more may be given copies: any of them may, in any combination."""

SURE_DIGITS = 9
"""So many digits behind the point are sure; tests hold that."""

Chances = tuple[float, ...]
"""How likely there is a first copy, a second..."""

Wins = dict[str, dict[str, Chances] | None]
"""Encounter -> map id -> the copies that the map wins; None for an encounter of too many copies."""


def numbers(value: Value[int]) -> dict[int, float]:
    """Return the odds of a number, which is 0 where its value does not apply."""
    found: defaultdict[int, float] = defaultdict(float)
    for number, likely in value.odds().items():
        found[number or 0] += likely
    return dict(sorted(found.items()))


def wins(content: Content, places: Sequence[Place]) -> Wins:
    """Return what maps win of the encounters that the world limits.

    Args:
        content: The content.
        places: Every map of the world.
    """
    found: Wins = {}
    for name, encounter in content.encounters.items():
        if encounter.limit.world is not None:
            weights = {
                place.map_id: weight
                for place in places
                if (weight := content.weights_on(place.name, place.depth).get(name)) is not None
            }
            found[name] = _won(encounter, encounter.limit.world, weights)
    return found


def _won(
    encounter: EncounterEntry, limit: Value[int], weights: Mapping[str, float]
) -> dict[str, Chances] | None:
    limits = {number: likely for number, likely in numbers(limit).items() if number and likely > 0}
    if max(limits, default=0) > MOST_WANTED:
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


def computed(content: Content, place: Place, won: Wins) -> dict[str, Drawn] | None:
    """Return encounter -> how often it is drawn on a map; None where that can't be computed.

    Args:
        content: The content.
        place: The map.
        won: What maps win of the encounters that the world limits.
    """
    wanted = numbers(content.maps[place.name].encounters)
    most = max(wanted)
    weights = content.weights_on(place.name, place.depth)
    if most > MOST_WANTED or any(won.get(name, {}) is None for name in weights):
        return None
    runners = {name: _runner(content, name, place, most, won) for name in weights}
    rivals = rivals_of(
        {name: content.encounters[name].group for name, each in runners.items() if each.supply}
    )
    if rivals is None or any(sum(runners[name].given for name in each) > MOST_GIVEN for each in rivals):
        return None
    alone = [[runners[name]] for each in rivals for name in each]
    firsts = race(alone, {1: sum(likely for number, likely in wanted.items() if number)})
    taken = race([[runners[name] for name in each] for each in rivals], wanted)
    return {
        name: Drawn(
            first=_exact(firsts.get(name, ())),
            drawn=_exact(taken.get(name, ())[:1]),
            copies=_exact(taken.get(name, ())),
        )
        for name in weights
    }


def _exact(chances: Iterable[float]) -> Estimate:
    """Return the sum of chances, as many digits of it as are sure."""
    return Estimate(round(math.fsum(chances), SURE_DIGITS))


def _runner(content: Content, name: str, place: Place, most: int, won: Wins) -> Runner:
    """Return an encounter as one that runs for places on a map."""
    weight, limit = content.weights_on(place.name, place.depth)[name], content.encounters[name].limit
    if limit.world is None:
        return Runner(name=name, weight=weight, supply=(1.0,) * min(limit.map or most, most))
    copies = won[name]
    assert copies is not None
    return Runner(name=name, weight=weight, supply=copies[place.map_id], given=True)


def rivals_of(groups: Mapping[str, Collection[str]]) -> list[list[str]] | None:
    """Return the sets of encounters of which no two go together; None if some go with one of two that do not.

    Args:
        groups: Encounter -> its groups.
    """
    sets: list[list[str]] = []
    for name, own in groups.items():
        met = [each for each in sets if any(not set(own).isdisjoint(groups[other]) for other in each)]
        if not met:
            sets.append([name])
        elif len(met) == 1 and all(not set(own).isdisjoint(groups[other]) for other in met[0]):
            met[0].append(name)
        else:
            return None
    return sets
