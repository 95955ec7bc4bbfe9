"""What holds for a whole world, or for all maps of a name, shared out among its maps before any map is made.

"At most two in the world" could be kept by counting as levels are made, but then a level would depend on
which levels were made before it. Instead the copies are handed out up front: for each encounter with a limit
every map that could have it runs a race in which its copies arrive at random times, as often as its weight
says; the earliest arrivals of the whole world, as many as the limit allows, are the maps' shares. Each
arrival depends on (world seed, encounter, map, copy) alone, so a new map takes only the copies it wins. What a map is given
has its turn first there: so what the world may have just once is met, wherever that is.

A map is promised nothing that it could not keep, having been promised something else that shuts it out, lacking what that requires, or
by its mix, its budget or the number of its turns: such a copy goes to the map on which it arrives next. Where no map can keep it, it may still come by chance.

Groups of a world, or of a branch, are settled in the same race: the encounter that arrives first has
the group, and the others have no share there.
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
    """A map of the world, as far as encounters care: its id, its type, and how deep it lies."""

    map_id: str
    name: str
    depth: int

    @property
    def branch(self) -> str:
        """The branch: all maps with ids that begin so."""
        return self.map_id.rsplit("/", 1)[0]


MapArrival = tuple[str, WorldMap]
"""A copy of an encounter, and the map for which it runs."""


class Shares(NamedTuple):
    """What the maps of a world have of what is shared out.

    Attributes:
        most: (encounter, map id) -> how many copies that map may have; absent if it may have any number.
        first: (encounter, map id) -> how many of them come before all that come by chance; absent for none.
        refused: (encounter, map id) -> the rule that gave that map no copy, in the words of `dungeon why`; absent if no rule did, or
            a limit.
    """

    most: dict[tuple[str, str], int]
    first: dict[tuple[str, str], int]
    refused: dict[tuple[str, str], str]

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


def share_out(content: Content, places: Sequence[WorldMap], seed: int) -> Shares:
    """Return what each map has of the encounters with limits, minimums or groups beyond a map.

    Args:
        content: The content.
        places: Every map of the world.
        seed: The seed of the world.
    """
    sharing = _ShareOut(content, places, seed)
    grouped, lines = sharing.arrivals()
    late = [arrival for arrival in grouped if not sharing.promise(*arrival)]
    while lines:  # a copy of each in turn
        for line in lines:
            while line and not sharing.promise(*line[0]):
                late.append(line.popleft())
            if line:
                line.popleft()
        lines = [line for line in lines if line]
    waiting = len(late) + 1
    while len(late) < waiting:  # what one requires may have come to its map since
        waiting = len(late)
        late = [arrival for arrival in late if not sharing.promise(*arrival)]
    for arrival in late:
        sharing.give(*arrival)
    return sharing.shares


class _ShareOut:
    """What a world has, while it is shared out.

    Args:
        content: The content.
        places: Every map of the world.
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
        """Return who runs for which map, copy by copy, in order of time: those with groups beyond a map, and each of the others.

        The former settle what else there may be, so they have their turns before all others, and of them first those that are
        guaranteed, lest others take their groups. Of the others the ones that
        require none of the others come first; then those that the fewest maps could have, lest others take these from them; then
        those that arrive first.
        """
        grouped: list[tuple[float, str, str, WorldMap]] = []
        sure = {name for name, encounter in self._content.encounters.items() if encounter.guaranteed}
        lines: list[tuple[int, int, list[tuple[float, str, str, WorldMap]]]] = []
        for name, shared in self._shared.items():
            encounter = self._content.encounters[name]
            is_grouped = bool(keys_between_maps(encounter) - AMOUNTS)  # its rule may refuse it to a map
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
        """Give a copy to a map, if there is one for it, and promise it if it is owed; return False if the map could not keep that."""
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
        """Give a copy to a map, if there is one for it: if it is not promised, it comes there by chance."""
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
        """Let a map reckon with an encounter that has been given to it, and with what it then must have of it."""
        encounter = self._content.encounters[name]
        least = max(encounter.least.map, encounter.guaranteed)
        self._promises[place].allow(name, min(least, self.shares.most.get((name, place.map_id), least)))

    def _may_take(self, name: str, place: WorldMap) -> bool:
        """Tell whether a map may have one more copy: none of the rules between maps refuses it, and one is left."""
        refused = self._refusal(name, place)
        if refused:
            self.shares.refused[name, place.map_id] = refused
        return not refused and self._shared[name].is_left(place)

    def _refusal(self, name: str, place: WorldMap) -> str:
        """Return which rule between maps refuses an encounter to a map, in the words of `dungeon why`; an empty text if none does."""
        for group in self._groups(name, place):
            holder = self._holders.get(group, name)
            if holder != name:
                where = "of this world" if group[0] == "world" else f"of {place.branch}"
                return f"its group {group[-1]!r} {where} is taken by {holder}"
        return ""

    def _groups(self, name: str, place: WorldMap) -> list[tuple[str, ...]]:
        """Return the groups beyond a map that an encounter has where it is."""
        group = self._content.encounters[name].group
        return [
            *(("world", each) for each in group.world),
            *(("branch", place.branch, each) for each in group.branch),
        ]


def _by_time(arrival: tuple[float, str, str, WorldMap]) -> tuple[float, str, str]:
    """Return what arrivals are ordered by."""
    return arrival[:3]


def _names_of_shared(content: Content) -> tuple[str, ...]:
    """Return the names of the encounters that are shared out among the maps of a world."""
    return tuple(name for name, encounter in content.encounters.items() if is_shared(encounter))


def is_shared(encounter: EncounterEntry) -> bool:
    """Tell whether what one map has of an encounter depends on what other maps have."""
    return bool(keys_between_maps(encounter))


AMOUNTS = {"limit.world", "limit.branch", "min.world"}
"""The keys between maps that say how many copies there are, and refuse none of them to a map."""


def keys_between_maps(encounter: EncounterEntry) -> frozenset[str]:
    """Return the keys of an encounter that make the number of its copies on one map depend on other maps.

    If `limit.world` is the only one, `dungeon odds` computes the odds of the encounter; with any other it makes draws and counts.
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
    """What is left of an encounter while it is handed out.

    Attributes:
        world: How many copies the world may have; None for any number. `branches`: each branch of it.
        owed: How many copies are still to be promised, wherever that is.
    """

    world: int | None
    branches: dict[str, int]
    owed: int

    @classmethod
    def of(
        cls, name: str, encounter: EncounterEntry, places: Sequence[WorldMap], streams: Streams
    ) -> _CopiesLeft:
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

    def copies(self, place: WorldMap, most: int | None) -> int:
        """Return how many copies a map might have, of which it may have so many: of what has no limit, those that are promised."""
        limits = [each for each in (most, self.world, self.branches.get(place.branch)) if each is not None]
        return min(limits) if self.limited else min([max(self.owed, 1), *limits])

    def is_left(self, place: WorldMap) -> bool:
        """Tell whether a map may have one more."""
        return self.world != 0 and self.branches.get(place.branch) != 0

    def take(self, place: WorldMap) -> None:
        """Take a copy for a map."""
        if self.world is not None:
            self.world -= 1
        if place.branch in self.branches:
            self.branches[place.branch] -= 1


class Promises:
    """The encounters that a map has first of all: what it must have by itself, then what the world gives to it.

    Args:
        content: The content.
        map_name: The type of map.
        depth: Its depth.
        wanted: How many encounters it is to have.

    Attributes:
        there: Encounter -> how many copies of it have been promised.
    """

    def __init__(self, content: Content, map_name: str, depth: int, wanted: int) -> None:
        self._content = content
        self._budget = MapBudget(content, map_name, depth, wanted)
        self.promised: Counter[str] = Counter()
        self._able, owed = content.derive(("owed", map_name, depth), _owed_by_map, content, map_name, depth)
        for name in owed:
            self.add(name)

    def add(self, name: str) -> None:
        """Promise one copy of an encounter, and what it requires, whether or not that can be kept."""
        for each in [*self._missing(name), name]:
            self.promised[each] += 1
            self._budget.spend(each)

    def allow(self, name: str, least: int) -> None:
        """Say that the map may have of one that is shared out, by chance at least, and then has so many copies of it first of all."""
        self._able |= {name}
        for _ in range(least - self.promised[name]):
            self.add(name)

    def can_keep(self, name: str) -> bool:
        """Tell whether the map can keep one promise more: with all that it has been promised, by its mix and by its budget."""
        missing = self._missing(name)
        if not self._able.issuperset(missing) or not self._can_be_near(name):
            return False
        promised = [*self.promised]
        budget = self._budget.copy() if missing else self._budget
        for each in [*missing, name]:
            if self._is_excluded(each, promised):
                return False
            if not self._content.encounters[name].guaranteed:  # else it comes whatever the map is to have
                if budget.objection(each) or budget.reserves_turns_from(each) or budget.left <= 0:
                    return False
                if missing:
                    budget.spend(each)
            promised.append(each)
        return True

    def _can_be_near(self, name: str) -> bool:
        """Tell whether there may be somebody for each word for whom an encounter is to be near."""
        encounters = self._content.encounters
        return all(
            word in LANDMARKS
            or any(encounters[other].goes_by(other, word) for other in (*self.promised, *self._able))
            for word in encounters[name].near
        )

    def _missing(self, name: str) -> list[str]:
        """Return what an encounter requires and is not there, and before each of these what it requires itself."""
        return [each for each in _required_by(self._content, name) if each not in self.promised]

    def _is_excluded(self, name: str, promised: Iterable[str]) -> bool:
        """Tell whether an encounter is shut out by others."""
        entry = self._content.encounters[name]
        for other in promised:
            rival = self._content.encounters[other]
            shun = other in entry.conflicts or name in rival.conflicts
            if other != name and (shun or not set(entry.group.map).isdisjoint(rival.group.map)):
                return True
        return False


def _required_by(content: Content, name: str) -> list[str]:
    """Return what an encounter requires, and before each of these what it requires itself."""
    if not content.encounters[name].requires:  # few require anything
        return []
    return [each for each in with_required(content, content.encounters, [name]) if each != name]


def _owed_by_map(content: Content, map_name: str, depth: int) -> tuple[frozenset[str], tuple[str, ...]]:
    """Return the encounters that a map may have without a share, and those that it must have of them, once for each copy."""
    weights = content.weights_on(map_name, depth)
    encounters = content.encounters
    limits = {name: 0 if is_shared(encounters[name]) else encounters[name].limit.map for name in weights}
    able = frozenset(name for name, limit in limits.items() if limit != 0)
    needed = guaranteed(content, limits)
    sure = (name for name in limits if name in able and able.issuperset(_required_by(content, name)))
    return able, tuple(
        each for name in sure for each in [name] * max(encounters[name].least.map, name in needed)
    )
