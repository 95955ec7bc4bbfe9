"""Assumed fill: each key is put where it can be had while all others that are yet to come are held.

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
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dungeon.core.streams import Streams
    from dungeon.generation.locking.graph import LockGraph


class Wanted(NamedTuple):
    """A key that is to be put on the map: its word, which one of that word it is, and how likely it lies behind another lock."""

    word: str
    number: int
    nested: float = 0.0


class Put(Protocol):
    """Puts a key somewhere in these areas, in some of them rather than in others; returns those from which it can be had.

    Or 0 if it has no place there.
    """

    def __call__(self, key: Wanted, areas: int, rather: int) -> int:
        """Put it."""


def fill(
    graph: LockGraph, lying: Sequence[tuple[int, str]], wanted: Sequence[Wanted], put: Put, streams: Streams
) -> list[Wanted]:
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
    keys, refused = list(lying), list[Wanted]()
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
