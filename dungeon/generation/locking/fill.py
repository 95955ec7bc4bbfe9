"""Assumed fill: each key is put where it can be had while all others that are yet to come are held.

A forward fill would put each key in reach of those before it, and so most of them near the start. Here a key may lie
behind any lock but those that it is needed for: all keys that are yet to be put count as held, and those that have been
as held where they can be had. So the last to be put is had with what lies about, the one before it with that one, and so
on up to the first: there is an order in which all are found.

This is how randomisers of games put their items. Caleb Johnson has described it and compared it with random and forward
fill: https://github.com/cjohnson57/RandomizerAlgorithms.

Keys that are used up count as held only once there are as many as locks. Then no order of play strands anybody: of the
words in the order in which they come to be held, the first has all of its keys in reach before any lock is opened, and
none of them can be spent on anything but the locks of that word.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dungeon.core.streams import Streams
    from dungeon.generation.locking.graph import LockGraph


class Wanted(NamedTuple):
    """A key that is to be put on the map: its word, and which one of that word it is."""

    word: str
    number: int


class Put(Protocol):
    """Puts a key somewhere in these areas; returns those from which it can be had, or 0 if it has no place there."""

    def __call__(self, key: Wanted, areas: int) -> int:
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
    everywhere = graph.everywhere
    while order:
        key = order.pop()
        # What is yet to come lies anywhere; what is of the same word does not help, for its locks are closed till then.
        waiting = [(everywhere, each.word) for each in order]
        known = [each for each in (*keys, *waiting) if each[1] != key.word]
        areas = put(key, graph.reached(known))
        if areas:
            keys.append((areas, key.word))
        else:
            refused.append(key)
    return refused
