"""What is doubtful in content that can be read: warnings and notes, beyond the errors that keep it from being loaded.

Whatever can still be judged is judged when something else is wrong. Nothing is said that merely follows from an
error, or that another entry, one that could not be read, might put right. `checks` lists what can be said.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dungeon.authoring.lint import (
    asking,
    company,
    drawings,
    encounters,
    fitting,
    leftovers,
    meanings,
    surroundings,
    walks,
    worlds,
)
from dungeon.authoring.lint.checks import CHECKS
from dungeon.authoring.lint.maps import budgets, dressing, features, locking, population, space, trials
from dungeon.authoring.lint.subject import Subject
from dungeon.content.source.faults import UNSAID, Fault

if TYPE_CHECKING:
    from dungeon.content.library import Content
    from dungeon.content.loading.draft import Draft


def look_over(draft: Draft, content: Content | None, sample: int = 0) -> None:
    """Add everything that is doubtful in a draft, which has been checked for errors, to its findings.

    Args:
        draft: The draft.
        content: What has become of it, if it has no errors.
        sample: How many ground plans to make of every map, to see what there is space for.
    """
    subject = Subject(draft)
    encounters.look_over(subject)
    company.look_over(subject)
    features.look_over(subject)
    dressing.look_over(subject)
    locking.look_over(subject)
    if content is not None and sample:
        space.look_over(subject, content, sample)
    budgets.look_over(subject, content)
    population.look_over(subject)
    meanings.look_over(subject)
    drawings.look_over(subject)
    surroundings.look_over(subject)
    walks.look_over(subject)
    fitting.look_over(subject)
    asking.look_over(subject)
    leftovers.look_over(subject)
    worlds.look_over(subject, content)
    if content is not None:
        trials.look_over(subject, content)
    _look_at_mods(draft)


def _look_at_mods(draft: Draft) -> None:
    """Say where two mods differ."""
    severity, says = CHECKS["two mods"]
    for each in draft.overlaps:
        fault = Fault(message=says.format(other=each.other), value=each.part or UNSAID)
        draft.findings.remark(each.source, each.entry, fault, severity)
