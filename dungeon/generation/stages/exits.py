"""The stairs of a level: its entrance and exits, *foreseen* before encounters are placed, and chosen for good afterwards.

Before placing, `foresee_exits` finds where stairs would go on a level without encounters; `set_aside` keeps some of these rooms
free of encounters. After placing, `find_exits` puts the stairs there, or elsewhere if an encounter covers the cell. So encounters
seldom move the stairs.

    foresee_exits -> set_aside -> place encounters -> find_exits
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dungeon import terrain as t
from dungeon.core.errors import counted
from dungeon.generation.layouts.exits import ForeseenStairs, LevelStairs, StairContext, choose_stairs
from dungeon.generation.placing.ground import SITE_KINDS
from dungeon.generation.populate.occupancy import Occupancy
from dungeon.generation.world_keys import zone_lock
from dungeon.grid.rect import Cell
from dungeon.level.steps import Phase, Step
from dungeon.level.territory import regions_in

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from numpy.typing import NDArray

    from dungeon.generation.populate.placed_drawings import PlacedDrawing
    from dungeon.generation.stages.brief import Brief, Stage
    from dungeon.generation.stages.layout import LaidOutMap
    from dungeon.generation.stages.place import LevelState
    from dungeon.generation.stages.seed import SeededMap
    from dungeon.level.canvas import Canvas
    from dungeon.level.territory import Territory

FARTHER = 1.15
"""How much farther than the wanted distance exits are foreseen from the entrance.

The distance is a share of the longest way on the map, and encounters placed later may lengthen that way.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class MapExits:
    """The entrance and exits of a level, and the cells that objects will occupy.

    Attributes:
        ways: The cells of the entrance and the exits, and the ground that can be walked on from there.
        occupancy: The record of the cells that objects will occupy.
    """

    ways: LevelStairs
    occupancy: Occupancy


def foresee_exits(brief: Brief, seeded: SeededMap, ground: LaidOutMap) -> tuple[ForeseenStairs, ...]:
    """Return where the stairs would be on a level without encounters, the entrance first; remove surplus stairs of drawings.

    The final stairs take the same cells unless an encounter covers them. Rooms with one door are avoided if possible, because most
    encounters want such a room. Surplus stairs become floor now, before distances from encounters to stairs are measured.

    Args:
        brief: The level to make.
        seeded: The map with its features (prefabs placed before the layout).
        ground: The map as the layout made it.
    """
    canvas, made = ground.canvas, ground.canvas.copy()
    drawings = (*seeded.drawings, *ground.drawings)
    context = _exit_conditions(brief, made, seeded, drawings, ground.zones, Occupancy(made))
    context = context._replace(
        placements=seeded.placements,
        preferred=_passed_through(made),
        exit_areas=_areas_before_locks(brief, made, ground.zones),
    )
    way = min(brief.entry.way * FARTHER, 1.0)
    ways = choose_stairs(made, brief.leads_to, brief.streams, context, way)
    kept = ways.entrance, *ways.exits
    standing = *kept, *ways.linked
    for place in np.flatnonzero(t.looked_up(canvas.terrain_set.stairs, canvas.terrain)).tolist():
        cell = divmod(place, canvas.width)
        if cell not in standing:
            canvas.put(*cell, t.FLOOR)
    return tuple(ForeseenStairs(cell, int(canvas.region[cell])) for cell in kept)


def _passed_through(canvas: Canvas) -> NDArray[np.bool_]:
    """Return (height, width) bool: the cells of caves and of rooms with several doors, which few encounters can use."""
    doors = Counter(region for door in canvas.connections for region in door.between)
    sites = (each for each in canvas.regions if each.kind in SITE_KINDS)
    return canvas.within(each.id for each in sites if each.kind == "cave" or doors[each.id] > 1)


def set_aside(canvas: Canvas, foreseen: Sequence[ForeseenStairs], wanted: int) -> frozenset[int]:
    """Return the ids of the rooms and caves to keep free for foreseen stairs.

    Enough others are left for all wanted encounters: of 10 rooms and caves, at most 3 are kept if 7 encounters are wanted.

    Args:
        canvas: The map.
        foreseen: The stairs, the most important first.
        wanted: The number of encounters that the level is to have.
    """
    sites = {each.id for each in canvas.regions if each.kind in SITE_KINDS and not each.sealed}
    rooms = dict.fromkeys(each.region for each in foreseen if each.region in sites)
    return frozenset([*rooms][: max(0, len(sites) - wanted)])


def find_exits(brief: Brief, state: LevelState) -> Stage[MapExits]:
    """Choose the cells of the entrance and the exits, where no objects will stand; the entrance lies in the first zone, if any."""
    canvas, occupancy = state.canvas, Occupancy(state.canvas)
    right = state.furnishing.spacing.cells_for_stairs()
    context = _exit_conditions(brief, canvas, state.seeded, state.drawings, state.zones, occupancy)
    context = context._replace(
        placements=state.placements,
        foreseen=state.foreseen,
        satisfying=right,
        exit_areas=_areas_before_locks(brief, canvas, state.zones),
    )
    ways = choose_stairs(canvas, brief.leads_to, brief.streams, context, brief.entry.way)
    _note_compromises(brief, state.seeded, ways, {*context.bound, *context.linked})
    for name, cells in (("entrance", [ways.entrance]), ("exits", ways.exits)):
        for cell in cells:
            if name in right and not right[name][cell]:
                reason = "no cell meets the distances that encounters keep from it"
                brief.journal.note("exits", f"{name} at y {cell.y}, x {cell.x}", "noted", reason)
    occupancy.set_reachable(ways.ground)
    entrance = ways.entrance
    message = f"entrance at y {entrance.y}, x {entrance.x}; {counted(len(ways.exits), 'exit')}"
    yield Step(Phase.EXITS, message, canvas)
    return MapExits(ways=ways, occupancy=occupancy)


def _exit_conditions(
    brief: Brief,
    canvas: Canvas,
    seeded: SeededMap,
    drawings: Sequence[PlacedDrawing],
    zones: Sequence[Territory],
    occupancy: Occupancy,
) -> StairContext:
    """Return the conditions for choosing the stairs; note in `occupancy` which cells the objects of all drawings will take.

    Args:
        brief: The level to make.
        canvas: The map.
        seeded: The map with its features (prefabs placed before the layout).
        drawings: The drawings that are on the map.
        zones: The zones of the map.
        occupancy: The record of the cells that objects will occupy; changed.
    """
    for placed in drawings:
        occupancy.expect(placed.drawing, placed.y, placed.x)
    ways = [(floor, each) for floor in brief.floors for each in (*floor.down, *floor.up)]
    return StairContext(
        bound={**_drawn_stairs(drawings), **seeded.bound},
        linked={Cell(each.y, each.x): each.leads_to for _, each in ways},
        arrivals={Cell(each.y, each.x) for floor, each in ways if floor.is_way_in and each in floor.up},
        lacking=seeded.lacking,
        obstacles=occupancy.obstacles,
        objects=occupancy.meant,
        laid=[(placed.drawing, placed.y, placed.x) for placed in drawings],
        entrance_area=canvas.within(regions_in(canvas, zones, [zones[0].name])) if zones else None,
    )


def _areas_before_locks(
    brief: Brief, canvas: Canvas, zones: Sequence[Territory]
) -> dict[str, NDArray[np.bool_]]:
    """Return where some exits should lie: id of the map to which an exit leads -> (height, width) bool.

    They are exits that must be open without the key of a zone's lock, which lies on another map: their cells are not in that zone, nor in
    zones behind it.
    """
    if not brief.keys.maps or not zones:
        return {}
    behind: dict[str, set[str]] = {}
    for zone in zones:  # a zone comes after its parent
        word = zone_lock(brief.content, brief.name, zone.name, brief.streams)
        behind[zone.name] = {
            *behind.get(zone.parent, ()),
            *([word] if word and word in brief.keys.maps else []),
        }
    areas = {}
    for target, needed in brief.keys.needed.items():
        if shut := [name for name, words in behind.items() if words - needed]:
            areas[target] = ~canvas.within(regions_in(canvas, zones, shut))
    return areas


def _drawn_stairs(drawings: Sequence[PlacedDrawing]) -> dict[Cell, str]:
    """Return cell -> id of the map to which the stairs there must lead, for all stairs that drawings have; "" for any map."""
    return {
        Cell(placed.y + stairs.y, placed.x + stairs.x): stairs.to
        for placed in drawings
        for stairs in placed.drawing.stairs
    }


def _note_compromises(brief: Brief, seeded: SeededMap, ways: LevelStairs, drawn: Container[Cell]) -> None:
    """Note in the journal which stairs were dropped, and which lie nearer or farther than the content asks for.

    Args:
        brief: The level to make.
        seeded: The map with its features (prefabs placed before the layout).
        ways: The chosen stairs.
        drawn: The cells of stairs whose place a drawing or a feature fixes.
    """
    for cell, to in ways.dropped:
        subject = f"stairs at y {cell.y}, x {cell.x}"
        brief.journal.note("exits", subject, "refused", f"no exit to {to} is left for them")
    for cell in ways.near:
        text = f"no cell for stairs is left {counted(ways.least, 'step')} from the entrance"
        if cell in drawn:
            text = f"its drawing puts it nearer to the entrance than the wanted {counted(ways.least, 'step')}"
        brief.journal.note("exits", f"exit at y {cell.y}, x {cell.x}", "noted", text)
    for name, cells in (("entrance", [ways.entrance]), ("exits", ways.exits)):
        lack = seeded.lacking.get(name)
        for cell in cells:
            if lack is not None and lack[cell]:
                lacking = counted(int(lack[cell]), "step")
                text = f"no cell is as far from the map's features as it must be: {lacking} too near"
                brief.journal.note("exits", f"{name} at y {cell.y}, x {cell.x}", "noted", text)
