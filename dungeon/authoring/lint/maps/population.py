"""What is scattered over maps, and the machines of maps, that never come or can't stand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dungeon.authoring.lint.encounters import depths_in_words
from dungeon.generation.populate.population.machines import objection

if TYPE_CHECKING:
    from dungeon.authoring.lint.subject import Path, Subject
    from dungeon.content.source.files import Record


def look_over(subject: Subject) -> None:
    """Say what is doubtful about the population and the machines of maps, and the content of encounters."""
    for name, entry in subject.maps.items():
        record, depths = subject.records["map"][name], (subject.depths or {}).get(name, [])
        for number, each in enumerate(entry.population):
            _look_at_depth(subject, record, each.depth, depths, ("population", number))
        for number, machines in enumerate(entry.machines):
            _look_at_depth(subject, record, machines.depth, depths, ("machines", number))
    for name, path, contents in subject.contents():
        depths = sorted({depth for _, depth in subject.visits_of(name)})
        for number, content in enumerate(contents):
            record = subject.records["encounter"][name]
            _look_at_depth(subject, record, content.depth, depths, (*path, number))
    _look_at_machines(subject)


def _look_at_depth(
    subject: Subject, record: Record, said: tuple[int, int], depths: list[int], path: Path
) -> None:
    """Say if something never comes as its map, or those of its encounter, lie at other depths."""
    if depths and not any(said[0] <= depth <= said[1] for depth in depths):
        subject.say("depth of no map", record, *path, "depth", depths=depths_in_words(depths))


def _look_at_machines(subject: Subject) -> None:
    """Say which prefabs that maps want as machines are none."""
    wanted: dict[str, str] = {}
    for name, entry in subject.maps.items():
        for word in (word for machines in entry.machines for word in machines.prefabs):
            for prefab in subject.called.get(word, ()):
                wanted.setdefault(prefab, name)
    for prefab, name in wanted.items():
        drawings = subject.rolled(prefab)
        found = [reason for each in drawings if (reason := objection(each, subject.terrain_set)) is not None]
        if found:
            check = "never a machine" if len(found) == len(drawings) else "not always a machine"
            record = subject.records["prefab"][prefab]
            some, whole = len(found), len(drawings)
            subject.say(check, record, key=True, some=some, all=whole, map=name, reason=found[0])
