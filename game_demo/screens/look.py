"""Look mode: a cursor on the map, and all that is known of the cell under it."""

from __future__ import annotations

from itertools import chain
from textwrap import wrap
from typing import TYPE_CHECKING, Final

from game_demo.display.descriptions import describe_cell
from game_demo.display.drawing import BAR_BG, BLACK, BRIGHT, DIM, GOLD, PLAIN, clean, fill, put
from game_demo.display.panels import draw_game, visible_entities
from game_demo.screens.keys import DIRECTIONS, RUN_KEYS
from game_demo.screens.screen import Screen
from game_demo.state.entities import cell_of

if TYPE_CHECKING:
    from tcod.console import Console

    from game_demo.state.game import Game
    from game_demo.state.geometry import Cell, Direction

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
        self.cursor: Cell = game.player_cell

    def draw(self, console: Console) -> None:
        """Draw the map with the cursor, and below it what is known of the cell."""
        viewport = draw_game(console, self.game, focus=self.cursor, rows=ROWS, everything=self.everything)
        if (spot := viewport.on_console(self.cursor)) is not None:
            cell = console.rgb[spot]
            cell["fg"], cell["bg"] = BLACK, GOLD
        top = console.height - ROWS
        fill(console, top, 0, ROWS, console.width, BLACK)
        lines = describe_cell(self.game, self.cursor, everything=self.everything)
        rows = list(
            chain.from_iterable(
                wrap(clean(line), console.width - 2, subsequent_indent="  ") for line in lines
            )
        )
        for row, line in enumerate(rows[: ROWS - 1]):
            put(console, top + row, 1, line, BRIGHT if row == 0 else PLAIN)
        fill(console, console.height - 1, 0, 1, console.width, BAR_BG)
        end = put(console, console.height - 1, 1, f"Look  {self.cursor[1]},{self.cursor[0]}", GOLD)
        put(console, console.height - 1, end + 2, "move the cursor, Tab: next thing, Esc: back", DIM)

    def press(self, key: str) -> Screen | None:
        """Move the cursor, or go back."""
        if key in DIRECTIONS:
            self._move(DIRECTIONS[key], 1)
        elif key in RUN_KEYS:
            self._move(RUN_KEYS[key], LEAP)
        elif key == "tab":
            self._next()
        elif key in ("escape", "x", ";", "q", "enter"):
            return self.behind.resume()
        return self

    def _move(self, way: Direction, by: int) -> None:
        level = self.game.map.level
        y, x = self.cursor[0] + way[0] * by, self.cursor[1] + way[1] * by
        self.cursor = min(max(y, 0), level.height - 1), min(max(x, 0), level.width - 1)

    def _next(self) -> None:
        """Leap to the next of the things in sight, the nearest first."""
        stairs = [cell for cell in sorted(self.game.map.stairs) if self.game.map.sight.visible[cell]]
        cells = list(dict.fromkeys([*map(cell_of, chain(*visible_entities(self.game))), *stairs]))
        if cells:
            at = cells.index(self.cursor) + 1 if self.cursor in cells else 0
            self.cursor = cells[at % len(cells)]
