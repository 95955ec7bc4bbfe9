"""Budgets that no encounter meets, or that count nothing; and encounters that keep a distance from nobody."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dungeon.core.vocabulary import LANDMARKS, STAKES
from dungeon.generation.encounters.budget import TINY, budget_of

if TYPE_CHECKING:
    from dungeon.authoring.lint.subject import Subject
    from dungeon.content.library import Content
    from dungeon.core.vocabulary import SpawnKind, Stake

COUNTED: dict[Stake, tuple[SpawnKind, ...]] = {"threat": ("robot", "trap"), "worth": ("item",)}
"""What objects have some of that."""


def look_over(subject: Subject, content: Content | None) -> None:
    """Say which mixes and distances ask for nobody; and, of content without errors, for whom budgets have too little."""
    if subject.all_right("encounter"):
        for name in subject.maps:
            _look_at_mix(subject, name)
        for name in subject.encounters:
            _look_at_distances(subject, name)
    _look_at_objects(subject)
    if content is not None:
        for name in subject.encounters:
            _look_at_cost(subject, name, content)


def _look_at_mix(subject: Subject, name: str) -> None:
    """Say of which category the map is to have encounters, and there are none."""
    for category, (least, _) in subject.maps[name].mix.items():
        for depth in (subject.depths or {}).get(name, ()) if least else ():
            there = [each for each, entry in subject.encounters.items() if entry.category == category]
            if not any((name, depth) in subject.visits_of(each) for each in there):
                record = subject.records["map"][name]
                subject.say(
                    "nothing for the mix",
                    record,
                    "mix",
                    category,
                    key=True,
                    value=category,
                    map_id=f"{name}/{depth}",
                )
                break


def _look_at_distances(subject: Subject, name: str) -> None:
    """Say who is never where an encounter is that is to be far from it, or near to it."""
    entry, record = subject.encounters[name], subject.records["encounter"][name]
    for key, check in (("far_from", "far from nobody"), ("near", "near to nobody")):
        for word in getattr(entry, key):
            those = [each for each, other in subject.encounters.items() if other.goes_by(each, word)]
            maps = {each for other in those for each in subject.encounters[other].maps}
            alone = those == [name] and entry.limit.map == 1
            if word not in LANDMARKS and (alone or maps.isdisjoint(entry.maps)):
                subject.say(check, record, key, word, key=True, value=word)


def _look_at_objects(subject: Subject) -> None:
    """Say which objects do not say what budgets count."""
    for stake in STAKES:
        if not any(getattr(entry.budget, stake) is not None for entry in subject.maps.values()):
            continue
        for kind in COUNTED[stake]:
            for record in subject.records[kind].values():
                if stake not in record.fields:
                    subject.say("counts for nothing", record, key=True, stake=stake)


def _look_at_cost(subject: Subject, name: str, content: Content) -> None:
    """Say that an encounter brings more than any of its maps may expect."""
    visits = [(budget_of(content, *visit), visit) for visit in subject.visits_of(name)]
    dear: list[str] = []
    for budget, (_, depth) in visits:
        cost = content.costs.of_encounter(name, depth)
        over = [stake for stake, most in budget.items() if cost.get(stake, 0) > most + TINY]
        if not over:
            return
        dear += [f"{cost[stake]:.3g} {stake} of {budget[stake]:.3g}" for stake in over]
    if dear:
        subject.say("over every budget", subject.records["encounter"][name], key=True, dear=dear[0])
