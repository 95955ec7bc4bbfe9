"""The lint checks of `dungeon check`: warnings and notes about content that can be loaded but is probably a mistake. A rule is a function that reports them.

Each module has the rules about one kind of content (encounters, maps, drawings...), and their messages. Content with errors is
checked, too: the rules then examine its valid entries only. A rule reports nothing that merely follows from an error, or that
an unreadable entry may contradict.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from dungeon.authoring.lint import (
    drawings,
    encounters,
    factors,
    features,
    maps,
    objects,
    reachability,
    symbols,
    towers,
    trials,
    unused,
)
from dungeon.authoring.lint.subject import Check, Subject

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dungeon.content.library import Content
    from dungeon.content.loading.draft import ContentDraft

MODULES = (
    encounters,
    features,
    towers,
    maps,
    factors,
    symbols,
    drawings,
    reachability,
    objects,
    unused,
    trials,
)

CHECKS: Mapping[str, Check] = MappingProxyType(
    {
        name: Check(severity, says)
        for module in MODULES
        for severity, said in module.SAYS.items()
        for name, says in said.items()
    }
)
"""Name of a check -> its severity and message. ``docs/checks.md`` tells authors how to fix each."""


def run_checks(draft: ContentDraft, content: Content | None, sample: int = 0) -> None:
    """Run all checks on a draft, and add their warnings and notes (and a few errors) to its log.

    Args:
        draft: The draft, already validated.
        content: The content built from it; None if it has errors.
        sample: Number of ground plans to make of every map, to find encounters that rarely fit; 0 for none.
    """
    subject = Subject(draft, CHECKS, content, sample)
    for module in MODULES:
        for rule in module.RULES:
            rule(subject)
