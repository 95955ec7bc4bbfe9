"""Where regions meet what lies outside of them: openings, and how many ways in they make.

An **opening** is a place where a region meets an open cell of another one: a door, or the mouth of a tunnel that ends in
it. Openings side by side are one way in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dungeon.grid.rect import Cell

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from dungeon.grid.bits import Board
    from dungeon.level.model import Region

SIDES = ((1, 0), (0, -1), (-1, 0), (0, 1))
"""South, west, north, east as (dy, dx): the side that a drawing's front faces after 0, 1, 2, 3 turns."""

SIDE_NAMES = ("south", "west", "north", "east")

Span = tuple[int, int]
"""Where a region's openings begin and end among all openings of the map."""


class Opening(NamedTuple):
    """Where a site meets what lies outside: its own cell there, and on which side that is (an index into `SIDES`)."""

    cell: Cell
    side: int

    @property
    def outside(self) -> Cell:
        """The cell beyond: a door, or the last cell of a tunnel."""
        dy, dx = SIDES[self.side]
        return Cell(self.cell.y + dy, self.cell.x + dx)


class Openings:
    """All openings of a map, those of the regions with lower ids first.

    Args:
        board: The layout of the masks.
        region: (height, width) uint16, the id of the region that each cell belongs to.
        is_open: (height, width) bool, the open cells.

    Attributes:
        thresholds: For each side, the mask of the cells that have an opening there.
    """

    def __init__(self, board: Board, region: NDArray[np.uint16], is_open: NDArray[np.bool_]) -> None:
        down = (region[1:] != region[:-1]) & is_open[1:] & is_open[:-1]
        across = (region[:, 1:] != region[:, :-1]) & is_open[:, 1:] & is_open[:, :-1]
        south, east = board.from_part(down, 0), board.from_part(across, 0)
        self.thresholds = south, east << 1, south << board.stride, east
        self._stride = board.stride
        top, column = np.divmod(np.flatnonzero(down), down.shape[1])
        row, left = np.divmod(np.flatnonzero(across), across.shape[1])
        ys = np.concatenate((top, row, top + 1, row))
        xs = np.concatenate((column, left + 1, column, left))
        sides = np.repeat(np.arange(4), (len(top), len(row), len(top), len(row)))
        owners = region[ys, xs]
        order = np.argsort(owners, kind="stable")
        self._owners = owners[order]
        self._all = np.stack((sides, ys, xs), axis=1)[order]

    def spans(self, regions: Iterable[Region]) -> list[Span]:
        """Return where the openings of each of these regions begin and end among all."""
        numbers = [region.id for region in regions]
        first = np.searchsorted(self._owners, numbers).tolist()
        last = np.searchsorted(self._owners, numbers, side="right").tolist()
        return list(zip(first, last, strict=True))

    def crossed(self, count: int) -> NDArray[np.bool_]:
        """Return (count,) bool: which of the regions with lower ids than that have more than one opening."""
        return np.bincount(self._owners, minlength=count) > 1

    def within(self, span: Span) -> list[Opening]:
        """Return some of the openings."""
        first, last = span
        return [Opening(Cell(y, x), side) for side, y, x in self._all[first:last].tolist()]

    def ways(self, spans: Sequence[Span]) -> list[int]:
        """Return how many ways lead in by each of these spans of openings."""
        sides, ys, xs = self._all.T
        steps = np.array([dy * self._stride + dx for dy, dx in SIDES])
        outside: list[int] = (ys * self._stride + xs + steps[sides]).tolist()
        return [
            last - first if last - first < 2 else _parts(outside[first:last], self._stride)
            for first, last in spans
        ]


def outside_ways(openings: Iterable[Opening]) -> list[tuple[Cell, ...]]:
    """Return the ways in that openings make: of each, the cells outside by which one comes in."""
    left = dict.fromkeys(opening.outside for opening in openings)
    ways = []
    while left:
        way = [left.popitem()[0]]
        for y, x in way:
            near = [Cell(y + dy, x + dx) for dy, dx in SIDES]
            way += [cell for cell in near if left.pop(cell, way) is None]
        ways.append(tuple(way))
    return ways


def _parts(cells: Iterable[int], stride: int) -> int:
    """Return into how many parts cells fall, told by their places in masks: those that touch are one."""
    left = set(cells)
    count = 0
    while left:
        count += 1
        waiting = [left.pop()]
        while waiting:
            place = waiting.pop()
            near = left.intersection((place + stride, place - 1, place - stride, place + 1))
            left -= near
            waiting += near
    return count
