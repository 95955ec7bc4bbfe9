"""The layout: the ground plan of the map, around what has been seeded and joined to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dungeon.core.registry import LAYOUTS
from dungeon.generation.layouts.job import LayoutJob, build_whole
from dungeon.generation.layouts.mouths import narrow_mouths, settle
from dungeon.generation.populate.placed import PlacedDrawing
from dungeon.level.steps import Phase, Step

if TYPE_CHECKING:
    from dungeon.generation.stages.brief import Brief, Stage
    from dungeon.generation.stages.seed import SeededMap
    from dungeon.grid.rect import Rect
    from dungeon.level.canvas import Canvas
    from dungeon.level.territory import Territory


@dataclass(frozen=True, slots=True, kw_only=True)
class GroundPlan:
    """A map that can be walked through, before anything is placed.

    Attributes:
        canvas: The map.
        drawings: The prefabs that the layout itself has drawn, to be filled.
        zones: The zones that it has made.
        retries: How often the layout had to be begun again.
    """

    canvas: Canvas
    drawings: tuple[PlacedDrawing, ...]
    zones: tuple[Territory, ...]
    retries: int


def lay_out(brief: Brief, seeded: SeededMap) -> Stage[GroundPlan]:
    """Make the ground plan; begin again with other luck where the layout says that its luck was bad."""
    layout = LAYOUTS[brief.entry.layout.name]
    params = brief.content.layouts[brief.name]
    job = LayoutJob(
        streams=brief.streams,
        journal=brief.journal,
        prefabs=brief.content.prefabs,
        called=brief.content.called,
        weigh=brief.content.weight,
        mouths=seeded.mouths,
        stopped=seeded.split,
        watched=brief.watched,
    )
    canvas, job = yield from build_whole(layout, params, seeded.canvas, job, seeded.stopped)
    if narrow := narrow_mouths(canvas, seeded.mouths):
        text = "there was no space for a way as wide as a prefab's mouth"
        brief.journal.note("layout", layout.name, "noted", text, (("mouths", narrow),))
    for placement in seeded.placements:
        canvas.claim(placement.bounds)
        _settle_around(canvas, placement.bounds)
    drawings = []
    for number, (drawing, y, x) in enumerate(job.drawn):
        stream = brief.streams.stream("populate", "map", number)
        drawings.append(PlacedDrawing(drawing=drawing, y=y, x=x, index=None, stream=stream))
    if not brief.watched:  # who looks on has seen it step by step
        yield Step(Phase.LAYOUT, f"laid out by {layout.name}", canvas)
    return GroundPlan(canvas=canvas, drawings=tuple(drawings), zones=tuple(job.zones), retries=job.attempt)


def _settle_around(canvas: Canvas, rect: Rect) -> None:
    """Fit the bounds of regions around a prefab to their cells: ways that lead into it may have taken some of them."""
    near = rect.grown()
    for region in canvas.regions.copy():
        if region.bounds.overlaps(near):
            settle(canvas, region.id)
