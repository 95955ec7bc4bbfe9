"""Shortest ways over a mask, found for all cells of a start at once."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from dungeon.grid.bits import nth_bit
from dungeon.grid.rect import Cell

if TYPE_CHECKING:
    from collections.abc import Callable

    from dungeon.grid.bits import Board


def shortest_way(
    board: Board, starts: int, goals: int, ground: int, random: Callable[[], float], most: float = math.inf
) -> list[Cell]:
    """Return the cells of a shortest way over the ground from any of the starts to any of the goals, ends included.

    A breadth-first search whose every layer is one mask. Of several shortest ways chance picks one, cell by cell, so that
    it does not run straight where it need not.

    Returns:
        The cells from start to goal; none if no way of at most `most` cells leads there.
    """
    stride = board.stride
    # A row lower all masks have a row above every cell.
    layer, goals, left = (starts & ground) << stride, goals << stride, ground << stride
    layers: list[int] = []
    while layer and len(layers) < most:
        left ^= layer
        layers.append(layer)
        if layer & goals:
            break
        # A move by (1, 1) and one by (1, -1) make all four steps, each a row too far down.
        near = layer | layer << stride + 1
        layer = (near | near << stride - 1) >> stride & left
    else:
        return []
    place = _any(layer & goals, random)
    way = [place]
    steps = 1 | 0b101 << stride - 1 | 1 << 2 * stride  # to where all four lead, from the cell above on
    for layer in reversed(layers[:-1]):
        place += _any(layer >> place - stride & steps, random) - stride
        way.append(place)
    return [Cell(*divmod(place - stride, stride)) for place in reversed(way)]


def _any(bits: int, random: Callable[[], float]) -> int:
    return nth_bit(bits, int(random() * bits.bit_count()))
