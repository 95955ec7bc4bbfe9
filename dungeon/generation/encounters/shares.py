"""Share out the copies of encounters with a limit per world or branch among the maps, before any map is made.

Each such copy arrives at a map at a random time; early arrivals win. A given copy is one that the map may have by
chance. A promised copy is one that it tries to place before those by chance. A place is a map of the world, a branch a
chain of maps with one name.

"At most two in the world" could be counted while levels are made, but then a level would depend on which levels were made before.
Instead, each map that could have a limited encounter draws random arrival times for its copies, with the encounter's weight as the
rate. The earliest arrivals of the world, as many as the limit allows, are the maps' shares. A time depends only on (world seed,
encounter, map, copy), so a new map takes only the copies that it wins.

As many copies as `least.world` asks for are promised; without `least.world`, as many as the limit allows. A map tries promised copies
before all encounters that come by chance. A map is promised only what it can keep. It can't if an earlier promise excludes the
encounter, if what it requires can't come, or if the map's mix, budget or turns are used up. Then the copy goes to the map with the next
arrival. If no map can keep the promise, the copy may still come by chance.

Groups of a world or branch are settled in the same race: the encounter that arrives first has the group, and the others get no share.
"""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass
from itertools import count, islice
from typing import TYPE_CHECKING, NamedTuple

from dungeon.content.values.grammar import roll
from dungeon.core.streams import Streams
from dungeon.core.vocabulary import LANDMARKS
from dungeon.generation.encounters.draw import MapBudget, guaranteed, wanted_on, with_required

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dungeon.content.library import Content
    from dungeon.content.models.encounters import EncounterEntry


@dataclass(frozen=True, slots=True)
class WorldMap:
    """A map of the world: `map_id` such as "caves/2", `name` (its type) and `depth` in the world."""

    map_id: str
    name: str
    depth: int

    @property
    def branch(self) -> str:
        """The map's branch of the world: the part of the map's id before "/"."""
        return self.map_id.rsplit("/", 1)[0]


MapArrival = tuple[str, WorldMap]
"""(encounter, map): the arrival of a copy on that map."""


class Shares(NamedTuple):
    """How many copies each map of a world gets of the encounters whose copies are limited in the world or in a branch.

    Attributes:
        most: (encounter, map id) -> the maximum number of copies on the map; absent for any number.
        first: (encounter, map id) -> how many of these are promised; absent for none.
        refused: (encounter, map id) -> the rule that gave the map no copy, in the words of `dungeon why`; absent if no rule did.
    """

    most: dict[tuple[str, str], int]
    first: dict[tuple[str, str], int]
    refused: dict[tuple[str, str], str]

    def on(self, map_id: str, names: Iterable[str]) -> tuple[dict[str, int], dict[str, int]]:
        """Return what one map gets: (encounter -> how many copies it may have, encounter -> how many of them are promised).

        Args:
            map_id: The map.
            names: The encounters to look for, such as those that the map may have.
        """
        most = {name: self.most[name, map_id] for name in names if (name, map_id) in self.most}
        first = {name: count for (name, place), count in self.first.items() if place == map_id}
        return most, first


def arrival_times(streams: Streams, weight: float, most: int | None, *name: str | int) -> Iterator[float]:
    """Yield the random arrival times of the first, second... copy of an encounter on a map, in order.

    Args:
        streams: The random streams of the world.
        weight: The encounter's weight on the map, which is the rate of arrivals.
        most: The number of times to yield; None for no end.
        name: The beginning of the name of each time's random stream.
    """
    time = 0.0
    for copy in islice(count(1), most):
        time += streams.arrival(weight, *name, copy)
        yield time


def share_out(content: Content, places: Sequence[WorldMap], seed: int) -> Shares:
    """Return how many copies each map gets of the encounters with a limit, minimum or group for a world or branch.

    Args:
        content: The content.
        places: All maps of the world.
        seed: The seed of the world.
    """
    sharing = _ShareOut(content, places, seed)
    grouped, lines = sharing.arrivals()
    late = [arrival for arrival in grouped if not sharing.promise(*arrival)]
    while lines:  # one copy of each encounter in turn
        for line in lines:
            while line and not sharing.promise(*line[0]):
                late.append(line.popleft())
            if line:
                line.popleft()
        lines = [line for line in lines if line]
    waiting = len(late) + 1
    while len(late) < waiting:  # a required encounter may have been promised to the map since the last try
        waiting = len(late)
        late = [arrival for arrival in late if not sharing.promise(*arrival)]
    for arrival in late:
        sharing.give(*arrival)
    return sharing.shares


class _ShareOut:
    """Gives the copies of limited encounters to the maps of a world, one by one, and records what is left.

    Args:
        content: The content.
        places: All maps of the world.
        seed: The seed of the world.

    Attributes:
        shares: The copies that the maps have got so far.
    """

    def __init__(self, content: Content, places: Sequence[WorldMap], seed: int) -> None:
        self.shares = Shares({}, {}, {})
        self._content, self._places, self._seed = content, places, seed
        self._streams = Streams(seed, "world")
        names = content.derive("shared encounters", _names_of_shared, content)
        encounters = content.encounters
        self._shared = {name: _CopiesLeft.of(name, encounters[name], places, self._streams) for name in names}
        self._promises: dict[WorldMap, Promises] = {}
        self._holders: dict[tuple[str, ...], str] = {}
        self._given: dict[WorldMap, dict[str, None]] = {}

    def arrivals(self) -> tuple[list[MapArrival], list[deque[MapArrival]]]:
        """Return (list, queues): the copies of all shared encounters, each with its map, in the order in which they are given to the maps.

        The list has the copies of encounters with a group for a world or branch. They are given out first, as groups decide which
        encounters are possible at all. Copies of guaranteed encounters come first in the list, then all others, by time of arrival.

        Every other encounter has a queue of its own, by time of arrival. An encounter's queue comes after the queues of all encounters
        that it requires. Apart from that, an encounter that fewer maps can have comes first, before other encounters fill these maps.
        If as many maps can have two encounters, the one with the earliest arrival comes first.
        """
        grouped: list[tuple[float, str, str, WorldMap]] = []
        sure = {name for name, encounter in self._content.encounters.items() if encounter.guaranteed}
        lines: list[tuple[int, int, list[tuple[float, str, str, WorldMap]]]] = []
        for name, shared in self._shared.items():
            encounter = self._content.encounters[name]
            is_grouped = bool(keys_between_maps(encounter) - AMOUNTS)  # a group may refuse it to a map
            if shared.limited or is_grouped:
                self.shares.most.update({(name, place.map_id): 0 for place in self._places})
            line = grouped if is_grouped else []
            could = 0
            for place in self._places:
                weight = self._content.weights_on(place.name, place.depth).get(name)
                if weight is not None:
                    could += 1
                    most = shared.copies(place, encounter.limit.map)
                    times = arrival_times(self._streams, weight, most, "share", name, place.map_id)
                    line += [(time, place.map_id, name, place) for time in times]
            if line and not is_grouped:
                required = with_required(self._content, self._shared, [name])
                lines.append((len(required), could, sorted(line, key=_by_time)))
        lines.sort(key=lambda each: (*each[:2], _by_time(each[2][0])))
        grouped.sort(key=lambda each: (each[2] not in sure, *_by_time(each)))
        return [each[2:] for each in grouped], [deque(each[2:] for each in line) for _, _, line in lines]

    def promise(self, name: str, place: WorldMap) -> bool:
        """Give a copy of an encounter to a map, and promise it if the world still owes promised copies of this encounter.

        Nothing is given in three cases: no copy is left for the map, a group refuses it, or the map could not keep the promise. The result
        is False in the last case only; the copy then goes to another map.
        """
        shared = self._shared[name]
        if not self._may_take(name, place):
            return True
        if not shared.owed:
            self.give(name, place)
            return True
        if place not in self._promises:
            wanted = wanted_on(self._content, place.name, place.depth, Streams(self._seed, place.map_id))
            self._promises[place] = Promises(self._content, place.name, place.depth, wanted)
            for given in self._given.get(place, ()):
                self._allow(given, place)
        if not self._promises[place].can_keep(name):
            return False
        self._promises[place].add(name)
        self.give(name, place)
        shared.owed -= 1
        key = name, place.map_id
        self.shares.first[key] = self.shares.first.get(key, 0) + 1
        return True

    def give(self, name: str, place: WorldMap) -> None:
        """Give a map one more copy of an encounter, unpromised, if the limits and groups allow it: the map may draw it by chance."""
        if not self._may_take(name, place):
            return
        shared, key = self._shared[name], (name, place.map_id)
        shared.take(place)
        self._holders.update(dict.fromkeys(self._groups(name, place), name))
        if shared.limited:
            self.shares.most[key] += 1
        else:
            self.shares.most.pop(key, None)
        self._given.setdefault(place, {})[name] = None
        if place in self._promises:
            self._allow(name, place)

    def _allow(self, name: str, place: WorldMap) -> None:
        """Record in the map's promises that an encounter may appear there, and promise the copies that `min` or `guaranteed` asks for."""
        encounter = self._content.encounters[name]
        least = max(encounter.least.map, encounter.guaranteed)
        self._promises[place].allow(name, min(least, self.shares.most.get((name, place.map_id), least)))

    def _may_take(self, name: str, place: WorldMap) -> bool:
        """Return whether a map may have one more copy of an encounter; if a group refuses it, record that in the shares."""
        refused = self._refusal(name, place)
        if refused:
            self.shares.refused[name, place.map_id] = refused
        return not refused and self._shared[name].is_left(place)

    def _refusal(self, name: str, place: WorldMap) -> str:
        """Return in words which other encounter has a group of this one in the world or in the map's branch; "" if none has."""
        for group in self._groups(name, place):
            holder = self._holders.get(group, name)
            if holder != name:
                where = "of this world" if group[0] == "world" else f"of {place.branch}"
                return f"its group {group[-1]!r} {where} is taken by {holder}"
        return ""

    def _groups(self, name: str, place: WorldMap) -> list[tuple[str, ...]]:
        """Return a key for each group of an encounter: ("world", group) or ("branch", the map's branch, group).

        Encounters that share a key exclude each other.
        """
        group = self._content.encounters[name].group
        return [
            *(("world", each) for each in group.world),
            *(("branch", place.branch, each) for each in group.branch),
        ]


def _by_time(arrival: tuple[float, str, str, WorldMap]) -> tuple[float, str, str]:
    """Return the sort key of a copy that arrives at a map: (time, map id, encounter)."""
    return arrival[:3]


def _names_of_shared(content: Content) -> tuple[str, ...]:
    """Return the names of the encounters with a limit, minimum or group for a world or branch."""
    return tuple(name for name, encounter in content.encounters.items() if is_shared(encounter))


def is_shared(encounter: EncounterEntry) -> bool:
    """Return whether the number of an encounter's copies on one map depends on other maps."""
    return bool(keys_between_maps(encounter))


AMOUNTS = {"limit.world", "limit.branch", "least.world"}
"""The YAML keys that limit numbers of copies in several maps together, but refuse an encounter to no map as such."""


def keys_between_maps(encounter: EncounterEntry) -> frozenset[str]:
    """Return the YAML keys of an encounter, such as "limit.world", that make the number of its copies on one map depend on other maps.

    If `limit.world` is the only such key, `dungeon odds` computes exact odds; with any other key it samples worlds.
    """
    said = {
        "limit.world": encounter.limit.world,
        "limit.branch": encounter.limit.branch,
        "least.world": encounter.least.world,
        "group.world": encounter.group.world or None,
        "group.branch": encounter.group.branch or None,
    }
    return frozenset(key for key, value in said.items() if value is not None)


@dataclass(slots=True)
class _CopiesLeft:
    """The copies of one encounter that are left to give to maps.

    Attributes:
        world: How many copies the world may still get; None for any number.
        branches: Branch of the world -> how many copies the branch may still get; empty for any number.
        owed: How many copies must still be promised to some map.
    """

    world: int | None
    branches: dict[str, int]
    owed: int

    @classmethod
    def of(
        cls, name: str, encounter: EncounterEntry, places: Sequence[WorldMap], streams: Streams
    ) -> _CopiesLeft:
        """Choose the random limits of an encounter for the world and its branches; return the copies that they allow."""
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
        """Whether the encounter has a limit in the world or in branches."""
        return self.world is not None or bool(self.branches)

    def copies(self, place: WorldMap, most: int | None) -> int:
        """Return the number of arrivals to draw for a map: `most`, capped by the limits of the world and of the map's branch.

        If neither has a limit, the result is at most the number of copies owed, but 1 if none is owed.

        Args:
            place: The map.
            most: The encounter's limit for one map; None for any number.
        """
        limits = [each for each in (most, self.world, self.branches.get(place.branch)) if each is not None]
        return min(limits) if self.limited else min([max(self.owed, 1), *limits])

    def is_left(self, place: WorldMap) -> bool:
        """Return whether the limits of the world and of the map's branch leave one more copy."""
        return self.world != 0 and self.branches.get(place.branch) != 0

    def take(self, place: WorldMap) -> None:
        """Count one copy, given to a map, against the limits of the world and of the map's branch."""
        if self.world is not None:
            self.world -= 1
        if place.branch in self.branches:
            self.branches[place.branch] -= 1


class Promises:
    """The copies promised to one map. Those that the map must have come first, those that the world promises to it follow.

    Args:
        content: The content.
        map_name: The type of map.
        depth: The depth of the map.
        wanted: The number of encounters that the map should get.

    Attributes:
        promised: Encounter -> how many copies of it have been promised.
    """

    def __init__(self, content: Content, map_name: str, depth: int, wanted: int) -> None:
        self._content = content
        self._budget = MapBudget(content, map_name, depth, wanted)
        self.promised: Counter[str] = Counter()
        self._able, owed = content.derive(("owed", map_name, depth), _owed_by_map, content, map_name, depth)
        for name in owed:
            self.add(name)

    def add(self, name: str) -> None:
        """Promise one more copy of an encounter, and one of each encounter that it requires, without asking whether the map can keep it."""
        for each in [*self._missing(name), name]:
            self.promised[each] += 1
            self._budget.spend(each)

    def allow(self, name: str, least: int) -> None:
        """Record that an encounter may now appear on the map, and promise copies until `least` of them are promised."""
        self._able |= {name}
        for _ in range(least - self.promised[name]):
            self.add(name)

    def can_keep(self, name: str) -> bool:
        """Return whether the map can have one more copy of an encounter besides all promised copies.

        There are three reasons why it can't: a promised encounter excludes this one; something that this one requires or must be near can't
        come; the mix, the budget or the number of encounters is used up.
        """
        missing = self._missing(name)
        if not self._able.issuperset(missing) or not self._can_be_near(name):
            return False
        promised = [*self.promised]
        budget = self._budget.copy() if missing else self._budget
        for each in [*missing, name]:
            if self._is_excluded(each, promised):
                return False
            # A guaranteed encounter comes whatever mix and budget say.
            if not self._content.encounters[name].guaranteed:
                if budget.refusal(each) or budget.reserves_turns_from(each) or budget.left <= 0:
                    return False
                if missing:
                    budget.spend(each)
            promised.append(each)
        return True

    def _can_be_near(self, name: str) -> bool:
        """Return whether the map may have what an encounter must be near: an encounter of each name, category or group; stairs always."""
        encounters = self._content.encounters
        return all(
            word in LANDMARKS
            or any(encounters[other].goes_by(other, word) for other in (*self.promised, *self._able))
            for word in encounters[name].near
        )

    def _missing(self, name: str) -> list[str]:
        """Return the encounters that this one requires and that are not promised yet, in the order in which they must come."""
        return [each for each in _required_by(self._content, name) if each not in self.promised]

    def _is_excluded(self, name: str, promised: Iterable[str]) -> bool:
        """Return whether an encounter among `promised` excludes the encounter `name`, by a conflict or a group that both have."""
        entry = self._content.encounters[name]
        for other in promised:
            rival = self._content.encounters[other]
            shun = other in entry.conflicts or name in rival.conflicts
            if other != name and (shun or not set(entry.group.map).isdisjoint(rival.group.map)):
                return True
        return False


def _required_by(content: Content, name: str) -> list[str]:
    """Return the encounters that an encounter requires, directly or not, each after those that it requires itself."""
    if not content.encounters[name].requires:  # a shortcut: few encounters require others
        return []
    return [each for each in with_required(content, content.encounters, [name]) if each != name]


def _owed_by_map(content: Content, map_name: str, depth: int) -> tuple[frozenset[str], tuple[str, ...]]:
    """Return (possible encounters whose copies do not depend on other maps, those of these encounters that the map must have).

    The second part has an encounter once for each copy that the map must have, by `min` or `guaranteed`.
    """
    weights = content.weights_on(map_name, depth)
    encounters = content.encounters
    limits = {name: 0 if is_shared(encounters[name]) else encounters[name].limit.map for name in weights}
    able = frozenset(name for name, limit in limits.items() if limit != 0)
    needed = guaranteed(content, limits)
    sure = (name for name in limits if name in able and able.issuperset(_required_by(content, name)))
    return able, tuple(
        each for name in sure for each in [name] * max(encounters[name].least.map, name in needed)
    )
