"""Finding the change of a content with which a number becomes what it is to be."""

from __future__ import annotations

from dungeon.playtest.tuning.goal import Estimate, Goal, goal_in
from dungeon.playtest.tuning.knobs import Knob, Setting
from dungeon.playtest.tuning.tune import Tuned, tune

__all__ = ["Estimate", "Goal", "Knob", "Setting", "Tuned", "goal_in", "tune"]
