"""Where regions meet what lies outside of them: openings, and how many ways in they make.

An **opening** is a place where a region meets an open cell of another one: a door, or the mouth of a tunnel that ends in
it. Openings side by side are one way in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dungeon.grid.bits import flooded, places
from dungeon.grid.rect import Cell

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np
    from numpy.typing import NDArray

    from dungeon.grid.bits import Board

SIDES = ((1, 0), (0, -1), (-1, 0), (0, 1))
"""South, west, north, east as (dy, dx): the side that a drawing's front faces after 0, 1, 2, 3 turns."""

SIDE_NAMES = ("south", "west", "north", "east")


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
    """All openings of a map: the pairs of neighbouring open cells that belong to different regions.

    Args:
        board: The layout of the masks.
        region: (height, width) uint16, the id of the region that each cell belongs to.
        is_open: (height, width) bool, the open cells.

    Attributes:
        thresholds: For south, west, north and east, in this order, the mask of the cells that have an opening on that side.
    """

    def __init__(self, board: Board, region: NDArray[np.uint16], is_open: NDArray[np.bool_]) -> None:
        self._board = board
        self.thresholds = 0, 0, 0, 0
        self.renew(0, board.height, region, is_open)

    def renew(self, top: int, bottom: int, region: NDArray[np.uint16], is_open: NDArray[np.bool_]) -> None:
        """Find the openings among the cells of the rows `top` to `bottom` - 1 anew; those to rows outside of these stay as they are.

        Args:
            top: The first row.
            bottom: The row after the last one.
            region: (bottom - top, width) uint16, the id of the region that each of their cells belongs to.
            is_open: (bottom - top, width) bool, which of their cells are open.
        """
        board = self._board
        south, _, _, east = self.thresholds
        down = (region[1:] != region[:-1]) & is_open[1:] & is_open[:-1]
        across = (region[:, 1:] != region[:, :-1]) & is_open[:, 1:] & is_open[:, :-1]
        south = board.with_rows(south, top, bottom - 1, board.from_part(down, 0))
        east = board.with_rows(east, top, bottom, board.from_part(across, 0))
        self.thresholds = south, east << 1, south << board.stride, east

    def within(self, area: int, first: int = 0) -> list[Opening]:
        """Return the openings of the regions whose cells a mask has, counted from the bit `first`."""
        return [
            Opening(Cell(*divmod(place + first, self._board.stride)), side)
            for side, cells in enumerate(self.thresholds)
            for place in places(cells >> first & area)
        ]

    def outside(self, area: int) -> int:
        """Return the mask of the cells beyond these openings."""
        stride = self._board.stride
        south, west, north, east = (cells & area for cells in self.thresholds)
        return south << stride | west >> 1 | north >> stride | east << 1

    def ways(self, area: int, first: int = 0) -> int:
        """Return how many ways lead into the regions whose cells a mask has, counted from the bit `first`."""
        stride, count = self._board.stride, 0
        south, west, north, east = (cells >> first & area for cells in self.thresholds)
        # The cells beyond, counted from a row above the area's.
        outside = south << 2 * stride | west << stride - 1 | north | east << stride + 1
        if not outside & (outside >> 1 | outside >> stride):  # as a rule none is beside another
            return outside.bit_count()
        while outside:
            outside ^= flooded(outside, outside & -outside, stride)
            count += 1
        return count


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
