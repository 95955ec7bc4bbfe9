"""One thing that is wrong with a level."""

from __future__ import annotations

from dataclasses import dataclass

MOST = 20
"""How many violations of one rule are listed before the rest is only counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """One thing that is wrong with a level.

    Attributes:
        rule: The rule that is broken; the same word for the same rule in every version.
        message: What is wrong, in one sentence without a full stop.
        y: The row of the cell where it shows, and `x` its column; None where it is of no one cell.
    """

    rule: str
    message: str
    y: int | None = None
    x: int | None = None

    def __str__(self) -> str:
        place = "" if self.y is None else f" at {self.y}, {self.x}"
        return f"{self.rule}{place}: {self.message}"
