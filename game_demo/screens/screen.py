"""The base classes of screens."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

from game_demo.display.panels import map_room, room_beside_player
from game_demo.state.geometry import Area

if TYPE_CHECKING:
    from tcod.console import Console

    from game_demo.state.game import Game


class Screen(ABC):
    """Something that fills the console and answers keys.

    Attributes:
        pause: Seconds without input after which ``"tick"`` is pressed; None to wait for a key.
    """

    pause: float | None = None

    @abstractmethod
    def draw(self, console: Console) -> None:
        """Draw the screen on an empty console."""

    @abstractmethod
    def press(self, key: str) -> Screen | None:
        """Answer a key; return the next screen, or None to leave the game."""

    def room(self, console: Console) -> Area:
        """Return the part of the console where boxes over this screen hide nothing that the player needs."""
        return Area(0, 0, console.height, console.width)

    def room_for_question(self, console: Console) -> Area:
        """Return the part of the console for a question about what this screen shows."""
        return self.room(console)

    def click(self, y: int, x: int, button: int) -> Screen | None:  # noqa: ARG002  # most have no use for the mouse
        """Answer a mouse click; return the next screen, as `press` does.

        Args:
            y: The row.
            x: The column.
            button: 1 for the left button, 2 for the middle one, 3 for the right one.
        """
        return self

    def resume(self) -> Screen:
        """Return the screen that follows when a screen over this one is closed."""
        return self


class BoxScreen(Screen):
    """A screen with a box of its own. Other boxes over it get the whole console, cleared."""

    def room(self, console: Console) -> Area:  # noqa: ARG002  # whatever its size
        """Return an empty area, so that boxes over this screen clear the console."""
        return Area(0, 0, 0, 0)


class MapScreen(Screen):
    """A screen that shows the map, the player's condition, what is in sight, and the messages.

    Attributes:
        game: The game.
    """

    game: Game

    def room(self, console: Console) -> Area:
        """Return the part of the console that is the map's."""
        return map_room(console)

    def room_for_question(self, console: Console) -> Area:
        """Return the part of the map above or below the player's neighbours, which most questions are about."""
        return room_beside_player(console, self.game)


@dataclass
class Overlay(Screen):
    """A screen that lies over another.

    Attributes:
        behind: The screen to go back to.
    """

    behind: Screen

    def room(self, console: Console) -> Area:
        """Return the part of the console in which it lies."""
        return self.behind.room(console)

    def click(self, y: int, x: int, button: int) -> Screen | None:  # noqa: ARG002  # anywhere
        """Go back."""
        return self.behind.resume()
