"""Weights as content has them: a number, a word of ``weights.yaml``, or one of them for each of some depths."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

T = TypeVar("T")


def around(points: Sequence[tuple[int, T]], depth: int, *, stepped: bool) -> tuple[T, T, float]:
    """Return what is said at the nearest depths above and below one, and how far it lies on the way between them, 0 to 1.

    Args:
        points: What is said at some depths, by depth.
        depth: The depth; above the first of them, and below the last, holds what is said there.
        stepped: Whether what is said at a depth holds until the next one.
    """
    after = bisect_right(points, depth, key=lambda point: point[0])
    low, here = points[max(after - 1, 0)]
    if stepped or after in (0, len(points)):
        return here, here, 0.0
    high, there = points[after]
    return here, there, (depth - low) / (high - low)


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightByDepth:
    """A weight that is said at some depths: above the first of them and below the last it is what it is there.

    Attributes:
        points: (depth, weight), by depth.
        stepped: Whether it stays what it is until the next depth that is listed; else it goes there evenly.
    """

    points: tuple[tuple[int, str | float], ...]
    stepped: bool = False

    def at(self, depth: int, words: Mapping[str, float]) -> float:
        """Return how much it is at a depth, where words for weights are worth that much."""
        here, there, share = around(self.points, depth, stepped=self.stepped)
        low = weight_of(here, words)
        return low + (weight_of(there, words) - low) * share


DepthWeight = str | float | WeightByDepth
"""A weight that may depend on the depth."""


def weight_of(weight: str | float, words: Mapping[str, float]) -> float:
    """Return a weight as a number: a word is worth what they say, or nothing if it is none of them."""
    return words.get(weight, 0.0) if isinstance(weight, str) else weight


def weight_at(weight: DepthWeight, depth: int, words: Mapping[str, float]) -> float:
    """Return how much a weight is at a depth, where words for weights are worth that much."""
    return weight.at(depth, words) if isinstance(weight, WeightByDepth) else weight_of(weight, words)


def in_numbers(weight: DepthWeight, words: Mapping[str, float]) -> float | WeightByDepth:
    """Return the same weight without words, where these are worth that much."""
    if not isinstance(weight, WeightByDepth):
        return weight_of(weight, words)
    points = tuple((depth, weight_of(each, words)) for depth, each in weight.points)
    return WeightByDepth(points=points, stepped=weight.stepped)


def weights_in(weight: DepthWeight) -> Iterator[str | float]:
    """Yield every weight that is said, whatever the depth."""
    if isinstance(weight, WeightByDepth):
        yield from (each for _, each in weight.points)
    else:
        yield weight
