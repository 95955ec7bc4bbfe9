"""Look mode: a cursor on the map, and all that is known of the cell under it."""

from __future__ import annotations

from itertools import chain
from textwrap import wrap
from typing import TYPE_CHECKING, Final

from game_demo.display.descriptions import report
from game_demo.display.drawing import BAR, BLACK, BRIGHT, DIM, GOLD, PLAIN, clean, fill, put
from game_demo.display.panels import draw_play, in_sight
from game_demo.screens.keys import DIRECTIONS, RUNS
from game_demo.screens.screen import Screen
from game_demo.state.entities import place_of

if TYPE_CHECKING:
    from tcod.console import Console

    from game_demo.state.game import Game
    from game_demo.state.geometry import Place

ROWS: Final = 7
LEAP: Final = 8


class Look(Screen):
    """Looking around.

    Args:
        behind: The screen to go back to.
        game: The game.
        everything: Whether to tell also what the player has not seen.
    """

    def __init__(self, behind: Screen, game: Game, *, everything: bool) -> None:
        self.behind = behind
        self.game = game
        self.everything = everything
        self.cursor: Place = game.place

    def draw(self, console: Console) -> None:
        """Draw the map with the cursor, and below it what is known of the cell."""
        window = draw_play(console, self.game, focus=self.cursor, rows=ROWS, everything=self.everything)
        if (spot := window.on_console(self.cursor)) is not None:
            cell = console.rgb[spot]
            cell["fg"], cell["bg"] = BLACK, GOLD
        top = console.height - ROWS
        fill(console, top, 0, ROWS, console.width, BLACK)
        lines = report(self.game, self.cursor, everything=self.everything)
        rows = list(
            chain.from_iterable(
                wrap(clean(line), console.width - 2, subsequent_indent="  ") for line in lines
            )
        )
        for row, line in enumerate(rows[: ROWS - 1]):
            put(console, top + row, 1, line, BRIGHT if row == 0 else PLAIN)
        fill(console, console.height - 1, 0, 1, console.width, BAR)
        end = put(console, console.height - 1, 1, f"Look  {self.cursor[1]},{self.cursor[0]}", GOLD)
        put(console, console.height - 1, end + 2, "move the cursor, Tab: next thing, Esc: back", DIM)

    def press(self, key: str) -> Screen | None:
        """Move the cursor, or go back."""
        if key in DIRECTIONS:
            self._move(DIRECTIONS[key], 1)
        elif key in RUNS:
            self._move(RUNS[key], LEAP)
        elif key == "tab":
            self._next()
        elif key in ("escape", "x", ";", "q", "enter"):
            return self.behind.resume()
        return self

    def _move(self, way: Place, by: int) -> None:
        level = self.game.floor.level
        y, x = self.cursor[0] + way[0] * by, self.cursor[1] + way[1] * by
        self.cursor = min(max(y, 0), level.height - 1), min(max(x, 0), level.width - 1)

    def _next(self) -> None:
        """Leap to the next of the things in sight, the nearest first."""
        stairs = [place for place in sorted(self.game.floor.stairs) if self.game.floor.sight.visible[place]]
        places = list(dict.fromkeys([*map(place_of, chain(*in_sight(self.game))), *stairs]))
        if places:
            at = places.index(self.cursor) + 1 if self.cursor in places else 0
            self.cursor = places[at % len(places)]
