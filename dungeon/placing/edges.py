"""Which edge cells of a drawing can be walked on: where a door may lead in, and whether walkers get past."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dungeon import terrain as t

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from dungeon.content.prefab import Drawing
    from dungeon.terrain import TerrainSet


def walkable(drawing: Drawing, terrain_set: TerrainSet) -> NDArray[np.bool_]:
    """Return (height, width) bool: the cells that will be free to walk; `KEEP` cells are taken to be."""
    free: NDArray[np.bool_] = terrain_set.walkable[drawing.terrain] | (drawing.terrain == t.KEEP)
    return free & ~drawing.obstacles


def along(side: int, height: int, width: int) -> list[tuple[int, int]]:
    """Return the cells along the south, west, north or east (0..3) edge of a height x width block."""
    if side == 0:
        return [(height - 1, x) for x in range(width)]
    if side == 1:
        return [(y, 0) for y in range(height)]
    if side == 2:
        return [(0, x) for x in range(width)]
    return [(y, width - 1) for y in range(height)]


def entries(drawing: Drawing, side: int, terrain_set: TerrainSet) -> list[tuple[int, int]]:
    """Return the cells along an edge that a door may lead onto."""
    free = walkable(drawing, terrain_set)
    return [cell for cell in along(side, drawing.height, drawing.width) if free[cell]]
