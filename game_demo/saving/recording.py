"""The format of a saved game, and replaying one: lines of JSON, each with a checksum.

    6bd9a0c5 {"game": "dungeon-demo", "format": 1, "seed": 7, "start": null, ...}
    f09b3bb1 [1, "step", [0, 1]]
    1fd5a0c8 [2, "step", [0, 1]]
    0d6a50e7 {"digest": "5f0c..."}

The first line is the header. A command's line has the turn on which it was over, its name and its arguments. A line with the
digest of the state is written when the player leaves the game. The checksum is the CRC-32 of all JSON so far, so that no line
can be missing, doubled or moved.
"""

from __future__ import annotations

import hashlib
import json
import shlex
import zlib
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pydantic import TypeAdapter

import dungeon
from dungeon.content.source.files import ProblemLog, content_files
from game_demo.content import data_folder
from game_demo.rules.commands import CommandError, check, perform
from game_demo.state.digest import digest_of
from game_demo.state.game import Game
from game_demo.state.log import Command
from game_demo.versions import installed_version

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dungeon import Content
    from game_demo.state.log import Argument


# -- files -----------------------------------------------------------------------------------------

GAME: Final = "dungeon-demo"
FORMAT: Final = 1
CHECKSUM_DIGITS: Final = 8


class SaveError(Exception):
    """A game can't be saved, or a recording can't be read or replayed. The message is a sentence without its full stop."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """The first line of a recording.

    Attributes:
        seed: The world's seed.
        start: The id of the first map; None for the start of the world.
        content: The digest of the content's files.
        code: The digest of the code that makes levels and rules.
        version: The version of the game, for people to read.
        began: When the game began: date and time in UTC, by ISO 8601.
        difficulty: The world's difficulty; None for none.
        rules_seed: The seed of the rules' random stream, for the game of a bot.
        seed_text: The seed as the player typed it, if it was text; else empty.
        options: The options of `dungeon-demo` that load the content; empty for the game's own.
    """

    seed: int
    start: str | None
    content: str
    code: str
    version: str
    began: str
    difficulty: str | None = None
    rules_seed: int = 0
    seed_text: str = ""
    options: str = ""

    @property
    def seed_shown(self) -> str:
        """The seed as it is shown: as it was typed."""
        return self.seed_text or str(self.seed)


DEFAULTS: Final = {each.name: each.default for each in fields(Header)}


class Seal(NamedTuple):
    """The digest of the game's state after all entries before it: see `game_demo.state.digest`."""

    digest: str


Entry = Command | Seal


@dataclass(frozen=True, slots=True, kw_only=True)
class GameRecording:
    """A recorded game.

    Attributes:
        header: Its header.
        entries: The commands and seals, in order.
        size: The length of its whole lines in bytes.
        checksum: The checksum of the last line.
        torn: How many bytes follow the last whole line, because writing was interrupted.
        damaged: The number of the line at which reading stopped, because it is damaged; 0 for none.
    """

    header: Header
    entries: tuple[Entry, ...]
    size: int
    checksum: int
    torn: int = 0
    damaged: int = 0

    @property
    def turn(self) -> int:
        """The turn of the last command."""
        return next((each.turn for each in reversed(self.entries) if isinstance(each, Command)), 0)


def header_line(header: Header) -> tuple[bytes, int]:
    """Return the first line of a recording, and its checksum."""
    told = {name: value for name, value in asdict(header).items() if value != DEFAULTS[name]}
    return _line({"game": GAME, "format": FORMAT, **told}, 0)


def entry_line(entry: Entry, checksum: int) -> tuple[bytes, int]:
    """Return an entry's line, and its checksum.

    Args:
        entry: The entry.
        checksum: The checksum of the line before.

    Raises:
        TypeError: A command's argument can't be written as JSON.
    """
    return _line(entry._asdict() if isinstance(entry, Seal) else entry, checksum)


def _line(value: object, checksum: int) -> tuple[bytes, int]:
    text = json.dumps(value, separators=(",", ":")).encode()
    checksum = zlib.crc32(text, checksum)
    return b"%08x %b\n" % (checksum, text), checksum


def read_recording(data: bytes, *, mends: bool = False) -> GameRecording:
    """Return the recording in the bytes of a file.

    Args:
        data: The bytes.
        mends: Whether a recording with a damaged line is read up to the line before.

    Raises:
        SaveError: It is no recording, has another format, is damaged in its first line, or is damaged and `mends` is not set.
    """
    *lines, rest = data.split(b"\n")
    if not data:
        raise SaveError("it is empty")
    try:
        text, checksum = _checked(lines[0], 0)  # it was written in one piece, so it can't be torn
        header = _header(json.loads(text))
    except (IndexError, ValueError, KeyError, TypeError, RecursionError) as error:
        is_ours = f'"game":"{GAME}"'.encode() in data[:200]
        raise SaveError("it is damaged in line 1" if is_ours else "it is not a saved game") from error
    entries: list[Entry] = []
    size = len(lines[0]) + 1
    for number, line in enumerate(lines[1:], start=2):
        try:
            text, after = _checked(line, checksum)
            entries.append(_entry(json.loads(text)))
        except (CommandError, ValueError, KeyError, TypeError, RecursionError) as error:
            if mends:
                return GameRecording(
                    header=header, entries=tuple(entries), size=size, checksum=checksum, damaged=number
                )
            why = f": {error}" if isinstance(error, CommandError) else ""
            raise SaveError(f"it is damaged in line {number}{why}") from error
        checksum, size = after, size + len(line) + 1
    return GameRecording(
        header=header,
        entries=tuple(entries),
        size=size,
        checksum=checksum,
        torn=len(rest),
    )


def _checked(line: bytes, before: int) -> tuple[bytes, int]:
    """Return a line's JSON and checksum; raise a ValueError if the checksum is wrong."""
    text = line[CHECKSUM_DIGITS + 1 :]
    checksum = zlib.crc32(text, before)
    if line[: CHECKSUM_DIGITS + 1] != b"%08x " % checksum:
        raise ValueError("the checksum is wrong")
    return text, checksum


def _header(told: object) -> Header:
    """Return a header from untrusted JSON.

    Raises:
        SaveError: It has another format number.
        ValueError: It is no header of this game. KeyError, if a key is missing.
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
    """Return a command or seal from untrusted JSON."""
    if isinstance(told, dict):
        return Seal(**told)
    turn, name, arguments = told
    command = Command(turn, name, tuple(map(_argument, arguments)))
    check(command)
    return command


def _argument(told: Any) -> Argument:
    """Return an argument with its lists turned into tuples."""
    return tuple(map(_argument, told)) if isinstance(told, list) else told


# -- origin ----------------------------------------------------------------------------------------

ROOMS = (
    (Path(dungeon.__file__).parent, ("adapters", "content", "core", "generation", "grid", "level")),
    (Path(__file__).parents[1], ("rules", "state")),
)
"""The packages whose code decides how a game goes; `origin_of` hashes them and the single files beside them."""


class OtherContentError(SaveError):
    """A recording was made with other content, and can be replayed only with that."""


class GameOrigin(NamedTuple):
    """The content and code that games are played with.

    Attributes:
        content: The digest of the content's files.
        code: The digest of the code.
        version: The version of the game.
        options: The options of `dungeon-demo` that load the content; empty for the game's own.
    """

    content: str
    code: str
    version: str
    options: str = ""

    def check(self, header: Header) -> None:
        """Check that a recording with this header can be replayed here.

        Raises:
            OtherContentError: It was made with other content.
            SaveError: It was made with other code.
        """
        if header.code != self.code:
            same = header.version == self.version
            raise SaveError(f"it was made with {'another state of ' * same}version {header.version}")
        if header.content == self.content:
            return
        if header.options == self.options:
            where = self.options or "the game's own data"
            raise OtherContentError(
                f"the files of its content ({where}) have changed since; restore them to go on"
            )
        command = f"dungeon-demo {header.options}".rstrip()
        raise OtherContentError(f"it was made with other content; {command} goes on with it")


def origin_of(content: Content) -> GameOrigin:
    """Return the origin of games with this content, from its files as they are on the disk now.

    Raises:
        OSError: A file can't be read.
    """
    layers = [
        (file.key, file.path)
        for number, layer in enumerate(map(Path, content.layers))
        for file in content_files(layer, ProblemLog(), number)
    ]
    code: list[tuple[str, Path]] = []
    for house, rooms in ROOMS:
        paths = [*house.glob("*.py"), *(path for room in rooms for path in house.glob(f"{room}/**/*.py"))]
        code += [(f"{house.name}/{path.relative_to(house).as_posix()}", path) for path in paths]
    return GameOrigin(_digest(layers), _digest(sorted(code)), installed_version(), _options_for(content))


def _options_for(content: Content) -> str:
    """Return the options of `dungeon-demo` that load the folders of a content; empty for the game's own."""
    data, *mods = (str(Path(each).resolve()) for each in content.layers)
    words = [] if Path(data) == data_folder().resolve() else ["--data", data]
    return shlex.join([*words, *(word for mod in mods for word in ("--mod", mod))])


def _digest(files: Iterable[tuple[str, Path]]) -> str:
    """Return the digest of files and their names."""
    digest = hashlib.sha256()
    for name, path in files:
        data = path.read_bytes()
        digest.update(f"{name!r} {len(data)}\n".encode())
        digest.update(data)
    return digest.hexdigest()


# -- replaying -------------------------------------------------------------------------------------


def begin(recording: GameRecording, content: Content) -> Game:
    """Return a recorded game as it began.

    Raises:
        SaveError: Its world, difficulty or map does not exist in this content.
    """
    header = recording.header
    try:
        world = dungeon.World(content.at_difficulty(header.difficulty), header.seed)
        return Game(world, header.start, seed=header.rules_seed, seed_text=header.seed_text)
    except (ValueError, KeyError) as error:
        raise SaveError(
            "it begins in a world, at a difficulty or on a map that does not exist here"
        ) from error


def replay(recording: GameRecording, content: Content) -> Game:
    """Return a recorded game as it was at the end of the recording.

    Raises:
        SaveError: It goes differently here.
    """
    game = begin(recording, content)
    for _ in replaying(recording, game):
        pass
    return game


def replaying(recording: GameRecording, game: Game) -> Iterator[None]:
    """Carry out the recorded commands, and yield after each.

    Raises:
        SaveError: The game goes differently here.
    """
    for number, entry in enumerate(recording.entries, start=1):
        if isinstance(entry, Seal):
            if entry.digest != digest_of(game):
                raise SaveError(f"the game goes differently here before turn {game.log.turn}")
            continue
        game.log.begin_action()
        try:
            perform(game, entry)
        except Exception as error:  # any exception: none was raised when this was recorded
            raise SaveError(f"its command {number}, {entry.name!r}, can't be done here") from error
        if game.log.turn != entry.turn:
            raise SaveError(f"the game goes differently here on turn {entry.turn}")
        yield
