"""Asks how to deal with what is next to the player, and tells the odds and the price of each way first."""

from __future__ import annotations

from dataclasses import dataclass, field
from string import ascii_lowercase
from textwrap import wrap
from typing import TYPE_CHECKING, Final

from game_demo.display.drawing import BRIGHT, DIM, FRAME_COLUMNS, PLAIN, caption, clean, text_box
from game_demo.rules.works.ways import deal, refusals_at, ways_at
from game_demo.screens.keys import DIRECTIONS
from game_demo.screens.screen import Overlay
from game_demo.state.geometry import NEIGHBOURS, side_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tcod.console import Console

    from game_demo.rules.works.way import Way
    from game_demo.screens.screen import Screen
    from game_demo.state.game import Game
    from game_demo.state.geometry import Direction

WIDTH: Final = 70
"""How many columns a way is written in."""


def ways_around(game: Game) -> dict[Direction, list[Way]]:
    """Return the ways to deal with what is next to the player, by its direction; none where there is nothing to deal with."""
    y, x = game.player_cell
    found = {(dy, dx): ways_at(game, (y + dy, x + dx)) for dy, dx in NEIGHBOURS}
    return {direction: ways for direction, ways in found.items() if ways}


def refusals_around(game: Game) -> list[str]:
    """Return why things next to the player can't be dealt with that look as if they could be, each once."""
    y, x = game.player_cell
    return list(dict.fromkeys(told for dy, dx in NEIGHBOURS for told in refusals_at(game, (y + dy, x + dx))))


@dataclass
class Works(Overlay):
    """Asks where, unless there is only one place, and then how.

    Attributes:
        game: The game.
        found: The ways by the direction of what they deal with.
    """

    game: Game
    found: Mapping[Direction, Sequence[Way]]
    _direction: Direction | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        """Ask at once how, where there is only one place."""
        if len(self.found) == 1:
            self._direction = next(iter(self.found))

    def draw(self, console: Console) -> None:
        """Draw it over what is behind."""
        self.behind.draw(console)
        if self._direction is None:
            caption(console, 0, "Where?", ", ".join([*map(side_of, self.found), "Esc"]))
            return
        ways, room = self.found[self._direction], self.room(console)
        width = min(WIDTH, room.shape[1] - FRAME_COLUMNS)
        lines = [
            (line, BRIGHT)
            for letter, way in zip(ascii_lowercase, ways, strict=False)
            for line in wrap(clean(f"{letter}  {way}"), width, subsequent_indent="   ")
        ]
        hints = ["Being hit breaks it off."] if any(way.turns > 1 for way in ways) else []
        hints += ["a letter does it, Esc goes back"]
        text_box(console, "Work", [*lines, ("", PLAIN), *((hint, DIM) for hint in hints)], room)

    def press(self, key: str) -> Screen | None:
        """Take a direction, or a way; anything else goes back."""
        if self._direction is None:
            if DIRECTIONS.get(key) not in self.found:
                return self.behind.resume()
            self._direction = DIRECTIONS[key]
            return self
        ways = self.found[self._direction]
        chosen = ascii_lowercase.find(key) if len(key) == 1 else -1
        if 0 <= chosen < len(ways):
            deal(self.game, self._direction, ways[chosen].name)
        return self.behind.resume()
