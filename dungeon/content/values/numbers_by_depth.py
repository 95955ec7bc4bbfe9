"""The fields of whole numbers that may depend on the depth: ``{by_depth: {1: 4..6, 5: 10..14}}``."""

from __future__ import annotations

from typing import Annotated

from pydantic import PlainValidator, WithJsonSchema

from dungeon.content.source.faults import Fault, MisreadError, misread
from dungeon.content.values.by_depth import points_schema, read_points
from dungeon.content.values.depth_number import DepthNumber, NumberByDepth
from dungeon.content.values.grammar import Between, Constant, Value, leaves
from dungeon.content.values.value_fields import VALUE, read_int, read_value

SPELLING = "a number by depth is written {by_depth: {1: 4, 5: 8..10}}, with or without stepped: true"
UNEVEN = "only a number or a range goes evenly from depth to depth; with stepped: true this holds until the next one"


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
