"""Statistical tests and intervals for the lab: randomization, sign, binomial, Poisson and Wilson."""

from __future__ import annotations

from itertools import product
from math import erfc, exp, fsum, inf, lgamma, log, log1p, sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


WIDTH = 1.959964
"""So many standard deviations to either side hold 95 of 100."""


def binomial_at_least(count: int, trials: int, chance: float) -> float:
    """Return how likely so many successes, or more, are among independent trials of some chance, above 0 and below 1."""
    if count <= 0:
        return 1.0
    whole = lgamma(trials + 1)
    terms = (
        exp(whole - lgamma(k + 1) - lgamma(trials - k + 1) + k * log(chance) + (trials - k) * log1p(-chance))
        for k in range(count, trials + 1)
    )
    return min(1.0, fsum(terms))


def poisson_at_most(count: int, expected: float) -> float:
    """Return how likely so many rare events, or fewer, are where so many are expected: Poisson's law."""
    if expected <= 0:
        return 1.0
    return min(1.0, fsum(exp(k * log(expected) - expected - lgamma(k + 1)) for k in range(count + 1)))


def sign_test(less: int, more: int) -> float:
    """Return how likely so uneven a split is by chance where less and more are equally likely, to either side."""
    return min(1.0, 2 * binomial_at_least(max(less, more), less + more, 0.5))


def normal_at_most(difference: float, variance: float) -> float:
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


EXACT = 12
"""Up to so many worlds that differ, all ways to exchange before and after are counted out."""

_SIGNS = [np.array(list(product((1, -1), repeat=count)), np.int8) for count in range(EXACT + 1)]


def p_value(differences: NDArray[np.float64]) -> float:
    """Return how likely differences as large as these would be if it were chance which is before and which after.

    If nothing has changed, each difference might as well have the other sign. With few of them that are not 0 all ways to give
    them signs are counted; with more, their sum is as good as normal. This is Fisher's randomization test for pairs (The
    Design of Experiments, 1935, section 21).

    Args:
        differences: Shape (worlds,).
    """
    changed = differences[differences != 0]
    if not len(changed):
        return 1.0
    total = abs(float(changed.sum()))
    if len(changed) <= EXACT:
        sums = np.abs(_SIGNS[len(changed)] @ changed)
        return float((sums >= total * (1 - 1e-9)).mean())
    return erfc(z_score(changed) / sqrt(2))


def z_score(differences: NDArray[np.float64]) -> float:
    """Return how many standard deviations the sum of differences is away from 0, if signs were chance."""
    size = sqrt(float(differences @ differences))
    return abs(float(differences.sum())) / size if size else 0.0


def least_p_value(differences: NDArray[np.float64]) -> float:
    """Return what `chance_of` would be at least for differences of these sizes, whatever their signs: if all agreed."""
    count = int(np.count_nonzero(differences))
    return min(1.0, 2.0 ** (1 - count)) if count <= EXACT else p_value(np.abs(differences))


def can_be_significant(least: NDArray[np.float64], rate: float) -> NDArray[np.bool_]:
    """Tell which questions can be answered at all, when so many are asked: of which enough worlds differ.

    The others need not be counted among those that are asked at once, for whatever the signs of their differences, they could not
    be listed. R. E. Tarone, A Modified Bonferroni Method for Discrete Data (1990); P. B. Gilbert, A Modified False Discovery Rate
    Multiple-Comparisons Procedure for Discrete Data (2005).

    Args:
        least: How small the chance of each can get, shape (questions,).
        rate: How many false ones may be listed.
    """
    ordered = np.sort(least)
    count = np.arange(1, len(least) + 1)
    enough = np.searchsorted(ordered, rate / count, side="left") <= count
    return least < rate / count[int(enough.argmax())] if enough.any() else np.zeros(len(least), bool)


def benjamini_hochberg(chances: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return for each of many chances the smallest false discovery rate at which it counts as no chance.

    Of all that is listed at a rate of 5%, 5% are chance, on average; where nothing at all has changed, anything is listed in
    one of twenty comparisons. After Benjamini and Hochberg, Controlling the False Discovery Rate (1995), which holds for
    questions that hang together as these do (Benjamini and Yekutieli, 2001). To guard against a single false one among
    thousands, as Holm's method does, would leave most true ones unsaid.

    Args:
        chances: Shape (questions,).
    """
    order = np.argsort(chances)[::-1]
    ranks = np.arange(len(chances), 0, -1)
    result = np.empty_like(chances)
    result[order] = np.minimum.accumulate(chances[order] * len(chances) / ranks)
    return np.minimum(result, 1.0)


def standard_error(differences: NDArray[np.float64]) -> float:
    """Return the standard error of the mean of differences; infinite for a single one."""
    count = len(differences)
    return float(differences.std(ddof=1)) / sqrt(count) if count > 1 else inf


def z_of_interval(wrong: float) -> float:
    """Return how many standard errors to either side make an interval that misses with a chance of `wrong`."""
    return NormalDist().inv_cdf(1 - wrong / 2)


def point_biserial(before: NDArray[np.float64], after: NDArray[np.float64]) -> float:
    """Return how well a world's number tells whether it is from before or after: from -1 to 1, 0 for not at all.

    This is the point-biserial correlation: the difference, beside how much worlds differ anyway. 0.1 is small, 0.3
    medium, 0.5 large (Cohen, Statistical Power Analysis, 1988).
    """
    spread = float(np.concatenate([before, after]).std())
    return float(after.mean() - before.mean()) / (2 * spread) if spread else 0.0
