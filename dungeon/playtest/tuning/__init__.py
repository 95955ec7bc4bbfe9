"""Finding the smallest change of a content that brings a measured number to a target: see `tune`."""

from __future__ import annotations

from dungeon.playtest.tuning.goal import Goal, IntervalEstimate, goal_in
from dungeon.playtest.tuning.knobs import Knob, Setting
from dungeon.playtest.tuning.tune import Tuned, tune

__all__ = ["Goal", "IntervalEstimate", "Knob", "Setting", "Tuned", "goal_in", "tune"]
