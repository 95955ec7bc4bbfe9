"""Placing: encounters come to stand on the finished ground plan, one after the other.

They come in order of arrival, so that a new encounter leaves those before it where they are. If one of those that are due finds all
the places that it could have had taken, all begin again, and it comes before others: who has the choice yields to who has none.
After the "squeaky wheel" optimization (Joslin and Clements, 1999).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from dungeon.content.values.fields import DEEPEST
from dungeon.core.errors import GenerationError, counted
from dungeon.core.frozen import NOTHING
from dungeon.core.registry import ANY_ACCESS, PLACINGS, layouts_of
from dungeon.generation.encounters.draw import NO_ENCOUNTER, Draw, Rank
from dungeon.generation.encounters.forms import forms_in_turn
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
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from dungeon.content.models.encounters import EncounterEntry, Form
    from dungeon.content.prefab.drawing import Drawing
    from dungeon.core.streams import Stream
    from dungeon.generation.encounters.draw import Arrival, Decided
    from dungeon.generation.stages.brief import Brief, Stage
    from dungeon.generation.stages.layout import GroundPlan
    from dungeon.generation.stages.seed import SeededMap
    from dungeon.level.canvas import Canvas
    from dungeon.level.territory import Territory
    from dungeon.terrain import Colour


MOST_PRESSING = 4
"""So many copies, at most, come before others on a map: for each of them all are placed anew."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Furnishing:
    """What has been placed, and what is to fill it.

    Attributes:
        canvas: The map.
        placements: The seeded prefabs, then the encounters.
        drawings: The prefabs of the encounters, to be filled.
        scatters: What they scatter over their rooms and caves.
        spacing: How far they lie from each other, and from stairs.
    """

    canvas: Canvas
    placements: tuple[Placement, ...]
    drawings: tuple[PlacedDrawing, ...]
    scatters: tuple[Scatter, ...]
    spacing: Spacing


def place(
    brief: Brief, seeded: SeededMap, ground: GroundPlan, kept: Collection[int] = ()
) -> Stage[Furnishing]:
    """Place encounters in order of their arrival until there are enough, or none is left.

    Args:
        brief: Which level.
        seeded: The prefabs that lie there already.
        ground: The map, before anything else is placed. It stays as it is.
        kept: The ids of the regions that are left to stairs, if something can be placed elsewhere.

    Raises:
        GenerationError: One that is guaranteed has no place.
    """
    pressing: dict[str, int] = {}
    before = len(brief.journal.decisions)
    while True:
        placing = _Placing(brief, seeded, ground, kept, pressing)
        squeezed = yield from placing.run()
        if squeezed is None:
            return placing.furnishing()
        pressing[squeezed.encounter] = squeezed.copy
        del brief.journal.decisions[before:]
        before += 1
        reason = "others had left it no place: all are placed anew, and it comes before them"
        brief.journal.note("place", squeezed.encounter, "retried", reason)


class _Placing:
    """The encounters of a map while they are placed.

    Args:
        brief: Which level.
        seeded: The prefabs that lie there already.
        ground: The map; a copy of it is changed.
        kept: The ids of the regions that are left to stairs.
        pressing: Encounter -> how many copies of it come before others.

    Attributes:
        placements: All prefabs, those of the encounters as they are placed.
    """

    def __init__(
        self,
        brief: Brief,
        seeded: SeededMap,
        ground: GroundPlan,
        kept: Collection[int],
        pressing: Mapping[str, int] = NOTHING,
    ) -> None:
        self._begun = brief, seeded, ground, kept
        self._pressing = pressing
        self.brief = brief
        self.draw = Draw(
            brief.content, brief.name, brief.depth, brief.shares, brief.streams, brief.first, pressing
        )
        self.canvas = ground.canvas.copy()
        self._board = Board(self.canvas.height, self.canvas.width)
        self.zones = ground.zones
        self.placements = [*seeded.placements]
        self.drawings: list[PlacedDrawing] = []
        self.scatters: list[Scatter] = []
        self.spacing = spacing_of(brief, self.canvas, ground.zones)
        self._where = ""
        self._placer = placer_of(brief, seeded, replace(ground, canvas=self.canvas), kept)

    def run(self) -> Stage[Arrival | None]:
        """Place one after the other; return at once who is due and finds its places taken, if it might come first.

        Raises:
            GenerationError: One that is guaranteed was refused.
        """
        draw, owed = self.draw, self.draw.wanted
        turns: Iterator[Decided[Refused | Veto]] = draw.run(self._come)
        for turn in turns:
            is_crowded_out = bool(turn.refused) and turn.refused[0][1].kind == "space"
            owed -= is_crowded_out or turn.taking is not None
            is_due = owed >= 0 or turn.arrival.rank is Rank.GUARANTEED
            if is_crowded_out and is_due and self._may_press(turn.arrival):
                return turn.arrival
            if turn.taking is None:
                self._insist(turn.arrival, "; ".join(_told(*each) for each in turn.refused))
            elif turn.taking.encounter == NO_ENCOUNTER:
                self._note(self.brief.id, "a turn at which nothing comes")
            else:
                message = f"{turn.taking.encounter}: {self._where}"
                yield Step(Phase.PLACE, message, self.canvas, self.placements)
        for arrival, veto in draw.unmet():
            self._refuse(arrival, veto)
            self._insist(arrival, veto.reason)
        self._tell()
        return None

    def furnishing(self) -> Furnishing:
        """Return what has been placed."""
        return Furnishing(
            canvas=self.canvas,
            placements=tuple(self.placements),
            drawings=tuple(self.drawings),
            scatters=tuple(self.scatters),
            spacing=self.spacing,
        )

    def _may_press(self, arrival: Arrival) -> bool:
        """Tell whether one that was refused may come before others, has not done so yet, and could be placed if none were there."""
        pressing = self._pressing
        if pressing.get(arrival.encounter, 0) >= arrival.copy or sum(pressing.values()) >= MOST_PRESSING:
            return False
        return not isinstance(_Placing(*self._begun).attempt(arrival), Refused | Veto)

    def _come(self, arrival: Arrival) -> Refused | Veto | None:
        """Place an encounter, or return why it is refused."""
        found = self.attempt(arrival)
        if isinstance(found, Refused | Veto):
            self._refuse(arrival, found)
            return found
        self._take(arrival, *found)
        return None

    def attempt(self, arrival: Arrival) -> tuple[Form, Placed] | Refused | Veto:
        if objection := self.draw.objection(arrival):
            return objection
        return place_in_a_form(self.brief, self._placer, arrival, self.canvas, self.zones, self.spacing)

    def _refuse(self, arrival: Arrival, why: Refused | Veto) -> None:
        """Note why an encounter is not on the map."""
        self.brief.journal.note("place", arrival.encounter, "refused", why.reason, why.counts, why.kind)

    @staticmethod
    def _insist(arrival: Arrival, reason: str) -> None:
        """Do not go on without an encounter that is guaranteed.

        Raises:
            GenerationError: It is.
        """
        if arrival.rank is Rank.GUARANTEED:
            raise GenerationError(f"{arrival.encounter} is guaranteed, and can't be placed: {reason}")

    def _take(self, arrival: Arrival, form: Form, placed: Placed) -> None:
        """Take down what has been placed."""
        name, encounter, streams = arrival.encounter, form.entry, self.brief.streams
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
        self._where = f"{form.variant}: {where}" if form.variant else where
        self.brief.journal.note("place", name, "chosen", self._where, ((unit, placed.spots),))

    def _note(self, subject: str, reason: str) -> None:
        self.brief.journal.note("place", subject, "noted", reason)

    def _tell(self) -> None:
        """Note what the map lacks, and what it has had of what it may have."""
        budget, wanted, level = self.draw.budget, self.draw.wanted, self.brief.id
        if budget.left > 0:
            placed = wanted - budget.left
            self._note(level, f"{placed} of {counted(wanted, 'encounter')} placed; no other is left to try")
        amounts = budget.amounts.items()
        if told := ", ".join(f"{budget.spent[stake]:.3g} {stake} of {most:.3g}" for stake, most in amounts):
            self._note(level, f"the encounters are expected to bring {told}")
        for category, count in budget.shortage.items():
            missing = f"{counted(count, 'encounter')} of the category {category}"
            self._note(level, f"{missing} can't be had, and the mix asks for it")


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
    refusals: dict[str, Refused] = {}
    for form in forms_in_turn(brief.content, brief.depth, brief.streams, arrival.encounter, arrival.copy):
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
