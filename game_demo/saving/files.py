"""Where saved games lie, and how a game is written to its file while it is played.

saves/                  --save-dir, or tcod-dungeon/demo in the user data folder
    scores.jsonl        one line for each finished game
    NAME.game           a game that can be continued
    NAME.game.aside     a file that can't be replayed, or the copy of one with a damaged line
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

    from game_demo.saving.recording import Entry, GameRecording, Header


# -- the folder ------------------------------------------------------------------------------------

ENDING = ".game"


def user_folder(environment: Mapping[str, str] | None = None) -> Path | None:
    """Return the user's folder for the game's data: in ``$XDG_DATA_HOME`` or ``~/.local/share``, on Windows in ``%LOCALAPPDATA%``.

    None if the user has no home folder.

    Args:
        environment: The environment variables; by default the process's own.
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
    """A folder of saved games. It is created with the first save.

    Args:
        path: The folder.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.scores = path / "scores.jsonl"

    def games(self) -> list[Path]:
        """Return the files of saved games, the last played first.

        Raises:
            OSError: The folder can't be read.
        """
        if not self.path.exists():
            return []
        games = [path for path in self.path.iterdir() if path.suffix == ENDING and not path.is_fifo()]
        return sorted(games, key=lambda path: (-path.lstat().st_mtime_ns, path.name))

    @property
    def has_games(self) -> bool:
        """Whether the folder holds games, be they saved, finished or set aside."""
        return self.scores.exists() or any(self.path.glob(f"*{ENDING}*"))

    def new_game(self, header: Header) -> Path:
        """Return an unused file name for a new game."""
        day = "".join(letter for letter in header.began if letter.isdigit() or letter == "T")
        # The process number separates games begun at once, as neither has a file before its first command.
        stem = f"{day[:15]}-{os.getpid()}-{header.seed % 10**12}"
        names = (f"{stem}{f'-{number}' * (number > 1)}{ENDING}" for number in count(1))
        return next(
            self.path / name
            for name in names
            if not any(os.path.lexists(each / name) for each in (self.path, self.morgue))
        )

    @property
    def morgue(self) -> Path:
        """The folder of finished games."""
        return self.path / "morgue"

    def story_of(self, game: Path) -> Path:
        """Return the file for the story of a finished game."""
        return self.morgue / f"{game.stem}.txt"

    def bury(self, game: Path) -> None:
        """Move the file of a finished game to the morgue.

        Raises:
            OSError: It can't be moved.
        """
        self.morgue.mkdir(parents=True, exist_ok=True)
        game.replace(self.morgue / game.name)

    def set_aside(self, game: Path) -> Path:
        """Rename a file that can't be played, so that it is kept but no longer found; return its new name.

        Raises:
            OSError: It can't be renamed.
        """
        return game.rename(name_aside(game))


def name_aside(game: Path) -> Path:
    """Return an unused name for a file that can't be played."""
    names = (f"{game.name}.aside{f'-{number}' * (number > 1)}" for number in count(1))
    return next(game.with_name(name) for name in names if not os.path.lexists(game.with_name(name)))


# -- the journal -----------------------------------------------------------------------------------

BUSY: Final = (errno.EACCES, errno.EAGAIN, errno.EDEADLK)
"""Error numbers that mean that another process has locked the file. Other errors mean that files can't be locked here."""


class BusyError(SaveError):
    """Another process is writing the recording."""


class RecordingFile:
    """A recording that grows by a line with every entry.

    Each line is handed to the system at once, so it survives the end of this process; `sync` writes it to the disk. Lines that can't
    be written, for example on a full disk, are kept and written later.

    Args:
        path: The file. It is created with the first entry, whole, and replaces a file of that name.
        header: The header of the recording.
    """

    def __init__(self, path: Path, header: Header) -> None:
        self.path = path
        self._due, self._checksum = header_line(header)
        self._size = 0
        self._file: FileIO | None = None

    @classmethod
    def resume(cls, path: Path) -> tuple[Self, GameRecording]:
        """Open a recording to continue it; return the file to write to and the recording so far.

        A cut-off last line is dropped. So are a damaged line and all after it, after the file is copied under `name_aside`.

        Raises:
            BusyError: Another process is writing it.
            SaveError: It is no recording.
            OSError: It can't be read, copied or written.
        """
        file = _opened(path)
        try:
            data = file.readall()
            recording = read_recording(data, mends=True)
            if recording.damaged:
                replace(name_aside(path), data)
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
        """Whether the file was created."""
        return self._file is not None

    def write(self, *entries: Entry) -> None:
        """Append entries.

        Raises:
            OSError: They can't be written now. They are written with the next entries.
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
        """Write everything to the disk.

        Raises:
            OSError: That is not possible.
        """
        if self._file is not None:
            os.fsync(self._file.fileno())

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()


def replace(path: Path, data: bytes) -> None:
    """Write a file as a whole, or leave it as it was. Missing folders are created.

    Raises:
        OSError: It can't be written.
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
    """Open a file for reading and writing, locked for this process."""
    file = path.open("r+b", buffering=0)
    try:
        _lock(file)
    except BaseException:
        file.close()
        raise
    return file


def _lock(file: FileIO) -> None:
    """Lock a file until it is closed or this process ends.

    Raises:
        BusyError: Another process has locked it.
    """
    try:
        if sys.platform == "win32":
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in BUSY:
            raise BusyError("it is being played in another window") from error
