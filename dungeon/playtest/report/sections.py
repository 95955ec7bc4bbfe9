"""Figures about levels: what they are like, their locks, and how they were made.

Figures about encounters and objects: how often they are met, what is refused and why, and what never comes.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from dungeon.playtest.report.sheet import EXAMPLES, SHOWN, ReportSheet, column, sheet_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dungeon.playtest.run import Run


MAP, DEPTH = column("map", "text", "the map"), column("depth", "count", "how deep it lies")
CATEGORY = column("category", "text", "the category")

MADE = "SELECT map, depth, count(*) AS levels FROM levels WHERE error IS NULL GROUP BY ALL"
"""The maps, and how many levels of each there are."""

FREQUENCY = f"""
WITH made AS ({MADE}),
asked AS (
    SELECT map, count(*) AS levels FROM levels SEMI JOIN paired USING (seed) WHERE error IS NULL GROUP BY map
),
had AS (
    SELECT map, encounter, any_value(category) AS category, count(*) AS copies, count(DISTINCT seed) AS levels,
        {EXAMPLES} AS examples
    FROM placements WHERE encounter <> '' GROUP BY map, encounter
),
owed AS (SELECT map, encounter, sum(copies) AS copies FROM due GROUP BY map, encounter),
refused AS (
    SELECT map, subject AS encounter, count(*) AS times, mode(reason) AS reason, {EXAMPLES} AS examples
    FROM refusals GROUP BY map, subject
),
named AS (SELECT map, encounter FROM had UNION SELECT map, encounter FROM owed)
SELECT map, depth, encounter, coalesce(had.category, meant.category) AS category,
    CASE WHEN asked.levels > 0 THEN coalesce(owed.copies, 0) / asked.levels END AS declared,
    coalesce(had.copies, 0) / made.levels AS realised,
    coalesce(had.levels, 0) / made.levels AS on_levels,
    coalesce(refused.times, 0) AS refused, refused.reason,
    coalesce(had.examples, refused.examples) AS examples
FROM named JOIN made USING (map)
LEFT JOIN asked USING (map) LEFT JOIN had USING (map, encounter) LEFT JOIN owed USING (map, encounter)
LEFT JOIN refused USING (map, encounter) LEFT JOIN meant USING (encounter)
ORDER BY greatest(coalesce(declared - realised, 0), 0) DESC, depth, map, encounter
"""

CATEGORIES = f"""
WITH made AS ({MADE}),
had AS (
    SELECT map, category, count(*) AS copies, {EXAMPLES} AS examples
    FROM placements WHERE encounter <> '' GROUP BY map, category
),
owed AS (
    SELECT map, category, sum(copies) / sum(sum(copies)) OVER (PARTITION BY map) AS share
    FROM due JOIN meant USING (encounter) GROUP BY map, category
)
SELECT map, depth, category, copies / levels AS copies, share AS declared,
    copies / sum(copies) OVER (PARTITION BY map) AS realised, examples
FROM had JOIN made USING (map) LEFT JOIN owed USING (map, category) ORDER BY depth, map, category
"""

REFUSALS = f"""
WITH made AS ({MADE})
SELECT map, depth, subject, stage, reason, count(*) AS times, count(DISTINCT seed) / any_value(levels) AS on_levels,
    {EXAMPLES}
FROM refusals JOIN made USING (map, depth) GROUP BY map, depth, subject, stage, reason
ORDER BY times DESC, map, subject, reason
"""

RULES = f"""
SELECT map, depth, subject, rule, count(*) AS times, sum(count)::BIGINT AS spots, {EXAMPLES}
FROM (
    SELECT s.seed, s.map, s.depth, r.subject, s.rule, s.count
    FROM refused_spots AS s JOIN refusals AS r ON r.seed = s.seed AND r.map = s.map AND r.n = s.refusal
)
GROUP BY map, depth, subject, rule ORDER BY spots DESC, map, subject, rule
"""

COPIES = f"""
    SELECT encounter, depth, count(*) AS copies, {EXAMPLES} AS examples
    FROM placements WHERE encounter <> '' GROUP BY encounter, depth
"""
"""The copies of each encounter at each depth."""

PREFABS = f"""
WITH had AS (
    SELECT prefab, count(*) AS used, count(DISTINCT map) AS maps, {EXAMPLES} AS examples
    FROM placements WHERE prefab <> '' GROUP BY prefab
),
copies AS ({COPIES}),
expected AS (
    SELECT prefab, string_agg(DISTINCT encounter, ', ' ORDER BY encounter) AS encounters,
        coalesce(sum(copies * chance), 0) AS copies, first(examples ORDER BY copies DESC NULLS LAST) AS examples
    FROM likely LEFT JOIN copies USING (encounter, depth) GROUP BY prefab
)
SELECT prefab, coalesce(used, 0) AS used, expected.copies AS expected, coalesce(maps, 0) AS maps, encounters,
    coalesce(had.examples, expected.examples) AS examples
FROM had FULL JOIN expected USING (prefab) ORDER BY used, expected DESC, prefab
"""

VARIANTS = f"""
WITH had AS (
    SELECT encounter, variant, count(*) AS used, {EXAMPLES} AS examples
    FROM placements WHERE variant <> '' GROUP BY encounter, variant
),
copies AS ({COPIES}),
expected AS (
    SELECT encounter, variant, coalesce(sum(copies * chance), 0) AS copies,
        first(examples ORDER BY copies DESC NULLS LAST) AS examples
    FROM forms LEFT JOIN copies USING (encounter, depth) GROUP BY encounter, variant
)
SELECT encounter, variant, coalesce(used, 0) AS used, expected.copies AS expected,
    coalesce(had.examples, expected.examples) AS examples
FROM had FULL JOIN expected USING (encounter, variant) ORDER BY used, expected DESC, encounter, variant
"""


def encounter_sheets(run: Run) -> Iterator[ReportSheet]:
    """Yield what there is to tell of encounters."""
    yield sheet_of(
        "frequency",
        "Encounters",
        "How often levels have each encounter, beside what the same levels would have where space is endless. "
        "Those that miss most come first.",
        [
            MAP,
            DEPTH,
            column("encounter", "text", "the encounter"),
            CATEGORY,
            column(
                "declared",
                "number",
                "copies a level was due, on average; empty where the content is not at hand",
            ),
            column("realised", "number", "copies a level has, on average"),
            column("on_levels", "share", "how many of the levels have it"),
            column("refused", "count", "how often it was refused"),
            column("reason", "text", "why, mostly"),
        ],
        run.sql(FREQUENCY).fetchall(),
    )
    yield sheet_of(
        "categories",
        "Categories",
        "What the encounters of each map are made up of.",
        [
            MAP,
            DEPTH,
            CATEGORY,
            column("copies", "number", "encounters of it on a level, on average"),
            column("declared", "share", "its share in what levels were due"),
            column("realised", "share", "its share in what levels have"),
        ],
        run.sql(CATEGORIES).fetchall(),
    )
    subject = column("subject", "text", "what was refused, mostly an encounter")
    yield sheet_of(
        "refusals",
        "Refusals",
        "What was decided against, the most frequent first.",
        [
            MAP,
            DEPTH,
            subject,
            column("stage", "text", "the stage that did"),
            column("reason", "text", "why"),
            column("times", "count", "how often"),
            column("on_levels", "share", "on how many of the levels"),
        ],
        run.sql(REFUSALS).fetchall(),
    )
    yield sheet_of(
        "rules",
        "Rules behind refusals",
        "Where spots were weighed one by one: which rule left out how many of them.",
        [
            MAP,
            DEPTH,
            subject,
            column("rule", "text", "the rule"),
            column("times", "count", "in how many refusals"),
            column("spots", "count", "how many spots it left out"),
        ],
        run.sql(RULES).fetchall(),
    )
    yield sheet_of(
        "prefabs",
        "Prefabs",
        "How often each prefab was placed, the rarest first.",
        [
            column("prefab", "text", "the prefab"),
            column("used", "count", "how often it was placed"),
            column(
                "expected",
                "number",
                "how often it would be the first choice of the encounters that were placed",
            ),
            column("maps", "count", "on how many maps"),
            column("encounters", "text", "the encounters that may take it"),
        ],
        run.sql(PREFABS).fetchall(),
    )
    yield sheet_of(
        "variants",
        "Variants",
        "How often encounters came in each of their variants, the rarest first.",
        [
            column("encounter", "text", "the encounter"),
            column("variant", "text", "the variant"),
            column("used", "count", "how often it came"),
            column(
                "expected", "number", "how often it would be the first choice of the copies that were placed"
            ),
        ],
        run.sql(VARIANTS).fetchall(),
    )


COUNTED = """
SELECT level, {placement} AS stood, kind, base, tag, count(*) FROM spawn
WHERE base IN (SELECT id FROM name WHERE text IN ('robot', 'trap', 'item')) GROUP BY level, stood, kind, base, tag
"""
"""What matters of the largest table by far, for SQLite: it is not read as a whole."""

OBJECTS = """
SELECT seed, map.text AS map, depth, placement, kind.text AS kind, base.text AS base, tag.text AS tag, counted.count
FROM counted JOIN level ON level.id = counted.level JOIN name AS map ON map.id = level.map
JOIN name AS kind ON kind.id = counted.kind JOIN name AS base ON base.id = counted.base JOIN name AS tag ON tag.id = counted.tag
"""

STAKES_OF_LEVELS = f"""
WITH objects AS ({OBJECTS})
SELECT levels.seed, levels.map, levels.depth,
    coalesce(sum(count) FILTER (objects.base = 'robot'), 0) AS robots,
    coalesce(sum(count) FILTER (objects.base = 'trap'), 0) AS traps,
    coalesce(sum(count) FILTER (objects.base = 'item'), 0) AS items,
    coalesce(sum(count * threat), 0) AS threat, coalesce(sum(count * worth), 0) AS worth
FROM levels LEFT JOIN objects ON objects.seed = levels.seed AND objects.map = levels.map
LEFT JOIN thing USING (kind, tag) WHERE levels.error IS NULL GROUP BY ALL
"""
"""What each level has of objects."""

STAKES = f"""
WITH per_level AS ({STAKES_OF_LEVELS})
SELECT map, depth, avg(robots), avg(traps), avg(items),
    avg(threat), stddev_samp(threat), quantile_cont(threat, 0.1), quantile_cont(threat, 0.9), avg(worth),
    arg_max({{'seed': seed, 'map': map}}, (threat, robots + traps, -seed), {SHOWN})
FROM per_level GROUP BY map, depth ORDER BY depth, map
"""

BY_TAG = f"""
WITH objects AS ({OBJECTS}), made AS ({MADE})
SELECT map, depth, kind, tag, sum(count)::BIGINT AS times, sum(count) / any_value(levels) AS a_level,
    count(DISTINCT seed) / any_value(levels) AS on_levels, any_value(rating) AS rating,
    greatest(any_value(rating) - depth, 0) AS beyond, {EXAMPLES}
FROM objects JOIN made USING (map, depth) LEFT JOIN thing USING (kind, tag)
GROUP BY map, depth, kind, tag ORDER BY depth, map, kind, times DESC, tag
"""

BEYOND = f"""
WITH objects AS ({OBJECTS})
SELECT map, depth, kind, sum(count)::BIGINT AS times,
    coalesce(sum(count) FILTER (rating > depth), 0) / sum(count) AS beyond,
    min(DISTINCT {{'seed': seed, 'map': map}}, {SHOWN}) FILTER (rating > depth)
FROM objects JOIN thing USING (kind, tag) WHERE objects.base <> 'trap'
GROUP BY map, depth, kind ORDER BY depth, map, kind
"""

UNSEEN = f"""
WITH objects AS ({OBJECTS})
SELECT kind, tag, rating, NULL FROM thing ANTI JOIN objects USING (kind, tag)
WHERE base IN ('robot', 'trap', 'item') ORDER BY kind, rating, tag
"""


def count_objects(run: Run) -> None:
    """Add to a run how many objects of each kind and tag its levels have, as the table `counted`.

    Where bots have played, each placement is counted for itself; else, and for what came with none, the placement is -1.
    """
    names = ["level", "placement", "kind", "base", "tag", "count"]
    ((is_played,),) = run.sql("SELECT count(*) > 0 FROM plays").fetchall()
    query = COUNTED.format(placement="coalesce(placement, -1)" if is_played else "-1")
    numbers = np.fromiter(chain.from_iterable(run.in_sqlite(query)), np.int32).reshape(-1, len(names))
    run.add("counted", pa.table([pa.array(column) for column in numbers.T], names))


def object_sheets(run: Run) -> Iterator[ReportSheet]:
    """Yield what there is to tell of objects."""
    yield sheet_of(
        "stakes",
        "Threat and reward",
        "What a level of each map has on average: objects by kind, and what they count for in budgets. What robots hold counts, too.",
        [
            MAP,
            DEPTH,
            column("robots", "number", "robots"),
            column("traps", "number", "traps"),
            column("items", "number", "items"),
            column("threat", "number", "the threat of all objects"),
            column("threat_sd", "number", "its standard deviation"),
            column("threat_p10", "number", "the threat that one level in ten stays below"),
            column("threat_p90", "number", "the threat that one level in ten exceeds"),
            column("worth", "number", "the worth of all objects"),
        ],
        run.sql(STAKES).fetchall(),
    )
    kind = column("kind", "text", "robot, trap or item, or what is like one")
    tag = column("tag", "text", "its name in the catalog")
    rating = column("rating", "count", "the depth that it is rated for")
    yield sheet_of(
        "objects",
        "Robots, traps and items",
        "Which objects stand on each map, or are held by robots there.",
        [
            MAP,
            DEPTH,
            kind,
            tag,
            column("times", "count", "how many there were"),
            column("a_level", "number", "how many on a level, on average"),
            column("on_levels", "share", "how many of the levels have it"),
            rating,
            column("beyond", "count", "by how much that is deeper than the map"),
        ],
        run.sql(BY_TAG).fetchall(),
    )
    yield sheet_of(
        "out_of_depth",
        "Out of depth",
        "How many of the robots and items of each map are rated for greater depths.",
        [
            MAP,
            DEPTH,
            kind,
            column("times", "count", "how many there were"),
            column("beyond", "share", "how many of them are out of depth"),
        ],
        run.sql(BEYOND).fetchall(),
    )
    yield sheet_of(
        "unseen",
        "Objects never met",
        "What the catalogs have, and no level had.",
        [kind, tag, rating],
        run.sql(UNSEEN).fetchall(),
    )


METRICS = """
SELECT map, depth, metric, count(*) AS levels, avg(value), stddev_samp(value), min(value),
    quantile_cont(value, 0.1), median(value), quantile_cont(value, 0.9), max(value),
    list_concat(arg_min({'seed': seed, 'map': map}, (value, seed), 2),
        list_reverse(arg_max({'seed': seed, 'map': map}, (value, -seed), 3)))
FROM metrics GROUP BY map, depth, metric ORDER BY depth, map, metric
"""

LINEAR, DANGER = 0.05, 0.25
"""How wide the cells of the expressive range are, in linearity and in danger."""

RANGE = f"""
WITH objects AS ({OBJECTS}),
danger AS (SELECT seed, map, sum(count) AS count FROM objects WHERE base IN ('robot', 'trap') GROUP BY seed, map),
measured AS (
    SELECT m.seed, m.map, m.type,
        max(m.value) FILTER (metric = 'linearity') AS linearity,
        100 * coalesce(any_value(danger.count), 0) / max(m.value) FILTER (metric = 'walkable') AS danger
    FROM metrics AS m LEFT JOIN danger USING (seed, map)
    WHERE metric IN ('linearity', 'walkable') GROUP BY m.seed, m.map, m.type
)
SELECT type, floor(linearity / {LINEAR}) * {LINEAR} AS linear, floor(danger / {DANGER}) * {DANGER} AS dangerous,
    count(*) AS levels, {EXAMPLES}
FROM measured WHERE linearity IS NOT NULL GROUP BY type, linear, dangerous ORDER BY type, linear, dangerous
"""

NEAR = 4
"""Encounters whose middles lie in the same square of so many cells are in the same place."""

ALIKE = f"""
WITH there AS (
    SELECT seed, map, depth, list_distinct(list(encounter)) AS names,
        list_distinct(list((encounter, (y + height // 2) // {NEAR}, (x + width // 2) // {NEAR}))) AS spots
    FROM placements WHERE encounter <> '' GROUP BY seed, map, depth
),
pairs AS (
    SELECT *, lead(names) OVER following AS other_names, lead(spots) OVER following AS other_spots
    FROM there WINDOW following AS (PARTITION BY map ORDER BY seed)
)
SELECT seed, map, depth,
    len(list_intersect(names, other_names)) / len(list_distinct(list_concat(names, other_names))) AS same,
    len(list_intersect(spots, other_spots)) / len(list_distinct(list_concat(spots, other_spots))) AS same_place
FROM pairs WHERE other_names IS NOT NULL
"""
"""For each level, what it has in common with that of the next world."""

SAMENESS = f"""
WITH alike AS ({ALIKE})
SELECT map, depth, count(*) AS pairs, avg(same) AS same, avg(same_place) AS same_place,
    arg_max({{'seed': seed, 'map': map}}, (same_place, same, -seed), {SHOWN})
FROM alike GROUP BY map, depth ORDER BY depth, map
"""

SQUARE = 5
"""How many cells the squares of heat maps are wide and high."""

WHERE = f"""
WITH lying AS (
    SELECT seed, map, depth, category AS what, y + height // 2 AS y, x + width // 2 AS x
    FROM placements WHERE encounter <> ''
    UNION ALL SELECT seed, map, depth, 'exit', y, x FROM exits
)
SELECT map, depth, what, y // {SQUARE} * {SQUARE} AS y, x // {SQUARE} * {SQUARE} AS x, count(*) AS times,
    min(DISTINCT {{'seed': seed, 'map': map}}, 2)
FROM lying GROUP BY map, depth, what, y // {SQUARE}, x // {SQUARE} ORDER BY depth, map, what, y, x
"""


def shape_sheets(run: Run) -> Iterator[ReportSheet]:
    """Yield what there is to tell of the levels themselves."""
    yield sheet_of(
        "metrics",
        "Measurements",
        "What `dungeon show --metrics` measures, over all levels of each map. Those shown are the two lowest and the three highest.",
        [
            MAP,
            DEPTH,
            column("metric", "text", "what was measured"),
            column("levels", "count", "on how many levels"),
            column("mean", "number", "the mean"),
            column("sd", "number", "the standard deviation"),
            column("least", "number", "the smallest value"),
            column("p10", "number", "the value that one level in ten stays below"),
            column("median", "number", "the value that every other level stays below"),
            column("p90", "number", "the value that one level in ten exceeds"),
            column("most", "number", "the largest value"),
        ],
        run.sql(METRICS).fetchall(),
    )
    yield sheet_of(
        "range",
        "Expressive range",
        "How many levels of each type of map are how linear and how dangerous, after Smith and Whitehead (2010).",
        [
            column("type", "text", "the type of map"),
            column(
                "linearity",
                "number",
                f"how much its places lie one behind the other: from here, {LINEAR} wide",
            ),
            column("danger", "number", f"robots and traps on 100 cells of ground: from here, {DANGER} wide"),
            column("levels", "count", "how many levels"),
        ],
        run.sql(RANGE).fetchall(),
    )
    yield sheet_of(
        "sameness",
        "Sameness between seeds",
        "How much two levels of a map have in common, from one world to the next: 100 % for twins. Those shown are most like their next.",
        [
            MAP,
            DEPTH,
            column("pairs", "count", "how many pairs of levels"),
            column("same", "share", "of the encounters of two levels, those that both have"),
            column("same_place", "share", f"those that both have in the same place, within {NEAR} cells"),
        ],
        run.sql(SAMENESS).fetchall(),
    )
    yield sheet_of(
        "places",
        "Where encounters and exits lie",
        f"How many have their middle in each square of {SQUARE} by {SQUARE} cells.",
        [
            MAP,
            DEPTH,
            CATEGORY,
            column("y", "count", "the first row of the square"),
            column("x", "count", "its first column"),
            column("times", "count", "how many lie there"),
        ],
        run.sql(WHERE).fetchall(),
    )


LOCKS = """
WITH way AS (SELECT seed, map, value FROM metrics WHERE metric = 'exit_farthest')
SELECT map, depth, word, what, count(*) AS times, avg(sphere) AS sphere, avg(distance) AS distance,
    median(distance) AS middle, quantile_cont(distance, 0.9) AS p90, max(distance) AS most,
    avg(distance / nullif(value, 0)) AS ways,
    arg_max({'seed': seed, 'map': map}, (distance, -seed), 5)
FROM locks LEFT JOIN way USING (seed, map)
GROUP BY map, depth, word, what ORDER BY depth, map, word, what
"""

TIMES = """
WITH whole AS (
    SELECT seed, map, depth, sum(microseconds) / 1000 AS took FROM timings GROUP BY seed, map, depth
),
stages AS (
    SELECT map, arg_max(stage, spent) AS stage FROM (
        SELECT map, stage, sum(microseconds) AS spent FROM timings GROUP BY map, stage
    ) GROUP BY map
)
SELECT map, whole.depth, count(*) AS levels, avg(took) AS took, quantile_cont(took, 0.99) AS p99, max(took) AS most,
    any_value(stage) AS stage, avg(retries) AS retries, max(retries) AS most_retries,
    arg_max({'seed': seed, 'map': map}, (took, -seed), 5)
FROM whole JOIN stages USING (map) JOIN levels USING (seed, map)
GROUP BY map, whole.depth ORDER BY depth, map
"""

SLOWEST = """
SELECT seed, map, depth, sum(microseconds) / 1000 AS took, arg_max(stage, microseconds) AS stage,
    [{'seed': seed, 'map': map}]
FROM timings GROUP BY seed, map, depth ORDER BY took DESC, seed, map LIMIT 25
"""

FAILURES = """
SELECT seed, what, map, error, command, CASE WHEN map IS NOT NULL THEN [{'seed': seed, 'map': map}] END
FROM failures ORDER BY seed, what, map, error
"""


def making_sheets(run: Run) -> Iterator[ReportSheet]:
    """Yield what there is to tell of locks, of time and of failures."""
    yield sheet_of(
        "locks",
        "Locks and keys",
        "How deep locks lie behind others, and how far off the nearest of what opens them is. Those shown have it farthest.",
        [
            MAP,
            DEPTH,
            column("word", "text", "what it is locked with"),
            column("what", "text", "door, box or portal"),
            column("times", "count", "how many there were"),
            column("sphere", "number", "the round in which it is opened, on average"),
            column("distance", "number", "steps to the nearest of what opens it, on average"),
            column("median", "number", "the steps that every other lock stays below"),
            column("p90", "number", "the steps that one lock in ten exceeds"),
            column("most", "count", "the most steps"),
            column("ways", "number", "how often these steps would lead to the farthest exit, on average"),
        ],
        run.sql(LOCKS).fetchall(),
    )
    seed, took = column("seed", "text", "the seed"), column("took", "milliseconds", "how long it took")
    yield sheet_of(
        "times",
        "Time",
        "How long levels took to make. Those shown took longest.",
        [
            MAP,
            DEPTH,
            column("levels", "count", "how many levels"),
            column("took", "milliseconds", "how long one took, on average"),
            column("p99", "milliseconds", "the time that one in a hundred exceeds"),
            column("most", "milliseconds", "the longest time"),
            column("stage", "text", "the stage that took most of it"),
            column("retries", "number", "how often its layout was begun again, on average"),
            column("most_retries", "count", "how often at most"),
        ],
        run.sql(TIMES).fetchall(),
    )
    yield sheet_of(
        "slowest",
        "The slowest levels",
        "Those that took longest to make.",
        [seed, MAP, DEPTH, took, column("stage", "text", "the stage that took most of it")],
        run.sql(SLOWEST).fetchall(),
    )
    yield sheet_of(
        "failures",
        "Failures",
        "Worlds and levels that could not be made, and games that could not be played.",
        [
            seed,
            column("what", "text", "world, level or game"),
            column("map", "text", "the map of a level"),
            column("error", "text", "what went wrong"),
            column("command", "text", "the command that shows it"),
        ],
        run.sql(FAILURES).fetchall(),
    )
