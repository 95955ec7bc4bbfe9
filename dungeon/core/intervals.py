"""Confidence intervals that both the odds of encounters and the statistics of playtests use."""

from __future__ import annotations

from math import sqrt


def wilson(count: float, of: float, z: float) -> tuple[float, float]:
    """Return Wilson's interval (low, high) for a probability, after `count` successes in `of` trials; (0, 1) without trials.

    E. B. Wilson, "Probable inference, the law of succession, and statistical inference" (1927).

    Args:
        count: The number of successes.
        of: The number of trials.
        z: Half-width of the interval in standard deviations of a normal distribution: 1.96 for 95 %.
    """
    if not of:
        return 0.0, 1.0
    share, square = count / of, z**2 / of
    middle = (share + square / 2) / (1 + square)
    half = sqrt(square * (share * (1 - share) + square / 4)) / (1 + square)
    return max(0.0, middle - half), min(1.0, middle + half)
