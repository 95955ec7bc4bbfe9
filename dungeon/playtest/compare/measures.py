"""What two runs can be asked for, of any part of a world."""

from __future__ import annotations

from typing import Literal, NamedTuple

Kind = Literal["share", "count", "mean"]
"""A share of levels in which something is; how much of it there is in a level; a mean over those that have any."""

Base = Literal["made", "tried", "world"]
"""What is divided by: levels that were made, those that failed as well, or nothing, so that it is a number per world."""


class Measure(NamedTuple):
    """Something that a run can be asked for.

    Attributes:
        name: What conditions call it.
        subject: What its things are, if it is about things: encounter, prefab...
        sql: Selects the ids of levels and of things' names, and how much there is.
        kind: What is made of that.
        base: What it is divided by.
        is_listed: Whether it is asked of all there is. What a clock has measured is never twice the same.
    """

    name: str
    subject: str
    sql: str
    kind: Kind = "count"
    base: Base = "made"
    is_listed: bool = True

    @property
    def has_things(self) -> bool:
        """Whether it is about one thing at a time."""
        return " NULL," not in self.sql


def _counted(table: str, column: str) -> str:
    return f"SELECT level, {column}, count(*) FROM {table} GROUP BY level, {column}"


MEASURES = {
    each.name: each
    for each in (
        Measure("share", "encounter", _counted("placement", "encounter"), "share"),
        Measure("copies", "encounter", _counted("placement", "encounter")),
        Measure("refused", "refusals of", _counted("refusal", "subject")),
        Measure("category", "category", _counted("placement", "category")),
        Measure("prefab", "prefab", _counted("placement", "prefab")),
        Measure("objects", "object", _counted("spawn", "tag")),
        Measure("kind", "all", _counted("spawn", "kind")),
        Measure("metric", "metric", "SELECT level, metric, value FROM metric", "mean"),
        Measure("locked", "locked", _counted("lock", "what")),
        Measure(
            "key_distance",
            "steps to what opens a",
            "SELECT level, what, distance FROM lock WHERE distance IS NOT NULL",
            "mean",
        ),
        Measure("levels", "levels", "SELECT id, NULL, 1 FROM level WHERE error IS NULL", base="world"),
        Measure(
            "failed",
            "failed levels",
            "SELECT id, NULL, 1 FROM level WHERE error IS NOT NULL",
            "share",
            "tried",
        ),
        Measure("retries", "retries", "SELECT id, NULL, retries FROM level WHERE error IS NULL"),
        Measure(
            "milliseconds",
            "milliseconds",
            "SELECT level, NULL, microseconds / 1000.0 FROM timing",
            is_listed=False,
        ),
    )
}
"""By name."""
