"""Values of the content grammar, prepared for being rolled thousands of times a map."""

from __future__ import annotations

import math
from bisect import bisect
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Any, TypeVar, cast

from dungeon.content.values.grammar import Between, Choice, Constant, Sometimes
from dungeon.core.registry import Parameters

if TYPE_CHECKING:
    from collections.abc import Callable

    from dungeon.content.values.grammar import Value
    from dungeon.core.streams import Stream

T = TypeVar("T")

Table = tuple[list[float], list[T]]
"""The upper bound of each outcome's part of 0..1, and the outcomes."""


class RolledParameters(Parameters):
    """Parameters with values that are rolled often: what the rolls need is made ready once."""

    @cached_property
    def tables(self) -> dict[str, Table[Any]]:
        """The values that have been asked for, ready to be rolled."""
        return {}

    def table(self, name: str, otherwise: Any) -> Table[Any]:
        """Return one of the values, ready to be rolled; `otherwise` is what holds where it does not apply."""
        if name not in self.tables:
            self.tables[name] = table(getattr(self, name), otherwise)
        return self.tables[name]

    def dice(self, name: str, stream: Stream, otherwise: Any) -> Callable[[], Any]:
        """Return a function that rolls one of the values from a stream."""
        return thrown(self.table(name, otherwise), stream)


def dice(value: Value[T], stream: Stream, otherwise: T) -> Callable[[], T]:
    """Return a function that rolls the value, always from the same stream.

    It draws one number a roll, however deep the value nests, so it does not give what `values.roll` gives from
    the same stream; the odds are the same.

    Args:
        value: What to roll; its ranges should be short, for every outcome is listed.
        stream: Where the draws come from.
        otherwise: What holds where the value does not apply.
    """
    return thrown(table(value, otherwise), stream)


def thrown(table: Table[T], stream: Stream) -> Callable[[], T]:
    """Return a function that rolls what is in a table, always from the same stream."""
    bounds, outcomes = table
    if len(outcomes) == 1:
        only = outcomes[0]
        return lambda: only
    random = stream.random
    return lambda: outcomes[bisect(bounds, random())]


def table(value: Value[T], otherwise: T) -> Table[T]:
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


def pick_bit(mask: int, low: int, high: int, stream: Stream) -> int:
    """Return one of the set bits, all of which lie from `low` to below `high`, more or less evenly."""
    at = low + int(stream.random() * (high - low))
    rest = mask >> at
    if rest:
        return at + (rest & -rest).bit_length() - 1
    return (mask & -mask).bit_length() - 1
