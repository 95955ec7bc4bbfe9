"""What every bot can do, how bots are named, and the one that does anything."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Final, Protocol

from dungeon.core.registry import find_callable
from dungeon.playtest.bots.explorer import TEMPERS, Explorer

if TYPE_CHECKING:
    from dungeon.playtest.game import Action, Play

BOTS: Final = (*TEMPERS, "random")
"""The names of the bots that come along."""

GROUP: Final = "dungeon.bots"
"""The group of entry points that name others."""


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


class MakeBot(Protocol):
    """Makes a bot, as the entry points of the group `GROUP` do: a class whose `__init__` takes a seed is one."""

    def __call__(self, seed: int, /) -> Bot:
        """Return a new bot, whose choices depend on nothing but the seed and what it is shown."""


class UnknownBotError(LookupError):
    """There is no such bot; the message says which there are, or what is wrong with it."""


def find_bot(name: str) -> MakeBot:
    """Return what makes bots.

    Args:
        name: One of `BOTS`, the name of an entry point of the group `GROUP`, or ``module:attribute``.

    Raises:
        UnknownBotError: There is no such bot.
    """
    if name == "random":
        return RandomBot
    if name in TEMPERS:
        return lambda seed: Explorer(TEMPERS[name], random.Random(f"{name}/{seed}"))
    try:
        return find_callable(GROUP, "bot", name, BOTS)
    except LookupError as error:
        raise UnknownBotError(str(error)) from error


def bot_named(name: str, seed: int = 0) -> Bot:
    """Return a new bot, as `find_bot` makes it.

    Raises:
        UnknownBotError: There is no bot of that name.
    """
    return find_bot(name)(seed)
