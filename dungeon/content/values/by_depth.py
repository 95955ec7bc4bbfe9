"""The field of weights that may depend on the depth: a weight, or ``{by_depth: {1: rare, 5: common}}``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any

from pydantic import PlainValidator, ValidationInfo, WithJsonSchema

from dungeon.content.source.faults import Fault, MisreadError, attempt, misread
from dungeon.content.source.numbers import as_number, resolve
from dungeon.content.values.fields import (
    DEEPEST,
    WORD_OR_NUMBER,
    Weight,
    read_flag,
    read_weight,
)
from dungeon.content.values.weights import DepthWeight, WeightByDepth

MOST_DEPTHS = 100
"""So many depths may be listed."""

SPELLING = "a weight by depth is written {by_depth: {1: rare, 5: common}}, with or without stepped: true"
SPELLING_OF_DENSITY = (
    "a density by depth is written {by_depth: {1: 0.5, 5: 2}}, with or without stepped: true"
)

MOST_DENSE = 100
"""So many are on 100 cells at most."""


def read_depth_weight(raw: object, info: ValidationInfo) -> DepthWeight:
    """Read a weight word, a number, or weights by depth.

    Raises:
        MisreadError: It is none of these.
    """
    return _read_by_depth(raw, lambda each: read_weight(each, info), SPELLING)


def read_density(raw: object) -> float | WeightByDepth:
    """Read how many there are on 100 cells: a number, or numbers by depth.

    Raises:
        MisreadError: It is neither.
    """
    density = _read_by_depth(raw, _read_dense, SPELLING_OF_DENSITY)
    assert not isinstance(density, str)
    return density


def _read_dense(raw: object) -> float:
    number = as_number(raw)
    if isinstance(number, bool) or not isinstance(number, int | float) or not 0 <= number <= MOST_DENSE:
        raise misread(f"how many there are on 100 cells, a number up to {MOST_DENSE}, is needed here", raw)
    return float(number)


def _read_by_depth(raw: object, read: Callable[[object], Weight], spelling: str) -> DepthWeight:
    """Read what may depend on the depth, each part of it as `read` does."""
    if isinstance(raw, WeightByDepth) or not isinstance(raw, Mapping):
        return raw if isinstance(raw, WeightByDepth) else read(raw)
    listed = raw.get("by_depth")
    if not isinstance(listed, Mapping) or not listed or raw.keys() - {"by_depth", "stepped"}:
        raise misread(spelling, raw)
    if len(listed) > MOST_DEPTHS:
        raise misread(f"at most {MOST_DEPTHS} depths may be listed here", listed, "by_depth")
    faults: list[Fault] = []
    points: dict[int, Weight] = {}
    for key, said in listed.items():
        depth = attempt(faults, _read_depth, key, "by_depth", key, key=True)
        weight = attempt(faults, read, said, "by_depth", key)
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


def _schema(single: dict[str, Any], description: str) -> WithJsonSchema:
    """Return the JSON Schema of what may depend on the depth; `single` is that of what does not."""
    by_depth = {
        "description": description,
        "type": "object",
        "properties": {
            "by_depth": {
                "type": "object",
                "additionalProperties": single,
                "minProperties": 1,
                "maxProperties": MOST_DEPTHS,
            },
            "stepped": {"type": "boolean"},
        },
        "required": ["by_depth"],
        "additionalProperties": False,
    }
    return WithJsonSchema({"anyOf": [*single.get("anyOf", [single]), by_depth]})


WeightHere = Annotated[
    DepthWeight,
    PlainValidator(read_depth_weight),
    _schema(
        WORD_OR_NUMBER,
        "by depth: {by_depth: {1: rare, 5: common}}, evenly between these depths or stepped",
    ),
]
"""A weight, or one by depth."""

DensityHere = Annotated[
    float | WeightByDepth,
    PlainValidator(read_density),
    _schema(
        {"type": "number", "minimum": 0, "maximum": MOST_DENSE},
        "by depth: {by_depth: {1: 0.5, 5: 2}}, evenly between these depths or stepped",
    ),
]
"""How many there are on 100 cells, or that by depth."""
