"""What is doubtful in content that can be read: warnings and notes, beyond the errors that keep it from being loaded.

Whatever can still be judged is judged when something else is wrong. Nothing is said that merely follows from an
error, or that another entry, one that could not be read, might put right. A module holds the rules about one sort of
entry, and what these say.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from dungeon.authoring.lint import (
    asking,
    drawings,
    encounters,
    features,
    leftovers,
    maps,
    meanings,
    trials,
    walks,
)
from dungeon.authoring.lint.subject import Check, Subject

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dungeon.content.library import Content
    from dungeon.content.loading.draft import ContentDraft

MODULES = (encounters, features, maps, meanings, drawings, walks, asking, leftovers, trials)

CHECKS: Mapping[str, Check] = MappingProxyType(
    {
        name: Check(severity, says)
        for module in MODULES
        for severity, said in module.SAYS.items()
        for name, says in said.items()
    }
)
"""Everything that a look over content can say; ``docs/checks.md`` explains each to authors."""


def look_over(draft: ContentDraft, content: Content | None, sample: int = 0) -> None:
    """Add everything that is doubtful in a draft, which has been checked for errors, to its log.

    Args:
        draft: The draft.
        content: What has become of it, if it has no errors.
        sample: How many ground plans to make of every map, to see what there is space for.
    """
    subject = Subject(draft, CHECKS, content, sample)
    for module in MODULES:
        for rule in module.RULES:
            rule(subject)
