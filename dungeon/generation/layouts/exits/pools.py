"""The cells that may become stairs, best choice first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dungeon import terrain as t
from dungeon.core.vocabulary import SPACES
from dungeon.grid.neighbours import touching
from dungeon.grid.regions import Parts

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from dungeon.grid.rect import Cell
    from dungeon.level.canvas import Canvas
    from dungeon.level.model import Placement


def pools_of(
    canvas: Canvas, base: NDArray[np.uint8], placements: Sequence[Placement], usable: NDArray[np.bool_]
) -> list[NDArray[np.bool_]]:
    """Return the cells that may become stairs, best choice first: off the doors' way, in rooms, in drawn ones, anywhere.

    Drawn rooms are those that the layout has drawn itself. The last is all floor there is, drawn by whomever, but for where portals
    begin and end.
    """
    floor = usable & (base >= t.FLOOR) & (base <= t.CAVE)
    doors = np.zeros(floor.shape, np.bool_)
    doors[[door.y for door in canvas.connections], [door.x for door in canvas.connections]] = True
    floor &= ~doors  # a gap in a wall is floor like any other, but not for stairs
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


def usable(
    pools: Sequence[NDArray[np.bool_]], ground: NDArray[np.bool_], taken: Iterable[Cell], wanted: int
) -> list[NDArray[np.bool_]]:
    """Return what of the pools is on the ground and not taken; with fewer cells than wanted off what was drawn, any floor must do."""
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
    """Return where stairs may be so that nobody has to find a secret door on the way from one to another; None for anywhere.

    Args:
        canvas: The map.
        base: (height, width) uint8, its built-in terrain.
        ground: (height, width) bool, where one gets who finds every door.
        pool: (height, width) bool, the cells that may become stairs.
        begun: Stairs that are on the map already.

    Returns:
        (height, width) bool, the part of the first of these, or else that with most of the pool; None if there are no secret
        doors, or less than half of the pool is there.
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


def better(
    pools: Sequence[NDArray[np.bool_]], lacking: Mapping[str, NDArray[np.int32]] | None, name: str
) -> Sequence[NDArray[np.bool_]]:
    """Return, of each pool, the cells that lack nothing, then those that lack least of all."""
    lack = (lacking or {}).get(name)
    if lack is None or not pools[-1].any():
        return pools
    right, best = lack == 0, lack <= int(lack[pools[-1]].min())
    return [*(pool & right for pool in pools), *(pool & best for pool in pools)]
