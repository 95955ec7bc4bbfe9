"""What the rules look at: one level, measured once."""

from __future__ import annotations

from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from dungeon import terrain as t
from dungeon.level.proof.reach import beside, flood

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from dungeon.level.model import Level, Spawn

Finding = tuple[str, int | None, int | None]
"""What is wrong, and the row and the column of the cell where that shows, if there is one."""

PERMANENT = ("prop", "trap", "item", "debris")
"""The kinds of spawn that stay where they are; robots step aside."""

IS_DOOR = np.isin(np.arange(256), t.DOORS)
IS_DOOR.flags.writeable = False
"""Which built-in terrain is a door."""

IS_GAP = np.isin(np.arange(256), t.GAPS)
IS_GAP.flags.writeable = False
"""Which built-in terrain a door of the level's list may lie on."""

_Value = TypeVar("_Value", bound=np.generic)


def base_name(base: int) -> str:
    """Return what a built-in terrain is called."""
    return t.BASE_NAMES[base] if 0 <= base < len(t.BASE_NAMES) else f"terrain {base}"


class Standing(NamedTuple):
    """The cells that spawns cover, one spawn after the other: (n,) arrays.

    Attributes:
        y: The row; `x`: the column.
        place: The place in the survey's flat arrays, 0 outside the map, where `on_map` is False.
        owner: The index of the spawn.
    """

    y: NDArray[np.intp]
    x: NDArray[np.intp]
    place: NDArray[np.intp]
    on_map: NDArray[np.bool_]
    owner: NDArray[np.intp]

    def owners(self, which: NDArray[np.bool_]) -> list[int]:
        """Return the spawns that have one of these cells, in order."""
        return list(dict.fromkeys(self.owner[which].tolist()))


class Hung(NamedTuple):
    """The doors of the level's list: (n,) arrays in its order.

    Attributes:
        place: The place in the survey's flat arrays, 0 outside the map.
        on_door: Whether a door is on a door cell.
        down: Whether it is, stands in a wall, and a step up or down leads through it; `right`: one to a side.
    """

    place: NDArray[np.intp]
    on_door: NDArray[np.bool_]
    down: NDArray[np.bool_]
    right: NDArray[np.bool_]


class RegionRuns(NamedTuple):
    """The stretches of a row that belong to one region: (n,) arrays.

    Attributes:
        region: The region's id.
        start: The place of the first cell; `y` is its row, `left` its column.
        right: The column behind the last cell.
    """

    region: NDArray[np.uint16]
    start: NDArray[np.intp]
    y: NDArray[np.intp]
    left: NDArray[np.intp]
    right: NDArray[np.intp]


class Survey:
    """A level as flat arrays with a frame of wall, and what can be reached on it.

    A cell's place in the arrays is `at(y, x)`; its neighbours are one and `stride` places away, and cells on
    the edge of the map have neighbours like all others: walls.

    Attributes:
        level: The level.
        stride: From a cell to the one below it.
        base: uint8, the built-in terrain that each cell is based on; `bases` is the same for quick single looks.
        region: uint16 region ids, 0 in the frame.
        open: bool, the cells that are not solid: floors, doors of every kind, water, stairs...
        walkable: bool, the open cells that can be walked on.
        regions: The regions by their ids.
        standing: The cells that spawns cover.
        blocking: (spawns,) bool, those that block.
        stopped: bool, the cells on which a blocking spawn stands that never moves.
        entrance: The entrance's place, or None if it is not on an open cell: then nothing is reached.
        walked: bool, what a walker who can open every door reaches from the entrance.
        reached: bool, the open cells that 4-neighbour steps reach, water and obstacles notwithstanding.
    """

    def __init__(self, level: Level) -> None:
        self.level = level
        self.height, self.width = level.height, level.width
        self.stride = self.width + 2
        terrain = self._framed(level.terrain, t.WALL)
        self.base = level.terrain_set.base.take(terrain)
        self.bases = self.base.tobytes()
        self.region = self._framed(level.region, 0)
        self.open = self.base > t.BLOCKED
        self.walkable = level.terrain_set.walkable.take(terrain) & self.open
        self.regions = {region.id: region for region in level.regions}
        self.standing = self._standing(level.spawns)
        self.blocking = flags(spawn.blocks for spawn in level.spawns)
        permanent = flags(spawn.kind in PERMANENT for spawn in level.spawns)
        self._stopping = (permanent & self.blocking)[self.standing.owner] & self.standing.on_map
        self.stopped = np.zeros(self.base.shape, np.bool_)
        self.stopped[self.standing.place[self._stopping]] = True
        entrance = self.at(*level.entrance)
        self.entrance = entrance if entrance is not None and self.open[entrance] else None
        self.walked, self.reached = self._walk()

    def at(self, y: int, x: int) -> int | None:
        """Return the place of a cell in the flat arrays, or None if it lies outside the map."""
        if 0 <= y < self.height and 0 <= x < self.width:
            return (y + 1) * self.stride + x + 1
        return None

    def finding(self, message: str, place: int) -> Finding:
        """Say something of the cell at a place in the flat arrays."""
        y, x = divmod(place, self.stride)
        return message, y - 1, x - 1

    def among(self, codes: tuple[int, ...]) -> list[int]:
        """Return the places of all cells based on one of these built-in terrains."""
        found = self.base == codes[0]
        for code in codes[1:]:
            found |= self.base == code
        return np.flatnonzero(found).tolist()

    def sealed(self) -> NDArray[np.bool_]:
        """Return where the map may be cut off: the sealed regions, and cells without a region beside them.

        The latter are the doors of a sealed region, which belong to no region themselves.
        """
        ids = [region.id for region in self.level.regions if region.sealed]
        inside: NDArray[np.bool_] = np.isin(self.region, ids)
        inside |= beside(inside, self.stride) & self.open & (self.region == 0)
        return inside

    @cached_property
    def obstacles(self) -> dict[int, Spawn]:
        """The blocking spawns that never move, by the cells they stand on."""
        places, owners = self.standing.place[self._stopping], self.standing.owner[self._stopping]
        return {
            place: self.level.spawns[owner]
            for place, owner in zip(places.tolist(), owners.tolist(), strict=True)
        }

    @cached_property
    def region_runs(self) -> RegionRuns:
        """The map's regions, cut into stretches of a row."""
        edges = np.flatnonzero(self.region[1:] != self.region[:-1]) + 1
        ids = self.region[edges]
        inside = np.flatnonzero(ids)
        starts, ends = edges[inside], edges[inside + 1]
        y, left = np.divmod(starts, self.stride)
        return RegionRuns(ids[inside], starts, y - 1, left - 1, left - 1 + ends - starts)

    @cached_property
    def hung(self) -> Hung:
        """The level's doors."""
        doors = self.level.doors
        place, _ = self._places([door.y for door in doors], [door.x for door in doors])
        on_gap = IS_GAP[self.base[place]]
        listed = np.zeros(self.base.shape, np.bool_)
        listed[place[on_gap]] = True
        down, right = self._leads(place, listed)
        return Hung(place, on_gap, down, right)

    @cached_property
    def unlisted(self) -> list[int]:
        """The door cells that are no door of the level's list."""
        listed = set(self.hung.place.tolist())
        return [place for place in self.among(t.DOORS) if place not in listed]

    @cached_property
    def areas(self) -> list[tuple[slice, slice]]:
        """What cuts the bounds of each placement, as far as they lie on the map, out of (height, width) arrays."""
        # Slices may reach beyond the end of an array, but a negative one would count from there.
        return [
            (slice(max(y, 0), max(y + height, 0)), slice(max(x, 0), max(x + width, 0)))
            for y, x, height, width in (placement.bounds for placement in self.level.placements)
        ]

    @cached_property
    def drawn(self) -> NDArray[np.bool_]:
        """bool, where prefabs have drawn: the bounds of their placements, and regions that are prefabs."""
        inside = np.zeros((self.height, self.width), np.bool_)
        for placement, area in zip(self.level.placements, self.areas, strict=True):
            if placement.prefab:
                inside[area] = True
        ids = [region.id for region in self.level.regions if region.kind == "prefab"]
        if ids:
            inside |= np.isin(self.level.region, ids)
        return self._framed(inside, False)

    def _leads(self, place: NDArray[np.intp], listed: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return (2, n): which places are gaps in a wall through which steps lead down, and which ones to the right.

        Where others that are `listed`, or doors of prefabs, are beside them they are wide.
        """
        across = np.array([[self.stride], [1]])
        along = across[::-1]
        is_gap = IS_GAP[self.base[place]]
        doors = place[is_gap]
        found = self.open[doors - across] & self.open[doors + across]
        for step in (-along, along):
            flank = doors + step
            while np.any(wider := IS_DOOR[self.base[flank]] | listed[flank]):
                flank += wider * step
            found &= ~self.open[flank]
        leads = np.zeros((2, len(place)), np.bool_)
        leads[:, is_gap] = found
        return leads

    def _framed(self, cells: NDArray[_Value], frame: int) -> NDArray[_Value]:
        """Put a frame one cell wide around a (height, width) array and flatten it."""
        framed = np.full((self.height + 2, self.stride), frame, cells.dtype)
        framed[1:-1, 1:-1] = cells
        return framed.ravel()

    def _standing(self, spawns: Sequence[Spawn]) -> Standing:
        cells = [spawn.cells for spawn in spawns]
        y, x = pairs(chain.from_iterable(cells)).T
        place, on_map = self._places(y, x)
        return Standing(y, x, place, on_map, np.arange(len(spawns)).repeat([len(each) for each in cells]))

    def _places(
        self, y: Sequence[int] | NDArray[np.intp], x: Sequence[int] | NDArray[np.intp]
    ) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
        """Return the places of cells in the flat arrays, 0 outside the map; and which lie on the map."""
        rows, columns = np.asarray(y, np.intp), np.asarray(x, np.intp)
        on_map = (rows >= 0) & (rows < self.height) & (columns >= 0) & (columns < self.width)
        return np.where(on_map, (rows + 1) * self.stride + columns + 1, 0), on_map

    def _walk(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Return what is walked and what is reached."""
        if self.entrance is None:
            nothing = np.zeros_like(self.open)
            return nothing, nothing
        clear = self.walkable | (self.base == t.LOCKED_DOOR)
        clear &= ~self.stopped
        clear[self.entrance] = True
        walked = flood(clear, np.array([self.entrance]), self.stride)
        # What is left is mostly the obstacles themselves, which are beside what is walked.
        rest = self.open & ~walked
        near = rest & beside(walked, self.stride)
        if (near == rest).all():
            return walked, self.open
        return walked, walked | flood(rest, np.flatnonzero(near), self.stride)


def flags(values: Iterable[bool]) -> NDArray[np.bool_]:
    """Return truth values as an array."""
    return np.fromiter(values, np.bool_)


def pairs(values: Iterable[tuple[int, int]]) -> NDArray[np.intp]:
    """Return pairs of numbers as an (n, 2) array; numpy is slow at reading tuples of tuples."""
    return np.fromiter(chain.from_iterable(values), np.intp).reshape(-1, 2)
