"""Describe in words the values that a schema allows."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from dungeon.content.source.names import NAME_PATTERN
from writer.book import VALUE, definitions, name_in, parts

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Schema = dict[str, Any]

HUGE = 1_000_000
"""Limits from this number on are left out: they only prevent overflow."""

COLOUR = "^#[0-9a-fA-F]{6}$"
PATTERNS = {
    NAME_PATTERN: "name",
    COLOUR: "colour `#rrggbb`",
    r"\S": "text",
    r"^[0-9]{1,6}$": "number",
}
"""Pattern of a text -> the word for such a text."""

COUNTED = ("name", "number", "text", "character")
"""Descriptions that take an s in the plural."""

BY_KEYS = {
    frozenset({"class", "category"}): "[class or category](index.md#class-and-category)",
    frozenset({"class", "category", "equipped_by"}): "[class or category](index.md#class-and-category)",
    frozenset({"by_depth", "stepped"}): "[by depth](index.md#by-depth)",
    frozenset({"value", "chance"}): "[a value with a chance](index.md#values)",
    frozenset({"depth"}): "`{depth: 7}`",
    frozenset({"as"}): "`{as: mines/4}`",
}
"""Keys of a mapping -> its name, with a link to the section that explains these keys."""


def prose(text: str) -> str:
    """Return a text with Markdown's special characters escaped, except in code between backticks."""
    parts = re.split(r"(`[^`]+`)", text.replace("->", "→"))
    parts[::2] = [re.sub(r"([\\`*_<\[\]|])", r"\\\1", part) for part in parts[::2]]
    return "".join(parts)


def code(value: object) -> str:
    """Return a value as an author writes it, as code."""
    match value:
        case bool():
            return f"`{str(value).lower()}`"
        case list():
            return f"`[{', '.join(map(str, value))}]`"
        case dict():
            return f"`{{{', '.join(f'{key}: {each}' for key, each in value.items())}}}`"
        case "":
            return '`""`'
        case _:
            return f"`{value}`"


def listed(words: Sequence[str], last: str = "or") -> str:
    """Return words joined by commas, the last two by the word `last`."""
    return f" {last} ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def said(schema: Schema) -> str:
    """Return a description of the values that a schema allows, as Markdown."""
    match schema:
        case {"$ref": _}:
            return _referred(name_in(schema))
        case {"anyOf": options}:
            return _one_of(options)
        case {"enum": words}:
            return listed([code(word) for word in words])
        case {"const": word}:
            return code(word)
        case {"type": [*types]}:
            return listed([said({**schema, "type": each}) for each in types])
        case _:
            return OF_TYPE[schema.get("type")](schema)


def _one_of(options: list[Schema]) -> str:
    match options:
        case [{"maximum": 1}, {"description": "a share, such as 30%"}]:
            return "share, such as `30%` or `0.3`"
        case _:
            return listed(list(dict.fromkeys(map(_option, options))))


def _option(schema: Schema) -> str:
    """Return a description of one of several alternatives: the schema's own description if it has one."""
    keys = schema.get("properties", {}).keys()
    if "description" in schema and not keys and schema.get("const") is None:
        return prose(schema["description"])
    return said(schema)


def _referred(name: str) -> str:
    if name.startswith(VALUE):
        return f"{said(definitions()[name]['anyOf'][0])} ([value](index.md#values))"
    part = parts()[name]
    return f"[{part.title.lower()}]({part.page}.md#{part.anchor})"


def _list(schema: Schema) -> str:
    least, most = schema.get("minItems", 0), schema.get("maxItems")
    number = f"{least} " if least == most else ""
    if "items" not in schema:
        return "list"
    inner = said(schema["items"])
    return f"list of {number}{inner}{'s' if inner in COUNTED else ''}"


def _mapping(schema: Schema) -> str:
    keys = schema.get("properties", {})
    if called := BY_KEYS.get(frozenset(keys)):
        return called
    if keys and schema.get("maxProperties") == 1:  # an algorithm with its parameters
        return f"`{{name: {{parameters}}}}` of {listed([said(each) for each in keys.values()])}"
    inner = schema.get("additionalProperties")
    if isinstance(inner, dict):
        return f"mapping of {said(schema.get('propertyNames', {'type': 'string'}))} → {said(inner)}"
    return "mapping"


def _number(schema: Schema) -> str:
    kind = "whole number" if schema["type"] == "integer" else "number"
    least, most = schema.get("minimum"), schema.get("maximum", HUGE)
    if "exclusiveMinimum" in schema:
        return f"{kind} above {schema['exclusiveMinimum']}"
    if most < HUGE:
        return f"{kind} from {least} to {most}" if least is not None else f"{kind} up to {most}"
    return kind if least is None else f"{kind} of at least {least}"


def _text(schema: Schema) -> str:
    if "pattern" in schema:
        return PATTERNS.get(schema["pattern"], "text")
    return "character" if schema.get("maxLength") == 1 else "text"


OF_TYPE: dict[str | None, Callable[[Schema], str]] = {
    "array": _list,
    "object": _mapping,
    "integer": _number,
    "number": _number,
    "string": _text,
    "boolean": lambda _: "`true` or `false`",
    None: lambda _: "anything",
}
"""Type of a schema -> the function that describes it."""
