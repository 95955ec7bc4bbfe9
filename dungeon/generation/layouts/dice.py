"""Lookup tables for authors' values, such as `{value: 3, chance: 30%}`, that one map rolls thousands of times.

A *table* has the outcomes of a value, sorted, and for each the upper bound of its part of 0..1. `otherwise` is the outcome
where a value does not apply: in 70% of the rolls of the example.
"""

from __future__ import annotations

import math
from bisect import bisect
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, cast

from dungeon.content.values.grammar import Between, Choice, Constant, Sometimes, order_of
from dungeon.content.values.value_fields import WordValue, one_of
from dungeon.core.parameters import Parameters
from dungeon.generation.layouts.doorways import CLOSINGS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dungeon.content.values.grammar import Value
    from dungeon.core.streams import Stream

T = TypeVar("T")

Table = tuple[list[float], list[T]]
"""(bounds, outcomes): outcome number `i` is rolled for a random number in 0..1 between `bounds[i - 1]` and `bounds[i]`."""


Closing = Annotated[WordValue, one_of(*CLOSINGS)]
"""A value of a parameter `doors`: one of the words of `CLOSINGS`, or a way to choose one."""


class RolledParameters(Parameters):
    """Parameters of a layout, with a cache of the lookup tables of its values, so that each table is made once."""

    @cached_property
    def tables(self) -> dict[str, Table[Any]]:
        """The lookup tables made so far: name of a parameter -> its table."""
        return {}

    def table(self, name: str, otherwise: Any) -> Table[Any]:
        """Return the lookup table of the parameter `name`; `otherwise` is the outcome where its value does not apply."""
        if name not in self.tables:
            self.tables[name] = table(getattr(self, name), otherwise)
        return self.tables[name]

    def dice(self, name: str, stream: Stream, otherwise: Any) -> Callable[[], Any]:
        """Return a function without arguments that rolls the parameter `name`; `otherwise` is the outcome where it does not apply."""
        return roller(self.table(name, otherwise), stream)


def dice(value: Value[T], stream: Stream, otherwise: T) -> Callable[[], T]:
    """Return a function without arguments that rolls a value at each call.

    Each roll draws one number, however deep the value nests. So the results differ from those of `grammar.roll` with
    the same stream, but their probabilities are the same.

    Args:
        value: The value; its ranges should be short, since the table lists every outcome.
        stream: The random stream of all rolls.
        otherwise: The outcome where the value does not apply (`{value: 3, chance: 30%}`).
    """
    return roller(table(value, otherwise), stream)


def roller(table: Table[T], stream: Stream) -> Callable[[], T]:
    """Return a function without arguments that rolls an outcome of a lookup table at each call, by binary search (`bisect`)."""
    bounds, outcomes = table
    if len(outcomes) == 1:
        only = outcomes[0]
        return lambda: only
    random = stream.random
    return lambda: outcomes[bisect(bounds, random())]


def table(value: Value[T], otherwise: T) -> Table[T]:
    """Return the lookup table of a value: (the upper bound of each outcome's part of 0..1, the sorted outcomes).

    The bounds add up the probabilities: for `1..2`, ([0.5, inf], [1, 2]).

    Args:
        value: The value.
        otherwise: The outcome where the value does not apply.
    """
    parts: dict[T, list[float]] = {}
    for outcome, part in _parts(value, otherwise, 1.0):
        parts.setdefault(outcome, []).append(part)
    outcomes = sorted(parts, key=order_of)
    bounds = list(accumulate(math.fsum(parts[outcome]) for outcome in outcomes))
    bounds[-1] = math.inf
    return bounds, outcomes


def _parts(value: Value[T], otherwise: T, weight: float) -> Iterator[tuple[T, float]]:
    """Yield (outcome, weight) for every outcome of a value; the weights add up to `weight`.

    An outcome may come up more than once: a choice between 1..2 and 2..3 yields 2 twice.

    Args:
        value: The value.
        otherwise: The outcome where the value does not apply.
        weight: The sum of all weights.
    """
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
    """Return the number of a random set bit of a mask whose set bits all lie from bit `low` to below bit `high`.

    It draws a bit number and takes the first set bit from there on, or else the lowest set bit. So a bit behind a gap
    is likelier.
    """
    at = low + int(stream.random() * (high - low))
    rest = mask >> at
    if rest:
        return at + (rest & -rest).bit_length() - 1
    return (mask & -mask).bit_length() - 1
