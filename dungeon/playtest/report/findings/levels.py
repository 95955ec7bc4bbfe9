"""Levels that could not be made, are too easy, take too long to lay out, or are all the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dungeon.playtest.report.findings.finding import Finding, often
from dungeon.playtest.report.sections.objects import STAKES_OF_LEVELS
from dungeon.playtest.report.sections.shape import ALIKE
from dungeon.playtest.report.sheet import EXAMPLES, SHOWN, spots_of
from dungeon.playtest.report.statistics import below

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dungeon.playtest.run import Run

EASIER = 0.25
"""A branch gets easier if its next map has so much less threat, or less still."""

AGAIN = 0.2
"""A layout is hard to make if it is begun again on this share of its levels or more."""

ALIKE_IN, ALIKE_ON = 0.5, 0.2
"""Two levels are alike if they have this share of their encounters in the same places; maps are if this share of pairs is."""


def failed(run: Run, worlds: int) -> Iterator[Finding]:
    """Tell of what could not be made, and of games that could not be played."""
    ((games,),) = run.sql("SELECT count(*) FROM plays").fetchall()
    query = f"""
        SELECT what, coalesce(map, ''), error, count(*) AS times, count(DISTINCT seed) AS found, arg_min(command, seed),
            {EXAMPLES} FILTER (map IS NOT NULL)
        FROM failures GROUP BY what, map, error ORDER BY times DESC, what, map, error
    """
    for what, name, error, times, found, command, examples in run.sql(query).fetchall():
        text = f"{name or 'A world'} could not be made"
        if what == "game":
            text = f"{times} of {games} games could not be played"
        yield Finding(
            kind="failed",
            map=name,
            text=f"{text}, in {found} of {worlds} worlds: {error} ({command})",
            matters=True,
            cases=100 * found / worlds,
            chance=0.0,
            shown=spots_of(examples),
        )


STEPS = f"""
WITH per_level AS ({STAKES_OF_LEVELS}),
per_map AS (
    SELECT map, depth, regexp_extract(map, '(.*)/', 1) AS branch, count(*) AS levels, avg(threat) AS threat,
        coalesce(var_samp(threat), 0) / count(*) AS variance,
        arg_min({{'seed': seed, 'map': map}}, (threat, seed), {SHOWN}) AS examples
    FROM per_level GROUP BY map, depth
),
ordered AS (
    SELECT *, lag(map) OVER deeper AS before, lag(threat) OVER deeper AS was, lag(variance) OVER deeper AS variance_before
    FROM per_map WINDOW deeper AS (PARTITION BY branch ORDER BY depth)
)
SELECT map, threat, before, was, variance + variance_before, levels, examples
FROM ordered WHERE was > 0 ORDER BY map
"""


def easier(run: Run, worlds: int) -> Iterator[Finding]:
    """Ask of each map but the first of a branch whether it has less threat than the one before it."""
    for name, threat, before, was, variance, levels, examples in run.sql(STEPS).fetchall():
        yield Finding(
            kind="easier",
            map=name,
            text=f"{name} is easier than {before}, which comes before it: threat {threat:.1f} after {was:.1f}, on average.",
            matters=threat <= (1 - EASIER) * was,
            cases=100 * levels / worlds,
            chance=below(threat - was, variance),
            shown=spots_of(examples),
        )


RETRIED = f"""
SELECT map, count(*), count(*) FILTER (retries > 0), {EXAMPLES} FILTER (retries > 0)
FROM levels WHERE error IS NULL GROUP BY map ORDER BY map
"""


def again(run: Run, worlds: int) -> Iterator[Finding]:
    """Ask of each map whether its layout has to be begun again and again."""
    for name, levels, times, examples in run.sql(RETRIED).fetchall():
        text = f"The layout of {name} had to be begun again on {times} of {levels} levels."
        yield often("again", text, (times, levels), AGAIN, worlds, examples, name=name)


TWINS = f"""
WITH alike AS ({ALIKE})
SELECT map, count(*), count(*) FILTER (same_place >= {ALIKE_IN}), {EXAMPLES} FILTER (same_place >= {ALIKE_IN})
FROM alike GROUP BY map ORDER BY map
"""


def alike(run: Run, worlds: int) -> Iterator[Finding]:
    """Ask of each map whether its levels differ from world to world."""
    for name, pairs, same, examples in run.sql(TWINS).fetchall():
        text = (
            f"{name} is much the same in every world: {same} of {pairs} levels have half of their encounters, "
            "or more, where the next world has them."
        )
        yield often("alike", text, (same, pairs), ALIKE_ON, worlds, examples, name=name)
