"""The masks of a canvas that placing needs: plain floor by region, earth that may be dug, and openings between regions.

A mask is an int with one bit for each cell of the map. An opening is a place where a region, such as a room, meets an
open cell of another region: a door, or the end of a tunnel. Openings side by side are one way in. Plain floor is floor
that no prefab drew and that is in no quiet area, where authors want nothing placed.

######      The cell `o` of a room has an opening on its east side, at the door `+`.
#..o+,,
######
"""

from __future__ import annotations

from functools import cached_property, reduce
from operator import or_
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dungeon import terrain as t
from dungeon.core.streams import Ranking
from dungeon.grid.bits import all_in_run, flooded, places, shifted
from dungeon.grid.rect import Cell, Rect

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable, Iterable, Sequence

    from numpy.typing import NDArray

    from dungeon.grid.bits import Board
    from dungeon.level.canvas import Canvas
    from dungeon.level.model import Region


Kinds = tuple[str, ...]
"""Kinds of region, such as ("room", "cave")."""

SITE_KINDS: Kinds = ("room", "cave")
"""The kinds of region that encounters are placed in."""

WAYS: Kinds = ("corridor", "junction", "hall")
"""The kinds of region that only connect others: the ways."""


class Ground:
    """The masks of a canvas that placing needs.

    The masks of plain floor show the map as it was when this object was made, before the first encounter. The masks of earth, open
    cells, doors and `beginnings` show the map as it is now.

    Args:
        canvas: The map.
        only: The ids of the regions whose floor is needed; None for all.

    Attributes:
        canvas: The map.
        board: Converts between cells and masks.
        openings: The openings between regions.
    """

    def __init__(self, canvas: Canvas, only: Collection[int] | None = None) -> None:
        self.canvas = canvas
        self.board = canvas.board
        base = canvas.base
        self._region = canvas.region.copy()
        self._plain = (base >= t.FLOOR) & (base <= t.CAVE) & ~(canvas.drawn | canvas.quiet)
        self._regions = tuple(canvas.regions)
        self._only = only
        self._count = len(self._regions) + 1
        self.openings = RegionOpenings(self.board, self._region, base > t.BLOCKED)
        self._floors: dict[str, int] = {}
        self._masks: dict[Hashable, int] = {}
        self._fits: dict[tuple[Kinds, int, int], int] = {}
        self._digits: dict[tuple[Kinds, int, int], list[int]] = {}
        self._facing: dict[tuple[int, int], int] = {}
        self._middles: dict[int, Cell] = {}
        self._earth = LiveMask(self.board, canvas, _earth_in)
        self._open = LiveMask(self.board, canvas, _open_in)
        self._doors = LiveMask(self.board, canvas, _doors_in)
        self._beginnings = LiveMask(self.board, canvas, _WayStarts())
        self._ways: int | None = None

    # -- regions --------------------------------------------------------------------------------

    @cached_property
    def ranking(self) -> Ranking:
        """Random ranks for all regions, made from their top-left corners; index 0 is the region with the id 1."""
        return Ranking(np.array([region.bounds[:2] for region in self._regions]))

    @cached_property
    def sizes(self) -> NDArray[np.float64]:
        """(number of regions,) float: the area of each region's bounds; index 0 is the region with the id 1."""
        return np.array([float(region.bounds.area) for region in self._regions])

    # -- cells of regions -------------------------------------------------------------------------

    def area_of(self, regions: Iterable[int]) -> int:
        """Return the mask of the plain floor of the regions with these ids."""
        listed = list(regions)
        if len(listed) == 1:
            region = self._regions[listed[0] - 1]
            return (
                self.board.from_part(self.cells_of(region), region.bounds.x)
                << region.bounds.y * self.board.stride
            )
        chosen = np.zeros(self._count, np.bool_)
        chosen[listed] = True
        return self.board.from_array(chosen.take(self._region) & self._plain) if listed else 0

    def with_floor(self, regions: Sequence[Region]) -> list[Region]:
        """Return the regions among `regions` that have plain floor."""
        return [each for each in regions if self._has_plain_middle(each) or self.cells_of(each).any()]

    def _has_plain_middle(self, region: Region) -> bool:
        """Return whether the middle cell of a region's bounds is plain floor of the region: a quick test that most regions pass."""
        y, x, height, width = region.bounds
        middle = y + height // 2, x + width // 2
        return bool(self._plain[middle] and self._region[middle] == region.id)

    def belongs(self, part: Rect, region: Region) -> NDArray[np.bool_]:
        """Return (part.height, part.width) bool: the cells of a part of the map that belong to a region."""
        own: NDArray[np.bool_] = self._region[part.slices] == region.id
        return own

    def middle(self, region: Region, cells: int) -> Cell:
        """Return the deepest cell of a region's plain floor; among several, the one nearest to the mean of all cells, then the first.

        The floor is eroded: round by round, cells that touch a cell other than floor (also at a corner) are removed, until one more round
        would leave none. The cells that remain are where the largest square fits.

        Args:
            region: The region.
            cells: The mask of its plain floor; bit 0 is the cell in column 0 of the map and the region's top row.
        """
        if region.id not in self._middles:
            stride = self.board.stride
            while worn := shifted(all_in_run(all_in_run(cells, 3, 1), 3, stride), stride + 1):
                cells = worn
            own = self.cells_of(region)
            ys, xs = own.nonzero()
            count, down, across = len(ys), int(ys.sum()), int(xs.sum())
            deepest = []
            for place in places(cells):
                y, x = divmod(place, stride)
                x -= region.bounds.x
                deepest.append(((count * y - down) ** 2 + (count * x - across) ** 2, y, x))
            _, y, x = min(deepest)
            self._middles[region.id] = Cell(region.bounds.y + y, region.bounds.x + x)
        return self._middles[region.id]

    def cells_of(self, region: Region) -> NDArray[np.bool_]:
        """Return (height, width) bool of a region's bounds: the cells that are plain floor of the region."""
        part = region.bounds.slices
        own: NDArray[np.bool_] = (self._region[part] == region.id) & self._plain[part]
        return own

    @cached_property
    def _owners(self) -> NDArray[np.uint16]:
        """(height * stride,) uint16: the region id of the cell of each bit of a mask."""
        return np.pad(self._region, ((0, 0), (0, 1))).ravel()

    def regions_at(self, cells: int) -> NDArray[np.bool_]:
        """Return (1 + number of regions,) bool: True at the id of each region that has a cell of the mask `cells`."""
        data = np.frombuffer(self.board.to_bytes(cells), np.uint8)
        touched = data.nonzero()[0]
        bits = np.unpackbits(data[touched], bitorder="little").reshape(-1, 8)
        which, bit = bits.nonzero()
        found = np.zeros(self._count, np.bool_)
        found[self._owners[touched[which] * 8 + bit]] = True
        return found

    def digits(self, kinds: Kinds, height: int, width: int) -> list[int]:
        """Number all regions of these kinds, and return a mask for each binary digit of these numbers, from the lowest digit on.

        A mask has the cells whose region's number has a 1 there: for the numbers 0, 1, 2 and 3, the first mask has the cells of the
        regions 1 and 3. Two regions that one rectangle of this size may touch have different numbers (a greedy graph colouring). So
        the cells of a rectangle belong to one region if each mask has all of them or none of them.
        """
        key = kinds, height, width
        if key not in self._digits:
            listed = [region for region in self._regions if region.kind in kinds]
            chosen = _greedy_numbers([region.bounds for region in listed], *key[1:])
            numbers = np.zeros(self._count, np.uint16)
            numbers[[region.id for region in listed]] = chosen
            spread = numbers.take(self._region)
            digits = range(max(chosen, default=0).bit_length())
            self._digits[key] = [self.board.from_array(spread & (1 << digit) != 0) for digit in digits]
        return self._digits[key]

    # -- masks ----------------------------------------------------------------------------------

    def forget(self, area: Rect) -> None:
        """Make all masks that follow the map look at this area again, as the map has changed there."""
        for mask in (self._earth, self._open, self._doors, self._beginnings):
            mask.forget(area.y, area.bottom)
        self._facing.clear()

    def renew(self, area: Rect) -> None:
        """Make all masks and the openings look at this area again, as the map and the openings of free sites have changed there."""
        self.forget(area)
        top, bottom = max(area.y - 1, 0), min(area.bottom + 1, self.board.height)
        rows = slice(top, bottom)
        self.openings.renew(top, bottom, self.canvas.region[rows], _open_in(self.canvas, rows))
        self._masks.clear()

    def fits(self, kinds: Kinds, height: int, width: int) -> int:
        """Return the mask of the top-left cells of all rectangles of this size on plain floor of regions of these kinds.

        A rectangle is the union of two overlapping ones whose side is a power of 2, so many sizes share masks: 5 rows are 4 and 4.
        """
        key = kinds, height, width
        if key not in self._fits:
            if height > 1:
                known = _power_below(height)
                block = self.fits(kinds, known, width)
                self._fits[key] = block & block >> (height - known) * self.board.stride
            elif width > 1:
                known = _power_below(width)
                block = self.fits(kinds, 1, known)
                self._fits[key] = block & block >> width - known
            else:
                self._fits[key] = reduce(or_, map(self.floor, kinds))
        return self._fits[key]

    def known(self, key: Hashable, find: Callable[[], int]) -> int:
        """Return the mask cached under a key, or compute it with `find`; it may depend only on plain floor and openings."""
        if key not in self._masks:
            self._masks[key] = find()
        return self._masks[key]

    def floor(self, kind: str) -> int:
        """Return the mask of the plain floor of all regions of a kind that are not sealed."""
        if kind not in self._floors:
            asked = (
                self._regions if self._only is None else [self._regions[number - 1] for number in self._only]
            )
            self._floors[kind] = self.area_of(
                each.id for each in asked if each.kind == kind and not each.sealed
            )
        return self._floors[kind]

    @property
    def earth(self) -> int:
        """The mask of the cells that may be dug: earth and walls that no prefab drew, without reserved and quiet cells."""
        return self._earth.mask

    @property
    def ways(self) -> int:
        """The mask of the plain floor of corridors, junctions and halls."""
        if self._ways is None:
            self._ways = self.area_of(region.id for region in self._regions if region.kind in WAYS)
        return self._ways

    @property
    def open(self) -> int:
        """The mask of all open cells, doors included."""
        return self._open.mask

    @property
    def beginnings(self) -> int:
        """The mask of the cells where a new corridor or door may begin: plain floor of unsealed corridors, junctions, halls and caves."""
        return self._beginnings.mask

    def facing(self, dy: int, dx: int) -> int:
        """Return the mask of the cells from which one step (dy, dx) leads to a wall or door, and two such steps to a corridor."""
        key = dy, dx
        if key not in self._facing:
            by = dy * self.board.stride + dx
            walls = self.earth | self._doors.mask
            self._facing[key] = shifted(walls, -by) & shifted(self.ways, -2 * by)
        return self._facing[key]


# -- reading rows of a changing canvas ------------------------------------------------------------


def _earth_in(canvas: Canvas, rows: slice) -> NDArray[np.bool_]:
    """Return (rows, width) bool: the cells of these rows of a canvas that may be dug."""
    base = _base_in(canvas, rows)
    earth: NDArray[np.bool_] = (base == t.WALL) | (base == t.EARTH) & ~canvas.used[rows]
    return earth & ~(canvas.drawn[rows] | canvas.quiet[rows])


def _open_in(canvas: Canvas, rows: slice) -> NDArray[np.bool_]:
    """Return (rows, width) bool: the open cells of these rows of a canvas."""
    return _base_in(canvas, rows) > t.BLOCKED


def _doors_in(canvas: Canvas, rows: slice) -> NDArray[np.bool_]:
    """Return (rows, width) bool: the doors and doorways in these rows of a canvas; they belong to no region."""
    base = _base_in(canvas, rows)
    doors = (base >= t.DOORWAY) & (base <= t.LOCKED_DOOR) | (base == t.FLOOR)
    between: NDArray[np.bool_] = doors & (canvas.region[rows] == 0)
    return between


class _WayStarts:
    """Finds the cells in some rows of a canvas where a new corridor or door may begin; caches which regions allow that."""

    def __init__(self) -> None:
        # Indexed by region id. There may be thousands of regions, and a call adds few: only new ones are looked at.
        self._is_beginning = np.zeros(1, np.bool_)

    def __call__(self, canvas: Canvas, rows: slice) -> NDArray[np.bool_]:
        known = self._is_beginning[: len(canvas.regions) + 1]  # regions that were taken back are forgotten
        new = canvas.regions[len(known) - 1 :]
        are_beginnings = [each.kind in (*WAYS, "cave") and not each.sealed for each in new]
        self._is_beginning = np.append(known, np.array(are_beginnings, np.bool_))
        base = _base_in(canvas, rows)
        plain = (base >= t.FLOOR) & (base <= t.CAVE) & ~(canvas.drawn[rows] | canvas.quiet[rows])
        found: NDArray[np.bool_] = self._is_beginning.take(canvas.region[rows]) & plain
        return found


def _base_in(canvas: Canvas, rows: slice) -> NDArray[np.uint8]:
    """Return (rows, width) uint8: the built-in terrain codes of these rows of a canvas."""
    return canvas.terrain_set.base.take(canvas.terrain[rows])


# -- sizes and numbers -------------------------------------------------------------------------------


def _power_below(length: int) -> int:
    """Return the largest power of 2 below a length of at least 2: 5 -> 4, 4 -> 2."""
    return 1 << (length - 1).bit_length() - 1


def _greedy_numbers(bounds: list[Rect], height: int, width: int) -> list[int]:
    """Return a small number for each of the rectangles `bounds`, such that rectangles near each other have different numbers.

    Two are near each other if one block of `height` x `width` cells may touch both. Each rectangle takes the smallest number, from 0
    on, that no earlier rectangle near it has.
    """
    if not bounds:
        return []
    top, left, high, wide = np.array(bounds).T
    bottom, right = top + high + height - 1, left + wide + width - 1
    close = (
        (top[:, None] < bottom) & (top < bottom[:, None]) & (left[:, None] < right) & (left < right[:, None])
    )
    chosen: list[int] = []
    for number, row in enumerate(close):
        taken = {chosen[other] for other in row[:number].nonzero()[0].tolist()}
        chosen.append(next(each for each in range(number + 1) if each not in taken))
    return chosen


class LiveMask:
    """A mask that follows a changing canvas: when it is used, only rows marked as changed are read again.

    Args:
        board: Converts between arrays and masks.
        canvas: The map.
        look: Called with (canvas, slice of rows); returns (number of these rows, width) bool, the mask's cells in these rows.
    """

    __slots__ = ("_board", "_canvas", "_changed", "_look", "_mask")

    def __init__(
        self, board: Board, canvas: Canvas, look: Callable[[Canvas, slice], NDArray[np.bool_]]
    ) -> None:
        self._board = board
        self._canvas = canvas
        self._look = look
        self._mask = 0
        self._changed = [(0, board.height)]

    def forget(self, top: int, bottom: int) -> None:
        """Mark the rows `top` to `bottom` - 1 as changed."""
        self._changed.append((max(top, 0), min(bottom, self._board.height)))

    @property
    def mask(self) -> int:
        """The mask for the canvas as it is now."""
        if self._changed:
            self._changed.sort()
            top, bottom = self._changed[0]
            for first, last in self._changed:
                if first > bottom:
                    self._renew(top, bottom)
                    top = first
                bottom = max(bottom, last)
            self._renew(top, bottom)
            self._changed.clear()
        return self._mask

    def _renew(self, top: int, bottom: int) -> None:
        """Read the rows `top` to `bottom` - 1 of the canvas into the mask again."""
        now = self._board.from_part(self._look(self._canvas, slice(top, bottom)), 0)
        self._mask = self._board.with_rows(self._mask, top, bottom, now)


SIDES = ((1, 0), (0, -1), (-1, 0), (0, 1))
"""(dy, dx) of south, west, north and east: the side that a drawing's front faces after 0, 1, 2 and 3 turns."""

SIDE_NAMES = ("south", "west", "north", "east")


class Opening(NamedTuple):
    """An opening of a region: a cell of the region, and the side (index into `SIDES`) on which an open cell of another region lies."""

    cell: Cell
    side: int

    @property
    def outside(self) -> Cell:
        """The open cell of the other region: a door, or the last cell of a tunnel."""
        dy, dx = SIDES[self.side]
        return Cell(self.cell.y + dy, self.cell.x + dx)


class RegionOpenings:
    """All openings of a map: the pairs of neighbouring open cells that belong to different regions.

    Args:
        board: Converts between arrays and masks.
        region: (height, width) uint16, the region id of each cell.
        is_open: (height, width) bool, the open cells.

    Attributes:
        thresholds: Four masks, for south, west, north and east: the cells with an opening on that side.
    """

    def __init__(self, board: Board, region: NDArray[np.uint16], is_open: NDArray[np.bool_]) -> None:
        self._board = board
        self.thresholds = 0, 0, 0, 0
        self.renew(0, board.height, region, is_open)

    def renew(self, top: int, bottom: int, region: NDArray[np.uint16], is_open: NDArray[np.bool_]) -> None:
        """Find the openings between cells of the rows `top` to `bottom` - 1 again; openings to cells of other rows are kept.

        Args:
            top: The first row.
            bottom: The row after the last one.
            region: (bottom - top, width) uint16, the region ids in these rows.
            is_open: (bottom - top, width) bool, the open cells in these rows.
        """
        board = self._board
        south, _, _, east = self.thresholds
        down = (region[1:] != region[:-1]) & is_open[1:] & is_open[:-1]
        across = (region[:, 1:] != region[:, :-1]) & is_open[:, 1:] & is_open[:, :-1]
        south = board.with_rows(south, top, bottom - 1, board.from_part(down, 0))
        east = board.with_rows(east, top, bottom, board.from_part(across, 0))
        self.thresholds = south, east << 1, south << board.stride, east

    def within(self, area: int, first: int = 0) -> list[Opening]:
        """Return the openings of the cells of the mask `area`; its bit 0 stands for bit `first` of a mask of the map."""
        return [
            Opening(Cell(*divmod(place + first, self._board.stride)), side)
            for side, cells in enumerate(self.thresholds)
            for place in places(cells >> first & area)
        ]

    def outside(self, area: int) -> int:
        """Return the mask of the cells of other regions to which the openings of the cells in the mask `area` lead."""
        stride = self._board.stride
        south, west, north, east = (cells & area for cells in self.thresholds)
        return south << stride | west >> 1 | north >> stride | east << 1

    def ways(self, area: int, first: int = 0) -> int:
        """Return the number of ways into the cells of the mask `area`; its bit 0 stands for bit `first` of a mask of the map."""
        stride, count = self._board.stride, 0
        south, west, north, east = (cells >> first & area for cells in self.thresholds)
        # The cells beyond the openings, counted from one row above the area.
        outside = south << 2 * stride | west << stride - 1 | north | east << stride + 1
        if not outside & (outside >> 1 | outside >> stride):  # no two side by side, as in most regions
            return outside.bit_count()
        while outside:
            outside ^= flooded(outside, outside & -outside, stride)
            count += 1
        return count


def outside_ways(openings: Iterable[Opening]) -> list[tuple[Cell, ...]]:
    """Group the openings of a region into ways in: return for each way the cells outside, side by side, that it consists of."""
    left = dict.fromkeys(opening.outside for opening in openings)
    ways = []
    while left:
        way = [left.popitem()[0]]
        for y, x in way:
            near = [Cell(y + dy, x + dx) for dy, dx in SIDES]
            way += [cell for cell in near if left.pop(cell, way) is None]
        ways.append(tuple(way))
    return ways
