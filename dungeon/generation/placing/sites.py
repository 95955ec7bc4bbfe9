"""The sites of a map: free rooms and caves, in which an encounter may be placed, with masks of where drawings fit on them.

A spot is a position of a drawing on a site, named by one cell. A way in is a door, or an opening to another region;
openings side by side are one way. Plain floor is floor that no prefab drew and where authors allow encounters. A mask
is an int with one bit for each cell.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from dungeon.core.registry import ANY_ACCESS
from dungeon.core.streams import DRAWN, UNIT
from dungeon.generation.placing.ground import SIDES, SITE_KINDS, Ground, Kinds
from dungeon.grid.bits import any_in_run
from dungeon.grid.rect import Rect

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable, Iterable

    from numpy.typing import NDArray

    from dungeon.core.streams import Streams
    from dungeon.generation.placing.ground import Opening
    from dungeon.grid.bits import Board
    from dungeon.level.canvas import Canvas
    from dungeon.level.model import Region

T = TypeVar("T")

TIGHTNESS = 2.0
"""The power of a site's area in the random order of trying: a site of half the area comes first 4 times as often.

Small sites come first to leave large ones for large prefabs. It is a race, not a strict order, so that fewer encounters want the same site.
"""

MANY_SITES = 40
"""With more sites than this, the owners of all spots are looked up in one numpy pass. Below, asking each site is cheaper."""

USUAL_SIDE = 16
"""Few prefabs have longer sides than this, in cells; one set of site numbers for blocks of this size serves all of them."""


@dataclass(slots=True)
class Site:
    """A room or cave without an encounter. Values computed from the map are cached until the site changes.

    Attributes:
        region: The region that is the site.
        ground: The masks of the map.
        first: The bit, in masks of the map, of the cell in column 0 of the region's top row. Masks of the site alone begin there.
    """

    region: Region
    ground: Ground
    first: int
    _cells: int | None = None
    _own: int | None = None
    _openings: list[Opening] | None = None
    _ways: int | None = None

    @property
    def cells(self) -> int:
        """The mask of the site's plain floor; its bit 0 stands for bit `first` of a mask of the map."""
        if self._cells is None:
            ground, (_, x, height, width) = self.ground, self.region.bounds
            block = ground.board.block(0, x, height, width)
            if ground.floor(self.region.kind) >> self.first & block == block:
                self._cells = self._own = block
            else:  # a region that is no rectangle: other regions may have cells within its bounds
                self._cells = ground.board.from_part(ground.cells_of(self.region), x)
        return self._cells

    @property
    def own(self) -> int:
        """The mask of all cells of the site's region, plain floor or not; its bit 0 stands for bit `first` of a mask of the map."""
        if self._cells is None:
            self._cells = self.cells  # for a plain rectangle this sets `_own` too
        if self._own is None:
            bounds, ground = self.region.bounds, self.ground
            self._own = ground.board.from_part(ground.belongs(bounds, self.region), bounds.x)
        return self._own

    @property
    def whole(self) -> int:
        """The mask of all cells of the site's region, as a mask of the whole map."""
        return self.own << self.first

    @property
    def openings(self) -> list[Opening]:
        """The openings (doors and mouths of tunnels) between the site's region and others."""
        if self._openings is None:
            self._openings = self.ground.openings.within(self.own, self.first)
        return self._openings

    @property
    def ways(self) -> int:
        """The number of ways into the site; openings side by side are one way."""
        if self._ways is None:
            self._ways = self.ground.openings.ways(self.own, self.first)
        return self._ways

    def recount_ways(self) -> bool:
        """Count the ways into the site again if they were counted before; return whether their number has changed."""
        before, self._openings, self._ways = self._ways, None, None
        return before is not None and before != self.ways

    def renewed(self) -> Site:
        """Return a copy of the site without cached openings and ways in, so that it will compute them anew."""
        return replace(self, _openings=None, _ways=None)

    def within(self, mask: int) -> int:
        """Return the cells of a mask of the map that are plain floor of this site; bit 0 of the result stands for bit `first` of `mask`."""
        cells = self._cells
        return mask >> self.first & (self.cells if cells is None else cells)

    @property
    def mask(self) -> int:
        """The mask of the site's plain floor cells, as a mask of the whole map."""
        return self.cells << self.first


class _SiteFilter(NamedTuple):
    """The conditions that a site (a room or cave that is still free) must meet.

    Attributes:
        kinds: The kinds of region that the site may be.
        low: The smallest number of entrances (doors and tunnel mouths) that the site may have.
        high: The greatest number of entrances that it may have.
        regions: The ids of the regions that the site may be; None for any.
    """

    kinds: Kinds
    low: int
    high: int
    regions: frozenset[int] | None

    def allows(self, site: Site) -> bool:
        """Return whether a site meets all conditions."""
        return (
            site.region.kind in self.kinds
            and (self.regions is None or site.region.id in self.regions)
            and ((self.low, self.high) == ANY_ACCESS or self.low <= site.ways <= self.high)
        )


_ANY = _SiteFilter(SITE_KINDS, *ANY_ACCESS, None)


class Sites:
    """The free sites of a map, all of them or a selection.

    Attributes:
        ground: The masks of the map, shared by all selections of its sites.
        kinds: The kinds of region that the sites may be.
        sites: Region id -> site.
    """

    def __init__(self, ground: Ground, kinds: Kinds, sites: dict[int, Site]) -> None:
        self.ground = ground
        self.kinds = kinds
        self.sites = sites
        self._area: int | None = None
        self._known: dict[Hashable, Any] = {}
        self._near: dict[int, int] = {}
        self._choices: dict[_SiteFilter, Sites] = {}

    @classmethod
    def of(cls, canvas: Canvas, only: Collection[int] | None = None) -> Sites:
        """Return all sites of a map. Sealed regions and regions without plain floor are left out.

        Args:
            canvas: The map.
            only: The ids of the regions to choose from; None for all.
        """
        ground = Ground(canvas, only)
        regions = canvas.regions if only is None else [canvas.regions[number - 1] for number in only]
        chosen = [each for each in regions if each.kind in SITE_KINDS and not each.sealed]
        chosen = ground.with_floor(chosen)
        stride = ground.board.stride
        sites = {region.id: Site(region, ground, region.bounds.y * stride) for region in chosen}
        return cls(ground, SITE_KINDS, sites)

    @property
    def canvas(self) -> Canvas:
        """The map on which the sites lie."""
        return self.ground.canvas

    @property
    def board(self) -> Board:
        """Converts between cells and the masks used here."""
        return self.ground.board

    @property
    def area(self) -> int:
        """The mask of all the sites' plain floor cells."""
        if self._area is None:
            self._area = reduce(or_, (site.mask for site in self.sites.values()), 0)
        return self._area

    # -- which sites ----------------------------------------------------------------------------

    def having_spots(self, spots: int, order: NDArray[np.int64]) -> list[int]:
        """Return the ids of the regions whose sites have at least one of the given spots.

        Args:
            spots: The mask of the spots.
            order: The ids of the regions to look at, in the order of the result.
        """
        numbers: list[int]
        if len(order) > MANY_SITES and spots:
            numbers = order[self.ground.regions_at(spots & self.area)[order]].tolist()
            return numbers
        return [number for number in order.tolist() if spots and self.sites[number].within(spots)]

    def in_order(self, streams: Streams, *name: str | int, tight: bool = False) -> NDArray[np.int64]:
        """Return the ids of the sites' regions in random order, the order in which they are tried.

        With `tight`, small sites tend to come first, which leaves large ones for large prefabs. The random number of a site depends only
        on its position, its size and the stream, so another encounter on the map seldom changes the order.

        Args:
            streams: The random streams.
            *name: The name of the stream.
            tight: Whether small sites tend to come first; else all orders are equally likely.
        """
        numbers = np.fromiter(self.sites, np.int64, len(self.sites))
        if len(numbers) < 2:
            return numbers
        ranks = self.ground.ranking.ranks(streams, *name)[numbers - 1]
        times = -np.log1p((ranks >> np.uint64(64 - DRAWN)) * -UNIT)
        if tight:
            times *= self.ground.sizes[numbers - 1] ** TIGHTNESS
        order: NDArray[np.int64] = numbers[times.argsort(kind="stable")]
        return order

    def having(self, kinds: Kinds, low: int, high: int, regions: frozenset[int] | None = None) -> Sites:
        """Return the sites of these kinds that have `low` to `high` ways in and whose region ids are in `regions`; None means any."""
        choice = _SiteFilter(kinds, low, high, regions)
        if choice not in self._choices:
            chosen = {number: site for number, site in self.sites.items() if choice.allows(site)}
            self._choices[choice] = Sites(self.ground, kinds, chosen)
        return self._choices[choice]

    def take(self, region: int, around: Rect) -> None:
        """Remove a site from this and all derived selections, as something was placed on it.

        Args:
            region: The id of the site's region.
            around: A rectangle with all cells that have changed.
        """
        self.ground.forget(around)
        for sites in (self, *self._choices.values()):
            sites._drop(region)  # noqa: SLF001
            sites._known.clear()  # noqa: SLF001

    def free(self, site: Site, around: Rect) -> None:
        """Add a site to this and all derived selections again, after the drawing on it was removed.

        Args:
            site: The site.
            around: A rectangle with all cells that the drawing had changed.
        """
        self.renew(around)
        renewed = site.renewed()
        for choice, sites in ((_ANY, self), *self._choices.items()):
            if choice.allows(renewed):
                sites._add(renewed)  # noqa: SLF001

    def renew(self, around: Rect, *, gone: int = 0) -> None:
        """Find the openings and ways of the sites again, after a part of the map has changed.

        Args:
            around: The rectangle in which openings may have changed.
            gone: The id of a region that is no longer a free site, as it was altered and used; 0 for none.
        """
        self.ground.renew(around)
        others = [site for site in self._within(around) if site.recount_ways()]
        for choice, sites in ((_ANY, self), *self._choices.items()):
            sites._drop(gone)  # noqa: SLF001
            for site in others:
                sites._drop(site.region.id)  # noqa: SLF001
                if site.region.id != gone and choice.allows(site):
                    sites._add(site)  # noqa: SLF001
            sites._known.clear()  # noqa: SLF001
            sites._near.clear()  # noqa: SLF001

    def _within(self, area: Rect) -> list[Site]:
        """Return the sites that have cells in an area or directly beside it."""
        beside = area.grown().clipped(self.board.height, self.board.width)
        numbers = np.unique(self.canvas.region[beside.slices]).tolist()
        return [self.sites[number] for number in numbers if number in self.sites]

    def _drop(self, region: int) -> None:
        """Remove the site with this region id from this selection, if it has that site."""
        site = self.sites.pop(region, None)
        if site is not None and self._area is not None:
            self._area &= ~site.mask

    def _add(self, site: Site) -> None:
        """Add a site to this selection."""
        self.sites[site.region.id] = site
        if self._area is not None:
            self._area |= site.mask

    def once(self, key: Hashable, find: Callable[[], T]) -> T:
        """Return the value cached under a key, or compute it with `find`. The cache is emptied when something is placed."""
        if key not in self._known:
            self._known[key] = find()
        found: T = self._known[key]
        return found

    # -- masks ----------------------------------------------------------------------------------

    def thresholds(self, side: int) -> int:
        """Return the mask of the sites' cells with an opening on the side `side` of the cell: 0 to 3 for south, west, north, east."""
        return self.once(("thresholds", side), lambda: self.ground.openings.thresholds[side] & self.area)

    def facing(self, side: int) -> int:
        """Return the mask of the sites' cells with a wall or door on the side `side` of the cell, and a corridor right behind that.

        Sides are 0 to 3 for south, west, north, east.
        """
        return self.ground.facing(*SIDES[side]) & self.area

    def fits(self, height: int, width: int) -> int:
        """Return the mask of the top-left cells of all rectangles of this size that lie on plain floor of the sites."""
        return self.ground.fits(self.kinds, height, width) & self.area

    def mixed(self, length: int, step: int, rows: int, apart: int) -> int:
        """Return the mask of the first cells of all blocks of one size that have cells of two or more sites.

        Sites close to each other have different numbers. These are compared by their binary digits: a block has cells of two sites if some
        digit is 0 for the site of one of its cells and 1 for the site of another.

        Args:
            length: The number of cells in a row of the block.
            step: The number of bits from a cell to the next in a row.
            rows: The number of rows.
            apart: The number of bits from a row to the next.
        """
        if len(self.sites) < 2:
            return 0
        # Rounded sizes let one set of numbers serve several block sizes.
        roughly = max(_rounded(length), USUAL_SIDE), _rounded(rows)

        def find() -> int:
            found = 0
            for ones, zeros in self.once(
                ("touched", length, step, roughly), lambda: self._touched(length, step, *roughly)
            ):
                found |= any_in_run(ones, rows, apart) & any_in_run(zeros, rows, apart)
            return found

        return self.once(("mixed", length, step, rows), find)

    def _touched(self, length: int, step: int, along: int, deep: int) -> list[tuple[int, int]]:
        """Return (mask of the rows with a 1, mask of the rows with a 0) for each binary digit of the sites' numbers.

        A row is named by its first cell. It has a 1 if one of its cells belongs to a site whose number has a 1 as this digit; likewise
        for 0.

        Args:
            length: The number of cells in a row.
            step: The number of bits from a cell to the next in a row.
            along: The size in cells, along a row, of blocks in which the numbers of sites must differ.
            deep: The size of these blocks across the rows.
        """
        size = (deep, along) if step == 1 else (along, deep)
        ones = [self.area & digit for digit in self.ground.digits(self.kinds, *size)]
        return [(any_in_run(each, length, step), any_in_run(self.area ^ each, length, step)) for each in ones]

    def near_middle(self, drift: int) -> int:
        """Return the mask of the sites' cells at most `drift` rows and columns away from the middle of their site."""
        if drift not in self._near:
            self._near[drift] = self._near_middle(drift)
        return self._near[drift] & self.area

    def _near_middle(self, drift: int) -> int:
        """Compute, without the cache, the mask of cells at most `drift` rows and columns away from the middle of their site."""
        near = np.zeros((self.board.height, self.board.width), np.bool_)
        for site in self.sites.values():
            middle = self.ground.middle(site.region, site.cells)
            about = Rect(*middle, 1, 1).grown(drift).clipped(*near.shape)
            near[about.slices] |= self.ground.belongs(about, site.region)
        return self.board.from_array(near)

    # -- words ----------------------------------------------------------------------------------

    @property
    def noun(self) -> str:
        """The word for these sites in messages: room, cave, or place if they may be both."""
        return self.kinds[0] if len(self.kinds) == 1 else "place"

    def way_counts(self, outside: Iterable[int]) -> list[tuple[str, int]]:
        """Count the sites with these region ids by their number of ways in: [("with 1 door", 4), ("with 2 doors", 3)]."""
        sites = [self.sites[number] for number in outside]
        counts = Counter((site.region.kind == "cave", site.ways) for site in sites)
        return [(_ways_in_words(*key), count) for key, count in sorted(counts.items())]


def _rounded(length: int) -> int:
    """Return a length rounded up to a power of 2, at least 2."""
    return 1 << max(length - 1, 1).bit_length()


def _ways_in_words(is_cave: bool, count: int) -> str:  # noqa: FBT001
    """Return a number of ways in words: "with 1 way in" for a cave, "with 2 doors" for a room."""
    one, more = ("way in", "ways in") if is_cave else ("door", "doors")
    return f"with {count} {one if count == 1 else more}"
