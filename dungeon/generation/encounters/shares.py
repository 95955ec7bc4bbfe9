"""Share out the copies of encounters with a limit per world or branch among the maps, before any map is made.

"At most two in the world" could be counted while levels are made, but then a level would depend on which levels were made before.
Instead, each map that could have a limited encounter draws random arrival times for its copies, with the encounter's weight as the
rate. The earliest arrivals of the world, as many as the limit allows, are the maps' shares. A time depends only on (world seed,
encounter, map, copy), so a new map takes only the copies that it wins.

As many copies as `min.world` asks for are promised; without `min.world`, as many as the limit allows. A map tries promised
copies before all encounters that come by chance. A map is promised only what it can keep. It can't if an earlier promise excludes the encounter, if what it requires
can't come, or if the map's mix, budget or turns are used up. Then the copy goes to the map with the next arrival. If no map can
keep the promise, the copy may still come by chance.

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
    """A map of the world, as encounters need it: id, type, depth."""

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
    """What the maps of a world get of the encounters whose copies are limited in the world or in a branch.

    Attributes:
        most: (encounter, map id) -> how many copies the map may have; absent for any number.
        first: (encounter, map id) -> how many of these are promised; absent for none.
        refused: (encounter, map id) -> the rule that gave the map no copy, in the words of `dungeon why`; absent if no rule did.
    """

    most: dict[tuple[str, str], int]
    first: dict[tuple[str, str], int]
    refused: dict[tuple[str, str], str]

    def on(self, map_id: str) -> tuple[dict[str, int], dict[str, int]]:
        """Return what one map gets: (encounter -> how many copies it may have, encounter -> how many of them are promised)."""
        most = {name: count for (name, place), count in self.most.items() if place == map_id}
        first = {name: count for (name, place), count in self.first.items() if place == map_id}
        return most, first


def arrival_times(streams: Streams, weight: float, most: int | None, *name: str | int) -> Iterator[float]:
    """Yield the random arrival times of the first, second... copy of an encounter: `most` times, or without end if that is None."""
    time = 0.0
    for copy in islice(count(1), most):
        time += streams.arrival(weight, *name, copy)
        yield time


def share_out(content: Content, places: Sequence[WorldMap], seed: int) -> Shares:
    """Return what each map gets of the encounters with limits, minimums or groups beyond one map.

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
    """The state of a world's sharing.

    Args:
        content: The content.
        places: All maps of the world.
        seed: The seed of the world.

    Attributes:
        shares: What the maps have so far.
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
        """Return the copies of all shared encounters by arrival: one list for encounters with groups beyond a map, else a queue each.

        Groups decide which encounters are possible at all, so their list comes first; guaranteed encounters lead it, then time decides.
        The queues are ordered so that each encounter follows those it requires; then encounters that few maps can have come first, before
        others take these maps; then earlier arrivals.
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
        """Give a copy to a map; promise it (the map must try it before those by chance) if the world still owes a promised copy.

        Return False only if the map could not keep the promise.

        Nothing is given, and True returned, if no copy is left for the map or a rule between maps refuses it.
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
        """Give a map one more copy of an encounter, if the limits leave one for it.

        The copy is not promised: the map may have it if chance draws it, but need not place it first.
        """
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
        """Note in a map's promises that an encounter may appear there, and promise the copies that the map must then have."""
        encounter = self._content.encounters[name]
        least = max(encounter.least.map, encounter.guaranteed)
        self._promises[place].allow(name, min(least, self.shares.most.get((name, place.map_id), least)))

    def _may_take(self, name: str, place: WorldMap) -> bool:
        """Return whether a map may have one more copy; note the rule if a rule between maps refuses it."""
        refused = self._refusal(name, place)
        if refused:
            self.shares.refused[name, place.map_id] = refused
        return not refused and self._shared[name].is_left(place)

    def _refusal(self, name: str, place: WorldMap) -> str:
        """Return the rule between maps that refuses an encounter to a map, in the words of `dungeon why`; "" if none does."""
        for group in self._groups(name, place):
            holder = self._holders.get(group, name)
            if holder != name:
                where = "of this world" if group[0] == "world" else f"of {place.branch}"
                return f"its group {group[-1]!r} {where} is taken by {holder}"
        return ""

    def _groups(self, name: str, place: WorldMap) -> list[tuple[str, ...]]:
        """Return keys for an encounter's groups in the world and in the map's branch; encounters that share a key exclude each other."""
        group = self._content.encounters[name].group
        return [
            *(("world", each) for each in group.world),
            *(("branch", place.branch, each) for each in group.branch),
        ]


def _by_time(arrival: tuple[float, str, str, WorldMap]) -> tuple[float, str, str]:
    """Return the sort key of a copy that arrives at a map: time, then map id, then encounter."""
    return arrival[:3]


def _names_of_shared(content: Content) -> tuple[str, ...]:
    """Return the names of the encounters that are shared out among the maps of a world."""
    return tuple(name for name, encounter in content.encounters.items() if is_shared(encounter))


def is_shared(encounter: EncounterEntry) -> bool:
    """Return whether the number of copies on one map depends on other maps."""
    return bool(keys_between_maps(encounter))


AMOUNTS = {"limit.world", "limit.branch", "min.world"}
"""The keys between maps that limit numbers of copies but refuse no map as such."""


def keys_between_maps(encounter: EncounterEntry) -> frozenset[str]:
    """Return the keys of an encounter that make the number of its copies on one map depend on other maps.

    If `limit.world` is the only one, `dungeon odds` computes exact odds; with any other it samples worlds.
    """
    said = {
        "limit.world": encounter.limit.world,
        "limit.branch": encounter.limit.branch,
        "min.world": encounter.least.world,
        "group.world": encounter.group.world or None,
        "group.branch": encounter.group.branch or None,
    }
    return frozenset(key for key, value in said.items() if value is not None)


@dataclass(slots=True)
class _CopiesLeft:
    """The copies of an encounter that are left to give.

    Attributes:
        world: How many copies the world may still have; None for any number.
        branches: Branch of the world -> how many copies the branch may still have; empty for no limit.
        owed: How many copies must still be promised to some map, which then tries them before encounters by chance.
    """

    world: int | None
    branches: dict[str, int]
    owed: int

    @classmethod
    def of(
        cls, name: str, encounter: EncounterEntry, places: Sequence[WorldMap], streams: Streams
    ) -> _CopiesLeft:
        """Choose the random world and branch limits of an encounter; return the copies that they allow, none of them given yet."""
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
        """Whether the world or a branch has a limit."""
        return self.world is not None or bool(self.branches)

    def copies(self, place: WorldMap, most: int | None) -> int:
        """Cap `most` by the world and branch limits. If there are none, cap it by the number of copies owed, at least 1."""
        limits = [each for each in (most, self.world, self.branches.get(place.branch)) if each is not None]
        return min(limits) if self.limited else min([max(self.owed, 1), *limits])

    def is_left(self, place: WorldMap) -> bool:
        """Return whether a map may have one more copy."""
        return self.world != 0 and self.branches.get(place.branch) != 0

    def take(self, place: WorldMap) -> None:
        """Use up a copy for a map."""
        if self.world is not None:
            self.world -= 1
        if place.branch in self.branches:
            self.branches[place.branch] -= 1


class Promises:
    """The encounters promised to one map: those it must have by itself, then those that the world gives to it.

    Args:
        content: The content.
        map_name: The type of map.
        depth: Its depth.
        wanted: The number of encounters that the map wants.

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
        """Add one copy of an encounter, and all encounters that it requires, to the promised ones, even if the map has no space left."""
        for each in [*self._missing(name), name]:
            self.promised[each] += 1
            self._budget.spend(each)

    def allow(self, name: str, least: int) -> None:
        """Note that a shared encounter may now appear on the map, and promise copies until there are `least` of them."""
        self._able |= {name}
        for _ in range(least - self.promised[name]):
            self.add(name)

    def can_keep(self, name: str) -> bool:
        """Return whether the map can have one more promised encounter besides all others, by exclusions, mix, budget and number."""
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
        """Return whether each thing that an encounter must be near may appear on the map."""
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
        """Return whether one of some encounters excludes this one, by conflict or by a shared group."""
        entry = self._content.encounters[name]
        for other in promised:
            rival = self._content.encounters[other]
            shun = other in entry.conflicts or name in rival.conflicts
            if other != name and (shun or not set(entry.group.map).isdisjoint(rival.group.map)):
                return True
        return False


def _required_by(content: Content, name: str) -> list[str]:
    """Return all that an encounter requires, directly or not, in the order in which they must come."""
    if not content.encounters[name].requires:  # a shortcut: few encounters require others
        return []
    return [each for each in with_required(content, content.encounters, [name]) if each != name]


def _owed_by_map(content: Content, map_name: str, depth: int) -> tuple[frozenset[str], tuple[str, ...]]:
    """Return the encounters whose copies do not depend on other maps, and those of them that the map must have, once for each copy."""
    weights = content.weights_on(map_name, depth)
    encounters = content.encounters
    limits = {name: 0 if is_shared(encounters[name]) else encounters[name].limit.map for name in weights}
    able = frozenset(name for name, limit in limits.items() if limit != 0)
    needed = guaranteed(content, limits)
    sure = (name for name in limits if name in able and able.issuperset(_required_by(content, name)))
    return able, tuple(
        each for name in sure for each in [name] * max(encounters[name].least.map, name in needed)
    )
