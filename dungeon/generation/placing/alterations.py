"""Alterations: a free room or cave is made to suit what fits into none of them as they are.

    ###########      ###########      A door too many is walled up, where another way leads to whatever lies behind it; where
    #....+,,,,,      #.....#,,,,      there is one too few, another is broken through to a way close by. And the block that
    #....######      #.....#####      is missing is dug out of the earth around, where one of the doors that are there would
    #....+,,,,,      #.....+,,,,      lead into it.
    ###########      ###########

Nothing opens a way to what is locked up, and nobody has to come through there who could do without it before.
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
"""So many blocks are tried, at most, by which a site could grow."""

Way = tuple[Cell, ...]
"""The cells outside of a site by which one comes in: a door, or doors side by side."""


@dataclass(frozen=True, slots=True)
class AlterationLimits:
    """What alterations have to reckon with.

    Attributes:
        doors: (height, width) bool, where doors stay as they are.
        stopped: (height, width) bool, where walkers may not get through.
    """

    doors: NDArray[np.bool_]
    stopped: NDArray[np.bool_]

    @classmethod
    def none(cls, canvas: Canvas) -> AlterationLimits:
        """Return that nothing on a canvas has to last."""
        return cls(np.zeros(canvas.terrain.shape, np.bool_), np.zeros(canvas.terrain.shape, np.bool_))

    def copy(self) -> AlterationLimits:
        """Return the same in arrays of its own."""
        return AlterationLimits(self.doors.copy(), self.stopped.copy())

    def parts(self, canvas: Canvas) -> Parts:
        """Return the parts of a map that hang together for whoever opens no lock and finds no secret."""
        base = canvas.base
        return Parts(canvas.passable() & ~self.stopped & (base != t.SECRET_DOOR) & (base != t.LOCKED_DOOR))


@dataclass(frozen=True, slots=True)
class Alterations:
    """The alterations of a map that might help a request.

    Attributes:
        canvas: The map.
        request: The request.
        wishes: The blocks that would do for it.
        lasting: Returns what they have to reckon with.
        taken: The regions that are no longer free, whose doors stay.
        closings: What new doors may be.
        streams: Where chance comes from.
    """

    canvas: Canvas
    request: PlacingRequest
    plans: Sequence[AnnexPlan]
    limits: Callable[[], AlterationLimits]
    taken: AbstractSet[int]
    closings: Sequence[int]
    streams: Streams

    def sites(self, free: Sites) -> Iterator[tuple[Sites, int, Snapshot]]:
        """Alter one free site after the other, and undo it before the next.

        Yields:
            The altered site, its region, and what was there before.
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
        """Return the rectangle that altering a site may change."""
        most = max((max(plan.annex.height, plan.annex.width) for plan in self.plans), default=0)
        bounds = site.region.bounds.grown(most + LONGEST_HALLWAY + 4)
        return bounds.clipped(self.canvas.height, self.canvas.width)

    def _fitting(self, sites: Sites) -> int:
        """Return where in the sites there is space, however many ways lead in."""
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
        """Give a site as many ways as are asked for, if that can be done, in one manner after the other."""
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
        """Lead so many more ways into a region, from where one could go there before; tell whether that was possible."""
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
        """Wall up so many of some ways, none that anybody needs: as many parts hang together. Tell whether that was possible."""
        for way in ways:
            count -= count > 0 and self._wall_up_way(way, parts)
        return count == 0

    def _wall_up_way(self, way: Way, parts: int) -> bool:
        """Wall up a way if all of it are doors, and the map falls into no more parts without it."""
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
        """Return the blocks by which a site may grow: their sizes, and masks of their top-left cells."""
        board, own = ground.ground.board, site.mask
        openings = site.ground.openings
        outside = openings.outside(site.whole)
        earth = ground.earth & ~board.beside(outside)
        doors = [cells & site.whole for cells in openings.thresholds]
        beyond = replace(ground, earth=earth | own, closed=ground.closed | own | outside)
        found: dict[Size, int] = {}
        for annex, _, side, edge in self.plans:
            if annex.kind != site.region.kind or annex.facing:
                continue
            size = annex.height - 2 * annex.spare, annex.width - 2 * annex.spare
            blocks = beyond.blocks(annex._replace(height=size[0], width=size[1])) & ~board.fits(own, *size)
            if len(annex.sides) == 1:
                blocks &= spots_with_edge_on(doors[side], edge, size, side, board.stride)
            else:
                blocks &= board.touches(own, *size)
            if blocks:
                found[size] = found.get(size, 0) | blocks
        return found

    def _grown_sites(self, site: Site, blocks: Mapping[Size, int]) -> Iterator[Sites]:
        """Let a site grow by one of its blocks after the other."""
        canvas, stride = self.canvas, site.ground.board.stride
        found = [
            Rect(*divmod(place, stride), *size) for size, mask in blocks.items() for place in places(mask)
        ]
        if not found:
            return
        # Which size it is tells apart what begins at the same cell.
        cells = np.array([[block.y, block.x * canvas.height + block.height] for block in found], np.int64)
        ranks = Ranking(cells).ranks(self.streams, "block", *site.region.bounds[:2])
        before = canvas.snapshot(self._around(site))
        for index in islice(ranks.argsort().tolist(), BLOCKS):
            self._grow(site, found[index])
            yield Sites.of(canvas, [site.region.id])
            canvas.restore(before)

    def _grow(self, site: Site, block: Rect) -> None:
        """Dig what a block has beyond a site."""
        canvas, region = self.canvas, site.region
        missing = np.argwhere(~canvas.open[block.slices]) + block[:2]
        canvas.carve_cells(map(tuple, missing.tolist()), FLOORS[region.kind], region.id)
        canvas.widen_bounds(region.id, block)
        canvas.build_walls(block.grown())
