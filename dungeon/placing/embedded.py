"""The placing mode *embedded*: a prefab is dug into the wall of a cave, and its front looks out into the cave.

          cave                    spot                    done
    ##################      ##################      ####pppppp########
    ##################      ####pppppp########      ####pppppp########
    ########.#########      ####pppppp########      ####pppppp########
    ###...........####      ###.pppppp....####      ###.pppppp....####
    ##.............###      ##.............###      ##.............###

The rules of "Generating and Populating Caves", steps 1 to 8 for embedded prefabs, asked of all cells at once:

- Both ends of the front are open cells of one cave (1, 2).
- From each of them one goes along the side of the prefab until there is earth (3). If that is farther than
  `max_protrusion`, the prefab would have to be pushed back toward the wall: another spot (4).
- As deep as the farther of the two the prefab may cover cells of that cave, and earth: no stairs, nothing else. The rest of
  it, the *inner rectangle*, must be there, and lie in earth alone (5), with earth all along its sides and its back (6).

Then it is drawn, and walls rise where earth meets its open cells (7). What stands in it comes later (8). Beyond the
article a cell of its front that can be walked on must have the cave before it, or nobody would ever get in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dungeon.grid.bits import shifted, starts
from dungeon.grid.rect import Rect
from dungeon.placing.edges import CUT_OFF, Objection, edge_cell, edge_of, entries, footing, leading
from dungeon.placing.sites import SIDES
from dungeon.placing.terraforming import settle_bounds
from dungeon.registry import Parameters, Shape

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dungeon.content.laid import Drawing
    from dungeon.grid.rect import Cell
    from dungeon.level.canvas import Canvas
    from dungeon.placing.sites import Sites
    from dungeon.terrain import TerrainSet


class EmbeddedParams(Parameters):
    """What an author may set: nothing. How far a prefab may stand out is its own `max_protrusion`."""


def anchor(shape: Shape) -> tuple[int, int]:
    """Return the first end of the front, which is a cell of the cave."""
    return edge_cell(shape.height, shape.width, shape.front, 0)


def spots(sites: Sites, shape: Shape, params: EmbeddedParams) -> Iterator[tuple[str, int]]:  # noqa: ARG001
    """Yield where the front fits into a cave, where it is deep enough in the wall, and where there is earth enough.

    All masks are of top-left cells. `by_depth[d - 1]` are those at which the farther of the two sides is d cells deep.
    """
    height, width, front, _ = shape
    stride, cave, earth = sites.board.stride, sites.area, sites.ground.earth
    step, length = (stride, height) if front % 2 else (1, width)
    whole = width if front % 2 else height
    dy, dx = SIDES[front]
    back = -(dy * stride + dx)
    corner = _at(height, width, front, stride)

    ends = cave & shifted(cave, -(length - 1) * step)
    yield "nowhere as wide as its front", shifted(ends, -corner)
    by_depth = _depths(cave, earth, back, (length - 1) * step, min(shape.max_protrusion, whole - 1))
    by_depth = [shifted(mask, -corner) for mask in by_depth]
    yield "where it would stand out too far", _union(by_depth)

    row = starts(earth | cave, length, step)
    by_depth = [
        mask & shifted(starts(row, depth, abs(back)), -_strip(shape, depth, stride))
        for depth, mask in enumerate(by_depth, 1)
    ]
    yield "where it would cover what belongs to others", _union(by_depth)
    long_row = starts(earth, length + 2, step)
    by_depth = [
        mask & shifted(starts(long_row, whole - depth + 1, abs(back)), -_inner(shape, depth, stride))
        for depth, mask in enumerate(by_depth, 1)
    ]
    yield "without earth enough behind the wall", _union(by_depth)
    by_depth = [
        mask and mask & ~shifted(sites.mixed(length, step, depth, abs(back)), -_strip(shape, depth, stride))
        for depth, mask in enumerate(by_depth, 1)
    ]
    yield "where it would reach into another cave", _union(by_depth)


def _depths(cave: int, earth: int, back: int, across: int, most: int) -> list[int]:
    """Return, for each depth from 1 to `most`, the first ends of fronts of which one side is so deep and none deeper.

    Args:
        cave: The mask of open cells.
        earth: The mask of earth.
        back: How far, in masks, a step away from the front leads.
        across: How far the other end of the front lies.
        most: The greatest depth.
    """
    found, deep, so_far = [], cave, 0
    for depth in range(1, most + 1):
        exact = deep & shifted(earth, -depth * back)
        other, other_so_far = shifted(exact, -across), shifted(so_far, -across)
        found.append(exact & (other | other_so_far) | so_far & other)
        so_far |= exact
        deep &= shifted(cave, -depth * back)
    return found


def _union(masks: list[int]) -> int:
    whole = 0
    for mask in masks:
        whole |= mask
    return whole


def _at(height: int, width: int, front: int, stride: int) -> int:
    """Return how far behind the top-left cell, in masks, the first end of the front lies."""
    y, x = edge_cell(height, width, front, 0)
    return y * stride + x


def _strip(shape: Shape, depth: int, stride: int) -> int:
    """Return how far behind the top-left cell the strip begins that stands out so many cells."""
    if shape.front == 0:
        return (shape.height - depth) * stride
    return shape.width - depth if shape.front == 3 else 0


def _inner(shape: Shape, depth: int, stride: int) -> int:
    """Return where the inner rectangle begins, with one more cell at its sides and its back."""
    if shape.front == 2:
        return depth * stride - 1
    return depth - stride if shape.front == 1 else -stride - 1


def suits(sites: Sites, drawing: Drawing, params: EmbeddedParams, found: int) -> Iterator[tuple[str, int]]:  # noqa: ARG001
    """Yield where all of it can be reached, and a cell of the front that can be walked on has the cave before it."""
    front, stride, terrain_set = drawing.orientation.turns, sites.board.stride, sites.canvas.terrain_set
    yield CUT_OFF, 0 if footing(drawing, terrain_set).objection_outside else found
    dy, dx = SIDES[front]
    before = shifted(sites.area, -(dy * stride + dx))
    edge = edge_of(drawing, front, terrain_set)
    found &= leading(before, edge, (drawing.height, drawing.width), front, stride)
    yield "where nobody could walk in at its front", found


def objection(drawing: Drawing, terrain_set: TerrainSet) -> Objection | None:
    """Return why the drawing, as it faces south, fits no cave at all, and the cell to be blamed."""
    if drawing.height < 2:
        return "it has one row, and its front stands in the cave, so that none is left to lie in the wall", (
            0,
            0,
        )
    if not entries(drawing, 0, terrain_set):
        return "no cell of its south edge, which is its front, can be walked on", (drawing.height - 1, 0)
    return footing(drawing, terrain_set).objection_outside


def place(canvas: Canvas, drawing: Drawing, spot: Cell, region: int, params: EmbeddedParams) -> None:  # noqa: ARG001
    """Draw it at `spot`, with walls around it."""
    target = Rect(spot.y, spot.x, drawing.height, drawing.width)
    canvas.stamp(spot.y, spot.x, drawing.terrain, region)
    settle_bounds(canvas, region, target)
    canvas.build_walls(target.grown())
