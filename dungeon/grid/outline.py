"""Stretches of a map that are left out, so that no two maps have one outline.

A few blocks of random sizes, spread over the map, grow at random at their rims:

    ############       ##      ######
    ############        ##  #########
    ############         ############
    ############       ##############

They are drawn on a board of half the map's size, which makes them as coarse as they should be.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from dungeon.grid.automaton import grow_apart
from dungeon.grid.rect import Rect
from dungeon.grid.rows import Rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dungeon.core.streams import Stream
    from dungeon.grid.bits import Board

STRETCH = (0.1, 0.8)
"""How long the sides of the block are at least and at most from which a stretch grows, in spacings."""

STRETCHING = 4
"""How often stretches grow."""

SPREADING = 3
"""Of how many random places for a stretch the one farthest from the others is taken."""


def drawing(stream: Stream, board: Board) -> Callable[[], int]:
    """Return a function that draws half of a board's cells."""
    bits, count = stream.bits, board.height * board.stride
    return lambda: bits(count)


def stretches(half: Board, area: Rect, barren: float, spacing: float, stream: Stream) -> int:
    """Return the mask of some stretches.

    Args:
        half: A board of half the map's size.
        area: The part of it in which they lie.
        barren: At most this share of it, and at least half as much, is in them.
        spacing: How many cells of the board the sides of the blocks are measured by.
        stream: Where chance comes from.
    """
    blocks = Rows(half.height, half.width)
    for block in _blocks(area, barren * (0.5 + 0.5 * stream.random()) * area.area, spacing, stream):
        blocks.fill(*block)
    (grown,) = grow_apart(
        half, [half.from_rows(blocks.rows)], half.block(*area), drawing(stream, half), STRETCHING
    )
    return grown


def _blocks(area: Rect, cells: float, spacing: float, stream: Stream) -> Iterator[Rect]:
    """Yield the blocks from which stretches grow until they cover about so many cells, spread over the area."""
    random, (least, most) = stream.random, STRETCH
    middles = _Scattered(spacing)
    while True:
        height = int(spacing * (least + (most - least) * random())) + 1
        width = int(spacing * (least + (most - least) * random())) + 1
        cells -= (height + STRETCHING) * (width + STRETCHING)
        if cells < 0:
            return
        tried = [(area.y + random() * area.height, area.x + random() * area.width) for _ in range(SPREADING)]
        middle = max(tried, key=middles.distance)
        middles.add(middle)
        block = Rect(int(middle[0] - height / 2), int(middle[1] - width / 2), height, width)
        top, left = max(block.y, area.y), max(block.x, area.x)
        yield Rect(top, left, min(block.bottom, area.bottom) - top, min(block.right, area.right) - left)


class _Scattered:
    """Points in square buckets, so that finding the nearest one looks at few of them."""

    def __init__(self, side: float) -> None:
        self._side = side
        self._buckets: dict[tuple[int, int], list[tuple[float, float]]] = {}

    def _bucket(self, point: tuple[float, float]) -> tuple[int, int]:
        return int(point[0] / self._side), int(point[1] / self._side)

    def add(self, point: tuple[float, float]) -> None:
        """Add a point."""
        self._buckets.setdefault(self._bucket(point), []).append(point)

    def distance(self, point: tuple[float, float]) -> float:
        """Return the distance to the nearest point that was added; 0 if there is none."""
        if not self._buckets:
            return 0
        y, x = self._bucket(point)
        nearest, ring = math.inf, 0
        while nearest > (ring - 1) * self._side:  # what lies in further rings of buckets is farther away
            rows = range(y - ring, y + ring + 1)
            sides = [(row, column) for row in rows[1:-1] for column in (x - ring, x + ring)]
            ends = [(row, column) for row in {rows[0], rows[-1]} for column in range(x - ring, x + ring + 1)]
            for bucket in sides + ends:
                for other in self._buckets.get(bucket, ()):
                    nearest = min(nearest, math.dist(point, other))
            ring += 1
        return nearest
