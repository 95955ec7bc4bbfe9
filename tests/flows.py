"""How a map flows, measured for the tests apart from `dungeon.measure`: on canvases too, by regions and their edges."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dungeon.core.vocabulary import SPACES
from dungeon.grid.graph import parts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dungeon import Canvas, Level


class Flow(NamedTuple):
    """What shape the network of a map's regions has.

    Attributes:
        spaces: How many rooms, caves and the like there are, sealed ones left out.
        along: How many of them lie on the longest of the shortest ways between two of them.
        loops: How many ways could be closed without cutting anything off.
    """

    spaces: int
    along: int
    loops: int

    @property
    def linearity(self) -> float:
        """The share of the spaces that lie along one way, from 0 to 1."""
        return self.along / self.spaces if self.spaces else 0.0


def region_graph(level: Canvas | Level) -> list[list[int]]:
    """Return the regions that each region leads into, through doors or directly, in order.

    Region n is node n - 1; regions touch where open cells of theirs share an edge.
    """
    region = level.region.astype(np.int64)
    pairs = [(door.between[0], door.between[1]) for door in level.connections]
    for one, other in ((region[:, :-1], region[:, 1:]), (region[:-1], region[1:])):
        touching = (one != other) & (one > 0) & (other > 0)
        packed = np.unique(one[touching] << 16 | other[touching])
        pairs += zip((packed >> 16).tolist(), (packed & 0xFFFF).tolist(), strict=True)
    neighbours: list[set[int]] = [set() for _ in level.regions]
    for a, b in pairs:
        if a and b and a != b:
            neighbours[a - 1].add(b - 1)
            neighbours[b - 1].add(a - 1)
    return [sorted(others) for others in neighbours]


def measure_flow(level: Canvas | Level) -> Flow:
    """Measure how linear a map is; of one that does not hang together, its largest part.

    The longest way is found by two breadth-first searches, which is exact where there are no loops.
    """
    graph = region_graph(level)
    largest = max(parts(graph), key=len, default=[])
    spaces = {
        region.id - 1 for region in level.regions if region.kind in SPACES and not region.sealed
    }.intersection(largest)
    if not spaces:
        return Flow(0, 0, 0)
    index = {node: number for number, node in enumerate(largest)}
    graph = [[index[other] for other in graph[node]] for node in largest]
    walk = {largest[node] for node in longest_walk(graph)}
    return Flow(len(spaces), len(walk & spaces), independent_loops(graph))


def independent_loops(neighbours: Sequence[Sequence[int]]) -> int:
    """Return how many edges could be cut without cutting anything off: the cyclomatic number."""
    edges = sum(len(others) for others in neighbours) // 2
    return edges - len(neighbours) + len(parts(neighbours))


def longest_walk(neighbours: Sequence[Sequence[int]], start: int = 0) -> list[int]:
    """Return the nodes on the longest of the shortest ways between two nodes of the part that `start` is in.

    Two breadth-first searches: exact for trees; in a graph with loops the true one may be a little longer.
    """
    far = _ways(neighbours, start)[0]
    last, before = _ways(neighbours, far)
    walk = [last]
    while walk[-1] != far:
        walk.append(before[walk[-1]])
    return walk


def _ways(neighbours: Sequence[Sequence[int]], start: int) -> tuple[int, Mapping[int, int]]:
    """Return the node that is farthest from the start, and each reached node's predecessor."""
    before = {start: start}
    queue = deque([start])
    node = start
    while queue:
        node = queue.popleft()
        for other in neighbours[node]:
            if other not in before:
                before[other] = node
                queue.append(other)
    return node, before
