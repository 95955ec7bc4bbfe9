"""What the encounters of a level ask for: who places them, in which of their forms, and who keeps which distance.

What placing has in common with those who ask where an encounter might lie: what took its place, and whether a map has space for it.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from dungeon.content.values.fields import DEEPEST
from dungeon.core.registry import ANY_ACCESS, PLACINGS, layouts_of
from dungeon.core.vocabulary import ARRIVAL, EXITS
from dungeon.generation.encounters.forms import forms_in_turn
from dungeon.generation.encounters.spacing import Spacing
from dungeon.generation.placing.alterations import Lasting
from dungeon.generation.placing.attempt import Placed, PlacingRequest, Refused, locked_for_good
from dungeon.generation.placing.ground import SITE_KINDS
from dungeon.generation.placing.placer import Placer
from dungeon.generation.placing.refusal import of_all
from dungeon.grid.rect import Rect
from dungeon.level.territory import cells_of, regions_in

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from dungeon.content.models.encounters import Form
    from dungeon.generation.encounters.draw import Arrival
    from dungeon.generation.layouts.exits.ways import Foreseen
    from dungeon.generation.stages.brief import Brief
    from dungeon.generation.stages.layout import GroundPlan
    from dungeon.generation.stages.seed import SeededMap
    from dungeon.grid.bits import Board
    from dungeon.level.canvas import Canvas
    from dungeon.level.territory import Territory


def placer_of(brief: Brief, seeded: SeededMap, ground: GroundPlan, kept: Collection[int] = ()) -> Placer:
    """Return who places the encounters of a level.

    Args:
        brief: Which level.
        seeded: The prefabs that lie there already.
        ground: The map.
        kept: The ids of the regions that are taken only if there is nothing else.
    """
    layouts = layouts_of(brief.entry.layout.name, brief.content.layouts[brief.name])
    kinds = {kind for layout, _ in layouts for kind in (SITE_KINDS if layout.kinds is None else layout.kinds)}
    return Placer(
        ground.canvas,
        brief.streams,
        kinds=kinds if brief.entry.annexes else (),
        lasting=partial(_lasting, seeded, ground),
        kept=kept,
    )


def _lasting(seeded: SeededMap, ground: GroundPlan) -> Lasting:
    """Return what has to last on a map: the gates of its zones, and the doors of its features."""
    lasting = Lasting.nothing(ground.canvas)
    for gate in (gate for zone in ground.zones for gate in zone.gates):
        lasting.doors[gate] = lasting.stopped[gate] = True
    for placement in seeded.placements:
        lasting.doors[placement.bounds.grown().clipped(*lasting.doors.shape).slices] = True
    for drawn in (*seeded.drawings, *ground.drawings):
        obstacles = drawn.drawing.obstacles
        here = Rect(drawn.y, drawn.x, *obstacles.shape)
        lasting.stopped[here.slices] |= obstacles
    return lasting


def spacing_of(
    brief: Brief, canvas: Canvas, zones: Sequence[Territory], foreseen: Sequence[Foreseen] = ()
) -> Spacing:
    """Return who keeps which distance on a level on which no encounter has been placed.

    Args:
        brief: Which level.
        canvas: Its ground plan.
        zones: The zones of the ground plan.
        foreseen: Where the entrance and each exit would be if no encounter came; nothing if that is not known.
    """
    encounters = {name: each for name, each in brief.content.encounters.items() if brief.name in each.maps}
    home = canvas.within(regions_in(canvas, zones, [zones[0].name])) if zones else None
    cells = [each.cell for each in foreseen]
    return Spacing(canvas, encounters, len(brief.leads_to), home, {ARRIVAL: cells[:1], EXITS: cells[1:]})


def covered(board: Board, canvas: Canvas, placed: Placed) -> int:
    """Return the mask of what an encounter covers: its drawing, or all of its region."""
    if placed.drawing is None:
        return board.from_array(canvas.region == placed.region)
    return board.block(*placed.bounds)


def place_in_a_form(  # what is placed, by whom, and where
    brief: Brief,
    placer: Placer,
    arrival: Arrival,
    canvas: Canvas,
    zones: Sequence[Territory],
    spacing: Spacing,
    *,
    home: int | None = None,
    foreseen: bool = False,
) -> tuple[Form, Placed] | Refused:
    """Place a copy of an encounter in the first of its forms that has a place; chance takes them in turn, by their weights.

    Args:
        brief: Which level.
        placer: Who places it.
        arrival: Which copy of which encounter.
        canvas: The level's ground plan.
        zones: The zones of the ground plan.
        spacing: Who keeps which distance there.
        home: The id of the region that comes before all others; None if none does.
        foreseen: Whether it is to lie so that stairs can be where they would be without it.
    """
    refusals: dict[str, Refused] = {}
    for form in forms_in_turn(brief.content, brief.depth, brief.streams, arrival.encounter, arrival.copy):
        request = _request_of(brief, arrival, form, canvas, zones, spacing, foreseen=foreseen)
        found = placer.place(request, home)
        if isinstance(found, Placed):
            return form, found
        found = found.for_locks(locked_for_good(request, canvas.terrain_set, brief.streams))
        refusals[form.variant] = found.in_zones() if form.entry.zones else found
    return of_all(refusals)


def _request_of(  # what is asked for, and where
    brief: Brief,
    arrival: Arrival,
    form: Form,
    canvas: Canvas,
    zones: Sequence[Territory],
    spacing: Spacing,
    *,
    foreseen: bool,
) -> PlacingRequest:
    """Return what a copy of an encounter asks for in one of its forms."""
    name, encounter, label = arrival.encounter, form.entry, form.label
    own = [zone for zone in zones if zone.name in encounter.zones]
    mode = PLACINGS[encounter.placing.name]
    low, high = encounter.access or mode.access
    return PlacingRequest(
        name=("place", name, arrival.copy, *filter(None, [form.variant])),
        mode=mode,
        params=brief.content.placings[label],
        prefabs=brief.content.choices[label],
        weights=brief.content.preferences[label],
        rolled={},
        access=(low, ANY_ACCESS[1] if high >= DEEPEST else high),
        regions=regions_in(canvas, zones, encounter.zones) if encounter.zones else None,
        within=cells_of(canvas, own) if encounter.zones else None,
        distances=spacing.distances(name, foreseen=foreseen),
        verify=partial(spacing.fault, name),
    )
