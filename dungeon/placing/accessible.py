"""The placing mode *accessible*: a prefab stands somewhere in a room and walkers get past it on every side.

The room keeps its shape and its doors, however many; therefore every edge cell of the drawing must be open.
After "Map Prefabs, in Depth", steps 1 to 3 for accessible rooms.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dungeon.placing.edges import walkable
from dungeon.registry import Parameters

if TYPE_CHECKING:
    from dungeon.content.prefab import Drawing
    from dungeon.grid.rect import Cell
    from dungeon.level.canvas import Canvas
    from dungeon.placing.sites import Sites


class AccessibleParams(Parameters):
    """What an author may set: nothing yet."""


def spots(sites: Sites, drawing: Drawing, params: AccessibleParams) -> int:  # noqa: ARG001
    """Return the mask of every top-left cell at which the drawing may lie."""
    if drawing.repeats:  # which side it faces makes no difference here
        return 0
    closed = ~walkable(drawing, sites.canvas.terrain_set)
    closed[1:-1, 1:-1] = False
    if np.any(closed):
        return 0
    return sites.fits(drawing.height, drawing.width)


def place(canvas: Canvas, drawing: Drawing, spot: Cell, region: int, params: AccessibleParams) -> None:  # noqa: ARG001
    """Draw it at `spot`."""
    canvas.stamp(spot.y, spot.x, drawing.terrain, region)
