"""From where one gets everywhere on a map with locked doors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dungeon import terrain as t
from dungeon.content.prefab.locked_ground import LockedGround
from dungeon.grid.bits import nth_bit

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from dungeon.content.prefab.drawing import Drawing
    from dungeon.level.canvas import Canvas

Laid = tuple["Drawing", int, int]
"""A drawing, and the row and column of its top-left cell."""


def locked_ground_on(canvas: Canvas, laid: Iterable[Laid], free: NDArray[np.bool_]) -> LockedGround:
    """Return the ground of a map on which drawings lie; `free` is where one gets who can open every door."""
    locks, keys, boxes = [], [], []
    for drawing, y, x in laid:
        if drawing.locks:
            locks += [each.moved(y, x) for each in drawing.locks]
            keys += [each.moved(y, x) for each in drawing.keys]
            boxes += [each.moved(y, x) for each in drawing.boxes]
    board = canvas.board
    return LockedGround.on(board, canvas.terrain, free, locks, keys, canvas.terrain_set, canvas.leaps, boxes)


def beginnings(
    canvas: Canvas,
    base: NDArray[np.uint8],
    pools: list[NDArray[np.bool_]],
    laid: Iterable[Laid],
    ground: NDArray[np.bool_],
) -> list[NDArray[np.bool_]]:
    """Return of each pool the cells from which one gets everywhere, through locked doors too; all if there is none."""
    if not (ground & (base == t.LOCKED_DOOR)).any():
        return pools
    locked_ground = locked_ground_on(canvas, laid, ground)
    board, free = locked_ground.board, locked_ground.free
    asked, begin = free & board.from_array(np.logical_or.reduce(pools)), 0
    while asked:
        # From its middle a part is soonest found. One in which no stairs may be, such as a vault, is not looked for.
        part = board.flood(free, 1 << nth_bit(asked, asked.bit_count() // 2))
        asked &= ~part
        if locked_ground.objection([part]) is None:
            begin |= part
    cells = board.to_array(begin)
    return [pool & cells for pool in pools] if (pools[-1] & cells).any() else pools
