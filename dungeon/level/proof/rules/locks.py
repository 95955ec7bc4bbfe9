"""Rules about locks: what they bar, and that every order of play opens all of them; for doors `walking` has more."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from dungeon import terrain as t
from dungeon.level.proof.flat import base_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dungeon.level.model import Lock
    from dungeon.level.proof.fields import Finding
    from dungeon.level.proof.survey import Survey


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
