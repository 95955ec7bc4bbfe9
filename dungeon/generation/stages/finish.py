"""The end: the level is frozen, and proved."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dungeon.core.errors import GenerationError
from dungeon.core.frozen import Frozen
from dungeon.generation.dressing.lights import away_from_props
from dungeon.level.model import Exit, Level, Region, doors_of
from dungeon.level.steps import Phase, Step
from dungeon.level.territory import zones_of
from dungeon.proof.level.check import violations_of

if TYPE_CHECKING:
    from dungeon.generation.dressing.ground import MapLight
    from dungeon.generation.stages.brief import Brief, Stage
    from dungeon.generation.stages.exits import Access
    from dungeon.generation.stages.populate import Population
    from dungeon.generation.stages.state import LevelState
    from dungeon.level.canvas import Canvas
    from dungeon.level.model import Spawn


def finish(
    brief: Brief,
    state: LevelState,
    access: Access,
    population: Population,
    lights: tuple[MapLight, ...] = (),
) -> Stage[Level]:
    """Freeze the level and prove it.

    Args:
        brief: Which level.
        state: What has been placed.
        access: How one gets in and out.
        population: What stands on it.
        lights: What shines of itself, besides what stands on it: all but what is near to a prop that shines.

    Raises:
        GenerationError: The level breaks a promise.
    """
    canvas, ways = state.canvas, access.ways
    level = Level(
        id=brief.id,
        name=brief.entry.name,
        depth=brief.depth,
        seed=brief.seed,
        terrain=canvas.terrain,
        region=canvas.region,
        terrain_set=brief.content.terrain_set,
        entrance=ways.entrance,
        exits=tuple(
            Exit(y=cell.y, x=cell.x, leads_to=target)
            for cell, target in zip(ways.exits, brief.leads_to, strict=True)
        ),
        regions=_regions(canvas),
        connections=tuple(canvas.connections),
        doors=doors_of(canvas.terrain, brief.content.terrain_set, population.locks),
        placements=state.placements,
        spawns=population.spawns,
        lights=(*away_from_props(lights, population.shining), *population.lights),
        locks=population.locks,
        zones=zones_of(canvas, state.zones),
        portals=canvas.portals,
        journal=tuple(brief.journal.decisions),
        own_kinds=brief.content.kinds.declared,
        retries=state.ground.retries,
    )
    violations = violations_of(level)
    misspent = [each.message for each in violations if each.rule == "lock-order"]
    if misspent:
        reason = f"none of them is used up, for {misspent[0]}"
        brief.journal.note("locks", "keys", "noted", reason)
        spawns = tuple(map(_kept, level.spawns))
        level = replace(level, spawns=spawns, journal=tuple(brief.journal.decisions))
        violations = violations_of(level)
    if violations:
        listed = "\n".join(f"  {violation}" for violation in violations)
        raise GenerationError(f"the level breaks a promise:\n{listed}")
    yield Step(Phase.PROVE, "proved playable", canvas)
    return level


def _kept(spawn: Spawn) -> Spawn:
    """Return something that opens locks as one that is not used up by that; anything else as it is.

    Each drawing by itself is sound. But keys of one may open locks of another, or come by chance besides, so that together
    they can be spent in the wrong order. Nobody is stuck where keys last.
    """
    if spawn.keywords.get("consumed") is not True or "opens" not in spawn.keywords:
        return spawn
    told = {key: value for key, value in spawn.keywords.items() if key != "consumed"}
    return replace(spawn, keywords=Frozen(told))


def _regions(canvas: Canvas) -> tuple[Region, ...]:
    """Return the canvas's regions with their connections."""
    connections: list[list[int]] = [[] for _ in range(len(canvas.regions) + 1)]
    for index, connection in enumerate(canvas.connections):
        a, b = connection.between
        connections[a].append(index)
        if a != b:
            connections[b].append(index)
    return tuple(
        Region(
            id=each.id,
            kind=each.kind,
            bounds=each.bounds,
            connections=tuple(connections[each.id]),
            sealed=each.sealed,
        )
        for each in canvas.regions
    )
