"""Figures about levels: what they are like, their locks, and how they were made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dungeon.playtest.report.content_sections import CATEGORY, DEPTH, MAP, OBJECTS
from dungeon.playtest.report.sheet import EXAMPLES, SHOWN, Sheet, column, sheet_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dungeon.playtest.run import Run


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


def shape_sheets(run: Run) -> Iterator[Sheet]:
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


def making_sheets(run: Run) -> Iterator[Sheet]:
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
