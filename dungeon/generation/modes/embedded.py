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

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from dungeon.core.parameters import Parameters
from dungeon.core.registry import Annex, Shape
from dungeon.generation.placing.ground import SIDES
from dungeon.generation.placing.walkability import edge_cell, edge_of, entries, runs, site_rule, walkability
from dungeon.grid.bits import meets, shifted, starts
from dungeon.grid.rect import Rect

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dungeon.content.prefab.drawing import Drawing
    from dungeon.core.registry import Objection
    from dungeon.generation.placing.sites import Sites
    from dungeon.grid.rect import Cell
    from dungeon.level.canvas import Canvas
    from dungeon.terrain import TerrainSet


APPROACH = 4
"""How many cells deep the cave before its front is that is dug for a prefab."""


class EmbeddedParams(Parameters):
    """What an author may set: nothing. How far a prefab may stand out is its own `max_protrusion`."""

    NOT_HERE: ClassVar = {"max_protrusion": "each prefab says this of itself"}


def anchor(shape: Shape) -> tuple[int, int]:
    """Return the first end of the front, which is a cell of the cave."""
    return edge_cell(shape.height, shape.width, shape.front, 0)


def spots(sites: Sites, shape: Shape, params: EmbeddedParams) -> Iterator[tuple[str, int]]:  # noqa: ARG001
    """Yield where the front fits into a cave, where it is deep enough in the wall, and where there is earth enough.

    `by_depth[d - 1]` are the spots at which the farther of the two sides is d cells deep.
    """
    shape_offsets = _EmbeddedShape(shape, sites.board.stride)
    cave, earth = sites.area, sites.ground.earth
    yield "nowhere as wide as its front", cave & shifted(cave, -shape_offsets.across)
    by_depth = _depths(cave, earth, shape_offsets)
    yield "where it would stand out too far", _union(by_depth)
    strips, inner = sites.once(
        ("embedded", *shape_offsets.blocks), lambda: _blocks(cave, earth, shape_offsets)
    )
    by_depth = [mask & shifted(strips[n], -shape_offsets.strip(n + 1)) for n, mask in enumerate(by_depth)]
    yield "where it would cover what belongs to others", _union(by_depth)
    by_depth = [mask & shifted(inner[n], -shape_offsets.inner(n + 1)) for n, mask in enumerate(by_depth)]
    yield "without earth enough behind the wall", _union(by_depth)
    for n, mask in enumerate(by_depth):
        if mask:
            mixed = sites.mixed(shape_offsets.length, shape_offsets.step, n + 1, abs(shape_offsets.back))
            by_depth[n] = mask & ~shifted(mixed, -shape_offsets.strip(n + 1))
    yield "where it would reach into another cave", _union(by_depth)


def annex(shape: Shape, params: EmbeddedParams) -> Annex:  # noqa: ARG001
    """Return a small cave before its front, with earth enough behind that."""
    back = (shape.front + 2) % 4
    sides = tuple(side for side in range(4) if side != back)
    deep, long = (shape.width, shape.height) if shape.front % 2 else (shape.height, shape.width)
    size = (long + 2, APPROACH) if shape.front % 2 else (APPROACH, long + 2)
    return Annex("cave", *size, sides, back, deep + 1)


class _EmbeddedShape:
    """How a shape lies in masks, seen from its anchor.

    Attributes:
        step: How far the cells of the front are apart; `length`: how many it has.
        across: How far the last of them lies from the first.
        back: How far a step away from the front leads; `whole`: how many rows the shape has in that direction.
        most: How deep in the cave it may be.
        blocks: What of that does not depend on where the front faces.
    """

    def __init__(self, shape: Shape, stride: int) -> None:
        dy, dx = SIDES[shape.front]
        self.shape, self.stride = shape, stride
        self.step, self.length = (stride, shape.height) if shape.front % 2 else (1, shape.width)
        self.across = (self.length - 1) * self.step
        self.back = -(dy * stride + dx)
        self.whole = shape.width if shape.front % 2 else shape.height
        self.most = min(shape.max_protrusion, self.whole - 1)
        self.blocks = self.step, self.length, self.whole, self.most
        y, x = anchor(shape)
        self.anchor = y * stride + x

    def strip(self, depth: int) -> int:
        """Return how far off the strip begins that stands out so many cells."""
        height, width, front, _ = self.shape
        first = (height - depth) * self.stride if front == 0 else width - depth if front == 3 else 0
        return first - self.anchor

    def inner(self, depth: int) -> int:
        """Return how far off the inner rectangle begins, with one more cell at its sides and its back."""
        front, stride = self.shape.front, self.stride
        first = depth * stride - 1 if front == 2 else depth - stride if front == 1 else -stride - 1
        return first - self.anchor


def _depths(cave: int, earth: int, shape_offsets: _EmbeddedShape) -> list[int]:
    """Return, for each depth that is allowed, the anchors of fronts of which one side is so deep and none deeper."""
    found, deep, so_far, other_so_far = [], cave, 0, 0
    for depth in range(1, shape_offsets.most + 1):
        exact = deep & shifted(earth, -depth * shape_offsets.back)
        other = shifted(exact, -shape_offsets.across)
        found.append(exact & (other | other_so_far) | so_far & other)
        if depth < shape_offsets.most:
            so_far, other_so_far = so_far | exact, other_so_far | other
            deep &= shifted(cave, -depth * shape_offsets.back)
    return found


def _blocks(cave: int, earth: int, shape_offsets: _EmbeddedShape) -> tuple[list[int], list[int]]:
    """Return, for each depth, where a strip may begin, and where an inner rectangle with earth around may."""
    row, long_row, apart = (
        starts(earth | cave, shape_offsets.length, shape_offsets.step),
        0,
        abs(shape_offsets.back),
    )
    long_row = starts(earth, shape_offsets.length + 2, shape_offsets.step)
    strips, strip = [], row
    inner, rest = [], starts(long_row, shape_offsets.whole - shape_offsets.most + 1, apart)
    for depth in range(1, shape_offsets.most + 1):
        strips.append(strip)
        inner.append(rest)
        if depth < shape_offsets.most:
            strip = row & (strip >> apart)
            rest = long_row & (rest >> apart)
    return strips, inner[::-1]


def _union(masks: list[int]) -> int:
    whole = 0
    for mask in masks:
        whole |= mask
    return whole


def suits(sites: Sites, drawing: Drawing, params: EmbeddedParams, found: int) -> Iterator[tuple[str, int]]:  # noqa: ARG001
    """Yield where all of it can be reached, and a cell of the front that can be walked on has the cave before it."""
    front, terrain_set = drawing.orientation.turns, sites.canvas.terrain_set
    objection = walkability(drawing, terrain_set).objection_outside
    yield site_rule(objection), 0 if objection else found
    edge = edge_of(drawing, front, terrain_set)
    before = sites.once(("before", front, edge), lambda: _before(sites, front, edge))
    yield "where its front could not be entered", found & before


def _before(sites: Sites, front: int, edge: tuple[bool, ...]) -> int:
    """Return the anchors of fronts of which a cell that is free has the cave before it."""
    stride, (dy, dx) = sites.board.stride, SIDES[front]
    step = stride if front % 2 else 1
    found = 0
    for first, last in runs(edge):
        count = last - first
        near = sites.once(("near", count, step), partial(meets, sites.area, count, step))
        found |= shifted(near, -(first * step + dy * stride + dx))
    return found


def objection(drawing: Drawing, terrain_set: TerrainSet) -> Objection | None:
    """Return why the drawing, as it faces south, fits no cave at all, and the cell to be blamed."""
    if drawing.height < 2:
        return "it has one row, and its front stands in the cave, so that none is left to lie in the wall", (
            0,
            0,
        )
    if not entries(drawing, 0, terrain_set):
        return "no cell of its south edge, which is its front, can be walked on", (drawing.height - 1, 0)
    return walkability(drawing, terrain_set).objection_outside


def place(canvas: Canvas, drawing: Drawing, spot: Cell, region: int, params: EmbeddedParams) -> None:  # noqa: ARG001
    """Draw it at `spot`, with walls around it."""
    target = Rect(spot.y, spot.x, drawing.height, drawing.width)
    canvas.stamp(spot.y, spot.x, drawing.terrain, region)
    canvas.settle_bounds(region, canvas.regions[region - 1].bounds.joined(target))
    canvas.build_walls(target.grown())
