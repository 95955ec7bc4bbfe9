"""Rules about what can be reached on foot once everything stands in its place, and about locks.

`survey` says how a walker goes. What no step at all reaches is reported once, as unreachable. The other rules speak of what only
water, an obstacle or a locked door keeps a walker from. Each such pocket is reported once, with all that is in it: as that of
an exit where it has one. A region that is marked as sealed must be cut off.
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
    """4-neighbour steps, and portals, lead from the entrance to all ground that can be walked on, outside the sealed regions."""
    lost = survey.open & ~survey.reached
    if survey.entrance is None or not lost.any():
        return
    for cells in parts_of(lost & ~survey.sealed, survey.stride):
        if survey.lost[cells].any():
            size = len(cells)
            yield survey.finding(f"no way leads to {size} open cell{'s' if size > 1 else ''}", int(cells[0]))


def walk_pocket(survey: Survey) -> Iterator[Finding]:
    """A walker gets everywhere that can be walked on and where nothing stands for good, outside the sealed regions."""
    for pocket in survey.pockets:
        if not pocket.exits:
            yield survey.finding(_told(survey, pocket), int(pocket.cells[0]))


def walk_exit(survey: Survey) -> Iterator[Finding]:
    """A walker gets from the entrance to every exit."""
    for pocket in survey.pockets:
        if pocket.exits:
            yield _told(survey, pocket), pocket.exits[0].y, pocket.exits[0].x
    for way in survey.level.exits:
        place = survey.at(way.y, way.x)
        if place is None or survey.walked[place] or not survey.walkable[place]:
            continue
        if survey.entrance is not None and survey.sealed[place]:
            yield f"the exit to {way.leads_to} lies in a sealed region", way.y, way.x


def walk_region(survey: Survey) -> Iterator[Finding]:
    """A walker can enter every room and every cave that is not sealed and has ground to walk on."""
    runs = survey.region_runs
    # Of most regions the first cell of some run has been entered, and that is quick to see.
    entered = set(np.bincount(runs.region[survey.walked[runs.start]]).nonzero()[0].tolist())
    for number, region in survey.regions.items():
        if number in entered or region.sealed or region.kind not in ("room", "cave"):
            continue
        ground = (survey.region == number) & survey.reached & survey.walkable
        filled = (ground & survey.stopped).nonzero()[0]
        # Where there is free ground it is a pocket, which is another rule's business.
        if len(filled) and not (ground & (survey.walked | survey.lost)).any():
            place = int(filled[0])
            text = f"nobody can walk into {region.kind} {number}: {survey.obstacles[place].tag} fills it"
            yield survey.finding(text, place)


def walk_item(survey: Survey) -> Iterator[Finding]:
    """Items and traps lie where one can walk: nobody picks up, or steps on, what lies in water."""
    standing, place = survey.standing, survey.standing.place
    in_water = standing.on_map & survey.open[place] & ~survey.walkable[place]
    in_water &= survey.base[place] != t.LOCKED_DOOR
    for index in standing.owners(in_water) if in_water.any() else ():
        spawn = survey.level.spawns[index]
        if spawn.like in UNDERFOOT:
            yield f"{spawn.kind} {spawn.tag} lies where nobody walks", spawn.y, spawn.x


def walk_loadout(survey: Survey) -> Iterator[Finding]:
    """A walker gets beside every prop that holds something, outside the sealed regions."""
    if survey.entrance is None or not any(survey.spawns.loadout):
        return
    for index, held in enumerate(survey.spawns.loadout):
        spawn = survey.level.spawns[index]
        if held and spawn.like == "prop":
            near = survey.around(index)
            if not (survey.walked[near] | survey.sealed[near]).any():
                yield f"no walker gets to {spawn.tag}, which holds something", spawn.y, spawn.x


NAMED = 3
"""How many things of a kind are named before the rest is only counted."""


def _told(survey: Survey, pocket: Pocket) -> str:
    """Say where a pocket is, how large, what is in it and what keeps walkers out, as far as that can be told."""
    size = len(pocket.cells)
    text = f"nobody can walk to {size} cell{'' if size == 1 else 's'} of {_where(survey, pocket)}"
    inside = [f"the exit to {way.leads_to}" for way in pocket.exits] + pocket.items
    if inside:
        text += f", with {_listed(inside)} there"
    causes = _causes(survey, pocket)
    return text + (f"; in the way: {_listed(causes)}" if causes else "")


def _where(survey: Survey, pocket: Pocket) -> str:
    """Name the regions that a pocket is of, and what was placed where it begins."""
    names = []
    for number in dict.fromkeys(survey.region[pocket.cells].tolist()):
        region = survey.regions.get(number)
        names.append(f"{region.kind} {number}" if region else f"region {number}" if number else "no region")
    y, x = divmod(int(pocket.cells[0]), survey.stride)
    lying = (each for each in survey.level.placements if each.bounds.contains(y - 1, x - 1))
    placed = next(lying, None)
    return _listed(names) + (f" in {placement_name(placed)}" if placed else "")


def _causes(survey: Survey, pocket: Pocket) -> list[str]:
    """Name what stands, or lies, around a pocket: what touches walked ground if anything does, or else all."""
    stride = survey.stride
    steps = np.array([-stride, -1, 1, stride])
    around = np.unique(pocket.cells[:, None] + steps)
    around = around[survey.open[around] & ~survey.lost[around] & ~survey.walked[around]]
    touching = survey.walked[around[:, None] + steps].any(axis=1)
    if touching.any():
        around = around[touching]
    return [*dict.fromkeys(_cause(survey, place) for place in around.tolist())]


def _cause(survey: Survey, place: int) -> str:
    if place in survey.obstacles:
        return survey.obstacles[place].tag
    if survey.bases[place] == t.LOCKED_DOOR:
        return _locked(survey, place)
    y, x = divmod(place, survey.stride)
    level = survey.level
    return level.terrain_set.kinds[int(level.terrain[y - 1, x - 1])].name


def _locked(survey: Survey, place: int) -> str:
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
    return f"a door locked with {words[0]!r} whose key nobody can get at before"


def _listed(names: Iterable[str]) -> str:
    """Return names in a row, the first few of them."""
    names = [*names]
    shown = names[:NAMED]
    if len(names) > NAMED:
        shown.append(f"{len(names) - NAMED} more")
    return " and ".join(filter(None, (", ".join(shown[:-1]), shown[-1])))


def lock_place(survey: Survey) -> Iterator[Finding]:
    """Every lock is that of a locked door, of a portal that begins there, or of a prop that says so."""
    begun = {passage.begin for passage in survey.passages}
    for lock in survey.level.locks:
        place = survey.at(lock.y, lock.x)
        if place is None:
            yield f"the lock {lock.word!r} lies outside the map", lock.y, lock.x
        elif survey.bases[place] != t.LOCKED_DOOR and place not in begun and not _is_prop(survey, lock):
            yield f"the lock {lock.word!r} is one of {base_name(survey.bases[place])}", lock.y, lock.x


def lock_twice(survey: Survey) -> Iterator[Finding]:
    """Nothing has two locks."""
    seen: set[tuple[int, int]] = set()
    for lock in survey.level.locks:
        if (lock.y, lock.x) in seen:
            yield f"a second lock, {lock.word!r}, on one thing", lock.y, lock.x
        seen.add((lock.y, lock.x))


def lock_key(survey: Survey) -> Iterator[Finding]:
    """Something on the level opens each locked door that has a lock, but for doors of sealed regions.

    Ground that is lost behind such a door is a pocket, which is another rule's business.
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
    """Every lock of a prop can be opened, if it is in the level's list."""
    if survey.played is None:
        return
    level, outcome = survey.played
    listed = {survey.at(lock.y, lock.x) for lock in survey.level.locks}
    for number, locked in enumerate(level.locked):
        if locked.what == "box" and locked.place in listed and number not in outcome.order:
            tag = survey.level.spawns[locked.number].tag
            text = f"nobody can get what opens {tag}, locked with {_word(survey, number)!r}"
            yield survey.finding(text, locked.place)


def lock_order(survey: Survey) -> Iterator[Finding]:
    """Whatever is opened first, all locks can be opened that can be opened at all."""
    if survey.played is None:
        return
    level, outcome = survey.played
    if outcome.stranded is not None:
        first = level.locked[outcome.stranded[0]].place
        words = ", ".join(dict.fromkeys(_word(survey, number) for number in outcome.stranded))
        yield survey.finding(f"keys may be spent so that this is never opened: {words}", first)
    if not outcome.complete:
        yield "there are too many orders of play to look through", None, None


def _word(survey: Survey, number: int) -> str:
    assert survey.played is not None
    return min(survey.played.level.puzzle.locks[number].words)


def _is_prop(survey: Survey, lock: Lock) -> bool:
    """Tell whether a lock is that of a prop which says that it is locked with its word."""
    return any(
        spawn.like == "prop"
        and (spawn.y, spawn.x) == (lock.y, lock.x)
        and isinstance(spawn.keywords, Mapping)
        and spawn.keywords.get("lock") == lock.word
        for spawn in survey.level.spawns
    )
