"""Whether a site is still what was promised after something has been placed: asked before it is committed.

Stairs are still there, doors that were drawn lead somewhere, no other region has changed, all that is open in the site can
be walked to (or, if it is water or has something in the way, is beside what can), and so can all of its openings. Whoever
comes in by one of these, or up stairs in it, finds something that opens each locked door before it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dungeon import terrain as t
from dungeon.content.prefab.locked_ground import LockedGround
from dungeon.generation.placing.edges import BROKEN_LOCKS, CUT_OFF, blank_pair, footing, is_whole
from dungeon.generation.placing.openings import SIDE_NAMES
from dungeon.grid.bits import Board

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dungeon.content.prefab.drawing import Drawing
    from dungeon.generation.placing.openings import Opening
    from dungeon.generation.placing.sites import Site
    from dungeon.grid.rect import Cell, Rect
    from dungeon.level.canvas import Canvas
    from dungeon.level.snapshot import Snapshot
    from dungeon.terrain import TerrainSet

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
    around, number, terrain_set = before.rect, site.region.id, canvas.terrain_set
    part = around.slices
    terrain, region = canvas.terrain[part], canvas.region[part]
    stairs = terrain_set.stairs.take(before.terrain)
    if np.count_nonzero(stairs) and np.count_nonzero(stairs & (terrain != before.terrain)):
        return STAIRS_LOST
    own = before.region == number
    if np.count_nonzero(before.region) > np.count_nonzero(own):
        foreign = (before.region != 0) & ~own
        if np.count_nonzero(foreign & ((terrain != before.terrain) | (region != before.region))):
            return OTHERS_CHANGED
    pair = blank_pair(*terrain.shape)
    walked, opened = pair[:, :, :-1]
    is_open = terrain_set.open.take(terrain)
    np.logical_and(is_open, region == number, out=opened)
    doors = opened & terrain_set.door.take(terrain)
    if np.count_nonzero(doors) and _leads_nowhere(doors, is_open):
        return DOOR_TO_NOWHERE
    if not np.count_nonzero(opened):
        return CUT_OFF
    ground = site.ground
    for y, x in ground.board.cells(ground.openings.outside(site.whole)):
        opened[y - around.y, x - around.x] = True
    np.logical_and(opened, terrain_set.passable.take(terrain), out=walked)
    top, left = spot.y - around.y, spot.x - around.x
    walked[top : top + drawing.height, left : left + drawing.width] &= ~drawing.obstacles
    if footing(drawing, terrain_set).is_locked:
        barred = _barred(walked, terrain, terrain_set, drawing, (top, left), _beyond(site, around))
        if barred is not None:
            return barred
    return None if is_whole(pair) else _what_is_cut_off(walked, site.openings, _beyond(site, around))


def _beyond(site: Site, around: Rect) -> list[tuple[int, int]]:
    """Return the cells beyond the site's openings, seen from the top-left cell of a part of the map."""
    return [(each.outside.y - around.y, each.outside.x - around.x) for each in site.openings]


def _barred(
    walked: NDArray[np.bool_],
    codes: NDArray[np.uint8],
    terrain_set: TerrainSet,
    drawing: Drawing,
    spot: tuple[int, int],
    openings: list[tuple[int, int]],
) -> str | None:
    """Return why a locked door may stop a walker for good who comes in by one of the openings, or up stairs; None if none does.

    Args:
        walked: (height, width) bool, where one gets who can open every door.
        codes: (height, width) uint8, the terrain.
        terrain_set: What that means.
        drawing: What lies there.
        spot: Where its top-left cell lies.
        openings: The cells beyond the site's openings.
    """
    locks = [each.moved(*spot) for each in drawing.locks]
    keys = [each.moved(*spot) for each in drawing.keys]
    boxes = [each.moved(*spot) for each in drawing.boxes]
    board = Board(*walked.shape)
    locked_ground = LockedGround.on(board, codes, walked, locks, keys, terrain_set, boxes=boxes)
    arrivals = np.argwhere(walked & (terrain_set.base.take(codes) == t.STAIRS_UP)).tolist()
    found = locked_ground.objection(board.from_cells([(y, x)]) for y, x in [*openings, *arrivals])
    return None if found is None else BROKEN_LOCKS[found[0]]


def _leads_nowhere(doors: NDArray[np.bool_], is_open: NDArray[np.bool_]) -> bool:
    """Tell whether one of the doors, none of which is in the outermost rows and columns, has less than two open sides."""
    sides = is_open[:-2, 1:-1].astype(np.uint8)
    for side in (is_open[2:, 1:-1], is_open[1:-1, :-2], is_open[1:-1, 2:]):
        sides += side
    return bool((doors[1:-1, 1:-1] & (sides < 2)).any())


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
