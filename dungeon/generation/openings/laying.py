"""Putting a drawing on the map: its terrain, what is dug for its links, and its mouths as they lie there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dungeon import terrain as t
from dungeon.grid.rect import Rect

if TYPE_CHECKING:
    from dungeon.generation.openings.openings import Openings
    from dungeon.grid.rect import Cell
    from dungeon.level.canvas import Canvas
    from dungeon.level.mouth import Mouth


def lay(canvas: Canvas, entries: Openings, cell: Cell) -> tuple[int, list[Mouth]]:
    """Draw a prefab with its top left cell at a cell of the map, and dig what is dug for its links.

    One without an open cell has no region to tell what is its own, and keeps all of its bounds to itself.

    Returns:
        Its region, 0 if it has no open cell, and its mouths.
    """
    opened = (canvas.terrain_set.base[entries.codes] > t.BLOCKED) & (entries.codes != t.KEEP)
    for each in entries.dug:
        opened[each] = True
    region = 0
    if not opened.any():
        canvas.reserve(Rect(*cell, *entries.codes.shape))
    else:
        ys, xs = np.nonzero(opened)
        top, left = int(ys.min()), int(xs.min())
        height, width = int(ys.max()) - top + 1, int(xs.max()) - left + 1
        region = canvas.add_region("prefab", Rect(cell.y + top, cell.x + left, height, width))
    canvas.stamp(cell.y, cell.x, entries.codes, region)
    for y, x in entries.dug:
        canvas.carve(Rect(cell.y + y, cell.x + x, 1, 1), t.CORRIDOR, region)
    # Nobody is to dig where something will stand on what the map has.
    for y, x in (*entries.closed, *np.argwhere(entries.stopped & (entries.codes == t.KEEP)).tolist()):
        canvas.reserve(Rect(cell.y + y, cell.x + x, 1, 1))
    mouths = [
        mouth._replace(y=cell.y + mouth.y, x=cell.x + mouth.x, region=region) for mouth in entries.mouths
    ]
    return region, mouths
