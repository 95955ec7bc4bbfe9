"""Cells that may become stairs: pools of candidates, the best first, and cuts of these pools.

A *pool* is a mask of candidate cells. A list of pools has the best choice first and each next pool as a fallback. Cells can be
left out because a secret door or a locked door lies before them, or because they break distance rules.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dungeon import terrain as t
from dungeon.content.prefab.locked_ground import LockedGround
from dungeon.core.vocabulary import SPACES
from dungeon.grid.bits import nth_bit
from dungeon.grid.regions import Parts, touching

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from dungeon.content.prefab.drawing import Drawing
    from dungeon.grid.rect import Cell
    from dungeon.level.canvas import Canvas
    from dungeon.level.model import Placement

# -- pools ------------------------------------------------------------------------------------------
#
# The cells that may become stairs.


def pools_of(
    canvas: Canvas, base: NDArray[np.uint8], placements: Sequence[Placement], usable: NDArray[np.bool_]
) -> list[NDArray[np.bool_]]:
    """Return five pools of cells that may become stairs: (height, width) bool each, the best choice first.

    1. Cells of rooms and caves without an encounter, off drawings, not next to a door.
    2. All cells of these rooms and caves, off drawings.
    3. All cells of these rooms and caves, in drawings, too.
    4. All floor off encounters and drawings.
    5. All floor.

    Doors and the ends of portals are in none of them.

    Args:
        canvas: The map.
        base: (height, width) uint8, its built-in terrain codes.
        placements: The encounters on it.
        usable: (height, width) bool, the cells that may be used at all.
    """
    floor = usable & (base >= t.FLOOR) & (base <= t.CAVE)
    doors = np.zeros(floor.shape, np.bool_)
    doors[[door.y for door in canvas.connections], [door.x for door in canvas.connections]] = True
    floor &= ~doors  # an "open" door is a floor cell, too, but stairs there would block the gap
    for portal in canvas.portals:
        floor[portal.begin] = floor[portal.end] = False
    plain = floor & ~canvas.drawn
    for placement in placements:
        area = placement.bounds.slices
        plain[area] &= placement.scattered and canvas.region[area] != placement.region
    taken = {placement.region for placement in placements}
    others = (each.id for each in canvas.regions if each.kind in SPACES and each.id not in taken)
    spaces = canvas.within(others)
    in_rooms = plain & spaces
    quiet = in_rooms & ~touching(doors)
    return [quiet, in_rooms, floor & spaces, plain, floor]


def usable_pools(
    pools: Sequence[NDArray[np.bool_]], ground: NDArray[np.bool_], taken: Iterable[Cell], wanted: int
) -> list[NDArray[np.bool_]]:
    """Return the pools without cells that can't be reached, and without cells of stairs chosen already.

    If fewer than `wanted` cells of pool 4 are left, there are only two pools: pools 3 and 4 together, then pool 5.

    Args:
        pools: The five pools of `pools_of`, in its order.
        ground: (height, width) bool, the cells that can be reached.
        taken: The cells of stairs chosen already.
        wanted: How many stairs are still to be placed.
    """
    usable = ground.copy()
    for cell in taken:
        usable[cell] = False
    quiet, in_rooms, in_drawn, plain, floor = (pool & usable for pool in pools)
    if plain.any() and np.count_nonzero(plain) >= wanted:
        return [quiet, in_rooms, in_drawn, plain]
    return [plain | in_drawn, floor]


def in_plain_sight(
    canvas: Canvas,
    base: NDArray[np.uint8],
    ground: NDArray[np.bool_],
    pool: NDArray[np.bool_],
    begun: Iterable[Cell],
) -> NDArray[np.bool_] | None:
    """Return the part of the map in which a player walks without finding a secret door; None if stairs may lie anywhere.

    Args:
        canvas: The map.
        base: (height, width) uint8, its built-in terrain codes.
        ground: (height, width) bool, the cells reached if every secret door is found.
        pool: (height, width) bool, the cells that may become stairs.
        begun: Stairs that are on the map already.

    Returns:
        (height, width) bool: the connected part with the first stairs of `begun`, or else with most cells of the
        pool. None if there are no secret doors, or if less than half of the pool lies in that part.
    """
    secret = ground & (base == t.SECRET_DOOR)
    if not secret.any():
        return None
    labels = Parts(ground & ~secret, canvas.leaps).labels
    own = next((int(labels[cell]) for cell in begun), 0) or int(
        np.bincount(labels[pool], minlength=1).argmax()
    )
    part: NDArray[np.bool_] = labels == own
    return part if 2 * np.count_nonzero(pool & part) >= np.count_nonzero(pool) else None


def with_least_lack(
    pools: Sequence[NDArray[np.bool_]], lacking: Mapping[str, NDArray[np.int32]], name: str
) -> Sequence[NDArray[np.bool_]]:
    """Return the pools twice: first cut to the cells that break no distance rule, then to those that break the rules least.

    Args:
        pools: (height, width) bool masks of candidate cells. Returned unchanged if the last one is empty.
        lacking: "entrance" or "exits" -> (height, width) int32, by how many steps stairs in each cell would break
            distance rules.
        name: "entrance" or "exits". If `lacking` does not have it, the pools are returned unchanged.
    """
    lack = lacking.get(name)
    if lack is None or not pools[-1].any():
        return pools
    right, best = lack == 0, lack <= int(lack[pools[-1]].min())
    return [*(pool & right for pool in pools), *(pool & best for pool in pools)]


# -- locked -----------------------------------------------------------------------------------------
#
# The cells from which a player can reach everything on a map with locked doors.


LaidDrawing = tuple["Drawing", int, int]
"""A drawing, and the row and column of its top-left cell on the map."""


def locked_ground_on(canvas: Canvas, laid: Iterable[LaidDrawing], free: NDArray[np.bool_]) -> LockedGround:
    """Return a map's walkable cells, locked doors and keys as a `LockedGround`, for flood fills that open doors on the way.

    Args:
        canvas: The map.
        laid: The drawings on it, with their locks, keys and boxes.
        free: (height, width) bool, the cells that can be reached if every door is open.
    """
    locks, keys, boxes = [], [], []
    for drawing, y, x in laid:
        if drawing.locks:
            locks += [each.moved(y, x) for each in drawing.locks]
            keys += [each.moved(y, x) for each in drawing.keys]
            boxes += [each.moved(y, x) for each in drawing.boxes]
    board = canvas.board
    return LockedGround.on(board, canvas.terrain, free, locks, keys, canvas.terrain_set, canvas.leaps, boxes)


def cells_reaching_all(
    canvas: Canvas,
    base: NDArray[np.uint8],
    pools: list[NDArray[np.bool_]],
    laid: Iterable[LaidDrawing],
    ground: NDArray[np.bool_],
) -> list[NDArray[np.bool_]]:
    """Cut each pool to the cells from which a player can reach everything, opening locked doors with keys on the way.

    The pools are returned unchanged if the map has no locked doors, or if the cut would empty the last pool.

    Args:
        canvas: The map.
        base: (height, width) uint8, its built-in terrain codes.
        pools: (height, width) bool masks of candidate cells for stairs.
        laid: The drawings on the map, with their locks, keys and boxes.
        ground: (height, width) bool, the cells that can be reached if every door is open.
    """
    if not (ground & (base == t.LOCKED_DOOR)).any():
        return pools
    locked_ground = locked_ground_on(canvas, laid, ground)
    board, free = locked_ground.board, locked_ground.free
    asked, begin = free & board.from_array(np.logical_or.reduce(pools)), 0
    while asked:
        # A flood fill from a middle cell takes the fewest steps. Parts without a cell of any pool (vaults) are skipped.
        part = board.flood(free, 1 << nth_bit(asked, asked.bit_count() // 2))
        asked &= ~part
        if locked_ground.stuck([part]) is None:
            begin |= part
    cells = board.to_array(begin)
    return [pool & cells for pool in pools] if (pools[-1] & cells).any() else pools
