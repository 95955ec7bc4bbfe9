"""The placing mode *embedded*: a prefab is dug into the wall of a cave, with its front (the south edge as drawn) open to the cave.

A site is a free cave, a spot a position of the prefab there, named by its anchor: one end of the front. An annex is a
cave dug if no site fits. A search yields (rule, mask): the rule says what is wrong with sites that break it; the mask
has the spots that meet it and all rules before. A depth is the number of cells by which the prefab stands out into the
cave.

          cave                    spot                    done
    ##################      ##################      ####pppppp########
    ##################      ####pppppp########      ####pppppp########
    ########.#########      ####pppppp########      ####pppppp########
    ###...........####      ###.pppppp....####      ###.pppppp....####
    ##.............###      ##.............###      ##.............###

The rules of "Generating and Populating Caves", steps 1 to 8 for embedded prefabs, checked for all cells at once:

- Both ends of the front are open cells of one cave (1, 2).
- From each end, follow the side of the prefab away from the cave to the first earth (3). If that is farther than
  `max_protrusion`, the spot is refused: the prefab would stand out too far (4).
- The strip up to the farther of the two may cover only cells of that cave and earth. Behind it lies the *inner rectangle*, the
  rest of the prefab. It must exist and lie in earth alone (5), with earth along its sides and its back (6).

Then the prefab is drawn, and walls rise where earth meets its open cells (7). It is filled with objects later (8). Beyond the
article, some walkable cell of the front must have a cell of the cave before it, or the prefab could not be entered.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from dungeon.core.parameters import Parameters
from dungeon.core.registry import Annex, Shape
from dungeon.generation.placing.ground import SIDES
from dungeon.generation.placing.walkability import edge_cell, edge_of, entries, runs, site_rule, walkability
from dungeon.grid.bits import all_in_run, any_in_run, shifted
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
"""Depth in cells of the cave that is dug before a prefab's front, if a cave has to be dug for it."""


class EmbeddedParams(Parameters):
    """What an author may set for the mode *embedded*: nothing. How far a prefab may stand out is its own `max_protrusion`."""

    NOT_HERE: ClassVar = {"max_protrusion": "each prefab says this of itself"}


def anchor(shape: Shape) -> tuple[int, int]:
    """Return the drawing's anchor (y, x): the first end of its front, which must lie on a cell of the cave."""
    return edge_cell(shape.height, shape.width, shape.front, 0)


def spots(sites: Sites, shape: Shape, params: EmbeddedParams) -> Iterator[tuple[str, int]]:  # noqa: ARG001
    """Yield (rule, mask of spots left) for five rules about the prefab.

    Both ends of the front must lie in a cave. The prefab must not stand out too far. The rows that stand out may cover only caves and
    earth. All other rows must lie in earth. No second cave may be touched.
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
    yield "where it would cover another region", _union(by_depth)
    by_depth = [mask & shifted(inner[n], -shape_offsets.inner(n + 1)) for n, mask in enumerate(by_depth)]
    yield "without earth enough behind the wall", _union(by_depth)
    for n, mask in enumerate(by_depth):
        if mask:
            mixed = sites.mixed(shape_offsets.length, shape_offsets.step, n + 1, abs(shape_offsets.back))
            by_depth[n] = mask & ~shifted(mixed, -shape_offsets.strip(n + 1))
    yield "where it would reach into another cave", _union(by_depth)


def annex(shape: Shape, params: EmbeddedParams) -> Annex:  # noqa: ARG001
    """Return the annex to dig if no site fits: a small cave before the front, with enough earth behind it for the prefab."""
    back = (shape.front + 2) % 4
    sides = tuple(side for side in range(4) if side != back)
    deep, long = (shape.width, shape.height) if shape.front % 2 else (shape.height, shape.width)
    size = (long + 2, APPROACH) if shape.front % 2 else (APPROACH, long + 2)
    return Annex("cave", *size, sides, back, deep + 1)


class _EmbeddedShape:
    """The measures of a prefab's shape in masks. Offsets are numbers of bits: `stride` bits are one row down, 1 bit is one column.

    Attributes:
        step: The offset from a cell of the front to the next one.
        length: The number of cells of the front.
        across: The offset from the first cell of the front to the last.
        back: The offset of one step from the front into the wall.
        whole: How many rows (or columns) the prefab has in that direction.
        most: How many of these may stand out into the cave at most.
        blocks: The sizes that decide which blocks fit; the key of cached masks.
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
        """Return the offset from the anchor to the top-left cell of the strip: the part that stands out `depth` cells into the cave."""
        height, width, front, _ = self.shape
        first = (height - depth) * self.stride if front == 0 else width - depth if front == 3 else 0
        return first - self.anchor

    def inner(self, depth: int) -> int:
        """Return the offset from the anchor to the top-left cell of the inner rectangle: the rest of the prefab if it stands out `depth`.

        The rectangle is taken with one more cell at its sides and its back, where there must be earth.
        """
        front, stride = self.shape.front, self.stride
        first = depth * stride - 1 if front == 2 else depth - stride if front == 1 else -stride - 1
        return first - self.anchor


def _depths(cave: int, earth: int, shape_offsets: _EmbeddedShape) -> list[int]:
    """Return a mask for each depth 1, 2...: the anchors at which a prefab stands out by exactly this depth.

    `cave` is the mask of the floor of all sites, `earth` the mask of the cells that may be dug; `shape_offsets` measures the prefab.
    """
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
    """Return two lists, with a mask for each depth 1, 2, ...: where a strip may begin, and where an inner rectangle may begin.

    The strip is the part of the prefab that stands out into the cave. The inner rectangle is the rest of it, with earth around::

    #iiiiii#      i  inner rectangle, in earth alone, with earth # at its sides and its back
    #iiiiii#
    .ssssss.      s  strip, on cells of the cave or in earth; here 1 row deep
    ........      .  cave
    """
    row, long_row, apart = (
        all_in_run(earth | cave, shape_offsets.length, shape_offsets.step),
        0,
        abs(shape_offsets.back),
    )
    long_row = all_in_run(earth, shape_offsets.length + 2, shape_offsets.step)
    strips, strip = [], row
    inner, rest = [], all_in_run(long_row, shape_offsets.whole - shape_offsets.most + 1, apart)
    for depth in range(1, shape_offsets.most + 1):
        strips.append(strip)
        inner.append(rest)
        if depth < shape_offsets.most:
            strip = row & (strip >> apart)
            rest = long_row & (rest >> apart)
    return strips, inner[::-1]


def _union(masks: list[int]) -> int:
    """Return the mask of the cells that are in any of some masks."""
    whole = 0
    for mask in masks:
        whole |= mask
    return whole


def suits(sites: Sites, drawing: Drawing, params: EmbeddedParams, found: int) -> Iterator[tuple[str, int]]:  # noqa: ARG001
    """Yield (rule, mask of spots left) for two rules about a drawing: all its cells can be reached, and its front can be entered.

    The front can be entered if one of its walkable cells has a cell of the cave before it. `found` is the mask of the spots that
    `spots` has left.
    """
    front, terrain_set = drawing.orientation.turns, sites.canvas.terrain_set
    objection = walkability(drawing, terrain_set).objection_outside
    yield site_rule(objection), 0 if objection else found
    edge = edge_of(drawing, front, terrain_set)
    before = sites.once(("before", front, edge), lambda: _before(sites, front, edge))
    yield "where its front could not be entered", found & before


def _before(sites: Sites, front: int, edge: tuple[bool, ...]) -> int:
    """Return the mask of the anchors at which some walkable cell of a prefab's front has a cell of a cave before it.

    Args:
        sites: The free caves.
        front: The side that the front faces: 0 to 3 for south, west, north, east.
        edge: For each cell of the front, whether it can be walked on.
    """
    stride, (dy, dx) = sites.board.stride, SIDES[front]
    step = stride if front % 2 else 1
    found = 0
    for first, last in runs(edge):
        count = last - first
        near = sites.once(("near", count, step), partial(any_in_run, sites.area, count, step))
        found |= shifted(near, -(first * step + dy * stride + dx))
    return found


def objection(drawing: Drawing, terrain_set: TerrainSet) -> Objection | None:
    """Return (problem, cell to blame) if the drawing, facing south, can't fit any cave in this mode; None if it may fit."""
    if drawing.height < 2:
        return "it has one row, and its front stands in the cave, so that none is left to lie in the wall", (
            0,
            0,
        )
    if not entries(drawing, 0, terrain_set):
        return "no cell of its south edge, which is its front, can be walked on", (drawing.height - 1, 0)
    return walkability(drawing, terrain_set).objection_outside


def place(canvas: Canvas, drawing: Drawing, spot: Cell, region: int, params: EmbeddedParams) -> None:  # noqa: ARG001
    """Draw the drawing with its top-left cell at `spot`, as part of the cave with the id `region`, and build walls around it."""
    target = Rect(spot.y, spot.x, drawing.height, drawing.width)
    canvas.stamp(spot.y, spot.x, drawing.terrain, region, drawing.sealed_cells)
    canvas.settle_bounds(region, canvas.regions[region - 1].bounds.joined(target))
    canvas.build_walls(target.grown())
