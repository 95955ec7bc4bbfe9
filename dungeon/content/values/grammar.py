"""One grammar for every value that an author may leave to chance.

    3                           that number (or word)
    2..5                        a whole number from 2 to 5
    30%                         a share: 0.3
    [a, b]                      one of these, evenly
    {a: 3, b: 1}                one of these, three times as often a as b
    {value: x, chance: 30%}     x, but only in three of ten cases; otherwise as if it had not been written

In what order options are written makes no difference: chance goes through them in an order of its own (see `order_of`).
They nest: `[1, 2..5]`, `{value: {a: 3, b: 1}, chance: 50%}`. The words `value` and `chance` can't be options.
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
    """A value in the grammar: one of the four classes below."""

    __slots__ = ()

    def roll(self, stream: Stream) -> T | None:
        """Draw it, or return None where it does not apply this time."""
        raise NotImplementedError

    def outcomes(self) -> Iterator[T]:
        """Yield everything that a roll may give (for a range, its two ends)."""
        raise NotImplementedError

    @property
    def applies(self) -> bool:
        """Whether it applies every time."""
        return True

    def odds(self) -> dict[T | None, float]:
        """Return how likely each outcome is; None stands for the value not applying."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Constant(Value[T]):
    """Always the same."""

    value: T

    def roll(self, stream: Stream) -> T | None:  # noqa: ARG002
        """Return it, without drawing."""
        return self.value

    def outcomes(self) -> Iterator[T]:
        """Yield everything that a roll may give (for a range, its two ends)."""
        yield self.value

    def odds(self) -> dict[T | None, float]:
        """Return how likely each outcome is."""
        return {self.value: 1.0}


@dataclass(frozen=True, slots=True)
class Between(Value[int]):
    """A whole number from `low` to `high`, both included."""

    low: int
    high: int

    def roll(self, stream: Stream) -> int | None:
        """Draw one."""
        return stream.between(self.low, self.high)

    def outcomes(self) -> Iterator[int]:
        """Yield the two ends."""
        yield self.low
        yield self.high

    def odds(self) -> dict[int | None, float]:
        """Return how likely each whole number is."""
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
        """Yield what every option that can be drawn may give."""
        for option, weight in self.options:
            if weight > 0:
                yield from option.outcomes()

    @property
    def applies(self) -> bool:
        """Whether every option that can be drawn applies every time."""
        return all(option.applies for option, weight in self.options if weight > 0)

    def odds(self) -> dict[T | None, float]:
        """Return how likely each outcome is: what several options may give is likelier."""
        total = math.fsum(weight for _, weight in self.options)
        return _mixed((option.odds(), weight / total) for option, weight in self.options if weight > 0)


@dataclass(frozen=True, slots=True)
class Sometimes(Value[T]):
    """A value that applies only with a certain probability."""

    value: Value[T]
    chance: float

    def roll(self, stream: Stream) -> T | None:
        """Roll the value, or return None where it does not apply this time."""
        return self.value.roll(stream) if stream.chance(self.chance) else None

    def outcomes(self) -> Iterator[T]:
        """Yield what the value may give."""
        yield from self.value.outcomes()

    @property
    def applies(self) -> bool:
        """Whether it applies every time, which would be odd."""
        return self.chance >= 1 and self.value.applies

    def odds(self) -> dict[T | None, float]:
        """Return how likely each outcome is, and None, which it is otherwise."""
        return _mixed([(self.value.odds(), self.chance), ({None: 1.0}, 1 - self.chance)])


Order = tuple[int, float, str]
"""What values, or outcomes, are sorted by: numbers before words, words before ranges, those before what nests."""


def order_of(what: object) -> Order:
    """Return what a value, or an outcome, is to be sorted by before chance goes through several of them.

    It depends on what the value says, not on how its author has ordered that.
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
    """Return the odds where each of these odds holds with a certain probability."""
    result: dict[T | None, float] = {}
    for odds, share in parts:
        for outcome, likely in odds.items():
            result[outcome] = result.get(outcome, 0.0) + likely * share
    return result


def leaves(
    value: Value[T], raw: object, path: tuple[str | int, ...] = ()
) -> Iterator[tuple[Value[T], tuple[str | int, ...], bool]]:
    """Yield every constant and range in a value, its path in what was read, and whether it is a key there."""
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
"""A flag that is not set."""


def mapped(value: Value[T], change: Callable[[T], U]) -> Value[U]:
    """Return the value whose outcomes are `change` of its outcomes, and as likely; its ranges must not be changed."""
    match value:
        case Constant():
            return Constant(change(value.value))
        case Choice():
            return Choice(tuple((mapped(option, change), weight) for option, weight in value.options))
        case Sometimes():
            return Sometimes(mapped(value.value, change), value.chance)
    raise TypeError(value)


def roll(value: Value[T], stream: Stream, otherwise: T) -> T:
    """Roll a value; `otherwise` is what holds where the value does not apply this time."""
    rolled = value.roll(stream)
    return otherwise if rolled is None else rolled


ALWAYS = 1 - 1e-12


def percent(share: float) -> str:
    """Return a share in percent, with no more digits than tell something.

    >>> percent(0.3), percent(1 / 3), percent(0.0004)
    ('30%', '33.3%', '0.04%')
    """
    return f"{share * 100:.3g}%" if share < ALWAYS else "100%"


def in_words(value: Value[Any], otherwise: str = "nothing") -> str:
    """Return what a value may be, and how likely, likeliest first.

    Args:
        value: The value.
        otherwise: What holds where it does not apply.

    >>> in_words(Between(2, 4))
    '2 to 4'
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
    """Return an outcome as a sentence shows it."""
    return '" "' if each == " " else str(each)


def listed(words: Sequence[str], last: str = "and") -> str:
    """Return ``a, b and c``."""
    return f" {last} ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def around(points: Sequence[tuple[int, T]], depth: int, *, stepped: bool) -> tuple[T, T, float]:
    """Return what is said at the nearest depths above and below one, and how far it lies on the way between them, 0 to 1.

    Args:
        points: What is said at some depths, by depth.
        depth: The depth; above the first of them, and below the last, holds what is said there.
        stepped: Whether what is said at a depth holds until the next one.
    """
    after = bisect_right(points, depth, key=lambda point: point[0])
    low, here = points[max(after - 1, 0)]
    if stepped or after in (0, len(points)):
        return here, here, 0.0
    high, there = points[after]
    return here, there, (depth - low) / (high - low)


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightByDepth:
    """A weight that is said at some depths: above the first of them and below the last it is what it is there.

    Attributes:
        points: (depth, weight), by depth.
        stepped: Whether it stays what it is until the next depth that is listed; else it goes there evenly.
    """

    points: tuple[tuple[int, str | float], ...]
    stepped: bool = False

    def at(self, depth: int, words: Mapping[str, float]) -> float:
        """Return how much it is at a depth, where words for weights are worth that much."""
        here, there, share = around(self.points, depth, stepped=self.stepped)
        low = weight_of(here, words)
        return low + (weight_of(there, words) - low) * share


DepthWeight = str | float | WeightByDepth
"""A weight that may depend on the depth."""


def weight_of(weight: str | float, words: Mapping[str, float]) -> float:
    """Return a weight as a number: a word is worth what they say, or nothing if it is none of them."""
    return words.get(weight, 0.0) if isinstance(weight, str) else weight


def weight_at(weight: DepthWeight, depth: int, words: Mapping[str, float]) -> float:
    """Return how much a weight is at a depth, where words for weights are worth that much."""
    return weight.at(depth, words) if isinstance(weight, WeightByDepth) else weight_of(weight, words)


def in_numbers(weight: DepthWeight, words: Mapping[str, float]) -> float | WeightByDepth:
    """Return the same weight without words, where these are worth that much."""
    if not isinstance(weight, WeightByDepth):
        return weight_of(weight, words)
    points = tuple((depth, weight_of(each, words)) for depth, each in weight.points)
    return WeightByDepth(points=points, stepped=weight.stepped)


def weights_in(weight: DepthWeight) -> Iterator[str | float]:
    """Yield every weight that is said, whatever the depth."""
    if isinstance(weight, WeightByDepth):
        yield from (each for _, each in weight.points)
    else:
        yield weight


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberByDepth:
    """A whole number that is said at some depths: above the first of them and below the last it is what it is there.

    Attributes:
        points: (depth, number), by depth.
        stepped: Whether it stays what it is until the next depth that is listed; else it, or both ends of its range, go there
            evenly.
    """

    points: tuple[tuple[int, Value[int]], ...]
    stepped: bool = False

    def at(self, depth: int) -> Value[int]:
        """Return what it is at a depth."""
        here, there, share = around(self.points, depth, stepped=self.stepped)
        if share == 0:
            return here
        low, high = (floor(a + (b - a) * share + 0.5) for a, b in zip(_ends(here), _ends(there), strict=True))
        return Constant(low) if low == high else Between(low, high)

    def outcomes(self) -> Iterator[int]:
        """Yield everything that it may be at the depths that are listed (of a range, its two ends)."""
        for _, value in self.points:
            yield from value.outcomes()


DepthNumber = Value[int] | NumberByDepth
"""A whole number in the value grammar that may depend on the depth."""


def number_at(number: DepthNumber, depth: int) -> Value[int]:
    """Return what a number is at a depth."""
    return number.at(depth) if isinstance(number, NumberByDepth) else number


def _ends(value: Value[int]) -> tuple[int, int]:
    outcomes = list(value.outcomes())
    return outcomes[0], outcomes[-1]
