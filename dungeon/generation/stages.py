"""The stages in which a level is made, from the plan to the proof.

This is the only place where the workshops meet: seeding, layouts, placing, encounters, populate.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dungeon.content.models.entries import MAX_DEPTH
from dungeon.content.values.grammar import roll
from dungeon.core.errors import GenerationError, counted
from dungeon.core.registry import ANY_ACCESS, LAYOUTS, PLACINGS
from dungeon.core.streams import Streams
from dungeon.generation.encounters.draw import Draw
from dungeon.generation.layouts.exits import Ways, find_ways
from dungeon.generation.layouts.job import LayoutJob
from dungeon.generation.layouts.seeded import join_seeded
from dungeon.generation.placing.attempt import Placed, PlacingRequest, Refused, attempt
from dungeon.generation.placing.sites import Sites
from dungeon.generation.populate.occupancy import Occupancy
from dungeon.generation.populate.references import PlacedDrawing, Populator
from dungeon.generation.populate.scattering import Scatter, scatter_content, scatter_population
from dungeon.generation.seeding.job import SeedJob
from dungeon.generation.seeding.seed import seed
from dungeon.grid.rect import Cell
from dungeon.level.canvas import Canvas
from dungeon.level.journal import Journal
from dungeon.level.model import Exit, Level, Placement, Region, Spawn
from dungeon.level.proof import prove
from dungeon.level.steps import Phase, Step

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dungeon.content.library import Content
    from dungeon.content.models.entries import EncounterEntry, MapEntry
    from dungeon.content.prefab.drawing import Drawing
    from dungeon.generation.encounters.draw import Arrival
    from dungeon.generation.layouts.job import Mouth

LAYOUT_ATTEMPTS = 10
"""How often a layout may say that its luck was bad before that is an error."""

SEED_ATTEMPTS = 10
"""How often the features of a map are put on it anew before it is said that one of them has no place."""


@dataclass(kw_only=True)
class Stages:
    """One level in the making: its stages, and what they hand on to each other.

    Attributes:
        id: The map's id; `name` and `depth` are its parts, `leads_to` the ids of the maps its exits lead to.
        shares: Encounter -> how many of the copies that the world may have this level may have.
        watched: Whether somebody looks at the steps.
        placements: What has been placed so far; `spawns`: what stands so far.
    """

    content: Content
    seed: int
    id: str
    name: str
    depth: int
    leads_to: tuple[str, ...]
    shares: dict[str, int]
    watched: bool
    journal: Journal = field(default_factory=Journal)
    placements: list[Placement] = field(default_factory=list)
    placed_drawings: list[PlacedDrawing] = field(default_factory=list)
    scatters: list[Scatter] = field(default_factory=list)
    retries: int = 0

    def __post_init__(self) -> None:
        self.streams = Streams(self.seed, self.id)
        self.entry: MapEntry = self.content.maps[self.name]
        self.canvas: Canvas
        self.draw: Draw
        self.drawn: list[tuple[Drawing, int, int]] = []
        self.seeds: SeedJob
        self.wanted = 0
        self.occupancy: Occupancy
        self.ways: Ways
        self.populator: Populator
        self.spawns: Sequence[Spawn] = ()
        self.level: Level | None = None

    def run(self) -> Iterator[Step]:
        """Run the stages in order.

        Raises:
            GenerationError: One of them can't do what is asked; which map of which world that is comes first.
        """
        stages = (
            self.plan,
            self.seed_features,
            self.lay_out,
            self.place,
            self.find_exits,
            self.populate,
            self.paint,
            self.check,
        )
        for stage in stages:
            try:
                yield from stage()
            except GenerationError as error:
                raise GenerationError(f"{self.id} of seed {self.seed}: {error}") from error

    def finished(self) -> Level:
        """Return the level; all stages must have run."""
        if self.level is None:
            raise GenerationError("not all stages have run")
        return self.level

    def plan(self) -> Iterator[Step]:
        """Decide the size of the map and how many encounters it gets, and line the encounters up."""
        layout = LAYOUTS[self.entry.layout.name]
        size = layout.size(self.content.layouts[self.name], self._job(0))
        if size is None:
            stream = self.streams.stream("plan", "size")
            size = roll(self.entry.size.height, stream, 60), roll(self.entry.size.width, stream, 100)
        self.canvas = Canvas(*size, self.content.terrain_set)
        self.draw = Draw(self.content, self.name, self.depth, self.shares, self.streams)
        self.wanted = roll(self.entry.encounters, self.streams.stream("plan", "encounters"), 0)
        possible = len(self.draw.limits)
        message = f"{size[1]}x{size[0]} cells, {counted(self.wanted, 'encounter')} wanted, of {counted(possible, 'kind')}"
        self.journal.note("plan", self.id, "noted", message)
        yield Step(Phase.PLAN, message, self.canvas)

    def seed_features(self) -> Iterator[Step]:
        """Put the map's features on the canvas; begin again with other luck if one that is needed finds no place."""
        for number in range(SEED_ATTEMPTS):
            self.seeds = SeedJob(
                entry=self.entry,
                called=self.content.called,
                weigh=self.content.weight,
                leads_to=self.leads_to,
                streams=self.streams,
                journal=self.journal,
                attempt=number,
            )
            if not (self.entry.features or self.entry.variants):
                return
            bare = self.canvas.copy()
            try:
                yield from seed(self.canvas, self.seeds)
            except GenerationError as error:
                self.journal.note("seed", self.id, "retried", str(error))
                if number == SEED_ATTEMPTS - 1:
                    raise
                self.canvas = bare
            else:
                break
        self.placements += self.seeds.placements
        for each in self.seeds.drawn:
            stream = self.streams.stream("populate", "feature", each.label, each.copy)
            placed = PlacedDrawing(drawing=each.drawing, y=each.y, x=each.x, index=each.index, stream=stream)
            self.placed_drawings.append(placed)

    def _job(self, number: int, mouths: Sequence[Mouth] = ()) -> LayoutJob:
        self.drawn = []
        return LayoutJob(
            streams=self.streams,
            journal=self.journal,
            prefabs=self.content.prefabs,
            mouths=tuple(mouths),
            attempt=number,
            watched=self.watched,
            drawn=self.drawn,
        )

    def lay_out(self) -> Iterator[Step]:
        """Make the ground plan; begin again with other luck where the layout says that its luck was bad."""
        layout = LAYOUTS[self.entry.layout.name]
        params = self.content.layouts[self.name]
        seeded = self.canvas.copy()
        regions = range(1, len(seeded.regions) + 1)
        standing = Occupancy(seeded)
        for each in self.seeds.drawn:
            standing.expect(each.drawing, each.y, each.x)
        for number in range(LAYOUT_ATTEMPTS):
            job = self._job(number, self.seeds.mouths)
            try:
                yield from layout.build(self.canvas, params, job)
                yield from join_seeded(self.canvas, job.mouths, regions, standing.obstacles)
            except GenerationError as error:
                self.journal.note("layout", layout.name, "retried", str(error))
                if number == LAYOUT_ATTEMPTS - 1:
                    raise
                self.retries += 1
                self.canvas = seeded.copy()
            else:
                break
        for placement in self.seeds.placements:
            self.canvas.claim(placement.bounds)
        for number, (drawing, y, x) in enumerate(self.drawn):
            stream = self.streams.stream("populate", "map", number)
            self.placed_drawings.append(PlacedDrawing(drawing=drawing, y=y, x=x, index=None, stream=stream))

    def place(self) -> Iterator[Step]:
        """Place encounters in order of their arrival until there are enough, or none is left."""
        sites = Sites.of(self.canvas)
        seeded = len(self.placements)
        while len(self.placements) - seeded < self.wanted and (arrival := self.draw.next()):
            name, copy = arrival.encounter, arrival.copy
            encounter = self.content.encounters[name]
            excluded = self.draw.excluded_by(arrival)
            if excluded is not None:
                reason = f"its group {excluded[0]!r} is taken by {excluded[1]}"
                self.journal.note("place", name, "refused", reason)
                continue
            placed = attempt(self.canvas, sites, self._request(name, copy, encounter), self.streams)
            if isinstance(placed, Refused):
                self.journal.note("place", name, "refused", placed.reason, placed.counts)
                continue
            self.draw.place(arrival)
            where, unit = self._note(placed, arrival, encounter)
            self.journal.note("place", name, "chosen", where, ((unit, placed.spots),))
            yield Step(Phase.PLACE, f"{name}: {where}", self.canvas)
        count = len(self.placements) - seeded
        if count < self.wanted:
            reason = f"{count} of {counted(self.wanted, 'encounter')} placed; no other is left to try"
            self.journal.note("place", self.id, "noted", reason)
        elif waiting := self.draw.waiting():
            reason = f"{counted(len(waiting), 'possible encounter')} not drawn: {', '.join(waiting)}"
            self.journal.note("place", self.id, "noted", reason)

    def _note(self, placed: Placed, arrival: Arrival, encounter: EncounterEntry) -> tuple[str, str]:
        """Remember a placement and what is to fill it; return where it is, and what there were to choose from."""
        drawing, bounds, index = placed.drawing, placed.bounds, len(self.placements)
        placement = Placement(
            encounter=arrival.encounter,
            category=encounter.category,
            prefab=drawing.name if drawing else "",
            mode=encounter.placing.name,
            orientation=drawing.orientation.label if drawing else "",
            region=placed.region,
            bounds=bounds,
            copy=arrival.copy,
            limit=self.draw.limits[arrival.encounter],
            groups=encounter.group,
        )
        self.placements.append(placement)
        mode = PLACINGS[encounter.placing.name]
        shares = mode.shares if encounter.spawns is None else encounter.spawns
        if not shares:
            self.canvas.keep_region_quiet(placed.region)
        name = ("populate", "encounter", arrival.encounter, arrival.copy)
        if encounter.content:
            self.scatters.append(
                Scatter(entries=encounter.content, index=index, name=name, region=placed.region)
            )
        if drawing is None:
            return f"over region {placed.region} at y {bounds.y}, x {bounds.x}", "sites"
        stream = self.streams.stream(*name)
        self.placed_drawings.append(
            PlacedDrawing(drawing=drawing, y=bounds.y, x=bounds.x, index=index, stream=stream)
        )
        return f"{drawing.name} {placement.orientation} at y {bounds.y}, x {bounds.x}", "spots"

    def _request(self, name: str, copy: int, encounter: EncounterEntry) -> PlacingRequest:
        mode = PLACINGS[encounter.placing.name]
        low, high = encounter.access or mode.access
        return PlacingRequest(
            name=("place", name, copy),
            mode=mode,
            params=self.content.placings[name],
            prefabs=self.content.choices[name],
            access=(low, ANY_ACCESS[1] if high >= MAX_DEPTH else high),
        )

    def find_exits(self) -> Iterator[Step]:
        """Choose where the player arrives and where the ways on are: not where something is going to stand."""
        self.occupancy = Occupancy(self.canvas)
        for placed in self.placed_drawings:
            self.occupancy.expect(placed.drawing, placed.y, placed.x)
        self.ways = find_ways(
            self.canvas,
            self.placements,
            self.leads_to,
            self.streams,
            bound={
                Cell(placed.y + stairs.y, placed.x + stairs.x): stairs.to
                for placed in self.placed_drawings
                for stairs in placed.drawing.stairs
            }
            | self.seeds.bound,
            lacking=self.seeds.lacking,
            obstacles=self.occupancy.obstacles,
            meant=self.occupancy.meant,
        )
        for cell, to in self.ways.dropped:
            self.journal.note(
                "exits", f"stairs at y {cell.y}, x {cell.x}", "refused", f"no way to {to} is left from here"
            )
        for name, cells in (("entrance", [self.ways.entrance]), ("exits", self.ways.exits)):
            lack = self.seeds.lacking.get(name)
            for cell in cells:
                if lack is not None and lack[cell]:
                    lacking = counted(int(lack[cell]), "step")
                    text = f"no place is as far from the map's features as it is to be: {lacking} too near"
                    self.journal.note("exits", f"{name} at y {cell.y}, x {cell.x}", "noted", text)
        self.occupancy.open_to(self.ways.ground)
        entrance = self.ways.entrance
        message = f"entrance at y {entrance.y}, x {entrance.x}; {counted(len(self.ways.exits), 'exit')}"
        yield Step(Phase.EXITS, message, self.canvas)

    def populate(self) -> Iterator[Step]:
        """Turn references and the map's population into spawns."""
        self.populator = Populator(
            canvas=self.canvas,
            catalog=self.content.catalog,
            weigh=self.content.weight,
            depth=self.depth,
            journal=self.journal,
            occupancy=self.occupancy,
        )
        self.spawns = self.populator.spawns
        for placed in self.placed_drawings:
            self.populator.fill(placed)
            yield Step(Phase.POPULATE, f"{placed.drawing.name} is filled", self.canvas)
        for each in self.scatters:
            scatter_content(self.populator, each, self.streams)
            yield Step(Phase.POPULATE, f"{self.placements[each.index].encounter} is scattered", self.canvas)
        self.populator.drop_lost_items(self.ways.entrance)
        scatter_population(self.populator, self.entry.population, self.ways.entrance, self.streams)
        yield Step(Phase.POPULATE, f"{counted(len(self.populator.spawns), 'object')} placed", self.canvas)

    def paint(self) -> Iterator[Step]:
        """Give terrain the look of the map's theme."""
        if self.entry.theme is not None:
            self.canvas.terrain = self.content.themes[self.entry.theme].take(self.canvas.terrain)
            yield Step(Phase.PAINT, f"painted as {self.entry.theme}", self.canvas)

    def check(self) -> Iterator[Step]:
        """Freeze the level and prove it."""
        canvas = self.canvas
        doors_of: list[list[int]] = [[] for _ in range(len(canvas.regions) + 1)]
        for index, door in enumerate(canvas.doors):
            a, b = door.between
            doors_of[a].append(index)
            if a != b:
                doors_of[b].append(index)
        self.level = Level(
            id=self.id,
            name=self.entry.name,
            depth=self.depth,
            seed=self.seed,
            terrain=canvas.terrain.copy(),
            region=canvas.region.copy(),
            terrain_set=self.content.terrain_set,
            entrance=self.ways.entrance,
            exits=tuple(
                Exit(y=cell.y, x=cell.x, leads_to=target)
                for cell, target in zip(self.ways.exits, self.leads_to, strict=True)
            ),
            regions=tuple(
                Region(
                    id=each.id,
                    kind=each.kind,
                    bounds=each.bounds,
                    doors=tuple(doors_of[each.id]),
                    sealed=each.sealed,
                )
                for each in canvas.regions
            ),
            doors=tuple(canvas.doors),
            placements=tuple(self.placements),
            spawns=tuple(self.populator.spawns),
            lights=tuple(self.populator.lights),
            journal=tuple(self.journal.decisions),
            retries=self.retries,
        )
        violations = prove(self.level)
        if violations:
            listed = "\n".join(f"  {violation}" for violation in violations)
            raise GenerationError(f"the level breaks a promise:\n{listed}")
        yield Step(Phase.PROVE, "proved playable", canvas)
