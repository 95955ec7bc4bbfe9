"""The flow of a map: main paths, loops beside them, and side branches, on a graph whose nodes are regions and doors.

A main path is a shortest path from the entrance to an exit or other goal. A loop lets the player come back another way.

    <--o--o--o--o-->       main path, from the entrance to the exits
       |     |  |
       o--o--o  o--o       left: a loop leaves the main path and returns; right: a side branch with a dead end

After the overlays of flow and loops in "Generating and Populating Caves".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dungeon.grid.rect import Cell
from dungeon.grid.regions import FAR, components, distances, way_down
from dungeon.grid.routes import contacts, neighbours, on_cycles

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from dungeon.grid.rect import Leap


class MapFlow(NamedTuple):
    """The flow of the reachable part of a map. Arrays are (height, width) bool.

    Apart from `way`, an array has either all cells of a region or door, or none.

    Attributes:
        way: The cells of the main paths (shortest paths from the entrance to the goals).
        along: The cells of all regions and doors that a main path crosses.
        loops: The cells of all other regions and doors that lie on a loop.
        side: The cells of the remaining regions and doors, from which there is only one way back.
        ends: The cells of those regions of `side` that are dead ends, with only one neighbour.
        steps: The length of each main path in steps, in the order of the goals; None if a goal can't be reached.
        loop_count: The number of independent loops of the map, as in `Metrics`.
    """

    way: NDArray[np.bool_]
    along: NDArray[np.bool_]
    loops: NDArray[np.bool_]
    side: NDArray[np.bool_]
    ends: NDArray[np.bool_]
    steps: tuple[int | None, ...]
    loop_count: int


def find_flow(
    passable: NDArray[np.bool_],
    region: NDArray[np.uint16],
    entrance: Cell,
    goals: Sequence[Cell],
    leaps: Sequence[Leap] = (),
) -> MapFlow:
    """Return the flow of a map.

    Args:
        passable: (height, width) bool: the cells that a player can walk on if all doors can be opened.
        region: (height, width) uint16 region ids, 0 for none.
        entrance: The cell where paths begin.
        goals: The ends of the main paths. If empty, the cell farthest from the entrance is the only goal.
        leaps: Pairs of cells that count as neighbours (portals).

    Raises:
        ValueError: The entrance is not on a passable cell.
    """
    height, width = passable.shape
    if not (0 <= entrance.y < height and 0 <= entrance.x < width and passable[entrance]):
        raise ValueError(f"the entrance at y {entrance.y}, x {entrance.x} can't be walked on")
    away = distances(passable, [entrance], leaps)
    walked = away < FAR
    if not goals:
        goals = [Cell(*divmod(int(np.where(walked, away, -1).argmax()), width))]
    reached = [walked[goal] for goal in goals]
    way = np.zeros(passable.shape, np.bool_)
    way[entrance] = True
    for goal, is_reached in zip(goals, reached, strict=True):
        if is_reached:
            way[tuple(np.transpose(way_down(away, goal, leaps)))] = True
    network = RegionGraph(walked, region, leaps)
    trunk = {int(node) for node in np.unique(network.labels[way])}
    rounds = on_cycles(network.edges, trunk)
    rest = [node for node in network.nodes if node not in trunk and node not in rounds]

    def cells(nodes: Sequence[int]) -> NDArray[np.bool_]:
        """Return (height, width) bool: the cells of these regions and doors."""
        chosen = np.zeros(max(network.nodes, default=0) + 1, np.bool_)
        chosen[nodes] = True
        chosen[0] = False
        return chosen[network.labels]

    return MapFlow(
        way=way,
        along=cells(sorted(trunk)),
        loops=cells(sorted(rounds)),
        side=cells(rest),
        ends=cells([node for node in rest if len(network.beside[node]) == 1]),
        steps=tuple(
            int(away[goal]) if is_reached else None for goal, is_reached in zip(goals, reached, strict=True)
        ),
        loop_count=network.loops(),
    )


class RegionGraph:
    """A graph of a map with a node for each region and door. Connected cells without a region count as one door.

    Args:
        walked: (height, width) bool: the cells that can be reached; all others are ignored.
        region: (height, width) uint16 region ids, 0 for none.
        leaps: Pairs of cells that count as neighbours (portals).

    Attributes:
        first_door: The lowest node number of a door. The node number of a region is the region's id, which is lower.
        labels: (height, width) int32: the node of each cell, 0 for none.
        nodes: All nodes, ascending.
        edges: The pairs of nodes that touch or that a leap joins. Nodes that touch in two places have two edges.
        beside: Node -> its neighbours; a neighbour with two edges to the node is listed twice.
    """

    def __init__(
        self, walked: NDArray[np.bool_], region: NDArray[np.uint16], leaps: Iterable[Leap] = ()
    ) -> None:
        self.first_door = int(region.max(initial=0)) + 1
        doors, _ = components(walked & (region == 0))
        self.labels = np.where(doors > 0, doors + self.first_door - 1, region).astype(np.int32)
        self.labels[~walked] = 0
        self.nodes = [int(node) for node in np.unique(self.labels) if node]
        self.edges = [*contacts(self.labels), *self._leapt(leaps)]
        self.beside = neighbours(self.edges)

    def _leapt(self, leaps: Iterable[Leap]) -> Iterator[tuple[int, int]]:
        """Yield the pairs of different nodes that are joined by leaps (pairs of cells that a portal joins), smaller number first."""
        for pair in leaps:
            low, high = sorted(int(self.labels[cell]) for cell in pair)
            if low and low != high:
                yield low, high

    def loops(self) -> int:
        """Return the number of independent cycles: the cyclomatic number, edges - nodes + 1, of a connected graph."""
        return len(self.edges) - len(self.nodes) + 1
