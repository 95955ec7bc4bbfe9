"""The list of places to which the player could go: what is still to be seen to, and stairs."""

from __future__ import annotations

from dataclasses import dataclass, field
from string import ascii_lowercase
from typing import TYPE_CHECKING, Final

from game_demo.display.descriptions import describe_cell
from game_demo.display.drawing import BRIGHT, DIM, FRAME_COLUMNS, FRAME_ROWS, PLAIN, clean, cut, text_box
from game_demo.rules.journeys import travel
from game_demo.rules.naming import as_sentence, pluralized
from game_demo.rules.ways import FAR, seen_stairs
from game_demo.rules.works.leftovers import places_to_try, steps_beside
from game_demo.screens.keys import TAB_KEYS
from game_demo.screens.look import Travel
from game_demo.screens.screen import Overlay
from game_demo.state.geometry import bearing_of

if TYPE_CHECKING:
    from tcod.console import Console

    from dungeon.core.vocabulary import Highlight
    from game_demo.screens.dialogs import Line
    from game_demo.screens.screen import Screen
    from game_demo.state.game import Game
    from game_demo.state.geometry import Cell

WIDTH: Final = 74
"""How many columns a place is told of in."""


def places_screen(behind: Screen, game: Game, eye: Highlight | None = None) -> Screen:
    """Return the screen on which the player chooses where to go: the list, or the map where that would be empty."""
    places = Places(behind, game, eye)
    return places if places.choices else Travel(behind, game, eye=eye)


@dataclass
class Places(Overlay):
    """The list of what is still to be seen to, the nearest first, and of stairs; Tab shows the same on the map.

    Attributes:
        game: The game.
        eye: What the author's eye tints.
        choices: The letter that takes a place -> its cell.
    """

    game: Game
    eye: Highlight | None = None
    choices: dict[str, Cell] = field(init=False)

    def __post_init__(self) -> None:
        """Give each place a letter."""
        game = self.game
        stairs = sorted(seen_stairs(game) - {game.player_cell}, key=lambda cell: cell not in game.map.exits)
        self.choices = dict(
            zip(ascii_lowercase, dict.fromkeys([*places_to_try(game), *stairs]), strict=False)
        )

    def draw(self, console: Console) -> None:
        """Draw it over what is behind; what there is no room for is but counted."""
        self.behind.draw(console)
        room = self.room(console)
        width = min(WIDTH, room.shape[1] - FRAME_COLUMNS)
        most = room.shape[0] - FRAME_ROWS - 2
        rows = self._rows(width)
        if len(rows) > most:
            rows[most - 1 :] = [(f"+{len(rows) - most + 1} more, behind letters or Tab", PLAIN)]
        hint = "a letter goes there, Tab shows them on the map, Esc goes back"
        text_box(console, "Go where?", [*rows, ("", PLAIN), (hint, DIM)], room)

    def _rows(self, width: int) -> list[Line]:
        """Return a row for each place: its letter, how far that is and where, and what is there."""
        here = self.game.player_cell
        counts = steps_beside(self.game, self.choices.values())
        rows: list[Line] = []
        for (letter, cell), count in zip(self.choices.items(), counts, strict=True):
            way = pluralized(count, "step") if count < FAR else "no way"
            what = describe_cell(self.game, cell)[0].removeprefix("From memory: ")
            told = f"{letter}  {way:9} {bearing_of(here, cell):10} {as_sentence(what)}"
            rows.append((cut(clean(told), width), BRIGHT))
        return rows

    def press(self, key: str) -> Screen | None:
        """Go to a place, or show them on the map; another letter does nothing, and all else goes back."""
        if key in self.choices:
            travel(self.game, self.choices[key])
        elif key in TAB_KEYS or key in ("_", "<", ">"):
            screen = Travel(self.behind, self.game, eye=self.eye)
            return screen.press(key) if key in ("<", ">") else screen
        elif key in ascii_lowercase:
            return self
        return self.behind.resume()
