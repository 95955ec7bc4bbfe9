"""Slips of the pen in YAML that its parser explains badly, or lets through and loses what was meant."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dungeon.content.source.quoting import printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    import yaml

    from dungeon.content.source.marks import Lines

ROW_LIKE_COMMENT = re.compile(r"\s*#(\S|.*#\s*$)")
"""A comment that may be meant as a row of a drawing: most comments have a space after the ``#``."""

HASH_AS_KEY = re.compile(r"^[ \t]*(#):(?=\s|$)", re.MULTILINE)
HASH_AS_VALUE = re.compile(r"\s*(#)\S")
HASH_IN_FLOW = re.compile(r"[:,\[{]\s+(#)\S")

NO_TAGS = "! begins a tag, which has no meaning here; what is meant as text must stand in quotes"
SHIFTED_ROW = (
    "the rows of a text stand as far in as its first; if that begins with spaces of its own, "
    "begin the text with |2 in place of |"
)
HASH_BEGINS = "# begins a comment; what is meant as a {} must stand in quotes"
NO_KEY = "no key can begin here: is the indentation right, and every bracket in its place?"
QUOTE_IT = "{char} must stand in quotes here"

EXPLANATIONS: tuple[tuple[str, bool, str], ...] = (
    ("while scanning an alias", True, QUOTE_IT),
    ("while scanning an anchor", True, QUOTE_IT),
    ("while scanning a directive", True, QUOTE_IT),
    ("while scanning a block scalar", True, "nothing may follow {char} in its line, or it must stand in quotes"),
    ("while scanning a simple key", True, "a colon is missing after this"),
    ("unexpected end of stream", True, "this quote is never closed"),
    ("tab character", False, "a tab cannot indent; spaces can"),
    ("that cannot start any token", False, QUOTE_IT),
    ("mapping values are not allowed", False, "no colon can stand here: is the indentation right, the line above whole, or a text with a colon without quotes?"),
    ("did not find expected key", False, NO_KEY),
    ("expected '-' indicator", False, "this list goes on without a dash: is the indentation right?"),
    ("expected ',' or ']'", True, "a comma is missing in this list, or it is never closed"),
    ("expected ',' or '}'", True, "a comma is missing in this mapping, or it is never closed"),
    ("expected node content", False, "a value is missing here, or must stand in quotes"),
    ("tag handle", False, NO_TAGS),
    ("unknown escape character", False, "in double quotes a backslash is written twice"),
)  # fmt: skip
"""Part of what the parser says -> whether the place where it began to read tells more than where it gave up,
and what to say instead."""


def explain(error: yaml.MarkedYAMLError, lines: Lines) -> tuple[int, int, str]:
    """Return the line and column (from 1) of a syntax error, and what is wrong there in plain words."""
    said = f"{error.context or ''} {error.problem or ''}"
    at = error.problem_mark or error.context_mark
    message = error.problem or error.context or "its structure is not clear"
    if at is not None and "while parsing a flow" in said:
        for number in (at.line, at.line - 1):
            if 0 <= number < len(lines) and (match := HASH_IN_FLOW.search(lines[number])):
                return number + 1, match.start(1) + 1, HASH_BEGINS.format("value")
    for part, at_beginning, explanation in EXPLANATIONS:
        if part in said:
            at = error.context_mark if at_beginning and error.context_mark else at
            message = explanation
            break
    if at is None:
        return 0, 0, message
    line = lines[at.line] if at.line < len(lines) else ""
    char = line[at.column] if at.column < len(line) else "this"
    if char == "\t":
        message = "a tab cannot indent; spaces can"
    return at.line + 1, at.column + 1, printable(message.replace("{char}", char))


def lost_row(rows: str, line: int, lines: Lines) -> int | None:
    """Return the line (from 1) of a row that was meant to go on with a block text and became a comment.

    A drawing's row that begins with ``#`` and is indented less than the rows above is a comment to YAML.

    Args:
        rows: The block text.
        line: The line, from 1, in which its ``|`` stands.
        lines: All lines of the file.
    """
    after = line + (rows.rstrip("\n").count("\n") + 1 if rows.rstrip("\n") else 0)
    return after + 1 if after < len(lines) and ROW_LIKE_COMMENT.match(lines[after]) else None


def hash_after(line: str, column: int) -> int | None:
    """Return the column (from 1) of a ``#`` that made a comment of the value which should begin at `column`."""
    match = HASH_AS_VALUE.match(line, column - 1)
    return match.start(1) + 1 if match else None


def is_hash_key(line: str) -> bool:
    """Tell whether the line is one that a ``#``, meant as a key, made a comment of."""
    return HASH_AS_KEY.match(line) is not None


def hash_keys(text: str) -> Iterator[int]:
    """Yield the index of every ``#`` that may be meant as a key and makes a comment of its line."""
    if "#:" in text:
        yield from (match.start(1) for match in HASH_AS_KEY.finditer(text))
