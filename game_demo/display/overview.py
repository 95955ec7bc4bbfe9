"""A whole level on one screen, and the list of levels.

Each console cell shows two points, one above the other, in their colours. A point stands for one cell of the map, or for a
square of 2x2, 3x3... cells if the map is too large. Of a square it shows the cell that matters most: a new cell before a
door, a door before floor, floor before wall.
"""

from __future__ import annotations

from functools import partial
from textwrap import wrap
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from tcod.console import rgb_graphic

from dungeon import terrain as t
from dungeon.adapters.animation import FRESH
from game_demo.display.drawing import (
    BAR_BG,
    BLACK,
    BLUE,
    BRIGHT,
    GOLD,
    GREEN,
    PLAIN,
    RED,
    caption,
    clean,
    fill,
    put,
)
from game_demo.rules.paths import is_seen_trap, robots_in_sight, seen_stairs, seen_things
from game_demo.state.components import Item, Trap, cell_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray
    from tcod.console import Console

    from dungeon import Frame
    from game_demo.state.components import Colour
    from game_demo.state.game import Game
    from game_demo.state.game_map import GameMap
    from game_demo.state.geometry import Cell


# -- maps in points --------------------------------------------------------------------------------

HALF, FULL, EMPTY = (ord(glyph) for glyph in "▀█ ")
EARTH: Final = (0, 0, 0)
ROCK: Final = (54, 34, 34)
"""The colour of ground that must not be dug."""
WALL: Final = (58, 58, 66)
PASSAGE: Final = (104, 98, 88)
SPACE: Final = (150, 142, 124)
NEW: Final = (214, 140, 255)
TINT: Final = 1.9
"""How much brighter the tints of encounters are than behind glyphs."""


def minimap(frame: Frame, drawn: Console, height: int, width: int) -> NDArray[np.void]:
    """Return (rows, columns) tiles that show the whole map, at most `height` and `width` of them.

    Args:
        frame: The map.
        drawn: The frame as `drawn_frame` draws it, for its tints.
        height: The rows to draw on.
        width: The columns to draw on.
    """
    size = cells_per_point(frame.terrain.shape, height, width)
    return shrunk(*_points(frame, drawn, shows_things=size == 1), size)


def shrunk(colour: NDArray[np.uint8], rank: NDArray[np.uint8], size: int) -> NDArray[np.void]:
    """Return (rows, columns) tiles that show the whole map, two points in a tile.

    Args:
        colour: (height, width, 3) uint8, the colour of every cell; `EARTH` for nothing.
        rank: (height, width) uint8, how much each cell matters; the highest of a square is shown.
        size: The side of the square of cells that a point stands for.
    """
    height, width = rank.shape
    rows, columns = -(-height // (2 * size)) * 2, -(-width // size)
    # Square by square, with earth where the last ones reach beyond the map.
    missing = ((0, rows * size - height), (0, columns * size - width))
    ranks = _squares(np.pad(rank, missing), size)
    colours = _squares(np.pad(colour, (*missing, (0, 0))), size)
    best = ranks.argmax(axis=2)[..., None, None]
    points = np.take_along_axis(colours, best, axis=2)[:, :, 0]
    tiles = np.empty((rows // 2, columns), rgb_graphic)
    upper, lower = points[::2], points[1::2]
    is_earth = (upper == EARTH).all(axis=2)
    tiles["ch"] = np.where((upper != lower).any(axis=2), HALF, np.where(is_earth, EMPTY, FULL))
    tiles["fg"], tiles["bg"] = upper, lower
    return tiles


def cells_per_point(shape: tuple[int, ...], height: int, width: int) -> int:
    """Return the smallest side of the square of cells for which a map of that shape fits on `height` rows and `width` columns."""
    return max(-(-shape[0] // (2 * height)), -(-shape[1] // width), 1)


def _squares(cells: NDArray[np.uint8], size: int) -> NDArray[np.uint8]:
    """Return the cells of a map, (rows * size, columns * size, ...), as (rows, columns, size * size, ...)."""
    rows, columns = cells.shape[0] // size, cells.shape[1] // size
    split = cells.reshape(rows, size, columns, size, *cells.shape[2:]).swapaxes(1, 2)
    return split.reshape(rows, columns, size * size, *cells.shape[2:])


def _points(
    frame: Frame, drawn: Console, *, shows_things: bool
) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Return the colour of every cell of a map, and how much each cell matters: the arguments of `shrunk`."""
    base = frame.terrain_set.base[frame.terrain]
    colour = np.zeros((*base.shape, 3), np.uint8)
    rank = np.zeros(base.shape, np.uint8)

    def show(where: NDArray[np.bool_], what: Colour | NDArray[np.uint8]) -> None:
        colour[where] = what if isinstance(what, tuple) else what[where]
        rank[where] = rank.max() + 1

    is_open = base > t.BLOCKED
    behind = drawn.rgb["bg"]
    is_fresh = (behind == FRESH).all(axis=2)
    is_tinted = (behind != frame.terrain_set.bg[frame.terrain]).any(axis=2) & ~is_fresh
    show(base == t.BLOCKED, ROCK)
    show(base == t.WALL, WALL)
    show(base == t.CORRIDOR, PASSAGE)
    show(is_open & (base != t.CORRIDOR), SPACE)
    show(is_open & ~frame.terrain_set.walkable[frame.terrain], frame.terrain_set.fg[frame.terrain])
    show(is_tinted, (behind * TINT).clip(0, 255).astype(np.uint8))
    if shows_things:
        show(is_open & (drawn.rgb["ch"] != frame.terrain_set.glyph[frame.terrain]), drawn.rgb["fg"])
    show(np.isin(base, t.DOORS), GOLD)
    show(np.isin(base, t.STAIRS), BRIGHT)
    show(is_fresh, NEW)
    return colour, rank


# -- the overview ----------------------------------------------------------------------------------

SEEN_WALL: Final = (110, 110, 124)
PASSAGES, FLOORS = "·", "░"
"""Fill characters for ground. Their colour is that of the ground, so they are seen only on terminals without colours."""
SIGNS: Final = "+$^R<>@"
"""The signs of important cells, because colours alone say nothing on some terminals and to some eyes."""


class CellSort(NamedTuple):
    """Cells of one sort on the overview.

    Attributes:
        sign: Character for such a cell: one of `SIGNS`, or a fill character.
        name: Name of such cells in the legend.
        colour: Colour of such cells.
        cells: (height, width) bool, True for such cells.
    """

    sign: str
    name: str
    colour: Colour
    cells: NDArray[np.bool_]


def draw_overview(console: Console, game: Game) -> None:
    """Draw what the player knows of the level in points, with a legend below."""
    sorts = _sorts(game)
    shape = game.map.codes.shape
    size = cells_per_point(shape, console.height - 2, console.width)
    picture = _picture(sorts, shape, size)
    height, width = picture.shape
    y, x = 1 + (console.height - 2 - height) // 2, (console.width - width) // 2
    console.rgb[y : y + height, x : x + width] = picture
    keys = "Tab lists the levels, any other key goes back"
    caption(console, 0, game.title(game.map.level.id), keys)
    fill(console, console.height - 1, 0, 1, console.width, BAR_BG)
    end = 1
    for each in reversed(sorts):
        behind = each.colour if each.sign in (PASSAGES, FLOORS) else None
        end = put(console, console.height - 1, end, each.sign, each.colour, behind)
        end = put(console, console.height - 1, end + 1, each.name, PLAIN) + 2


def _picture(sorts: Iterable[CellSort], shape: tuple[int, ...], size: int) -> NDArray[np.void]:
    """Return the (rows, columns) tiles of a level of that shape; a point stands for a square of `size` cells."""
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


def _sorts(game: Game) -> list[CellSort]:
    """Return the sorts of cells that the player knows, the least important first."""
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
        CellSort("█", "wall", SEEN_WALL, explored & ~walkable),
        CellSort(PASSAGES, "path", PASSAGE, explored & (base == t.CORRIDOR)),
        CellSort(FLOORS, "floor", SPACE, explored & walkable & (base != t.CORRIDOR)),
        CellSort("+", "door", GOLD, explored & np.isin(base, t.DOORS)),
        CellSort("$", "item", GREEN, at(map(cell_of, seen_things(game, Item)))),
        CellSort(
            "^", "trap", RED, at(filter(partial(is_seen_trap, game), map(cell_of, seen_things(game, Trap))))
        ),
        CellSort("R", "robot", RED, at(map(cell_of, robots_in_sight(game)))),
        CellSort("<", "up", BLUE, at(seen_stairs(game) - game.map.exits.keys())),
        CellSort(">", "down", BLUE, at(seen_stairs(game) & game.map.exits.keys())),
        CellSort("@", "you", BRIGHT, at([game.player_cell])),
    ]


# -- the list of levels ----------------------------------------------------------------------------

WIDTH: Final = 74
"""The width of the list of levels, in columns."""


def itinerary(game: Game) -> tuple[list[tuple[str, Colour]], int]:
    """Return lines about the levels that the player has visited or seen stairs to, and the index of the first line on his level.

    Each level is listed once, in order of depth. Each line comes with its colour.
    """
    lines: list[tuple[str, Colour]] = []
    here, stairs = 0, _stairs_seen(game)
    for node in game.world.maps:
        game_map = game.maps.get(node.id)
        if game_map is None and node.id not in stairs:
            continue
        is_here = game_map is game.map
        here = len(lines) if is_here else here
        colour = GOLD if is_here else GREEN if game_map is None else BRIGHT
        told = clean(_describe_level(game, node.id, stairs))
        lines += [(line, colour) for line in wrap(told, WIDTH, subsequent_indent="  ")]
    return lines, here


def _stairs_seen(game: Game) -> dict[str, list[str]]:
    """Return map id -> the ids of the levels where the player has seen stairs to it, in order of depth."""
    seen: dict[str, list[str]] = {}
    for node in game.world.maps:
        game_map = game.maps.get(node.id)
        for target in _ways_on(game_map) if game_map is not None else ():
            seen.setdefault(target, []).append(node.id)
    return seen


def _ways_on(game_map: GameMap) -> list[str]:
    """Return the ids of the levels to which the player has seen stairs on one level, each once."""
    exits = sorted(game_map.exits.items())
    return [*dict.fromkeys(target for cell, target in exits if game_map.sight.explored[cell])]


def _describe_level(game: Game, map_id: str, stairs: Mapping[str, Sequence[str]]) -> str:
    """Return the text about a level: its name, where stairs lead to it, and whether the player has visited it."""
    above = " and ".join(map(game.title, stairs.get(map_id, ())))
    title = game.title(map_id)
    if above:
        title = f"{title} (stairs in {above})"
    game_map = game.maps.get(map_id)
    if game_map is None:
        no_way_back = ", you can't come back from there" if game.world.node(map_id).one_way else ""
        told, foretaste = f"{title}, not visited{no_way_back}", game.foretaste(map_id)
        return f"{told}. {foretaste}" if foretaste else told
    has_been = "you are here" if game_map is game.map else "visited"
    no_way_on = ", no stairs onward found yet" if game_map.exits and not _ways_on(game_map) else ""
    return f"{title}, {has_been}{no_way_on}"
