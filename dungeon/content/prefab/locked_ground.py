"""Which cells a walker reaches who opens locked doors on the way. A key opens locks of its *word*; a *box* is a locked prop.

Masks are ints with one bit for each cell, as in `grid.bits`. A *leap* is a pair of cells that count as neighbours, such as two
portals. A *symbol* is the meaning of a character of a drawing, such as an item.

    ######      From the left a walker reaches the key (k) and, with it, passes the door (L). From the right
    #k.L.#      the walker stops at the door. So the result depends on the start.
    ######

A key that is used up opens one lock. With two doors, one key in front of them and a second key behind the
first door, a walker who opens the second door first is stuck::

    ########    The walker has one key (k) and stands before both doors. The other key lies behind L.
    #k.L..k#
    #.######
    #..M...#
    ########

A locked door has `lock: word`; an object with `opens: word` is a *key* to it. For the words in `locks.yaml` the level
itself places a key somewhere. The key to any other word must be drawn in the prefab of the door. Only objects that
are certain to be there, and certain to open the word, count as keys. A key that is used up may be spent on a box.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, NamedTuple

from dungeon import terrain as t
from dungeon.content.prefab.drawing import DrawnKey, LockedProp
from dungeon.content.values.grammar import Constant, Value
from dungeon.core.vocabulary import LYING, UNDERFOOT
from dungeon.grid.bits import Board
from dungeon.grid.rect import Cell

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from dungeon.content.catalog.catalog import Catalog, CatalogObject
    from dungeon.content.catalog.symbols import SymbolEntry
    from dungeon.content.prefab.drawing import DrawnLock, Link, Machine, Reference
    from dungeon.grid.rect import Leap
    from dungeon.terrain import TerrainSet


def words_in_opens(opens: object) -> tuple[str, ...]:
    """Return the names of the locks that an object opens, from the value of its keyword `opens`: one word, or a list of words."""
    listed = opens if isinstance(opens, list | tuple) else (opens,)
    return tuple(word for word in listed if isinstance(word, str))


class OpenedWords(NamedTuple):
    """The locks that an object opens.

    Attributes:
        words: The names of the locks that the object certainly opens.
        consumed: Whether the object may be used up by the first lock that it opens.
    """

    words: tuple[str, ...] = ()
    consumed: bool = False


def opens_nothing(_symbol: SymbolEntry) -> OpenedWords:
    """Return an `OpenedWords` without words, for callers to which no object counts as a key."""
    return OpenedWords()


def words_opened_by(symbol: SymbolEntry, catalog: Catalog) -> OpenedWords:
    """Return the names of the locks that the object of a symbol certainly opens; none if the object may be absent."""
    words = _sure_words(symbol, catalog)
    if not words or symbol.kind is None or symbol.selector is None:
        return OpenedWords()
    return OpenedWords(
        words, any(_may_be_consumed(symbol, thing) for thing in catalog.members(symbol.kind, symbol.selector))
    )


def _may_be_consumed(symbol: SymbolEntry, thing: CatalogObject) -> bool:
    """Tell whether an object may be used up by a lock: the keyword `consumed` of its symbol or, without it, of the catalog."""
    said = _keyword_value("consumed", symbol, thing)
    return True in said.outcomes() if isinstance(said, Value) else said is True


def _keyword_value(keyword: str, symbol: SymbolEntry, thing: CatalogObject) -> object:
    """Return the value of a free keyword (under `roll` or `data`) of an object; None if it has none.

    Args:
        keyword: The keyword.
        symbol: The symbol that asks for the object; its keyword overrides that of the catalog.
        thing: The object in the catalog.
    """
    told: tuple[Mapping[str, object], ...] = (symbol.roll, symbol.data, thing.roll, thing.data)
    return next((each[keyword] for each in told if keyword in each), None)


def _sure_words(symbol: SymbolEntry, catalog: Catalog) -> tuple[str, ...]:
    """Return the names of the locks that a symbol's object opens whichever object is chosen; none if there may be no object."""
    kind, selector = symbol.kind, symbol.selector
    if (
        kind is None
        or symbol.like == "robot"
        or selector is None
        or selector.tags is None
        or symbol.group is not None
    ):
        return ()
    comes = all(chance is None or chance >= 1 for chance in symbol.chance.odds())
    if not comes or None in selector.tags.odds():
        return ()
    opened = [_words(symbol, thing) for thing in catalog.members(kind, selector)]
    return tuple(word for word in opened[0] if all(word in words for words in opened)) if opened else ()


def _words(symbol: SymbolEntry, thing: CatalogObject) -> tuple[str, ...]:
    """Return the names of the locks that an object certainly opens: `opens` of its symbol or, without it, of the catalog."""
    if symbol.opens is not None:
        outcomes = list(symbol.opens.odds())
        return words_in_opens(outcomes[0]) if len(outcomes) == 1 else ()
    said = _keyword_value("opens", symbol, thing)
    return words_in_opens(said.value if isinstance(said, Constant) else said)


def certain_keys(
    references: Sequence[Reference],
    machines: Sequence[Machine],
    opens: Callable[[SymbolEntry], OpenedWords],
    stops: Callable[[SymbolEntry], bool],
) -> tuple[DrawnKey, ...]:
    """Return the keys (objects that open locks) that are certain to be in a drawing.

    An object does not count if it blocks walkers and may be shifted, if something else is drawn on its cell (which may be
    placed first), or if its own lock may have several names. Items and debris lie with anything else that is drawn on their cell.

    Args:
        references: The objects on single cells.
        machines: The props over several cells.
        opens: Returns the names of the locks that the object of a symbol certainly opens.
        stops: Tells whether the object of a symbol blocks walkers permanently.
    """
    crowd = Counter((each.y, each.x) for each in references if each.symbol.like not in LYING)
    crowd.update(cell for machine in machines for cell in machine.cells)
    return tuple(
        DrawnKey(
            cells,
            word,
            underfoot=symbol.like in UNDERFOOT,
            consumed=opened.consumed,
            locked=next(iter(_locked_with(symbol)), ""),
        )
        for cells, symbol in _drawn(references, machines)
        for opened in [opens(symbol)]
        for word in opened.words
        if (symbol.is_fixed or not stops(symbol))
        and (symbol.like in LYING or all(crowd[cell] == 1 for cell in cells))
        and len(_locked_with(symbol)) < 2
    )


def keys_and_boxes(
    references: Sequence[Reference],
    machines: Sequence[Machine],
    locks: Sequence[DrawnLock],
    opens: Callable[[SymbolEntry], OpenedWords],
    stops: Callable[[SymbolEntry], bool],
    given: frozenset[str],
) -> tuple[tuple[DrawnKey, ...], tuple[LockedProp, ...]]:
    """Return the keys of a drawing, and the locked props on which keys may be spent.

    Both are empty if the drawing has no locked door.

    Args:
        references: The objects on single cells.
        machines: The props over several cells.
        locks: The locks of the locked doors.
        opens: Returns the names of the locks that the object of a symbol certainly opens.
        stops: Tells whether the object of a symbol blocks walkers permanently.
        given: The lock names in `locks.yaml`, for which the level itself places keys.
    """
    if not locks:
        return (), ()
    keys, boxes = certain_keys(references, machines, opens, stops), tuple[LockedProp, ...]()
    if any(key.consumed or key.locked for key in keys):
        boxes = locked_props(references, machines)
    return keys + keys_from_level((*locks, *boxes), given), boxes


def locked_props(references: Sequence[Reference], machines: Sequence[Machine]) -> tuple[LockedProp, ...]:
    """Return the locked props of a drawing, each once for every lock name that it may have."""
    return tuple(
        LockedProp(cells, word)
        for cells, symbol in _drawn(references, machines)
        for word in _locked_with(symbol)
    )


def _locked_with(symbol: SymbolEntry) -> list[str]:
    """Return the names that the lock of a symbol's object may have; empty if the object has no lock."""
    return [] if symbol.lock is None or symbol.kind is None else [*symbol.lock.outcomes()]


def keys_from_level(locks: Iterable[DrawnLock | LockedProp], given: frozenset[str]) -> tuple[DrawnKey, ...]:
    """Return a `DrawnKey` without cells for each lock name in `given` that one of the locks has.

    Args:
        locks: Locked doors and props.
        given: The lock names in `locks.yaml`, for which the level itself places a key somewhere.
    """
    return tuple(DrawnKey((), word) for word in dict.fromkeys(lock.word for lock in locks) if word in given)


def _drawn(
    references: Sequence[Reference], machines: Sequence[Machine]
) -> Iterator[tuple[tuple[Cell, ...], SymbolEntry]]:
    """Yield (cells, symbol) for each object of a drawing: the references, and the machines that have a meaning."""
    for reference in references:
        yield (reference.cell,), reference.symbol
    for machine in machines:
        if machine.symbol is not None:
            yield machine.cells, machine.symbol


NOT_OPENED = "a locked door whose key is not certain to lie in front of it"
"""Problem of a drawing in which a locked door can stop a walker; messages put it after "it has"."""

SPENT = "a locked door that stays shut if its key is spent on another lock first"
"""Problem of a drawing in which keys that are used up can be spent in the wrong order; messages put it after "it has"."""

MOST_ORDERS = 2_000
"""Maximum number of states searched per start.

A drawing with more is treated as if keys could be spent in the wrong order.
"""


class PlacedKey(NamedTuple):
    """An object that opens locks, with the place where it lies.

    Attributes:
        near: Mask of the cells on which it lies and of those beside them.
        words: The names of the locks that it opens.
        consumed: Whether the first lock that it opens uses it up.
        locked: The name of the lock on the object itself; empty if it is not locked.
    """

    near: int
    words: frozenset[str]
    consumed: bool
    locked: str


@dataclass(frozen=True, slots=True)
class LockedGround:
    """The walkable cells of a drawing or map with its locked doors and keys, for flood fills that open doors on the way.

    A *mask* is an int with one bit for each cell.

    Attributes:
        board: Converts cells to masks.
        free: Mask of the walkable cells, without the locked doors.
        barred: Mask of the locked doors.
        locks: (mask of the door, lock name) of each locked door whose lock has a name.
        keys: The objects that open locks.
        leaps: Pairs of one-cell masks that count as neighbours, such as two portals.
        boxes: (mask of the cells on or beside it, lock name) of each locked prop on which a key may be spent.
    """

    board: Board
    free: int
    barred: int
    locks: tuple[tuple[int, str], ...] = ()
    keys: tuple[PlacedKey, ...] = ()
    leaps: tuple[tuple[int, int], ...] = ()
    boxes: tuple[tuple[int, str], ...] = ()

    @classmethod
    def on(
        cls,
        board: Board,
        codes: NDArray[np.uint8],
        free: NDArray[np.bool_],
        locks: Iterable[DrawnLock],
        keys: Iterable[DrawnKey],
        terrain_set: TerrainSet,
        leaps: Iterable[Leap] = (),
        boxes: Iterable[LockedProp] = (),
    ) -> LockedGround:
        """Make the object for a drawing or a map from its arrays, locks and keys.

        Args:
            board: Converts cells to masks; of the same size as the arrays.
            codes: (height, width) uint8 terrain codes.
            free: (height, width) bool, True where a walker who could open every door can walk.
            locks: The locks; a lock on a cell that is not a locked door is ignored.
            keys: The keys; a key that can't lie on its cells is ignored.
            terrain_set: The meaning of the codes.
            leaps: Pairs of cells that count as neighbours.
            boxes: Locked props.
        """
        base = terrain_set.base.take(codes)
        locked = base == t.LOCKED_DOOR
        holds = (base > t.BLOCKED) & ~terrain_set.stairs.take(codes)
        walked_on = holds & terrain_set.passable.take(codes)
        words: dict[tuple[tuple[tuple[int, int], ...], bool, str], set[str]] = {}
        for each in keys:
            if all((walked_on if each.underfoot else holds)[cell] for cell in each.cells):
                words.setdefault((each.cells, each.consumed, each.locked), set()).add(each.word)
        return cls(
            board,
            board.from_array(free & ~locked),
            board.from_array(free & locked),
            tuple((board.from_cells([each[:2]]), each.word) for each in locks if locked[each[:2]]),
            tuple(
                PlacedKey(
                    board.beside(board.from_cells(cells)) if cells else board.full,
                    frozenset(opened),
                    consumed,
                    own,
                )
                for (cells, consumed, own), opened in words.items()
            ),
            tuple((board.from_cells([one]), board.from_cells([other])) for one, other in leaps),
            tuple((board.beside(board.from_cells(each.cells)), each.word) for each in boxes),
        )

    def flood(self, free: int, start: int) -> int:
        """Flood fill: return the mask of the cells of `free` that can be reached from `start`, also by leaps (portals).

        Args:
            free: The mask of the cells that can be walked on.
            start: The mask of the start cells.
        """
        walked = self.board.flood(free, start)
        while onward := self._across(walked) & free & ~walked:
            walked = self.board.flood(free, walked | onward)
        return walked

    def _across(self, walked: int) -> int:
        """Return the mask of the cells to which leaps (such as portals) lead from the cells of a mask."""
        return reduce(or_, (pair[1 - at] for pair in self.leaps for at in (0, 1) if pair[at] & walked), 0)

    def reached(self, start: int) -> int:
        """Return the mask of the cells that a walker reaches who opens doors with the keys found on the way.

        Keys are treated as if none were used up.

        Args:
            start: The mask of the cells where the walker starts.
        """
        free, closed = self.free, self.locks
        walked = self.flood(free, start)
        while closed and (words := self._opened_from(walked)):
            opened = reduce(or_, (door for door, word in closed if word in words), 0) & self.barred
            if not opened:
                break
            closed = tuple((door, word) for door, word in closed if word not in words)
            free |= opened
            walked = self.flood(free, walked | start)
        return walked

    def _opened_from(self, walked: int) -> set[str]:
        """Return the names of the locks that a walker can open with keys on or beside the cells of `walked`, if none is used up."""
        words = set[str]()
        lying = [key for key in self.keys if key.near & walked]
        while had := [key for key in lying if not key.locked or key.locked in words]:
            words.update(word for key in had for word in key.words)
            lying = [key for key in lying if key not in had]
        return words

    def closed_boxes(self, start: int) -> list[int]:
        """Return the indices in `boxes` of locked props that a walker can't open from the mask `start`, even if no key is used up."""
        walked = self.reached(start)
        words = self._opened_from(walked)
        return [
            number for number, (near, word) in enumerate(self.boxes) if not near & walked or word not in words
        ]

    @property
    def worded(self) -> int:
        """Mask of the locked doors whose lock has a name, so that a key should open them."""
        return reduce(or_, (door for door, _ in self.locks), 0) & self.barred

    @property
    def parts(self) -> list[int]:
        """The masks of the connected parts of `free`: the areas between the closed locked doors, in order of their first cells."""
        return parts_of(self.board, self.free)

    def shut(self, starts: Iterable[int]) -> int:
        """Return the mask of the locked doors that a walker can't open, for the first start that has such doors; 0 if none has.

        The walker opens doors with the keys that he finds, as if no key were used up. If he can't reach some ground, the
        result is the doors that keep him from it. If he reaches all ground, it is the doors that he never gets beside, and
        the doors whose lock has a name but to which he finds no key.

        Args:
            starts: Masks of the cells where the walker may start, one mask for each start.
        """
        for start in starts:
            walked = self.reached(start)
            near = self.board.beside(walked)
            lost = self.flood(self.free | self.barred, walked) & self.free & ~walked
            if lost:
                doors = self.barred & ~walked & near
                return doors & self.board.beside(lost) or doors
            if boxed := self.barred & (self.worded & ~walked | ~near):
                return boxed
        return 0

    def stuck(self, starts: Iterable[int]) -> tuple[str, int] | None:
        """Return (problem, mask of doors that stay shut) if a walker can get stuck; None if he can't.

        Args:
            starts: Masks of the cells where the walker may start, one mask for each start.
        """
        starts = [*starts]
        if doors := self.shut(starts):
            return NOT_OPENED, doors
        doors = next((doors for each in starts if (doors := self.lost_by_spending(each))), 0)
        return (SPENT, doors) if doors else None

    def lost_by_spending(self, start: int) -> int:
        """Return the mask of locked doors that can stay shut because a walker spends keys in an unlucky order; 0 if none can.

        Only doors that would open if no key were used up count. The search tries all orders of opening locks, depth
        first, and visits each state once.

        Args:
            start: Mask of the cells where the walker starts.
        """
        payable = frozenset(word for key in self.keys if key.consumed for word in key.words)
        opened = self.reached(start) & self.barred
        if not payable.intersection(word for door, word in self.locks if door & opened):
            return 0
        locks = [_Openable(self.board.beside(door), door, word) for door, word in self.locks if door & opened]
        locks += [_Openable(near, 0, word) for near, word in self.boxes]
        return _KeySpendingSearch(self, start, locks, payable).lost()


class _Openable(NamedTuple):
    """A locked door or prop.

    Attributes:
        near: Mask of the cells from which a walker can open it.
        door: Mask of the door; 0 for a prop.
        word: The name of its lock.
    """

    near: int
    door: int
    word: str


Spent = tuple[tuple[frozenset[str], int], ...]
"""(names of the locks that a kind of key opens, how many keys of that kind have been used up), sorted."""


@dataclass(frozen=True, slots=True)
class _KeySpendingSearch:
    """A search through all orders of opening locks, when some keys are used up.

    Attributes:
        ground: The walkable cells, the locked doors and the keys.
        start: Mask of the cells where the walker starts.
        locks: The locked doors and props. A set of open ones is an int with one bit for each index in this list.
        payable: The names of the locks that a key which is used up can open.
    """

    ground: LockedGround
    start: int
    locks: Sequence[_Openable]
    payable: frozenset[str]
    _walked: dict[int, int] = field(default_factory=dict)

    def lost(self) -> int:
        """Return the mask of the doors still shut in the first dead end found: a state in which no other lock can be opened.

        The mask is 0 if there is no dead end, and has all doors if the search has seen more than `MOST_ORDERS` states.
        """
        everything = self._doors((1 << len(self.locks)) - 1)
        waiting: list[tuple[int, Spent]] = [(0, ())]
        seen = {*waiting}
        while waiting:
            if len(seen) > MOST_ORDERS:
                return everything
            opened, spent = waiting.pop()
            after = [*self._moves(opened, Counter(dict(spent)))]
            if not after and (shut := everything & ~self._doors(opened)):
                return shut
            waiting += [each for each in dict.fromkeys(after) if each not in seen]
            seen.update(after)
        return 0

    def _moves(self, opened: int, spent: Counter[frozenset[str]]) -> Iterator[tuple[int, Spent]]:
        """Yield the states after one more lock is opened, each (set of open locks, keys spent).

        If a lock opens without using up a key, or if there are enough keys for all closed locks of its name,
        the order does not matter; then only the state with that lock opened is yielded.

        Args:
            opened: The set of open locks.
            spent: Lock names that a kind of key opens -> how many keys of that kind have been used up.
        """
        walked = self._reached(opened)
        had = [key for key in self.ground.keys if key.near & walked and self._is_at_hand(key, opened)]
        lasting = {word for key in had if not key.consumed for word in key.words}
        left = Counter(key.words for key in had if key.consumed) - spent
        closed = [(1 << number, lock) for number, lock in enumerate(self.locks) if not opened >> number & 1]
        counts = Counter(lock.word for _, lock in closed)
        payable = {word for words in left if len(words) > 1 for word in words}
        found = []
        for bit, lock in closed:
            if not lock.near & walked:
                continue
            word, own = lock.word, frozenset([lock.word])
            if word in lasting and word not in self.payable:
                yield opened | bit, _sorted_spent(spent)
                return
            if left[own] >= counts[word] and word not in payable:
                yield opened | bit, _sorted_spent(spent + Counter([own]))
                return
            found += [(opened | bit, _sorted_spent(spent))] if word in lasting else []
            found += [
                (opened | bit, _sorted_spent(spent + Counter([words]))) for words in left if word in words
            ]
        yield from found

    def _is_at_hand(self, key: PlacedKey, opened: int) -> bool:
        """Tell whether a key can be taken: it has no lock itself, or that lock is in the set `opened`."""
        return not key.locked or any(
            opened >> number & 1 and (lock.near, lock.word) == (key.near, key.locked)
            for number, lock in enumerate(self.locks)
        )

    def _doors(self, opened: int) -> int:
        """Return the mask of the doors among the locks in the set `opened`, an int with a bit for each index in `locks`."""
        return reduce(or_, (lock.door for number, lock in enumerate(self.locks) if opened >> number & 1), 0)

    def _reached(self, opened: int) -> int:
        """Return the mask of the cells that the walker reaches when the locks in the set `opened` (a bit for each index) are open."""
        doors = self._doors(opened)
        if doors not in self._walked:
            self._walked[doors] = self.ground.flood(self.ground.free | doors, self.start)
        return self._walked[doors]


def _sorted_spent(spent: Counter[frozenset[str]]) -> Spent:
    return tuple(sorted(spent.items(), key=lambda each: sorted(each[0])))


def parts_of(board: Board, mask: int) -> list[int]:
    """Return the masks of the 4-connected parts of a mask, in order of their first cells (row by row)."""
    found = []
    while mask:
        part = board.flood(mask, mask & -mask)
        found.append(part)
        mask ^= part
    return found


def sealed_cells(
    codes: NDArray[np.uint8], obstacles: NDArray[np.bool_], links: Sequence[Link], terrain_set: t.TerrainSet
) -> NDArray[np.bool_] | None:
    """Return the open cells of a sealed prefab that nothing leads to from outside; None if there are none.

    The cells that can be walked on, doors included, form connected parts. A part is sealed if it does not touch the edge of
    the drawing or a `KEEP` cell, and if no link stands on or beside one of its cells. So is a part of all open cells::

        ##########       The case with the item (1), and the island (2) in the water (~), are sealed. The room is not: its
        #..===.~~~       door (+) lies on the edge.
        +..=1=.~2~
        #..===.~~~
        ##########

    Args:
        codes: (height, width) uint8, the terrain of the drawing.
        obstacles: (height, width) bool, where an object blocks walkers permanently.
        links: Its links.
        terrain_set: The meaning of the codes.
    """
    height, width = codes.shape
    board = Board(height, width)
    free = board.from_array(terrain_set.open.take(codes) & (codes != t.KEEP))
    walked = free & board.from_array(terrain_set.passable.take(codes) & ~obstacles)
    inner = board.block(1, 1, height - 2, width - 2) if min(height, width) > 2 else 0
    outside = board.full & ~inner | board.beside(board.from_array(codes == t.KEEP))
    joined = board.from_cells(Cell(each.y, each.x) for each in links if each.kind != "closed")
    entries = outside | joined | board.beside(joined)
    reached = board.flood(walked, walked & entries)
    shut = free & ~board.flood(free, free & entries) | walked & ~reached
    shut |= board.flood(shut | free & board.from_array(obstacles) & ~board.beside(reached), shut)
    return board.to_array(shut) if shut else None
