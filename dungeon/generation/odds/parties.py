"""The *runners* of a race (encounters whose copies arrive at random times), in *parties* of runners that may exclude each other.

A runner is an encounter (or, in a race among maps, a map) that sends copies at random times, at a rate equal to its weight: a
Poisson process. The earliest copies win. Runners of different parties never exclude each other. For a party this module computes
how many copies it has sent by a time t, and how often each copy arrives at t:

- `RivalParty`: every runner excludes every other (a single runner is the usual case). Only the first to arrive
  takes part. This has a closed form.
- `MarkovParty`: only some pairs exclude each other. Every state is followed through time.

Two races are run one after the other: first that of *given* copies (which the world has given to the map), then that of all others.
"""

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
    """An encounter (or, in a race among maps, a map) whose copies arrive at random times; the earliest arrivals win.

    Attributes:
        name: The runner's name, unique in the race.
        weight: The expected number of copies that arrive per unit of time; above 0.
        supply: The probability that the runner has a first copy, the probability that it has a second, and so on.
        given: Whether the world has given these copies to the map, so that they arrive before all others.
    """

    name: str
    weight: float
    supply: tuple[float, ...]
    given: bool = False


class CopyArrival(NamedTuple):
    """When one copy of a runner arrives, as a probability density.

    Attributes:
        runner: The name of the runner that sends the copy.
        copy: The number of the copy among those of the runner, from 0.
        before: The number of copies that all runners of the party together have sent before this one.
        rate: (n,): the probability density of the arrival at each of n times, per unit of time.
    """

    runner: str
    copy: int
    before: int
    rate: Floats


class Party(Protocol):
    """Runners (encounters) that may exclude each other, but exclude no runner outside the party.

    Encounters are drawn in two races, one after the other: in the first, the copies that the world has given to the map arrive; in
    the second, the copies of encounters without a world limit.
    """

    def sent(self, part: slice, *, given: bool) -> Floats:
        """Return the probability that the party has sent 0, 1, ... copies by each of n times of a race: (copies, n).

        Args:
            part: The slice that selects these times from all times of the race.
            given: True for the first race, of the copies that the world has given to the map; False for the second race.
        """

    def arrivals(self, part: slice, *, given: bool) -> Iterator[CopyArrival]:
        """Yield, for each copy of each runner, how often it arrives at each of n times of a race.

        Args:
            part: The slice that selects these times from all times of the race.
            given: True for the first race, of the copies that the world has given to the map; False for the second race.
        """


# -- rivals -----------------------------------------------------------------------------------------


MAX_MEAN = 1e6
"""Means of Poisson variables are clipped to this; such a variable is never as small as the numbers of copies here."""

MAX_AMPLIFICATION = 1e4
"""Maximum factor by which the forward recurrence of `_not_yet_sent` may amplify rounding errors."""


class WinningCase(NamedTuple):
    """A case in which one runner arrives before all its rivals (the runners that it excludes).

    Attributes:
        runner: The runner that arrives first.
        likely: The probability that exactly the rivals of this case take part, and that this runner arrives before them.
        rate: The sum of the weights of all rivals that take part: the rate at which the first copy arrives.
        supply: In this case, the probability that the runner has a first copy (always 1), a second, and so on.
    """

    runner: Runner
    likely: float
    rate: float
    supply: Floats


@dataclass(frozen=True, slots=True)
class RivalParty:
    """A party of runners that all exclude each other, so that only the first to arrive sends copies. Usually a single runner.

    Attributes:
        chances: All cases in which one of the runners is the first.
        times: (n,): the times at which the race is evaluated.
        most: The number of copies for which odds are computed.
    """

    chances: tuple[WinningCase, ...]
    times: Floats
    most: int

    @classmethod
    def of(cls, runners: Sequence[Runner], times: Floats, most: int) -> RivalParty:
        """Return the party of these runners, evaluated at n times for the first `most` copies."""
        return cls(tuple(_winning_cases(runners)), times, most)

    def sent(self, part: slice, *, given: bool) -> Floats:
        """Return the probability that the party has sent 0, 1, ... copies, as `Party.sent` does."""
        times = self.times[part]
        depth = min(self.most, max((len(chance.supply) for chance in self.chances), default=0))
        tails = np.zeros((depth + 2, len(times)))
        tails[0] = 1
        for chance in self.chances:
            count = min(depth, len(chance.supply))
            supply = chance.likely * chance.supply[:count, None]
            if chance.runner.given == given:
                tails[1 : count + 1] += supply * (1 - _not_yet_sent(chance, times, count)[1:])
            elif not given:
                tails[1 : count + 1] += supply  # given copies have all arrived before the second race
        return (tails[:-1] - tails[1:])[: self.most]

    def arrivals(self, part: slice, *, given: bool) -> Iterator[CopyArrival]:
        """Yield how often each copy arrives, as `Party.arrivals` does."""
        times = self.times[part]
        for chance in self.chances:
            if chance.runner.given != given:
                continue
            count = min(self.most, len(chance.supply))
            waiting = _not_yet_sent(chance, times, count)
            for copy in range(count):
                if copy == 0:
                    rate = chance.rate * np.exp(-chance.rate * times)
                else:
                    rate = chance.runner.weight * (waiting[copy + 1] - waiting[copy])
                yield CopyArrival(chance.runner.name, copy, copy, chance.likely * chance.supply[copy] * rate)


def _winning_cases(rivals: Sequence[Runner]) -> Iterator[WinningCase]:
    """Yield every case in which one of the rivals (runners that exclude each other) arrives first.

    Given copies may exist or not. If any rival has one, only the rivals with given copies take part.
    """
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


def _not_yet_sent(chance: WinningCase, times: Floats, count: int) -> Floats:
    """Return the probability that the first runner of a case has not yet sent its first, second, ... copy by each time.

    The first copy arrives after an exponential time with the common rate W of all rivals, each further copy after one with the
    runner's own rate w. S(c, t) is the probability that copy c has not arrived by t. Q(c - 1, t) is the same for c - 1 copies
    that all arrive at rate w; it is a Poisson tail. Then

        w (S(c) - S(c - 1)) = W (S(c) - Q(c - 1))

    This gives S(c) from S(c - 1) or S(c - 1) from S(c). The direction that keeps rounding errors small is used.

    Args:
        chance: The case.
        times: (n,): the times.
        count: The number of copies.

    Returns:
        (count + 1, n): row c is S(c, t) for the times; row 0 is 0.
    """
    own, rate = chance.runner.weight, chance.rate
    rest = rate - own
    if rest <= 0:
        return _poisson_cdf(own * times, count + 1)
    waiting = np.zeros((count + 1, len(times)))
    if own <= rest or (own / rest) ** count < MAX_AMPLIFICATION:
        alone = _poisson_cdf(own * times, count + 1)
        waiting[1] = np.exp(-rate * times)
        for copy in range(2, count + 1):
            waiting[copy] = (rate * alone[copy - 1] - own * waiting[copy - 1]) / rest
        return waiting
    # Backwards from a copy so late that S is nearly Q there; the error shrinks with each step.
    last = 5 * count + 1
    alone = _poisson_cdf(own * times, last)
    later = alone[-1]
    for copy in range(last, 1, -1):
        if copy <= count:
            waiting[copy] = later
        later = (rate * alone[copy - 1] - rest * later) / own
    waiting[1] = later
    return waiting


def _poisson_cdf(expected: Floats, rows: int) -> Floats:
    """Return (rows, n): row c is the probability that Poisson variables with n different means are less than c.

    Args:
        expected: (n,): the means.
        rows: The number of rows.
    """
    found = np.zeros((rows, len(expected)))
    expected = np.minimum(expected, MAX_MEAN)
    logs = np.log(expected)
    for copy in range(1, rows):
        found[copy] = found[copy - 1] + np.exp((copy - 1) * logs - expected - math.lgamma(copy))
    return found


# -- parties in which only some pairs exclude each other --------------------------------------------


State = tuple[int, ...]
"""The number of copies that each runner has sent."""

MAX_STATES = 100
"""Maximum number of states of a party whose odds are computed: a matrix of states x states is squared for every time."""

MAX_SUPPLIES = 64
"""Maximum number of combinations of given copies in a party whose odds are computed: each combination is computed separately."""


@dataclass(frozen=True, slots=True)
class MarkovParty:
    """A party of runners of which some pairs exclude each other and others don't, computed as a Markov chain.

    A state is the number of copies that each runner has sent. A runner that has sent a copy excludes its rivals. An
    arriving copy changes the state: a Markov chain with the transition matrix P(t) = exp(Qt). The times come in
    octaves, as P(2t) = P(t) P(t). D = P - 1 is kept instead of P, which keeps small numbers exact:
    D(2t) = 2 D(t) + D(t) D(t).

    Attributes:
        sums: For the race among copies that the world has given to the map (True), and for the race among all other copies
            (False): (copies, n), in row c the probability that the party
            has sent c copies by each time.
        rates: For both races: (runner, number of the copy, copies sent before) -> (n,), the density of this copy's arrival.
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
        """Compute the party of these runners.

        Args:
            runners: The runners.
            rivals: The pairs of names that exclude each other.
            times: (n,): the times at which the race is evaluated.
            most: The number of copies for which odds are computed.
            per_octave: How many of the times lie between any t and 2t.
        """
        sums = {given: np.zeros((most, len(times))) for given in (True, False)}
        rates: dict[bool, defaultdict[tuple[str, int, int], Floats]] = {
            given: defaultdict(lambda: np.zeros(len(times))) for given in (True, False)
        }
        for limits, likely in _supplies(runners, most):
            states = _states(runners, rivals, limits, MAX_STATES)
            places = {state: place for place, state in enumerate(states)}
            now = np.zeros(len(states))
            now[0] = likely
            for given in (True, False):
                ways = [
                    (runners[number], state[number], place, places[after])
                    for state, place in places.items()
                    for number, after in _next_states(state, runners, rivals, limits)
                    if runners[number].given == given
                ]
                changes = np.zeros((len(states), len(states)))
                for runner, _, place, after in ways:
                    changes[place, [place, after]] += -runner.weight, runner.weight
                found = now + _probability_changes(now, changes, times, per_octave)
                for state, place in places.items():
                    if sum(state) < most:
                        sums[given][sum(state)] += found[:, place]
                for runner, copy, place, _ in ways:
                    if (before := sum(states[place])) < most:
                        rates[given][runner.name, copy, before] += runner.weight * found[:, place]
                now = found[-1]
        return cls(sums, rates)

    def sent(self, part: slice, *, given: bool) -> Floats:
        """Return the probability that the party has sent 0, 1, ... copies, as `Party.sent` does."""
        return self.sums[given][:, part]

    def arrivals(self, part: slice, *, given: bool) -> Iterator[CopyArrival]:
        """Yield how often each copy arrives, as `Party.arrivals` does."""
        for key, rate in self.rates[given].items():
            yield CopyArrival(*key, rate[part])


def can_follow(runners: Sequence[Runner], rivals: AbstractSet[frozenset[str]], most: int) -> bool:
    """Tell whether a party has few enough states (copies sent by each runner) to be computed as a `MarkovParty`.

    Args:
        runners: The runners.
        rivals: The pairs of names that exclude each other.
        most: The number of copies for which odds are computed.
    """
    limits = [min(len(each.supply), most) for each in runners]
    if math.prod(count + 1 for each, count in zip(runners, limits, strict=True) if each.given) > MAX_SUPPLIES:
        return False
    return len(_states(runners, rivals, limits, MAX_STATES + 1)) <= MAX_STATES


def _supplies(runners: Sequence[Runner], most: int) -> Iterator[tuple[State, float]]:
    """Yield (number of copies of each runner, probability) for every combination of such numbers, up to `most` copies each."""
    options = []
    for each in runners:
        tails = [1.0, *each.supply[:most], 0.0]
        likely = [one - next_one for one, next_one in pairwise(tails)]
        options.append([(count, chance) for count, chance in enumerate(likely) if chance > 0])
    for way in product(*options):
        yield tuple(count for count, _ in way), math.prod(chance for _, chance in way)


def _next_states(
    state: State, runners: Sequence[Runner], rivals: AbstractSet[frozenset[str]], limits: Sequence[int]
) -> Iterator[tuple[int, State]]:
    """Yield (index of a runner that may send the next copy, the state after that copy).

    Args:
        state: The number of copies that each runner has sent.
        runners: The runners.
        rivals: The pairs of names that exclude each other.
        limits: The number of copies that each runner has.
    """
    taking = [each.name for each, count in zip(runners, state, strict=True) if count]
    for number, runner in enumerate(runners):
        if state[number] < limits[number] and rivals.isdisjoint(
            frozenset((runner.name, other)) for other in taking
        ):
            yield number, (*state[:number], state[number] + 1, *state[number + 1 :])


def _states(
    runners: Sequence[Runner], rivals: AbstractSet[frozenset[str]], limits: Sequence[int], most: int
) -> list[State]:
    """Return the states (number of copies sent by each runner) that can come about, the one without copies first.

    Args:
        runners: The runners.
        rivals: The pairs of names that exclude each other.
        limits: The number of copies that each runner has.
        most: The search stops once it has found this many states.
    """
    found = {(0,) * len(runners): None}
    line = deque(found)
    while line and len(found) < most:
        for _, after in _next_states(line.popleft(), runners, rivals, limits):
            if after not in found:
                found[after] = None
                line.append(after)
    return list(found)


def _probability_changes(now: Floats, changes: Floats, times: Floats, per_octave: int) -> Floats:
    """Return (n, states): by how much the probability of each state has changed from the beginning to each of n times.

    Args:
        now: (states,): the probabilities at the beginning.
        changes: (states, states): the rate at which one state becomes another; each row adds up to 0.
        times: (n,): the times, ascending. The first time must be so short that hardly anything changes up to twice that time.
        per_octave: How many of the times lie between any t and 2t.
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
