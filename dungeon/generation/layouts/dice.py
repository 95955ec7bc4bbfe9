"""Values of the content grammar, prepared for being rolled thousands of times a map."""

from __future__ import annotations

import math
from bisect import bisect
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Any, TypeVar, cast

from dungeon.content.values.grammar import Between, Choice, Constant, Sometimes, order_of
from dungeon.core.parameters import Parameters

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

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
    parts: dict[T, list[float]] = {}
    for outcome, part in _parts(value, otherwise, 1.0):
        parts.setdefault(outcome, []).append(part)
    outcomes = sorted(parts, key=order_of)
    bounds = list(accumulate(math.fsum(parts[outcome]) for outcome in outcomes))
    bounds[-1] = math.inf
    return bounds, outcomes


def _parts(value: Value[T], otherwise: T, weight: float) -> Iterator[tuple[T, float]]:
    """Yield outcomes of a value, and what each has of the weight: all that it has, or a part of it."""
    match value:
        case Constant():
            yield value.value, weight
        case Between():
            count = value.high - value.low + 1
            for each in range(value.low, value.high + 1):
                yield cast("T", each), weight / count
        case Choice():
            total = math.fsum(part for _, part in value.options)
            for option, part in value.options:
                if part > 0:
                    yield from _parts(option, otherwise, weight * part / total)
        case Sometimes():
            yield otherwise, weight * (1 - value.chance)
            yield from _parts(value.value, otherwise, weight * value.chance)


def pick_bit(mask: int, low: int, high: int, stream: Stream) -> int:
    """Return one of the set bits, all of which lie from `low` to below `high`, more or less evenly."""
    at = low + int(stream.random() * (high - low))
    rest = mask >> at
    if rest:
        return at + (rest & -rest).bit_length() - 1
    return (mask & -mask).bit_length() - 1
