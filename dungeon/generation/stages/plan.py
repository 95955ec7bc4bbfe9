"""The plan of a level: how large it is, and how many encounters it gets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dungeon.content.models.maps import USUAL_SIZE
from dungeon.content.values.grammar import roll
from dungeon.core.errors import counted
from dungeon.core.registry import LAYOUTS
from dungeon.generation.encounters.draw import wanted_on
from dungeon.generation.layouts.job import LayoutJob
from dungeon.level.canvas import Canvas
from dungeon.level.steps import Phase, Step

if TYPE_CHECKING:
    from dungeon.generation.stages.brief import Brief, Stage


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is decided before anything is drawn.

    Attributes:
        canvas: All earth, of the map's size.
        wanted: How many encounters the level is to have.
    """

    canvas: Canvas
    wanted: int


def plan(brief: Brief) -> Stage[Plan]:
    """Decide the size of the map, and how many encounters it gets."""
    content, entry, streams = brief.content, brief.entry, brief.streams
    job = LayoutJob(
        streams=streams,
        journal=brief.journal,
        prefabs=content.prefabs,
        called=content.called,
        weigh=content.weight,
        watched=brief.watched,
    )
    size = LAYOUTS[entry.layout.name].size(content.layouts[brief.name], job)
    if size is None:
        stream = streams.stream("plan", "size")
        height, width = entry.size.at(brief.depth)
        size = roll(height, stream, USUAL_SIZE["height"]), roll(width, stream, USUAL_SIZE["width"])
    canvas = Canvas(*size, content.terrain_set)
    wanted = wanted_on(content, brief.name, brief.depth, streams)
    message = f"{size[1]}x{size[0]} cells, {counted(wanted, 'encounter')} wanted"
    brief.journal.note("plan", brief.id, "noted", message)
    yield Step(Phase.PLAN, message, canvas)
    return Plan(canvas=canvas, wanted=wanted)
