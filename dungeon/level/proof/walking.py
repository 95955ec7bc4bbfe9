"""Rules about what can be reached, and what can still be walked to once everything stands in its place.

Every door counts as passable, locked and secret ones too: which key opens what is another matter. A region that is
marked as sealed may be cut off, whether it is or not. What no step at all reaches is reported once, as unreachable;
the other rules speak of what only water or an obstacle keeps a walker from.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dungeon.level.proof.reach import pieces
from dungeon.level.proof.survey import flags

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dungeon.level.proof.survey import Finding, Survey


def unreachable(survey: Survey) -> Iterator[Finding]:
    """4-neighbour steps lead from the entrance to every open cell outside the sealed regions."""
    lost = survey.open & ~survey.reached
    if survey.entrance is None or not lost.any():
        return
    starts, ends, piece = pieces(lost & ~survey.sealed(), survey.stride)
    sizes = np.bincount(piece, weights=ends - starts)
    for run in np.unique(piece).tolist():
        size = int(sizes[run])
        yield survey.finding(f"no way leads to {size} open cell{'s' if size > 1 else ''}", int(starts[run]))


def walk_exit(survey: Survey) -> Iterator[Finding]:
    """A walker gets from the entrance to every exit."""
    for way in survey.level.exits:
        place = survey.at(way.y, way.x)
        if (
            place is not None
            and survey.walkable[place]
            and survey.reached[place]
            and not survey.walked[place]
            and not survey.stopped[place]
        ):
            yield f"the way to the exit to {way.leads_to} is blocked", way.y, way.x


def walk_region(survey: Survey) -> Iterator[Finding]:
    """A walker can enter every room and every cave that is not sealed."""
    runs = survey.region_runs
    # Of most regions the first cell of some run has been entered, and that is quick to see.
    entered = set(np.bincount(runs.region[survey.walked[runs.start]]).nonzero()[0].tolist())
    for number, region in survey.regions.items():
        if number in entered or region.sealed or region.kind not in ("room", "cave"):
            continue
        cells = np.flatnonzero((survey.region == number) & survey.reached)
        if len(cells) and not survey.walked[cells].any():
            yield survey.finding(f"nobody can walk into {region.kind} {number}", int(cells[0]))


def walk_item(survey: Survey) -> Iterator[Finding]:
    """A walker can stand on or beside every item outside the sealed regions."""
    stride, standing = survey.stride, survey.standing
    items = flags(spawn.kind == "item" for spawn in survey.level.spawns)
    for index in standing.owners(items[standing.owner] & ~survey.walked[standing.place]):
        spawn = survey.level.spawns[index]
        cells = standing.place[(standing.owner == index) & standing.on_map]
        beside = np.concatenate([cells - stride, cells - 1, cells, cells + 1, cells + stride])
        sealed = any(_is_sealed(survey, cell) for cell in cells.tolist())
        if not survey.walked[beside].any() and survey.reached[cells].any() and not sealed:
            yield f"nobody can get to {spawn.tag}", spawn.y, spawn.x


def _is_sealed(survey: Survey, cell: int) -> bool:
    region = survey.regions.get(int(survey.region[cell]))
    return region is not None and region.sealed
