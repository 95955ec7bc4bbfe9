"""YAML that remembers where every key and value stands.

Parsing goes by events rather than by PyYAML's constructors: nothing is ever built but mappings, lists and
scalars; nesting is not recursive; duplicate keys are noticed; and words stay words. As in YAML 1.2, only
`true` and `false` are booleans (`no` is a word) and `12:30` is not a number. Keys are always text, as written.
Anchors, aliases and `<<` merges work; an alias shares what it names, and sharing is bounded.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

import yaml

from dungeon.errors import Problem, Source

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_BYTES = 8_000_000
MAX_NESTING = 40
MAX_NODES = 500_000
"""How many nodes a file may have once its aliases are written out."""

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""libyaml where PyYAML has it: five times as fast."""

INT = re.compile(r"[-+]?[0-9]{1,15}")
FLOAT = re.compile(r"[-+]?(\.[0-9]{1,15}|[0-9]{1,15}(\.[0-9]{0,15})?)([eE][-+]?[0-9]{1,2})?")
WORDS: dict[str, object] = {"": None, "~": None, "null": None, "true": True, "false": False}


class Mark(NamedTuple):
    """A place in a file, counted from 1.

    Where a text in the style ``|`` begins, its rows stand in the lines below, indented by `indent` spaces;
    anywhere else `indent` is -1.
    """

    line: int
    column: int
    indent: int = -1


class MarkedDict(dict[str, Any]):
    """A mapping that knows where its keys and values stand."""

    __slots__ = ("keys_at", "mark", "merged", "values_at")

    def __init__(self, mark: Mark) -> None:
        super().__init__()
        self.mark = mark
        self.keys_at: dict[str, Mark] = {}
        self.values_at: dict[str, Mark] = {}
        self.merged: set[str] = set()
        """Keys that came by ``<<`` and may still be overridden."""


class MarkedList(list[Any]):
    """A list that knows where its items stand."""

    __slots__ = ("items_at", "mark")

    def __init__(self, mark: Mark) -> None:
        super().__init__()
        self.mark = mark
        self.items_at: list[Mark] = []


def locate(data: object, path: Iterable[str | int], *, key: bool = False) -> Mark:
    """Return the mark of the value that the path leads to, or of its key.

    A path may lead further than the file goes (to a missing key, say): the last place that exists is meant.
    """
    mark = data.mark if isinstance(data, MarkedDict | MarkedList) else Mark(0, 0)
    for step in path:
        if isinstance(data, MarkedDict) and step in data:
            name = str(step)
            mark = data.keys_at[name] if key else data.values_at[name]
            data = data[name]
        elif isinstance(data, MarkedList) and isinstance(step, int) and step < len(data):
            mark = data.items_at[step]
            data = data[step]
    return mark


class _Open:
    """A mapping or list that is being read."""

    __slots__ = ("anchor", "into", "key", "key_mark", "nodes")

    def __init__(self, into: MarkedDict | MarkedList, anchor: str | None) -> None:
        self.into = into
        self.anchor = anchor
        self.key: str | None = None
        self.key_mark = into.mark
        self.nodes = 1


class _StopReading(Exception):  # noqa: N818  # nothing failed: reading just ends
    """The rest of the file makes no sense."""


class _Reader:
    """Turns the events of one file into marked data, and gathers what is wrong on the way."""

    def __init__(self, text: str, file: str) -> None:
        self.text = text
        self.file = file
        self.problems: list[Problem] = []
        self.root: object = None
        self.stack: list[_Open] = []
        self.anchors: dict[str, tuple[object, int]] = {}
        self.documents = 0
        self.lines: list[str] | None = None

    def problem(self, mark: Mark, message: str, value: str | None = None) -> None:
        source = Source(file=self.file, line=mark.line, column=mark.column)
        self.problems.append(Problem(source=source, message=message, value=value))

    def read(self) -> object:
        try:
            for event in yaml.parse(self.text, Loader=LOADER):
                self.take(event)
        except yaml.MarkedYAMLError as error:
            at = error.problem_mark or error.context_mark
            mark = Mark(at.line + 1, at.column + 1) if at else Mark(0, 0)
            self.problem(mark, f"this is not YAML: {error.problem or error.context}")
        except yaml.reader.ReaderError as error:
            line = self.text.count("\n", 0, error.position) + 1
            self.problem(Mark(line, 1), f"this is not YAML: {error.reason}")
        except _StopReading:
            pass
        return self.root

    def take(self, event: yaml.Event) -> None:
        if isinstance(event, yaml.DocumentStartEvent):
            self.documents += 1
            if self.documents > 1:
                self.problem(_mark(event), "a second document begins here; one file holds one")
                raise _StopReading
        elif isinstance(event, yaml.ScalarEvent):
            self.check_tag(event)
            # libyaml gives plain scalars the style "", the Python parser None.
            value = resolve(event.value) if event.implicit[0] and not event.style else event.value
            mark = _mark(event)
            if event.style == "|":
                mark = mark._replace(indent=self.indent_of(event))
            self.add(value, mark, event.anchor, raw=event.value)
        elif isinstance(event, yaml.MappingStartEvent):
            self.begin(event, MarkedDict(_mark(event)))
        elif isinstance(event, yaml.SequenceStartEvent):
            self.begin(event, MarkedList(_mark(event)))
        elif isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
            done = self.stack.pop()
            self.add(done.into, done.into.mark, done.anchor, nodes=done.nodes)
        elif isinstance(event, yaml.AliasEvent):
            self.alias(event)

    def indent_of(self, event: yaml.ScalarEvent) -> int:
        """Return how far the rows of a block text are indented in the file."""
        if self.lines is None:
            self.lines = self.text.split("\n")
        first, row = next(((i, row) for i, row in enumerate(event.value.split("\n")) if row), (0, ""))
        number = _mark(event).line + first
        line = self.lines[number].rstrip("\r") if number < len(self.lines) else ""
        return max(len(line) - len(row), 0)

    def check_tag(self, event: yaml.ScalarEvent | yaml.CollectionStartEvent) -> None:
        if event.tag not in (None, "!"):
            self.problem(_mark(event), "tags have no meaning here", str(event.tag))

    def begin(self, event: yaml.CollectionStartEvent, into: MarkedDict | MarkedList) -> None:
        self.check_tag(event)
        if len(self.stack) >= MAX_NESTING:
            self.problem(into.mark, f"this nests more than {MAX_NESTING} deep")
            raise _StopReading
        self.stack.append(_Open(into, event.anchor))

    def alias(self, event: yaml.AliasEvent) -> None:
        mark = _mark(event)
        if event.anchor not in self.anchors:
            inside = any(each.anchor == event.anchor for each in self.stack)
            message = "this alias stands inside of what it names" if inside else "no anchor has this name"
            self.problem(mark, message, f"*{event.anchor}")
            self.add(None, mark, None)
            return
        value, nodes = self.anchors[event.anchor]
        self.add(value, mark, None, nodes=nodes)

    def add(
        self, value: object, mark: Mark, anchor: str | None, *, raw: str | None = None, nodes: int = 1
    ) -> None:
        """Put a finished value where it belongs."""
        if anchor is not None:
            self.anchors[anchor] = value, nodes
        if not self.stack:
            self.root = value
            return
        top = self.stack[-1]
        top.nodes += nodes
        if top.nodes > MAX_NODES:
            self.problem(mark, f"with its aliases written out this file has more than {MAX_NODES} parts")
            raise _StopReading
        if isinstance(top.into, MarkedList):
            top.into.append(value)
            top.into.items_at.append(mark)
        elif top.key is None:
            top.key_mark = mark
            if raw is None and not isinstance(value, str):
                self.problem(mark, "a key must be a single word or number")
                top.key = f"?{mark.line}:{mark.column}"
            else:
                top.key = raw if raw is not None else str(value)
        else:
            key, top.key = top.key, None
            self.put(top.into, key, top.key_mark, value, mark)

    def put(self, into: MarkedDict, key: str, key_mark: Mark, value: object, mark: Mark) -> None:
        if key == "<<":
            self.merge(into, value, mark)
        elif key in into and key not in into.merged:
            first = into.keys_at[key]
            self.problem(key_mark, f"this key stands here twice, first in line {first.line}", key)
        else:
            into[key] = value
            into.keys_at[key] = key_mark
            into.values_at[key] = mark
            into.merged.discard(key)

    def merge(self, into: MarkedDict, value: object, mark: Mark) -> None:
        """Take over what a ``<<`` names, where the mapping does not say otherwise itself."""
        for each in value if isinstance(value, MarkedList) else [value]:
            if not isinstance(each, MarkedDict):
                self.problem(mark, "<< takes a mapping, or a list of mappings")
                continue
            for key in each:
                if key not in into:
                    into[key] = each[key]
                    into.keys_at[key] = each.keys_at[key]
                    into.values_at[key] = each.values_at[key]
                    into.merged.add(key)


def _mark(event: yaml.Event) -> Mark:
    at = event.start_mark
    return Mark(at.line + 1, at.column + 1) if at is not None else Mark(0, 0)


def resolve(text: str) -> object:
    """Return what a plain scalar means: nothing, a boolean, a number, or the word itself."""
    if text in WORDS:
        return WORDS[text]
    if INT.fullmatch(text):
        return int(text)
    if FLOAT.fullmatch(text):
        return float(text)
    return text


def read_yaml(data: bytes, file: str) -> tuple[object, list[Problem]]:
    """Read a YAML file.

    Args:
        data: Its bytes.
        file: Its name, for messages.

    Returns:
        The data (`MarkedDict`, `MarkedList` or a scalar; None for an empty file), as far as it could be
        read, and all problems found.
    """
    if len(data) > MAX_BYTES:
        return None, [Problem(source=Source(file=file), message=f"is larger than {MAX_BYTES} bytes")]
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        source = Source(file=file, line=line, column=1)
        return None, [Problem(source=source, message="is not UTF-8 text")]
    reader = _Reader(text, file)
    return reader.read(), reader.problems
