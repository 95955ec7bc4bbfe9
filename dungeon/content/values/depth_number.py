"""Whole numbers in the value grammar that may depend on the depth."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor
from typing import TYPE_CHECKING

from dungeon.content.values.grammar import Between, Constant, Value
from dungeon.content.values.weights import around

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberByDepth:
    """A whole number that is said at some depths: above the first of them and below the last it is what it is there.

    Attributes:
        points: (depth, number), by depth.
        stepped: Whether it stays what it is until the next depth that is listed; else it, or both ends of its range, go there
            evenly.
    """

    points: tuple[tuple[int, Value[int]], ...]
    stepped: bool = False

    def at(self, depth: int) -> Value[int]:
        """Return what it is at a depth."""
        here, there, share = around(self.points, depth, stepped=self.stepped)
        if share == 0:
            return here
        low, high = (floor(a + (b - a) * share + 0.5) for a, b in zip(_ends(here), _ends(there), strict=True))
        return Constant(low) if low == high else Between(low, high)

    def outcomes(self) -> Iterator[int]:
        """Yield everything that it may be at the depths that are listed (of a range, its two ends)."""
        for _, value in self.points:
            yield from value.outcomes()


DepthNumber = Value[int] | NumberByDepth
"""A whole number in the value grammar that may depend on the depth."""


def number_at(number: DepthNumber, depth: int) -> Value[int]:
    """Return what a number is at a depth."""
    return number.at(depth) if isinstance(number, NumberByDepth) else number


def _ends(value: Value[int]) -> tuple[int, int]:
    outcomes = list(value.outcomes())
    return outcomes[0], outcomes[-1]
