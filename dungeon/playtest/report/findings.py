"""The findings of a run. Each function asks one question of every map, encounter..., and yields an answer for each: a `Finding`.

`findings` keeps the answers that matter: those above the threshold of their kind (`Finding.matters`) that are also significant. All
tests are corrected together for their number. Findings with one cause are joined: an object that is wrong on many maps, or a map
with many wrong encounters.
"""

from __future__ import annotations

from itertools import compress
from typing import TYPE_CHECKING

import numpy as np

from dungeon.playtest.report.encounter_sections import PREFABS, STAKES_OF_LEVELS
from dungeon.playtest.report.exposure import exposure_in
from dungeon.playtest.report.finding import (
    CHANCE,
    ENOUGH,
    USUAL,
    Finding,
    frequency_finding,
    joined_findings,
    marked,
    told_and_accepted,
)
from dungeon.playtest.report.game_findings import of_games, usual_power
from dungeon.playtest.report.level_sections import ALIKE, COMMON, WAY
from dungeon.playtest.report.sheet import EXAMPLES, LEVEL, MADE, SHOWN, levels_in
from dungeon.playtest.statistics import binomial_at_least, holm, normal_at_most, poisson_at_most, sign_test

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dungeon.content.models.accepted import AcceptedEntry
    from dungeon.playtest.report.exposure import Exposure
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
reasons AS (SELECT map, subject AS encounter, mode(reason ORDER BY reason) AS reason FROM refusals GROUP BY map, subject)
SELECT map, encounter, coalesce(any_value(category), ''), sum(had)::BIGINT, sum(due)::BIGINT,
    count(*) FILTER (had < due), count(*) FILTER (had > due), any_value(reason), {EXAMPLES} FILTER (had < due)
FROM both_of LEFT JOIN reasons USING (map, encounter) LEFT JOIN meant USING (encounter)
GROUP BY map, encounter ORDER BY map, encounter
"""


def missed(run: Run, game: Exposure) -> Iterator[Finding]:
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
            size=1 - had / max(due, 1),
            matters=had <= (1 - MISSED) * due,
            rate=100 * (due - had) / paired,
            harm=max(due - had, 0) / paired * game.seen.get(name, 0.0) / game.encounters,
            chance=sign_test(less, more),
            shown=levels_in(examples),
        )


def _copies(number: int) -> str:
    return "1 copy" if number == 1 else f"{number} copies"


def unused(run: Run, game: Exposure) -> Iterator[Finding]:
    """Yield a finding for each prefab of encounters: is it placed much less often than encounters choose it as the first to try?"""
    ((copies,),) = run.sql("SELECT count(*) FROM placements WHERE encounter <> ''").fetchall()
    # The share of placed encounters that are on levels of games.
    met = game.encounters * game.worlds / max(copies, 1)
    for prefab, used, expected, _, encounters, examples in run.sql(PREFABS).fetchall():
        if not expected:
            continue
        what = f"is placed {'once' if used == 1 else f'{used} times'}" if used else "is never placed"
        yield Finding(
            kind="unused",
            thing=prefab,
            text=f"The prefab {prefab} {what}, though it is the first choice of {encounters} about {expected:.0f} times.",
            size=1 - used / expected,
            matters=used <= (1 - UNUSED) * expected,
            rate=100 * (expected - used) / game.worlds,
            harm=(expected - used) * met / game.worlds / game.encounters,
            chance=poisson_at_most(used, expected),
            shown=levels_in(examples),
        )


NOWHERE = f"""
WITH copies AS (
    SELECT map, count(*) / count(DISTINCT encounter) AS usual FROM placements WHERE encounter <> '' GROUP BY map
),
maps AS (
    SELECT type, map, count(*) AS levels, coalesce(any_value(usual), 0) AS usual, {EXAMPLES} FILTER (error IS NULL) AS examples
    FROM levels LEFT JOIN copies USING (map) GROUP BY type, map
),
types AS (SELECT type, list((map, levels, usual)) AS maps, first(examples ORDER BY map) AS examples FROM maps GROUP BY type)
SELECT encounter, any_value(category), string_agg(type, ', ' ORDER BY type), any_value(depths), any_value(rest), flatten(list(maps)),
    first(examples ORDER BY type)
FROM nowhere JOIN meant USING (encounter) LEFT JOIN types USING (type) GROUP BY encounter ORDER BY encounter
"""
"""The maps of the types where each encounter can't be, each with its levels and the usual number of copies of an encounter there."""


def nowhere(run: Run, game: Exposure) -> Iterator[Finding]:
    """Yield a finding for each encounter that names a type of map under `maps`, but has no weight at any depth of that type."""
    for encounter, category, types, depths, rest, maps, examples in run.sql(NOWHERE).fetchall():
        where = (
            f"on {types}, though its `maps` name {'them' if ',' in types else 'it'}" if rest else "anywhere"
        )
        yield Finding(
            kind="nowhere",
            thing=encounter,
            category=category,
            text=f"{encounter} can't be {where}: its depth is {depths}, and it has no weight at any depth of {types}.",
            size=1.0,
            matters=True,
            rate=100 * sum(levels for _, levels, _ in maps) / game.worlds,
            harm=sum(game.in_game(name, usual) for name, _, usual in maps) / game.encounters,
            chance=0.0,
            shown=levels_in(examples),
        )


HEAVY = 2.5
"""An encounter outweighs the others on a map with at least `HEAVY` times the next greatest weight."""

HEAVIEST = f"""
WITH made AS (SELECT map, type, depth, count(*) AS levels FROM levels WHERE error IS NULL GROUP BY ALL),
had AS (
    SELECT map, encounter, any_value(category) AS category, count(*) AS copies, {EXAMPLES} AS examples
    FROM placements GROUP BY map, encounter
)
SELECT map, encounter, coalesce(category, ''), weight, next, coalesce(copies, 0), levels, examples
FROM made JOIN heaviest USING (type, depth) LEFT JOIN had USING (map, encounter) WHERE kinds >= {USUAL} ORDER BY map
"""


def heavy(run: Run, game: Exposure) -> Iterator[Finding]:
    """Yield a finding for each map: has one encounter a far greater weight there than all others?"""
    for name, encounter, category, weight, following, copies, levels, examples in run.sql(
        HEAVIEST
    ).fetchall():
        text = f"{encounter} outweighs all other encounters on {name}: its weight is {weight:g}, and the next has {following:g}"
        yield Finding(
            kind="heavy",
            map=name,
            thing=encounter,
            category=category,
            text=f"{text}. A level has {copies / levels:.2g} copies on average.",
            size=weight / following,
            matters=weight >= HEAVY * following,
            rate=100 * copies / game.worlds,
            harm=game.in_game(name, copies) * (1 - following / weight) / game.encounters,
            chance=0.0,
            shown=levels_in(examples),
        )


EASIER = 0.25
"""A map gets easier, or poorer, if its threat or worth is at least this share below that of the map before it."""

AGAIN = 0.2
"""A layout is hard to make if it is started again on at least this share of its levels."""

ALIKE_IN, ALIKE_ON = 0.5, 0.2
"""Two levels are alike from `ALIKE_IN` of their encounters in the same places; a map is from `ALIKE_ON` of its pairs of levels."""


def failed(run: Run, game: Exposure) -> Iterator[Finding]:
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
            text=f"{text}, in {found} of {game.worlds} worlds: {error}",
            command="" if examples else command,
            size=found / game.worlds,
            matters=True,
            rate=100 * times / game.worlds,
            harm=found / game.worlds * game.reach.get(name, 1.0),
            chance=0.0,
            shown=levels_in(examples),
        )


STEPS = f"""
WITH per_level AS ({STAKES_OF_LEVELS}),
stakes AS (
    SELECT seed, map, depth, unnest(['threat', 'worth']) AS what, unnest([threat, worth]) AS stake FROM per_level
),
per_map AS (
    SELECT what, map, depth, regexp_extract(map, '(.*)/', 1) AS branch, count(*) AS levels, avg(stake) AS stake,
        coalesce(var_samp(stake), 0) / count(*) AS variance,
        arg_min({{'seed': seed, 'map': map, 'mark': if(what = 'threat', 'robot', 'item')}}, (stake, seed), {SHOWN}) AS examples
    FROM stakes GROUP BY what, map, depth
),
ordered AS (
    SELECT *, lag(map) OVER deeper AS before, lag(stake) OVER deeper AS was, lag(variance) OVER deeper AS variance_before
    FROM per_map WINDOW deeper AS (PARTITION BY what, branch ORDER BY depth)
)
SELECT what, map, stake, before, was, variance + variance_before, levels, examples
FROM ordered WHERE was > 0 ORDER BY what, map
"""


def easier(run: Run, game: Exposure) -> Iterator[Finding]:
    """Yield two findings for each map after another one in its branch: has it less threat, or less worth, than that map?"""
    for what, name, stake, before, was, variance, levels, examples in run.sql(STEPS).fetchall():
        is_easier = what == "threat"
        text = f"{name} {'is easier' if is_easier else 'has less to gain'} than {before}, the map before it"
        yield Finding(
            kind="easier" if is_easier else "poorer",
            map=name,
            text=f"{text}: the average {what} of a level is {stake:.1f}, after {was:.1f}.",
            size=1 - stake / was,
            matters=stake <= (1 - EASIER) * was,
            rate=100 * levels / game.worlds,
            harm=game.of_levels(name, 1 - stake / was),
            chance=normal_at_most(stake - was, variance),
            shown=levels_in(examples),
        )


RETRIED = f"""
SELECT map, count(*), count(*) FILTER (retries > 0), {EXAMPLES} FILTER (retries > 0)
FROM levels WHERE error IS NULL GROUP BY map ORDER BY map
"""


def again(run: Run, game: Exposure) -> Iterator[Finding]:
    """Yield a finding for each map: does its layout often fail and start again?"""
    for name, levels, times, examples in run.sql(RETRIED).fetchall():
        text = f"The layout of {name} had to be started again on {times} of {levels} levels."
        toll = 100 * times / game.worlds, 0.0
        yield frequency_finding("again", text, (times, levels), AGAIN, toll, examples, name=name)


ALIKE_NAMES = {"encounters": (0.65, 0.6), "robots": (0.9, 0.85)}
"""A map's levels are alike from the first share that two have in common on average; the test asks for more than the second."""

VARIED = 5
"""Minimum number of kinds of encounters, or of robots, on a level on average to call levels alike."""

TWINS = f"""
WITH alike AS ({ALIKE}),
robots AS (SELECT seed, map, list_distinct(list(tag)) AS names FROM objects WHERE base = 'robot' GROUP BY seed, map),
pairs AS (SELECT *, lead(names) OVER (PARTITION BY map ORDER BY seed) AS other_names FROM robots),
shares AS (
    SELECT 'encounters' AS what, seed, map, same, kinds FROM alike
    UNION ALL SELECT 'robots', seed, map, {COMMON}, len(names) FROM pairs WHERE other_names IS NOT NULL
)
SELECT what, map, count(*), avg(kinds), avg(same), coalesce(var_samp(same), 0) / count(*), arg_max({LEVEL}, (same, -seed), {SHOWN})
FROM shares GROUP BY what, map ORDER BY what, map
"""

PLACES = f"""
WITH alike AS ({ALIKE})
SELECT map, count(*), count(*) FILTER (same_place >= {ALIKE_IN}),
    min(DISTINCT {{'seed': seed, 'map': map, 'mark': 'encounter'}}, {SHOWN}) FILTER (same_place >= {ALIKE_IN})
FROM alike GROUP BY map ORDER BY map
"""


def alike(run: Run, game: Exposure) -> Iterator[Finding]:
    """Yield findings for each map: are its levels too much alike from world to world, in encounters, in their places, in robots?"""
    for name, pairs, same, examples in run.sql(PLACES).fetchall():
        text = (
            f"Levels of {name} are too similar: {same} of {pairs} have at least half of their encounters "
            "in the same places as the level of the next world."
        )
        toll = 100 * same / game.worlds, game.of_levels(name, same / pairs)
        yield frequency_finding(
            "alike", text, (same, pairs), ALIKE_ON, toll, examples, name=name, thing="places"
        )
    for what, name, pairs, kinds, same, variance, examples in run.sql(TWINS).fetchall():
        least, surely = ALIKE_NAMES[what]
        yield Finding(
            kind="alike",
            map=name,
            thing=what,
            text=f"Levels of {name} have nearly the same {what} in every world: on average, two levels have {same:.0%} in common.",
            size=same,
            matters=pairs >= ENOUGH and kinds >= VARIED and same >= least,
            rate=100 * pairs / game.worlds,
            harm=game.of_levels(name, same),
            chance=normal_at_most(surely - same, variance),
            shown=levels_in(examples, what.removesuffix("s")),
        )


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

CROWDED = {"trap": (3.0, 2.0), "robot": (1.6, 1.4)}
"""A map is full of traps, or of robots outside encounters, from the first number of times the usual; the test asks for more than the second."""

DEEP = f"""
WITH made AS ({MADE}),
held AS (
    SELECT o.map, o.kind, o.tag, count(*) AS held, mode(h.tag ORDER BY h.tag) AS holder
    FROM spawns AS o JOIN spawns AS h ON h.seed = o.seed AND h.map = o.map AND h.n = o.holder GROUP BY ALL
)
SELECT map, depth, kind, tag, rating, count(DISTINCT seed) AS on_levels, any_value(levels) AS levels,
    sum(count)::BIGINT AS times, if(2 * any_value(held) >= times, any_value(holder), NULL), {EXAMPLES}
FROM objects JOIN made USING (map, depth) JOIN thing USING (kind, tag) LEFT JOIN held USING (map, kind, tag)
WHERE rating > depth GROUP BY map, depth, kind, tag, rating ORDER BY map, kind, tag
"""


def beyond(run: Run, game: Exposure) -> Iterator[Finding]:
    """Yield a finding for each object on each map shallower than the object's rated depth: do too many levels have it?"""
    for name, depth, kind, tag, rating, on_levels, levels, times, holder, examples in run.sql(
        DEEP
    ).fetchall():
        by = rating - depth - BEYOND + 1
        text = f"The {kind} {tag} is out of depth on {name}: {on_levels} of {levels} levels have it, and its depth is {rating}, not {depth}."
        yield Finding(
            kind="beyond",
            map=name,
            thing=tag,
            text=f"{text} It is mostly held by {holder}." if holder else text,
            size=on_levels / levels,
            matters=by > 0 and on_levels * by >= BEYOND_ON * levels,
            rate=100 * times / game.worlds,
            harm=max(by, 0) * game.in_game(name, times) / game.objects,
            chance=binomial_at_least(on_levels, levels, CHANCE),
            shown=levels_in(examples),
        )


DEEP_SHARE, SURELY_DEEP = 0.25, 0.2
"""A map is too deep if `DEEP_SHARE` of its robots or items are out of depth on average; the test asks for more than `SURELY_DEEP`."""

SHARES = f"""
WITH levels AS (
    SELECT seed, map, depth, objects.base AS base, sum(count) AS times,
        coalesce(sum(count) FILTER (rating > depth), 0)::BIGINT AS deep, arg_max(tag, (count, tag)) FILTER (rating > depth) AS tag
    FROM objects JOIN thing USING (kind, tag) WHERE objects.base IN ('robot', 'item') GROUP BY ALL
)
SELECT map, depth, base, count(*), sum(deep)::BIGINT, sum(deep) / sum(times), var_samp(deep / times) / count(*), mode(tag ORDER BY tag),
    arg_max({{'seed': seed, 'map': map, 'mark': tag}}, (deep / times, -seed), {SHOWN})
FROM levels GROUP BY map, depth, base ORDER BY map, base
"""


def deep(run: Run, game: Exposure) -> Iterator[Finding]:
    """Yield findings for each map: are too many of its robots, or of its items, rated for greater depths?"""
    for name, depth, base, levels, times, share, variance, tag, examples in run.sql(SHARES).fetchall():
        yield Finding(
            kind="deep",
            map=name,
            thing=f"{base}s",
            text=f"{share:.0%} of the {base}s on {name} are rated for greater depths than {depth}, mostly {tag}.",
            size=share,
            matters=levels >= ENOUGH and share >= DEEP_SHARE,
            rate=100 * times / game.worlds,
            harm=game.in_game(name, times) / game.objects,
            chance=normal_at_most(SURELY_DEEP - share, variance or 0.0),
            shown=levels_in(examples),
        )


MISRATED = 2.5
"""A robot is rated too low if its threat is `MISRATED` times what is usual for its depth rating."""

RATED = f"""
WITH there AS (SELECT kind, tag, map, sum(count)::BIGINT AS times, {EXAMPLES} AS examples FROM objects GROUP BY kind, tag, map),
placed AS (
    SELECT kind, tag, list((map, times)) AS maps, first(examples ORDER BY times DESC, map) AS examples FROM there GROUP BY kind, tag
)
SELECT kind, tag, greatest(rating, 1), threat, maps, examples
FROM thing LEFT JOIN placed USING (kind, tag) WHERE base = 'robot' AND threat > 0 ORDER BY kind, tag
"""


def misrated(run: Run, game: Exposure) -> Iterator[Finding]:
    """Yield a finding for each kind of robot on levels: is its threat far above what is usual in the catalog for its depth rating?"""
    rows = run.sql(RATED).fetchall()
    if len(rows) < USUAL:
        return
    ratings, threats = (np.array([row[column] for row in rows], np.float64) for column in (2, 3))
    for row, usual in zip(rows, usual_power(ratings, threats, ratings).tolist(), strict=True):
        kind, tag, rating, threat, maps, examples = row
        if maps is None:
            continue
        times = sum(count for _, count in maps)
        yield Finding(
            kind="misrated",
            thing=tag,
            text=f"The {kind} {tag} is rated for depth {rating}, but its threat is {threat:g}; robots of that depth usually have {usual:.1f}.",
            size=threat / usual,
            matters=threat >= MISRATED * usual,
            rate=100 * times / game.worlds,
            harm=sum(game.in_game(name, count) for name, count in maps) * (threat - usual) / game.threat,
            chance=0.0,
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
FROM locks JOIN way USING (seed, map) WHERE distance IS NOT NULL GROUP BY map, word, what ORDER BY map, word, what
"""
"""Locks whose keys all lie on other maps have no distance."""


def far(run: Run, game: Exposure) -> Iterator[Finding]:
    """Yield a finding for each kind of lock on each map: are its keys too far away?"""
    for name, word, what, times, far, distance, way, examples in run.sql(DISTANT).fetchall():
        text = f"{name}: the key of a {what} locked with {word} is too far away for {far} of {times} locks"
        text = f"{text}: {distance or 0:.0f} steps, while crossing the map takes {way:.0f}."
        extra = game.in_game(name, far) * ((distance or way) - way)
        counts, toll = (far, times), (100 * far / game.worlds, extra / game.steps)
        yield frequency_finding("far", text, counts, FAR_LOCKS, toll, examples, name=name, thing=word)


KEY_WAYS = f"""
WITH way AS ({WAY}),
kinds AS (
    SELECT map, word, what, count(*) AS times, avg(distance / way) AS share,
        coalesce(var_samp(distance / way), 0) / count(*) AS variance, avg(distance) AS distance,
        arg_max({LEVEL}, (distance, -seed), {SHOWN}) AS examples
    FROM locks JOIN way USING (map) WHERE distance IS NOT NULL GROUP BY map, word, what
)
SELECT map, word, what, times, share, variance, distance, examples,
    (SELECT count(*) FROM kinds), (SELECT median(share) FROM kinds)
FROM kinds ORDER BY map, word, what
"""


def farther(run: Run, game: Exposure) -> Iterator[Finding]:
    """Yield a finding for each kind of lock on each map: are its keys much farther away than is usual for locks?"""
    for row in run.sql(KEY_WAYS).fetchall():
        name, word, what, times, share, variance, distance, examples, kinds, usual = row
        text = (
            f"{name}: the key of a {what} locked with {word} is farther away than usual: {distance:.0f} steps"
        )
        yield Finding(
            kind="farther",
            map=name,
            thing=word,
            text=f"{text}, which is {share:.0%} of the way through the map; {usual:.0%} is usual.",
            size=share / usual,
            matters=kinds >= USUAL and share >= FARTHER * usual,
            rate=100 * times / game.worlds,
            harm=game.in_game(name, times) * distance * (1 - usual / share) / game.steps,
            chance=normal_at_most(SURELY_FARTHER * usual - share, variance),
            shown=levels_in(examples),
        )


SCATTERED = f"""
WITH scattered AS (
    SELECT seed, map, base, tag, count(*) AS count FROM spawns
    WHERE base = 'trap' OR (base = 'robot' AND placement IS NULL) GROUP BY ALL
),
bases AS (SELECT DISTINCT base FROM scattered),
per_level AS (
    SELECT seed, map, base, coalesce(sum(count), 0) AS times, arg_max(tag, (count, tag)) AS tag
    FROM levels CROSS JOIN bases LEFT JOIN scattered USING (seed, map, base) WHERE error IS NULL GROUP BY seed, map, base
),
maps AS (
    SELECT base, map, count(*) AS levels, avg(times) AS times, coalesce(var_samp(times), 0) / count(*) AS variance,
        mode(tag ORDER BY tag) AS tag, arg_max({LEVEL}, (times, -seed), {SHOWN}) AS examples
    FROM per_level GROUP BY base, map
)
SELECT *, count(*) OVER of_base, greatest(median(times) OVER of_base, 1)
FROM maps WINDOW of_base AS (PARTITION BY base) ORDER BY base DESC, map
"""


def crowded(run: Run, game: Exposure) -> Iterator[Finding]:
    """Yield two findings for each map: has it many more traps, or robots outside encounters, than other maps?"""
    for base, name, levels, times, variance, tag, examples, maps, usual in run.sql(SCATTERED).fetchall():
        least, surely = CROWDED[base]
        what = "traps" if base == "trap" else "robots outside encounters"
        yield Finding(
            kind="trapped" if base == "trap" else "crowded",
            map=name,
            thing=f"{base}s",
            text=f"{name} is full of {what}: {times:.0f} on a level, mostly {tag}; {usual:.0f} are usual.",
            size=times / usual,
            matters=maps >= USUAL and times >= least * usual,
            rate=100 * levels / game.worlds,
            harm=game.of_levels(name, 1 - usual / max(times, usual)),
            chance=normal_at_most(surely * usual - times, variance),
            shown=levels_in(examples, base),
        )


FALSE_ALARMS = 0.05
"""Probability of any finding in a run where nothing is wrong."""

QUESTIONS = (
    *(nowhere, heavy, missed, unused, beyond, deep, misrated, far, farther, crowded, easier, again, alike),
    of_games,
)


def findings(run: Run, accepted: AcceptedEntry) -> tuple[list[Finding], list[Finding]]:
    """Return the findings of a run that matter, and the accepted ones; both are empty without worlds.

    Findings of one cause are joined. Failures come first, then the other findings by the share of a game that they spoil.
    """
    game = exposure_in(run)
    if not game.worlds:
        return [], []
    answers = [marked(answer) for question in QUESTIONS for answer in question(run, game)]
    kept = compress(answers, holm([answer.chance for answer in answers], FALSE_ALARMS))
    told, meant = told_and_accepted((answer for answer in kept if answer.matters), accepted)
    found = joined_findings(told)
    found.sort(key=lambda each: (-each.harm, -each.rate, each.map, each.text))
    return [*failed(run, game), *found], meant
