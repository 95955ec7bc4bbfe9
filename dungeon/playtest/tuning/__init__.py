"""Finding the change of a content with which a number becomes what it is to be."""

from __future__ import annotations

from dungeon.playtest.tuning.goal import Goal, IntervalEstimate, goal_in
from dungeon.playtest.tuning.knobs import Knob, Setting
from dungeon.playtest.tuning.tune import Tuned, tune

__all__ = ["Goal", "IntervalEstimate", "Knob", "Setting", "Tuned", "goal_in", "tune"]
