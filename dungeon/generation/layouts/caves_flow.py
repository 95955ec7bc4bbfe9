"""Chooses which *spaces* (caves, and rooms of mines) are joined, and finds where the earth between them can be crossed.

A *linear flow* joins most spaces along one long path; the others branch off it. A few extra tunnels close loops where that
saves a long walk. A *crossing* is a straight row of earth cells between two spaces, along which a tunnel can be dug. After
"Generating and Populating Caves": relatively linear, and without boring ways back.

    o---o---o   o---o       o---o---o===o---o       ---  the long path and its branches
    |       |   |           |       |   |
    o       o---o---o       o       o---o---o       ===  a loop
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import reduce
from heapq import heappop, heappush
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dungeon.grid.graph import (
    LONG,
    long_path,
    longest_path,
    neighbours_in,
    parts,
    steps_from,
    walk_within,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from dungeon.core.streams import Stream
    from dungeon.grid.rect import Rect

# -- flow ------------------------------------------------------------------------------------------


Pair = tuple[int, int]
"""Two spaces by their numbers from 1, the lower one first."""


@dataclass(slots=True)
class CaveFlow:
    """The plan of which pairs of spaces (caves and rooms) tunnels should join.

    Attributes:
        wanted: How many spaces should lie along one path.
        path: The numbers of the spaces along the long path, in order.
        tree: The pairs that join as many spaces as possible, without loops: first those along the path, then
            branches.
    """

    wanted: int = 0
    path: list[int] = field(default_factory=list)
    tree: list[Pair] = field(default_factory=list)


def linear_flow(
    boxes: Sequence[Rect],
    lengths: Mapping[Pair, int],
    linearity: float,
    stream: Stream,
    more: Iterable[Iterable[Pair]] = (),
) -> CaveFlow:
    """Choose the pairs of spaces (caves and rooms) to join: a tree with one long path, on which enough spaces should lie.

    Args:
        boxes: The smallest rectangle around each space; that of space n is `boxes[n - 1]`.
        lengths: The pairs that can be joined, each with the length of the tunnel.
        linearity: The share of the spaces that should lie along the path, from 0 to 1.
        stream: The random stream.
        more: Groups of further pairs that can be joined, the better groups first. The path uses them only if it would
            be too short otherwise.
    """
    enough = min(max(1, math.ceil(linearity * len(boxes))), len(boxes))
    wanted = enough
    enough = min(enough + enough // LONG, len(boxes))  # spare spaces: digging loses a few of a long path
    neighbours = neighbours_in(lengths, len(boxes))
    together = parts(neighbours)
    largest = max(together, key=len)
    path = long_path(neighbours, stream.pick(largest), min(enough, len(largest)), stream.random)
    path = longest_path(neighbours, path, min(enough, len(largest)), stream.random)
    known = set(lengths)
    for pairs in more if len(path) < enough else ():
        known.update(pairs)
        path = longest_path(neighbours_in(sorted(known), len(boxes)), path, enough, stream.random)
    flow = CaveFlow(wanted, [node + 1 for node in path])
    flow.tree = [_pair(a, b) for a, b in pairwise(flow.path)]
    flow.tree += _branches(neighbours, path, lengths, stream)
    for part in together:
        if not set(part) & set(path):
            flow.tree += _branches(neighbours, part[:1], lengths, stream)
    return flow


def _pair(a: int, b: int) -> Pair:
    """Return two numbers of spaces as a pair, the lower one first."""
    return (a, b) if a < b else (b, a)


def _branches(
    neighbours: Sequence[Sequence[int]], path: Sequence[int], lengths: Mapping[Pair, int], stream: Stream
) -> list[Pair]:
    """Return the pairs of spaces that join all other spaces to a path: Prim's algorithm, with random factors on the lengths.

    Args:
        neighbours: For each space, counted from 0, the spaces that it can be joined to, counted from 0, too.
        path: The spaces of the path, counted from 0.
        lengths: Pair (counted from 1) -> length of the tunnel.
        stream: The random stream.
    """
    random = stream.random
    joined = set(path)
    heap: list[tuple[float, int, int]] = []

    def offer(node: int) -> None:
        """Push the tunnels from the space `node` to spaces that are not joined yet on the heap."""
        for other in neighbours[node]:
            if other not in joined:
                heappush(heap, (lengths[_pair(node + 1, other + 1)] * (0.5 + random()), node, other))

    for node in path:
        offer(node)
    found = []
    while heap:
        _, node, other = heappop(heap)
        if other not in joined:
            joined.add(other)
            found.append(_pair(node + 1, other + 1))
            offer(other)
    return found


def find_loops(
    joined: Collection[Pair],
    boxes: Sequence[Rect],
    pairs: Iterable[Pair],
    wanted: int,
    saves: int,
    stream: Stream,
) -> list[Pair]:
    """Return up to `wanted` random pairs of spaces that close loops, each saving at least `saves` steps of walk.

    Walks are estimated as Manhattan distances between the middles of the spaces.

    Args:
        joined: The pairs that are joined already.
        boxes: The smallest rectangle around each space; that of space n is `boxes[n - 1]`.
        pairs: The pairs that can be joined.
        wanted: The greatest number of loops.
        saves: The fewest steps that each loop must save.
        stream: The random stream.
    """
    edges: list[list[tuple[int, int]]] = [[] for _ in boxes]

    def step(a: int, b: int) -> int:
        """Return the distance between the middles of two spaces."""
        one, other = boxes[a - 1], boxes[b - 1]
        down = abs(2 * one.y + one.height - 2 * other.y - other.height)
        return (down + abs(2 * one.x + one.width - 2 * other.x - other.width)) // 2

    def join(a: int, b: int) -> None:
        """Note that two spaces are joined, with the distance between their middles."""
        length = step(a, b)
        edges[a - 1].append((b - 1, length))
        edges[b - 1].append((a - 1, length))

    for pair in joined:
        join(*pair)
    known = set(joined)
    loops: list[Pair] = []
    others = [pair for pair in pairs if pair not in known]
    stream.shuffle(others)
    for a, b in others:
        if len(loops) >= wanted:
            break
        if not walk_within(edges, a - 1, b - 1, step(a, b) + saves - 1):
            join(a, b)
            loops.append((a, b))
    return loops


def longest_round(pairs: Iterable[Pair], joined: Collection[Pair], spaces: int) -> list[Pair]:
    """Return the pairs of spaces that no tunnel joins directly; the pair with most tunnels on the walk between its spaces comes first.

    Args:
        pairs: The pairs to sort.
        joined: The pairs that a tunnel joins.
        spaces: The number of spaces.
    """
    neighbours = neighbours_in(joined, spaces)
    steps: dict[int, dict[int, int]] = {}

    def walk(pair: Pair) -> int:
        """Return the number of tunnels on the shortest walk between two spaces; 0 if there is no walk."""
        start, end = pair[0] - 1, pair[1] - 1
        if start not in steps:
            steps[start] = steps_from(neighbours, start)
        return steps[start].get(end, 0)

    return sorted((pair for pair in pairs if pair not in joined), key=walk, reverse=True)


# -- crossings -------------------------------------------------------------------------------------
#
# A crossing is a straight stretch of earth between two spaces, along a row or a column:
#
#     ####...####
#     .1.-----.2.        two crossings between the spaces 1 and 2; of each pair
#     ...----..2.        the `KEPT` shortest are kept, with some chance in it
#
# All crossings of a map are found in one pass over arrays: 16 microseconds per tunnel on a map of 80x50. A path search
# (`find_way`), which tunnels with bends need, takes 290 there.


KEPT = 2
"""Number of crossings kept for each pair of spaces: a second one to try if the first can't be dug."""

SPREAD = 3
"""Crossings are compared by length plus a random number of this many bits: 0 to 7 cells, so that the shortest is not always best."""

SWING = 3
"""Greatest distance of a winding tunnel from the line of its crossing, in cells."""

WINDING = 0.65
"""The chance, at each cell, that a winding tunnel steps aside."""

CLOSED = -1
"""The label of cells that may not be dug."""


class Crossing(NamedTuple):
    """A straight row of earth cells between two spaces (caves or rooms), along which a tunnel can be dug.

    Attributes:
        a: The number of the space before its first cell.
        b: The number of the space after its last cell.
        y: The row of its first cell.
        x: The column of its first cell.
        dy: 1 if it leads down, else 0.
        dx: 1 if it leads right, else 0.
        length: Its number of cells.
    """

    a: int
    b: int
    y: int
    x: int
    dy: int
    dx: int
    length: int


def find_crossings(
    labels: NDArray[np.int32], count: int, longest: int, rank: Callable[[int, int], int]
) -> dict[tuple[int, int], list[Crossing]]:
    """Return pair of spaces -> its best crossings (straight rows of earth between the two), `KEPT` at most, the best one first.

    The best crossing is the shortest one, after a random addition of 0 to 7 cells to each length.

    Args:
        labels: (height, width), the numbers of the spaces, 0 for earth, `CLOSED` for cells that may not be dug. All
            cells of the map's edge must be `CLOSED`.
        count: The highest number of a space.
        longest: The greatest length of a crossing, in cells.
        rank: Returns a random number of 64 bits for every cell.
    """
    height, width = labels.shape
    size = height * width
    lines = np.concatenate((labels.ravel(), labels.T.ravel()))  # all rows, then all columns
    solid = lines == 0
    edges = (solid[1:] != solid[:-1]).nonzero()[0]
    # The last cell before each stretch of earth, and the first cell after it.
    before, after = edges[::2], edges[1::2] + 1
    first, second, length = lines[before], lines[after], after - before - 1
    low, high = np.minimum(first, second), np.maximum(first, second)
    facing = ((low > 0) & (low < high) & (length <= longest)).nonzero()[0]
    first, second, length = first[facing], second[facing], length[facing]
    place = before[facing] + 1
    chance = np.asarray(rank(0, place.astype(np.uint64)))
    # Sort by pair, then by length plus a random number of SPREAD bits; the lowest byte breaks ties.
    pair = low[facing].astype(np.int64) * (count + 1) + high[facing]
    luck = (chance >> np.uint64(56)).astype(np.int64)
    order = ((pair << 17) + (length + (luck >> 8 - SPREAD) << 8) + luck).argsort(kind="stable")
    pair = pair[order]
    best = np.ones(len(pair), np.bool_)
    best[KEPT:] = pair[KEPT:] != pair[:-KEPT]
    order = order[best]
    found: dict[tuple[int, int], list[Crossing]] = {}
    columns = (each[order].tolist() for each in (first, second, place, length))
    for a, b, at, cells in zip(*columns, strict=True):
        if at < size:
            crossing = Crossing(a, b, at // width, at % width, 0, 1, cells)
        else:
            crossing = Crossing(a, b, (at - size) % height, (at - size) // height, 1, 0, cells)
        found.setdefault((a, b) if a < b else (b, a), []).append(crossing)
    return found


def find_detours(labels: NDArray[np.int32], count: int, enough: int) -> Iterator[list[tuple[int, int]]]:
    """Yield two lists of the pairs of spaces that a tunnel with bends can join: first pairs that lie near each other, then all.

    Every space grows through the earth, one cell per step (a multi-source BFS). Two spaces whose growths touch can be
    joined without touching a third one.

    Args:
        labels: (height, width), the numbers of the spaces, 0 for earth, `CLOSED` for cells that may not be dug.
        count: The highest number of a space.
        enough: The greatest length of the tunnels of the first list, roughly, in cells.
    """
    grown = labels.copy()
    cells, width = grown.ravel(), labels.shape[1]
    sides = (-1, 1, -width, width)
    free = grown == 0
    free[[0, -1]] = free[:, [0, -1]] = False
    solid = grown > 0
    rims = free.copy()
    rims[1:-1, 1:-1] &= solid[:-2, 1:-1] | solid[2:, 1:-1] | solid[1:-1, :-2] | solid[1:-1, 2:]
    is_free, rim = free.ravel(), rims.ravel().nonzero()[0]
    is_free[rim] = False
    steps = 0
    while len(rim):
        cells[rim] = reduce(np.maximum, (cells[rim + side] for side in sides))
        steps += 1
        if steps == (enough + 1) // 2:  # both spaces have each grown over half of the tunnel
            yield _touching(grown, count)
        wider = []
        for side in sides:
            beside = rim + side
            beside = beside[is_free[beside]]
            is_free[beside] = False
            wider.append(beside)
        rim = np.concatenate(wider)
    yield _touching(grown, count)


def _touching(labels: NDArray[np.int32], count: int) -> list[tuple[int, int]]:
    """Return the pairs of numbers above 0 in an array whose cells share an edge somewhere, the lower number first.

    Args:
        labels: (height, width), a number for each cell.
        count: The highest number.
    """
    found = []
    solid = labels > 0
    for one, other, are_solid in (
        (labels[1:], labels[:-1], solid[1:] & solid[:-1]),
        (labels[:, 1:], labels[:, :-1], solid[:, 1:] & solid[:, :-1]),
    ):
        apart = are_solid & (one != other)
        first, second = one[apart], other[apart]
        found.append(np.minimum(first, second) * np.int64(count + 1) + np.maximum(first, second))
    pairs = np.unique(np.concatenate(found))
    return [divmod(pair, count + 1) for pair in pairs.tolist()]


def straight_way(crossing: Crossing) -> list[tuple[int, int]]:
    """Return the (y, x) cells of a crossing (a straight row of earth), from its space `a` to its space `b`."""
    _, _, y, x, dy, dx, length = crossing
    return [(y + dy * step, x + dx * step) for step in range(length)]


def winding_way(
    crossing: Crossing, is_free: Callable[[int, int], bool], random: Callable[[], float]
) -> list[tuple[int, int]]:
    """Return the (y, x) cells of a winding tunnel along a crossing: it leaves the straight line now and then, and ends on it.

    Args:
        crossing: The crossing, a straight row of earth between two spaces.
        is_free: Tells whether a cell off the line may be dug; it is not asked for steps back to the line.
        random: Draws from 0 to 1.
    """
    _, _, y, x, dy, dx, length = crossing
    way = []
    off = 0
    for step in range(length):
        row, column = y + dy * step, x + dx * step
        way.append((row + dx * off, column + dy * off))
        # Each further cell allows one step back to the line. The last cell does not count, since it may be a door.
        left = length - 2 - step
        if off and abs(off) >= left:
            off -= 1 if off > 0 else -1
        elif step and left > 0 and random() < WINDING:
            aside = off + (1 if random() < 0.5 else -1)
            if aside and (
                abs(aside) > min(left, SWING)
                or not is_free(row + dx * aside, column + dy * aside)
                or not is_free(row + dy + dx * aside, column + dx + dy * aside)
            ):
                continue
            off = aside
        else:
            continue
        way.append((row + dx * off, column + dy * off))
    return way


def flags_of(cells: NDArray[np.bool_]) -> memoryview:
    """Return the cells of an array, row by row, as bytes in the same memory: cell (y, x) is byte y * width + x, 1 if it is set.

    Single bytes are read three times as fast as single cells of the array.
    """
    return cells.view(np.uint8).data.cast("B")


def free_cells(taken: NDArray[np.bool_]) -> Callable[[int, int], bool]:
    """Return a function of (y, x) that tells whether neither this cell nor any of its four neighbours is taken.

    Args:
        taken: (height, width) bool, the cells that are open or may not be dug. All cells of the map's edge must be
            set.
    """
    flags, width = flags_of(taken), taken.shape[1]

    def is_free(y: int, x: int) -> bool:
        """Tell whether neither this cell nor any of its four neighbours is taken."""
        at = y * width + x
        return not (flags[at] or flags[at - 1] or flags[at + 1] or flags[at - width] or flags[at + width])

    return is_free


def widened(
    way: Sequence[tuple[int, int]], step: tuple[int, int], is_free: Callable[[int, int], bool]
) -> list[tuple[int, int]]:
    """Return the cells of a tunnel and of a second line of cells beside it, where these are free: a tunnel two cells wide.

    Args:
        way: The (y, x) cells of the tunnel.
        step: The (dy, dx) from a cell of the tunnel to the cell of the second line.
        is_free: Tells whether a cell may be dug.
    """
    dy, dx = step
    beside = ((y + dy, x + dx) for y, x in way)
    return list(dict.fromkeys([*way, *(cell for cell in beside if is_free(*cell))]))
