"""Rules about the locks of locked doors; whether they can be opened in time, `walk` finds out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dungeon import terrain as t
from dungeon.level.proof.flat import base_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dungeon.level.proof.fields import Finding
    from dungeon.level.proof.survey import Survey


def lock_place(survey: Survey) -> Iterator[Finding]:
    """Every lock is that of a locked door."""
    for lock in survey.level.locks:
        place = survey.at(lock.y, lock.x)
        if place is None:
            yield f"the lock {lock.word!r} lies outside the map", lock.y, lock.x
        elif survey.bases[place] != t.LOCKED_DOOR:
            yield f"the lock {lock.word!r} is one of {base_name(survey.bases[place])}", lock.y, lock.x


def lock_twice(survey: Survey) -> Iterator[Finding]:
    """No door has two locks."""
    seen: set[tuple[int, int]] = set()
    for lock in survey.level.locks:
        if (lock.y, lock.x) in seen:
            yield f"a second lock, {lock.word!r}, on one door", lock.y, lock.x
        seen.add((lock.y, lock.x))
