"""Ratings: the depth for which a request chooses among objects: relative to its map, absolute, or that of another map.

    +2                    two levels deeper than the map
    {depth: 7}            depth 7, wherever the map lies
    {as: mines/4}         as if the object stood on that map
    {as: mines}           likewise, on the shallowest map of that branch or type

All are in the value grammar, and so is what stands after `depth` and `as`: `[+2, {depth: 5..7}]`, `{as: {mines: 3, caves: 1}}`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, NamedTuple

from pydantic import PlainValidator, ValidationInfo, WithJsonSchema

from dungeon.content.source.reader import INT
from dungeon.content.values.fields import DEEPEST, read_destination
from dungeon.content.values.grammar import Value, mapped
from dungeon.content.values.value_fields import RANGE, VALUE, int_in, read_value

if TYPE_CHECKING:
    from collections.abc import Mapping


class AtDepth(NamedTuple):
    """The rating `{depth: 7}`: objects are chosen for this depth."""

    depth: int

    def __str__(self) -> str:
        return f"depth {self.depth}"


class AsOnMap(NamedTuple):
    """The rating `{as: mines/4}`: objects are chosen for the depth of a map, given by its id, branch or type."""

    place: str

    def __str__(self) -> str:
        return f"as on {self.place}"


Rating = int | AtDepth | AsOnMap
"""An outcome of a rating: levels deeper than the map, a depth, or a map."""


def rated_depth(rating: Rating, depth: int, shallowest: Mapping[str, int]) -> int:
    """Return the depth for which an object is chosen.

    Args:
        rating: The rating.
        depth: The depth of the object's own map. It also counts if no world has the map that the rating names.
        shallowest: Branch or type of map -> the depth of its shallowest map.
    """
    match rating:
        case AtDepth():
            return rating.depth
        case AsOnMap():
            name, _, of_map = rating.place.partition("/")
            return int(of_map) if of_map else shallowest.get(name, depth)
    return depth + rating


SPELLING = f"a number of levels from -{DEEPEST} to {DEEPEST} such as +2, {{depth: 7}} or {{as: mines/4}} is needed here"


def read_rating(raw: object, info: ValidationInfo) -> Value[Rating]:
    """Read a rating in the value grammar.

    Raises:
        MisreadError: `raw` is not in the grammar, or there is no map or branch of a name.
    """
    if isinstance(raw, Value):
        return raw

    def read_depths(said: object) -> Value[AtDepth]:
        return mapped(read_value(said, _read_depth), AtDepth)

    def read_maps(said: object) -> Value[AsOnMap]:
        return mapped(read_value(said, lambda each: read_destination(each, info)), AsOnMap)

    return read_value(raw, _read_levels, forms={"depth": read_depths, "as": read_maps})


def _read_levels(raw: object) -> int:
    return int_in(raw, -DEEPEST, DEEPEST, SPELLING)


def _read_depth(raw: object) -> int:
    return int_in(raw, 0, DEEPEST, f"a depth from 0 to {DEEPEST} is needed here")


def _form(key: str, one: Mapping[str, object]) -> dict[str, object]:
    """Return the JSON Schema of a mapping with this key alone; `one` is the schema of a single outcome after it."""
    return {
        "type": "object",
        "properties": {key: {VALUE: one}},
        "required": [key],
        "additionalProperties": False,
    }


RATING_SCHEMA = {
    "anyOf": [
        {"type": "integer", "minimum": -DEEPEST, "maximum": DEEPEST},
        {
            "type": "string",
            "pattern": f"^({INT.pattern}|{RANGE.pattern})$",
            "description": "a range, such as 0..2",
        },
        _form("depth", {"type": "integer", "minimum": 0, "maximum": DEEPEST}),
        _form("as", {"type": "string"}),
    ]
}
RatingValue = Annotated[Value[Rating], PlainValidator(read_rating), WithJsonSchema({VALUE: RATING_SCHEMA})]
"""A rating in the value grammar."""
