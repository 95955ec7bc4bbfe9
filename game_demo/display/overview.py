"""All of a level on one screen, as far as the player has seen it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dungeon import terrain as t
from game_demo.display.drawing import BAR_BG, BRIGHT, DIM, GOLD, GREEN, PLAIN, RED, fill, put
from game_demo.display.minimap import PASSAGE, SPACE, cells_per_point, shrunk
from game_demo.rules.ways import robots_in_sight, seen_stairs, seen_things
from game_demo.state.components import Item, Trap
from game_demo.state.entities import cell_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray
    from tcod.console import Console

    from game_demo.state.components import Colour
    from game_demo.state.game import Game
    from game_demo.state.geometry import Cell

SEEN_WALL = (110, 110, 124)
STAIRS = (130, 180, 240)

LEGEND: tuple[tuple[str, Colour], ...] = (
    ("you", BRIGHT),
    ("stairs", STAIRS),
    ("door", GOLD),
    ("item", GREEN),
    ("robot or trap", RED),
    ("floor", SPACE),
    ("wall", SEEN_WALL),
)


def draw_overview(console: Console, game: Game) -> None:
    """Draw all that the player knows of the level in points, and below it what their colours mean."""
    colour, rank = _points(game)
    size = cells_per_point(rank.shape, console.height - 2, console.width)
    picture = shrunk(colour, rank, size)
    height, width = picture.shape
    y, x = 1 + (console.height - 2 - height) // 2, (console.width - width) // 2
    console.rgb[y : y + height, x : x + width] = picture
    for row in (0, console.height - 1):
        fill(console, row, 0, 1, console.width, BAR_BG)
    end = put(console, 0, 1, game.title(game.map.level.id), GOLD)
    put(console, 0, end + 2, "what you have seen of it; any key goes back", DIM)
    end = 1
    for text, meant in LEGEND:
        end = put(console, console.height - 1, end, "█", meant)
        end = put(console, console.height - 1, end + 1, text, PLAIN) + 2


def _points(game: Game) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Return the (height, width, 3) colour of every cell of the level, and (height, width) how much it tells."""
    game_map = game.map
    base = game_map.level.terrain_set.base[game_map.codes]
    walkable = game_map.level.terrain_set.walkable[game_map.codes]
    colour = np.zeros((*base.shape, 3), np.uint8)
    rank = np.zeros(base.shape, np.uint8)
    explored = game_map.sight.explored
    cells: tuple[tuple[NDArray[np.bool_], Colour], ...] = (
        (explored & ~walkable, SEEN_WALL),
        (explored & (base == t.CORRIDOR), PASSAGE),
        (explored & walkable & (base != t.CORRIDOR), SPACE),
        (explored & np.isin(base, t.DOORS), GOLD),
        (_at(base.shape, map(cell_of, seen_things(game, Item))), GREEN),
        (_at(base.shape, map(cell_of, seen_things(game, Trap) | robots_in_sight(game))), RED),
        (_at(base.shape, seen_stairs(game)), STAIRS),
        (_at(base.shape, [game.player_cell]), BRIGHT),
    )
    for order, (where, meant) in enumerate(cells, start=1):
        colour[where], rank[where] = meant, order
    return colour, rank


def _at(shape: tuple[int, ...], cells: Iterable[Cell]) -> NDArray[np.bool_]:
    """Return a mask of some cells."""
    mask = np.zeros(shape, np.bool_)
    for cell in cells:
        mask[cell] = True
    return mask
