"""Ports: where what leads to an island stands, on the shore if there is one, or else in a room."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dungeon import terrain as t
from dungeon.core.errors import GenerationError
from dungeon.generation.openings.landings import landing
from dungeon.grid.neighbours import beside, touching
from dungeon.grid.rect import Cell
from dungeon.level.model import Portal

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dungeon.core.streams import Stream
    from dungeon.generation.layouts.job import LayoutJob
    from dungeon.level.canvas import Canvas

NEAR = 1.25
"""A boat goes at most so many times as far as the shortest way across."""


def open_port(
    canvas: Canvas,
    one: NDArray[np.bool_],
    other: NDArray[np.bool_],
    shores: NDArray[np.bool_],
    kind: str,
    job: LayoutJob,
    stream: Stream,
) -> Portal:
    """Return a portal between two parts of a map.

    Where both have a shore it leads from the one to the other, where they are near each other.

    Args:
        canvas: The map, with its coast.
        one: (height, width) bool, the ground of the first part.
        other: The same of the second.
        shores: Where boats may land, as of `shores_of`.
        kind: What it is.
        job: What is drawn, and which portals there are; no two share a cell.
        stream: Where chance comes from.

    Raises:
        GenerationError: A part has no place for one.
    """
    ends = _ashore(shores, one, other, job, stream)
    if ends is None:
        ends = [landing(canvas, part, job.drawn, job.portals, stream) for part in (one, other)]
    begin, end = ends
    if begin is None or end is None:
        raise GenerationError(f"a zone has no place for a {kind}")
    return Portal(y=begin.y, x=begin.x, to_y=end.y, to_x=end.x, kind=kind)


def shores_of(canvas: Canvas) -> NDArray[np.bool_]:
    """Return (height, width) bool: the cells of floor at what lies between zones that no prefab has drawn, off doors."""
    floor = (canvas.base >= t.FLOOR) & (canvas.base <= t.CAVE) & ~canvas.drawn
    floor &= beside(canvas.open & ~canvas.passable() & (canvas.region == 0))
    doors = np.zeros(floor.shape, np.bool_)
    doors[[door.y for door in canvas.connections], [door.x for door in canvas.connections]] = True
    return floor & ~touching(doors)


def _ashore(
    shores: NDArray[np.bool_],
    one: NDArray[np.bool_],
    other: NDArray[np.bool_],
    job: LayoutJob,
    stream: Stream,
) -> list[Cell | None] | None:
    """Return two cells of shores that are about as near to each other as any; None if one part has none."""
    free = shores.copy()
    for portal in job.portals:
        free[portal.begin] = free[portal.end] = False
    begins, ends = np.argwhere(free & one), np.argwhere(free & other)
    if not len(begins) or not len(ends):
        return None
    down, right = (np.abs(begins[:, at, None] - ends[:, at]) for at in (0, 1))
    across = down + right
    pairs = np.argwhere(across <= NEAR * across.min())
    first, last = pairs[stream.below(len(pairs))]
    return [Cell(*begins[first].tolist()), Cell(*ends[last].tolist())]
