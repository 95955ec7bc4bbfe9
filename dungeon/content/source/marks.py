"""Marks (line and column of a value in its file), and mappings and lists that remember the mark of each key and value.

A *path* is the keys and list indices that lead to a value. `BROKEN` stands for a value that could not be read.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

LINE_ENDS = "\n\r\x85\u2028\u2029"
LINE_END = re.compile(f"\r\n|[{LINE_ENDS}]")
"""Line ends, as the YAML parser counts them."""


JOINED = -2
"""`Mark.indent` of a text over several lines that YAML joined into a single line."""


class Mark(NamedTuple):
    """A place in a file: line and column from 1; line 0 means the file as a whole.

    Attributes:
        indent: For a block text (``|``), how many spaces its rows are indented. `JOINED` for another text
            over several lines, whose line breaks YAML removed. -1 for everything else.
        file: The file as messages call it, if it is not the file of the entry; else empty.
    """

    line: int
    column: int
    indent: int = -1
    file: str = ""


class Broken:
    """Type of `BROKEN`, which stands for a value that could not be read.

    The YAML reader reported it, so no one else does.
    """

    def __repr__(self) -> str:
        return "BROKEN"


BROKEN = Broken()


def holds_broken(data: object) -> bool:
    """Tell whether a value, or any part of it, is `BROKEN`."""
    waiting = [data]
    while waiting:
        each = waiting.pop()
        if each is BROKEN:
            return True
        if isinstance(each, dict):
            waiting += each.values()
        elif isinstance(each, list | tuple):
            waiting += each
    return False


class MarkedDict(dict[str, Any]):
    """A mapping that knows the places of its keys and values.

    Attributes:
        mark: Where it begins.
        marks: Key -> (place of the key, place of its value).
    """

    __slots__ = ("mark", "marks")

    def __init__(self, mark: Mark) -> None:
        super().__init__()
        self.mark = mark
        self.marks: dict[str, tuple[Mark, Mark]] = {}


class MarkedList(list[Any]):
    """A list that knows the places of its items.

    Attributes:
        mark: Where it begins.
        marks: The place of each item.
    """

    __slots__ = ("mark", "marks")

    def __init__(self, mark: Mark) -> None:
        super().__init__()
        self.mark = mark
        self.marks: list[Mark] = []


def locate(data: object, path: Iterable[str | int], *, key: bool = False) -> Mark:
    """Return the mark of the value that `path` leads to, or of its key if `key` is set.

    If the path leads to something missing, return the mark of the last part that exists. A mapping or list
    that remembers no marks gives line 0. A text or number, which stands for the whole file, gives line 1.
    """
    mark = Mark(1, 1) if isinstance(data, str | int | float) else Mark(0, 0)
    if isinstance(data, MarkedDict | MarkedList):
        mark = data.mark
    for step in path:
        if isinstance(data, MarkedDict) and step in data:
            mark = data.marks[str(step)][0 if key else 1]
            data = data[str(step)]
        elif isinstance(data, MarkedList) and isinstance(step, int) and step < len(data):
            mark = data.marks[step]
            data = data[step]
        else:
            break
    return mark


def stamped(data: Any, file: str) -> Any:
    """Return a copy of data in which every mark names `file`, so that the data can be put into an entry of another file.

    A mark that names a file already stays the same.
    """
    if isinstance(data, MarkedDict):
        mapping = MarkedDict(in_file(data.mark, file))
        for key, value in data.items():
            mapping[key] = stamped(value, file)
            mapping.marks[key] = marks_in_file(data, key, file)
        return mapping
    if isinstance(data, MarkedList):
        items = MarkedList(in_file(data.mark, file))
        items += [stamped(value, file) for value in data]
        items.marks += [in_file(mark, file) for mark in data.marks]
        return items
    return data


def marks_in_file(data: MarkedDict, key: str, file: str) -> tuple[Mark, Mark]:
    """Return the marks of a key of `data` and of its value, both naming `file`."""
    own, value = data.marks[key]
    return in_file(own, file), in_file(value, file)


def in_file(mark: Mark, file: str) -> Mark:
    """Return a copy of the mark that names `file`; a mark that names a file already is returned unchanged."""
    return mark if mark.file else mark._replace(file=file)


class Lines:
    """The lines of a text by their index from 0; only where each line starts is stored."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.starts = array("I", [0])
        self.starts.extend(match.end() for match in LINE_END.finditer(text))

    def __len__(self) -> int:
        return len(self.starts)

    def __getitem__(self, index: int) -> str:
        """Return the line at `index` (from 0) without its line end."""
        after = self.starts[index + 1] if index + 1 < len(self.starts) else len(self.text)
        return self.text[self.starts[index] : after].rstrip(LINE_ENDS)

    def place(self, index: int) -> Mark:
        """Return the place (line and column from 1) of the character at `index` of the text."""
        line = bisect(self.starts, index)
        return Mark(line, index - self.starts[line - 1] + 1)
