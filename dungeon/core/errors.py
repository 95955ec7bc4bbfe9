"""Errors that say who is at fault, where, and what would have been right; and how they quote what stands in a file.

A quotation is on one line, cut short, and has nothing in it that a terminal obeys.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from reprlib import Repr
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


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


Severity = Literal["error", "warning", "note"]

SHOWN_ALLOWED = 8
"""How many allowed values a printed problem lists before it says how many more there are."""


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Source:
    """A place in a content file. Lines and columns count from 1; 0 means the file as a whole.

    Attributes:
        file: Its path.
        line: The line.
        column: The column, in characters.
    """

    file: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}" if self.line else self.file


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One thing that is wrong in the content.

    Attributes:
        source: Where it stands.
        entry: The entry it stands in, as the author names it (``robot 'sweeper'``), or empty.
        message: What is wrong, in one sentence without a full stop.
        value: The bad value as text, or None where something is missing.
        allowed: What would have been accepted, where that is a list.
        nearest: The allowed value closest to the bad one, where one is close.
        severity: error, warning or note; content with errors is not loaded.
    """

    source: Source
    message: str
    entry: str = ""
    value: str | None = None
    allowed: tuple[str, ...] = ()
    nearest: str | None = None
    severity: Severity = "error"

    def __str__(self) -> str:
        entry = f"{self.entry}: " if self.entry else ""
        text = f"{self.source}: {self.severity}: {entry}{self.message}"
        if self.value is not None:
            text += f": {self.value}"
        if self.nearest is not None:
            text += f" (did you mean {printable(self.nearest)}?)"
        elif self.allowed:
            shown = ", ".join(map(printable, self.allowed[:SHOWN_ALLOWED]))
            more = len(self.allowed) - SHOWN_ALLOWED
            text += f" (allowed: {shown}{f' and {more} more' if more > 0 else ''})"
        return text


def nearest_match(word: str, allowed: Iterable[str]) -> str | None:
    """Return the allowed name that `word` was most likely meant to be, or None."""
    from difflib import get_close_matches  # noqa: PLC0415  # only mistakes need it

    matches = get_close_matches(word, list(allowed), n=1, cutoff=0.6)
    return matches[0] if matches else None


def unknown(what: str, name: object, allowed: Iterable[str]) -> str:
    """Say that there is no such thing of this name, which ones there are, and which one may be meant."""
    names = list(allowed)
    nearest = nearest_match(str(name), names)
    hint = f" (did you mean {nearest}?)" if nearest else ""
    return f"there is no {what} {name!r}, only {', '.join(names)}{hint}"


def with_article(noun: str) -> str:
    """Return ``an item`` or ``a robot``."""
    return f"{'an' if noun[:1] in tuple('aeiou') else 'a'} {noun}"


def counted(count: int, what: str) -> str:
    """Return ``1 error`` or ``3 errors``."""
    return f"{count} {what}{'' if count == 1 else 's'}"


class ContentError(ValueError):
    """The author's content is wrong; every problem found is in `problems`."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems: tuple[Problem, ...] = tuple(sorted(problems, key=lambda problem: problem.source))
        heading = f"{counted(len(self.problems), 'problem')} in the content"
        super().__init__("\n".join([heading, *(f"  {problem}" for problem in self.problems)]))

    def __reduce__(self) -> tuple[type[ContentError], tuple[tuple[Problem, ...]], dict[str, object]]:
        # An exception is made again from `args`, which here is the message alone.
        return type(self), (self.problems,), vars(self)


class GenerationError(RuntimeError):
    """A map could not be made although its content is valid: a parameter asks for too much, or we have a bug."""


class CrowdedError(GenerationError):
    """A ground plan has no place for what must be on the map; another one might."""


class HopelessError(GenerationError):
    """A map could not be made, and whatever chance does it can't be: so nobody tries again."""


class CrampedError(HopelessError):
    """Likewise, in the space that there is: with more of it, or elsewhere, it might."""


class PluginError(ImportError):
    """A plugin could not be imported; the message says which one, and why."""


class PluginWarning(UserWarning):
    """An installed plugin could not be imported: content that needs it can't be read, all else works."""


A_LEVEL = "a level, such as world.level('foundry/3')"
A_SCENE = "a level, a sample of a prefab or a frame of a recording"
A_FOLDER = "the path of a folder, as text or a Path"
A_FILE = "the path of a file, as text or a Path"
CONTENT = "content, such as load_content('data')"

_SHORT = Repr()
_SHORT.maxstring = _SHORT.maxother = 60


def check_type(value: object, kinds: type | tuple[type, ...], function: str, wanted: str) -> None:
    """Raise a TypeError unless an argument is of one of these types.

    Args:
        value: The argument.
        kinds: The types that it may have.
        function: The name of the public function that has got it.
        wanted: What it should be, in words that follow "takes".

    Raises:
        TypeError: "tiles() takes a level, such as world.level('foundry/3'), not 'foundry/3'".
    """
    if not isinstance(value, kinds):
        raise TypeError(f"{function}() takes {wanted}, not {_SHORT.repr(value)}")


@contextmanager
def file_errors(kind: type[Exception], what: str, file: object = None) -> Iterator[None]:
    """Raise an OSError as an error of that kind: a file, by default the one that the OSError names, cannot be `what`."""
    try:
        yield
    except OSError as error:
        raise kind(f"{file or error.filename} cannot be {what}: {error.strerror}") from error


class PlaytestError(Exception):
    """A run can't be recorded or read; the message says why, and what to do."""
