"""Ways across what is flooded: where it would cut walkers off, and by which cells they go on.

It is enough to look at the ground close by. If whatever hangs together there goes on hanging together, every way that
led through the flooded cells leads around them, or over their crossings, and stays about as long as it was::

    ...~~....        .  ground        Left and right of the river hang together by way of a crossing =,
    ...~~....        ~  flooded       though there may be a long way round somewhere else.
    ...==....
    ..~~.....
"""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import TYPE_CHECKING

from dungeon.grid.bits import Board, flooded, nth_bit

if TYPE_CHECKING:
    from dungeon.core.streams import Stream

CLOSE_BY = 3
"""So many cells around what is flooded, ground hangs together as it did before."""

ISLET = 6
"""So many cells that nobody would get to are flooded as well."""


def ways_across(board: Board, walked: int, flood: int, soft: int, stream: Stream) -> tuple[int, int]:
    """Return what is flooded in the end, and which cells of it must be crossings.

    Where no crossing is needed ways lead around; if one is needed and there is none, some way is cut.

    Args:
        board: How masks are laid out.
        walked: Where walkers get now.
        flood: The cells that are to be flooded.
        soft: The cells that may be flooded besides: islets are.
        stream: Which crossing it is where several are as short.
    """
    whole = board
    area = whole.bounds(flood).grown(CLOSE_BY + 1).clipped(board.height, board.width)
    board = Board(area.height, area.width)
    flood, walked, soft = (whole.cut(mask, area) for mask in (flood, walked, soft))
    close = flood
    for _ in range(CLOSE_BY):
        close = board.around(close)
    dry = walked & close & ~flood
    shore = board.beside(flood) & dry
    parts = []
    while shore:
        part = flooded(dry, shore & -shore, board.stride)
        shore &= ~part
        if (
            part.bit_count() <= ISLET
            and not part & ~soft
            and not board.beside(part) & walked & ~part & ~flood
        ):
            flood |= part  # shut in
        else:
            parts.append(part)
    wet, crossings, every = flood & walked, 0, reduce(or_, parts, 0)
    while len(parts) > 1:
        part = parts[0]
        way = _shortest(board, wet, part, every & ~part, stream)
        if not way:
            every ^= parts.pop(0)  # it never hung together with the others
            continue
        crossings |= way
        every |= way
        joined = board.beside(way)
        met = [each for each in parts if each & joined]
        parts = [reduce(or_, met, way), *(each for each in parts if not each & joined)]
    return whole.put_back(flood, area), whole.put_back(crossings, area)


def _shortest(board: Board, wet: int, part: int, others: int, stream: Stream) -> int:
    """Return the cells of a shortest way through wet cells from a part to any of the others; 0 if there is none."""
    layer = board.beside(part) & wet
    layers, left = [layer], wet ^ layer
    while not (near := board.beside(layer)) & others:
        layer = near & left
        if not layer:
            return 0
        left ^= layer
        layers.append(layer)
    ends = layer & board.beside(near & others)
    way = cell = 1 << nth_bit(ends, stream.below(ends.bit_count()))
    for layer in reversed(layers[:-1]):
        near = board.beside(cell) & layer
        cell = near & -near
        way |= cell
    return way
