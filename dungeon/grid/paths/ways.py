"""Shortest ways over a mask, found for all cells of a start at once."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from dungeon.grid.bits import nth_bit
from dungeon.grid.rect import Cell

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

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


# -- winding ----------------------------------------------------------------------------------------
#
# Ways that wind: between two places over ground that is quick to cross here and slow there.
#
# A wave spreads from the start, all of its front at a time. Quick ground joins it as soon as it is touched; other ground
# is let in only on every second turn, or fourth, so that the wave runs around it. What arrives first has come along a
# way of least cost, or all but: Dial's "Shortest-path forest with topological ordering" (1969), its buckets being turns.


def winding_way(board: Board, ground: Mapping[int, int], starts: int, goal: int) -> int:
    """Return the cells of a way by 4-neighbour steps from one of the starts to the goal; 0 if there is none.

    Args:
        board: How masks are laid out.
        ground: How many turns it takes to cross a cell (1, 2, 4...) -> the mask of such cells; no cell is in two of them.
        starts: Where the way may begin, of those cells.
        goal: Where it may end, likewise.
    """
    slowest, stride = max(ground), board.stride
    # A row lower all masks have a row above every cell.
    ground = {turns: mask << stride for turns, mask in ground.items()}
    starts, goal = starts << stride, goal << stride
    open_on = [
        sum(mask for turns, mask in ground.items() if number % turns == 0) for number in range(slowest)
    ]
    joined = [starts]
    left, reached, since = sum(ground.values()) & ~starts, starts, 0
    while not joined[-1] & goal:
        # A move by (1, 1) and one by (1, -1) make all four steps, each a row too far down.
        near = reached | reached << stride + 1
        new = (near | near << stride - 1) >> stride & open_on[len(joined) % slowest] & left
        since = 0 if new else since + 1
        if since > slowest:
            return 0
        left ^= new
        reached |= new
        joined.append(new)
    return _back(joined, joined[-1] & goal, slowest, stride) >> stride


def _back(joined: list[int], ends: int, slowest: int, stride: int) -> int:
    """Return the way back from one of the ends: from each cell to the neighbour that joined first.

    That was not more turns before the cell than the slowest ground takes: by then the cell would have joined itself.
    """
    steps = 1 | 0b101 << stride - 1 | 1 << 2 * stride  # to where all four lead, from the cell above on
    place = (ends & -ends).bit_length() - 1
    way, last = 1 << place, len(joined) - 1
    while last:
        for turn in range(max(last - slowest, 0), last):
            if before := joined[turn] >> place - stride & steps:
                place += (before & -before).bit_length() - 1 - stride
                way |= 1 << place
                last = turn
                break
    return way
