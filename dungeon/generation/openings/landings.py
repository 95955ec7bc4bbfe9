"""Where portals begin and end on a map: a cell of floor in a part of it, at a wall if there is one, off doors and drawn things."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dungeon import terrain as t
from dungeon.core.vocabulary import SPACES
from dungeon.generation.openings.openings import openings
from dungeon.grid.rect import Cell, Rect
from dungeon.grid.regions import touching

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from dungeon.content.prefab.drawing import Drawing
    from dungeon.core.streams import Stream
    from dungeon.generation.openings.openings import Openings
    from dungeon.level.canvas import Canvas, Mouth
    from dungeon.level.model import Portal
    from dungeon.terrain import TerrainSet

# -- laying -----------------------------------------------------------------------------------------
#
# Putting a drawing on the map: its terrain, what is dug for its links, and its mouths as they lie there.


def lay(canvas: Canvas, entries: Openings, cell: Cell) -> tuple[int, list[Mouth]]:
    """Draw a prefab with its top left cell at a cell of the map, and dig what is dug for its links.

    One without an open cell has no region to tell what is its own, and keeps all of its bounds to itself.

    Returns:
        Its region, 0 if it has no open cell, and its mouths.
    """
    region = 0
    if entries.bounds is None:
        canvas.reserve(Rect(*cell, *entries.codes.shape))
    else:
        y, x, height, width = entries.bounds
        region = canvas.add_region("prefab", Rect(cell.y + y, cell.x + x, height, width))
    canvas.stamp(cell.y, cell.x, entries.codes, region)
    for y, x in entries.dug:
        canvas.carve(Rect(cell.y + y, cell.x + x, 1, 1), t.CORRIDOR, region)
    for y, x in entries.reserved:
        canvas.reserve(Rect(cell.y + y, cell.x + x, 1, 1))
    mouths = [
        mouth._replace(y=cell.y + mouth.y, x=cell.x + mouth.x, region=region) for mouth in entries.mouths
    ]
    return region, mouths


def landing(
    canvas: Canvas,
    ground: NDArray[np.bool_],
    drawn: Iterable[tuple[Drawing, int, int]],
    portals: Iterable[Portal],
    stream: Stream,
) -> Cell | None:
    """Return a cell where a portal can begin or end; None if there is none.

    What the layout itself has made comes before what prefabs have drawn, rooms before mere ways, cells at a wall before
    those in the midst, and all of them before those at a door, as there may be in a part so narrow that doors are everywhere.

    Args:
        canvas: The map.
        ground: (height, width) bool, where it may be: all of that hangs together.
        drawn: The drawings that lie on it, each with the row and column of its top-left cell.
        portals: Those that there are already.
        stream: Where chance comes from.
    """
    base = canvas.base
    floor = ground & (base >= t.FLOOR) & (base <= t.CAVE) & canvas.passable()
    doors = canvas.terrain_set.door.take(canvas.terrain)
    doors[[door.y for door in canvas.connections], [door.x for door in canvas.connections]] = True
    floor &= ~doors
    prefabs = _of_prefabs(floor, drawn, canvas.terrain_set) | canvas.drawn
    for portal in portals:
        for cell in (portal.begin, portal.end):
            floor[cell] = False
    rooms = canvas.within(each.id for each in canvas.regions if each.kind in SPACES)
    shore = touching(~canvas.open)
    away = floor & ~touching(doors)
    for pool in (away & ~prefabs & rooms, away & ~prefabs, away, floor & ~prefabs, floor):
        for cells in (pool & shore, pool):
            if cells.any():
                return Cell(*divmod(stream.pick_set(cells), canvas.width))
    return None


def _of_prefabs(
    floor: NDArray[np.bool_], drawn: Iterable[tuple[Drawing, int, int]], terrain_set: TerrainSet
) -> NDArray[np.bool_]:
    """Return (height, width) bool, where prefabs lie; take from the floor what is of no use there.

    That is where something is drawn or may come to stand, and what only locked doors of a prefab lead to.
    """
    prefabs = np.zeros_like(floor)
    for drawing, y, x in drawn:
        area = Rect(y, x, drawing.height, drawing.width).slices
        prefabs[area] = True
        if drawing.locks:
            floor[area] &= ~openings(drawing, terrain_set).stopped
        floor[area] &= ~(drawing.obstacles | drawing.meant)
    return prefabs
