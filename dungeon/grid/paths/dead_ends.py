"""Where passages of any width end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dungeon.grid.bits import Board
from dungeon.grid.neighbours import framed
from dungeon.grid.rect import Cell

if TYPE_CHECKING:
    from numpy.typing import NDArray

WIDEST = 9
"""Passages wider than that are not looked for."""


def dead_ends(mask: NDArray[np.bool_], within: NDArray[np.bool_]) -> list[Cell]:
    """Return the ends of passages: of each the first cell, row by row, of its last row or column.

    A passage `n` cells wide ends where a row of exactly `n` cells has nothing beyond it, and the passage behind it is
    as long as wide, without an opening on either side. So the first of these is an end, and the others are not::

        .....      .....      .......
        ##.##      #...#      #.....#
        ##.##      #...#      #######
        #####      ##.##

    Args:
        mask: (height, width) bool: where one can go.
        within: (height, width) bool: which of these cells are passages.
    """
    open_, passages = framed(mask), framed(mask & within)
    width = mask.shape[1] + 2
    places = np.arange(open_.size).reshape(open_.shape)
    found = [
        place
        for turn in range(4)
        for place in _southern(np.rot90(open_, turn), np.rot90(passages, turn), np.rot90(places, turn))
    ]
    return sorted(Cell(place // width - 1, place % width - 1) for place in found)


def _southern(mask: NDArray[np.bool_], passages: NDArray[np.bool_], places: NDArray[np.intp]) -> list[int]:
    """Return of the ends that lie to the south the first places."""
    board = Board(*mask.shape)
    free, ways = board.from_array(mask), board.from_array(passages)
    solid, stride = board.full & ~free, board.stride
    found = []
    for wide in range(1, WIDEST + 1):
        row = board.fits(ways, 1, wide) & solid << 1 & solid >> wide
        if not row:
            continue
        end = row & board.fits(solid, 1, wide) >> stride
        for _ in range(wide - 1):
            row <<= stride
            end &= row
        if not end:
            continue
        behind = free << wide * stride
        reached = 0
        for x in range(wide):
            reached |= behind >> x
        for y, x in board.cells(end & reached):
            found.append(int(min(places[y, x], places[y, x + wide - 1])))
    return found
