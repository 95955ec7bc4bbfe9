"""Encounters and prefabs that come less often than they should, or never."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dungeon.playtest.report.findings.finding import Finding
from dungeon.playtest.report.sections.encounters import PREFABS
from dungeon.playtest.report.sheet import EXAMPLES, spots_of
from dungeon.playtest.report.statistics import at_most, sign_test

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dungeon.playtest.run import Run

MISSED = 0.3
"""An encounter that comes less often than it is due is told of if this share of it is missed, or more."""

UNUSED = 0.9
"""A prefab is, if this share is missed or more: those that are larger than others of their encounter fit less often."""

MISSING = f"""
WITH made AS (SELECT seed, map FROM levels WHERE error IS NULL AND seed IN (SELECT seed FROM paired)),
had AS (SELECT seed, map, encounter, count(*) AS copies FROM placements GROUP BY seed, map, encounter),
both_of AS (
    SELECT seed, map, encounter, coalesce(had.copies, 0) AS had, coalesce(due.copies, 0) AS due
    FROM (SELECT seed, map, encounter FROM due UNION SELECT seed, map, encounter FROM had WHERE encounter <> '')
    JOIN made USING (seed, map) LEFT JOIN had USING (seed, map, encounter) LEFT JOIN due USING (seed, map, encounter)
),
reasons AS (SELECT map, subject AS encounter, mode(reason) AS reason FROM refusals GROUP BY map, subject)
SELECT map, encounter, coalesce(any_value(category), ''), sum(had)::BIGINT, sum(due)::BIGINT,
    count(*) FILTER (had < due), count(*) FILTER (had > due), any_value(reason), {EXAMPLES} FILTER (had < due)
FROM both_of LEFT JOIN reasons USING (map, encounter) LEFT JOIN meant USING (encounter)
GROUP BY map, encounter ORDER BY map, encounter
"""


def missed(run: Run, _worlds: int) -> Iterator[Finding]:
    """Ask of each encounter on each map whether it comes less often than it is due."""
    ((paired,),) = run.sql("SELECT count(*) FROM paired").fetchall()
    for name, encounter, category, had, due, less, more, reason, examples in run.sql(MISSING).fetchall():
        what = f"{name} has {encounter} {had} times," if had else f"{name} never has {encounter}, though"
        text = f"{what} {due} were due in {paired} worlds: {1 - had / max(due, 1):.0%} are missing."
        yield Finding(
            kind="missed",
            map=name,
            thing=encounter,
            category=category,
            text=f"{text} Mostly: {reason}." if reason else text,
            matters=had <= (1 - MISSED) * due,
            cases=100 * (due - had) / paired,
            chance=sign_test(less, more),
            shown=spots_of(examples),
        )


def unused(run: Run, worlds: int) -> Iterator[Finding]:
    """Ask of each prefab that encounters may take whether it comes less often than they try it first."""
    for prefab, used, expected, _, encounters, examples in run.sql(PREFABS).fetchall():
        if not expected:
            continue
        what = f"is placed {used} times" if used else "is never placed"
        yield Finding(
            kind="unused",
            thing=prefab,
            text=f"The prefab {prefab} {what}, though {encounters} would have it first {expected:.0f} times.",
            matters=used <= (1 - UNUSED) * expected,
            cases=100 * (expected - used) / worlds,
            chance=at_most(used, expected),
            shown=spots_of(examples),
        )


NOWHERE = """
SELECT encounter, any_value(category), string_agg(type, ', ' ORDER BY type), any_value(depths), any_value(rest)
FROM nowhere JOIN meant USING (encounter) GROUP BY encounter ORDER BY encounter
"""


def nowhere(run: Run, _worlds: int) -> Iterator[Finding]:
    """Tell of encounters that are meant for maps on which they can't be, at the depths that these have."""
    for encounter, category, types, depths, rest in run.sql(NOWHERE).fetchall():
        where = (
            f"on {types}, though it is meant for {'them' if ',' in types else 'it'}" if rest else "anywhere"
        )
        yield Finding(
            kind="nowhere",
            thing=encounter,
            category=category,
            text=f"{encounter} can't be {where}: it is for depth {depths}, and has no weight at any depth of {types}.",
            matters=True,
            cases=100.0,
            chance=0.0,
            shown=(),
        )
