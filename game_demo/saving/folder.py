"""Where saved games lie.

saves/                  --save-dir, or tcod-dungeon/demo in the user's folder for data
    scores.jsonl        a line for each game that has ended
    NAME.game           a game that can be gone on with
    NAME.game.aside     one that can't be read or replayed
    morgue/NAME.txt     how a game has ended
    morgue/NAME.game    and its recording, for `--replay`
"""

from __future__ import annotations

import os
import sys
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from game_demo.saving.recording import Header

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
        games = [path for path in self.path.iterdir() if path.suffix == ENDING]
        return sorted(games, key=lambda path: (-path.lstat().st_mtime_ns, path.name))

    def new_game(self, header: Header) -> Path:
        """Return where to save a game that begins."""
        day = "".join(letter for letter in header.began if letter.isdigit() or letter == "T")
        stem = f"{day[:15]}-{header.seed % 10**12}"
        names = (f"{stem}{f'-{number}' * (number > 1)}{ENDING}" for number in count(1))
        return next(
            self.path / name
            for name in names
            if not any((each / name).exists() for each in (self.path, self.morgue))
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
