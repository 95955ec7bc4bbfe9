"""From a recording to a game."""

from __future__ import annotations

from typing import TYPE_CHECKING

import dungeon
from game_demo.rules.commands import perform
from game_demo.saving.recording import SaveError, Seal
from game_demo.state.digest import digest_of
from game_demo.state.game import Game

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dungeon import Content
    from game_demo.saving.recording import Recording


def begin(recording: Recording, content: Content) -> Game:
    """Return the game that was recorded, as it began.

    Raises:
        SaveError: There is no such world, or no such map in it.
    """
    header = recording.header
    try:
        return Game(dungeon.World(content, header.seed), header.start)
    except (ValueError, KeyError) as error:
        raise SaveError("it begins in a world or on a map that does not exist here") from error


def replay(recording: Recording, content: Content) -> Game:
    """Return the game that was recorded, as it was at the recording's end.

    Raises:
        SaveError: It takes another course here.
    """
    game = begin(recording, content)
    for _ in replaying(recording, game):
        pass
    return game


def replaying(recording: Recording, game: Game) -> Iterator[None]:
    """Do again what was recorded, and yield after each command.

    Raises:
        SaveError: The game takes another course.
    """
    for number, entry in enumerate(recording.entries, start=1):
        if isinstance(entry, Seal):
            if entry.digest != digest_of(game):
                raise SaveError(f"the game goes differently here before turn {game.log.turn}")
            continue
        game.log.begin_action()
        try:
            perform(game, entry)
        except Exception as error:  # whatever it is, it was not raised when this was recorded
            raise SaveError(f"its command {number}, {entry.name!r}, can't be done here") from error
        if game.log.turn != entry.turn:
            raise SaveError(f"the game goes differently here on turn {entry.turn}")
        yield
