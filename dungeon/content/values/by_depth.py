"""Weights, amounts, densities and numbers that an author may write by depth: ``{by_depth: {1: rare, 5: common}}``.

Each depth listed under `by_depth` has a value. At a depth between two of them the value is interpolated; with ``stepped: true`` the
value of the shallower one is used. A *weight word* is a word of ``weights.yaml``, such as `rare`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import itemgetter
from typing import Annotated, Any, TypeVar

from pydantic import PlainValidator, ValidationInfo, WithJsonSchema

from dungeon.content.source.problems import ValueProblem, attempt, misread, raise_any
from dungeon.content.values.fields import (
    AMOUNT_SCHEMA,
    DEEPEST,
    WORD_OR_NUMBER,
    Weight,
    read_amount,
    read_flag,
    read_weight,
)
from dungeon.content.values.grammar import (
    Between,
    Constant,
    DepthNumber,
    DepthWeight,
    NumberByDepth,
    Value,
    WeightByDepth,
)
from dungeon.content.values.value_fields import (
    PERCENT,
    VALUE,
    int_in,
    keeps_within,
    number_in,
    read_int,
    read_value,
    with_outcomes_checked,
)

T = TypeVar("T")

MOST_DEPTHS = 100
"""Maximum number of depths listed under `by_depth`."""

MOST_DENSE = 100
"""Maximum density: objects per 100 cells."""

MOST_TIMES = 10
"""The largest factor: 1000%."""

SPELLING = "{what} by depth is written {{by_depth: {example}}}, with or without stepped: true"


def read_points(
    raw: Mapping[str, object], read: Callable[[object], T], spelling: str
) -> tuple[tuple[tuple[int, T], ...], bool]:
    """Read ``{by_depth: {1: x, 5: y}, stepped: true}``.

    Args:
        raw: The mapping as written.
        read: Reads the value at one depth.
        spelling: The message of the error: how such mappings are written.

    Returns:
        ((depth, value), ...) sorted by depth, and whether the values are `stepped`.

    Raises:
        MisreadError: `raw` is not written like this; every reason is listed.
    """
    listed = raw.get("by_depth")
    if not isinstance(listed, Mapping) or not listed or raw.keys() - {"by_depth", "stepped"}:
        raise misread(spelling, raw)
    if len(listed) > MOST_DEPTHS:
        raise misread(f"at most {MOST_DEPTHS} depths may be listed here", listed, "by_depth")
    problems: list[ValueProblem] = []
    points: dict[int, T] = {}
    for key, said in listed.items():
        depth = attempt(problems, _read_depth, key, "by_depth", key, key=True)
        one = attempt(problems, read, said, "by_depth", key)
        if depth in points:
            problems.append(
                ValueProblem(
                    message="this depth is listed twice", path=("by_depth", key), value=key, key=True
                )
            )
        elif depth is not None and one is not None:
            points[depth] = one
    stepped = attempt(problems, read_flag, raw.get("stepped", False), "stepped")
    raise_any(problems)
    return tuple(sorted(points.items(), key=itemgetter(0))), bool(stepped)


def read_depth_weight(raw: object, info: ValidationInfo) -> DepthWeight:
    """Read a weight word, a number, or weights by depth.

    Raises:
        MisreadError: `raw` is none of these.
    """
    spelling = SPELLING.format(what="a weight", example="{1: rare, 5: common}")
    return _by_depth(raw, lambda said: read_weight(said, info), spelling)


def read_depth_amount(raw: object) -> DepthWeight:
    """Read an amount of threat or worth, or amounts by depth.

    Raises:
        MisreadError: `raw` is neither.
    """
    return _by_depth(raw, read_amount, SPELLING.format(what="a number", example="{1: 10, 5: 40}"))


def read_density(raw: object) -> float | WeightByDepth:
    """Read a density, which is the number of objects per 100 cells, or densities by depth.

    Raises:
        MisreadError: `raw` is neither.
    """
    density = _by_depth(raw, _read_dense, SPELLING.format(what="a density", example="{1: 0.5, 5: 2}"))
    assert not isinstance(density, str)
    return density


def read_factor(raw: object) -> float | WeightByDepth:
    """Read a factor such as `50%` or `1.5`, or factors by depth.

    Raises:
        MisreadError: `raw` is neither.
    """
    factor = _by_depth(raw, _read_one_factor, SPELLING.format(what="a factor", example="{1: 50%, 5: 200%}"))
    assert not isinstance(factor, str)
    return factor


def _read_one_factor(raw: object) -> float:
    needed = f"a factor from 0% to {MOST_TIMES}00%, such as 50% or 1.5, is needed here"
    return float(number_in(raw, 0, MOST_TIMES, needed, share=True))


def _read_dense(raw: object) -> float:
    needed = f"a density is needed here: how many per 100 cells, at most {MOST_DENSE}"
    return float(number_in(raw, 0, MOST_DENSE, needed))


def _by_depth(raw: object, read: Callable[[object], Weight], spelling: str) -> DepthWeight:
    """Read a single value, or values by depth.

    Args:
        raw: The value as written.
        read: Reads the value at one depth.
        spelling: The message of the error: how values by depth are written.
    """
    if isinstance(raw, WeightByDepth):
        return raw
    if not isinstance(raw, Mapping):
        return read(raw)
    points, stepped = read_points(raw, read, spelling)
    return WeightByDepth(points=points, stepped=stepped)


def _read_depth(raw: object) -> int:
    return int_in(raw, 0, DEEPEST, f"a depth from 0 to {DEEPEST} is needed here")


def points_schema(of_one: Mapping[str, object], description: str) -> dict[str, object]:
    """Return the JSON Schema of ``{by_depth: ...}``; `of_one` is the schema of the value at one depth."""
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


def _schema(plain: dict[str, Any], example: str) -> WithJsonSchema:
    """Return the pydantic annotation with the JSON Schema of a plain value, or of such values by depth.

    Args:
        plain: JSON Schema of the plain value.
        example: An example of what stands after `by_depth`, for the description.
    """
    by_depth = points_schema(
        plain, f"by depth: {{by_depth: {example}}}, evenly between these depths or stepped"
    )
    return WithJsonSchema({"anyOf": [*(plain.get("anyOf") or [plain]), by_depth]})


WeightHere = Annotated[
    DepthWeight, PlainValidator(read_depth_weight), _schema(WORD_OR_NUMBER, "{1: rare, 5: common}")
]
"""A weight that may depend on the depth."""
AmountHere = Annotated[
    DepthWeight, PlainValidator(read_depth_amount), _schema(AMOUNT_SCHEMA, "{1: 10, 5: 40}")
]
"""An amount of threat or worth that may depend on the depth."""
DensityHere = Annotated[
    float | WeightByDepth,
    PlainValidator(read_density),
    _schema({"type": "number", "minimum": 0, "maximum": MOST_DENSE}, "{1: 0.5, 5: 2}"),
]
"""A number of objects per 100 cells that may depend on the depth."""
FACTOR_SCHEMA: dict[str, object] = {
    "anyOf": [
        {"type": "number", "minimum": 0, "maximum": MOST_TIMES},
        {"type": "string", "pattern": f"^{PERCENT.pattern}$", "description": "a share, such as 50% or 150%"},
    ]
}
FactorHere = Annotated[
    float | WeightByDepth, PlainValidator(read_factor), _schema(FACTOR_SCHEMA, "{1: 50%, 5: 200%}")
]
"""A factor, from 0 to `MOST_TIMES`, that may depend on the depth."""


NUMBER_SPELLING = "a number by depth is written {by_depth: {1: 4, 5: 8..10}}, with or without stepped: true"
UNEVEN = "only numbers and ranges can change gradually from depth to depth; with stepped: true this holds until the next depth"


def number_here(low: int, high: int) -> tuple[PlainValidator, WithJsonSchema]:
    """Return the pydantic annotations of a whole number, in the value grammar, that may be given by depth.

    Every outcome of the number must lie from `low` to `high`.
    """

    def read_one(raw: object) -> Value[int]:
        return with_outcomes_checked(read_value(raw, read_int), raw, keeps_within(low, high))

    def read(raw: object) -> DepthNumber:
        if isinstance(raw, Value | NumberByDepth):
            return raw
        if not (isinstance(raw, dict) and "by_depth" in raw):
            return read_one(raw)
        points, stepped = read_points(raw, read_one, NUMBER_SPELLING)
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
"""How many of something a map has; may depend on the depth."""
