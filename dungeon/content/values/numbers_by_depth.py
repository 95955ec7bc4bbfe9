"""Whole numbers in the value grammar that may depend on the depth: ``{by_depth: {1: 4..6, 5: 10..14}}``."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor
from typing import TYPE_CHECKING, Annotated

from pydantic import PlainValidator, WithJsonSchema

from dungeon.content.source.faults import Fault, MisreadError, misread
from dungeon.content.values.by_depth import points_schema, read_points
from dungeon.content.values.grammar import Between, Constant, Value, leaves
from dungeon.content.values.value_fields import VALUE, read_int, read_value
from dungeon.content.values.weights import around

if TYPE_CHECKING:
    from collections.abc import Iterator

SPELLING = "a number by depth is written {by_depth: {1: 4, 5: 8..10}}, with or without stepped: true"
UNEVEN = "only a number or a range goes evenly from depth to depth; with stepped: true this holds until the next one"


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


def number_here(low: int, high: int) -> tuple[PlainValidator, WithJsonSchema]:
    """Return the annotations of a whole number between two others, in the value grammar, which may depend on the depth."""

    def read_one(raw: object) -> Value[int]:
        value: Value[int] = read_value(raw, read_int)
        faults = [
            Fault(message=f"this must lie between {low} and {high}", path=path, value=outcome, key=key)
            for leaf, path, key in leaves(value, raw)
            for outcome in [next((each for each in leaf.outcomes() if not low <= each <= high), None)]
            if outcome is not None
        ]
        if faults:
            raise MisreadError(faults)
        return value

    def read(raw: object) -> DepthNumber:
        if isinstance(raw, Value | NumberByDepth):
            return raw
        if not (isinstance(raw, dict) and "by_depth" in raw):
            return read_one(raw)
        points, stepped = read_points(raw, read_one, SPELLING)
        if not stepped and len(points) > 1:
            for (_, value), key in zip(points, sorted(raw["by_depth"], key=int), strict=True):
                if not isinstance(value, Constant | Between):
                    raise misread(UNEVEN, raw["by_depth"][key], "by_depth", key)
        return NumberByDepth(points=points, stepped=stepped)

    one: dict[str, object] = {VALUE: {"type": "integer", "minimum": low, "maximum": high}}
    by_depth = points_schema(
        one, "by depth: {by_depth: {1: 4, 5: 8..10}}, evenly between these depths or stepped"
    )
    return PlainValidator(read), WithJsonSchema({"anyOf": [one, by_depth]})


MapCount = Annotated[DepthNumber, *number_here(0, 10_000)]
"""How many of something a map has, which may depend on the depth."""
