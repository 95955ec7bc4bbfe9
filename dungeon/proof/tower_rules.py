"""Rules of the proof about towers: prefabs on several maps whose stairs match. They compare a level with the towers of its world, and make no other level.

Each public function is a rule: its docstring states what must hold, and it yields a finding for each violation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dungeon.core.errors import GenerationError
from dungeon.grid.rect import Cell, Rect

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dungeon.generation.seeding.floors import TowerFloor
    from dungeon.level.model import Exit
    from dungeon.proof.fields import Finding
    from dungeon.proof.world_rules import LevelOrigin


def world_tower(origin: LevelOrigin) -> Iterator[Finding]:
    """Every floor of a tower lies at its place, in the tower's orientation; its stairs, and only they, lead to the same cells of the neighbouring floors' maps, and stairs lead back from there.

    The world knows the places of all floors without making a level. So if two levels keep this rule, their stairs match.
    """
    if origin.node is None:
        return
    try:
        floors = origin.world.floors(origin.node.id)
    except GenerationError as error:
        yield str(error), None, None
        return
    for floor in floors:
        yield from _place(origin, floor)
        for way in (*floor.down, *floor.up):
            if not _leads_back(origin, floor, way):
                yield (
                    f"no stairs of {way.leads_to} lead back to the stairs of {floor.label} here",
                    way.y,
                    way.x,
                )
    level = origin.level
    yield from _ways("exit", level.exits, (way for floor in floors for way in floor.down))
    yield from _ways("way back", level.ways_back, (way for floor in floors for way in floor.up))


def _place(origin: LevelOrigin, floor: TowerFloor) -> Iterator[Finding]:
    """Yield a finding if the level lacks a floor at its place."""
    drawing = floor.drawing
    bounds = Rect(*floor.cell, drawing.height, drawing.width)
    wanted = drawing.name, drawing.orientation.label, bounds
    if not any((each.prefab, each.orientation, each.bounds) == wanted for each in origin.level.placements):
        text = (
            f"floor {floor.number} of {floor.label} is not here: {drawing.name} {drawing.orientation.label}"
        )
        yield text, floor.cell.y, floor.cell.x


def _leads_back(origin: LevelOrigin, floor: TowerFloor, way: Exit) -> bool:
    """Tell whether the neighbouring floor has stairs where a way arrives, which lead back to where it begins.

    True also if no level of that map can be made, because another tower has no place there.
    """
    try:
        others = origin.world.floors(way.leads_to)
    except GenerationError:
        return True
    here = Cell(way.y, way.x)
    return any(
        (back.y, back.x) == way.arrives == here and back.leads_to == floor.map_id and back.arrives == here
        for other in others
        if other.tower == floor.tower and other.drawing.orientation is floor.drawing.orientation
        for back in (*other.up, *other.down)
    )


def _ways(what: str, found: Iterable[Exit], wanted: Iterable[Exit]) -> Iterator[Finding]:
    """Yield a finding for each staircase of a tower that the level lacks, and for each that says where it arrives though no tower has it.

    Args:
        what: What the level calls such stairs.
        found: The exits or ways back of the level. Those that don't say where they arrive are skipped: they are ordinary stairs.
        wanted: The stairs that the towers of the world have on the level.
    """
    here, there = {way for way in found if way.arrives is not None}, {*wanted}
    for way in sorted(there - here, key=lambda each: (each.y, each.x)):
        yield f"a tower has stairs here to {way.leads_to}, and the level has no such {what}", way.y, way.x
    for way in sorted(here - there, key=lambda each: (each.y, each.x)):
        yield f"no tower has stairs here to {way.leads_to}", way.y, way.x
