"""Shapes of rooms, each a 4-connected (height, width) bool array that touches all four sides of its *block*, a full rectangle.

.###.    ..#..    .#...    #####    ##...
#####    .###.    .##..    #####    ##...
#####    #####    .###.    .###.    #####
.###.    .###.    ####.    .###.    #####
ellipse  diamond  triangle cross    ell

#####    ##.##    #####
###..    #####    #.#.#
####.    ##.##    #####
.####    #####
notched  alcoves  pillared

All of them work at any size; in small blocks they come close to a rectangle.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dungeon.core.streams import Stream

NICHES = 3
"""Columns from one alcove to the next."""

REMEMBERED = 256
"""Size of the cache of each shape that involves no chance: the same few sizes are asked for again and again."""

LEAST_ARM = 2
"""Least width of an arm of a cross or an L, if the block is large enough."""


Fixed = Callable[[int, int], NDArray[np.bool_]]
"""A function that returns a shape determined by height and width alone."""


def _remembered(shape: Fixed) -> Fixed:
    """Decorate a function that makes shapes: its results are cached, and are read-only arrays."""

    def made(height: int, width: int) -> NDArray[np.bool_]:
        found = shape(height, width)
        found.flags.writeable = False
        return found

    return wraps(shape)(lru_cache(maxsize=REMEMBERED)(made))


def rectangle(height: int, width: int) -> NDArray[np.bool_]:
    """Return a full block: (height, width) bool, all True."""
    return np.ones((height, width), np.bool_)


def _offsets(size: int) -> NDArray[np.float64]:
    """Return (size,) floats: how far each cell's middle is from the middle of a side of `size` cells, in units of half the side.

    4 -> [0.75, 0.25, 0.25, 0.75]
    """
    middles: NDArray[np.float64] = np.abs(np.arange(size) - (size - 1) / 2)
    return middles / (size / 2)


def _with_middles(cells: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return a shape with its middle rows and columns filled, so that it is connected in flat blocks, too."""
    height, width = cells.shape
    cells[(height - 1) // 2 : height // 2 + 1] = True
    cells[:, (width - 1) // 2 : width // 2 + 1] = True
    return cells


@_remembered
def ellipse(height: int, width: int) -> NDArray[np.bool_]:
    """Return (height, width) bool: the cells whose middles lie in the ellipse that touches all four sides of the block."""
    return _with_middles(_offsets(height)[:, None] ** 2 + _offsets(width)[None, :] ** 2 <= 1)


@_remembered
def diamond(height: int, width: int) -> NDArray[np.bool_]:
    """Return (height, width) bool: a diamond, which has a corner in the middle of each of the block's sides."""
    return _with_middles(_offsets(height)[:, None] + _offsets(width)[None, :] <= 1)


def triangle(height: int, width: int) -> NDArray[np.bool_]:
    """Return (height, width) bool: a triangle whose base is the block's last row, with its tip in the middle of the first row."""
    half = (np.arange(height) + 1) / height
    found = _offsets(width)[None, :] <= half[:, None]
    found[:, (width - 1) // 2 : width // 2 + 1] = True
    return found


def cross(height: int, width: int, stream: Stream) -> NDArray[np.bool_]:
    """Return (height, width) bool: a cross of a horizontal and a vertical bar, each of random width and near the middle."""
    found = np.zeros((height, width), np.bool_)
    rows, columns = _bar(height, stream), _bar(width, stream)
    found[rows[0] : rows[1]] = True
    found[:, columns[0] : columns[1]] = True
    return found


def ell(height: int, width: int, stream: Stream) -> NDArray[np.bool_]:
    """Return (height, width) bool: an L, made of two bars of random width along two sides that meet in a random corner."""
    found = np.zeros((height, width), np.bool_)
    down, across = _arm(height, stream), _arm(width, stream)
    found[height - down :] = True
    found[:, :across] = True
    if stream.chance(0.5):
        found = found[:, ::-1]
    return found[::-1] if stream.chance(0.5) else found


def notched(height: int, width: int, stream: Stream) -> NDArray[np.bool_]:
    """Return (height, width) bool: a block from which a rectangle is cut at each corner, of random size up to a third of each side."""
    found = np.ones((height, width), np.bool_)
    for down, across in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
        rows, columns = stream.between(0, height // 3), stream.between(0, width // 3)
        found[::down, ::across][:rows, :columns] = False
    return found


@_remembered
def alcoves(height: int, width: int) -> NDArray[np.bool_]:
    """Return (height, width) bool: a block with alcoves along its two longer sides: there one cell in `NICHES` is open."""
    if height > width:
        return alcoves(width, height).T
    found = np.ones((height, width), np.bool_)
    if height > 2:
        found[[0, -1]] = np.arange(width) % NICHES == (width - 1) // 2 % NICHES
    return found


@_remembered
def pillared(height: int, width: int) -> NDArray[np.bool_]:
    """Return (height, width) bool: a block with pillars (False) in a regular grid; no pillar touches a side."""
    found = np.ones((height, width), np.bool_)
    found[np.ix_(_posts(height), _posts(width))] = False
    return found


def _posts(size: int) -> list[int]:
    """Return the positions of pillars along a side of `size` cells: evenly spaced, with free cells between them and at both ends."""
    count = (size - 2) // 3
    return sorted({round((post + 1) * size / (count + 1) - 0.5) for post in range(count)})


def _bar(size: int, stream: Stream) -> tuple[int, int]:
    """Return (first, end): the cells first to end - 1 of a side of `size` cells that a bar of random width takes up.

    At least one cell remains before and after the bar if the side is long enough.
    """
    thick = _arm(size, stream)
    free = size - thick
    before = free // 2 if free < 2 else stream.between(max(1, free // 3), max(1, free - free // 3 - 1))
    return before, before + thick


def _arm(size: int, stream: Stream) -> int:
    """Return a random width for an arm of a cross or an L: a third to a half of a side of `size` cells."""
    low = min(size, max(LEAST_ARM, round(size / 3)))
    return stream.between(low, max(low, size // 2))


def _some_way(
    shape: Callable[[int, int], NDArray[np.bool_]], height: int, width: int, stream: Stream
) -> NDArray[np.bool_]:
    """Return a (height, width) shape after a random number of quarter turns.

    Args:
        shape: The function that makes the unturned shape from (height, width).
        height: Rows of the result.
        width: Columns of the result.
        stream: The random stream.
    """
    turns = stream.below(4)
    return np.rot90(shape(width, height) if turns % 2 else shape(height, width), turns)


SHAPES: Mapping[str, Callable[[int, int, Stream], NDArray[np.bool_]]] = MappingProxyType(
    {
        "rectangle": lambda height, width, _: rectangle(height, width),
        "ellipse": lambda height, width, _: ellipse(height, width),
        "diamond": lambda height, width, _: diamond(height, width),
        "triangle": lambda height, width, stream: _some_way(triangle, height, width, stream),
        "cross": cross,
        "ell": ell,
        "notched": notched,
        "alcoves": lambda height, width, _: alcoves(height, width),
        "pillared": lambda height, width, _: pillared(height, width),
    }
)
"""Name of a shape -> the function that makes it from (height, width, random stream)."""
