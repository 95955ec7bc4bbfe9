"""Locks and keys: which doors, boxes and portals of a level are locked, and where the keys of each lock name (its *word*) lie.

A word is the name of a lock in `locks.yaml`. All doors locked with the word `red` are opened by the same keys. A lock may also
*follow* another word: it opens, without a key, when a lock of that word is opened. Every key lies where a player gets before its
lock is open:

    <...key of red...+red...key of blue...+blue...>
"""

from __future__ import annotations

from collections import Counter
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from dungeon import terrain as t
from dungeon.content.prefab.locked_ground import words_in_opens
from dungeon.content.values.grammar import listed
from dungeon.core.errors import GenerationError, counted
from dungeon.core.frozen import Frozen
from dungeon.core.vocabulary import SPACES
from dungeon.generation.locks.doors import MIN_GROUND_BEFORE, lock_gates, lock_room, lock_way, open_again
from dungeon.generation.locks.graph import KeyRequest, LockedThing, LockGraph, assumed_fill
from dungeon.generation.locks.keys import KeyPlacer
from dungeon.generation.populate.choosing import changed
from dungeon.generation.world_keys import map_lock_count, room_lock_stream, zone_lock
from dungeon.grid.rect import Cell
from dungeon.level.model import Lock
from dungeon.level.steps import Phase, Step
from dungeon.level.territory import regions_in

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from dungeon.content.models.locks import LockEntry, OpenerEntry
    from dungeon.core.streams import Stream
    from dungeon.generation.layouts.exits import LevelStairs
    from dungeon.generation.populate.populator import Populator
    from dungeon.generation.stages.brief import Brief, Stage
    from dungeon.generation.stages.exits import MapExits
    from dungeon.generation.stages.place import LevelState
    from dungeon.level.canvas import Canvas
    from dungeon.level.model import Spawn


NO_MAP = "no map on which its keys may lie can be reached without it, so nothing is locked with it"
"""The journal's reason for unlocking all doors with a word whose keys would lie on other maps."""

UNLOCKED = "there are too few places for its keys, so nothing is locked with it"
"""The journal's reason for unlocking all doors with a word: too few places for its keys."""


def lock_up(brief: Brief, state: LevelState, access: MapExits) -> Stage[dict[Cell, str]]:
    """Lock the doors that features, encounters, zones and the map's entry ask for; doors that drawings lock are locked already.

    A door that is drawn under an obstacle stays shut for good.

    Returns:
        Cell of a locked door -> the name of its lock, for all locked doors of the level; those that drawings lock come first. A
        locked portal is listed under the cell where it begins.
    """
    canvas = state.canvas
    base, terrain = canvas.terrain_set.base, canvas.terrain
    doors: dict[Cell, str] = {}
    for placed in state.drawings:
        for lock in placed.drawing.locks:
            if placed.drawing.obstacles[lock.y, lock.x]:
                continue  # no way was to lead through it, so there may be no key for it
            y, x, word = lock.moved(placed.y, placed.x)
            if base[terrain[y, x]] == t.LOCKED_DOOR:
                doors[Cell(y, x)] = word
    hung: dict[Cell, str] = {}
    for word, cells in chain(
        _of_zones(brief, state, access), _of_rooms(brief, state, access), _of_map(brief, state, access)
    ):
        hung |= dict.fromkeys(cells, word)
        yield Step(Phase.LOCKS, f"{word}: {counted(len(cells), 'door')} locked", canvas)
    if hung:
        access.occupancy.set_reachable(access.ways.ground)
    return {**doors, **hung}


def _of_zones(brief: Brief, state: LevelState, access: MapExits) -> Iterator[tuple[str, list[Cell]]]:
    """Lock the zones whose entries ask for it; for each, yield the name of its lock and the cells of its locked doors."""
    canvas, zones = state.canvas, state.zones
    for zone in zones:
        word = zone_lock(brief.content, brief.name, zone.name, brief.streams)
        if word is None:
            continue
        gates = {(door.y, door.x) for door in canvas.connections} | {
            portal.begin for portal in canvas.portals
        }
        found = lock_gates(
            canvas,
            [gate for gate in zone.gates if gate in gates],
            regions_in(canvas, zones, [zone.name]),
            access.ways.ground,
            access.ways.entrance,
        )
        if isinstance(found, str):
            reason = f"not locked with {word}: {found}"
            brief.journal.note("locks", f"zone {zone.name}", "refused", reason)
        else:
            yield word, found


def _of_rooms(brief: Brief, state: LevelState, access: MapExits) -> Iterator[tuple[str, list[Cell]]]:
    """Lock the rooms of features and encounters that ask for it; for each, yield the name of its lock and the cells of its doors."""
    ground, keep = access.ways.ground, access.ways.all_cells
    for index, placement in enumerate(state.placements):
        forms = brief.content.forms.get(placement.encounter, ())
        said = [form.entry.lock for form in forms if form.variant == placement.variant]
        lock = said[0] if said else state.seeded.locks.get(index)
        name = placement.encounter or placement.prefab
        stream = room_lock_stream(brief.streams, name, placement.copy)
        word = lock.roll(stream) if lock is not None else None
        if word is None:
            continue
        found = lock_room(state.canvas, placement.region, ground, keep)
        if isinstance(found, str):
            brief.journal.note("locks", name, "refused", f"not locked with {word}: {found}")
        else:
            yield word, found


NO_GATE = (
    f"no door lies on every way to an exit and has at least {MIN_GROUND_BEFORE:.0%} of the map before it"
)
"""Why a map with exits has no lock on its way."""


def _of_map(brief: Brief, state: LevelState, access: MapExits) -> Iterator[tuple[str, list[Cell]]]:
    """Lock the doors that the key `locks` of the map's entry asks for; for each lock, yield its name and the cells of its doors."""
    canvas, ways, streams = state.canvas, access.ways, brief.streams
    used = {placement.region for placement in state.placements}
    free = [each.id for each in canvas.regions if each.kind in SPACES and each.id not in used]
    for word, wish in brief.entry.locks.items():
        for number in range(map_lock_count(brief.content, brief.name, word, streams)):
            stream = streams.stream("locks", "map", word, number)
            if wish.on == "way":
                taken = access.occupancy.meant | canvas.drawn
                barred, kept = _exits_to_bar(brief, ways, word)
                gate = lock_way(canvas, ways.ground, ways.entrance, barred, taken, stream, kept)
                cells = [gate] if gate else None
                lacking = NO_GATE if ways.exits else "the map has no exit"
            else:
                cells = _any_room(canvas, free, ways.ground, ways.all_cells, stream)
                lacking = "no room off the way can be locked"
            if cells is None:
                brief.journal.note("locks", word, "refused", lacking)
            else:
                yield word, cells


def _exits_to_bar(brief: Brief, ways: LevelStairs, word: str) -> tuple[list[Cell], list[Cell]]:
    """Return (cells of the exits that a lock may bar, cells of those that lead towards its key on another map).

    A map to which several stairs of a tower lead has its exits in neither list.
    """
    linked = [each.leads_to for floor in brief.floors for each in floor.down]
    there = dict(zip(brief.leads_to, ways.exits, strict=True))
    kept = [
        target
        for target in there
        if word in brief.keys.maps and word not in brief.keys.needed.get(target, ())
    ]
    barred = [cell for target, cell in there.items() if target not in kept and linked.count(target) < 2]
    return barred, [there[target] for target in kept if linked.count(target) < 2]


def _any_room(
    canvas: Canvas, regions: Sequence[int], ground: NDArray[np.bool_], keep: Sequence[Cell], stream: Stream
) -> list[Cell] | None:
    """Lock all doors of one region, and return the cells of these doors. Regions with few doors are tried first.

    Args:
        canvas: The map.
        regions: The ids of the regions to choose from.
        ground: (height, width) bool: the cells that can be walked on from the entrance.
        keep: Cells that must stay outside the locked region, such as the stairs.
        stream: The random stream.

    Returns:
        The cells, or None if no region can be locked.
    """
    order = list(regions)
    stream.shuffle(order)
    doors = Counter(region for door in canvas.connections for region in door.between)
    order.sort(key=doors.__getitem__)
    tried = (lock_room(canvas, region, ground, keep) for region in order)
    return next((each for each in tried if not isinstance(each, str)), None)


def put_keys(
    brief: Brief, populator: Populator, locked: Mapping[Cell, str], ways: LevelStairs
) -> tuple[Lock, ...]:
    """Put the keys of all locks on the level, and return the locks that stay locked.

    If too few keys of a lock name find a place, everything locked with that name is unlocked. A lock that no player can reach, such
    as that of a chest in a sealed region, is not returned if `locks.yaml` has an entry for it, nor one in a sealed region that nothing
    opens: that region may turn out to be open.

    The keys of some locks lie on other maps. The player may enter the level with or without them. So the level's own keys
    must be in reach in either case, and so must the keys that lie here for locks of other maps.

    Args:
        brief: The level to make.
        populator: Holds the objects of the level, and gets the keys.
        locked: Cell of a locked door or portal -> the name of its lock.
        ways: The entrance, where the player arrives, and the exits.

    Raises:
        GenerationError: There is no place for a key that opens locks on other maps.
    """
    entries = brief.content.locks
    barred = _locked_things(brief, populator, locked)
    openers = _openers([each.word for each in barred], entries, brief)
    if openers or brief.keys.here:
        barred = [
            each._replace(follows=openers[each.word].follows if each.word in openers else "")
            for each in barred
        ]
        barred, graph = _openable(brief, populator, barred, openers, ways)
        lost = _lost(_fill(brief, populator, graph, barred, openers, ways.entrance), openers)
        for word in sorted(lost):
            brief.journal.note("locks", word, "refused", UNLOCKED)
        barred = _given_up(populator, barred, lost)
    sealed = populator.occupancy.sealed
    if any(sealed[cell] for each in barred for cell in each.cells):
        opened = {*openers, *(word for _, word in _lying(populator))}
        barred = [
            each for each in barred if each.word in opened or not any(sealed[cell] for cell in each.cells)
        ]
    left = {each.word for each in barred}
    return tuple(
        Lock(
            y=each.cells[0].y,
            x=each.cells[0].x,
            word=each.word,
            follows=each.follows if each.follows in left else "",
            name=entries[each.word].name if each.word in entries else "",
            count=openers[each.word].needed if each.word in openers else 1,
            keys_on=brief.keys.elsewhere(each.word, brief.id),
        )
        for each in barred
    )


def _locked_things(brief: Brief, populator: Populator, locked: Mapping[Cell, str]) -> list[LockedThing]:
    """Return the locked doors and portals, and the locked boxes whose lock has an entry. Locks for whose keys no map fits are given up.

    Args:
        brief: The level to make.
        populator: Holds the objects of the level.
        locked: Cell of a locked door or portal -> the name of its lock.
    """
    entries, canvas = brief.content.locks, populator.canvas
    base, terrain = canvas.terrain_set.base, canvas.terrain
    portals = {portal.begin: portal for portal in canvas.portals}
    barred = [
        LockedThing((cell, portals[cell].end) if cell in portals else (cell,), word)
        for cell, word in locked.items()
        if cell in portals or base[terrain[cell]] == t.LOCKED_DOOR
    ]
    barred += [
        LockedThing(each.cells, word, is_door=False)
        for each in populator.spawns
        if each.like == "prop" and isinstance(word := each.keywords.get("lock"), str) and word in entries
    ]
    lacking = {
        each.word
        for each in barred
        if each.word in entries and entries[each.word].keys_on and each.word not in brief.keys.maps
    }
    for word in sorted(lacking):
        brief.journal.note("locks", word, "refused", NO_MAP)
    return _given_up(populator, barred, lacking)


def _openable(
    brief: Brief,
    populator: Populator,
    barred: list[LockedThing],
    openers: Mapping[str, _Opener],
    ways: LevelStairs,
) -> tuple[list[LockedThing], LockGraph]:
    """Return (the locked things that may stay locked, the graph of the level with them); the others are given up or left out.

    A lock is given up if all locks that it follows lie behind it, or if it bars an exit that must be open without keys from other maps.
    What no player can reach is left out.

    Args:
        brief: The level to make.
        populator: Holds the objects of the level.
        barred: The locked doors, portals and boxes.
        openers: Lock name -> what opens such locks.
        ways: The entrance and the exits.
    """
    keyed = {word for word, opener in openers.items() if opener.things}

    def divided() -> tuple[LockGraph, list[tuple[int, str]]]:
        graph = _graph(populator, barred, openers, ways.entrance)
        return graph, _lying_within(populator, graph, _areas_near(graph, barred))

    graph, lying = divided()
    while stuck := graph.stuck(keyed, lying):
        for word in sorted(stuck):
            brief.journal.note("locks", word, "refused", "all locks that it follows lie behind it")
        barred = _given_up(populator, barred, stuck)
        graph, lying = divided()
    met = graph.in_reach(keyed, lying)
    if not all(met):
        barred = [
            each for each, is_met in zip(barred, met, strict=True) if is_met or each.word not in openers
        ]
        graph, lying = divided()
    if shutting := _shutting_exits(brief, graph, openers, lying, ways):
        barred = _given_up(populator, barred, shutting)
        graph, _ = divided()
    return barred, graph


def _given_up(
    populator: Populator, barred: Sequence[LockedThing], lost: Collection[str]
) -> list[LockedThing]:
    """Unlock every door, portal and box in `barred` whose lock has a name in `lost`; return those that stay locked."""
    if not lost:
        return [*barred]
    canvas = populator.canvas
    given_up = [each for each in barred if each.word in lost]
    ends = {portal.begin for portal in canvas.portals}
    open_again(canvas, [each.cells[0] for each in given_up if each.is_door and each.cells[0] not in ends])
    boxes = {each.cells for each in given_up if not each.is_door}
    for index, spawn in enumerate(populator.spawns):
        if spawn.cells in boxes and spawn.keywords.get("lock") in lost:
            told = {key: value for key, value in spawn.keywords.items() if key != "lock"}
            populator.spawns[index] = changed(spawn, keywords=Frozen(told))
    return [each for each in barred if each.word not in lost]


def _lying(populator: Populator) -> Iterator[tuple[Spawn, str]]:
    """Yield (object, lock name) for each object on the level that opens locks, once for each lock name that it opens."""
    for spawn in populator.spawns:
        if "opens" in spawn.keywords:
            for word in words_in_opens(spawn.keywords["opens"]):
                yield spawn, word


def _areas_near(graph: LockGraph, barred: Sequence[LockedThing]) -> Callable[[Sequence[Cell]], int]:
    """Return a function of an object's cells: the mask of the areas from which the object is used; for a locked thing, its own area.

    Args:
        graph: The areas into which locks divide the level.
        barred: The locked doors, portals and boxes, in the order of the graph's locks.
    """
    inside = {each.cells: 1 << lock.inside for each, lock in zip(barred, graph.locks, strict=True)}
    return lambda cells: inside.get(tuple(cells)) or graph.near(cells)


def _lying_within(
    populator: Populator, graph: LockGraph, near: Callable[[Sequence[Cell]], int]
) -> list[tuple[int, str]]:
    """Return the objects on the level that open locks, each as (mask of the areas from which it can be taken, lock name).

    Args:
        populator: Holds the objects of the level.
        graph: The areas into which locks divide the level.
        near: Returns the mask of the areas near cells (`_areas_near`).
    """
    return [
        (near(spawn.cells) if spawn.like == "prop" else graph.near(populator.reach_of(spawn)), word)
        for spawn, word in _lying(populator)
    ]


class _Opener(NamedTuple):
    """What opens the locks of one name on a level: keys, the opening of another lock, or either.

    Attributes:
        follows: The name of the other lock; "" if only keys open these locks.
        things: What the keys are; empty if only the other lock opens these.
        entry: The lock entry that says this.
    """

    follows: str
    things: tuple[OpenerEntry, ...]
    entry: LockEntry

    @property
    def needed(self) -> int:
        """How many keys one lock needs."""
        return max((each.count for each in self.things), default=1)


def _openers(words: Sequence[str], entries: Mapping[str, LockEntry], brief: Brief) -> dict[str, _Opener]:
    """Return lock name -> what opens such locks, for the names in `words` that have an entry.

    By its entry, a lock may open when another lock is opened. If nothing on the level is locked with the name of that other lock,
    keys open this lock: the kind of keys that the other lock would have.

    Args:
        words: The names of the locks on the level.
        entries: Lock name -> its entry in ``locks.yaml``.
        brief: The level to make.
    """
    found = {}
    for word in dict.fromkeys(words):
        name = word
        while (entry := entries.get(name)) is not None:
            openers = brief.keys.openers.get(word, ()) if entry.keys_on and name == word else ()
            openers = openers or entry.openers_on(words, brief.streams.stream("locks", "opener", name))
            if openers:
                follows = next((each.lock for each in openers if each.lock is not None), "")
                things = tuple(each for each in openers if each.lock is None)
                found[word] = _Opener(follows, things, entry)
                if len(entry.opened_by) > 1:
                    ways = listed([str(each) for each in openers], "or")
                    reason = f"opened by {ways}, of {len(entry.opened_by)} openers"
                    brief.journal.note("locks", word, "chosen", reason)
                break
            name = entry.followed[0]
    return found


def _far(brief: Brief, openers: Mapping[str, _Opener]) -> set[str]:
    """Return the names of the level's locks for which not all keys lie on the level."""
    return {word for word in openers if brief.keys.elsewhere(word, brief.id)}


def _shutting_exits(
    brief: Brief,
    graph: LockGraph,
    openers: Mapping[str, _Opener],
    lying: Sequence[tuple[int, str]],
    ways: LevelStairs,
) -> set[str]:
    """Return the names of the locks that must be given up, because they bar an exit for which the player needs no key of theirs.

    Only locks are asked whose keys lie on other maps.

    Args:
        brief: The level to make.
        graph: The areas into which locks divide the level, and the locks between them.
        openers: Lock name -> what opens such locks.
        lying: The keys that are on the level already (`_lying_within`).
        ways: The entrance and the exits.
    """
    far, found = _far(brief, openers), set[str]()
    if not far:
        return found
    local = {word for word, opener in openers.items() if opener.things} - far

    def reached(words: set[str]) -> int:
        return graph.with_all_keys(local | words, lying)

    for target, cell in zip(brief.leads_to, ways.exits, strict=True):
        area, needed = 1 << int(graph.labels[cell]), brief.keys.needed[target]
        if not reached(far) & area or reached(far & needed) & area:
            continue
        barring = {word for word in far - needed if not reached(far - {word}) & area}
        barring = barring or far - needed
        for word in sorted(barring - found):
            reason = f"its keys lie on other maps, and it would bar the exit to {target}, which must be open"
            brief.journal.note("locks", word, "refused", reason)
        found |= barring
    return found


def _fill(
    brief: Brief,
    populator: Populator,
    graph: LockGraph,
    barred: Sequence[LockedThing],
    openers: Mapping[str, _Opener],
    entrance: Cell,
) -> set[str]:
    """Put keys on the level; return the names of the locks for which too few keys found a place.

    Args:
        brief: The level to make.
        populator: Holds the objects of the level, and gets the keys.
        graph: The areas into which locks divide the level, and the locks between them.
        barred: The locked doors, portals and boxes, in the order of the graph's locks.
        openers: Lock name -> what opens such locks.
        entrance: The cell where the player arrives.
    """
    journal, locked_with, far = brief.journal, {each.word for each in barred}, _far(brief, openers)
    things = {
        word: opener.things
        for word, opener in openers.items()
        if opener.things and word in locked_with and not opener.entry.keys_on
    }
    things |= {key.lock: brief.keys.openers[key.lock] for key in brief.keys.here}
    keyed = {
        word: brief.content.locks[word] if word not in openers else openers[word].entry for word in things
    }
    near = _areas_near(graph, barred)
    wanted = [KeyRequest(each.lock, each.number, keyed[each.lock].nested) for each in brief.keys.here]
    for word, entry in keyed.items():
        if not entry.keys_on:
            locks = sum(each.word == word for each in barred)
            count = entry.keys_of(things[word]) * (locks if entry.consumed else 1)
            wanted += [KeyRequest(word, number, entry.nested) for number in range(count)]
    putter = KeyPlacer(
        populator=populator,
        entries=keyed,
        things=things,
        labels=graph.labels,
        near=near,
        locked={
            word: [cell for each in barred if each.word == word for cell in each.cells] for word in keyed
        },
        entrance=entrance,
        streams=brief.streams,
    )
    lying = _lying_within(populator, graph, near)

    def put(key: KeyRequest, areas: int, preferred: int) -> int:
        found = putter.put(key.word, key.number, areas, preferred)
        if found and key.word not in far:
            lying.append((found, key.word))
        return found

    refused = []
    outgoing = {key.lock for key in brief.keys.here}
    for held, keys in _by_keys_held(graph, wanted, far, outgoing, {word for _, word in lying}):
        had = [(graph.everywhere, word) for word in held for _ in range(graph.needs[word])]
        refused += assumed_fill(graph, [*lying, *had], keys, put, brief.streams)
    for key in refused:
        journal.note("locks", key.word, "refused", "no place is left for its key")
        if keyed[key.word].keys_on:
            raise GenerationError(f"no place is left for a key of the lock {key.word!r} of other maps")
    there = Counter(key.word for key in wanted if key not in refused)
    return {word for word in keyed.keys() & locked_with - far if there[word] < graph.needs[word]}


def _by_keys_held(
    graph: LockGraph,
    wanted: Sequence[KeyRequest],
    far: Collection[str],
    outgoing: Collection[str],
    drawn: Collection[str],
) -> list[tuple[list[str], list[KeyRequest]]]:
    """Sort keys by what the player must have from other maps before he needs them.

    A key of a lock that he reaches only with keys from other maps may lie where he needs these. All others must be in reach
    without. So must keys of locks on other maps; of these, each is a list of its own if its lock is in `far`.

    Args:
        graph: The areas into which locks divide the level, and the locks between them.
        wanted: The keys to place.
        far: The names of the level's locks for which not all keys lie on the level.
        outgoing: The names of the locks of other maps, or also of this one, that keys of this level open.
        drawn: The names of the locks for which drawings have keys.

    Returns:
        (names in `far` that the player must be able to open, keys), in the order in which the keys are to be placed.
    """
    if not far:
        return [([], [*wanted])]
    words = {key.word for key in wanted}.union(far, drawn)
    needs: dict[str, list[str]] = {word: [] for word in words}
    for other in sorted(far):
        near = graph.in_reach(words - {other})
        met = {lock.word for lock, is_near in zip(graph.locks, near, strict=True) if is_near}
        for word in {lock.word for lock in graph.locks} & words - met - {*outgoing}:
            needs[word].append(other)
    groups: dict[tuple[str, ...], list[KeyRequest]] = {(): []}
    for key in wanted:
        if key.word not in far:
            groups.setdefault(tuple(needs[key.word]), []).append(key)
    found: list[tuple[list[str], list[KeyRequest]]] = [([], groups.pop(()))]
    found += [([], [key]) for key in wanted if key.word in far]
    ordered = sorted(groups.items(), key=lambda group: (len(group[0]), group[0]))
    return found + [([*held], keys) for held, keys in ordered]


def _graph(
    populator: Populator, barred: Sequence[LockedThing], openers: Mapping[str, _Opener], entrance: Cell
) -> LockGraph:
    """Return a graph of the level: its nodes are the areas into which closed locks divide the ground, its edges are the locks.

    Args:
        populator: Holds the objects of the level.
        barred: The locked doors, portals and boxes.
        openers: Lock name -> what opens such locks.
        entrance: The cell where the player arrives.
    """
    canvas = populator.canvas
    consumed = [word for word, opener in openers.items() if opener.things and opener.entry.consumed]
    counts = {word: opener.needed for word, opener in openers.items()}
    free = canvas.passable() & ~populator.occupancy.stands & (canvas.base != t.LOCKED_DOOR)
    shut = {each.cells for each in barred}
    leaps = [leap for leap in canvas.leaps if leap not in shut]
    return LockGraph.of(free, barred, entrance, consumed, leaps, counts)


def _lost(words: set[str], openers: Mapping[str, _Opener]) -> set[str]:
    """Return `words`, and the names of all other locks that open when a lock in `words` is opened.

    Locks that keys open as well are among them, as their keys may lie where that other lock was to let the player in.

    Args:
        words: Lock names.
        openers: Lock name -> what opens such locks.
    """
    while more := {word for word, opener in openers.items() if opener.follows in words} - words:
        words = words | more
    return words
