"""Patrols: from where a robot stands to another region and back, by one place in each region on the way."""

from __future__ import annotations

from functools import reduce
from itertools import groupby
from operator import or_
from typing import TYPE_CHECKING

from dungeon import terrain as t
from dungeon.grid.bits import Board
from dungeon.grid.rect import Cell
from dungeon.grid.regions import FAR, LARGE, distances, way_down

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from dungeon.core.streams import Stream
    from dungeon.generation.populate.populator import Populator


SHORTEST = 12
"""So many steps away a patrol leads at least."""

BRIEF = 3
"""A region that the way leaves after fewer steps is no place to go to."""


def round_from(
    populator: Populator, home: Cell, most: int, stream: Stream, seen: NDArray[np.bool_] | None = None
) -> tuple[Cell, ...]:
    """Return the places of a patrol in the order in which it comes by them, where it begins first; none if it finds no way.

    It follows a shortest way to a cell in another region, around what stays and through no locked door; so each place is
    walked to from the one before. The places stay free of whatever would stop it.

    Args:
        populator: What fills the level.
        home: Where it begins.
        most: How many places it has at most, each in a region of its own.
        stream: Where chance comes from.
        seen: (height, width) bool, cells where it does not go; None for none.
    """
    canvas, occupancy = populator.canvas, populator.occupancy
    ground = canvas.passable() & ~occupancy.stands & (canvas.base != t.LOCKED_DOOR)
    if seen is not None:
        ground &= ~seen
    ground[home] = True
    rings = rings_around(ground, home)
    ends = rings.beyond(SHORTEST) & occupancy.plain & ~occupancy.meant
    ends &= canvas.region != canvas.region[home]
    if most < 2 or not ends.any():
        populator.journal.note(
            "populate", populator.spawns[-1].source, "noted", "there is no way for a patrol"
        )
        return ()
    way = rings.way_to(Cell(*divmod(stream.pick_set(ends), canvas.width)))
    by_region = {int(canvas.region[home]): home}
    for region, run in groupby(way, key=lambda cell: int(canvas.region[cell])):
        cells = [*run]
        if region and len(cells) >= BRIEF:
            by_region.setdefault(region, cells[len(cells) // 2])
    places = [*by_region.values()][:most]
    if len(places) < 2:
        places.append(way[-1])
    for cell in places:
        occupancy.spared[cell] = True
    return tuple(places)


def rings_around(ground: NDArray[np.bool_], home: Cell) -> Rings | Numbers:
    """Return what lies how far from a cell.

    Args:
        ground: (height, width) bool, where steps lead; none of the outermost cells.
        home: A cell of it.
    """
    return Rings(ground, home) if ground.size < LARGE else Numbers(ground, home)


class Rings:
    """The same on a small map: all cells that are equally far are a mask, which costs half of what numbering them does."""

    def __init__(self, ground: NDArray[np.bool_], home: Cell) -> None:
        self._board = board = Board(*ground.shape)
        stride = board.stride
        left, front = board.from_array(ground), board.from_cells([home])
        self._rings: list[int] = []
        while front:
            self._rings.append(front)
            left ^= front
            # A move by (1, 1) and one by (1, -1) make all four steps, each a row too far down.
            front |= front << stride + 1
            front = (front | front << stride - 1) >> stride & left

    def beyond(self, steps: int) -> NDArray[np.bool_]:
        """Return (height, width) bool, the cells that are at least so many steps away, and to which a way leads."""
        return self._board.to_array(reduce(or_, self._rings[steps:], 0))

    def way_to(self, end: Cell) -> list[Cell]:
        """Return the cells of a shortest way, both ends included; of several, the one that goes straight on as long as it may."""
        stride = self._board.stride
        place = end.y * stride + end.x
        steps = next(number for number, ring in enumerate(self._rings) if ring >> place & 1)
        way, last, around = [end], 0, (2 << 2 * stride) - 1
        for ring in reversed(self._rings[:steps]):
            near = ring >> place - stride & around  # from the cell above to the one below
            if not near >> stride + last & 1:
                last = next(step for step in (-stride, -1, 1, stride) if near >> stride + step & 1)
            place += last
            way.append(Cell(*divmod(place, stride)))
        return way[::-1]


class Numbers:
    """The same on a large map, where each cell has a number."""

    def __init__(self, ground: NDArray[np.bool_], home: Cell) -> None:
        self._away = distances(ground, [home])

    def beyond(self, steps: int) -> NDArray[np.bool_]:
        """Return which cells are that far away, as `Rings.beyond` does."""
        found: NDArray[np.bool_] = (self._away >= steps) & (self._away < FAR)
        return found

    def way_to(self, end: Cell) -> list[Cell]:
        """Return the cells of a way, as `Rings.way_to` does."""
        return way_down(self._away, end)[::-1]
