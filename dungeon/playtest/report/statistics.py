"""How surprising counts are, and what remains surprising when many questions are asked at once."""

from __future__ import annotations

from math import erfc, exp, fsum, lgamma, log, log1p, sqrt
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

WIDTH = 1.959964
"""So many standard deviations to either side hold 95 of 100."""


def at_least(count: int, trials: int, chance: float) -> float:
    """Return how likely so many successes, or more, are among independent trials of some chance, above 0 and below 1."""
    if count <= 0:
        return 1.0
    whole = lgamma(trials + 1)
    terms = (
        exp(whole - lgamma(k + 1) - lgamma(trials - k + 1) + k * log(chance) + (trials - k) * log1p(-chance))
        for k in range(count, trials + 1)
    )
    return min(1.0, fsum(terms))


def at_most(count: int, expected: float) -> float:
    """Return how likely so many rare events, or fewer, are where so many are expected: Poisson's law."""
    if expected <= 0:
        return 1.0
    return min(1.0, fsum(exp(k * log(expected) - expected - lgamma(k + 1)) for k in range(count + 1)))


def sign_test(less: int, more: int) -> float:
    """Return how likely so uneven a split is by chance where less and more are equally likely, to either side."""
    return min(1.0, 2 * at_least(max(less, more), less + more, 0.5))


def below(difference: float, variance: float) -> float:
    """Return how likely a difference of means comes out that low, or lower, where there is none; normal law."""
    if variance <= 0:
        return float(difference >= 0)
    return 0.5 * erfc(-difference / sqrt(2 * variance))


def wilson(count: float, of: float) -> tuple[float, float]:
    """Return the interval that holds a chance in 95 of 100 cases, if so many of so many trials succeeded; (0, 1) without trials.

    E. B. Wilson, "Probable inference, the law of succession, and statistical inference" (1927).
    """
    if not of:
        return 0.0, 1.0
    share, square = count / of, WIDTH**2 / of
    middle = (share + square / 2) / (1 + square)
    half = sqrt(square * (share * (1 - share) + square / 4)) / (1 + square)
    return max(0.0, middle - half), min(1.0, middle + half)


def holm(chances: Sequence[float], level: float) -> list[bool]:
    """Tell which of many surprises remain, if one false alarm among all of them is to be no likelier than `level`.

    S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6 (1979).

    Args:
        chances: How likely each came about by chance.
        level: How likely a false alarm may be.
    """
    kept = [False] * len(chances)
    for rank, index in enumerate(sorted(range(len(chances)), key=chances.__getitem__)):
        if chances[index] * (len(chances) - rank) > level:
            break
        kept[index] = True
    return kept
