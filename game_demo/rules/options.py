"""A way to deal with something: what the player is told before he chooses it."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, Final

from game_demo.rules.pack import spare_for

if TYPE_CHECKING:
    from collections.abc import Callable

    from game_demo.state.body import Aid
    from game_demo.state.game import Game


@dataclass(frozen=True, slots=True)
class Odds:
    """How likely something comes off, and what would make it likelier.

    Attributes:
        chance: How likely.
        aid: The name of what the player has fitted that makes it likelier than it was by hand; empty for nothing.
        spare: The name of what he carries, and that would if it were fitted; empty for nothing.
        better: How likely it comes off with an aid.
    """

    chance: float
    aid: str = ""
    spare: str = ""
    better: float = 1.0

    def __str__(self) -> str:
        """Return what the player reads of it."""
        aid = f" with your {self.aid}" if self.aid else ""
        spare = f", {self.better:.0%} if you fit the {self.spare}" if self.spare else ""
        return f"{self.chance:.0%}{aid}{spare}"


SURE: Final = Odds(1.0)


@dataclass(frozen=True, slots=True)
class WorkOption:
    """Something that the player can do to what is next to him, other than walking into it.

    Attributes:
        name: By which it is chosen; nothing can be dealt with in two ways of a name.
        text: What the player reads of it.
        price: What it costs, as he reads it; empty for nothing but time.
        odds: How likely it comes off.
        risk: What comes of it if it does not, as he reads it; empty for nothing. It is told where that can be.
        turns: How many turns it takes.
        question: What he is asked before that is done; empty for nothing.
        act: Does it, when these have passed.
    """

    name: str
    text: str
    act: Callable[[], None]
    price: str = ""
    odds: Odds = SURE
    risk: str = ""
    turns: int = 1
    question: str = ""

    @property
    def chance(self) -> float:
        """How likely it comes off."""
        return self.odds.chance

    def __str__(self) -> str:
        """Return what the player is told of it, what may go wrong first."""
        turns = f"{self.turns} turns" if self.turns > 1 else ""
        odds = [str(self.odds), self.risk and f"else {self.risk}"] if self.chance < 1 else []
        terms = ", ".join(filter(None, [*odds, self.price, turns]))
        return f"{self.text} ({terms})" if terms else self.text


def odds_of(game: Game, use: Aid, bare: float, gain: float, most: float = 1.0) -> Odds:
    """Return how likely something comes off for which there are parts that help.

    Args:
        game: The game.
        use: What such a part helps with.
        bare: How likely it is by hand.
        gain: How much more it is with a part.
        most: How likely it is at most.
    """
    better = min(bare + gain, most)
    if aid := game.body.aid(use):
        return Odds(better, aid)
    return Odds(min(bare, most), spare=spare_for(game, use), better=better)


def charge_of(game: Game, charge: int, turns: int) -> str:
    """Return what the player reads of what something takes of his battery: what the turns take that it lasts, and so much more."""
    return f"{charge + ceil(turns * (100 + game.body.build.drain) / 100)} charge"


def noise_of(steps: int) -> str:
    """Return what the player reads of the noise that something makes."""
    return f"heard {steps} steps away"
