"""Rivals in a race: only the first of them to arrive takes part, with all its copies."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dungeon.generation.odds.runner import Arrival

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dungeon.generation.odds.runner import Floats, Runner

NEVER = 1e6
"""A Poisson number of which so much is expected is never small."""

STABLE = 1e4
"""By how much errors may grow in a recurrence."""


class Chance(NamedTuple):
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
class Rivals:
    """Runners of whom only the first to arrive takes part; usually a single one.

    Attributes:
        chances: The ways in which each of them may be the first.
        times: (n,), the times that are looked at.
        most: How many copies matter.
    """

    chances: tuple[Chance, ...]
    times: Floats
    most: int

    @classmethod
    def of(cls, runners: Sequence[Runner], times: Floats, most: int) -> Rivals:
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

    def arrivals(self, part: slice, *, given: bool) -> Iterator[Arrival]:
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
                yield Arrival(chance.runner.name, copy, copy, chance.likely * chance.supply[copy] * rate)


def _chances(rivals: Sequence[Runner]) -> Iterator[Chance]:
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
                yield Chance(each, likely * each.weight / rate, rate, supply)


def _waiting(chance: Chance, times: Floats, count: int) -> Floats:
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
