"""Comparing two recorded runs of the same worlds.

from dungeon.playtest.compare import Pair

for change in Pair("before", "after").compare().changes:
    print(change.subject, change.scope, change.before, change.after)
"""

from __future__ import annotations

from dungeon.playtest.compare.comparison import Comparison, MeasuredChange, Pair
from dungeon.playtest.compare.conditions import Condition, ConditionError, condition_in
from dungeon.playtest.compare.edits import NOW, Revision, extract_revision, revisions_since
from dungeon.playtest.compare.trends import Trend, Trends, trends_of
from dungeon.playtest.recording.manifest import is_run

__all__ = [
    "NOW",
    "Comparison",
    "Condition",
    "ConditionError",
    "MeasuredChange",
    "Pair",
    "Revision",
    "Trend",
    "Trends",
    "condition_in",
    "extract_revision",
    "is_run",
    "revisions_since",
    "trends_of",
]
