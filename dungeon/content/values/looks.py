"""Fields of pydantic models for colours, and for characters of drawings.

A *block* is a group of characters that changes places with another. `read_...` functions turn what an author wrote into a value, and raise a `MisreadError` that says what would be right.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any
from unicodedata import combining, east_asian_width

from pydantic import BeforeValidator, PlainValidator, WithJsonSchema

from dungeon.content.source.problems import ValueProblem, attempt, misread, raise_any
from dungeon.content.values.grammar import Value
from dungeon.content.values.value_fields import in_grammar, read_plain_weight
from dungeon.core.frozen import Frozen

if TYPE_CHECKING:
    from dungeon.terrain import Colour as Rgb

HEX_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")


def read_colour(raw: object) -> Rgb:
    """Read a colour: ``#rrggbb``, or a list of three numbers from 0 to 255."""
    if isinstance(raw, str) and HEX_COLOUR.fullmatch(raw):
        red, green, blue = bytes.fromhex(raw[1:])
        return red, green, blue
    if isinstance(raw, list | tuple) and len(raw) == 3:
        if all(type(part) is int and 0 <= part <= 255 for part in raw):
            return raw[0], raw[1], raw[2]
        raise misread("the parts of a colour are whole numbers from 0 to 255", list(raw))
    raise misread('a colour is needed here, "#rrggbb" or [red, green, blue]', raw)


def read_hex(raw: object) -> Rgb:
    """Read a colour that must be written ``#rrggbb``: in the value grammar ``[255, 0, 0]`` would be a choice of numbers."""
    return read_colour(read_colour_key(raw))


def read_colour_key(raw: object) -> str:
    """Check that the key of a mapping is a colour, ``#rrggbb``, and return it unchanged."""
    if not isinstance(raw, str) or not HEX_COLOUR.fullmatch(raw):
        raise misread('a colour is written "#rrggbb"', raw)
    return raw


def read_glyph(raw: object) -> str:
    """Read a single printable character, one cell wide; a digit needs no quotes."""
    text = str(raw) if isinstance(raw, int) and not isinstance(raw, bool) else raw
    if not isinstance(text, str) or len(text) != 1 or not text.isprintable():
        raise misread("one printable character is needed here", raw)
    if combining(text) or east_asian_width(text) in "WF":
        raise misread("a character that is one cell wide is needed here", raw)
    return text


def read_meant(raw: object) -> str:
    """Read the character that another one stands for under `aliases`; empty text means a cell that leaves the map unchanged."""
    text = str(raw) if isinstance(raw, int) and not isinstance(raw, bool) else raw
    if not isinstance(text, str) or len(text) > 1:
        raise misread('one character, or "" for a cell that leaves the map as it is, is needed here', raw)
    return text


def read_glyphs(raw: object) -> tuple[str, ...]:
    """Read one or more different characters, written together: ``xyz``."""
    text = str(raw) if isinstance(raw, int) and not isinstance(raw, bool) else raw
    if not isinstance(text, str) or not text or not text.isprintable():
        raise misread("one or more printable characters are needed here", raw)
    if len(set(text)) < len(text):
        raise misread("each character may stand only once here", raw)
    return tuple(text)


def read_blocks(raw: object) -> Mapping[tuple[str, ...], float]:
    """Read characters that are exchanged at random: ``abc`` (single characters), or ``[ab, cd]`` (blocks of equal length).

    Either may have weights, as in ``{a: 3, b: 1}``.

    Returns:
        Block -> weight, in the order written: ``abc`` -> {("a",): 1.0, ("b",): 1.0, ("c",): 1.0}.
    """
    if not isinstance(raw, list | tuple | Mapping):
        blocks: dict[tuple[str, ...], float] = {(char,): 1.0 for char in read_glyphs(raw)}
    elif isinstance(raw, Mapping):
        blocks = _read_weighted_blocks(raw)
    else:
        problems: list[ValueProblem] = []
        read = [attempt(problems, read_glyphs, part, number) for number, part in enumerate(raw)]
        raise_any(problems)
        blocks = dict.fromkeys((block for block in read if block is not None), 1.0)
        if len(blocks) < len(read):
            raise misread(TWO_BLOCKS, raw)
    if len({len(block) for block in blocks}) > 1:
        raise misread("blocks of characters that are exchanged must have the same length", raw)
    listed = [char for block in blocks for char in block]
    if len(blocks) < 2 or len(set(listed)) < len(listed):
        raise misread(TWO_BLOCKS, raw)
    return Frozen(blocks)


TWO_BLOCKS = "at least two characters (or blocks) are needed here, each of them once"


def _read_weighted_blocks(raw: Mapping[object, object]) -> dict[tuple[str, ...], float]:
    """Read a mapping from characters, or blocks of characters, to weights above 0."""
    problems: list[ValueProblem] = []
    blocks: dict[tuple[str, ...], float] = {}
    for key, each in raw.items():
        block = attempt(problems, read_glyphs, key, str(key), key=True)
        weight = attempt(problems, read_plain_weight, each, str(key))
        if weight == 0:
            problems.append(
                ValueProblem(message="a weight above 0 is needed here", path=(str(key),), value=each)
            )
        elif block is not None and weight is not None:
            blocks[block] = weight
    raise_any(problems)
    return blocks


HEX_SCHEMA = {"type": "string", "pattern": f"^{HEX_COLOUR.pattern}$"}
GLYPH_SCHEMA: dict[str, Any] = {
    "anyOf": [
        {"type": "string", "minLength": 1, "maxLength": 1},
        {"type": "integer", "minimum": 0, "maximum": 9},
    ]
}
GLYPHS_SCHEMA: dict[str, Any] = {
    "anyOf": [{"type": "string", "minLength": 1}, {"type": "integer", "minimum": 0}]
}

Colour = Annotated[
    tuple[int, int, int],
    PlainValidator(read_colour),
    WithJsonSchema(
        {
            "anyOf": [
                HEX_SCHEMA,
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
ColourValue = Annotated[Value[tuple[int, int, int]], *in_grammar(read_hex, **HEX_SCHEMA)]
"""A colour in the value grammar."""
ColourKey = Annotated[str, BeforeValidator(read_colour_key), WithJsonSchema(HEX_SCHEMA)]
Glyph = Annotated[str, BeforeValidator(read_glyph), WithJsonSchema(GLYPH_SCHEMA)]
Meant = Annotated[
    str, BeforeValidator(read_meant), WithJsonSchema({"type": ["string", "integer"], "maxLength": 1})
]
Glyphs = Annotated[tuple[str, ...], PlainValidator(read_glyphs), WithJsonSchema(GLYPHS_SCHEMA)]
Blocks = Annotated[
    Mapping[tuple[str, ...], float],
    PlainValidator(read_blocks),
    WithJsonSchema(
        {
            "anyOf": [
                *GLYPHS_SCHEMA["anyOf"],
                {"type": "array", "items": GLYPHS_SCHEMA, "minItems": 2},
                {
                    "type": "object",
                    "additionalProperties": {"type": "number", "exclusiveMinimum": 0},
                    "minProperties": 2,
                },
            ]
        }
    ),
]
GlyphValue = Annotated[Value[str], *in_grammar(read_glyph, **GLYPH_SCHEMA)]
"""A character in the value grammar."""
