"""Options under the key `w`: what the player may do to a thing next to him, with its odds and price."""

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
class WorkOdds:
    """The chance that an option works, and what would raise it.

    Attributes:
        chance: The chance now.
        aid: The name of the fitted part that raises the chance; empty for none.
        spare: The name of a part in the pack that would raise the chance if fitted; empty for none.
        better: The chance with such a part.
    """

    chance: float
    aid: str = ""
    spare: str = ""
    better: float = 1.0

    def __str__(self) -> str:
        """Return the text shown to the player: ``55%, 85% if you fit the tapping rods``."""
        if self.spare:
            return f"{self.chance:.0%}, {self.better:.0%} if you fit the {self.spare}"
        return f"{self.chance:.0%} with your {self.aid}" if self.aid else f"{self.chance:.0%}"


SURE: Final = WorkOdds(1.0)


@dataclass(frozen=True, slots=True)
class WorkOption:
    """One thing that the player can do to what is next to him, other than walking into it.

    Attributes:
        name: The option's name, such as ``pry``; no thing has two options of one name.
        text: What the player reads.
        act: Carries the option out, once its turns have passed.
        price: What the option costs besides time, as text; empty for nothing.
        odds: The chance that the option works.
        risk: What happens if the option does not work, as text; empty for nothing.
        turns: Number of turns that the option takes.
        question: The question to the player before the option is carried out; empty for none.
    """

    name: str
    text: str
    act: Callable[[], None]
    price: str = ""
    odds: WorkOdds = SURE
    risk: str = ""
    turns: int = 1
    question: str = ""

    @property
    def chance(self) -> float:
        """The chance that the option works."""
        return self.odds.chance

    def __str__(self) -> str:
        """Return the text with odds, risk, price and turns in brackets."""
        turns = f"{self.turns} turns" if self.turns > 1 else ""
        odds = [str(self.odds), self.risk and f"else {self.risk}"] if self.chance < 1 else []
        terms = ", ".join(filter(None, [*odds, self.price, turns]))
        return f"{self.text} ({terms})" if terms else self.text


def odds_of(game: Game, use: Aid, bare: float, gain: float, most: float = 1.0) -> WorkOdds:
    """Return the odds of an option that a fitted part can help with.

    Args:
        game: The game.
        use: The ability of a part that helps, such as ``pries``.
        bare: The chance without such a part.
        gain: The chance that the part adds.
        most: The highest chance.
    """
    better = min(bare + gain, most)
    if aid := game.body.aid(use):
        return WorkOdds(better, aid)
    return WorkOdds(min(bare, most), spare=spare_for(game, use), better=better)


def charge_of(game: Game, charge: int, turns: int) -> str:
    """Return the charge that an option uses, as text: `charge`, plus what its `turns` turns use anyway."""
    used = charge + ceil(turns * (100 + game.body.build.drain) / 100)
    return f"{used} charge"


def noise_of(steps: int) -> str:
    """Return how far an option is heard, as text."""
    return f"heard {steps} steps away"
