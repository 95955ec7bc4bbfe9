"""The stages of one level in order, from the plan to the frozen, proved `Level`.

plan -> seed -> layout -> place -> shape -> dress -> exits -> locks -> populate -> paint -> finish
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from dungeon import terrain as t
from dungeon.core.errors import CrowdedError, GenerationError
from dungeon.core.frozen import Frozen
from dungeon.generation.built_in import LAYOUTS
from dungeon.generation.dressing.passes import away_from_props
from dungeon.generation.layouts.exits import NO_CELL
from dungeon.generation.layouts.job import ATTEMPTS
from dungeon.generation.stages.exits import find_exits, foresee_exits, set_aside
from dungeon.generation.stages.layout import lay_out, plan
from dungeon.generation.stages.locks import lock_up
from dungeon.generation.stages.place import LevelState, place
from dungeon.generation.stages.populate import populate
from dungeon.generation.stages.seed import seed_for
from dungeon.generation.stages.surface import close_behind, dress, paint, shape
from dungeon.level.model import Exit, Level, Region, doors_of
from dungeon.level.steps import Phase, Step
from dungeon.level.territory import zones_of
from dungeon.proof.check import violations_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dungeon.generation.dressing.ground import MapLight
    from dungeon.generation.layouts.exits import LevelStairs
    from dungeon.generation.stages.brief import Brief, Stage
    from dungeon.generation.stages.exits import MapExits
    from dungeon.generation.stages.populate import Population
    from dungeon.generation.stages.seed import SeededMap
    from dungeon.level.canvas import Canvas
    from dungeon.level.model import Placement, Spawn


Result = TypeVar("Result")


def make(brief: Brief) -> Stage[Level]:
    """Make a level, stage by stage.

    Raises:
        GenerationError: A stage failed for good; the message begins with the map and the seed.
        Exception: A plugin failed; a note names the map and the seed.
    """
    try:
        return (yield from _stages(brief))
    except GenerationError as error:
        raise GenerationError(f"{brief.id} of seed {brief.seed}: {error}") from error
    except Exception as error:
        if hasattr(error, "__notes__"):  # `blamed` has named a plugin
            error.add_note(f"The level was {brief.id} of seed {brief.seed}.")
        raise


def _stages(brief: Brief) -> Stage[Level]:
    """Run all stages of generation in order, and return the finished level."""
    planned = yield from plan(brief)
    _, state = yield from seed_for(
        brief,
        planned.canvas,
        lambda seeded, attempt: _lay_out_and_place(brief, seeded, planned.wanted, attempt),
    )
    placements = state.all_placements
    yield from shape(brief, state)
    lights = yield from _with_contents(dress(brief, state), placements)
    access = yield from _with_contents(find_exits(brief, state), placements)
    locked = yield from _with_contents(lock_up(brief, state, access), placements)
    population = yield from populate(brief, state, access, locked)
    yield from _with_contents(close_behind(brief, state, access), placements, population.spawns)
    yield from _with_contents(paint(brief, state), placements, population.spawns)
    end = finish(brief, state, access, population, lights)
    return (yield from _with_contents(end, placements, population.spawns))


def _lay_out_and_place(brief: Brief, seeded: SeededMap, wanted: int, attempt: int) -> Stage[LevelState]:
    """Make the ground plan and place the encounters on it; if a guaranteed encounter doesn't fit, start again with another plan.

    Args:
        brief: The level to make.
        seeded: The map with its features (prefabs placed before the layout).
        wanted: The number of encounters that the level is to have.
        attempt: The number of earlier attempts to make a ground plan.
    """
    noted = len(brief.journal.decisions)
    while True:
        ground = yield from _with_contents(lay_out(brief, seeded, attempt), seeded.placements)
        attempt = ground.retries + 1
        try:
            _look_for_floor(brief, ground.canvas)
            foreseen = foresee_exits(brief, seeded, ground) if wanted else ()
            kept = set_aside(ground.canvas, foreseen, wanted)
            furnishing = yield from place(brief, seeded, ground, kept)
        except CrowdedError as error:
            if attempt >= ATTEMPTS or LAYOUTS[brief.entry.layout.name].draws_all:
                raise
            del brief.journal.decisions[noted:]
            brief.journal.note("layout", brief.id, "retried", str(error))
            noted += 1
        else:
            return LevelState(seeded=seeded, ground=ground, furnishing=furnishing, foreseen=foreseen)


def _look_for_floor(brief: Brief, canvas: Canvas) -> None:
    """Check that a ground plan has floor for the entrance and every exit.

    Raises:
        CrowdedError: The ground plan has too few floor cells.
    """
    floor = canvas.passable() & (canvas.base >= t.FLOOR)
    if np.count_nonzero(floor) <= len(brief.leads_to):
        raise CrowdedError(NO_CELL)


def _with_contents(
    stage: Stage[Result], placements: Sequence[Placement], spawns: Sequence[Spawn] = ()
) -> Stage[Result]:
    """Run a stage and yield its steps with these placements and spawns added; return the stage's result."""
    while True:
        try:
            step = next(stage)
        except StopIteration as end:
            result: Result = end.value
            return result
        yield Step(step.phase, step.message, step.canvas, placements, spawns)


def finish(
    brief: Brief,
    state: LevelState,
    access: MapExits,
    population: Population,
    lights: tuple[MapLight, ...] = (),
) -> Stage[Level]:
    """Build the frozen `Level`, and check every rule about levels (the proof).

    Keys can be used up by opening. If the player could spend keys in an order that leaves no key for a needed lock, all keys of
    the level become reusable.

    Args:
        brief: The level to make.
        state: The map with everything that was placed.
        access: The entrance and the exits.
        population: All spawns, lights and locks.
        lights: The lights that belong to no object. A light near a prop that gives light is dropped.

    Raises:
        GenerationError: The level breaks one of the rules that the proof checks.
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
        exits=exits_of(brief, ways),
        regions=_connected_regions(canvas),
        connections=tuple(canvas.connections),
        doors=doors_of(canvas.terrain, brief.content.terrain_set, population.locks),
        placements=state.all_placements,
        spawns=population.spawns,
        lights=(*away_from_props(lights, population.shining), *population.lights),
        locks=population.locks,
        zones=zones_of(canvas, state.zones),
        portals=canvas.portals,
        markers=population.markers,
        ways_back=tuple(each for floor in brief.floors for each in floor.up),
        journal=tuple(brief.journal.decisions),
        own_kinds=brief.content.kinds.declared,
        retries=state.ground.retries,
    )
    violations = violations_of(level)
    misspent = [each.message for each in violations if each.rule == "lock-order"]
    if misspent:
        reason = f"no key is used up by opening, because {misspent[0]}"
        brief.journal.note("locks", "keys", "noted", reason)
        spawns = tuple(map(_kept_when_used, level.spawns))
        level = replace(level, spawns=spawns, journal=tuple(brief.journal.decisions))
        violations = violations_of(level)
    if violations:
        listed = "\n".join(f"  {violation}" for violation in violations)
        raise GenerationError(f"the level breaks a promise:\n{listed}")
    yield Step(Phase.PROVE, "proved playable", canvas)
    return level


def exits_of(brief: Brief, ways: LevelStairs) -> tuple[Exit, ...]:
    """Return the exits of a level: one for each map that it leads to, then the other stairs down of towers."""
    linked = {(each.y, each.x): each for floor in brief.floors for each in floor.down}
    own = [
        linked.get(cell) or Exit(y=cell.y, x=cell.x, leads_to=target)
        for cell, target in zip(ways.exits, brief.leads_to, strict=True)
    ]
    return (*own, *(each for each in linked.values() if each not in own))


def _kept_when_used(spawn: Spawn) -> Spawn:
    """Return a spawn without the keyword `consumed` if it is a key that opening uses up; any other spawn unchanged.

    Within one drawing, keys can't be spent in a wrong order. But scattered keys, and keys of one drawing that fit the locks of
    another, can be. With reusable keys no player gets stuck.
    """
    if spawn.keywords.get("consumed") is not True or "opens" not in spawn.keywords:
        return spawn
    told = {key: value for key, value in spawn.keywords.items() if key != "consumed"}
    return replace(spawn, keywords=Frozen(told))


def _connected_regions(canvas: Canvas) -> tuple[Region, ...]:
    """Return the regions of the canvas in order, each with the indices (in `Canvas.connections`) of its connections."""
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
