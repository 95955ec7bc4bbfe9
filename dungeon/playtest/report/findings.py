"""What is out of line in a run, in words, the worst first.

Each kind of question has a threshold of its own, below which nobody would care, and a test of whether chance alone would
explain what is seen. All tests are corrected together for their number. What has one cause is one finding: an object that is
wrong on many maps, or a map on which many encounters are.
"""

from __future__ import annotations

from itertools import compress
from typing import TYPE_CHECKING

from dungeon.playtest.report.finding import (
    CHANCE,
    Finding,
    joined,
    often,
)
from dungeon.playtest.report.game_findings import of_games
from dungeon.playtest.report.sections import ALIKE, MADE, OBJECTS, PREFABS, STAKES_OF_LEVELS
from dungeon.playtest.report.sheet import EXAMPLES, SHOWN, spots_of
from dungeon.playtest.statistics import binomial_at_least, holm, normal_at_most, poisson_at_most, sign_test

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
            chance=poisson_at_most(used, expected),
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
            chance=normal_at_most(threat - was, variance),
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


BEYOND, BEYOND_ON = 2, 0.25
"""An object is out of depth if it is rated for so many depths below the map, on this share of its levels or more; half of that will do
if it is one depth more, a third if it is two..."""

FAR, FAR_LOCKS = 1.5, 0.1
"""A key is far off if it takes so many times the steps to the farthest exit, or across the map if that is more; it is told of
where this holds for that share of the locks, or more."""

FARTHER, SURELY_FARTHER = 1.35, 1.15
"""Keys of a kind are far off, too, if they take so many times the share of the way through the map that is usual; surely, that is
more than chance, so many times."""

USUAL = 5
"""So many kinds of keys, or of maps, at least tell what is usual."""

TRAPPED, SURELY_TRAPPED = 3.0, 2.0
"""A map is full of traps if it has so many times as many as is usual; surely, so many times."""

DEEP = f"""
WITH objects AS ({OBJECTS}), made AS ({MADE})
SELECT map, depth, kind, tag, rating, count(DISTINCT seed) AS on_levels, any_value(levels) AS levels,
    sum(count)::BIGINT AS times, {EXAMPLES}
FROM objects JOIN made USING (map, depth) JOIN thing USING (kind, tag)
WHERE rating > depth GROUP BY map, depth, kind, tag, rating ORDER BY map, kind, tag
"""


def beyond(run: Run, worlds: int) -> Iterator[Finding]:
    """Ask of each object that is rated for greater depths than a map's how often it is there."""
    for name, depth, kind, tag, rating, on_levels, levels, times, examples in run.sql(DEEP).fetchall():
        by = rating - depth - BEYOND + 1
        yield Finding(
            kind="beyond",
            map=name,
            thing=tag,
            text=f"{name} has the {kind} {tag} on {on_levels} of {levels} levels: it is rated for depth {rating}, not {depth}.",
            matters=by > 0 and on_levels * by >= BEYOND_ON * levels,
            cases=100 * times / worlds,
            chance=binomial_at_least(on_levels, levels, CHANCE),
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


def far(run: Run, worlds: int) -> Iterator[Finding]:
    """Ask of each kind of lock on each map whether what opens it is too far off."""
    for name, word, what, times, far, distance, way, examples in run.sql(DISTANT).fetchall():
        text = f"{name}: what opens a {what} that is locked with {word} is far off for {far} of {times}"
        text = f"{text}: {distance or 0:.0f} steps, where {way:.0f} lead through the map."
        yield often("far", text, (far, times), FAR_LOCKS, worlds, examples, name=name, thing=word)


WAYS = f"""
WITH way AS (
    SELECT map, greatest(coalesce(avg(value), 0), any_value(height + width) / 2) AS way
    FROM levels LEFT JOIN (SELECT seed, map, value FROM metrics WHERE metric = 'exit_farthest') USING (seed, map)
    WHERE error IS NULL GROUP BY map
),
kinds AS (
    SELECT map, word, what, count(*) AS times, avg(distance / way) AS share,
        coalesce(var_samp(distance / way), 0) / count(*) AS variance, avg(distance) AS distance,
        arg_max({{'seed': seed, 'map': map}}, (distance, -seed), {SHOWN}) AS examples
    FROM locks JOIN way USING (map) GROUP BY map, word, what
)
SELECT map, word, what, times, share, variance, distance, examples,
    (SELECT count(*) FROM kinds), (SELECT median(share) FROM kinds)
FROM kinds ORDER BY map, word, what
"""


def farther(run: Run, worlds: int) -> Iterator[Finding]:
    """Ask of each kind of lock on each map whether what opens it is much farther off than is usual for locks."""
    for name, word, what, times, share, variance, distance, examples, kinds, usual in run.sql(
        WAYS
    ).fetchall():
        text = f"{name}: what opens a {what} that is locked with {word} is farther off than is usual: {distance:.0f} steps"
        yield Finding(
            kind="farther",
            map=name,
            thing=word,
            text=f"{text}, {share:.0%} of the way through the map, where {usual:.0%} are usual.",
            matters=kinds >= USUAL and share >= FARTHER * usual,
            cases=100 * times / worlds,
            chance=normal_at_most(SURELY_FARTHER * usual - share, variance),
            shown=spots_of(examples),
        )


TRAPS = f"""
WITH objects AS ({OBJECTS}),
per_level AS (
    SELECT levels.seed, levels.map, coalesce(sum(count), 0) AS traps, arg_max(tag, count) AS tag
    FROM levels LEFT JOIN objects ON objects.seed = levels.seed AND objects.map = levels.map AND base = 'trap'
    WHERE levels.error IS NULL GROUP BY levels.seed, levels.map
),
maps AS (
    SELECT map, count(*) AS levels, avg(traps) AS traps, coalesce(var_samp(traps), 0) / count(*) AS variance,
        mode(tag) AS tag, arg_max({{'seed': seed, 'map': map}}, (traps, -seed), {SHOWN}) AS examples
    FROM per_level GROUP BY map
)
SELECT *, (SELECT count(*) FROM maps), (SELECT median(traps) FROM maps) FROM maps ORDER BY map
"""


def trapped(run: Run, worlds: int) -> Iterator[Finding]:
    """Ask of each map whether it has many more traps than is usual for maps."""
    for name, levels, traps, variance, tag, examples, maps, usual in run.sql(TRAPS).fetchall():
        yield Finding(
            kind="trapped",
            map=name,
            thing="traps",
            text=f"{name} is full of traps: {traps:.0f} on a level, mostly {tag}, where {usual:.0f} are usual.",
            matters=maps >= USUAL and traps >= TRAPPED * max(usual, 1),
            cases=100 * levels / worlds * traps / max(usual, 1),
            chance=normal_at_most(SURELY_TRAPPED * max(usual, 1) - traps, variance),
            shown=spots_of(examples),
        )


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
