"""Limits on a whole world, shared out among its maps before any map is made.

"At most two in the world" could be kept by counting as levels are made, but then a level would depend on
which levels were made before it. Instead the copies are handed out up front: for each encounter with a limit
every map that could have it runs a race in which its copies arrive at random times, as often as its weight
says; the earliest arrivals of the whole world, as many as the limit allows, are the maps' shares. Each
arrival depends on (world seed, encounter, map, copy) alone, so a new map takes only the copies it wins. What a map is given
has its turn first there: so what the world may have just once is met, wherever that is.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count, islice
from typing import TYPE_CHECKING

from dungeon.content.values.grammar import roll

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dungeon.content.library import Content
    from dungeon.core.streams import Streams


@dataclass(frozen=True, slots=True)
class Place:
    """A map of the world, as far as encounters care."""

    map_id: str
    name: str
    depth: int


def arrival_times(streams: Streams, weight: float, most: int | None, *name: str | int) -> Iterator[float]:
    """Yield the times at which the first, second... copy arrives, `most` of them or without end."""
    time = 0.0
    for copy in islice(count(1), most):
        time += streams.arrival(weight, *name, copy)
        yield time


def share_out(content: Content, places: Sequence[Place], streams: Streams) -> dict[tuple[str, str], int]:
    """Return (encounter, map id) -> how many copies that map may have, for encounters with a world limit.

    Args:
        content: The content.
        places: Every map of the world.
        streams: The world's streams.
    """
    shares: dict[tuple[str, str], int] = {}
    for name, encounter in content.encounters.items():
        if encounter.limit.world is None:
            continue
        limit = roll(encounter.limit.world, streams.stream("share", name), 0)
        arrivals = []
        for place in places:
            shares[name, place.map_id] = 0
            weight = content.weights_on(place.name, place.depth).get(name)
            if weight is not None:
                most = min(encounter.limit.map or limit, limit)
                times = arrival_times(streams, weight, most, "share", name, place.map_id)
                arrivals += [(time, place.map_id) for time in times]
        for _, map_id in sorted(arrivals)[:limit]:
            shares[name, map_id] += 1
    return shares
