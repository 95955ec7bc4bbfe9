"""Shapes of rooms: masks of cells that fill a block from edge to edge, and hang together by 4-neighbour steps.

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

All of them work at any size; where there is little space they come close to a rectangle.
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
"""From one alcove to the next."""

REMEMBERED = 256
"""Shapes are made again and again in a few sizes: that many are kept of those without chance in them."""

LEAST_ARM = 2
"""How wide an arm of a cross or an L is at least, where the block has space for it."""


Fixed = Callable[[int, int], NDArray[np.bool_]]
"""What makes a shape that its height and width decide."""


def _remembered(shape: Fixed) -> Fixed:
    """Let the last few of a shape be made but once, and be read-only."""

    def made(height: int, width: int) -> NDArray[np.bool_]:
        found = shape(height, width)
        found.flags.writeable = False
        return found

    return wraps(shape)(lru_cache(maxsize=REMEMBERED)(made))


def rectangle(height: int, width: int) -> NDArray[np.bool_]:
    """Return all of a block: (height, width) bool."""
    return np.ones((height, width), np.bool_)


def _offsets(size: int) -> NDArray[np.float64]:
    """Return how far the middles of cells lie from the middle of a side, as shares of half of it."""
    middles: NDArray[np.float64] = np.abs(np.arange(size) - (size - 1) / 2)
    return middles / (size / 2)


def _with_middles(cells: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return a shape with its middle rows and columns whole, so that however flat it is, it is in one piece."""
    height, width = cells.shape
    cells[(height - 1) // 2 : height // 2 + 1] = True
    cells[:, (width - 1) // 2 : width // 2 + 1] = True
    return cells


@_remembered
def ellipse(height: int, width: int) -> NDArray[np.bool_]:
    """Return the cells of a block whose middles lie in the ellipse that touches its sides: (height, width) bool."""
    return _with_middles(_offsets(height)[:, None] ** 2 + _offsets(width)[None, :] ** 2 <= 1)


@_remembered
def diamond(height: int, width: int) -> NDArray[np.bool_]:
    """Return a diamond, with a corner in the middle of each side of a block: (height, width) bool."""
    return _with_middles(_offsets(height)[:, None] + _offsets(width)[None, :] <= 1)


def triangle(height: int, width: int) -> NDArray[np.bool_]:
    """Return a triangle that stands on the last row of a block, its tip in the middle of the first: (height, width) bool."""
    half = (np.arange(height) + 1) / height
    found = _offsets(width)[None, :] <= half[:, None]
    found[:, (width - 1) // 2 : width // 2 + 1] = True
    return found


def cross(height: int, width: int, stream: Stream) -> NDArray[np.bool_]:
    """Return two bars across a block, each somewhere about its middle: (height, width) bool."""
    found = np.zeros((height, width), np.bool_)
    rows, columns = _bar(height, stream), _bar(width, stream)
    found[rows[0] : rows[1]] = True
    found[:, columns[0] : columns[1]] = True
    return found


def ell(height: int, width: int, stream: Stream) -> NDArray[np.bool_]:
    """Return two bars along two sides of a block that meet in a corner: (height, width) bool."""
    found = np.zeros((height, width), np.bool_)
    down, across = _arm(height, stream), _arm(width, stream)
    found[height - down :] = True
    found[:, :across] = True
    if stream.chance(0.5):
        found = found[:, ::-1]
    return found[::-1] if stream.chance(0.5) else found


def notched(height: int, width: int, stream: Stream) -> NDArray[np.bool_]:
    """Return a block some of whose corners are cut out, up to a third of a side each: (height, width) bool."""
    found = np.ones((height, width), np.bool_)
    for down, across in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
        rows, columns = stream.between(0, height // 3), stream.between(0, width // 3)
        found[::down, ::across][:rows, :columns] = False
    return found


@_remembered
def alcoves(height: int, width: int) -> NDArray[np.bool_]:
    """Return a block with alcoves along its longer sides, each one cell deep and one wide: (height, width) bool."""
    if height > width:
        return alcoves(width, height).T
    found = np.ones((height, width), np.bool_)
    if height > 2:
        found[[0, -1]] = np.arange(width) % NICHES == (width - 1) // 2 % NICHES
    return found


@_remembered
def pillared(height: int, width: int) -> NDArray[np.bool_]:
    """Return a block without the cells of its pillars, which stand in rows and off the sides: (height, width) bool."""
    found = np.ones((height, width), np.bool_)
    found[np.ix_(_posts(height), _posts(width))] = False
    return found


def _posts(size: int) -> list[int]:
    """Return where pillars stand along a side: evenly, two cells and more apart and off both ends."""
    count = (size - 2) // 3
    return sorted({round((post + 1) * size / (count + 1) - 0.5) for post in range(count)})


def _bar(size: int, stream: Stream) -> tuple[int, int]:
    """Return from where to where a bar goes that leaves something on both sides of it, if there is space."""
    thick = _arm(size, stream)
    free = size - thick
    before = free // 2 if free < 2 else stream.between(max(1, free // 3), max(1, free - free // 3 - 1))
    return before, before + thick


def _arm(size: int, stream: Stream) -> int:
    """Return how thick an arm is: a third to a half of a side."""
    low = min(size, max(LEAST_ARM, round(size / 3)))
    return stream.between(low, max(low, size // 2))


def _some_way(
    shape: Callable[[int, int], NDArray[np.bool_]], height: int, width: int, stream: Stream
) -> NDArray[np.bool_]:
    """Return a shape that faces one of the four sides."""
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
"""What makes each shape: called with its height, its width, and where chance comes from."""
