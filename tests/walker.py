"""A walk by hand: where one gets on a finished level, cell by cell, asking nothing but the level itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dungeon import terrain as t

if TYPE_CHECKING:
    from dungeon import Level

Cell = tuple[int, int]


def beside(cell: Cell) -> set[Cell]:
    """Return the four cells beside one."""
    y, x = cell
    return {(y - 1, x), (y + 1, x), (y, x - 1), (y, x + 1)}


def walk(
    clear: set[Cell], locks: dict[Cell, str], keys: list[tuple[set[Cell], str]], start: Cell
) -> set[Cell]:
    """Return where one gets from a cell: over clear cells and, with what is found on the way, through locked doors.

    Args:
        clear: The cells to walk on.
        locks: Locked doors, and the words that bar them.
        keys: Cells on or beside which something is had, and the word that it opens.
        start: Where the walk begins.
    """
    clear, seen = set(clear), {start}
    while True:
        waiting = list(seen)
        for cell in waiting:  # the list grows while it is walked through
            found = (beside(cell) & clear) - seen
            seen |= found
            waiting += found
        words = {word for cells, word in keys if any((beside(cell) | {cell}) & seen for cell in cells)}
        opened = {cell for cell, word in locks.items() if word in words} - clear
        if not opened:
            return seen
        clear |= opened


def pockets(level: Level) -> list[Cell]:
    """Return the cells that could be walked on and are not walked to, outside of the sealed regions."""
    bases, walkable = level.base.tolist(), level.walkable.tolist()
    stopped = {
        cell for spawn in level.spawns if spawn.blocks and spawn.kind != "robot" for cell in spawn.cells
    }
    cells = {(y, x) for y in range(level.height) for x in range(level.width)} - stopped
    clear = {(y, x) for y, x in cells if walkable[y][x] and t.BLOCKED < bases[y][x] != t.LOCKED_DOOR}
    keys = [(set(spawn.cells), str(spawn.keywords.get("opens"))) for spawn in level.spawns]
    locks = {(lock.y, lock.x): lock.word for lock in level.locks if (lock.y, lock.x) in cells}
    walked = walk(clear, locks, keys, level.entrance)
    sealed = {region.id for region in level.regions if region.sealed}
    return sorted(cell for cell in clear - walked if int(level.region[cell]) not in sealed)
