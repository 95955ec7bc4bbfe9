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

LONG = 100
"""A path of more nodes than this grows on from elsewhere, rather than to be given up for another, where it can't go on."""

EAR = 6
"""A way around an edge of a long path takes at most so many nodes in; around one of a shorter path, one."""

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


class Backbone:
    """How many nodes the longest path through a forest has, while edges of one path through it are added.

    Trees hang on the nodes of that path, its backbone; each run of nodes with edges between them is known by its first node:

        o       o   o       the longest path of a run leads along it between two nodes,
        |       |   |       and into a tree at both ends: here it has 5 nodes in the
        o---o---o   o---o   left run and 3 in the right one

    Adding an edge takes the same time however long the path is.

    Args:
        path: The nodes of the backbone, each once.
        neighbours: The edges of the forest but for those along the path, which join no two of its nodes.
    """

    def __init__(self, path: Sequence[int], neighbours: Sequence[Sequence[int]]) -> None:
        deep = [max(steps_from(neighbours, node).values()) for node in path]
        self.longest = longest_in_trees(neighbours)
        self._first = list(range(len(path)))  # of the run that ends here
        self._last = list(range(len(path)))  # of the run that begins here
        # How deep trees are, and how much farther from where the path ends, or begins: the most of each run.
        self._before = [steps - at for at, steps in enumerate(deep)]
        self._after = [steps + at for at, steps in enumerate(deep)]

    def add(self, at: int) -> None:
        """Add the edge between `path[at]` and `path[at + 1]`."""
        first, second, last = self._first[at], at + 1, self._last[at + 1]
        self.longest = max(self.longest, self._before[first] + self._after[second] + 1)
        self._before[first] = max(self._before[first], self._before[second])
        self._after[first] = max(self._after[first], self._after[second])
        self._first[last], self._last[first] = first, last


def steps_from(neighbours: Sequence[Sequence[int]], start: int, most: int | None = None) -> dict[int, int]:
    """Return how many steps each node is away to which any lead, or at most `most`; the nearest nodes come first."""
    steps, reached = {start: 0}, [start]
    for node in reached:  # the list grows while it is walked through
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
    """Return a path without repeats through the part that `start` is in: of `enough` nodes, if one is found.

    The path grows at both ends, each time to the neighbour that has the fewest ways on (Warnsdorff's rule). When it
    can't, nodes beside it are taken in between; then its end is turned about (L. Posa, "Hamiltonian circuits in random
    graphs", 1976) until it can grow again. A long path without such a turn loses its last node.
    """
    path = [start]
    free = [True] * len(neighbours)
    free[start] = False
    fresh: list[int] = []  # places of nodes with a new successor; nothing fits in after any other
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
            lost.add(path.pop())  # a dead end, to which no path comes back
        fresh = [] if turned is None else [turned]
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
) -> int:
    """Let the path grow at its end; return by how many nodes it did."""
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
    """Take free nodes in between two successive ones of the path, where a way leads around; tell whether there were any.

    Args:
        path: The path.
        neighbours: The graph.
        free: Which nodes are not on the path.
        enough: How many nodes the path needs.
        places: Behind which nodes of the path it is tried, in order.
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
    """Return the free nodes of a shortest way around the edge between two nodes; none if it has more than `longest`."""
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
    """Join the path's end to one of its inner nodes and turn what follows that about.

    Args:
        path: The path.
        near: The nodes of the path that are neighbours of its end.
        random: Draws from 0 to 1.

    Returns:
        The place of the inner node; None if the end has none for a neighbour but the last one before it.
    """
    options = [at for at in map(path.index, near) if at < len(path) - 2]
    if not options:
        return None
    at = options[int(random() * len(options))]
    path[at + 1 :] = path[:at:-1]
    return at
