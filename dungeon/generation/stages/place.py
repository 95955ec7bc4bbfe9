"""The stage that draws encounters for a level one after another and places each on the finished ground plan.

A *site* is a room or cave in which an encounter may be placed. A *form* of an encounter is one of its variants, or the encounter
itself if it has none. An *arrival* is one drawn copy of an encounter that is to be placed. An encounter takes a free site, or one
that an earlier encounter can leave: see `dungeon.generation.placing.placer`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from dungeon.content.values.fields import DEEPEST
from dungeon.core.errors import CrowdedError, counted
from dungeon.core.registry import ANY_ACCESS, PLACINGS, layouts_of
from dungeon.core.vocabulary import ARRIVAL, EXITS
from dungeon.generation.encounters.draw import NO_ENCOUNTER, Draw, Rank, RuleRefusal, forms_in_turn
from dungeon.generation.placing.alterations import AlterationLimits
from dungeon.generation.placing.attempt import PlacedRequest, PlacingRequest, unopenable_locks
from dungeon.generation.placing.ground import SITE_KINDS
from dungeon.generation.placing.placer import Placer
from dungeon.generation.placing.refusals import SpaceRefusal, joined_refusal
from dungeon.generation.placing.spacing import Spacing
from dungeon.generation.populate.placed_drawings import PlacedDrawing
from dungeon.generation.populate.scattering import Scatter
from dungeon.grid.rect import Rect
from dungeon.level.model import Placement
from dungeon.level.steps import Phase, Step
from dungeon.level.territory import cells_of, regions_in

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from dungeon.content.models.encounters import EncounterEntry, EncounterForm
    from dungeon.generation.encounters.draw import Arrival, TurnResult
    from dungeon.generation.layouts.exits import ForeseenStairs
    from dungeon.generation.stages.brief import Brief, Stage
    from dungeon.generation.stages.layout import LaidOutMap
    from dungeon.generation.stages.seed import SeededMap
    from dungeon.level.canvas import Canvas
    from dungeon.level.territory import Territory


@dataclass(frozen=True, slots=True, kw_only=True)
class FurnishedMap:
    """The map after all encounters are placed, with the prefabs and rooms that are still to be filled with objects.

    Attributes:
        canvas: The map.
        placements: The prefabs of features (placed before the layout), then the encounters.
        drawings: The prefabs of the encounters, to be filled with objects.
        scatters: The objects that encounters scatter over their rooms and caves.
        spacing: The distances that encounters keep from each other and from stairs.
    """

    canvas: Canvas
    placements: tuple[Placement, ...]
    drawings: tuple[PlacedDrawing, ...]
    scatters: tuple[Scatter, ...]
    spacing: Spacing


def place(
    brief: Brief, seeded: SeededMap, ground: LaidOutMap, kept: Collection[int] = ()
) -> Stage[FurnishedMap]:
    """Draw and place encounters one after another until the map has the wanted number, or none is left to draw.

    Args:
        brief: The level to make.
        seeded: The map with its features.
        ground: The ground plan, which is not changed.
        kept: The ids of the regions kept for stairs. An encounter takes such a region only if it fits nowhere else.

    Raises:
        CrowdedError: A guaranteed encounter has no place.
    """
    placing = _EncounterPlacing(brief, seeded, replace(ground, canvas=ground.canvas.copy()), kept)
    yield from placing.run()
    return placing.furnishing()


def place_alone(
    brief: Brief, seeded: SeededMap, ground: LaidOutMap, arrival: Arrival
) -> tuple[Canvas, PlacedRequest] | SpaceRefusal:
    """Place one encounter on a copy of a ground plan that has no other encounter.

    Args:
        brief: The level to make.
        seeded: The map with its features.
        ground: The ground plan, which is not changed.
        arrival: The encounter.

    Returns:
        (canvas with the encounter, where it lies), or the reason why it has no place.
    """
    alone = replace(ground, canvas=ground.canvas.copy())
    found = _placed_in_a_form(brief, _placer_of(brief, seeded, alone), alone, arrival)
    return found if isinstance(found, SpaceRefusal) else (alone.canvas, found[1])


class _PlacedCopy(NamedTuple):
    """A placed copy of an encounter: which copy, in which form (variant), and the index of its line in the journal."""

    arrival: Arrival
    form: EncounterForm
    line: int


class _EncounterPlacing:
    """The placing of all encounters of a level.

    Args:
        brief: The level to make.
        seeded: The map with its features.
        ground: The ground plan; its canvas changes.
        kept: The ids of the regions kept for stairs.
    """

    def __init__(self, brief: Brief, seeded: SeededMap, ground: LaidOutMap, kept: Collection[int]) -> None:
        self._brief, self._seeded, self._ground = brief, seeded, ground
        self._draw = Draw(brief.content, brief.name, brief.depth, brief.shares, brief.streams, brief.first)
        self._placer = _placer_of(brief, seeded, ground, kept)
        self._copies: list[_PlacedCopy] = []
        self._placements: list[Placement] = [*seeded.placements]

    def run(self) -> Stage[None]:
        """Draw and place encounters one after another; yield a step for each encounter that is placed.

        Raises:
            CrowdedError: A guaranteed encounter was refused.
        """
        turns: Iterator[TurnResult[SpaceRefusal | RuleRefusal]] = self._draw.run(self._try_to_place)
        for turn in turns:
            if turn.placed is None:
                reasons = [_refusal_text(turn.arrival, *each) for each in turn.refused]
                self._raise_if_guaranteed(turn.arrival, "; ".join(reasons) + self._no_sites(turn.arrival))
            elif turn.placed.encounter == NO_ENCOUNTER:
                self._note(self._brief.id, "a turn without an encounter")
            else:
                line = self._brief.journal.decisions[self._copies[-1].line]
                message = f"{line.subject}: {line.reason}"
                yield Step(Phase.PLACE, message, self._ground.canvas, tuple(self._placements))
        for arrival, refusal in self._draw.still_waiting():
            self._refuse(arrival, refusal)
            self._raise_if_guaranteed(arrival, refusal.reason)
        self._sum_up()

    def furnishing(self) -> FurnishedMap:
        """Return the result of the stage: the map with all encounters that were placed."""
        assert self._placer.spacing
        drawings, scatters = [], []
        placed_copies = zip(self._copies, (each.placed for each in self._placer.occupants), strict=True)
        for index, (copy_placed, placed) in enumerate(placed_copies, len(self._seeded.placements)):
            name = "populate", "encounter", copy_placed.arrival.encounter, copy_placed.arrival.copy
            if placed.drawing is not None:
                at, stream = placed.bounds, self._brief.streams.stream(*name)
                drawings.append(
                    PlacedDrawing(drawing=placed.drawing, y=at.y, x=at.x, index=index, stream=stream)
                )
            if content := copy_placed.form.entry.content:
                scatters.append(Scatter(entries=content, index=index, name=name, region=placed.region))
        return FurnishedMap(
            canvas=self._ground.canvas,
            placements=tuple(self._placements),
            drawings=tuple(drawings),
            scatters=tuple(scatters),
            spacing=self._placer.spacing,
        )

    def _try_to_place(self, arrival: Arrival) -> SpaceRefusal | RuleRefusal | None:
        """Place a drawn encounter, and note it in the journal; return None, or the reason if it was refused."""
        refusal = self._draw.refusal(arrival)
        found = refusal or _placed_in_a_form(self._brief, self._placer, self._ground, arrival)
        if isinstance(found, SpaceRefusal | RuleRefusal):
            self._refuse(arrival, found)
            return found
        for index in self._placer.moved:
            self._note_move(index, arrival)
        form, placed = found
        self._copies.append(_PlacedCopy(arrival, form, len(self._brief.journal.decisions)))
        self._brief.journal.note("place", arrival.encounter, "chosen", *_placement_text(form, placed))
        self._placements.append(self._placement(self._copies[-1], placed))
        return None

    def _note_move(self, index: int, cause: Arrival) -> None:
        """Update the journal line and the placement of an encounter that was moved to make room for another one.

        Args:
            index: The index of the moved encounter among those placed so far.
            cause: The encounter that now has room.
        """
        copy_placed, moved = self._copies[index], self._placer.occupants[index].placed
        where, counts = _placement_text(copy_placed.form, moved)
        reason = f"{where}; moved there so that {cause.encounter} has a place"
        decisions = self._brief.journal.decisions
        decisions[copy_placed.line] = replace(decisions[copy_placed.line], reason=reason, counts=counts)
        self._placements[len(self._seeded.placements) + index] = self._placement(copy_placed, moved)

    def _placement(self, copy_placed: _PlacedCopy, placed: PlacedRequest) -> Placement:
        """Return the entry of an encounter for `Level.placements`.

        Args:
            copy_placed: Which copy of which encounter.
            placed: Where it lies, with its drawing.
        """
        drawing, encounter, name = placed.drawing, copy_placed.form.entry, copy_placed.arrival.encounter
        return Placement(
            encounter=name,
            category=encounter.category,
            prefab=drawing.name if drawing else "",
            mode=encounter.placing.name,
            orientation=drawing.orientation.label if drawing else "",
            region=placed.region,
            bounds=placed.bounds,
            copy=copy_placed.arrival.copy,
            limit=self._draw.limit(name),
            groups=encounter.group.map,
            tint=self._brief.content.tint(encounter.category),
            variant=copy_placed.form.variant,
        )

    def _refuse(self, arrival: Arrival, why: SpaceRefusal | RuleRefusal) -> None:
        """Note in the journal why an encounter was refused."""
        self._brief.journal.note("place", arrival.encounter, "refused", why.reason, why.counts, why.kind)

    def _raise_if_guaranteed(self, arrival: Arrival, reason: str) -> None:
        """Raise a CrowdedError if the refused encounter is guaranteed."""
        if arrival.rank is Rank.GUARANTEED:
            raise CrowdedError(f"{arrival.encounter} is guaranteed, and can't be placed: {reason}")

    def _no_sites(self, arrival: Arrival) -> str:
        """Return in words that the layout makes no rooms or caves for an encounter; empty if it may make some."""
        brief = self._brief
        forms = brief.content.forms[arrival.encounter]
        needed = {kind for form in forms for kind in PLACINGS[form.entry.placing.name].kinds}
        return "" if needed & _site_kinds(brief) else f"; the layout {brief.entry.layout.name} makes none"

    def _note(self, subject: str, reason: str) -> None:
        """Add a remark to the journal."""
        self._brief.journal.note("place", subject, "noted", reason)

    def _sum_up(self) -> None:
        """Note in the journal how many encounters are missing, in all and by category, and how much of the budget is spent."""
        budget, wanted, level = self._draw.budget, self._draw.wanted, self._brief.id
        if budget.left > 0:
            placed = wanted - budget.left
            self._note(level, f"{placed} of {counted(wanted, 'encounter')} placed; no other is left to try")
        amounts = budget.amounts.items()
        if told := ", ".join(f"{budget.spent[stake]:.3g} {stake} of {most:.3g}" for stake, most in amounts):
            self._note(level, f"the encounters are expected to bring {told}")
        for category, count in budget.shortage.items():
            missing = f"{counted(count, 'encounter')} of the category {category}"
            self._note(level, f"{missing} can't be placed, though the mix asks for it")


# -- requests --------------------------------------------------------------------------------------


def _placer_of(brief: Brief, seeded: SeededMap, ground: LaidOutMap, kept: Collection[int] = ()) -> Placer:
    """Return the object that places encounters on a level; it draws on the canvas of the ground plan.

    Args:
        brief: The level to make.
        seeded: The map with its features.
        ground: The ground plan.
        kept: The ids of the regions kept for stairs.
    """
    return Placer(
        ground.canvas,
        brief.streams,
        kinds=_site_kinds(brief) if brief.entry.annexes else (),
        limits=partial(_alteration_limits, seeded, ground),
        kept=kept,
        spacing=_spacing_of(brief, ground),
    )


def _site_kinds(brief: Brief) -> set[str]:
    """Return the kinds of regions, such as room and cave, that the map's layouts may make."""
    layouts = layouts_of(brief.entry.layout.name, brief.content.layouts[brief.name])
    return {kind for layout, _ in layouts for kind in (SITE_KINDS if layout.kinds is None else layout.kinds)}


def _alteration_limits(seeded: SeededMap, ground: LaidOutMap) -> AlterationLimits:
    """Return the cells that must not change when a room is altered for an encounter.

    They are the doors into zones, the doors of features, and the obstacles of all drawings.
    """
    limits = AlterationLimits.none(ground.canvas)
    for gate in (gate for zone in ground.zones for gate in zone.gates):
        limits.doors[gate] = limits.stopped[gate] = True
    for placement in seeded.placements:
        limits.doors[placement.bounds.grown().clipped(*limits.doors.shape).slices] = True
    for drawn in (*seeded.drawings, *ground.drawings):
        obstacles = drawn.drawing.barriers
        here = Rect(drawn.y, drawn.x, *obstacles.shape)
        limits.stopped[here.slices] |= obstacles
    return limits


def _spacing_of(brief: Brief, ground: LaidOutMap) -> Spacing:
    """Return the object that checks the distances which encounters keep from each other and from stairs; none is placed yet."""
    encounters = {name: each for name, each in brief.content.encounters.items() if brief.name in each.maps}
    canvas, zones = ground.canvas, ground.zones
    first = canvas.within(regions_in(canvas, zones, [zones[0].name])) if zones else None
    return Spacing(canvas, encounters, _wanted_stairs(brief), first)


def _wanted_stairs(brief: Brief) -> dict[str, int]:
    """Return "entrance" or "exits" -> the number of such stairs that the map must have, those of towers included."""
    up = sum(len(floor.up) for floor in brief.floors)
    down = [each.leads_to for floor in brief.floors for each in floor.down]
    is_way_in = any(floor.is_way_in for floor in brief.floors)
    return {ARRIVAL: up + (not is_way_in), EXITS: len({*brief.leads_to} - {*down}) + len(down)}


def _placed_in_a_form(
    brief: Brief, placer: Placer, ground: LaidOutMap, arrival: Arrival
) -> tuple[EncounterForm, PlacedRequest] | SpaceRefusal:
    """Place a copy of an encounter in the first of its forms (variants) that fits, in weighted random order.

    Args:
        brief: The level to make.
        placer: Places the encounter.
        ground: The ground plan.
        arrival: The encounter, and the number of this copy.

    Returns:
        (the form, where it lies), or the reason why no form fits.
    """
    refusals: dict[str, SpaceRefusal] = {}
    forms = forms_in_turn(
        brief.content, brief.name, brief.depth, brief.streams, arrival.encounter, arrival.copy
    )
    for form in forms:
        request = _request_of(brief, ground, arrival, form)
        found = placer.place(request)
        if isinstance(found, PlacedRequest):
            return form, found
        found = found.for_locks(unopenable_locks(request, ground.canvas.terrain_set, brief.streams))
        refusals[form.variant] = found.in_zones() if form.entry.zones else found
    return joined_refusal(refusals)


def _request_of(brief: Brief, ground: LaidOutMap, arrival: Arrival, form: EncounterForm) -> PlacingRequest:
    """Return the request to place a copy of an encounter in one of its forms (variants)."""
    encounter, label, canvas = form.entry, form.label, ground.canvas
    own = [zone for zone in ground.zones if zone.name in encounter.zones]
    mode = PLACINGS[encounter.placing.name]
    low, high = encounter.access or mode.access
    return PlacingRequest(
        name=("place", arrival.encounter, arrival.copy, *filter(None, [form.variant])),
        mode=mode,
        params=brief.content.placings[label],
        prefabs=brief.content.choices_on(label, brief.name, brief.depth),
        weights=brief.content.preferences_on(label, brief.name, brief.depth),
        rolled={},
        access=(low, ANY_ACCESS[1] if high >= DEEPEST else high),
        regions=regions_in(canvas, ground.zones, encounter.zones) if encounter.zones else None,
        within=cells_of(canvas, own) if encounter.zones else None,
        is_alone=not _shares(encounter),
    )


def _shares(encounter: EncounterEntry) -> bool:
    """Tell whether objects of the map's own population may be scattered over the room or cave of an encounter."""
    return PLACINGS[encounter.placing.name].shares if encounter.spawns is None else encounter.spawns


# -- texts for the journal --------------------------------------------------------------------------


def _refusal_text(turn: Arrival, arrival: Arrival, refused: SpaceRefusal | RuleRefusal) -> str:
    """Return in words why an encounter was refused in a turn, with the number of rooms and caves that each rule excluded.

    If it is another encounter than that whose turn it is, its name comes first.
    """
    counts = ", ".join(f"{rule} {count}" for rule, count in refused.counts)
    name = "" if arrival.encounter == turn.encounter else f"{arrival.encounter}: "
    return f"{name}{refused.reason}{f' ({counts})' if counts else ''}"


def _placement_text(form: EncounterForm, placed: PlacedRequest) -> tuple[str, tuple[tuple[str, int], ...]]:
    """Return in words where an encounter lies; and ("spots" or "sites", the number of places that it could choose from).

    A spot is a position of its prefab. An encounter without a prefab chooses among sites: free rooms and caves.
    """
    drawing, bounds, unit = placed.drawing, placed.bounds, "spots"
    if drawing is None:
        where, unit = f"over region {placed.region} at y {bounds.y}, x {bounds.x}", "sites"
    else:
        made = ", dug for it" if placed.dug else ", altered for it" if placed.altered else ""
        where = f"{drawing.name} {drawing.orientation.label} at y {bounds.y}, x {bounds.x}{made}"
    return f"{form.variant}: {where}" if form.variant else where, ((unit, placed.spots),)


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelState:
    """The results of the stages up to placing, from which later stages work.

    Attributes:
        seeded: The map with its features (prefabs placed before the layout).
        ground: The ground plan, as the layout made it.
        furnishing: The map with its encounters.
        foreseen: Where stairs would be on a level without encounters.
    """

    seeded: SeededMap
    ground: LaidOutMap
    furnishing: FurnishedMap
    foreseen: tuple[ForeseenStairs, ...] = ()

    @property
    def canvas(self) -> Canvas:
        """The map; later stages change it."""
        return self.furnishing.canvas

    @property
    def placements(self) -> tuple[Placement, ...]:
        """The prefabs of the map's features, then its encounters."""
        return self.furnishing.placements

    @property
    def all_placements(self) -> tuple[Placement, ...]:
        """The prefabs of the map's features, its encounters, and the prefabs that the layout itself drew."""
        return (*self.placements, *self.ground.pieces)

    @property
    def drawings(self) -> tuple[PlacedDrawing, ...]:
        """All drawings on the map: of features, of the layout, of encounters."""
        return (*self.seeded.drawings, *self.ground.drawings, *self.furnishing.drawings)

    def numbered_drawings(self) -> tuple[PlacedDrawing, ...]:
        """Return all drawings on the map. In those of the layout, `index` is the position in `all_placements`; it is already in the others."""
        if not self.ground.pieces:
            return self.drawings
        laid_out = enumerate(self.ground.drawings, len(self.placements))
        numbered = (replace(each, index=index) for index, each in laid_out)
        return (*self.seeded.drawings, *numbered, *self.furnishing.drawings)

    @property
    def zones(self) -> tuple[Territory, ...]:
        """The zones of the layout."""
        return self.ground.zones
