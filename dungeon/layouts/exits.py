"""Where the player arrives and where the ways on are: far apart, off the encounters, out of the way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dungeon import terrain as t
from dungeon.errors import GenerationError
from dungeon.grid.rect import Cell
from dungeon.grid.regions import FAR, distances

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from dungeon.level.canvas import Canvas
    from dungeon.level.model import Placement
    from dungeon.streams import Streams

FAR_SHARE = 0.6
"""An exit lies at least this far from the entrance, as a share of the longest walk."""


@dataclass(frozen=True, slots=True)
class Ways:
    """The way in, and a way out for each map that the level leads to, in their order."""

    entrance: Cell
    exits: tuple[Cell, ...]


def find_ways(canvas: Canvas, placements: Sequence[Placement], count: int, streams: Streams) -> Ways:
    """Choose, and draw, stairs up for the entrance and stairs down for `count` exits.

    Stairs that a drawing has come first, row by row; surplus ones become floor. Otherwise cells are taken in
    rooms without an encounter (then anywhere else off the encounters): the entrance anywhere, each exit far
    from the entrance and from the other exits.

    Raises:
        GenerationError: The map has too few cells.
    """
    base = canvas.terrain_set.base[canvas.terrain]
    drawn_up = _cells(base == t.STAIRS_UP)
    drawn_down = _cells((base == t.STAIRS_DOWN) | (base == t.EXIT))
    for surplus in (*drawn_up[1:], *drawn_down[count:]):
        canvas.put(*surplus, t.FLOOR)
    pools = _pools(canvas, placements)
    entrance = drawn_up[0] if drawn_up else _pick(pools, None, streams, "entrance")
    if not drawn_up:
        canvas.put(*entrance, t.STAIRS_UP)
    exits = drawn_down[:count]
    taken = [entrance, *exits]
    while len(exits) < count:
        walk = distances(canvas.open, taken)
        cell = _pick(pools, walk, streams, "exit", len(exits))
        canvas.put(*cell, t.STAIRS_DOWN)
        exits.append(cell)
        taken.append(cell)
    return Ways(entrance, tuple(exits))


def _cells(mask: NDArray[np.bool_]) -> list[Cell]:
    return [Cell(y, x) for y, x in np.argwhere(mask).tolist()]


def _pools(canvas: Canvas, placements: Sequence[Placement]) -> list[NDArray[np.bool_]]:
    """Return the cells that may become stairs, best choice first: off the doors' way, in rooms, anywhere."""
    base = canvas.terrain_set.base[canvas.terrain]
    sealed = np.array([False, *(region.sealed for region in canvas.regions)])
    plain = (base >= t.FLOOR) & (base <= t.CAVE) & ~canvas.drawn & ~sealed[canvas.region]
    for placement in placements:
        plain[placement.bounds.slices] = False
    rooms = np.array([False, *(region.kind in ("room", "cave", "zone") for region in canvas.regions)])
    for placement in placements:
        rooms[placement.region] = False
    in_rooms = plain & rooms[canvas.region]
    quiet = in_rooms.copy()
    for door in canvas.doors:
        quiet[door.y - 1 : door.y + 2, door.x - 1 : door.x + 2] = False
    return [quiet, in_rooms, plain]


def _pick(
    pools: Sequence[NDArray[np.bool_]], walk: NDArray[np.int32] | None, streams: Streams, *name: str | int
) -> Cell:
    """Pick a cell of the first pool that has one, far along the walk if there is one."""
    for pool in pools:
        cells = pool
        if walk is not None:
            reachable = pool & (walk < FAR) & (walk > 0)
            if not reachable.any():
                continue
            cells = reachable & (walk >= FAR_SHARE * int(walk[reachable].max()))
        indices = np.flatnonzero(cells)
        if len(indices):
            index = int(indices[streams.stream("exits", *name).below(len(indices))])
            return Cell(*divmod(index, cells.shape[1]))
    raise GenerationError("the map has no cell left for stairs")
