"""Places in a file, and YAML data that knows where each of its keys and values stands."""

from __future__ import annotations

import re
from array import array
from bisect import bisect
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

LINE_ENDS = "\n\r\x85\u2028\u2029"
LINE_END = re.compile(f"\r\n|[{LINE_ENDS}]")
"""Where lines end, as the parser counts them."""


JOINED = -2


class Mark(NamedTuple):
    """A place in a file, counted from 1; line 0 is the file as a whole.

    Where a text in the style ``|`` begins, its rows stand in the lines below, indented by `indent` spaces. Where
    another text of several lines begins that YAML joins into one row, `indent` is `JOINED`; anywhere else -1. `file` is named where
    it is another one than that of the entry, as messages call it.
    """

    line: int
    column: int
    indent: int = -1
    file: str = ""


class Broken:
    """What stands for a value that could not be read; whoever meets it says nothing, for it has been reported."""

    def __repr__(self) -> str:
        return "BROKEN"


BROKEN = Broken()


def holds_broken(data: object) -> bool:
    """Tell whether a value, or any part of it, could not be read."""
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
    """A mapping that knows where its keys and values stand.

    Attributes:
        mark: Where it begins.
        marks: Key -> the places of the key and of its value.
    """

    __slots__ = ("mark", "marks")

    def __init__(self, mark: Mark) -> None:
        super().__init__()
        self.mark = mark
        self.marks: dict[str, tuple[Mark, Mark]] = {}


class MarkedList(list[Any]):
    """A list that knows where its items stand; `mark` is where it begins."""

    __slots__ = ("mark", "marks")

    def __init__(self, mark: Mark) -> None:
        super().__init__()
        self.mark = mark
        self.marks: list[Mark] = []


def locate(data: object, path: Iterable[str | int], *, key: bool = False) -> Mark:
    """Return the mark of the value that the path leads to, or of its key.

    A path may lead further than the file goes (to a missing key, say): the last place that exists is meant.
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
    """Return a copy of data from a file, in which every place names the file and so is good in any other one."""
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
    """Return the places of a key of a mapping from a file, and of its value, which name the file."""
    own, value = data.marks[key]
    return in_file(own, file), in_file(value, file)


def in_file(mark: Mark, file: str) -> Mark:
    """Return a place in a file, which names it."""
    return mark if mark.file else mark._replace(file=file)


class Lines:
    """The lines of a text, cut out when they are asked for."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.starts = array("I", [0])
        self.starts.extend(match.end() for match in LINE_END.finditer(text))

    def __len__(self) -> int:
        return len(self.starts)

    def __getitem__(self, index: int) -> str:
        """Return the line of that index, from 0, without its end."""
        after = self.starts[index + 1] if index + 1 < len(self.starts) else len(self.text)
        return self.text[self.starts[index] : after].rstrip(LINE_ENDS)

    def place(self, index: int) -> Mark:
        """Return the place of the character of that index."""
        line = bisect(self.starts, index)
        return Mark(line, index - self.starts[line - 1] + 1)
