"""Lint checks of towers, prefabs on several maps whose stairs match: is there a place for each in every world that has its maps?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dungeon.generation.towers import Towers

if TYPE_CHECKING:
    from dungeon.authoring.lint.subject import Rules, Says, Subject

SAYS: Says = {
    "error": {
        "no place for a tower": "no level with a floor of this tower can be made: {reason}",
    },
    "warning": {
        "tower sometimes lost": "in {some} of {all} worlds, no level with a floor of this tower can be made: {reason}",
        "tower never there": "no world has this tower: {reason}",
    },
}
"""Severity -> check -> message, with placeholders in braces; `docs/checks.md` tells how to fix each."""

WORLDS = 20
"""Number of worlds in which a place is searched for each tower."""


def check_towers(subject: Subject) -> None:
    """Report towers that find no place, in all or in some worlds, and towers that no world has."""
    content = subject.content
    if content is None or not content.world.towers:
        return
    record = subject.draft.singles["world.yaml"]
    worlds = [Towers.of_world(content, seed) for seed in range(WORLDS)]
    for name, entry in content.world.towers.items():
        if not any(entry.chance.outcomes()):
            subject.say("chance of 0", record, "towers", name, "chance")
            continue
        absent = [reason for world in worlds if (reason := world.absent().get(name))]
        lost = [reason for world in worlds if (reason := world.failures().get(name))]
        check = "no place for a tower" if len(lost) + len(absent) == WORLDS else "tower sometimes lost"
        if len(absent) == WORLDS:
            subject.say("tower never there", record, "towers", name, key=True, reason=absent[0])
        elif lost:
            there = WORLDS - len(absent)
            subject.say(check, record, "towers", name, key=True, reason=lost[0], some=len(lost), all=there)


RULES: Rules = (check_towers,)
