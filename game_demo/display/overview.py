"""All of a level on one screen, as far as the player has seen it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from dungeon import terrain as t
from game_demo.display.drawing import BAR_BG, BLACK, BLUE, BRIGHT, GOLD, GREEN, PLAIN, RED, caption, fill, put
from game_demo.display.minimap import PASSAGE, SPACE, cells_per_point, shrunk
from game_demo.rules.ways import is_seen_trap, robots_in_sight, seen_stairs, seen_things
from game_demo.state.components import Item, Trap
from game_demo.state.entities import cell_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray
    from tcod.console import Console

    from game_demo.state.components import Colour
    from game_demo.state.game import Game
    from game_demo.state.geometry import Cell

SEEN_WALL: Final = (110, 110, 124)
PASSAGES, FLOORS = "·", "░"
"""Ground is drawn on its own colour, and so these shades are seen only where there are no colours."""
SIGNS: Final = "+$^R<>@"
"""What is told by signs, for colours alone say nothing on some terminals and to some eyes."""


class Sort(NamedTuple):
    """Cells of the level that look alike here.

    Attributes:
        sign: What shows them: one of `SIGNS`, or what fills their points.
        name: What they are.
        colour: Their colour.
        cells: (height, width) where they are.
    """

    sign: str
    name: str
    colour: Colour
    cells: NDArray[np.bool_]


def draw_overview(console: Console, game: Game) -> None:
    """Draw all that the player knows of the level in points, and below it what they mean."""
    sorts = _sorts(game)
    shape = game.map.codes.shape
    size = cells_per_point(shape, console.height - 2, console.width)
    picture = _picture(sorts, shape, size)
    height, width = picture.shape
    y, x = 1 + (console.height - 2 - height) // 2, (console.width - width) // 2
    console.rgb[y : y + height, x : x + width] = picture
    keys = "Tab lists the levels, any key goes back"
    caption(console, 0, game.title(game.map.level.id), keys)
    fill(console, console.height - 1, 0, 1, console.width, BAR_BG)
    end = 1
    for each in reversed(sorts):
        behind = each.colour if each.sign in (PASSAGES, FLOORS) else None
        end = put(console, console.height - 1, end, each.sign, each.colour, behind)
        end = put(console, console.height - 1, end + 1, each.name, PLAIN) + 2


def _picture(sorts: Iterable[Sort], shape: tuple[int, ...], size: int) -> NDArray[np.void]:
    """Return (rows, columns) tiles of a level of that shape, two points to a tile and so many cells to a point each way."""
    colour, rank = np.zeros((*shape, 3), np.uint8), np.zeros(shape, np.uint8)
    for order, each in enumerate(sorts, start=1):
        colour[each.cells], rank[each.cells] = each.colour, order
    picture = shrunk(colour, rank, size)
    for each in sorts:
        if each.sign in SIGNS:
            ys, xs = each.cells.nonzero()
            picture[ys // (2 * size), xs // size] = ord(each.sign), each.colour, BLACK
        elif each.sign in (PASSAGES, FLOORS):
            is_all = (picture["fg"] == each.colour).all(axis=2) & (picture["bg"] == each.colour).all(axis=2)
            picture["ch"][is_all] = ord(each.sign)
    return picture


def _sorts(game: Game) -> list[Sort]:
    """Return what the player knows of the level, what tells least first."""
    game_map = game.map
    base = game_map.level.terrain_set.base[game_map.codes]
    walkable = game_map.level.terrain_set.walkable[game_map.codes]
    explored = game_map.sight.explored

    def at(cells: Iterable[Cell]) -> NDArray[np.bool_]:
        mask = np.zeros(base.shape, np.bool_)
        for cell in cells:
            mask[cell] = True
        return mask

    return [
        Sort("█", "wall", SEEN_WALL, explored & ~walkable),
        Sort(PASSAGES, "path", PASSAGE, explored & (base == t.CORRIDOR)),
        Sort(FLOORS, "floor", SPACE, explored & walkable & (base != t.CORRIDOR)),
        Sort("+", "door", GOLD, explored & np.isin(base, t.DOORS)),
        Sort("$", "item", GREEN, at(map(cell_of, seen_things(game, Item)))),
        Sort(
            "^", "trap", RED, at(filter(partial(is_seen_trap, game), map(cell_of, seen_things(game, Trap))))
        ),
        Sort("R", "robot", RED, at(map(cell_of, robots_in_sight(game)))),
        Sort("<", "up", BLUE, at(seen_stairs(game) - game.map.exits.keys())),
        Sort(">", "down", BLUE, at(seen_stairs(game) & game.map.exits.keys())),
        Sort("@", "you", BRIGHT, at([game.player_cell])),
    ]
