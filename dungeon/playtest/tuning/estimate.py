"""Numbers that were measured on some worlds, and how well they are known."""

from __future__ import annotations

from math import inf, sqrt
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dungeon.playtest.compare.inference import error_of, width_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

WRONG = 0.05
"""How often an interval may miss."""


class Estimate(NamedTuple):
    """A number, with an interval of 95%.

    Attributes:
        value: What it was, on average over worlds.
        low: Where the interval for what it is begins; `high`, where it ends.
        worlds: How many worlds that is known from.
    """

    value: float
    low: float
    high: float
    worlds: int

    def margin_with(self, worlds: int) -> float:
        """Return about how wide half the interval would be if it were known from so many worlds."""
        return (self.high - self.low) / 2 * sqrt(self.worlds / worlds)


def estimate_of(values: NDArray[np.float64], *, is_share: bool) -> Estimate:
    """Return what a number is, given what it was in each world.

    The interval of a share is that of Wilson (Probable Inference, the Law of Succession, and Statistical Inference, 1927),
    which means something where all worlds are alike, too. Worlds count as one level each: where they have more, it is
    too wide rather than too narrow. That of other numbers is the normal one.

    Args:
        values: Shape (worlds,); nan for worlds that don't have it.
        is_share: Whether they lie between 0 and 1.
    """
    there = values[~np.isnan(values)]
    count = len(there)
    if not count:
        return Estimate(np.nan, -inf, inf, 0)
    value, width = float(there.mean()), width_of(WRONG)
    if not is_share:
        margin = width * error_of(there)
        return Estimate(value, value - margin, value + margin, count)
    share = width**2 / count
    middle = (value + share / 2) / (1 + share)
    margin = width / (1 + share) * sqrt(value * (1 - value) / count + share / (4 * count))
    return Estimate(value, max(0.0, middle - margin), min(1.0, middle + margin), count)


def effect_of(before: NDArray[np.float64], after: NDArray[np.float64]) -> Estimate:
    """Return by how much a number has changed in the same worlds: shape (worlds,), nan for those that don't have it."""
    return estimate_of(after - before, is_share=False)
