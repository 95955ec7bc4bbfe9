"""The placing mode *enclosed*: a room shrinks to the prefab, whose front meets the door.

        room             target              done
    ###########       ###########        ###########
    #.........#       #.........#        # #######
    #.........#       #.ppppp...#        ##ppppp#
    #.........#       #.ppppp...#         #ppppp#
    #####+#####       #####+#####        #####+#####

Prefabs are drawn facing south. The front is turned to the door's side; it may slide along that side as long
as the door leads onto a cell of its edge that can be walked on. What is left of the room becomes earth, and
walls rise where earth meets open cells. In a room with several doors each must lead onto such a cell.
After "Map Prefabs, in Depth", steps 1 to 4 for enclosed rooms.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dungeon.grid.rect import Rect
from dungeon.grid.regions import bounds_of
from dungeon.placing.edges import cut_off, entries
from dungeon.registry import Parameters

if TYPE_CHECKING:
    from dungeon.content.laid import Drawing
    from dungeon.grid.rect import Cell
    from dungeon.level.canvas import Canvas
    from dungeon.placing.sites import Sites
    from dungeon.terrain import TerrainSet


class EnclosedParams(Parameters):
    """What an author may set: nothing yet."""


def spots(sites: Sites, drawing: Drawing, params: EnclosedParams) -> int:  # noqa: ARG001
    """Return the mask of every top-left cell at which the drawing may lie."""
    board, terrain_set = sites.board, sites.canvas.terrain_set
    front = drawing.orientation.turns
    fits, doors = sites.fits(drawing.height, drawing.width), sites.thresholds(front)
    if not (fits and doors):
        return 0
    found = fits & _covering(entries(drawing, front, terrain_set), doors, board.stride)
    for room in sites.thoroughfares:
        if here := found & room.mask:
            kept = here
            for each in room.thresholds:
                cells = entries(drawing, each.side, terrain_set)
                kept &= _covering(cells, board.from_cells([each.cell]), board.stride)
            found ^= here ^ kept
    return found


def objection(drawing: Drawing, terrain_set: TerrainSet) -> tuple[str, tuple[int, int] | None] | None:
    """Return why the drawing, as it faces south, fits no room at all, and the cell to be blamed."""
    if not entries(drawing, 0, terrain_set):
        return "no cell of its south edge, where the door is, can be walked on", (drawing.height - 1, 0)
    return cut_off(drawing, terrain_set)


def _covering(cells: list[tuple[int, int]], targets: int, stride: int) -> int:
    """Return the mask of the top-left cells from which one of the drawing's cells comes to lie on a target."""
    result = 0
    for y, x in cells:
        result |= targets >> (y * stride + x)
    return result


def place(canvas: Canvas, drawing: Drawing, spot: Cell, region: int, params: EnclosedParams) -> None:  # noqa: ARG001
    """Shrink the room to the drawing at `spot` and draw it."""
    room = canvas.regions[region - 1].bounds
    target = Rect(spot.y, spot.x, drawing.height, drawing.width)
    above = Rect(room.y, room.x, target.y - room.y, room.width)
    below = Rect(target.bottom, room.x, room.bottom - target.bottom, room.width)
    left = Rect(target.y, room.x, target.height, target.x - room.x)
    right = Rect(target.y, target.right, target.height, room.right - target.right)
    for surplus in (above, below, left, right):
        if surplus.area:
            canvas.fill(surplus)
    canvas.stamp(spot.y, spot.x, drawing.terrain, region)
    cells = bounds_of(canvas.region[target.slices] == region)
    canvas.set_bounds(region, Rect(spot.y + cells.y, spot.x + cells.x, cells.height, cells.width))
    canvas.build_walls(room.grown())
