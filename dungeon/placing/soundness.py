"""Whether a site is still what was promised after something has been placed: asked before it is committed.

Stairs are still there, doors that were drawn lead somewhere, no other region has changed, all that is open in the site can
be walked to (or, if it is water or has something in the way, is beside what can), and so can all of its openings.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dungeon import terrain as t
from dungeon.grid.bits import Board
from dungeon.placing.edges import CUT_OFF, is_whole
from dungeon.placing.sites import SIDE_NAMES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dungeon.content.laid import Drawing
    from dungeon.grid.rect import Cell
    from dungeon.level.canvas import Canvas, Snapshot
    from dungeon.placing.sites import Opening, Site

STAIRS_LOST = "where it would cover stairs"
DOOR_TO_NOWHERE = "where a door of it would lead nowhere"
OTHERS_CHANGED = "where it would change what belongs to others"


def fault(canvas: Canvas, before: Snapshot, site: Site, drawing: Drawing, spot: Cell) -> str | None:
    """Return the first promise that a placed drawing breaks, in words that follow "3 rooms", or None.

    Args:
        canvas: With the drawing on it.
        before: What the canvas was where it may have changed.
        site: What the drawing was placed on.
        drawing: The drawing.
        spot: Its top-left cell.
    """
    around, number = before.rect, site.region.id
    terrain, region = canvas.terrain[around.slices], canvas.region[around.slices]
    base_of = canvas.terrain_set.base
    stood = base_of[before.terrain]
    if stood.max() >= t.STAIRS_UP and ((stood >= t.STAIRS_UP) & (terrain != before.terrain)).any():
        return STAIRS_LOST
    foreign = (before.region != 0) & (before.region != number)
    if foreign.any() and (foreign & ((terrain != before.terrain) | (region != before.region))).any():
        return OTHERS_CHANGED
    base = base_of[terrain]
    is_open = base > t.BLOCKED
    opened = is_open & (region == number)
    doors = opened & (base >= t.DOORWAY) & (base <= t.LOCKED_DOOR)
    for y, x in np.argwhere(doors).tolist() if doors.any() else ():
        if int(is_open[y - 1, x]) + is_open[y + 1, x] + is_open[y, x - 1] + is_open[y, x + 1] < 2:
            return DOOR_TO_NOWHERE
    if not opened.any():
        return CUT_OFF
    openings = [(each.outside.y - around.y, each.outside.x - around.x) for each in site.openings]
    for y, x in openings:
        opened[y, x] = True
    walked = opened & canvas.terrain_set.passable[terrain]
    top, left = spot.y - around.y, spot.x - around.x
    walked[top : top + drawing.height, left : left + drawing.width] &= ~drawing.obstacles
    if is_whole(walked, opened):
        return None
    return _what_is_cut_off(walked, site.openings, openings)


def _what_is_cut_off(walked: NDArray[np.bool_], openings: list[Opening], cells: list[tuple[int, int]]) -> str:
    """Name the first opening that can't be reached from where most openings can, or else part of the site."""
    board = Board(*walked.shape)
    ways = board.from_array(walked)
    parts = [board.flood(ways, board.from_cells([cell])) for cell in cells]
    if not parts:
        return CUT_OFF
    main = max(parts, key=int.bit_count)
    for opening, part, cell in zip(openings, parts, cells, strict=True):
        if part != main or part == board.from_cells([cell]):
            return f"where it would cut off the {SIDE_NAMES[opening.side]} way out"
    return CUT_OFF
