"""The value grammar: how an author leaves a value to chance, the same for every key.

    3                           that number (or word)
    2..5                        a whole number from 2 to 5
    30%                         a share: 0.3
    [a, b]                      a or b, equally likely
    {a: 3, b: 1}                a or b, a three times as often as b
    {value: x, chance: 30%}     x in 30% of the cases; otherwise as if the key had not been written

Values nest: `[1, 2..5]`, `{value: {a: 3, b: 1}, chance: 50%}`. The words `value` and `chance` can't be
options. The order of options has no effect: they are sorted (see `order_of`) before one is drawn.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from math import floor
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from dungeon.core.frozen import by_fields
from dungeon.core.streams import Lot

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from dungeon.core.streams import Stream

T = TypeVar("T")

U = TypeVar("U")


class Value(Generic[T]):
    """Base of values in the grammar: `Constant`, `Between`, `Choice` and `Sometimes`."""

    __slots__ = ()

    def roll(self, stream: Stream) -> T | None:
        """Draw an outcome, or return None if the value does not apply this time."""
        raise NotImplementedError

    def outcomes(self) -> Iterator[T]:
        """Yield every possible outcome; of a range only its two ends."""
        raise NotImplementedError

    @property
    def applies(self) -> bool:
        """Whether every roll gives an outcome, never None."""
        return True

    def odds(self) -> dict[T | None, float]:
        """Return outcome -> probability; the key None stands for "does not apply"."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Constant(Value[T]):
    """A value that is always the same."""

    value: T

    def roll(self, stream: Stream) -> T | None:  # noqa: ARG002
        """Return the value; draws nothing from the stream."""
        return self.value

    def outcomes(self) -> Iterator[T]:
        """Yield the value."""
        yield self.value

    def odds(self) -> dict[T | None, float]:
        """Return {value: 1.0}."""
        return {self.value: 1.0}


@dataclass(frozen=True, slots=True)
class Between(Value[int]):
    """A whole number from `low` to `high`, both included, each equally likely."""

    low: int
    high: int

    def roll(self, stream: Stream) -> int | None:
        """Draw a number."""
        return stream.between(self.low, self.high)

    def outcomes(self) -> Iterator[int]:
        """Yield the two ends of the range, `low` and `high`."""
        yield self.low
        yield self.high

    def odds(self) -> dict[int | None, float]:
        """Return number -> probability, the same for each."""
        count = self.high - self.low + 1
        return dict.fromkeys(range(self.low, self.high + 1), 1 / count)


@dataclass(frozen=True)
class Choice(Value[T]):
    """One of several values, each with a weight."""

    options: tuple[tuple[Value[T], float], ...]

    __reduce__ = by_fields

    def roll(self, stream: Stream) -> T | None:
        """Draw an option, then roll it."""
        return self._lot.draw(stream).roll(stream)

    @cached_property
    def _lot(self) -> Lot[Value[T]]:
        return Lot(sorted(self.options, key=_order_of_option))

    def outcomes(self) -> Iterator[T]:
        """Yield the outcomes of every option whose weight is above 0."""
        for option, weight in self.options:
            if weight > 0:
                yield from option.outcomes()

    @property
    def applies(self) -> bool:
        """Whether every option with a weight above 0 always applies."""
        return all(option.applies for option, weight in self.options if weight > 0)

    def odds(self) -> dict[T | None, float]:
        """Return outcome -> probability; an outcome of several options gets the sum of theirs."""
        total = math.fsum(weight for _, weight in self.options)
        return _mixed((option.odds(), weight / total) for option, weight in self.options if weight > 0)


@dataclass(frozen=True, slots=True)
class Sometimes(Value[T]):
    """A value that applies with a certain probability only."""

    value: Value[T]
    chance: float

    def roll(self, stream: Stream) -> T | None:
        """Roll the value, or return None if it does not apply this time."""
        return self.value.roll(stream) if stream.chance(self.chance) else None

    def outcomes(self) -> Iterator[T]:
        """Yield the outcomes of the value."""
        yield from self.value.outcomes()

    @property
    def applies(self) -> bool:
        """Whether the value always applies: only if its chance is 100%."""
        return self.chance >= 1 and self.value.applies

    def odds(self) -> dict[T | None, float]:
        """Return outcome -> probability, with None for "does not apply"."""
        return _mixed([(self.value.odds(), self.chance), ({None: 1.0}, 1 - self.chance)])


Order = tuple[int, float, str]
"""Sort key of values and outcomes: numbers first, then words, ranges, choices and `Sometimes`."""


def order_of(what: object) -> Order:
    """Return the sort key of a value or an outcome.

    Options are sorted by it before one is drawn, so that the order in which an author lists them changes
    nothing.
    """
    match what:
        case Constant():
            return order_of(what.value)
        case Between():
            return 2, what.low, str(what.high)
        case Choice():
            return 3, 0, str(sorted(map(_order_of_option, what.options)))
        case Sometimes():
            return 4, what.chance, str(order_of(what.value))
        case int() | float() if not isinstance(what, bool):
            return 0, what + 0, repr(what)  # a portion becomes a plain number
        case _:
            return 1, 0, str(what)


def _order_of_option(option: tuple[Value[T], float]) -> tuple[Order, float]:
    value, weight = option
    return order_of(value), weight


def _mixed(parts: Iterable[tuple[Mapping[T | None, float], float]]) -> dict[T | None, float]:
    """Return the odds of a mixture: each of `parts` is (odds, probability of this part)."""
    result: dict[T | None, float] = {}
    for odds, share in parts:
        for outcome, likely in odds.items():
            result[outcome] = result.get(outcome, 0.0) + likely * share
    return result


def leaves(
    value: Value[T], raw: object, path: tuple[str | int, ...] = ()
) -> Iterator[tuple[Value[T], tuple[str | int, ...], bool]]:
    """Yield each constant and range in a value as (leaf, path, is_key).

    Args:
        value: The value.
        raw: The value as written.
        path: The path to `raw`. The path of each leaf begins with it.
    """
    match value:
        case Choice():
            if isinstance(raw, dict):
                for (option, _), key in zip(value.options, raw, strict=True):
                    yield option, (*path, key), True
            else:
                items = raw if isinstance(raw, list) else [None] * len(value.options)
                for number, (option, _) in enumerate(value.options):
                    yield from leaves(option, items[number], (*path, number))
        case Sometimes():
            inner = raw["value"] if isinstance(raw, dict) else None
            yield from leaves(value.value, inner, (*path, "value"))
        case _:
            yield value, path, False


NEVER: Value[bool] = Constant(value=False)
"""A flag that is never set."""


def mapped(value: Value[T], change: Callable[[T], U]) -> Value[U]:
    """Return the value with `change` applied to each outcome, equally likely as before.

    Raises:
        TypeError: The value has a range, whose outcomes can't be changed.
    """
    match value:
        case Constant():
            return Constant(change(value.value))
        case Choice():
            return Choice(tuple((mapped(option, change), weight) for option, weight in value.options))
        case Sometimes():
            return Sometimes(mapped(value.value, change), value.chance)
    raise TypeError(value)


def roll(value: Value[T], stream: Stream, otherwise: T) -> T:
    """Return a roll of the value, or `otherwise` if it does not apply this time."""
    rolled = value.roll(stream)
    return otherwise if rolled is None else rolled


ALWAYS = 1 - 1e-12
"""Shares from here on are shown as 100%: a sum of probabilities may miss 1 by a rounding error."""


def percent(share: float) -> str:
    """Return a share in percent, with three significant digits.

    >>> percent(0.3), percent(1 / 3), percent(0.0004) ('30%', '33.3%', '0.04%')
    """
    return f"{share * 100:.3g}%" if share < ALWAYS else "100%"


def in_words(value: Value[Any], otherwise: str = "nothing") -> str:
    """Return the possible outcomes in words, each with its probability, the likeliest first.

    Args:
        value: The value.
        otherwise: What to call the case in which it does not apply.

    >>> in_words(Between(2, 4)) '2 to 4'
    """
    if isinstance(value, Constant):
        return shown(value.value)
    if isinstance(value, Between):
        return f"{value.low} to {value.high}"
    odds = sorted(value.odds().items(), key=lambda pair: -pair[1])
    if len(odds) == 1:
        return otherwise if odds[0][0] is None else shown(odds[0][0])
    return " or ".join(
        f"{otherwise if each is None else shown(each)} ({percent(likely)})" for each, likely in odds
    )


def shown(each: object) -> str:
    """Return an outcome as text for a sentence; a space is put in quotes."""
    return '" "' if each == " " else str(each)


def listed(words: Sequence[str], last: str = "and") -> str:
    """Return ``a, b and c``."""
    return f" {last} ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def points_around(points: Sequence[tuple[int, T]], depth: int, *, stepped: bool) -> tuple[T, T, float]:
    """Return (before, after, share): what holds at the listed depths around `depth`, and how far `depth` lies between them (0 to 1).

    Args:
        points: (depth, what holds there), sorted by depth.
        depth: The depth. Before the first listed depth the first entry holds, after the last one the last.
        stepped: Whether an entry holds unchanged until the next listed depth; then `share` is 0.
    """
    after = bisect_right(points, depth, key=lambda point: point[0])
    low, here = points[max(after - 1, 0)]
    if stepped or after in (0, len(points)):
        return here, here, 0.0
    high, there = points[after]
    return here, there, (depth - low) / (high - low)


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightByDepth:
    """A weight given at some depths; in between it is interpolated, outside them the nearest one holds.

    Attributes:
        points: (depth, weight), sorted by depth.
        stepped: Whether the weight stays constant until the next listed depth, rather than being
            interpolated.
    """

    points: tuple[tuple[int, str | float], ...]
    stepped: bool = False

    def at(self, depth: int, words: Mapping[str, float]) -> float:
        """Return the weight at a depth as a number; `words` is weight word -> number."""
        here, there, share = points_around(self.points, depth, stepped=self.stepped)
        low = weight_of(here, words)
        return low + (weight_of(there, words) - low) * share


DepthWeight = str | float | WeightByDepth
"""A weight that may depend on the depth."""


def weight_of(weight: str | float, words: Mapping[str, float]) -> float:
    """Return a weight as a number; `words` is weight word -> number, and an unknown word counts as 0."""
    return words.get(weight, 0.0) if isinstance(weight, str) else weight


def weight_at(weight: DepthWeight, depth: int, words: Mapping[str, float]) -> float:
    """Return a weight at a depth as a number; `words` is weight word -> number."""
    return weight.at(depth, words) if isinstance(weight, WeightByDepth) else weight_of(weight, words)


def without_words(weight: DepthWeight, words: Mapping[str, float]) -> float | WeightByDepth:
    """Return the weight with every word replaced by its number; `words` is weight word -> number."""
    if not isinstance(weight, WeightByDepth):
        return weight_of(weight, words)
    points = tuple((depth, weight_of(each, words)) for depth, each in weight.points)
    return WeightByDepth(points=points, stepped=weight.stepped)


def listed_weights(weight: DepthWeight) -> Iterator[str | float]:
    """Yield the weight, or each of the weights at listed depths."""
    if isinstance(weight, WeightByDepth):
        yield from (each for _, each in weight.points)
    else:
        yield weight


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberByDepth:
    """A whole number given at some depths; in between it is interpolated, outside them the nearest one holds.

    Attributes:
        points: (depth, number in the value grammar), sorted by depth.
        stepped: Whether the number stays constant until the next listed depth. Otherwise the number, or both
            ends of a range, are interpolated and rounded.
    """

    points: tuple[tuple[int, Value[int]], ...]
    stepped: bool = False

    def at(self, depth: int) -> Value[int]:
        """Return the number at a depth, in the value grammar, interpolated between the listed depths unless `stepped`."""
        here, there, share = points_around(self.points, depth, stepped=self.stepped)
        if share == 0:
            return here
        low, high = (floor(a + (b - a) * share + 0.5) for a, b in zip(_ends(here), _ends(there), strict=True))
        return Constant(low) if low == high else Between(low, high)

    def outcomes(self) -> Iterator[int]:
        """Yield the outcomes at every listed depth; of a range only its two ends."""
        for _, value in self.points:
            yield from value.outcomes()


DepthNumber = Value[int] | NumberByDepth
"""A whole number in the value grammar that may depend on the depth."""


def number_at(number: DepthNumber, depth: int) -> Value[int]:
    """Return a number, which may be given by depth, at one depth, in the value grammar."""
    return number.at(depth) if isinstance(number, NumberByDepth) else number


def _ends(value: Value[int]) -> tuple[int, int]:
    outcomes = list(value.outcomes())
    return outcomes[0], outcomes[-1]
