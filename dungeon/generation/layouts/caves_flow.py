"""Which spaces of a map are joined: a linear flow with loops.

Most spaces lie along one long way, the others beside it, and a few extra links close loops where that saves a
long walk (see "Generating and Populating Caves": relatively linear, and without boring ways back).

    o---o---o   o---o       o---o---o===o---o       ---  the long way and what hangs on it
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


@dataclass(slots=True)
class Flow:
    """What is to be joined; spaces are numbered from 1, and a pair has its lower number first.

    Attributes:
        wanted: How many spaces are to lie along one way.
        path: The spaces along the long way.
        tree: The pairs that join as many spaces as can be joined: first those along the way.
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
) -> Flow:
    """Choose the pairs that join all spaces, so that a share of them lies along one way, if there is such a way.

    Args:
        boxes: Where the spaces are; that of number n is `boxes[n - 1]`.
        lengths: The pairs that can be joined, and how long the way between them is.
        linearity: The share of the spaces that is to lie on one way, from 0 to 1.
        stream: Where chance comes from.
        more: Further pairs that can be joined, though not so well: the way leads along some of them, group by group,
            if it would be too short otherwise.
    """
    enough = min(max(1, math.ceil(linearity * len(boxes))), len(boxes))
    wanted = enough
    enough = min(enough + enough // LONG, len(boxes))  # digging leaves out a few spaces of a long way
    neighbours = neighbours_in(lengths, len(boxes))
    together = parts(neighbours)
    largest = max(together, key=len)
    path = long_path(neighbours, stream.pick(largest), min(enough, len(largest)), stream.random)
    path = longest_path(neighbours, path, min(enough, len(largest)), stream.random)
    known = set(lengths)
    for pairs in more if len(path) < enough else ():
        known.update(pairs)
        path = longest_path(neighbours_in(sorted(known), len(boxes)), path, enough, stream.random)
    flow = Flow(wanted, [node + 1 for node in path])
    flow.tree = [_pair(a, b) for a, b in pairwise(flow.path)]
    flow.tree += _branches(neighbours, path, lengths, stream)
    for part in together:
        if not set(part) & set(path):
            flow.tree += _branches(neighbours, part[:1], lengths, stream)
    return flow


def _pair(a: int, b: int) -> Pair:
    return (a, b) if a < b else (b, a)


def _branches(
    neighbours: Sequence[Sequence[int]], path: Sequence[int], lengths: Mapping[Pair, int], stream: Stream
) -> list[Pair]:
    """Return pairs that hang everything else on a path: Prim's algorithm, with chance in it."""
    random = stream.random
    joined = set(path)
    heap: list[tuple[float, int, int]] = []

    def offer(node: int) -> None:
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
    """Choose up to `wanted` pairs that close loops, each where it saves at least that many cells of walk.

    Walks are reckoned from middle to middle of the spaces.

    Args:
        joined: The pairs that are joined already.
        boxes: Where the spaces are.
        pairs: Those that can be joined.
        wanted: How many loops there are to be.
        saves: How many cells of walk each saves.
        stream: Where chance comes from.
    """
    edges: list[list[tuple[int, int]]] = [[] for _ in boxes]

    def step(a: int, b: int) -> int:
        one, other = boxes[a - 1], boxes[b - 1]
        down = abs(2 * one.y + one.height - 2 * other.y - other.height)
        return (down + abs(2 * one.x + one.width - 2 * other.x - other.width)) // 2

    def join(a: int, b: int) -> None:
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
    """Return the pairs that are not joined yet, first those between which a walk leads through most spaces."""
    neighbours = neighbours_in(joined, spaces)
    steps: dict[int, dict[int, int]] = {}

    def walk(pair: Pair) -> int:
        start, end = pair[0] - 1, pair[1] - 1
        if start not in steps:
            steps[start] = steps_from(neighbours, start)
        return steps[start].get(end, 0)

    return sorted((pair for pair in pairs if pair not in joined), key=walk, reverse=True)


# -- crossings -------------------------------------------------------------------------------------
#
# Crossings: where the earth between two spaces of a map can be crossed in a straight line, and ways dug there.
#
# ####...####        along each row and each column, what lies between two
# .1.-----.2.        spaces that face each other is a crossing; of those of a
# ...----..2.        pair a few are kept, rather short than long ones
#
# All crossings are found at once, so that one is dug in 16 microseconds on a map of 80x50. `find_way`, which digs what has to
# bend, takes 290 there.
#


KEPT = 2
"""How many crossings are kept for two spaces."""

SPREAD = 3
"""Crossings are compared by their length and a random number of so many bits."""

SWING = 3
"""How far a winding way may be from its crossing's line."""

WINDING = 0.65
"""The chance at each cell that a winding way steps aside."""

CLOSED = -1
"""The number of cells that may not be dug."""


class Crossing(NamedTuple):
    """A straight line of earth between two spaces.

    Attributes:
        y: The row of its first cell, beside the space `a`; `x`: its column.
        dy: With `dx` the direction that leads to the space `b`: down or to the right.
        length: How many cells of earth it has.
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
    """Return the crossings by pair of spaces, each pair's best one first.

    Args:
        labels: (height, width), the numbers of the spaces, 0 for earth, `CLOSED` for cells that may not be dug; the
            outermost ones are among them.
        count: The highest number of a space.
        longest: The most cells of earth that a crossing may have.
        rank: A random number of 64 bits for every cell.
    """
    height, width = labels.shape
    size = height * width
    lines = np.concatenate((labels.ravel(), labels.T.ravel()))  # all rows, then all columns
    solid = lines == 0
    edges = (solid[1:] != solid[:-1]).nonzero()[0]
    before, after = (
        edges[::2],
        edges[1::2] + 1,
    )  # the last cell before a stretch of earth, and the first after it
    first, second, length = lines[before], lines[after], after - before - 1
    low, high = np.minimum(first, second), np.maximum(first, second)
    facing = ((low > 0) & (low < high) & (length <= longest)).nonzero()[0]
    first, second, length = first[facing], second[facing], length[facing]
    place = before[facing] + 1
    chance = np.asarray(rank(0, place.astype(np.uint64)))
    # Sorted by pair, then by length and luck; the lowest byte settles what is left.
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
    """Yield the pairs of spaces between which nothing lies but earth: first those with a short way between them, then all.

    Every space grows through the earth, a cell a step, until it meets others: where two meet, there is such a way.

    Args:
        labels: As for `find_crossings`.
        count: The highest number of a space.
        enough: About how many cells a short way has at most.
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
        if steps == (enough + 1) // 2:  # the spaces on both sides of a way have each grown over half of it
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
    """Return the pairs of spaces that touch."""
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
    """Return the (y, x) cells of a crossing."""
    _, _, y, x, dy, dx, length = crossing
    return [(y + dy * step, x + dx * step) for step in range(length)]


def winding_way(
    crossing: Crossing, is_free: Callable[[int, int], bool], random: Callable[[], float]
) -> list[tuple[int, int]]:
    """Return the (y, x) cells of a way that leaves a crossing's line now and then, and ends where it ends.

    Args:
        crossing: Where it begins and ends.
        is_free: Tells of a cell off the line whether it may be dug. On its way back it is not asked.
        random: Draws from 0 to 1.
    """
    _, _, y, x, dy, dx, length = crossing
    way = []
    off = 0
    for step in range(length):
        row, column = y + dy * step, x + dx * step
        way.append((row + dx * off, column + dy * off))
        left = (
            length - 2 - step
        )  # each cell to come but the last, which may be a door, allows a step back to the line
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
    """Return the cells of an array, row by row, as bytes of the same memory: three times as quick to look at one by one."""
    return cells.view(np.uint8).data.cast("B")


def free_cells(taken: NDArray[np.bool_]) -> Callable[[int, int], bool]:
    """Return a function that tells whether neither a cell nor any of its four neighbours is taken.

    Args:
        taken: (height, width) bool, what is open or may not be dug, the outermost cells among them.
    """
    flags, width = flags_of(taken), taken.shape[1]

    def is_free(y: int, x: int) -> bool:
        at = y * width + x
        return not (flags[at] or flags[at - 1] or flags[at + 1] or flags[at - width] or flags[at + width])

    return is_free


def widened(
    way: Sequence[tuple[int, int]], step: tuple[int, int], is_free: Callable[[int, int], bool]
) -> list[tuple[int, int]]:
    """Return a way with a second line that (dy, dx) step beside it, wherever there is free earth for one."""
    dy, dx = step
    beside = ((y + dy, x + dx) for y, x in way)
    return list(dict.fromkeys([*way, *(cell for cell in beside if is_free(*cell))]))
