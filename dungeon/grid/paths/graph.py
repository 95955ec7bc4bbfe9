"""Graphs whose nodes are numbered from 0: their parts, and long paths through them.

`neighbours[n]` lists the nodes that node n has an edge to; every edge is in the lists of both its ends.
"""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from itertools import count
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

TRIES = 12
"""How many more paths are grown where one is too short."""

TURNS = 24
"""How often in a row a path that can't grow is turned about before that is given up."""


def neighbours_in(pairs: Iterable[tuple[int, int]], count: int) -> list[list[int]]:
    """Return the neighbours of so many nodes, from pairs in which they are numbered from 1."""
    neighbours: list[list[int]] = [[] for _ in range(count)]
    for a, b in pairs:
        neighbours[a - 1].append(b - 1)
        neighbours[b - 1].append(a - 1)
    return neighbours


def parts(neighbours: Sequence[Sequence[int]]) -> list[list[int]]:
    """Return the nodes of each connected part, parts and nodes in order of their first node."""
    seen = [False] * len(neighbours)
    found = []
    for first in range(len(neighbours)):
        if not seen[first]:
            seen[first] = True
            part = [first]
            for node in part:  # the list grows while it is walked through
                for other in neighbours[node]:
                    if not seen[other]:
                        seen[other] = True
                        part.append(other)
            found.append(part)
    return found


def colouring(nodes: Iterable[int], edges: Iterable[tuple[int, int]]) -> dict[int, int]:
    """Return node -> a colour, from 0, so that the two nodes of an edge differ; in the order of the nodes.

    Each time the node that has the most colours around it gets the first colour that none of its neighbours has, so
    that few are needed (D. Brelaz, "New methods to color the vertices of a graph", 1979).

    Args:
        nodes: The nodes, which may be any numbers.
        edges: Pairs of them.
    """
    beside: dict[int, set[int]] = {node: set() for node in nodes}
    for a, b in edges:
        beside[a].add(b)
        beside[b].add(a)
    around: dict[int, set[int]] = {node: set() for node in beside}
    colours = dict.fromkeys(beside, -1)
    heap = [(0, -len(others), node) for node, others in beside.items()]
    heapify(heap)
    while heap:
        known, _, node = heappop(heap)
        if colours[node] >= 0 or -known < len(around[node]):
            continue  # done with, or it has come again since with more colours around it
        colours[node] = next(colour for colour in count() if colour not in around[node])
        for other in beside[node]:
            around[other].add(colours[node])
            heappush(heap, (-len(around[other]), -len(beside[other]), other))
    return colours


def walk_within(edges: Sequence[Sequence[tuple[int, int]]], start: int, goal: int, limit: int) -> bool:
    """Tell whether a walk of at most that length leads from one node to the other (Dijkstra, cut off there).

    Args:
        edges: For each node its (neighbour, length) pairs.
        start: Where the walk begins.
        goal: Where it ends.
        limit: The length.
    """
    reached: set[int] = set()
    heap = [(0, start)]
    while heap:
        length, node = heappop(heap)
        if node == goal:
            return True
        if node in reached:
            continue
        reached.add(node)
        for other, step in edges[node]:
            if other not in reached and length + step <= limit:
                heappush(heap, (length + step, other))
    return False


def longest_in_trees(neighbours: Sequence[Sequence[int]]) -> int:
    """Return how many nodes the longest of all paths through trees has; in a part with loops it may be longer."""
    longest = 0
    for part in parts(neighbours):
        end = part[0]
        for _ in range(2):  # the node that is farthest from any is an end of a longest path
            steps = steps_from(neighbours, end)
            end = next(reversed(steps))
        longest = max(longest, steps[end] + 1)
    return longest


def steps_from(neighbours: Sequence[Sequence[int]], start: int) -> dict[int, int]:
    """Return how many steps each node is away to which any lead; the nearest nodes come first."""
    steps, reached = {start: 0}, [start]
    for node in reached:  # the list grows while it is walked through
        for other in neighbours[node]:
            if other not in steps:
                steps[other] = steps[node] + 1
                reached.append(other)
    return steps


def long_path(
    neighbours: Sequence[Sequence[int]], start: int, enough: int, random: Callable[[], float]
) -> list[int]:
    """Return a path without repeats through the part that `start` is in: of `enough` nodes, if one is found.

    The path grows at both ends, each time to the neighbour that has the fewest ways on (Warnsdorff's rule). When it
    can't, nodes beside it are taken in between; then its end is turned about (L. Posa, "Hamiltonian circuits in random
    graphs", 1976) until it can grow again.
    """
    path = [start]
    free = [True] * len(neighbours)
    free[start] = False
    stuck = 0
    while stuck <= TURNS:
        stuck += 1
        for _ in range(2):
            if _extend(path, neighbours, free, enough, random):
                stuck = 0
            path.reverse()
        if _insert(path, neighbours, free, enough):
            stuck = 0
        if len(path) >= enough or not _turn(path, neighbours, random):
            break
    return path


def longest_path(
    neighbours: Sequence[Sequence[int]], path: list[int], enough: int, random: Callable[[], float]
) -> list[int]:
    """Return a path of `enough` nodes, or else the longest of a few: of the given one and others from elsewhere.

    Nodes with one neighbour are begun from first, for no path leads through them.
    """
    starts = [node for node, others in enumerate(neighbours) if len(others) == 1]
    for number in range(TRIES):
        if len(path) >= enough:
            break
        start = starts[number] if number < len(starts) else int(random() * len(neighbours))
        path = max(path, long_path(neighbours, start, enough, random), key=len)
    return path


def _extend(
    path: list[int],
    neighbours: Sequence[Sequence[int]],
    free: list[bool],
    enough: int,
    random: Callable[[], float],
) -> bool:
    """Let the path grow at its end; tell whether it did."""
    before = len(path)
    while len(path) < enough:
        options = [
            (sum([free[each] for each in neighbours[other]]), random(), other)
            for other in neighbours[path[-1]]
            if free[other]
        ]
        if not options:
            break
        node = min(options)[2]
        free[node] = False
        path.append(node)
    return len(path) > before


def _insert(path: list[int], neighbours: Sequence[Sequence[int]], free: list[bool], enough: int) -> bool:
    """Take nodes that neighbour two successive ones of the path in between; tell whether there were any."""
    before, at = len(path), 0
    while at < len(path) - 1 and len(path) < enough:
        after = neighbours[path[at + 1]]
        for each in neighbours[path[at]]:
            if free[each] and each in after:
                free[each] = False
                path.insert(at + 1, each)
                break
        else:
            at += 1
    return len(path) > before


def _turn(path: list[int], neighbours: Sequence[Sequence[int]], random: Callable[[], float]) -> bool:
    """Join the path's end to one of its inner nodes and turn what follows that about; False if there is none."""
    options = [at for at in map(path.index, neighbours[path[-1]]) if at < len(path) - 2]
    if not options:
        return False
    at = options[int(random() * len(options))] + 1
    path[at:] = path[: at - 1 : -1]
    return True
