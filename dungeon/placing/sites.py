"""The rooms of a canvas as masks: where something may be placed, and where the doors let in."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from dungeon import terrain as t
from dungeon.grid.bits import Board
from dungeon.grid.rect import Cell

if TYPE_CHECKING:
    from collections.abc import Iterable

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
        floor: The mask of their cells.
        thoroughfares: Those of the rooms that have more than one door.
    """

    def __init__(self, canvas: Canvas, board: Board, rooms: dict[int, Room], floor: int) -> None:
        self.canvas = canvas
        self.board = board
        self.rooms = rooms
        self.floor = floor
        self.thoroughfares = [room for room in rooms.values() if len(room.thresholds) > 1]
        self._thresholds: dict[int, int] = {}

    @classmethod
    def of(cls, canvas: Canvas) -> Sites:
        """Return all rooms of a canvas but the sealed ones, which nobody would visit."""
        board = Board(canvas.height, canvas.width)
        rooms = {
            region.id: Room(region, board.block(*region.bounds))
            for region in canvas.regions
            if region.kind == "room" and not region.sealed
        }
        for door in canvas.doors:
            for side, (dy, dx) in enumerate(SIDES):
                y, x = door.y - dy, door.x - dx  # a door on the south side is south of its threshold
                room = rooms.get(int(canvas.region[y, x]))
                if room is not None and room.region.id in door.between:
                    room.thresholds.append(Threshold(Cell(y, x), side))
        chosen = np.zeros(len(canvas.regions) + 1, np.bool_)
        chosen[list(rooms)] = True
        base = canvas.terrain_set.base[canvas.terrain]
        plain = (base >= t.FLOOR) & (base <= t.CAVE) & ~canvas.drawn
        return cls(canvas, board, rooms, board.from_array(chosen[canvas.region] & plain))

    def having(self, low: int, high: int) -> Sites:
        """Return the rooms with `low` to `high` doors."""
        return self._only({n: room for n, room in self.rooms.items() if low <= len(room.thresholds) <= high})

    def without(self, region: int) -> Sites:
        """Return all rooms but one."""
        return self._only({n: room for n, room in self.rooms.items() if n != region})

    def _only(self, rooms: dict[int, Room]) -> Sites:
        floor = self.floor
        for number, room in self.rooms.items():
            if number not in rooms:
                floor &= ~room.mask
        return Sites(self.canvas, self.board, rooms, floor)

    def thresholds(self, side: int) -> int:
        """Return the mask of the cells just inside a door on that side of a room."""
        if side not in self._thresholds:
            self._thresholds[side] = self.board.from_cells(
                each.cell for room in self.rooms.values() for each in room.thresholds if each.side == side
            )
        return self._thresholds[side]

    def door_counts(self, outside: Iterable[int]) -> list[tuple[str, int]]:
        """Return how many of these rooms have how many doors, in words."""
        counts = Counter(len(self.rooms[number].thresholds) for number in outside)
        return [(f"with {n} door{'' if n == 1 else 's'}", count) for n, count in sorted(counts.items())]
