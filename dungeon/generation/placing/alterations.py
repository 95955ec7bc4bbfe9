"""Alterations: changing a free room or cave so that a request (an encounter to place) fits, if none fits unchanged.

A site is a free room or cave. A way in is a door of it, or several side by side. A block is a rectangle of cells to dig
so that one of the request's prefabs fits. A part is a set of cells between which walkers can get. A mask is an int with
one bit for each cell of the map.

    ###########      ###########      A room with two doors becomes a room with one: the second is walled up, if
    #....+,,,,,      #.....#,,,,      another way leads to the cells behind it. If a room has a door too few, one is
    #....######      #.....#####      broken through to a way close by. And cells that the prefab lacks are dug out
    #....+,,,,,      #.....+,,,,      of the earth around the room, here one column.
    ###########      ###########

No alteration opens a way past a lock, and none makes a cell reachable only through the altered site if it was not so before.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from dungeon import terrain as t
from dungeon.core.registry import ANY_ACCESS
from dungeon.core.streams import Ranking
from dungeon.generation.placing.annexes import FLOORS, LONGEST_HALLWAY, AnnexGround
from dungeon.generation.placing.ground import outside_ways
from dungeon.generation.placing.sites import Sites
from dungeon.generation.placing.walkability import spots_with_edge_on
from dungeon.grid.bits import places
from dungeon.grid.rect import Cell, Rect
from dungeon.grid.regions import Parts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from numpy.typing import NDArray

    from dungeon.core.registry import Size
    from dungeon.core.streams import Stream, Streams
    from dungeon.generation.placing.annexes import AnnexPlan
    from dungeon.generation.placing.attempt import PlacingRequest
    from dungeon.generation.placing.sites import Site
    from dungeon.level.canvas import Canvas, Snapshot

BLOCKS = 3
"""Maximum number of blocks by which one site is grown for a request; each try digs, places and undoes."""

Way = tuple[Cell, ...]
"""The cells outside of a site by which one way leads in: a door, or several doors side by side."""


@dataclass(frozen=True, slots=True)
class AlterationLimits:
    """What alterations of sites must leave alone.

    Attributes:
        doors: (height, width) bool, the doors that must not be walled up.
        stopped: (height, width) bool, the cells that walkers cannot pass.
    """

    doors: NDArray[np.bool_]
    stopped: NDArray[np.bool_]

    @classmethod
    def none(cls, canvas: Canvas) -> AlterationLimits:
        """Return limits for a canvas that allow every alteration."""
        return cls(np.zeros(canvas.terrain.shape, np.bool_), np.zeros(canvas.terrain.shape, np.bool_))

    def copy(self) -> AlterationLimits:
        """Return a copy whose arrays can be changed without changing this object."""
        return AlterationLimits(self.doors.copy(), self.stopped.copy())

    def parts(self, canvas: Canvas) -> Parts:
        """Return the connected parts of a map for a walker who opens no lock and finds no secret door."""
        base = canvas.base
        return Parts(canvas.passable() & ~self.stopped & (base != t.SECRET_DOOR) & (base != t.LOCKED_DOOR))


@dataclass(frozen=True, slots=True)
class Alterations:
    """Alters the free sites of a map for one request.

    Attributes:
        canvas: The map.
        request: What to place, and where it may lie.
        plans: The rooms and caves in which the request's prefabs would fit, as plans of what to dig.
        limits: Called without arguments; returns what must be left alone now.
        taken: The ids of the regions that are not free; they and their doors stay.
        closings: The terrain codes to pick new doors from.
        streams: The random streams of the request.
    """

    canvas: Canvas
    request: PlacingRequest
    plans: Sequence[AnnexPlan]
    limits: Callable[[], AlterationLimits]
    taken: AbstractSet[int]
    closings: Sequence[int]
    streams: Streams

    def sites(self, free: Sites) -> Iterator[tuple[Sites, int, Snapshot]]:
        """Alter the sites in `free` in all possible manners, one after another; undo each alteration before the next.

        Yields:
            (the altered site alone, its region id, a snapshot of the cells before the alteration).
        """
        request, canvas = self.request, self.canvas
        low, high = request.access
        eligible = free.having(request.mode.kinds, *ANY_ACCESS, request.regions)
        fitting = self._fitting(eligible)
        ground = AnnexGround.of(free.ground, request.regions, request.within)
        for number in eligible.in_order(self.streams, "altered", tight=True).tolist():
            site = eligible.sites[number]
            if number in self.taken:
                continue
            is_large, blocks = bool(site.within(fitting)), self._blocks(ground, site)
            if not is_large and not blocks:
                continue
            before = canvas.snapshot(self._around(site))
            for sites in self._change_ways(site, free, low, high):
                now = sites.sites[site.region.id]
                if sites is not free:
                    if is_large:
                        yield sites, now.region.id, before
                    blocks = self._blocks(AnnexGround.of(sites.ground, request.regions, request.within), now)
                for grown in self._grown_sites(now, blocks):
                    yield grown, now.region.id, before
            canvas.restore(before)

    def _around(self, site: Site) -> Rect:
        """Return the rectangle of all cells that altering a site may change."""
        most = max((max(plan.annex.height, plan.annex.width) for plan in self.plans), default=0)
        bounds = site.region.bounds.grown(most + LONGEST_HALLWAY + 4)
        return bounds.clipped(self.canvas.height, self.canvas.width)

    def _fitting(self, sites: Sites) -> int:
        """Return the mask of the spots (positions named by one cell) on `sites` where a prefab of the request would fit by its size."""
        mode, request = self.request.mode, self.request
        options = mode.settle(request.params, self.streams.stream("options"))
        found = 0
        for shape in dict.fromkeys(
            shape for prefab in request.prefabs for shape, _ in prefab.shapes(faces=mode.faces)
        ):
            *_, (_, mask) = mode.spots(sites, shape, options)
            found |= mask
        return found

    # -- ways -----------------------------------------------------------------------------------

    def _change_ways(self, site: Site, free: Sites, low: int, high: int) -> Iterator[Sites]:
        """Change the number of ways into a site to between `low` and `high`, by different doors each time.

        Yields:
            The changed site alone, after each success; `free` itself if the number is right already.
        """
        stream = self.streams.stream("ways", *site.region.bounds[:2])
        if low <= site.ways <= high:
            yield free
        elif site.ways < low:
            if self.break_through(site.region.id, low - site.ways, stream):
                yield Sites.of(self.canvas, [site.region.id])
        else:
            ways = outside_ways(site.openings)
            stream.shuffle(ways)
            before = self.canvas.snapshot(self._around(site))
            parts = self.limits().parts(self.canvas).count
            for number in range(len(ways)):
                if self._wall_up_ways([*ways[number + 1 :], *ways[:number]], len(ways) - high, parts):
                    yield Sites.of(self.canvas, [site.region.id])
                self.canvas.restore(before)

    def break_through(self, region: int, count: int, stream: Stream) -> bool:
        """Dig `count` more ways into a region, each from cells that walkers reach from it already; return whether all could be dug."""
        canvas, request = self.canvas, self.request
        for _ in range(count):
            sites = Sites.of(canvas, [region])
            site = sites.sites.get(region)
            if site is None:
                return False
            labels = self.limits().parts(canvas).labels
            own = labels[canvas.region == region]
            beyond = sites.board.from_array(np.isin(labels, own[own > 0]))
            ground = AnnexGround.of(sites.ground, request.regions, request.within)
            if not ground.break_through(region, site.mask, beyond, stream.pick(self.closings), stream):
                return False
        return True

    def _wall_up_ways(self, ways: Sequence[Way], count: int, parts: int) -> bool:
        """Wall up `count` of the ways in so that the map still has `parts` connected parts; return whether so many could be walled up."""
        for way in ways:
            count -= count > 0 and self._wall_up_way(way, parts)
        return count == 0

    def _wall_up_way(self, way: Way, parts: int) -> bool:
        """Wall up one way in if its doors are plain and the map still has `parts` connected parts; return whether it was walled up."""
        canvas, limits = self.canvas, self.limits()
        doors = {(door.y, door.x): door for door in canvas.connections}
        for cell in way:
            door = doors.get(cell)
            if door is None or door.kind not in (t.FLOOR, t.DOORWAY, t.DOOR):
                return False
            if limits.doors[cell] or self.taken & {*door.between}:
                return False
        before = canvas.snapshot(Rect.around(way))
        canvas.remove_doors(way)
        canvas.fill(before.rect)
        for cell in way:
            canvas.wall_up(*cell)
        if limits.parts(canvas).count == parts:
            return True
        canvas.restore(before)
        return False

    # -- growing --------------------------------------------------------------------------------

    def _blocks(self, ground: AnnexGround, site: Site) -> dict[Size, int]:
        """Return the blocks by which a site may grow: (height, width) of a block -> mask of the top-left cells where it may be dug."""
        board, own = ground.ground.board, site.mask
        openings = site.ground.openings
        outside = openings.outside(site.whole)
        # A grown block may cover the site and touch the cells outside its doors. Earth beside these cells is not dug, so that
        # the site meets them only at its present openings.
        earth = ground.earth & ~board.beside(outside)
        doors = [cells & site.whole for cells in openings.thresholds]
        beyond = replace(ground, earth=earth | own, closed=ground.closed | own | outside)
        found: dict[Size, int] = {}
        for annex, _, side, edge in self.plans:
            if annex.kind != site.region.kind or annex.facing:
                continue
            size = annex.height - 2 * annex.spare, annex.width - 2 * annex.spare
            blocks = beyond.blocks(annex._replace(height=size[0], width=size[1])) & ~board.fits(own, *size)
            if len(annex.sides) == 1:  # the front must meet one of the site's doors
                blocks &= spots_with_edge_on(doors[side], edge, size, side, board.stride)
            else:
                blocks &= board.touches(own, *size)
            if blocks:
                found[size] = found.get(size, 0) | blocks
        return found

    def _grown_sites(self, site: Site, blocks: Mapping[Size, int]) -> Iterator[Sites]:
        """Grow a site by one of the blocks at a time, `BLOCKS` times at most, in random order; yield the grown site alone each time.

        Args:
            site: The site; it is restored after each yield.
            blocks: (height, width) of a block -> mask of its top-left cells.
        """
        canvas, stride = self.canvas, site.ground.board.stride
        found = [
            Rect(*divmod(place, stride), *size) for size, mask in blocks.items() for place in places(mask)
        ]
        if not found:
            return
        # The key includes the block's height, so that blocks of different sizes at one cell have different ranks.
        cells = np.array([[block.y, block.x * canvas.height + block.height] for block in found], np.int64)
        ranks = Ranking(cells).ranks(self.streams, "block", *site.region.bounds[:2])
        before = canvas.snapshot(self._around(site))
        for index in islice(ranks.argsort().tolist(), BLOCKS):
            self._grow(site, found[index])
            yield Sites.of(canvas, [site.region.id])
            canvas.restore(before)

    def _grow(self, site: Site, block: Rect) -> None:
        """Dig the cells of a block that are not open yet, and add them to the site's region."""
        canvas, region = self.canvas, site.region
        missing = np.argwhere(~canvas.open[block.slices]) + block[:2]
        canvas.carve_cells(map(tuple, missing.tolist()), FLOORS[region.kind], region.id)
        canvas.widen_bounds(region.id, block)
        canvas.build_walls(block.grown())
