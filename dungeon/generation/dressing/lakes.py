"""The shapes of lakes: they grow from where there is space, cell by cell at their rims, until they are large enough."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dungeon.grid.bits import flooded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dungeon.core.streams import Stream
    from dungeon.generation.dressing.ground import Ground
    from dungeon.grid.bits import Board

LEAST = 0.6
"""A lake that has this share of the cells that were asked for is large enough."""

DEEP = 2
"""It begins so many cells from the nearest wall, where that is possible."""


def lakes(ground: Ground, area: int, wanted: int, stream: Stream) -> Iterator[int]:
    """Yield lakes of about that many cells, each of them elsewhere, until no place is left.

    Each comes as it has grown, and then as what is left of it one step away from everything that stops walkers: in a ring
    of free cells nothing is cut off.

    Args:
        ground: The map.
        area: The cells that may be flooded.
        wanted: How many cells a lake is to have.
        stream: Where chance comes from.
    """
    board = ground.board
    free = area & ~board.around(board.full & ~ground.walked)
    least = max(round(wanted * LEAST), 1)
    left = area
    while left:
        lake = _grown(board, area, _start(board, left, stream), wanted, stream)
        left &= ~lake
        if lake.bit_count() >= least:
            yield lake
            pond = _largest(board, lake & free)
            if pond.bit_count() >= least:
                yield pond


def _start(board: Board, area: int, stream: Stream) -> int:
    """Return a cell from which there is space to all sides, if there is one."""
    for _ in range(DEEP):
        inner = area & ~board.beside(board.full & ~area)
        if not inner:
            break
        area = inner
    return board.from_cells([board.nth(area, stream.below(area.bit_count()))])


def _grown(board: Board, area: int, start: int, wanted: int, stream: Stream) -> int:
    """Let a cell grow over an area: at random at its rim, and wherever it is enclosed on two sides (after M. Eden, 1961)."""
    lake, size, stride = start, board.height * board.stride, board.stride
    while (lacking := wanted - lake.bit_count()) > 0:
        left, right, up, down = lake << 1, lake >> 1, lake << stride, lake >> stride
        rim = (left | right | up | down) & area & ~lake
        if not rim:
            break
        inlets = (left & right | up & down | (left | right) & (up | down)) & rim
        more = rim & stream.bits(size) | inlets
        while more.bit_count() > lacking:
            more &= stream.bits(size)
        lake |= more
    return lake


def _largest(board: Board, cells: int) -> int:
    """Return the largest part of a mask."""
    best = 0
    while cells:
        part = flooded(cells, cells & -cells, board.stride)
        cells ^= part
        best = max(best, part, key=int.bit_count)
    return best
