"""What the map is made of, as masks: whose floor is where, what is earth, and where ways lead in."""

from __future__ import annotations

from functools import cached_property, reduce
from operator import or_
from typing import TYPE_CHECKING

import numpy as np

from dungeon import terrain as t
from dungeon.core.streams import Ranking
from dungeon.generation.placing.current import Current
from dungeon.generation.placing.openings import Openings
from dungeon.grid.bits import places, shifted, starts
from dungeon.grid.rect import Cell, Rect

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable, Iterable, Sequence

    from numpy.typing import NDArray

    from dungeon.level.canvas import Canvas
    from dungeon.level.model import Region

Kinds = tuple[str, ...]
"""Kinds of region."""

SITE_KINDS: Kinds = ("room", "cave")
"""The kinds of region that encounters are placed in."""

WAYS: Kinds = ("corridor", "junction", "hall")
"""The kinds of region that are only ways from place to place."""


class Ground:
    """The masks of a canvas.

    Floors are those that there were before the first encounter was placed; earth is what there is now.

    Args:
        canvas: The canvas.
        only: The ids of the regions whose floor is asked for; None for all.

    Attributes:
        canvas: The canvas.
        board: The layout of the masks.
        openings: Where its regions meet.
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
        self.openings = Openings(self.board, self._region, base > t.BLOCKED)
        self._floors: dict[str, int] = {}
        self._masks: dict[Hashable, int] = {}
        self._fits: dict[tuple[Kinds, int, int], int] = {}
        self._digits: dict[tuple[Kinds, int, int], list[int]] = {}
        self._facing: dict[tuple[int, int], int] = {}
        self._middles: dict[int, Cell] = {}
        self._earth = Current(self.board, canvas, _earth_in)
        self._open = Current(self.board, canvas, _open_in)
        self._doors = Current(self.board, canvas, _doors_in)
        self._beginnings = Current(self.board, canvas, _Beginnings())
        self._ways: int | None = None

    # -- regions --------------------------------------------------------------------------------

    @cached_property
    def ranking(self) -> Ranking:
        """What puts the regions in a random order by where they begin; the first is that with the id 1."""
        return Ranking(np.array([region.bounds[:2] for region in self._regions]))

    @cached_property
    def sizes(self) -> NDArray[np.float64]:
        """(number of regions,) the cells within the bounds of each; the first is that with the id 1."""
        return np.array([float(region.bounds.area) for region in self._regions])

    # -- which cell is whose --------------------------------------------------------------------

    def area_of(self, regions: Iterable[int]) -> int:
        """Return the mask of the plain floor of these regions."""
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
        """Return those of the regions that have plain floor: of most the cell in the middle is."""
        return [each for each in regions if self._has_plain_middle(each) or self.cells_of(each).any()]

    def _has_plain_middle(self, region: Region) -> bool:
        y, x, height, width = region.bounds
        middle = y + height // 2, x + width // 2
        return bool(self._plain[middle] and self._region[middle] == region.id)

    def belongs(self, part: Rect, region: Region) -> NDArray[np.bool_]:
        """Return (part.height, part.width) bool: which cells of a part of the map belong to a region."""
        own: NDArray[np.bool_] = self._region[part.slices] == region.id
        return own

    def middle(self, region: Region, cells: int) -> Cell:
        """Return the deepest cell of a region; of several the nearest to the mean of its cells, then the first one.

        Cells are worn away from the edge, those first that have another cell than the region's among the eight around
        them, until one more time would leave none. What is left longest is where the largest square fits.

        Args:
            region: The region.
            cells: The mask of its cells, with its rows as far apart as in all masks here.
        """
        if region.id not in self._middles:
            stride = self.board.stride
            while worn := shifted(starts(starts(cells, 3, 1), 3, stride), stride + 1):
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
        """Return (height, width) bool: the plain floor of a region within its bounds."""
        part = region.bounds.slices
        own: NDArray[np.bool_] = (self._region[part] == region.id) & self._plain[part]
        return own

    @cached_property
    def _owners(self) -> NDArray[np.uint16]:
        """(height * stride,) uint16, which region the cell of each bit in masks belongs to."""
        return np.pad(self._region, ((0, 0), (0, 1))).ravel()

    def regions_at(self, cells: int) -> NDArray[np.bool_]:
        """Return (1 + number of regions,) bool, by region id: the regions that have one of these cells."""
        data = np.frombuffer(self.board.to_bytes(cells), np.uint8)
        touched = data.nonzero()[0]
        bits = np.unpackbits(data[touched], bitorder="little").reshape(-1, 8)
        which, bit = bits.nonzero()
        found = np.zeros(self._count, np.bool_)
        found[self._owners[touched[which] * 8 + bit]] = True
        return found

    def digits(self, kinds: Kinds, height: int, width: int) -> list[int]:
        """Return the digits of numbers for all regions of these kinds: a mask for each digit, set where it is 1.

        Regions of which a block of that size may have cells have different numbers. There are as few numbers as the first
        one that is free for each region, in order, makes them.
        """
        key = kinds, height, width
        if key not in self._digits:
            listed = [region for region in self._regions if region.kind in kinds]
            chosen = _different([region.bounds for region in listed], *key[1:])
            numbers = np.zeros(self._count, np.uint16)
            numbers[[region.id for region in listed]] = chosen
            spread = numbers.take(self._region)
            digits = range(max(chosen, default=0).bit_length())
            self._digits[key] = [self.board.from_array(spread & (1 << digit) != 0) for digit in digits]
        return self._digits[key]

    # -- masks ----------------------------------------------------------------------------------

    def forget(self, area: Rect) -> None:
        """Say that the map has been changed in an area."""
        for mask in (self._earth, self._open, self._doors, self._beginnings):
            mask.forget(area.y, area.bottom)
        self._facing.clear()

    def renew(self, area: Rect) -> None:
        """Say that an area has changed, openings of free sites included: these are found anew."""
        self.forget(area)
        top, bottom = max(area.y - 1, 0), min(area.bottom + 1, self.board.height)
        rows = slice(top, bottom)
        self.openings.renew(top, bottom, self.canvas.region[rows], _open_in(self.canvas, rows))
        self._masks.clear()

    def fits(self, kinds: Kinds, height: int, width: int) -> int:
        """Return the top-left cells of all blocks of that size on what was plain floor of sites of these kinds.

        Two blocks, one half of the other or more, make a larger one: many sizes have them in common.
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
        """Return a mask that depends only on floors before the first encounter and on openings; keys are the mode's own."""
        if key not in self._masks:
            self._masks[key] = find()
        return self._masks[key]

    def floor(self, kind: str) -> int:
        """Return the mask of what was plain floor of regions of a kind that are not sealed."""
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
        """The mask of what may be dug: earth, and walls that no prefab has drawn, but for reserved and quiet cells."""
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
        """The mask of the cells where a new way may begin: plain floor of corridors, junctions, halls and caves that are not sealed."""
        return self._beginnings.mask

    def facing(self, dy: int, dx: int) -> int:
        """Return the mask of the cells from which a step (dy, dx) meets a wall or a door, and another one a corridor."""
        key = dy, dx
        if key not in self._facing:
            by = dy * self.board.stride + dx
            walls = self.earth | self._doors.mask
            self._facing[key] = shifted(walls, -by) & shifted(self.ways, -2 * by)
        return self._facing[key]


# -- what there is now, in some rows of a canvas ------------------------------------------------------


def _earth_in(canvas: Canvas, rows: slice) -> NDArray[np.bool_]:
    base = _base_in(canvas, rows)
    earth: NDArray[np.bool_] = (base == t.WALL) | (base == t.EARTH) & ~canvas.used[rows]
    return earth & ~(canvas.drawn[rows] | canvas.quiet[rows])


def _open_in(canvas: Canvas, rows: slice) -> NDArray[np.bool_]:
    return _base_in(canvas, rows) > t.BLOCKED


def _doors_in(canvas: Canvas, rows: slice) -> NDArray[np.bool_]:
    base = _base_in(canvas, rows)
    doors = (base >= t.DOORWAY) & (base <= t.LOCKED_DOOR) | (base == t.FLOOR)
    between: NDArray[np.bool_] = doors & (canvas.region[rows] == 0)
    return between


class _Beginnings:
    """Finds the cells where a new way may begin, and remembers of which regions they may be."""

    def __init__(self) -> None:
        # By region id: there may be thousands, of which few are new.
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
    return canvas.terrain_set.base.take(canvas.terrain[rows])


# -- numbers ------------------------------------------------------------------------------------------


def _power_below(length: int) -> int:
    """Return the largest power of 2 that is smaller than a length, which is at least 2."""
    return 1 << (length - 1).bit_length() - 1


def _different(bounds: list[Rect], height: int, width: int) -> list[int]:
    """Return a small number for each rectangle, different for those into two of which a block of that size may reach."""
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
