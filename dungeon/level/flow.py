"""How a map flows: the main way through it, the loops beside that, and what one must come back from.

    <--o--o--o--o-->       the main way, from the entrance to the ways out
       |     |  |
       o--o--o  o--o       a loop leaves it and comes back to it; a side way has only one way back, and a dead end ends it

After the overlays of flow and loops in "Generating and Populating Caves".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dungeon.grid.paths.routes import on_rounds
from dungeon.grid.rect import Cell
from dungeon.grid.regions import FAR, distances, way_down
from dungeon.level.network import Network

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from dungeon.grid.rect import Link


class Flow(NamedTuple):
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
    links: Sequence[Link] = (),
) -> Flow:
    """Return how a map flows.

    Args:
        passable: (height, width) bool, where a walker gets who can open every door.
        region: (height, width) uint16 region ids, 0 for none.
        entrance: Where ways begin.
        goals: Where the main ways lead. If there are none, the main way is that to the cell that is farthest away.
        links: Pairs of cells that count as neighbours.

    Raises:
        ValueError: The entrance is not on a passable cell.
    """
    height, width = passable.shape
    if not (0 <= entrance.y < height and 0 <= entrance.x < width and passable[entrance]):
        raise ValueError(f"the entrance at y {entrance.y}, x {entrance.x} can't be walked on")
    away = distances(passable, [entrance], links)
    walked = away < FAR
    if not goals:
        goals = [Cell(*divmod(int(np.where(walked, away, -1).argmax()), width))]
    reached = [walked[goal] for goal in goals]
    way = np.zeros(passable.shape, np.bool_)
    way[entrance] = True
    for goal, is_reached in zip(goals, reached, strict=True):
        if is_reached:
            way[tuple(np.transpose(way_down(away, goal, links)))] = True
    network = Network(walked, region, links)
    trunk = {int(node) for node in np.unique(network.labels[way])}
    rounds = on_rounds(network.edges, trunk)
    rest = [node for node in network.nodes if node not in trunk and node not in rounds]

    def cells(nodes: Sequence[int]) -> NDArray[np.bool_]:
        chosen = np.zeros(max(network.nodes, default=0) + 1, np.bool_)
        chosen[nodes] = True
        chosen[0] = False
        return chosen[network.labels]

    return Flow(
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
