"""Where a drawing can be walked on: onto which edge cells a door may lead, and whether all of it can be reached."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dungeon import terrain as t
from dungeon.grid.bits import Board

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from dungeon.content.prefab import Drawing
    from dungeon.terrain import TerrainSet


def walkable(drawing: Drawing, terrain_set: TerrainSet) -> NDArray[np.bool_]:
    """Return (height, width) bool: the cells that will be free to walk; `KEEP` cells are taken to be."""
    free: NDArray[np.bool_] = terrain_set.walkable[drawing.terrain] | (drawing.terrain == t.KEEP)
    return free & ~drawing.obstacles


def hangs_together(drawing: Drawing, terrain_set: TerrainSet) -> bool:
    """Tell whether a walker who is in the drawing gets everywhere in it without leaving it.

    All cells that can be walked on must be reached on foot. All other open ones (water, a cell with something
    in the way) must not be walled off from them.
    """
    kept = drawing.terrain == t.KEEP
    opened = kept | (terrain_set.base[drawing.terrain] > t.BLOCKED)
    walked = (kept | terrain_set.passable[drawing.terrain]) & ~drawing.obstacles
    return is_whole(walked, opened)


def is_whole(walked: NDArray[np.bool_], opened: NDArray[np.bool_]) -> bool:
    """Tell whether the cells that are walked on hang together, and all open ones, which include them, with them."""
    board = Board(*walked.shape)
    ways, cells = board.from_array(walked), board.from_array(opened)
    reached = board.flood(ways, ways & -ways)
    return bool(ways) and reached == ways and (ways == cells or board.flood(cells, ways) == cells)


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
