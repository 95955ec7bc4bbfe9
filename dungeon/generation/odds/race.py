"""Exact odds of a race: who is in time, and with how many copies.

The draw of a map is a race (see `encounters.draw`). A runner's copies arrive as in a Poisson process, as often as its
weight says, until there are as many in all as are wanted. Until some time t the numbers of copies that runners have sent
are independent of each other, each a Poisson number that is cut off at what the runner may have. So

    P(the c-th copy of a runner is in time) = integral over t of
        P(it arrives about t) * P(the others have sent at most wanted - c until t)

and the number that all the others have sent until t has the product of their generating functions. The same goes for
*rivals*, of whom only the first to arrive takes part: a set of rivals is independent of all others, and which of them is first
says nothing about when.

Runners may be *given* copies, as worlds give them to maps. Given copies are another race that is run before that of the free
ones: until any time of the second race, they have all arrived. If one of several rivals has been given a copy, those who have
not stay out.

Over the logarithm of t integrands are smooth and vanish at both ends: there the trapezoidal rule converges
exponentially (Trefethen and Weideman, "The exponentially convergent trapezoidal rule", 2014).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

EARLIEST, LATEST = 1e-12, 40.0
"""When the race begins, by the time that anyone takes to arrive; when it is over, by the time that the slowest takes."""

STEP = 0.1
"""How far apart two moments are, as a logarithm."""

WIDEST = 1 << 21
"""So many numbers are kept of each set of rivals at once."""

STABLE = 1e4
"""By how much errors may grow in a recurrence."""


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


class _Chance(NamedTuple):
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


def race(rivals: Sequence[Sequence[Runner]], wanted: Mapping[int, float]) -> dict[str, Floats]:
    """Return runner -> how likely at least one copy of it is in time, at least two...

    Args:
        rivals: Sets of runners of which only the first to arrive takes part; usually of one runner.
        wanted: Number of copies that are wanted in all -> how likely it is.
    """
    most = max(wanted, default=0)
    runners = [runner for each in rivals for runner in each]
    found = {runner.name: np.zeros(min(len(runner.supply), most)) for runner in runners}
    if not most or not runners:
        return found
    asked = np.array([math.fsum(p for k, p in wanted.items() if k > taken) for taken in range(most + 1)])
    units = [[*_chances(each)] for each in rivals]
    phases = (True, False) if any(runner.given for runner in runners) else (False,)
    step = min(STEP, 0.5 / math.sqrt(most))
    weights = [runner.weight for runner in runners]
    moments = np.arange(math.log(EARLIEST / sum(weights)), math.log((LATEST + 2 * most) / min(weights)), step)
    share = max(1, WIDEST // (most * len(units)))
    for times in np.array_split(np.exp(moments), -(-len(moments) // share)):
        for given in phases:
            sent = [_sent(unit, times, most, given=given) for unit in units]
            for unit, others in zip(units, _of_all_others(sent, most), strict=True):
                for chance in unit:
                    if chance.runner.given == given:
                        found[chance.runner.name] += step * _in_time(chance, times, others, asked)
    return {name: chances.clip(0.0, 1.0) for name, chances in found.items()}


def _chances(rivals: Sequence[Runner]) -> Iterator[_Chance]:
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
                yield _Chance(each, likely * each.weight / rate, rate, supply)


def _sent(unit: Sequence[_Chance], times: Floats, most: int, *, given: bool) -> Floats:
    """Return how likely rivals have sent none, one... copies by some time of one of the two races.

    Args:
        unit: The ways in which each may be the first.
        times: (n,).
        most: How many numbers of copies matter, 0 included.
        given: Whether it is the race of those who are given copies.

    Returns:
        (copies, n): as many as they can have sent, and at most `most`.
    """
    depth = min(most, max((len(chance.supply) for chance in unit), default=0))
    tails = np.zeros((depth + 2, len(times)))
    tails[0] = 1
    for chance in unit:
        count = min(depth, len(chance.supply))
        supply = chance.likely * chance.supply[:count, None]
        if chance.runner.given == given:
            tails[1 : count + 1] += supply * (1 - _waiting(chance, times, count)[1:])
        elif not given:
            tails[1 : count + 1] += supply  # they have all arrived
    return (tails[:-1] - tails[1:])[:most]


def _in_time(chance: _Chance, times: Floats, others: Floats, asked: Floats) -> Floats:
    """Return what moments add to how likely a first copy is in time, a second..., but for their distance.

    Args:
        chance: One of the ways in which the runner may be the first of its rivals.
        times: (n,).
        others: (copies, n), how likely others have sent so many.
        asked: How likely one is still wanted if none has been sent, if one has been...

    Returns:
        (copies,): as many as it may have.
    """
    most = len(asked) - 1
    count = min(most, len(chance.supply))
    waiting = _waiting(chance, times, count)
    arriving = np.empty((count, len(times)))
    arriving[0] = chance.rate * np.exp(-chance.rate * times)
    arriving[1:] = chance.runner.weight * (waiting[2:] - waiting[1:-1])
    is_wanted = np.pad(asked, (0, most))[np.add.outer(range(count), range(len(others)))]
    found: Floats = chance.likely * chance.supply[:count] * ((is_wanted @ others) * arriving @ times)
    return found


def _waiting(chance: _Chance, times: Floats, count: int) -> Floats:
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
    if rest <= 0 or len(times) == 0:
        return _gamma(own * times, count + 1)
    waiting = np.zeros((count + 1, len(times)))
    if own <= rest or (own / rest) ** count < STABLE:
        alone = _gamma(own * times, count + 1)
        waiting[1] = np.exp(-rate * times)
        for copy in range(2, count + 1):
            waiting[copy] = (rate * alone[copy - 1] - own * waiting[copy - 1]) / rest
        return waiting
    last = 5 * count + 1  # nobody has sent so many; that this is not quite so is forgotten on the way back
    alone = _gamma(own * times, last)
    later = np.ones(len(times))
    for copy in range(last, 1, -1):
        if copy <= count:
            waiting[copy] = later
        later = (rate * alone[copy - 1] - rest * later) / own
    waiting[1] = later
    return waiting


def _gamma(expected: Floats, rows: int) -> Floats:
    """Return how likely a Poisson number is less than 0, 1... : (rows, n)."""
    found = np.zeros((rows, len(expected)))
    logs = np.log(expected)
    for copy in range(1, rows):
        found[copy] = found[copy - 1] + np.exp((copy - 1) * logs - expected - math.lgamma(copy))
    return found


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
