"""Areas of a map as a graph with an edge for each *contact* (stretch of border) of two areas: cycles and independent routes.

It is a multigraph: two areas that touch in two separate places have two edges.
"""

from __future__ import annotations

from collections import defaultdict, deque
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

Edge = tuple[int, int]
"""The numbers of two areas that touch, the smaller one first."""


def contacts(labels: NDArray[np.int32]) -> list[Edge]:
    """Return the pairs of areas that share a border, sorted; a pair appears once for each separate stretch of border.

    Args:
        labels: (height, width): the number of each cell's area, 0 for none.
    """
    borders: defaultdict[Edge, set[tuple[int, int]]] = defaultdict(set)
    # The border between two neighbouring cells is identified by its middle, in half cells.
    for dy, dx in ((0, 1), (1, 0)):
        one, other = labels[: labels.shape[0] - dy, : labels.shape[1] - dx], labels[dy:, dx:]
        ys, xs = np.nonzero((one != other) & (one > 0) & (other > 0))
        low, high = np.minimum(one, other)[ys, xs], np.maximum(one, other)[ys, xs]
        for a, b, y, x in zip(low.tolist(), high.tolist(), ys.tolist(), xs.tolist(), strict=True):
            borders[a, b].add((2 * y + dy, 2 * x + dx))
    return [edge for edge in sorted(borders) for _ in range(_pieces(borders[edge]))]


def _pieces(middles: set[tuple[int, int]]) -> int:
    """Return the number of connected lines that the edges of some cells form; lines may turn corners.

    Args:
        middles: The edges, each by its middle (y, x) in half cells: (0, 1) is the edge between the cells (0, 0) and (0, 1).
    """
    if len(middles) == 1:
        return 1
    count = 0
    left = dict.fromkeys(sorted(middles))
    while left:
        count += 1
        queue = [left.popitem()[0]]
        for y, x in queue:  # the list grows during the loop
            along = ((y, x - 2), (y, x + 2)) if y % 2 else ((y - 2, x), (y + 2, x))
            around = ((y - 1, x - 1), (y - 1, x + 1), (y + 1, x - 1), (y + 1, x + 1))
            for near in (*along, *around):
                if near in left:
                    del left[near]
                    queue.append(near)
    return count


def neighbours(edges: Sequence[Edge]) -> dict[int, list[int]]:
    """Return area -> its neighbours; a neighbour with two edges to the area is listed twice."""
    beside: defaultdict[int, list[int]] = defaultdict(list)
    for a, b in edges:
        beside[a].append(b)
        beside[b].append(a)
    return dict(beside)


def fewest_counted(
    beside: Mapping[int, Sequence[int]], start: int, counted: frozenset[int]
) -> dict[int, int]:
    """Return area -> the least number of `counted` areas on a path from `start` to it, both ends included (a 0-1 BFS).

    Args:
        beside: Area -> its neighbours.
        start: The area from which paths begin.
        counted: The areas that count; all others cost nothing.
    """
    passed = {start: int(start in counted)}
    queue = deque([start])
    while queue:
        area = queue.popleft()
        for other in beside.get(area, ()):
            cost = passed[area] + (other in counted)
            if cost < passed.get(other, cost + 1):
                passed[other] = cost
                (queue.append if other in counted else queue.appendleft)(other)
    return passed


def on_cycles(edges: Sequence[Edge], trunk: Iterable[int]) -> set[int]:
    """Return the areas outside `trunk` that lie on a cycle: a walk back to the same area (or trunk) that uses no edge twice.

    An edge lies on a cycle if it is no bridge. Every edge that a breadth-first search from the trunk does not use closes one
    cycle, with the search's paths to its two ends. All other cycles are unions of these.

    Args:
        edges: The edges: see `contacts`.
        trunk: A connected set of areas, which counts as one node.
    """
    beside: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    for number, (a, b) in enumerate(edges):
        beside[a].append((b, number))
        beside[b].append((a, number))
    came = dict.fromkeys(trunk, -1)  # area -> the area that it was found from
    depth = dict.fromkeys(came, 0)
    used: set[int] = set()
    queue = deque(came)
    while queue:
        area = queue.popleft()
        for other, number in beside[area]:
            if other not in came:
                came[other], depth[other] = area, depth[area] + 1
                used.add(number)
                queue.append(other)
    found: set[int] = set()
    for number, ends in enumerate(edges):
        if number in used or ends[0] not in came:
            continue
        lower, upper = sorted(ends, key=depth.__getitem__, reverse=True)
        while lower != upper and depth[lower]:
            found.add(lower)
            lower = came[lower]
            if depth[lower] < depth[upper]:
                lower, upper = upper, lower
        found |= {lower, upper}
    return {area for area in found if depth[area]}


def disjoint_routes(edges: Sequence[Edge], start: int, goal: int) -> int:
    """Return the greatest number of routes between two areas that share no edge (contact).

    By Menger's theorem that is the number of contacts that must be closed to separate the areas. Routes are found one by one as
    augmenting paths (Ford and Fulkerson, 1956), shortest first (Edmonds and Karp, 1972).

    Raises:
        ValueError: Start and goal are the same area.
    """
    if start == goal:
        raise ValueError(f"area {start} is start and goal")
    # An edge can be used once, in either direction: each direction has capacity 1, and using one frees the other.
    capacity: defaultdict[int, dict[int, int]] = defaultdict(dict)
    for a, b in edges:
        capacity[a][b] = capacity[a].get(b, 0) + 1
        capacity[b][a] = capacity[b].get(a, 0) + 1
    routes = 0
    while steps := _augmenting(capacity, start, goal):
        for a, b in steps:
            capacity[a][b] -= 1
            capacity[b][a] += 1
        routes += 1
    return routes


def _augmenting(capacity: Mapping[int, Mapping[int, int]], start: int, goal: int) -> list[Edge]:
    """Return the steps (from, to) of a shortest augmenting path, the last one first; empty if there is none.

    Args:
        capacity: Area -> neighbour -> how many more routes may step from this area to this neighbour.
        start: The first area.
        goal: The last area.
    """
    came = {start: start}
    queue = deque([start])
    while queue and goal not in came:
        area = queue.popleft()
        for other, free in capacity[area].items():
            if free and other not in came:
                came[other] = area
                queue.append(other)
    return list(_back(came, goal)) if goal in came else []


def _back(came: Mapping[int, int], goal: int) -> Iterator[Edge]:
    """Yield the steps (from, to) of the path to the goal, the last one first.

    Args:
        came: Area -> the area from which the search reached it; the start has itself.
        goal: The last area.
    """
    while came[goal] != goal:
        yield came[goal], goal
        goal = came[goal]
