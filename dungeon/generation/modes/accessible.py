"""The placing mode *accessible*: a prefab stands anywhere in a room, and walkers can pass it on every side.

A site is a free room, a spot a position of the prefab in it, an annex a room dug if no site fits. A search yields
(rule, mask): the rule says what is wrong with sites that break it ("too small"); the mask, with one bit a cell, has the
spots that meet it and all rules before.

The room keeps its shape and all its doors, so every edge cell of the drawing must be walkable.
After "Map Prefabs, in Depth", steps 1 to 3 for accessible rooms.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dungeon.core.parameters import Parameters
from dungeon.core.registry import Annex
from dungeon.generation.placing.walkability import site_rule, walkability

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dungeon.content.prefab.drawing import Drawing
    from dungeon.core.registry import Objection, Shape
    from dungeon.generation.placing.sites import Sites
    from dungeon.grid.rect import Cell
    from dungeon.level.canvas import Canvas
    from dungeon.terrain import TerrainSet


class AccessibleParams(Parameters):
    """What an author may set for the mode *accessible*: nothing."""


def spots(sites: Sites, shape: Shape, params: AccessibleParams) -> Iterator[tuple[str, int]]:  # noqa: ARG001
    """Yield ("too small", mask of spots left): the top-left cells of all blocks of the prefab's size on plain floor of a site."""
    yield "too small", sites.fits(shape.height, shape.width)


def annex(shape: Shape, params: AccessibleParams) -> Annex:  # noqa: ARG001
    """Return the annex to dig if no site fits: a room with one more cell than the prefab on every side."""
    return Annex("room", shape.height + 2, shape.width + 2, spare=1)


def suits(
    sites: Sites,
    drawing: Drawing,
    params: AccessibleParams,  # noqa: ARG001
    found: int,
) -> Iterator[tuple[str, int]]:
    """Yield (rule, mask of spots left) for two rules about the drawing: all edge cells are walkable, and all cells can be reached.

    A mask is `found`, the spots left by `spots`, if the drawing meets the rule; else 0.
    """
    walks = walkability(drawing, sites.canvas.terrain_set)
    yield "in which its edge would be in the way", found if walks.open_edges else 0
    yield site_rule(walks.objection), found if walks.is_connected else 0


def objection(drawing: Drawing, terrain_set: TerrainSet) -> Objection | None:
    """Return (problem, cell to blame) if the drawing can't fit any room in this mode; None if it may fit."""
    walkable = walkability(drawing, terrain_set).walkable
    closed = ~walkable
    closed[1:-1, 1:-1] = False
    if np.any(closed):
        y, x = divmod(int(closed.argmax()), drawing.width)
        why = "has something on it that stays" if drawing.obstacles[y, x] else "can't be walked on"
        return f"this cell of its edge, past which walkers must get, {why}", (y, x)
    return walkability(drawing, terrain_set).objection


def place(canvas: Canvas, drawing: Drawing, spot: Cell, region: int, params: AccessibleParams) -> None:  # noqa: ARG001
    """Draw the drawing with its top-left cell at `spot`, as part of the room with the id `region`."""
    canvas.stamp(spot.y, spot.x, drawing.terrain, region, drawing.sealed_cells)
