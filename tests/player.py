"""Players who try everything: cell by cell, one lock after the other, in every order and with every key.

`play` is for levels on which one can always go back; `wander` knows portals, also those that lead one way, and levers that shut
again what they open.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from walker import beside

from dungeon import terrain as t

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from walker import Cell

    from dungeon import Level, Lock, Spawn

    _Stand = tuple[frozenset[Cell], frozenset[Lock], frozenset[int], frozenset[int]]


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


def wander(level: Level) -> Ends:
    """Play a level in all ways there are, where it matters where one is and what one has picked up."""
    wanderer = _Wanderer(level)
    first: _Stand = (
        wanderer.around({tuple(level.entrance)}, frozenset()),
        frozenset(),
        frozenset(),
        frozenset(),
    )
    before: dict[_Stand, list[_Stand]] = {first: []}
    waiting = [first]
    for stand in waiting:  # it grows while it is walked through
        for following in wanderer.next_stands(*stand):
            if following not in before:
                before[following] = []
                waiting.append(following)
            before[following].append(stand)
    farthest = min(waiting, key=lambda stand: (len(wanderer.missed(stand[1])), -len(stand[1])))
    missed, most = wanderer.missed(farthest[1]), len(farthest[1])
    everything = wanderer.drifted(first[0], farthest[1]) & wanderer.clear
    fine = [
        stand
        for stand in waiting
        if len(stand[1]) == most
        and wanderer.missed(stand[1]) == missed
        and everything <= wanderer.drifted(stand[0], stand[1])
    ]
    safe = set(fine)
    for stand in fine:  # it grows, too
        fresh = set(before[stand]) - safe
        safe |= fresh
        fine += fresh
    return Ends(missed, len(safe) < len(waiting))


class _Player:
    def __init__(self, level: Level) -> None:
        self.level = level
        self.keys = {index: spawn for index, spawn in enumerate(level.spawns) if spawn.keywords.get("opens")}
        self.kinds = {index: _kind(spawn) for index, spawn in self.keys.items()}
        bases, walkable = level.base.tolist(), level.walkable.tolist()
        stopped = {
            cell for spawn in level.spawns if spawn.blocks and spawn.kind != "robot" for cell in spawn.cells
        }
        cells = {(y, x) for y in range(level.height) for x in range(level.width)} - stopped
        self.clear = {(y, x) for y, x in cells if walkable[y][x] and bases[y][x] != t.LOCKED_DOOR}
        self.doors = {(lock.y, lock.x) for lock in level.locks if bases[lock.y][lock.x] == t.LOCKED_DOOR}
        self.free_doors = self.doors & cells
        self.boxes = {lock: box for lock in level.locks if (box := self._box(lock))}
        self.box_locks = {
            index: lock for index, key in self.keys.items() for lock, box in self.boxes.items() if box is key
        }
        self.near = {lock: self._near_lock(lock) for lock in level.locks}
        self.near_keys = {index: _near(key.cells) for index, key in self.keys.items()}
        self.hands = cache(self._hands)

    def walk(self, opened: frozenset[Lock]) -> frozenset[Cell]:
        """Return where one gets once these locks are open."""
        clear = self.clear | ({(lock.y, lock.x) for lock in opened} & self.free_doors)
        seen = {tuple(self.level.entrance)}
        waiting = list(seen)
        for cell in waiting:  # the list grows while it is walked through
            found = (beside(cell) & clear) - seen
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
            had = frozenset(
                index for index in self.keys if index not in spent and self._is_had(index, opened, walked)
            )
            for used in self.hands(lock, had):
                yield opened | {lock}, spent | used

    def _hands(self, lock: Lock, had: frozenset[int]) -> list[frozenset[int]]:
        """Return the keys that may be used up by opening a lock with these keys; nothing if they don't open it.

        Of choices that differ only by keys that are alike, one is enough.
        """
        fitting = {index: self.kinds[index] for index in sorted(had) if lock.word in self.kinds[index][0]}
        chosen = combinations(fitting, lock.count)
        alike = {tuple(sorted(fitting[index] for index in each)): each for each in chosen}
        return [frozenset(index for index in each if fitting[index][1]) for each in alike.values()]

    def _near_lock(self, lock: Lock) -> frozenset[Cell]:
        """Return the cells from which a lock can be opened."""
        return _near(self.boxes[lock].cells if lock in self.boxes else [(lock.y, lock.x)])

    def _is_near(self, lock: Lock, walked: frozenset[Cell]) -> bool:
        return not self.near[lock].isdisjoint(walked)

    def _box(self, lock: Lock) -> Spawn | None:
        here = (lock.y, lock.x)
        found = (each for each in self.level.spawns if (each.y, each.x) == here and "lock" in each.keywords)
        return None if here in self.doors else next(found, None)

    def _is_had(self, index: int, opened: frozenset[Lock], walked: frozenset[Cell]) -> bool:
        if index in self.box_locks:
            return self.box_locks[index] in opened
        return not self.near_keys[index].isdisjoint(walked)


def _kind(key: Spawn) -> tuple[tuple[str, ...], bool]:
    """Return the words that a key opens, and whether it is used up: keys with the same are alike."""
    words = key.keywords["opens"]
    return words if isinstance(words, tuple) else (words,), key.keywords.get("consumed") is True


def _near(cells: Iterable[Cell]) -> frozenset[Cell]:
    return frozenset(near for cell in cells for near in {*beside(cell), cell})


class _Wanderer(_Player):
    def __init__(self, level: Level) -> None:
        super().__init__(level)
        self.gates = {lock: (lock.y, lock.x) for lock in level.locks if (lock.y, lock.x) not in self.doors}
        self._around: dict[tuple[frozenset[Cell], frozenset[Lock]], frozenset[Cell]] = {}
        self._drifted: dict[tuple[frozenset[Cell], frozenset[Lock]], frozenset[Cell]] = {}
        self.first_alike = cache(self._first_alike)

    def around(self, start: set[Cell] | frozenset[Cell], opened: frozenset[Lock]) -> frozenset[Cell]:
        """Return where one gets, and back, by steps and by portals that lead both ways."""
        key = frozenset(start), opened
        if key not in self._around:
            clear = self.clear | ({(lock.y, lock.x) for lock in opened} & self.free_doors)
            ways = [*self.ways(opened, both=True)]
            seen = {cell for cell in start if cell in clear}
            waiting = list(seen)
            for cell in waiting:
                near = beside(cell) | {end for begin, end in ways if begin == cell}
                found = (near & clear) - seen
                seen |= found
                waiting += found
            self._around[key] = frozenset(seen)
        return self._around[key]

    def drifted(self, start: frozenset[Cell], opened: frozenset[Lock]) -> frozenset[Cell]:
        """Return where one gets who never turns back."""
        key = start, opened
        if key not in self._drifted:
            here = self.around(start, opened)
            ways = [*self.ways(opened, both=False)]
            while more := {end for begin, end in ways if begin in here and end not in here}:
                here = self.around(here | more, opened)
            self._drifted[key] = here
        return self._drifted[key]

    def ways(self, opened: frozenset[Lock], *, both: bool) -> Iterator[tuple[Cell, Cell]]:
        """Yield where portals begin and end, one way or the other."""
        shut = {place for lock, place in self.gates.items() if lock not in opened}
        for portal in self.level.portals:
            begin, end = (portal.y, portal.x), (portal.to_y, portal.to_x)
            if portal.both == both and begin not in shut and {begin, end} <= self.clear:
                yield begin, end
                if both:
                    yield end, begin

    def missed(self, opened: frozenset[Lock]) -> frozenset[Cell]:
        """Return what one does not get to who has these open, and the boxes that stay shut."""
        walked = self.drifted(frozenset({tuple(self.level.entrance)}), opened)
        boxes = {(lock.y, lock.x) for lock in self.level.locks if lock not in opened and lock in self.boxes}
        return frozenset(self.clear - walked | boxes)

    def next_stands(
        self, here: frozenset[Cell], opened: frozenset[Lock], held: frozenset[int], spent: frozenset[int]
    ) -> Iterator[_Stand]:
        """Yield where one may be next: having opened a lock, picked up a key, or gone by a portal that leads one way."""
        for lock, used in self._opened(here, opened, held - spent):
            after = opened | {lock}
            yield self.around(here, after), after, held, self.first_alike(held, spent | used)
        for index, key in self.keys.items():
            if key.keywords.get("toggle"):
                yield from ((*after, held, spent) for after in self._pulled(key, here, opened))
            elif index not in held and self._is_had(index, opened, here):
                yield here, opened, held | {index}, self.first_alike(held | {index}, spent)
        for begin, end in self.ways(opened, both=False):
            if begin in here and end not in here:
                yield self.around({end}, opened), opened, held, spent

    def _first_alike(self, held: frozenset[int], spent: frozenset[int]) -> frozenset[int]:
        """Return the keys to count as spent, so that stands which differ only by which of keys that are alike are spent are one."""
        left = Counter(self.kinds[index] for index in spent)
        first = []
        for index in sorted(held):
            if left[self.kinds[index]]:
                left[self.kinds[index]] -= 1
                first.append(index)
        return frozenset(first)

    def _pulled(
        self, lever: Spawn, here: frozenset[Cell], opened: frozenset[Lock]
    ) -> Iterator[tuple[frozenset[Cell], frozenset[Lock]]]:
        """Yield where one may be, and what is open, once a lever has been pulled by who stands by it, off doors."""
        words = lever.keywords["opens"]
        locks = frozenset(
            lock
            for lock in self.level.locks
            if lock.word in (words if isinstance(words, tuple) else (words,))
        )
        (cell,) = lever.cells
        stands = (beside(cell) | {cell}) & here - self.doors
        if stands and not locks <= opened:
            yield self.around(here, opened | locks), opened | locks
        elif stands and locks:
            yield from ((self.around({each}, opened - locks), opened - locks) for each in stands)

    def _opened(
        self, here: frozenset[Cell], opened: frozenset[Lock], in_hand: frozenset[int]
    ) -> Iterator[tuple[Lock, frozenset[int]]]:
        for lock in self.level.locks:
            if lock in opened or not self._is_near(lock, here):
                continue
            if any(other.word == lock.follows for other in opened):
                yield lock, frozenset()
            for used in self.hands(lock, in_hand):
                yield lock, used

    def _near_lock(self, lock: Lock) -> frozenset[Cell]:
        portals = [each for each in self.level.portals if (each.y, each.x) == (lock.y, lock.x)]
        if not portals or (lock.y, lock.x) in self.doors:
            return super()._near_lock(lock)
        return frozenset(cell for portal in portals for cell in portal.entries)

    def _is_had(self, index: int, opened: frozenset[Lock], walked: frozenset[Cell]) -> bool:
        if index in self.box_locks:  # what is in a box is taken out where the box stands
            lock = self.box_locks[index]
            return lock in opened and not super()._near_lock(lock).isdisjoint(walked)
        return super()._is_had(index, opened, walked)
