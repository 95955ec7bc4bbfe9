"""A whole map on few cells of a console: each shows two points, one above the other, in their colours.

A point stands for one cell of the map, or for a square of 2x2, 3x3... if the map is too large for that, and then it
shows the one that tells most: what is new rather than a door, a door rather than floor, floor rather than wall.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
from tcod.console import rgb_graphic

from dungeon import terrain as t
from dungeon.adapters.animation import FRESH
from game_demo.display.drawing import BRIGHT, GOLD

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from tcod.console import Console

    from dungeon import Frame
    from game_demo.state.components import Colour

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
