"""Rules about robots that belong together, go on patrol, or hold something."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dungeon import terrain as t

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dungeon.level.model import Spawn
    from dungeon.level.proof.fields import Finding
    from dungeon.level.proof.survey import Survey

NEAR = 5
"""So many rows and columns at most lie between a leader and who follows it."""


def group_leader(survey: Survey) -> Iterator[Finding]:
    """Who belongs to a group is a robot, and each group has one leader."""
    for number, group in _groups(survey).items():
        for spawn in group:
            if spawn.like != "robot":
                yield f"{spawn.kind} {spawn.tag} belongs to group {number}", spawn.y, spawn.x
        leaders = [spawn for spawn in group if spawn.leads]
        if len(leaders) != 1:
            spawn = (*leaders, *group)[-1]
            yield f"group {number} has {len(leaders)} leaders", spawn.y, spawn.x
    if any(survey.spawns.leads):
        for spawn in survey.level.spawns:
            if spawn.leads and not spawn.group:
                yield f"{spawn.tag} leads no group", spawn.y, spawn.x


def group_near(survey: Survey) -> Iterator[Finding]:
    """Whoever follows a leader stands near it, five rows or columns off at most."""
    for group in _groups(survey).values():
        for leader in [spawn for spawn in group if spawn.leads][:1]:
            for spawn in group:
                if max(abs(spawn.y - leader.y), abs(spawn.x - leader.x)) > NEAR:
                    yield f"{spawn.tag} follows {leader.tag} from afar", spawn.y, spawn.x


def patrol_walk(survey: Survey) -> Iterator[Finding]:
    """A patrol begins where its robot stands, and leads on foot from place to place, through no locked door."""
    if not any(survey.spawns.patrol):
        return
    ground = survey.walkable & ~survey.stopped & (survey.base != t.LOCKED_DOOR)
    starts, _, piece = survey.pieces(ground)
    for spawn in survey.level.spawns:
        if not spawn.patrol:
            continue
        if spawn.like != "robot":
            yield f"{spawn.kind} {spawn.tag} is on patrol", spawn.y, spawn.x
        if tuple(spawn.patrol[0]) != (spawn.y, spawn.x):
            yield f"the patrol of {spawn.tag} begins elsewhere", spawn.y, spawn.x
        places = [survey.at(*cell) for cell in spawn.patrol]
        known = [place for place in places if place is not None and ground[place]]
        parts = piece[np.searchsorted(starts, known, side="right") - 1] if known else ()
        if len(known) < len(places) or len(set(map(int, parts))) > 1:
            yield f"{spawn.tag} can't go where its patrol leads", spawn.y, spawn.x


def spawn_loadout(survey: Survey) -> Iterator[Finding]:
    """Only robots and props hold anything, and that is items, on their own cell, which hold nothing themselves."""
    if not any(survey.spawns.loadout):
        return
    for spawn in survey.level.spawns:
        if spawn.loadout and spawn.like not in ("robot", "prop"):
            yield f"{spawn.kind} {spawn.tag} holds something", spawn.y, spawn.x
        for each in spawn.loadout:
            if each.like != "item":
                yield f"{spawn.tag} holds the {each.kind} {each.tag}", spawn.y, spawn.x
            if each.loadout:
                yield f"{spawn.tag} holds {each.tag}, which holds something", spawn.y, spawn.x
            if each.cells != ((spawn.y, spawn.x),) or (each.y, each.x) != (spawn.y, spawn.x):
                yield f"{spawn.tag} holds {each.tag}, which is elsewhere", spawn.y, spawn.x


def _groups(survey: Survey) -> dict[int, list[Spawn]]:
    """Return the groups of spawns by their numbers."""
    found: dict[int, list[Spawn]] = {}
    if any(survey.spawns.group):
        for spawn in survey.level.spawns:
            if spawn.group:
                found.setdefault(spawn.group, []).append(spawn)
    return found
