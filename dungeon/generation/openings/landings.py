"""Drawing prefabs on the map, and choosing the cells where portals begin and end."""

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
    """Draw a prefab with its top left cell at `cell`, and dig the cells that its links need.

    A prefab without open cells gets no region; its whole bounds are reserved instead.

    Returns:
        The id of its region, or 0, and its mouths in coordinates of the map.
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
    """Return a random cell where a portal can begin or end, or None.

    Cells that the layout made come before cells drawn by prefabs, rooms before corridors, cells at a wall
    before those in the middle. Cells beside a door come last: in a narrow part there may be no others.

    Args:
        canvas: The map.
        ground: (height, width) bool, the connected part in which the cell must lie.
        drawn: (drawing, row, column of its top left cell) of the drawings on the map.
        portals: The existing portals.
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
    """Return (height, width) bool, the cells under prefabs, and remove unsuitable cells from `floor`.

    Unsuitable are cells where something is drawn or may stand, and cells that only a prefab's locked doors lead to.
    """
    prefabs = np.zeros_like(floor)
    for drawing, y, x in drawn:
        area = Rect(y, x, drawing.height, drawing.width).slices
        prefabs[area] = True
        if drawing.locks:
            floor[area] &= ~openings(drawing, terrain_set).stopped
        floor[area] &= ~(drawing.obstacles | drawing.meant)
    return prefabs
