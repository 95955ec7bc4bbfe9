"""Place one request (an encounter): find every spot on every free site, pick one, draw it, and keep it if the map stays valid.

A site is a free room or cave. A spot is a position of a drawing on a site, named by the cell on which the drawing's
anchor lies. A mask is an int with one bit for each cell of the map. A rule is a phrase for what is wrong with sites,
such as "too small".

The cheap tests come first. Only a prefab's size is matched against all sites. Then one variant is rolled, and only its remaining
orientations are drawn and checked in detail.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property, reduce
from itertools import tee
from operator import or_
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dungeon.core.frozen import NOTHING
from dungeon.core.registry import ANY_ACCESS, Shape
from dungeon.generation.placing.ground import RegionOpenings
from dungeon.generation.placing.refusals import SpaceRefusal, SpotTally, broken_promise
from dungeon.generation.placing.walkability import BROKEN_LOCKS, Walkability, walkability
from dungeon.grid.bits import Board, nth_bit, shifted
from dungeon.grid.rect import Cell, Rect

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from dungeon.content.prefab.drawing import Drawing
    from dungeon.content.prefab.prefab import Prefab, Variant
    from dungeon.core.parameters import Parameters
    from dungeon.core.registry import Placing
    from dungeon.core.streams import Streams
    from dungeon.generation.placing.sites import Site, Sites
    from dungeon.grid.symmetry import Orientation
    from dungeon.grid.ways import DistanceRule
    from dungeon.level.canvas import Canvas, Snapshot
    from dungeon.terrain import TerrainSet

ONE_CELL = Shape(1, 1, 0, 0)
"""The shape that a placing mode without prefabs (such as `free`) is asked about."""


def _always_valid(_cells: int, _changed: Rect) -> None:
    """Return None, which means no rule is broken: the default for `PlacingRequest.verify`."""
    return


class PlacingRequest(NamedTuple):
    """What to place, and the conditions that its place must meet.

    Attributes:
        name: The key of its random streams: ("place", encounter, copy number).
        mode: The placing mode, such as ``centered``.
        params: The parameters of the placing mode, as the author wrote them.
        prefabs: The prefabs to choose from; a prefab that fits nowhere is skipped.
        access: The (least, greatest) number of doors or other ways into the site.
        regions: The ids of the regions that may be the site; None for any.
        within: (height, width) bool, where a site dug or enlarged for the request must lie; None for anywhere.
        weights: Prefab name -> its weight in the random order of trying; 1 if absent.
        rolled: Prefab name -> its random variants made so far. They are reused when the request is tried on other sites.
            None makes new ones each time.
        distances: The distances to keep from other encounters and from stairs.
        verify: Called after drawing with (mask of the covered cells, changed rectangle). Returns the broken rule, in words that follow
            "3 rooms", or None.
        is_alone: Whether nothing else may be placed or scattered in the region where the request is placed.
    """

    name: tuple[str | int, ...]
    mode: Placing[Parameters]
    params: Parameters
    prefabs: Sequence[Prefab]
    access: tuple[int, int]
    regions: frozenset[int] | None = None
    within: NDArray[np.bool_] | None = None
    weights: Mapping[str, float] = NOTHING
    rolled: dict[str, Iterator[Variant]] | None = None
    distances: Sequence[DistanceRule] = ()
    verify: Callable[[int, Rect], str | None] = _always_valid
    is_alone: bool = False

    @property
    def encounter(self) -> str:
        """The name of the encounter to place."""
        return str(self.name[1])


class PlacedRequest(NamedTuple):
    """Where a request was placed.

    Attributes:
        drawing: The drawing; None for a request without prefabs.
        site: The site, which is no longer free.
        bounds: The rectangle that is covered: that of the drawing, or of the whole site.
        spots: The number of spots to choose from, before the checks that look at one site alone.
        before: The cells of the changed rectangle, before placing.
        after: The cells of the same rectangle, after placing.
        others: The ids of all regions whose sites had a spot for this variant of the prefab when it was placed, its own included.
        dug: Whether the site was dug for this request.
        altered: Whether the site was altered for this request.
    """

    drawing: Drawing | None
    site: Site
    bounds: Rect
    spots: int
    before: Snapshot
    after: Snapshot
    others: Sequence[int] = ()
    dug: bool = False
    altered: bool = False

    @property
    def region(self) -> int:
        """The id of the region where the request was placed."""
        return self.site.region.id


def attempt(
    canvas: Canvas, sites: Sites, request: PlacingRequest, streams: Streams
) -> PlacedRequest | SpaceRefusal:
    """Place a request on the canvas, or return why no site will do.

    Args:
        canvas: The map; it changes only if the request is placed.
        sites: The free sites; the one that is used is removed.
        request: What to place.
        streams: The level's random streams.
    """
    mode, streams = request.mode, streams.under(*request.name)
    eligible = sites.having(mode.kinds, *request.access, request.regions)
    if not eligible.sites:
        return SpotTally().refusal(sites.having(mode.kinds, *ANY_ACCESS, request.regions), eligible)
    search = _SpotSearch.of(canvas, eligible, request, streams)
    placed = search.place()
    if placed is None:
        return search.tally.refusal(sites.having(mode.kinds, *ANY_ACCESS, request.regions), eligible)
    sites.take(placed.region, placed.before.rect)
    return placed


def suitable_regions(canvas: Canvas, sites: Sites, request: PlacingRequest, streams: Streams) -> list[int]:
    """Return the ids of the regions whose sites have a spot for a request, in the order in which `attempt` would try them.

    Nothing is placed, and the rules of the placing mode that look at one site alone (`on_site`) are not asked.
    """
    streams = streams.under(*request.name)
    eligible = sites.having(request.mode.kinds, *request.access, request.regions)
    search, found = _SpotSearch.of(canvas, eligible, request, streams), dict[int, None]()
    for spots, _ in search.choices():
        found.update(dict.fromkeys(eligible.having_spots(spots, search.in_order)))
    return [*found]


def prefabs_in_order(request: PlacingRequest, streams: Streams) -> list[Prefab]:
    """Return the prefabs of a request in weighted random order: the order in which they are tried."""
    by_name = {prefab.name: prefab for prefab in request.prefabs}
    if len(by_name) < 2:
        return [*by_name.values()]
    weights = {name: request.weights.get(name, 1.0) for name in by_name}
    return [by_name[name] for name in streams.race(weights, "prefab")]


def variants_of(request: PlacingRequest, prefab: Prefab, streams: Streams) -> Iterator[Variant]:
    """Return the random variants of a prefab in the order of trying: first those of `request.rolled`, then new ones."""
    variants = prefab.variants(streams, "variant", prefab.name)
    if request.rolled is None:
        return variants
    request.rolled[prefab.name], found = tee(request.rolled.get(prefab.name, variants))
    return found


def unopenable_locks(request: PlacingRequest, terrain_set: TerrainSet, streams: Streams) -> dict[str, str]:
    """Return prefab name -> what is wrong with its locked doors and keys, if these keep every prefab of a request from being placed.

    The result is empty if one variant of one prefab has no such problem.
    """
    found: dict[str, str] = {}
    for prefab in request.prefabs:
        tried: list[Walkability] = []
        for variant in variants_of(request, prefab, streams.under(*request.name)):
            walks = walkability(variant.drawing, terrain_set)
            if any(walks.fits_like(other) for other in tried):
                continue
            tried.append(walks)
            objection = request.mode.objection(variant.drawing, terrain_set) if walks.is_locked else None
            if objection is None or objection[0] not in BROKEN_LOCKS:
                return {}
            found.setdefault(prefab.name, objection[0])
    return found


DrawingSpots = tuple["Drawing", int]
"""A drawing, and the mask of its spots."""


@dataclass
class _SpotSearch:
    """The search for a spot for one request.

    Attributes:
        canvas: The map.
        sites: The sites to choose from.
        request: What to place.
        options: The parameters of the placing mode, with random values chosen for this request.
        streams: The random streams of this request.
        tally: Records the spots that each rule has left, to tell why sites were refused.
    """

    canvas: Canvas
    sites: Sites
    request: PlacingRequest
    options: Any
    streams: Streams
    tally: SpotTally = field(default_factory=SpotTally)

    @classmethod
    def of(cls, canvas: Canvas, sites: Sites, request: PlacingRequest, streams: Streams) -> _SpotSearch:
        """Return a search for a spot on some sites; choose the random values of the placing mode's parameters."""
        options = request.mode.settle(request.params, streams.stream("options"))
        return cls(canvas, sites, request, options, streams)

    def place(self) -> PlacedRequest | None:
        """Place the request on the first site with a valid spot; return None if no site has one."""
        for spots, drawings in self.choices():
            others = self.sites.having_spots(spots, self.in_order)
            for site in map(self.sites.sites.__getitem__, others):
                found = self._place_on_site(site, drawings) if drawings else self._cover_site(site)
                if found is not None:
                    count = self._count(drawings) if drawings else len(others)
                    return found._replace(spots=count, others=others)
        return None

    def _count(self, drawings: Sequence[DrawingSpots]) -> int:
        """Return the number of spots of all drawings together."""
        masks = {id(mask): mask for _, mask in drawings}  # drawings of one size mostly share one mask
        counts = {number: mask.bit_count() for number, mask in masks.items()}
        return sum(counts[id(mask)] for _, mask in drawings)

    def choices(self) -> Iterator[tuple[int, list[DrawingSpots]]]:
        """Yield for each variant of each prefab (mask of the spots of all its drawings, its drawings with their own spots).

        A drawing is the variant in one orientation. A request without prefabs yields once, without drawings.
        """
        if not self.request.mode.draws:
            found = self.tally.through(self.request.mode.spots(self.sites, ONE_CELL, self.options))
            yield self.tally.through(self._filter_sites_by_distance(found), found), []
            return
        shapes: dict[Shape, int] = {}
        for prefab in prefabs_in_order(self.request, self.streams):
            if ways := self._spots_by_orientation(prefab, shapes):
                yield from self._variant_choices(prefab, ways)

    def _cover_site(self, site: Site) -> PlacedRequest | None:
        """Place a request without prefabs so that it covers a whole site; return None if that breaks a rule."""
        number, bounds = site.region.id, site.region.bounds
        cells = self.sites.board.from_array(self.canvas.region == number)
        broken = self.request.verify(cells, bounds)
        if broken is not None:
            self.tally.broken.setdefault(number, broken)
            return None
        before = self.canvas.snapshot(bounds)
        return PlacedRequest(None, site, bounds, 0, before, self._finish(before, number))

    def _finish(self, before: Snapshot, region: int) -> Snapshot:
        """Keep other objects out of the region if the request is to be alone there; return a snapshot of the rectangle of `before` now."""
        if self.request.is_alone:
            self.canvas.keep_region_quiet(region)
        return self.canvas.snapshot(before.rect)

    def _spots_by_orientation(self, prefab: Prefab, shapes: dict[Shape, int]) -> dict[Orientation, int]:
        """Return orientation -> mask of the spots of a prefab, by its size, front and distances; orientations without any are absent.

        Args:
            prefab: The prefab.
            shapes: Shape -> mask of its spots, a cache that all prefabs of the request share.
        """
        mode = self.request.mode
        found: dict[Orientation, int] = {}
        for shape, orientations in prefab.shapes(faces=mode.faces):
            mask = shapes.get(shape)
            if mask is None:
                mask = self.tally.through(mode.spots(self.sites, shape, self.options))
                if self.request.distances:
                    mask = self.tally.through(self._filter_by_distance(shape, mask), mask)
                shapes[shape] = mask
            if mask:
                found.update(dict.fromkeys(orientations, mask))
        return found

    def _filter_by_distance(self, shape: Shape, spots: int) -> Iterator[tuple[str, int]]:
        """Yield (rule, mask of spots left) for each distance that the request must keep from something on the map.

        The mask has those of `spots` at which a drawing of this shape keeps this distance and all distances before it.
        """
        board = self.sites.board
        y, x = self.request.mode.anchor(shape)
        for rule, cells, near in self._distance_masks if spots else ():
            # `touches` gives the top-left cells of blocks; spots are named by the anchor, (y, x) cells further on.
            met = shifted(board.touches(cells, shape.height, shape.width), y * board.stride + x)
            spots &= met if near else ~met
            yield rule, spots

    def _filter_sites_by_distance(self, spots: int) -> Iterator[tuple[str, int]]:
        """Yield (rule, mask of spots left) for each distance that a request without prefabs must keep from something on the map.

        The mask has those of `spots` on sites that, as a whole, keep this distance and all distances before it.
        """
        board = self.sites.board
        for rule, cells, near in self._distance_masks if spots else ():
            met = self.canvas.within(np.unique(self.canvas.region[board.to_array(cells)]).tolist())
            mask = board.from_array(met & (self.canvas.region != 0))
            spots &= mask if near else ~mask
            yield rule, spots

    @cached_property
    def _distance_masks(self) -> list[tuple[str, int, bool]]:
        """For each distance of the request: (rule if it is broken, mask of the cells within this distance, `near`).

        `near` is True if the drawing must cover one of these cells, False if it must cover none.
        """
        if not self.request.distances:
            return []
        board = self.sites.board
        ways = board.from_array(self.canvas.passable())
        return [(each.broken, each.reached(board, ways), each.near) for each in self.request.distances]

    def _variant_choices(
        self, prefab: Prefab, ways: Mapping[Orientation, int]
    ) -> Iterator[tuple[int, list[DrawingSpots]]]:
        """Yield what `choices` yields for the variants of one prefab; skip a variant that fits exactly where an earlier one fits.

        `ways` maps each orientation to the mask of the prefab's spots.
        """
        mode, tried = self.request.mode, list[Walkability]()
        for variant in variants_of(self.request, prefab, self.streams):
            walks = walkability(variant.drawing, self.canvas.terrain_set)
            if any(walks.fits_like(other) for other in tried):
                continue
            tried.append(walks)
            found: list[DrawingSpots] = []
            for drawing in variant.lying(frozenset(ways)):
                if mode.faces or not drawing.repeats:
                    mask = ways[drawing.orientation]
                    mask = self.tally.through(mode.suits(self.sites, drawing, self.options, mask), mask)
                    if mask:
                        found.append((drawing, mask))
            # Drawings with the same demands share one mask object: join each mask once.
            masks = {id(mask): mask for _, mask in found}
            yield reduce(or_, masks.values(), 0), found

    def _place_on_site(self, site: Site, drawings: Sequence[DrawingSpots]) -> PlacedRequest | None:
        """Place one of the drawings on a random one of its spots on a site; return None if every spot breaks a rule of valid levels."""
        spots = self._spots_on(site, drawings)
        stream = self.streams.stream("spot", drawings[0][0].name, *site.region.bounds[:2])
        while count := sum(cells.bit_count() for _, cells in spots):
            number, place = _nth_spot(spots, stream.below(count))
            drawing, cells = spots[number]
            spot = Cell(*divmod(place + site.first - self._anchor_offset(drawing), self.sites.board.stride))
            before, broken = self._commit(drawing, spot, site)
            if broken is None:
                bounds, region = Rect(*spot, drawing.height, drawing.width), site.region.id
                self.canvas.keep_quiet(bounds)
                return PlacedRequest(drawing, site, bounds, 0, before, self._finish(before, region))
            self.tally.broken.setdefault(site.region.id, broken)
            spots[number] = drawing, cells ^ 1 << place
        return None

    def _spots_on(self, site: Site, drawings: Sequence[DrawingSpots]) -> list[DrawingSpots]:
        """Return the drawings that have spots on a site, each with the mask of its spots there.

        Bit 0 of such a mask is bit `site.first` of a mask of the map.
        """
        found = []
        for drawing, mask in drawings:
            cells = site.within(mask)
            for rule, left in self.request.mode.on_site(site, drawing, self.options, cells) if cells else ():
                cells = left
                if not cells:
                    self.tally.broken.setdefault(site.region.id, rule)
                    break
            if cells:
                found.append((drawing, cells))
        return found

    def _commit(self, drawing: Drawing, spot: Cell, site: Site) -> tuple[Snapshot, str | None]:
        """Draw a drawing with its top-left cell at `spot`; undo it if the map then breaks a rule of valid levels.

        Returns:
            (snapshot of the changed rectangle before drawing, the broken rule in words that follow "3 rooms" or None).
        """
        canvas, mode = self.canvas, self.request.mode
        target, room = Rect(*spot, drawing.height, drawing.width), site.region.bounds
        # All that the mode may change: the room and the drawing with its margin, and one more cell for walls.
        reach = room.joined(target.grown(mode.margin(self.options) - 1)).grown()
        before = canvas.snapshot(reach.clipped(canvas.height, canvas.width))
        mode.place(canvas, drawing, spot, site.region.id, self.options)
        broken = (
            broken_promise(canvas, before, site, drawing, spot)
            or self._too_many_ways(site, before.rect)
            or self.request.verify(self.sites.board.block(*target), before.rect)
        )
        if broken is not None:
            canvas.restore(before)
        return before, broken

    def _too_many_ways(self, site: Site, around: Rect) -> str | None:
        """Return the broken rule if a drawing in a cave has opened more ways in than the request allows; else None.

        A room is not checked, as its walls stay closed. `around` is a rectangle with all changed cells.
        """
        most = self.request.access[1]
        if site.region.kind != "cave" or most >= ANY_ACCESS[1]:
            return None
        region, is_open = self.canvas.region[around.slices], self.canvas.open[around.slices]
        board = Board(*region.shape)
        ways = RegionOpenings(board, region, is_open).ways(board.from_array(region == site.region.id))
        return "where it would open more ways in" if ways > most else None

    # -- sites ----------------------------------------------------------------------------------

    def _anchor_offset(self, drawing: Drawing) -> int:
        """Return the number of bits in a mask from a drawing's top-left cell to its anchor, the cell that names its spot."""
        y, x = self.request.mode.anchor(Shape(drawing.height, drawing.width, drawing.orientation.turns, 0))
        return y * self.sites.board.stride + x

    @cached_property
    def in_order(self) -> NDArray[np.int64]:
        """The ids of the regions of all sites, in the random order in which they are tried; small sites tend to come first."""
        return self.sites.in_order(self.streams, "room", tight=self.request.mode.draws)


def _nth_spot(spots: Sequence[DrawingSpots], index: int) -> tuple[int, int]:
    """Return (index of a mask, bit in that mask) of the spot number `index` among the spots of all masks, both from 0.

    Example: with masks of 2 and 3 spots, index 3 is the second spot of mask 1.
    """
    for number, (_, cells) in enumerate(spots):
        count = cells.bit_count()
        if index < count:
            return number, nth_bit(cells, index)
        index -= count
    raise IndexError(index)
