"""The rooms of a canvas as masks: where something may be placed, and where the doors let in."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING

import numpy as np

from dungeon import terrain as t
from dungeon.grid.bits import Board
from dungeon.grid.rect import Cell

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dungeon.level.canvas import Canvas
    from dungeon.level.model import Region

SIDES = ((1, 0), (0, -1), (-1, 0), (0, 1))
"""South, west, north, east as (dy, dx): the side that a drawing's front faces after 0, 1, 2, 3 turns."""


@dataclass(frozen=True, slots=True)
class Threshold:
    """The cell just inside a door, and the side of the room that the door is on (an index into `SIDES`)."""

    cell: Cell
    side: int


@dataclass(slots=True)
class Room:
    """A room that is still free, with the mask of its rectangle."""

    region: Region
    mask: int
    thresholds: list[Threshold] = field(default_factory=list)


class Sites:
    """The free rooms of a canvas.

    Attributes:
        board: The layout of all masks here.
        rooms: The rooms by region id.
        area: The mask of their rectangles.
        floor: The mask of their cells that are plain floor.
        thoroughfares: Those of the rooms that have more than one door.
    """

    def __init__(
        self, canvas: Canvas, board: Board, rooms: dict[int, Room], floor: int, thresholds: Sequence[int]
    ) -> None:
        self.canvas = canvas
        self.board = board
        self.rooms = rooms
        self.area = reduce(or_, (room.mask for room in rooms.values()), 0)
        self.floor = floor & self.area
        self.thoroughfares = [room for room in rooms.values() if len(room.thresholds) > 1]
        self._thresholds = thresholds
        self._fits: dict[tuple[int, int], int] = {}

    @classmethod
    def of(cls, canvas: Canvas) -> Sites:
        """Return all rooms of a canvas but the sealed ones, which nobody would visit."""
        board = Board(canvas.height, canvas.width)
        rooms = {
            region.id: Room(region, board.block(*region.bounds))
            for region in canvas.regions
            if region.kind == "room" and not region.sealed
        }
        cells: list[list[Cell]] = [[] for _ in SIDES]
        for door in canvas.doors:
            for side, (dy, dx) in enumerate(SIDES):
                y, x = door.y - dy, door.x - dx  # a door on the south side is south of its threshold
                room = rooms.get(int(canvas.region[y, x]))
                if room is not None and room.region.id in door.between:
                    room.thresholds.append(Threshold(Cell(y, x), side))
                    cells[side].append(Cell(y, x))
        chosen = np.zeros(len(canvas.regions) + 1, np.bool_)
        chosen[list(rooms)] = True
        base = canvas.terrain_set.base[canvas.terrain]
        plain = (base >= t.FLOOR) & (base <= t.CAVE) & ~canvas.drawn
        floor = board.from_array(chosen[canvas.region] & plain)
        return cls(canvas, board, rooms, floor, [board.from_cells(each) for each in cells])

    def having(self, low: int, high: int) -> Sites:
        """Return the rooms with `low` to `high` doors."""
        return self._only({n: room for n, room in self.rooms.items() if low <= len(room.thresholds) <= high})

    def without(self, region: int) -> Sites:
        """Return all rooms but one."""
        return self._only({n: room for n, room in self.rooms.items() if n != region})

    def _only(self, rooms: dict[int, Room]) -> Sites:
        if len(rooms) == len(self.rooms):
            return self
        return Sites(self.canvas, self.board, rooms, self.floor, self._thresholds)

    def thresholds(self, side: int) -> int:
        """Return the mask of the cells just inside a door on that side of a room."""
        return self._thresholds[side] & self.area

    def fits(self, height: int, width: int) -> int:
        """Return the mask of the top-left cells of all blocks of that size that lie on the floor of one room."""
        size = height, width
        if size not in self._fits:
            self._fits[size] = self.board.fits(self.floor, height, width)
        return self._fits[size]

    def door_counts(self, outside: Iterable[int]) -> list[tuple[str, int]]:
        """Return how many of these rooms have how many doors, in words."""
        counts = Counter(len(self.rooms[number].thresholds) for number in outside)
        return [(f"with {n} door{'' if n == 1 else 's'}", count) for n, count in sorted(counts.items())]
