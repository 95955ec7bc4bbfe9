"""Ways between parts of a map that do not hang together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dungeon import terrain as t
from dungeon.grid.rect import Rect
from dungeon.grid.regions import FAR, cheapest, parts_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dungeon.level.canvas import Canvas

THROUGH_ROCK = 5
"""How much dearer a step through rock is than one over open cells: short digs win over long ones."""


def join_parts(
    canvas: Canvas, labels: NDArray[np.int32], main: int, stopped: NDArray[np.bool_] | None = None
) -> None:
    """Dig the cheapest way from the main part to every other one, nearest first.

    The ways go through earth and walls, but neither through blocked terrain nor through the map's outermost
    cells, nor where walkers are stopped; a part behind those stays cut off. One shortest-path field from the main
    part (Dijkstra) serves all parts; a later way may use an earlier one's cells.

    Args:
        canvas: The map.
        labels: (height, width) int32, the part each open cell belongs to, 0 for closed cells.
        main: The part to join the others to.
        stopped: (height, width) bool, the open cells on which nobody can walk; by default there are none.
    """
    import tcod.path  # noqa: PLC0415  # rarely needed, and slow to import

    is_open = labels > 0
    cost = np.where(is_open, 1, THROUGH_ROCK).astype(np.int32)
    cost[canvas.base == t.BLOCKED] = 0
    if stopped is not None:
        cost[stopped] = 0
    cost[[0, -1]] = 0
    cost[:, [0, -1]] = 0
    distance = cheapest(cost, np.where(labels == main, 0, FAR))
    flat = distance.ravel()
    nearest = [int(cells[flat[cells].argmin()]) for cells in parts_of(labels, int(labels.max()))]
    for start in sorted(nearest, key=lambda at: (int(flat[at]), at)):
        if flat[start] in (0, FAR):  # the main part itself, or out of reach
            continue
        path = tcod.path.hillclimb2d(distance, divmod(start, canvas.width), True, False)
        for y, x in path.tolist():
            if canvas.terrain_set.base[canvas.terrain[y, x]] <= t.BLOCKED:
                canvas.carve(Rect(y, x, 1, 1), t.CORRIDOR, 0)
