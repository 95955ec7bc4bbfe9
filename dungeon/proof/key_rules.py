"""Rules of the proof about locks whose keys lie on other maps of the world (`keys_on`).

What the world decides is `World.keys`, and for each exit which of these locks may bar it (`World.locks_before`). Each level is checked
against that, and the whole world as a graph of maps: can all maps be reached, and can no player lose a key by going on without it?

Each public function is a rule: its docstring states what must hold, and it yields a finding for each violation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dungeon.proof.fields import Fields
from dungeon.proof.level_puzzle import opened_by
from dungeon.proof.survey import Survey

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from dungeon.level.model import Exit
    from dungeon.proof.fields import Finding
    from dungeon.proof.world_rules import LevelOrigin
    from dungeon.world import World


def key_maps(origin: LevelOrigin) -> Iterator[Finding]:
    """`Lock.keys_on` lists the maps on which the world has the lock's keys, if these are not all on the level itself."""
    for lock in origin.level.locks:
        maps = tuple(dict.fromkeys(key.map for key in origin.world.keys if key.lock == lock.word))
        if lock.keys_on != (() if maps == (origin.level.id,) else maps):
            text = f"the keys of {lock.word!r} lie on {maps or 'no other map'}, not on {lock.keys_on}"
            yield text, lock.y, lock.x


def key_here(origin: LevelOrigin) -> Iterator[Finding]:
    """Each key that the world puts on the level is there, and a player can take it without keys from other maps."""
    level, wanted = origin.level, [key.lock for key in origin.world.keys if key.map == origin.level.id]
    if not wanted:
        return
    survey = Survey(Fields(level), given=())
    for lock in dict.fromkeys(wanted):
        keys = [index for index, spawn in enumerate(level.spawns) if lock in opened_by(spawn)]
        found = [index for index in keys if _is_in_reach(survey, index)]
        if len(found) < wanted.count(lock):
            yield (
                f"a player can take {len(found)} keys of the lock {lock!r} of other maps without keys from there, not {wanted.count(lock)}",
                None,
                None,
            )


def _is_in_reach(survey: Survey, index: int) -> bool:
    """Tell whether a player can take or use a spawn that opens locks; `index` is its place in `Level.spawns`."""
    if survey.played is None:
        return any(survey.walked[place] for place in survey.around(index))
    level, outcome = survey.played
    opened = sum(1 << lock for lock in outcome.order)
    reached = level.puzzle.reached(level.puzzle.start, opened)
    return bool(level.puzzle.keys[level.keys.index(index)].areas & reached)


def key_exit(origin: LevelOrigin) -> Iterator[Finding]:
    """A player gets to an exit to each map with no other keys from other maps than those that the world says this exit needs."""
    if not any(lock.keys_on for lock in origin.level.locks):
        return
    surveys: dict[frozenset[str], Survey] = {}
    ways: dict[str, list[Exit]] = {}
    for way in origin.level.exits:
        ways.setdefault(way.leads_to, []).append(way)
    for target, exits in ways.items():
        needed = origin.world.locks_before(origin.level.id, target)
        if needed not in surveys:
            surveys[needed] = Survey(Fields(origin.level), given=needed)
        survey = surveys[needed]
        places = [survey.at(way.y, way.x) for way in exits]
        if not any(place is not None and survey.walked[place] for place in places):
            with_keys = f"only the keys of {', '.join(sorted(needed))}" if needed else "no keys"
            text = f"a player with {with_keys} from other maps can't reach the exit to {target}"
            yield text, exits[0].y, exits[0].x


def key_world(origin: LevelOrigin) -> Iterator[Finding]:
    """Wherever a game begins, a player can reach every map ahead, and can go back for each key as long as there may be a lock for it."""
    if origin.world.keys:
        for start in (origin.world.start, *origin.world.starts.values()):
            yield from _key_world_from(origin.world, start.id)


def _key_world_from(world: World, start: str) -> Iterator[Finding]:
    """Yield what `key_world` finds in games that begin on the map `start`."""
    locks = {key.lock for key in world.keys}
    reached, shut = _reached(world, start, ())
    ahead, _ = _reached(world, start, (), locked=False)
    for node in world.maps:
        if node.id in ahead - reached:
            yield (
                f"the map {node.id} can't be reached, for want of keys of {', '.join(sorted(shut))}",
                None,
                None,
            )
    for lock in sorted(locks):
        reached, shut = _reached(world, start, (lock,))
        for goal in dict.fromkeys(key.map for key in world.keys if key.lock == lock):
            able = _able_to_return(world, goal, reached, shut)
            for map_id in sorted(reached - able):
                if lock in _locks_ahead(world, map_id):
                    yield (
                        f"from {map_id} a player may be unable to go back to {goal} for the key of {lock!r}",
                        None,
                        None,
                    )


def _reached(
    world: World, start: str, without: Collection[str], *, locked: bool = True
) -> tuple[set[str], set[str]]:
    """Return (ids of the maps that a player reaches who finds all keys but those of the locks `without`, locks that stay shut).

    Args:
        world: The world.
        start: The id of the map on which the game begins.
        without: The locks.
        locked: Whether there are locks at all.
    """
    shut = {key.lock for key in world.keys if locked}
    while True:
        found, waiting = set[str](), [start]
        while waiting:
            map_id = waiting.pop()
            if map_id not in found:
                found.add(map_id)
                targets = world.node(map_id).leads_to
                waiting += [each for each in targets if shut.isdisjoint(world.locks_before(map_id, each))]
        missing = {key.lock for key in world.keys if key.map not in found} | {*without}
        if shut <= missing:
            return found, shut
        shut &= missing


def _able_to_return(world: World, goal: str, reached: set[str], shut: Collection[str]) -> set[str]:
    """Return those of the maps in `reached` from which a player surely gets to the map `goal`, while some locks are shut.

    He may go on by exits that these locks do not bar, and back to the map from which he came, whichever of several that was.
    """
    able = {goal}
    while True:
        more = set()
        for map_id in reached - able:
            node = world.node(map_id)
            came = [each.id for each in world.maps if map_id in each.leads_to and each.id in reached]
            if any(
                each in able and world.locks_before(map_id, each).isdisjoint(shut) for each in node.leads_to
            ) or (came and not node.one_way and able.issuperset(came)):
                more.add(map_id)
        if not more:
            return able
        able |= more


def _locks_ahead(world: World, map_id: str) -> set[str]:
    """Return the locks that may bar an exit of a map, or of a map to which its exits lead in the end."""
    found, seen, waiting = set[str](), set[str](), [map_id]
    while waiting:
        here = waiting.pop()
        if here not in seen:
            seen.add(here)
            for target in world.node(here).leads_to:
                found |= world.locks_before(here, target)
                waiting.append(target)
    return found
