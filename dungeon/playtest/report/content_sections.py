"""Figures about encounters and objects: how often they are met, what is refused and why, and what never comes."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from dungeon.playtest.report.sheet import EXAMPLES, SHOWN, Sheet, column, sheet_of

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


def encounter_sheets(run: Run) -> Iterator[Sheet]:
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


def object_sheets(run: Run) -> Iterator[Sheet]:
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
