"""What is out of line in a run, in words, the worst first.

Each kind of question has a threshold of its own, below which nobody would care, and a test of whether chance alone would
explain what is seen. All tests are corrected together for how many they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import compress
from typing import TYPE_CHECKING

from dungeon.playtest.report.sections.encounters import MADE, PREFABS
from dungeon.playtest.report.sections.objects import OBJECTS, STAKES_OF_LEVELS
from dungeon.playtest.report.sections.shape import ALIKE
from dungeon.playtest.report.sheet import EXAMPLES, SHOWN, spots_of
from dungeon.playtest.report.statistics import at_least, at_most, below, holm, sign_test

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dungeon.playtest.report.sheet import Spot
    from dungeon.playtest.run import Run

FALSE_ALARMS = 0.05
"""How likely a report may raise any alarm where nothing is out of line."""

MISSED = 0.3
"""An encounter that comes less often than it is due is told of if this share of it is missed, or more."""

UNUSED = 0.9
"""A prefab is, if this share is missed or more: those that are larger than others of their encounter fit less often."""

BEYOND, BEYOND_ON = 2, 0.25
"""An object is out of depth if it is rated for so many depths below the map, on this share of its levels or more."""

FAR, FAR_LOCKS = 1.5, 0.1
"""A key is far off if it takes so many times the steps to the farthest exit, or across the map if that is more; it is told of
where this holds for that share of the locks, or more."""

EASIER = 0.25
"""A branch gets easier if its next map has so much less threat, or less still."""

AGAIN = 0.2
"""A layout is hard to make if it is begun again on this share of its levels or more."""

ALIKE_IN, ALIKE_ON = 0.5, 0.2
"""Two levels are alike if they have this share of their encounters in the same places; maps are if this share of pairs is."""

CHANCE = 0.01
"""How often out-of-depth objects, far keys, new beginnings and twins may come about on a sound map, at the most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """The answer to one question.

    Attributes:
        kind: What was asked.
        map: The map; empty if it concerns all of them.
        category: The category of the encounter; empty if there is none.
        text: What was found, in a sentence or two.
        matters: Whether it is beyond the threshold of its kind.
        cases: How often it happens in 100 worlds: the worst is what happens most often.
        chance: How likely chance alone would show as much; 0 for what is never right.
        shown: Levels that show it.
    """

    kind: str
    map: str
    category: str = ""
    text: str
    matters: bool
    cases: float
    chance: float
    shown: tuple[Spot, ...]


def findings(run: Run) -> list[Finding]:
    """Return what is out of line, failures first, then the worst first."""
    ((worlds,),) = run.sql("SELECT count(*) FROM worlds").fetchall()
    if not worlds:
        return []
    asked = (_missed, _unused, _beyond, _far, _easier, _again, _alike)
    answers = [answer for question in asked for answer in question(run, worlds)]
    kept = compress(answers, holm([answer.chance for answer in answers], FALSE_ALARMS))
    found = sorted(
        (answer for answer in kept if answer.matters), key=lambda each: (-each.cases, each.map, each.text)
    )
    return [*_failed(run, worlds), *found]


def _failed(run: Run, worlds: int) -> Iterator[Finding]:
    query = f"""
        SELECT coalesce(map, ''), error, count(*) AS times, any_value(command), {EXAMPLES} FILTER (map IS NOT NULL)
        FROM failures GROUP BY map, error ORDER BY times DESC, map, error
    """
    for name, error, times, command, examples in run.sql(query).fetchall():
        what = f"{name} could not be made" if name else "A world could not be made"
        yield Finding(
            kind="failed",
            map=name,
            text=f"{what}, in {times} of {worlds} worlds: {error} ({command})",
            matters=True,
            cases=100 * times / worlds,
            chance=0.0,
            shown=spots_of(examples),
        )


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


def _missed(run: Run, _worlds: int) -> Iterator[Finding]:
    """Ask of each encounter on each map whether it comes less often than it is due."""
    ((paired,),) = run.sql("SELECT count(*) FROM paired").fetchall()
    for name, encounter, category, had, due, less, more, reason, examples in run.sql(MISSING).fetchall():
        what = f"{name} has {encounter} {had} times," if had else f"{name} never has {encounter}, though"
        text = f"{what} {due} were due in {paired} worlds: {1 - had / max(due, 1):.0%} are missing."
        yield Finding(
            kind="missed",
            map=name,
            category=category,
            text=f"{text} Mostly: {reason}." if reason else text,
            matters=had <= (1 - MISSED) * due,
            cases=100 * (due - had) / paired,
            chance=sign_test(less, more),
            shown=spots_of(examples),
        )


def _unused(run: Run, worlds: int) -> Iterator[Finding]:
    """Ask of each prefab that encounters may take whether it comes less often than they try it first."""
    for prefab, used, expected, _, encounters, examples in run.sql(PREFABS).fetchall():
        if not expected:
            continue
        what = f"is placed {used} times" if used else "is never placed"
        yield Finding(
            kind="unused",
            map="",
            text=f"The prefab {prefab} {what}, though {encounters} would have it first {expected:.0f} times.",
            matters=used <= (1 - UNUSED) * expected,
            cases=100 * (expected - used) / worlds,
            chance=at_most(used, expected),
            shown=spots_of(examples),
        )


DEEP = f"""
WITH objects AS ({OBJECTS}), made AS ({MADE})
SELECT map, depth, kind, tag, rating, count(DISTINCT seed) AS on_levels, any_value(levels) AS levels,
    sum(count)::BIGINT AS times, {EXAMPLES}
FROM objects JOIN made USING (map, depth) JOIN thing USING (kind, tag)
WHERE rating > depth GROUP BY map, depth, kind, tag, rating ORDER BY map, kind, tag
"""


def _beyond(run: Run, worlds: int) -> Iterator[Finding]:
    """Ask of each object that is rated for greater depths than a map's how often it is there."""
    for name, depth, kind, tag, rating, on_levels, levels, times, examples in run.sql(DEEP).fetchall():
        yield Finding(
            kind="beyond",
            map=name,
            text=f"{name} has the {kind} {tag} on {on_levels} of {levels} levels: it is rated for depth {rating}, not {depth}.",
            matters=rating - depth >= BEYOND and on_levels >= BEYOND_ON * levels,
            cases=100 * times / worlds,
            chance=at_least(on_levels, levels, CHANCE),
            shown=spots_of(examples),
        )


DISTANT = f"""
WITH way AS (
    SELECT levels.seed, levels.map, greatest(coalesce(any_value(value), 0), any_value(height + width) / 2) AS value
    FROM levels LEFT JOIN metrics AS m ON m.seed = levels.seed AND m.map = levels.map AND metric = 'exit_farthest'
    WHERE levels.error IS NULL GROUP BY levels.seed, levels.map
)
SELECT map, word, what, count(*), count(*) FILTER (distance >= {FAR} * value),
    avg(distance) FILTER (distance >= {FAR} * value), avg(value),
    {EXAMPLES} FILTER (distance >= {FAR} * value)
FROM locks JOIN way USING (seed, map) GROUP BY map, word, what ORDER BY map, word, what
"""


def _far(run: Run, worlds: int) -> Iterator[Finding]:
    """Ask of each kind of lock on each map whether what opens it is too far off."""
    for name, word, what, times, far, distance, way, examples in run.sql(DISTANT).fetchall():
        text = f"{name}: what opens a {what} that is locked with {word} is far off for {far} of {times}"
        yield Finding(
            kind="far",
            map=name,
            text=f"{text}: {distance or 0:.0f} steps, where {way:.0f} lead through the map.",
            matters=far >= FAR_LOCKS * times,
            cases=100 * far / worlds,
            chance=at_least(far, times, CHANCE),
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


def _easier(run: Run, worlds: int) -> Iterator[Finding]:
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


def _again(run: Run, worlds: int) -> Iterator[Finding]:
    """Ask of each map whether its layout has to be begun again and again."""
    for name, levels, again, examples in run.sql(RETRIED).fetchall():
        yield Finding(
            kind="again",
            map=name,
            text=f"The layout of {name} had to be begun again on {again} of {levels} levels.",
            matters=again >= AGAIN * levels,
            cases=100 * again / worlds,
            chance=at_least(again, levels, CHANCE),
            shown=spots_of(examples),
        )


TWINS = f"""
WITH alike AS ({ALIKE})
SELECT map, count(*), count(*) FILTER (same_place >= {ALIKE_IN}), {EXAMPLES} FILTER (same_place >= {ALIKE_IN})
FROM alike GROUP BY map ORDER BY map
"""


def _alike(run: Run, worlds: int) -> Iterator[Finding]:
    """Ask of each map whether its levels differ from world to world."""
    for name, pairs, alike, examples in run.sql(TWINS).fetchall():
        yield Finding(
            kind="alike",
            map=name,
            text=f"{name} is much the same in every world: {alike} of {pairs} levels have half of their encounters, "
            "or more, where the next world has them.",
            matters=alike >= ALIKE_ON * pairs,
            cases=100 * alike / worlds,
            chance=at_least(alike, pairs, CHANCE),
            shown=spots_of(examples),
        )
