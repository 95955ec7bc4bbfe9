"""What a schema allows, in plain words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from dungeon.content.source.names import NAME_PATTERN
from writer.book import VALUE, definitions, name_in, parts

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Schema = dict[str, Any]

HUGE = 1_000_000
"""From here on a limit is only there to keep harm away."""

COLOUR = "^#[0-9a-fA-F]{6}$"
PATTERNS = {
    NAME_PATTERN: "name",
    COLOUR: "colour `#rrggbb`",
    r"\S": "text",
    r"^[0-9]{1,6}$": "number",
}
"""What texts of these patterns are called."""

BY_KEYS = {
    frozenset({"class", "category"}): "[class or category](index.md#class-and-category)",
    frozenset({"class", "category", "equipped_by"}): "[class or category](index.md#class-and-category)",
    frozenset({"by_depth", "stepped"}): "[by depth](index.md#by-depth)",
    frozenset({"value", "chance"}): "[only sometimes](index.md#values)",
    frozenset({"depth"}): "`{depth: 7}`",
    frozenset({"as"}): "`{as: mines/4}`",
}
"""What mappings with these keys are called; the pages that they lead to tell of the keys."""


def prose(text: str) -> str:
    """Return a text in which nothing means anything to Markdown."""
    return re.sub(r"([\\`*_<\[\]|])", r"\\\1", text.replace("->", "→"))


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
    """Return words with commas between them, and another between the last two."""
    return f" {last} ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def said(schema: Schema) -> str:
    """Return what a schema allows, as Markdown for a page of the reference."""
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
    """Return what one of several schemas allows; what it says of itself, where that is more than it allows."""
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
    return f"list of {number}{said(schema['items'])}" if "items" in schema else "list"


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
    return kind if least is None else f"{kind} from {least} on"


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
"""Type of a schema -> what puts it in words."""
