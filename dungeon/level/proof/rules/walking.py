"""Rules about what can be reached, and what can still be walked to once everything stands in its place.

How a walker goes is told in `walk`. What no step at all reaches is reported once, as unreachable; the other rules
speak of what only water, an obstacle or a locked door keeps a walker from. Each pocket that they make is reported
once, with all that is in it: as an exit's where it has one. A region that is marked as sealed must be cut off.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dungeon import terrain as t
from dungeon.core.vocabulary import UNDERFOOT
from dungeon.level.proof.pockets import told
from dungeon.level.proof.reach import parts_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dungeon.level.proof.fields import Finding
    from dungeon.level.proof.survey import Survey


def unreachable(survey: Survey) -> Iterator[Finding]:
    """4-neighbour steps, and portals, lead from the entrance to all ground that can be walked on, outside the sealed regions."""
    lost = survey.open & ~survey.reached
    if survey.entrance is None or not lost.any():
        return
    for cells in parts_of(lost & ~survey.sealed, survey.stride):
        if survey.lost[cells].any():
            size = len(cells)
            yield survey.finding(f"no way leads to {size} open cell{'s' if size > 1 else ''}", int(cells[0]))


def walk_pocket(survey: Survey) -> Iterator[Finding]:
    """A walker gets everywhere that can be walked on and where nothing stands for good, outside the sealed regions."""
    for pocket in survey.pockets:
        if not pocket.exits:
            yield survey.finding(told(survey, pocket), int(pocket.cells[0]))


def walk_exit(survey: Survey) -> Iterator[Finding]:
    """A walker gets from the entrance to every exit."""
    for pocket in survey.pockets:
        if pocket.exits:
            yield told(survey, pocket), pocket.exits[0].y, pocket.exits[0].x
    for way in survey.level.exits:
        place = survey.at(way.y, way.x)
        if place is None or survey.walked[place] or not survey.walkable[place]:
            continue
        if survey.entrance is not None and survey.sealed[place]:
            yield f"the exit to {way.leads_to} lies in a sealed region", way.y, way.x


def walk_region(survey: Survey) -> Iterator[Finding]:
    """A walker can enter every room and every cave that is not sealed and has ground to walk on."""
    runs = survey.region_runs
    # Of most regions the first cell of some run has been entered, and that is quick to see.
    entered = set(np.bincount(runs.region[survey.walked[runs.start]]).nonzero()[0].tolist())
    for number, region in survey.regions.items():
        if number in entered or region.sealed or region.kind not in ("room", "cave"):
            continue
        ground = (survey.region == number) & survey.reached & survey.walkable
        filled = (ground & survey.stopped).nonzero()[0]
        # Where there is free ground it is a pocket, which is another rule's business.
        if len(filled) and not (ground & (survey.walked | survey.lost)).any():
            place = int(filled[0])
            text = f"nobody can walk into {region.kind} {number}: {survey.obstacles[place].tag} fills it"
            yield survey.finding(text, place)


def walk_item(survey: Survey) -> Iterator[Finding]:
    """Items and traps lie where one can walk: nobody picks up, or steps on, what lies in water."""
    standing, place = survey.standing, survey.standing.place
    in_water = standing.on_map & survey.open[place] & ~survey.walkable[place]
    in_water &= survey.base[place] != t.LOCKED_DOOR
    for index in standing.owners(in_water) if in_water.any() else ():
        spawn = survey.level.spawns[index]
        if spawn.like in UNDERFOOT:
            yield f"{spawn.kind} {spawn.tag} lies where nobody walks", spawn.y, spawn.x


def walk_loadout(survey: Survey) -> Iterator[Finding]:
    """A walker gets beside every prop that holds something, outside the sealed regions."""
    if survey.entrance is None or not any(survey.spawns.loadout):
        return
    for index, held in enumerate(survey.spawns.loadout):
        spawn = survey.level.spawns[index]
        if held and spawn.like == "prop":
            near = survey.around(index)
            if not (survey.walked[near] | survey.sealed[near]).any():
                yield f"no walker gets to {spawn.tag}, which holds something", spawn.y, spawn.x
