"""A YAML writer: drawings as block texts (``|``), short mappings and lists on one line, long ones with one line per item.

`reader` reads the result back unchanged. PyYAML's own writer does not know which words our reader takes for
numbers, nor which line width people like.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING

from dungeon.content.source.reader import resolve

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

WIDTH = 110
"""Maximum line width; a mapping or list that would be longer is written on several lines."""

STEP = "  "
PLAIN = re.compile(r"\w(?:[\w.%/+* -]*[\w.%/+*-])?")
"""Text that needs no quotes, wherever it is written."""

NUMBER_LIKE = re.compile(r"\d[\d_]*(?:\.\d*)?(?:[eE][-+]?\d+)?|0[xo][\da-fA-F]+")
"""Words that other YAML readers take for numbers; they are put in quotes."""

ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


class DrawingRows(tuple[str, ...]):
    """The rows of a drawing, to be written as a block text."""

    __slots__ = ()


def to_yaml(entries: Mapping[str, Mapping[str, object]]) -> str:
    """Return the text of a file that maps names to entries.

    Args:
        entries: Name -> key -> value. Values are `DrawingRows`, mappings, lists and scalars.
    """
    return "\n".join(_mapping(entries, "", opened=2)) + "\n"


def _mapping(data: Mapping[str, object], indent: str, opened: int = 0) -> Iterator[str]:
    """Yield the lines of a mapping, one key below the other.

    Args:
        data: The mapping.
        indent: The spaces before each line.
        opened: Down to how many levels below this one each key of a mapping gets a line of its own, even in short mappings.
    """
    for key, value in data.items():
        yield from _item(f"{indent}{_key(key)}:", value, indent, opened)


def _list(data: list[object], indent: str) -> Iterator[str]:
    """Yield the lines of a list, one item below the other."""
    for value in data:
        first, *rest = _item(f"{indent}-", value, indent + STEP, 0)
        if first == f"{indent}-" and rest and rest[0].startswith(indent + STEP):
            # The first key (or dash) of the item goes on the line of the dash.
            first, rest = f"{indent}- {rest[0].removeprefix(indent + STEP)}", rest[1:]
        yield first
        yield from rest


def _item(start: str, value: object, indent: str, opened: int) -> Iterator[str]:
    """Yield the lines of a value with the key or dash before it.

    Args:
        start: The text before the value: indentation, then ``key:`` or ``-``.
        value: The value.
        indent: The spaces before `start`.
        opened: Down to how many levels each key of a mapping gets a line of its own, even in short mappings.
    """
    inside = indent + STEP if start.endswith(":") else indent
    if isinstance(value, DrawingRows):
        yield f"{start} {_header(value)}"
        yield from (inside + row if row else "" for row in value)
        return
    line = f"{start} {flow(value)}"
    if isinstance(value, dict) and value and (opened or len(line) > WIDTH):
        yield start
        yield from _mapping(value, inside, max(opened - 1, 0))
    elif isinstance(value, list) and value and (len(line) > WIDTH or _is_tall(value, opened)):
        yield start
        yield from _list(value, inside)
    else:
        yield line


def _is_tall(value: list[object], opened: int) -> bool:
    """Tell whether a list has an item a line, however short it is: it has drawings, or mappings with a key a line."""
    return any(isinstance(each, DrawingRows) or (opened and isinstance(each, dict)) for each in value)


def _header(rows: DrawingRows) -> str:
    """Return the start of a block text: ``|``, or ``|2`` if its first row begins with a space or is empty."""
    return "|2" if not rows[0] or rows[0].startswith(" ") else "|"


def flow(value: object) -> str:
    """Return a value as YAML on one line, mappings in braces and lists in brackets: ``{a: [1, 2]}``."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_key(key)}: {flow(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(flow, value)) + "]"
    return _scalar(value)


def _key(key: str) -> str:
    # Keys are text even where they look like numbers.
    return key if PLAIN.fullmatch(key) else _in_quotes(key)


def _scalar(value: object) -> str:
    """Return a scalar as YAML, in quotes if it would be read as something else."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return format(Decimal(repr(value)), "f")  # other readers of YAML take some exponents for words
    text = str(value)
    if isinstance(value, int):
        return text
    plain = PLAIN.fullmatch(text) and not NUMBER_LIKE.fullmatch(text) and isinstance(resolve(text), str)
    return text if plain else _in_quotes(text)


def _in_quotes(text: str) -> str:
    if '"' in text and "'" not in text and text.isprintable():
        return f"'{text}'"
    return '"' + "".join(map(_quoted, text)) + '"'


def _quoted(char: str) -> str:
    """Return a character as it is written within double quotes."""
    if char in ESCAPES:
        return ESCAPES[char]
    if char.isprintable():
        return char
    return f"\\u{ord(char):04x}" if ord(char) < 0x10000 else f"\\U{ord(char):08x}"
