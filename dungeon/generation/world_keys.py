"""Decide, before any map of a world is made, on which maps the keys of *world locks* lie: locks with `keys_on`, whose keys lie on other maps.

The world is a graph: its maps are the nodes, its exits the edges. A map may *bar* its exits with a world lock, if a door on the way, a
zone or a drawing may have that lock. The keys are dealt by assumed fill (see `locks.graph`), the locks in random order: each key goes
to a map that the player reaches while he holds the keys of all locks still to be dealt, but none of this lock. He must also be able to
come back to that map from everywhere, as he may have left the key there; from a map that is `one_way` no stairs lead back.

No level bars an exit with a lock if the exit leads towards a key of that lock::

    port/1 --> lava/2 --> lava/3            The key of the bridge lies on lava/3. So the exit to lava/2 lies before
       |                                    the bridge, and the exit to works/2 may lie behind it.
       +==bridge==> works/2

What a level must keep is in `MapKeys`; that it keeps it is proved by `proof.key_rules`.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from dungeon.content.values.grammar import roll
from dungeon.core.frozen import NOTHING, Frozen
from dungeon.core.streams import Streams

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from dungeon.content.library import Content
    from dungeon.content.models.locks import OpenerEntry
    from dungeon.content.prefab.prefab import Prefab
    from dungeon.content.values.grammar import Value
    from dungeon.core.streams import Stream
    from dungeon.generation.atlas import MapNode
    from dungeon.generation.encounters.shares import Shares


class WorldKey(NamedTuple):
    """A key that opens locks on other maps of the world.

    Attributes:
        lock: The name of the locks that it opens, an entry of ``locks.yaml`` with `keys_on`.
        number: The number of the key among those of the lock, from 0.
        map: The id of the map on which it lies.
    """

    lock: str
    number: int
    map: str


class MapKeys(NamedTuple):
    """What the world decides about the keys of world locks, as far as one map is concerned.

    Attributes:
        maps: World lock -> the ids of the maps on which its keys lie, one for each key. Locks without keys in this world are missing.
        here: The keys that lie on this map.
        openers: World lock -> what its keys are, in turn.
        needed: Id of a map to which an exit leads -> the world locks whose keys a player may need to get to that exit.
    """

    maps: Mapping[str, tuple[str, ...]] = NOTHING
    here: tuple[WorldKey, ...] = ()
    openers: Mapping[str, tuple[OpenerEntry, ...]] = NOTHING
    needed: Mapping[str, frozenset[str]] = NOTHING

    def elsewhere(self, lock: str, map_id: str) -> tuple[str, ...]:
        """Return the maps of the keys of a lock, each once; () if all keys lie on the map `map_id` itself, or if it has none."""
        maps = tuple(dict.fromkeys(self.maps.get(lock, ())))
        return () if maps == (map_id,) else maps


NO_KEYS = MapKeys()
"""For a map of a world without world locks."""


@dataclass(frozen=True, slots=True)
class WorldKeys:
    """The keys of world locks in one world.

    Attributes:
        keys: The keys, by lock.
        openers: World lock -> what its keys are, in turn.
        needed: (map id, id of the map to which its exit leads) -> the world locks whose keys a player may need to get to that exit;
            exits for which no keys are needed are missing.
        barred: (world lock, map id) of each map on which nothing can be locked with it, because of maps that are `one_way`: the player
            can't come there from a key, or not back from there to it.
        lacking: The world locks for which the world has no fitting map: nothing is locked with them anywhere.
    """

    keys: tuple[WorldKey, ...] = ()
    openers: Mapping[str, tuple[OpenerEntry, ...]] = field(default_factory=lambda: NOTHING)
    needed: Mapping[tuple[str, str], frozenset[str]] = field(default_factory=lambda: NOTHING)
    barred: frozenset[tuple[str, str]] = frozenset()
    lacking: tuple[str, ...] = ()

    def on(self, map_id: str, leads_to: Iterable[str]) -> MapKeys:
        """Return what concerns one map of the world; `leads_to`: the ids of the maps to which its exits lead."""
        if not self.keys:
            return NO_KEYS
        maps: dict[str, tuple[str, ...]] = {}
        for key in self.keys:
            if (key.lock, map_id) not in self.barred:
                maps[key.lock] = (*maps.get(key.lock, ()), key.map)
        here = tuple(key for key in self.keys if key.map == map_id)
        needed = {to: self.needed.get((map_id, to), frozenset()) for to in leads_to}
        return MapKeys(maps, here, self.openers, needed)


class LocksOnMap(NamedTuple):
    """The world locks that a type of map may have at a depth, or those that one map of a world may have.

    Attributes:
        all: All of them.
        barring: Those that may bar an exit.
        on_way: Those of `barring` that a door on the way to an exit has (`on: way`).
    """

    all: frozenset[str]
    barring: frozenset[str]
    on_way: frozenset[str]

    def __or__(self, other: LocksOnMap) -> LocksOnMap:
        """Return the locks of both."""
        return LocksOnMap(*(mine | its for mine, its in zip(self, other, strict=True)))


NO_LOCKS = LocksOnMap(frozenset(), frozenset(), frozenset())
"""For a map without world locks."""


def _locks_in_world(content: Content, node: MapNode, seed: int, shares: Shares) -> LocksOnMap:
    """Return the world locks that a map may have in the world of a seed.

    Left out are locks that only encounters without a copy on the map could bring. Left out, too, are those that chance rules out: the
    count of a lock under `locks` is 0, or a zone or an encounter of few copies has another lock or none.
    """
    streams, found = Streams(seed, node.id), NO_LOCKS
    for (kind, which), locks in locks_by_source(content, node.name, node.depth).items():
        words: Collection[str | None] = locks.all
        if kind == "map":
            words = locks.all if map_lock_count(content, node.name, which, streams) else ()
        elif kind == "zone":
            words = (zone_lock(content, node.name, which, streams),)
        elif kind in ("drawn", "room"):
            most = shares.most.get((which, node.id), content.encounters[which].limit.map)
            if most == 0:
                words = ()
            elif most is not None and kind == "room":
                words = {
                    form.entry.lock.roll(room_lock_stream(streams, which, copy + 1))
                    for form in content.forms[which]
                    if form.entry.lock is not None
                    for copy in range(most)
                }
        found |= LocksOnMap(*(each.intersection(words) for each in locks))
    return found


def map_lock_count(content: Content, name: str, lock: str, streams: Streams) -> int:
    """Return how many doors a level tries to lock by a map's `locks`; `streams`: those of the level."""
    return roll(content.maps[name].locks[lock].count, streams.stream("locks", "count", lock), 1)


def zone_lock(content: Content, name: str, zone: str, streams: Streams) -> str | None:
    """Return the lock of a zone of a map, None if it has none; `streams`: those of the level."""
    lock = content.layouts[name].named_zones()[zone].lock
    return None if lock is None else lock.roll(streams.stream("locks", "zone", zone))


def room_lock_stream(streams: Streams, name: str, copy: int) -> Stream:
    """Return the random stream of the lock of a room, by the name of its encounter or prefab; `streams`: those of the level."""
    return streams.stream("locks", "room", name, copy)


def locks_by_source(content: Content, name: str, depth: int) -> Mapping[tuple[str, str], LocksOnMap]:
    """Return (kind of source, its name) -> the world locks that maps of a type may have because of it; sources without any are missing.

    The kinds are "map" (a lock under `locks`), "zone", "room" (the `lock` of an encounter), "drawn" (everything else that an encounter
    brings), and "" for the rest.
    """
    return content.derive(("world locks", name, depth), _locks_by_source, content, name, depth)


def _locks_by_source(content: Content, name: str, depth: int) -> Mapping[tuple[str, str], LocksOnMap]:
    entry, params, called = content.maps[name], content.layouts[name], content.called_on(name, depth)
    far = {lock for lock, said in content.locks.items() if said.keys_on}
    found: dict[tuple[str, str], LocksOnMap] = {}

    def add(
        kind: str, which: str, others: Iterable[str], barring: Iterable[str] = (), on_way: Iterable[str] = ()
    ) -> None:
        bars = far.intersection(barring)
        if every := bars.union(far.intersection(others)):
            ways = frozenset(far.intersection(on_way))
            found[kind, which] = LocksOnMap(frozenset(every), frozenset(bars), ways)

    for word, wish in entry.locks.items():
        ways = [word] if wish.on == "way" else []
        add("map", word, [word], ways, ways)
    for zone, said in params.named_zones().items():
        add("zone", zone, (), _outcomes([said.lock]))

    def fallback(encounter: str) -> list[str]:  # may come where its own weight is 0
        other = content.encounters[encounter].fallback
        return [other] if other is not None and name in content.encounters[other].maps else []

    for encounter in sorted(_closure(content.weights_on(name, depth), fallback)):
        forms = [form for form, _ in content.forms_on(encounter, name, depth)]
        drawn = (each for form in forms for each in content.choices_on(form.label, name, depth))
        asked = (each.lock for form in forms for said in form.entry.content for each, _, _ in said.asked())
        add("room", encounter, _outcomes(form.entry.lock for form in forms))
        add("drawn", encounter, {*_outcomes(asked), *_drawn(content, drawn)})
    seeded = [*params.asked_for(), *(word for word, _ in entry.seeded_words())]
    others = [
        *_outcomes(feature.lock for _, feature in entry.all_features()),
        *_outcomes(each.lock for said in entry.population for each, _, _ in said.asked()),
        *_outcomes(thing.roll.get("lock") for thing in content.objects),
        *(str(thing.data.get("lock")) for thing in content.objects),
    ]
    add("", "", others, _drawn(content, (prefab for word in seeded for prefab in called[word])))
    return Frozen(found)


def _outcomes(values: Iterable[Value[str] | Value[object] | None]) -> Iterator[str]:
    for value in values:
        if value is not None:
            yield from (str(word) for word in value.outcomes())


def _drawn(content: Content, prefabs: Iterable[Prefab]) -> set[str]:
    """Return the names of the locks that these prefabs, and those fitted into them, may have."""
    found, seen, waiting = set[str](), set[str](), [*prefabs]
    while waiting:
        prefab = waiting.pop()
        if prefab.name not in seen:
            seen.add(prefab.name)
            found |= prefab.template.lock_names
            waiting += [content.prefabs[name] for names in prefab.template.fits.values() for name in names]
    return found


def deal_keys(content: Content, nodes: Sequence[MapNode], seed: int, shares: Shares) -> WorldKeys:
    """Return the maps on which the keys of a world's locks lie.

    A lock that no map of the world may have gets no keys. Several keys of a lock are spread over as many maps as possible.

    Args:
        content: The content.
        nodes: All maps of the world.
        seed: The seed of the world.
        shares: How many copies of each encounter with a world limit each map gets.
    """
    if not any(lock.keys_on for lock in content.locks.values()):
        return WorldKeys()
    from dungeon.content.values.map_names import maps_meant  # noqa: PLC0415  # imported already when the content was loaded

    streams = Streams(seed, "world").under("keys")
    dealer = _Dealer(content, nodes, seed, shares)
    order = streams.race(dict.fromkeys(dealer.users, 1.0), "order")
    openers = {lock: content.locks[lock].openers_on((), streams.stream("opener", lock)) for lock in order}
    dealer.waiting = set(order)
    lacking = []
    for lock in order:
        dealer.waiting.discard(lock)
        pattern = [maps_meant(text) for text in content.locks[lock].keys_on]
        maps = [node.id for node in nodes if any(each.names(node.branch, node.depth) for each in pattern)]
        for number in range(content.locks[lock].keys_of(openers[lock])):
            race = streams.race(dict.fromkeys(maps, 1.0), "map", lock, number)
            race.sort(key=dealer.dealt[lock].count)
            found = next(
                (
                    map_id
                    for all_users in (True, False)
                    for map_id in race
                    if dealer.suits(lock, map_id, all_users=all_users)
                ),
                None,
            )
            if found is None:
                lacking.append(lock)
                dealer.dealt[lock].clear()
                dealer.barred[lock] = set()
                break
            dealer.deal(lock, found)
    keys = tuple(
        WorldKey(lock, number, map_id)
        for lock in content.locks
        for number, map_id in enumerate(dealer.dealt.get(lock, ()))
    )
    barred = frozenset((lock, map_id) for lock in order for map_id in dealer.barred[lock])
    things = {key.lock: openers[key.lock] for key in keys}
    return WorldKeys(keys, things, dealer.needed(), barred, tuple(lacking))


class _Dealer:
    """Deals the keys of world locks to the maps of a world.

    Args:
        content: The content.
        nodes: All maps of the world.
        seed: The seed of the world.
        shares: How many copies of each encounter with a world limit each map gets.

    Attributes:
        nodes: Map id -> map.
        before: Map id -> the ids of the maps with an exit that leads there.
        users: World lock -> the ids of the maps that may have it.
        barring: Map id -> the world locks that may bar its exits.
        on_way: World lock -> the ids of the maps that have it on the way to an exit.
        dealt: World lock -> the ids of the maps of the keys dealt so far.
        towards: World lock -> the ids of the maps from which exits lead on to a key dealt so far, with the maps of these keys.
        barred: World lock -> the ids of its users on which nothing can be locked with it: the player can't come there from a key dealt
            so far, or may be there without that key and unable to go back for it.
        waiting: The world locks whose keys are still to be dealt.
    """

    def __init__(self, content: Content, nodes: Sequence[MapNode], seed: int, shares: Shares) -> None:
        self.nodes = {node.id: node for node in nodes}
        self.starts = content.chart.starts
        self.before: dict[str, list[str]] = {node.id: [] for node in nodes}
        self.users: dict[str, set[str]] = {}
        self.barring: dict[str, frozenset[str]] = {}
        self.on_way: dict[str, list[str]] = defaultdict(list)
        for node in nodes:
            for target in node.leads_to:
                self.before[target].append(node.id)
            had = _locks_in_world(content, node, seed, shares)
            self.barring[node.id] = had.barring
            for lock in had.all:
                self.users.setdefault(lock, set()).add(node.id)
            for lock in had.on_way:
                self.on_way[lock].append(node.id)
        self.dealt: dict[str, list[str]] = defaultdict(list)
        self.towards: dict[str, set[str]] = defaultdict(set)
        self.barred: dict[str, set[str]] = defaultdict(set)
        self.waiting: set[str] = set()

    def suits(self, lock: str, map_id: str, *, all_users: bool) -> bool:
        """Tell whether a key of a lock can lie on a map.

        The player must reach the map without the key. Where a door on the way to an exit has the lock, there must be an exit that does
        not lead towards the key.

        Args:
            lock: The lock.
            map_id: The id of the map.
            all_users: Whether the lock must then be possible on all its users; else on one of them (see `barred`).
        """
        before = self.towards[lock], self.barred[lock]
        self.deal(lock, map_id)
        barred, towards = self.barred[lock], self.towards[lock]
        is_possible = map_id in self._reached(lock)[0] and not any(
            user not in barred and exits and towards.issuperset(exits)
            for user in self.on_way[lock]
            for exits in [self.nodes[user].leads_to]
        )
        self.dealt[lock].pop()
        self.towards[lock], self.barred[lock] = before
        return is_possible and not (barred if all_users else barred >= self.users[lock])

    def deal(self, lock: str, map_id: str) -> None:
        """Put a key of a lock on a map."""
        self.dealt[lock].append(map_id)
        self.towards[lock] = self.towards[lock] | self._leading_to([map_id])
        if any(node.one_way for node in self.nodes.values()):
            _, closed = self._reached(lock)
            gone = _closure(self.nodes.keys() - self._returning(map_id, closed), partial(self._onward, ()))
            far = {user for user in self.users[lock] if map_id not in self._returning(user, ())}
            self.barred[lock] = self.barred[lock] | far | (self.users[lock] & gone)

    def _onward(self, closed: Collection[str], map_id: str) -> list[str]:
        """Return the ids of the maps to which exits of a map lead that no lock in `closed` bars."""
        barring = [
            lock for lock in self.barring[map_id] if lock in closed and map_id not in self.barred[lock]
        ]
        targets = self.nodes[map_id].leads_to
        return [target for target in targets if all(target in self.towards[lock] for lock in barring)]

    def needed(self) -> dict[tuple[str, str], frozenset[str]]:
        """Return (map id, id of the map to which its exit leads) -> the dealt locks that may bar this exit, if there are any."""
        found = {
            (node.id, target): frozenset(
                lock
                for lock in self.barring[node.id]
                if self.dealt.get(lock)
                and target not in self.towards[lock]
                and node.id not in self.barred[lock]
            )
            for node in self.nodes.values()
            for target in node.leads_to
        }
        return {way: locks for way, locks in found.items() if locks}

    def _leading_to(self, maps: Iterable[str]) -> set[str]:
        """Return the ids of some maps, and of all maps from which exits lead to these, directly or over others."""
        return _closure(maps, self.before.__getitem__)

    def _reached(self, lock: str) -> tuple[set[str], set[str]]:
        """Return (ids of the maps that the player reaches without the keys of a lock, wherever he began; the locks that stay closed)."""
        closed = {lock, *(each for each, maps in self.dealt.items() if maps and each not in self.waiting)}
        while True:
            onward = partial(self._onward, closed)
            found = set.intersection(*(_closure([start], onward) for start in self.starts))
            opened = {each for each in closed - {lock} if found.issuperset(self.dealt[each])}
            if not opened:
                return found, closed
            closed -= opened

    def _returning(self, goal: str, closed: Collection[str]) -> set[str]:
        """Return the maps from which the player is sure to be able to get to the map `goal`.

        He takes an exit towards it that no lock in `closed` bars, or goes back to the map from which he came, whichever that was.
        """
        found = {goal}
        order = sorted(self.nodes.values(), key=lambda each: each.depth, reverse=True)
        while True:
            size = len(found)
            for node in (*order, *reversed(order)):
                onward = not found.isdisjoint(self._onward(closed, node.id))
                came = self.before[node.id]
                if onward or (came and not node.one_way and found.issuperset(came)):
                    found.add(node.id)
            if len(found) == size:
                return found


def _closure(maps: Iterable[str], following: Callable[[str], Iterable[str]]) -> set[str]:
    """Return the ids of some maps, and of all maps that follow them, directly or over others; `following` returns the next ones."""
    found, waiting = set[str](), [*maps]
    while waiting:
        map_id = waiting.pop()
        if map_id not in found:
            found.add(map_id)
            waiting += following(map_id)
    return found
