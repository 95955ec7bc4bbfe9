"""Common slips in YAML for which the parser's own message is unclear, or which change the meaning without an error.

For example, a missing space after a colon, or a row of a drawing that begins with ``#`` and is read as a comment.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dungeon.core.errors import printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    import yaml

    from dungeon.content.source.marks import Lines

ROW_LIKE_COMMENT = re.compile(r" *#(\S|.*#\s*$)")
"""A comment that may be meant as a row of a drawing; most real comments have a space after the ``#``."""

HASH_AS_KEY = re.compile(r"^[ \t]*(#):(?=\s|$)", re.MULTILINE)
HASH_AS_VALUE = re.compile(r"\s*(#)\S")
HASH_IN_FLOW = re.compile(r"[:,\[{]\s+(#)\S")

NO_TAGS = "! begins a tag, which has no meaning here; text that begins with ! must stand in quotes"
SHIFTED_ROW = (
    "all rows of a text are indented like its first; if that begins with spaces of its own, "
    "begin the text with |2 in place of |"
)
"""Message for a row of a block text that is indented less than its first row."""
HASH_BEGINS = "# begins a comment; a {} that begins with # must stand in quotes"
NO_KEY = "no key can begin here: is the indentation right, and every bracket in its place?"
QUOTE_IT = "{char} must stand in quotes here"
MAX_NESTING = 40
"""Maximum nesting of mappings and lists in a file."""
TOO_DEEP = f"mappings and lists are nested more than {MAX_NESTING} deep here"
"""Message for too many brackets or levels.

The reader counts levels itself, too: a parser that looks ahead may report nesting late, or not at all.
"""
TAB_INDENTS = "a tab cannot indent; spaces can"
NO_SPACE = "a space must follow this {}; if the whole is meant as text, put it in quotes"

MISSING_SPACE = re.compile(
    r""" *(?:- +)*(?:(?=[\w-]*[^\W\d_])[\w-]+(?P<colon>:)(?=[^ \t])|(?P<dash>-)(?=[\w{\["']))"""
)
"""The start of a line such as ``map:|`` or ``-{fit: S}``, which YAML reads as plain text."""

JOINED_KEY = re.compile(r"(?=[\w-]*[^\W\d_])[\w-]+(?P<colon>:)[^ \t]")
"""Plain text that starts like a key joined to its value: ``rooms:20``."""
OPENED = re.compile(r"(?:[\w-]+:|-)[{\[\"'|>]")
"""Plain text with a bracket, quote or bar right behind its colon or dash: ``map:|``."""
JOINED_ITEM = re.compile(r"(?P<dash>-)[{\[\"']")

EXPLANATIONS: tuple[tuple[str, bool, str], ...] = (
    ("tab character", False, TAB_INDENTS),
    ("while scanning an alias", True, QUOTE_IT),
    ("while scanning an anchor", True, QUOTE_IT),
    ("while scanning a directive", True, QUOTE_IT),
    ("while scanning a block scalar", True, "nothing may follow {char} in its line; if {char} is meant as text, put it in quotes"),
    ("while scanning a simple key", True, "a colon is missing after this"),
    ("unexpected end of stream", True, "this quote is never closed"),
    ("that cannot start any token", False, QUOTE_IT),
    ("mapping values are not allowed", False, "no colon can stand here: is the indentation right, the line above whole, or a text with a colon without quotes?"),
    ("did not find expected key", False, NO_KEY),
    ("expected '-' indicator", False, "this list goes on without a dash: is the indentation right?"),
    ("expected ',' or ']'", True, "a comma is missing in this list, or it is never closed"),
    ("expected ',' or '}'", True, "a comma is missing in this mapping, or it is never closed"),
    ("found unexpected ':'", False, NO_SPACE.format("colon")),
    ("expected node content", False, "a value is missing here, or must stand in quotes"),
    ("tag handle", False, NO_TAGS),
    ("maximum nesting depth", False, TOO_DEEP),
    ("unknown escape character", False, "in double quotes a backslash is written twice"),
)  # fmt: skip
"""(part of the parser's message, which place to show, our message).

The place is where the parser began to read the construct (True), or where it gave up (False).
"""


def explain(error: yaml.MarkedYAMLError, lines: Lines) -> tuple[int, int, str]:
    """Return (line, column, message in plain words) for a syntax error; line and column count from 1.

    Args:
        error: What the YAML parser raised.
        lines: The lines of the file.
    """
    said = f"{error.context or ''} {error.problem or ''}"
    at = error.problem_mark or error.context_mark
    message = error.problem or error.context or "its structure is not clear"
    if at is not None and "while parsing a flow" in said:
        for number in (at.line, at.line - 1):
            if 0 <= number < len(lines) and (match := HASH_IN_FLOW.search(lines[number])):
                return number + 1, match.start(1) + 1, HASH_BEGINS.format("value")
    if at is not None and error.context != "while scanning a block scalar":
        slip = _missing_space(lines, at.line)
        if slip is not None:
            return slip
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
        message = TAB_INDENTS
    return at.line + 1, at.column + 1, printable(message.replace("{char}", char))


def _missing_space(lines: Lines, index: int) -> tuple[int, int, str] | None:
    """Return (line, column, message) for a colon or dash without a space after it; None if there is none.

    The search runs upward from line `index` (from 0), where the parser gave up: without its space, ``key:value`` begins
    a text that takes in all lines below it that are indented further. The returned line and column count from 1.
    """
    deepest = None
    for number in range(min(index, len(lines) - 1), -1, -1):
        line = lines[number]
        words = line.lstrip(" ")
        indent = len(line) - len(words)
        if not words or words[0] == "#" or (deepest is not None and indent > deepest):
            continue
        match = MISSING_SPACE.match(line)
        if match is not None:
            what = str(match.lastgroup)
            return number + 1, match.start(what) + 1, NO_SPACE.format(what)
        if deepest is not None:
            break
        deepest = indent
    return None


def begins_joined(text: str) -> tuple[int, str] | None:
    """Return (index of the colon or dash, message) for plain text that begins like ``key:value`` or ``-[item``; else None.

    In such a text the space after the colon or dash is missing.
    """
    match = JOINED_KEY.match(text) or JOINED_ITEM.match(text)
    if match is None:
        return None
    what = str(match.lastgroup)
    return match.start(what), NO_SPACE.format(what)


def is_opened(key: str) -> bool:
    """Tell whether a key has a bracket, quote or bar right behind its colon or dash, so that a space is missing there."""
    return OPENED.match(key) is not None


def lost_row(rows: str, line: int, lines: Lines) -> int | None:
    """Return the line number (from 1) of a drawing's row that YAML reads as a comment; None if there is none.

    To YAML, a row that begins with ``#`` and is indented less than the rows above it is a comment::

        map: |
            #####
          #.#          <- read as a comment

    Args:
        rows: The block text.
        line: The line, from 1, in which its ``|`` stands.
        lines: All lines of the file.
    """
    after = line + (rows.rstrip("\n").count("\n") + 1 if rows.rstrip("\n") else 0)
    return after + 1 if after < len(lines) and ROW_LIKE_COMMENT.match(lines[after]) else None


def hash_after(line: str, column: int) -> int | None:
    """Return the column (from 1) of a ``#`` that turned the value at `column` of `line` into a comment; None if there is none."""
    match = HASH_AS_VALUE.match(line, column - 1)
    return match.start(1) + 1 if match else None


def is_hash_key(line: str) -> bool:
    """Tell whether the line is ``#: ...``, meant as a key but read as a comment."""
    return HASH_AS_KEY.match(line) is not None


def hash_keys(text: str) -> Iterator[int]:
    """Yield the index of every ``#`` in a text that may be meant as a key, but turns its line into a comment."""
    if "#:" in text:
        yield from (match.start(1) for match in HASH_AS_KEY.finditer(text))
