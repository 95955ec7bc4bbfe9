"""From where one gets everywhere on a map with locked doors."""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import TYPE_CHECKING

from dungeon import terrain as t
from dungeon.content.prefab.locked_ground import LockedGround
from dungeon.grid.bits import Board

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np
    from numpy.typing import NDArray

    from dungeon.content.prefab.drawing import Drawing
    from dungeon.level.canvas import Canvas

Laid = tuple["Drawing", int, int]
"""A drawing, and the row and column of its top-left cell."""


def locked_ground_on(canvas: Canvas, laid: Iterable[Laid], free: NDArray[np.bool_]) -> LockedGround:
    """Return the ground of a map on which drawings lie; `free` is where one gets who can open every door."""
    locks, keys = [], []
    for drawing, y, x in laid:
        if drawing.locks:
            locks += [each.moved(y, x) for each in drawing.locks]
            keys += [each.moved(y, x) for each in drawing.keys]
    board = Board(canvas.height, canvas.width)
    return LockedGround.on(board, canvas.terrain, free, locks, keys, canvas.terrain_set, canvas.leaps)


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
    parts = [part for part in locked_ground.parts if not locked_ground.shut([part])]
    begin = locked_ground.board.to_array(reduce(or_, parts, 0))
    return [pool & begin for pool in pools] if (pools[-1] & begin).any() else pools
