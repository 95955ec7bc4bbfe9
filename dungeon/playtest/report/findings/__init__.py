"""What is out of line in a run, in words, the worst first.

Each kind of question has a threshold of its own, below which nobody would care, and a test of whether chance alone would
explain what is seen. All tests are corrected together for how many they are. What has one cause is one finding: an object
that is wrong on many maps, or a map on which many encounters are.
"""

from __future__ import annotations

from itertools import compress
from typing import TYPE_CHECKING

from dungeon.playtest.report.findings.encounters import missed, nowhere, unused
from dungeon.playtest.report.findings.finding import Finding, joined
from dungeon.playtest.report.findings.games import of_games
from dungeon.playtest.report.findings.levels import again, alike, easier, failed
from dungeon.playtest.report.findings.objects import beyond, far, farther, trapped
from dungeon.playtest.report.statistics import holm

if TYPE_CHECKING:
    from dungeon.playtest.run import Run

__all__ = ["Finding", "findings"]

SYMPTOMS = ("easier", "killing")
"""Kinds of findings that may well be what another one leads to, and come after those."""

FALSE_ALARMS = 0.05
"""How likely a report may raise any alarm where nothing is out of line."""

QUESTIONS = (
    *(nowhere, missed, unused, beyond, far, farther, trapped, easier, again, alike),
    of_games,
)


def findings(run: Run) -> list[Finding]:
    """Return what is out of line: failures first, then the worst first, what may be but the consequence of others last."""
    ((worlds,),) = run.sql("SELECT count(*) FROM worlds").fetchall()
    if not worlds:
        return []
    answers = [answer for question in QUESTIONS for answer in question(run, worlds)]
    kept = compress(answers, holm([answer.chance for answer in answers], FALSE_ALARMS))
    found = joined(answer for answer in kept if answer.matters)
    found.sort(key=lambda each: (each.kind in SYMPTOMS, -each.cases, each.map, each.text))
    return [*failed(run, worlds), *found]
