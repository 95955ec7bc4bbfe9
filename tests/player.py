"""A player who tries everything: cell by cell, one lock after the other, in every order and with every key."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from walker import beside

from dungeon import terrain as t

if TYPE_CHECKING:
    from collections.abc import Iterator

    from walker import Cell

    from dungeon.level.model import Level, Lock, Spawn


class Ends(NamedTuple):
    """How play can end.

    Attributes:
        missed: The cells to which one does not get who gets farthest: clear ground, and locked boxes that stay shut.
        strands: Whether somebody else gets less far, or opens less, and can do no more.
    """

    missed: frozenset[Cell]
    strands: bool


def play(level: Level) -> Ends:
    """Play a level in all ways there are."""
    player = _Player(level)
    ends: dict[frozenset[Lock], frozenset[Cell]] = {}
    waiting = [(frozenset["Lock"](), frozenset[int]())]
    seen = set(waiting)
    while waiting:
        opened, spent = waiting.pop()
        walked = player.walk(opened)
        after = {*player.moves(opened, spent, walked)}
        if not after:
            boxes = {(lock.y, lock.x) for lock in {*level.locks} - opened} - player.doors
            ends[opened] = frozenset(player.clear - walked | boxes)
        waiting += after - seen
        seen |= after
    farthest = min(ends, key=lambda end: (len(ends[end]), -len(end)))
    missed = ends[farthest]
    return Ends(missed, any(ends[end] != missed or len(end) < len(farthest) for end in ends))


class _Player:
    def __init__(self, level: Level) -> None:
        self.level = level
        self.keys = {index: spawn for index, spawn in enumerate(level.spawns) if spawn.keywords.get("opens")}
        bases, walkable = level.base.tolist(), level.walkable.tolist()
        stopped = {
            cell for spawn in level.spawns if spawn.blocks and spawn.kind != "robot" for cell in spawn.cells
        }
        cells = {(y, x) for y in range(level.height) for x in range(level.width)} - stopped
        self.clear = {(y, x) for y, x in cells if walkable[y][x] and bases[y][x] != t.LOCKED_DOOR}
        self.doors = {(lock.y, lock.x) for lock in level.locks if bases[lock.y][lock.x] == t.LOCKED_DOOR}
        self.free_doors = self.doors & cells

    def walk(self, opened: frozenset[Lock]) -> frozenset[Cell]:
        """Return where one gets once these locks are open."""
        clear = self.clear | ({(lock.y, lock.x) for lock in opened} & self.free_doors)
        seen = {tuple(self.level.entrance)}
        waiting = list(seen)
        for cell in waiting:  # the list grows while it is walked through
            found = beside(cell) & clear - seen
            seen |= found
            waiting += found
        return frozenset(seen)

    def moves(
        self, opened: frozenset[Lock], spent: frozenset[int], walked: frozenset[Cell]
    ) -> Iterator[tuple[frozenset[Lock], frozenset[int]]]:
        """Yield what may be next: one more lock is open, and maybe one more key spent."""
        for lock in self.level.locks:
            if lock in opened or not self._is_near(lock, walked):
                continue
            if any(other.word == lock.follows for other in opened):
                yield opened | {lock}, spent
            for index, key in self.keys.items():
                if index in spent or not self._is_had(key, opened, walked):
                    continue
                words = key.keywords["opens"]
                if lock.word in (words if isinstance(words, tuple) else (words,)):
                    consumed = key.keywords.get("consumed") is True
                    yield opened | {lock}, spent | {index} if consumed else spent

    def _is_near(self, lock: Lock, walked: frozenset[Cell]) -> bool:
        here = (lock.y, lock.x)
        box = self._box(lock)
        cells = [here] if box is None else box.cells
        return any((beside(cell) | {cell}) & walked for cell in cells)

    def _box(self, lock: Lock) -> Spawn | None:
        here = (lock.y, lock.x)
        found = (each for each in self.level.spawns if (each.y, each.x) == here and "lock" in each.keywords)
        return None if here in self.doors else next(found, None)

    def _is_had(self, key: Spawn, opened: frozenset[Lock], walked: frozenset[Cell]) -> bool:
        locked = [lock for lock in self.level.locks if self._box(lock) is key]
        if locked:
            return locked[0] in opened
        return any((beside(cell) | {cell}) & walked for cell in key.cells)
