"""Ports: where boats lie, or teleporters stand, that lead from one zone to another."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dungeon import terrain as t
from dungeon.core.errors import GenerationError
from dungeon.grid.neighbours import beside, touching
from dungeon.grid.rect import Cell
from dungeon.level.model import SPACES, Portal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from dungeon.core.streams import Stream
    from dungeon.level.canvas import Canvas

NEAR = 1.25
"""A boat goes at most so many times as far as the shortest way across."""


def open_port(
    canvas: Canvas,
    one: NDArray[np.bool_],
    other: NDArray[np.bool_],
    kind: str,
    portals: Sequence[Portal],
    stream: Stream,
) -> Portal:
    """Return a portal between two parts of a map: a boat from shore to shore, or a teleporter from room to room.

    Args:
        canvas: The map, with its coast.
        one: (height, width) bool, the ground of the first part.
        other: The same of the second.
        kind: What it is.
        portals: Those that there are; no two share a cell.
        stream: Where chance comes from.

    Raises:
        GenerationError: A part has no place for one.
    """
    floor = (canvas.base >= t.FLOOR) & (canvas.base <= t.CAVE)
    doors = np.zeros(floor.shape, np.bool_)
    doors[[door.y for door in canvas.doors], [door.x for door in canvas.doors]] = True
    floor &= ~touching(doors)
    for portal in portals:
        floor[portal.begin] = floor[portal.end] = False
    if kind == "boat":
        floor &= beside(canvas.open & ~canvas.passable())
    begins, ends = (np.argwhere(_best(canvas, floor & part)) for part in (one, other))
    if not len(begins) or not len(ends):
        raise GenerationError(f"there is no place for a {kind} that leads from one zone to another")
    if kind == "boat":
        across = np.abs(begins[:, None] - ends[None]).sum(axis=2)
        pairs = np.argwhere(across <= NEAR * across.min())
        first, last = pairs[stream.below(len(pairs))]
    else:
        first, last = stream.below(len(begins)), stream.below(len(ends))
    begin, end = Cell(*begins[first].tolist()), Cell(*ends[last].tolist())
    return Portal(y=begin.y, x=begin.x, to_y=end.y, to_x=end.x, kind=kind)


def _best(canvas: Canvas, floor: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return what of some floor is undrawn and in a place to be, or else just undrawn, or else all of it."""
    spaces = canvas.within(region.id for region in canvas.regions if region.kind in SPACES)
    pools = (floor & spaces & ~canvas.drawn, floor & ~canvas.drawn)
    return next((pool for pool in pools if pool.any()), floor)
