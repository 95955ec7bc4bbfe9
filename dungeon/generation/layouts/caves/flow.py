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
from heapq import heappop, heappush
from itertools import pairwise
from typing import TYPE_CHECKING

from dungeon.grid.paths.graph import (
    LONG,
    long_path,
    longest_path,
    neighbours_in,
    parts,
    steps_from,
    walk_within,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from dungeon.core.streams import Stream
    from dungeon.grid.rect import Rect

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
