"""Paths and distances on bitmasks: the cheapest path between two masks, and the cells within a number of steps.

A *mask* is a set of cells in one integer, a *place* the bit of a cell, a *board* knows the map's size (see `grid.bits`).
"""

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
    """Return the cells of a cheapest path by 4-neighbour steps over the ground, both ends included.

    This is Dijkstra's algorithm with a bucket for each cost (Dial, "Algorithm 360: Shortest-path forest with topological
    ordering", 1969). A bucket is a bitmask, so all cells of one cost are expanded together.

    Args:
        board: The layout of the bitmasks.
        ground: Cost of entering a cell, 1 or more -> the mask of the cells with that cost. No cell is in two masks. A cell in no
            mask can't be entered.
        starts: The mask of the cells where the path may begin; only cells of the ground count.
        goals: The mask of the cells where it may end; only cells of the ground count.
        width: The side, in cells, of a square that moves along the path. Its top left cell begins at a start; the path ends
            when any of its cells is a goal. A step costs as much as the most expensive cell of the square.
        most: The greatest allowed cost of the path, its first cell included.
        random: A function that returns a float from 0 up to 1. It chooses among goals of the same cost; without it, the first
            one, row by row, is taken.
        winds: Whether `random` also chooses among equally cheap steps, so that the path winds; else it goes straight on if it
            can.

    Returns:
        The cells from start to goal; for a width above 1 all cells of the squares, row by row. Empty if there is no such path.
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
        # Moving by (1, 1) and then by (1, -1) makes all four steps, each one row too far down; the shift back corrects that.
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
    """Return the path from a start to the cell `place`, which the search has reached: walk back, each step to a cheaper cell.

    Args:
        board: The layout of the bitmasks.
        ground: Cost of entering a cell -> the mask of the cells with that cost.
        reached: Total cost from the start -> the mask of the cells reached at that cost, ascending; `place` is in the last one.
        place: The place (bit) of the path's last cell.
        random: Chooses among equally cheap steps; None to go straight on where possible.
    """
    price, stride = next(reversed(reached)), board.stride
    sides = {
        -stride: 1,
        -1: 1 << stride - 1,
        1: 1 << stride + 1,
        stride: 1 << 2 * stride,
    }  # step -> its bit in `before`, which is shifted so that the cell above `place` is bit 0
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
    """Convert a search for a square that moves along the path to one for a single cell, the square's top left one.

    Args:
        board: The layout of the bitmasks.
        ground: Cost of entering a cell -> the mask of the cells with that cost.
        goals: The mask of the goals, of which the square must cover at least one.
        width: The side of the square, in cells.

    Returns:
        The ground and the goals for the top left cell. A position costs as much as the square's most expensive cell.
    """
    costs: dict[int, int] = {}
    cells = found = 0
    for cost in sorted(ground):
        cells |= ground[cost]
        fitting = board.fits(cells, width, width)
        costs[cost] = without(fitting, found)
        found = fitting
    return costs, board.touches(goals, width, width) & found


def _widened(board: Board, way: list[Cell], width: int) -> list[Cell]:
    """Return all cells of the squares whose top left cells are the cells of a path, row by row."""
    return board.cells(reduce(or_, (board.block(y, x, width, width) for y, x in way)))


def _chosen(bits: int, random: Callable[[], float] | None) -> int:
    """Return the place of a random set bit, or of the lowest one if `random` is None."""
    return nth_bit(bits, int(random() * bits.bit_count()) if random is not None else 0)


class DistanceRule(NamedTuple):
    """A rule for placing a thing: at least, or at most, a number of steps from given cells.

    Steps are counted from the nearest cell of the thing to the nearest given cell. Only the cells between these two must be
    walkable.

    Attributes:
        what: A name for the given cells, for messages, such as `entrance`.
        cells: The mask of the given cells.
        steps: The least number of steps; if `near` is true, the greatest.
        near: Whether the thing must lie near (at most `steps` away) or far (at least `steps` away).
    """

    what: str
    cells: int
    steps: int
    near: bool = False

    @property
    def broken(self) -> str:
        """The reason for refusing a place that breaks the rule, such as `less than 9 steps from entrance`."""
        less = f"{'more' if self.near else 'less'} than {self.steps} steps"
        return f"{less} from {self.what}"

    def reached(self, board: Board, ways: int) -> int:
        """Return the mask of the cells that decide whether a thing keeps the rule, since they are near the given cells.

        For a thing that must be near, these are the cells at most `self.steps` away; the thing needs one of them. For a thing
        that must be far, these are the cells fewer than `self.steps` away; the thing may have none of them.

        Args:
            board: The layout of the bitmasks.
            ways: The mask of the walkable cells.
        """
        return within_steps(board, ways, self.cells, self.steps if self.near else self.steps - 1)

    def holds(self, board: Board, ways: int, cells: int) -> bool:
        """Tell whether a thing that covers the mask `cells` keeps the rule; `ways` is the mask of the walkable cells."""
        return bool(self.reached(board, ways) & cells) == self.near


def within_steps(board: Board, ways: int, start: int, steps: int) -> int:
    """Return the mask of the cells that are at most `steps` 4-neighbour steps from a start cell.

    Only the last step may lead to a cell that is not walkable.

    Args:
        board: The layout of the bitmasks.
        ways: The mask of the walkable cells.
        start: The mask of the start cells, which need not be walkable.
        steps: The number of steps.
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
