"""Locked doors on a populated level: what bars them, and how far one gets with the keys that have come."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dungeon import terrain as t
from dungeon.content.prefab.locked_ground import LockedGround
from dungeon.content.prefab.locks import Key
from dungeon.content.prefab.sure_keys import words_of
from dungeon.grid.bits import Board
from dungeon.level.model import Lock

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import numpy as np
    from numpy.typing import NDArray

    from dungeon.generation.populate.placed import PlacedDrawing
    from dungeon.generation.populate.references import Populator
    from dungeon.grid.rect import Cell
    from dungeon.level.canvas import Canvas


def locks_of(canvas: Canvas, drawings: Iterable[PlacedDrawing]) -> Iterator[Lock]:
    """Yield what bars the locked doors that have come with prefabs, prefab by prefab."""
    base, terrain = canvas.terrain_set.base, canvas.terrain
    for placed in drawings:
        for lock in placed.drawing.locks:
            y, x, word = lock.moved(placed.y, placed.x)
            if base[terrain[y, x]] == t.LOCKED_DOOR:
                yield Lock(y=y, x=x, word=word)


def walked(populator: Populator, start: Cell, drawings: Iterable[PlacedDrawing]) -> NDArray[np.bool_]:
    """Return (height, width) bool: where walkers get from a cell, past all that stands, through what is opened on the way."""
    canvas = populator.canvas
    board = Board(canvas.height, canvas.width)
    keys = [
        Key(spawn.cells, word) for spawn in populator.spawns for word in words_of(spawn.keywords.get("opens"))
    ]
    locks = [lock.moved(placed.y, placed.x) for placed in drawings for lock in placed.drawing.locks]
    free = canvas.passable() & ~populator.occupancy.stands
    ground = LockedGround.on(board, canvas.terrain, free, locks, keys, canvas.terrain_set)
    return board.to_array(ground.reached(board.from_cells([start])))
