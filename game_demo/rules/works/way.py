"""A way to deal with something: what the player is told before he chooses it."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from game_demo.state.game import Game


@dataclass(frozen=True, slots=True)
class Way:
    """Something that the player can do to what is next to him, other than walking into it.

    Attributes:
        name: By which it is chosen; nothing can be dealt with in two ways of a name.
        text: What the player reads of it.
        price: What it costs, as he reads it; empty for nothing but time.
        chance: How likely it comes off.
        aid: What the player has fitted that makes that likelier, as he reads it; empty for nothing.
        risk: What comes of it if it does not, as he reads it; empty for nothing. It is told where that can be.
        turns: How many turns it takes.
        act: Does it, when these have passed.
    """

    name: str
    text: str
    act: Callable[[], None]
    price: str = ""
    chance: float = 1.0
    risk: str = ""
    aid: str = ""
    turns: int = 1

    def __str__(self) -> str:
        """Return what the player is told of it, what may go wrong first."""
        turns = f"{self.turns} turns" if self.turns > 1 else ""
        aid = f" with your {self.aid}" if self.aid else ""
        odds = [f"{self.chance:.0%}{aid}", self.risk and f"or {self.risk}"] if self.chance < 1 else []
        terms = ", ".join(filter(None, [*odds, self.price, turns]))
        return f"{self.text} ({terms})" if terms else self.text


def charge_of(game: Game, charge: int, turns: int) -> str:
    """Return what the player reads of what something takes of his battery: what the turns take that it lasts, and so much more."""
    return f"{charge + ceil(turns * (100 + game.body.build.drain) / 100)} charge"


def noise_of(steps: int) -> str:
    """Return what the player reads of the noise that something makes."""
    return f"heard {steps} steps away"
