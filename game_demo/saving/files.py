"""Where saved games lie, and how a game is written to its file while it is played.

saves/                  --save-dir, or tcod-dungeon/demo in the user data folder
    scores.jsonl        one line for each finished game
    NAME.game           a game that can be continued
    NAME.game.aside     a file that can't be read or replayed
    morgue/NAME.txt     the story of a finished game
    morgue/NAME.game    its recording, for `--replay`
"""

from __future__ import annotations

import errno
import os
import sys
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self

from game_demo.saving.recording import SaveError, entry_line, header_line, read_recording

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

if TYPE_CHECKING:
    from collections.abc import Mapping
    from io import FileIO

    from game_demo.saving.recording import Entry, Header, Recording


# -- the folder ------------------------------------------------------------------------------------

ENDING = ".game"


def user_folder(environment: Mapping[str, str] | None = None) -> Path | None:
    """Return the folder of this user in which the game may keep what it can't make again.

    It is in ``$XDG_DATA_HOME`` or ``~/.local/share``, and on Windows in ``%LOCALAPPDATA%``; None where the user has no home.

    Args:
        environment: The environment variables, if not the process's own.
    """
    known = os.environ if environment is None else environment
    base = Path(known.get("LOCALAPPDATA" if sys.platform == "win32" else "XDG_DATA_HOME", ""))
    # A path that is not absolute is to be ignored, says the XDG base directory specification.
    if not base.is_absolute():
        try:
            base = Path.home() / ("AppData/Local" if sys.platform == "win32" else ".local/share")
        except RuntimeError:
            return None
    return base / "tcod-dungeon" / "demo"


class SaveFolder:
    """A folder of saved games. Nothing is made there before something is saved.

    Args:
        path: The folder.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.scores = path / "scores.jsonl"

    def games(self) -> list[Path]:
        """Return the saved games, the one that was played last first.

        Raises:
            OSError: The folder can't be read.
        """
        if not self.path.exists():
            return []
        games = [path for path in self.path.iterdir() if path.suffix == ENDING and not path.is_fifo()]
        return sorted(games, key=lambda path: (-path.lstat().st_mtime_ns, path.name))

    def new_game(self, header: Header) -> Path:
        """Return where to save a game that begins."""
        day = "".join(letter for letter in header.began if letter.isdigit() or letter == "T")
        # The process's number keeps apart games that begin at once: neither is there before its first command.
        stem = f"{day[:15]}-{os.getpid()}-{header.seed % 10**12}"
        names = (f"{stem}{f'-{number}' * (number > 1)}{ENDING}" for number in count(1))
        return next(
            self.path / name
            for name in names
            if not any(os.path.lexists(each / name) for each in (self.path, self.morgue))
        )

    @property
    def morgue(self) -> Path:
        """Where games that have ended lie."""
        return self.path / "morgue"

    def story_of(self, game: Path) -> Path:
        """Return where to write how a saved game has ended."""
        return self.morgue / f"{game.stem}.txt"

    def bury(self, game: Path) -> None:
        """Move a game that has ended to the others that have.

        Raises:
            OSError: That can't be done.
        """
        self.morgue.mkdir(parents=True, exist_ok=True)
        game.replace(self.morgue / game.name)

    def set_aside(self, game: Path) -> Path:
        """Rename what can't be played, so that it is not found again but kept; return how it is called now.

        Raises:
            OSError: That can't be done.
        """
        names = (f"{game.name}.aside{f'-{number}' * (number > 1)}" for number in count(1))
        aside = next(game.with_name(name) for name in names if not os.path.lexists(game.with_name(name)))
        return game.rename(aside)


# -- the journal -----------------------------------------------------------------------------------

BUSY: Final = (errno.EACCES, errno.EAGAIN, errno.EDEADLK)
"""How a file says that somebody else has locked it. Where files can't be locked it says something else, and nobody is kept out."""


class BusyError(SaveError):
    """Somebody else is writing that recording."""


class Journal:
    """A file that grows by a line with every entry.

    A line is handed to the system at once, so that it is safe whatever becomes of this process; `sync` has it written to the disk. While
    the disk is full, say, lines are kept and written later.

    Args:
        path: Where the file is to be. It comes into being with the first entry, whole, and takes the place of another of that name.
        header: What is recorded.
    """

    def __init__(self, path: Path, header: Header) -> None:
        self.path = path
        self._due, self._checksum = header_line(header)
        self._size = 0
        self._file: FileIO | None = None

    @classmethod
    def resume(cls, path: Path) -> tuple[Self, Recording]:
        """Go on with a recording, and return it as it is so far; a line that is cut off at its end is dropped.

        Raises:
            BusyError: Somebody else is writing it.
            SaveError: It is none, or damaged.
            OSError: It can't be read and written.
        """
        file = _opened(path)
        try:
            recording = read_recording(file.readall())
            file.truncate(recording.size)
        except BaseException:
            file.close()
            raise
        journal = cls(path, recording.header)
        journal._due, journal._checksum = b"", recording.checksum
        journal._size, journal._file = recording.size, file
        return journal, recording

    @property
    def has_begun(self) -> bool:
        """Whether there is a file."""
        return self._file is not None

    def write(self, *entries: Entry) -> None:
        """Append entries.

        Raises:
            OSError: They can't be written now; it will be tried again with the next.
        """
        if not entries:
            return
        for entry in entries:
            line, self._checksum = entry_line(entry, self._checksum)
            self._due += line
        if self._file is None:
            replace(self.path, self._due)
            self._file = _opened(self.path)
            self._size, self._due = len(self._due), b""
        self._file.seek(self._size)
        while self._due:
            written = self._file.write(self._due)
            self._size += written
            self._due = self._due[written:]

    def sync(self) -> None:
        """Have everything written to the disk.

        Raises:
            OSError: That can't be done.
        """
        if self._file is not None:
            os.fsync(self._file.fileno())

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()


def replace(path: Path, data: bytes) -> None:
    """Write a file, in folders that are made if they are missing: it is there as a whole, or as it was before.

    Raises:
        OSError: That can't be done.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        with beside.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except BaseException:
        with suppress(OSError):
            beside.unlink()
        raise


def _opened(path: Path) -> FileIO:
    """Open a file for reading and writing, for this process alone."""
    file = path.open("r+b", buffering=0)
    try:
        _lock(file)
    except BaseException:
        file.close()
        raise
    return file


def _lock(file: FileIO) -> None:
    """Keep other processes off a file until it is closed, or this process ends.

    Raises:
        BusyError: Another has it.
    """
    try:
        if sys.platform == "win32":
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in BUSY:
            raise BusyError("it is being played in another window") from error
