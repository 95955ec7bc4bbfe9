"""Fields in the value grammar (`3`, `2..5`, `[a, b]`, `{a: 3, b: 1}`): how values are read, checked, and described in JSON Schema.

A value has *outcomes*, of which one is drawn at each use. Its *leaves* are the constants and ranges in it. An *atom* is a function
that reads, or a JSON Schema that describes, a single outcome.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from sys import float_info
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from pydantic import AfterValidator, Field, PlainValidator, ValidationInfo, WithJsonSchema, WrapValidator

from dungeon.content.source.names import MAX_LISTED, RESERVED_FOR_OPTIONS, Names, NewName, read_word
from dungeon.content.source.problems import (
    NOT_ALLOWED,
    UNKNOWN_KEY,
    MisreadError,
    ValueProblem,
    attempt,
    misread,
    raise_any,
)
from dungeon.content.source.reader import FLOAT, FRACTION, INT, POWER, as_number, resolve
from dungeon.content.values.grammar import Between, Choice, Constant, Sometimes, Value, leaves
from dungeon.core.errors import nearest_match
from dungeon.core.frozen import NOTHING

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Mapping

    from pydantic import GetJsonSchemaHandler
    from pydantic_core import CoreSchema

    Forms = Mapping[str, Callable[[object], Value[Any]]]

N = TypeVar("N", int, float)
T = TypeVar("T")

RANGE = re.compile(r"\s*(-?[0-9]{1,10})\s*\.\.\s*(-?[0-9]{1,10})\s*")

LIKE_RANGE = re.compile(r"(?=.*[0-9])[-+0-9.%\s]*\.\.[-+0-9.%\s]*")
"""Text that looks like a range but is not a valid one: ``0.5..1.5``, ``20%..40%``, ``2..``."""

PERCENT = re.compile(rf"\s*(\+?(?:\.{FRACTION}|[0-9]{{1,10}}(?:\.(?:{FRACTION})?)?))\s*%\s*")

SHARE_TEXT = r"\s*\+?0*(100(\.0*)?|[0-9]{1,2}(\.[0-9]*)?|\.[0-9]+)\s*%\s*"
"""Pattern of a share from 0% to 100% for JSON Schema, whose patterns can't compare numbers."""

SHARE_SCHEMA = {
    "anyOf": [
        {"type": "number", "minimum": 0, "maximum": 1},
        {"type": "string", "pattern": f"^{SHARE_TEXT}$", "description": "a share, such as 30%"},
    ]
}

VALUE = "a value of"
"""Key in the JSON Schema of a field in the value grammar: the schema of a single outcome.

`authoring.schema` replaces it by the schema of the whole grammar (`value_schema`).
"""

MAX_DEPTH = 8
"""Maximum nesting of values; deeper nesting is surely a mistake."""

FINITE = float_info.max
LARGEST = 1_000_000_000
"""The largest number allowed in content."""


def read_percent(raw: object) -> object:
    """Return a text such as ``30%`` as a number, 0.3; return anything else unchanged."""
    if isinstance(raw, str) and (match := PERCENT.fullmatch(raw)):
        return float(match[1]) / 100
    return raw


def read_value(
    raw: object, atom: Callable[[object], T], depth: int = 0, forms: Forms = NOTHING
) -> Value[Any]:
    """Read a value in the grammar.

    Args:
        raw: The value as written.
        atom: Reads a single outcome; raises a MisreadError that says what would be right.
        depth: How many lists and mappings the value is nested in.
        forms: Key -> reader of what stands after it, for mappings of one key that are values of their own: `{depth: 7}`.

    Raises:
        MisreadError: `raw` is not in the grammar; every reason is listed.
    """
    if depth > MAX_DEPTH:
        raise misread(f"values are nested more than {MAX_DEPTH} deep here")
    if isinstance(raw, list):
        return _read_list(raw, atom, depth, forms)
    if isinstance(raw, dict):
        if "value" in raw or "chance" in raw:
            return read_sometimes(raw, lambda part: read_value(part, atom, depth + 1, forms))
        if forms and any(key in forms or nearest_match(key, forms) for key in raw):
            return _read_form(raw, forms)
        return _read_weighted(raw, atom, depth)
    if isinstance(raw, str) and (match := RANGE.fullmatch(raw)):
        low, high = atom(int(match[1])), atom(int(match[2]))
        if not (isinstance(low, int) and isinstance(high, int)):
            raise misread("a range of numbers is not possible here", raw)
        if low > high:
            raise misread("the end of this range is below its start", raw)
        return Between(low, high)
    return Constant(atom(raw))


def _read_form(raw: dict[str, object], forms: Forms) -> Value[Any]:
    """Read a mapping of one key that is a value of its own, such as `{depth: 7}`; `forms` as in `read_value`."""
    problems: list[ValueProblem] = []
    found = None
    for number, (key, each) in enumerate(raw.items()):
        if key not in forms:
            problems.append(
                ValueProblem(message=UNKNOWN_KEY, path=(key,), value=key, allowed=forms, key=True)
            )
        elif number:
            problems.append(
                ValueProblem(
                    message="only one of these keys can stand here", path=(key,), value=key, key=True
                )
            )
        else:
            found = attempt(problems, forms[key], each, key)
    if found is None or problems:
        raise MisreadError(problems)
    return found


def _read_list(raw: list[object], atom: Callable[[object], T], depth: int, forms: Forms) -> Value[Any]:
    """Read a list of options as a choice between them, each equally likely; the arguments are those of `read_value`."""
    problems: list[ValueProblem] = []
    options = []
    for number, each in enumerate(raw):
        option = attempt(problems, lambda part: read_value(part, atom, depth + 1, forms), each, number)
        if option is not None:
            options.append((option, 1.0))
    if not raw:
        raise misread("a list must not be empty here: nothing could be chosen from it")
    raise_any(problems)
    return Choice(tuple(options))


def _read_weighted(raw: dict[str, object], atom: Callable[[object], T], depth: int) -> Value[Any]:
    """Read a mapping option -> weight as a choice; the arguments are those of `read_value`."""
    problems: list[ValueProblem] = []
    options = []
    for key, each in raw.items():
        option = attempt(problems, lambda part: read_value(part, atom, depth + 1), key, key, key=True)
        weight = attempt(problems, read_plain_weight, each, key)
        if option is not None and weight is not None:
            options.append((option, weight))
    if not raw:
        raise misread("a mapping must not be empty here: nothing could be chosen from it")
    raise_any(problems)
    if not any(weight for _, weight in options):
        raise misread("at least one weight must be above zero", raw)
    return Choice(tuple(options))


def read_sometimes(raw: dict[str, object], read: Callable[[object], Value[T]]) -> Sometimes[T]:
    """Read ``{value: x, chance: 30%}``; `read` reads what stands after `value`.

    Raises:
        MisreadError: `raw` is not written like this, or the value or the chance is wrong.
    """
    if set(raw) != {"value", "chance"}:
        raise misread("a value that applies only sometimes is written {value: ..., chance: 30%}", raw)
    problems: list[ValueProblem] = []
    value = attempt(problems, read, raw["value"], "value")
    chance = attempt(problems, read_chance, raw["chance"], "chance")
    if value is None or chance is None:
        raise MisreadError(problems)
    return Sometimes(value, chance)


def number_in(raw: object, low: float, high: float, needed: str, *, share: bool = False) -> float:
    """Read a number from `low` to `high`. Text is converted, since keys of a mapping are text.

    Args:
        raw: The number as written.
        low: The smallest number allowed.
        high: The largest number allowed.
        needed: The message of the error: what number is needed.
        share: Whether ``30%`` is read as 0.3.

    Raises:
        MisreadError: `raw` is not such a number.
    """
    number = as_number(read_percent(raw) if share else raw)
    if isinstance(number, bool) or not isinstance(number, int | float) or not low <= number <= high:
        raise misread(needed, raw)
    return number


def int_in(raw: object, low: float, high: float, needed: str) -> int:
    """Read a whole number from `low` to `high`; `needed` is the message of the error if `raw` is not one."""
    number = number_in(raw, low, high, needed)
    if not isinstance(number, int):
        raise misread(needed, raw)
    return number


def read_chance(raw: object) -> float:
    """Read a share from 0% to 100%, as a number from 0 to 1."""
    return float(number_in(raw, 0, 1, "a share from 0% to 100% is needed here", share=True))


def read_plain_weight(raw: object) -> float:
    """Read a weight that is a number, not a word: a number from 0 up."""
    needed = "a weight, a number from 0 up, is needed here"
    return float(_small_enough(number_in(raw, 0, math.inf, needed), raw))


def read_int(raw: object) -> int:
    """Read a whole number."""
    needed = "a whole number, or a range such as 2..5, is needed here"
    return _small_enough(int_in(raw, -math.inf, math.inf, needed), raw)


def read_number(raw: object) -> float:
    """Read a number or a share."""
    return _small_enough(number_in(raw, -FINITE, FINITE, "a number is needed here", share=True), raw)


def _small_enough(number: N, raw: object) -> N:
    """Return the number; raise a MisreadError if its absolute value is above `LARGEST`."""
    if abs(number) > LARGEST:
        raise misread(f"no number can be larger than {LARGEST:,} here", raw)
    return number


def read_free(raw: object) -> object:
    """Read a word, number, share or boolean that only the game interprets.

    Text that looks like a number becomes one.
    """
    value = as_number(read_percent(raw))
    if value is None or isinstance(value, dict | list):
        raise misread("a word, a number or a share is needed here", raw)
    if isinstance(value, str) and LIKE_RANGE.fullmatch(value):
        raise misread("a range runs from one whole number to another, as in 2..5", raw)
    return value


def read_flag_value(raw: object) -> bool:
    """Read true or false; the texts "true" and "false" count too, since keys of a mapping are text."""
    value = resolve(raw) if isinstance(raw, str) else raw
    if not isinstance(value, bool):
        raise misread("true or false is needed here", raw, allowed=("true", "false"))
    return value


def read_names(what: str, raw: object, info: ValidationInfo, *, besides: Container[str] = ()) -> Value[str]:
    """Read names of existing entries, in the value grammar.

    Args:
        what: The kind of names, such as "terrain".
        raw: The value as written.
        info: The context of validation; names are checked only if it holds `Names`.
        besides: Words that are allowed although no entry has that name.

    Raises:
        MisreadError: `raw` is not in the grammar, or an entry does not exist.
    """
    if isinstance(raw, Value):
        return raw
    names: Value[str] = read_value(raw, read_word)
    known = info.context
    if not isinstance(known, Names):
        return names
    return with_leaves_checked(
        names,
        raw,
        lambda leaf: None if (name := next(leaf.outcomes())) in besides else known.problem(what, name),
    )


def names_of(what: str, *, besides: Container[str] = ()) -> tuple[PlainValidator, WithJsonSchema]:
    """Return the pydantic annotations of a field that holds names of existing entries in the value grammar.

    Args:
        what: The kind of names, such as "terrain".
        besides: Words that are allowed although no entry has that name.
    """

    def read(raw: object, info: ValidationInfo) -> Value[str]:
        return read_names(what, raw, info, besides=besides)

    return PlainValidator(read), WithJsonSchema({VALUE: {"type": "string"}})


def with_leaves_checked(
    value: Value[T], raw: object, check: Callable[[Value[T]], ValueProblem | None]
) -> Value[T]:
    """Return `value` if `check` finds no problem in any of its leaves, the constants and ranges in it.

    Args:
        value: The value.
        raw: The value as written.
        check: Returns the problem with a leaf; None if there is none.

    Raises:
        MisreadError: `check` returned problems. Each gets the path at which the author wrote its leaf.
    """
    problems = [
        problem.inside(*path, key=key) for leaf, path, key in leaves(value, raw) if (problem := check(leaf))
    ]
    raise_any(problems)
    return value


def with_outcomes_checked(
    value: Value[T], raw: object, check: Callable[[T], ValueProblem | None]
) -> Value[T]:
    """Return `value` if `check` finds no problem with any outcome; of a range only the two ends are checked.

    Args:
        value: The value.
        raw: The value as written.
        check: Returns the problem with an outcome; None if there is none.

    Raises:
        MisreadError: `check` returned problems; for each constant or range only the first is listed.
    """
    return with_leaves_checked(value, raw, lambda leaf: next(filter(None, map(check, leaf.outcomes())), None))


@dataclass(frozen=True, slots=True)
class EachOutcome(WrapValidator):
    """The pydantic annotation of a field in the value grammar of which every outcome is checked.

    Attributes:
        atom: JSON Schema of a single outcome that says the same as the check.
    """

    atom: Mapping[str, object] = field(default_factory=dict, compare=False)

    def __get_pydantic_json_schema__(
        self, core: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, object]:
        schema = handler(core)
        return {**schema, VALUE: {**schema[VALUE], **self.atom}}


def each_outcome(check: Callable[[T], ValueProblem | None], **atom: object) -> EachOutcome:
    """Return the pydantic annotation that checks every outcome of a value in the grammar.

    Args:
        check: Returns the problem with an outcome; None if there is none.
        **atom: Keywords of JSON Schema that say the same about a single outcome: `minimum=1`.
    """

    def check_all(raw: object, read: Callable[[object], Value[T]]) -> Value[T]:
        return with_outcomes_checked(read(raw), raw, check)

    return EachOutcome(check_all, atom=atom)


def keeps_within(low: float, high: float) -> Callable[[float], ValueProblem | None]:
    """Return a function that checks whether an outcome lies from `low` to `high`, and returns the problem if not."""

    def check(outcome: float) -> ValueProblem | None:
        if low <= outcome <= high:
            return None
        return ValueProblem(message=f"this number must lie between {low} and {high}", value=outcome)

    return check


def within(low: float, high: float) -> EachOutcome:
    """Return the pydantic annotation that requires every outcome of a value to lie from `low` to `high`.

    Example:
        >>> from typing import Annotated
        >>> from dungeon.extend import Constant, IntValue, Parameters, within
        >>> class Params(Parameters):
        ...     '''
        ...     Attributes:
        ...         width: The width of the hall in cells.
        ...     '''
        ...     width: Annotated[IntValue, within(1, 5)] = Constant(1)
    """
    return each_outcome(keeps_within(low, high), minimum=low, maximum=high)


def one_of(*words: str) -> EachOutcome:
    """Return the pydantic annotation that requires every outcome of a value to be one of these words.

    Example:
        >>> from typing import Annotated
        >>> from dungeon.extend import Constant, Parameters, WordValue, one_of
        >>> class Params(Parameters):
        ...     '''
        ...     Attributes:
        ...         side: The side of the hall with rooms.
        ...     '''
        ...     side: Annotated[WordValue, one_of("north", "south", "both")] = Constant("both")
    """

    def check(outcome: str) -> ValueProblem | None:
        if outcome in words:
            return None
        return ValueProblem(message=NOT_ALLOWED, value=outcome, allowed=words)

    return each_outcome(check, enum=list(words))


def reader(atom: Callable[[object], T]) -> Callable[[object], Value[Any]]:
    """Return a function that reads a value in the grammar as a `Value`; `atom` reads a single outcome."""

    def read(raw: object) -> Value[Any]:
        # A default, or a model built in Python, may pass a `Value` that has been read already.
        if isinstance(raw, Value):
            return raw
        return read_value(raw, atom)

    return read


def in_grammar(atom: Callable[[object], T], **schema: object) -> tuple[PlainValidator, WithJsonSchema]:
    """Return the pydantic annotations of a field in the value grammar.

    Args:
        atom: Reads a single outcome.
        **schema: Keywords of JSON Schema that describe a single outcome: `type="integer"`.
    """
    return PlainValidator(reader(atom)), WithJsonSchema({VALUE: schema})


IntValue = Annotated[Value[int], *in_grammar(read_int, type="integer")]
"""A whole number in the value grammar."""

NumberValue = Annotated[Value[float], *in_grammar(read_number, type="number")]
"""A number or share in the value grammar."""

WordValue = Annotated[Value[str], *in_grammar(read_word, type="string")]
"""A name in the value grammar."""

FlagValue = Annotated[Value[bool], *in_grammar(read_flag_value, type="boolean")]
"""True or false in the value grammar."""

FreeValue = Annotated[Value[Any], *in_grammar(read_free, type=["number", "string", "boolean"])]
"""Any word, number or boolean that the game understands, in the value grammar."""

Rolled = Annotated[
    dict[NewName, FreeValue],
    Field(max_length=MAX_LISTED),
    AfterValidator(lambda rolled: dict(sorted(rolled.items()))),
]
"""Free keywords in the value grammar, sorted by name: they are rolled in that order."""

ShareValue = Annotated[Value[float], *in_grammar(read_chance, type="number", minimum=0, maximum=1)]
"""A share from 0% to 100% in the value grammar."""

Probability = Annotated[float, PlainValidator(read_chance), WithJsonSchema(SHARE_SCHEMA)]
"""A share from 0% to 100%."""


Schema = dict[str, Any]


def value_schema(atom: Schema, itself: str) -> Schema:
    """Return the JSON Schema of the whole value grammar.

    Args:
        atom: JSON Schema of a single outcome: a word, one of several words, a whole number, a number.
        itself: The reference (``#/$defs/...``) under which the returned schema will be stored, since values contain values.
    """
    text = _text_of(atom)
    if "enum" in atom:
        option: Schema = {"enum": atom["enum"]}
    elif atom.get("type") == "boolean":
        option = {"enum": ["true", "false"]}
    else:
        taken = [*RESERVED_FOR_OPTIONS, *atom.get("not", {}).get("enum", [])]
        option = {"pattern": text} if text else {**atom, "not": {"enum": taken}}
    forms: list[Schema] = [atom]
    if text:
        forms.append({"type": "string", "pattern": text, "description": "a range, such as 2..5"})
    return {
        "anyOf": [
            *forms,
            {
                "description": "one of these, evenly: [a, b]",
                "type": "array",
                "items": {"$ref": itself},
                "minItems": 1,
            },
            {
                "description": "one of these, each with its weight: {a: 3, b: 1}",
                "type": "object",
                "propertyNames": option,
                "additionalProperties": {"type": "number", "minimum": 0, "maximum": LARGEST},
                "minProperties": 1,
            },
            {
                "description": "only sometimes: {value: a, chance: 30%}",
                "type": "object",
                "properties": {"value": {"$ref": itself}, "chance": SHARE_SCHEMA},
                "required": ["value", "chance"],
                "additionalProperties": False,
            },
        ]
    }


def _text_of(atom: Schema) -> str | None:
    """Return the regular expression of numbers, ranges and shares written as text or as keys; None if outcomes are words.

    Args:
        atom: JSON Schema of a single outcome.
    """
    if atom.get("type") == "integer":
        return f"^({INT.pattern}|{RANGE.pattern})$"
    if atom.get("type") == "number":
        percent = SHARE_TEXT if atom.get("maximum", LARGEST) <= 1 else PERCENT.pattern
        return f"^({INT.pattern}|{FLOAT.pattern}|{POWER.pattern}|{RANGE.pattern}|{percent})$"
    return None


def spelled(value: object) -> object:
    """Return a `Value` or plain value as an author would write it in YAML, as plain data; None if it can't be written."""
    match value:
        case bool() | int() | float() | str():
            return value
        case Constant():
            return spelled(value.value)
        case Between():
            return f"{value.low}..{value.high}"
        case Sometimes():
            inner = spelled(value.value)
            return None if inner is None else {"value": inner, "chance": value.chance}
        case Choice():
            return _spelled_options([(spelled(option), weight) for option, weight in value.options])
        case _:
            return None


def _spelled_options(options: list[tuple[object, float]]) -> object:
    """Return a choice as its author would write it: a list, or a mapping option -> weight; None if neither can express it.

    Args:
        options: (option as plain data, weight) for each option.
    """
    if any(option is None for option, _ in options):
        return None
    if len({weight for _, weight in options}) == 1:
        return [option for option, _ in options]
    if any(isinstance(option, dict | list) for option, _ in options):
        return None  # the keys of a mapping are words and numbers
    return {str(option): weight for option, weight in options}
