"""Maps as authors write them: size, layout, encounters, and everything else on them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic import BeforeValidator, Field, model_validator

from dungeon import terrain as t
from dungeon.content.catalog.scattered import PopulationEntry
from dungeon.content.models.dressing import Dressing
from dungeon.content.models.entries import BUILT_IN_NAMES, STEPPED_ON, TerrainEntry, ThingEntry
from dungeon.content.models.features import Features, Variants, problems_of_names
from dungeon.content.models.layouts import LayoutField, MapDrops
from dungeon.content.models.locks import LockName, MapLocks
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
"""The smallest width and height of a map, in cells."""


MAX_MAP_SIDE = 4000
"""The largest width and height of a map, in cells."""

USUAL_SIZE = {"height": 60, "width": 100}
"""The size of a map without `size`, or whose side does not apply this time."""


SIZE = re.compile(r"\s*([0-9]{1,6})\s*x\s*([0-9]{1,6})\s*")


SPELLING = "a size is written 100x60 (columns x rows), or {width: ..., height: ...}"


BY_DEPTH = "a size by depth is written {by_depth: {1: 60x40, 5: 100x60}}, with or without stepped: true"


Side = Annotated[DepthNumber, *number_here(LEAST_MAP_SIDE, MAX_MAP_SIDE)]


class SizeEntry(Entry):
    """The size of a map in cells, rolled for each level.

    Attributes:
        width: Number of columns, at any depth or by depth.
        height: Number of rows, at any depth or by depth.
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
        """Return (height, width) of a map at a depth, in the value grammar."""
        return number_at(self.height, depth), number_at(self.width, depth)

    @property
    def most(self) -> tuple[int, int]:
        """The greatest height and the greatest width possible at any depth."""
        return max(self.height.outcomes()), max(self.width.outcomes())


def read_size(raw: object) -> tuple[int, int]:
    """Read a size such as ``100x60`` as (columns, rows).

    Raises:
        MisreadError: `raw` is not written like this.
    """
    match = SIZE.fullmatch(raw) if isinstance(raw, str) else None
    if match is None:
        raise misread(SPELLING, raw)
    return int(match[1]), int(match[2])


def _read_point(raw: object) -> tuple[int, int]:
    """Read the size of a map at one depth, ``100x60``, as (columns, rows)."""
    size = read_size(raw)
    if not all(LEAST_MAP_SIDE <= side <= MAX_MAP_SIDE for side in size):
        raise misread(f"both sides of a map must lie between {LEAST_MAP_SIDE} and {MAX_MAP_SIDE}", raw)
    return size


def _by_depth(raw: object) -> object:
    """Turn the size of a map by depth, ``{by_depth: {1: 60x40}}``, into a width and a height by depth; return others unchanged."""
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
    """The pydantic annotation of a map's size that lets an author write it by depth: ``{by_depth: {1: 60x40, 5: 100x60}}``."""

    def __get_pydantic_json_schema__(
        self, core: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, object]:
        one: dict[str, object] = {"type": "string", "pattern": f"^{SIZE.pattern}$"}
        described = "by depth: {by_depth: {1: 60x40, 5: 100x60}}, evenly between these depths or stepped"
        return {"anyOf": [handler(core), points_schema(one, described)]}


SizeHere = Annotated[SizeEntry, _SizeByDepth(_by_depth)]
"""The size of a map, which may depend on the depth."""


STANDS = ("wall", "middle")
"""Where a machine may stand: with its back to a wall, or with free cells all around."""


class MachinesEntry(Entry):
    """Machines of one kind on a map, each a prefab.

    Attributes:
        prefabs: The prefabs to choose from, by name or tag; equally likely, or by weight.
        count: How many of these machines stand on a map.
        at: `wall`: each with its back to a wall. `middle`: each in the middle of a room, with free cells all around.
        depth: The depths at which they appear.
    """

    prefabs: PrefabsByWeight
    count: Annotated[IntValue, within(0, 1_000)] = Constant(1)
    at: Annotated[WordValue, one_of(*STANDS)] = Constant("wall")
    depth: Depths = (0, DEEPEST)


Machines = Annotated[tuple[MachinesEntry, ...], Field(max_length=MAX_LISTED)]


MOST_ENCOUNTERS = 10_000
"""The largest number under `mix`."""


class BudgetEntry(Entry):
    """How much the encounters of a map may bring, as expected values; without a number there is no limit.

    Attributes:
        threat: The maximum sum of the `threat` of robots and traps.
        worth: The maximum sum of the `worth` of items.
    """

    threat: Given[AmountHere] = None
    worth: Given[AmountHere] = None


class MapPopulationEntry(PopulationEntry):
    """Objects scattered over a map outside of encounters. The `content` of an encounter is written likewise.

    Attributes:
        in_sight: Whether the robots may start where they can be seen from the entrance.
    """

    in_sight: Flag = False

    def _problems(self) -> list[ValueProblem]:
        problems = super()._problems()
        if self.like not in (None, "robot"):
            problems += self.refused("in_sight", message="only robots can have this key")
        return problems


class MapEntry(CheckedEntry):
    """A type of map.

    Attributes:
        name: The name that the player reads.
        text: One line that a game may show to a player who has not been there yet.
        size: Columns and rows, at any depth or by depth. Layouts that bring their own size ignore it.
        layout: The name of a layout, or `{name: {its parameters}}`.
        way: The minimum walking distance from the entrance to every exit, as a share of the longest walk on
            the level. Drawn stairs may be nearer.
        theme: The theme of `themes.yaml` that says how the map's terrain looks.
        encounters: How many encounters the map gets, at any depth or by depth.
        mix: Category -> how many of these encounters are of that category: a minimum and a maximum.
        budget: How much threat and worth these encounters may bring.
        annexes: Whether a new room or cave may be dug for an encounter that fits into none of the existing
            ones.
        population: Objects scattered over the map outside of encounters.
        machines: Prefabs along the walls and in the middle of the map's rooms.
        features: What is on the map before the layout is made: barriers, areas, prefabs, stairs.
        variants: Number or name -> additional features. Each level gets those of one variant.
        dressing: What is laid over the finished ground, one pass after the other: water, grass, rubble,
            light.
        locks: Lock of `locks.yaml` -> how many rooms or doors are locked with it.
        drops: One-way portals that lead from far away back to near where the player came from.
        nothing: The weight of an empty encounter: it counts as one of `encounters`, and nothing is placed for
            it.
    """

    NOT_HERE: ClassVar = dict.fromkeys(
        ("width", "height"), "write this under 'size', which is 80x50 or {width: ..., height: ...}"
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
        """Yield (path in the entry, feature) for each feature that all levels have, and for each feature of every variant."""
        for number, feature in enumerate(self.features):
            yield ("features", number), feature
        for name, variant in self.variants.items():
            for number, feature in enumerate(variant.features):
                yield ("variants", name, "features", number), feature

    def seeded_words(self) -> Iterator[tuple[str, FeatureEntry | None]]:
        """Yield (name or tag, feature) for each prefab that the map asks for under `features` or `machines`; None for a machine."""
        for _, feature in self.all_features():
            for word in feature.prefab.outcomes() if feature.prefab is not None else ():
                yield word, feature
        for machines in self.machines:
            for word in machines.prefabs:
                yield word, None

    def portals(self) -> Iterator[tuple[Value[str], tuple[str, ...]]]:
        """Yield (prop of the portal, path in the entry) for each portal of the map; the prop of a zone may be the word `tunnel`."""
        if self.drops is not None:
            yield self.drops.prop, ("drops", "prop")
        for zone, entry in self.layout.params.named_zones().items():
            if "port" in entry.model_fields_set:
                yield entry.port, ("layout", self.layout.name, "zones", zone, "port")

    def problems(self) -> Iterator[ValueProblem]:
        """Yield the problems that show when the keys of this entry are compared with each other."""
        least, most = sum(low for low, _ in self.mix.values()), max(self.encounters.outcomes())
        if least > most:
            message = f"'mix' asks for at least {least} encounters, but the map gets at most {most}"
            yield ValueProblem(message=message, path=("mix",))
        yield from problems_of_names(self.features, self.variants)
        if LAYOUTS[self.layout.name].draws_all:
            message = f"the layout {self.layout.name} draws the whole map, so the map can't have this key"
            yield from self.refused("features", "variants", "dressing", message=message)


GROUND = ("floor", "corridor", "cave")
"""Built-in terrain that terrain laid over the ground must be like."""

GROUND_NAMES = frozenset([*GROUND, *t.CORRIDOR_KINDS, *(f"floor_{digit}" for digit in range(10))])


def check_dressing(entries: Entries) -> None:
    """Check the terrain that the `dressing` and the layouts of maps lay over the ground.

    It must be a floor, a corridor or the like (one of `GROUND`), or a kind that is like one of these, and it must be walkable
    where the key requires that.
    """
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
                        problem = "this terrain must not be walkable"
                    if problem is not None:
                        log.add(record, problem, *at, *path, value=one, key=is_key)


def _is_walkable(name: str, terrain: Mapping[str, TerrainEntry]) -> bool:
    """Tell whether the terrain with this name can be walked on; True for an unknown kind."""
    own = terrain.get(name)
    return name in GROUND_NAMES if own is None else own.walkable is not False


def _problem_of_ground(name: str, terrain: Mapping[str, TerrainEntry], *, walked: bool) -> str | None:
    """Return what is wrong with terrain that dressing lays over the ground, or None.

    Args:
        name: The name of the terrain.
        terrain: Name -> entry of terrain.
        walked: Whether the terrain must be walkable.
    """
    own = None if name in BUILT_IN_NAMES else terrain.get(name)
    if name in GROUND_NAMES or (name not in BUILT_IN_NAMES and own is None):
        return None  # an unknown or invalid name is reported elsewhere
    if own is None or own.like not in GROUND:
        return (
            f"only terrain that is like {', '.join(GROUND[:-1])} or {GROUND[-1]} can be laid over the ground"
        )
    if walked and own.walkable is False:
        return "this terrain must be walkable"
    return None


def check_ports(entries: Entries) -> None:
    """Check that no prop used as a portal blocks walkers: the player steps on it."""
    records, log = entries.records, entries.log
    props = entries.all_of("prop", ThingEntry)
    for name, entry in entries.all_of("map", MapEntry).items():
        record = records["map"][name]
        for value, at in entry.portals():
            for leaf, path, is_key in leaves(value, record.part(*at)):
                for tag in leaf.outcomes():
                    if tag in props and props[tag].blocks is not False:
                        log.add(record, STEPPED_ON, *at, *path, value=tag, key=is_key)
