"""Patrols: from where a robot stands to another region and back, by one place in each region on the way."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from dungeon import terrain as t
from dungeon.grid.rect import Cell
from dungeon.grid.regions import FAR, distances, way_down

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from dungeon.core.streams import Stream
    from dungeon.generation.populate.populator import Populator


SHORTEST = 12
"""So many steps away a patrol leads at least."""

BRIEF = 3
"""A region that the way leaves after fewer steps is no place to go to."""


def round_from(
    populator: Populator, home: Cell, most: int, stream: Stream, seen: NDArray[np.bool_] | None = None
) -> tuple[Cell, ...]:
    """Return the places of a patrol in the order in which it comes by them, where it begins first; none if it finds no way.

    It follows a shortest way to a cell in another region, around what stays and through no locked door; so each place is
    walked to from the one before. The places stay free of whatever would stop it.

    Args:
        populator: What fills the level.
        home: Where it begins.
        most: How many places it has at most, each in a region of its own.
        stream: Where chance comes from.
        seen: (height, width) bool, cells where it does not go; None for none.
    """
    canvas, occupancy = populator.canvas, populator.occupancy
    ground = canvas.passable() & ~occupancy.stands & (canvas.base != t.LOCKED_DOOR)
    if seen is not None:
        ground &= ~seen
    ground[home] = True
    away = distances(ground, [home])
    ends = (away >= SHORTEST) & (away < FAR) & occupancy.plain & ~occupancy.meant
    ends &= canvas.region != canvas.region[home]
    if most < 2 or not ends.any():
        populator.journal.note(
            "populate", populator.spawns[-1].source, "noted", "there is no way for a patrol"
        )
        return ()
    way = way_down(away, Cell(*divmod(stream.pick_set(ends), canvas.width)))[::-1]
    by_region = {int(canvas.region[home]): home}
    for region, run in groupby(way, key=lambda cell: int(canvas.region[cell])):
        cells = [*run]
        if region and len(cells) >= BRIEF:
            by_region.setdefault(region, cells[len(cells) // 2])
    places = [*by_region.values()][:most]
    if len(places) < 2:
        places.append(way[-1])
    for cell in places:
        occupancy.spared[cell] = True
    return tuple(places)
