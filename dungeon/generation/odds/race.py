"""Exact odds of a race, in which copies of encounters (the runners) arrive at random times and the earliest copies win.

The draw of a map is a race (see `encounters.draw`): copies of each encounter arrive in a Poisson process
whose rate is its weight, until as many have arrived in all as the map wants. At a given time t the numbers of
copies that different parties have sent are independent. So, if `wanted` copies win,

    P(copy c of a runner wins) = integral over t of
        density that it arrives at t * P(all others have sent at most wanted - c copies by t)

The distribution of all others' copies is the convolution of the distributions of the other parties. Runners that
exclude each other form a party (see `parties`).

Runners may be *given* copies, as worlds hand them to maps. Given copies run a race before that of the others: they
have all arrived at any time of the second race. If one of several rivals has been given a copy, the rivals
without a given copy stay out.

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
    """Return runner -> the probability that at least one copy of it wins, at least two, and so on.

    Args:
        parties: Runners in parties, usually of one. In a party the first to arrive excludes the others.
        wanted: Number of copies that win in all -> its probability.
        allied: Pairs of names in the same party that don't exclude each other.
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
    """Return the times of the race, ascending: `per_octave` of them from t to 2t."""
    first, last = EARLIEST / sum(weights), (LATEST + 2 * most) / min(weights)
    count = math.ceil(math.log2(last / first) * per_octave)
    times: Floats = first * 2 ** (np.arange(count) / per_octave)
    return times


def can_run(party: Sequence[Runner], most: int, allied: AbstractSet[frozenset[str]]) -> bool:
    """Return whether the exact odds of a party of runners can be computed in short enough time.

    Args:
        party: The runners.
        most: Number of copies to compute.
        allied: Pairs of their names that don't exclude each other.
    """
    rivals = _pairs(party) - allied
    if len(rivals) < len(_pairs(party)):
        return can_follow(party, rivals, most)
    return sum(each.given for each in party) <= MAX_GIVEN


def _party(
    runners: Sequence[Runner], times: Floats, most: int, per_octave: int, allied: AbstractSet[frozenset[str]]
) -> Party:
    """Return runners as a party: `RivalParty` if all exclude each other, else `MarkovParty`."""
    rivals = _pairs(runners) - allied
    if len(rivals) < len(_pairs(runners)):
        return MarkovParty.of(runners, rivals, times, most, per_octave)
    return RivalParty.of(runners, times, most)


def _pairs(runners: Sequence[Runner]) -> set[frozenset[str]]:
    """Return all pairs of names of the runners."""
    return {frozenset((one.name, other.name)) for one, other in combinations(runners, 2)}


def _sums_of_others(sent: Sequence[Floats], most: int) -> Iterator[Floats]:
    """Yield, for each of several independent numbers, the distribution of the sum of all the others, cut off at `most`."""
    nothing = np.ones((1, sent[0].shape[1]))
    after = [nothing]
    for each in reversed(sent[1:]):
        after.append(_sum(after[-1], each, most))
    before = nothing
    for each in sent:
        yield _sum(before, after.pop(), most)
        before = _sum(before, each, most)


def _sum(one: Floats, other: Floats, most: int) -> Floats:
    """Return the distribution of the sum of two independent numbers, cut off at `most`: (numbers, n) each."""
    if len(one) < len(other):
        one, other = other, one
    rows = min(len(one) + len(other) - 1, most)
    found = np.zeros((rows, one.shape[1]))
    for number, likely in enumerate(other[:rows]):
        found[number : number + len(one)] += likely * one[: rows - number]
    return found
