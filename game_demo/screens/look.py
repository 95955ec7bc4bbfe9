"""Looking at the map with a cursor, choosing a place to go to, and the overviews of level and world."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from string import ascii_lowercase
from textwrap import wrap
from typing import TYPE_CHECKING, ClassVar, Final

import numpy as np

from dungeon import terrain as t
from game_demo.display.descriptions import describe_cell, describe_entity, stairs_at
from game_demo.display.drawing import (
    BLACK,
    BRIGHT,
    DIM,
    FRAME_COLUMNS,
    GOLD,
    PLAIN,
    caption,
    clean,
    fill,
    put,
)
from game_demo.display.explanations import commands_about, explain_cell
from game_demo.display.overview import draw_overview, itinerary
from game_demo.display.panels import PLAINEST, draw_game, messages_top, rank_of, visible_entities
from game_demo.rules.fighting import marks
from game_demo.rules.journeys import is_taken, travel
from game_demo.rules.leftovers import places_to_try, ready_places, steps_beside
from game_demo.rules.locks import describe_lock
from game_demo.rules.naming import as_sentence, pluralized, terrain_name
from game_demo.rules.paths import FAR, cells_beside, seen_stairs, side_of_stander, way_beside, way_to_nearest
from game_demo.screens.aim import aim_screen
from game_demo.screens.body import body_page
from game_demo.screens.dialogs import TextPage
from game_demo.screens.keys import DIRECTIONS, RUN_KEYS, TAB_KEYS
from game_demo.screens.screen import MapScreen, Overlay
from game_demo.state.components import cell_of, cells_of
from game_demo.state.geometry import bearing_of, distance

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tcod.console import Console

    from dungeon.core.vocabulary import Highlight
    from game_demo.screens.dialogs import Line
    from game_demo.screens.screen import Screen
    from game_demo.state.game import Game
    from game_demo.state.geometry import Cell, Direction

LEAP: Final = 8
PAGE_WIDTH: Final = 74
ABOVE: Final = 6
"""How many lines of other levels are shown above the player's, if not all fit."""
UNREADY: Final = "Read before, shut or locked (to force a lock, go there and press w):"
"""The heading of places where there is nothing to take, try, read or open without force."""


class Look(MapScreen):
    """Look mode: a cursor on the map, and what is known of its cell.

    The map scrolls only when the cursor leaves the view.

    Args:
        behind: The screen to go back to.
        game: The game.
        cursor: The first cell of the cursor; by default the player's.
        eye: What the designer's view tints; with it everything is told. None for the player's view.
    """

    stop: ClassVar[str] = "thing"
    """What Tab goes through, as text."""

    def __init__(
        self, behind: Screen, game: Game, *, cursor: Cell | None = None, eye: Highlight | None = None
    ) -> None:
        self.behind = behind
        self.game = game
        self.eye = eye
        self.cursor: Cell = cursor or game.player_cell
        self._focus: Cell | None = None
        self._slip = ""
        self._spot_to_cell: Callable[[Cell], Cell | None] = lambda _: None

    def draw(self, console: Console) -> None:
        """Draw the map with the cursor, and what is known of its cell, below the map or above it."""
        viewport = draw_game(console, self.game, focus=self._focus, eye=self.eye)
        if viewport.on_console(self.cursor) is None:
            self._focus = self.cursor
            viewport = draw_game(console, self.game, focus=self._focus, eye=self.eye)
        self._spot_to_cell = viewport.on_map
        spot = viewport.on_console(self.cursor)
        assert spot is not None, "the cursor is on the visible part of the map"
        cell = console.rgb[spot]
        cell["fg"], cell["bg"] = BLACK, GOLD
        lines = describe_cell(self.game, self.cursor, everything=self.eye is not None)
        rows, most = _wrapped(lines, console.width - 2), console.height // 2
        if len(rows) > most:
            rows[most - 1 :] = [f"+{len(rows) - most + 1} more lines"]
        top = console.height - len(rows) - 1
        above = min(top, messages_top(console))  # or half a message would read as if it told of the cell
        if spot[0] >= above:
            above = top = 1
        fill(console, above, 0, top + len(rows) - above, console.width, BLACK)
        for row, line in enumerate(rows):
            put(console, above + row, 1, line, BRIGHT if row == 0 else PLAIN)
        aims = not self.game.is_over and any(self.cursor in cells_of(each) for each in marks(self.game))
        keys = "f aims  " if aims else "" if self.eye else "< > stairs  "
        keys = f"w why  v tints  {keys}" if self.eye else f"{keys}{self._describe_way()}"
        place = f"  {self.cursor[1]},{self.cursor[0]}" if self.eye else ""
        told = f"{self._describe_stop()}  {keys}Esc back"
        if self._slip:
            told = f"You are looking around: Esc, then {self._slip}"
        caption(console, top + len(rows), f"Look{place}", told)

    def _describe_stop(self) -> str:
        """Return what Tab goes through, and the number of the one under the cursor, not counting the player's cell."""
        stops = [*dict.fromkeys(cell for cell in self._stops() if cell != self.game.player_cell)]
        at = stops.index(self.cursor) + 1 if self.cursor in stops else 0
        return f"{self.stop} {at}/{len(stops)}, Tab next" if at else f"Tab next {self.stop}"

    def _describe_way(self) -> str:
        """Return what Enter does and how many steps that takes, or why it does nothing."""
        if self.game.is_over or self.cursor == self.game.player_cell:
            return ""
        if not self.game.map.sight.explored[self.cursor]:
            return "not seen yet  "
        if not is_taken(self.game, self.cursor) and (way := way_to_nearest(self.game, [self.cursor])):
            return f"Enter goes there, {pluralized(len(way), 'step')}  "
        if way := way_beside(self.game, self.cursor):
            return f"Enter goes beside, {pluralized(len(way), 'step')}  "
        is_beside = self.game.player_cell in cells_beside(self.game, self.cursor)
        side = side_of_stander(self.game, self.cursor)
        return f"beside you, to the {side}  " if is_beside else "no known way there  "

    def press(self, key: str) -> Screen | None:
        """Move the cursor, go to its cell, or go back."""
        self._slip = ""
        match key:
            case _ if key in DIRECTIONS:
                self._move(DIRECTIONS[key], 1)
            case _ if key in RUN_KEYS:
                self._move(RUN_KEYS[key], LEAP)
            case _ if key == "_" or key in TAB_KEYS:
                self._next(self._stops(), TAB_KEYS.get(key, 1))
            case ">" | "<":
                self._next(cell for cell in self._stairs() if (cell in self.game.map.exits) == (key == ">"))
            case "w" | "v" if self.eye is not None:
                return self._why() if key == "w" else self._tint()
            case "e":
                return body_page(self, self.game)
            case "f" if not self.game.is_over:
                return aim_screen(self.behind, self.game, self.cursor)
            case "enter":
                return self._go()
            case "escape" | "x" | ";" | "q":
                return self.behind.resume()
            case _:
                self._slip = key  # the player may take it for the game itself
        return self

    def click(self, y: int, x: int, button: int) -> Screen | None:
        """Left button: move the cursor, or go to its cell if it is there already. Other buttons: go back."""
        cell = self._spot_to_cell((y, x))
        if button != 1 or cell is None:
            return self.behind.resume()
        if cell == self.cursor:
            return self._go()
        self.cursor = cell
        return self

    def _go(self) -> Screen:
        if self.cursor != self.game.player_cell and not self.game.is_over:
            travel(self.game, self.cursor)
        return self.behind.resume()

    def _why(self) -> Screen:
        """Explain why everything on the cell is there, and name the commands that tell authors more."""
        world, game_map = self.game.world, self.game.map
        told = [
            (line, PLAIN)
            for text in explain_cell(world, game_map, self.cursor)
            for line in [*_wrapped([text], PAGE_WIDTH), ""]
        ]
        told += [(line, DIM) for line in _wrapped(commands_about(world, game_map, self.cursor), PAGE_WIDTH)]
        return TextPage(self, "Why is this here?", told)

    def _tint(self) -> Screen | None:
        """Switch the designer's view to its next tint, with the cursor where it is."""
        screen = self.behind.press("v")
        if isinstance(screen, Look):
            screen.cursor = self.cursor
        return screen

    def _stops(self) -> list[Cell]:
        """Return the cells that Tab goes through: things in sight by importance.

        A useful thing, door or stairs with the same description as an earlier one comes last. Of scenery, only the nearest thing of each
        kind is included.
        """
        game, visible = self.game, self.game.map.sight.visible
        robots, others = visible_entities(game)
        things = [(describe_entity(game, each), _seen_of(game, each)) for each in others]
        ways = [(_describe_door(game, cell), cell) for cell in self._doors()]
        ways += [(stairs_at(game, cell), cell) for cell in self._stairs() if visible[cell]]
        useful = sum(rank_of(each) < PLAINEST for each in others)
        cells = [*map(cell_of, robots)]
        again: list[Cell] = []
        known: set[str] = set()
        for told, cell in [*things[:useful], *ways]:
            (again if told in known else cells).append(cell)
            known.add(told)
        scenery = {told: cell for told, cell in reversed(things[useful:]) if told not in known}
        cells += reversed(scenery.values())
        here = game.player_cell  # where looking begins, and so comes last
        return sorted([*cells, *self._barriers(), *again], key=lambda cell: cell == here)

    def _barriers(self) -> list[Cell]:
        """Return the nearest cell in sight of each kind of ground that one can see over but not walk on, such as water."""
        game_map, here = self.game.map, self.game.player_cell
        barred = game_map.sight.visible & game_map.transparent & ~game_map.walkable
        kinds: dict[str, list[Cell]] = {}
        for y, x in np.argwhere(barred).tolist():
            if (y, x) not in game_map.blockers:
                kinds.setdefault(terrain_name(game_map, (y, x)), []).append((y, x))
        return [min(cells, key=lambda cell: (distance(cell, here), cell)) for cells in kinds.values()]

    def _doors(self) -> list[Cell]:
        """Return the closed doors in sight, nearest first."""
        game, here = self.game, self.game.player_cell
        shut = [
            cell for cell in game.map.doors if game.map.sight.visible[cell] and _describe_door(game, cell)
        ]
        return sorted(shut, key=lambda cell: (distance(cell, here), cell))

    def _stairs(self) -> list[Cell]:
        """Return the known stairs, nearest first."""
        here = self.game.player_cell
        return sorted(seen_stairs(self.game), key=lambda cell: (distance(cell, here), cell))

    def _move(self, way: Direction, by: int) -> None:
        level = self.game.map.level
        y, x = self.cursor[0] + way[0] * by, self.cursor[1] + way[1] * by
        self.cursor = min(max(y, 0), level.height - 1), min(max(x, 0), level.width - 1)

    def _next(self, cells: Iterable[Cell], by: int = 1) -> None:
        """Move the cursor to the next of some cells; to the first if it is on none of them."""
        places = list(dict.fromkeys(cells))[::by]
        if places:
            at = places.index(self.cursor) + 1 if self.cursor in places else 0
            self.cursor = places[at % len(places)]


class Travel(Look):
    """Choosing a place to go to on the map: Tab goes through the places, or if there are none the cursor is on stairs."""

    stop: ClassVar[str] = "place"

    def __init__(self, behind: Screen, game: Game, *, eye: Highlight | None = None) -> None:
        super().__init__(behind, game, eye=eye)
        stairs = sorted(self._stairs(), key=lambda cell: cell not in game.map.exits)
        self.cursor = next(iter([*self._stops(), *stairs]), self.cursor)

    def _stops(self) -> list[Cell]:
        """Return the cells of places where something is left to do."""
        return places_to_try(self.game)


def places_screen(behind: Screen, game: Game, eye: Highlight | None = None) -> Screen:
    """Return the list of places to go to, or the map if the list would be empty."""
    places = Places(behind, game, eye)
    return places if places.choices else Travel(behind, game, eye=eye)


class Places(TextPage):
    """The list of places where something is left to do, and of stairs. A place keeps its letter while it is in the list.

    Tab shows the places on the map, nearest first.

    Args:
        behind: The screen to go back to.
        game: The game.
        eye: What the designer's view tints.

    Attributes:
        choices: Letter -> the cell that it goes to.
    """

    scrolling: ClassVar[str] = "arrows scroll"

    def __init__(self, behind: Screen, game: Game, eye: Highlight | None = None) -> None:
        super().__init__(behind, "Go where?", (), keys="letter: go, Enter: nearest, Tab map, Esc")
        self.game = game
        self.eye = eye
        stairs, ready = seen_stairs(game) - {game.player_cell}, ready_places(game)

        def order(cell: Cell) -> tuple[bool, bool, bool, str, Cell]:
            is_way, is_ready = cell in stairs, cell in ready
            return not (is_way or is_ready), is_way, cell not in game.map.exits, _told_of(game, cell), cell

        places = sorted({*places_to_try(game), *stairs}, key=order)
        kept = {letter: cell for letter, cell in game.map.letters.items() if cell in places}
        free = [letter for letter in ascii_lowercase if letter not in kept]
        new = [cell for cell in places if cell not in kept.values()]
        game.map.letters = kept | dict(zip(free, new, strict=False))
        counts = dict(zip(game.map.letters, steps_beside(game, game.map.letters.values()), strict=True))
        rank = {each: (order(cell)[0], counts[each], each) for each, cell in game.map.letters.items()}
        self.choices = {letter: game.map.letters[letter] for letter in sorted(rank, key=rank.__getitem__)}

    def draw(self, console: Console) -> None:
        """Draw the screen over the one behind it."""
        self.lines = self._rows(min(PAGE_WIDTH, self.room(console).shape[1] - FRAME_COLUMNS))
        super().draw(console)

    def _rows(self, width: int) -> list[Line]:
        """Return the rows of the list: letter, steps, direction, and what is there. Places that are not ready follow a heading."""
        here, ready = self.game.player_cell, ready_places(self.game) | self.game.map.stairs
        counts = steps_beside(self.game, self.choices.values())
        rows: list[Line] = []
        for (letter, cell), count in zip(self.choices.items(), counts, strict=True):
            way = pluralized(count, "step") if count < FAR else "no way"
            what = _told_of(self.game, cell)
            where = f"{letter}  {way:9} {bearing_of(here, cell):10} "
            if cell not in ready and (UNREADY, DIM) not in rows:
                rows.append((UNREADY, DIM))
            told = wrap(
                clean(f"{where}{as_sentence(what)}"),
                width,
                subsequent_indent=" " * len(where),
                max_lines=2,
                placeholder="...",
            )
            rows += [(row, BRIGHT) for row in told]
        return rows

    def press(self, key: str) -> Screen | None:
        """Go to a place, or with Enter to the nearest, show the places on the map, scroll, or go back. Letters without a place do nothing."""
        nearest = next(iter(places_to_try(self.game)), None)  # of those that are ready, if any are
        place = nearest if key == "enter" else self.choices.get(key)
        if place is not None:
            travel(self.game, place)
            return self.behind.resume()
        if key in TAB_KEYS or key in ("_", "<", ">"):
            screen = Travel(self.behind, self.game, eye=self.eye)
            return screen.press(key) if key in ("<", ">") else screen
        return self if key in ascii_lowercase else super().press(key)


@dataclass
class Overview(Overlay):
    """The known part of the level in points. Tab lists the levels; any other key goes back."""

    game: Game

    def draw(self, console: Console) -> None:
        """Draw the level in points."""
        draw_overview(console, self.game)

    def press(self, key: str) -> Screen | None:
        """List the levels, or go back."""
        return levels_page(self.behind, self.game) if key in TAB_KEYS else self.behind.resume()


@dataclass
class Levels(TextPage):
    """The list of levels. Tab shows the map."""

    _: KW_ONLY
    game: Game

    def press(self, key: str) -> Screen | None:
        """Show the map, scroll, or go back."""
        return Overview(self.behind, self.game) if key in TAB_KEYS else super().press(key)


def levels_page(behind: Screen, game: Game) -> Levels:
    """Return the list of levels, scrolled to the player's level."""
    lines, here = itinerary(game)
    top = max(here - ABOVE, 0)
    return Levels(behind, "Levels", lines, top, "Tab shows the map, Esc goes back", game=game)


def _told_of(game: Game, cell: Cell) -> str:
    """Return the first line about a cell, whether the player sees it or remembers it."""
    return describe_cell(game, cell)[0].removeprefix("From memory: ")


def _seen_of(game: Game, entity: int) -> Cell:
    """Return the first cell of an entity that the player sees."""
    return next(cell for cell in cells_of(entity) if game.map.sight.mask & game.map.bit(cell))


def _describe_door(game: Game, cell: Cell) -> str:
    """Return the text about a closed door at a cell; empty for none."""
    if game.map.door_at(cell, t.LOCKED_DOOR) is not None:
        return describe_lock(game, cell)
    return "" if game.map.door_at(cell) is None else terrain_name(game.map, cell)


def _wrapped(lines: Iterable[str], width: int) -> list[str]:
    """Return lines wrapped to a width."""
    return [row for line in lines for row in wrap(clean(line), width, subsequent_indent="  ")]
