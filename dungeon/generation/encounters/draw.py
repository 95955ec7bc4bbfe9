"""Which encounters a map gets, in which order they are tried.

Each encounter that could appear on the map sends copies that arrive at random times, as often per unit of
time as its weight says (a Poisson process). Taking arrivals in order of time draws encounters in proportion to
their weights, with as many copies as the limits allow. A new encounter only slips its own arrivals in between.

The copies that the world has given to the map come before all others: they would be lost to the world if the map had its
encounters before their turn came.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dungeon.content.library import Content
    from dungeon.core.streams import Streams


@dataclass(frozen=True, slots=True)
class Arrival:
    """The turn of one copy of an encounter, counted from 1, to be placed."""

    encounter: str
    copy: int


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
        self._given = {name for name, share in shares.items() if share}
        self._queue: list[tuple[bool, float, str, int]] = []
        self._weights: dict[str, float] = {}
        self._streams = streams
        self._now = 0.0
        for name, weight in content.weights_on(map_name, depth).items():
            limit, share = content.encounters[name].limit.map, shares.get(name)
            self.limits[name] = min(limit, share) if limit and share is not None else limit or share
            self._weights[name] = weight
            self._send(name, 1)

    def _send(self, name: str, copy: int) -> None:
        """Let a copy arrive some time after now."""
        limit = self.limits[name]
        if limit is None or copy <= limit:
            time = self._now + self._streams.arrival(self._weights[name], "plan", name, copy)
            heapq.heappush(self._queue, (name not in self._given, time, name, copy))

    def next(self) -> Arrival | None:
        """Return the next arrival, or None if no encounter is left."""
        if not self._queue:
            return None
        _, self._now, name, copy = heapq.heappop(self._queue)
        return Arrival(name, copy)

    def place(self, arrival: Arrival) -> None:
        """Say that it was placed: the next copy may come, and its groups are taken."""
        for group in self.content.encounters[arrival.encounter].group:
            self._taken[group] = arrival.encounter
        self._send(arrival.encounter, arrival.copy + 1)

    def waiting(self) -> list[str]:
        """Return the encounters of which not even the first copy has had its turn, the next one first."""
        return [name for _, _, name, copy in sorted(self._queue) if copy == 1]

    def excluded_by(self, arrival: Arrival) -> tuple[str, str] | None:
        """Return (group, encounter) if another encounter of one of its groups is on the map already."""
        for group in self.content.encounters[arrival.encounter].group:
            other = self._taken.get(group, arrival.encounter)
            if other != arrival.encounter:
                return group, other
        return None
