"""One grammar for every value that an author may leave to chance.

    3                           that number (or word)
    2..5                        a whole number from 2 to 5
    30%                         a share: 0.3
    [a, b]                      one of these, evenly
    {a: 3, b: 1}                one of these, three times as often a as b
    {value: x, chance: 30%}     x, but only in three of ten cases; otherwise as if it had not been written

They nest: `[1, 2..5]`, `{value: {a: 3, b: 1}, chance: 50%}`.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Generic, TypeVar

from pydantic import AfterValidator, BeforeValidator, PlainValidator, WithJsonSchema

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dungeon.streams import Stream

T = TypeVar("T")
Number = TypeVar("Number", int, float)

RANGE = re.compile(r"\s*(-?\d+)\s*\.\.\s*(-?\d+)\s*")
PERCENT = re.compile(r"\s*(\d+(?:\.\d+)?)\s*%\s*")

INTEGER = re.compile(r"-?\d{1,10}")

MAX_DEPTH = 8
"""How deep values may nest; deeper ones are a mistake, not a design."""

LARGEST = 1_000_000_000
"""The largest number that content may state."""


class Value(ABC, Generic[T]):
    """A value in the grammar: one of the four classes below."""

    __slots__ = ()

    @abstractmethod
    def roll(self, stream: Stream) -> T | None:
        """Draw it, or return None where it does not apply this time."""

    @abstractmethod
    def outcomes(self) -> Iterator[T]:
        """Yield everything that a roll may give (for a range, its two ends)."""


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


@dataclass(frozen=True, slots=True)
class Choice(Value[T]):
    """One of several values, each with a weight."""

    options: tuple[tuple[Value[T], float], ...]

    def roll(self, stream: Stream) -> T | None:
        """Draw an option, then roll it."""
        return stream.weighted(self.options).roll(stream)

    def outcomes(self) -> Iterator[T]:
        """Yield what every option that can be drawn may give."""
        for option, weight in self.options:
            if weight > 0:
                yield from option.outcomes()


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


def read_percent(raw: object) -> object:
    """Read ``30%`` as 0.3 and leave anything else to whoever validates it."""
    if isinstance(raw, str) and (match := PERCENT.fullmatch(raw)):
        return float(match[1]) / 100
    return raw


def read_value(raw: object, atom: Callable[[object], T], depth: int = 0) -> Value[Any]:
    """Read a value in the grammar above.

    Args:
        raw: What the YAML file says.
        atom: Reads a single thing, or raises ValueError saying what would have been right.
        depth: How many values this one lies within.

    Raises:
        ValueError: It is not in the grammar.
    """
    if depth > MAX_DEPTH:
        raise ValueError(f"values nest more than {MAX_DEPTH} deep here")
    if isinstance(raw, list):
        if not raw:
            raise ValueError("an empty list leaves nothing to choose from")
        return Choice(tuple((read_value(each, atom, depth + 1), 1.0) for each in raw))
    if isinstance(raw, dict):
        if not raw:
            raise ValueError("an empty mapping leaves nothing to choose from")
        if "value" in raw or "chance" in raw:
            return _read_sometimes(raw, atom, depth)
        return Choice(
            tuple((read_value(each, atom, depth + 1), _weight(weight)) for each, weight in raw.items())
        )
    if isinstance(raw, str) and (match := RANGE.fullmatch(raw)):
        low, high = atom(int(match[1])), atom(int(match[2]))
        if not (isinstance(low, int) and isinstance(high, int)):
            raise ValueError(f"a range of numbers is not possible here: {raw}")
        if low > high:
            raise ValueError(f"the range {raw} ends below its start")
        return Between(low, high)
    return Constant(atom(read_percent(raw)))


def _read_sometimes(raw: dict[object, object], atom: Callable[[object], T], depth: int) -> Value[Any]:
    if set(raw) != {"value", "chance"}:
        raise ValueError("a value that applies only sometimes is written {value: ..., chance: 30%}")
    return Sometimes(read_value(raw["value"], atom, depth + 1), _probability(read_percent(raw["chance"])))


def _probability(raw: object) -> float:
    if isinstance(raw, bool) or not isinstance(raw, int | float) or not 0 <= raw <= 1:
        raise ValueError(f"a chance is a share from 0% to 100%, not {raw}")
    return float(raw)


def _weight(raw: object) -> float:
    if isinstance(raw, bool) or not isinstance(raw, int | float) or not 0 <= raw <= LARGEST:
        raise ValueError(f"a weight is a number from 0 up, not {raw}")
    return float(raw)


def read_int(raw: object) -> int:
    """Read a whole number; the keys of a mapping come as text."""
    if isinstance(raw, str) and INTEGER.fullmatch(raw):
        raw = int(raw)
    if isinstance(raw, bool) or not isinstance(raw, int) or abs(raw) > LARGEST:
        raise ValueError(f"a whole number or a range such as 2..5 is needed, not {raw!r}")
    return raw


def read_number(raw: object) -> float:
    """Read a number, whole or not."""
    if isinstance(raw, bool) or not isinstance(raw, int | float) or not abs(raw) <= LARGEST:
        raise ValueError(f"a number is needed, not {raw!r}")
    return raw


def read_word(raw: object) -> str:
    """Read a word, such as a tag."""
    if not isinstance(raw, str) or not raw:
        raise ValueError(f"a name is needed, not {raw!r}")
    return raw


def within(low: float, high: float) -> AfterValidator:
    """Return the annotation that keeps every outcome of a value from `low` to `high`."""

    def check(value: Value[float]) -> Value[float]:
        for outcome in value.outcomes():
            if not low <= outcome <= high:
                raise ValueError(f"{outcome} is not between {low} and {high}")
        return value

    return AfterValidator(check)


def one_of(*words: str) -> AfterValidator:
    """Return the annotation that keeps every outcome of a value among these words."""

    def check(value: Value[str]) -> Value[str]:
        for outcome in value.outcomes():
            if outcome not in words:
                raise ValueError(f"{outcome} is not one of {', '.join(words)}")
        return value

    return AfterValidator(check)


def _as_schema(atom: dict[str, object], *, ranges: bool) -> dict[str, object]:
    """Return the JSON Schema of a value whose atoms have that schema."""
    forms: list[dict[str, object]] = [
        atom,
        {"type": "array", "minItems": 1, "description": "one of these, evenly"},
        {"type": "object", "minProperties": 1, "description": "weights, or {value: ..., chance: 30%}"},
    ]
    if ranges:
        forms.insert(1, {"type": "string", "pattern": r"^\s*-?\d+\s*\.\.\s*-?\d+\s*$"})
    return {"anyOf": forms}


def _reader(atom: Callable[[object], T]) -> Callable[[object], Value[Any]]:
    def read(raw: object) -> Value[Any]:
        # A default, or a model built in Python, brings a value that has been read already.
        if isinstance(raw, Value):
            return raw
        return read_value(raw, atom)

    return read


IntValue = Annotated[
    Value[int],
    PlainValidator(_reader(read_int)),
    WithJsonSchema(_as_schema({"type": "integer"}, ranges=True)),
]
"""A whole number in the value grammar."""

NumberValue = Annotated[
    Value[float],
    PlainValidator(_reader(read_number)),
    WithJsonSchema(_as_schema({"type": ["number", "string"]}, ranges=True)),
]
"""A number or share in the value grammar."""

WordValue = Annotated[
    Value[str],
    PlainValidator(_reader(read_word)),
    WithJsonSchema(_as_schema({"type": "string"}, ranges=False)),
]
"""A name in the value grammar."""

Probability = Annotated[
    float,
    BeforeValidator(lambda raw: _probability(read_percent(raw))),
    WithJsonSchema({"type": ["number", "string"], "description": "a share: 30% or 0.3"}),
]
"""A share from 0% to 100%."""


def roll(value: Value[T], stream: Stream, otherwise: T) -> T:
    """Roll a value; `otherwise` is what holds where the value does not apply this time."""
    rolled = value.roll(stream)
    return otherwise if rolled is None else rolled
