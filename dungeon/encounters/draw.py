"""Which encounters a map gets, in which order they are tried.

Each encounter that could appear on the map sends copies that arrive at random times, as often per unit of
time as its weight says (a Poisson process). Taking arrivals in order of time draws encounters in proportion to
their weights, with as many copies as the limits allow. A new encounter only slips its own arrivals in between.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from itertools import count, islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from dungeon.content.library import Content
    from dungeon.content.models import EncounterEntry
    from dungeon.streams import Streams


@dataclass(frozen=True, slots=True)
class Arrival:
    """The turn of one copy of an encounter, counted from 1, to be placed."""

    encounter: str
    copy: int


def is_possible(content: Content, encounter: EncounterEntry, map_name: str, depth: int) -> bool:
    """Tell whether a map at a depth could have an encounter at all."""
    low, high = encounter.depth
    return low <= depth <= high and content.weight(encounter.maps.get(map_name, 0.0)) > 0


def arrival_times(streams: Streams, weight: float, most: int | None, *name: str | int) -> Iterator[float]:
    """Yield the times at which the first, second... copy arrives, `most` of them or without end."""
    time = 0.0
    for copy in islice(count(1), most):
        time += streams.arrival(weight, *name, copy)
        yield time


class Draw:
    """The encounters of one map in order of arrival.

    Args:
        content: The content.
        map_name: The type of map.
        depth: Its depth.
        shares: Encounter -> how many copies the world's limit leaves to this map.
        streams: The level's streams.
    """

    def __init__(
        self, content: Content, map_name: str, depth: int, shares: Mapping[str, int], streams: Streams
    ) -> None:
        self.content = content
        self.limits: dict[str, int | None] = {}
        self._taken: dict[str, str] = {}
        self._queue: list[tuple[float, str, int]] = []
        self._times: dict[str, Iterator[float]] = {}
        for name, encounter in content.encounters.items():
            if not is_possible(content, encounter, map_name, depth):
                continue
            limits = [limit for limit in (encounter.limit.map, shares.get(name)) if limit is not None]
            self.limits[name] = min(limits, default=None)
            weight = content.weight(encounter.maps[map_name])
            self._times[name] = arrival_times(streams, weight, self.limits[name], "plan", name)
            self._send(name, 1)

    def _send(self, name: str, copy: int) -> None:
        time = next(self._times[name], None)
        if time is not None:
            heapq.heappush(self._queue, (time, name, copy))

    def next(self) -> Arrival | None:
        """Return the next arrival, or None if no encounter is left."""
        if not self._queue:
            return None
        _, name, copy = heapq.heappop(self._queue)
        return Arrival(name, copy)

    def place(self, arrival: Arrival) -> None:
        """Say that it was placed: the next copy may come, and its groups are taken."""
        for group in self.content.encounters[arrival.encounter].group:
            self._taken[group] = arrival.encounter
        self._send(arrival.encounter, arrival.copy + 1)

    def excluded_by(self, arrival: Arrival) -> tuple[str, str] | None:
        """Return (group, encounter) if another encounter of one of its groups is on the map already."""
        for group in self.content.encounters[arrival.encounter].group:
            other = self._taken.get(group, arrival.encounter)
            if other != arrival.encounter:
                return group, other
        return None
