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
"""What nobody may dig into."""
WALL: Final = (58, 58, 66)
PASSAGE: Final = (104, 98, 88)
SPACE: Final = (150, 142, 124)
NEW: Final = (214, 140, 255)
TINT: Final = 1.9
"""How much brighter the tints of encounters are than behind glyphs."""


def minimap(frame: Frame, drawn: Console, height: int, width: int) -> NDArray[np.void]:
    """Return (rows, columns) tiles with all of the map, at most `height` and `width` of them.

    Args:
        frame: The map.
        drawn: The frame as `drawn_frame` draws it, whose tints are shown.
        height: Rows to draw on.
        width: Columns to draw on.
    """
    size = cells_per_point(frame.terrain.shape, height, width)
    return shrunk(*_points(frame, drawn, shows_things=size == 1), size)


def shrunk(colour: NDArray[np.uint8], rank: NDArray[np.uint8], size: int) -> NDArray[np.void]:
    """Return (rows, columns) tiles with all of a map, two points to a tile.

    Args:
        colour: (height, width, 3) the colour of every cell of the map, `EARTH` where nothing is.
        rank: (height, width) how much it tells.
        size: For a square of how many cells each way a point stands.
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
    """Return how many cells of a map of that shape a point must stand for, each way, on so many rows and columns."""
    return max(-(-shape[0] // (2 * height)), -(-shape[1] // width), 1)


def _squares(cells: NDArray[np.uint8], size: int) -> NDArray[np.uint8]:
    """Return the cells of a map, (rows * size, columns * size, ...), as (rows, columns, size * size, ...)."""
    rows, columns = cells.shape[0] // size, cells.shape[1] // size
    split = cells.reshape(rows, size, columns, size, *cells.shape[2:]).swapaxes(1, 2)
    return split.reshape(rows, columns, size * size, *cells.shape[2:])


def _points(
    frame: Frame, drawn: Console, *, shows_things: bool
) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Return the colour of every cell of a map, and how much it tells."""
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


# -- the list of levels ----------------------------------------------------------------------------

WIDTH: Final = 74
"""How many columns a level is written in."""


def itinerary(game: Game) -> tuple[list[tuple[str, Colour]], int]:
    """Return lines of text with their colours, and which of them is the first about the level where the player is.

    They tell of each level once, from the top down: of those where he was, and of those to which he has seen stairs.
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
        told = clean(_told_of(game, node.id, stairs))
        lines += [(line, colour) for line in wrap(told, WIDTH, subsequent_indent="  ")]
    return lines, here


def _stairs_seen(game: Game) -> dict[str, list[str]]:
    """Return on which levels, by their ids, the player has seen stairs to a level; in order of depth."""
    seen: dict[str, list[str]] = {}
    for node in game.world.maps:
        game_map = game.maps.get(node.id)
        for target in _ways_on(game_map) if game_map is not None else ():
            seen.setdefault(target, []).append(node.id)
    return seen


def _ways_on(game_map: GameMap) -> list[str]:
    """Return the ids of the levels to which the player has seen stairs on a level, each once."""
    exits = sorted(game_map.exits.items())
    return [*dict.fromkeys(target for cell, target in exits if game_map.sight.explored[cell])]


def _told_of(game: Game, map_id: str, stairs: Mapping[str, Sequence[str]]) -> str:
    """Return what is read of a level: what it is called, where there are stairs to it, and what the player has had of it."""
    above = " and ".join(map(game.title, stairs.get(map_id, ())))
    title = f"{game.title(map_id)}{f' (stairs in {above})' if above else ''}"
    game_map = game.maps.get(map_id)
    if game_map is None:
        no_way_back = ", and no way back" if game.world.node(map_id).one_way else ""
        foretaste = game.foretaste(map_id)
        return f"{title}, not visited{no_way_back}{f'. {foretaste}' if foretaste else ''}"
    has_been = "you are here" if game_map is game.map else "visited"
    no_way_on = ", no way on found yet" if game_map.exits and not _ways_on(game_map) else ""
    return f"{title}, {has_been}{no_way_on}"
