"""The stages in their order, from the plan to the proof, and what each hands to those after it."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import numpy as np

from dungeon import terrain as t
from dungeon.core.errors import CrowdedError, GenerationError
from dungeon.generation.built_in import LAYOUTS
from dungeon.generation.layouts.exits import NO_CELL
from dungeon.generation.layouts.job import ATTEMPTS
from dungeon.generation.stages.dress import dress
from dungeon.generation.stages.exits import find_exits, foresee_exits, set_aside
from dungeon.generation.stages.finish import finish
from dungeon.generation.stages.layout import lay_out
from dungeon.generation.stages.locks import lock_up
from dungeon.generation.stages.paint import close_behind, paint
from dungeon.generation.stages.place import place
from dungeon.generation.stages.plan import plan
from dungeon.generation.stages.populate import populate
from dungeon.generation.stages.seed import seed_for
from dungeon.generation.stages.shape import shape
from dungeon.generation.stages.state import LevelState
from dungeon.level.steps import Step

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dungeon.generation.stages.brief import Brief, Stage
    from dungeon.generation.stages.seed import SeededMap
    from dungeon.level.canvas import Canvas
    from dungeon.level.model import Level, Placement, Spawn

Result = TypeVar("Result")


def make(brief: Brief) -> Stage[Level]:
    """Make a level, stage by stage.

    Raises:
        GenerationError: A stage can't do what is asked; which map of which world that is comes first.
    """
    try:
        return (yield from _stages(brief))
    except GenerationError as error:
        raise GenerationError(f"{brief.id} of seed {brief.seed}: {error}") from error


def _stages(brief: Brief) -> Stage[Level]:
    planned = yield from plan(brief)
    _, state = yield from seed_for(
        brief, planned.canvas, lambda seeded, attempt: _furnish(brief, seeded, planned.wanted, attempt)
    )
    placements = state.placements
    yield from shape(brief, state)
    lights = yield from _shown(dress(brief, state), placements)
    access = yield from _shown(find_exits(brief, state), placements)
    locked = yield from _shown(lock_up(brief, state, access), placements)
    population = yield from populate(brief, state, access, locked)
    yield from _shown(close_behind(brief, state, access), placements, population.spawns)
    yield from _shown(paint(brief, state), placements, population.spawns)
    end = finish(brief, state, access, population, lights)
    return (yield from _shown(end, placements, population.spawns))


def _furnish(brief: Brief, seeded: SeededMap, wanted: int, attempt: int) -> Stage[LevelState]:
    """Make the ground plan and place encounters; make another plan, as layouts do, if one has no place for what must come."""
    noted = len(brief.journal.decisions)
    while True:
        ground = yield from _shown(lay_out(brief, seeded, attempt), seeded.placements)
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
    """Look whether a ground plan has floor for the entrance and every exit.

    Raises:
        CrowdedError: It has not.
    """
    floor = canvas.passable() & (canvas.base >= t.FLOOR)
    if np.count_nonzero(floor) <= len(brief.leads_to):
        raise CrowdedError(NO_CELL)


def _shown(
    stage: Stage[Result], placements: Sequence[Placement], spawns: Sequence[Spawn] = ()
) -> Stage[Result]:
    """Let each step of a stage tell what stands on the level by then."""
    while True:
        try:
            step = next(stage)
        except StopIteration as end:
            result: Result = end.value
            return result
        yield Step(step.phase, step.message, step.canvas, placements, spawns)
