"""What is said by depth, and the field of weights that may be: a weight, or ``{by_depth: {1: rare, 5: common}}``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import itemgetter
from typing import Annotated, TypeVar

from pydantic import PlainValidator, ValidationInfo, WithJsonSchema

from dungeon.content.source.faults import Fault, MisreadError, attempt, misread
from dungeon.content.source.numbers import resolve
from dungeon.content.values.fields import DEEPEST, WORD_OR_NUMBER, read_flag, read_weight
from dungeon.content.values.weights import DepthWeight, WeightByDepth

T = TypeVar("T")

MOST_DEPTHS = 100
"""So many depths may be listed."""

SPELLING = "a weight by depth is written {by_depth: {1: rare, 5: common}}, with or without stepped: true"


def read_points(
    raw: Mapping[str, object], read: Callable[[object], T], spelling: str
) -> tuple[tuple[tuple[int, T], ...], bool]:
    """Read what is said at some depths.

    Args:
        raw: A mapping.
        read: Reads what is said at one depth.
        spelling: How such mappings are written.

    Returns:
        The depths in order, each with what is said there; and whether that is stepped.

    Raises:
        MisreadError: It is not written so; every reason is listed.
    """
    listed = raw.get("by_depth")
    if not isinstance(listed, Mapping) or not listed or raw.keys() - {"by_depth", "stepped"}:
        raise misread(spelling, raw)
    if len(listed) > MOST_DEPTHS:
        raise misread(f"at most {MOST_DEPTHS} depths may be listed here", listed, "by_depth")
    faults: list[Fault] = []
    points: dict[int, T] = {}
    for key, said in listed.items():
        depth = attempt(faults, _read_depth, key, "by_depth", key, key=True)
        one = attempt(faults, read, said, "by_depth", key)
        if depth in points:
            faults.append(
                Fault(message="this depth is listed twice", path=("by_depth", key), value=key, key=True)
            )
        elif depth is not None and one is not None:
            points[depth] = one
    stepped = attempt(faults, read_flag, raw.get("stepped", False), "stepped")
    if faults:
        raise MisreadError(faults)
    return tuple(sorted(points.items(), key=itemgetter(0))), bool(stepped)


def read_depth_weight(raw: object, info: ValidationInfo) -> DepthWeight:
    """Read a weight word, a number, or weights by depth.

    Raises:
        MisreadError: It is none of these.
    """
    if isinstance(raw, WeightByDepth) or not isinstance(raw, Mapping):
        return raw if isinstance(raw, WeightByDepth) else read_weight(raw, info)
    points, stepped = read_points(raw, lambda each: read_weight(each, info), SPELLING)
    return WeightByDepth(points=points, stepped=stepped)


def _read_depth(raw: object) -> int:
    """Read a depth; the keys of a mapping come as text."""
    number = resolve(raw) if isinstance(raw, str) else raw
    if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number <= DEEPEST:
        raise misread(f"a depth from 0 to {DEEPEST} is needed here", raw)
    return number


def points_schema(of_one: Mapping[str, object], description: str) -> dict[str, object]:
    """Return the JSON Schema of what is said by depth, given that of what is said at one."""
    return {
        "description": description,
        "type": "object",
        "properties": {
            "by_depth": {
                "type": "object",
                "additionalProperties": of_one,
                "minProperties": 1,
                "maxProperties": MOST_DEPTHS,
            },
            "stepped": {"type": "boolean"},
        },
        "required": ["by_depth"],
        "additionalProperties": False,
    }


WeightHere = Annotated[
    DepthWeight,
    PlainValidator(read_depth_weight),
    WithJsonSchema(
        {
            "anyOf": [
                *WORD_OR_NUMBER["anyOf"],
                points_schema(
                    WORD_OR_NUMBER,
                    "by depth: {by_depth: {1: rare, 5: common}}, evenly between these depths or stepped",
                ),
            ]
        }
    ),
]
