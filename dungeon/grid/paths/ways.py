"""The cheapest way from here to there: how everything that is dug, or flows, finds its cells."""

from __future__ import annotations

import math
from functools import reduce
from heapq import heapify, heappop, heappush
from operator import or_
from typing import TYPE_CHECKING

from dungeon.grid.bits import nth_bit, without
from dungeon.grid.rect import Cell

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from dungeon.grid.bits import Board


def find_way(
    board: Board,
    ground: Mapping[int, int],
    starts: int,
    goals: int,
    *,
    width: int = 1,
    most: float = math.inf,
    random: Callable[[], float] | None = None,
    winds: bool = False,
) -> list[Cell]:
    """Return the cells of a cheapest way by 4-neighbour steps over the ground, both ends included.

    The search is that of Dial, "Algorithm 360: Shortest-path forest with topological ordering", 1969: all cells that cost the
    same to get to are found together, as one mask.

    Args:
        board: How masks are laid out.
        ground: What it costs to enter a cell, 1 or more -> the mask of the cells; no cell is in two of them.
        starts: The cells where the way may begin, if they are ground.
        goals: The cells where it may end, likewise.
        width: The side, in cells, of the square that moves along the way. A start is its top left cell; the way ends when one of
            its cells is a goal. A step costs as much as the dearest cell of the square.
        most: The highest cost of the whole way, its first cell included; if every way costs more, there is none.
        random: Returns a float from 0 to 1, with which one of the goals that cost the same is chosen. By default the first one
            is, row by row.
        winds: Whether `random` also chooses each step among those of one cost; otherwise the way goes straight on where it can.

    Returns:
        The cells from start to goal, those of a wide way in order of rows; none if there is no such way.
    """
    if width > 1:
        ground, goals = _of_blocks(board, ground, goals, width)
    stride, left, costs = board.stride, reduce(or_, ground.values(), 0), [*ground.items()]
    waiting = {cost: cells & starts for cost, cells in ground.items() if cells & starts}
    prices = [*waiting]
    heapify(prices)
    reached: dict[int, int] = {}
    while prices and prices[0] <= most:
        price = heappop(prices)
        front = waiting.pop(price) & left
        if not front:
            continue
        reached[price] = front
        if ends := front & goals:
            way = _back(board, ground, reached, _chosen(ends, random), random if winds else None)
            return _widened(board, way, width) if width > 1 else way
        left ^= front
        # A move by (1, 1) and one by (1, -1) make all four steps, each a row too far down.
        near = front | front << stride + 1
        near = (near | near << stride - 1) >> stride & left
        if not near:
            continue
        for cost, cells in costs:
            if new := near & cells:
                then = price + cost
                if then in waiting:
                    waiting[then] |= new
                else:
                    waiting[then] = new
                    heappush(prices, then)
    return []


def _back(
    board: Board,
    ground: Mapping[int, int],
    reached: Mapping[int, int],
    place: int,
    random: Callable[[], float] | None,
) -> list[Cell]:
    """Return the way to a cell that was reached last: back from each cell to one that costs so much less."""
    price, stride = next(reversed(reached)), board.stride
    sides = {
        -stride: 1,
        -1: 1 << stride - 1,
        1: 1 << stride + 1,
        stride: 1 << 2 * stride,
    }  # from the cell above on
    way, step = [place], -stride
    while price := price - next(cost for cost, cells in ground.items() if cells >> place & 1):
        before = reached[price]
        before = before >> place - stride if place >= stride else before << stride - place
        if random is not None or not before & sides[step]:
            steps = [by for by, side in sides.items() if before & side]
            step = steps[0] if random is None else steps[int(random() * len(steps))]
        place += step
        way.append(place)
    return [Cell(*divmod(each, stride)) for each in reversed(way)]


def _of_blocks(board: Board, ground: Mapping[int, int], goals: int, width: int) -> tuple[dict[int, int], int]:
    """Return the ground and the goals for blocks, by their top left cells."""
    costs: dict[int, int] = {}
    cells = found = 0
    for cost in sorted(ground):
        cells |= ground[cost]
        fitting = board.fits(cells, width, width)
        costs[cost] = without(fitting, found)
        found = fitting
    return costs, board.touches(goals, width, width) & found


def _widened(board: Board, way: list[Cell], width: int) -> list[Cell]:
    """Return the cells of the blocks that begin at some cells."""
    return board.cells(reduce(or_, (board.block(y, x, width, width) for y, x in way)))


def _chosen(bits: int, random: Callable[[], float] | None) -> int:
    return nth_bit(bits, int(random() * bits.bit_count()) if random is not None else 0)
