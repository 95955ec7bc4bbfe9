"""Paths and distances on bitmasks: the cheapest path between two masks, and the cells within a number of steps."""

from __future__ import annotations

import math
from functools import reduce
from heapq import heapify, heappop, heappush
from operator import or_
from typing import TYPE_CHECKING, NamedTuple

from dungeon.grid.bits import Board, nth_bit, without
from dungeon.grid.rect import Cell

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


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


class DistanceRule(NamedTuple):
    """How far from some cells, or how near to them, something is to lie.

    Steps are counted between the two cells that are nearest, whatever these are made of: what lies there need not be walked on.

    Attributes:
        what: What is on these cells, in words.
        cells: The mask of the cells.
        steps: How many steps away it is at least, or at most if it is to be `near`.
        near: Whether it is to be near.
    """

    what: str
    cells: int
    steps: int
    near: bool = False

    @property
    def broken(self) -> str:
        """What there is to say of places that won't do."""
        less = f"{'more' if self.near else 'less'} than {self.steps} steps"
        return f"{less} from {self.what}"

    def reached(self, board: Board, ways: int) -> int:
        """Return the cells of which something that is near has one at least, and something that is far away has none.

        Args:
            board: The layout of the masks.
            ways: Where one walks.
        """
        return within_steps(board, ways, self.cells, self.steps if self.near else self.steps - 1)

    def holds(self, board: Board, ways: int, cells: int) -> bool:
        """Tell whether something on these cells lies right."""
        return bool(self.reached(board, ways) & cells) == self.near


def within_steps(board: Board, ways: int, start: int, steps: int) -> int:
    """Return the cells that are at most so many steps from a start; only the last step may lead off where one walks.

    Args:
        board: The layout of the masks.
        ways: Where one walks.
        start: Where it begins.
        steps: How many steps.
    """
    if not start:
        return 0
    top, bottom = board.rows_of(start, steps)
    band, first = Board(bottom - top, board.width), top * board.stride
    reached = front = start >> first
    ways = ways >> first & band.full
    for _ in range(steps):
        front = band.beside(front) & ~reached
        reached |= front
        front &= ways
        if not front:
            break
    return reached << first
