"""Chokepoints and dead ends of a mask (bool array of walkable cells): cells whose removal would split it, and ends of passages.

Chokepoints are the cut vertices of the graph of cells, found by one depth-first search (Hopcroft and Tarjan, "Algorithm 447:
efficient algorithms for graph manipulation", 1973). A search over all cells would be slow. But four cells in a square stay
connected whichever of them is removed, and so do squares that share two cells. Such a *clump* has no cut vertex inside it, so
it is replaced by a star: one node for its inside, with an edge to each of its cells that touch something else::

    ####......        two clumps and the passage b between them:
    ####.#####    ->
    ###abc####        (left inside) -- a -- b -- c -- (right inside)
    ####.#####

The cells of passages stay nodes of their own, and they are few.
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
# The ends of passages, of any width up to `WIDEST`.


WIDEST = 9
"""The greatest width of passages whose ends are found; anything wider is no passage."""


def dead_ends(mask: NDArray[np.bool_], within: NDArray[np.bool_]) -> list[Cell]:
    """Return the dead ends of passages. Each is given by one cell: the upper or left end of the passage's last row or column.

    A passage n cells wide has a dead end where its last n rows are all exactly n wide, with nothing beyond the last row and a
    walkable cell before the first. Of these three, only the left one ends in a dead end::

        .....      .....      .......
        ##.##      #...#      #.....#
        ##.##      #...#      #######
        #####      ##.##

    Args:
        mask: (height, width) bool: the walkable cells.
        within: (height, width) bool: the cells of `mask` that belong to passages.
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
    """Return the dead ends at the south ends of passages, on a map that the caller has turned.

    With the four quarter turns of the map, the caller finds the dead ends in all directions. A dead end is given by the flat
    index (y * width + x) that one cell has on the unturned map: the upper or left end of the passage's last row or column.

    Args:
        mask: (height, width) bool: the walkable cells of the turned map.
        passages: (height, width) bool: the cells of passages on the turned map.
        places: (height, width): each cell's flat index on the unturned map.
    """
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
    """A chokepoint: a passage one cell wide that no other path goes round.

    Attributes:
        cells: Its cells, row by row; removing any of them splits the mask.
        parts: The sizes of the parts into which removing the middle one of `cells` splits the mask, the largest first.
    """

    cells: tuple[Cell, ...]
    parts: tuple[int, ...]


def narrows(mask: NDArray[np.bool_], least: int) -> list[Narrow]:
    """Return the passages whose removal splits a mask into at least two parts of at least `least` cells, sorted by their cells.

    Consecutive cells of a passage are one `Narrow`. A cell that splits the mask into three or more such parts
    is listed only if none of the listed passages ends beside it.

    Args:
        mask: (height, width) bool: 4-connected.
        least: The least size of a part that counts.
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
    """Return each cell whose removal would split the mask -> the sizes of the parts after removing it, the largest first.

    Args:
        mask: (height, width) bool: 4-connected.
    """
    return _cuts(_graph(mask)).parts


@dataclass(frozen=True, slots=True)
class _ClumpGraph:
    """A graph of a mask, in which *clumps* (2x2 squares that overlap) are simplified.

    The first nodes are single cells: each cell outside all clumps, and each cell of a clump that has a neighbour outside the clump.
    Then comes one node for each clump, which stands for all other cells of the clump.

    Attributes:
        cells: The cells; cell n is node n.
        sizes: For each node, the number of cells that it stands for.
        beside: For each node, its neighbours.
    """

    cells: list[Cell]
    sizes: list[int]
    beside: list[list[int]]


@dataclass(frozen=True, slots=True)
class _Cuts:
    """The cut vertices and bridges of a mask.

    Attributes:
        parts: Cut cell -> the sizes of the parts after removing it, the largest first.
        bridges: Pairs of neighbouring cells that are connected only by the step between them.
    """

    parts: dict[Cell, tuple[int, ...]]
    bridges: list[tuple[Cell, Cell]]


def _graph(mask: NDArray[np.bool_]) -> _ClumpGraph:
    """Return the graph of a mask with its clumps simplified: each is one node, joined to the clump's cells at its edge."""
    height, width = mask.shape
    framed = np.zeros((height + 2, width + 2), np.bool_)
    framed[1:-1, 1:-1] = mask
    square = np.zeros_like(framed)  # the top left cells of all 2x2 squares in the mask
    square[:-1, :-1] = framed[:-1, :-1] & framed[:-1, 1:] & framed[1:, :-1] & framed[1:, 1:]
    clumps, count = components(square)
    # Steps that lie in no square: to the right, and down.
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
    """Return (n, 2): a row (number of the cell, number of its clump) for each cell that is in a clump; other cells have no row.

    Args:
        numbers: (cells,): the number of each cell.
        clumps: (cells,): the number of each cell's clump, in the same order; 0 for a cell that is in no clump.
    """
    return np.stack([numbers, clumps], axis=1)[clumps > 0]


def _link(beside: list[list[int]], ones: Sequence[int], others: Sequence[int]) -> None:
    """Add an edge between the nodes `ones[i]` and `others[i]`, for each i, to the lists of neighbours in `beside`."""
    for a, b in zip(ones, others, strict=True):
        beside[a].append(b)
        beside[b].append(a)


def _cuts(graph: _ClumpGraph) -> _Cuts:
    """Return the cells that are cut vertices of the graph, with the sizes of the parts that they separate, and the bridges."""
    cells, total = graph.cells, sum(graph.sizes)
    found = _Cuts({}, [])
    tree = _search(graph.beside)
    inside = graph.sizes.copy()  # cells in the subtree of each node, itself included
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
    """A depth-first search of a connected graph from node 0.

    Attributes:
        order: For each node, its discovery index, from 0.
        low: For each node, its low-link: the least discovery index reachable from its subtree by one edge outside the tree.
        steps: (node, its parent in the tree), in the order in which nodes are finished.
    """

    order: list[int]
    low: list[int]
    steps: list[tuple[int, int]]


def _search(beside: Sequence[Sequence[int]]) -> _Tree:
    """Return the depth-first search of a connected graph, given as lists of neighbours."""
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
    """Group `cells`: two cells are in one group if a series of `bridges` joins them. Each group is sorted row by row."""
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
        for each in chain:  # the list grows during the loop
            new = [other for other in beside[each] if other not in done]
            done.update(new)
            chain += new
        chains.append(sorted(chain))
    return chains
