"""Rules of the proof about what a player can reach on foot once everything stands in its place, and about locks. A pocket is ground that only water, a prop or a locked door cuts off.

`survey` defines how a player walks. Ground that no steps reach at all is reported by `unreachable`. Ground that only water, a
blocking prop or a locked door cuts off is a *pocket*. Each pocket is reported once, with the exits and items in it: by
`walk_exit` if it has an exit, else by `walk_pocket`. Sealed regions are exempt, as they must be cut off (`region_sealed`).

Each public function is a rule: its docstring states what must hold, and it yields a finding for each violation.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from dungeon import terrain as t
from dungeon.core.vocabulary import UNDERFOOT
from dungeon.proof.flat import base_name, parts_of, placement_name
from dungeon.proof.level_puzzle import locks_at, opened_by

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dungeon.level.model import Lock
    from dungeon.proof.fields import Finding
    from dungeon.proof.survey import Pocket, Survey


def unreachable(survey: Survey) -> Iterator[Finding]:
    """4-neighbour steps and portals lead from the entrance to all walkable ground outside the sealed regions."""
    lost = survey.open & ~survey.reached
    if survey.entrance is None or not lost.any():
        return
    for cells in parts_of(lost & ~survey.sealed, survey.stride):
        if survey.lost[cells].any():
            size = len(cells)
            text = f"no steps lead to {size} open cell{'s' if size > 1 else ''}"
            yield survey.finding(text, int(cells[0]))


def walk_pocket(survey: Survey) -> Iterator[Finding]:
    """A player can reach all walkable ground that no blocking prop covers, outside the sealed regions."""
    for pocket in survey.pockets:
        if not pocket.exits:
            yield survey.finding(_pocket_message(survey, pocket), int(pocket.cells[0]))


def walk_exit(survey: Survey) -> Iterator[Finding]:
    """A player can walk from the entrance to every exit, and to every stairs up of a tower."""
    for pocket in survey.pockets:
        if pocket.exits:
            yield _pocket_message(survey, pocket), pocket.exits[0].y, pocket.exits[0].x
    for way in (*survey.level.exits, *survey.level.ways_back):
        place = survey.at(way.y, way.x)
        if place is None or survey.walked[place] or not survey.walkable[place]:
            continue
        if survey.entrance is not None and survey.sealed[place]:
            yield f"the exit to {way.leads_to} lies in a sealed region", way.y, way.x


def walk_region(survey: Survey) -> Iterator[Finding]:
    """A player can enter every room and cave that has walkable ground and is not sealed."""
    runs = survey.region_runs
    # In most regions a player reaches the first cell of some run, which is quick to see.
    entered = set(np.bincount(runs.region[survey.walked[runs.start]]).nonzero()[0].tolist())
    for number, region in survey.regions.items():
        if number in entered or region.sealed or region.kind not in ("room", "cave"):
            continue
        ground = (survey.region == number) & survey.reached
        filled = (ground & survey.walkable & survey.stopped).nonzero()[0]
        # A region with free ground that is cut off is a pocket: `walk_pocket` reports that.
        if len(filled) and not (ground & (survey.walked | survey.lost)).any():
            place = int(filled[0])
            text = f"a player can't enter {region.kind} {number}: {survey.obstacles[place].tag} fills it"
            yield survey.finding(text, place)


def walk_item(survey: Survey) -> Iterator[Finding]:
    """Items and traps lie on walkable ground. An item on a prop that blocks is taken from beside the prop, where a player can stand."""
    standing, place = survey.standing, survey.standing.place
    in_water = standing.on_map & survey.open[place] & ~survey.walkable[place]
    in_water &= survey.base[place] != t.LOCKED_DOOR
    for index in standing.owners(in_water) if in_water.any() else ():
        spawn = survey.level.spawns[index]
        if spawn.like in UNDERFOOT:
            yield f"{spawn.kind} {spawn.tag} lies on ground that is not walkable", spawn.y, spawn.x
    on_prop = survey.stopped[place] & ~survey.blocking[standing.owner]
    if survey.entrance is None or not on_prop.any():
        return
    for index in standing.owners(on_prop):
        spawn = survey.level.spawns[index]
        near = survey.around(index)
        if spawn.like == "item" and not (survey.walked[near] | survey.sealed[near]).any():
            yield f"a player can't reach the prop on which {spawn.kind} {spawn.tag} lies", spawn.y, spawn.x


def walk_loadout(survey: Survey) -> Iterator[Finding]:
    """A player can reach a cell beside every prop that has a loadout, outside the sealed regions."""
    if survey.entrance is None or not any(survey.spawns.loadout):
        return
    for index, held in enumerate(survey.spawns.loadout):
        spawn = survey.level.spawns[index]
        if held and spawn.like == "prop":
            near = survey.around(index)
            if not (survey.walked[near] | survey.sealed[near]).any():
                yield f"a player can't reach {spawn.tag}, which has a loadout", spawn.y, spawn.x


NAMED = 3
"""Number of names that a message lists; the rest is counted (`a, b, c and 2 more`)."""


def _pocket_message(survey: Survey, pocket: Pocket) -> str:
    """Return the message for a pocket: its size, its regions, the exits and items in it, and what blocks the way."""
    size = len(pocket.cells)
    text = f"a player can't reach {size} cell{'' if size == 1 else 's'} of {_pocket_place(survey, pocket)}"
    inside = [f"the exit to {way.leads_to}" for way in pocket.exits] + pocket.items
    if inside:
        text += f", with {_list_in_words(inside)} there"
    causes = _obstacles_around(survey, pocket)
    return text + (f"; in the way: {_list_in_words(causes)}" if causes else "")


def _pocket_place(survey: Survey, pocket: Pocket) -> str:
    """Return the names of the regions of a pocket, and of the placement at its first cell: `room 3 in vault`."""
    names = []
    for number in dict.fromkeys(survey.region[pocket.cells].tolist()):
        region = survey.regions.get(number)
        names.append(f"{region.kind} {number}" if region else f"region {number}" if number else "no region")
    y, x = divmod(int(pocket.cells[0]), survey.stride)
    lying = (each for each in survey.level.placements if each.bounds.contains(y - 1, x - 1))
    placed = next(lying, None)
    return _list_in_words(names) + (f" in {placement_name(placed)}" if placed else "")


def _obstacles_around(survey: Survey, pocket: Pocket) -> list[str]:
    """Return the names of the obstacles that cut off a pocket, each once.

    If some of them are beside ground that the player reaches, only these count.
    """
    stride = survey.stride
    steps = np.array([-stride, -1, 1, stride])
    around = np.unique(pocket.cells[:, None] + steps)
    around = around[survey.open[around] & ~survey.lost[around] & ~survey.walked[around]]
    touching = survey.walked[around[:, None] + steps].any(axis=1)
    if touching.any():
        around = around[touching]
    return [*dict.fromkeys(_obstacle_name(survey, place) for place in around.tolist())]


def _obstacle_name(survey: Survey, place: int) -> str:
    """Return the name of the obstacle at a place: the blocking prop, else the locked door, else the terrain."""
    if place in survey.obstacles:
        return survey.obstacles[place].tag
    if survey.bases[place] == t.LOCKED_DOOR:
        return _locked_door_name(survey, place)
    y, x = divmod(place, survey.stride)
    level = survey.level
    return level.terrain_set.kinds[int(level.terrain[y - 1, x - 1])].name


def _locked_door_name(survey: Survey, place: int) -> str:
    """Return words for a locked door that stays closed, with the reason: ``a door locked with 'brass' that nothing opens``."""
    all_words, follows = locks_at(survey)
    words = sorted(all_words.get(place, ()))
    if not words:
        return "a locked door that nothing opens"
    if place in follows:
        return f"a door locked with {words[0]!r} that opens after {min(follows[place])!r}"
    keys = {word for spawn in survey.level.spawns for word in opened_by(spawn)}
    lacking = [word for word in words if word not in keys]
    if lacking:
        return f"a door locked with {lacking[0]!r} that nothing opens"
    return f"a door locked with {words[0]!r} whose key can't be reached before it"


def _list_in_words(names: Iterable[str]) -> str:
    """Return names as a list in words, at most `NAMED` of them: `a, b, c and 2 more`."""
    names = [*names]
    shown = names[:NAMED]
    if len(names) > NAMED:
        shown.append(f"{len(names) - NAMED} more")
    return " and ".join(filter(None, (", ".join(shown[:-1]), shown[-1])))


def lock_place(survey: Survey) -> Iterator[Finding]:
    """Every lock lies on a locked door, on the cell where a portal begins, or on a prop whose `lock` keyword is the lock's name."""
    begun = {passage.begin for passage in survey.passages}
    for lock in survey.level.locks:
        place = survey.at(lock.y, lock.x)
        if place is None:
            yield f"the lock {lock.word!r} lies outside the map", lock.y, lock.x
        elif (
            survey.bases[place] != t.LOCKED_DOOR
            and place not in begun
            and not _is_on_locked_prop(survey, lock)
        ):
            text = f"the lock {lock.word!r} lies on {base_name(survey.bases[place])}, which can't be locked"
            yield text, lock.y, lock.x


def lock_twice(survey: Survey) -> Iterator[Finding]:
    """No two locks share a cell."""
    seen: set[tuple[int, int]] = set()
    for lock in survey.level.locks:
        if (lock.y, lock.x) in seen:
            yield f"the lock {lock.word!r} shares its cell with another lock", lock.y, lock.x
        seen.add((lock.y, lock.x))


def lock_key(survey: Survey) -> Iterator[Finding]:
    """Every locked door with a `Lock` can be opened by something on the level, unless it belongs to a sealed region.

    A door that cuts off ground is not reported here: that ground is a pocket (`walk_pocket`).
    """
    closed = frozenset(survey.closed)
    for lock in survey.level.locks if closed else ():
        place = survey.at(lock.y, lock.x)
        if place not in closed:
            continue
        near = [place, place - survey.stride, place - 1, place + 1, place + survey.stride]
        if not any(survey.sealed[each] or survey.lost[each] for each in near):
            yield f"nothing on the level opens the lock {lock.word!r}", lock.y, lock.x


def lock_shut(survey: Survey) -> Iterator[Finding]:
    """Every locked prop that `Level.locks` lists can be opened."""
    if survey.played is None:
        return
    level, outcome = survey.played
    listed = {survey.at(lock.y, lock.x) for lock in survey.level.locks}
    for number, locked in enumerate(level.locked):
        if locked.what == "box" and locked.place in listed and number not in outcome.order:
            tag = survey.level.spawns[locked.number].tag
            text = f"a player can't reach a key of {tag}, locked with {locked.word!r}"
            yield survey.finding(text, locked.place)


def lock_order(survey: Survey) -> Iterator[Finding]:
    """In whatever order a player spends keys, all locks that can be opened at all can still be opened."""
    if survey.played is None:
        return
    level, outcome = survey.played
    if outcome.stranded is not None:
        first = level.locked[outcome.stranded[0]].place
        words = ", ".join(dict.fromkeys(level.locked[number].word for number in outcome.stranded))
        yield survey.finding(
            f"a player may spend keys so that these locks can't be opened any more: {words}", first
        )
    if not outcome.complete:
        yield "there are too many orders of play to search them all", None, None


def _is_on_locked_prop(survey: Survey, lock: Lock) -> bool:
    """Tell whether a prop that is locked by this very lock (its `lock` keyword is the lock's name) stands on the lock's cell."""
    return any(
        spawn.like == "prop"
        and (spawn.y, spawn.x) == (lock.y, lock.x)
        and isinstance(spawn.keywords, Mapping)
        and spawn.keywords.get("lock") == lock.word
        for spawn in survey.level.spawns
    )
