"""Pockets: pieces of ground that a walker cannot get to, though nothing says that they are to be cut off."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dungeon import terrain as t
from dungeon.level.proof.puzzle import opened_by
from dungeon.level.proof.walk import words_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dungeon.level.model import Placement
    from dungeon.level.proof.survey import Pocket, Survey

NAMED = 3
"""How many things of a kind are named before the rest is only counted."""


def told(survey: Survey, pocket: Pocket) -> str:
    """Say where a pocket is, how large, what is in it and what keeps walkers out, as far as that can be told."""
    size = len(pocket.cells)
    text = f"nobody can walk to {size} cell{'' if size == 1 else 's'} of {_where(survey, pocket)}"
    inside = [f"the exit to {way.leads_to}" for way in pocket.exits] + pocket.items
    if inside:
        text += f", with {_listed(inside)} there"
    causes = _causes(survey, pocket)
    return text + (f"; in the way: {_listed(causes)}" if causes else "")


def _where(survey: Survey, pocket: Pocket) -> str:
    """Name the regions that a pocket is of, and what was placed where it begins."""
    names = []
    for number in dict.fromkeys(survey.region[pocket.cells].tolist()):
        region = survey.regions.get(number)
        names.append(f"{region.kind} {number}" if region else f"region {number}" if number else "no region")
    y, x = divmod(int(pocket.cells[0]), survey.stride)
    lying = (each for each in survey.level.placements if each.bounds.contains(y - 1, x - 1))
    placed = next(lying, None)
    return _listed(names) + (f" in {called(placed)}" if placed else "")


def called(placement: Placement) -> str:
    """Return what a placement is called in messages: its encounter, and its prefab where that has another name."""
    names = dict.fromkeys(filter(None, (placement.encounter, placement.prefab)))
    return " with ".join(names) or "a placement"


def _causes(survey: Survey, pocket: Pocket) -> list[str]:
    """Name what stands, or lies, around a pocket: what touches walked ground if anything does, or else all."""
    stride = survey.stride
    steps = np.array([-stride, -1, 1, stride])
    around = np.unique(pocket.cells[:, None] + steps)
    around = around[survey.open[around] & ~survey.lost[around] & ~survey.walked[around]]
    touching = survey.walked[around[:, None] + steps].any(axis=1)
    if touching.any():
        around = around[touching]
    return [*dict.fromkeys(_cause(survey, place) for place in around.tolist())]


def _cause(survey: Survey, place: int) -> str:
    if place in survey.obstacles:
        return survey.obstacles[place].tag
    if survey.bases[place] == t.LOCKED_DOOR:
        return _locked(survey, place)
    y, x = divmod(place, survey.stride)
    level = survey.level
    return level.terrain_set.kinds[int(level.terrain[y - 1, x - 1])].name


def _locked(survey: Survey, place: int) -> str:
    words = sorted(words_of(survey).get(place, ()))
    if not words:
        return "a locked door that nothing opens"
    after = [
        lock.follows for lock in survey.level.locks if survey.at(lock.y, lock.x) == place and lock.follows
    ]
    if after:
        return f"a door locked with {words[0]!r} that opens after {after[0]!r}"
    keys = {word for spawn in survey.level.spawns for word in opened_by(spawn)}
    lacking = [word for word in words if word not in keys]
    if lacking:
        return f"a door locked with {lacking[0]!r} that nothing opens"
    return f"a door locked with {words[0]!r} whose key nobody can get at before"


def _listed(names: Iterable[str]) -> str:
    """Return names in a row, the first few of them."""
    names = [*names]
    shown = names[:NAMED]
    if len(names) > NAMED:
        shown.append(f"{len(names) - NAMED} more")
    return " and ".join(filter(None, (", ".join(shown[:-1]), shown[-1])))
