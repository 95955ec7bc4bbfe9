"""Where scattered things may be: the cells that each word for a place means, and those near a cell."""

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


USUAL = {"robot": "anywhere"}
"""Built-in kind of object -> where it is if nobody says; all others are in rooms."""

STRAY = 5
"""So many cells away from where it belongs, across and down, whatever stands near something else may be."""


def usual_place(entry: PopulationEntry) -> str:
    """Return where the objects of an entry are that does not say."""
    return USUAL.get(str(entry.like), "rooms")


class ScatterPlaces:
    """The free cells of a part of a map, by the words for places.

    Args:
        occupancy: What stands on the map.
        area: The part.
        ground: (area.height, area.width) bool, its cells on which anything may be scattered.
        rooms: The same, those of them that are in rooms; by default the map's regions tell.
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
        """Return (area.height, area.width) bool, the cells that a word means, be they taken or not.

        - ``anywhere``: all of them;
        - ``rooms``: those of rooms, caves, zones and prefabs; ``corridors``: those of what only leads there;
        - ``doors``: those before a door of any kind, on either side;
        - ``walls``: those of rooms beside a wall, or beside what stops walkers for good; ``middles``: those of rooms that
          touch neither.
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

    def free(self, word: str, but: NDArray[np.bool_] | None = None) -> NDArray[np.bool_]:
        """Return those on which nothing stands, and which are none of some others, as a mask of their own."""
        free: NDArray[np.bool_] = self.of(word) & ~self.occupancy.taken[self.area.slices]
        if but is not None:
            free &= ~but
        return free

    def around(self, home: Cell, reach: int) -> tuple[NDArray[np.bool_], Rect]:
        """Return the cells of the area near one: within reach, and steps lead there that do not go through doors.

        Returns:
            A mask, and where on the map it lies.
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
        """Return the index that cuts a part of the area out of its arrays."""
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
