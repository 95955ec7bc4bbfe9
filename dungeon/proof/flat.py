"""A level as flat arrays with a closed frame, in which a cell's neighbours are found by adding to its place.

A flat mask is one array of rows, each framed by a closed cell at either end, with a closed row above and below: the neighbours of
cell `i` are `i - 1`, `i + 1`, `i - stride` and `i + stride`, and a run of open cells never crosses the end of a row. Connected
pieces are found run by run: every run is hooked to the first run that it touches in the row above, which leaves trees. Runs that
touch several are the few places where trees meet. Those are joined in rounds, each of which at least halves the number of trees
that still have a neighbour (Boruvka, 1926).
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
    """The 4-connected pieces of a mask, as runs of open cells in a row.

    Attributes:
        starts: The first cell of each run, in ascending order.
        ends: The cell behind each run's last.
        piece: For each run, the first run of the piece that it belongs to.
    """

    starts: NDArray[np.intp]
    ends: NDArray[np.intp]
    piece: NDArray[np.intp]


def pieces(mask: NDArray[np.bool_], stride: int) -> Pieces:
    """Return the 4-connected pieces of a flat framed mask."""
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
    """Return the cells of a flat framed mask that 4-neighbour steps reach from the seeds.

    Args:
        mask: Where steps may go.
        seeds: Cells of the mask.
        found: Its pieces.

    Returns:
        The reached cells: `mask` itself if that is all of it.
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
    """Return the cells of a flat framed mask and those that share an edge with one."""
    wider = mask.copy()
    wider[1:] |= mask[:-1]
    wider[:-1] |= mask[1:]
    wider[stride:] |= mask[:-stride]
    wider[:-stride] |= mask[stride:]
    return wider


def _joined(piece: NDArray[np.intp], lower: NDArray[np.intp], upper: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the first run of each run's piece, once the trees of the runs `lower[i]` and `upper[i]` are one."""
    one, other = piece[lower], piece[upper]
    meets = np.zeros(len(piece), np.bool_)
    meets[one] = meets[other] = True
    trees = meets.nonzero()[0]
    one, other = trees.searchsorted(one), trees.searchsorted(other)
    joined = np.arange(len(trees))
    while len(one):
        apart = joined[one] != joined[other]
        one, other = joined[one[apart]], joined[other[apart]]
        # Where several pairs write to one place any of them is right: all point to an earlier tree.
        joined[np.maximum(one, other)] = np.minimum(one, other)
        joined = _to_root(joined, len(trees))
    roots = np.arange(len(piece))
    roots[trees] = trees[joined]
    return roots[piece]


def _to_root(parent: NDArray[np.intp], height: int) -> NDArray[np.intp]:
    """Let everything that points to something else point straight at the root of its tree, which is that high at most."""
    for _ in range(height.bit_length()):  # each time all point twice as far up
        parent = parent.take(parent)
    return parent


def parts_of(mask: NDArray[np.bool_], stride: int) -> Iterator[NDArray[np.intp]]:
    """Yield the places of the cells of each 4-connected piece of a flat framed mask, in order of their first cells."""
    starts, ends, piece = pieces(mask, stride)
    if not len(starts):
        return
    number = piece.repeat(ends - starts)
    order = number.argsort(kind="stable")
    cuts = np.flatnonzero(np.diff(number[order])) + 1
    yield from np.split(np.flatnonzero(mask)[order], cuts)


IS_DOOR = np.isin(np.arange(256), t.DOORS)
IS_DOOR.flags.writeable = False
"""Which built-in terrain is a door."""

IS_GAP = np.isin(np.arange(256), t.GAPS)
IS_GAP.flags.writeable = False
"""Which built-in terrain a connection may lie on."""

_Value = TypeVar("_Value", bound=np.generic)


def rects(bounds: Sequence[Rect]) -> NDArray[np.intp]:
    """Return rectangles as an (n, 4) array of y, x, height and width; numpy is slow at reading tuples of tuples."""
    return np.array(array("i", [*chain.from_iterable(bounds)]), np.intp).reshape(-1, 4)


def on_map(level: Level, bounds: Rect) -> tuple[slice, slice]:
    """Return the index that cuts what of a rectangle lies on the map out of (height, width) arrays."""
    y, x, height, width = bounds
    return (
        slice(max(y, 0), max(min(y + height, level.height), 0)),
        slice(max(x, 0), max(min(x + width, level.width), 0)),
    )


def placement_name(placement: Placement) -> str:
    """Return what a placement is called in messages: its encounter, and its prefab where that has another name."""
    names = dict.fromkeys(filter(None, (placement.encounter, placement.prefab)))
    return " with ".join(names) or "a placement"


def base_name(base: int) -> str:
    """Return what a built-in terrain is called."""
    return t.BASE_NAMES[base] if 0 <= base < len(t.BASE_NAMES) else f"terrain {base}"


class SpawnColumns(NamedTuple):
    """Some fields of the level's spawns, a column each, in their order."""

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


class Passage(NamedTuple):
    """A portal: the places where it begins and ends, and whether it leads both ways."""

    begin: int
    end: int
    both: bool


class FlatLevel:
    """A level as flat arrays with a frame of wall.

    A cell's place in the arrays is `at(y, x)`; its neighbours are one and `stride` places away, and cells on
    the edge of the map have neighbours like all others: walls.

    Attributes:
        level: The level.
        spawns: Its spawns, field by field; `connections`: likewise, by the fields' names; `columns`: of all its parts.
        stride: From a cell to the one below it.
        terrain: uint8, the codes of terrain, walls in the frame.
        base: uint8, the built-in terrain that each cell is based on; `bases` is the same for quick single looks.
        region: uint16 region ids, 0 in the frame.
        open: bool, the cells that are not solid: floors, doors of every kind, water, stairs...
        walkable: bool, the open cells that can be walked on.
        regions: The regions by their ids.
        passages: The portals both of whose ends are on the map.
        standing: The cells that spawns cover.
        blocking: (spawns,) bool, those that block; `robots`: those that are robots.
        stopped: bool, the cells on which a blocking spawn stands that never moves.
        entrance: The entrance's place, or None if it is not on an open cell: then nothing is reached.
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
        """Return the place of a cell in the flat arrays, or None if it lies outside the map."""
        if 0 <= y < self.height and 0 <= x < self.width:
            return (y + 1) * self.stride + x + 1
        return None

    def finding(self, message: str, place: int) -> Finding:
        """Say something of the cell at a place in the flat arrays."""
        y, x = divmod(place, self.stride)
        return message, y - 1, x - 1

    def within(self, ids: Iterable[int]) -> NDArray[np.bool_]:
        """Return bool, the cells of these regions."""
        which = np.zeros(2**16, np.bool_)
        which[[each for each in ids if 0 <= each < len(which)]] = True
        return which.take(self.region)

    def among(self, codes: tuple[int, ...]) -> list[int]:
        """Return the places of all cells based on one of these built-in terrains."""
        found = []
        for code in codes:  # of what is rare: to look for a byte is the quickest look at all of them
            place = self.bases.find(code)
            while place >= 0:
                found.append(place)
                place = self.bases.find(code, place + 1)
        return sorted(found)

    def pieces(self, mask: NDArray[np.bool_]) -> Pieces:
        """Return the 4-connected pieces of a flat mask; of a mask that is asked for again they are not looked for again."""
        key = mask.tobytes()
        if key not in self._pieces:
            self._pieces[key] = pieces(mask, self.stride)
        return self._pieces[key]

    def around(self, spawn: int) -> list[int]:
        """Return the places of a spawn's cells, as far as they lie on the map, and of the cells beside them."""
        places = [self.at(*cell) for cell in self.spawns.cells[spawn]]
        steps = (-self.stride, -1, 0, 1, self.stride)
        return [place + step for place in places if place is not None for step in steps]

    @cached_property
    def obstacles(self) -> dict[int, Spawn]:
        """The blocking spawns that never move, by the cells they stand on."""
        places, owners = self.standing.place[self._stopping], self.standing.owner[self._stopping]
        return {
            place: self.level.spawns[owner]
            for place, owner in zip(places.tolist(), owners.tolist(), strict=True)
        }

    def framed(self, cells: NDArray[_Value], frame: int) -> NDArray[_Value]:
        """Put a frame one cell wide around a (height, width) array and flatten it."""
        framed = np.full((self.height + 2, self.stride), frame, cells.dtype)
        framed[1:-1, 1:-1] = cells
        return framed.ravel()

    def _standing(self, cells: NDArray[np.intp]) -> SpawnCells:
        y, x = cells.T
        place, on_map = self.places(y, x)
        owner = np.arange(len(self.spawns.cells))
        if len(cells) > len(owner):
            owner = owner.repeat([*map(len, self.spawns.cells)])
        return SpawnCells(y, x, place, on_map, owner)

    def places(
        self, y: Sequence[int] | NDArray[np.intp], x: Sequence[int] | NDArray[np.intp]
    ) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
        """Return the places of cells in the flat arrays, 0 outside the map; and which lie on the map."""
        rows, columns = np.asarray(y, np.intp), np.asarray(x, np.intp)
        # Without their signs, numbers below 0 are larger than any on a map.
        on_map = (rows.view(np.uintp) < self.height) & (columns.view(np.uintp) < self.width)
        return np.where(on_map, (rows + 1) * self.stride + columns + 1, 0), on_map
