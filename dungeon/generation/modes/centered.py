"""The placing mode *centered*: a prefab is put into the middle of a cave, with open space (the buffer) all around it.

A site is a free cave, a spot a position of the prefab in it, an annex a cave dug if no site fits. A search yields
(rule, mask): the rule says what is wrong with sites that break it; the mask, with one bit a cell, has the spots that
meet it and all rules before.

          cave                        done, with a buffer of 1
    ######################          ######################
    ####......############          ####.........#########
    ###..........#########          ###.:ppppppp:#########
    ##...............#####          ##..:ppppppp:....#####
    ###.................##          ###.:ppppppp:.......##
    ####.......###########          ####.........#########

The prefab and the space around it may cover only earth and the prefab's own cave. They may touch no other cave or room. After
"Generating and Populating Caves", centered prefabs.

The article needs rectangles. Here `?` cells at the rim give a prefab any shape: the space follows the drawn cells, and the rest of
the rectangle stays as it was.

The middle of a cave is its deepest cell, not the mean of its cells: the mean may lie outside of a bent cave or in a narrow neck.
The cave is eroded by squares until one more round would leave no cell. Of the cells that remain, the one nearest to the mean is
the middle. Erosion by squares finds where the largest square fits, and prefabs are rectangles.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import numpy as np

from dungeon import terrain as t
from dungeon.content.values.grammar import Constant, roll
from dungeon.content.values.value_fields import IntValue, within
from dungeon.core.parameters import Parameters
from dungeon.core.registry import Annex, Shape
from dungeon.generation.placing.walkability import site_rule, walkability
from dungeon.grid.bits import Board, shifted
from dungeon.grid.rect import Rect

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from dungeon.content.prefab.drawing import Drawing
    from dungeon.core.registry import Objection
    from dungeon.core.streams import Stream
    from dungeon.generation.placing.sites import Sites
    from dungeon.grid.rect import Cell
    from dungeon.level.canvas import Canvas
    from dungeon.terrain import TerrainSet


class CenteredParams(Parameters):
    """What an author may set for the mode *centered*.

    Attributes:
        buffer: How many cells around the prefab are open.
        drift: How many cells off the middle of the cave, down and across, the middle of the prefab may lie.
    """

    buffer: Annotated[IntValue, within(0, 20)] = Constant(1)
    drift: Annotated[IntValue, within(0, 100)] = Constant(2)


@dataclass(frozen=True, slots=True)
class Centering:
    """The parameters of one placement, with random values chosen; see `CenteredParams` for what they mean."""

    buffer: int
    drift: int


def settle(params: CenteredParams, stream: Stream) -> Centering:
    """Choose the random values of the parameters for one placement."""
    return Centering(roll(params.buffer, stream, 0), roll(params.drift, stream, 0))


def anchor(shape: Shape) -> tuple[int, int]:
    """Return the drawing's anchor (y, x): its middle cell, which must lie on a cell of the cave."""
    return shape.height // 2, shape.width // 2


def margin(options: Centering) -> int:
    """Return how many cells beyond each side of the drawing may change: the buffer and one cell of wall around it."""
    return options.buffer + 1


def spots(sites: Sites, shape: Shape, options: Centering) -> Iterator[tuple[str, int]]:
    """Yield (rule, mask of spots left) for three rules.

    The prefab must lie near the middle of a cave. With its buffer it may cover only caves and earth. The buffer may touch no other
    region but corridors.
    """
    board, ground, area = sites.board, sites.ground, sites.area
    y, x = anchor(shape)
    middle = y * board.stride + x
    found = sites.near_middle(options.drift)
    yield "without a middle", found
    inside = board.block(1, 1, board.height - 2, board.width - 2)
    size = shape.height + 2 * options.buffer, shape.width + 2 * options.buffer
    corner = (
        options.buffer * (board.stride + 1) + middle
    )  # from the buffer's top-left cell to the drawing's middle
    found &= shifted(board.fits((ground.earth | area) & inside, *size), corner)
    yield "where it would cover another region", found
    if found:
        height, width = size[0] + 2, size[1] + 2  # with the wall around the buffer
        others = ground.open & ~(area | ground.ways)
        touched = board.touches(others, height, width) | sites.mixed(width, 1, height, board.stride)
        found &= ~shifted(touched, corner + board.stride + 1)
    yield "where it would open onto another region", found


def annex(shape: Shape, options: Centering) -> Annex:
    """Return the annex to dig if no site fits: a cave with space for the prefab, its buffer and one more cell on every side."""
    more = 2 * options.buffer + 2
    return Annex("cave", shape.height + more, shape.width + more, spare=1)


def objection(drawing: Drawing, terrain_set: TerrainSet) -> Objection | None:
    """Return (problem, cell to blame) if the drawing can't fit any cave in this mode; None if it may fit."""
    walks = walkability(drawing, terrain_set)
    if not any(map(any, walks.edges)):
        return "no cell of its edge can be walked on, so that it can't be entered", (drawing.height - 1, 0)
    return walks.objection_outside


def suits(sites: Sites, drawing: Drawing, options: Centering, found: int) -> Iterator[tuple[str, int]]:  # noqa: ARG001
    """Yield one (rule, mask of spots left): `found` if every cell of the drawing can be reached from outside of it, else 0."""
    objection = walkability(drawing, sites.canvas.terrain_set).objection_outside
    yield site_rule(objection), 0 if objection else found


def place(canvas: Canvas, drawing: Drawing, spot: Cell, region: int, options: Centering) -> None:
    """Draw the drawing with its top-left cell at `spot`, open the earth in the buffer around it, and build walls around that.

    All these cells then belong to the cave with the id `region`.
    """
    outer = Rect(spot.y, spot.x, drawing.height, drawing.width).grown(options.buffer)
    closed = ~canvas.open[outer.slices] & clearing(drawing, options.buffer)
    for y, x in np.argwhere(closed).tolist():
        canvas.carve(Rect(outer.y + y, outer.x + x, 1, 1), t.CAVE, region)
    canvas.stamp(spot.y, spot.x, drawing.terrain, region, drawing.sealed_cells)
    canvas.settle_bounds(region, canvas.regions[region - 1].bounds.joined(outer))
    canvas.build_walls(outer.grown())


def clearing(drawing: Drawing, buffer: int) -> NDArray[np.bool_]:
    """Return (height + 2 * buffer, width + 2 * buffer) bool: the cells around a drawing to open.

    They are all cells outside of the drawing at most `buffer` cells away from a drawn cell. A `?` cell of the drawing counts as
    outside if `?` cells connect it to the outside.
    """
    ink = np.pad(drawing.terrain != t.KEEP, buffer)
    board = Board(*ink.shape)
    drawn = near = board.from_array(ink)
    for _ in range(buffer):
        near = board.around(near)
    outside = board.flood(board.full ^ drawn, 1)
    return board.to_array(near & outside)
