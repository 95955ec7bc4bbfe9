"""Placing: encounters come to stand on the finished ground plan, one after the other."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from dungeon.content.values.fields import DEEPEST
from dungeon.core.errors import GenerationError, counted
from dungeon.core.registry import ANY_ACCESS, PLACINGS, layouts_of
from dungeon.generation.encounters.draw import NO_ENCOUNTER, Rank
from dungeon.generation.encounters.spacing import Spacing
from dungeon.generation.encounters.veto import Veto
from dungeon.generation.placing.alterations import Lasting
from dungeon.generation.placing.attempt import Placed, PlacingRequest, Refused
from dungeon.generation.placing.ground import SITE_KINDS
from dungeon.generation.placing.placer import Placer
from dungeon.generation.placing.refusal import of_all
from dungeon.generation.populate.placed import PlacedDrawing
from dungeon.generation.populate.population.scattering import Scatter
from dungeon.grid.bits import Board
from dungeon.grid.rect import Rect
from dungeon.level.model import Placement
from dungeon.level.steps import Phase, Step
from dungeon.level.territory import cells_of, regions_in

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from dungeon.content.models.encounters import EncounterEntry, Form
    from dungeon.content.prefab.drawing import Drawing
    from dungeon.core.streams import Stream
    from dungeon.generation.encounters.draw import Arrival, Draw
    from dungeon.generation.stages.brief import Brief, Stage
    from dungeon.generation.stages.layout import GroundPlan
    from dungeon.generation.stages.plan import Plan
    from dungeon.generation.stages.seed import SeededMap
    from dungeon.level.canvas import Canvas
    from dungeon.level.territory import Territory
    from dungeon.terrain import Colour


@dataclass(frozen=True, slots=True, kw_only=True)
class Furnishing:
    """What has been placed, and what is to fill it.

    Attributes:
        placements: The seeded prefabs, then the encounters.
        drawings: The prefabs of the encounters, to be filled.
        scatters: What they scatter over their rooms and caves.
        spacing: How far they lie from each other, and from stairs.
    """

    placements: tuple[Placement, ...]
    drawings: tuple[PlacedDrawing, ...]
    scatters: tuple[Scatter, ...]
    spacing: Spacing


def place(
    brief: Brief, plan: Plan, seeded: SeededMap, ground: GroundPlan, kept: Collection[int] = ()
) -> Stage[Furnishing]:
    """Place encounters in order of their arrival until there are enough, or none is left.

    Args:
        brief: Which level.
        plan: Its encounters.
        seeded: The prefabs that lie there already.
        ground: The map, before anything else is placed.
        kept: The ids of the regions that are left to stairs, if something can be placed elsewhere.

    Raises:
        GenerationError: One that is guaranteed has no place.
    """
    canvas = ground.canvas
    placing = _Placing(brief, plan.draw, seeded, ground, kept)
    draw, journal = plan.draw, brief.journal
    count = 0
    while arrival := draw.next(enough=count >= plan.wanted):
        if arrival.encounter == NO_ENCOUNTER:
            count += 1
            draw.place(arrival)
            journal.note("place", brief.id, "noted", "a turn at which nothing comes")
            continue
        message = placing.place(arrival)
        if message is not None:
            count += 1
            yield Step(Phase.PLACE, message, canvas, placing.placements)
    for arrival, objection in draw.unmet():
        placing.refuse(arrival, objection)
        placing.insist(arrival, objection.reason)
    if count < plan.wanted:
        reason = f"{count} of {counted(plan.wanted, 'encounter')} placed; no other is left to try"
        journal.note("place", brief.id, "noted", reason)
    _tell_of_budget(brief, draw)
    return Furnishing(
        placements=tuple(placing.placements),
        drawings=tuple(placing.drawings),
        scatters=tuple(placing.scatters),
        spacing=placing.spacing,
    )


def _tell_of_budget(brief: Brief, draw: Draw) -> None:
    """Note what the map has had of what it may have, and what it lacks of what it is to have."""
    spent, amounts = draw.budget.spent, draw.budget.amounts
    if told := ", ".join(f"{spent[stake]:.3g} {stake} of {most:.3g}" for stake, most in amounts.items()):
        brief.journal.note("place", brief.id, "noted", f"the encounters are expected to bring {told}")
    for category, count in draw.budget.shortage.items():
        reason = (
            f"{counted(count, 'encounter')} of the category {category} can't be had, and the mix asks for it"
        )
        brief.journal.note("place", brief.id, "noted", reason)


class _Placing:
    """The encounters of a map while they are placed.

    Args:
        brief: Which level.
        draw: Whose turn it is.
        seeded: The prefabs that lie there already.
        ground: The map.
        kept: The ids of the regions that are left to stairs.

    Attributes:
        placements: All prefabs, those of the encounters as they are placed.
    """

    def __init__(
        self, brief: Brief, draw: Draw, seeded: SeededMap, ground: GroundPlan, kept: Collection[int]
    ) -> None:
        self.brief = brief
        self.draw = draw
        self.canvas = ground.canvas
        self._board = Board(self.canvas.height, self.canvas.width)
        self.zones = ground.zones
        self.placements = [*seeded.placements]
        self.drawings: list[PlacedDrawing] = []
        self.scatters: list[Scatter] = []
        self.spacing = spacing_of(brief, ground.canvas, ground.zones)
        self._placer = placer_of(brief, seeded, ground, kept)

    def place(self, arrival: Arrival) -> str | None:
        """Place an encounter, or whatever stands in for it, and return where that is; None if all are refused.

        Raises:
            GenerationError: It is guaranteed, and was refused.
        """
        trying: Arrival | None = arrival
        reasons = []
        while trying is not None:
            found = self._try(trying)
            if not isinstance(found, Refused | Veto):
                return self._take(trying, *found)
            self.refuse(trying, found)
            reasons.append(_told(trying, found))
            trying = self.draw.instead(trying)
        self.insist(arrival, "; ".join(reasons))
        return None

    def _try(self, arrival: Arrival) -> tuple[Form, Placed] | Refused | Veto:
        if objection := self.draw.objection(arrival):
            return objection
        return place_in_a_form(self.brief, self._placer, arrival, self.canvas, self.zones, self.spacing)

    def refuse(self, arrival: Arrival, why: Refused | Veto) -> None:
        """Note why an encounter is not on the map."""
        self.brief.journal.note("place", arrival.encounter, "refused", why.reason, why.counts, why.kind)

    @staticmethod
    def insist(arrival: Arrival, reason: str) -> None:
        """Do not go on without an encounter that is guaranteed.

        Raises:
            GenerationError: It is.
        """
        if arrival.rank is Rank.GUARANTEED:
            raise GenerationError(f"{arrival.encounter} is guaranteed, and can't be placed: {reason}")

    def _take(self, arrival: Arrival, form: Form, placed: Placed) -> str:
        """Take down what has been placed."""
        name, encounter, streams = arrival.encounter, form.entry, self.brief.streams
        self.draw.place(arrival)
        self.spacing.settle(name, covered(self._board, self.canvas, placed))
        if not _shares(encounter):
            self.canvas.keep_region_quiet(placed.region)
        index, key = len(self.placements), ("populate", "encounter", name, arrival.copy)
        tint = self.brief.content.tint(encounter.category)
        self.placements.append(_placement(placed, arrival, form, self.draw.limit(name), tint))
        if encounter.content:
            self.scatters.append(
                Scatter(entries=encounter.content, index=index, name=key, region=placed.region)
            )
        if placed.drawing is not None:
            self.drawings.append(_drawing(placed, placed.drawing, index, streams.stream(*key)))
        where, unit = _where(placed)
        where = f"{form.variant}: {where}" if form.variant else where
        self.brief.journal.note("place", name, "chosen", where, ((unit, placed.spots),))
        return f"{name}: {where}"


def _told(arrival: Arrival, refused: Refused | Veto) -> str:
    """Return why an encounter was refused, with the counts."""
    counts = ", ".join(f"{rule} {count}" for rule, count in refused.counts)
    return f"{arrival.encounter}: {refused.reason}{f' ({counts})' if counts else ''}"


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


def spacing_of(brief: Brief, canvas: Canvas, zones: Sequence[Territory]) -> Spacing:
    """Return who keeps which distance on a level on which no encounter has been placed.

    Args:
        brief: Which level.
        canvas: Its ground plan.
        zones: The zones of the ground plan.
    """
    encounters = {name: each for name, each in brief.content.encounters.items() if brief.name in each.maps}
    home = canvas.within(regions_in(canvas, zones, [zones[0].name])) if zones else None
    return Spacing(canvas, encounters, len(brief.leads_to), home)


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
) -> tuple[Form, Placed] | Refused:
    """Place a copy of an encounter in the first of its forms that has a place; chance takes them in turn, by their weights.

    Args:
        brief: Which level.
        placer: Who places it.
        arrival: Which copy of which encounter.
        canvas: The level's ground plan.
        zones: The zones of the ground plan.
        spacing: Who keeps which distance there.
    """
    name = arrival.encounter
    forms = {form.label: (form, weight) for form, weight in brief.content.forms_at(name, brief.depth)}
    weights = {label: weight for label, (_, weight) in forms.items()}
    refusals: dict[str, Refused] = {}
    for label in brief.streams.race(weights, "place", name, arrival.copy, "form"):
        form, _ = forms[label]
        found = placer.place(_request_of(brief, arrival, form, canvas, zones, spacing))
        if isinstance(found, Placed):
            return form, found
        refusals[form.variant] = found.in_zones() if form.entry.zones else found
    return of_all(refusals)


def _request_of(  # what is asked for, and where
    brief: Brief,
    arrival: Arrival,
    form: Form,
    canvas: Canvas,
    zones: Sequence[Territory],
    spacing: Spacing,
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
        distances=spacing.distances(name),
        verify=partial(spacing.fault, name),
    )


def _shares(encounter: EncounterEntry) -> bool:
    """Tell whether the map's population may be scattered over the place of an encounter, too."""
    return PLACINGS[encounter.placing.name].shares if encounter.spawns is None else encounter.spawns


def _placement(
    placed: Placed, arrival: Arrival, form: Form, limit: int | None, tint: Colour | None
) -> Placement:
    drawing, encounter = placed.drawing, form.entry
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
        groups=encounter.group.map,
        tint=tint,
        variant=form.variant,
    )


def _drawing(placed: Placed, drawing: Drawing, index: int, stream: Stream) -> PlacedDrawing:
    return PlacedDrawing(drawing=drawing, y=placed.bounds.y, x=placed.bounds.x, index=index, stream=stream)


def _where(placed: Placed) -> tuple[str, str]:
    """Return where something is, and what there were to choose from."""
    drawing, bounds = placed.drawing, placed.bounds
    if drawing is None:
        return f"over region {placed.region} at y {bounds.y}, x {bounds.x}", "sites"
    made = ", dug for it" if placed.dug else ", altered for it" if placed.altered else ""
    return f"{drawing.name} {drawing.orientation.label} at y {bounds.y}, x {bounds.x}{made}", "spots"
