"""Tables about encounters and objects: their SQL and their columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dungeon.playtest.report.finding import listed
from dungeon.playtest.report.sheet import (
    CATEGORY,
    DEPTH,
    EXAMPLES,
    LEVEL,
    MADE,
    MAP,
    RULE,
    SHOWN,
    column,
    sheet_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dungeon.playtest.report.sheet import ReportSheet
    from dungeon.playtest.run import Run


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
    SELECT map, subject AS encounter, count(*) AS times, mode({RULE} ORDER BY {RULE}) AS reason, {EXAMPLES} AS examples
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

ABSENT = "SELECT encounter FROM meant ANTI JOIN placements USING (encounter) ORDER BY encounter"

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
SELECT map, depth, subject, stage, {RULE} AS rule, count(*) AS times, count(DISTINCT seed) / any_value(levels) AS on_levels,
    {EXAMPLES}
FROM refusals JOIN made USING (map, depth) GROUP BY map, depth, subject, stage, rule
ORDER BY stage = 'place' DESC, times DESC, map, subject, rule
"""

MOST_REFUSED = """
SELECT subject, count(*) AS times FROM refusals WHERE stage = 'place' GROUP BY subject ORDER BY times DESC, subject LIMIT 5
"""
"""The encounters refused most often on all maps together, with the number of refusals."""

RULES = f"""
SELECT map, depth, subject, rule, count(*) AS times, sum(count)::BIGINT AS spots, {EXAMPLES}
FROM (
    SELECT s.seed, s.map, s.depth, r.subject, s.rule, s.count
    FROM refused_spots AS s JOIN refusals AS r ON r.seed = s.seed AND r.map = s.map AND r.n = s.refusal
)
GROUP BY map, depth, subject, rule ORDER BY spots DESC, map, subject, rule
"""

COPIES = f"""
    SELECT encounter, type, depth, count(*) AS copies, {EXAMPLES} AS examples
    FROM placements WHERE encounter <> '' GROUP BY encounter, type, depth
"""
"""The copies of each encounter on maps of each type at each depth."""

PREFABS = f"""
WITH had AS (
    SELECT prefab, count(*) AS used, count(DISTINCT map) AS maps, {EXAMPLES} AS examples
    FROM placements WHERE prefab <> '' GROUP BY prefab
),
copies AS ({COPIES}),
expected AS (
    SELECT prefab, string_agg(DISTINCT encounter, ', ' ORDER BY encounter) AS encounters,
        coalesce(sum(copies * chance), 0) AS copies,
        first(examples ORDER BY copies DESC NULLS LAST, encounter, depth, type) AS examples
    FROM likely LEFT JOIN copies USING (encounter, type, depth) GROUP BY prefab
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
        first(examples ORDER BY copies DESC NULLS LAST, depth, type) AS examples
    FROM forms LEFT JOIN copies USING (encounter, type, depth) GROUP BY encounter, variant
)
SELECT encounter, variant, coalesce(used, 0) AS used, expected.copies AS expected,
    coalesce(had.examples, expected.examples) AS examples
FROM had FULL JOIN expected USING (encounter, variant) ORDER BY used, expected DESC, encounter, variant
"""


def encounter_sheets(run: Run) -> Iterator[ReportSheet]:
    """Yield the tables about encounters."""
    absent = [name for (name,) in run.sql(ABSENT).fetchall()]
    refused = ", ".join(f"{name} ({times:,})" for name, times in run.sql(MOST_REFUSED).fetchall()) or "none"
    yield sheet_of(
        "frequency",
        "Encounters",
        "How often levels have each encounter, and how often they would have it with unlimited space. "
        f"Encounters with the most missing copies come first. Encounters that no level has: {', '.join(listed(absent)) or 'none'}.",
        [
            MAP,
            DEPTH,
            column("encounter", "text", "the encounter"),
            CATEGORY,
            column(
                "declared",
                "number",
                "average copies on a level with unlimited space; empty if the content is not available",
            ),
            column("realised", "number", "average copies on a level"),
            column("on_levels", "share", "share of levels that have it"),
            column("refused", "count", "number of refusals"),
            column("reason", "text", "the most frequent reason, the first by alphabet of those as frequent"),
        ],
        run.sql(FREQUENCY).fetchall(),
    )
    yield sheet_of(
        "categories",
        "Categories",
        "The mix of categories among each map's encounters.",
        [
            MAP,
            DEPTH,
            CATEGORY,
            column("copies", "number", "average number of encounters of this category on a level"),
            column("declared", "share", "share of this category with unlimited space"),
            column("realised", "share", "share of this category on levels"),
        ],
        run.sql(CATEGORIES).fetchall(),
    )
    subject = column("subject", "text", "what was refused, mostly an encounter")
    yield sheet_of(
        "refusals",
        "Refusals",
        "What was refused, the most frequent first: encounters, then what belongs to the map itself, such as features and rivers. "
        f"Encounters with most refusals, all maps together: {refused}.",
        [
            MAP,
            DEPTH,
            subject,
            column("stage", "text", "the stage that refused it"),
            column("reason", "text", "the reason; N stands for any number"),
            column("times", "count", "number of refusals"),
            column("on_levels", "share", "share of levels with such a refusal"),
        ],
        run.sql(REFUSALS).fetchall(),
    )
    yield sheet_of(
        "rules",
        "Rules behind refusals",
        "For refusals after checking spots one by one: the number of spots that each rule excluded.",
        [
            MAP,
            DEPTH,
            subject,
            column("rule", "text", "the rule"),
            column("times", "count", "refusals in which it excluded spots"),
            column("spots", "count", "spots that it excluded"),
        ],
        run.sql(RULES).fetchall(),
    )
    prefabs = run.sql(PREFABS).fetchall()
    missing = [
        (used - expected, f"{name} ({expected - used:.0f} of {expected:.0f} missing)")
        for name, used, expected, *_ in prefabs
        if expected and expected - used >= 1
    ]
    short = ", ".join(text for _, text in sorted(missing)[:5]) or "none"
    yield sheet_of(
        "prefabs",
        "Prefabs",
        "How often each prefab was placed, the rarest first. If it is not on an example level, the level's command says why. "
        f"Prefabs with most missing placements: {short}.",
        [
            column("prefab", "text", "the prefab"),
            column("used", "count", "number of placements"),
            column(
                "expected",
                "number",
                "expected number of times that it is the first choice of a placed encounter",
            ),
            column("maps", "count", "number of maps that have it"),
            column("encounters", "text", "the encounters that use it"),
        ],
        prefabs,
    )
    yield sheet_of(
        "variants",
        "Variants",
        "How often encounters were placed in each of their variants, the rarest first.",
        [
            column("encounter", "text", "the encounter"),
            column("variant", "text", "the variant"),
            column("used", "count", "number of placements"),
            column(
                "expected", "number", "expected number of times that it is the first choice of a placed copy"
            ),
        ],
        run.sql(VARIANTS).fetchall(),
    )


OBJECTS = """
SELECT seed, map, depth, {placement} AS placement, kind, base, tag, count(*) AS count FROM spawns
WHERE base IN ('robot', 'trap', 'item') GROUP BY ALL
"""
"""The rows of the table `objects`: see `count_objects`."""

STAKES_OF_LEVELS = """
SELECT levels.seed, levels.map, levels.depth,
    coalesce(sum(count) FILTER (objects.base = 'robot'), 0) AS robots,
    coalesce(sum(count) FILTER (objects.base = 'trap'), 0) AS traps,
    coalesce(sum(count) FILTER (objects.base = 'item'), 0) AS items,
    coalesce(sum(count * threat), 0) AS threat, coalesce(sum(count * worth), 0) AS worth
FROM levels LEFT JOIN objects ON objects.seed = levels.seed AND objects.map = levels.map
LEFT JOIN thing USING (kind, tag) WHERE levels.error IS NULL GROUP BY ALL
"""
"""The objects of each level: robots, traps, items, threat and worth."""

STAKES = f"""
WITH per_level AS ({STAKES_OF_LEVELS})
SELECT map, depth, lag(map) OVER (PARTITION BY regexp_extract(map, '(.*)/', 1) ORDER BY depth) AS previous,
    avg(robots), avg(traps), avg(items),
    avg(threat), stddev_samp(threat), quantile_cont(threat, 0.1), quantile_cont(threat, 0.9), avg(worth),
    arg_max({LEVEL}, (threat, robots + traps, -seed), {SHOWN})
FROM per_level GROUP BY map, depth ORDER BY depth, map
"""

BY_TAG = f"""
WITH made AS ({MADE})
SELECT map, depth, kind, tag, sum(count)::BIGINT AS times, sum(count) / any_value(levels) AS a_level,
    count(DISTINCT seed) / any_value(levels) AS on_levels, any_value(rating) AS rating,
    greatest(any_value(rating) - depth, 0) AS beyond, {EXAMPLES}
FROM objects JOIN made USING (map, depth) LEFT JOIN thing USING (kind, tag) GROUP BY map, depth, kind, tag
UNION ALL SELECT NULL, NULL, kind, tag, 0, 0, 0, rating, NULL, NULL
FROM thing ANTI JOIN objects USING (kind, tag) WHERE base IN ('robot', 'trap', 'item')
ORDER BY depth NULLS FIRST, map, kind, times DESC, tag
"""

UNMET = """
SELECT DISTINCT tag FROM objects SEMI JOIN visits USING (seed, map) ANTI JOIN events ON events.tag = objects.tag ORDER BY tag
"""
"""The objects on levels that games reached, but that no event of a game names."""

BEYOND = f"""
WITH rated AS (FROM objects JOIN thing USING (kind, tag) WHERE objects.base <> 'trap'),
deep AS (
    SELECT map, kind, arg_max(tag, (times, tag)) AS tag, arg_max(examples, (times, tag)) AS examples
    FROM (SELECT map, kind, tag, sum(count) AS times, {EXAMPLES} AS examples FROM rated WHERE rating > depth GROUP BY map, kind, tag)
    GROUP BY map, kind
)
SELECT map, depth, kind, sum(count)::BIGINT AS times, coalesce(sum(count) FILTER (rating > depth), 0) / sum(count) AS deep_share,
    any_value(deep.tag), any_value(examples)
FROM rated LEFT JOIN deep USING (map, kind) GROUP BY map, depth, kind ORDER BY deep_share DESC, depth, map, kind
"""


def count_objects(run: Run) -> None:
    """Add the table `objects`: the number of objects of each kind and tag on each level.

    If bots have played, each placement is counted by itself. Else the placement is -1, as it is for objects without one.
    """
    ((is_played,),) = run.sql("SELECT count(*) > 0 FROM plays").fetchall()
    run.add("objects", OBJECTS.format(placement="coalesce(placement, -1)" if is_played else "-1"))


def object_sheets(run: Run) -> Iterator[ReportSheet]:
    """Yield the tables about objects."""
    yield sheet_of(
        "stakes",
        "Threat and reward",
        "Average objects on a level of each map, with their threat and worth in budgets. Items that robots hold are included.",
        [
            MAP,
            DEPTH,
            column("previous", "text", "the map before it in its branch; empty for the first"),
            column("robots", "number", "robots"),
            column("traps", "number", "traps"),
            column("items", "number", "items"),
            column("threat", "number", "average threat of a level"),
            column("threat_sd", "number", "standard deviation of the threat"),
            column("threat_p10", "number", "10th percentile of the threat: one level in ten has less"),
            column("threat_p90", "number", "90th percentile of the threat: one level in ten has more"),
            column("worth", "number", "average worth of a level"),
        ],
        run.sql(STAKES).fetchall(),
    )
    kind = column("kind", "text", "robot, trap, item, or a declared kind that is like one")
    tag = column("tag", "text", "its name in the catalog")
    rating = column("rating", "count", "its depth rating in the catalog")
    found = run.sql(BY_TAG).fetchall()
    absent = [tag for name, _, _, tag, *_ in found if name is None]
    text = f"The objects on each map, those that robots hold included. Objects that no level has: {', '.join(listed(absent)) or 'none'}."
    ((games,),) = run.sql("SELECT count(*) FROM plays").fetchall()
    if games:
        unmet = [tag for (tag,) in run.sql(UNMET).fetchall()]
        text += f" Objects that no game noticed, fought, triggered, took or used, though they are on levels that games reached: {', '.join(listed(unmet)) or 'none'}."
    yield sheet_of(
        "objects",
        "Robots, traps and items",
        text,
        [
            MAP,
            DEPTH,
            kind,
            tag,
            column("times", "count", "number on all levels"),
            column("a_level", "number", "average number on a level"),
            column("on_levels", "share", "share of levels that have it"),
            rating,
            column("beyond", "count", "rating minus the map's depth; 0 if not deeper"),
        ],
        found,
    )
    yield sheet_of(
        "out_of_depth",
        "Out of depth",
        "The share of each map's robots and items whose depth rating is deeper than the map, the largest first.",
        [
            MAP,
            DEPTH,
            kind,
            column("times", "count", "number on all levels"),
            column("deep_share", "share", "share of them all that is out of depth"),
            column("tag", "text", "the most frequent of those out of depth"),
        ],
        run.sql(BEYOND).fetchall(),
    )
