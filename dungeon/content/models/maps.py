"""Maps as authors write them: their size, layout, encounters and all else that fills them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic import BeforeValidator, Field, model_validator

from dungeon import terrain as t
from dungeon.content.models.dressing import Dressing
from dungeon.content.models.entries import BUILT_IN_NAMES, STEPPED_ON, TerrainEntry, ThingEntry
from dungeon.content.models.features import Features, Variants, problems_of_names
from dungeon.content.models.layouts import LayoutField, MapDrops
from dungeon.content.models.locks import LockName, MapLocks
from dungeon.content.models.population import MapPopulationEntry
from dungeon.content.source.names import MAX_LISTED
from dungeon.content.source.problems import CheckedEntry, ValueProblem, misread
from dungeon.content.values.by_depth import (
    AmountHere,
    MapCount,
    WeightHere,
    number_here,
    points_schema,
    read_points,
)
from dungeon.content.values.fields import (
    DEEPEST,
    CategoryName,
    Depths,
    Flag,
    Given,
    Line,
    ThemeName,
    span,
)
from dungeon.content.values.grammar import Constant, DepthNumber, NumberByDepth, Value, leaves, number_at
from dungeon.content.values.prefab_words import PrefabsByWeight
from dungeon.content.values.value_fields import IntValue, Probability, WordValue, one_of, within
from dungeon.core.frozen import nothing
from dungeon.core.parameters import Entry
from dungeon.core.registry import LAYOUTS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pydantic import GetJsonSchemaHandler
    from pydantic_core import CoreSchema

    from dungeon.content.models.features import FeatureEntry
    from dungeon.content.models.rules import Entries


LEAST_MAP_SIDE = 9


MAX_MAP_SIDE = 4000

USUAL_SIZE = {"height": 60, "width": 100}
"""The size of a map that says none, or whose own does not apply this time."""


SIZE = re.compile(r"\s*([0-9]{1,6})\s*x\s*([0-9]{1,6})\s*")


SPELLING = "a size is written 100x60 (columns x rows), or {width: ..., height: ...}"


BY_DEPTH = "a size by depth is written {by_depth: {1: 60x40, 5: 100x60}}, with or without stepped: true"


Side = Annotated[DepthNumber, *number_here(LEAST_MAP_SIDE, MAX_MAP_SIDE)]


class SizeEntry(Entry):
    """The size of a map in cells; rolled per level.

    Attributes:
        width: How many columns it has, at any depth or by depth.
        height: How many rows, at any depth or by depth.
    """

    short_form: ClassVar = {"type": "string", "pattern": f"^{SIZE.pattern}$"}

    width: Side = Constant(USUAL_SIZE["width"])
    height: Side = Constant(USUAL_SIZE["height"])

    @model_validator(mode="before")
    @classmethod
    def _width_x_height(cls, raw: object) -> object:
        if isinstance(raw, dict | SizeEntry):
            return raw
        width, height = read_size(raw)
        return {"width": width, "height": height}

    def at(self, depth: int) -> tuple[Value[int], Value[int]]:
        """Return the height and the width at a depth."""
        return number_at(self.height, depth), number_at(self.width, depth)

    @property
    def most(self) -> tuple[int, int]:
        """The greatest height and the greatest width that are possible at any depth."""
        return max(self.height.outcomes()), max(self.width.outcomes())


def read_size(raw: object) -> tuple[int, int]:
    """Read columns x rows. MisreadError if it is not written so."""
    match = SIZE.fullmatch(raw) if isinstance(raw, str) else None
    if match is None:
        raise misread(SPELLING, raw)
    return int(match[1]), int(match[2])


def _read_point(raw: object) -> tuple[int, int]:
    """Read what is said at one depth: a size that is possible."""
    size = read_size(raw)
    if not all(LEAST_MAP_SIDE <= side <= MAX_MAP_SIDE for side in size):
        raise misread(f"both sides must lie between {LEAST_MAP_SIDE} and {MAX_MAP_SIDE}", raw)
    return size


def _by_depth(raw: object) -> object:
    """Let each side depend on the depth where the size does."""
    if not (isinstance(raw, dict) and "by_depth" in raw):
        return raw
    points, stepped = read_points(raw, _read_point, BY_DEPTH)
    return {
        side: NumberByDepth(
            points=tuple((depth, Constant(size[number])) for depth, size in points), stepped=stepped
        )
        for number, side in enumerate(("width", "height"))
    }


class _SizeByDepth(BeforeValidator):
    """The annotation that lets a size depend on the depth."""

    def __get_pydantic_json_schema__(
        self, core: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, object]:
        one: dict[str, object] = {"type": "string", "pattern": f"^{SIZE.pattern}$"}
        described = "by depth: {by_depth: {1: 60x40, 5: 100x60}}, evenly between these depths or stepped"
        return {"anyOf": [handler(core), points_schema(one, described)]}


SizeHere = Annotated[SizeEntry, _SizeByDepth(_by_depth)]
"""The size of a map, which may depend on the depth."""


STANDS = ("wall", "middle")
"""Where a machine may stand: with its back to a wall, or with a walk all around."""


class MachinesEntry(Entry):
    """Machines of one deck.

    Attributes:
        prefabs: What they are, each as likely as any other, or as its weight says.
        count: How many of them stand on a map.
        at: Whether each stands with its back to a wall, or in the middle of a room with a walk all around.
        depth: The depths at which they come.
    """

    prefabs: PrefabsByWeight
    count: Annotated[IntValue, within(0, 1_000)] = Constant(1)
    at: Annotated[WordValue, one_of(*STANDS)] = Constant("wall")
    depth: Depths = (0, DEEPEST)


Machines = Annotated[tuple[MachinesEntry, ...], Field(max_length=MAX_LISTED)]


MOST_ENCOUNTERS = 10_000


class BudgetEntry(Entry):
    """How much the encounters of a map may bring, as it is to be expected; any amount where it is not said.

    Attributes:
        threat: The sum of the `threat` of robots and traps.
        worth: The sum of the `worth` of items.
    """

    threat: Given[AmountHere] = None
    worth: Given[AmountHere] = None


class MapEntry(CheckedEntry):
    """A type of map.

    Attributes:
        name: What the player reads.
        text: What a game may tell of it to who has not been there yet, in a line.
        size: Columns and rows, at any depth or by depth; a layout that brings its own size ignores it.
        layout: A layout's name, or `{name: {its parameters}}`.
        way: How far every exit is from the entrance at least, as a share of the longest way on the level; drawn stairs may be
            nearer.
        theme: The theme of `themes.yaml` that says how its terrain looks.
        encounters: How many encounters it gets, at any depth or by depth.
        mix: Category -> how many of its encounters are of it, from and to.
        budget: How much threat and worth they may bring.
        annexes: Whether a room or cave may be dug for an encounter that fits into none that is there.
        population: What is scattered over it besides.
        machines: What stands along the walls and in the middle of its rooms, each a prefab.
        features: What is on it before the layout grows: barriers, areas, prefabs, stairs.
        variants: Number or name -> further features, of which each level gets those of one variant.
        dressing: What is laid over the finished ground, pass by pass in this order: water, grass, rubble, light.
        locks: Lock of `locks.yaml` -> how many rooms or doors on the way it locks.
        drops: Ways that lead one way, from far off back to near where the player has come from.
        nothing: How common turns are at which nothing is placed: they count among its encounters.
    """

    NOT_HERE: ClassVar = dict.fromkeys(
        ("width", "height"), "this stands under 'size', which is 80x50 or {width: ..., height: ...}"
    )

    name: Line
    text: Given[Line] = None
    size: SizeHere = SizeEntry()
    layout: LayoutField = Field(default="tunnels", validate_default=True)
    way: Probability = 0.6
    theme: Given[ThemeName] = None
    encounters: MapCount = Constant(0)
    mix: Annotated[
        dict[CategoryName, Annotated[tuple[int, int], *span(0, MOST_ENCOUNTERS)]],
        Field(max_length=MAX_LISTED),
    ] = Field(default_factory=nothing)
    budget: BudgetEntry = BudgetEntry()
    annexes: Flag = True
    population: Annotated[tuple[MapPopulationEntry, ...], Field(max_length=MAX_LISTED)] = ()
    machines: Machines = ()
    features: Features = ()
    variants: Variants = Field(default_factory=nothing)
    dressing: Dressing = ()
    locks: Annotated[dict[LockName, MapLocks], Field(max_length=MAX_LISTED)] = Field(default_factory=nothing)
    drops: Given[MapDrops] = None
    nothing: WeightHere = 0.0  # the last one, for within the class the name hides the function

    def all_features(self) -> Iterator[tuple[tuple[str | int, ...], FeatureEntry]]:
        """Yield the features of all levels and of every variant, with the paths to them."""
        for number, feature in enumerate(self.features):
            yield ("features", number), feature
        for name, variant in self.variants.items():
            for number, feature in enumerate(variant.features):
                yield ("variants", name, "features", number), feature

    def seeded_words(self) -> Iterator[tuple[str, FeatureEntry | None]]:
        """Yield the names and tags of the prefabs that it asks for by itself, with the feature that does; None for a machine."""
        for _, feature in self.all_features():
            for word in feature.prefab.outcomes() if feature.prefab is not None else ():
                yield word, feature
        for machines in self.machines:
            for word in machines.prefabs:
                yield word, None

    def portals(self) -> Iterator[tuple[Value[str], tuple[str, ...]]]:
        """Yield the props that are portals on it, and the path to each; a word among them may be `tunnel`."""
        if self.drops is not None:
            yield self.drops.prop, ("drops", "prop")
        for zone, entry in self.layout.params.named_zones().items():
            if "port" in entry.model_fields_set:
                yield entry.port, ("layout", self.layout.name, "zones", zone, "port")

    def problems(self) -> Iterator[ValueProblem]:
        """Yield what is wrong with it, once each of its keys has been read."""
        least, most = sum(low for low, _ in self.mix.values()), max(self.encounters.outcomes())
        if least > most:
            message = f"these are {least} encounters at least, and the map gets {most} at most"
            yield ValueProblem(message=message, path=("mix",))
        yield from problems_of_names(self.features, self.variants)
        if LAYOUTS[self.layout.name].draws_all:
            message = f"the layout {self.layout.name} draws the whole map, which can't have this"
            yield from self.refused("features", "variants", "dressing", message=message)


GROUND = ("floor", "corridor", "cave")
"""What terrain must be like that is laid over the ground."""

GROUND_NAMES = frozenset([*GROUND, *t.CORRIDOR_KINDS, *(f"floor_{digit}" for digit in range(10))])


def check_dressing(entries: Entries) -> None:
    """Check that what maps lay is ground, and that one can walk on it where one must."""
    records, log = entries.records, entries.log
    terrain = entries.all_of("terrain", TerrainEntry)
    for name, entry in entries.all_of("map", MapEntry).items():
        record = records["map"][name]
        laid: list[tuple[tuple[str | int, ...], Any, bool]] = [
            (("dressing", number, key), value, walked)
            for number, each in enumerate(entry.dressing)
            for key, value, walked in each.terrain()
        ]
        laid += [
            (("layout", entry.layout.name, key), value, walked)
            for key, value, walked in entry.layout.params.laid_terrain()
        ]
        for at, value, walked in laid:
            for leaf, path, is_key in leaves(value, record.part(*at)):
                for one in leaf.outcomes():
                    problem = _problem_of_ground(one, terrain, walked=walked)
                    if problem is None and at[0] == "layout" and not walked and _is_walkable(one, terrain):
                        problem = "one must not be able to walk on this"
                    if problem is not None:
                        log.add(record, problem, *at, *path, value=one, key=is_key)


def _is_walkable(name: str, terrain: Mapping[str, TerrainEntry]) -> bool:
    """Tell whether one can walk on a kind of ground, if that is known."""
    own = terrain.get(name)
    return name in GROUND_NAMES if own is None else own.walkable is not False


def _problem_of_ground(name: str, terrain: Mapping[str, TerrainEntry], *, walked: bool) -> str | None:
    """Return what is wrong with terrain that is to be laid over the ground."""
    own = None if name in BUILT_IN_NAMES else terrain.get(name)
    if name in GROUND_NAMES or (name not in BUILT_IN_NAMES and own is None):
        return None  # of what is not valid nothing is said
    if own is None or own.like not in GROUND:
        return (
            f"only terrain that is like {', '.join(GROUND[:-1])} or {GROUND[-1]} can be laid over the ground"
        )
    if walked and own.walkable is False:
        return "one must be able to walk on this"
    return None


def check_ports(entries: Entries) -> None:
    """Check that no portal blocks: one steps on it."""
    records, log = entries.records, entries.log
    props = entries.all_of("prop", ThingEntry)
    for name, entry in entries.all_of("map", MapEntry).items():
        record = records["map"][name]
        for value, at in entry.portals():
            for leaf, path, is_key in leaves(value, record.part(*at)):
                for tag in leaf.outcomes():
                    if tag in props and props[tag].blocks is not False:
                        log.add(record, STEPPED_ON, *at, *path, value=tag, key=is_key)
