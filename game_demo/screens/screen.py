"""What every screen is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tcod.console import Console


class Screen(ABC):
    """Something that fills the console and answers keys.

    Attributes:
        pause: After how many seconds without a key it is pressed ``"tick"``; None if it waits for a key.
    """

    pause: float | None = None

    @abstractmethod
    def draw(self, console: Console) -> None:
        """Draw it on an empty console."""

    @abstractmethod
    def press(self, key: str) -> Screen | None:
        """Answer a key; return which screen is next, or None to leave the game."""

    def resume(self) -> Screen:
        """Return the screen that is next when one that lay over this is gone."""
        return self
