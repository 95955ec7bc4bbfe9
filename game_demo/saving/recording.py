r"""What a saved game is written as: lines of JSON, each with a checksum.

    6bd9a0c5 {"game": "dungeon-demo", "format": 1, "seed": 7, "start": null, ...}
    f09b3bb1 [1, "step", [0, 1]]
    1fd5a0c8 [2, "step", [0, 1]]
    0d6a50e7 {"digest": "5f0c..."}

The first line is the header. A command's line has the turn on which it was over, its name, and what it was told. Where somebody
has left the game in good order, a line has the digest of the state then. A checksum is the CRC-32 of all JSON up to here, so that
no line can be missing, doubled, or in another place.
"""

from __future__ import annotations

import json
import zlib
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pydantic import TypeAdapter

from game_demo.rules.commands import CommandError, check
from game_demo.state.log import Command

if TYPE_CHECKING:
    from game_demo.state.log import Argument

GAME: Final = "dungeon-demo"
FORMAT: Final = 1
CHECKSUM_DIGITS: Final = 8


class SaveError(Exception):
    """A game can't be saved, or a recording not be read or replayed. The message is one sentence without its full stop."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """Which game is recorded.

    Attributes:
        seed: The world's seed.
        start: The map on which it began, None for where the world begins.
        content: The digest of the content's files; `code`: that of the rules.
        version: The version of the game, for people to read.
        began: When it was begun: the date and time in UTC, by ISO 8601.
    """

    seed: int
    start: str | None
    content: str
    code: str
    version: str
    began: str


class Seal(NamedTuple):
    """The digest of the game's state after what was recorded before it: see `game_demo.state.digest`."""

    digest: str


Entry = Command | Seal


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """A game that was recorded.

    Attributes:
        header: Which game.
        entries: What was done, in order.
        size: How many bytes that is.
        checksum: The checksum of the last line.
        torn: How many bytes follow after the last whole line: somebody was cut off while writing it.
    """

    header: Header
    entries: tuple[Entry, ...]
    size: int
    checksum: int
    torn: int = 0

    @property
    def turn(self) -> int:
        """The last turn."""
        return next((each.turn for each in reversed(self.entries) if isinstance(each, Command)), 0)


def header_line(header: Header) -> tuple[bytes, int]:
    """Return the first line of a recording, and its checksum."""
    return _line({"game": GAME, "format": FORMAT, **asdict(header)}, 0)


def entry_line(entry: Entry, checksum: int) -> tuple[bytes, int]:
    """Return an entry's line, and its checksum.

    Args:
        entry: The entry.
        checksum: That of the line before.

    Raises:
        TypeError: A command was told something that can't be written down.
    """
    return _line(entry._asdict() if isinstance(entry, Seal) else entry, checksum)


def _line(value: object, checksum: int) -> tuple[bytes, int]:
    text = json.dumps(value, separators=(",", ":")).encode()
    checksum = zlib.crc32(text, checksum)
    return b"%08x %b\n" % (checksum, text), checksum


def read_recording(data: bytes) -> Recording:
    """Return the recording that a file holds.

    Raises:
        SaveError: It holds none, one of another format, or a damaged one.
    """
    *lines, rest = data.split(b"\n")
    if not data:
        raise SaveError("it is empty")
    try:
        text, checksum = _checked(lines[0], 0)  # it has been written in one piece
        header = _header(json.loads(text))
    except (IndexError, ValueError, KeyError, TypeError, RecursionError) as error:
        is_ours = f'"game":"{GAME}"'.encode() in data[:200]
        raise SaveError("it is damaged in line 1" if is_ours else "it is not a saved game") from error
    entries: list[Entry] = []
    for number, line in enumerate(lines[1:], start=2):
        try:
            text, checksum = _checked(line, checksum)
            entries.append(_entry(json.loads(text)))
        except CommandError as error:
            raise SaveError(f"it is damaged in line {number}: {error}") from error
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise SaveError(f"it is damaged in line {number}") from error
    return Recording(
        header=header,
        entries=tuple(entries),
        size=len(data) - len(rest),
        checksum=checksum,
        torn=len(rest),
    )


def _checked(line: bytes, before: int) -> tuple[bytes, int]:
    """Return a line's JSON, and its checksum; raise a ValueError if that is wrong."""
    text = line[CHECKSUM_DIGITS + 1 :]
    checksum = zlib.crc32(text, before)
    if line[: CHECKSUM_DIGITS + 1] != b"%08x " % checksum:
        raise ValueError("the checksum is wrong")
    return text, checksum


def _header(told: object) -> Header:
    """Return a header from its JSON, which may be anybody's.

    Raises:
        SaveError: It is of another format.
        ValueError: It is no header of a game of ours. KeyError, where it lacks one of its keys.
    """
    if not isinstance(told, dict):
        raise ValueError("no header")  # noqa: TRY004  # the file is wrong, not the call
    game, written_as = told.pop("game"), told.pop("format")
    if game != GAME or type(written_as) is not int:
        raise ValueError("another game's")
    if written_as != FORMAT:
        raise SaveError(f"it has format {written_as}, and this game reads only format {FORMAT}")
    return TypeAdapter(Header).validate_python(told)


def _entry(told: Any) -> Entry:
    """Return an entry from its JSON, which may be anybody's."""
    if isinstance(told, dict):
        return Seal(**told)
    turn, name, arguments = told
    command = Command(turn, name, tuple(map(_argument, arguments)))
    check(command)
    return command


def _argument(told: Any) -> Argument:
    """Return what a command was told: JSON has lists for tuples."""
    return tuple(map(_argument, told)) if isinstance(told, list) else told
