"""Placing: encounters come to stand on the finished ground plan, one after the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dungeon.content.values.fields import DEEPEST
from dungeon.core.errors import GenerationError, counted
from dungeon.core.registry import ANY_ACCESS, PLACINGS, layouts_of
from dungeon.generation.encounters.draw import NO_ENCOUNTER, Rank
from dungeon.generation.placing.attempt import Placed, PlacingRequest, Refused
from dungeon.generation.placing.ground import SITE_KINDS
from dungeon.generation.placing.placer import Placer
from dungeon.generation.populate.placed import PlacedDrawing
from dungeon.generation.populate.population.scattering import Scatter
from dungeon.level.model import Placement
from dungeon.level.steps import Phase, Step
from dungeon.level.territory import cells_of, regions_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dungeon.content.models.encounters import EncounterEntry
    from dungeon.content.prefab.drawing import Drawing
    from dungeon.core.streams import Stream
    from dungeon.generation.encounters.draw import Arrival, Draw
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

    Raises:
        GenerationError: One that is guaranteed has no place.
    """
    placing = _Placing(brief, plan.draw, canvas, zones, [*seeded])
    draw, journal = plan.draw, brief.journal
    count = 0
    while (count < plan.wanted or draw.presses) and (arrival := draw.next()):
        if arrival.encounter == NO_ENCOUNTER:
            count += 1
            draw.place(arrival)
            journal.note("place", brief.id, "noted", "a turn at which nothing comes")
            continue
        message = placing.place(arrival)
        if message is not None:
            count += 1
            yield Step(Phase.PLACE, message, canvas, placing.placements)
    for arrival, reason in draw.unmet():
        placing.refuse(arrival, Refused(reason, ()))
        placing.insist(arrival, reason)
    if count < plan.wanted:
        reason = f"{count} of {counted(plan.wanted, 'encounter')} placed; no other is left to try"
        journal.note("place", brief.id, "noted", reason)
    elif waiting := draw.waiting():
        reason = f"{counted(len(waiting), 'possible encounter')} not drawn: {', '.join(waiting)}"
        journal.note("place", brief.id, "noted", reason)
    return Furnishing(
        placements=tuple(placing.placements),
        drawings=tuple(placing.drawings),
        scatters=tuple(placing.scatters),
    )


class _Placing:
    """The encounters of a map while they are placed.

    Args:
        brief: Which level.
        draw: Whose turn it is.
        canvas: The map.
        zones: Its zones.
        placements: The prefabs that lie there already; takes those of the encounters.
    """

    def __init__(
        self,
        brief: Brief,
        draw: Draw,
        canvas: Canvas,
        zones: Sequence[Territory],
        placements: list[Placement],
    ) -> None:
        self.brief = brief
        self.draw = draw
        self.canvas = canvas
        self.zones = zones
        self.placements = placements
        self.drawings: list[PlacedDrawing] = []
        self.scatters: list[Scatter] = []
        self._placer = placer_of(brief, canvas)

    def place(self, arrival: Arrival) -> str | None:
        """Place an encounter, or whatever stands in for it, and return where that is; None if all are refused.

        Raises:
            GenerationError: It is guaranteed, and was refused.
        """
        trying: Arrival | None = arrival
        reasons = []
        while trying is not None:
            found = self._try(trying)
            if isinstance(found, Placed):
                return self._take(trying, found)
            self.refuse(trying, found)
            reasons.append(_told(trying, found))
            trying = self.draw.instead(trying)
        self.insist(arrival, "; ".join(reasons))
        return None

    def _try(self, arrival: Arrival) -> Placed | Refused:
        if objection := self.draw.objection(arrival):
            return Refused(objection, ())
        found = self._placer.place(request_of(self.brief, arrival, self.canvas, self.zones))
        if isinstance(found, Refused) and self._entry(arrival).zones:
            return found._replace(reason=f"in its zones: {found.reason}")
        return found

    def refuse(self, arrival: Arrival, refused: Refused) -> None:
        """Note why an encounter is not on the map."""
        self.brief.journal.note("place", arrival.encounter, "refused", refused.reason, refused.counts)

    @staticmethod
    def insist(arrival: Arrival, reason: str) -> None:
        """Do not go on without an encounter that is guaranteed.

        Raises:
            GenerationError: It is.
        """
        if arrival.rank is Rank.GUARANTEED:
            raise GenerationError(f"{arrival.encounter} is guaranteed, and can't be placed: {reason}")

    def _entry(self, arrival: Arrival) -> EncounterEntry:
        return self.brief.content.encounters[arrival.encounter]

    def _take(self, arrival: Arrival, placed: Placed) -> str:
        """Take down what has been placed."""
        name, encounter, streams = arrival.encounter, self._entry(arrival), self.brief.streams
        self.draw.place(arrival)
        if not _shares(encounter):
            self.canvas.keep_region_quiet(placed.region)
        index, key = len(self.placements), ("populate", "encounter", name, arrival.copy)
        self.placements.append(_placement(placed, arrival, encounter, self.draw.limit(name)))
        if encounter.content:
            self.scatters.append(
                Scatter(entries=encounter.content, index=index, name=key, region=placed.region)
            )
        if placed.drawing is not None:
            self.drawings.append(_drawing(placed, placed.drawing, index, streams.stream(*key)))
        where, unit = _where(placed)
        self.brief.journal.note("place", name, "chosen", where, ((unit, placed.spots),))
        return f"{name}: {where}"


def _told(arrival: Arrival, refused: Refused) -> str:
    """Return why an encounter was refused, with the counts."""
    counts = ", ".join(f"{rule} {count}" for rule, count in refused.counts)
    return f"{arrival.encounter}: {refused.reason}{f' ({counts})' if counts else ''}"


def placer_of(brief: Brief, canvas: Canvas) -> Placer:
    """Return who places the encounters of a level.

    Args:
        brief: Which level.
        canvas: Its ground plan.
    """
    layouts = layouts_of(brief.entry.layout.name, brief.content.layouts[brief.name])
    kinds = {kind for layout, _ in layouts for kind in (SITE_KINDS if layout.kinds is None else layout.kinds)}
    return Placer(canvas, brief.streams, kinds=kinds if brief.entry.annexes else ())


def request_of(brief: Brief, arrival: Arrival, canvas: Canvas, zones: Sequence[Territory]) -> PlacingRequest:
    """Return what a copy of an encounter asks for.

    Args:
        brief: Which level.
        arrival: Which copy of which encounter.
        canvas: The level's ground plan.
        zones: The zones of the ground plan.
    """
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
        groups=encounter.group.map,
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
