"""Locked doors: which parts of a drawing or map a walker can reach, given the keys that certainly lie in it.

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
are certain to come, and certain to open the word, count as keys. A *box* is a locked prop, on which a key may be
spent. A *leap* is a pair of cells that count as neighbours, such as two portals.

Masks are ints with one bit for each cell, as in `grid.bits`.
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
from dungeon.core.vocabulary import UNDERFOOT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from dungeon.content.catalog.catalog import Catalog, CatalogObject
    from dungeon.content.catalog.symbols import SymbolEntry
    from dungeon.content.prefab.drawing import DrawnLock, Machine, Reference
    from dungeon.grid.bits import Board
    from dungeon.grid.rect import Cell, Leap
    from dungeon.terrain import TerrainSet


def words_in_opens(opens: object) -> tuple[str, ...]:
    """Return the words of the locks that an object opens, from its keyword `opens`: one word, or a list of words."""
    listed = opens if isinstance(opens, list | tuple) else (opens,)
    return tuple(word for word in listed if isinstance(word, str))


class OpenedWords(NamedTuple):
    """The words of the locks that an object opens.

    Attributes:
        words: The words that it certainly opens.
        consumed: Whether it may be used up by the first lock that it opens.
    """

    words: tuple[str, ...] = ()
    consumed: bool = False


def opens_nothing(_symbol: SymbolEntry) -> OpenedWords:
    """Return an `OpenedWords` without words: the object of the symbol, whatever it is, opens no lock."""
    return OpenedWords()


def words_opened_by(symbol: SymbolEntry, catalog: Catalog) -> OpenedWords:
    """Return the words of the locks that the object of a symbol certainly opens; none if the object may be absent."""
    words = _sure_words(symbol, catalog)
    if not words or symbol.kind is None or symbol.selector is None:
        return OpenedWords()
    return OpenedWords(
        words, any(_may_be_consumed(symbol, thing) for thing in catalog.members(symbol.kind, symbol.selector))
    )


def _may_be_consumed(symbol: SymbolEntry, thing: CatalogObject) -> bool:
    """Tell whether an object may be used up by a lock; its symbol overrides the catalog."""
    said = _keyword_value("consumed", symbol, thing)
    return True in said.outcomes() if isinstance(said, Value) else said is True


def _keyword_value(keyword: str, symbol: SymbolEntry, thing: CatalogObject) -> object:
    """Return the value of a free keyword of an object, or None; its symbol overrides the catalog."""
    told: tuple[Mapping[str, object], ...] = (symbol.roll, symbol.data, thing.roll, thing.data)
    return next((each[keyword] for each in told if keyword in each), None)


def _sure_words(symbol: SymbolEntry, catalog: Catalog) -> tuple[str, ...]:
    """Return the words of the locks that every object which the symbol may stand for opens; none if there may be no object."""
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
    """Return the words of the locks that an object certainly opens; its symbol overrides the catalog."""
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

    An object that may be shifted stays on its side of every door, unless it blocks walkers itself; such a
    blocking object does not count. Nor does an object on a cell where something else is drawn, since the
    other may be placed first.

    Args:
        references: The objects on single cells.
        machines: The props over several cells.
        opens: Returns the words that the object of a symbol certainly opens.
        stops: Tells whether the object blocks walkers permanently.
    """
    crowd = Counter((each.y, each.x) for each in references)
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
        and all(crowd[cell] == 1 for cell in cells)
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
        opens: Returns the words that the object of a symbol certainly opens.
        stops: Tells whether the object blocks walkers permanently.
        given: The words of `locks.yaml`, for which the level provides keys.
    """
    if not locks:
        return (), ()
    keys, boxes = certain_keys(references, machines, opens, stops), tuple[LockedProp, ...]()
    if any(key.consumed or key.locked for key in keys):
        boxes = locked_props(references, machines)
    return keys + keys_from_level((*locks, *boxes), given), boxes


def locked_props(references: Sequence[Reference], machines: Sequence[Machine]) -> tuple[LockedProp, ...]:
    """Return the locked props of a drawing, once for each word that may lock them."""
    return tuple(
        LockedProp(cells, word)
        for cells, symbol in _drawn(references, machines)
        for word in _locked_with(symbol)
    )


def _locked_with(symbol: SymbolEntry) -> list[str]:
    """Return the words that may lock an object."""
    return [] if symbol.lock is None or symbol.kind is None else [*symbol.lock.outcomes()]


def keys_from_level(locks: Iterable[DrawnLock | LockedProp], given: frozenset[str]) -> tuple[DrawnKey, ...]:
    """Return a key without a place for each word in `given` with which one of the locks is locked.

    Args:
        locks: Locked doors and props.
        given: The words of `locks.yaml`, for which the level places a key somewhere.
    """
    return tuple(DrawnKey((), word) for word in dict.fromkeys(lock.word for lock in locks) if word in given)


def _drawn(
    references: Sequence[Reference], machines: Sequence[Machine]
) -> Iterator[tuple[tuple[Cell, ...], SymbolEntry]]:
    """Yield (cells, symbol) for each reference and each named machine."""
    for reference in references:
        yield (reference.cell,), reference.symbol
    for machine in machines:
        if machine.symbol is not None:
            yield machine.cells, machine.symbol


NOT_OPENED = "a locked door whose key is not certain to lie in front of it"
"""Problem of a drawing in which a locked door can stop a walker; it completes "it has ..."."""

SPENT = "a locked door that stays shut if its key is spent on another lock first"
"""Problem of a drawing in which keys that are used up can be spent in the wrong order.

It completes "it has ...".
"""

MOST_ORDERS = 2_000
"""Maximum number of states searched per start.

A drawing with more is treated as if keys could be spent in the wrong order.
"""


class PlacedKey(NamedTuple):
    """An object that opens locks, at its place.

    Attributes:
        near: Mask of the cells that it is on or beside.
        words: The words that it opens.
        consumed: Whether the first lock that it opens uses it up.
        locked: The word that the object itself is locked with; empty if it is not locked.
    """

    near: int
    words: frozenset[str]
    consumed: bool
    locked: str


@dataclass(frozen=True, slots=True)
class LockedGround:
    """Ground with locked doors, for flood fills that open doors on the way.

    Attributes:
        board: Converts cells to masks.
        free: Mask of the walkable cells, without the locked doors.
        barred: Mask of the locked doors.
        locks: (mask of the door, word) of each locked door that has a word.
        keys: The keys.
        leaps: Pairs of one-cell masks that count as neighbours.
        boxes: Locked props on which keys may be spent: (mask of the cells on or beside it, word).
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
            board: Converts cells to masks; of the same size.
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
        """Return the mask of the cells that can be reached from `start`, opening doors with the keys found on the way.

        Keys are treated as if none were used up.
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
        """Return the words of the locks that the keys on or beside the cells of a mask open, as if no key were used up."""
        words = set[str]()
        lying = [key for key in self.keys if key.near & walked]
        while had := [key for key in lying if not key.locked or key.locked in words]:
            words.update(word for key in had for word in key.words)
            lying = [key for key in lying if key not in had]
        return words

    def closed_boxes(self, start: int) -> list[int]:
        """Return the indices of the boxes (locked props) that a walker from `start` can't open, even if no key is used up."""
        walked = self.reached(start)
        words = self._opened_from(walked)
        return [
            number for number, (near, word) in enumerate(self.boxes) if not near & walked or word not in words
        ]

    @property
    def worded(self) -> int:
        """Mask of the locked doors that have a word, so that a key should open them."""
        return reduce(or_, (door for door, _ in self.locks), 0) & self.barred

    @property
    def parts(self) -> list[int]:
        """The masks of the connected parts of the ground while every locked door is closed, in order of their first cells."""
        return parts_of(self.board, self.free)

    def shut(self, starts: Iterable[int]) -> int:
        """Return the mask of the locked doors that stay shut for the first of these starts from which any does; else 0.

        A walker opens doors with the keys that he finds, as if no key were used up. If he can't reach some ground, the
        doors that keep him from it are returned. Otherwise these are the doors that he never gets beside, or that have a
        word and don't open.

        Args:
            starts: Masks of start cells.
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
        """Return (problem, mask of doors) if a walker can get stuck who begins at one of these starts; None if none can.

        Args:
            starts: Masks of start cells.
        """
        starts = [*starts]
        if doors := self.shut(starts):
            return NOT_OPENED, doors
        doors = next((doors for each in starts if (doors := self.lost_by_spending(each))), 0)
        return (SPENT, doors) if doors else None

    def lost_by_spending(self, start: int) -> int:
        """Return the mask of locked doors that stay shut if a walker spends keys in an unlucky order; 0 if none ever does.

        Only doors that open when no key is used up count. The search tries all orders of opening locks, depth
        first, and visits each state once.
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
        near: Mask of the cells from which it can be opened.
        door: Mask of the door; 0 for a prop.
        word: The word that it is locked with.
    """

    near: int
    door: int
    word: str


Spent = tuple[tuple[frozenset[str], int], ...]
"""(words that a kind of key opens, how many of these keys have been used up), sorted."""


@dataclass(frozen=True, slots=True)
class _KeySpendingSearch:
    """A search through all orders of opening locks, when some keys are used up.

    Attributes:
        ground: The ground.
        start: Mask of the cells where the walker starts.
        locks: The locks. A set of open locks is an int with one bit for each index.
        payable: The words of the locks that can be opened with a key that is used up.
    """

    ground: LockedGround
    start: int
    locks: Sequence[_Openable]
    payable: frozenset[str]
    _walked: dict[int, int] = field(default_factory=dict)

    def lost(self) -> int:
        """Return the mask of the doors still shut in the first dead end found: a state in which no more lock opens.

        0 if there is none. All doors if the search has seen more than `MOST_ORDERS` states.
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
        """Yield each state, (set of open locks, keys spent), that follows when one more lock is opened.

        If a lock opens without using up a key, or if there are enough keys for all closed locks of its word,
        the order does not matter; then only the state with that lock opened follows.
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
        """Tell whether a key can be taken: it is not locked, or the locked prop that it is has been opened."""
        return not key.locked or any(
            opened >> number & 1 and (lock.near, lock.word) == (key.near, key.locked)
            for number, lock in enumerate(self.locks)
        )

    def _doors(self, opened: int) -> int:
        """Return the mask of the doors among the locks in `opened`, a set of locks as an int with a bit for each index."""
        return reduce(or_, (lock.door for number, lock in enumerate(self.locks) if opened >> number & 1), 0)

    def _reached(self, opened: int) -> int:
        """Return the mask of the cells that can be reached once the locks in `opened` (a bit for each index) are open."""
        doors = self._doors(opened)
        if doors not in self._walked:
            self._walked[doors] = self.ground.flood(self.ground.free | doors, self.start)
        return self._walked[doors]


def _sorted_spent(spent: Counter[frozenset[str]]) -> Spent:
    return tuple(sorted(spent.items(), key=lambda each: sorted(each[0])))


def parts_of(board: Board, mask: int) -> list[int]:
    """Return the masks of the 4-connected components of a mask, in order of their first cells."""
    found = []
    while mask:
        part = board.flood(mask, mask & -mask)
        found.append(part)
        mask ^= part
    return found
