"""How far walkers get on foot where doors are locked: each door opens once something that opens it can be reached.

    ######      From the left one gets to the key (k) and, with it, through the door (L); from the right to the door, and
    #k.L.#      no farther. So it matters where one begins.
    ######

A key that is used up opens one lock. With two doors and one key before them, and the second key behind the first door, a
walker who opens the second door first is stuck::

    ########    The walker has one key (k) and stands before both doors. The other key lies behind L.
    #k.L..k#
    #.######
    #..M...#
    ########

What is asked is asked of masks (see `grid.bits`), of a drawing by itself or of a map on which it lies.

What in a drawing is sure to open locked doors.

A locked door says `lock: word`, and whatever says `opens: word` opens it. Words that `locks.yaml` explains are opened by
the level, which has a key somewhere; to any other word the key comes with the drawing of its door. A key that may stay away, or may open something
else, is none that anybody could rely on: what counts here comes every time, where it is drawn.
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


def words_of(opens: object) -> tuple[str, ...]:
    """Return the words in the keyword `opens` of an object: one, or a list of them."""
    listed = opens if isinstance(opens, list | tuple) else (opens,)
    return tuple(word for word in listed if isinstance(word, str))


class OpenedWords(NamedTuple):
    """What an object opens.

    Attributes:
        words: The words that it is sure to open.
        consumed: Whether it may be used up by the first lock that it opens.
    """

    words: tuple[str, ...] = ()
    consumed: bool = False


def opens_nothing(_symbol: SymbolEntry) -> OpenedWords:
    """Say of any symbol that it is not sure to open anything."""
    return OpenedWords()


def what_opens(symbol: SymbolEntry, catalog: Catalog) -> OpenedWords:
    """Return what the object of a symbol is sure to open, if it is sure to come."""
    words = _sure_words(symbol, catalog)
    if not words or symbol.kind is None or symbol.selector is None:
        return OpenedWords()
    return OpenedWords(
        words, any(_may_be_consumed(symbol, thing) for thing in catalog.members(symbol.kind, symbol.selector))
    )


def _may_be_consumed(symbol: SymbolEntry, thing: CatalogObject) -> bool:
    """Tell whether a thing may be used up by a lock: what its symbol says counts for more than what the catalog says."""
    said = _said("consumed", symbol, thing)
    return True in said.outcomes() if isinstance(said, Value) else said is True


def _said(keyword: str, symbol: SymbolEntry, thing: CatalogObject) -> object:
    """Return what is said of a free keyword of an object; None if nothing is."""
    told: tuple[Mapping[str, object], ...] = (symbol.roll, symbol.data, thing.roll, thing.data)
    return next((each[keyword] for each in told if keyword in each), None)


def _sure_words(symbol: SymbolEntry, catalog: Catalog) -> tuple[str, ...]:
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
    """Return what a thing is sure to open: what its symbol says counts for more than what the catalog says."""
    if symbol.opens is not None:
        outcomes = list(symbol.opens.odds())
        return words_of(outcomes[0]) if len(outcomes) == 1 else ()
    said = _said("opens", symbol, thing)
    return words_of(said.value if isinstance(said, Constant) else said)


def sure_keys(
    references: Sequence[Reference],
    machines: Sequence[Machine],
    opens: Callable[[SymbolEntry], OpenedWords],
    stops: Callable[[SymbolEntry], bool],
) -> tuple[DrawnKey, ...]:
    """Return the keys among what stands in a drawing.

    What may be moved by `shift` stays on its side of every door, unless it stands in the way itself. Where something else is
    drawn on the same cell, it might come first.

    Args:
        references: What stands on single cells.
        machines: What stands on several.
        opens: Tells what an object of a symbol is sure to open.
        stops: Tells whether it will stop walkers for good.
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
    """Return the keys of a drawing with locked doors, and the locked props on which keys may be spent; without doors none.

    Args:
        references: What stands on single cells.
        machines: What stands on several.
        locks: What bars the locked doors.
        opens: Tells what an object of a symbol is sure to open.
        stops: Tells whether it will stop walkers for good.
        given: The words that the level sees to.
    """
    if not locks:
        return (), ()
    keys, boxes = sure_keys(references, machines, opens, stops), tuple[LockedProp, ...]()
    if any(key.consumed or key.locked for key in keys):
        boxes = locked_props(references, machines)
    return keys + given_keys((*locks, *boxes), given), boxes


def locked_props(references: Sequence[Reference], machines: Sequence[Machine]) -> tuple[LockedProp, ...]:
    """Return the locked props among what stands in a drawing."""
    return tuple(
        LockedProp(cells, word)
        for cells, symbol in _drawn(references, machines)
        for word in _locked_with(symbol)
    )


def _locked_with(symbol: SymbolEntry) -> list[str]:
    """Return the words that may lock an object."""
    return [] if symbol.lock is None or symbol.kind is None else [*symbol.lock.outcomes()]


def given_keys(locks: Iterable[DrawnLock | LockedProp], given: frozenset[str]) -> tuple[DrawnKey, ...]:
    """Return the keys to those locks of a drawing that the level sees to, wherever these keys will lie."""
    return tuple(DrawnKey((), word) for word in dict.fromkeys(lock.word for lock in locks) if word in given)


def _drawn(
    references: Sequence[Reference], machines: Sequence[Machine]
) -> Iterator[tuple[tuple[Cell, ...], SymbolEntry]]:
    for reference in references:
        yield (reference.cell,), reference.symbol
    for machine in machines:
        if machine.symbol is not None:
            yield machine.cells, machine.symbol


NOT_OPENED = "a locked door that nothing before it is sure to open"
"""What is wrong with a drawing in which somebody may be stopped by one, in words that follow "it has"."""

SPENT = "a locked door that stays shut if its key is spent on another lock first"
"""What is wrong with a drawing in which keys that are used up can be spent in the wrong order, in such words."""

MOST_ORDERS = 2_000
"""Maximum number of states of play per start. A drawing with more counts as one in which keys can be spent in the wrong order."""


class PlacedKey(NamedTuple):
    """What opens locks.

    Attributes:
        near: The mask of the cells that it is on or beside.
        words: What it opens.
        consumed: Whether it is used up by the first lock that it opens.
        locked: The word that it is locked with; empty for none.
    """

    near: int
    words: frozenset[str]
    consumed: bool
    locked: str


@dataclass(frozen=True, slots=True)
class LockedGround:
    """Ground with locked doors in it.

    Attributes:
        board: How its masks are laid out.
        free: The mask of the cells that can be walked on, without the locked doors.
        barred: The mask of the locked doors.
        locks: The door (a mask) and the word of each that something may open.
        keys: What opens them.
        leaps: Pairs of masks of cells that count as neighbours.
        boxes: Other things that keys may be spent on: the mask of the cells that each is on or beside, and its word.
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
        """Return the ground of a drawing or a map.

        Args:
            board: How its masks are to be laid out.
            codes: (height, width) uint8 terrain codes.
            free: (height, width) bool, where nothing stands in the way of a walker who can open every door.
            locks: What bars locked doors; of other cells it counts for nothing.
            keys: What opens them; one that can't stand where it is drawn counts for nothing.
            terrain_set: What the codes mean.
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
        """Return the mask of what can be walked to over some cells."""
        walked = self.board.flood(free, start)
        while onward := self._across(walked) & free & ~walked:
            walked = self.board.flood(free, walked | onward)
        return walked

    def _across(self, walked: int) -> int:
        """Return the cells to which leaps lead from some."""
        return reduce(or_, (pair[1 - at] for pair in self.leaps for at in (0, 1) if pair[at] & walked), 0)

    def reached(self, start: int) -> int:
        """Return the mask of what can be walked to from some cells, through what opens on the way."""
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
        """Return the words that keys beside some cells open, if none is used up."""
        words = set[str]()
        lying = [key for key in self.keys if key.near & walked]
        while had := [key for key in lying if not key.locked or key.locked in words]:
            words.update(word for key in had for word in key.words)
            lying = [key for key in lying if key not in had]
        return words

    def closed_boxes(self, start: int) -> list[int]:
        """Return the numbers of the boxes that a walker from some cells does not open, if no key is used up."""
        walked = self.reached(start)
        words = self._opened_from(walked)
        return [
            number for number, (near, word) in enumerate(self.boxes) if not near & walked or word not in words
        ]

    @property
    def worded(self) -> int:
        """The mask of the locked doors that something is to open."""
        return reduce(or_, (door for door, _ in self.locks), 0) & self.barred

    @property
    def parts(self) -> list[int]:
        """The masks of the parts into which all that is free falls while every locked door is closed."""
        return parts_of(self.board, self.free)

    def shut(self, starts: Iterable[int]) -> int:
        """Return the doors at which somebody is stopped who comes from one of these starts; none if all get everywhere.

        Whoever can't even get to a door is stopped there, too; and a door with a word must open, even if no step leads on.
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
        """Return why a walker from one of these starts does not get everywhere, and the doors that may stay shut; None if all do."""
        starts = [*starts]
        if doors := self.shut(starts):
            return NOT_OPENED, doors
        doors = next((doors for each in starts if (doors := self.lost_by_spending(each))), 0)
        return (SPENT, doors) if doors else None

    def lost_by_spending(self, start: int) -> int:
        """Return the doors that open from a start if no key is used up, and that may stay shut because keys are; 0 for none.

        All orders are tried in which a walker may open locks (depth first, each state once).
        """
        payable = frozenset(word for key in self.keys if key.consumed for word in key.words)
        opened = self.reached(start) & self.barred
        if not payable.intersection(word for door, word in self.locks if door & opened):
            return 0
        locks = [_Openable(self.board.beside(door), door, word) for door, word in self.locks if door & opened]
        locks += [_Openable(near, 0, word) for near, word in self.boxes]
        return _KeySpendingSearch(self, start, locks, payable).lost()


class _Openable(NamedTuple):
    """A locked door or box.

    Attributes:
        near: The mask of the cells from which it opens.
        door: The mask of the door; 0 for a box.
        word: What it is locked with.
    """

    near: int
    door: int
    word: str


Spent = tuple[tuple[frozenset[str], int], ...]
"""How many keys have been used up, by the words that they open; in order."""


@dataclass(frozen=True, slots=True)
class _KeySpendingSearch:
    """All orders in which a walker may open locks with keys of which some are used up.

    Attributes:
        ground: The ground.
        start: The mask of where the walker begins.
        locks: What is locked. A set of open locks is a mask of their numbers.
        payable: The words that keys open which are used up.
    """

    ground: LockedGround
    start: int
    locks: Sequence[_Openable]
    payable: frozenset[str]
    _walked: dict[int, int] = field(default_factory=dict)

    def lost(self) -> int:
        """Return the doors that are shut in the first state found in which no lock opens any more; 0 if there is none."""
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
        """Yield the states after one more lock is open.

        If a lock opens without using up a key, or if there is a key for each closed lock of its word, the order makes no
        difference: that lock comes next.
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
                yield opened | bit, _told(spent)
                return
            if left[own] >= counts[word] and word not in payable:
                yield opened | bit, _told(spent + Counter([own]))
                return
            found += [(opened | bit, _told(spent))] if word in lasting else []
            found += [(opened | bit, _told(spent + Counter([words]))) for words in left if word in words]
        yield from found

    def _is_at_hand(self, key: PlacedKey, opened: int) -> bool:
        """Tell whether a key is not locked, or what locks it is open."""
        return not key.locked or any(
            opened >> number & 1 and (lock.near, lock.word) == (key.near, key.locked)
            for number, lock in enumerate(self.locks)
        )

    def _doors(self, opened: int) -> int:
        """Return the mask of the doors among some locks."""
        return reduce(or_, (lock.door for number, lock in enumerate(self.locks) if opened >> number & 1), 0)

    def _reached(self, opened: int) -> int:
        """Return the mask of what is walked to once some locks are open."""
        doors = self._doors(opened)
        if doors not in self._walked:
            self._walked[doors] = self.ground.flood(self.ground.free | doors, self.start)
        return self._walked[doors]


def _told(spent: Counter[frozenset[str]]) -> Spent:
    return tuple(sorted(spent.items(), key=lambda each: sorted(each[0])))


def parts_of(board: Board, mask: int) -> list[int]:
    """Return the masks of the parts of a mask that hang together by 4-neighbour steps, by their first cells."""
    found = []
    while mask:
        part = board.flood(mask, mask & -mask)
        found.append(part)
        mask ^= part
    return found
