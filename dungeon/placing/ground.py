"""What the map is made of, as masks: whose floor is where, what is earth, and where ways lead in."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dungeon import terrain as t
from dungeon.grid.bits import Board, places, shifted, starts
from dungeon.grid.rect import Cell, Rect

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Sequence

    from numpy.typing import NDArray

    from dungeon.level.canvas import Canvas
    from dungeon.level.model import Region

Kinds = tuple[str, ...]
"""Kinds of region."""

WAYS: Kinds = ("corridor", "junction")
"""The kinds of region that are only ways from place to place."""


class Ground:
    """The masks of a canvas.

    Floors are those that there were before the first encounter was placed; earth is what there is now.

    Attributes:
        canvas: The canvas.
        board: The layout of the masks.
        thresholds: For each side, the mask of the cells that have an opening there.
    """

    def __init__(self, canvas: Canvas) -> None:
        self.canvas = canvas
        self.board = Board(canvas.height, canvas.width)
        base = canvas.base
        self._region = canvas.region.copy()
        self._plain = (base >= t.FLOOR) & (base <= t.CAVE) & ~(canvas.drawn | canvas.quiet)
        borders = _borders(self._region, base > t.BLOCKED)
        self.thresholds = [self.board.from_array(cells) for cells in borders]
        found = np.argwhere(np.stack(borders))  # side, y, x
        owners = self._region[found[:, 1], found[:, 2]]
        order = np.argsort(owners, kind="stable")
        self._openings, self._owners = found[order], owners[order]
        self._floors: dict[str, int] = {}
        self._masks: dict[Hashable, int] = {}
        self._fits: dict[tuple[Kinds, int, int], int] = {}
        self._digits: dict[tuple[Kinds, int, int], list[int]] = {}
        self._facing: dict[tuple[int, int], int] = {}
        self._middles: dict[int, Cell] = {}
        self._earth: int | None = None
        self._open: int | None = None
        self._ways: int | None = None

    # -- which cell is whose --------------------------------------------------------------------

    def area_of(self, regions: Iterable[int]) -> int:
        """Return the mask of the plain floor of these regions."""
        listed = list(regions)
        if not listed:
            return 0
        chosen = np.zeros(len(self.canvas.regions) + 1, np.bool_)
        chosen[listed] = True
        return self.board.from_array(chosen[self._region] & self._plain)

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
            rest = region.bounds.y * stride % 8  # masks of a part of the map begin at a whole byte
            deepest = []
            for place in places(cells):
                y, x = divmod(place - rest, stride)
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

    def regions_at(self, cells: int) -> list[int]:
        """Return the ids of the regions that have one of these cells, the lowest first."""
        data = np.frombuffer(self.board.to_bytes(cells), np.uint8)
        touched = data.nonzero()[0]
        bits = np.unpackbits(data[touched], bitorder="little").reshape(-1, 8)
        which, bit = bits.nonzero()
        ys, xs = np.divmod(touched[which] * 8 + bit, self.board.stride)
        found = np.zeros(len(self.canvas.regions) + 1, np.bool_)
        found[self._region[ys, xs]] = True
        numbers: list[int] = found.nonzero()[0].tolist()
        return numbers

    def openings_of(self, regions: Sequence[Region]) -> list[tuple[int, int]]:
        """Return where the openings of each of these regions begin and end among all, which are in order of regions."""
        numbers = [region.id for region in regions]
        first = np.searchsorted(self._owners, numbers).tolist()
        last = np.searchsorted(self._owners, numbers, side="right").tolist()
        return list(zip(first, last, strict=True))

    def openings(self, first: int, last: int) -> list[tuple[Cell, int]]:
        """Return some of the openings: a cell, and the side on which an open cell of another region is."""
        return [(Cell(y, x), side) for side, y, x in self._openings[first:last].tolist()]

    def digits(self, kinds: Kinds, height: int, width: int) -> list[int]:
        """Return the digits of numbers for all regions of these kinds: a mask for each digit, set where it is 1.

        Regions of which a block of that size may have cells have different numbers. There are as few numbers as the first
        one that is free for each region, in order, makes them.
        """
        key = kinds, height, width
        if key not in self._digits:
            listed = [region for region in self.canvas.regions if region.kind in kinds]
            chosen = _different([region.bounds for region in listed], *key[1:])
            numbers = np.zeros(len(self.canvas.regions) + 1, np.uint16)
            numbers[[region.id for region in listed]] = chosen
            spread = numbers[self._region]
            digits = range(max(chosen, default=0).bit_length())
            self._digits[key] = [self.board.from_array(spread & (1 << digit) != 0) for digit in digits]
        return self._digits[key]

    # -- masks ----------------------------------------------------------------------------------

    def forget(self) -> None:
        """Say that the map has been changed."""
        self._earth = self._open = None
        self._facing.clear()

    def fits(self, kinds: Kinds, height: int, width: int) -> int:
        """Return the top-left cells of all blocks of that size on what was plain floor of sites of these kinds."""
        key = kinds, height, width
        if key not in self._fits:
            floor = 0
            for kind in kinds:
                floor |= self.floor(kind)
            self._fits[key] = self.board.fits(floor, height, width)
        return self._fits[key]

    def known(self, key: Hashable, find: Callable[[], int]) -> int:
        """Return a mask that depends only on what the map was before the first encounter; keys are the mode's own."""
        if key not in self._masks:
            self._masks[key] = find()
        return self._masks[key]

    def floor(self, kind: str) -> int:
        """Return the mask of what was plain floor of regions of a kind that are not sealed."""
        if kind not in self._floors:
            regions = self.canvas.regions
            self._floors[kind] = self.area_of(r.id for r in regions if r.kind == kind and not r.sealed)
        return self._floors[kind]

    @property
    def earth(self) -> int:
        """The mask of what may be dug: earth, and walls that no prefab has drawn, but for reserved and quiet cells."""
        if self._earth is None:
            canvas = self.canvas
            base, free = canvas.base, ~(canvas.drawn | canvas.quiet)
            earth = self.board.from_array((base == t.EARTH) & free) & ~self.board.from_rows(canvas.used.rows)
            self._earth = earth | self.board.from_array((base == t.WALL) & free)
        return self._earth

    @property
    def ways(self) -> int:
        """The mask of the plain floor of corridors and junctions."""
        if self._ways is None:
            self._ways = self.area_of(region.id for region in self.canvas.regions if region.kind in WAYS)
        return self._ways

    @property
    def open(self) -> int:
        """The mask of all open cells, doors included."""
        if self._open is None:
            self._open = self.board.from_array(self.canvas.open)
        return self._open

    def facing(self, dy: int, dx: int) -> int:
        """Return the mask of the cells from which a step (dy, dx) meets a wall or a door, and another one a corridor."""
        key = dy, dx
        if key not in self._facing:
            canvas = self.canvas
            base = canvas.base
            doors = ((base >= t.DOORWAY) & (base <= t.LOCKED_DOOR) | (base == t.FLOOR)) & (canvas.region == 0)
            by = dy * self.board.stride + dx
            walls = self.earth | self.board.from_array(doors)
            self._facing[key] = shifted(walls, -by) & shifted(self.ways, -2 * by)
        return self._facing[key]


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


def _borders(region: NDArray[np.uint16], is_open: NDArray[np.bool_]) -> list[NDArray[np.bool_]]:
    """Return, for each side, (height, width) bool: the open cells beside an open cell of another region there."""
    south, west, north, east = (np.zeros(region.shape, np.bool_) for _ in range(4))
    south[:-1] = (region[1:] != region[:-1]) & is_open[1:] & is_open[:-1]
    north[1:] = south[:-1]
    east[:, :-1] = (region[:, 1:] != region[:, :-1]) & is_open[:, 1:] & is_open[:, :-1]
    west[:, 1:] = east[:, :-1]
    return [south, west, north, east]
