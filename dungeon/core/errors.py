"""The exceptions of the library, problems in content with their place and a suggestion, and helpers for messages.

Messages quote values from files on one line, shortened, and with control characters escaped.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import PurePath
from reprlib import Repr
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator


SHOWN = 60
"""Maximum number of characters of a bad value in a message."""


def written(value: object, room: int = SHOWN) -> str:
    """Return a value as YAML on one line, cut to `room` characters.

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
    """Yield the YAML text of a value in pieces, so that a long value need not be written in full.

    Args:
        value: The value.
        room: Maximum number of characters of a key or a single value in the text.
    """
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
    r"""Return the text with unprintable characters as escape sequences, such as ``\x1b``."""
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode("ascii") for char in text
    )


Severity = Literal["error", "warning", "note"]

SHOWN_ALLOWED = 60
"""Maximum number of names that a message lists; the rest is counted. No entry has so many keys, but a game has more tags."""


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Source:
    """A place in a content file. Lines and columns count from 1; 0 means the file as a whole.

    Attributes:
        file: The path of the file.
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
        source: The place of the problem in a file.
        entry: The entry with the problem, such as ``robot 'sweeper'``; may be empty.
        message: What is wrong, in one sentence without a full stop.
        value: The bad value as text; None if a value is missing.
        allowed: The values that are allowed, if they can be listed.
        nearest: The allowed value that is most similar to the bad one; None if none is similar.
        severity: error, warning or note. Content with errors is not loaded.
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
        hint = meant_or_all(self.nearest, self.allowed, "allowed: ")
        return f"{text} ({hint})" if hint else text


def meant_or_all(nearest: str | None, allowed: Collection[str], before: str = "there are ") -> str:
    """Return a hint about an unknown name: ``did you mean red?``, or without a `nearest` name ``there are red, blue``; "" without names."""
    if nearest is not None:
        return f"did you mean {printable(nearest)}?"
    more = len(allowed) - SHOWN_ALLOWED
    shown = ", ".join(map(printable, islice(allowed, SHOWN_ALLOWED)))
    return f"{before if allowed else ''}{shown}{f' and {more} more' if more > 0 else ''}"


def nearest_match(word: str, allowed: Iterable[str]) -> str | None:
    """Return the allowed name that is most similar to `word`; None if none is similar."""
    from difflib import get_close_matches  # noqa: PLC0415  # only mistakes need it

    matches = get_close_matches(word, list(allowed), n=1, cutoff=0.6)
    return matches[0] if matches else None


def missing_module(error: ImportError, extra: str) -> str:
    """Return the message for a module that is not installed, with the command that installs the `extra` which has it."""
    return f"{error.name} is missing: pip install 'tcod-dungeon[{extra}]'"


def unknown(what: str, name: object, allowed: Iterable[str]) -> str:
    """Return the message for a name that does not exist, with the names that do and the most similar one.

    ("map", "fondry", ["foundry", "mine"]) -> ``there is no map 'fondry', only foundry, mine (did you mean foundry?)``
    """
    names = list(allowed)
    nearest = nearest_match(str(name), names)
    hint = f" ({meant_or_all(nearest, ())})" if nearest else ""
    return f"there is no {what} {name!r}, only {', '.join(names)}{hint}"


def with_article(noun: str) -> str:
    """Return a noun with its article: ``an item`` for ``item``, ``a robot`` for ``robot``."""
    return f"{'an' if noun[:1] in tuple('aeiou') else 'a'} {noun}"


def counted(count: int, what: str) -> str:
    """Return a number with its noun: ``1 error`` for (1, "error"), ``3 errors`` for (3, "error")."""
    return f"{count} {what}{'' if count == 1 else 's'}"


class ContentError(ValueError):
    """The content has errors. The attribute `problems` holds every problem found, sorted by file and line."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems: tuple[Problem, ...] = tuple(sorted(problems, key=lambda problem: problem.source))
        heading = f"{counted(len(self.problems), 'problem')} in the content"
        super().__init__("\n".join([heading, *(f"  {problem}" for problem in self.problems)]))

    def __reduce__(self) -> tuple[type[ContentError], tuple[tuple[Problem, ...]], dict[str, object]]:
        # Pickle would rebuild the exception from `args`, which holds only the message.
        return type(self), (self.problems,), vars(self)


class GenerationError(RuntimeError):
    """A map can't be made although its content is valid: a parameter asks for too much, or the library has a bug."""


class CrowdedError(GenerationError):
    """A ground plan (rooms and corridors) has no place for a required encounter or feature; another ground plan may have one."""


class HopelessError(GenerationError):
    """A map can't be made with any random choices, so retries are pointless."""


class CrampedError(HopelessError):
    """Part of a map can't be made in the given space, with any random choices. In a larger space it may be possible."""


class PluginError(ImportError):
    """A plugin could not be imported; the message names it and the reason."""


class PluginWarning(UserWarning):
    """An installed plugin could not be imported. Content that needs it can't be read; everything else works."""


A_LEVEL = "a level, such as world.level('foundry/3')"
A_SCENE = "a level, a sample of a prefab or a frame of a recording"
A_FOLDER = "the path of a folder, as text or a Path"
A_FILE = "the path of a file, as text or a Path"
CONTENT = "content, such as load_content('data')"

_SHORT = Repr()
_SHORT.maxstring = _SHORT.maxother = 60


def check_type(value: object, kinds: type | tuple[type, ...], function: str, wanted: str) -> None:
    """Raise a TypeError unless `value` is an instance of `kinds`.

    Args:
        value: An argument of a public function.
        kinds: The allowed types.
        function: Name of the public function, for the message.
        wanted: Description of a right argument, for the message; follows the word "takes".

    Raises:
        TypeError: "tiles() takes a level, such as world.level('foundry/3'), not 'foundry/3'".
    """
    if not isinstance(value, kinds):
        raise TypeError(f"{function}() takes {wanted}, not {_SHORT.repr(value)}")


@contextmanager
def file_errors(kind: type[Exception], what: str, file: object = None) -> Iterator[None]:
    """Turn an OSError in the `with` block into an exception of type `kind`: ``FILE cannot be read: No such file``.

    Args:
        kind: Type of the exception.
        what: The failed action, such as ``read`` or ``written``.
        file: The file, for the message; by default the one that the OSError names.
    """
    try:
        yield
    except OSError as error:
        raise kind(f"{file or error.filename} cannot be {what}: {error.strerror}") from error


class PlaytestError(Exception):
    """A playtest run can't be recorded or read; the message says why, and what to do."""


PLUGIN_FAULTS: Final = (Exception, SystemExit)
"""What a plugin may raise without stopping a run of many worlds."""

TRACED = 4
"""Maximum number of functions that `described` names."""


def described(error: BaseException, most: int = TRACED) -> str:
    """Return an error on one line: type, message, the functions that raised it, and its notes, for plugin authors.

    The innermost function comes first; the function that caught the error is left out:
    ``ZeroDivisionError: division by zero (aim, my_game.py, line 57; called by act, my_game.py, line 12)``.
    A GenerationError names no functions, as it is about content; nor does an error of Python's own import.

    Args:
        error: The error, caught.
        most: Maximum number of functions to name.
    """
    trace = error.__traceback__.tb_next if error.__traceback__ else None
    places: list[str] = []
    while trace is not None:
        code = trace.tb_frame.f_code
        places.append(f"{code.co_name}, {PurePath(code.co_filename).name}, line {trace.tb_lineno}")
        trace = trace.tb_next
    text = f"{type(error).__name__}: {error}"
    if places and not isinstance(error, GenerationError) and "<frozen" not in places[-1]:
        text += f" ({'; called by '.join(places[: -most - 1 : -1])})"
    return " ".join([text, *getattr(error, "__notes__", ())])
