"""Trends: the measures that moved between many versions of a content, each with its value in every version."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dungeon.playtest.compare.comparison import Pair, one_per_thing
from dungeon.playtest.compare.measures import MEASURES

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from dungeon.playtest.compare.comparison import Comparison, MeasuredChange


class Trend(NamedTuple):
    """A measure that moved by more than chance, between two neighbouring versions or between the first and the last.

    Attributes:
        most: Its most important change.
        values: Its value in each version, a mean over worlds; nan where no world has one.
        steps: Its change from each version to the next; None where it did not move by more than chance.
    """

    most: MeasuredChange
    values: list[float]
    steps: list[MeasuredChange | None]


class Trends(NamedTuple):
    """What moved between versions of a content.

    Attributes:
        comparisons: The comparisons of each version with the next.
        trends: The measures that moved, the most important first.
    """

    comparisons: list[Comparison]
    trends: list[Trend]


def trends_of(runs: Sequence[str | os.PathLike[str]]) -> Trends:
    """Compare runs of several versions of a content.

    Each version is compared with the next, and the first with the last: many small changes may add up to a large one.

    Args:
        runs: The folder of each version's run, the oldest first; at least two.

    Raises:
        PlaytestError: A run can't be read, or has no world.
    """
    pairs = [Pair(*each) for each in pairwise(runs)]
    comparisons = [pair.compare() for pair in pairs]
    whole = Pair(runs[0], runs[-1]).compare() if len(pairs) > 1 else comparisons[0]
    steps = [{_question(each): each for each in comparison.all_changes} for comparison in comparisons]
    moved = [change for comparison in (*comparisons, whole) for change in comparison.all_changes]
    return Trends(
        comparisons,
        [
            Trend(most, _values(pairs, most), [step.get(_question(most)) for step in steps])
            for most in one_per_thing(moved)
        ],
    )


def _question(change: MeasuredChange) -> tuple[str, str, str]:
    """Return what was measured: the names of the measure, the part of the world and the thing."""
    return change.measure, change.scope, change.thing


def _values(pairs: Sequence[Pair], change: MeasuredChange) -> list[float]:
    """Return a measure's mean over worlds in each version; nan where no world has a value."""
    sides = [pair.numbers(MEASURES[change.measure], change.scope, change.thing) for pair in pairs]
    of_versions = [sides[0][0], *(after for _, after in sides)]
    return [
        float(np.mean(each[~np.isnan(each)])) if (~np.isnan(each)).any() else np.nan for each in of_versions
    ]
