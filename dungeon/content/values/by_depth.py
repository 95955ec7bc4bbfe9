"""Weights that depend on the depth: a weight, or ``{by_depth: {1: rare, 5: common}}``."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from pydantic import PlainValidator, ValidationInfo, WithJsonSchema

from dungeon.content.source.faults import Fault, MisreadError, attempt, misread
from dungeon.content.source.numbers import resolve
from dungeon.content.values.fields import (
    DEEPEST,
    WORD_OR_NUMBER,
    Weight,
    read_flag,
    read_weight,
    weight_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_DEPTHS = 100
"""So many depths may be listed."""

SPELLING = "a weight by depth is written {by_depth: {1: rare, 5: common}}, with or without stepped: true"


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightByDepth:
    """A weight that is said at some depths: above the first of them and below the last it is what it is there.

    Attributes:
        points: (depth, weight), by depth.
        stepped: Whether it stays what it is until the next depth that is listed; else it goes there evenly.
    """

    points: tuple[tuple[int, Weight], ...]
    stepped: bool = False

    def at(self, depth: int, words: Mapping[str, float]) -> float:
        """Return how much it is at a depth, where words for weights are worth that much."""
        after = bisect_right(self.points, depth, key=lambda point: point[0])
        low, weight = self.points[max(after - 1, 0)]
        here = weight_of(weight, words)
        if self.stepped or after in (0, len(self.points)):
            return here
        high, weight = self.points[after]
        return here + (weight_of(weight, words) - here) * (depth - low) / (high - low)


DepthWeight = Weight | WeightByDepth
"""A weight that may depend on the depth."""


def weight_at(weight: DepthWeight, depth: int, words: Mapping[str, float]) -> float:
    """Return how much a weight is at a depth, where words for weights are worth that much."""
    return weight.at(depth, words) if isinstance(weight, WeightByDepth) else weight_of(weight, words)


def in_numbers(weight: DepthWeight, words: Mapping[str, float]) -> float | WeightByDepth:
    """Return the same weight without words, where these are worth that much."""
    if not isinstance(weight, WeightByDepth):
        return weight_of(weight, words)
    points = tuple((depth, weight_of(each, words)) for depth, each in weight.points)
    return WeightByDepth(points=points, stepped=weight.stepped)


def weights_in(weight: DepthWeight) -> Iterator[Weight]:
    """Yield every weight that is said, whatever the depth."""
    if isinstance(weight, WeightByDepth):
        yield from (each for _, each in weight.points)
    else:
        yield weight


def read_depth_weight(raw: object, info: ValidationInfo) -> DepthWeight:
    """Read a weight word, a number, or weights by depth.

    Raises:
        MisreadError: It is none of these.
    """
    if isinstance(raw, WeightByDepth) or not isinstance(raw, Mapping):
        return raw if isinstance(raw, WeightByDepth) else read_weight(raw, info)
    listed = raw.get("by_depth")
    if not isinstance(listed, Mapping) or not listed or raw.keys() - {"by_depth", "stepped"}:
        raise misread(SPELLING, raw)
    if len(listed) > MOST_DEPTHS:
        raise misread(f"at most {MOST_DEPTHS} depths may be listed here", listed, "by_depth")
    faults: list[Fault] = []
    points: dict[int, Weight] = {}
    for key, said in listed.items():
        depth = attempt(faults, _read_depth, key, "by_depth", key, key=True)
        weight = attempt(faults, lambda each: read_weight(each, info), said, "by_depth", key)
        if depth in points:
            faults.append(
                Fault(message="this depth is listed twice", path=("by_depth", key), value=key, key=True)
            )
        elif depth is not None and weight is not None:
            points[depth] = weight
    stepped = attempt(faults, read_flag, raw.get("stepped", False), "stepped")
    if faults:
        raise MisreadError(faults)
    return WeightByDepth(points=tuple(sorted(points.items())), stepped=bool(stepped))


def _read_depth(raw: object) -> int:
    """Read a depth; the keys of a mapping come as text."""
    number = resolve(raw) if isinstance(raw, str) else raw
    if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number <= DEEPEST:
        raise misread(f"a depth from 0 to {DEEPEST} is needed here", raw)
    return number


WeightHere = Annotated[
    DepthWeight,
    PlainValidator(read_depth_weight),
    WithJsonSchema(
        {
            "anyOf": [
                *WORD_OR_NUMBER["anyOf"],
                {
                    "description": "by depth: {by_depth: {1: rare, 5: common}}, evenly between these depths or stepped",
                    "type": "object",
                    "properties": {
                        "by_depth": {
                            "type": "object",
                            "additionalProperties": WORD_OR_NUMBER,
                            "minProperties": 1,
                            "maxProperties": MOST_DEPTHS,
                        },
                        "stepped": {"type": "boolean"},
                    },
                    "required": ["by_depth"],
                    "additionalProperties": False,
                },
            ]
        }
    ),
]
