"""Where a drawing can be walked on: onto which edge cells a door may lead, and whether all of it can be reached."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from dungeon import terrain as t
from dungeon.content.prefab.locked_ground import NOT_OPENED, SPENT, LockedGround
from dungeon.grid.bits import Board, flooded, meets, shifted
from dungeon.grid.regions import components
from dungeon.grid.symmetry import Orientation

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dungeon.content.prefab.drawing import Drawing, DrawnGround
    from dungeon.core.registry import Objection
    from dungeon.terrain import TerrainSet


EDGES = (np.s_[-1, :], np.s_[:, 0], np.s_[0, :], np.s_[:, -1])
"""What cuts the south, west, north and east edge out of a drawing."""

Edges = tuple[tuple[bool, ...], tuple[bool, ...], tuple[bool, ...], tuple[bool, ...]]


def _edge_order(orientation: Orientation) -> tuple[tuple[int, bool], ...]:
    """Return which edge of an upright drawing becomes its south, west, north and east edge, and whether back to front."""
    south, west, north, east = (0, False), (1, False), (2, False), (3, False)
    if orientation.mirrored:
        south, west, north, east = (0, True), east, (2, True), west
    for _ in range(orientation.turns):
        (below, back), (above, other) = east, west
        south, west, north, east = (below, not back), south, (above, not other), north
    return south, west, north, east


TURNED = {orientation: _edge_order(orientation) for orientation in Orientation}

NO_WALKABLE_CELL = "nobody can walk in it"

CUT_OFF = "where part of it could not be reached"
"""What is said of a site where something is, or would be, walled off."""

BARRED = "where nothing that surely comes would open a locked door of it"
"""What is said of a site where only a locked door leads on, and whatever opens that may not be had before it."""

MISSPENT = "where keys of it could be spent so that a locked door of it stays shut"
"""What is said of a site where keys that are used up may be spent in the wrong order."""

BROKEN_LOCKS = {NOT_OPENED: BARRED, SPENT: MISSPENT}
"""What is wrong with locked ground -> what is said of a site where that is so."""


def site_rule(objection: Objection | None) -> str:
    """Return the rule that a drawing breaks in any site, in words that follow "3 rooms"."""
    return BROKEN_LOCKS.get(objection[0], CUT_OFF) if objection is not None else CUT_OFF


@dataclass(frozen=True)
class Walkability:
    """What walkers make of a drawing as it was drawn, found out once for as long as the drawing lasts.

    Attributes:
        ground: What was drawn.
    """

    ground: DrawnGround
    terrain_set: TerrainSet

    @property
    def terrain(self) -> NDArray[np.uint8]:
        """(height, width) uint8, the drawing's codes."""
        return self.ground.terrain

    @property
    def obstacles(self) -> NDArray[np.bool_]:
        """(height, width) bool: where an object will stop walkers for good."""
        return self.ground.obstacles

    @cached_property
    def walkable(self) -> NDArray[np.bool_]:
        """(height, width) bool: the cells that will be free to walk; `KEEP` cells are taken to be."""
        free: NDArray[np.bool_] = self.terrain_set.walkable[self.terrain] | (self.terrain == t.KEEP)
        return free & ~self.obstacles

    @cached_property
    def edges(self) -> Edges:
        """For each side, south, west, north and east, whether its edge cells can be walked on."""
        walkable = self.walkable
        south, west, north, east = (tuple(walkable[edge].tolist()) for edge in EDGES)
        return south, west, north, east

    def edge(self, orientation: Orientation, side: int) -> tuple[bool, ...]:
        """Return the same of the south, west, north or east (0..3) side as it lies in an orientation."""
        drawn, backward = TURNED[orientation][side]
        edge = self.edges[drawn]
        return edge[::-1] if backward else edge

    @cached_property
    def open_edges(self) -> bool:
        """Whether every cell of its edge can be walked on."""
        return all(map(all, self.edges))

    def fits_like(self, other: Walkability) -> bool:
        """Tell whether another drawing of the same prefab fits where this one does, and nowhere else."""
        return self is other or self._ground == other._ground

    @cached_property
    def _ground(self) -> tuple[object, ...]:
        """All that decides where it fits: its terrain as far as walkers care, what stands in their way, and what bars it."""
        codes, terrain_set = self.terrain, self.terrain_set
        nature = terrain_set.base[codes] * 4 + terrain_set.walkable[codes] * 2 + (codes == t.KEEP)
        ground = self.ground
        return nature.tobytes(), self.obstacles.tobytes(), ground.locks, ground.keys, ground.boxes

    @cached_property
    def is_locked(self) -> bool:
        """Whether there are locked doors in it."""
        return bool((self.terrain_set.base.take(self.terrain) == t.LOCKED_DOOR).any())

    @cached_property
    def is_connected(self) -> bool:
        """Whether a walker who is in the drawing gets everywhere in it without leaving it.

        All cells that can be walked on must be reached on foot. All other open ones (water, a cell with something
        in the way) must not be walled off from them. `KEEP` cells are floor.
        """
        return self.objection is None

    @cached_property
    def objection(self) -> Objection | None:
        """Why it does not hang together, and the first cell that is cut off; None if it does.

        Of parts that can be walked on the largest is what the others are cut off from.
        """
        kept = self.terrain == t.KEEP
        walked, opened = self._walked | (kept & ~self.obstacles), self._opened | kept
        if self.is_locked and (barred := self._locked_from_front(walked)):
            return barred
        pair = blank_pair(*walked.shape)
        pair[0, :, :-1], pair[1, :, :-1] = walked, opened
        if both_connected(pair):
            return None
        labels, count = components(walked)
        if not count:
            return NO_WALKABLE_CELL, None
        return _cut_off_cell(walked, opened, labels == int(np.bincount(labels[labels > 0]).argmax()))

    @cached_property
    def objection_outside(self) -> Objection | None:
        """Why a walker who is outside does not get everywhere in it, from whatever side, and the first cell that is cut off.

        `KEEP` cells may be floor, or not.
        """
        if not self._walked.any():
            return NO_WALKABLE_CELL, None
        kept = self.terrain == t.KEEP
        ways = np.pad(self._walked | (kept & ~self.obstacles), 1, constant_values=True)
        if self.is_locked and (barred := self._locked_from_outside(ways)):
            return barred
        cells = np.pad(self._opened | kept, 1, constant_values=True)
        board = Board(*ways.shape)
        reached = board.flood(board.from_array(ways), 1)
        beside = board.flood(board.from_array(cells), reached)
        lost = self._walked & ~board.to_array(reached)[1:-1, 1:-1]
        lost |= self._opened & ~board.to_array(beside)[1:-1, 1:-1]
        if not lost.any():
            return None
        y, x = divmod(int(lost.argmax()), self.terrain.shape[1])
        return "no way leads to this cell from outside", (y, x)

    def _locked_from_front(self, walked: NDArray[np.bool_]) -> Objection | None:
        """Return what a locked door keeps walkers from who come in at the front, which is drawn in the south.

        Without a part that is open there, they may begin in any part.
        """
        board = Board(*walked.shape)
        locked_ground = self._locked_ground(board, self.terrain, walked)
        if not (parts := locked_ground.parts):
            return NO_WALKABLE_CELL, None
        front = board.block(walked.shape[0] - 1, 0, 1, walked.shape[1])
        begins = [part for part in parts if part & front] or parts
        begins.sort(key=lambda part: -locked_ground.reached(part).bit_count())
        found = [self._unopened_door(locked_ground, part, 0) for part in begins]
        return found[0] if all(found) else None

    def _locked_from_outside(self, ways: NDArray[np.bool_]) -> Objection | None:
        """Return what a locked door keeps walkers from who come from outside; the ways have one more cell on every side."""
        codes = np.pad(self.terrain, 1, constant_values=t.KEEP)
        return self._unopened_door(self._locked_ground(Board(*ways.shape), codes, ways, 1), 1, 1)

    def _unopened_door(self, locked_ground: LockedGround, begin: int, margin: int) -> Objection | None:
        """Return the first door that stops somebody for good who begins there, or comes up its stairs."""
        arrivals = np.argwhere(self.terrain_set.base.take(self.terrain) == t.STAIRS_UP) + margin
        found = locked_ground.stuck(
            [begin, *(locked_ground.board.from_cells([(y, x)]) for y, x in arrivals.tolist())]
        )
        if found is None:
            return None
        reason, doors = found
        y, x = locked_ground.board.nth(doors, 0)
        return reason, (y - margin, x - margin)

    def _locked_ground(
        self, board: Board, codes: NDArray[np.uint8], ways: NDArray[np.bool_], margin: int = 0
    ) -> LockedGround:
        locks = [each.moved(margin, margin) for each in self.ground.locks]
        keys = [each.moved(margin, margin) for each in self.ground.keys]
        boxes = [each.moved(margin, margin) for each in self.ground.boxes]
        return LockedGround.on(board, codes, ways, locks, keys, self.terrain_set, boxes=boxes)

    @cached_property
    def _opened(self) -> NDArray[np.bool_]:
        opened: NDArray[np.bool_] = self.terrain_set.base[self.terrain] > t.BLOCKED
        return opened

    @cached_property
    def _walked(self) -> NDArray[np.bool_]:
        return self.terrain_set.passable[self.terrain] & ~self.obstacles


def _cut_off_cell(walked: NDArray[np.bool_], opened: NDArray[np.bool_], main: NDArray[np.bool_]) -> Objection:
    """Return the first cell that is cut off from the main part."""
    board = Board(*walked.shape)
    apart = walked & ~main
    if not apart.any():
        apart = opened & ~board.to_array(board.flood(board.from_array(opened), board.from_array(main)))
    y, x = divmod(int(apart.argmax()), walked.shape[1])
    return "no way leads to this cell from the rest of it", (y, x)


def walkability(drawing: Drawing, terrain_set: TerrainSet) -> Walkability:
    """Return what walkers make of a drawing, as it was drawn, on terrain of this set."""
    ground = drawing.ground
    found = ground.notes.get(Walkability)
    if not isinstance(found, Walkability) or found.terrain_set is not terrain_set:
        found = ground.notes[Walkability] = Walkability(ground, terrain_set)
    return found


def edge_of(drawing: Drawing, side: int, terrain_set: TerrainSet) -> tuple[bool, ...]:
    """Return whether the cells along an edge of a drawing, as it lies, can be walked on."""
    return walkability(drawing, terrain_set).edge(drawing.orientation, side)


def blank_pair(height: int, width: int) -> NDArray[np.bool_]:
    """Return two masks for `is_whole` without any cell: the ones that are walked on, and all open ones."""
    return np.zeros((2, height, width + 1), np.bool_)


def both_connected(pair: NDArray[np.bool_]) -> bool:
    """Tell whether the cells that are walked on hang together, and all open ones, which include them, with them.

    Args:
        pair: (2, height, width + 1) bool, the ones and the others, the last column of each empty: see `grid.bits`.
    """
    _, height, stride = pair.shape
    size = height * stride
    bits = int.from_bytes(np.packbits(pair, bitorder="little").tobytes(), "little")
    cells = bits >> size
    ways = bits ^ cells << size
    return (
        bool(ways)
        and flooded(ways, ways & -ways, stride) == ways
        and (ways == cells or flooded(cells, ways, stride) == cells)
    )


def edge_cell(height: int, width: int, side: int, place: int) -> tuple[int, int]:
    """Return the cell (y, x) with that place along the south, west, north or east edge of a rectangle."""
    if side % 2:
        return place, 0 if side == 1 else width - 1
    return height - 1 if side == 0 else 0, place


def entries(drawing: Drawing, side: int, terrain_set: TerrainSet) -> list[tuple[int, int]]:
    """Return the cells along the south, west, north or east (0..3) edge that a door may lead onto."""
    line = edge_of(drawing, side, terrain_set)
    return [edge_cell(drawing.height, drawing.width, side, place) for place, free in enumerate(line) if free]


def spots_with_edge_on(
    targets: int, edge: tuple[bool, ...], size: tuple[int, int], side: int, stride: int, length: int = 1
) -> int:
    """Return the top-left cells from which a free edge cell comes to lie on a target.

    Args:
        targets: The mask of the targets.
        edge: Which cells of the edge are free.
        size: (height, width) of the drawing.
        side: Which edge it is.
        stride: From a cell to the one below it, in the mask.
        length: How many free cells in a row must lie on the target and those that follow it.
    """
    step = stride if side % 2 else 1
    top, left = edge_cell(*size, side, 0)
    found = 0
    for first, last in runs(edge):
        if (count := last - first - length + 1) > 0:
            found |= shifted(meets(targets, count, step), -(top * stride + left + first * step))
    return found


def runs(edge: tuple[bool, ...]) -> list[tuple[int, int]]:
    """Return (first, last + 1) of every run of free cells."""
    found, first = [], None
    for place, free in enumerate((*edge, False)):
        if free and first is None:
            first = place
        elif not free and first is not None:
            found.append((first, place))
            first = None
    return found
