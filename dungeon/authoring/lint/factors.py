"""Lint checks of the factors of the world and its difficulties: factors that change nothing, and factors that keep encounters away which must come."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dungeon.content.values.grammar import listed_weights

if TYPE_CHECKING:
    from dungeon.authoring.lint.subject import Path, Rules, Says, Subject
    from dungeon.content.models.factors import FactorsEntry
    from dungeon.core.vocabulary import Category

SAYS: Says = {
    "warning": {
        "lost by a factor": "with this factor of 0, the encounter {encounter} never appears, although its '{asks}' asks for it",
    },
    "note": {
        "factor of no population": "'spawns' has no effect: no map has a population",
        "factor of no encounter": "this factor has no effect: no encounter has this category",
        "difficulty without effect": "this difficulty changes nothing: each of its factors is 100%",
    },
}
"""Severity -> check -> message, with placeholders in braces; `docs/checks.md` tells how to fix each."""


def check_factors(subject: Subject) -> None:
    """Check the factors of the world and of each of its difficulties."""
    world = subject.draft.world
    if world is None:
        return
    _check(subject, world, ())
    for name, factors in world.difficulties.items():
        _check(subject, factors, ("difficulties", name))
        if factors.changes_nothing:
            record = subject.draft.singles["world.yaml"]
            subject.say("difficulty without effect", record, "difficulties", name, key=True)


def _check(subject: Subject, factors: FactorsEntry, path: Path) -> None:
    """Check the factors at a path of ``world.yaml``."""
    record = subject.draft.singles["world.yaml"]
    scatters = any(entry.population for entry in subject.maps.values())
    if "spawns" in factors.model_fields_set and not scatters and subject.all_sound("map"):
        subject.say("factor of no population", record, *path, "spawns", key=True)
    for category, factor in factors.weights.items() if subject.all_sound("encounter") else ():
        at = *path, "weights", category
        if all(entry.category != category for entry in subject.encounters.values()):
            subject.say("factor of no encounter", record, *at, key=True, value=category)
        elif not any(listed_weights(factor)) and (lost := _needed(subject, category)):
            encounter, key = lost
            subject.say("lost by a factor", record, *at, encounter=repr(encounter), asks=key)


def _needed(subject: Subject, category: Category) -> tuple[str, str] | None:
    """Return (encounter, its key) of the first encounter of a category that maps or worlds must have; None if there is none."""
    for name, entry in subject.encounters.items():
        if entry.category == category and entry.guaranteed:
            return name, "guaranteed"
        if entry.category == category and (entry.least.map or entry.least.world):
            return name, "least"
    return None


RULES: Rules = (check_factors,)
