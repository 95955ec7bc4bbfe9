"""Runners in a race of whom some shut out some others: every state that they may be in is followed through time.

A state is how many copies each has sent; those who have sent any shut out their rivals. It changes whenever a copy arrives: a
Markov chain, whose matrix of what becomes of each state until t is P(t) = exp(Qt). Times are looked at that come in octaves, for
P(2t) = P(t) P(t). What is kept is D = P - 1, of which small numbers stay exact: D(2t) = 2 D(t) + D(t) D(t).
"""

from __future__ import annotations

import math
from collections import defaultdict, deque
from dataclasses import dataclass
from itertools import pairwise, product
from typing import TYPE_CHECKING

import numpy as np

from dungeon.generation.odds.runner import Arrival

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from dungeon.generation.odds.runner import Floats, Runner

State = tuple[int, ...]
"""How many copies each runner has sent."""

MOST_STATES = 100
"""Parties that may be in more states are not followed."""

MOST_LIMITS = 64
"""Nor are those who may have been given copies in more ways."""


@dataclass(frozen=True, slots=True)
class Mixed:
    """Runners of whom some shut out some others.

    Attributes:
        sums: For the race of given copies and for the other, (copies, n): how likely they have sent so many in all.
        rates: For both, (runner, copy, sent before) -> (n,): how likely that copy arrives at each time, per unit of time.
    """

    sums: Mapping[bool, Floats]
    rates: Mapping[bool, Mapping[tuple[str, int, int], Floats]]

    @classmethod
    def of(
        cls,
        runners: Sequence[Runner],
        rivals: AbstractSet[frozenset[str]],
        times: Floats,
        most: int,
        per_octave: int,
    ) -> Mixed:
        """Return these runners as a party.

        Args:
            runners: The runners.
            rivals: The pairs who shut each other out.
            times: (n,), the times that are looked at.
            most: How many copies matter.
            per_octave: How many times there are between one and what is twice as late.
        """
        sums = {given: np.zeros((most, len(times))) for given in (True, False)}
        rates: dict[bool, defaultdict[tuple[str, int, int], Floats]] = {
            given: defaultdict(lambda: np.zeros(len(times))) for given in (True, False)
        }
        for limits, likely in _limits(runners, most):
            states = _states(runners, rivals, limits, MOST_STATES)
            places = {state: place for place, state in enumerate(states)}
            now = np.zeros(len(states))
            now[0] = likely
            for given in (True, False):
                ways = [
                    (runners[number], state[number], place, places[after])
                    for state, place in places.items()
                    for number, after in _ways(state, runners, rivals, limits)
                    if runners[number].given == given
                ]
                changes = np.zeros((len(states), len(states)))
                for runner, _, place, after in ways:
                    changes[place, [place, after]] += -runner.weight, runner.weight
                found = now + _becoming(now, changes, times, per_octave)
                for state, place in places.items():
                    if sum(state) < most:
                        sums[given][sum(state)] += found[:, place]
                for runner, copy, place, _ in ways:
                    if (before := sum(states[place])) < most:
                        rates[given][runner.name, copy, before] += runner.weight * found[:, place]
                now = found[-1]
        return cls(sums, rates)

    def sent(self, part: slice, *, given: bool) -> Floats:
        """Return how likely they have sent none, one... copies in all at some of the times of one race: (copies, n)."""
        return self.sums[given][:, part]

    def arrivals(self, part: slice, *, given: bool) -> Iterator[Arrival]:
        """Yield how often copies arrive at some of the times of one race."""
        for key, rate in self.rates[given].items():
            yield Arrival(*key, rate[part])


def can_follow(runners: Sequence[Runner], rivals: AbstractSet[frozenset[str]], most: int) -> bool:
    """Tell whether these runners have few enough states to be followed.

    Args:
        runners: The runners.
        rivals: The pairs who shut each other out.
        most: How many copies matter.
    """
    limits = [min(len(each.supply), most) for each in runners]
    if math.prod(count + 1 for each, count in zip(runners, limits, strict=True) if each.given) > MOST_LIMITS:
        return False
    return len(_states(runners, rivals, limits, MOST_STATES + 1)) <= MOST_STATES


def _limits(runners: Sequence[Runner], most: int) -> Iterator[tuple[State, float]]:
    """Yield how many copies each may have, in every combination, and how likely that is."""
    options = []
    for each in runners:
        tails = [1.0, *each.supply[:most], 0.0]
        likely = [one - next_one for one, next_one in pairwise(tails)]
        options.append([(count, chance) for count, chance in enumerate(likely) if chance > 0])
    for way in product(*options):
        yield tuple(count for count, _ in way), math.prod(chance for _, chance in way)


def _ways(
    state: State, runners: Sequence[Runner], rivals: AbstractSet[frozenset[str]], limits: Sequence[int]
) -> Iterator[tuple[int, State]]:
    """Yield who may send a copy next, and the state after it."""
    taking = [each.name for each, count in zip(runners, state, strict=True) if count]
    for number, runner in enumerate(runners):
        if state[number] < limits[number] and rivals.isdisjoint(
            frozenset((runner.name, other)) for other in taking
        ):
            yield number, (*state[:number], state[number] + 1, *state[number + 1 :])


def _states(
    runners: Sequence[Runner], rivals: AbstractSet[frozenset[str]], limits: Sequence[int], most: int
) -> list[State]:
    """Return the states that they may be in, that of no copies first; some of them, if there are more than `most`."""
    found = {(0,) * len(runners): None}
    line = deque(found)
    while line and len(found) < most:
        for _, after in _ways(line.popleft(), runners, rivals, limits):
            if after not in found:
                found[after] = None
                line.append(after)
    return list(found)


def _becoming(now: Floats, changes: Floats, times: Floats, per_octave: int) -> Floats:
    """Return how much likelier each state is at each time than at the beginning: (n, states).

    Args:
        now: (states,), how likely each is at the beginning.
        changes: (states, states), how often one becomes another per unit of time; rows add up to 0.
        times: (n,), the first of which are so early that hardly anything has changed.
        per_octave: How many times there are between one and what is twice as late.
    """
    found = np.empty((len(times), len(now)))
    octave: list[Floats] = []
    for number, time in enumerate(times):
        if number < per_octave:
            small = changes * time
            octave.append(small + small @ small / 2)
        else:
            before = octave[number % per_octave]
            octave[number % per_octave] = 2 * before + before @ before
        found[number] = now @ octave[number % per_octave]
    return found
