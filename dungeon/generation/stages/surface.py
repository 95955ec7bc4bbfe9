"""The stages that change how finished ground looks: reshape empty rooms, *dress* (water, grass, rubble), *paint* (themes).

`shape` and `dress` run right after placing; `close_behind` and `paint` run last, before the proof.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from dungeon.generation.dressing.ground import DressingGround
from dungeon.generation.dressing.passes import make
from dungeon.generation.layouts.shaping import ShapedRoomsParams, shape_rooms
from dungeon.level.steps import Phase, Step
from dungeon.level.territory import cells_of_way, owners
from dungeon.terrain import BUILT_IN, CAVE, CORRIDOR, CORRIDOR_KINDS, FLOOR

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from dungeon.core.parameters import Parameters
    from dungeon.generation.dressing.ground import MapLight
    from dungeon.generation.stages.brief import Brief, Stage
    from dungeon.generation.stages.exits import MapExits
    from dungeon.generation.stages.place import LevelState
    from dungeon.level.canvas import Canvas
    from dungeon.level.model import Region
    from dungeon.level.territory import Territory


def close_behind(brief: Brief, state: LevelState, access: MapExits) -> Stage[None]:
    """Turn the stairs at the entrance into bare ground if the player can't go back to the map before."""
    canvas, entrance = state.canvas, access.ways.entrance
    if brief.one_way:
        here = int(canvas.region[entrance])
        kind = canvas.regions[here - 1].kind if here else ""
        grounds = {"cave": CAVE, "corridor": CORRIDOR} | dict.fromkeys(CORRIDOR_KINDS, CORRIDOR)
        canvas.put(*entrance, grounds.get(kind, FLOOR))
        yield Step(Phase.PAINT, "no way leads back", canvas)


def paint(brief: Brief, state: LevelState) -> Stage[None]:
    """Replace terrain as the theme of the map says, then the theme of each zone, then that of the way to each zone.

    Before that, the floor of junctions and of halls is replaced, if the content has terrain with the name `junction` or `hall`.
    """
    canvas = state.canvas
    for message, terrain in coats(brief, state):
        canvas.terrain = terrain
        if message:
            yield Step(Phase.PAINT, message, canvas)


def coats(brief: Brief, state: LevelState) -> Iterator[tuple[str, NDArray[np.uint8]]]:
    """Yield (message, terrain) after each theme is painted, in order; the canvas is not changed.

    The first pair, with an empty message, has no theme yet. The last terrain, (height, width) uint8, has all themes.
    """
    canvas, bare = state.canvas, state.canvas.terrain.copy()
    known = brief.content.terrain_set.codes
    own = {name: known[name] for name in CORRIDOR_KINDS if known.get(name, 0) >= BUILT_IN}
    if own:
        kinds = [CORRIDOR, *[own.get(region.kind, CORRIDOR) for region in canvas.regions]]
        cells = bare.ravel()
        floor = (cells == CORRIDOR).nonzero()[0]
        cells[floor] = np.array(kinds, np.uint8)[canvas.region.ravel()[floor]]
    painted = bare
    theme, themes = brief.entry.theme, brief.content.themes
    yield "", bare
    if theme is not None:
        painted = themes[theme].take(bare)
        yield f"painted as {theme}", painted
    for zone in state.zones:
        if zone.theme:
            painted = painted.copy()
            for rect in zone.area:
                painted[rect.slices] = themes[zone.theme].take(bare[rect.slices])
            yield f"{zone.name} painted as {zone.theme}", painted
    for zone in state.zones:
        if zone.way_theme:
            painted = np.where(cells_of_way(canvas, zone), themes[zone.way_theme].take(bare), painted)
            yield f"the way to {zone.name} painted as {zone.way_theme}", painted


def shape(brief: Brief, state: LevelState) -> Stage[None]:
    """Give rooms without an encounter the shapes that their layout, or the layout of their zone, has for them."""
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
    """Yield (layout parameters, rooms that the layout made) for the map's layout, or else for the layout of each of its zones.

    Args:
        brief: The level to make.
        canvas: The map.
        rooms: The rooms to divide among the layouts.
        zones: The zones of the map.
    """
    params = brief.content.layouts[brief.name]
    layouts = params.layouts_of_zones()
    if not layouts:
        yield params, rooms
        return
    owner = owners(canvas, zones)
    for number, zone in enumerate(zones, 1):
        yield layouts[zone.name][1], [room for room in rooms if owner[room.id] == number]


def dress(brief: Brief, state: LevelState) -> Stage[tuple[MapLight, ...]]:
    """Dress the map with water, grass, rubble and lights, in the order of its entry; return the lights that belong to no object.

    The cells where stairs are foreseen stay dry. Besides, so many cells stay dry that all stairs can keep their distances from
    encounters.
    """
    if not brief.entry.dressing:
        return ()
    canvas, laid = state.canvas, [(each.drawing, each.y, each.x) for each in state.drawings]
    dry = [each.cell for each in state.foreseen]
    ground = DressingGround(canvas, state.placements, laid, dry, state.furnishing.spacing.stairs_lost_without)
    seen: Counter[str] = Counter()
    for entry in brief.entry.dressing:
        seen[entry.KEY] += 1
        # The stream's name counts passes of one kind, so adding a pass of another kind changes no other pass.
        name = entry.KEY, seen[entry.KEY]
        subject = f"{name[0]} {name[1]}"
        for outcome in make(ground, entry, brief.streams, "dress", *name):
            brief.journal.note("dress", subject, "chosen" if outcome.done else "refused", outcome.text)
            if outcome.done:
                yield Step(Phase.DRESS, f"{subject}: {outcome.text}", canvas)
    return tuple(ground.lights)
