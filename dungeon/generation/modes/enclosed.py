"""The placing mode *enclosed*: a room shrinks to the prefab, whose front (the south edge as drawn) meets the door.

The mode *cubby* does the same without the front wall. A site is a free room, a spot a position of the prefab's top-left
cell there, an annex a room dug if no site fits. A search yields (rule, mask): the rule says what is wrong with sites
that break it; the mask has the spots that meet it and all rules before. Sides are 0 to 3 for south, west, north, east.

        room             target              done
    ###########       ###########        ###########
    #.........#       #.........#        # #######
    #.........#       #.ppppp...#        ##ppppp#
    #.........#       #.ppppp...#         #ppppp#
    #####+#####       #####+#####        #####+#####

Prefabs are drawn facing south. The front is turned to the door's side. It may slide along that side as long as the door leads onto an
edge cell that can be walked on. The rest of the room becomes earth, with walls where earth meets open cells; or it stays open
(`surplus`). In a room with several doors each must lead onto a walkable edge cell, or onto the rest that stays open.

Doors may become open doorways or wide doors (`doors`). A cubby loses its whole front wall, so that it is seen from afar:

    open              wide              cubby
    #ppppp#           #ppppp#           #ppppp#
    ###'###           ##++###           #.....#
    ,,,,,,,           ,,,,,,,           ,,,,,,,

A wall is opened only where a corridor lies directly behind it, never another room. For a cubby this holds along its whole front.

After "Map Prefabs, in Depth", steps 1 to 4 for enclosed rooms, its variations of the doors, and its third variation, the cubby.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, NamedTuple

from dungeon import terrain as t
from dungeon.content.values.grammar import Constant, roll
from dungeon.content.values.value_fields import IntValue, WordValue, one_of, within
from dungeon.core.parameters import Parameters
from dungeon.core.registry import Annex
from dungeon.generation.placing.ground import SIDES, WAYS
from dungeon.generation.placing.walkability import (
    edge_cell,
    edge_of,
    entries,
    site_rule,
    spots_with_edge_on,
    walkability,
)
from dungeon.grid.bits import all_in_run, any_in_run, shifted
from dungeon.grid.rect import Rect

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dungeon.content.prefab.drawing import Drawing
    from dungeon.core.registry import Objection, Shape
    from dungeon.core.streams import Stream
    from dungeon.generation.placing.sites import Site, Sites
    from dungeon.grid.rect import Cell
    from dungeon.level.canvas import Canvas
    from dungeon.terrain import TerrainSet


NO_DOOR = "without a door that its front can meet"


class EnclosedParams(Parameters):
    """What an author may set for the mode *enclosed*.

    Attributes:
        surplus: What the rest of the room becomes: `fill` it with earth, or `keep` it as open space.
        doors: Whether doors stay (`keep`), become open doorways (`open`), or the one at the front is made wide (`widen`).
        width: How many cells wide a door is made.
    """

    surplus: Annotated[WordValue, one_of("fill", "keep")] = Constant("fill")
    doors: Annotated[WordValue, one_of("keep", "open", "widen")] = Constant("keep")
    width: Annotated[IntValue, within(2, 5)] = Constant(2)


class Enclosure(NamedTuple):
    """The parameters of one placement, with random values chosen.

    Attributes:
        keeps: Whether the rest of the room stays open.
        doors: What happens to the doors: `keep`, `open` (doorways), `widen`, or `cubby` (the whole front wall goes).
        width: The width of a widened door in cells; else 1.
    """

    keeps: bool = False
    doors: Literal["keep", "open", "widen", "cubby"] = "keep"
    width: int = 1


def settle(params: EnclosedParams, stream: Stream) -> Enclosure:
    """Choose the random values of the parameters for one enclosed prefab."""
    doors = roll(params.doors, stream, "keep")
    width = roll(params.width, stream, 2)
    return Enclosure(
        keeps=roll(params.surplus, stream, "fill") == "keep",
        doors="widen" if doors == "widen" else "open" if doors == "open" else "keep",
        width=width if doors == "widen" else 1,
    )


def spots(sites: Sites, shape: Shape, options: Enclosure) -> Iterator[tuple[str, int]]:
    """Yield (rule, mask of spots left): the prefab's rectangle fits, and its front meets a door that the options allow.

    For a cubby a corridor must lie along the whole front; a widened door needs a corridor along its width.
    """
    height, width, front, _ = shape
    found = sites.fits(height, width)
    yield "too small", found
    ground, stride = sites.ground, sites.board.stride
    size, length = (height, width), height if front % 2 else width
    found &= ground.known(
        ("at a door", size, front),
        lambda: spots_with_edge_on(ground.openings.thresholds[front], (True,) * length, size, front, stride),
    )
    yield NO_DOOR, found
    if options.doors == "cubby":
        found &= front_along(sites.facing(front), size, front, stride)
        yield "without a corridor along all of its front", found
    if options.doors == "widen":
        wide = door_runs(sites, front, options.width)
        found &= spots_with_edge_on(wide, (True,) * length, size, front, stride, options.width)
        yield f"with no door at its front that could be {options.width} wide", found


def annex(shape: Shape, options: Enclosure) -> Annex:
    """Return the annex to dig if no site fits: a room of the prefab's size, whose wall at the front lies at a corridor."""
    length = shape.height if shape.front % 2 else shape.width
    facing = {"cubby": length, "widen": min(options.width, length)}.get(options.doors, 0)
    return Annex("room", shape.height, shape.width, (shape.front,), facing=facing)


def suits(sites: Sites, drawing: Drawing, options: Enclosure, found: int) -> Iterator[tuple[str, int]]:
    """Yield (rule, mask of spots left) for two rules about the drawing: all cells can be reached, and the door leads onto a walkable cell.

    `found` is the mask of the spots that `spots` has left.
    """
    terrain_set, stride = sites.canvas.terrain_set, sites.board.stride
    walks = walkability(drawing, terrain_set)
    alone = not options.keeps and options.doors != "cubby"
    objection = walks.objection if alone else walks.objection_outside
    yield site_rule(objection), 0 if objection else found
    front, size = drawing.orientation.turns, (drawing.height, drawing.width)
    edge = edge_of(drawing, front, terrain_set)
    if options.doors == "widen":
        found &= spots_with_edge_on(
            door_runs(sites, front, options.width), edge, size, front, stride, options.width
        )
    elif not all(edge):  # with all cells free, `spots` has checked this already
        doors = sites.ground.openings.thresholds[front]
        found &= sites.ground.known(
            ("at a door", size, front, edge), lambda: spots_with_edge_on(doors, edge, size, front, stride)
        )
    yield "whose door would lead onto a cell that can't be walked on", found


def on_site(site: Site, drawing: Drawing, options: Enclosure, here: int) -> Iterator[tuple[str, int]]:
    """Yield (rule, mask of spots left) on one site: each door leads onto a walkable edge cell, or onto a part of the room that stays.

    A site with a single door yields nothing: `suits` has checked that door.
    """
    if len(site.openings) > 1:
        yield "with another door that would not lead into it", _serving_all(site, here, drawing, options)


def _serving_all(site: Site, here: int, drawing: Drawing, options: Enclosure) -> int:
    """Return the mask of those spots of `here` at which every door of the site leads onto a walkable cell or a part that stays."""
    stride, terrain_set = site.ground.board.stride, site.ground.canvas.terrain_set
    for opening in site.openings:
        y, x = opening.cell.y - site.region.bounds.y, opening.cell.x
        served = 0
        for dy, dx in entries(drawing, opening.side, terrain_set):
            if y >= dy and x >= dx:
                served |= 1 << (y - dy) * stride + x - dx
        if options.keeps:
            target = 1 << y * stride + x
            over = any_in_run(any_in_run(target, drawing.width, 1), drawing.height, stride)
            served |= here & ~over
        here &= served
    return here


def objection(drawing: Drawing, terrain_set: TerrainSet) -> Objection | None:
    """Return (problem, cell to blame) if the drawing, facing south, can't fit any room in this mode; None if it may fit."""
    return no_way_in(drawing, terrain_set) or walkability(drawing, terrain_set).objection


def objection_in_cubby(drawing: Drawing, terrain_set: TerrainSet) -> Objection | None:
    """Return (problem, cell to blame) if the drawing, facing south, can't fit any cubby; None if it may fit."""
    return no_way_in(drawing, terrain_set) or walkability(drawing, terrain_set).objection_outside


def no_way_in(drawing: Drawing, terrain_set: TerrainSet) -> Objection | None:
    """Return (problem, cell to blame) if no cell of the front of a drawing that faces south can be walked on; None if one can."""
    if entries(drawing, 0, terrain_set):
        return None
    return "no cell of its south edge, where the door is, can be walked on", (drawing.height - 1, 0)


def place(canvas: Canvas, drawing: Drawing, spot: Cell, region: int, options: Enclosure) -> None:
    """Draw the drawing with its top-left cell at `spot`, in the room with the id `region`, and change the doors as the options say.

    Unless the options keep the rest of the room, it becomes earth.
    """
    room = canvas.regions[region - 1].bounds
    target = Rect(spot.y, spot.x, drawing.height, drawing.width)
    if not options.keeps:
        canvas.fill(room, but=None if drawing.ground.covers else target, of=region)
    canvas.stamp(spot.y, spot.x, drawing.terrain, region, drawing.sealed_cells)
    if options.doors == "open":
        take_doors_off(canvas, region)
    elif options.doors == "widen":
        widen_door(canvas, drawing, spot, region, options.width)
    elif options.doors == "cubby":
        take_out_front(canvas, drawing, spot, region)
    canvas.settle_bounds(region, room.grown())
    canvas.build_walls(room.grown())


def front_along(targets: int, size: tuple[int, int], front: int, stride: int) -> int:
    """Return the mask of the top-left cells of all rectangles of one size whose whole edge on the side `front` lies on target cells.

    `targets` is the mask of the target cells, `size` the (height, width) of the rectangles; `stride` bits of a mask are one row.
    """
    step, length = (stride, size[0]) if front % 2 else (1, size[1])
    top, left = edge_cell(*size, front, 0)
    return shifted(all_in_run(targets, length, step), -(top * stride + left))


def door_runs(sites: Sites, front: int, width: int) -> int:
    """Return the mask of the cells from which a door `width` cells wide could extend to the east (or south).

    The cells lie inside of rooms, along the wall on the side `front`. Behind the wall there is a corridor along the whole width, and one
    cell of the width has a door already.
    """
    step = sites.board.stride if front % 2 else 1
    facing = sites.facing(front)
    return all_in_run(facing, width, step) & any_in_run(facing & sites.thresholds(front), width, step)


def take_doors_off(canvas: Canvas, region: int) -> None:
    """Replace all doors of a room by open doorways."""
    hung = [door for door in canvas.connections if region in door.between and door.kind != t.DOORWAY]
    canvas.remove_doors((door.y, door.x) for door in hung)
    for door in hung:
        canvas.add_door(door.y, door.x, door.between, t.DOORWAY)


def widen_door(canvas: Canvas, drawing: Drawing, spot: Cell, region: int, width: int) -> None:
    """Make one door at the drawing's front `width` cells wide, extended as evenly to both sides as the wall and the corridor allow."""
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
    """Replace the wall before the whole front of the drawing, doors included, by floor of the room `region`."""
    wall = _behind(drawing, spot, 1)
    canvas.remove_doors(wall)
    (top, left), (bottom, right) = wall[0], wall[-1]
    canvas.carve(Rect(top, left, bottom - top + 1, right - left + 1), t.FLOOR, region)


def _behind(drawing: Drawing, spot: Cell, steps: int) -> list[tuple[int, int]]:
    """Return the map cells that lie `steps` cells before each cell of the front of a drawing at `spot`; step 1 is the wall."""
    front = drawing.orientation.turns
    dy, dx = SIDES[front]
    length = drawing.height if front % 2 else drawing.width
    edge = [edge_cell(drawing.height, drawing.width, front, place) for place in range(length)]
    return [(spot.y + y + steps * dy, spot.x + x + steps * dx) for y, x in edge]


def _is_wall(canvas: Canvas, cell: tuple[int, int]) -> bool:
    """Return whether a cell is a wall that may be opened: no prefab drew it, and it is in no quiet area, where nothing may change."""
    return (
        int(canvas.terrain_set.base[canvas.terrain[cell]]) == t.WALL
        and not canvas.drawn[cell]
        and not canvas.quiet[cell]
    )


def _is_way(canvas: Canvas, cell: tuple[int, int]) -> bool:
    """Return whether a cell belongs to a corridor, junction or hall, and no prefab drew it."""
    number = int(canvas.region[cell])
    return number > 0 and canvas.regions[number - 1].kind in WAYS and not canvas.drawn[cell]


class CubbyParams(Parameters):
    """What an author may set for the mode *cubby*.

    Attributes:
        surplus: What the rest of the room becomes: `fill` it with earth, or `keep` it as open space.
    """

    NOT_HERE: ClassVar = dict.fromkeys(
        ("doors", "width"), "a cubby has no door: its whole front wall is taken out"
    )

    surplus: Annotated[WordValue, one_of("fill", "keep")] = Constant("fill")


def settle_cubby(params: CubbyParams, stream: Stream) -> Enclosure:
    """Choose the random values of the parameters for one cubby, as options of an enclosed prefab without its front wall."""
    return Enclosure(keeps=roll(params.surplus, stream, "fill") == "keep", doors="cubby")
