"""Field types of the pydantic models of entries: texts, lists, weights, names; also *in the value grammar* (`2..5`, `[a, b]`).

`read_...` functions turn what an author wrote into a value. A value in the value grammar is left to chance. A *weight word* is a word of
``weights.yaml``, such as `rare`. A function that returns *annotations* returns what stands in `Annotated`.
"""

from __future__ import annotations

import re
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypeVar

from pydantic import (
    BaseModel,
    BeforeValidator,
    Field,
    PlainValidator,
    ValidationError,
    ValidationInfo,
    WithJsonSchema,
)

from dungeon.content.source.names import (
    MAX_LISTED,
    NEW_NAME,
    check_name,
    named,
    read_new_name,
    read_several,
    read_word,
    reader_of,
)
from dungeon.content.source.problems import (
    NOT_ALLOWED,
    MisreadError,
    ValueProblem,
    attempt,
    misread,
    problems_of,
)
from dungeon.content.source.reader import as_number, resolve
from dungeon.content.values.grammar import (
    Between,
    Constant,
    Value,
)
from dungeon.content.values.value_fields import (
    SHARE_SCHEMA,
    VALUE,
    in_grammar,
    int_in,
    names_of,
    number_in,
    read_sometimes,
    read_value,
    reader,
    with_leaves_checked,
)
from dungeon.core import vocabulary

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

T = TypeVar("T")

DEEPEST = vocabulary.DEEPEST
MAX_WEIGHT = 1_000_000
"""The largest weight."""
MAX_AMOUNT = 1_000_000
"""The largest `threat` or `worth`."""
MOST_WEIGHTS = 100
"""Maximum number of weights in a range: the exact odds of several such ranges combined must stay computable."""

MAX_LINE = 200
"""Maximum length of a one-line text."""

SPAN = re.compile(r"\s*([0-9]{1,6})\s*\.\.\s*([0-9]{1,6})?\s*")
"""A range of whole numbers: ``3``, ``2..5`` or ``2..``."""
SPAN_TEXT = r"\s*[0-9]{1,6}\s*(\.\.\s*([0-9]{1,6}\s*)?)?"
MAP_ID = re.compile(r"([^/]+)/(0|[1-9][0-9]{0,5})")
"""A map id: ``name/depth``."""


def given(raw: object) -> object:
    """Return the value that an author wrote after a key, unchanged.

    Raises:
        MisreadError: The author wrote no value after the key.
    """
    if raw is None:
        raise misread("this key has no value")
    return raw


Given = Annotated[T | None, BeforeValidator(given)]
"""A field that may be left out; a key without a value is an error."""


# -- texts and numbers --------------------------------------------------------------------------


def read_line(raw: object) -> str:
    """Read a text that players see on one line."""
    if not isinstance(raw, str):
        raise misread("text is needed here", raw)
    if not raw.strip() or not raw.isprintable() or len(raw) > MAX_LINE:
        raise misread(f"one line of text is needed here, of 1 to {MAX_LINE} printable characters", raw)
    return raw


def read_flag(raw: object) -> bool:
    """Read true or false."""
    if not isinstance(raw, bool):
        raise misread("true or false is needed here", raw, allowed=("true", "false"))
    return raw


def read_plain(raw: object) -> dict[str, Any]:
    """Read a mapping of keys that only the game knows (`data`) as plain dicts and lists."""
    if not isinstance(raw, dict):
        raise misread("a mapping of keys to values is needed here", raw)
    return {key: _plain(value) for key, value in raw.items()}


def _plain(value: object) -> object:
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    return [_plain(each) for each in value] if isinstance(value, list) else value


Line = Annotated[
    str,
    BeforeValidator(read_line),
    WithJsonSchema({"type": "string", "pattern": r"\S", "maxLength": MAX_LINE}),
]
Flag = Annotated[bool, BeforeValidator(read_flag)]
Text = Annotated[str, Field(strict=True)]
Free = Annotated[dict[str, Any], BeforeValidator(read_plain)]
Level = Annotated[int, Field(ge=0, le=DEEPEST, strict=True)]
Count = Annotated[int, Field(ge=1, strict=True)]
Protrusion = Annotated[int, Field(ge=1, le=100, strict=True)]
Radius = Annotated[int, Field(ge=0, le=100, strict=True)]


# -- lists --------------------------------------------------------------------------------------


def several(
    read: Callable[[object, ValidationInfo], str], least: int = 0, item: dict[str, object] | None = None
) -> tuple[PlainValidator, WithJsonSchema]:
    """Return the pydantic annotations of a list of different names; a single name counts as a list of one.

    Args:
        read: Reads one name.
        least: The minimum number of names.
        item: The JSON Schema of one name.
    """

    def read_all(raw: object, info: ValidationInfo) -> tuple[str, ...]:
        return read_several(lambda each: read(each, info), raw, least)

    item = item or {"type": "string"}
    listed = {
        "type": "array",
        "items": item,
        "minItems": least,
        "maxItems": MAX_LISTED,
        "uniqueItems": True,
    }
    return PlainValidator(read_all), WithJsonSchema({"anyOf": [item, listed]})


def read_one_of(*words: str) -> Callable[[object, ValidationInfo], str]:
    """Return a pydantic validator that reads one of these words and refuses any other."""

    def read(raw: object, _: ValidationInfo) -> str:
        if raw not in words:
            raise misread(NOT_ALLOWED, raw, allowed=words)
        return str(raw)

    return read


def among(*words: str) -> tuple[BeforeValidator, WithJsonSchema]:
    """Return the pydantic annotations of a field that allows only these words."""
    return BeforeValidator(read_one_of(*words)), WithJsonSchema({"enum": list(words)})


def several_of(*words: str) -> tuple[PlainValidator, WithJsonSchema]:
    """Return the pydantic annotations of a list of one or more of these words."""
    return several(read_one_of(*words), least=1, item={"enum": list(words)})


NewNameValue = Annotated[Value[str], *in_grammar(read_new_name, **NEW_NAME)]
"""A word that the author makes up, in the value grammar."""
NewNames = Annotated[tuple[str, ...], *several(lambda raw, _: read_new_name(raw), item=NEW_NAME)]


# -- models that are told apart by a key ----------------------------------------------------------


def by_key(shapes: Mapping[str, type[BaseModel]], what: str, several: str, example: str) -> PlainValidator:
    """Return the pydantic annotation of a mapping that is read as one of several models, chosen by which key it has.

    Example: `{lake: water, ...}` is read as the model of lakes, because it has the key `lake`.

    Args:
        shapes: Key -> the model of mappings with that key.
        what: What messages call such a mapping: "pass".
        several: What messages call several of them: "passes".
        example: A mapping as authors write it, for messages.
    """

    def read(raw: object, info: ValidationInfo) -> BaseModel:
        if isinstance(raw, BaseModel):
            return raw
        if not isinstance(raw, dict):
            raise misread(f"a {what} is a mapping, such as {example}", raw)
        keys = [key for key in shapes if key in raw]
        if len(keys) > 1:
            raise misread(
                f"{' and '.join(keys)} belong to different {several}: write each {what} as a list item of its own",
                raw,
            )
        if not keys:
            lead = next(iter(raw), "")
            raise misread(
                f"no key here says what kind of {what} this is", lead, lead, allowed=shapes, key=True
            )
        model = shapes[keys[0]]
        try:
            return model.model_validate(raw, context=info.context)
        except ValidationError as error:
            raise MisreadError(problems_of(error, model)) from None

    return PlainValidator(read, json_schema_input_type=reduce(or_, shapes.values()))


# -- numbers with two ends ----------------------------------------------------------------------


def span(low: int, high: int) -> tuple[BeforeValidator, WithJsonSchema]:
    """Return the pydantic annotations of a range of whole numbers, read as (first, last): ``3``, ``2..5``, or ``2..``.

    Both ends must lie from `low` to `high`; ``2..`` ends at `high`.
    """

    def read(raw: object) -> tuple[int, int]:
        if isinstance(raw, tuple):
            return raw[0], raw[1]
        number = resolve(raw) if isinstance(raw, str) else raw
        if isinstance(number, int) and not isinstance(number, bool):
            bounds = number, number
        elif isinstance(raw, str) and (match := SPAN.fullmatch(raw)):
            bounds = int(match[1]), int(match[2] or high)
        else:
            raise misread("a whole number, or a range such as 2..5 or 2.., is needed here", raw)
        if not low <= bounds[0] <= high or not bounds[1] <= high:
            raise misread(f"this number must lie between {low} and {high}", raw)
        if bounds[0] > bounds[1]:
            raise misread("the end of this range is below its start", raw)
        return bounds

    text = {"type": "string", "pattern": f"^{SPAN_TEXT}$", "description": "a range: 2..5, or 2.. without end"}
    schema = {"anyOf": [{"type": "integer", "minimum": low, "maximum": high}, text]}
    return BeforeValidator(read), WithJsonSchema(schema)


Depths = Annotated[tuple[int, int], *span(0, DEEPEST)]
Doors = Annotated[tuple[int, int], *span(1, DEEPEST)]


# -- names of other entries ---------------------------------------------------------------------


def read_weight(raw: object, info: ValidationInfo) -> str | float:
    """Read a weight: a word of ``weights.yaml``, or a number."""
    if isinstance(raw, str) and raw and isinstance(as_number(raw), str):
        check_name("weight word", raw, info)
        return raw
    return _number_of_weight(raw, "a word of weights.yaml or a number")


def read_share(raw: object) -> float:
    """Read a weight that can't be a weight word, only a number."""
    return _number_of_weight(raw, "a number")


def read_amount(raw: object) -> float:
    """Read an amount of threat or worth. Text is converted to a number, since keys of a mapping are text."""
    return float(number_in(raw, 0, MAX_AMOUNT, f"a number from 0 to {MAX_AMOUNT:,} is needed here"))


def read_weights(raw: object, info: ValidationInfo) -> Value[str | float]:
    """Read a weight in the value grammar; its outcomes are weight words and numbers.

    Raises:
        MisreadError: `raw` is not in the grammar, or a range has more than `MOST_WEIGHTS` numbers.
    """
    if isinstance(raw, Value):
        return raw
    return with_leaves_checked(read_value(raw, lambda each: _word_or_number(each, info)), raw, _narrow_enough)


def _narrow_enough(weight: Value[Any]) -> ValueProblem | None:
    """Return a problem if `weight` is a range of more than `MOST_WEIGHTS` numbers; otherwise None."""
    if not isinstance(weight, Between) or weight.high - weight.low < MOST_WEIGHTS:
        return None
    message = f"a range of weights can have at most {MOST_WEIGHTS} numbers"
    return ValueProblem(message=message, value=f"{weight.low}..{weight.high}")


def _word_or_number(raw: object, info: ValidationInfo) -> str | float:
    """Read a weight: a weight word, or a number. Text such as ``"3"`` is read as a number; a whole number stays an int."""
    number = resolve(raw) if isinstance(raw, str) else raw
    weight = read_weight(number, info)
    return number if isinstance(number, int) else weight


def _number_of_weight(raw: object, what: str) -> float:
    return float(number_in(raw, 0, MAX_WEIGHT, f"a weight is {what} from 0 to {MAX_WEIGHT:,}"))


PLACE = "map or branch"
"""Kind of the names that come first in map ids: those of maps and of branches."""


def check_place(name: str, info: ValidationInfo) -> None:
    """Check that a map or branch of this name exists. Every name passes if the context of validation is no `Names`.

    Raises:
        MisreadError: There is neither.
    """
    check_name(PLACE, name, info)


def read_map_id(raw: object, info: ValidationInfo) -> str:
    """Read a map id, ``name/depth``."""
    if not isinstance(raw, str) or not (match := MAP_ID.fullmatch(raw)):
        raise misread("a map id is needed here: name/depth, such as foundry/3", raw)
    if int(match[2]) > DEEPEST:
        raise misread(f"a map lies at a depth of {DEEPEST} at most", raw)
    check_place(match[1], info)
    return raw


def read_destinations(raw: object, info: ValidationInfo) -> Value[str]:
    """Read where stairs may lead: names of maps or branches, or map ids, in the value grammar."""
    return raw if isinstance(raw, Value) else read_value(raw, lambda each: read_destination(each, info))


def read_destination(raw: object, info: ValidationInfo) -> str:
    """Read where stairs lead: the name of a map or branch, or a map id."""
    if isinstance(raw, str) and "/" in raw:
        return read_map_id(raw, info)
    name = read_word(raw)
    check_place(name, info)
    return name


WEIGHT_SCHEMA: dict[str, object] = {"type": "number", "minimum": 0, "maximum": MAX_WEIGHT}
WORD_OR_NUMBER: dict[str, Any] = {
    "anyOf": [{"type": "string", "minLength": 1, "description": "a word of weights.yaml"}, WEIGHT_SCHEMA]
}
Weight = Annotated[str | float, PlainValidator(read_weight), WithJsonSchema(WORD_OR_NUMBER)]
WeightValue = Annotated[
    Value[str | float], PlainValidator(read_weights), WithJsonSchema({VALUE: WORD_OR_NUMBER})
]
"""A weight in the value grammar."""
Share = Annotated[float, PlainValidator(read_share), WithJsonSchema(WEIGHT_SCHEMA)]
AMOUNT_SCHEMA: dict[str, object] = {"type": "number", "minimum": 0, "maximum": MAX_AMOUNT}
Amount = Annotated[float, PlainValidator(read_amount), WithJsonSchema(AMOUNT_SCHEMA)]
"""An amount of threat or worth."""
MAP_ID_SCHEMA: dict[str, object] = {"type": "string", "pattern": f"^{MAP_ID.pattern}$"}
MapId = Annotated[str, BeforeValidator(read_map_id), WithJsonSchema(MAP_ID_SCHEMA)]
MapName = Annotated[str, named("map")]
Destination = Annotated[str, BeforeValidator(read_destination)]
DestinationValue = Annotated[
    Value[str], PlainValidator(read_destinations), WithJsonSchema({VALUE: {"type": "string"}})
]
"""Where stairs lead, in the value grammar."""
TerrainName = Annotated[str, named("terrain")]
Paintable = Annotated[str, named("built-in terrain or digit")]
TerrainValue = Annotated[Value[str], *names_of("terrain")]
"""The name of a kind of terrain in the value grammar."""
ThemeName = Annotated[str, named("theme")]
CategoryName = Annotated[str, named("category")]
"""What an encounter means to the player: fluff, risk, danger, reward, or a word of ``categories.yaml``."""
EncounterName = Annotated[str, named("encounter")]
EncounterNames = Annotated[tuple[str, ...], *several(reader_of("encounter"))]
PrefabOrTag = Annotated[str, named("prefab or tag")]
LegendNames = Annotated[tuple[str, ...], *several(reader_of("legend"))]
PaletteNames = Annotated[tuple[str, ...], *several(reader_of("palette"))]


MAX_SHIFT = 50
"""The largest shift of an object, in columns or rows."""


class Reach(NamedTuple):
    """How far an object may be moved from the cell where it is drawn: columns (`across`) and rows (`down`), in either direction."""

    across: Value[int]
    down: Value[int]

    @property
    def moves(self) -> bool:
        """Whether the object can be moved at all."""
        return any(most > 0 for part in self for most in part.outcomes())


NOWHERE = Reach(Constant(0), Constant(0))
HERE: Value[Reach] = Constant(NOWHERE)
"""The shift of an object that stays on its cell."""


def read_shift(raw: object) -> Value[Reach]:
    """Read a shift: ``[columns, rows]``, each in the value grammar, or the same with a chance: ``{value: [2, 0], chance: 30%}``.

    Raises:
        MisreadError: `raw` is neither.
    """
    if isinstance(raw, Value):
        return raw
    return read_sometimes(raw, _read_reach) if isinstance(raw, dict) else _read_reach(raw)


def _read_reach(raw: object) -> Value[Reach]:
    return Constant(Reach(*read_pair(raw, _read_cells, "two whole numbers, [columns, rows]")))


def read_pair(raw: object, read: Callable[[object], T], needed: str) -> tuple[Value[Any], Value[Any]]:
    """Read a list of two values in the value grammar: one for columns, one for rows.

    Args:
        raw: The list as written.
        read: Reads a single outcome of a value.
        needed: What such a list holds, for the message: "two coordinates, [column, row]".

    Raises:
        MisreadError: `raw` is not such a list, or one of the values is wrong.
    """
    if not isinstance(raw, list | tuple) or len(raw) != 2:
        raise misread(f"a list of {needed}, is needed here", raw)
    problems: list[ValueProblem] = []
    across, down = (attempt(problems, reader(read), part, number) for number, part in enumerate(raw))
    if across is None or down is None:
        raise MisreadError(problems)
    return across, down


def _read_cells(raw: object) -> int:
    return int_in(raw, 0, MAX_SHIFT, f"a whole number from 0 to {MAX_SHIFT} is needed here")


CELLS_SCHEMA = {"type": "integer", "minimum": 0, "maximum": MAX_SHIFT}
REACH_SCHEMA = {"items": {VALUE: CELLS_SCHEMA}, "minItems": 2, "maxItems": 2}
SOMETIMES_SCHEMA = {
    "properties": {"value": {"type": "array", **REACH_SCHEMA}, "chance": SHARE_SCHEMA},
    "required": ["value", "chance"],
    "additionalProperties": False,
}
Shift = Annotated[
    Value[Reach],
    PlainValidator(read_shift),
    # JSON Schema keywords for arrays are ignored for objects, so one schema describes both forms.
    WithJsonSchema({"type": ["array", "object"], **REACH_SCHEMA, **SOMETIMES_SCHEMA}),
]
