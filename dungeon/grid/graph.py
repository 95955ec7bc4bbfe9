"""Algorithms on undirected graphs: components, colouring, shortest walks, and long paths without repeated nodes.

Nodes are numbered from 0, unless a docstring says otherwise. A graph is a list `neighbours`: `neighbours[n]` lists the nodes that
share an edge with node n, so every edge is listed at both ends.
"""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from itertools import count
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

TRIES = 12
"""The number of further starts that `longest_path` tries if a path is too short."""

LONG = 100
"""A stuck path of more nodes than this drops its last node and goes on; a shorter one is given up for another start."""

EAR = 6
"""The most nodes that one detour inserts into a path of more than `LONG` nodes; in a shorter path it is one node."""

TURNS = 24
"""The number of rotations in a row without growth after which a path is given up."""


def neighbours_in(pairs: Iterable[tuple[int, int]], count: int) -> list[list[int]]:
    """Convert edges to lists of neighbours. Nodes are numbered from 1 in `pairs`, from 0 in the result.

    The edge [(1, 3)] in a graph of 3 nodes -> [[2], [], [0]].

    Args:
        pairs: The edges, as pairs of nodes.
        count: The number of nodes.
    """
    neighbours: list[list[int]] = [[] for _ in range(count)]
    for a, b in pairs:
        neighbours[a - 1].append(b - 1)
        neighbours[b - 1].append(a - 1)
    return neighbours


def parts(neighbours: Sequence[Sequence[int]]) -> list[list[int]]:
    """Return the connected components of a graph, each as a list of its nodes.

    Components are in order of their lowest nodes. Nodes are in breadth-first order from the lowest node of their component.
    """
    seen = [False] * len(neighbours)
    found = []
    for first in range(len(neighbours)):
        if not seen[first]:
            seen[first] = True
            part = [first]
            for node in part:  # the list grows during the loop
                for other in neighbours[node]:
                    if not seen[other]:
                        seen[other] = True
                        part.append(other)
            found.append(part)
    return found


def colouring(nodes: Iterable[int], edges: Iterable[tuple[int, int]]) -> dict[int, int]:
    """Colour a graph: return node -> colour (0, 1, ...), in the order of `nodes`. The two nodes of an edge never share a colour.

    Greedy DSATUR: the node with the most colours among its neighbours is coloured next, with the lowest free colour, so that
    few colours are needed (D. Brelaz, "New methods to color the vertices of a graph", 1979).

    Args:
        nodes: The nodes, which may be any integers.
        edges: Pairs of nodes.
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
            continue  # coloured already, or an outdated entry: the node has more colours around it now
        colours[node] = next(colour for colour in count() if colour not in around[node])
        for other in beside[node]:
            around[other].add(colours[node])
            heappush(heap, (-len(around[other]), -len(beside[other]), other))
    return colours


def walk_within(edges: Sequence[Sequence[tuple[int, int]]], start: int, goal: int, limit: int) -> bool:
    """Tell whether a walk from `start` to `goal` has a total length of at most `limit` (Dijkstra, cut off at the limit).

    Args:
        edges: `edges[n]` has a pair (neighbour, length) for each edge of node n.
        start: The first node.
        goal: The last node.
        limit: The greatest length allowed.
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
    """Return the number of nodes of the longest path in a forest; for a component with cycles it is only a lower bound."""
    longest = 0
    for part in parts(neighbours):
        end = part[0]
        for _ in range(2):  # in a tree, the node farthest from any node is an end of a longest path
            steps = steps_from(neighbours, end)
            end = next(reversed(steps))
        longest = max(longest, steps[end] + 1)
    return longest


class Backbone:
    """Updates the length of the longest path in a forest while the edges of a path, the *backbone*, are added one by one.

    Trees hang on the nodes of the backbone. A *run* is a series of backbone nodes that added edges join:

        o       o   o       the longest path of a run goes along the backbone between two
        |       |   |       nodes, and into a tree at both ends: here it has 5 nodes in the
        o---o---o   o---o   left run and 3 in the right one

    Adding an edge takes constant time.

    Args:
        path: The nodes of the backbone, in order, each once.
        neighbours: The forest before any edge is added. Each of its trees contains at most one node of the backbone.

    Attributes:
        longest: The number of nodes of the longest path so far.
    """

    def __init__(self, path: Sequence[int], neighbours: Sequence[Sequence[int]]) -> None:
        deep = [max(steps_from(neighbours, node).values()) for node in path]
        self.longest = longest_in_trees(neighbours)
        self._first = list(range(len(path)))  # the first index of the run that ends at this index
        self._last = list(range(len(path)))  # the last index of the run that begins at this index
        # For each run, by its first index: the greatest depth of a tree minus, or plus, the index of its node.
        self._before = [steps - at for at, steps in enumerate(deep)]
        self._after = [steps + at for at, steps in enumerate(deep)]

    def add(self, at: int) -> None:
        """Add the edge between the backbone nodes `path[at]` and `path[at + 1]`, and update `longest`."""
        first, second, last = self._first[at], at + 1, self._last[at + 1]
        self.longest = max(self.longest, self._before[first] + self._after[second] + 1)
        self._before[first] = max(self._before[first], self._before[second])
        self._after[first] = max(self._after[first], self._after[second])
        self._first[last], self._last[first] = first, last


def steps_from(neighbours: Sequence[Sequence[int]], start: int, most: int | None = None) -> dict[int, int]:
    """Return node -> number of edges from `start` to it, by breadth-first search; the nearest nodes come first.

    Args:
        neighbours: The graph.
        start: The node to measure from.
        most: Leave out nodes more than this many steps away; None for no limit.
    """
    steps, reached = {start: 0}, [start]
    for node in reached:  # the list grows during the loop
        if steps[node] == most:
            break
        for other in neighbours[node]:
            if other not in steps:
                steps[other] = steps[node] + 1
                reached.append(other)
    return steps


def long_path(
    neighbours: Sequence[Sequence[int]], start: int, enough: int, random: Callable[[], float]
) -> list[int]:
    """Return a long path without repeated nodes from the component of `start`; it stops growing at `enough` nodes.

    The path grows at both ends, always to the neighbour with the fewest free neighbours (Warnsdorff's rule). If it can't grow,
    free nodes beside it are inserted as detours. Then its end is rotated (L. Posa, "Hamiltonian circuits in random graphs",
    1976) until it can grow again. If a path of more than `LONG` nodes can't be rotated, it drops its last node.

    Args:
        neighbours: The graph.
        start: The node to begin from.
        enough: The number of nodes at which the path is long enough.
        random: Returns a random float from 0 up to 1, which decides between equally good nodes.
    """
    path = [start]
    free = [True] * len(neighbours)
    free[start] = False
    fresh: list[int] = []  # indices of path nodes with a new successor: only there may a detour fit now
    lost: set[int] = set()
    stuck = 0
    while stuck <= TURNS:
        stuck += 1
        for _ in range(2):
            before = len(path)
            if grown := _extend(path, neighbours, free, enough, random):
                stuck = 0
            fresh += range(before - 1, before - 1 + grown)
            path.reverse()
            fresh = [len(path) - 2 - at for at in reversed(fresh)]
        if _insert(path, neighbours, free, enough, fresh):
            stuck = 0
        if len(path) >= enough:
            break
        turned = _turn(path, [node for node in neighbours[path[-1]] if node not in lost], random)
        if turned is None and len(path) <= LONG:
            break
        if turned is None:
            lost.add(path.pop())  # a dead end: rotations never lead to it again
        fresh = [] if turned is None else [turned]
    return path


def longest_path(
    neighbours: Sequence[Sequence[int]], path: list[int], enough: int, random: Callable[[], float]
) -> list[int]:
    """Return a path of `enough` nodes, or else the longest among `path` and up to `TRIES` paths from other starts.

    Nodes with a single neighbour are tried as starts first, because a path can only begin or end there.

    Args:
        neighbours: The graph.
        path: A path that is known already.
        enough: The number of nodes at which a path is long enough.
        random: Returns a random float from 0 up to 1.
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
) -> int:
    """Extend the path (in place) at its end as far as possible, up to `enough` nodes; return the number of nodes added.

    Args:
        path: The path; changed.
        neighbours: The graph.
        free: For each node, whether it is not on the path; changed.
        enough: The number of nodes at which the path is long enough.
        random: Returns a random float from 0 up to 1, which decides between equally good nodes.
    """
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
    return len(path) - before


def _insert(
    path: list[int],
    neighbours: Sequence[Sequence[int]],
    free: list[bool],
    enough: int,
    places: Sequence[int],
) -> bool:
    """Lengthen the path by detours, and return whether any was found.

    A detour is a series of free nodes that leads from a node of the path to the next one; it is inserted between the two.

    Args:
        path: The path; changed.
        neighbours: The graph.
        free: For each node, whether it is not on the path; changed.
        enough: The number of nodes at which the path is long enough.
        places: The ascending indices of the path nodes after which to try a detour.
    """
    before = len(path)
    for place in places:
        at = place + len(path) - before
        end = at + 1
        while at < end and len(path) < enough:
            between = _ear(neighbours, path[at], path[at + 1], free, EAR if len(path) > LONG else 1)
            for node in between:
                free[node] = False
            path[at + 1 : at + 1] = between
            end += len(between)
            at += not between
    return len(path) > before


def _ear(
    neighbours: Sequence[Sequence[int]], one: int, other: int, free: Sequence[bool], longest: int
) -> list[int]:
    """Return the nodes of a shortest detour between two neighbouring nodes; empty if it needs more than `longest` nodes.

    Args:
        neighbours: The graph.
        one: The node before the detour.
        other: The node after it.
        free: For each node, whether the detour may use it.
        longest: The largest number of nodes of the detour, without `one` and `other`.
    """
    goal = neighbours[other]
    before = {one: -1}
    layer = [one]
    for _ in range(longest):
        wider = []
        for node in layer:
            for each in neighbours[node]:
                if free[each] and each not in before:
                    before[each] = node
                    if each in goal:
                        way = [each]
                        while before[way[-1]] != one:
                            way.append(before[way[-1]])
                        return way[::-1]
                    wider.append(each)
        layer = wider
    return []


def _turn(path: list[int], near: Sequence[int], random: Callable[[], float]) -> int | None:
    """Rotate the path (Posa, 1976): reverse all nodes after a random neighbour of its last node.

    If the last node, 5, has the neighbour 2, the path 1 2 3 4 5 becomes 1 2 5 4 3.

    Args:
        path: The path; changed.
        near: The neighbours of its last node, which are all on the path.
        random: A function that returns a float from 0 up to 1.

    Returns:
        The index of that neighbour on the path; None if the last node's only neighbour is the node before it.
    """
    options = [at for at in map(path.index, near) if at < len(path) - 2]
    if not options:
        return None
    at = options[int(random() * len(options))]
    path[at + 1 :] = path[:at:-1]
    return at
