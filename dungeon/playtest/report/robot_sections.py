"""A table about robots, as in a designer's spreadsheet: what the content says of each robot, beside what it costs bots."""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING

import numpy as np

from dungeon.playtest.report.game_findings import HARMFUL, HARMLESS, SLIGHT, WORST_WITH, harm_in, usual_costs
from dungeon.playtest.report.sheet import column, sheet_of
from dungeon.playtest.statistics import WIDTH

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from dungeon.playtest.report.sheet import ReportSheet
    from dungeon.playtest.run import Run

PLACED = f"""
WITH killers AS (SELECT killer_tag AS tag, count(*) AS times FROM plays WHERE ending = 'death' GROUP BY killer_tag),
worst AS ({WORST_WITH}),
placed AS (SELECT kind, tag, sum(count)::BIGINT AS count FROM objects WHERE base = 'robot' GROUP BY kind, tag)
SELECT kind, tag, rating, threat, count / (SELECT count(*) FROM worlds WHERE error IS NULL), coalesce(times, 0), examples
FROM placed LEFT JOIN thing USING (kind, tag) LEFT JOIN killers USING (tag) LEFT JOIN worst USING (tag) ORDER BY kind, tag
"""
"""For each robot: (kind, tag, depth rating, threat, number in a world, games that it ended, example levels)."""

ATTRIBUTES = "SELECT attribute FROM attributes GROUP BY attribute ORDER BY count(*) DESC, attribute"
"""The attributes of robots, the most frequent first."""


VAGUE = 100.0
"""A toll known to within more than this factor has no interval: too few fights tell it."""


def robot_sheets(run: Run) -> Iterator[ReportSheet]:
    """Yield the table about robots; nothing if no robot was fought."""
    tolls = _tolls(run)
    if not tolls:
        return
    names = [name for (name,) in run.sql(ATTRIBUTES).fetchall()]
    values = {
        tuple(key): value
        for *key, value in run.sql("SELECT kind, tag, attribute, value FROM attributes").fetchall()
    }
    rows = [
        (
            *(tag, rating, threat),
            *tolls.get((kind, tag), (0, None, None, None, None, None, 0.0)),
            *(killed, placed),
            *(values.get((kind, tag, name)) for name in names),
            examples,
        )
        for kind, tag, rating, threat, placed, killed, examples in run.sql(PLACED).fetchall()
    ]
    yield sheet_of(
        "robots",
        "Robots: attributes and toll",
        "What one robot costs bots in a fight, estimated from all fights together, beside its attributes in the content. Only fights "
        "with the robots of encounters count. The robots whose fights cost most in sum come first.",
        [
            column("robot", "text", "its name in the catalog"),
            column("rating", "count", "its depth rating"),
            column("threat", "number", "its threat"),
            column("fought", "count", "number of such robots in all fights"),
            column("toll", "number", "hit points that one costs in a fight"),
            column(
                "toll_low", "number", "lower end of the 95% interval of toll; empty if too few fights tell it"
            ),
            column("toll_high", "number", "upper end of the 95% interval of toll"),
            column("usual", "number", "the toll that is usual for its threat"),
            column(
                "ratio",
                "number",
                f"toll divided by the usual toll. A finding needs {HARMFUL:g} or more, or 1/{HARMLESS:g} or less; the difference must be "
                f"{SLIGHT:.1%} of all hit points lost in games or more, and larger than chance explains",
            ),
            column(
                "fight_share",
                "share",
                "its share of the hit points lost in these fights, not of all lost in games",
            ),
            column("killed", "count", "games that it ended"),
            column("placed", "number", "average number in a world"),
            *(column(name, "number", f"{name} of its data in the content") for name in names),
        ],
        sorted(rows, key=lambda row: (-row[9], row[0])),
    )


def _tolls(run: Run) -> Mapping[tuple[str, str], tuple[Any, ...]]:
    """Return (kind, tag) of each robot and trap that was fought -> its columns from ``fought`` to ``fight_share``."""
    harm = run.notes.once("harm", harm_in, run)
    if harm is None:
        return {}
    _, usual = usual_costs(run, harm)
    ends = np.exp(WIDTH * harm.errors)
    ends[ends > VAGUE] = np.nan
    lost = harm.costs * harm.fought
    columns = (
        *(harm.fought.astype(int), harm.costs, harm.costs / ends, harm.costs * ends),
        *(usual, harm.costs / usual, lost / max(lost.sum(), 1.0)),
    )
    rows = zip(*(each.tolist() for each in columns), strict=True)
    return {
        thing: tuple(
            None if isnan(value) else value for value in row
        )  # NaN where there is no usual toll, or no interval
        for thing, row in zip(harm.things, rows, strict=True)
    }
