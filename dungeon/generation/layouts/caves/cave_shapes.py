"""Cave shapes: caves that lie apart in the earth, before anything joins them.

From a few overlapping blocks at each place for a cave (see `places`) a blob grows until it comes near others, on a board of
half the size; two cells of earth are left between blobs. What they cover is filled with noise, a cellular automaton makes
caves of it, those too small are filled, and those too large are parted.

    places             blobs grown apart     noise in them         five steps on
      o   o   o          ###  ####  ###       #.#  ##.#  ##.        .##   ###  ##.
    o   o   o           ####  ###  ####      ##.#  .##  ##.#       ####  ###  ###.
"""

from __future__ import annotations

import math
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING

import numpy as np

from dungeon.grid.automaton import grow_apart, majority
from dungeon.grid.bits import Board
from dungeon.grid.outline import drawing
from dungeon.grid.regions import Parts
from dungeon.grid.rows import Rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from dungeon.core.streams import Stream
    from dungeon.generation.layouts.caves.places import Earth, Place
    from dungeon.grid.rect import Rect

BLOCKS = 2
"""Of how many blocks a blob's beginning consists."""

SPAN = 0.35
"""How long the blocks' sides are about, as a share of what a square cave's would be."""

SPREAD = 0.3
"""How far blocks are from their place at most, likewise."""

GROWTH = 0.32
"""How often blobs grow, as a share of the cells between two places."""

GROWTH_STEPS = 8
"""How often the parts of a cave grow before it is asked whether they still do."""


def blobs(
    board: Board, earth: Earth, places: Sequence[tuple[Place, int]], spacing: float, stream: Stream
) -> int:
    """Return the union of blobs that grew from the places until they came near each other.

    Args:
        board: The whole map.
        earth: Where blobs may be.
        places: Each with how many cells its cave is to have; 0 for a pocket of earth.
        spacing: How many cells neighbouring places are apart, about.
        stream: Where chance comes from.
    """
    half = earth.board
    kinds = 1 + max((place.kind for place, _ in places), default=0)
    *begun, pockets = (Rows(half.height, half.width) for _ in range(kinds + 1))
    for place, cells in places:
        _begin(
            begun[place.kind] if cells else pockets,
            place,
            math.sqrt(cells) or spacing,
            earth.area,
            stream.random,
        )
    masks = [half.from_rows(each.rows) for each in begun]
    taken = 0
    ground = earth.ground & ~half.from_rows(pockets.rows)
    for index, mask in enumerate(masks):
        masks[index] = mask & ground & ~half.around(taken)
        taken |= masks[index]
    grown = grow_apart(half, masks, ground, drawing(stream, half), round(spacing * GROWTH))
    return _doubled(board, half, reduce(or_, grown))


def _begin(blob: Rows, place: Place, side: float, area: Rect, random: Callable[[], float]) -> None:
    """Set a few blocks about a place, on the board of half the size, from which a blob grows."""
    top, left, bottom, right = area.y, area.x, area.bottom, area.right
    half_y, half_x, spread, span = place.y / 2, place.x / 2, side * SPREAD, side * SPAN
    for _ in range(BLOCKS):
        long = span * (0.6 + 0.8 * random())
        height = min(max(1, int(long * (0.5 + random()) + 0.5)), area.height)
        width = min(max(1, int(long * (0.5 + random()) + 0.5)), area.width)
        y = int(half_y - height / 2 + (random() - 0.5) * spread)
        x = int(half_x - width / 2 + (random() - 0.5) * spread)
        blob.fill(min(max(y, top), bottom - height), min(max(x, left), right - width), height, width)


def _doubled(board: Board, half: Board, bits: int) -> int:
    """Return the mask of a board of half the size at twice its size."""
    cells = np.zeros((board.height, board.width), np.bool_)
    cells[: 2 * half.height, : 2 * half.width] = half.to_array(bits).repeat(2, 0).repeat(2, 1)
    return board.from_array(cells)


def weathered(board: Board, bits: int, within: int, steps: int) -> Iterator[int]:
    """Yield noise, and what the automaton makes of it after each step; nothing opens outside of `within`."""
    yield bits
    for _ in range(steps):
        bits = majority(board, bits) & within
        yield bits


def numbered(
    cells: NDArray[np.bool_], low: int, high: int, stream: Stream
) -> tuple[NDArray[np.int32], list[Rect]]:
    """Number the caves that open cells make; fill the small ones, part the large ones.

    Args:
        cells: (height, width) bool.
        low: The fewest cells of a cave.
        high: The most.
        stream: Where chance comes from.

    Returns:
        A (height, width) array, 0 in the earth and 1, 2, 3... in the caves; and the smallest rectangle around each.
    """
    parts = Parts(cells)
    boxes, sizes = parts.boxes(), parts.sizes
    large = (sizes > high).nonzero()[0].tolist()
    if large:
        cells = cells.copy()
        for part in large:
            box = boxes[part - 1]
            _part(cells[box.slices], parts.first(part).x - box.x, high, stream)
        parts = Parts(cells)
        boxes, sizes = parts.boxes(), parts.sizes
    kept = sizes >= low
    kept[0] = False
    numbers = (kept.cumsum() * kept).astype(np.int32)
    return parts.numbered(numbers), [box for box, is_kept in zip(boxes, kept[1:], strict=True) if is_kept]


def _part(cells: NDArray[np.bool_], first: int, high: int, stream: Stream) -> None:
    """Part a cave until none of its parts is too large.

    Two ends that lie far apart grow towards each other, and where they come near, a wall of earth stays.

    Args:
        cells: Those in the smallest rectangle around it, which are changed.
        first: A column in which a cell of the top row is part of it.
        high: The most cells of a part.
        stream: Where chance comes from.
    """
    board = Board(*cells.shape)
    draw = drawing(stream, board)
    open_cells = board.from_array(cells)
    whole = board.flood(open_cells, 1 << first)
    parts, done = [whole], 0
    while parts:
        part = parts.pop()
        if part.bit_count() <= high:
            done |= part
            continue
        end = board.last_reached(part, part & -part)
        ends = [end, board.last_reached(part, end)]
        grown: list[int] = []
        while grown != ends:
            grown, ends = ends, grow_apart(board, ends, part, draw, GROWTH_STEPS)
        parts += ends
    cells[:] = board.to_array(open_cells ^ whole ^ done)
