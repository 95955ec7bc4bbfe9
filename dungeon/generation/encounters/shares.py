"""What holds for a whole world, or for all maps of a name, shared out among its maps before any map is made.

"At most two in the world" could be kept by counting as levels are made, but then a level would depend on
which levels were made before it. Instead the copies are handed out up front: for each encounter with a limit
every map that could have it runs a race in which its copies arrive at random times, as often as its weight
says; the earliest arrivals of the whole world, as many as the limit allows, are the maps' shares. Each
arrival depends on (world seed, encounter, map, copy) alone, so a new map takes only the copies it wins. What a map is given
has its turn first there: so what the world may have just once is met, wherever that is.

Groups of a world, or of a branch, are settled in the same race: the encounter that arrives first has
the group, and the others have no share there.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count, islice
from typing import TYPE_CHECKING, NamedTuple

from dungeon.content.values.grammar import roll

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dungeon.content.library import Content
    from dungeon.content.models.encounters import EncounterEntry
    from dungeon.core.streams import Streams


@dataclass(frozen=True, slots=True)
class Place:
    """A map of the world, as far as encounters care: its id, its type, and how deep it lies."""

    map_id: str
    name: str
    depth: int

    @property
    def branch(self) -> str:
        """The branch: all maps with ids that begin so."""
        return self.map_id.rsplit("/", 1)[0]


class Shares(NamedTuple):
    """What the maps of a world have of what is shared out.

    Attributes:
        most: (encounter, map id) -> how many copies that map may have; any number, if it is not there.
        first: (encounter, map id) -> how many of them come before all that comes by chance.
    """

    most: dict[tuple[str, str], int]
    first: dict[tuple[str, str], int]

    def on(self, map_id: str) -> tuple[dict[str, int], dict[str, int]]:
        """Return what one map has: encounter -> how many copies it may have, and how many of them come first."""
        most = {name: count for (name, place), count in self.most.items() if place == map_id}
        first = {name: count for (name, place), count in self.first.items() if place == map_id}
        return most, first


def arrival_times(streams: Streams, weight: float, most: int | None, *name: str | int) -> Iterator[float]:
    """Yield the times at which the first, second... copy arrives, `most` of them or without end."""
    time = 0.0
    for copy in islice(count(1), most):
        time += streams.arrival(weight, *name, copy)
        yield time


def share_out(content: Content, places: Sequence[Place], streams: Streams) -> Shares:
    """Return what each map has of the encounters with limits, minimums or groups beyond a map.

    Args:
        content: The content.
        places: Every map of the world.
        streams: The world's streams.
    """
    shared = {
        name: _Shared.of(name, encounter, places, streams)
        for name, encounter in content.encounters.items()
        if _is_shared(encounter)
    }
    shares = Shares({}, {})
    arrivals: list[tuple[float, str, str, Place]] = []
    for name, encounter in ((name, content.encounters[name]) for name in shared):
        for place in places:
            if shared[name].limited or encounter.group.world or encounter.group.branch:
                shares.most[name, place.map_id] = 0
            weight = content.weights_on(place.name, place.depth).get(name)
            if weight is not None:
                most = shared[name].copies(place, encounter.limit.map)
                times = arrival_times(streams, weight, most, "share", name, place.map_id)
                arrivals += [(time, place.map_id, name, place) for time in times]
    holders: dict[tuple[str, ...], str] = {}
    for _, map_id, name, place in sorted(arrivals, key=lambda arrival: arrival[:3]):
        encounter = content.encounters[name]
        groups: list[tuple[str, ...]] = [("world", group) for group in encounter.group.world]
        groups += [("branch", place.branch, group) for group in encounter.group.branch]
        if any(holders.get(group, name) != name for group in groups) or not shared[name].take(place):
            continue
        holders.update(dict.fromkeys(groups, name))
        if shared[name].limited:
            shares.most[name, map_id] += 1
        else:
            shares.most.pop((name, map_id), None)
        if shared[name].taken <= shared[name].promised:
            shares.first[name, map_id] = shares.first.get((name, map_id), 0) + 1
    return shares


def _is_shared(encounter: EncounterEntry) -> bool:
    """Tell whether what one map has of an encounter depends on what other maps have."""
    limit, group = encounter.limit, encounter.group
    return (
        bool(group.world or group.branch) or (limit.branch, limit.world, encounter.least.world) != (None,) * 3
    )


@dataclass(slots=True)
class _Shared:
    """What is left of an encounter while it is handed out.

    Attributes:
        world: How many copies the world may have; None for any number. `branches`: each branch of it.
        promised: How many copies come first, wherever that is.
        taken: How many have been handed out.
    """

    world: int | None
    branches: dict[str, int]
    promised: int
    taken: int = 0

    @classmethod
    def of(cls, name: str, encounter: EncounterEntry, places: Sequence[Place], streams: Streams) -> _Shared:
        """Return what there is in the beginning."""
        limit, least = encounter.limit, encounter.least.world
        world = None if limit.world is None else roll(limit.world, streams.stream("share", name), 0)
        branches = {}
        if limit.branch is not None:
            for branch in dict.fromkeys(place.branch for place in places):
                branches[branch] = roll(limit.branch, streams.stream("share", name, "branch", branch), 0)
        everything = sum(branches.values()) if world is None else world
        return cls(world, branches, everything if least is None else least)

    @property
    def limited(self) -> bool:
        """Whether it has a limit."""
        return self.world is not None or bool(self.branches)

    def copies(self, place: Place, most: int | None) -> int:
        """Return how many copies a map might have, of which it may have so many: of what has no limit, those that are promised."""
        limits = [each for each in (most, self.world, self.branches.get(place.branch)) if each is not None]
        return min(limits) if self.limited else min([max(self.promised, 1), *limits])

    def take(self, place: Place) -> bool:
        """Take a copy for a map, if there is one left for it."""
        left = self.branches.get(place.branch)
        if left == 0 or (self.world is not None and self.taken >= self.world):
            return False
        if left is not None:
            self.branches[place.branch] = left - 1
        self.taken += 1
        return True
