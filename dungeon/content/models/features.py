"""What a map asks for before its layout grows: barriers, areas, prefabs and stairs, and where each may lie.

Coordinates are columns and rows as authors write them, [x, y], from 0 at the map's top left; a negative one counts from
the far edge, -1 being the last column or row, and is about the feature's own far side. A share, 50%, is one of the
space that is left: 0% is the west or north edge, 100% the east or south one, and 50% the middle.
"""

from __future__ import annotations

import re
from itertools import product
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import numpy as np
from pydantic import BeforeValidator, Field, PlainValidator, WithJsonSchema, model_validator

from dungeon.content.models.locks import LockValue
from dungeon.content.source.names import MAX_LISTED, NAME_PATTERN, NewName, read_new_name
from dungeon.content.source.problems import CheckedEntry, ValueProblem, misread
from dungeon.content.values.fields import (
    HERE,
    CategoryName,
    Destination,
    Flag,
    Given,
    Shift,
    Weight,
    read_pair,
    several_of,
)
from dungeon.content.values.grammar import Constant, Value
from dungeon.content.values.value_fields import (
    VALUE,
    IntValue,
    ShareValue,
    WordValue,
    in_grammar,
    names_of,
    one_of,
    read_number,
    read_value,
    within,
)
from dungeon.core.frozen import nothing
from dungeon.core.parameters import Entry
from dungeon.core.vocabulary import LANDMARKS
from dungeon.grid.symmetry import Orientation

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

MAX_CELLS = 4000
"""How far anything may lie from anything else, and how large an area may be, in columns or rows."""

LANDING = 3
"""Rows and columns of the landing around stairs that no prefab draws."""

AREA = re.compile(r"\s*([0-9.%\s]+?)\s*x\s*([0-9.%\s]+?)\s*")

STRAIGHT = ("north", "east", "south", "west")
COMPASS = (*STRAIGHT, "north-west", "north-east", "south-west", "south-east")
PARTS = {"half": 1 / 2, "third": 1 / 3, "quarter": 1 / 4}
QUARTERS = tuple(f"{side} {part}" for side, part in product(COMPASS, PARTS))
MIDDLES = ("centre", "middle rows", "middle columns")
REGIONS = (*QUARTERS, *MIDDLES)


class Portion(float):
    """A share of the space that is left, or of the map: as an outcome 100% is another one than 1, which is a cell."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return not isinstance(other, int) and float.__eq__(self, other) is True

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = float.__hash__


# -- fields -------------------------------------------------------------------------------------


def read_place(raw: object) -> float:
    """Read a coordinate: a whole number of cells, negative from the far edge, or a share of the space."""
    number = read_number(raw)
    if isinstance(number, int) and abs(number) <= MAX_CELLS:
        return number
    if isinstance(number, float) and 0 <= number <= 1:
        return Portion(number)
    raise misread(
        f"a whole number from {-MAX_CELLS} to {MAX_CELLS}, or a share such as 50%, is needed here", raw
    )


def read_side(raw: object) -> float:
    """Read how wide or high an area is: cells, or a share of the map."""
    number = read_number(raw)
    if isinstance(number, int) and 1 <= number <= MAX_CELLS:
        return number
    if isinstance(number, float) and 0 < number <= 1:
        return Portion(number)
    raise misread(
        f"a whole number from 1 to {MAX_CELLS}, or a share of the map such as 50%, is needed here", raw
    )


def read_corner(raw: object) -> tuple[Value[float], Value[float]]:
    """Read where something lies: ``[column, row]``, each in the value grammar."""
    return read_pair(raw, read_place, "two coordinates, [column, row]")


def read_variant_name(raw: object) -> str:
    """Read what a variant is called: a number, or a name."""
    if isinstance(raw, str) and raw.isascii() and raw.isdigit() and len(raw) <= 6:
        return raw
    return read_new_name(raw)


PLACE_SCHEMA = {"type": "number", "minimum": -MAX_CELLS, "maximum": MAX_CELLS}
SIDE_SCHEMA = {"type": "number", "minimum": 0, "maximum": MAX_CELLS}
Place = Annotated[Value[float], *in_grammar(read_place, **PLACE_SCHEMA)]
Side = Annotated[Value[float], *in_grammar(read_side, **SIDE_SCHEMA)]
Pair = Annotated[
    tuple[Value[float], Value[float]],
    PlainValidator(read_corner),
    WithJsonSchema({"type": "array", "items": {VALUE: PLACE_SCHEMA}, "minItems": 2, "maxItems": 2}),
]
PrefabValue = Annotated[Value[str], *names_of("prefab or tag")]
"""The name or tag of a prefab in the value grammar."""
Steps = Annotated[IntValue, within(1, 2 * MAX_CELLS)]
VariantName = Annotated[
    str,
    BeforeValidator(read_variant_name),
    WithJsonSchema({"type": "string", "anyOf": [{"pattern": "^[0-9]{1,6}$"}, {"pattern": NAME_PATTERN}]}),
]


class AreaEntry(Entry):
    """How large an area is: `3x20`, columns x rows; cells, or shares of the map.

    Attributes:
        width: How many columns it has, or its share of those of the map.
        height: How many rows it has, or its share of those of the map.
    """

    short_form: ClassVar = {"type": "string", "pattern": f"^{AREA.pattern}$"}

    width: Side
    height: Side

    @model_validator(mode="before")
    @classmethod
    def _width_x_height(cls, raw: object) -> object:
        if isinstance(raw, dict | AreaEntry):
            return raw
        if isinstance(raw, str) and (match := AREA.fullmatch(raw)):
            return {key: read_value(match[part], read_side) for key, part in (("width", 1), ("height", 2))}
        raise misread("an area is written 3x20 (columns x rows), or {width: ..., height: ...}", raw)


# -- features -----------------------------------------------------------------------------------

KINDS = ("prefab", "stairs", "blocked", "keep_out", "quiet")

KINDS_OF = {
    "to": ("prefab", "stairs"),
    "category": ("prefab",),
    "orientations": ("prefab",),
    "no_spawn": ("prefab", "stairs"),
    "lock": ("prefab",),
}
"""Key -> the kinds of features that can have it; the others suit all kinds."""


class FeatureEntry(CheckedEntry):
    """Something that is on the map before its layout grows: one of `prefab`, `stairs` and three kinds of areas.

    Attributes:
        prefab: A prefab by name or tag, or one of several in the value grammar. Its links start tunnelers.
        stairs: A landing of 3x3 cells with stairs up, where the player arrives, or down.
        blocked: A barrier of that size: nobody ever digs through it.
        keep_out: An area in which the layout digs nothing.
        quiet: An area in which nothing is scattered and no encounter is placed.
        name: What others call it that keep their distance to it.
        to: The map, by name or id, to which the stairs lead. On a level that does not lead there it is left out.
        category: What kind of encounter a prefab is: fluff, risk, danger or reward, or a word of `categories.yaml`.
        orientations: The ways a prefab may lie, of those that it permits itself.
        no_spawn: Whether nothing is scattered over the cells of the prefab.
        lock: The lock of `locks.yaml` that the outer doors of a prefab get, if it lies off the way.
        chance: How likely it is there at all.
        count: How many there are.
        required: Whether a level without it is a mistake; by default if its place is given in columns and rows.
        at: Where its top left corner lies: [column, row].
        x: The column of its top left corner by itself.
        y: The row of its top left corner by itself.
        shift: How far it may lie from there: [columns, rows] either way.
        side: The edge or corner of the map from which `distance` is counted.
        distance: How many cells are between it and that edge.
        where: The part of the map that its middle lies in.
        far_from: Feature, `entrance` or `exits` -> how many steps it is away at least.
        near: Feature, `entrance` or `exits` -> how many steps it is away at most.
    """

    prefab: Given[PrefabValue] = None
    stairs: Given[Literal["up", "down"]] = None
    blocked: Given[AreaEntry] = None
    keep_out: Given[AreaEntry] = None
    quiet: Given[AreaEntry] = None
    name: Given[NewName] = None
    to: Given[Destination] = None
    category: CategoryName = "fluff"
    orientations: Given[Annotated[tuple[str, ...], *several_of(*(each.label for each in Orientation))]] = None
    no_spawn: Flag = False
    lock: Given[LockValue] = None
    chance: ShareValue = Constant(1.0)
    count: Annotated[IntValue, within(0, 100)] = Constant(1)
    required: Given[Flag] = None
    at: Given[Pair] = None
    x: Given[Place] = None
    y: Given[Place] = None
    shift: Shift = HERE
    side: Given[Annotated[WordValue, one_of(*COMPASS)]] = Field(default=None, alias="from")
    distance: Annotated[IntValue, within(0, MAX_CELLS)] = Constant(1)
    where: Given[Annotated[WordValue, one_of(*REGIONS)]] = None
    far_from: Annotated[dict[NewName, Steps], Field(max_length=MAX_LISTED)] = Field(default_factory=nothing)
    near: Annotated[dict[NewName, Steps], Field(max_length=MAX_LISTED)] = Field(default_factory=nothing)

    def problems(self) -> Iterator[ValueProblem]:
        """Yield what is wrong with it, once each of its keys has been read."""
        yield from self._problems_of_kind()
        yield from self._problems_of_place()

    @property
    def kind(self) -> str:
        """Which of the kinds it is."""
        return next(kind for kind in KINDS if getattr(self, kind) is not None)

    @property
    def area(self) -> AreaEntry | None:
        """How large it is; None for what is drawn."""
        return self.blocked or self.keep_out or self.quiet

    @property
    def across(self) -> Value[float] | None:
        """Its column, if that is given; `down`: its row."""
        return self.at[0] if self.at else self.x

    @property
    def down(self) -> Value[float] | None:
        """Its row, if that is given."""
        return self.at[1] if self.at else self.y

    @property
    def is_fixed(self) -> bool:
        """Whether its column and row are given."""
        return self.across is not None and self.down is not None

    @property
    def is_required(self) -> bool:
        """Whether a level must have it."""
        return self.is_fixed if self.required is None else self.required

    def _problems_of_kind(self) -> Iterator[ValueProblem]:
        kinds = [kind for kind in KINDS if getattr(self, kind) is not None]
        if not kinds:
            yield ValueProblem(message=f"one of {', '.join(KINDS)} is needed here", key=True)
            return
        yield from self.refused(*kinds[1:], message=f"a feature is one thing, and {kinds[0]!r} says which")
        for key, able in KINDS_OF.items():
            if kinds[0] not in able:
                kinds_of_key = " or ".join(map(repr, able))
                yield from self.refused(key, message=f"only a feature with {kinds_of_key} can have this")
        if self.stairs == "up":
            yield from self.refused("to", message="stairs up lead back, wherever the player comes from")

    def _problems_of_place(self) -> Iterator[ValueProblem]:
        given = self.model_fields_set
        if "at" in given:
            yield from self.refused("x", "y", "side", "where", message="'at' says where it lies already")
        elif given.isdisjoint(("x", "y")):
            yield from self.refused("shift", message="this is counted from 'at', or from 'x' and 'y'")
        if "side" not in given:
            yield from self.refused("distance", message="this is counted from an edge, and 'from' names none")
        for name, value in self.near.items():
            far = self.far_from.get(name)
            if far is not None and min(far.outcomes()) > max(value.outcomes()):
                message = "this can't be as near as that and as far as 'far_from' says"
                yield ValueProblem(message=message, path=("near", name), value=name)


Features = Annotated[tuple[FeatureEntry, ...], Field(max_length=MAX_LISTED)]


class VariantEntry(Entry):
    """One of several sets of features, of which a level gets one.

    Attributes:
        weight: How often it is drawn: a word or a number.
        features: What is on the map then, besides what is on all.
    """

    weight: Weight = 1.0
    features: Features = ()


Variants = Annotated[dict[VariantName, VariantEntry], Field(max_length=MAX_LISTED)]


def problems_of_names(
    common: Iterable[FeatureEntry], variants: dict[str, VariantEntry]
) -> Iterator[ValueProblem]:
    """Yield what is wrong with the names of features: used twice on one level, or nobody's."""
    shared = list(common)
    lists = {("variants", name, "features"): variant.features for name, variant in variants.items()}
    known = [*LANDMARKS, *_names(shared)]
    yield from _problems(
        shared, ("features",), [], [*known, *(name for each in lists.values() for name in _names(each))]
    )
    for path, features in lists.items():
        yield from _problems(features, path, _names(shared), [*known, *_names(features)])


def _names(features: Iterable[FeatureEntry]) -> list[str]:
    return [feature.name for feature in features if feature.name]


def _problems(
    features: Iterable[FeatureEntry], path: tuple[str | int, ...], taken: list[str], known: list[str]
) -> Iterator[ValueProblem]:
    seen = {*LANDMARKS, *taken}
    for number, feature in enumerate(features):
        if feature.name in seen:
            message = "another feature of the level has this name"
            if feature.name in LANDMARKS:
                message = "this word has a meaning of its own and can't be a name"
            yield ValueProblem(message=message, path=(*path, number, "name"), value=feature.name)
        elif feature.name:
            seen.add(feature.name)
        for key, distances in (("far_from", feature.far_from), ("near", feature.near)):
            for name in distances:
                if name not in known:
                    message = "there is no feature of this name here"
                    where = (*path, number, key, name)
                    yield ValueProblem(message=message, path=where, value=name, allowed=known, key=True)


Size = tuple[int, int]
"""(height, width)."""

Lines = tuple["NDArray[np.bool_]", "NDArray[np.bool_]"]
"""(height,) and (width,) bool."""


def lies_at(options: Sequence[float], shift: int, length: int, whole: int) -> NDArray[np.bool_]:
    """Return (whole,) bool: the first columns (or rows) at which something of that length lies right.

    Args:
        options: Coordinates, any of which will do; all will if there are none.
        shift: How far from there.
        length: How many columns (or rows) it has.
        whole: How many the map has.
    """
    inside = np.zeros(whole, np.bool_)
    inside[: max(whole - length + 1, 0)] = True
    if not options:
        return inside
    found = np.zeros(whole, np.bool_)
    for option in options:
        first = _first(option, length, whole)
        found[max(first - shift, 0) : max(first + shift + 1, 0)] = True
    return found & inside


def _first(place: float, length: int, whole: int) -> int:
    """Return the first column (or row) of something at a coordinate: a share is one of what is left inside the border."""
    if isinstance(place, int):
        return place if place >= 0 else whole - length + 1 + place
    return 1 + round(place * (whole - 2 - length))


def lies_beside(side: str, distance: int, size: Size, whole: Size) -> Lines:
    """Return where something has that distance to an edge, or in a corner to both."""
    lines = []
    for near, far, length, extent in (
        ("north", "south", size[0], whole[0]),
        ("west", "east", size[1], whole[1]),
    ):
        line = np.zeros(extent, np.bool_)
        first = None
        if near in side:
            first = distance
        elif far in side:
            first = extent - distance - length
        if first is None:
            line[:] = True
        elif 0 <= first < extent:
            line[first] = True
        lines.append(line)
    return lines[0], lines[1]


def lies_within(region: str, size: Size, whole: Size) -> Lines:
    """Return where the middle of something lies in a part of the map."""
    lines = []
    for (low, high), length, extent in zip(shares_of(region), size, whole, strict=True):
        middle = np.arange(extent) + length / 2
        lines.append((low * extent <= middle) & (middle <= high * extent))
    return lines[0], lines[1]


def shares_of(region: str) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return what part of the rows, and of the columns, a part of the map has: from and to, of 0 to 1."""
    middle, every = (1 / 3, 2 / 3), (0.0, 1.0)
    if region == "centre":
        return middle, middle
    side, part = region.split(" ")
    if side == "middle":
        return (middle, every) if part == "rows" else (every, middle)
    share = PARTS[part]
    rows = (0.0, share) if "north" in side else (1 - share, 1.0) if "south" in side else every
    columns = (0.0, share) if "west" in side else (1 - share, 1.0) if "east" in side else every
    return rows, columns


def stretch(share: float, whole: int) -> int:
    """Return a length in cells: a share is one of the map's."""
    return share if isinstance(share, int) else max(1, round(share * whole))
