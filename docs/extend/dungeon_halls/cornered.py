"""The placing mode *cornered*: a prefab stands in a corner of a room, or a few cells off it.

#########        #########
#.......#        #pp.....#
#.......+   ->   #pp.....+
#.......#        #.......#
#########        #########
"""

from typing import Annotated

from dungeon.extend import (
    Canvas,
    Cell,
    Constant,
    Drawing,
    IntValue,
    Parameters,
    Rules,
    Shape,
    Sites,
    Stream,
    roll,
    shifted,
    within,
)


class CorneredParams(Parameters):
    """The parameters that an author may set.

    Attributes:
        gap: The number of cells between the prefab and the walls.
    """

    gap: Annotated[IntValue, within(0, 3)] = Constant(0)


def settle(params: CorneredParams, stream: Stream) -> int:
    """Roll the gap of one encounter."""
    return roll(params.gap, stream, 0)


def spots(sites: Sites, shape: Shape, gap: int) -> Rules:
    """Yield the spots where the prefab and its gaps fit into a room, then those of them in a corner."""
    board, floor = sites.board, sites.area
    height, width = shape.height + gap, shape.width + gap
    fits = sites.fits(height, width)  # the first cells of blocks, as all that follow
    yield "too small", fits
    north, south = floor & ~board.move(floor, 1, 0), floor & ~board.move(floor, -1, 0)
    west, east = floor & ~board.move(floor, 0, 1), floor & ~board.move(floor, 0, -1)
    down, right = (height - 1) * board.stride, width - 1
    # Move from the first cell of the block (drawing and gaps) to the first cell of the drawing.
    found = shifted(fits & north & west, gap * (board.stride + 1))
    found |= shifted(fits & shifted(north & east, -right), gap * board.stride)
    found |= shifted(fits & shifted(south & west, -down), gap)
    found |= fits & shifted(south & east, -down - right)
    yield "without a corner for it", found


def place(canvas: Canvas, drawing: Drawing, spot: Cell, region: int, _gap: int) -> None:
    """Draw the prefab at the spot."""
    canvas.stamp(spot.y, spot.x, drawing.terrain, region)
