"""What may become of the doors of a room once a prefab stands in it: open, wide, or gone with the whole front wall.

Where a wall is opened anew, a corridor must lie directly behind it: never another room.

    #ppppp#  the drawing's front     A run of cells is open to the corridor if behind each of them
    ###+###  wall and door           are a wall that no prefab has drawn, or a door, and then a corridor.
    ,,,,,,,  corridor
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dungeon import terrain as t
from dungeon.generation.placing.edges import edge_cell, edge_of
from dungeon.generation.placing.ground import WAYS
from dungeon.generation.placing.openings import SIDES
from dungeon.grid.bits import meets, shifted, starts
from dungeon.grid.rect import Rect

if TYPE_CHECKING:
    from dungeon.content.prefab.drawing import Drawing
    from dungeon.generation.placing.sites import Sites
    from dungeon.grid.rect import Cell
    from dungeon.level.canvas import Canvas


def all_along(targets: int, size: tuple[int, int], front: int, stride: int) -> int:
    """Return the top-left cells of all rectangles of a size whose whole front edge lies on targets."""
    step, length = (stride, size[0]) if front % 2 else (1, size[1])
    top, left = edge_cell(*size, front, 0)
    return shifted(starts(targets, length, step), -(top * stride + left))


def wide(sites: Sites, front: int, width: int) -> int:
    """Return the first cells, in their room, of all runs of that width that are open to a corridor and have a door."""
    step = sites.board.stride if front % 2 else 1
    facing = sites.facing(front)
    return starts(facing, width, step) & meets(facing & sites.thresholds(front), width, step)


def clear(canvas: Canvas, region: int) -> None:
    """Take the doors of a room off their hinges: what is left are open doorways."""
    hung = [door for door in canvas.connections if region in door.between and door.kind != t.DOORWAY]
    canvas.remove_doors((door.y, door.x) for door in hung)
    for door in hung:
        canvas.add_door(door.y, door.x, door.between, t.DOORWAY)


def widen(canvas: Canvas, drawing: Drawing, spot: Cell, region: int, width: int) -> None:
    """Make a door at the front `width` cells wide, as evenly to both of its sides as there is space."""
    wall, beyond = _behind(drawing, spot, 1), _behind(drawing, spot, 2)
    front = edge_of(drawing, drawing.orientation.turns, canvas.terrain_set)
    doors = {(door.y, door.x): door for door in canvas.connections if region in door.between}
    free = [
        walked and (cell in doors or _is_wall(canvas, cell)) and _is_way(canvas, way)
        for walked, cell, way in zip(front, wall, beyond, strict=True)
    ]
    hung = [place for place, cell in enumerate(wall) if cell in doors]
    runs = [
        (abs(2 * first + width - 1 - 2 * place), place, first)
        for place in hung
        for first in range(max(place - width + 1, 0), min(place, len(wall) - width) + 1)
        if all(free[first : first + width])
    ]
    _, place, first = min(runs)
    kind = doors[wall[place]].kind
    for cell, way in zip(wall[first : first + width], beyond[first : first + width], strict=True):
        if cell not in doors:
            canvas.add_door(*cell, (region, int(canvas.region[way])), kind)


def take_out_front(canvas: Canvas, drawing: Drawing, spot: Cell, region: int) -> None:
    """Take the wall along the whole front out, with the doors in it."""
    wall = _behind(drawing, spot, 1)
    canvas.remove_doors(wall)
    (top, left), (bottom, right) = wall[0], wall[-1]
    canvas.carve(Rect(top, left, bottom - top + 1, right - left + 1), t.FLOOR, region)


def _behind(drawing: Drawing, spot: Cell, steps: int) -> list[tuple[int, int]]:
    """Return the cells so many steps before a drawing's front."""
    front = drawing.orientation.turns
    dy, dx = SIDES[front]
    length = drawing.height if front % 2 else drawing.width
    edge = [edge_cell(drawing.height, drawing.width, front, place) for place in range(length)]
    return [(spot.y + y + steps * dy, spot.x + x + steps * dx) for y, x in edge]


def _is_wall(canvas: Canvas, cell: tuple[int, int]) -> bool:
    """Tell whether a wall may be opened here."""
    return (
        int(canvas.terrain_set.base[canvas.terrain[cell]]) == t.WALL
        and not canvas.drawn[cell]
        and not canvas.quiet[cell]
    )


def _is_way(canvas: Canvas, cell: tuple[int, int]) -> bool:
    number = int(canvas.region[cell])
    return number > 0 and canvas.regions[number - 1].kind in WAYS and not canvas.drawn[cell]
