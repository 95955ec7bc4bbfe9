"""What a benchmark measured and which goals it missed, as its exit code."""

from __future__ import annotations

import sys


class Measured:
    """Counts what a benchmark measures.

    Args:
        checks_goals: Whether a missed goal counts; goals of speed mean nothing at the smallest size.
    """

    def __init__(self, *, checks_goals: bool = True) -> None:
        self.checks_goals = checks_goals
        self.count = 0
        self.problems: list[str] = []

    def add(self, what: str, value: float, most: float | None = None, *, least: float | None = None) -> None:
        """Count a figure that is not zero, and miss a goal if the figure is above `most` or below `least`."""
        self.count += bool(value)
        if not self.checks_goals:
            return
        if most is not None and value > most:
            self.fail(f"{what}: {value:.3g}, and the goal is {most:.3g}")
        if least is not None and value < least:
            self.fail(f"{what}: {value:.3g}, and the goal is at least {least:.3g}")

    def fail(self, problem: str) -> None:
        """Note that a result is wrong, whatever the size."""
        self.problems.append(problem)

    def exit(self) -> None:
        """Exit: with 1 and the reasons if nothing was measured or something is wrong, otherwise with 0."""
        problems = self.problems if self.count else [*self.problems, "nothing was measured"]
        for problem in problems:
            print(problem, file=sys.stderr)
        sys.exit(1 if problems else 0)
