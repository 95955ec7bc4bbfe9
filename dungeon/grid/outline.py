"""Stretches of a map that are left out, so that no two maps have one outline.

A few blocks of random sizes, spread over the map, grow at random at their rims:

    ############       ##      ######
    ############        ##  #########
    ############         ############
    ############       ##############

They are drawn on a board of half the map's size, which makes them as coarse as they should be.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

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
    most_blocks = int(cells) // (1 + STRETCHING) ** 2 + 1
    middles = np.empty(most_blocks, np.complex128)  # each is y + xi
    for count in range(most_blocks):
        height = int(spacing * (least + (most - least) * random())) + 1
        width = int(spacing * (least + (most - least) * random())) + 1
        cells -= (height + STRETCHING) * (width + STRETCHING)
        if cells < 0:
            return
        tried = np.array(
            [
                [complex(area.y + random() * area.height, area.x + random() * area.width)]
                for _ in range(SPREADING)
            ]
        )
        apart = np.abs(tried - middles[:count]).min(axis=1, initial=area.height + area.width)
        middles[count] = middle = tried.item(int(apart.argmax()))
        block = Rect(int(middle.real - height / 2), int(middle.imag - width / 2), height, width)
        top, left = max(block.y, area.y), max(block.x, area.x)
        yield Rect(top, left, min(block.bottom, area.bottom) - top, min(block.right, area.right) - left)
