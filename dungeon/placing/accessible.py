"""The placing mode *accessible*: a prefab stands somewhere in a room and walkers get past it on every side.

The room keeps its shape and its doors, however many; therefore every edge cell of the drawing must be open.
After "Map Prefabs, in Depth", steps 1 to 3 for accessible rooms.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dungeon.placing.edges import cut_off, walkable
from dungeon.registry import Parameters

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dungeon.content.laid import Drawing
    from dungeon.grid.rect import Cell
    from dungeon.level.canvas import Canvas
    from dungeon.placing.sites import Sites
    from dungeon.terrain import TerrainSet


class AccessibleParams(Parameters):
    """What an author may set: nothing yet."""


def spots(sites: Sites, drawing: Drawing, params: AccessibleParams) -> int:  # noqa: ARG001
    """Return the mask of every top-left cell at which the drawing may lie."""
    if drawing.repeats:  # which side it faces makes no difference here
        return 0
    if np.any(_closed_edge(drawing, sites.canvas.terrain_set)):
        return 0
    return sites.fits(drawing.height, drawing.width)


def objection(drawing: Drawing, terrain_set: TerrainSet) -> tuple[str, tuple[int, int] | None] | None:
    """Return why the drawing fits no room at all, and the cell to be blamed."""
    closed = _closed_edge(drawing, terrain_set)
    if np.any(closed):
        y, x = divmod(int(closed.argmax()), drawing.width)
        return "this cell of its edge, past which walkers must get, can't be walked on", (y, x)
    return cut_off(drawing, terrain_set)


def _closed_edge(drawing: Drawing, terrain_set: TerrainSet) -> NDArray[np.bool_]:
    """Return (height, width) bool: the cells of the drawing's edge that can't be walked on."""
    closed = ~walkable(drawing, terrain_set)
    closed[1:-1, 1:-1] = False
    return closed


def place(canvas: Canvas, drawing: Drawing, spot: Cell, region: int, params: AccessibleParams) -> None:  # noqa: ARG001
    """Draw it at `spot`."""
    canvas.stamp(spot.y, spot.x, drawing.terrain, region)
