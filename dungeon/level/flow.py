"""How a map flows: the main way through it, the loops beside that, and what one must come back from.

    <--o--o--o--o-->       the main way, from the entrance to the ways out
       |     |  |
       o--o--o  o--o       a loop leaves it and comes back to it; a side way has only one way back, and a dead end ends it

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
    """How a map flows, as far as it can be walked: (height, width) bool arrays, and numbers.

    A place is a region or a door here, each with all its cells.

    Attributes:
        way: The cells of the main ways, which are shortest walks.
        along: The places that these lead through, whole.
        loops: Those beside them that lie on some loop.
        side: The others: there is one way back.
        ends: Of these the last ones.
        steps: How long the main ways are, in the order of their goals; None for a goal to which no way leads.
        loop_count: How many loops there are, independent of each other, as in `Metrics`.
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
    """Return how a map flows.

    Args:
        passable: (height, width) bool, where a walker gets who can open every door.
        region: (height, width) uint16 region ids, 0 for none.
        entrance: Where ways begin.
        goals: Where the main ways lead. If there are none, the main way is that to the cell that is farthest away.
        leaps: Pairs of cells that count as neighbours.

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
    """The part of a map's graph that can be walked.

    Args:
        walked: (height, width) bool, the cells that can be walked to.
        region: (height, width) uint16 region ids, 0 for none.
        leaps: Pairs of cells that count as neighbours.

    Attributes:
        first_door: Regions have numbers below it, and doors from it on.
        labels: (height, width) int32: the region, or a number above all regions' for each door; 0 for none.
        nodes: The numbers that `labels` has.
        edges: The pairs of them that touch, a pair once for each place where it does.
        beside: Node -> its neighbours.
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
        """Yield the pairs of nodes that leaps join."""
        for pair in leaps:
            low, high = sorted(int(self.labels[cell]) for cell in pair)
            if low and low != high:
                yield low, high

    def loops(self) -> int:
        """Return how many rounds there are, independent of each other: the cyclomatic number of a connected graph."""
        return len(self.edges) - len(self.nodes) + 1
