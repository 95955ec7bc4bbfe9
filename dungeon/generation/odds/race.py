"""Exact odds of a race: who is in time, and with how many copies.

The draw of a map is a race (see `encounters.draw`). A runner's copies arrive as in a Poisson process, as often as its
weight says, until there are as many in all as are wanted. Until some time t the numbers of copies that runners have sent
are independent of each other, each a Poisson number that is cut off at what the runner may have. So

    P(the c-th copy of a runner is in time) = integral over t of
        P(it arrives about t) * P(the others have sent at most wanted - c until t)

and the number that all the others have sent until t has the product of their generating functions. The same goes for
*rivals*, of whom only the first to arrive takes part: a set of rivals is independent of all others, and which of them is first
says nothing about when. What is not so simple, some who shut out some others, is followed state by state (see `mixed`): these
parties, too, are independent of all others.

Runners may be *given* copies, as worlds give them to maps. Given copies are another race that is run before that of the free
ones: until any time of the second race, they have all arrived. If one of several rivals has been given a copy, those who have
not stay out.

Over the logarithm of t integrands are smooth and vanish at both ends: there the trapezoidal rule converges
exponentially (Trefethen and Weideman, "The exponentially convergent trapezoidal rule", 2014).
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
"""When the race begins, by the time that anyone takes to arrive; when it is over, by the time that the slowest takes."""

STEP = 0.1
"""How far apart two moments are at most, as a logarithm."""

MOST_GIVEN = 8
"""No rivals are computed of whom more may be given copies: any of them may, in any combination."""

WIDEST = 1 << 21
"""So many numbers are kept of each party at once."""


def race(
    parties: Sequence[Sequence[Runner]],
    wanted: Mapping[int, float],
    allied: AbstractSet[frozenset[str]] = frozenset(),
) -> dict[str, Floats]:
    """Return runner -> how likely at least one copy of it is in time, at least two...

    Args:
        parties: Sets of runners, usually of one. No two of a set take part: whoever arrives first shuts the others out.
        wanted: Number of copies that are wanted in all -> how likely it is.
        allied: Pairs of the same set who may take part both.
    """
    most = max(wanted, default=0)
    runners = [runner for each in parties for runner in each]
    found = {runner.name: np.zeros(min(len(runner.supply), most)) for runner in runners}
    if not most or not runners:
        return found
    asked = np.array([math.fsum(p for k, p in wanted.items() if k > taken) for taken in range(2 * most)])
    per_octave = math.ceil(math.log(2) / min(STEP, 0.5 / math.sqrt(most)))
    times = _times([runner.weight for runner in runners], most, per_octave)
    running = [_party(each, times, most, per_octave, allied) for each in parties]
    phases = (True, False) if any(runner.given for runner in runners) else (False,)
    width = max(1, WIDEST // (most * len(running)))
    for first in range(0, len(times), width):
        part = slice(first, first + width)
        for given in phases:
            sent = [each.sent(part, given=given) for each in running]
            for party, others in zip(running, _of_all_others(sent, most), strict=True):
                is_wanted = asked[np.add.outer(range(most), range(len(others)))] @ others
                for name, copy, before, rate in party.arrivals(part, given=given):
                    found[name][copy] += is_wanted[before] * rate @ times[part]
    step = math.log(2) / per_octave
    return {name: (step * chances).clip(0.0, 1.0) for name, chances in found.items()}


def _times(weights: Sequence[float], most: int, per_octave: int) -> Floats:
    """Return the times that are looked at: `per_octave` of them, and then those twice as late."""
    first, last = EARLIEST / sum(weights), (LATEST + 2 * most) / min(weights)
    count = math.ceil(math.log2(last / first) * per_octave)
    times: Floats = first * 2 ** (np.arange(count) / per_octave)
    return times


def can_run(party: Sequence[Runner], most: int, allied: AbstractSet[frozenset[str]]) -> bool:
    """Tell whether the race of a party is not too long to compute.

    Args:
        party: A set of runners.
        most: How many copies matter.
        allied: Pairs of the set who may take part both.
    """
    rivals = _pairs(party) - allied
    if len(rivals) < len(_pairs(party)):
        return can_follow(party, rivals, most)
    return sum(each.given for each in party) <= MOST_GIVEN


def _party(
    runners: Sequence[Runner], times: Floats, most: int, per_octave: int, allied: AbstractSet[frozenset[str]]
) -> Party:
    """Return runners as a party."""
    rivals = _pairs(runners) - allied
    if len(rivals) < len(_pairs(runners)):
        return MarkovParty.of(runners, rivals, times, most, per_octave)
    return RivalParty.of(runners, times, most)


def _pairs(runners: Sequence[Runner]) -> set[frozenset[str]]:
    """Return all pairs of runners."""
    return {frozenset((one.name, other.name)) for one, other in combinations(runners, 2)}


def _of_all_others(sent: Sequence[Floats], most: int) -> Iterator[Floats]:
    """Yield, for each of several independent numbers, the odds of the sum of all others, as far as they are below `most`."""
    nothing = np.ones((1, sent[0].shape[1]))
    after = [nothing]
    for each in reversed(sent[1:]):
        after.append(_sum(after[-1], each, most))
    before = nothing
    for each in sent:
        yield _sum(before, after.pop(), most)
        before = _sum(before, each, most)


def _sum(one: Floats, other: Floats, most: int) -> Floats:
    """Return the odds of the sum of two independent numbers, as far as it is below `most`: (numbers, n) each."""
    if len(one) < len(other):
        one, other = other, one
    rows = min(len(one) + len(other) - 1, most)
    found = np.zeros((rows, one.shape[1]))
    for number, likely in enumerate(other[:rows]):
        found[number : number + len(one)] += likely * one[: rows - number]
    return found
