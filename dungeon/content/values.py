"""One grammar for every value that an author may leave to chance.

    3                           that number (or word)
    2..5                        a whole number from 2 to 5
    30%                         a share: 0.3
    [a, b]                      one of these, evenly
    {a: 3, b: 1}                one of these, three times as often a as b
    {value: x, chance: 30%}     x, but only in three of ten cases; otherwise as if it had not been written

They nest: `[1, 2..5]`, `{value: {a: 3, b: 1}, chance: 50%}`. The words `value` and `chance` can't be options.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Generic, TypeVar

from pydantic import PlainValidator, WithJsonSchema, WrapValidator

from dungeon.content.faults import NOT_ALLOWED, Fault, MisreadError, attempt, misread
from dungeon.content.names import read_word
from dungeon.content.reader import resolve

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dungeon.streams import Stream

T = TypeVar("T")

RANGE = re.compile(r"\s*(-?[0-9]{1,10})\s*\.\.\s*(-?[0-9]{1,10})\s*")
PERCENT = re.compile(r"\s*([0-9]{1,10}(?:\.[0-9]{1,10})?)\s*%\s*")

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
        atom: Reads a single thing, or raises MisreadError saying what would have been right.
        depth: How many values this one lies within.

    Raises:
        MisreadError: It is not in the grammar; every reason is listed.
    """
    if depth > MAX_DEPTH:
        raise misread(f"values nest more than {MAX_DEPTH} deep here")
    if isinstance(raw, list):
        return _read_list(raw, atom, depth)
    if isinstance(raw, dict):
        if "value" in raw or "chance" in raw:
            return _read_sometimes(raw, atom, depth)
        return _read_weighted(raw, atom, depth)
    if isinstance(raw, str) and (match := RANGE.fullmatch(raw)):
        low, high = atom(int(match[1])), atom(int(match[2]))
        if not (isinstance(low, int) and isinstance(high, int)):
            raise misread("a range of numbers is not possible here", raw)
        if low > high:
            raise misread("this range ends below its start", raw)
        return Between(low, high)
    return Constant(atom(raw))


def _read_list(raw: list[object], atom: Callable[[object], T], depth: int) -> Value[Any]:
    faults: list[Fault] = []
    options = []
    for number, each in enumerate(raw):
        option = attempt(faults, lambda part: read_value(part, atom, depth + 1), each, number)
        if option is not None:
            options.append((option, 1.0))
    if not raw:
        raise misread("an empty list leaves nothing to choose from")
    if faults:
        raise MisreadError(faults)
    return Choice(tuple(options))


def _read_weighted(raw: dict[str, object], atom: Callable[[object], T], depth: int) -> Value[Any]:
    faults: list[Fault] = []
    options = []
    for key, each in raw.items():
        option = attempt(faults, lambda part: read_value(part, atom, depth + 1), key, key, key=True)
        weight = attempt(faults, _weight, each, key)
        if option is not None and weight is not None:
            options.append((option, weight))
    if not raw:
        raise misread("an empty mapping leaves nothing to choose from")
    if faults:
        raise MisreadError(faults)
    if not any(weight for _, weight in options):
        raise misread("one weight at least must be above zero", raw)
    return Choice(tuple(options))


def _read_sometimes(raw: dict[str, object], atom: Callable[[object], T], depth: int) -> Value[Any]:
    if set(raw) != {"value", "chance"}:
        raise misread("a value that applies only sometimes is written {value: ..., chance: 30%}", raw)
    faults: list[Fault] = []
    value = attempt(faults, lambda part: read_value(part, atom, depth + 1), raw["value"], "value")
    chance = attempt(faults, read_chance, raw["chance"], "chance")
    if value is None or chance is None:
        raise MisreadError(faults)
    return Sometimes(value, chance)


def read_chance(raw: object) -> float:
    """Read a share from 0% to 100%."""
    number = read_percent(raw)
    if isinstance(number, bool) or not isinstance(number, int | float) or not 0 <= number <= 1:
        raise misread("a share from 0% to 100% is needed here", raw)
    return float(number)


def _weight(raw: object) -> float:
    if isinstance(raw, bool) or not isinstance(raw, int | float) or not 0 <= raw <= LARGEST:
        raise misread("a weight, a number from 0 up, is needed here", raw)
    return float(raw)


def read_int(raw: object) -> int:
    """Read a whole number; the keys of a mapping come as text."""
    number = resolve(raw) if isinstance(raw, str) else raw
    if isinstance(number, bool) or not isinstance(number, int) or abs(number) > LARGEST:
        raise misread("a whole number, or a range such as 2..5, is needed here", raw)
    return number


def read_number(raw: object) -> float:
    """Read a number or a share; the keys of a mapping come as text."""
    number = read_percent(raw)
    number = resolve(number) if isinstance(number, str) else number
    if isinstance(number, bool) or not isinstance(number, int | float) or not abs(number) <= LARGEST:
        raise misread("a number is needed here", raw)
    return number


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


def each_outcome(check: Callable[[T], Fault | None]) -> WrapValidator:
    """Return the annotation that has every outcome of a value checked."""

    def check_all(raw: object, read: Callable[[object], Value[T]]) -> Value[T]:
        value = read(raw)
        faults = []
        for leaf, path, key in leaves(value, raw):
            for outcome in leaf.outcomes():
                if fault := check(outcome):
                    faults.append(fault.inside(*path, key=key))
                    break
        if faults:
            raise MisreadError(faults)
        return value

    return WrapValidator(check_all)


def within(low: float, high: float) -> WrapValidator:
    """Return the annotation that keeps every outcome of a value from `low` to `high`."""

    def check(outcome: float) -> Fault | None:
        if low <= outcome <= high:
            return None
        return Fault(message=f"this must lie between {low} and {high}", value=outcome)

    return each_outcome(check)


def one_of(*words: str) -> WrapValidator:
    """Return the annotation that keeps every outcome of a value among these words."""

    def check(outcome: str) -> Fault | None:
        if outcome in words:
            return None
        return Fault(message=NOT_ALLOWED, value=outcome, allowed=words)

    return each_outcome(check)


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
    PlainValidator(read_chance),
    WithJsonSchema({"type": ["number", "string"], "description": "a share: 30% or 0.3"}),
]
"""A share from 0% to 100%."""


def roll(value: Value[T], stream: Stream, otherwise: T) -> T:
    """Roll a value; `otherwise` is what holds where the value does not apply this time."""
    rolled = value.roll(stream)
    return otherwise if rolled is None else rolled
