"""Where a mask is one cell wide and there is no way round: cells whose loss would split it.

They are the cut vertices of the graph of cells, found in one depth-first search (Hopcroft and Tarjan, "Algorithm 447:
efficient algorithms for graph manipulation", 1973). A search over all cells would be slow; but four cells in a square
hold together whichever of them is lost, and so do squares that share two cells. Such a clump has no cut vertex of
its own, so that it may be drawn together to a star: one node in the middle, with an arm to each of its cells that
touch something else::

    ####......        a clump, its one cell that touches something else, a passage, and another clump
    ####.#####    ->
    ##########        (middle) -- a -- b -- (middle)
    ####.#####

Passages remain cell by cell, and they are few.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dungeon.grid.bits import Board
from dungeon.grid.rect import Cell
from dungeon.grid.regions import components, framed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

# -- dead ends --------------------------------------------------------------------------------------
#
# Where passages of any width end.


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


class Narrow(NamedTuple):
    """A passage one cell wide, without a way round.

    Attributes:
        cells: Its cells, row by row; the loss of any of them splits the mask.
        parts: The sizes of the parts that the loss of the cell in the middle of them leaves, the largest first.
    """

    cells: tuple[Cell, ...]
    parts: tuple[int, ...]


def narrows(mask: NDArray[np.bool_], least: int) -> list[Narrow]:
    """Return the passages whose loss splits a mask into at least two parts of at least `least` cells.

    Cells that follow on each other in a passage are one narrow. Where three such passages meet, the cell in which
    they do is not counted besides them.

    Args:
        mask: (height, width) bool, one 4-connected part.
        least: Parts smaller than that do not count.
    """
    cuts = _cuts(_graph(mask))
    large = {cell: sum(size >= least for size in parts) for cell, parts in cuts.parts.items()}
    chains = _chains([cell for cell, count in large.items() if count == 2], cuts.bridges)
    chained = {cell for chain in chains for cell in chain}
    beside = {a if b in chained else b for a, b in cuts.bridges if (a in chained) != (b in chained)}
    crossings = [cell for cell, count in large.items() if count > 2 and cell not in beside]
    chains += _chains(crossings, cuts.bridges)
    found = [Narrow(tuple(chain), cuts.parts[chain[len(chain) // 2]]) for chain in chains]
    return sorted(found)


def cut_cells(mask: NDArray[np.bool_]) -> dict[Cell, tuple[int, ...]]:
    """Return the cells whose loss would split a mask, with the sizes of the parts, the largest first.

    Args:
        mask: (height, width) bool, one 4-connected part.
    """
    return _cuts(_graph(mask)).parts


@dataclass(frozen=True, slots=True)
class _ClumpGraph:
    """Cells that touch what is outside of their clump, and behind them in the lists the clumps.

    Attributes:
        cells: The cells, which are the first nodes.
        sizes: For each node how many cells it stands for.
        beside: For each node its neighbours.
    """

    cells: list[Cell]
    sizes: list[int]
    beside: list[list[int]]


@dataclass(frozen=True, slots=True)
class _Cuts:
    """The cells that hold a mask together.

    Attributes:
        parts: Cell -> the sizes of the parts that its loss would leave, the largest first.
        bridges: Neighbours with no other way between them than the step from one to the other.
    """

    parts: dict[Cell, tuple[int, ...]]
    bridges: list[tuple[Cell, Cell]]


def _graph(mask: NDArray[np.bool_]) -> _ClumpGraph:
    """Draw clumps together and keep the rest cell by cell."""
    height, width = mask.shape
    framed = np.zeros((height + 2, width + 2), np.bool_)
    framed[1:-1, 1:-1] = mask
    square = np.zeros_like(framed)  # by its top-left cell
    square[:-1, :-1] = framed[:-1, :-1] & framed[:-1, 1:] & framed[1:, :-1] & framed[1:, 1:]
    clumps, count = components(square)
    # Steps that lie in no square: from a cell to the right, and from a cell down.
    right, down = np.zeros_like(framed), np.zeros_like(framed)
    right[1:, :-1] = framed[1:, :-1] & framed[1:, 1:] & ~square[1:, :-1] & ~square[:-1, :-1]
    down[:-1, 1:] = framed[:-1, 1:] & framed[1:, 1:] & ~square[:-1, 1:] & ~square[:-1, :-1]
    corners = np.zeros((4, *framed.shape), np.int32)  # the clumps of the four squares that a cell may be in
    corners[0] = clumps
    corners[1][:, 1:] = clumps[:, :-1]
    corners[2][1:] = clumps[:-1]
    corners[3][1:, 1:] = clumps[:-1, :-1]
    most = corners.max(axis=0)
    is_shared = ((corners != most) & (corners > 0)).any(axis=0)
    touches = right | down | is_shared | (framed & (most == 0))
    touches[:, 1:] |= right[:, :-1]
    touches[1:] |= down[:-1]
    places = np.flatnonzero(touches)
    number = np.full(framed.size, -1, np.int64)
    number[places] = np.arange(len(places))
    inner = np.bincount(most[framed & ~touches], minlength=count + 1)[1:].tolist()
    beside: list[list[int]] = [[] for _ in range(len(places) + count)]
    for steps, by in ((right, 1), (down, framed.shape[1])):
        starts = np.flatnonzero(steps)
        _link(beside, number[starts].tolist(), number[starts + by].tolist())
    arms = np.unique(
        np.concatenate([_arms(number[places], corner.ravel()[places]) for corner in corners]), axis=0
    )
    _link(beside, arms[:, 0].tolist(), (arms[:, 1] - 1 + len(places)).tolist())
    ys, xs = np.divmod(places, framed.shape[1])
    cells = [Cell(y - 1, x - 1) for y, x in zip(ys.tolist(), xs.tolist(), strict=True)]
    return _ClumpGraph(cells, [1] * len(cells) + inner, beside)


def _arms(numbers: NDArray[np.int64], clumps: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return (n, 2): cells by their numbers, and the clump that each is in."""
    return np.stack([numbers, clumps], axis=1)[clumps > 0]


def _link(beside: list[list[int]], ones: Sequence[int], others: Sequence[int]) -> None:
    for a, b in zip(ones, others, strict=True):
        beside[a].append(b)
        beside[b].append(a)


def _cuts(graph: _ClumpGraph) -> _Cuts:
    """Find the cut vertices among the cells, the sizes of what they hold together, and the bridges."""
    cells, total = graph.cells, sum(graph.sizes)
    found = _Cuts({}, [])
    tree = _search(graph.beside)
    inside = graph.sizes.copy()  # of the part of the tree below and with a node
    parts: list[list[int]] = [[] for _ in inside]
    for node, parent in tree.steps:
        inside[parent] += inside[node]
        if tree.low[node] >= tree.order[parent]:
            parts[parent].append(inside[node])
        if tree.low[node] > tree.order[parent] and max(node, parent) < len(cells):
            found.bridges.append((cells[parent], cells[node]))
    for node, cell in enumerate(cells):
        if not parts[node]:
            continue
        rest = total - 1 - sum(parts[node])
        if len(sizes := parts[node] + [rest] * (rest > 0)) > 1:
            found.parts[cell] = tuple(sorted(sizes, reverse=True))
    return found


class _Tree(NamedTuple):
    """A depth-first search of a connected graph from its first node.

    Attributes:
        order: For each node the how-manieth it was to be found, from 0.
        low: The least `order` that can be reached from it without going back the way it was found.
        steps: (node, the node from which it was found) in the order in which they were done with.
    """

    order: list[int]
    low: list[int]
    steps: list[tuple[int, int]]


def _search(beside: Sequence[Sequence[int]]) -> _Tree:
    """Search a connected graph."""
    order, low = [-1] * len(beside), [0] * len(beside)
    tree = _Tree(order, low, [])
    if not beside:
        return tree
    order[0], seen = 0, 1
    path = [(0, -1, iter(beside[0]))]
    while path:
        node, parent, ways = path[-1]
        for other in ways:
            if order[other] < 0:
                order[other] = low[other] = seen
                seen += 1
                path.append((other, node, iter(beside[other])))
                break
            if other != parent and order[other] < low[node]:
                low[node] = order[other]
        else:
            path.pop()
            if parent >= 0:
                low[parent] = min(low[parent], low[node])
                tree.steps.append((node, parent))
    return tree


def _chains(cells: Sequence[Cell], bridges: Sequence[tuple[Cell, Cell]]) -> list[list[Cell]]:
    """Return these cells, those together that bridges join, row by row."""
    beside: dict[Cell, list[Cell]] = {cell: [] for cell in cells}
    for a, b in bridges:
        if a in beside and b in beside:
            beside[a].append(b)
            beside[b].append(a)
    chains, done = [], set()
    for cell in beside:
        if cell in done:
            continue
        chain = [cell]
        done.add(cell)
        for each in chain:  # it grows while it is walked through
            new = [other for other in beside[each] if other not in done]
            done.update(new)
            chain += new
        chains.append(sorted(chain))
    return chains
