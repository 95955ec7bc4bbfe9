"""Which cells of a level are taken by what, so that no two things stand where only one can."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dungeon import terrain as t
from dungeon.grid.bits import Board
from dungeon.grid.rect import Cell, Rect

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np
    from numpy.typing import NDArray

    from dungeon.level.canvas import Canvas


class Occupancy:
    """What stands on a canvas.

    Attributes:
        blocked: (height, width) bool, cells on which something that blocks walkers stands for good.
        taken: (height, width) bool, cells on which anything stands.
    """

    def __init__(self, canvas: Canvas, blocked: NDArray[np.bool_], taken: NDArray[np.bool_]) -> None:
        self.canvas = canvas
        self.blocked = blocked
        self.taken = taken
        base = canvas.terrain_set.base[canvas.terrain]
        walkable = canvas.terrain_set.walkable[canvas.terrain]
        self.plain = walkable & ((base == t.FLOOR) | (base == t.CORRIDOR) | (base == t.CAVE))
        """Cells on which things may stand: no doors, no stairs."""

    def is_free(self, y: int, x: int) -> bool:
        """Tell whether a thing may stand here."""
        height, width = self.taken.shape
        return 0 <= y < height and 0 <= x < width and bool(self.plain[y, x]) and not self.taken[y, x]

    def add(self, cells: Iterable[Cell], *, blocks: bool) -> None:
        """Note that something stands on these cells."""
        for cell in cells:
            self.taken[cell] = True
            if blocks:
                self.blocked[cell] = True

    def keeps_whole(self, y: int, x: int) -> bool:
        """Tell whether walkers still get past if this cell is blocked.

        They do if the free cells among its eight neighbours hang together without it: whatever way led
        through the cell then leads around it.
        """
        height, width = self.blocked.shape
        rect = Rect(y, x, 1, 1).grown().clipped(height, width)
        free = self.canvas.terrain_set.walkable[self.canvas.terrain[rect.slices]] & ~self.blocked[rect.slices]
        free[y - rect.y, x - rect.x] = False
        board = Board(rect.height, rect.width)
        bits = board.from_array(free)
        return bool(bits) and board.flood(bits, bits & -bits) == bits
