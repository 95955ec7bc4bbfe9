"""The exit code of a benchmark: whether it measured anything, and whether it missed a goal."""

from __future__ import annotations

import sys


class Measured:
    """Counts the figures that a benchmark has measured, and collects its problems.

    Args:
        checks_goals: Whether a missed goal is a problem; at the smallest size, speed means nothing.
    """

    def __init__(self, *, checks_goals: bool = True) -> None:
        self.checks_goals = checks_goals
        self.count = 0
        self.problems: list[str] = []

    def add(self, what: str, value: float, most: float | None = None, *, least: float | None = None) -> None:
        """Count a figure unless it is 0; add a problem if it is above `most` or below `least`."""
        self.count += bool(value)
        if not self.checks_goals:
            return
        if most is not None and value > most:
            self.fail(f"{what}: {value:.3g}, and the goal is {most:.3g}")
        if least is not None and value < least:
            self.fail(f"{what}: {value:.3g}, and the goal is at least {least:.3g}")

    def fail(self, problem: str) -> None:
        """Add a problem that counts even if goals don't."""
        self.problems.append(problem)

    def exit(self) -> None:
        """Exit with 1 and print the problems if there are any or nothing was measured; else exit with 0."""
        problems = self.problems if self.count else [*self.problems, "nothing was measured"]
        for problem in problems:
            print(problem, file=sys.stderr)
        sys.exit(1 if problems else 0)
