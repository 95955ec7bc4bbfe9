"""The value grammar from the other side: as JSON Schema, and as an author would write a value that exists."""

from __future__ import annotations

from typing import Any

from dungeon.content.source.names import RESERVED_FOR_OPTIONS
from dungeon.content.source.numbers import FLOAT, INT, POWER
from dungeon.content.values.grammar import Between, Choice, Constant, Sometimes
from dungeon.content.values.value_fields import LARGEST, PERCENT, RANGE, SHARE_SCHEMA, SHARE_TEXT

Schema = dict[str, Any]


def value_schema(atom: Schema, itself: str) -> Schema:
    """Return the JSON Schema of values.

    Args:
        atom: The JSON Schema of a single outcome: a word, one of several words, a whole number, a number.
        itself: The reference by which the schema that is returned can be found: values nest.
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
    """Return the pattern of what may stand for numbers as text, and as keys; None for words."""
    if atom.get("type") == "integer":
        return f"^({INT.pattern}|{RANGE.pattern})$"
    if atom.get("type") == "number":
        percent = SHARE_TEXT if atom.get("maximum", LARGEST) <= 1 else PERCENT.pattern
        return f"^({INT.pattern}|{FLOAT.pattern}|{POWER.pattern}|{RANGE.pattern}|{percent})$"
    return None


def spelled(value: object) -> object:
    """Return a value as an author would write it: plain data, or None where that is not possible."""
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
    if any(option is None for option, _ in options):
        return None
    if len({weight for _, weight in options}) == 1:
        return [option for option, _ in options]
    if any(isinstance(option, dict | list) for option, _ in options):
        return None  # the keys of a mapping are words and numbers
    return {str(option): weight for option, weight in options}
