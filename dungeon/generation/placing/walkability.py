"""Where a drawing can be walked on: the edge cells that a door may lead onto, and whether all its cells can be reached.

Sides are 0 to 3 for south, west, north and east; a prefab is drawn with its front in the south, and may be turned (its
orientation). `KEEP` cells are transparent: the map's terrain stays there. An objection is (what is wrong, the cell to
blame). Masks have one bit a cell.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from dungeon import terrain as t
from dungeon.content.prefab.locked_ground import NOT_OPENED, SPENT, LockedGround
from dungeon.grid.bits import Board, any_in_run, flooded, shifted
from dungeon.grid.regions import components
from dungeon.grid.symmetry import Orientation

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dungeon.content.prefab.drawing import Drawing, DrawnGround
    from dungeon.core.registry import Objection
    from dungeon.terrain import TerrainSet


EDGES = (np.s_[-1, :], np.s_[:, 0], np.s_[0, :], np.s_[:, -1])
"""The slices that cut the south, west, north and east edge out of a drawing."""

Edges = tuple[tuple[bool, ...], tuple[bool, ...], tuple[bool, ...], tuple[bool, ...]]
"""For the south, west, north and east edge: whether each of its cells can be walked on."""


def _edge_order(orientation: Orientation) -> tuple[tuple[int, bool], ...]:
    """Return for each side of a turned drawing which edge lies there: (side of that edge as drawn, whether its cells are reversed).

    One quarter turn moves the east edge, reversed, to the south side: (3, True) comes first.
    """
    south, west, north, east = (0, False), (1, False), (2, False), (3, False)
    if orientation.mirrored:
        south, west, north, east = (0, True), east, (2, True), west
    for _ in range(orientation.turns):
        (below, back), (above, other) = east, west
        south, west, north, east = (below, not back), south, (above, not other), north
    return south, west, north, east


TURNED = {orientation: _edge_order(orientation) for orientation in Orientation}
"""Orientation -> which edge of the drawing lies on each side: see `_edge_order`."""

NO_WALKABLE_CELL = "no cell of it can be walked on"
"""What is wrong with a drawing that has no passable cell."""

CUT_OFF = "where part of it could not be reached"
"""The rule for sites: part of the drawing or of the site is walled off, or would be."""

BARRED = "where a locked door of it might have no key"
"""The rule for sites: a locked door is the only way on, and its key may not be reachable before it."""

MISSPENT = "where its keys could be spent so that a locked door of it stays shut"
"""The rule for sites: keys that are used up could be spent in an order that leaves a door locked for good."""

BROKEN_LOCKS = {NOT_OPENED: BARRED, SPENT: MISSPENT}
"""The problem with a drawing's locks -> the rule that a site breaks because of it."""


def site_rule(objection: Objection | None) -> str:
    """Return the rule that a drawing with this problem breaks in every site, in words that follow "3 rooms"."""
    return BROKEN_LOCKS.get(objection[0], CUT_OFF) if objection is not None else CUT_OFF


@dataclass(frozen=True)
class Walkability:
    """Which cells of a drawing walkers can reach; the drawing lies as its author drew it, facing south. Values are computed once.

    Attributes:
        ground: The drawn terrain, obstacles, locks and keys.
        terrain_set: What the terrain codes mean.
    """

    ground: DrawnGround
    terrain_set: TerrainSet

    @property
    def terrain(self) -> NDArray[np.uint8]:
        """(height, width) uint8, the drawing's terrain codes."""
        return self.ground.terrain

    @property
    def obstacles(self) -> NDArray[np.bool_]:
        """(height, width) bool: the cells where an object, or a wall around cells sealed on purpose, stops walkers for good."""
        return self.ground.barriers

    @cached_property
    def walkable(self) -> NDArray[np.bool_]:
        """(height, width) bool: the drawing's cells that will be free to walk on; `KEEP` cells count as floor."""
        free: NDArray[np.bool_] = self.terrain_set.walkable[self.terrain] | (self.terrain == t.KEEP)
        return free & ~self.obstacles

    @cached_property
    def edges(self) -> Edges:
        """For the drawing's south, west, north and east edge: whether each cell can be walked on, from west to east or north to south."""
        walkable = self.walkable
        south, west, north, east = (tuple(walkable[edge].tolist()) for edge in EDGES)
        return south, west, north, east

    def edge(self, orientation: Orientation, side: int) -> tuple[bool, ...]:
        """Return for each cell along a side of the drawing whether it can be walked on; sides are those of the drawing as turned."""
        drawn, backward = TURNED[orientation][side]
        edge = self.edges[drawn]
        return edge[::-1] if backward else edge

    @cached_property
    def open_edges(self) -> bool:
        """Whether every edge cell of the drawing can be walked on."""
        return all(map(all, self.edges))

    def fits_like(self, other: Walkability) -> bool:
        """Return whether another drawing of the same prefab fits exactly where this one does."""
        return self is other or self._ground == other._ground

    @cached_property
    def _ground(self) -> tuple[object, ...]:
        """All that decides where the drawing fits: how its terrain affects walkers, its obstacles, locks, keys and boxes."""
        codes, terrain_set = self.terrain, self.terrain_set
        nature = terrain_set.base[codes] * 4 + terrain_set.walkable[codes] * 2 + (codes == t.KEEP)
        ground = self.ground
        return nature.tobytes(), self.obstacles.tobytes(), ground.locks, ground.keys, ground.boxes

    @cached_property
    def is_locked(self) -> bool:
        """Whether the drawing has locked doors."""
        return bool((self.terrain_set.base.take(self.terrain) == t.LOCKED_DOOR).any())

    @cached_property
    def is_connected(self) -> bool:
        """Whether a walker in the drawing reaches every passable cell without leaving it; `KEEP` cells count as floor.

        Besides, every other open cell (water, or a cell with an obstacle) must be connected to reached cells by open cells. Locked doors
        must be openable with keys that he finds before.
        """
        return self.objection is None

    @cached_property
    def objection(self) -> Objection | None:
        """Why `is_connected` is False, with the first cell that is cut off from the largest part of the drawing; None if it is True."""
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
        """Why a walker who can enter the drawing from every side does not reach all cells, with the first unreached cell; None if he does.

        He may walk over `KEEP` cells, since they may be floor. He need not reach them, since they may be earth.
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
        """Return a locked door that may stay shut for a walker who enters at the drawing's front, its south edge; None if none may.

        The front may have several connected parts. It is enough if a walker in one of them can open all doors. If no cell of the front
        can be walked on, any connected part of the drawing will do.

        Args:
            walked: (height, width) bool, the cells that a walker who opens every door can pass.
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
        """Return a locked door that may stay shut for a walker who can enter the drawing from every side; None if none may.

        Args:
            ways: (height + 2, width + 2) bool, the drawing's passable cells and a ring of passable cells around it.
        """
        codes = np.pad(self.terrain, 1, constant_values=t.KEEP)
        return self._unopened_door(self._locked_ground(Board(*ways.shape), codes, ways, 1), 1, 1)

    def _unopened_door(self, locked_ground: LockedGround, begin: int, margin: int) -> Objection | None:
        """Return the first locked door that may stay shut for a walker; None if he can open all doors, wherever he enters.

        Args:
            locked_ground: The drawing's walkable cells with its locks and keys.
            begin: The mask of the cells where he enters. He may also arrive by stairs up in the drawing.
            margin: The number of rows and columns that `locked_ground` has around the drawing.
        """
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
        """Return the drawing's walkable cells with its locks and keys, for flood fills that open doors on the way.

        Args:
            board: Converts between cells and masks of the drawing with its margin.
            codes: uint8, the terrain codes.
            ways: bool, the cells that a walker who opens every door can pass.
            margin: The number of rows and columns that these arrays have around the drawing.
        """
        locks = [each.moved(margin, margin) for each in self.ground.locks]
        keys = [each.moved(margin, margin) for each in self.ground.keys]
        boxes = [each.moved(margin, margin) for each in self.ground.boxes]
        return LockedGround.on(board, codes, ways, locks, keys, self.terrain_set, boxes=boxes)

    @cached_property
    def _opened(self) -> NDArray[np.bool_]:
        """(height, width) bool: the drawing's open cells, doors and water included."""
        opened: NDArray[np.bool_] = self.terrain_set.base[self.terrain] > t.BLOCKED
        sealed = self.ground.sealed_cells
        return opened if sealed is None else opened & ~sealed

    @cached_property
    def _walked(self) -> NDArray[np.bool_]:
        """(height, width) bool: the drawing's cells that a walker who opens every door can pass."""
        return self.terrain_set.passable[self.terrain] & ~self.obstacles


def _cut_off_cell(walked: NDArray[np.bool_], opened: NDArray[np.bool_], main: NDArray[np.bool_]) -> Objection:
    """Return a message and the first cell that is cut off from the cells `main` of a drawing, the largest connected part.

    `walked` are the cells that a walker who opens every door can pass, `opened` all open cells; all are (height, width) bool.
    """
    board = Board(*walked.shape)
    apart = walked & ~main
    if not apart.any():
        apart = opened & ~board.to_array(board.flood(board.from_array(opened), board.from_array(main)))
    y, x = divmod(int(apart.argmax()), walked.shape[1])
    return (
        "no way leads to this cell from the rest of it; a part that is closed on purpose needs `sealed: true`",
        (y, x),
    )


def walkability(drawing: Drawing, terrain_set: TerrainSet) -> Walkability:
    """Return the walkability of a drawing; it is cached and shared by all drawings with the same terrain and objects."""
    ground = drawing.ground
    found = ground.notes.get(Walkability)
    if not isinstance(found, Walkability) or found.terrain_set is not terrain_set:
        found = ground.notes[Walkability] = Walkability(ground, terrain_set)
    return found


def edge_of(drawing: Drawing, side: int, terrain_set: TerrainSet) -> tuple[bool, ...]:
    """Return for each cell along a side of a turned drawing, 0 to 3 for south, west, north, east, whether it can be walked on."""
    return walkability(drawing, terrain_set).edge(drawing.orientation, side)


def blank_pair(height: int, width: int) -> NDArray[np.bool_]:
    """Return (2, height, width + 1) bool, all False, to be filled for `both_connected` with walked cells and with all open cells."""
    return np.zeros((2, height, width + 1), np.bool_)


def both_connected(pair: NDArray[np.bool_]) -> bool:
    """Return whether the walked cells are connected, and every open cell is connected to them by open cells.

    Args:
        pair: (2, height, width + 1) bool: the walked cells, then all open cells, the walked ones included. The last column of
            each is empty, as in the masks of `grid.bits`.
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
    """Return the cell (y, x) number `place`, from 0, along the edge of a rectangle on a side: 0 to 3 for south, west, north, east.

    Example: (height 3, width 5, side 1, place 2) -> (2, 0), the third cell of the west edge.
    """
    if side % 2:
        return place, 0 if side == 1 else width - 1
    return height - 1 if side == 0 else 0, place


def entries(drawing: Drawing, side: int, terrain_set: TerrainSet) -> list[tuple[int, int]]:
    """Return the cells (y, x) along a side of a drawing, 0 to 3 for south, west, north, east, that can be walked on."""
    line = edge_of(drawing, side, terrain_set)
    return [edge_cell(drawing.height, drawing.width, side, place) for place, free in enumerate(line) if free]


def spots_with_edge_on(
    targets: int, edge: tuple[bool, ...], size: tuple[int, int], side: int, stride: int, length: int = 1
) -> int:
    """Return the mask of the top-left cells at which a free edge cell of a drawing lies on a target cell, such as a cell at a door.

    Args:
        targets: The mask of the target cells.
        edge: For each cell of the drawing's edge on `side`, whether it is free to walk on.
        size: (height, width) of the drawing.
        side: The side of the drawing that must meet a target: 0 to 3 for south, west, north, east.
        stride: The number of bits from a cell to the cell below it.
        length: The number of free edge cells side by side of which the first must lie on the target.
    """
    step = stride if side % 2 else 1
    top, left = edge_cell(*size, side, 0)
    found = 0
    for first, last in runs(edge):
        if (count := last - first - length + 1) > 0:
            found |= shifted(any_in_run(targets, count, step), -(top * stride + left + first * step))
    return found


def runs(edge: tuple[bool, ...]) -> list[tuple[int, int]]:
    """Return (first, last + 1) for every run of cells that are free: (True, True, False, True) -> [(0, 2), (3, 4)]."""
    found, first = [], None
    for place, free in enumerate((*edge, False)):
        if free and first is None:
            first = place
        elif not free and first is not None:
            found.append((first, place))
            first = None
    return found
