"""How far one gets on a populated level with the keys that have come."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dungeon.content.prefab.drawing import Key
from dungeon.content.prefab.drawing import Lock as DrawnLock
from dungeon.content.prefab.locked_ground import LockedGround
from dungeon.content.prefab.sure_keys import words_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np
    from numpy.typing import NDArray

    from dungeon.generation.populate.references import Populator
    from dungeon.grid.rect import Cell
    from dungeon.level.model import Lock


def walked(populator: Populator, start: Cell, locks: Iterable[Lock]) -> NDArray[np.bool_]:
    """Return (height, width) bool: where walkers get from a cell, past all that stands, through what is opened on the way.

    A lock that follows another is taken for open: the keys to that one have been put in reach.
    """
    canvas = populator.canvas
    board = canvas.board
    keys = [
        Key(spawn.cells, word)
        for spawn in populator.spawns
        if "opens" in spawn.keywords
        for word in words_of(spawn.keywords["opens"])
    ]
    keys += [Key((), lock.word) for lock in locks if lock.follows]
    barred = [DrawnLock(lock.y, lock.x, lock.word) for lock in locks]
    free = canvas.passable() & ~populator.occupancy.stands
    ground = LockedGround.on(board, canvas.terrain, free, barred, keys, canvas.terrain_set, canvas.leaps)
    return board.to_array(ground.reached(board.from_cells([start])))
