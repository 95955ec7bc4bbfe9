"""Who takes part in a race, and parties of runners that shut each other out."""

from __future__ import annotations

import math
from collections import defaultdict, deque
from dataclasses import dataclass
from itertools import pairwise, product
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet


Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Runner:
    """Someone who sends copies.

    Attributes:
        name: Who it is.
        weight: How many copies it sends per unit of time, on average; above 0.
        supply: How likely it may have a first copy, a second... : as many as it may ever have.
        given: Whether they are given to it, and so come before all that are not.
    """

    name: str
    weight: float
    supply: tuple[float, ...]
    given: bool = False


class CopyArrival(NamedTuple):
    """How often a copy arrives.

    Attributes:
        runner: Whose it is.
        copy: Which of its copies, from 0.
        before: How many copies those it runs with have sent before, its own included.
        rate: (n,), how likely it arrives at each of some times, per unit of time.
    """

    runner: str
    copy: int
    before: int
    rate: Floats


class Party(Protocol):
    """Runners who are independent of all others; two races are run, that of given copies before the other."""

    def sent(self, part: slice, *, given: bool) -> Floats:
        """Return how likely they have sent none, one... copies in all at some of the times of one race: (copies, n)."""

    def arrivals(self, part: slice, *, given: bool) -> Iterator[CopyArrival]:
        """Yield how often copies arrive at some of the times of one race."""


NEVER = 1e6
"""A Poisson number of which so much is expected is never small."""

STABLE = 1e4
"""By how much errors may grow in a recurrence."""


class WinningCase(NamedTuple):
    """One of the ways in which a runner may be the first of its rivals.

    Attributes:
        likely: How likely it is, given copies and being first considered.
        rate: How many copies all who take part send per unit of time until the first has arrived.
        supply: How likely it then may have a first copy, which is certain, a second...
    """

    runner: Runner
    likely: float
    rate: float
    supply: Floats


@dataclass(frozen=True, slots=True)
class RivalParty:
    """Runners of whom only the first to arrive takes part; usually a single one.

    Attributes:
        chances: The ways in which each of them may be the first.
        times: (n,), the times that are looked at.
        most: How many copies matter.
    """

    chances: tuple[WinningCase, ...]
    times: Floats
    most: int

    @classmethod
    def of(cls, runners: Sequence[Runner], times: Floats, most: int) -> RivalParty:
        """Return these runners as rivals."""
        return cls(tuple(_chances(runners)), times, most)

    def sent(self, part: slice, *, given: bool) -> Floats:
        """Return how likely they have sent none, one... copies in all at some of the times of one race: (copies, n)."""
        times = self.times[part]
        depth = min(self.most, max((len(chance.supply) for chance in self.chances), default=0))
        tails = np.zeros((depth + 2, len(times)))
        tails[0] = 1
        for chance in self.chances:
            count = min(depth, len(chance.supply))
            supply = chance.likely * chance.supply[:count, None]
            if chance.runner.given == given:
                tails[1 : count + 1] += supply * (1 - _waiting(chance, times, count)[1:])
            elif not given:
                tails[1 : count + 1] += supply  # they have all arrived
        return (tails[:-1] - tails[1:])[: self.most]

    def arrivals(self, part: slice, *, given: bool) -> Iterator[CopyArrival]:
        """Yield how often copies arrive at some of the times of one race."""
        times = self.times[part]
        for chance in self.chances:
            if chance.runner.given != given:
                continue
            count = min(self.most, len(chance.supply))
            waiting = _waiting(chance, times, count)
            for copy in range(count):
                if copy == 0:
                    rate = chance.rate * np.exp(-chance.rate * times)
                else:
                    rate = chance.runner.weight * (waiting[copy + 1] - waiting[copy])
                yield CopyArrival(chance.runner.name, copy, copy, chance.likely * chance.supply[copy] * rate)


def _chances(rivals: Sequence[Runner]) -> Iterator[WinningCase]:
    """Yield every way in which one of these may be the first: who is given copies decides who takes part."""
    given = [each for each in rivals if each.given]
    free = [each for each in rivals if not each.given and each.supply]
    for taking in product((False, True), repeat=len(given)):
        present = [each for each, takes in zip(given, taking, strict=True) if takes]
        likely = math.prod(
            first if takes else 1 - first
            for each, takes in zip(given, taking, strict=True)
            for first in [each.supply[0] if each.supply else 0.0]
        )
        parts = present or free
        rate = math.fsum(each.weight for each in parts)
        for each in parts:
            if likely > 0:
                supply = np.array(each.supply) / each.supply[0]
                yield WinningCase(each, likely * each.weight / rate, rate, supply)


def _waiting(chance: WinningCase, times: Floats, count: int) -> Floats:
    """Return how likely a runner who is the first of its rivals has not yet sent its first, its second... copy.

    The first of them arrives after an exponential time of their common rate W, the runner's others after such times of its own
    rate w. S(c, t), that the c-th has not arrived, falls as fast whether that of rate W or one of rate w is the last to be
    waited for; of c - 1 alone with rate w, Q(c - 1, t), it is known. So

        w (S(c) - S(c - 1)) = W (S(c) - Q(c - 1))

    which gives S(c) of S(c - 1), or the other way round: whichever keeps errors small.

    Returns:
        (count + 1, n): the first row, of no copy at all, is 0.
    """
    own, rate = chance.runner.weight, chance.rate
    rest = rate - own
    if rest <= 0:
        return _gamma(own * times, count + 1)
    waiting = np.zeros((count + 1, len(times)))
    if own <= rest or (own / rest) ** count < STABLE:
        alone = _gamma(own * times, count + 1)
        waiting[1] = np.exp(-rate * times)
        for copy in range(2, count + 1):
            waiting[copy] = (rate * alone[copy - 1] - own * waiting[copy - 1]) / rest
        return waiting
    # Of so many copies it hardly matters when the first one came, and what it does is forgotten on the way back.
    last = 5 * count + 1
    alone = _gamma(own * times, last)
    later = alone[-1]
    for copy in range(last, 1, -1):
        if copy <= count:
            waiting[copy] = later
        later = (rate * alone[copy - 1] - rest * later) / own
    waiting[1] = later
    return waiting


def _gamma(expected: Floats, rows: int) -> Floats:
    """Return how likely a Poisson number is less than 0, 1... : (rows, n)."""
    found = np.zeros((rows, len(expected)))
    expected = np.minimum(expected, NEVER)
    logs = np.log(expected)
    for copy in range(1, rows):
        found[copy] = found[copy - 1] + np.exp((copy - 1) * logs - expected - math.lgamma(copy))
    return found


State = tuple[int, ...]
"""How many copies each runner has sent."""

MOST_STATES = 100
"""Parties that may be in more states are not followed."""

MOST_LIMITS = 64
"""Nor are those who may have been given copies in more ways."""


@dataclass(frozen=True, slots=True)
class MarkovParty:
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
    ) -> MarkovParty:
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

    def arrivals(self, part: slice, *, given: bool) -> Iterator[CopyArrival]:
        """Yield how often copies arrive at some of the times of one race."""
        for key, rate in self.rates[given].items():
            yield CopyArrival(*key, rate[part])


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
