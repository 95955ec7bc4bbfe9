"""The areas that closed locks divide a map into, and the order in which keys are placed so that every lock can be opened.

Areas are the connected parts of the ground while everything locked is closed. Each locked door, box or portal is an edge between
areas, and has a small area of its own: the cell of a door, the contents of a box. A *word* is a lock name: keys with the word
`red` open all locks with the word `red`. Sets of areas are bitmasks: bit n stands for area n::

    ##########
    #..A.L.B.#      A, B: areas. L: a locked door: near A and B; behind it are A, B and its own cell.
    ##########

Keys are placed by assumed fill: each key is placed where it can be reached while the player is assumed to hold all
keys that are not placed yet. A forward fill would place each key in reach of the keys before it, and so put most of
them near the start. With assumed fill a key may lie behind any lock except those that need it. The key placed last
is reached without others, the one before it with that key, and so on: there is an order in which all are found.

At random few keys would lie deep, behind a lock whose own key lies behind a lock. So chance decides first for each
key whether it shall lie behind a lock whose key is still to be placed; that key is then placed next. If all
keys do so, they form a chain with one key in each sphere.

Randomisers of games place their items like this. Caleb Johnson describes it and compares it with random and forward
fill: https://github.com/cjohnson57/RandomizerAlgorithms.

Keys that are used up count only once the player holds as many as there are locks of the word. So no order of
opening doors can strand the player. Take the words in the order in which their keys are complete: all keys of
the first are in reach before any lock is opened, and they fit no other lock.

A word may have more keys than locks, and some of them may find no place. So of the keys still to be placed only as
many count as are still needed. If too few keys of a word find a place, its locks must be opened for good.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

from dungeon.core.frozen import NOTHING
from dungeon.grid.regions import Parts

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from dungeon.core.streams import Streams
    from dungeon.grid.rect import Cell, Leap


class LockedThing(NamedTuple):
    """A locked door, box or portal.

    Attributes:
        cells: The cells of the thing: one for a door, all cells that a box stands on, or both ends of a portal.
        word: The name of the thing's lock. Keys with the same word open it.
        is_door: Whether the player can walk through the thing once it is open: it is a door or a portal.
        follows: The name of other locks. The thing opens when any of these opens; empty if only keys open it.
    """

    cells: tuple[Cell, ...]
    word: str
    is_door: bool = True
    follows: str = ""


class LockEdge(NamedTuple):
    """The lock of a door, box or portal as an edge between areas.

    Attributes:
        word: The name of the lock. Keys with the same word open it.
        follows: The name of other locks. This one opens when any of these opens; empty if only keys open it.
        near: Mask of the areas from which the lock can be opened. The cells of adjacent locked doors are such areas, too.
        beyond: Mask of the areas that can be reached once the lock is open, `inside` included.
        inside: The number of the area that is the door's own cell, or the contents of the box.
    """

    word: str
    follows: str
    near: int
    beyond: int
    inside: int


@dataclass(frozen=True, slots=True)
class LockGraph:
    """The areas of a map, and the locks between them.

    Attributes:
        labels: (height, width) int32: the number of each cell's area, from 1; 0 for cells of no area.
        locks: The locks, as edges.
        start: Mask of the areas that can be reached before any lock is opened.
        needs: Word (lock name) -> how many keys are enough to open all its locks: as many as one lock needs; if keys are used up,
            as many for each lock.
    """

    labels: NDArray[np.int32]
    locks: tuple[LockEdge, ...]
    start: int
    needs: Mapping[str, int]

    @classmethod
    def of(
        cls,
        free: NDArray[np.bool_],
        locked: Sequence[LockedThing],
        start: Cell,
        consumed: Collection[str],
        leaps: Sequence[Leap] = (),
        counts: Mapping[str, int] = NOTHING,
    ) -> LockGraph:
        """Return the graph of a map.

        Args:
            free: (height, width) bool: the cells that can be walked on while all locks are closed, reachable or not.
            locked: The locked doors, boxes and portals.
            start: The cell where the player arrives.
            consumed: The words (lock names) whose keys are used up by opening.
            leaps: Pairs of cells that count as neighbours: the ends of portals that are not locked.
            counts: Word (lock name) -> how many keys one of its locks needs, if more than one.
        """
        parts = Parts(free, leaps)
        labels = parts.labels
        first = parts.count + 1
        inside: dict[Cell, int] = {}
        for number, each in enumerate(locked, first):
            if each.is_door:  # a box stays in the way, opened or not
                inside.update(dict.fromkeys(each.cells, number))
        locks = tuple(
            LockEdge(
                each.word,
                each.follows,
                _near(labels, inside, each.cells) & ~(1 << number),
                (_near(labels, {}, each.cells) if each.is_door else 0) | 1 << number,
                number,
            )
            for number, each in enumerate(locked, first)
        )
        needs = {
            word: counts.get(word, 1) * (number if word in consumed else 1)
            for word, number in Counter(each.word for each in locked).items()
        }
        return cls(labels, locks, 1 << int(labels[start]) & ~1, needs)

    def near(self, cells: Iterable[Cell]) -> int:
        """Return the mask of the areas in which some cells and their four neighbours lie."""
        return _near(self.labels, {}, cells)

    @property
    def everywhere(self) -> int:
        """The mask of all areas of the map, the own areas of locked things included."""
        return (2 << int(self.labels.max()) + len(self.locks)) - 2

    def reached(self, keys: Iterable[tuple[int, str]]) -> int:
        """Return the mask of the areas that the player reaches by opening locks with keys found on the way.

        The locks of a word count as open only once the player has enough keys for all of them, so that no key can be wasted.

        Args:
            keys: For each key, (mask of the areas from which it can be taken, word of the locks that it opens).
        """
        return self._play(keys)[0]

    def with_all_keys(self, words: Iterable[str], lying: Iterable[tuple[int, str]] = ()) -> int:
        """Return the mask of the areas that the player reaches with all keys of these words from the start.

        Args:
            words: The words (lock names).
            lying: Further keys, which the player must fetch; as for `reached`.
        """
        return self._play(self._all_keys(words, lying))[0]

    def _all_keys(self, words: Iterable[str], lying: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
        """Yield as many keys of each word as its locks need, which can be taken everywhere, and then those of `lying`."""
        yield from ((self.everywhere, word) for word in words for _ in range(self.needs.get(word, 0)))
        yield from lying

    def in_reach(self, words: Iterable[str], lying: Iterable[tuple[int, str]] = ()) -> list[bool]:
        """Return, for each lock in order, whether the player gets to it; `words` and `lying` as for `with_all_keys`."""
        reached = self.with_all_keys(words, lying)
        return [bool(lock.near & reached) for lock in self.locks]

    def stuck(self, words: Iterable[str], lying: Iterable[tuple[int, str]] = ()) -> set[str]:
        """Return the words of the locks that `follow` others and stay closed although the player gets to them.

        Such a lock opens when one of the other locks is opened. But the player gets to none of these, as they all lie behind it. For
        example, the lock of a vault follows the lock of a box, and the box stands in the vault. `words` and `lying` are as for
        `with_all_keys`.
        """
        reached, closed = self._play(self._all_keys(words, lying))
        return {lock.word for lock in closed if lock.follows and lock.near & reached}

    def _play(self, keys: Iterable[tuple[int, str]]) -> tuple[int, list[LockEdge]]:
        """Return (mask of the areas that the player reaches with these keys, locks that stay closed); `keys` as for `reached`."""
        reached, held = self.start, set[str]()
        closed, opened = list(self.locks), set[str]()
        lying = list(keys)
        while True:
            counts: dict[str, int] = {}
            for areas, word in lying:
                if areas & reached:
                    counts[word] = counts.get(word, 0) + 1
            held.update(word for word, count in counts.items() if count >= self.needs.get(word, 1))
            opening = [
                lock
                for lock in closed
                if lock.near & reached and (lock.word in held or lock.follows in opened)
            ]
            if not opening:
                return reached, closed
            for lock in opening:
                reached |= lock.beyond
                opened.add(lock.word)
            closed = [lock for lock in closed if lock not in opening]


def _near(labels: NDArray[np.int32], inside: Mapping[Cell, int], cells: Iterable[Cell]) -> int:
    """Return the mask of the areas in which some cells and their four neighbours lie.

    Args:
        labels: (height, width) int32: the number of each cell's area.
        inside: Cell of a locked door -> the number of the area that is only this cell. Such areas count, too.
        cells: The cells.
    """
    found = 0
    height, width = labels.shape
    for y, x in cells:
        for at in ((y, x), (y - 1, x), (y, x - 1), (y, x + 1), (y + 1, x)):
            if 0 <= at[0] < height and 0 <= at[1] < width:
                found |= 1 << int(labels[at])
                if at in inside:
                    found |= 1 << inside[at]  # type: ignore[index]  # a cell is a tuple
    return found & ~1


class KeyRequest(NamedTuple):
    """A key to place.

    Attributes:
        word: The name of the locks that it opens.
        number: The key's number among the keys of this word, from 0.
        nested: The probability that the key is to lie behind another lock.
    """

    word: str
    number: int
    nested: float = 0.0


class Put(Protocol):
    """A function that places one key for `assumed_fill`."""

    def __call__(self, key: KeyRequest, areas: int, preferred: int) -> int:
        """Place the key, and return the mask of the areas from which it can be taken; 0 if no place was found.

        Args:
            key: The key.
            areas: Mask of the areas in which the key may lie.
            preferred: Mask of the areas in which the key should lie if possible.
        """


def assumed_fill(
    graph: LockGraph,
    lying: Sequence[tuple[int, str]],
    wanted: Sequence[KeyRequest],
    put: Put,
    streams: Streams,
) -> list[KeyRequest]:
    """Place keys so that every lock can be opened in the end; return the keys for which no place was found.

    Args:
        graph: The areas and locks.
        lying: The keys already on the map: (mask of the areas from which it can be taken, word of the locks that it opens).
        wanted: The keys to place.
        put: The function that places one key.
        streams: The random streams.
    """
    order = list(wanted)
    streams.stream("locks", "order").shuffle(order)
    keys, refused = list(lying), list[KeyRequest]()
    lacking = Counter(graph.needs)
    while order:
        key = order.pop()
        # Keys to come may lie anywhere. Keys of the same word don't count, as its locks need this key, too.
        had = [each for each in keys if each[1] != key.word]
        coming = Counter(each.word for each in order if each.word != key.word)
        waiting = list((coming & lacking).elements())
        allowed, at_once = _reached(graph, had, waiting), graph.reached(had)
        is_nested = streams.stream("locks", "nested", key.word, key.number).chance(key.nested)
        areas = put(key, allowed, allowed & ~at_once if is_nested else graph.reached([]))
        if not areas:
            refused.append(key)
            continue
        keys.append((areas, key.word))
        lacking[key.word] -= 1
        if not areas & at_once:
            needed = _needed_word(graph, areas, had, waiting)
            # Moved to the end, the key of the lock that bars this key is placed next.
            order.sort(key=lambda each: each.word == needed)
    return refused


def _reached(graph: LockGraph, had: Sequence[tuple[int, str]], waiting: Sequence[str]) -> int:
    """Return the mask of the areas that the player reaches with keys on the map and keys in hand.

    Args:
        graph: The areas and locks.
        had: The keys on the map: (mask of the areas from which it can be taken, word of the locks that it opens).
        waiting: The word of each key in the player's hand; these keys are not placed yet.
    """
    return graph.reached([*had, *((graph.everywhere, word) for word in waiting)])


def _needed_word(
    graph: LockGraph, areas: int, had: Sequence[tuple[int, str]], waiting: Sequence[str]
) -> str | None:
    """Return a word in `waiting` without whose keys `areas` can't be reached; None if no single word is that important.

    Args:
        graph: The areas and locks.
        areas: Mask of areas.
        had: The keys on the map: (mask of the areas from which it can be taken, word of the locks that it opens).
        waiting: The words of the keys that are not placed yet.
    """
    for word in dict.fromkeys(waiting):
        if not areas & _reached(graph, had, [each for each in waiting if each != word]):
            return word
    return None
