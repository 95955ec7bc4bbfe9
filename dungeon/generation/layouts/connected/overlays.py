"""Rooms laid over what is there: they open a map up, and make it more dangerous.

    ######  #####        #############
    #....+--+...#        #...........#
    #....#  #...#   ->   #...........#
    ######  #####        ####.....####
                            #######

Whatever they touch becomes part of one open zone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dungeon import terrain as t
from dungeon.content.values.grammar import roll
from dungeon.grid.rect import Rect
from dungeon.level.steps import Phase, Step

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dungeon.core.streams import Stream
    from dungeon.generation.layouts.connected.ground import Ground
    from dungeon.generation.layouts.connected.params import ConnectedParams
    from dungeon.level.canvas import Canvas


def lay_over(ground: Ground, params: ConnectedParams, stream: Stream) -> Iterator[Step]:
    """Lay rooms over auto-rooms and hallways, where they join two regions at least and touch no prefab."""
    canvas, board = ground.canvas, ground.board
    kept = board.from_array(canvas.drawn)
    for _ in range(roll(params.overlays, stream, 0)):
        height, width = roll(params.side, stream, 3), roll(params.side, stream, 3)
        free = board.full & ~kept & (ground.free | ground.opened)
        spots = (
            board.fits(free, height + 2, width + 2)
            & board.fits(ground.inner, height, width) >> board.stride + 1
        )
        spots &= board.touches(ground.opened, height, width) >> board.stride + 1
        cells = board.to_array(spots)
        while cells.any():
            y, x = divmod(stream.pick_set(cells), canvas.width)
            rect = Rect(y + 1, x + 1, height, width)
            touched = np.unique(canvas.region[rect.slices])
            if touched[touched > 0].size > 1:
                _lay(canvas, rect)
                mask = board.block(*rect)
                ground.opened |= mask
                ground.walked |= mask
                yield Step(Phase.LAYOUT, f"a room laid over others at y {rect.y}, x {rect.x}", canvas)
                break
            cells[y, x] = False


def _lay(canvas: Canvas, rect: Rect) -> None:
    """Open a rectangle, with all that it touches."""
    near = rect.grown().clipped(canvas.height, canvas.width)
    region = canvas.add_region("zone", rect)
    around = [number for number in np.unique(canvas.region[near.slices]).tolist() if number]
    doors = [door for door in canvas.connections if near.contains(door.y, door.x)]
    canvas.remove_doors((door.y, door.x) for door in doors)
    canvas.carve(rect, t.FLOOR, region)
    for door in doors:
        if not rect.contains(door.y, door.x):
            canvas.carve(Rect(door.y, door.x, 1, 1), t.FLOOR, region)
            canvas.widen_bounds(region, Rect(door.y, door.x, 1, 1))
            around += [number for number in door.between if number]
    for number in dict.fromkeys(around):
        canvas.unroom(number)
        bounds = canvas.regions[number - 1].bounds
        if (canvas.region[bounds.slices] == number).any():
            canvas.settle_bounds(number, bounds)
