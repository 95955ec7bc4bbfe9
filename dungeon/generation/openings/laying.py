"""Putting a drawing on the map: its terrain, what is dug for its links, and its mouths as they lie there."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
    region = 0
    if entries.bounds is None:
        canvas.reserve(Rect(*cell, *entries.codes.shape))
    else:
        y, x, height, width = entries.bounds
        region = canvas.add_region("prefab", Rect(cell.y + y, cell.x + x, height, width))
    canvas.stamp(cell.y, cell.x, entries.codes, region)
    for y, x in entries.dug:
        canvas.carve(Rect(cell.y + y, cell.x + x, 1, 1), t.CORRIDOR, region)
    for y, x in entries.reserved:
        canvas.reserve(Rect(cell.y + y, cell.x + x, 1, 1))
    mouths = [
        mouth._replace(y=cell.y + mouth.y, x=cell.x + mouth.x, region=region) for mouth in entries.mouths
    ]
    return region, mouths
