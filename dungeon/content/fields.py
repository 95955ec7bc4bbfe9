"""The kinds of fields that entries are made of: colours, glyphs, spans, weights, lists of names, algorithms."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from pydantic import (
    BeforeValidator,
    Field,
    PlainValidator,
    ValidationError,
    ValidationInfo,
    WithJsonSchema,
)

from dungeon.content.faults import NOT_ALLOWED, Fault, MisreadError, attempt, faults_of, misread
from dungeon.content.names import Names, check_name, named, read_new_name, read_several, reader_of
from dungeon.content.reader import resolve
from dungeon.registry import LAYOUTS, PLACINGS, Parameters

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from dungeon.registry import Layout, Placing
    from dungeon.terrain import Colour as Rgb

T = TypeVar("T")

DEEPEST = 1000
MAX_WEIGHT = 1_000_000
MAX_SHIFT = 50
MAX_LINE = 200
"""How long a text of one line may be."""

HEX_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")
SPAN = re.compile(r"\s*([0-9]{1,6})\s*\.\.\s*([0-9]{1,6})?\s*")
MAP_ID = re.compile(r"([^/]+)/(0|[1-9][0-9]{0,5})")


def _given(raw: object) -> object:
    if raw is None:
        raise misread("nothing stands after this key")
    return raw


Given = Annotated[T | None, BeforeValidator(_given)]
"""What may be left out; but a key with nothing after it is a mistake."""


# -- texts and numbers --------------------------------------------------------------------------


def read_line(raw: object) -> str:
    """Read a text that players see in one line."""
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
    """Read free keywords: whatever they are, as plain dicts and lists."""
    if not isinstance(raw, dict):
        raise misread("a mapping of keys to values is needed here", raw)
    return {key: _plain(value) for key, value in raw.items()}


def _plain(value: object) -> object:
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    return [_plain(each) for each in value] if isinstance(value, list) else value


Line = Annotated[str, BeforeValidator(read_line)]
Flag = Annotated[bool, BeforeValidator(read_flag)]
Text = Annotated[str, Field(strict=True)]
Free = Annotated[dict[str, Any], BeforeValidator(read_plain)]
Level = Annotated[int, Field(ge=0, le=DEEPEST, strict=True)]
Count = Annotated[int, Field(ge=1, strict=True)]
Radius = Annotated[int, Field(ge=0, le=100, strict=True)]


# -- looks --------------------------------------------------------------------------------------


def read_colour(raw: object) -> Rgb:
    """Read ``#rrggbb`` or a list of three numbers."""
    if isinstance(raw, str) and HEX_COLOUR.fullmatch(raw):
        red, green, blue = bytes.fromhex(raw[1:])
        return red, green, blue
    if isinstance(raw, list | tuple) and len(raw) == 3:
        if all(type(part) is int and 0 <= part <= 255 for part in raw):
            return raw[0], raw[1], raw[2]
        raise misread("the parts of a colour are whole numbers from 0 to 255", list(raw))
    raise misread('a colour is needed here, "#rrggbb" or [red, green, blue]', raw)


def read_colour_key(raw: object) -> str:
    """Read ``#rrggbb`` as a key."""
    if not isinstance(raw, str) or not HEX_COLOUR.fullmatch(raw):
        raise misread('a colour is written "#rrggbb"', raw)
    return raw


def read_glyph(raw: object) -> str:
    """Read a single character; a digit may stand without quotes."""
    text = str(raw) if isinstance(raw, int) and not isinstance(raw, bool) else raw
    if not isinstance(text, str) or len(text) != 1 or not text.isprintable():
        raise misread("one printable character is needed here", raw)
    return text


Colour = Annotated[
    tuple[int, int, int],
    PlainValidator(read_colour),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string", "pattern": "^#[0-9a-fA-F]{6}$"},
                {
                    "type": "array",
                    "items": {"type": "integer", "minimum": 0, "maximum": 255},
                    "minItems": 3,
                    "maxItems": 3,
                },
            ]
        }
    ),
]
ColourKey = Annotated[str, BeforeValidator(read_colour_key)]
Glyph = Annotated[str, BeforeValidator(read_glyph)]


# -- lists --------------------------------------------------------------------------------------


def several(
    read: Callable[[object, ValidationInfo], str], least: int = 0
) -> tuple[PlainValidator, WithJsonSchema]:
    """Return the annotations of a list of names without repetitions; a single name is a list of one."""

    def read_all(raw: object, info: ValidationInfo) -> tuple[str, ...]:
        return read_several(lambda each: read(each, info), raw, least)

    listed = {"type": "array", "items": {"type": "string"}, "minItems": least, "uniqueItems": True}
    return PlainValidator(read_all), WithJsonSchema({"anyOf": [{"type": "string"}, listed]})


def read_one_of(*words: str) -> Callable[[object, ValidationInfo], str]:
    """Return what reads one of these words."""

    def read(raw: object, _: ValidationInfo) -> str:
        if raw not in words:
            raise misread(NOT_ALLOWED, raw, allowed=words)
        return str(raw)

    return read


def among(*words: str) -> tuple[BeforeValidator, WithJsonSchema]:
    """Return the annotations that allow just these words."""
    return BeforeValidator(read_one_of(*words)), WithJsonSchema({"enum": list(words)})


NewNames = Annotated[tuple[str, ...], *several(lambda raw, _: read_new_name(raw))]


# -- numbers with two ends ----------------------------------------------------------------------


def span(low: int, high: int) -> tuple[BeforeValidator, WithJsonSchema]:
    """Return the annotations of a pair of bounds, written ``3``, ``2..5`` or ``2..``."""

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
            raise misread(f"this must lie between {low} and {high}", raw)
        if bounds[0] > bounds[1]:
            raise misread("this range ends below its start", raw)
        return bounds

    schema = {"type": ["integer", "string"], "description": "3, 2..5 or 2.."}
    return BeforeValidator(read), WithJsonSchema(schema)


def read_shift(raw: object) -> tuple[int, int]:
    """Read how far something may stand from where it is drawn: ``[columns, rows]``."""
    if isinstance(raw, list | tuple) and len(raw) == 2:
        faults: list[Fault] = []
        across, down = (attempt(faults, _read_shift, part, number) for number, part in enumerate(raw))
        if across is not None and down is not None:
            return across, down
        raise MisreadError(faults)
    raise misread("a list of two whole numbers, [columns, rows], is needed here", raw)


def _read_shift(raw: object) -> int:
    if not isinstance(raw, int) or isinstance(raw, bool) or not 0 <= raw <= MAX_SHIFT:
        raise misread(f"a whole number from 0 to {MAX_SHIFT} is needed here", raw)
    return raw


Depths = Annotated[tuple[int, int], *span(0, DEEPEST)]
Doors = Annotated[tuple[int, int], *span(1, DEEPEST)]
Shift = Annotated[
    tuple[int, int],
    PlainValidator(read_shift),
    WithJsonSchema(
        {
            "type": "array",
            "items": {"type": "integer", "minimum": 0, "maximum": MAX_SHIFT},
            "minItems": 2,
            "maxItems": 2,
        }
    ),
]


# -- names of other entries ---------------------------------------------------------------------


def read_weight(raw: object, info: ValidationInfo) -> str | float:
    """Read a weight word or a number."""
    if isinstance(raw, str) and raw:
        check_name("weight word", raw, info)
        return raw
    return _number_of_weight(raw, "a word of weights.yaml or a number")


def read_share(raw: object) -> float:
    """Read a weight that is a number."""
    return _number_of_weight(raw, "a number")


def _number_of_weight(raw: object, what: str) -> float:
    if isinstance(raw, int | float) and not isinstance(raw, bool) and 0 <= raw <= MAX_WEIGHT:
        return float(raw)
    raise misread(f"a weight is {what} from 0 to {MAX_WEIGHT:,}", raw)


def read_map_id(raw: object, info: ValidationInfo) -> str:
    """Read ``name/depth``."""
    if not isinstance(raw, str) or not (match := MAP_ID.fullmatch(raw)):
        raise misread("a map id is needed here, name/depth, such as foundry/3", raw)
    if int(match[2]) > DEEPEST:
        raise misread(f"a map lies at a depth of {DEEPEST} at most", raw)
    if isinstance(info.context, Names) and (fault := info.context.fault("map", match[1])):
        raise MisreadError([fault])
    return raw


Weight = Annotated[
    str | float,
    PlainValidator(read_weight),
    WithJsonSchema({"type": ["string", "number"], "description": "a word of weights.yaml, or a number"}),
]
Share = Annotated[float, PlainValidator(read_share), WithJsonSchema({"type": "number", "minimum": 0})]
MapId = Annotated[str, BeforeValidator(read_map_id)]
MapName = Annotated[str, named("map")]
TerrainName = Annotated[str, named("terrain")]
Paintable = Annotated[str, named("built-in terrain or digit")]
ThemeName = Annotated[str, named("theme")]
PropName = Annotated[str, named("prop")]
LegendNames = Annotated[tuple[str, ...], *several(reader_of("legend"))]
PrefabsOrTags = Annotated[tuple[str, ...], *several(reader_of("prefab or tag"), least=1)]
MapIds = Annotated[tuple[str, ...], *several(read_map_id)]


# -- algorithms ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Algorithm:
    """A layout or placing mode that an author has chosen, with its parameters."""

    name: str
    params: Parameters


def read_algorithm(
    what: str,
    registry: Mapping[str, Layout[Any]] | Mapping[str, Placing[Any]],
    raw: object,
    info: ValidationInfo,
) -> Algorithm:
    """Read ``tunnels`` or ``{tunnels: {rooms: 20}}``.

    Raises:
        MisreadError: It is neither, nobody registered that name, or the parameters are not what it takes.
    """
    if isinstance(raw, Algorithm):
        return raw
    name, params = raw, None
    if isinstance(raw, dict) and len(raw) == 1:
        ((name, params),) = raw.items()
    if not isinstance(name, str) or not (params is None or isinstance(params, dict)):
        raise misread(f"a {what} is needed here: its name, or {{name: {{its parameters}}}}", raw)
    if name not in registry:
        path = (name,) if isinstance(raw, dict) else ()
        raise misread(f"there is no {what} of this name", name, *path, allowed=registry, key=bool(path))
    model = registry[name].params
    try:
        chosen: Parameters = model.model_validate(params or {}, context=info.context)
    except ValidationError as error:
        raise MisreadError(fault.inside(name) for fault in faults_of(error, model)) from None
    if isinstance(info.context, Names):
        faults = [
            fault.inside(name, key)
            for key, wanted in chosen.prefabs().items()
            if (fault := info.context.fault("prefab", wanted))
        ]
        if faults:
            raise MisreadError(faults)
    return Algorithm(name, chosen)


def _read_layout(raw: object, info: ValidationInfo) -> Algorithm:
    return read_algorithm("layout", LAYOUTS, raw, info)


def _read_placing(raw: object, info: ValidationInfo) -> Algorithm:
    return read_algorithm("placing mode", PLACINGS, raw, info)


_SCHEMA = WithJsonSchema({"type": ["string", "object"], "maxProperties": 1})
LayoutField = Annotated[Algorithm, PlainValidator(_read_layout), _SCHEMA]
PlacingField = Annotated[Algorithm, PlainValidator(_read_placing), _SCHEMA]
