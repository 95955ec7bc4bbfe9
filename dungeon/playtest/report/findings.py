"""The findings of a run. Each function asks one question of every map, encounter..., and yields an answer for each: a `Finding`.

`findings` keeps the answers that matter: those above the threshold of their kind (`Finding.matters`) that are also significant. All
tests are corrected together for their number. Findings with one cause are joined: an object that is wrong on many maps, or a map
with many wrong encounters.
"""

from __future__ import annotations

from itertools import compress
from typing import TYPE_CHECKING

from dungeon.playtest.report.finding import (
    CHANCE,
    Finding,
    frequency_finding,
    joined_findings,
)
from dungeon.playtest.report.game_findings import of_games
from dungeon.playtest.report.sections import ALIKE, MADE, OBJECTS, PREFABS, STAKES_OF_LEVELS
from dungeon.playtest.report.sheet import EXAMPLES, SHOWN, levels_in
from dungeon.playtest.statistics import binomial_at_least, holm, normal_at_most, poisson_at_most, sign_test

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dungeon.playtest.run import Run


MISSED = 0.3
"""An encounter is missed if at least this share of its expected copies is missing."""

UNUSED = 0.9
"""A prefab is unused if at least this share is missing. It is higher because large prefabs fit less often than small ones."""

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
    """Yield a finding for each encounter on each map: does it appear much less often than it would with unlimited space?"""
    ((paired,),) = run.sql("SELECT count(*) FROM paired").fetchall()
    for name, encounter, category, had, due, less, more, reason, examples in run.sql(MISSING).fetchall():
        expected = f"with unlimited space it would have {_copies(due)} in {paired} worlds"
        text = f"{name} never has {encounter}; {expected}."
        if had:
            missing = f"{1 - had / max(due, 1):.0%} are missing"
            text = f"{name} has only {_copies(had)} of {encounter}; {expected}, so {missing}."
        yield Finding(
            kind="missed",
            map=name,
            thing=encounter,
            category=category,
            text=f"{text} Most frequent reason: {reason}." if reason else text,
            matters=had <= (1 - MISSED) * due,
            cases=100 * (due - had) / paired,
            chance=sign_test(less, more),
            shown=levels_in(examples),
        )


def _copies(number: int) -> str:
    return "1 copy" if number == 1 else f"{number} copies"


def unused(run: Run, worlds: int) -> Iterator[Finding]:
    """Yield a finding for each prefab of encounters: is it placed much less often than encounters choose it as the first to try?"""
    for prefab, used, expected, _, encounters, examples in run.sql(PREFABS).fetchall():
        if not expected:
            continue
        what = f"is placed {'once' if used == 1 else f'{used} times'}" if used else "is never placed"
        yield Finding(
            kind="unused",
            thing=prefab,
            text=f"The prefab {prefab} {what}, though it is the first choice of {encounters} about {expected:.0f} times.",
            matters=used <= (1 - UNUSED) * expected,
            cases=100 * (expected - used) / worlds,
            chance=poisson_at_most(used, expected),
            shown=levels_in(examples),
        )


NOWHERE = """
SELECT encounter, any_value(category), string_agg(type, ', ' ORDER BY type), any_value(depths), any_value(rest)
FROM nowhere JOIN meant USING (encounter) GROUP BY encounter ORDER BY encounter
"""


def nowhere(run: Run, _worlds: int) -> Iterator[Finding]:
    """Yield a finding for each encounter that names a type of map under `maps`, but has no weight at any depth of that type."""
    for encounter, category, types, depths, rest in run.sql(NOWHERE).fetchall():
        where = (
            f"on {types}, though its `maps` name {'them' if ',' in types else 'it'}" if rest else "anywhere"
        )
        yield Finding(
            kind="nowhere",
            thing=encounter,
            category=category,
            text=f"{encounter} can't be {where}: its depth is {depths}, and it has no weight at any depth of {types}.",
            matters=True,
            cases=100.0,
            chance=0.0,
            shown=(),
        )


EASIER = 0.25
"""A map gets easier if its threat is at least this share below that of the map before it."""

AGAIN = 0.2
"""A layout is hard to make if it is started again on at least this share of its levels."""

ALIKE_IN, ALIKE_ON = 0.5, 0.2
"""Two levels are alike from `ALIKE_IN` of their encounters in the same places; a map is from `ALIKE_ON` of its pairs of levels."""


def failed(run: Run, worlds: int) -> Iterator[Finding]:
    """Yield a finding for each error with which worlds or levels could not be made, or games could not be played."""
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
            shown=levels_in(examples),
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
    """Yield a finding for each map after another one with threat in its branch: has it less threat than the map before it?"""
    for name, threat, before, was, variance, levels, examples in run.sql(STEPS).fetchall():
        yield Finding(
            kind="easier",
            map=name,
            text=f"{name} is easier than {before}, the map before it: its average threat is {threat:.1f}, after {was:.1f}.",
            matters=threat <= (1 - EASIER) * was,
            cases=100 * levels / worlds,
            chance=normal_at_most(threat - was, variance),
            shown=levels_in(examples),
        )


RETRIED = f"""
SELECT map, count(*), count(*) FILTER (retries > 0), {EXAMPLES} FILTER (retries > 0)
FROM levels WHERE error IS NULL GROUP BY map ORDER BY map
"""


def again(run: Run, worlds: int) -> Iterator[Finding]:
    """Yield a finding for each map: does its layout often fail and start again?"""
    for name, levels, times, examples in run.sql(RETRIED).fetchall():
        text = f"The layout of {name} had to be started again on {times} of {levels} levels."
        yield frequency_finding("again", text, (times, levels), AGAIN, worlds, examples, name=name)


TWINS = f"""
WITH alike AS ({ALIKE})
SELECT map, count(*), count(*) FILTER (same_place >= {ALIKE_IN}), {EXAMPLES} FILTER (same_place >= {ALIKE_IN})
FROM alike GROUP BY map ORDER BY map
"""


def alike(run: Run, worlds: int) -> Iterator[Finding]:
    """Yield a finding for each map: are its levels too much alike from world to world?"""
    for name, pairs, same, examples in run.sql(TWINS).fetchall():
        text = (
            f"Levels of {name} are too similar: {same} of {pairs} have at least half of their encounters "
            "in the same places as the level of the next world."
        )
        yield frequency_finding("alike", text, (same, pairs), ALIKE_ON, worlds, examples, name=name)


BEYOND, BEYOND_ON = 2, 0.25
"""An object is out of depth if its rating is at least `BEYOND` depths below the map, on `BEYOND_ON` of its levels.

With one depth more, half that share of levels is enough; with two more, a third; and so on.
"""

FAR, FAR_LOCKS = 1.5, 0.1
"""A key is far if it takes at least `FAR` times the steps to the farthest exit (or half the map's height plus width, if more).

It is reported if at least `FAR_LOCKS` of the locks have such a key.
"""

FARTHER, SURELY_FARTHER = 1.35, 1.15
"""Keys of one kind of lock are farther than usual if they take `FARTHER` times the usual share of the way through the map.

The test asks whether they take more than `SURELY_FARTHER` times that share.
"""

USUAL = 5
"""Minimum number of kinds of locks, or of maps, to say what is usual."""

TRAPPED, SURELY_TRAPPED = 3.0, 2.0
"""A map is full of traps with `TRAPPED` times the usual number; the test asks for more than `SURELY_TRAPPED` times."""

DEEP = f"""
WITH objects AS ({OBJECTS}), made AS ({MADE})
SELECT map, depth, kind, tag, rating, count(DISTINCT seed) AS on_levels, any_value(levels) AS levels,
    sum(count)::BIGINT AS times, {EXAMPLES}
FROM objects JOIN made USING (map, depth) JOIN thing USING (kind, tag)
WHERE rating > depth GROUP BY map, depth, kind, tag, rating ORDER BY map, kind, tag
"""


def beyond(run: Run, worlds: int) -> Iterator[Finding]:
    """Yield a finding for each object on each map shallower than the object's rated depth: do too many levels have it?"""
    for name, depth, kind, tag, rating, on_levels, levels, times, examples in run.sql(DEEP).fetchall():
        by = rating - depth - BEYOND + 1
        yield Finding(
            kind="beyond",
            map=name,
            thing=tag,
            text=f"The {kind} {tag} is out of depth on {name}: {on_levels} of {levels} levels have it, and its depth is {rating}, not {depth}.",
            matters=by > 0 and on_levels * by >= BEYOND_ON * levels,
            cases=100 * times / worlds,
            chance=binomial_at_least(on_levels, levels, CHANCE),
            shown=levels_in(examples),
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
    """Yield a finding for each kind of lock on each map: are its keys too far away?"""
    for name, word, what, times, far, distance, way, examples in run.sql(DISTANT).fetchall():
        text = f"{name}: the key of a {what} locked with {word} is too far away for {far} of {times} locks"
        text = f"{text}: {distance or 0:.0f} steps, while crossing the map takes {way:.0f}."
        yield frequency_finding("far", text, (far, times), FAR_LOCKS, worlds, examples, name=name, thing=word)


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
    """Yield a finding for each kind of lock on each map: are its keys much farther away than is usual for locks?"""
    for name, word, what, times, share, variance, distance, examples, kinds, usual in run.sql(
        WAYS
    ).fetchall():
        text = (
            f"{name}: the key of a {what} locked with {word} is farther away than usual: {distance:.0f} steps"
        )
        yield Finding(
            kind="farther",
            map=name,
            thing=word,
            text=f"{text}, which is {share:.0%} of the way through the map; {usual:.0%} is usual.",
            matters=kinds >= USUAL and share >= FARTHER * usual,
            cases=100 * times / worlds,
            chance=normal_at_most(SURELY_FARTHER * usual - share, variance),
            shown=levels_in(examples),
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
    """Yield a finding for each map: has it many more traps than other maps?"""
    for name, levels, traps, variance, tag, examples, maps, usual in run.sql(TRAPS).fetchall():
        yield Finding(
            kind="trapped",
            map=name,
            thing="traps",
            text=f"{name} is full of traps: {traps:.0f} on a level, mostly {tag}; {usual:.0f} are usual.",
            matters=maps >= USUAL and traps >= TRAPPED * max(usual, 1),
            cases=100 * levels / worlds * traps / max(usual, 1),
            chance=normal_at_most(SURELY_TRAPPED * max(usual, 1) - traps, variance),
            shown=levels_in(examples),
        )


__all__ = ["Finding", "findings"]

SYMPTOMS = ("easier", "killing")
"""Kinds of findings that may be consequences of others and are listed after them."""

FALSE_ALARMS = 0.05
"""Probability of any finding in a run where nothing is wrong."""

QUESTIONS = (
    *(nowhere, missed, unused, beyond, far, farther, trapped, easier, again, alike),
    of_games,
)


def findings(run: Run) -> list[Finding]:
    """Return the findings of a run that matter, with those of one cause joined; empty without worlds.

    Failures come first, then the other findings by cases in 100 worlds. The kinds in `SYMPTOMS` come last, also by cases.
    """
    ((worlds,),) = run.sql("SELECT count(*) FROM worlds").fetchall()
    if not worlds:
        return []
    answers = [answer for question in QUESTIONS for answer in question(run, worlds)]
    kept = compress(answers, holm([answer.chance for answer in answers], FALSE_ALARMS))
    found = joined_findings(answer for answer in kept if answer.matters)
    found.sort(key=lambda each: (each.kind in SYMPTOMS, -each.cases, each.map, each.text))
    return [*failed(run, worlds), *found]
