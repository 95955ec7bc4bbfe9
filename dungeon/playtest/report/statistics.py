"""How surprising counts are, and what remains surprising when many questions are asked at once."""

from __future__ import annotations

from math import erfc, exp, fsum, lgamma, log, log1p, sqrt
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


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
