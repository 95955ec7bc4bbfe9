"""A YAML reader that remembers the place (line and column) of every key and value.

A *scalar* is a value that is no mapping or list; a *block text* is one after ``|``, such as a drawing.

It works on the parser's events rather than with PyYAML's constructors. So only mappings, lists and scalars
are ever built, deep nesting can't exhaust the stack, duplicate keys are noticed, and words stay words:

- Only ``true`` and ``false`` are booleans; ``no`` is a word.
- Only ``12``, ``1.5`` and ``1.5e-3`` are numbers; ``12:30``, ``0x10``, ``1_000``, ``007`` and ``.inf`` are words.
- ``1e3`` is a word, since it may be a name; it counts as a number where only a number is allowed.
- Keys are always text, as written.

Anchors, aliases and ``<<`` merges work. An alias shares the data that it names, and the size with all aliases
written out is limited.
"""

from __future__ import annotations

import codecs
import math
import re
from bisect import bisect
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

import yaml

from dungeon.content.source.marks import (
    BROKEN,
    JOINED,
    LINE_ENDS,
    Broken,
    Lines,
    Mark,
    MarkedDict,
    MarkedList,
)
from dungeon.content.source.yaml_slips import (
    HASH_BEGINS,
    MAX_NESTING,
    NO_KEY,
    NO_TAGS,
    SHIFTED_ROW,
    TOO_DEEP,
    begins_joined,
    explain,
    hash_after,
    hash_keys,
    is_hash_key,
    is_opened,
    lost_row,
)
from dungeon.core.errors import Problem, Source, written

if TYPE_CHECKING:
    from collections.abc import Callable


INT = re.compile(r"[-+]?(0|[1-9][0-9]{0,14})")
EXPONENT = "[eE][-+]?[0-9]{1,3}"
FRACTION = "[0-9]{1,400}"
"""Digits after the decimal point; no program writes a number with more than 400 of them."""

FLOAT = re.compile(rf"[-+]?(\.{FRACTION}|(0|[1-9][0-9]{{0,14}})\.({FRACTION})?)({EXPONENT})?")
POWER = re.compile(INT.pattern + EXPONENT)
"""Numbers that YAML takes for words because they have no decimal point: ``1e3``."""

NUMBER_BEGINS = "-+.0123456789"
WORDS: dict[str, object] = {"": None, "~": None, "null": None, "true": True, "false": False}


def resolve(text: str) -> object:
    """Return what plain text without quotes means: None, a boolean, a number, or the text itself.

    A number has no leading zeros, at most 15 digits before the point, and is finite. Anything else stays
    text, so that messages can show it as written.
    """
    if text in WORDS:
        return WORDS[text]
    if text[0] in NUMBER_BEGINS:
        if INT.fullmatch(text):
            return int(text)
        if FLOAT.fullmatch(text) and math.isfinite(number := float(text)):
            return number
    return text


def as_number(raw: object) -> object:
    """Return what plain text means where a number is needed: like `resolve`, but `1e-3` is a number, too.

    What is no text is returned unchanged.
    """
    if not isinstance(raw, str):
        return raw
    if POWER.fullmatch(raw) and math.isfinite(number := float(raw)):
        return number
    return resolve(raw)


MAX_BYTES = 4_000_000
"""The largest file read.

A cell of a drawing takes a byte, so this is enough for four layers of 1000x1000 cells.
"""

MAX_NODES = 60_000
"""Maximum number of keys and values in a file with its aliases written out: enough for about 2,000 prefabs."""

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""libyaml's parser where PyYAML was built with it: five times as fast as the Python one."""

MAX_PROBLEMS = 500
"""Maximum number of problems gathered from one file before reading stops."""

TAG_DIRECTIVE = re.compile(f"(?:^|[{LINE_ENDS}])(%TAG)")

UNPRINTABLE = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that YAML forbids in a file."""

SURROGATE = re.compile("[\ud800-\udfff]")


class Parsed(NamedTuple):
    """A YAML file as far as it could be read.

    Attributes:
        root: The file's data: a `MarkedDict`, a `MarkedList` or a scalar; None for an empty file.
        problems: Everything that is wrong with the file.
        whole: Whether all of it was read.
    """

    root: object
    problems: list[Problem]
    whole: bool


class _OpenNode:
    """A mapping or list of which the reader has seen the beginning, but not the end."""

    __slots__ = ("anchor", "into", "is_whole", "key", "key_joined", "key_mark", "merged", "nodes")

    def __init__(self, into: MarkedDict | MarkedList, anchor: str | None, *, is_whole: bool) -> None:
        self.into = into
        self.anchor = anchor
        self.key: str | Broken | None = None
        self.key_mark = into.mark
        self.key_joined: tuple[Mark, tuple[int, str] | None] | None = None
        """For a key without quotes: its place and, if it looks like ``key:value``, the index of the colon and the message."""
        self.is_whole = is_whole
        """Whether every key of the mapping could be read."""
        self.merged: set[str] | None = None
        """Keys that came by ``<<`` and may still be overridden; None before the first ``<<``."""
        self.nodes = 1


class _StopReading(Exception):  # noqa: N818  # nothing failed: reading just ends
    """Raised to end reading, because the rest of the file would make no sense."""


class _YamlReader:
    """Turns the events of one file into marked data, and gathers its problems."""

    def __init__(self, text: str, file: str) -> None:
        self.text = text
        self.file = file
        self.problems: list[Problem] = []
        self.root: object = None
        self.is_whole = True
        self.stack: list[_OpenNode] = []
        self.anchors: dict[str, tuple[object, Mark, int]] = {}
        self.documents = 0
        self.blocks: list[tuple[int, int]] = []
        """The first and last line of every block text."""
        self.lines = Lines(text)
        self.last_line = len(self.lines)

    def problem(self, mark: Mark, message: str, value: str | None = None) -> None:
        """Add a problem; after `MAX_PROBLEMS` of them stop reading."""
        if len(self.problems) >= MAX_PROBLEMS:
            message, value = "there are more problems from here on, which are not listed", None
        value = None if value is None else written(value)
        source = Source(file=self.file, line=mark.line, column=mark.column)
        self.problems.append(Problem(source=source, message=message, value=value))
        if len(self.problems) > MAX_PROBLEMS:
            raise _StopReading

    def read(self) -> Parsed:
        """Return the file's data, as far as it could be read, and its problems."""
        whole = False
        try:
            self.take_all()
            self.find_lost_keys()
            whole = self.is_whole
        except yaml.MarkedYAMLError as error:
            line, column, message = explain(error, self.lines)
            line, column, *_ = self.inside(Mark(line, column))
            message = SHIFTED_ROW if message == NO_KEY and self.is_shifted_row(line) else message
            if not any((said.source.line, said.source.column) == (line, column) for said in self.problems):
                with suppress(_StopReading):
                    prefix = "" if message == TOO_DEEP else "this is not YAML: "
                    self.problem(Mark(line, column), prefix + message)
            if len(self.stack) == 1 and isinstance(self.stack[0].into, MarkedDict) and self.stack[0].into:
                last, _ = self.stack[0].into.popitem()  # the last entry may be cut off
                del self.stack[0].into.marks[last]
        except _StopReading:
            pass
        if not whole and self.stack:
            self.root = self.stack[0].into  # with everything in it that was complete
        return Parsed(self.root, self.problems, whole)

    def inside(self, mark: Mark) -> Mark:
        """Return `mark`; but if it lies below the last line, as some marks of the parser do, return the end of the last line."""
        if mark.line <= self.last_line:
            return mark
        return Mark(self.last_line, len(self.lines[-1]) + 1)

    def take_all(self) -> None:
        """Process every event of the file, in order."""
        take: dict[type[yaml.Event], Callable[[Any], None]] = {
            yaml.ScalarEvent: self.scalar,
            yaml.MappingStartEvent: self.begin,
            yaml.SequenceStartEvent: self.begin,
            yaml.MappingEndEvent: self.end,
            yaml.SequenceEndEvent: self.end,
            yaml.AliasEvent: self.alias,
            yaml.DocumentStartEvent: self.document,
            yaml.DocumentEndEvent: lambda _: None,
            yaml.StreamStartEvent: lambda _: None,
        }
        loader = LOADER(self.text)
        next_event = loader.get_event
        try:
            while (kind := type(event := next_event())) is not yaml.StreamEndEvent:
                take[kind](event)
        finally:
            loader.dispose()

    def document(self, event: yaml.DocumentStartEvent) -> None:
        """Begin a document; a second one in the same file is a problem."""
        self.documents += 1
        if self.documents > 1:
            self.problem(_mark(event), "a second YAML document begins here, but a file can hold only one")
            raise _StopReading

    def scalar(self, event: yaml.ScalarEvent) -> None:
        """Add a scalar (a text, number, boolean or empty value) to the data, and report what is wrong with it."""
        mark = _mark(event)
        if mark.line > self.last_line:
            mark = self.inside(mark)
        raw: str = event.value
        if event.tag is not None:
            self.has_tag(event)
            self.add(BROKEN, mark, event.anchor)
            return
        value: object = raw
        style = event.style
        # libyaml gives plain scalars the style "", the Python parser None.
        if not style:
            if event.implicit[0]:
                value = resolve(raw)
            if (not raw or raw[0] == "-" or ":" in raw) and self.is_no_scalar(raw, mark):
                value = BROKEN
        elif style == "|":
            mark = mark._replace(indent=self.indent_of(raw, mark))
            if self.has_lost_row(raw, mark):
                value = BROKEN
        elif SURROGATE.search(raw):
            self.problem(mark, "this escape sequence stands for no character")
            value = BROKEN
        end = event.end_mark
        if (
            end is not None
            and end.line >= mark.line
            and style != "|"
            and not self.keeps_rows(event, range(mark.line - 1, end.line))
        ):
            mark = mark._replace(indent=JOINED)
        self.add(value, mark, event.anchor, None if value is BROKEN else raw)

    def keeps_rows(self, event: yaml.ScalarEvent, lines: range) -> bool:
        """Tell whether a quoted text over several lines keeps its line breaks, as texts written by programs do.

        Programs write a line break as an empty line or an escape, and end the parts of one long row with a
        backslash. If an author writes rows below each other in quotes, YAML joins them with spaces instead.

        Args:
            event: The text.
            lines: The lines that it stands on except the last, counted from 0.
        """
        if event.style not in ("'", '"'):
            return False
        return "\n" in event.value or all(self.lines[number].endswith("\\") for number in lines)

    def indent_of(self, rows: str, mark: Mark) -> int:
        """Return by how many spaces the rows of a block text are indented in the file."""
        first, row = next(((i, row) for i, row in enumerate(rows.split("\n")) if row), (0, ""))
        number = mark.line + first
        line = self.lines[number] if number < len(self.lines) else ""
        return max(len(line) - len(row), 0)

    def has_lost_row(self, rows: str, mark: Mark) -> bool:
        """Report a row that YAML took for a comment after a block text; tell whether there is one."""
        self.blocks.append((mark.line, mark.line + rows.count("\n")))
        line = lost_row(rows, mark.line, self.lines)
        if line is None:
            return False
        column = self.lines[line - 1].index("#") + 1
        message = (
            "YAML takes this row for a comment, because it is not indented like the rows of the text above"
        )
        self.problem(Mark(line, column), message)
        return True

    def is_lost(self, mark: Mark) -> bool:
        """Tell whether the value at `mark` is empty because YAML took it for a comment (``fg: #ff0000``), and report that.

        A ``#`` at the start of the next line counts too, but is reported by `find_lost_keys`.
        """
        line = self.lines[mark.line - 1] if mark.line <= len(self.lines) else ""
        column = hash_after(line, mark.column)
        if column is None:
            return mark.line < len(self.lines) and is_hash_key(self.lines[mark.line])
        self.problem(Mark(mark.line, column), HASH_BEGINS.format("value"))
        return True

    def is_no_scalar(self, raw: str, mark: Mark) -> bool:
        """Tell whether a scalar is not what its author meant, because of a ``#`` or a missing space, and report that.

        Args:
            raw: The text of the scalar; may be empty.
            mark: Its place.
        """
        return (not raw and self.is_lost(mark)) or self.is_joined(raw, mark)

    def is_joined(self, raw: str, mark: Mark) -> bool:
        """Tell whether plain text lacks the space between a key and its value (``rooms:20``), or after a dash, and report that.

        Such a text is found where a key is expected, with no value after it; or in the line below a key, where
        a mapping should begin.
        """
        top = self.stack[-1] if self.stack else None
        if top is None or not isinstance(top.into, MarkedDict):
            return False
        slip, at = begins_joined(raw), mark
        if top.key is None:
            top.key_joined = mark, slip
            if not is_opened(raw):
                return False
        elif not raw:
            joined, at, raw = top.key_joined, top.key_mark, str(top.key)
            slip = joined[1] if joined is not None and joined[0] is at else None
            top.is_whole = top.is_whole and slip is None
        elif mark.line == top.key_mark.line:
            return False
        if slip is None:
            return False
        index, message = slip
        self.problem(Mark(at.line, at.column + index), message, raw)
        return True

    def is_shifted_row(self, line: int) -> bool:
        """Tell whether a line looks like a row of the block text right above it."""
        if not self.blocks or line <= self.blocks[-1][1] or ":" in self.lines[line - 1]:
            return False
        return not any(self.lines[between - 1].strip() for between in range(self.blocks[-1][1] + 1, line))

    def find_lost_keys(self) -> None:
        """Report each ``#`` that was meant as a key (``#: wall``) but that YAML took for the start of a comment."""
        for index in hash_keys(self.text):
            mark = self.lines.place(index)
            after = bisect(self.blocks, (mark.line,))
            if not (after and mark.line <= self.blocks[after - 1][1]):
                self.problem(mark, HASH_BEGINS.format("key"))

    def has_tag(self, event: yaml.ScalarEvent | yaml.CollectionStartEvent) -> bool:
        """Report a tag (``!name``); tell whether there is one."""
        if event.tag is None:
            return False
        self.problem(_mark(event), NO_TAGS, str(event.tag))
        return True

    def begin(self, event: yaml.CollectionStartEvent) -> None:
        """Begin a mapping or list: values that follow are put into it until its end."""
        mark = _mark(event)
        is_whole = event.tag is None or not self.has_tag(event)
        if len(self.stack) >= MAX_NESTING:
            self.problem(mark, TOO_DEEP)
            raise _StopReading
        into = MarkedDict(mark) if type(event) is yaml.MappingStartEvent else MarkedList(mark)
        self.stack.append(_OpenNode(into, event.anchor, is_whole=is_whole))

    def end(self, _: yaml.CollectionEndEvent) -> None:
        """Finish a mapping or list and add it to the one around it."""
        done = self.stack.pop()
        if not self.stack:
            self.root, self.is_whole = done.into, done.is_whole
        else:
            value = done.into if done.is_whole else BROKEN
            self.add(value, done.into.mark, done.anchor, nodes=done.nodes)

    def alias(self, event: yaml.AliasEvent) -> None:
        """Add the data that a YAML alias (``*name``) stands for."""
        mark = _mark(event)
        if event.anchor in self.anchors:
            value, named, nodes = self.anchors[event.anchor]
            # Problems of a drawing are reported where its rows are written, not at the alias.
            self.add(value, named if named.indent >= 0 else mark, None, nodes=nodes)
            return
        inside = any(each.anchor == event.anchor for each in self.stack)
        message = (
            "this alias is inside the value that it names" if inside else "no anchor above has this name"
        )
        self.problem(mark, message, f"*{event.anchor}")
        self.add(BROKEN, mark, None)

    def add(
        self, value: object, mark: Mark, anchor: str | None, raw: str | None = None, nodes: int = 1
    ) -> None:
        """Add a finished value to the mapping or list around it; there it may also become the next key.

        Args:
            value: The value.
            mark: Its place.
            anchor: The name of its YAML anchor (``&name``); None without one.
            raw: The text of a scalar as written, which counts if it is a key.
            nodes: The number of keys and values in it, with all aliases written out.
        """
        if anchor is not None:
            self.anchors[anchor] = value, mark, nodes
        if not self.stack:
            self.root = value
            return
        top = self.stack[-1]
        top.nodes += nodes
        if top.nodes > MAX_NODES:
            self.problem(
                mark, f"with its aliases written out this file has more than {MAX_NODES} keys and values"
            )
            raise _StopReading
        into, key = top.into, top.key
        if isinstance(into, MarkedList):
            into.append(value)
            into.marks.append(mark)
        elif key is None:
            top.key, top.key_mark = raw if raw is not None else self.key(value, mark), mark
        else:
            top.key = None
            if isinstance(key, Broken):
                top.is_whole = False
            elif key in into or key == "<<" or top.merged:
                self.put(top, into, key, value, mark)
            else:
                into[key] = value
                into.marks[key] = top.key_mark, mark

    def key(self, value: object, mark: Mark) -> str | Broken:
        """Return the text of a YAML alias (``*name``) used as a key; if it names no text, report that and return `BROKEN`."""
        if isinstance(value, str):
            return value
        if not isinstance(value, Broken):
            self.problem(mark, "a key must be a single word or number")
        return BROKEN

    def put(self, top: _OpenNode, into: MarkedDict, key: str, value: object, mark: Mark) -> None:
        """Put a value into the mapping `into` of the node `top`: report a duplicate key, and handle ``<<``."""
        if key == "<<":
            self.merge(top, into, value, mark)
        elif key in into and not (top.merged and key in top.merged):
            first = into.marks[key][0]
            self.problem(
                top.key_mark, f"this key stands twice in one mapping, first in line {first.line}", key
            )
        else:
            into[key] = value
            into.marks[key] = top.key_mark, mark
            if top.merged:
                top.merged.discard(key)

    def merge(self, top: _OpenNode, into: MarkedDict, value: object, mark: Mark) -> None:
        """Copy into the mapping `into` the keys of the mappings that its ``<<`` names, except keys that it has itself.

        Args:
            top: The node of `into`.
            into: The mapping.
            value: What stands after ``<<``: a mapping, or a list of mappings.
            mark: The place of `value`.
        """
        if top.merged is not None:
            self.problem(
                top.key_mark,
                "this key stands twice in one mapping; to merge several mappings, write a list of them after a single <<",
                "<<",
            )
            return
        top.merged = set()
        for each in value if isinstance(value, MarkedList) else [value]:
            if isinstance(each, MarkedDict):
                for key in each:
                    if key not in into:
                        into[key] = each[key]
                        into.marks[key] = each.marks[key]
                        top.merged.add(key)
            else:
                top.is_whole = False
                if not isinstance(each, Broken):
                    self.problem(mark, "a mapping, or a list of mappings, is needed after <<")


def _mark(event: yaml.Event) -> Mark:
    at = event.start_mark
    # The same as `Mark(...)`, but faster: this runs for each key and value.
    return tuple.__new__(Mark, (at.line + 1, at.column + 1, -1, "")) if at is not None else Mark(0, 0)


def read_yaml(data: bytes, file: str) -> Parsed:
    """Return the marked data of a YAML file, and its problems.

    Args:
        data: Its bytes.
        file: Its name in messages.
    """
    if len(data) > MAX_BYTES:
        return _unreadable(file, Mark(0, 0), f"the file is larger than {MAX_BYTES:,} bytes")
    data = data.removeprefix(codecs.BOM_UTF8)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        message = "the file is UTF-16 text, but must be UTF-8" if wide else "the file is not UTF-8 text"
        before = data[: error.start].decode("utf-8")
        return _unreadable(file, Lines(before).place(len(before)), message)
    if bad := UNPRINTABLE.search(text):
        if bad[0] == "\0" and text.count("\0") * 3 > len(text):
            return _unreadable(file, Mark(0, 0), "the file is UTF-16 text, but must be UTF-8")
        mark = Lines(text).place(bad.start())
        return _unreadable(file, mark, "YAML does not allow this character", repr(bad[0]))
    if "%TAG" in text and (directive := TAG_DIRECTIVE.search(text)):
        # The parser's time grows with the square of their number.
        return _unreadable(
            file, Lines(text).place(directive.start(1)), "the directive %TAG has no meaning here"
        )
    return _YamlReader(text, file).read()


def _unreadable(file: str, mark: Mark, message: str, value: str | None = None) -> Parsed:
    source = Source(file=file, line=mark.line, column=mark.column)
    return Parsed(None, [Problem(source=source, message=message, value=value)], whole=False)
