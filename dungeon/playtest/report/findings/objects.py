"""Objects that are where they do not belong: out of depth, too far off, too many."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dungeon.playtest.report.findings.finding import CHANCE, Finding, often
from dungeon.playtest.report.sections.encounters import MADE
from dungeon.playtest.report.sections.objects import OBJECTS
from dungeon.playtest.report.sheet import EXAMPLES, SHOWN, spots_of
from dungeon.playtest.report.statistics import at_least, below

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dungeon.playtest.run import Run

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
            chance=at_least(on_levels, levels, CHANCE),
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
            chance=below(SURELY_FARTHER * usual - share, variance),
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
            chance=below(SURELY_TRAPPED * max(usual, 1) - traps, variance),
            shown=spots_of(examples),
        )
