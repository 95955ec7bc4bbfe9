"""Where objects may be scattered: the cells that each name of a place (``walls``, ``middles``...) means, and cells near another cell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dungeon import terrain as t
from dungeon.core.vocabulary import SPACES
from dungeon.grid.bits import Board
from dungeon.grid.rect import Rect
from dungeon.grid.regions import beside, touching

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from dungeon.content.models.population import PopulationEntry
    from dungeon.generation.populate.occupancy import Occupancy
    from dungeon.grid.rect import Cell


DEFAULT_PLACES = {"robot": "anywhere"}
"""Kind of object -> the place where it is scattered by default; all others are scattered in rooms."""

MAX_STRAY = 5
"""Maximum distance in cells, across and down, of followers from their leader and of things from the middle of a drift."""


def default_place(entry: PopulationEntry) -> str:
    """Return the default place for the objects of an entry."""
    return DEFAULT_PLACES.get(str(entry.like), "rooms")


class ScatterPlaces:
    """The free cells of a part of a map, by the names of places: ``anywhere``, ``walls``, ``doors``...

    Args:
        occupancy: What stands on the map.
        area: The part of the map.
        ground: (area.height, area.width) bool, the cells where anything may be scattered.
        rooms: Those of them that are in rooms; None to ask the map's regions.
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
        """Return (area.height, area.width) bool: the cells that the name of a place means, free or not. They are cached.

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
        """Return a copy of the cells that the name of a place means, without taken cells and without those of `excluded`."""
        free: NDArray[np.bool_] = self.of(word) & ~self.occupancy.taken[self.area.slices]
        if excluded is not None:
            free &= ~excluded
        return free

    def around(self, home: Cell, reach: int) -> tuple[NDArray[np.bool_], Rect]:
        """Return the cells near `home`: at most `reach` away, and connected to it without passing a door.

        Returns:
            A mask, and the part of the map that it covers.
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
        """Return the slices that cut a part of the area out of its arrays."""
        return Rect(part.y - self.area.y, part.x - self.area.x, part.height, part.width).slices

    # -- the words ------------------------------------------------------------------------------

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
