"""Draw prefabs on the map with the cells that corridors need, and choose the cells where portals begin and end.

A portal is a connection of two cells that is not a step, such as a teleporter. A mouth is a place where a corridor must
join a prefab. A region is a connected set of cells that has an id, such as a room or a corridor.
"""

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


def lay(canvas: Canvas, entries: Openings, cell: Cell) -> tuple[int, list[Mouth]]:
    """Draw a prefab on the map, and dig the cells between its entrances and its edge.

    A prefab without open cells gets no region; instead its bounds are reserved, so that nothing is dug there. So are
    those of a prefab that is sealed as a whole.

    Args:
        canvas: The map.
        entries: The prefab's terrain and entrances.
        cell: The prefab's top left cell on the map.

    Returns:
        (id of the prefab's region, of a sealed one if it has no other, or 0 for none, its mouths in coordinates of the map).
    """
    region = 0
    if entries.bounds is None:
        canvas.reserve(Rect(*cell, *entries.codes.shape))
    else:
        y, x, height, width = entries.bounds
        region = canvas.add_region("prefab", Rect(cell.y + y, cell.x + x, height, width))
    canvas.stamp(cell.y, cell.x, entries.codes, region, entries.sealed)
    if not region and entries.sealed is not None:
        region = len(canvas.regions)
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
    """Return a random cell where a portal can begin or end; None if there is none.

    Cells that the layout made are preferred to cells of prefabs, rooms to corridors, cells at a wall to cells farther in. Cells beside
    a door come last: in a narrow part of the map there may be no others.

    Args:
        canvas: The map.
        ground: (height, width) bool, the connected part of the map in which the cell must lie.
        drawn: (drawing, row, column of its top left cell) of each drawing on the map.
        portals: The existing portals; their cells are left out.
        stream: The random stream.
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
    """Return (height, width) bool, the cells of all drawings; remove from `floor` the cells where a portal must not begin or end.

    These are cells where a drawing has or may put an object, and cells that only the drawing's locked doors lead to.
    """
    prefabs = np.zeros_like(floor)
    for drawing, y, x in drawn:
        area = Rect(y, x, drawing.height, drawing.width).slices
        prefabs[area] = True
        if drawing.locks:
            floor[area] &= ~openings(drawing, terrain_set).stopped
        floor[area] &= ~(drawing.barriers | drawing.meant)
    return prefabs
