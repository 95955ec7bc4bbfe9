"""Which cells of a prefab a walker reaches from its mouths, and which cells only its locked doors lead to.

A mouth is a place outside where a corridor meets the prefab. A part is a set of connected cells inside. A part that no
walker reaches is *lost*, unless a corridor can be dug to it. A mask is an int with one bit for each cell.

Enter at the west (w): you reach the key (k), and with it the cells behind the locked door (L). The crates (C) bar the
corner below them: it is lost.

    ########
    w..k.L.#
    #CC#####
    #..#
    ####
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, reduce
from operator import or_
from typing import TYPE_CHECKING

import numpy as np

from dungeon import terrain as t
from dungeon.content.prefab.locked_ground import NOT_OPENED, SPENT, LockedGround, parts_of
from dungeon.grid.bits import Board
from dungeon.grid.rect import Cell
from dungeon.grid.regions import framed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from dungeon.content.prefab.drawing import Drawing
    from dungeon.core.registry import Objection
    from dungeon.level.canvas import Mouth
    from dungeon.terrain import TerrainSet

WALLED_OFF = "a cell that can't be reached from outside, even by digging"


@dataclass(frozen=True)
class Inside:
    """A drawing with its mouths and the cells that are dug for them; it tells which cells walkers and corridors can reach.

    Its masks have one more row and column on every side than the drawing: cell (y, x) of the drawing is (y + 1, x + 1) there.

    Attributes:
        drawing: The drawing.
        codes: (height, width) uint8, the drawing's terrain; `KEEP` where the map's earth stays.
        opened: (height, width) bool, the drawing's open cells, dug ones included.
        mouths: The drawing's mouths, in coordinates of the drawing.
        sealed: The cells around the drawing in which nothing may be dug.
        terrain_set: The meaning of `codes`.
    """

    drawing: Drawing
    codes: NDArray[np.uint8]
    opened: NDArray[np.bool_]
    mouths: Sequence[Mouth]
    sealed: Sequence[Cell]
    terrain_set: TerrainSet

    @cached_property
    def board(self) -> Board:
        """Converts between cells and masks of this object."""
        return Board(self.drawing.height + 2, self.drawing.width + 2)

    @cached_property
    def fronts(self) -> int:
        """Mask of the cells outside of the drawing at all mouths, and of the drawing's earth that corridors there must dig through."""
        return reduce(or_, map(self._front, self.mouths), 0)

    def _front(self, mouth: Mouth) -> int:
        """Return the mask of the cells outside of the drawing at one mouth, and of the drawing's earth to be dug behind the mouth."""
        height, width = self.codes.shape
        cells = []
        for line in range(mouth.width):
            y, x = mouth.y + line * abs(mouth.dx), mouth.x + line * abs(mouth.dy)
            if 0 <= y + 1 < height + 2 and 0 <= x + 1 < width + 2:
                cells.append((y + 1, x + 1))
        if mouth.kind == "diggable":
            cells += [(y + 1, x + 1) for y, x in self._own_earth(mouth)]
        return self.board.from_cells(cells)

    def _own_earth(self, mouth: Mouth) -> list[Cell]:
        """Return the closed cells of the drawing behind a mouth, from the edge inwards to the first open cell."""
        found = []
        y, x = mouth.y - mouth.dy, mouth.x - mouth.dx
        while self._is_within(y, x) and not self.opened[y, x]:
            found.append(Cell(y, x))
            y, x = y - mouth.dy, x - mouth.dx
        return found

    def _is_within(self, y: int, x: int) -> bool:
        return 0 <= y < self.drawing.height and 0 <= x < self.drawing.width

    # -- on foot --------------------------------------------------------------------------------

    @cached_property
    def locked_ground(self) -> LockedGround:
        """The drawing's walkable cells with its locked doors, keys and locked props, for flood fills that open doors on the way."""
        drawing = self.drawing
        walked = self.opened & self.terrain_set.passable.take(self.codes) & ~drawing.barriers
        free = framed(walked) | self.board.to_array(self.fronts)
        codes = framed(self.codes, t.KEEP)
        locks = [each.moved(1, 1) for each in drawing.locks]
        keys = [each.moved(1, 1) for each in drawing.keys]
        boxes = [each.moved(1, 1) for each in drawing.boxes]
        return LockedGround.on(self.board, codes, free, locks, keys, self.terrain_set, boxes=boxes)

    @cached_property
    def begin(self) -> int:
        """Mask of the cells where a walker starts: outside at the mouths; without mouths, the part from which he reaches most cells."""
        parts = [] if self.fronts else self.locked_ground.parts
        return self.fronts or max(
            parts, key=lambda part: self.locked_ground.reached(part).bit_count(), default=0
        )

    @cached_property
    def near(self) -> int:
        """Mask of the cells that a walker reaches from `begin` without opening a locked door."""
        return self.board.flood(self.locked_ground.free, self.begin)

    @cached_property
    def reached(self) -> int:
        """Mask of the cells that a walker reaches from `begin`, also through locked doors for which he finds the keys on the way."""
        return self.locked_ground.reached(self.begin)

    @cached_property
    def lost(self) -> list[int]:
        """Masks of the connected parts of the drawing's walkable cells that a walker does not reach."""
        return parts_of(self.board, self.locked_ground.free & ~self.reached)

    def cells(self, mask: int) -> NDArray[np.bool_]:
        """Return (height, width) bool of the drawing: its cells that are in a mask."""
        return self.board.to_array(mask)[1:-1, 1:-1]

    # -- results --------------------------------------------------------------------------------

    @cached_property
    def stopped(self) -> NDArray[np.bool_]:
        """(height, width) bool: the drawing's cells that corridors need not reach and must not lead through.

        These are cells with obstacles, and open cells that can't be walked on or that only locked doors lead to.
        """
        ways = reduce(or_, self.lost, self.near)
        return self.drawing.obstacles | (self.opened & ~self.cells(ways))

    @cached_property
    def parts(self) -> list[int]:
        """Masks of the connected parts of the drawing that a walker reaches without opening a locked door."""
        return parts_of(self.board, self.near & ~self.fronts)

    @property
    def is_split(self) -> bool:
        """Whether the drawing has a locked door, or two parts between which a walker gets only by leaving the drawing."""
        behind = self.reached & ~self.near
        return bool(len(self.parts) + len(self.lost) > 1 or behind or self.locked_ground.barred)

    def leads_to_a_lock(self, mouth: Mouth) -> bool:
        """Return whether all passable cells right behind a mouth are locked doors, of which there is at least one."""
        behind = self.board.beside(self._front(mouth)) & ~self.fronts
        return bool(behind & self.locked_ground.barred) and not behind & self.locked_ground.free

    @cached_property
    def groups(self) -> tuple[int, ...]:
        """For each mouth of the drawing, the index in `parts` of the part that the mouth leads into; -1 for none."""
        fronts = [self.board.beside(self._front(mouth)) for mouth in self.mouths]
        return tuple(
            next((number for number, part in enumerate(self.parts) if part & front), -1) for front in fronts
        )

    @cached_property
    def objection(self) -> Objection | None:
        """Why the drawing can't be put on a map, as (text, cell): no walker can reach some part of it. None if all can be reached.

        Corridors may be dug to parts that no walker reaches otherwise. Walkers open locked doors with the keys that they find, and may
        also arrive by stairs up in the drawing.
        """
        board, locked_ground = self.board, self.locked_ground
        if not self.fronts and self.begin and not self._exits(self.begin, 0):
            return self._blame(WALLED_OFF, self.begin)
        whole = board.flood(locked_ground.free | locked_ground.barred, self.begin)
        for part in self.lost:
            if part & whole:
                return self._blame(NOT_OPENED, locked_ground.shut([self.begin]) or part)
            if not self._exits(part, self.near):  # corridors must not lead behind a locked door
                return self._blame(WALLED_OFF, part)
        everywhere = reduce(or_, self.lost, self.begin)
        opened = locked_ground.reached(everywhere)
        boxed = locked_ground.barred & ~board.beside(reduce(or_, self.lost, self.reached))
        if boxed := boxed | locked_ground.worded & ~opened:
            return self._blame(NOT_OPENED, boxed)
        for start in dict.fromkeys(
            (self.begin, everywhere)
        ):  # corridors are dug from outside to the lost parts
            if doors := locked_ground.lost_by_spending(start):
                return self._blame(SPENT, doors)
        return self._objection_to_stairs() if locked_ground.barred else None

    def _objection_to_stairs(self) -> Objection | None:
        """Return why a walker who arrives by stairs up in the drawing can't reach all of the drawing; None if he can."""
        board, locked_ground = self.board, self.locked_ground
        base = self.terrain_set.base.take(self.codes)
        for y, x in np.argwhere(self.opened & (base == t.STAIRS_UP)).tolist():
            start = board.from_cells([(y + 1, x + 1)])
            walked = locked_ground.reached(start)
            if walked & self.begin:
                walked = locked_ground.reached(walked | self.begin)
            if self.reached & ~walked:
                return self._blame(
                    NOT_OPENED, locked_ground.barred & board.beside(walked) & ~walked or walked
                )
            start |= self.begin if locked_ground.flood(locked_ground.free, start) & self.begin else 0
            if doors := locked_ground.lost_by_spending(start):
                return self._blame(SPENT, doors)
        return None

    def _blame(self, reason: str, mask: int) -> Objection:
        """Return (reason, first cell of the mask in coordinates of the drawing)."""
        y, x = self.board.nth(mask, 0)
        return reason, (y - 1, x - 1)

    # -- parts that have to be dug to -----------------------------------------------------------

    @cached_property
    def _beyond(self) -> int:
        """Mask of the cells around the drawing in which corridors may be dug."""
        beyond = np.ones((self.board.height, self.board.width), np.bool_)
        beyond[1:-1, 1:-1] = False
        for y, x in self.sealed:
            beyond[y + 1, x + 1] = False
        return self.board.from_array(beyond)

    @cached_property
    def _solid(self) -> int:
        """Mask of the drawing's earth and walls through which a corridor may be dug."""
        base = self.terrain_set.base.take(self.codes)
        kept = self.codes == t.KEEP
        solid = ~self.opened & ((base != t.BLOCKED) | kept) & ~(kept & self.drawing.obstacles)
        return self.board.from_array(framed(solid)) & ~self._walled

    @cached_property
    def _walled(self) -> int:
        """Mask of the cells sealed on purpose, and of the cells beside them."""
        sealed = self.drawing.sealed_cells
        return 0 if sealed is None else self.board.beside(self.board.from_array(framed(sealed)))

    def _exits(self, part: int, reached: int) -> int:
        """Return the mask of the cells where corridors dug from a part may end: among `reached`, or outside of the drawing.

        If there are none, the corridors may lead through other parts that no walker reaches.

        Args:
            part: Mask of the part.
            reached: Mask of cells inside to which a corridor may be dug; 0 for none.
        """
        board, ends = self.board, reached | self._beyond
        found = board.beside(board.flood(self._solid | part, part)) & ends
        return found or board.beside(board.flood(reduce(or_, self.lost, self._solid | part), part)) & ends

    @property
    def pierced(self) -> Objection | None:
        """The first cell to which a corridor can be dug only through a drawn wall, as ("", cell); None if there is none.

        The cell lies in a part that no walker reaches and no mouth faces. A corridor from there through earth alone would lead neither to
        reached cells nor outside.
        """
        parts = [*self.lost, *([] if self.fronts or not self.begin else [self.begin])]
        if not parts:
            return None
        base = self.terrain_set.base.take(self.codes)
        faced = self.board.from_cells(cell for mouth in self.mouths for cell in self._faced(mouth))
        earth = ~self.opened & ((base == t.EARTH) | (self.codes == t.KEEP)) & ~self.drawing.barriers
        soft = self.board.from_array(framed(earth)) & ~self._walled
        reached = self.reached if self.fronts else 0
        for part in (each for each in parts if not each & faced):
            if not self.board.beside(self.board.flood(soft | part, part)) & (reached | self._beyond):
                return self._blame("", part)
        return None

    def _faced(self, mouth: Mouth) -> Iterator[tuple[int, int]]:
        """Yield, for each row or column of a mouth, the first open cell of the drawing behind the mouth, in coordinates of masks."""
        drawn = (self.drawing.terrain != t.KEEP) & self.terrain_set.open.take(self.drawing.terrain)
        for line in range(mouth.width):
            y, x = mouth.y + line * abs(mouth.dx) - mouth.dy, mouth.x + line * abs(mouth.dy) - mouth.dx
            while self._is_within(y, x) and not drawn[y, x]:
                y, x = y - mouth.dy, x - mouth.dx
            if self._is_within(y, x):
                yield y + 1, x + 1

    @property
    def ways_out(self) -> tuple[tuple[Cell, ...], ...]:
        """For each part to which a corridor must be dug from outside: the cells around the drawing where that corridor may arrive."""
        if self.fronts and not self.lost:
            return ()
        near = self.near & ~self._beyond
        first = () if self.fronts else ((self.begin, 0),)
        exits = [self._exits(*each) for each in (*first, *((part, near) for part in self.lost))]
        found = [self.board.cells(each) for each in exits if each and not each & near]
        return tuple(tuple(Cell(y - 1, x - 1) for y, x in cells) for cells in found)
