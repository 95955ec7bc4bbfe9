"""Shaping: rooms without an encounter take the shapes that the map has for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dungeon.generation.layouts.shaping import ShapedRoomsParams, shape_rooms
from dungeon.level.steps import Phase, Step

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dungeon.generation.stages.brief import Brief, Stage
    from dungeon.level.canvas import Canvas
    from dungeon.level.model import Placement


def shape(brief: Brief, canvas: Canvas, placements: Sequence[Placement]) -> Stage[None]:
    """Shape the rooms in which nothing was placed, where the layout has shapes for them."""
    params = brief.content.layouts[brief.name]
    if not isinstance(params, ShapedRoomsParams):
        return
    taken = {placement.region for placement in placements}
    for room, name in shape_rooms(canvas, params, taken, brief.streams):
        where = f"room {room.id} at y {room.bounds.y}, x {room.bounds.x}"
        brief.journal.note("shape", where, "chosen", name)
        yield Step(Phase.PLACE, f"{where}: {name}", canvas, placements)
