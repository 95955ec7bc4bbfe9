"""The shapes of lakes: they grow from where there is space, cell by cell at their rims, until they are large enough."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dungeon.grid.bits import without
from dungeon.grid.regions import Parts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dungeon.core.streams import Stream
    from dungeon.generation.dressing.ground import Ground
    from dungeon.grid.bits import Board

LEAST = 0.6
"""A lake that has this share of the cells that were asked for is large enough."""

MOST = 0.55
"""It takes no more than this share of the ground that hangs together: what is left is its shore."""

DEEP = 2
"""It begins so many cells from the nearest wall, where that is possible."""


ABOVE = 16
"""So many rows above a lake are looked at, and as many more when it comes to the first of them."""


def lakes(ground: Ground, area: int, wanted: int, stream: Stream) -> Iterator[int]:
    """Yield lakes of about that many cells, each of them elsewhere, until no place is left.

    Of each comes a second, one step away from everything that stops walkers: in a ring of free cells nothing is cut off.

    Args:
        ground: The map.
        area: The cells that may be flooded.
        wanted: How many cells a lake is to have.
        stream: Where chance comes from.
    """
    board = ground.board
    least = max(round(wanted * LEAST), 1)
    parts = Parts(board.to_array(area))
    most = parts.numbered(np.minimum(np.rint(parts.sizes * MOST), wanted).astype(np.int32))
    left = board.from_array(most >= least)
    if not left:
        return
    middles = area
    for _ in range(DEEP):
        middles &= ~board.beside(board.full & ~middles)
    free = area & ~board.around(board.full & ~ground.walked)
    is_left = board.to_flags(left)
    for starts in (middles, area):
        for place in ground.in_random_order(starts & left, stream):
            if not is_left[place]:
                continue
            start, size = 1 << place, most.item(divmod(place, board.stride))
            lake = _grown(board, area, start, size, stream)
            left = without(left, lake)
            is_left = board.to_flags(left)
            if lake.bit_count() >= least:
                yield lake
            pond = _grown(board, free, start & free, size, stream)
            if pond.bit_count() >= least:
                yield pond


def _grown(board: Board, area: int, start: int, wanted: int, stream: Stream) -> int:
    """Let a cell grow over an area: at random at its rim, and wherever it is enclosed on two sides (after M. Eden, 1961)."""
    size, stride = board.height * board.stride, board.stride
    # The masks are shorter without the rows above all of this, but for a few.
    low = max(start.bit_length() // stride - ABOVE, 0) * stride
    lake, free, first = start >> low, (area ^ start) >> low, (1 << stride) - 1
    while (lacking := wanted - lake.bit_count()) > 0:
        if low and lake & first:
            by = min(ABOVE * stride, low)
            low -= by
            lake <<= by
            free = area >> low ^ lake
        left, right, up, down = lake << 1, lake >> 1, lake << stride, lake >> stride
        beside, above = left | right, up | down
        rim = (beside | above) & free
        if not rim:
            break
        inlets = (left & right | up & down | beside & above) & rim
        more = rim & stream.bits(size) >> low | inlets
        while more.bit_count() > lacking:
            more &= stream.bits(size) >> low
        lake |= more
        free ^= more
    return lake << low
