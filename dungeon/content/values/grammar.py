"""The value grammar, by which authors leave a value to chance: `2..5`, `[a, b]`. What a roll of a value gives is an *outcome*.

A value that *does not apply* this time has no outcome, as if the author had not written its key. The grammar is the same for
every key of YAML:

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
    """Base class of the values in the grammar: `Constant`, `Between`, `Choice` and `Sometimes`."""

    __slots__ = ()

    def roll(self, stream: Stream) -> T | None:
        """Draw an outcome, or return None if the value does not apply this time."""
        raise NotImplementedError

    def outcomes(self) -> Iterator[T]:
        """Yield every possible outcome; of a range only its two ends."""
        raise NotImplementedError

    @property
    def applies(self) -> bool:
        """Whether every roll of the value gives an outcome, never None."""
        return True

    def odds(self) -> dict[T | None, float]:
        """Return outcome -> probability; the key None stands for "does not apply"."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Constant(Value[T]):
    """A value that is always the same."""

    value: T

    def roll(self, stream: Stream) -> T | None:  # noqa: ARG002
        """Return the constant; nothing is drawn from the stream."""
        return self.value

    def outcomes(self) -> Iterator[T]:
        """Yield the constant."""
        yield self.value

    def odds(self) -> dict[T | None, float]:
        """Return `{value: 1.0}`."""
        return {self.value: 1.0}


@dataclass(frozen=True, slots=True)
class Between(Value[int]):
    """A whole number from `low` to `high`, both included, each equally likely."""

    low: int
    high: int

    def roll(self, stream: Stream) -> int | None:
        """Draw a number of the range."""
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
    """One of several values, the options, each with a weight: `[a, 2..5]` or `{a: 3, b: 1}`.

    Attributes:
        options: (option, weight), in the order in which the author wrote them.
    """

    options: tuple[tuple[Value[T], float], ...]

    __reduce__ = by_fields

    def roll(self, stream: Stream) -> T | None:
        """Draw an option by its weight, then roll the option."""
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
        """Return outcome -> probability, summed over the options that have the outcome; None stands for "does not apply"."""
        total = math.fsum(weight for _, weight in self.options)
        return _mixed((option.odds(), weight / total) for option, weight in self.options if weight > 0)


@dataclass(frozen=True, slots=True)
class Sometimes(Value[T]):
    """A value that applies only with a certain probability: `{value: x, chance: 30%}`.

    Attributes:
        value: What is rolled if it applies.
        chance: The probability that it applies, from 0 to 1.
    """

    value: Value[T]
    chance: float

    def roll(self, stream: Stream) -> T | None:
        """Return a roll of `value` with the probability `chance`, otherwise None."""
        return self.value.roll(stream) if stream.chance(self.chance) else None

    def outcomes(self) -> Iterator[T]:
        """Yield the outcomes of `value`; None is not among them."""
        yield from self.value.outcomes()

    @property
    def applies(self) -> bool:
        """Whether every roll gives an outcome: `chance` is 1, and `value` itself always applies."""
        return self.chance >= 1 and self.value.applies

    def odds(self) -> dict[T | None, float]:
        """Return outcome -> probability, with None for "does not apply"."""
        return _mixed([(self.value.odds(), self.chance), ({None: 1.0}, 1 - self.chance)])


Order = tuple[int, float, str]
"""Sort key of values and outcomes: numbers first, then words, ranges, choices and `Sometimes`."""


def order_of(what: object) -> Order:
    """Return the sort key of a value or an outcome.

    The options of a choice are sorted by this key before one is drawn, so the order in which an author lists them
    changes nothing.
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
    """Return outcome -> probability if first one of several parts is drawn, then an outcome by the odds of that part.

    Args:
        parts: (outcome -> probability, probability that this part is chosen), for each part.
    """
    result: dict[T | None, float] = {}
    for odds, share in parts:
        for outcome, likely in odds.items():
            result[outcome] = result.get(outcome, 0.0) + likely * share
    return result


def leaves(
    value: Value[T], raw: object, path: tuple[str | int, ...] = ()
) -> Iterator[tuple[Value[T], tuple[str | int, ...], bool]]:
    """Yield each constant and range in a value as (leaf, path, is_key).

    The path is the keys and list indices at which the author wrote the leaf. `is_key` tells whether the leaf is the last of
    these keys itself, as `a` is in `{a: 3, b: 1}`.

    Args:
        value: The value.
        raw: The value as written.
        path: The path that leads to `raw`; put before the path of each leaf.
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
"""A true-or-false value that is always false."""


def mapped(value: Value[T], change: Callable[[Any], U]) -> Value[U]:
    """Return a value like this one with `change` applied to each outcome; the probabilities stay the same.

    A range (`2..5`) becomes a choice among all its numbers.
    """
    match value:
        case Constant():
            return Constant(change(value.value))
        case Choice():
            return Choice(tuple((mapped(option, change), weight) for option, weight in value.options))
        case Sometimes():
            return Sometimes(mapped(value.value, change), value.chance)
        case Between():
            return Choice(tuple((Constant(change(each)), 1.0) for each in range(value.low, value.high + 1)))
    raise TypeError(value)


def roll(value: Value[T], stream: Stream, otherwise: T) -> T:
    """Return a roll of the value, or `otherwise` if it does not apply this time.

    Example:
        >>> from dungeon.extend import Between, Stream, roll
        >>> roll(Between(3, 8), Stream(seed=1), otherwise=5) in range(3, 9)
        True
    """
    rolled = value.roll(stream)
    return otherwise if rolled is None else rolled


ALWAYS = 1 - 1e-12
"""Shares from here on are shown as 100%: a sum of probabilities may miss 1 by a rounding error."""


def percent(share: float) -> str:
    """Return a share (0 to 1) in percent, with three significant digits: 1/3 -> "33.3%", 0.0004 -> "0.04%"."""
    return f"{share * 100:.3g}%" if share < ALWAYS else "100%"


def in_words(value: Value[Any], otherwise: str = "nothing") -> str:
    """Return the possible outcomes of a value in words: "2 to 4", or "a (75%) or b (25%)" with the likeliest first.

    Args:
        value: The value.
        otherwise: What to call the case in which the value does not apply.
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
    """Return an outcome as text for use in a sentence; a space is put in quotes."""
    return '" "' if each == " " else str(each)


def listed(words: Sequence[str], last: str = "and") -> str:
    """Join words for a sentence: ``a, b and c``.

    Args:
        words: The words; there may be none.
        last: What stands before the last of several words.
    """
    return f" {last} ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def points_around(points: Sequence[tuple[int, T]], depth: int, *, stepped: bool) -> tuple[T, T, float]:
    """Return (item before, item after, share): the items of the listed depths around `depth`, and how far between them it lies.

    Example: with points `[(1, "a"), (5, "b")]`, depth 2 gives ("a", "b", 0.25).

    Args:
        points: (depth, item), sorted by depth; not empty.
        depth: The depth. Above the first listed depth the first item counts, below the last one the last.
        stepped: Whether an item counts unchanged until the next listed depth; then `share` is 0.
    """
    after = bisect_right(points, depth, key=lambda point: point[0])
    low, here = points[max(after - 1, 0)]
    if stepped or after in (0, len(points)):
        return here, here, 0.0
    high, there = points[after]
    return here, there, (depth - low) / (high - low)


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightByDepth:
    """A weight given at some depths. Between two of them it is interpolated; beyond them the weight at the nearest one is used.

    Attributes:
        points: (depth, weight), sorted by depth.
        stepped: Whether the weight stays constant until the next listed depth, rather than being
            interpolated.
    """

    points: tuple[tuple[int, str | float], ...]
    stepped: bool = False

    def at(self, depth: int, words: Mapping[str, float]) -> float:
        """Return the weight at a depth as a number.

        Args:
            depth: The depth.
            words: Weight word, such as `rare` -> number.
        """
        here, there, share = points_around(self.points, depth, stepped=self.stepped)
        low = weight_of(here, words)
        return low + (weight_of(there, words) - low) * share


DepthWeight = str | float | WeightByDepth
"""A weight that may depend on the depth."""


def weight_of(weight: str | float, words: Mapping[str, float]) -> float:
    """Return a weight as a number; `words` is weight word (`rare`) -> number, and an unknown word counts as 0."""
    return words.get(weight, 0.0) if isinstance(weight, str) else weight


def weight_at(weight: DepthWeight, depth: int, words: Mapping[str, float]) -> float:
    """Return a weight, which may be given by depth, as a number at one depth; `words` is weight word (`rare`) -> number."""
    return weight.at(depth, words) if isinstance(weight, WeightByDepth) else weight_of(weight, words)


def without_words(weight: DepthWeight, words: Mapping[str, float]) -> float | WeightByDepth:
    """Return the weight with every word replaced by its number; `words` is weight word (`rare`) -> number."""
    if not isinstance(weight, WeightByDepth):
        return weight_of(weight, words)
    points = tuple((depth, weight_of(each, words)) for depth, each in weight.points)
    return WeightByDepth(points=points, stepped=weight.stepped)


def listed_weights(weight: DepthWeight) -> Iterator[str | float]:
    """Yield the weight itself or, if it is given by depth, the weight at each listed depth."""
    if isinstance(weight, WeightByDepth):
        yield from (each for _, each in weight.points)
    else:
        yield weight


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberByDepth:
    """A whole number given at some depths. Between two of them it is interpolated; beyond them that at the nearest one is used.

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
