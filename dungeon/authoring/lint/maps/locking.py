"""Locks of the level for which there is nothing to be locked, and drawn maps with more of them than places for keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dungeon.core.errors import GenerationError
from dungeon.core.registry import LAYOUTS, ROOMS
from dungeon.generation.stages.brief import Brief, finished
from dungeon.generation.stages.pipeline import make

if TYPE_CHECKING:
    from dungeon.authoring.lint.subject import Path, Subject
    from dungeon.content.library import Content

TRIES = 8
"""How many levels are made of a drawn map with locks."""


def look_over(subject: Subject, content: Content | None) -> None:
    """Say what can't be locked; and, of content without errors, which drawn maps have no place for keys."""
    for name, entry in subject.maps.items():
        for word, wish in entry.locks.items():
            if wish.on == "room" and any(wish.count.outcomes()):
                _look_for_rooms(subject, "map", name, [name], ("locks", word))
    locking = {(form.encounter, form.at("lock")): form.entry for form in subject.forms}
    for (name, path), encounter in locking.items():
        if encounter.lock is not None:
            _look_for_rooms(subject, "encounter", name, list(encounter.maps), path)
    if content is not None:
        for name in subject.maps:
            _try_out(subject, name, content)


def _look_for_rooms(subject: Subject, kind: str, name: str, maps: list[str], path: Path) -> None:
    """Say that something is to be locked where there are only caves, which have no doors, or a single drawing."""
    for each in maps:
        kinds = LAYOUTS[subject.maps[each].layout.name].kinds if each in subject.maps else None
        if kinds is None or set(kinds) & set(ROOMS):
            return
    layout = subject.maps[maps[0]].layout.name
    record = subject.records[kind][name]
    subject.say("nothing to lock", record, *path, key=True, value=path[-1], layout=layout, map=maps[0])


def _try_out(subject: Subject, name: str, content: Content) -> None:
    """Make some levels of a map that is a single drawing with locks that the level is to open."""
    entry = subject.maps[name]
    if not LAYOUTS[entry.layout.name].draws_all:
        return
    drawings = [each for prefab in subject.laid_by(entry.layout.params) for each in subject.rolled(prefab)]
    if not any(lock.word in content.locks for drawing in drawings for lock in drawing.locks):
        return
    reasons = []
    for depth in (subject.depths or {}).get(name, ())[:1]:
        map_id = subject.ids[name, depth][0]
        leads_to = content.chart.may_lead_to(map_id)
        for seed in range(TRIES):
            brief = Brief(
                content=content,
                seed=seed,
                id=map_id,
                name=name,
                depth=depth,
                leads_to=leads_to,
                shares={},
                watched=False,
            )
            try:
                finished(make(brief))
            except GenerationError as error:
                reasons.append(str(error).split(": ", 1)[1].splitlines()[0])
    if reasons:
        subject.say(
            "no place for keys",
            subject.records["map"][name],
            "layout",
            key=True,
            some=len(reasons),
            all=TRIES,
            reason=reasons[0],
        )
