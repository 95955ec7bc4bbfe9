"""What every bot can do, and the one that does anything."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Final, Protocol

from dungeon.playtest.bots.explorer import Explorer
from dungeon.playtest.bots.temper import TEMPERS

if TYPE_CHECKING:
    from dungeon.playtest.game import Action, Play

BOTS: Final = (*TEMPERS, "random")
"""The names of the bots."""


class Bot(Protocol):
    """Plays a game. One bot plays one game, from its start."""

    def choose(self, play: Play) -> Action:
        """Return what to do next in a game that is on."""


class RandomBot:
    """Does any of what can be done, each as likely as the other: what a player who understands nothing would get."""

    def __init__(self, seed: int) -> None:
        self._rng = random.Random(f"random/{seed}")

    def choose(self, play: Play) -> Action:
        """Return any legal action."""
        return self._rng.choice(play.legal())


def bot_named(name: str, seed: int = 0) -> Bot:
    """Return a new bot.

    Args:
        name: One of `BOTS`.
        seed: What its choices depend on, where it leaves them to chance.

    Raises:
        KeyError: There is no bot of that name.
    """
    if name == "random":
        return RandomBot(seed)
    if name not in TEMPERS:
        raise KeyError(f"there is no bot {name!r}, only {', '.join(BOTS)}")
    return Explorer(TEMPERS[name], random.Random(f"{name}/{seed}"))
