"""The sites of a canvas, its free rooms and caves, as masks: where something may be placed, and where ways lead in.

A **site** is a region of the kind room or cave that no encounter has yet. An **opening** is a place where it meets what
lies outside of it: a door, or the mouth of a tunnel that ends in it. Openings side by side are one way in.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from dungeon.grid.bits import meets
from dungeon.grid.rect import Cell, Rect
from dungeon.placing.ground import Ground, Kinds
from dungeon.registry import ANY_ACCESS

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable, Iterable

    from dungeon.grid.bits import Board
    from dungeon.level.canvas import Canvas
    from dungeon.level.model import Region

T = TypeVar("T")

SIDES = ((1, 0), (0, -1), (-1, 0), (0, 1))
"""South, west, north, east as (dy, dx): the side that a drawing's front faces after 0, 1, 2, 3 turns."""

USUAL = 16
"""Few prefabs have longer sides."""

SIDE_NAMES = ("south", "west", "north", "east")

SITE_KINDS: Kinds = ("room", "cave")
"""The kinds of region that encounters are placed in."""


class Opening(NamedTuple):
    """Where a site meets what lies outside: its own cell there, and on which side that is (an index into `SIDES`)."""

    cell: Cell
    side: int

    @property
    def outside(self) -> Cell:
        """The cell beyond: a door, or the last cell of a tunnel."""
        dy, dx = SIDES[self.side]
        return Cell(self.cell.y + dy, self.cell.x + dx)


@dataclass(slots=True)
class Site:
    """A room or cave that is still free.

    Attributes:
        region: Its region.
        first: Where its rows begin in the bytes of a mask of the map; `last`: where they end.
        cells: The mask of its cells, plain floor that no prefab has drawn, counted from the byte `first`.
        ground: The map.
        span: Where its openings begin and end among all openings of the map.
        ways: How many ways lead in.
    """

    region: Region
    first: int
    last: int
    cells: int
    ground: Ground
    span: tuple[int, int]
    ways: int = 0

    @property
    def openings(self) -> list[Opening]:
        """Where it meets what lies outside."""
        return [Opening(cell, side) for cell, side in self.ground.openings(*self.span)]

    def within(self, mask: bytes) -> int:
        """Return what a mask of the map has on this site's cells, counted from the byte `first`."""
        return int.from_bytes(mask[self.first : self.last], "little") & self.cells

    @property
    def mask(self) -> int:
        """The mask of its cells."""
        return self.cells << 8 * self.first


def ways_of(openings: Collection[Opening]) -> int:
    """Return how many ways lead in: openings whose outer cells touch are one."""
    if len(openings) < 2:
        return len(openings)
    left = {each.outside for each in openings}
    count = 0
    while left:
        count += 1
        waiting = [left.pop()]
        while waiting:
            y, x = waiting.pop()
            near = left.intersection(((y + 1, x), (y, x - 1), (y - 1, x), (y, x + 1)))
            left -= near
            waiting += near
    return count


class Sites:
    """Sites of a canvas, all that are free or some of them.

    Attributes:
        ground: What the map is made of, the same for all choices of sites.
        kinds: The kinds of region that the sites are.
        sites: The sites by region id.
        area: The mask of their cells.
        thoroughfares: The ids of those that have more than one opening.
    """

    def __init__(self, ground: Ground, kinds: Kinds, sites: dict[int, Site], area: int) -> None:
        self.ground = ground
        self.kinds = kinds
        self.sites = sites
        self.area = area
        self.thoroughfares = {number for number, site in sites.items() if site.span[1] - site.span[0] > 1}
        self._known: dict[Hashable, Any] = {}
        self._choices: dict[tuple[Kinds, int, int], Sites] = {}

    @classmethod
    def of(cls, canvas: Canvas) -> Sites:
        """Return all sites of a canvas but the sealed ones, which nobody would visit, and those without plain floor.

        A quiet area may cover all of a cave: then there is nowhere to place anything, and no middle.
        """
        ground = Ground(canvas)
        chosen = [region for region in canvas.regions if region.kind in SITE_KINDS and not region.sealed]
        area = 0
        for kind in SITE_KINDS:
            area |= ground.floor(kind)
        data = ground.board.to_bytes(area)
        spans = ground.openings_of(chosen)
        found = (_site(ground, region, span, data) for region, span in zip(chosen, spans, strict=True))
        return cls(ground, SITE_KINDS, {site.region.id: site for site in found if site.cells}, area)

    @property
    def canvas(self) -> Canvas:
        """The canvas."""
        return self.ground.canvas

    @property
    def board(self) -> Board:
        """The layout of all masks here."""
        return self.ground.board

    # -- choosing -------------------------------------------------------------------------------

    def having(self, kinds: Kinds, low: int, high: int) -> Sites:
        """Return the sites of these kinds into which `low` to `high` ways lead."""
        key = kinds, low, high
        if key not in self._choices:
            chosen = {
                number: site
                for number, site in self.sites.items()
                if site.region.kind in kinds and low <= site.ways <= high
            }
            area = self.area
            if len(chosen) < len(self.sites):
                whole = (low, high) == ANY_ACCESS and len(kinds) == 1
                area &= self.ground.floor(kinds[0]) if whole else self.ground.area_of(chosen)
            self._choices[key] = Sites(self.ground, kinds, chosen, area)
        return self._choices[key]

    def take(self, region: int) -> None:
        """Say that something has been placed on a site: it is no longer free, and the ground has changed."""
        self.ground.forget()
        mask = self.sites[region].mask
        for sites in (self, *self._choices.values()):
            sites._known.clear()  # noqa: SLF001
            if sites.sites.pop(region, None) is not None:
                sites.area ^= mask
                sites.thoroughfares.discard(region)

    def once(self, key: Hashable, find: Callable[[], T]) -> T:
        """Return what is found out by a function, but only once until something is placed; keys are the mode's own."""
        if key not in self._known:
            self._known[key] = find()
        found: T = self._known[key]
        return found

    # -- masks ----------------------------------------------------------------------------------

    def thresholds(self, side: int) -> int:
        """Return the mask of the sites' cells that have an opening on that side."""
        return self.once(("thresholds", side), lambda: self.ground.thresholds[side] & self.area)

    def with_spots(self, spots: int) -> list[Site]:
        """Return the sites that have one of these spots."""
        numbers = self.ground.regions_at(spots & self.area)
        return [self.sites[number] for number in numbers]

    def facing(self, side: int) -> int:
        """Return the mask of the sites' cells beyond whose wall, or door, on that side a corridor lies at once."""
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
        # Numbers, and what is made of them, serve several sizes.
        roughly = max(_rounded(length), USUAL), _rounded(rows)

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
        return self.once(("near middle", drift), lambda: self._near_middle(drift))

    def _near_middle(self, drift: int) -> int:
        near = np.zeros((self.board.height, self.board.width), np.bool_)
        for site in self.sites.values():
            middle = self.ground.middle(site.region, site.cells)
            about = Rect(*middle, 1, 1).grown(drift).clipped(*near.shape)
            near[about.slices] |= self.ground.belongs(about, site.region)
        return self.board.from_array(near) & self.area

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


def _site(ground: Ground, region: Region, span: tuple[int, int], floor: bytes) -> Site:
    """Return a site; `floor` is the mask of all sites' cells."""
    board, bounds = ground.board, region.bounds
    first, rest = divmod(bounds.y * board.stride, 8)
    last = (bounds.bottom * board.stride + 7) // 8
    block = board.block(0, bounds.x, bounds.height, bounds.width) << rest
    site = Site(region, first, last, block, ground, span, span[1] - span[0])
    site.cells = site.within(floor)
    if site.cells != block:  # others may have cells in its bounds
        site.cells = board.from_part(ground.cells_of(region), bounds.x) << rest
    if site.ways > 1:
        site.ways = ways_of(site.openings)
    return site
