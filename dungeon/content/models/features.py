"""*Features*, which a map has before its layout is made (barriers, areas, prefabs, stairs), and where each may lie.

Coordinates are [column, row] as authors write them, from 0 at the top left of the map. A negative number
counts from the far edge: -1 puts the feature's right (or lower) side on the last column (or row). A share
places the feature within the space that its size leaves free: 0% is the west or north edge, 50% the middle,
100% the east or south edge.
"""

from __future__ import annotations

import re
from itertools import product
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import numpy as np
from pydantic import BeforeValidator, Field, PlainValidator, WithJsonSchema, model_validator

from dungeon.content.catalog.kept_off import NoSpawn
from dungeon.content.models.locks import LockValue
from dungeon.content.source.names import MAX_LISTED, NAME_PATTERN, NewName, read_new_name
from dungeon.content.source.problems import CheckedEntry, MisreadError, ValueProblem, misread
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
"""The largest coordinate, distance and side of an area, in columns or rows."""

LANDING = 3
"""Rows and columns of the landing around stairs that are not drawn by a prefab."""

AREA = re.compile(r"\s*([0-9.%\s]+?)\s*x\s*([0-9.%\s]+?)\s*")

STRAIGHT = ("north", "east", "south", "west")
"""The four sides of a map."""
COMPASS = (*STRAIGHT, "north-west", "north-east", "south-west", "south-east")
"""The sides and corners of a map."""
PARTS = {"half": 1 / 2, "third": 1 / 3, "quarter": 1 / 4}
"""Word for a part of the map -> its share of the rows, columns or both."""
QUARTERS = tuple(f"{side} {part}" for side, part in product(COMPASS, PARTS))
"""Parts of the map at a side or corner: `north half`, `south-west third`..."""
MIDDLES = ("centre", "middle rows", "middle columns")
"""Parts of the map in its middle; each takes the middle third of the rows, the columns or both."""
REGIONS = (*QUARTERS, *MIDDLES)
"""All words allowed under `where`."""


class Portion(float):
    """A share of the map, or of the space that a feature leaves free. It never equals an int, so that 100% differs from 1 cell."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return not isinstance(other, int) and float.__eq__(self, other) is True

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = float.__hash__


# -- fields -------------------------------------------------------------------------------------


def read_place(raw: object) -> float:
    """Read a coordinate of a feature: a whole number of cells, where -1 is the last one, or a share of the space left free."""
    number = read_number(raw)
    if isinstance(number, int) and abs(number) <= MAX_CELLS:
        return number
    if isinstance(number, float) and 0 <= number <= 1:
        return Portion(number)
    raise misread(
        f"a whole number from {-MAX_CELLS} to {MAX_CELLS}, or a share such as 50%, is needed here", raw
    )


def read_side(raw: object) -> float:
    """Read the width or height of an area: cells, or a share of the map."""
    number = read_number(raw)
    if isinstance(number, int) and 1 <= number <= MAX_CELLS:
        return number
    if isinstance(number, float) and 0 < number <= 1:
        return Portion(number)
    raise misread(
        f"a whole number from 1 to {MAX_CELLS}, or a share of the map such as 50%, is needed here", raw
    )


def read_corner(raw: object) -> tuple[Value[float], Value[float]]:
    """Read the position of a feature: ``[column, row]``, each in the value grammar."""
    return read_pair(raw, read_place, "two coordinates, [column, row]")


def is_variant_name(word: object) -> bool:
    """Tell whether a word can be the name of a variant."""
    try:
        read_variant_name(word)
    except MisreadError:
        return False
    return True


def read_variant_name(raw: object) -> str:
    """Read the name of a variant of a map; numbers are allowed."""
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
"""The name or tag of a prefab, in the value grammar."""
Steps = Annotated[IntValue, within(1, 2 * MAX_CELLS)]
VariantName = Annotated[
    str,
    BeforeValidator(read_variant_name),
    WithJsonSchema({"type": "string", "anyOf": [{"pattern": "^[0-9]{1,6}$"}, {"pattern": NAME_PATTERN}]}),
]


class AreaEntry(Entry):
    """The size of an area: `3x20`, columns x rows, each in cells or as a share of the map.

    Attributes:
        width: Number of columns, or a share of those of the map.
        height: Number of rows, or a share of those of the map.
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
"""Keys that say what a feature is; it has exactly one of them."""

KINDS_OF = {
    "to": ("prefab", "stairs"),
    "category": ("prefab",),
    "orientations": ("prefab",),
    "no_spawn": ("prefab", "stairs"),
    "lock": ("prefab",),
}
"""Key -> the kinds of features that can have it; other keys fit all kinds."""


class FeatureEntry(CheckedEntry):
    """Something that is on the map before its layout is made. Give exactly one of the first five keys.

    Attributes:
        prefab: A prefab by name or tag, or a choice in the value grammar. Its links start tunnelers.
        stairs: A landing of 3x3 cells with stairs: `up`, where the player arrives, or `down`.
        blocked: A barrier of this size; nothing is ever dug through it.
        keep_out: An area of this size in which the layout digs nothing.
        quiet: An area of this size in which nothing is scattered and no encounter is placed.
        name: The name by which `far_from` and `near` of other features mean this one.
        to: The map to which the stairs lead, by name or id. On a level that does not lead there, the feature
            is left out.
        category: The category of a prefab: fluff, risk, danger or reward, or a word of `categories.yaml`.
        orientations: The orientations allowed here, if the prefab permits them.
        no_spawn: Whether nothing is scattered over the cells of the prefab or landing; or which kinds of objects are not:
            `robots`, or `[robots, traps]` for both.
        lock: The lock of `locks.yaml` on the outer doors of a prefab, if no path to an exit leads through the prefab.
        chance: The probability that the feature is there at all.
        count: How many such features there are.
        required: Whether a level must have the feature; by default yes if both its column and its row are given.
        at: The position of the feature's top left corner: [column, row].
        x: Only the column of the feature's top left corner.
        y: Only the row of the feature's top left corner.
        shift: How far the feature may lie from that position: [columns, rows], in either direction.
        side: The edge or corner of the map from which `distance` is counted. Written `from`.
        distance: How many cells lie between the feature and that edge.
        where: The part of the map in which the middle of the feature lies.
        far_from: Feature, `entrance` or `exits` -> the minimum distance in steps.
        near: Feature, `entrance` or `exits` -> the maximum distance in steps.
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
    no_spawn: NoSpawn = False
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
        """Yield the problems that show when the keys of this entry are compared with each other."""
        yield from self._problems_of_kind()
        yield from self.problems_of_place()

    @property
    def kind(self) -> str:
        """The kind of the feature: `prefab`, `stairs`, `blocked`, `keep_out` or `quiet`."""
        return next(kind for kind in KINDS if getattr(self, kind) is not None)

    @property
    def area(self) -> AreaEntry | None:
        """The size of a feature that is an area (`blocked`, `keep_out`, `quiet`); None for a prefab and for stairs."""
        return self.blocked or self.keep_out or self.quiet

    @property
    def across(self) -> Value[float] | None:
        """The column of the feature's top left corner, in the value grammar; None if the author gives none."""
        return self.at[0] if self.at else self.x

    @property
    def down(self) -> Value[float] | None:
        """The row of the feature's top left corner, in the value grammar; None if the author gives none."""
        return self.at[1] if self.at else self.y

    @property
    def is_fixed(self) -> bool:
        """Whether the author gives both the column and the row of the feature."""
        return self.across is not None and self.down is not None

    @property
    def is_required(self) -> bool:
        """Whether a level must have the feature: as `required` says, or by default if the feature is fixed."""
        return self.is_fixed if self.required is None else self.required

    def _problems_of_kind(self) -> Iterator[ValueProblem]:
        """Yield problems with the kind of the feature: the entry has none or two, or a key that does not fit the kind."""
        kinds = [kind for kind in KINDS if getattr(self, kind) is not None]
        if not kinds:
            yield ValueProblem(message=f"one of {', '.join(KINDS)} is needed here", key=True)
            return
        yield from self.refused(
            *kinds[1:], message=f"a feature has only one kind, and here {kinds[0]!r} says which"
        )
        for key, able in KINDS_OF.items():
            if kinds[0] not in able:
                kinds_of_key = " or ".join(map(repr, able))
                yield from self.refused(key, message=f"only a feature with {kinds_of_key} can have this key")
        if self.stairs == "up":
            yield from self.refused(
                "to",
                message="stairs up can't have 'to': they lead back to the map from which the player comes",
            )

    def problems_of_place(self) -> Iterator[ValueProblem]:
        """Yield problems with the keys that say where the feature lies."""
        given = self.model_fields_set
        if "at" in given:
            yield from self.refused(
                "x", "y", "side", "where", message="'at' gives the position of the feature already"
            )
        elif given.isdisjoint(("x", "y")):
            yield from self.refused(
                "shift", message="'shift' needs a position to count from: 'at', or 'x' and 'y'"
            )
        if "side" not in given:
            yield from self.refused("distance", message="'distance' needs an edge to count from: 'from'")
        for name, value in self.near.items():
            far = self.far_from.get(name)
            if far is not None and min(far.outcomes()) > max(value.outcomes()):
                message = "this distance under 'near' is below the one under 'far_from'"
                yield ValueProblem(message=message, path=("near", name), value=name)


Features = Annotated[tuple[FeatureEntry, ...], Field(max_length=MAX_LISTED)]


class VariantEntry(Entry):
    """A variant of a map, which is one of several sets of features; each level gets one set.

    Attributes:
        weight: How often this variant is drawn: a weight word or a number.
        features: The features of this variant, in addition to those of every level.
    """

    weight: Weight = 1.0
    features: Features = ()


Variants = Annotated[dict[VariantName, VariantEntry], Field(max_length=MAX_LISTED)]


def problems_of_names(
    common: Iterable[FeatureEntry], variants: dict[str, VariantEntry]
) -> Iterator[ValueProblem]:
    """Yield problems with the names of features: a name used twice on one level, or a reference to a feature that does not exist.

    Args:
        common: The features that every level has.
        variants: Name of a variant -> the variant, of which each level has one.
    """
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
    """Yield problems with the names of some features, and with the names in their `far_from` and `near`.

    Args:
        features: The features.
        path: The keys that lead to the list of features in the entry.
        taken: Names that other features of the level have.
        known: All names to which `far_from` and `near` may refer.
    """
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
                    message = "the level has no feature of this name"
                    where = (*path, number, key, name)
                    yield ValueProblem(message=message, path=where, value=name, allowed=known, key=True)


Size = tuple[int, int]
"""(height, width)."""

Lines = tuple["NDArray[np.bool_]", "NDArray[np.bool_]"]
"""Two bool arrays of shapes (height,) and (width,): the rows and the columns that are allowed."""


def lies_at(options: Sequence[float], shift: int, length: int, whole: int) -> NDArray[np.bool_]:
    """Return (whole,) bool: True for the columns (or rows) at which a feature may begin, given its coordinates.

    Args:
        options: The coordinates that the author allows; any if empty.
        shift: How many columns (or rows) the feature may lie from such a coordinate.
        length: Number of columns (or rows) of the feature.
        whole: Number of columns (or rows) of the map.
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
    """Convert an author's coordinate of a feature to the first column (or row) of the feature on the map.

    Args:
        place: A whole number, negative from the far edge, or a share of the space that the feature leaves free inside the
            map's border: 50% is the middle.
        length: Number of columns (or rows) of the feature.
        whole: Number of columns (or rows) of the map.
    """
    if isinstance(place, int):
        return place if place >= 0 else whole - length + 1 + place
    return 1 + round(place * (whole - 2 - length))


def lies_beside(side: str, distance: int, size: Size, whole: Size) -> Lines:
    """Return (rows, columns), two bool arrays, True where a feature may begin to lie at a distance from an edge or corner.

    Args:
        side: The edge or corner of the map, such as `north` or `south-west`.
        distance: The number of cells between the feature and that edge, or each edge of the corner.
        size: The (height, width) of the feature.
        whole: The (height, width) of the map.
    """
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
    """Return (rows, columns), two bool arrays, True where a feature may begin so that its middle lies in a part of the map.

    Args:
        region: The part of the map, such as `north half`.
        size: The (height, width) of the feature.
        whole: The (height, width) of the map.
    """
    lines = []
    for (low, high), length, extent in zip(shares_of(region), size, whole, strict=True):
        middle = np.arange(extent) + length / 2
        lines.append((low * extent <= middle) & (middle <= high * extent))
    return lines[0], lines[1]


def shares_of(region: str) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return the extent of a part of the map as shares from 0 to 1: ((first row, last row), (first column, last column)).

    Example: `north half` -> ((0, 0.5), (0, 1)).
    """
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


def length_in_cells(share: float, whole: int) -> int:
    """Return a length in cells, given in cells (int, returned unchanged) or as a share of the map's length (float; at least 1 cell).

    Args:
        share: The length.
        whole: Number of columns (or rows) of the map.
    """
    return share if isinstance(share, int) else max(1, round(share * whole))
