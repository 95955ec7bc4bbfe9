"""The sites of a canvas, its free rooms and caves, as masks: where something may be placed.

A **site** is a region of the kind room or cave that no encounter has yet.
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
from dungeon.grid.bits import meets
from dungeon.grid.rect import Rect

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable, Iterable, Iterator

    from numpy.typing import NDArray

    from dungeon.core.streams import Streams
    from dungeon.generation.placing.ground import Opening
    from dungeon.grid.bits import Board
    from dungeon.level.canvas import Canvas
    from dungeon.level.model import Region

T = TypeVar("T")

TIGHTNESS = 2.0
"""A site arrives as often as one over its area to this power says."""

MANY_SITES = 40
"""More sites than this are not asked one by one which spots they have: the spots are asked whose they are."""

USUAL_SIDE = 16
"""Few prefabs have longer sides."""


@dataclass(slots=True)
class Site:
    """A room or cave that is still free.

    Attributes:
        region: Its region.
        ground: The map.
        first: The first bit, in masks of the map, of its uppermost row.
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
        """The mask of its cells, plain floor that no prefab has drawn, counted from the bit `first`."""
        if self._cells is None:
            ground, (_, x, height, width) = self.ground, self.region.bounds
            block = ground.board.block(0, x, height, width)
            if ground.floor(self.region.kind) >> self.first & block == block:
                self._cells = self._own = block
            else:  # others may have cells in its bounds
                self._cells = ground.board.from_part(ground.cells_of(self.region), x)
        return self._cells

    @property
    def own(self) -> int:
        """The mask of all cells of its region, plain floor or not, counted from the bit `first`."""
        if self._cells is None:
            self._cells = self.cells  # which is all of it, more often than not
        if self._own is None:
            bounds, ground = self.region.bounds, self.ground
            self._own = ground.board.from_part(ground.belongs(bounds, self.region), bounds.x)
        return self._own

    @property
    def whole(self) -> int:
        """The mask of all cells of its region."""
        return self.own << self.first

    @property
    def openings(self) -> list[Opening]:
        """Where it meets what lies outside."""
        if self._openings is None:
            self._openings = self.ground.openings.within(self.own, self.first)
        return self._openings

    @property
    def ways(self) -> int:
        """How many ways lead in."""
        if self._ways is None:
            self._ways = self.ground.openings.ways(self.own, self.first)
        return self._ways

    def recount_ways(self) -> bool:
        """Count the ways that lead in anew; return whether their number has changed. If nobody had counted them, it has not."""
        before, self._openings, self._ways = self._ways, None, None
        return before is not None and before != self.ways

    def renewed(self) -> Site:
        """Return it as if nobody had looked at its openings yet."""
        return replace(self, _openings=None, _ways=None)

    def within(self, mask: int) -> int:
        """Return what a mask of the map has on this site's cells, counted from the bit `first`."""
        cells = self._cells
        return mask >> self.first & (self.cells if cells is None else cells)

    @property
    def mask(self) -> int:
        """The mask of its cells."""
        return self.cells << self.first


class _SiteFilter(NamedTuple):
    """A choice among sites.

    Attributes:
        kinds: The kinds of region that are chosen.
        low: The least number of ways that lead in; `high`: the greatest.
        regions: The ids of the regions that are chosen; None for any.
    """

    kinds: Kinds
    low: int
    high: int
    regions: frozenset[int] | None

    def allows(self, site: Site) -> bool:
        """Tell whether a site is among them."""
        return (
            site.region.kind in self.kinds
            and (self.regions is None or site.region.id in self.regions)
            and ((self.low, self.high) == ANY_ACCESS or self.low <= site.ways <= self.high)
        )


_ANY = _SiteFilter(SITE_KINDS, *ANY_ACCESS, None)


class Sites:
    """Sites of a canvas, all that are free or some of them.

    Attributes:
        ground: What the map is made of, the same for all choices of sites.
        kinds: The kinds of region that the sites are.
        sites: The sites by region id.
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
        """Return the sites of a canvas but for sealed ones, which nobody would visit, and those without plain floor.

        A quiet area may cover all of a cave: then there is nowhere to place anything, and no middle.

        Args:
            canvas: The canvas.
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
        """The canvas."""
        return self.ground.canvas

    @property
    def board(self) -> Board:
        """The layout of all masks here."""
        return self.ground.board

    @property
    def area(self) -> int:
        """The mask of the sites' cells."""
        if self._area is None:
            self._area = reduce(or_, (site.mask for site in self.sites.values()), 0)
        return self._area

    # -- which sites ----------------------------------------------------------------------------

    def having_spots(self, spots: int, order: NDArray[np.int64]) -> Iterator[Site]:
        """Yield those of some sites that have one of these spots.

        Args:
            spots: The spots.
            order: The ids of the regions of these sites, in the order in which they are yielded.
        """
        if len(order) > MANY_SITES:
            order = order[self.ground.regions_at(spots & self.area)[order]]
        for number in order.tolist() if spots else ():
            site = self.sites[number]
            if site.within(spots):
                yield site

    def in_order(self, streams: Streams, *name: str | int, tight: bool = False) -> NDArray[np.int64]:
        """Return the ids of the sites' regions in the order in which the sites are tried.

        That is a race in which small ones mostly arrive first, so that large ones are left for what needs them. When a site
        arrives depends on where and how large it is, on nothing else; and as few encounters would have the very same, one
        that comes to a map seldom has what another would have had.

        Args:
            streams: Where chance comes from.
            *name: What the stream is named after.
            tight: Whether the size of a site matters.
        """
        numbers = np.fromiter(self.sites, np.int64, len(self.sites))
        if len(numbers) < 2:
            return numbers
        ranks = self.ground.ranking.ranks(streams, *name)[numbers - 1]
        times = -np.log1p((ranks >> np.uint64(64 - DRAWN)) * -UNIT)
        if tight:
            times *= self.ground.sizes[numbers - 1] ** TIGHTNESS
        order: NDArray[np.int64] = numbers[times.argsort()]
        return order

    def having(self, kinds: Kinds, low: int, high: int, regions: frozenset[int] | None = None) -> Sites:
        """Return the sites of these kinds, and of these regions if any are given, into which `low` to `high` ways lead."""
        choice = _SiteFilter(kinds, low, high, regions)
        if choice not in self._choices:
            chosen = {number: site for number, site in self.sites.items() if choice.allows(site)}
            self._choices[choice] = Sites(self.ground, kinds, chosen)
        return self._choices[choice]

    def take(self, region: int, around: Rect) -> None:
        """Say that something was placed on a site, and that it changed nothing but the rectangle `around`."""
        self.ground.forget(around)
        for sites in (self, *self._choices.values()):
            sites._drop(region)  # noqa: SLF001
            sites._known.clear()  # noqa: SLF001

    def free(self, site: Site, around: Rect) -> None:
        """Make a site free again, after what was placed there has been taken back.

        Args:
            site: The site.
            around: A rectangle with all cells that the placing had changed.
        """
        self.renew(around)
        renewed = site.renewed()
        for choice, sites in ((_ANY, self), *self._choices.items()):
            if choice.allows(renewed):
                sites._add(renewed)  # noqa: SLF001

    def renew(self, around: Rect, *, gone: int = 0) -> None:
        """Drop what was derived from openings that may have changed.

        Args:
            around: The rectangle in which openings may have changed.
            gone: The id of a region that is no site any more, as it was altered for an encounter and taken; 0 for none.
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
        """Return the sites that have cells in an area, or beside it."""
        there = area.grown().clipped(self.board.height, self.board.width)
        numbers = np.unique(self.canvas.region[there.slices]).tolist()
        return [self.sites[number] for number in numbers if number in self.sites]

    def _drop(self, region: int) -> None:
        site = self.sites.pop(region, None)
        if site is not None and self._area is not None:
            self._area &= ~site.mask

    def _add(self, site: Site) -> None:
        self.sites[site.region.id] = site
        if self._area is not None:
            self._area |= site.mask

    def once(self, key: Hashable, find: Callable[[], T]) -> T:
        """Return what is found out by a function, but only once until something is placed; keys are the mode's own."""
        if key not in self._known:
            self._known[key] = find()
        found: T = self._known[key]
        return found

    # -- masks ----------------------------------------------------------------------------------

    def thresholds(self, side: int) -> int:
        """Return the mask of the sites' cells that have an opening on that side: 0 to 3 for south, west, north and east."""
        return self.once(("thresholds", side), lambda: self.ground.openings.thresholds[side] & self.area)

    def facing(self, side: int) -> int:
        """Return the mask of the sites' cells beyond whose wall, or door, on that side a corridor lies at once; sides as above."""
        return self.ground.facing(*SIDES[side]) & self.area

    def fits(self, height: int, width: int) -> int:
        """Return the mask of the top-left cells of all blocks of that size that lie on the floor of a site."""
        return self.ground.fits(self.kinds, height, width) & self.area

    def mixed(self, length: int, step: int, rows: int, apart: int) -> int:
        """Return the mask of the first cells of all blocks with cells of two of the sites or more.

        The sites are numbered, those that are close to each other differently; a block has cells of two of them if, for one
        of the binary digits of these numbers, it has cells whose numbers have a 0 there and cells whose numbers have a 1.

        Args:
            length: How many cells a row of the block has.
            step: How far these are apart in masks.
            rows: How many rows it has.
            apart: How far these are apart.
        """
        if len(self.sites) < 2:
            return 0
        # Numbers, and what is made of them, serve several sizes.
        roughly = max(_rounded(length), USUAL_SIDE), _rounded(rows)

        def find() -> int:
            found = 0
            for ones, zeros in self.once(
                ("touched", length, step, roughly), lambda: self._touched(length, step, *roughly)
            ):
                found |= meets(ones, rows, apart) & meets(zeros, rows, apart)
            return found

        return self.once(("mixed", length, step, rows), find)

    def _touched(self, length: int, step: int, along: int, deep: int) -> list[tuple[int, int]]:
        """Return the cells from which a row of a block touches cells with a 1, and such with a 0, for each digit."""
        size = (deep, along) if step == 1 else (along, deep)
        ones = [self.area & digit for digit in self.ground.digits(self.kinds, *size)]
        return [(meets(each, length, step), meets(self.area ^ each, length, step)) for each in ones]

    def near_middle(self, drift: int) -> int:
        """Return the mask of the sites' cells that lie at most so many cells, down and across, off their middle."""
        if drift not in self._near:
            self._near[drift] = self._near_middle(drift)
        return self._near[drift] & self.area

    def _near_middle(self, drift: int) -> int:
        near = np.zeros((self.board.height, self.board.width), np.bool_)
        for site in self.sites.values():
            middle = self.ground.middle(site.region, site.cells)
            about = Rect(*middle, 1, 1).grown(drift).clipped(*near.shape)
            near[about.slices] |= self.ground.belongs(about, site.region)
        return self.board.from_array(near)

    # -- words ----------------------------------------------------------------------------------

    @property
    def noun(self) -> str:
        """What the sites are called: room, cave, or place if they may be either."""
        return self.kinds[0] if len(self.kinds) == 1 else "place"

    def way_counts(self, outside: Iterable[int]) -> list[tuple[str, int]]:
        """Return how many of these sites have how many doors, or ways into a cave, in words."""
        sites = [self.sites[number] for number in outside]
        counts = Counter((site.region.kind == "cave", site.ways) for site in sites)
        return [(_ways_in_words(*key), count) for key, count in sorted(counts.items())]


def _rounded(length: int) -> int:
    """Return a length rounded up to a power of 2, at least 2."""
    return 1 << max(length - 1, 1).bit_length()


def _ways_in_words(is_cave: bool, count: int) -> str:  # noqa: FBT001
    one, more = ("way in", "ways in") if is_cave else ("door", "doors")
    return f"with {count} {one if count == 1 else more}"
