"""Where a drawing can be walked on: onto which edge cells a door may lead, and whether all of it can be reached."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dungeon import terrain as t
from dungeon.grid.bits import Board
from dungeon.grid.regions import components

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dungeon.content.laid import Drawing
    from dungeon.terrain import TerrainSet


EDGES = (np.s_[-1, :], np.s_[:, 0], np.s_[0, :], np.s_[:, -1])
"""What cuts the south, west, north and east edge out of a drawing."""


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


def cut_off(drawing: Drawing, terrain_set: TerrainSet) -> tuple[str, tuple[int, int] | None] | None:
    """Return why a walker who is in the drawing does not get everywhere in it, and the first cell that is cut off.

    None if it hangs together. Of parts that can be walked on the largest is what the others are cut off from.
    """
    if hangs_together(drawing, terrain_set):
        return None
    kept = drawing.terrain == t.KEEP
    opened = kept | (terrain_set.base[drawing.terrain] > t.BLOCKED)
    walked = (kept | terrain_set.passable[drawing.terrain]) & ~drawing.obstacles
    labels, count = components(walked)
    if not count:
        return "nobody can walk in it", None
    main = labels == int(np.bincount(labels[labels > 0]).argmax())
    board = Board(*walked.shape)
    start = board.from_array(main)
    apart = walked & ~main
    if not apart.any():
        apart = opened & ~board.to_array(board.flood(board.from_array(opened), start))
    y, x = divmod(int(apart.argmax()), drawing.width)
    return "no way leads to this cell from the rest of it", (y, x)


def is_whole(walked: NDArray[np.bool_], opened: NDArray[np.bool_]) -> bool:
    """Tell whether the cells that are walked on hang together, and all open ones, which include them, with them."""
    board = Board(*walked.shape)
    ways, cells = board.from_array(walked), board.from_array(opened)
    reached = board.flood(ways, ways & -ways)
    return bool(ways) and reached == ways and (ways == cells or board.flood(cells, ways) == cells)


def entries(drawing: Drawing, side: int, terrain_set: TerrainSet) -> list[tuple[int, int]]:
    """Return the cells along the south, west, north or east (0..3) edge that a door may lead onto."""
    edge = EDGES[side]
    line = drawing.terrain[edge]
    free = (terrain_set.walkable[line] | (line == t.KEEP)) & ~drawing.obstacles[edge]
    places: list[int] = free.nonzero()[0].tolist()
    if side % 2:
        return [(y, 0 if side == 1 else drawing.width - 1) for y in places]
    return [(drawing.height - 1 if side == 0 else 0, x) for x in places]
