"""What every screen is."""

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
        pause: After how many seconds without a key it is pressed ``"tick"``; None if it waits for a key.
    """

    pause: float | None = None

    @abstractmethod
    def draw(self, console: Console) -> None:
        """Draw it on an empty console."""

    @abstractmethod
    def press(self, key: str) -> Screen | None:
        """Answer a key; return which screen is next, or None to leave the game."""

    def room(self, console: Console) -> Area:
        """Return the part of the console in which boxes over this screen lie, where they hide nothing one needs."""
        return Area(0, 0, console.height, console.width)

    def room_for_question(self, console: Console) -> Area:
        """Return the part of the console for a box with a question about what this screen shows."""
        return self.room(console)

    def click(self, y: int, x: int, button: int) -> Screen | None:  # noqa: ARG002  # most have no use for the mouse
        """Answer a click on row y, column x of the console; return which screen is next, as `press` does.

        Args:
            y: The row.
            x: The column.
            button: 1 for the left button, 2 for the middle one, 3 for the right one.
        """
        return self

    def resume(self) -> Screen:
        """Return the screen that is next when one that lay over this is gone."""
        return self


class BoxScreen(Screen):
    """A screen with a box of its own, over which no other lies: that has the console to itself."""

    def room(self, console: Console) -> Area:  # noqa: ARG002  # whatever its size
        """Return an empty part."""
        return Area(0, 0, 0, 0)


class MapScreen(Screen):
    """A screen that shows the map, and beside it how the player is, what is in sight and what was said.

    Attributes:
        game: The game.
    """

    game: Game

    def room(self, console: Console) -> Area:
        """Return the part of the console that is the map's."""
        return map_room(console)

    def room_for_question(self, console: Console) -> Area:
        """Return a part of the map in which nothing is next to the player, for that is what most questions are about."""
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
