"""Placing: encounters come to stand on the finished ground plan, one after the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dungeon.content.values.fields import DEEPEST
from dungeon.core.errors import counted
from dungeon.core.registry import ANY_ACCESS, LAYOUTS, PLACINGS
from dungeon.generation.placing.attempt import Placed, PlacingRequest, Refused
from dungeon.generation.placing.placer import Placer
from dungeon.generation.populate.placed import PlacedDrawing
from dungeon.generation.populate.scattering import Scatter
from dungeon.level.model import Placement
from dungeon.level.steps import Phase, Step
from dungeon.level.territory import cells_of, regions_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dungeon.content.models.encounters import EncounterEntry
    from dungeon.content.prefab.drawing import Drawing
    from dungeon.core.streams import Stream
    from dungeon.generation.encounters.draw import Arrival
    from dungeon.generation.stages.brief import Brief, Stage
    from dungeon.generation.stages.plan import Plan
    from dungeon.level.canvas import Canvas
    from dungeon.level.territory import Territory


@dataclass(frozen=True, slots=True, kw_only=True)
class Furnishing:
    """What has been placed, and what is to fill it.

    Attributes:
        placements: The seeded prefabs, then the encounters.
        drawings: The prefabs of the encounters, to be filled.
        scatters: What they scatter over their rooms and caves.
    """

    placements: tuple[Placement, ...]
    drawings: tuple[PlacedDrawing, ...]
    scatters: tuple[Scatter, ...]


def place(
    brief: Brief, plan: Plan, canvas: Canvas, seeded: tuple[Placement, ...], zones: Sequence[Territory] = ()
) -> Stage[Furnishing]:
    """Place encounters in order of their arrival until there are enough, or none is left.

    Args:
        brief: Which level.
        plan: Its encounters.
        canvas: Its ground plan.
        seeded: The prefabs that lie there already.
        zones: The zones of the ground plan.
    """
    draw, journal = plan.draw, brief.journal
    placer = Placer(canvas, brief.streams, annexes=not LAYOUTS[brief.entry.layout.name].draws_all)
    placements: list[Placement] = [*seeded]
    drawings: list[PlacedDrawing] = []
    scatters: list[Scatter] = []
    count = 0
    while count < plan.wanted and (arrival := draw.next()):
        name = arrival.encounter
        excluded = draw.excluded_by(arrival)
        if excluded is not None:
            reason = f"its group {excluded[0]!r} is taken by {excluded[1]}"
            journal.note("place", name, "refused", reason)
            continue
        placed = placer.place(_request(brief, arrival, canvas, zones))
        if isinstance(placed, Refused):
            where = "in its zones: " if brief.content.encounters[name].zones else ""
            journal.note("place", name, "refused", f"{where}{placed.reason}", placed.counts)
            continue
        draw.place(arrival)
        count += 1
        encounter = brief.content.encounters[name]
        if not _shares(encounter):
            canvas.keep_region_quiet(placed.region)
        index, key = len(placements), ("populate", "encounter", name, arrival.copy)
        placements.append(_placement(placed, arrival, encounter, draw.limits[name]))
        if encounter.content:
            scatters.append(Scatter(entries=encounter.content, index=index, name=key, region=placed.region))
        if placed.drawing is not None:
            drawings.append(_drawing(placed, placed.drawing, index, brief.streams.stream(*key)))
        where, unit = _where(placed)
        journal.note("place", name, "chosen", where, ((unit, placed.spots),))
        yield Step(Phase.PLACE, f"{name}: {where}", canvas, placements)
    if count < plan.wanted:
        reason = f"{count} of {counted(plan.wanted, 'encounter')} placed; no other is left to try"
        journal.note("place", brief.id, "noted", reason)
    elif waiting := draw.waiting():
        reason = f"{counted(len(waiting), 'possible encounter')} not drawn: {', '.join(waiting)}"
        journal.note("place", brief.id, "noted", reason)
    return Furnishing(placements=tuple(placements), drawings=tuple(drawings), scatters=tuple(scatters))


def _request(brief: Brief, arrival: Arrival, canvas: Canvas, zones: Sequence[Territory]) -> PlacingRequest:
    """Return what an encounter asks for."""
    name, encounter = arrival.encounter, brief.content.encounters[arrival.encounter]
    own = [zone for zone in zones if zone.name in encounter.zones]
    mode = PLACINGS[encounter.placing.name]
    low, high = encounter.access or mode.access
    return PlacingRequest(
        name=("place", name, arrival.copy),
        mode=mode,
        params=brief.content.placings[name],
        prefabs=brief.content.choices[name],
        weights=brief.content.preferences[name],
        access=(low, ANY_ACCESS[1] if high >= DEEPEST else high),
        regions=regions_in(canvas, zones, encounter.zones) if encounter.zones else None,
        within=cells_of(canvas, own) if encounter.zones else None,
    )


def _shares(encounter: EncounterEntry) -> bool:
    """Tell whether the map's population may be scattered over the place of an encounter, too."""
    return PLACINGS[encounter.placing.name].shares if encounter.spawns is None else encounter.spawns


def _placement(placed: Placed, arrival: Arrival, encounter: EncounterEntry, limit: int | None) -> Placement:
    drawing = placed.drawing
    return Placement(
        encounter=arrival.encounter,
        category=encounter.category,
        prefab=drawing.name if drawing else "",
        mode=encounter.placing.name,
        orientation=drawing.orientation.label if drawing else "",
        region=placed.region,
        bounds=placed.bounds,
        copy=arrival.copy,
        limit=limit,
        groups=encounter.group,
    )


def _drawing(placed: Placed, drawing: Drawing, index: int, stream: Stream) -> PlacedDrawing:
    return PlacedDrawing(drawing=drawing, y=placed.bounds.y, x=placed.bounds.x, index=index, stream=stream)


def _where(placed: Placed) -> tuple[str, str]:
    """Return where something is, and what there were to choose from."""
    drawing, bounds = placed.drawing, placed.bounds
    if drawing is None:
        return f"over region {placed.region} at y {bounds.y}, x {bounds.x}", "sites"
    dug = ", dug for it" if placed.dug else ""
    return f"{drawing.name} {drawing.orientation.label} at y {bounds.y}, x {bounds.x}{dug}", "spots"
