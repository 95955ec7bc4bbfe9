"""Company: robots that follow another one, and stand near it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dungeon.content.values.grammar import roll
from dungeon.generation.populate.choosing import changed
from dungeon.generation.populate.population.places import STRAY
from dungeon.grid.rect import Cell

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from dungeon.content.models.population import FollowerEntry
    from dungeon.core.streams import Stream, Streams
    from dungeon.generation.populate.population.places import Places
    from dungeon.generation.populate.references import Populator

AT_HEEL = 2
"""Followers stand no more cells away than that if there is space."""


def follow(
    populator: Populator,
    places: Places,
    free: NDArray[np.bool_],
    followers: Sequence[FollowerEntry],
    streams: Streams,
) -> None:
    """Put those that follow the robot that was put last, and say who belongs together.

    Whoever finds no space near the leader stays away, which is journalled. A leader whom nobody follows is none.

    Args:
        populator: What fills the level.
        places: The part of the map where they may be.
        free: (area.height, area.width) bool, the cells of it that are free; those that are taken are unset.
        followers: Who follows.
        streams: Where chance comes from: (number of the entry).
    """
    spawns = populator.spawns
    first = len(spawns) - 1
    leader = spawns[first]
    home = leader.cells[0]
    for number, entry in enumerate(followers):
        request = populator.chooser.request(entry)
        for stream in streams.branches(roll(entry.count, streams.stream(number), 0), number):
            if not request.comes(stream):
                continue
            thing = populator.chooser.choose(request, stream, leader.source, populator.journal)
            if thing is None:
                continue
            cell = _cell_near(places, free, home, stream)
            if cell is None:
                subject = f"{leader.source} ({thing.tag})"
                populator.journal.note("populate", subject, "refused", "no cell near its leader is free")
                continue
            keywords = request.keywords(thing, stream)
            source, placement = leader.source, leader.placement
            populator.put(thing, (cell,), keywords, source, placement, loadout=request.loadout)
            free[cell.y - places.area.y, cell.x - places.area.x] = False
    if len(spawns) > first + 1:
        group = 1 + max(each.group for each in spawns)
        spawns[first:] = [changed(each, group=group, leads=not at) for at, each in enumerate(spawns[first:])]


def has_space(
    places: Places, free: NDArray[np.bool_], home: Cell, followers: Sequence[FollowerEntry]
) -> bool:
    """Tell whether all who may follow find space near a leader; `free` is as for `follow`."""
    near, area = places.around(home, STRAY)
    most = sum(max(each.count.outcomes()) for each in followers)
    return bool(np.count_nonzero(near & free[places.inside(area)]) > most)


def _cell_near(places: Places, free: NDArray[np.bool_], home: Cell, stream: Stream) -> Cell | None:
    for reach in (AT_HEEL, STRAY):
        near, area = places.around(home, reach)
        near &= free[places.inside(area)]
        if near.any():
            y, x = divmod(stream.pick_set(near), area.width)
            return Cell(area.y + y, area.x + x)
    return None
