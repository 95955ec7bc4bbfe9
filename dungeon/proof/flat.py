"""A level as flat arrays: the rows of the map one after another, with a closed frame around the map. The place of a cell is its index; a framed mask is a flat bool array. Also its connected components (pieces).

The frame is a closed cell at both ends of each row, and a closed row above and below the map. The neighbours of place `i` are `i - 1`, `i + 1`, `i - stride` and
`i + stride`, and a horizontal run of open cells never goes on in the next row.

Components are found run by run. Every run points to the first run that it touches in the row above, which gives trees. A run
that touches several joins trees. Such joins are made in rounds, each of which at least halves the number of trees that still
have a neighbour (Boruvka, 1926). The code is like that of `grid.regions` on purpose: the proof shares no code with generation.
"""

from __future__ import annotations

from array import array
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from dungeon import terrain as t

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from dungeon.grid.rect import Rect
    from dungeon.level.model import Level, Placement, Spawn
    from dungeon.proof.fields import Fields, Finding


class Pieces(NamedTuple):
    """The 4-connected components (pieces) of a flat mask, as horizontal runs of set cells: arrays with one entry for each run.

    Attributes:
        starts: The place of the first cell of each run, ascending.
        ends: The place after the last cell of each run.
        piece: For each run, the index of the first run of its component, so that runs of one component have equal numbers.
    """

    starts: NDArray[np.intp]
    ends: NDArray[np.intp]
    piece: NDArray[np.intp]


def pieces(mask: NDArray[np.bool_], stride: int) -> Pieces:
    """Return the 4-connected components of a flat framed mask, whose rows begin every `stride` places."""
    edges = (mask[1:] != mask[:-1]).nonzero()[0] + 1
    starts, ends = edges[::2].copy(), edges[1::2].copy()
    first = ends.searchsorted(starts - stride, side="right")
    count = starts.searchsorted(ends - stride, side="left") - first
    piece = _to_root(np.where(count > 0, first, np.arange(len(starts))), mask.size // stride)
    joining = (count > 1).nonzero()[0]
    if not len(joining):
        return Pieces(starts, ends, piece)
    more = count[joining] - 1
    lower = np.repeat(joining, more)
    upper = np.arange(len(lower)) - np.repeat(np.cumsum(more) - more, more) + first[lower] + 1
    return Pieces(starts, ends, _joined(piece, lower, upper))


def flood(mask: NDArray[np.bool_], seeds: NDArray[np.intp], found: Pieces) -> NDArray[np.bool_]:
    """Return the cells of a flat framed mask that 4-neighbour steps reach from the seeds (a flood fill).

    Args:
        mask: The cells that steps may enter.
        seeds: The places of set cells of the mask.
        found: The components of the mask, as `pieces` returns them.

    Returns:
        The reached cells, a flat mask; `mask` itself, not a copy, if all of its cells are reached.
    """
    if not len(seeds):
        return np.zeros_like(mask)
    starts, ends, piece = found
    reached = np.zeros(len(starts), np.bool_)
    reached[piece[np.searchsorted(starts, seeds, side="right") - 1]] = True
    reached = reached[piece]
    if reached.all():
        return mask
    steps = np.zeros(mask.size, np.int8)
    steps[starts[reached]] = 1
    steps[ends[reached]] = -1
    return np.cumsum(steps, dtype=np.int8).view(np.bool_)


def beside(mask: NDArray[np.bool_], stride: int) -> NDArray[np.bool_]:
    """Return a copy of a flat framed mask in which the 4 neighbours of each set cell are set, too; a row has `stride` places."""
    wider = mask.copy()
    wider[1:] |= mask[:-1]
    wider[:-1] |= mask[1:]
    wider[stride:] |= mask[:-stride]
    wider[:-stride] |= mask[stride:]
    return wider


def _joined(piece: NDArray[np.intp], lower: NDArray[np.intp], upper: NDArray[np.intp]) -> NDArray[np.intp]:
    """Unite components of runs that touch, and return the new root of each run (union-find).

    Run `lower[i]` and run `upper[i]` touch, for each i.

    Args:
        piece: For each run, the root of its tree: the first run of its component so far.
        lower: Indices of runs.
        upper: Indices of the runs above that they touch.
    """
    one, other = piece[lower], piece[upper]
    meets = np.zeros(len(piece), np.bool_)
    meets[one] = meets[other] = True
    trees = meets.nonzero()[0]
    one, other = trees.searchsorted(one), trees.searchsorted(other)
    joined = np.arange(len(trees))
    while len(one):
        apart = joined[one] != joined[other]
        one, other = joined[one[apart]], joined[other[apart]]
        # If several pairs write to one tree, any of them may win: all point to an earlier tree.
        joined[np.maximum(one, other)] = np.minimum(one, other)
        joined = _to_root(joined, len(trees))
    roots = np.arange(len(piece))
    roots[trees] = trees[joined]
    return roots[piece]


def _to_root(parent: NDArray[np.intp], height: int) -> NDArray[np.intp]:
    """Return the root of each node's tree (pointer doubling).

    Args:
        parent: For each node, its parent; a root is its own parent.
        height: The greatest number of steps from a node to its root.
    """
    for _ in range(height.bit_length()):  # each pass makes all entries point twice as far up
        parent = parent.take(parent)
    return parent


def parts_of(mask: NDArray[np.bool_], stride: int) -> Iterator[NDArray[np.intp]]:
    """Yield the places of the cells of each 4-connected component of a flat framed mask, in the order of their first cells."""
    starts, ends, piece = pieces(mask, stride)
    if not len(starts):
        return
    number = piece.repeat(ends - starts)
    order = number.argsort(kind="stable")
    cuts = np.flatnonzero(np.diff(number[order])) + 1
    yield from np.split(np.flatnonzero(mask)[order], cuts)


IS_DOOR = np.isin(np.arange(256), t.DOORS)
IS_DOOR.flags.writeable = False
"""(256,) bool: the built-in terrain codes that are doors."""

IS_GAP = np.isin(np.arange(256), t.GAPS)
IS_GAP.flags.writeable = False
"""(256,) bool: the built-in terrain codes that a connection may have: doors, and floor for a gap."""

_Value = TypeVar("_Value", bound=np.generic)


def rects(bounds: Sequence[Rect]) -> NDArray[np.intp]:
    """Return rectangles as an (n, 4) array of y, x, height and width (quicker than `np.array` of tuples)."""
    return np.array(array("i", [*chain.from_iterable(bounds)]), np.intp).reshape(-1, 4)


def on_map(level: Level, bounds: Rect) -> tuple[slice, slice]:
    """Return the (rows, columns) slices that take a rectangle's cells from a (height, width) array.

    Parts beyond the map are left out.
    """
    y, x, height, width = bounds
    return (
        slice(max(y, 0), max(min(y + height, level.height), 0)),
        slice(max(x, 0), max(min(x + width, level.width), 0)),
    )


def placement_name(placement: Placement) -> str:
    """Return the name of a placement for messages: `camp with tent`, encounter and prefab; once if both are the same."""
    names = dict.fromkeys(filter(None, (placement.encounter, placement.prefab)))
    return " with ".join(names) or "a placement"


def base_name(base: int) -> str:
    """Return the name of a built-in terrain; `terrain 99` for an unknown code."""
    return t.BASE_NAMES[base] if 0 <= base < len(t.BASE_NAMES) else f"terrain {base}"


class SpawnColumns(NamedTuple):
    """Fields of the level's spawns as columns. Each is a sequence with one value for each spawn, in the order of `Level.spawns`."""

    kind: Sequence[str]
    like: Sequence[str]
    tag: Sequence[str]
    y: Sequence[int]
    x: Sequence[int]
    cells: Sequence[tuple[tuple[int, int], ...]]
    placement: Sequence[int | None]
    group: Sequence[int]
    leads: Sequence[bool]
    patrol: Sequence[tuple[tuple[int, int], ...]]
    loadout: Sequence[tuple[Spawn, ...]]
    blocks: Sequence[bool]


class SpawnCells(NamedTuple):
    """The cells that spawns cover, spawn by spawn: arrays with one entry for each covered cell.

    Attributes:
        y: The row of the cell.
        x: The column of the cell.
        place: The index of the cell in the survey's flat arrays; 0 outside the map.
        on_map: Whether the cell lies on the map.
        owner: The index of the spawn that covers the cell.
    """

    y: NDArray[np.intp]
    x: NDArray[np.intp]
    place: NDArray[np.intp]
    on_map: NDArray[np.bool_]
    owner: NDArray[np.intp]

    def owners(self, which: NDArray[np.bool_]) -> list[int]:
        """Return the indices of the spawns that cover a chosen cell; each once, in order.

        `which`: bool, one entry for each covered cell: whether it is chosen.
        """
        return list(dict.fromkeys(self.owner[which].tolist()))


class Passage(NamedTuple):
    """A portal with both ends on the map: the places of its begin and end in the flat arrays, and whether it leads both ways."""

    begin: int
    end: int
    both: bool


class FlatLevel:
    """A level as flat arrays with a frame of wall (see the module); `at(y, x)` is the place of a cell.

    Attributes:
        level: The level.
        columns: Name of a list of the level (`spawns`, `doors`...) -> field -> the values of that field, in the list's order.
        spawns: The columns of the spawns.
        connections: Field -> the values of that field for all connections.
        height: Rows of the map.
        width: Columns of the map.
        stride: The distance from a place to the one below it: the width and the two cells of the frame.
        terrain: uint8: terrain codes; wall in the frame.
        base: uint8: the built-in terrain that each cell is based on.
        bases: The values of `base` as bytes, which is quicker to index cell by cell.
        region: uint16: region ids; 0 in the frame.
        open: bool: the cells that are not solid: floors, doors of every kind, water, stairs...
        walkable: bool: the open cells whose terrain is walkable.
        regions: Region id -> region.
        passages: The portals with both ends on the map.
        standing: The cells that spawns cover.
        blocking: (spawns,) bool: the spawns that block.
        robots: (spawns,) bool: the spawns that are like robots.
        stopped: bool: the cells on which a spawn stands that blocks and is no robot.
        entrance: The place of the entrance; None if it is not on an open cell, and then no cell counts as reached.
    """

    def __init__(self, fields: Fields) -> None:
        level = self.level = fields.level
        self.columns = fields.columns
        self.spawns, self.connections = (
            SpawnColumns(**fields.columns["spawns"]),
            fields.columns["connections"],
        )
        self.height, self.width = level.height, level.width
        self.stride = self.width + 2
        terrain = self.terrain = self.framed(level.terrain, t.WALL)
        self.base = t.looked_up(level.terrain_set.base, terrain)
        self.bases = self.base.tobytes()
        self.region = self.framed(level.region, 0)
        self.open = self.base > t.BLOCKED
        self.walkable = t.looked_up(level.terrain_set.walkable, terrain) & self.open
        self.regions = {region.id: region for region in level.regions}
        self.passages = [
            Passage(begin, end, portal.both)
            for portal in level.portals
            for begin, end in [(self.at(*portal.begin), self.at(*portal.end))]
            if begin is not None and end is not None
        ]
        self.standing = self._standing(fields.cells)
        self.blocking = np.array([*map(bool, self.spawns.blocks)], np.bool_)
        self.robots = np.array([like == "robot" for like in self.spawns.like], np.bool_)
        self._stopping = (self.blocking & ~self.robots)[self.standing.owner] & self.standing.on_map
        self.stopped = np.zeros(self.base.shape, np.bool_)
        self.stopped[self.standing.place[self._stopping]] = True
        self._pieces: dict[bytes, Pieces] = {}
        entrance = self.at(*level.entrance)
        self.entrance = entrance if entrance is not None and self.open[entrance] else None

    def at(self, y: int, x: int) -> int | None:
        """Return the place of cell (y, x), its index in the flat arrays; None if the cell lies outside the map."""
        if 0 <= y < self.height and 0 <= x < self.width:
            return (y + 1) * self.stride + x + 1
        return None

    def finding(self, message: str, place: int) -> Finding:
        """Return a finding: the message, with the row and column of the cell at a place in the flat arrays."""
        y, x = divmod(place, self.stride)
        return message, y - 1, x - 1

    def within(self, ids: Iterable[int]) -> NDArray[np.bool_]:
        """Return a flat bool mask: the cells of the regions with these ids."""
        which = np.zeros(2**16, np.bool_)
        which[[each for each in ids if 0 <= each < len(which)]] = True
        return which.take(self.region)

    def among(self, codes: tuple[int, ...]) -> list[int]:
        """Return the places of all cells whose terrain is based on one of these built-in terrain codes, ascending."""
        found = []
        for code in codes:  # for rare terrain, searching for a byte is quicker than a numpy pass
            place = self.bases.find(code)
            while place >= 0:
                found.append(place)
                place = self.bases.find(code, place + 1)
        return sorted(found)

    def pieces(self, mask: NDArray[np.bool_]) -> Pieces:
        """Return the 4-connected components of a flat mask. Results are cached: equal masks are searched once."""
        key = mask.tobytes()
        if key not in self._pieces:
            self._pieces[key] = pieces(mask, self.stride)
        return self._pieces[key]

    def around(self, spawn: int) -> list[int]:
        """Return the places of a spawn's cells on the map and of their 4 neighbours; `spawn` is its index in `Level.spawns`.

        An item on a prop that blocks is taken from beside the prop, so for such an item the cells are those of the prop.
        """
        places = [self.at(*cell) for cell in self.spawns.cells[spawn]]
        holder = self.obstacles.get(places[0] or 0) if places and not self.blocking[spawn] else None
        if holder is not None:
            places = [self.at(*cell) for cell in holder.cells]
        steps = (-self.stride, -1, 0, 1, self.stride)
        return [place + step for place in places if place is not None for step in steps]

    @cached_property
    def obstacles(self) -> dict[int, Spawn]:
        """Place of a cell -> the blocking spawn, other than a robot, that stands on the cell."""
        places, owners = self.standing.place[self._stopping], self.standing.owner[self._stopping]
        return {
            place: self.level.spawns[owner]
            for place, owner in zip(places.tolist(), owners.tolist(), strict=True)
        }

    def framed(self, cells: NDArray[_Value], frame: int) -> NDArray[_Value]:
        """Return a (height, width) array as a flat array, with a frame of one cell around it that has the value `frame`."""
        framed = np.full((self.height + 2, self.stride), frame, cells.dtype)
        framed[1:-1, 1:-1] = cells
        return framed.ravel()

    def _standing(self, cells: NDArray[np.intp]) -> SpawnCells:
        """Return the cells that spawns cover with their owners; `cells` is the (n, 2) array of all of them, in the order of the spawns."""
        y, x = cells.T
        place, on_map = self.places(y, x)
        owner = np.arange(len(self.spawns.cells))
        if len(cells) > len(owner):
            owner = owner.repeat([*map(len, self.spawns.cells)])
        return SpawnCells(y, x, place, on_map, owner)

    def places(
        self, y: Sequence[int] | NDArray[np.intp], x: Sequence[int] | NDArray[np.intp]
    ) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
        """Return two (n,) arrays for the cells (y[i], x[i]): their places (0 outside the map), and whether they lie on the map."""
        rows, columns = np.asarray(y, np.intp), np.asarray(x, np.intp)
        # As unsigned integers, negative numbers are larger than any row or column, so one comparison is enough.
        on_map = (rows.view(np.uintp) < self.height) & (columns.view(np.uintp) < self.width)
        return np.where(on_map, (rows + 1) * self.stride + columns + 1, 0), on_map
