"""Locks and their keys; and how levels were made: how long it took, and what went wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dungeon.playtest.report.sections.encounters import DEPTH, MAP
from dungeon.playtest.report.sheet import Sheet, column, sheet_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dungeon.playtest.run import Run

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


def sheets(run: Run) -> Iterator[Sheet]:
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
