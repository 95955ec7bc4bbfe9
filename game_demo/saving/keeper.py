"""Saving while games are played: the keeper writes each command to files, and moves the files of finished games to the morgue."""

from __future__ import annotations

from contextlib import ExitStack, closing, suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, NamedTuple

from game_demo.rules.actions import remark
from game_demo.rules.naming import pluralized
from game_demo.saving.files import BusyError, RecordingFile, replace
from game_demo.saving.morgue import add_score, read_scores, score_of, story
from game_demo.saving.recording import (
    GameOrigin,
    Header,
    OtherContentError,
    SaveError,
    Seal,
    read_recording,
    replay,
)
from game_demo.state.digest import digest_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from dungeon import Content
    from game_demo.saving.files import SaveFolder
    from game_demo.saving.morgue import Score
    from game_demo.saving.recording import Entry, GameRecording
    from game_demo.state.game import Game
    from game_demo.state.log import Command

UNKNOWN: Final = GameOrigin("", "", "unknown")


class Saved(NamedTuple):
    """A saved game that can be continued, as far as its file tells."""

    path: Path
    recording: GameRecording


class Keeper:
    """Saves the games of a session, one at a time.

    Args:
        origin: What the games are played with; not needed if nothing is saved.
        folder: Where they are saved; None for nowhere.
        record: A file to record each game in besides; it holds the last one.

    Attributes:
        has_played: Whether a command was carried out since the program began.
        notices: Sentences that the player should read about saved games.
        story: The file with the story of the last finished game; None if there is none.
        trouble: Why no game can be saved; empty if games can be saved or are not to be.
    """

    def __init__(
        self, origin: GameOrigin = UNKNOWN, folder: SaveFolder | None = None, record: Path | None = None
    ) -> None:
        self.origin = origin
        self.folder = folder
        self.record = record
        self.has_played = False
        self.notices: list[str] = []
        self.story: Path | None = None
        self.trouble = ""
        self._header: Header
        self._journals: list[RecordingFile] = []
        self._is_failing = False

    def saved(self) -> list[Saved]:
        """Return the saved games that can be continued, the last played first. Files of which nothing can be read are set aside."""
        found: list[Saved] = []
        strangers: list[str] = []
        try:
            paths = self.folder.games() if self.folder else []
        except OSError as error:
            paths = []
            self.notices.append(f"Saved games can't be listed: {_reason(error)}.")
        for path in paths:
            try:
                recording = read_recording(path.read_bytes(), mends=True)
                self.origin.check(recording.header)
                found.append(Saved(path, recording))
            except OtherContentError as error:
                strangers.append(str(error))
            except (SaveError, OSError) as error:
                self._set_aside(path, error)
        if strangers:
            self.notices.append(
                f"{pluralized(len(strangers), 'saved game')} left alone, the last one because {strangers[0]}."
            )
        return found

    @property
    def is_first(self) -> bool:
        """Whether the player has not played yet: not since the program began, and no game lies in the folder, finished or not."""
        return not self.has_played and (self.folder is None or not self.folder.has_games)

    @property
    def is_saving(self) -> bool:
        """Whether everything done in the game so far is saved."""
        return self.folder is not None and bool(self._journals) and not self._is_failing

    def take_notices(self) -> list[str]:
        """Return the notices, and empty the list."""
        taken, self.notices = self.notices, []
        return taken

    def scores(self) -> list[Score]:
        """Return the finished games, the best first.

        Raises:
            SaveError: The file of scores can't be read.
        """
        if self.folder is None:
            return []
        try:
            return read_scores(self.folder.scores)
        except OSError as error:
            raise SaveError(f"{self.folder.scores} can't be read: {_reason(error)}") from error

    def follow(self, game: Game, start: str | None = None) -> None:
        """Begin to save a new game. The file is created with its first command.

        Args:
            game: The game.
            start: The id of its first map; None for the start of the world.
        """
        began = datetime.now(UTC).isoformat(timespec="seconds")
        world = game.world
        header = Header(
            seed=world.seed,
            seed_text=game.seed_text,
            start=start,
            began=began,
            difficulty=world.difficulty,
            **self.origin._asdict(),
        )
        journals = [RecordingFile(self.folder.new_game(header), header)] if self.folder else []
        self._keep(game, header, journals)

    def try_resume(self, path: Path, content: Content) -> Game | None:
        """Return a saved game to continue it; None, and a notice, if that can't be done."""
        try:
            with ExitStack() as stack:
                journal, recording = RecordingFile.resume(path)
                stack.callback(journal.close)
                self.origin.check(recording.header)
                game = replay(recording, content)
                stack.pop_all()
        except BusyError as error:
            self.notices.append(f"{path.name} can't be continued: {error}.")
            return None
        except (SaveError, OSError) as error:
            self._set_aside(path, error)
            return None
        self._keep(game, recording.header, [journal], recording.entries)
        if recording.torn:
            remark(
                game, "The end of the saved game is missing. You continue from the last turn that was saved."
            )
        if recording.damaged:
            remark(
                game,
                f"Line {recording.damaged} of the saved game was damaged: you continue from the line before. The damaged file is kept.",
            )
        if game.is_over:  # the program was killed before it could file the game
            self._finish(game)
        return game

    def leave(self, game: Game) -> None:
        """Close the game's files with a digest of its state."""
        self._close(game)

    def close(self) -> None:
        """Close the game's files without a digest, since a command may be under way."""
        self._close(None)

    def _keep(
        self, game: Game, header: Header, journals: list[RecordingFile], entries: Iterable[Entry] = ()
    ) -> None:
        """Record the commands of a game from now on: in the files `journals`, and in the file `record`, which begins with `entries`."""
        self.close()
        if self.record is not None:
            journals = [*journals, RecordingFile(self.record, header)]
            with suppress(OSError):  # the next command tries again, and reports the error
                journals[-1].write(*entries)
        self._header, self._journals, self._is_failing, self.story = header, journals, False, None
        game.recorder, game.unsaved = self._write, self.trouble

    def _write(self, game: Game, command: Command) -> None:
        """Record a command. If that fails the player is told once, and the next command tries again."""
        self.has_played = True
        trouble = ""
        for journal in self._journals:
            try:
                journal.write(command)
            except (SaveError, OSError) as error:
                trouble = _reason(error)
        was_failing, self._is_failing = self._is_failing, bool(trouble)
        game.unsaved = trouble or self.trouble
        if game.is_over:
            self._finish(game)
        elif trouble and not was_failing:
            remark(game, f"The game can't be saved: {trouble}.")

    def _finish(self, game: Game) -> None:
        """Close a finished game, and write its story and score."""
        path = self._journals[0].path if self.folder and self._journals else None
        self._close(game)
        if self.folder is None or path is None:
            return
        try:
            told = self.folder.story_of(path)
            replace(told, story(game, self._header, told.with_suffix(path.suffix).absolute()).encode())
            add_score(self.folder.scores, score_of(game, self._header, path.stem))
            self.folder.bury(path)
            self.story = told
        except OSError as error:
            self.notices.append(f"How the game ended can't be saved: {_reason(error)}.")

    def _close(self, sound: Game | None) -> None:
        """Close the files of the game. If `sound` is the game, and not None, write a digest of its state to them first."""
        for journal in self._journals:
            with (
                closing(journal),
                suppress(OSError),
            ):  # no screen is left to report to, and the file is whole
                if sound is not None and journal.has_begun:
                    journal.write(Seal(digest_of(sound)))
                journal.sync()
        self._journals = []
        if sound is not None:
            sound.recorder = None

    def _set_aside(self, path: Path, error: Exception) -> None:
        """Rename a file that can't be continued, and add a notice."""
        assert self.folder is not None
        try:
            aside = self.folder.set_aside(path)
            self.notices.append(
                f"{path.name} can't be continued: {_reason(error)}. It is kept as {aside.name}."
            )
        except OSError as other:
            self.notices.append(
                f"{path.name} can't be continued: {_reason(error)}. It stays where it is: {_reason(other)}."
            )


def _reason(error: Exception) -> str:
    """Return a short reason for an error."""
    return (isinstance(error, OSError) and error.strerror) or str(error)
