"""Tables about levels, locks, times and failures: their SQL and their columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dungeon.playtest.report.sheet import CATEGORY, DEPTH, EXAMPLES, LEVEL, MAP, SHOWN, column, sheet_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dungeon.playtest.report.sheet import ReportSheet
    from dungeon.playtest.run import Run


METRICS = f"""
SELECT map, depth, metric, count(*) AS levels, avg(value), stddev_samp(value), min(value),
    quantile_cont(value, 0.1), median(value), quantile_cont(value, 0.9), max(value),
    list_concat(arg_min({LEVEL}, (value, seed), 2),
        list_reverse(arg_max({LEVEL}, (value, -seed), 3)))
FROM metrics GROUP BY map, depth, metric ORDER BY depth, map, metric
"""

LINEAR, DANGER = 0.05, 0.25
"""Height and width of the cells of the expressive range, in linearity and in danger."""

RANGE = f"""
WITH danger AS (SELECT seed, map, sum(count) AS count FROM objects WHERE base IN ('robot', 'trap') GROUP BY seed, map),
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
"""Two encounters are in the same place if their middles lie in the same square of this size, in cells."""

COMMON = "len(list_intersect(names, other_names)) / len(list_distinct(list_concat(names, other_names)))"
"""The share of the names of two levels that both have."""

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
    {COMMON} AS same, len(names) AS kinds,
    len(list_intersect(spots, other_spots)) / len(list_distinct(list_concat(spots, other_spots))) AS same_place
FROM pairs WHERE other_names IS NOT NULL
"""
"""For each level, the share of encounters, and of encounters in the same place, that the next world's level has in common.

`kinds` is the number of different encounters on the level.
"""

SAMENESS = f"""
WITH alike AS ({ALIKE})
SELECT map, depth, count(*) AS pairs, avg(same) AS same, avg(same_place) AS same_place,
    arg_max({{'seed': seed, 'map': map, 'mark': 'encounter'}}, (same_place, same, -seed), {SHOWN})
FROM alike GROUP BY map, depth ORDER BY same DESC, depth, map
"""

SQUARE = 5
"""Height and width of the squares of heat maps, in cells."""

WHERE = f"""
WITH lying AS (
    SELECT seed, map, depth, category AS what, y + height // 2 AS y, x + width // 2 AS x
    FROM placements WHERE encounter <> ''
    UNION ALL SELECT seed, map, depth, 'exit', y, x FROM exits
)
SELECT map, depth, what, y // {SQUARE} * {SQUARE} AS y, x // {SQUARE} * {SQUARE} AS x, count(*) AS times,
    min(DISTINCT {{'seed': seed, 'map': map, 'mark': what}}, 2)
FROM lying GROUP BY map, depth, what, y // {SQUARE}, x // {SQUARE} ORDER BY depth, map, what, y, x
"""


def shape_sheets(run: Run) -> Iterator[ReportSheet]:
    """Yield the tables about levels themselves."""
    alike = run.sql(SAMENESS).fetchall()
    maps = {name for (name,) in run.sql("SELECT DISTINCT map FROM levels").fetchall()}
    lone = ", ".join(sorted(maps.difference(name for name, *_ in alike)))
    missing = f" Maps with encounters on fewer than two of their levels are missing: {lone}." if lone else ""
    yield sheet_of(
        "metrics",
        "Measurements",
        "The metrics of `dungeon show --metrics` over all levels of each map. Examples are the two lowest and the three highest.",
        [
            MAP,
            DEPTH,
            column("metric", "text", "the metric"),
            column("levels", "count", "levels with a value"),
            column("mean", "number", "the mean"),
            column("sd", "number", "the standard deviation"),
            column("least", "number", "the smallest value"),
            column("p10", "number", "10th percentile: one level in ten has less"),
            column("median", "number", "median: half of the levels have less"),
            column("p90", "number", "90th percentile: one level in ten has more"),
            column("most", "number", "the largest value"),
        ],
        run.sql(METRICS).fetchall(),
    )
    yield sheet_of(
        "range",
        "Expressive range",
        "The number of levels of each type of map by linearity and danger, after Smith and Whitehead (2010).",
        [
            column("type", "text", "the type of map"),
            column(
                "linearity",
                "number",
                f"how much a level's places lie one behind the other; lower end of a range {LINEAR} wide",
            ),
            column(
                "danger",
                "number",
                f"robots and traps for each 100 walkable cells; lower end of a range {DANGER} wide",
            ),
            column("levels", "count", "number of levels"),
        ],
        run.sql(RANGE).fetchall(),
    )
    yield sheet_of(
        "sameness",
        "Similarity between seeds",
        "How much two levels of a map in successive worlds have in common, the most similar maps first; 100 % if they are alike. "
        f"Examples are the most similar.{missing}",
        [
            MAP,
            DEPTH,
            column("pairs", "count", "number of pairs of levels"),
            column("same", "share", "share of the encounters of two levels that both have"),
            column(
                "same_place", "share", f"share that both have in the same place, a square of {NEAR} cells"
            ),
        ],
        alike,
    )
    yield sheet_of(
        "places",
        "Where encounters and exits lie",
        f"Encounters and exits in each square of {SQUARE} by {SQUARE} cells, by their middle.",
        [
            MAP,
            DEPTH,
            CATEGORY,
            column("y", "count", "top row of the square"),
            column("x", "count", "left column of the square"),
            column("times", "count", "number in the square"),
        ],
        run.sql(WHERE).fetchall(),
    )


WAY = """
    SELECT map, greatest(coalesce(avg(value), 0), any_value(height + width) / 2) AS way
    FROM levels LEFT JOIN (SELECT seed, map, value FROM metrics WHERE metric = 'exit_farthest') USING (seed, map)
    WHERE error IS NULL GROUP BY map
"""
"""The way through each map: the average walk to its farthest exit, or half the sum of height and width if that is more."""

LOCKS = f"""
WITH way AS ({WAY})
SELECT map, depth, word, what, count(*) AS times, avg(sphere) AS sphere, avg(distance) AS distance,
    median(distance) AS middle, quantile_cont(distance, 0.9) AS p90, max(distance) AS most,
    avg(distance / way) AS ways,
    arg_max({LEVEL}, (distance, -seed), {SHOWN})
FROM locks JOIN way USING (map)
GROUP BY map, depth, word, what ORDER BY ways DESC, depth, map, word, what
"""

TIMES = f"""
WITH whole AS (
    SELECT seed, map, depth, sum(microseconds) / 1000 AS took FROM timings GROUP BY seed, map, depth
),
stages AS (
    SELECT map, arg_max(stage, (spent, stage)) AS stage FROM (
        SELECT map, stage, sum(microseconds) AS spent FROM timings GROUP BY map, stage
    ) GROUP BY map
)
SELECT map, whole.depth, count(*) AS levels, avg(took) AS took, quantile_cont(took, 0.99) AS p99, max(took) AS most,
    any_value(stage) AS stage, avg(retries) AS retries, max(retries) AS most_retries,
    arg_max({LEVEL}, (took, -seed), {SHOWN})
FROM whole JOIN stages USING (map) JOIN levels USING (seed, map)
GROUP BY map, whole.depth ORDER BY depth, map
"""

SLOWEST = f"""
SELECT seed, map, depth, sum(microseconds) / 1000 AS took, arg_max(stage, (microseconds, stage)) AS stage,
    [{LEVEL}]
FROM timings GROUP BY seed, map, depth ORDER BY took DESC, seed, map LIMIT 25
"""

FAILURES = f"""
SELECT seed, what, map, error, command, CASE WHEN map IS NOT NULL THEN [{LEVEL}] END
FROM failures ORDER BY seed, what, map, error
"""


def making_sheets(run: Run) -> Iterator[ReportSheet]:
    """Yield the tables about locks, times and failures."""
    yield sheet_of(
        "locks",
        "Locks and keys",
        "How many locks must be opened before each lock, and how far away its nearest key is, the farthest first: in ways through the "
        "map. A way is the average walk to the farthest exit, or half the sum of height and width if that is more. Examples have the farthest keys.",
        [
            MAP,
            DEPTH,
            column("word", "text", "the lock's word"),
            column("what", "text", "door, box or portal"),
            column("times", "count", "number of locks"),
            column("sphere", "number", "average sphere (round of opening locks) in which the lock is opened"),
            column(
                "distance",
                "number",
                "average steps from the lock to its nearest key; empty if its keys lie on other maps",
            ),
            column("median", "number", "median of these steps: half of the locks have fewer"),
            column("p90", "number", "90th percentile of these steps: one lock in ten has more"),
            column("most", "count", "the most steps"),
            column("ways", "number", "average of these steps, divided by the way through the map"),
        ],
        run.sql(LOCKS).fetchall(),
    )
    seed, took = column("seed", "text", "the seed"), column("took", "milliseconds", "time to make the level")
    yield sheet_of(
        "times",
        "Times",
        "The time to make levels of each map. Examples are the slowest.",
        [
            MAP,
            DEPTH,
            column("levels", "count", "number of levels"),
            column("took", "milliseconds", "average time"),
            column("p99", "milliseconds", "99th percentile: one level in a hundred takes longer"),
            column("most", "milliseconds", "the longest time"),
            column("stage", "text", "the slowest stage"),
            column("retries", "number", "average number of times that the layout was started again"),
            column("most_retries", "count", "the most times"),
        ],
        run.sql(TIMES).fetchall(),
    )
    yield sheet_of(
        "slowest",
        "The slowest levels",
        "The levels that took longest to make.",
        [seed, MAP, DEPTH, took, column("stage", "text", "the slowest stage")],
        run.sql(SLOWEST).fetchall(),
    )
    yield sheet_of(
        "failures",
        "Failures",
        "Worlds and levels that could not be made, and games that could not be played.",
        [
            seed,
            column("what", "text", "what failed: world, level or game"),
            column("map", "text", "the level's map"),
            column("error", "text", "the error message"),
            column("command", "text", "a command that repeats it"),
        ],
        run.sql(FAILURES).fetchall(),
    )
