"""Hypothesis tests, corrections for many questions, and intervals: the statistics behind reports, comparisons and tuning.

Reports use the one-sided tests (`binomial_at_least`, `poisson_at_most`, `normal_at_most`) with `holm`. Comparisons of two runs
use the randomization test `p_value` with `benjamini_hochberg`.
"""

from __future__ import annotations

from itertools import product
from math import erfc, exp, fsum, inf, lgamma, log, log1p, sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from dungeon.core import intervals

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


WIDTH = 1.959964
"""Standard deviations to either side of the mean that hold 95% of a normal distribution."""


def binomial_at_least(count: int, trials: int, chance: float) -> float:
    """Return the probability of `count` or more successes in `trials` independent trials.

    Args:
        count: Number of successes.
        trials: Number of trials.
        chance: Probability of success of one trial; above 0.
    """
    if count <= 0 or chance >= 1:
        return 1.0
    whole = lgamma(trials + 1)
    terms = (
        exp(whole - lgamma(k + 1) - lgamma(trials - k + 1) + k * log(chance) + (trials - k) * log1p(-chance))
        for k in range(count, trials + 1)
    )
    return min(1.0, fsum(terms))


def poisson_at_most(count: int, expected: float) -> float:
    """Return the probability of `count` or fewer events under a Poisson distribution with mean `expected`; 1 if that is 0."""
    if expected <= 0:
        return 1.0
    return min(1.0, fsum(exp(k * log(expected) - expected - lgamma(k + 1)) for k in range(count + 1)))


def sign_test(less: int, more: int) -> float:
    """Return the two-sided p-value of the sign test.

    Args:
        less: Number of pairs in which the value has shrunk.
        more: Number of pairs in which it has grown; pairs with equal values are not counted.
    """
    return min(1.0, 2 * binomial_at_least(max(less, more), less + more, 0.5))


def normal_at_most(difference: float, variance: float) -> float:
    """Return the probability of a difference of means of `difference` or lower, if the true difference is 0.

    Args:
        difference: The difference that was observed.
        variance: The variance of that difference, whose distribution is taken as normal. If it is 0, the result is 0 or 1.
    """
    if variance <= 0:
        return float(difference >= 0)
    return 0.5 * erfc(-difference / sqrt(2 * variance))


def wilson(count: float, of: float) -> tuple[float, float]:
    """Return Wilson's 95% interval (low, high) for a probability, after `count` successes in `of` trials; (0, 1) without trials."""
    return intervals.wilson(count, of, WIDTH)


def holm(chances: Sequence[float], level: float) -> list[bool]:
    """Return which p-values are significant when all are tested together, as booleans in their order: Holm's method.

    The probability of one or more false alarms among all of them is at most `level`.
    S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6 (1979).

    Args:
        chances: The p-value of each question.
        level: The highest acceptable probability of a false alarm.
    """
    kept = [False] * len(chances)
    for rank, index in enumerate(sorted(range(len(chances)), key=chances.__getitem__)):
        if chances[index] * (len(chances) - rank) > level:
            break
        kept[index] = True
    return kept


EXACT = 12
"""Up to this number of differing worlds, `p_value` goes through all sign patterns (2 to the power of 12 is 4,096)."""

_SIGNS = [np.array(list(product((1, -1), repeat=count)), np.int8) for count in range(EXACT + 1)]
"""All sign patterns for 0 to `EXACT` differences: entry n has shape (2**n, n) and holds 1 and -1."""


def p_value(differences: NDArray[np.float64]) -> float:
    """Return the two-sided p-value of a paired difference: Fisher's randomization test for pairs.

    If nothing has changed, each difference might as well have the opposite sign. The p-value is the share of sign patterns whose
    sum is at least as large. Above `EXACT` differences other than 0, the sum is taken as normally distributed.
    R. A. Fisher, The Design of Experiments (1935), section 21.

    Args:
        differences: After minus before of each world, shape (worlds,).
    """
    changed = differences[differences != 0]
    if not len(changed):
        return 1.0
    total = abs(float(changed.sum()))
    if len(changed) <= EXACT:
        sums = np.abs(_SIGNS[len(changed)] @ changed)
        return float((sums >= total * (1 - 1e-9)).mean())  # sums in another order may be rounded differently
    return erfc(z_score(changed) / sqrt(2))


def z_score(differences: NDArray[np.float64]) -> float:
    """Return how many standard deviations the sum of `differences` is away from 0 if their signs are random; never negative."""
    size = sqrt(float(differences @ differences))
    return abs(float(differences.sum())) / size if size else 0.0


def least_p_value(differences: NDArray[np.float64]) -> float:
    """Return the smallest value that `p_value` could return for differences of these sizes: when all have the same sign."""
    count = int(np.count_nonzero(differences))
    return min(1.0, 2.0 ** (1 - count)) if count <= EXACT else p_value(np.abs(differences))


def can_be_significant(least: NDArray[np.float64], rate: float) -> NDArray[np.bool_]:
    """Tell which questions could be listed at all, given the number of worlds in which their answers differ; shape (questions,).

    A question that few worlds differ in can't reach a small p-value, whatever the signs. Such questions are left out before
    `benjamini_hochberg`, so that the others are not corrected for them. R. E. Tarone, A Modified Bonferroni Method for Discrete
    Data (1990); P. B. Gilbert, A Modified False Discovery Rate Multiple-Comparisons Procedure for Discrete Data (2005).

    Args:
        least: The `least_p_value` of each question, shape (questions,).
        rate: The share of listed questions that may be false.
    """
    ordered = np.sort(least)
    count = np.arange(1, len(least) + 1)
    enough = np.searchsorted(ordered, rate / count, side="left") <= count
    return least < rate / count[int(enough.argmax())] if enough.any() else np.zeros(len(least), bool)


def benjamini_hochberg(chances: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return for each p-value the smallest false discovery rate at which its question is listed as changed; shape (questions,).

    Of all questions listed at a rate of 1%, 1% are false on average. If nothing at all has changed, one comparison in a hundred lists
    something. Y. Benjamini and Y. Hochberg, Controlling the False Discovery Rate (1995); it also holds for questions that
    depend on each other as these do (Benjamini and Yekutieli, 2001). Holm's method allows hardly any false one, and would
    therefore miss most true changes among thousands of questions.

    Args:
        chances: P-values, shape (questions,).
    """
    order = np.argsort(chances)[::-1]
    ranks = np.arange(len(chances), 0, -1)
    result = np.empty_like(chances)
    result[order] = np.minimum.accumulate(chances[order] * len(chances) / ranks)
    return np.minimum(result, 1.0)


def standard_error(differences: NDArray[np.float64]) -> float:
    """Return the standard error of the mean of `differences`, shape (worlds,); infinity for a single one."""
    count = len(differences)
    return float(differences.std(ddof=1)) / sqrt(count) if count > 1 else inf


def z_of_interval(wrong: float) -> float:
    """Return half the width, in standard errors, of a normal interval that misses the true value with probability `wrong`."""
    return NormalDist().inv_cdf(1 - wrong / 2)


def point_biserial(before: NDArray[np.float64], after: NDArray[np.float64]) -> float:
    """Return the effect size of a change, from -1 to 1: the point-biserial correlation of value and side (before or after).

    0 means that a world's value does not tell which side it is from. 0.1 is small, 0.3 medium, 0.5 large (J. Cohen, Statistical
    Power Analysis, 1988).

    Args:
        before: The value of each world before, shape (worlds,).
        after: The value of each world after, shape (worlds,).
    """
    spread = float(np.concatenate([before, after]).std())
    return float(after.mean() - before.mean()) / (2 * spread) if spread else 0.0
