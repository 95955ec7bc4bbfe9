"""Exact odds of a *race*, in which copies of encounters (the *runners*) arrive at random times and the earliest copies win.

The draw of a map is a race (see `encounters.draw`): copies of each encounter arrive in a Poisson process
whose rate is its weight, until as many have arrived in all as the map wants. At a given time t the numbers of
copies that different parties have sent are independent. So, if `wanted` copies win,

    P(copy c of a runner wins) = integral over t of
        density that it arrives at t * P(all others have sent at most wanted - c copies by t)

The distribution of all others' copies is the convolution of the distributions of the other parties. Runners that
exclude each other form a party (see `parties`).

A world may have *given* copies to the map. They have a race of their own, before that of the other copies: they have
all arrived at any time of the second race. If one of several runners that exclude each other has a given copy, the
runners without a given copy don't take part.

The integrals are over log t, where the integrands are smooth and vanish at both ends: there the trapezoidal rule
converges exponentially (Trefethen and Weideman, "The exponentially convergent trapezoidal rule", 2014).
"""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from dungeon.generation.odds.parties import MarkovParty, RivalParty, can_follow

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from dungeon.generation.odds.parties import Floats, Party, Runner

EARLIEST, LATEST = 1e-12, 40.0
"""First and last time of a race: the first in units of the mean time until any copy arrives, the last in units of
the mean time of the slowest runner. Earlier and later, the integrands are negligible.
"""

MAX_STEP = 0.1
"""Maximum distance of two times on the logarithmic scale."""

MAX_GIVEN = 8
"""Maximum number of rivals in a party that may be given copies: all 2 ** 8 combinations are computed."""

MAX_FLOATS = 1 << 21
"""Number of floats that are computed at once for all parties together; it bounds memory."""


def race(
    parties: Sequence[Sequence[Runner]],
    wanted: Mapping[int, float],
    allied: AbstractSet[frozenset[str]] = frozenset(),
) -> dict[str, Floats]:
    """Return name of a runner -> the probability that at least one of its copies wins, at least two, and so on.

    Args:
        parties: The runners, in parties: a runner excludes only runners of its own party. Usually each is a party by itself.
        wanted: How many copies win in all -> the probability of this number.
        allied: The pairs of names in one party that don't exclude each other; all others do.
    """
    most = max(wanted, default=0)
    runners = [runner for each in parties for runner in each]
    found = {runner.name: np.zeros(min(len(runner.supply), most)) for runner in runners}
    if not most or not runners:
        return found
    asked = np.array([math.fsum(p for k, p in wanted.items() if k > taken) for taken in range(2 * most)])
    per_octave = math.ceil(math.log(2) / min(MAX_STEP, 0.5 / math.sqrt(most)))
    times = _times([runner.weight for runner in runners], most, per_octave)
    running = [_party(each, times, most, per_octave, allied) for each in parties]
    phases = (True, False) if any(runner.given for runner in runners) else (False,)
    width = max(1, MAX_FLOATS // (most * len(running)))
    for first in range(0, len(times), width):
        part = slice(first, first + width)
        for given in phases:
            sent = [each.sent(part, given=given) for each in running]
            for party, others in zip(running, _sums_of_others(sent, most), strict=True):
                is_wanted = asked[np.add.outer(range(most), range(len(others)))] @ others
                for name, copy, before, rate in party.arrivals(part, given=given):
                    found[name][copy] += is_wanted[before] * rate @ times[part]
    step = math.log(2) / per_octave
    return {name: (step * chances).clip(0.0, 1.0) for name, chances in found.items()}


def _times(weights: Sequence[float], most: int, per_octave: int) -> Floats:
    """Return the times at which the race is evaluated, ascending in equal steps of log t.

    Args:
        weights: The weights of the runners, on which the first and the last time depend.
        most: The greatest number of copies that win.
        per_octave: How many of the times lie between any t and 2t.
    """
    first, last = EARLIEST / sum(weights), (LATEST + 2 * most) / min(weights)
    count = math.ceil(math.log2(last / first) * per_octave)
    times: Floats = first * 2 ** (np.arange(count) / per_octave)
    return times


def can_run(party: Sequence[Runner], most: int, allied: AbstractSet[frozenset[str]]) -> bool:
    """Tell whether the exact odds of a party can be computed in short enough time.

    Args:
        party: The runners of the party.
        most: The number of copies for which odds are computed.
        allied: The pairs of names that don't exclude each other.
    """
    rivals = _pairs(party) - allied
    if len(rivals) < len(_pairs(party)):
        return can_follow(party, rivals, most)
    return sum(each.given for each in party) <= MAX_GIVEN


def _party(
    runners: Sequence[Runner], times: Floats, most: int, per_octave: int, allied: AbstractSet[frozenset[str]]
) -> Party:
    """Return the party of these runners: a `RivalParty` if all of them exclude each other, else a `MarkovParty`.

    Args:
        runners: The runners.
        times: The times at which the race is evaluated.
        most: The number of copies for which odds are computed.
        per_octave: How many of the times lie between any t and 2t.
        allied: The pairs of names that don't exclude each other.
    """
    rivals = _pairs(runners) - allied
    if len(rivals) < len(_pairs(runners)):
        return MarkovParty.of(runners, rivals, times, most, per_octave)
    return RivalParty.of(runners, times, most)


def _pairs(runners: Sequence[Runner]) -> set[frozenset[str]]:
    """Return each pair of two runners, as a set of their names."""
    return {frozenset((one.name, other.name)) for one, other in combinations(runners, 2)}


def _sums_of_others(sent: Sequence[Floats], most: int) -> Iterator[Floats]:
    """Yield, for each party in turn, the distribution of how many copies all other parties together have sent.

    Args:
        sent: For each party, (numbers, n): the probability that it has sent 0, 1, ... copies by each of n times.
        most: Only the probabilities of fewer copies than this are computed.
    """
    nothing = np.ones((1, sent[0].shape[1]))
    after = [nothing]
    for each in reversed(sent[1:]):
        after.append(_sum(after[-1], each, most))
    before = nothing
    for each in sent:
        yield _sum(before, after.pop(), most)
        before = _sum(before, each, most)


def _sum(one: Floats, other: Floats, most: int) -> Floats:
    """Return the distribution of the sum of two independent numbers of copies.

    Args:
        one: (numbers, n): the probability that the first number is 0, 1, ... at each of n times.
        other: (numbers, n): the probability that the second number is 0, 1, ... at each of n times.
        most: Only the probabilities of sums below this are computed.
    """
    if len(one) < len(other):
        one, other = other, one
    rows = min(len(one) + len(other) - 1, most)
    found = np.zeros((rows, one.shape[1]))
    for number, likely in enumerate(other[:rows]):
        found[number : number + len(one)] += likely * one[: rows - number]
    return found
