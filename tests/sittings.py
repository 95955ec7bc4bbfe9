"""Sittings at the demo by players who press keys at random, as a player would who does not look at the screen."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Final

from tcod.console import Console

from game_demo.screens.game_screens import Ending, Play, Title
from game_demo.screens.keys import DIRECTIONS, RUN_KEYS

if TYPE_CHECKING:
    from pathlib import Path

    from game_demo.saving.recording import Recording
    from game_demo.screens.screen import Screen
    from game_demo.screens.session import Session

STEPS: Final = ("h", "j", "k", "l", "y", "u", "b", "n")
KEYS: Final = (
    *STEPS * 12, *RUN_KEYS, *">><", *",,gg", *"ss..", *"iaabcd", *"cx;m?v", "tab", "escape", "enter", " ", "q", "y", "up", "pagedown", "é", "f1",
)  # fmt: skip
"""What is pressed, each as often as it is listed here."""

HEALTHY: Final = 20
"""Whoever has been beaten to fewer hit points than so may rest."""


class Sitting:
    """A player at the keyboard.

    Attributes:
        screen: What is on the screen.
        keys: How many keys have been pressed.
        games: How many games have been begun.
    """

    def __init__(self, session: Session, rng: Random) -> None:
        self.session = session
        self.rng = rng
        self.screen: Screen = Play(session)
        self.keys, self.games = 0, 1
        self._console = Console(80, 24, order="C")

    def press(self) -> str:
        """Press a key, and return it; whoever has left the game goes on."""
        key = self.rng.choice(KEYS)
        match self.screen:
            case Ending():
                key = "r"
                self.games += 1
                self.session.begin(self.session.seed + 1)
                self.screen = Play(self.session)
                return key
            case Title():
                raise AssertionError("nobody has gone back to the title")
        if self.keys % 50 == 0:
            self.screen.draw(self._console)
        self.screen = self.screen.press(key) or Play(self.session).resume()
        self.keys += 1
        return key
