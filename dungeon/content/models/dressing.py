"""Dressing: *passes* over the finished ground of a map, each of which lays terrain (lakes, grass, rubble) or lights, in order.

A *region* is a room, a cave or a corridor. The *ground* is the terrain on which walkers can walk.

    - {lake: deep_water, cells: 30..80, bank: mud}                          pools and lakes
    - {river: deep_water, width: 1..2, crossing: shallows}                  from one edge to the other
    - {chasm: depths, length: 12..24, width: 2..4, crossing: planks}        with planks across it
    - {patches: {grass: 4, flowers: 1}, cover: 15%, regions: [room, cave]}  smooth patches
    - {rubble: rubble, cover: 8%}                                           strewn along walls
    - {cracks: cracked, count: 3..6, length: 4..10}                         thin lines
    - {light: {"#ffb060": 3, "#ff8040": 1}, radius: 3..5, spacing: 12}      along walls

The terrain of a lake, river or chasm is rolled once for all of it. Other terrain (banks and crossings
included) is rolled for each cell; a cell for which it does not apply stays unchanged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic import Field

from dungeon.content.models.features import REGIONS
from dungeon.content.values.fields import Given, NewNames, TerrainValue, by_key
from dungeon.content.values.grammar import Between, Constant, Value
from dungeon.content.values.looks import ColourValue
from dungeon.content.values.value_fields import IntValue, ShareValue, WordValue, one_of, within
from dungeon.core.parameters import Entry

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_PASSES = 100
"""Maximum number of passes under `dressing`."""
MAX_CELLS = 1_000_000
"""The largest lake, in cells."""


class PassEntry(Entry):
    """A pass over the ground of a map.

    Attributes:
        KEY: The key that says what the pass does, such as `lake`.
        TERRAIN: Key under which the pass names terrain to lay -> whether that terrain must be walkable.
        chance: The probability that the pass is made at all.
        regions: The kinds of region (room, cave, ...) whose ground the pass may change; all by default.
        where: The part of the map that the pass may change.
    """

    KEY: ClassVar[str]
    TERRAIN: ClassVar[dict[str, bool]]

    chance: ShareValue = Constant(1.0)
    regions: NewNames = ()
    where: Given[Annotated[WordValue, one_of(*REGIONS)]] = None

    @property
    def what(self) -> Value[Any]:
        """The value under the key that says what the pass does, such as `lake`: terrain or a colour."""
        value: Value[Any] = getattr(self, self.KEY)
        return value

    def terrain(self) -> Iterator[tuple[str, Value[str], bool]]:
        """Yield (key, terrain, whether the terrain must be walkable) for each key under which the pass names terrain to lay."""
        for key, walked in self.TERRAIN.items():
            value: Value[str] | None = getattr(self, key)
            if value is not None:
                yield key, value, walked


class BodyEntry(PassEntry):
    """A pass that lays lakes, rivers or chasms, which walkers go around or cross on `crossing`.

    Attributes:
        count: How many lakes, rivers or chasms are laid.
        bank: The terrain along their banks.
        crossing: Walkable terrain, such as a ford or a bridge, laid where a path would be cut, so that the path continues.
            Without this key, a lake, river or chasm is laid only where it cuts no path.
    """

    count: Annotated[IntValue, within(0, 100)] = Constant(1)
    bank: Given[TerrainValue] = None
    crossing: Given[TerrainValue] = None


class LakeEntry(BodyEntry):
    """Lakes, pools, puddles: round and ragged.

    Attributes:
        lake: The terrain of the lake.
        cells: How many cells each lake covers.
    """

    KEY = "lake"
    TERRAIN: ClassVar = {"lake": False, "bank": True, "crossing": True}

    lake: TerrainValue
    cells: Annotated[IntValue, within(1, MAX_CELLS)] = Between(20, 60)


class RiverEntry(BodyEntry):
    """Rivers, which wind from one edge of the map (or of the part under `where`) to the opposite edge.

    They cut through earth and walls, but not through the earth and walls of prefabs and encounters.

    Attributes:
        river: The terrain of the river.
        width: The width of the river in cells.
    """

    KEY = "river"
    TERRAIN: ClassVar = {"river": False, "bank": True, "crossing": True}

    river: TerrainValue
    width: Annotated[IntValue, within(1, 3)] = Constant(1)


class ChasmEntry(BodyEntry):
    """Chasms, widest in the middle; they cut through earth and walls as rivers do.

    Attributes:
        chasm: The terrain of the chasm.
        length: The length of the chasm in cells, from end to end.
        width: The width of the chasm in cells, in the middle.
    """

    KEY = "chasm"
    TERRAIN: ClassVar = {"chasm": False, "bank": True, "crossing": True}

    chasm: TerrainValue
    length: Annotated[IntValue, within(3, 1000)] = Between(12, 24)
    width: Annotated[IntValue, within(1, 15)] = Between(2, 4)


class PatchesEntry(PassEntry):
    """Smooth patches of grass, moss, carpet...

    Attributes:
        patches: The terrain of the patches.
        cover: The share of the ground that they cover.
        size: Roughly the diameter of a patch in cells.
    """

    KEY = "patches"
    TERRAIN: ClassVar = {"patches": True}

    patches: TerrainValue
    cover: ShareValue = Constant(0.15)
    size: Annotated[IntValue, within(2, 100)] = Constant(6)


class RubbleEntry(PassEntry):
    """Heaps of rubble along walls.

    Attributes:
        rubble: The terrain of the heaps.
        cover: The share of the ground that the rubble covers.
    """

    KEY = "rubble"
    TERRAIN: ClassVar = {"rubble": True}

    rubble: TerrainValue
    cover: ShareValue = Constant(0.08)


class CracksEntry(PassEntry):
    """Thin lines across the ground.

    Attributes:
        cracks: The terrain of the cracks.
        count: How many cracks there are.
        length: How many cells long each crack is.
    """

    KEY = "cracks"
    TERRAIN: ClassVar = {"cracks": True}

    cracks: TerrainValue
    count: Annotated[IntValue, within(0, 1000)] = Between(3, 6)
    length: Annotated[IntValue, within(1, 1000)] = Between(4, 10)


USUAL_RADIUS, USUAL_SPACING = 4, 12
"""The radius and spacing of a light whose own do not apply this time."""


class LightEntry(PassEntry):
    """Lights along walls.

    Attributes:
        light: The colour of the lights.
        radius: How many cells far each light shines.
        spacing: The minimum distance in cells between two of these lights, and to props that shine, such as
            torches in a prefab.
        count: How many lights there are; by default as many as there is space for.
        ground: The terrain laid on the cell of each light, to show what shines there, such as glowing moss. By default the
            terrain stays as it is.
    """

    KEY = "light"
    TERRAIN: ClassVar = {"ground": True}

    light: ColourValue
    radius: Annotated[IntValue, within(1, 100)] = Between(3, 5)
    spacing: Annotated[IntValue, within(1, 1000)] = Constant(USUAL_SPACING)
    count: Given[Annotated[IntValue, within(0, 1000)]] = None
    ground: Given[TerrainValue] = None


PASSES: dict[str, type[PassEntry]] = {
    model.KEY: model
    for model in (LakeEntry, RiverEntry, ChasmEntry, PatchesEntry, RubbleEntry, CracksEntry, LightEntry)
}
"""Key that says what a pass does -> its model."""


Pass = Annotated[Any, by_key(PASSES, "pass", "passes", "{patches: grass, cover: 15%}")]
Dressing = Annotated[tuple[Pass, ...], Field(max_length=MAX_PASSES)]
