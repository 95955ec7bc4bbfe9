"""What may be laid on the map for a feature: a barrier or area, stairs, or one of many drawings of prefabs.

A feature is something that an author wants on a map before its rooms are dug. A candidate is one form of it, such as
one drawing in one orientation. A mouth is a place where a corridor must join a laid prefab. A mask is an int with one
bit for each cell of the map.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from dungeon import terrain as t
from dungeon.content.models.features import LANDING, length_in_cells
from dungeon.content.prefab.drawing import Drawing, DrawnGround, Stairs
from dungeon.content.values.grammar import roll
from dungeon.content.values.prefab_weights import Variants, share_odds
from dungeon.core.frozen import NOTHING
from dungeon.core.vocabulary import ARRIVAL, EXITS
from dungeon.generation.openings.landings import lay
from dungeon.generation.openings.openings import Openings, openings
from dungeon.generation.seeding.ground import Front
from dungeon.grid.rect import Cell, Rect
from dungeon.grid.symmetry import Orientation
from dungeon.level.model import Placement

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from numpy.typing import NDArray

    from dungeon.content.models.features import FeatureEntry, Size
    from dungeon.content.models.maps import MapEntry
    from dungeon.content.prefab.prefab import Prefab
    from dungeon.content.values.fields import Weight
    from dungeon.content.values.grammar import Value
    from dungeon.core.streams import Streams
    from dungeon.core.vocabulary import Category
    from dungeon.generation.seeding.floors import TowerFloor
    from dungeon.generation.seeding.ground import FeatureSpace
    from dungeon.level.canvas import Canvas, Mouth
    from dungeon.level.journal import Journal
    from dungeon.terrain import Colour


@dataclass(frozen=True, slots=True, kw_only=True)
class SeededDrawing:
    """A drawing that has been laid on the map for a feature.

    Attributes:
        label: The name of the feature.
        copy: The number of the feature's copy, from 1.
        drawing: The drawing.
        y: The row of the drawing's top left cell; `x`: the column.
        index: The index of its `Placement` in `SeedJob.placements`; None for plain stairs.
        stopped: (height, width) bool, open cells of the drawing that corridors need not reach and must not lead through.
        lock: The name of the lock (key and door share it) for the drawing's outer doors; None for no lock.
        kept_off: The names of the kinds of objects of which the map scatters none over the drawing.
    """

    label: str
    copy: int
    drawing: Drawing
    y: int
    x: int
    index: int | None
    stopped: NDArray[np.bool_]
    lock: Value[str] | None = None
    kept_off: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SeedJob:
    """The input and output of one attempt at seeding a level: laying its features. Seeding fills the fields from `mouths` on.

    Attributes:
        entry: The entry of the map, which lists the features.
        called: Name or tag -> the prefabs that have it.
        weigh: Called with a weight, a number or a word such as "rare"; returns the number.
        variants: The prefabs that are variants of others.
        tint: Called with a category; returns the colour that the author gives it, or None.
        leads_to: The ids of the maps that the level leads to.
        streams: The random streams; they are named ("seed", ...).
        journal: Where decisions are noted.
        attempt: 0 at first; higher if earlier attempts found no place for a required feature.
        floors: The floors of towers that lie on the map.
        mouths: The mouths of seeded drawings, to which the layout digs corridors.
        placements: The seeded prefabs.
        drawn: The seeded drawings, stairs included; the populate stage fills them later.
        bound: Cell of stairs -> the id of the map that they lead to, for stairs whose feature names a map.
        lacking: "entrance" or "exits" -> (height, width) int32: for stairs that are chosen later, by how many steps each cell is too
            near to a feature or too far from it; 0 where stairs may be.
    """

    entry: MapEntry
    called: Mapping[str, tuple[Prefab, ...]]
    weigh: Callable[[Weight], float]
    tint: Callable[[Category], Colour | None]
    leads_to: tuple[str, ...]
    streams: Streams
    journal: Journal
    attempt: int = 0
    floors: tuple[TowerFloor, ...] = ()
    variants: Variants = NOTHING
    mouths: list[Mouth] = field(default_factory=list)
    placements: list[Placement] = field(default_factory=list)
    drawn: list[SeededDrawing] = field(default_factory=list)
    bound: dict[Cell, str] = field(default_factory=dict)
    lacking: dict[str, NDArray[np.int32]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FeatureRequest:
    """One copy of a feature that is to be put on the map.

    Attributes:
        entry: The feature.
        label: The feature's name in the journal and in random streams.
        copy: The number of the copy, from 1.
        attempt: The number of this attempt at the level, from 0.
    """

    entry: FeatureEntry
    label: str
    copy: int
    attempt: int

    @property
    def name(self) -> tuple[str | int, ...]:
        """The beginning of the names of this copy's random streams, such as ("seed", 0, "lake", 1)."""
        return "seed", self.attempt, self.label, self.copy


@dataclass(frozen=True, slots=True)
class Candidate:
    """One form in which a feature may be laid: a drawing in one orientation, or an area of one size.

    Attributes:
        what: The candidate's name in the journal.
        size: The candidate's (height, width).
        names: The names that other features use for it in `near` and `far_from`.
        space: Mask of the top left cells at which it has space now.
        alone: Returns two masks of top left cells on an empty map: where the candidate lies inside of the map, and where corridors
            would also have space to reach it.
        take: Called with a top left cell; lays the candidate there and returns True, or returns False if that would cut something off.
        objection: Why it can't be laid anywhere; None if it can.
    """

    what: str
    size: Size
    names: tuple[str, ...]
    space: int
    alone: Callable[[], tuple[int, int]]
    take: Callable[[Cell], bool]
    objection: str | None = None


class Candidates:
    """Makes the candidates for the features of one level.

    Attributes:
        canvas: The map.
        ground: The space that is left on the map.
        job: The job; laying a candidate fills its output fields.
    """

    def __init__(self, canvas: Canvas, ground: FeatureSpace, job: SeedJob) -> None:
        self.canvas = canvas
        self.ground = ground
        self.job = job

    def of(self, request: FeatureRequest) -> Iterator[Candidate]:
        """Yield the candidates for a feature in the order in which they are to be tried."""
        if request.entry.area is not None:
            yield self._area(request)
            return
        tried = set()
        for drawing in self._drawings(request):
            entries = openings(drawing, self.canvas.terrain_set)
            alike = drawing.height, drawing.width, entries.mouths, entries.objection
            if alike not in tried:  # a drawing with the same size and mouths fits in the same places
                tried.add(alike)
                yield self._drawing(request, drawing, entries)

    # -- areas ----------------------------------------------------------------------------------

    def _area(self, request: FeatureRequest) -> Candidate:
        """Return the candidate for a feature that is a barrier or area; its size is rolled."""
        area, kind, board = request.entry.area, request.entry.kind, self.ground.board
        assert area is not None
        stream = self.job.streams.stream(*request.name, "size")
        height = length_in_cells(roll(area.height, stream, 1), board.height)
        width = length_in_cells(roll(area.width, stream, 1), board.width)
        draw = {
            "blocked": self.canvas.block,
            "keep_out": self.canvas.reserve,
            "quiet": self.canvas.keep_quiet,
        }[kind]
        if kind == "quiet":
            space = board.fits(board.full, height, width)
        else:
            space = self.ground.space_for_area(height, width)

        def take(cell: Cell) -> bool:
            rect = Rect(*cell, height, width)
            if kind != "quiet" and not self.ground.take_area(rect):
                return False
            draw(rect)
            return True

        names = (request.entry.name,) if request.entry.name else ()
        return Candidate(
            f"{kind} {width}x{height}", (height, width), names, space, lambda: (board.full, board.full), take
        )

    # -- drawings -------------------------------------------------------------------------------

    def floor(self, floor: TowerFloor) -> Candidate:
        """Return the candidate that lays a floor of a tower."""
        request = FeatureRequest(floor.feature, floor.label, 1, self.job.attempt)
        found = self._drawing(request, floor.drawing, openings(floor.drawing, self.canvas.terrain_set))
        is_entrance = floor.is_way_in or not floor.up
        return replace(found, names=tuple(name for name in found.names if name != ARRIVAL or is_entrance))

    def _drawings(self, request: FeatureRequest) -> Iterator[Drawing]:
        """Yield the drawings of a feature: its prefabs in weighted random order, for each all variants, for each all orientations."""
        entry, streams = request.entry, self.job.streams
        if entry.stairs is not None:
            yield _landing(entry.stairs, entry.to)
            return
        by_name, weights = self._prefabs(entry)
        ways = frozenset(Orientation)
        if entry.orientations is not None:
            ways = frozenset(map(Orientation.named, entry.orientations))
        for name in streams.race(weights, *request.name, "prefab"):
            for variant in by_name[name].variants(streams, *request.name, "variant", name):
                lying = {each.orientation.label: each for each in variant.lying(ways)}
                for label in streams.race(dict.fromkeys(lying, 1.0), *request.name, "orientation", name):
                    yield lying[label]

    def _prefabs(self, entry: FeatureEntry) -> tuple[dict[str, Prefab], dict[str, float]]:
        """Return two mappings for the prefabs that a feature may use: (name -> prefab, name -> weight)."""
        odds = entry.prefab.odds() if entry.prefab else {}
        called = self.job.called
        by_name = {prefab.name: prefab for word in odds if word is not None for prefab in called[word]}
        return by_name, share_odds(odds, called, self.job.variants)

    def _drawing(self, request: FeatureRequest, drawing: Drawing, entries: Openings) -> Candidate:
        """Return the candidate that lays a drawing, whose entrances are `entries`."""
        size = drawing.height, drawing.width
        fronts = fronts_of(entries)
        base = self.canvas.terrain_set.base[drawing.terrain]
        names = [request.entry.name] if request.entry.name else []
        names += [ARRIVAL] if (base == t.STAIRS_UP).any() else []
        names += [EXITS] if ((base == t.STAIRS_DOWN) | (base == t.EXIT)).any() else []
        return Candidate(
            what=f"{drawing.name} {drawing.orientation.label}" if request.entry.prefab else drawing.name,
            size=size,
            names=tuple(names),
            space=self.ground.space_for_prefab(*size, fronts) if entries.objection is None else 0,
            alone=partial(self.ground.space_on_a_bare_map, *size, fronts),
            take=partial(self._take, request, drawing, entries, fronts),
            objection=entries.objection and entries.objection[0],
        )

    def _take(
        self, request: FeatureRequest, drawing: Drawing, entries: Openings, fronts: list[Front], cell: Cell
    ) -> bool:
        """Lay a drawing with its top left cell at `cell`, unless that would cut something off; return whether it was laid.

        `entries` tells where the drawing can be entered, `fronts` which cells before these entrances must stay free.
        """
        rect = Rect(*cell, drawing.height, drawing.width)
        if not self.ground.take_prefab(rect, fronts):
            return False
        region, mouths = lay(self.canvas, entries, cell)
        self.job.mouths.extend(mouths)
        self._record(request, drawing, rect, region, entries)
        for links, what in (
            (entries.stuck, "leads only into blocked terrain"),
            (entries.blind, "lies under an obstacle"),
        ):
            if links:
                text = f"one of its links {what}, so no corridor starts there"
                self.job.journal.note("seed", request.label, "noted", text, (("links", len(links)),))
        return True

    def _record(
        self, request: FeatureRequest, drawing: Drawing, rect: Rect, region: int, entries: Openings
    ) -> None:
        """Add a laid drawing to the job: its placement, its drawing, and the maps that its stairs lead to.

        Args:
            request: The copy of the feature for which it was laid.
            drawing: The drawing.
            rect: The rectangle of the map that it covers.
            region: The id of its region.
            entries: Where it can be entered.
        """
        job, entry = self.job, request.entry
        index = None
        if entry.prefab is not None:
            index = len(job.placements)
            job.placements.append(
                Placement(
                    encounter="",
                    category=entry.category,
                    prefab=drawing.name,
                    mode="seeded",
                    orientation=drawing.orientation.label,
                    region=region,
                    bounds=rect,
                    copy=request.copy,
                    tint=job.tint(entry.category),
                )
            )
        job.drawn.append(
            SeededDrawing(
                label=request.label,
                copy=request.copy,
                drawing=drawing,
                y=rect.y,
                x=rect.x,
                index=index,
                stopped=entries.stopped,
                lock=entry.lock,
                kept_off=entry.no_spawn if isinstance(entry.no_spawn, tuple) else (),
            )
        )
        if entry.to is not None:
            base = self.canvas.terrain_set.base[drawing.terrain]
            own = {(each.y, each.x) for each in drawing.stairs}
            for y, x in np.argwhere((base == t.STAIRS_DOWN) | (base == t.EXIT)).tolist():
                if (y, x) not in own:
                    job.bound[Cell(rect.y + y, rect.x + x)] = entry.to
        if entry.no_spawn is True:
            self.canvas.keep_quiet(rect)


def fronts_of(entries: Openings) -> list[Front]:
    """Return the fronts of all entrances of a drawing."""
    fronts = [Front.of(*each) for each in zip(entries.mouths, entries.groups, strict=True)]
    for group, cells in enumerate(entries.ways_out, len(entries.mouths)):
        fronts += [Front.beside(cell, group) for cell in cells]
    return fronts


def _landing(way: str, to: str | None) -> Drawing:
    """Return a drawing of stairs in the middle of a square of floor, for a feature that asks for plain stairs.

    Args:
        way: "up" or "down".
        to: The id or branch of the map that the stairs lead to; None for any.
    """
    codes = np.full((LANDING, LANDING), t.FLOOR, np.uint8)
    middle = LANDING // 2
    codes[middle, middle] = t.STAIRS_UP if way == "up" else t.STAIRS_DOWN
    return Drawing(
        DrawnGround(codes, np.zeros(codes.shape, np.bool_)),
        stairs=(Stairs(middle, middle, to),) if to is not None else (),
        parts=(f"stairs {way}",),
    )
