"""The search for the smallest change of one knob (a number in the content) with which a measure (such as deaths) reaches a goal.

A trial makes the worlds with one value of the knob, and measures them.

All trials make the same worlds, so they share their noise, and the measured number moves in one direction with the knob. The search
keeps two values: one that is not enough and one that is too much. At first these are the present value and the last value that the
knob may have. The next value is found by the secant through both on a logarithmic scale, or by bisection if that is too slow. A value is tried on few worlds first, then on twice as many while its
interval contains an end of the goal.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING

from dungeon.playtest.tuning.knobs import Setting

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dungeon.playtest.tuning.goal import Bench, Trial
    from dungeon.playtest.tuning.knobs import Knob

MOST_STEPS = 16
"""Maximum number of values tried for a knob."""

MOST_REACHED = 2
"""After this number of trials within the goal that are not yet sure or not minimal, the next one within it ends the search."""


@dataclass(slots=True, kw_only=True)
class Search:
    """The search for the value of one knob (a number in the content) with which a goal is reached.

    Attributes:
        bench: Measures the trials.
        fewest: Number of worlds of the first trials.
        most: Number of worlds of the last trials.
        knob: The knob.
        fixed: Settings of other knobs that stay.
        start: The trial with the knob unchanged.
        up: Whether the knob is turned up.
        tried: Value -> its trial with the most worlds.
    """

    bench: Bench
    fewest: int
    most: int
    knob: Knob
    fixed: tuple[Setting, ...]
    start: Trial
    up: bool = False
    tried: dict[float, Trial] = field(default_factory=dict)

    @property
    def above(self) -> bool:
        """Whether the measured number is too large at the start; else it is too small."""
        goal = self.bench.goal
        if goal.low == -inf or goal.high == inf:
            return goal.high < inf
        return self.start.estimate.value > (goal.low + goal.high) / 2

    @property
    def best(self) -> Trial:
        """The best trial: the nearest to the goal; of those surely within it, the one with the smallest change."""
        return min([self.start, *self.tried.values()], key=self._rank)

    @property
    def end(self) -> float:
        """The last value of the knob in the direction `up`."""
        return self.knob.most if self.up else self.knob.least

    @property
    def has_effect(self) -> bool:
        """Whether the best trial differs from the start by more than chance: the interval of the difference excludes 0."""
        effect = self.bench.effect(self.best, self.start)
        return effect.low > 0 or effect.high < 0

    def probe(self) -> float:
        """Try the last value of the knob, up or down or both, and return an estimate of how far the knob must be turned.

        The distance is on the knob's logarithmic scale. It is infinite if the last value does nothing, or surely too little. `up` is set.
        """
        knob, goal, start = self.knob, self.bench.goal, self.start.estimate.value
        ways = (True, False) if knob.up is None else (knob.up != self.above,)
        for self.up in ways:
            if self.end == knob.now:
                continue
            found = self._measure(self.end, self.fewest).estimate
            moved, wanted = found.value - start, self._aims()[0] - start
            is_enough = found.low <= goal.high if self.above else found.high >= goal.low
            if moved * wanted > 0 and is_enough:
                return abs(wanted / moved) * self._distance_turned(self.end)
        return inf

    def run(self) -> Trial:
        """Try at most `MOST_STEPS` values until the goal is surely reached or no value is left, and return the best trial.

        After a step that went further into the goal than necessary, smaller steps are tried, too; and so they are while a smaller step does
        as much as the one before. If even the last value of the knob does not reach the goal, none other is tried.
        """
        near, far = self.knob.now, self.end
        if not self._is_enough(self._settled(far)):
            return self.best
        sides: list[bool] = []
        reached, is_idle = 0, False
        for _ in range(MOST_STEPS):
            # Two results on the same side: one end of the secant is stuck (as in regula falsi), so bisect.
            is_stuck = len(sides) > 2 and len(set(sides[-2:])) == 1
            value = self._next(near, far, halve=is_idle or is_stuck)
            if value is None:
                break
            trial = self._settled(value)
            is_idle = self._does_as_much(trial, self.tried[far])
            reached += self.bench.goal.has(trial.estimate) and not is_idle
            if reached > MOST_REACHED or (self._is_good_enough(trial) and not is_idle):
                break
            beyond = self._is_beyond(trial) or is_idle
            sides.append(beyond)
            near, far = (near, value) if beyond else (value, far)
        return self.best

    def _next(self, near: float, far: float, *, halve: bool) -> float | None:
        """Return the next value to try; None if nothing is left.

        Args:
            near: The last tried value whose change was not enough.
            far: The tried value with the smallest change that was too much.
            halve: Whether to bisect the range between both instead of using the line through both trials.
        """
        knob = self.knob
        ends = knob.between(near, far)
        if ends is None:
            return None
        if halve:
            one, other = knob.position(near), knob.position(far)
            return self._roundest([one + (other - one) * part for part in (1 / 3, 2 / 3)], ends)
        return self._roundest([self._secant_position(aim, near, far) for aim in self._aims()], ends)

    def _roundest(self, positions: Iterable[float], ends: tuple[float, float]) -> float | None:
        """Return the roundest value, such as 20, between two positions on the knob's scale and within the values `ends`."""
        low, high = map(self.knob.position, ends)
        first, last = (self._value(min(max(each, low), high), ends) for each in positions)
        return self.knob.roundest(first, last)

    def _secant_position(self, aim: float, near: float, far: float) -> float:
        """Return the position on the knob's scale where the line through the trials of two values meets the measure `aim`."""
        one, other = (self._trial(value).estimate.value for value in (near, far))
        a, b = map(self.knob.position, (near, far))
        return a + (b - a) * (aim - one) / (other - one) if one != other else (a + b) / 2

    def _value(self, position: float, ends: tuple[float, float]) -> float:
        """Return the smallest value of the knob within `ends` (low, high) at or above a position on the knob's scale."""
        low, high = ends
        grain = self.knob.grain
        count = round((high - low) / grain)
        # Positions grow with values, so the first value not below is found by bisection.
        first, last = 0, count
        while first < last:
            middle = (first + last) // 2
            if self.knob.position(low + middle * grain) < position:
                first = middle + 1
            else:
                last = middle
        return round(low + first * grain, 1)

    def _settled(self, value: float) -> Trial:
        """Try a value on more and more worlds, until it surely misses the goal or all `most` worlds are made; return the trial."""
        goal, worlds = self.bench.goal, self.fewest
        trial = self._measure(value, worlds)
        while worlds < self.most and not goal.fails(trial.estimate):
            worlds = self.most if goal.holds(trial.estimate) else min(2 * worlds, self.most)
            trial = self._measure(value, worlds)
        return trial

    def _measure(self, value: float, worlds: int) -> Trial:
        known = self.tried.get(value)
        if known is None or known.estimate.worlds < worlds:
            known = self.bench.measure((*self.fixed, Setting(self.knob, value)), worlds)
            self.tried[value] = known
        return known

    def _trial(self, value: float) -> Trial:
        return self.tried.get(value, self.start)

    def _is_beyond(self, trial: Trial) -> bool:
        """Return whether a trial overshoots: its change is larger than necessary to reach the goal safely."""
        aim = self._aims()[0 if self.bench.goal.holds(trial.estimate) else 1]
        return trial.estimate.value < aim if self.above else trial.estimate.value > aim

    def _is_enough(self, trial: Trial) -> bool:
        """Tell whether a trial is within the goal, or beyond it."""
        return self._is_beyond(trial) or self.bench.goal.has(trial.estimate)

    def _does_as_much(self, trial: Trial, far: Trial) -> bool:
        """Tell whether a trial is within the goal, and as far in it as one with a larger change, which is then needless."""
        value, other = trial.estimate.value, far.estimate.value
        return self.bench.goal.has(trial.estimate) and (value <= other if self.above else value >= other)

    def _is_good_enough(self, trial: Trial) -> bool:
        """Tell whether a trial safely reaches the goal, with its value not further inside the goal than necessary."""
        goal, value = self.bench.goal, trial.estimate.value
        aim, inside = self._aims()
        is_deep = value < inside if self.above else value > inside
        is_safe = goal.holds(trial.estimate) or (value <= aim if self.above else value >= aim)
        return goal.has(trial.estimate) and is_safe and not is_deep

    def _aims(self) -> tuple[float, float]:
        """Return the range of the measure at which the search aims: see `Goal.aims`."""
        known = self.best.estimate
        return self.bench.goal.aims(known.margin_with(self.most), above=self.above)

    def _distance_turned(self, value: float) -> float:
        """Return the distance of a value from the unchanged value, on the knob's logarithmic scale."""
        return abs(self.knob.position(value) - self.knob.position(self.knob.now))

    def _rank(self, trial: Trial) -> tuple[float, ...]:
        """Return the sort key of a trial, the best first."""
        goal, estimate = self.bench.goal, trial.estimate
        turned = self._distance_turned(self.knob.now if trial is self.start else trial.settings[-1].value)
        if goal.holds(estimate):
            return 0.0, 0.0, -float(estimate.worlds), turned
        outside = max(goal.low - estimate.low, 0.0) + max(estimate.high - goal.high, 0.0)
        return goal.distance(estimate), 1.0, outside, turned
