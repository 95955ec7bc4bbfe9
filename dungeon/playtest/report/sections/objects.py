"""Robots, traps and items: how many, of what threat and worth, and for what depth."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from dungeon.playtest.report.sections.encounters import DEPTH, MADE, MAP
from dungeon.playtest.report.sheet import EXAMPLES, SHOWN, Sheet, column, sheet_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dungeon.playtest.run import Run

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


def count(run: Run) -> None:
    """Add to a run how many objects of each kind and tag its levels have, as the table `counted`.

    Where bots have played, each placement is counted for itself; else, and for what came with none, the placement is -1.
    """
    names = ["level", "placement", "kind", "base", "tag", "count"]
    ((is_played,),) = run.sql("SELECT count(*) > 0 FROM plays").fetchall()
    query = COUNTED.format(placement="coalesce(placement, -1)" if is_played else "-1")
    numbers = np.fromiter(chain.from_iterable(run.in_sqlite(query)), np.int32).reshape(-1, len(names))
    run.add("counted", pa.table([pa.array(column) for column in numbers.T], names))


def sheets(run: Run) -> Iterator[Sheet]:
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
