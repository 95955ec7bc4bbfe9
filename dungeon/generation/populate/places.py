"""Where objects may be scattered: the cells of each *place* (``walls``, ``doors``, ``middles``...), and cells near another cell."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dungeon import terrain as t
from dungeon.core.vocabulary import SPACES
from dungeon.grid.bits import Board
from dungeon.grid.rect import Rect
from dungeon.grid.regions import beside, touching

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from dungeon.content.catalog.scattered import SpreadEntry
    from dungeon.generation.populate.occupancy import Occupancy
    from dungeon.grid.rect import Cell


DEFAULT_PLACES = {"robot": "anywhere"}
"""Kind of object -> the place where it is scattered by default; all others are scattered in rooms."""

MAX_STRAY = 5
"""Maximum distance in cells, across and down, of followers from their leader and of objects from the middle of their heap."""


def either(masks: Sequence[NDArray[np.bool_] | None]) -> NDArray[np.bool_] | None:
    """Return the cells that are in any of these masks, which have the same shape; None if all of them are None."""
    given = [mask for mask in masks if mask is not None]
    return np.logical_or.reduce(given) if given else None


def default_place(entry: SpreadEntry) -> str:
    """Return the place of the objects of an entry that names none: ``anywhere`` for robots, ``rooms`` for all other kinds."""
    return DEFAULT_PLACES.get(str(entry.like), "rooms")


class ScatterPlaces:
    """The cells of a rectangle of the map where objects may be scattered, by place: ``anywhere``, ``walls``, ``doors``...

    Args:
        occupancy: The record of the cells that objects take.
        area: The rectangle.
        ground: (area.height, area.width) bool: the cells where anything may be scattered.
        rooms: (area.height, area.width) bool: the cells of `ground` that are in rooms; None to find them by the map's regions.
    """

    def __init__(
        self,
        occupancy: Occupancy,
        area: Rect,
        ground: NDArray[np.bool_],
        rooms: NDArray[np.bool_] | None = None,
    ) -> None:
        self.occupancy = occupancy
        self.area = area
        self._found = {"anywhere": ground} if rooms is None else {"anywhere": ground, "rooms": rooms}

    def of(self, word: str) -> NDArray[np.bool_]:
        """Return (area.height, area.width) bool: the cells of the place with this name, free or not.

        - ``anywhere``: all cells of the ground;
        - ``rooms``: cells of rooms, caves, zones and prefabs; ``corridors``: cells of all other regions;
        - ``doors`` (d): cells beside a door of any kind, on either side;
        - ``walls`` (w): cells of rooms beside a wall or an obstacle;
        - ``middles`` (m): cells of rooms that touch neither, not even at a corner::

            #########
            #wwwwwww#
            #wmmmmmd+d..
            #wwwwwww#
            #########
        """
        if word not in self._found:
            meant = {
                "rooms": self._rooms,
                "corridors": self._corridors,
                "doors": self._doors,
                "walls": self._walls,
                "middles": self._middles,
            }
            self._found[word] = meant[word]()
        return self._found[word]

    def free(self, word: str, excluded: NDArray[np.bool_] | None = None) -> NDArray[np.bool_]:
        """Return (area.height, area.width) bool: the cells of the place `word` that no object takes and that are not `excluded`."""
        free: NDArray[np.bool_] = self.of(word) & ~self.occupancy.taken[self.area.slices]
        if excluded is not None:
            free &= ~excluded
        return free

    def around(self, home: Cell, reach: int) -> tuple[NDArray[np.bool_], Rect]:
        """Return the cells near `home`: at most `reach` rows and columns away, and connected to it without passing a door.

        Returns:
            The cells as a bool array, and the rectangle of the map that this array covers.
        """
        (y, x), area, occupancy = home, self.area, self.occupancy
        top, left = max(y - reach, area.y), max(x - reach, area.x)
        bottom, right = min(y + reach + 1, area.bottom), min(x + reach + 1, area.right)
        board, part = Board(bottom - top, right - left), (slice(top, bottom), slice(left, right))
        start = 1 << (y - top) * board.stride + x - left
        plain = board.from_array(occupancy.plain[part] & ~occupancy.stands[part]) | start
        near = board.to_array(board.flood(plain, start))
        return near, Rect(top, left, board.height, board.width)

    def inside(self, part: Rect) -> tuple[slice, slice]:
        """Return the slices that cut the rectangle `part` of the map out of arrays that cover `area`."""
        return Rect(part.y - self.area.y, part.x - self.area.x, part.height, part.width).slices

    # -- the places -----------------------------------------------------------------------------

    def _rooms(self) -> NDArray[np.bool_]:
        return self.of("anywhere") & self._spaces()

    def _corridors(self) -> NDArray[np.bool_]:
        region = self.occupancy.canvas.region[self.area.slices]
        return self.of("anywhere") & (region > 0) & ~self._spaces()

    def _doors(self) -> NDArray[np.bool_]:
        canvas = self.occupancy.canvas
        doors = canvas.terrain_set.door.take(canvas.terrain)
        return self.of("anywhere") & beside(doors)[self.area.slices]

    def _walls(self) -> NDArray[np.bool_]:
        return self.of("rooms") & beside(self._solid())[self.area.slices]

    def _middles(self) -> NDArray[np.bool_]:
        return self.of("rooms") & ~touching(self._solid())[self.area.slices]

    def _spaces(self) -> NDArray[np.bool_]:
        canvas = self.occupancy.canvas
        return canvas.within(each.id for each in canvas.regions if each.kind in SPACES)[self.area.slices]

    def _solid(self) -> NDArray[np.bool_]:
        return (self.occupancy.canvas.base <= t.BLOCKED) | self.occupancy.stands
