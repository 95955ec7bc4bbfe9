"""Locks and keys of a map: what the locks divide it into, and where keys are put so that every lock can be opened.

Areas are the parts into which the ground falls while all that is locked is closed. Locked doors and containers are bars between
them. Each has an area of its own, its own cell or what it contains, in which nobody is before it is opened::

    ##########
    #..A.L.B.#      A, B: areas; L: a bar, near A and B, behind which are A, B and its own cell
    ##########

Sets of areas are masks: bit n stands for the area with the number n.

Keys are put by assumed fill: each key is put where it can be had while all others that are yet to come are held.

A forward fill would put each key in reach of those before it, and so most of them near the start. Here a key may lie
behind any lock but those that it is needed for: all keys that are yet to be put count as held, and those that have been
as held where they can be had. So the last to be put is had with what lies about, the one before it with that one, and so
on up to the first: there is an order in which all are found.

Left to chance alone few keys would lie deep: behind a lock whose own key lies behind a lock, and so on. So it is first decided, for
each key, whether it is to lie behind a lock whose key is yet to come, and then that key is the next. Where all do so they make
a chain, with one key in each sphere.

This is how randomisers of games put their items. Caleb Johnson has described it and compared it with random and forward
fill: https://github.com/cjohnson57/RandomizerAlgorithms.

Keys that are used up count as held only once there are as many as locks. Then no order of play strands anybody: of the
words in the order in which they come to be held, the first has all of its keys in reach before any lock is opened, and
none of them can be spent on anything but the locks of that word.

A word may have more keys than it needs, and some of them no place. So of those that are yet to come only as many count as
are still needed: once a word has enough, other keys count on these alone, wherever they lie. If too few of them find a
place the word is lost, and its locks are not to stay closed.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

from dungeon.grid.regions import Parts

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from dungeon.core.streams import Streams
    from dungeon.grid.rect import Cell, Leap


class LockedThing(NamedTuple):
    """Something that is locked.

    Attributes:
        cells: Where it is: one cell of a door, all that a container stands on, or where a portal begins and ends.
        word: What it is locked with.
        is_door: Whether one can walk through, or across, once it is open.
        follows: The word of the locks of which one must be opened for this to open; empty if keys open it.
    """

    cells: tuple[Cell, ...]
    word: str
    is_door: bool = True
    follows: str = ""


class LockEdge(NamedTuple):
    """The same, among areas.

    Attributes:
        near: The areas from which it is opened; from one of its own, another door's, too.
        beyond: The areas to which one gets once it is open, its own among them.
        inside: The number of its own area.
    """

    word: str
    follows: str
    near: int
    beyond: int
    inside: int


@dataclass(frozen=True, slots=True)
class LockGraph:
    """A map as its locks divide it.

    Attributes:
        labels: (height, width) int32, the number of the area that each cell is of, from 1; 0 for none.
        bars: What is locked.
        start: The areas that are open from the beginning.
        needs: Word -> how many keys one must hold to open every lock of it, in whatever order.
    """

    labels: NDArray[np.int32]
    bars: tuple[LockEdge, ...]
    start: int
    needs: Mapping[str, int]

    @classmethod
    def of(
        cls,
        free: NDArray[np.bool_],
        barred: Sequence[LockedThing],
        start: Cell,
        consumed: Collection[str],
        leaps: Sequence[Leap] = (),
    ) -> LockGraph:
        """Return the graph of a map.

        Args:
            free: (height, width) bool, where walkers get who can open no lock, wherever they begin.
            barred: What is locked.
            start: Where the player arrives.
            consumed: The words whose keys are used up.
            leaps: Pairs of cells that count as neighbours, of portals that are not locked.
        """
        parts = Parts(free, leaps)
        labels = parts.labels
        first = parts.count + 1
        inside: dict[Cell, int] = {}
        for number, each in enumerate(barred, first):
            if each.is_door:  # a box stays in the way, opened or not
                inside.update(dict.fromkeys(each.cells, number))
        bars = tuple(
            LockEdge(
                each.word,
                each.follows,
                _near(labels, inside, each.cells) & ~(1 << number),
                (_near(labels, {}, each.cells) if each.is_door else 0) | 1 << number,
                number,
            )
            for number, each in enumerate(barred, first)
        )
        counts: dict[str, int] = {}
        for each in barred:
            counts[each.word] = counts.get(each.word, 0) + 1
        needs = {word: count if word in consumed else 1 for word, count in counts.items()}
        return cls(labels, bars, 1 << int(labels[start]) & ~1, needs)

    def near(self, cells: Iterable[Cell]) -> int:
        """Return the areas of some cells and of those beside them."""
        return _near(self.labels, {}, cells)

    @property
    def everywhere(self) -> int:
        """All areas."""
        return (2 << int(self.labels.max()) + len(self.bars)) - 2

    def reached(self, keys: Iterable[tuple[int, str]]) -> int:
        """Return the areas that are reached.

        A word's locks are opened once so many keys are held that none of them is spent in vain.

        Args:
            keys: The areas from which each key can be had, and its word.
        """
        return self._play(keys)[0]

    def in_reach(self, words: Iterable[str]) -> list[bool]:
        """Tell of each bar whether a walker gets beside it who has the keys to all locks of some words."""
        reached = self.reached(
            (self.everywhere, word) for word in words for _ in range(self.needs.get(word, 0))
        )
        return [bool(bar.near & reached) for bar in self.bars]

    def stuck(self) -> set[str]:
        """Return the words of locks that one gets to and that no key opens: all that they follow lies behind them."""
        keyed = {bar.word for bar in self.bars if not bar.follows}
        all_keys = [(self.everywhere, word) for word in keyed for _ in range(self.needs[word])]
        reached, closed = self._play(all_keys)
        return {bar.word for bar in closed if bar.near & reached}

    def _play(self, keys: Iterable[tuple[int, str]]) -> tuple[int, list[LockEdge]]:
        """Return the areas that are reached, and the bars that are still closed then."""
        reached, held = self.start, set[str]()
        closed, opened = list(self.bars), set[str]()
        lying = list(keys)
        while True:
            counts: dict[str, int] = {}
            for areas, word in lying:
                if areas & reached:
                    counts[word] = counts.get(word, 0) + 1
            held.update(word for word, count in counts.items() if count >= self.needs.get(word, 1))
            opening = [
                bar for bar in closed if bar.near & reached and (bar.word in held or bar.follows in opened)
            ]
            if not opening:
                return reached, closed
            for bar in opening:
                reached |= bar.beyond
                opened.add(bar.word)
            closed = [bar for bar in closed if bar not in opening]


def _near(labels: NDArray[np.int32], inside: Mapping[Cell, int], cells: Iterable[Cell]) -> int:
    """Return the areas of some cells and of those beside them, and the insides of what is locked there."""
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
    """A key that is to be put on the map: its word, which one of that word it is, and how likely it lies behind another lock."""

    word: str
    number: int
    nested: float = 0.0


class Put(Protocol):
    """Puts a key somewhere in these areas, in some of them rather than in others; returns those from which it can be had.

    Or 0 if it has no place there.
    """

    def __call__(self, key: KeyRequest, areas: int, rather: int) -> int:
        """Put it."""


def assumed_fill(
    graph: LockGraph,
    lying: Sequence[tuple[int, str]],
    wanted: Sequence[KeyRequest],
    put: Put,
    streams: Streams,
) -> list[KeyRequest]:
    """Put keys where every lock can be opened in the end, and return those that have no place.

    Args:
        graph: What the locks divide.
        lying: What opens locks already: the areas from which it can be had, and its word.
        wanted: The keys to put.
        put: Puts one.
        streams: Where chance comes from.
    """
    order = list(wanted)
    streams.stream("locks", "order").shuffle(order)
    keys, refused = list(lying), list[KeyRequest]()
    lacking = Counter(graph.needs)
    while order:
        key = order.pop()
        # What is yet to come lies anywhere; what is of the same word does not help, for its locks are closed till then.
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
            bars = _bars(graph, areas, had, waiting)
            order.sort(key=lambda each: each.word == bars)  # what opens the way to this key is the next
    return refused


def _reached(graph: LockGraph, had: Sequence[tuple[int, str]], waiting: Sequence[str]) -> int:
    """Return the areas that are reached with keys that lie somewhere, and with others that may lie anywhere."""
    return graph.reached([*had, *((graph.everywhere, word) for word in waiting)])


def _bars(graph: LockGraph, areas: int, had: Sequence[tuple[int, str]], waiting: Sequence[str]) -> str | None:
    """Return a word of which no lock may stay closed if these areas are to be reached; None if that is not due to one word."""
    for word in dict.fromkeys(waiting):
        if not areas & _reached(graph, had, [each for each in waiting if each != word]):
            return word
    return None
