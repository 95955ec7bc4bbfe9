"""How messages show what stands in a file: on one line, cut short, and with nothing in it that a terminal obeys."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

SHOWN = 60
"""How many characters of a bad value a message shows."""


def written(value: object, room: int = SHOWN) -> str:
    """Return a value as an author would write it: on one line, and not longer than `room`.

    >>> written({"a": [True, None, "b"]})
    '{a: [true, null, b]}'
    """
    text = ""
    for piece in _pieces(value, room + 1):
        text += piece
        if len(text) > room:
            return text[: room - 3] + "..."
    return text


def _pieces(value: object, room: int) -> Iterator[str]:
    if value is None:
        yield "null"
    elif isinstance(value, bool):
        yield "true" if value else "false"
    elif isinstance(value, dict):
        yield "{"
        for number, (key, each) in enumerate(value.items()):
            yield f"{', ' if number else ''}{printable(str(key)[:room])}: "
            yield from _pieces(each, room)
        yield "}"
    elif isinstance(value, list | tuple):
        yield "["
        for number, each in enumerate(value):
            yield ", " if number else ""
            yield from _pieces(each, room)
        yield "]"
    else:
        yield printable(str(value)[:room]) or '""'


def printable(text: str) -> str:
    """Return the text with everything that does not print as an escape sequence."""
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode("ascii") for char in text
    )
