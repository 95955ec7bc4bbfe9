"""Values of the content grammar, prepared for being rolled thousands of times a map."""

from __future__ import annotations

import math
from bisect import bisect
from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING, TypeVar, cast

from dungeon.content.values import Between, Choice, Constant, Sometimes

if TYPE_CHECKING:
    from collections.abc import Callable

    from dungeon.content.values import Value
    from dungeon.streams import Stream

T = TypeVar("T")


def dice(value: Value[T], stream: Stream, otherwise: T) -> Callable[[], T]:
    """Return a function that rolls the value, always from the same stream.

    It draws one number a roll, however deep the value nests, so it does not give what `values.roll` gives from
    the same stream; the odds are the same.

    Args:
        value: What to roll; its ranges should be short, for every outcome is listed.
        stream: Where the draws come from.
        otherwise: What holds where the value does not apply.
    """
    bounds, outcomes = _table(value, otherwise)
    if len(outcomes) == 1:
        only = outcomes[0]
        return lambda: only
    random = stream.random
    return lambda: outcomes[bisect(bounds, random())]


@lru_cache(maxsize=512)
def _table(value: Value[T], otherwise: T) -> tuple[list[float], list[T]]:
    """Return the outcomes of a value and the upper bound of each one's part of 0..1."""
    shares: dict[T, float] = {}
    _share(value, otherwise, 1.0, shares)
    bounds = list(accumulate(shares.values()))
    bounds[-1] = math.inf
    return bounds, list(shares)


def _share(value: Value[T], otherwise: T, weight: float, shares: dict[T, float]) -> None:
    """Add what each outcome of a value has of the weight."""
    match value:
        case Constant():
            shares[value.value] = shares.get(value.value, 0.0) + weight
        case Between():
            count = value.high - value.low + 1
            for each in range(value.low, value.high + 1):
                outcome = cast("T", each)
                shares[outcome] = shares.get(outcome, 0.0) + weight / count
        case Choice():
            total = sum(part for _, part in value.options)
            for option, part in value.options:
                if part > 0:
                    _share(option, otherwise, weight * part / total, shares)
        case Sometimes():
            shares[otherwise] = shares.get(otherwise, 0.0) + weight * (1 - value.chance)
            _share(value.value, otherwise, weight * value.chance, shares)
