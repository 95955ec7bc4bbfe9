"""Dressing: what the map's author lays over the finished ground, before anything is populated."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from dungeon.generation.dressing.ground import Ground
from dungeon.generation.dressing.passes import make
from dungeon.level.steps import Phase, Step

if TYPE_CHECKING:
    from dungeon.generation.dressing.ground import MapLight
    from dungeon.generation.stages.brief import Brief, Stage
    from dungeon.generation.stages.state import LevelState


def dress(brief: Brief, state: LevelState) -> Stage[tuple[MapLight, ...]]:
    """Make the passes in their order, and return the lights of the map's own; where stairs are foreseen it stays dry.

    So does enough of where they lie right for encounters that keep a distance from them.
    """
    if not brief.entry.dressing:
        return ()
    canvas, laid = state.canvas, [(each.drawing, each.y, each.x) for each in state.drawings]
    dry = [each.cell for each in state.foreseen]
    ground = Ground(canvas, state.placements, laid, dry, state.furnishing.spacing.lost)
    seen: Counter[str] = Counter()
    for entry in brief.entry.dressing:
        seen[entry.KEY] += 1
        # A pass is named after what it does: those that do something else may come and go beside it.
        name = entry.KEY, seen[entry.KEY]
        subject = f"{name[0]} {name[1]}"
        for outcome in make(ground, entry, brief.streams, "dress", *name):
            brief.journal.note("dress", subject, "chosen" if outcome.done else "refused", outcome.text)
            if outcome.done:
                yield Step(Phase.DRESS, f"{subject}: {outcome.text}", canvas)
    return tuple(ground.lights)
