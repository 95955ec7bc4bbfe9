"""Locks of the level for which there is nothing to be locked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dungeon.core.registry import LAYOUTS, ROOMS

if TYPE_CHECKING:
    from dungeon.authoring.lint.subject import Path, Subject


def look_over(subject: Subject) -> None:
    """Say what can't be locked."""
    for name, entry in subject.maps.items():
        for word, wish in entry.locks.items():
            if wish.on == "room" and any(wish.count.outcomes()):
                _look_for_rooms(subject, "map", name, [name], ("locks", word))
    locking = {(form.encounter, form.at("lock")): form.entry for form in subject.forms}
    for (name, path), encounter in locking.items():
        if encounter.lock is not None:
            _look_for_rooms(subject, "encounter", name, list(encounter.maps), path)


def _look_for_rooms(subject: Subject, kind: str, name: str, maps: list[str], path: Path) -> None:
    """Say that something is to be locked where there are only caves, which have no doors, or a single drawing."""
    for each in maps:
        kinds = LAYOUTS[subject.maps[each].layout.name].kinds if each in subject.maps else None
        if kinds is None or set(kinds) & set(ROOMS):
            return
    layout = subject.maps[maps[0]].layout.name
    record = subject.records[kind][name]
    subject.say("nothing to lock", record, *path, key=True, value=path[-1], layout=layout, map=maps[0])
