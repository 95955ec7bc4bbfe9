"""Shaping: rooms without an encounter take the shapes that the map has for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dungeon.generation.layouts.shaping import ShapedRoomsParams, shape_rooms
from dungeon.level.steps import Phase, Step
from dungeon.level.territory import owners

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dungeon.core.parameters import Parameters
    from dungeon.generation.stages.brief import Brief, Stage
    from dungeon.generation.stages.state import LevelState
    from dungeon.level.canvas import Canvas
    from dungeon.level.model import Region
    from dungeon.level.territory import Territory


def shape(brief: Brief, state: LevelState) -> Stage[None]:
    """Shape the rooms in which nothing was placed, where their layout, or that of their zone, has shapes for them."""
    canvas, placements = state.canvas, state.placements
    taken = {placement.region for placement in placements}
    free = [room for room in canvas.regions if room.id not in taken]
    for params, rooms in _by_layout(brief, canvas, free, state.zones):
        if not isinstance(params, ShapedRoomsParams):
            continue
        for room, name in shape_rooms(canvas, params, rooms, brief.streams):
            where = f"room {room.id} at y {room.bounds.y}, x {room.bounds.x}"
            brief.journal.note("shape", where, "chosen", name)
            yield Step(Phase.PLACE, f"{where}: {name}", canvas, placements)


def _by_layout(
    brief: Brief, canvas: Canvas, rooms: Sequence[Region], zones: Sequence[Territory]
) -> Iterator[tuple[Parameters, Sequence[Region]]]:
    """Yield the parameters of each layout that rooms were made by, with those rooms."""
    params = brief.content.layouts[brief.name]
    layouts = params.layouts_of_zones()
    if not layouts:
        yield params, rooms
        return
    owner = owners(canvas, zones)
    for number, zone in enumerate(zones, 1):
        yield layouts[zone.name][1], [room for room in rooms if owner[room.id] == number]
