"""Sittings at the demo by players who press random keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tcod.console import Console

import dungeon
from game_demo.saving.files import SaveFolder
from game_demo.saving.keeper import Keeper
from game_demo.saving.recording import origin_of
from game_demo.screens.game_screens import Ending, PlayScreen
from game_demo.screens.keys import RUN_KEYS
from game_demo.screens.session import Session
from game_demo.state.digest import digest_of

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

    from dungeon import Content
    from game_demo.saving.recording import GameOrigin
    from game_demo.screens.screen import Screen
    from game_demo.state.game import Game

KEYS: Final = (
    *"hjklyubn" * 12, *RUN_KEYS, *">>>>><", *",,gg", *"ss..", *"iaabcd123", *"cx;m?v", *"ooooRrM_", *"fffwwwttedP",
    "tab", "shift+tab", "escape", "enter", " ", "q", "y", "up", "pagedown", "home", "f1", "é", None,
)  # fmt: skip
"""What is pressed, each as often as it is listed; None is an input without a name."""


class Sitting:
    """A player at the keyboard. Whoever leaves the game goes on with the saved one; whoever has died begins another.

    Attributes:
        session: The session that is on.
        pressed: How many keys have been pressed.
        turns: How many turns have passed in games that are over.
        resumed: How often a saved game was gone on with; `games`: how many were begun.
    """

    def __init__(
        self, content: Content, seed: int, rng: Random, folder: Path, origin: GameOrigin | None = None
    ) -> None:
        self.content = content
        self.folder = SaveFolder(folder)
        self.origin = origin or origin_of(content)
        self.rng = rng
        maps = [node.id for node in dungeon.World(content, seed).maps]
        self.session = Session(content, seed, start=rng.choice(maps), keeper=self._keeper())
        self.screen: Screen = PlayScreen(self.session)
        self.pressed = self.turns = self.resumed = 0
        self.games = 1
        self._console = Console(80, 24, order="C")

    def _keeper(self) -> Keeper:
        return Keeper(self.origin, self.folder)

    @property
    def game(self) -> Game:
        return self.session.game

    def press(self) -> None:
        """Press a key."""
        key = self.rng.choice(KEYS)
        self.pressed += 1
        if isinstance(self.screen, Ending):
            self.turns += self.game.log.turn
            self.games += 1
            self.session.begin(self.session.seed + 1)
            self.screen = PlayScreen(self.session)
        elif key is not None:
            if self.pressed % 100 == 0:
                self.screen.draw(self._console)
            screen = self.screen.press(key)
            self.screen = self.leave_and_return() if screen is None else screen

    def leave_and_return(self) -> Screen:
        """Leave the game, and go on with the saved one in another session."""
        before = digest_of(self.game)
        self.session.keeper.leave(self.game)
        saved = self._keeper().saved()
        ours = [each for each in saved if each.recording.header.seed == self.session.seed]
        if not ours:  # nothing was done that could be gone on with
            assert not self.game.log.turn
            self.session.begin(self.session.seed)
            return PlayScreen(self.session)
        (mine,) = ours
        self.session = Session(
            self.content, self.session.seed, start=self.session.start, keeper=self._keeper()
        )
        assert self.session.go_on(mine), self.session.keeper.notices
        assert digest_of(self.game) == before, "the game that was gone on with is another one"
        self.resumed += 1
        return PlayScreen(self.session).resume()


def damaged(data: bytes, rng: Random) -> bytes:
    """Return what is left of a file after a mishap: cut off, overwritten, doubled, shuffled, or another's altogether."""
    begin, end = sorted(rng.randrange(len(data) + 1) for _ in range(2))
    lines = data.splitlines(keepends=True)
    return rng.choice(
        [
            lambda: data[:end],
            lambda: data[begin:],
            lambda: data[:begin] + data[end:],
            lambda: data[:begin] + bytes(end - begin) + data[end:],
            lambda: data[:begin] + rng.randbytes(end - begin) + data[end:],
            lambda: data[:end] + data[begin:],
            lambda: b"".join(rng.sample(lines, len(lines))),
            lambda: data + rng.randbytes(rng.randrange(1, 200)),
            lambda: data.replace(b"1", b"2"),
            lambda: data.replace(b"\n", b"\r\n"),
            lambda: data.decode("latin-1").encode("utf-16"),
            lambda: rng.randbytes(len(data)),
        ]
    )()
