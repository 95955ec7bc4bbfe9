"""Finding what to set a knob to: the smallest change with which a number is what it is to be.

Noise is common to all trials, for they make the same worlds; and the number goes one way with the knob. So a value is
sought between one with which the number is still on the wrong side and one with which it is beyond: by the secant through both, on a
scale of logarithms, and by halving where that is too slow. A value is tried on few worlds first, and on twice as many
as long as its interval lies on both sides of an end of the goal.
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
"""So many values of a knob are tried at most."""

MOST_REACHED = 2
"""After so many trials that have reached the goal, without being sure of it or as near as could be, the next one is the last."""


@dataclass(slots=True, kw_only=True)
class Search:
    """Looks for the value of one knob.

    Attributes:
        bench: Where values are tried.
        fewest: How many worlds the first trials make; `most`, how many the last ones make.
        knob: The knob.
        fixed: What is changed besides.
        start: The trial without a change of this knob.
        up: Whether it is turned up.
        tried: Value -> its trial, the one with the most worlds.
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
        """Whether the number is too large without a change; else it is too small."""
        goal = self.bench.goal
        if goal.low == -inf or goal.high == inf:
            return goal.high < inf
        return self.start.estimate.value > (goal.low + goal.high) / 2

    @property
    def best(self) -> Trial:
        """The trial that came nearest to the goal; of those that surely reached it, that with the smallest change."""
        return min([self.start, *self.tried.values()], key=self._rank)

    def probe(self) -> float:
        """Try one value, or one on either side, and return how far the knob must be turned, on its scale, by what that tells.

        It is infinity if neither leads towards the goal.
        """
        knob, number = self.knob, self.start.estimate.value
        ways = (True, False) if knob.up is None else (knob.up != self.above,)
        for self.up in ways:
            value = knob.further(knob.now, up=self.up)
            if value is None:
                continue
            moved = self._measure(value, self.fewest).estimate.value - number
            wanted = self._aims()[0] - number
            if moved * wanted > 0:
                return abs(wanted / moved) * self._turned(value)
        return inf

    def run(self) -> Trial:
        """Try values until the goal is reached for sure or nothing is left to try, and return the best trial.

        Where a step has gone deeper into the goal than it had to, smaller ones are tried, too.
        """
        near, far = self.knob.now, None
        sides: list[bool] = []
        reached = 0
        for _ in range(MOST_STEPS):
            value = self._next(near, far, halve=len(sides) > 2 and len(set(sides[-2:])) == 1)
            if value is None:
                break
            trial = self._settled(value)
            reached += self.bench.goal.has(trial.estimate)
            if reached > MOST_REACHED or self._will_do(trial):
                break
            beyond = self._is_beyond(trial)
            sides.append(beyond)
            near, far = (near, value) if beyond else (value, far)
        return self.best

    def _next(self, near: float, far: float | None, *, halve: bool) -> float | None:
        """Return what to try next; None if nothing is left.

        Args:
            near: The last value that is not enough.
            far: The first that is too much, if any is known.
            halve: Whether to try the middle between them.
        """
        knob = self.knob
        if far is None:
            return self._further(near)
        ends = knob.between(near, far)
        if ends is None:
            return None
        if halve:
            one, other = knob.position(near), knob.position(far)
            return self._roundest([one + (other - one) * part for part in (1 / 3, 2 / 3)], ends)
        return self._roundest([self._where(aim, near, far) for aim in self._aims()], ends)

    def _further(self, near: float) -> float | None:
        """Return what to try where nothing is known to be too much: as far as the line through what is known leads.

        It is one stride of the knob at most.
        """
        knob, now = self.knob, self.knob.now
        most = knob.further(near, up=self.up)
        moved = self._trial(near).estimate.value - self._trial(now).estimate.value
        if most is None or moved == 0 or (moved < 0) is not self.above:
            return most
        least = round(near + (knob.grain if self.up else -knob.grain), 1)
        ends = min(least, most), max(least, most)
        return self._roundest([self._where(aim, now, near) for aim in self._aims()], ends)

    def _roundest(self, positions: Iterable[float], ends: tuple[float, float]) -> float | None:
        """Return the roundest value between two places on the scale of the knob, as far as they lie between two values."""
        low, high = map(self.knob.position, ends)
        first, last = (self._value(min(max(each, low), high), ends) for each in positions)
        return self.knob.roundest(first, last)

    def _where(self, aim: float, near: float, far: float) -> float:
        """Return where, on the scale of the knob, the number should be what is aimed at: on the line between two trials."""
        one, other = (self._trial(value).estimate.value for value in (near, far))
        a, b = map(self.knob.position, (near, far))
        return a + (b - a) * (aim - one) / (other - one) if one != other else (a + b) / 2

    def _value(self, position: float, ends: tuple[float, float]) -> float:
        """Return the value next to a place on the scale of the knob, between two values."""
        low, high = ends
        grain = self.knob.grain
        count = round((high - low) / grain)
        # Positions grow with values: the first value that is not below is found by halving.
        first, last = 0, count
        while first < last:
            middle = (first + last) // 2
            if self.knob.position(low + middle * grain) < position:
                first = middle + 1
            else:
                last = middle
        return round(low + first * grain, 1)

    def _settled(self, value: float) -> Trial:
        """Try a value on as many worlds as it takes to tell that the goal is not reached; on all of them if it is."""
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
        """Tell whether the change was larger than it had to be to be safe."""
        aim = self._aims()[0 if self.bench.goal.holds(trial.estimate) else 1]
        return trial.estimate.value < aim if self.above else trial.estimate.value > aim

    def _will_do(self, trial: Trial) -> bool:
        """Tell whether a trial reached the goal as surely as it can be, and not by more than it had to."""
        goal, value = self.bench.goal, trial.estimate.value
        aim, inside = self._aims()
        is_deep = value < inside if self.above else value > inside
        is_safe = goal.holds(trial.estimate) or (value <= aim if self.above else value >= aim)
        return goal.has(trial.estimate) and is_safe and not is_deep

    def _aims(self) -> tuple[float, float]:
        """Return the numbers to aim at: see `Goal.aims`."""
        known = self.best.estimate
        return self.bench.goal.aims(known.margin_with(self.most), above=self.above)

    def _turned(self, value: float) -> float:
        """Return how far the knob has been turned, on its scale."""
        return abs(self.knob.position(value) - self.knob.position(self.knob.now))

    def _rank(self, trial: Trial) -> tuple[float, ...]:
        """Return what sorts trials, the best first."""
        goal, estimate = self.bench.goal, trial.estimate
        if goal.holds(estimate):
            value = self.knob.now if trial is self.start else trial.settings[-1].value
            return 0.0, 0.0, -float(estimate.worlds), self._turned(value)
        outside = max(goal.low - estimate.low, 0.0) + max(estimate.high - goal.high, 0.0)
        return goal.distance(estimate), 1.0, outside
