"""The time of a game. It is counted in ticks, for actions take longer or shorter than a turn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

TURN: Final = 100
"""The ticks of a turn."""


@dataclass(slots=True)
class Clock:
    """How late it is in a game.

    Attributes:
        ticks: The ticks since it began; `elapsed`: those that the last action took.
    """

    ticks: int = 0
    elapsed: int = 0

    @property
    def turn(self) -> int:
        """The turns that have passed in full."""
        return self.ticks // TURN

    def advance(self, ticks: int) -> None:
        """Let an action take so many ticks."""
        self.ticks += ticks
        self.elapsed = ticks

    def times(self, turns: int) -> int:
        """Return how often, during the last action, another so many turns of the game were full."""
        span = turns * TURN
        return self.ticks // span - (self.ticks - self.elapsed) // span
