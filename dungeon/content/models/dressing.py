"""What is laid over the finished ground of a map: the passes under `dressing`, in their order.

    - {lake: deep_water, cells: 30..80, bank: mud}                          pools and lakes
    - {river: deep_water, width: 1..2, crossing: shallows}                  from one edge to the other
    - {chasm: depths, length: 12..24, width: 2..4, crossing: planks}        with what leads over it
    - {patches: {grass: 4, flowers: 1}, cover: 15%, regions: [room, cave]}  smooth patches
    - {rubble: rubble, cover: 8%}                                           strewn along walls
    - {cracks: cracked, count: 3..6, length: 4..10}                         thin lines
    - {light: {"#ffb060": 3, "#ff8040": 1}, radius: 3..5, spacing: 12}      along walls

Terrain in the value grammar is drawn once for all of a lake, river or chasm, and elsewhere (banks and crossings
included) for each cell, so that what applies only sometimes leaves the others as they are.
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
MAX_CELLS = 1_000_000
"""No map that is dressed with taste has a larger lake."""


class PassEntry(Entry):
    """A pass over the ground.

    Attributes:
        KEY: The key that says what the pass does, and what with.
        TERRAIN: The keys of terrain that it lays -> whether one must be able to walk on that.
        chance: How likely it is made at all.
        regions: The kinds of region whose ground it may change; all, if none is named.
        where: The part of the map that it may change.
    """

    KEY: ClassVar[str]
    TERRAIN: ClassVar[dict[str, bool]]

    chance: ShareValue = Constant(1.0)
    regions: NewNames = ()
    where: Given[Annotated[WordValue, one_of(*REGIONS)]] = None

    @property
    def what(self) -> Value[Any]:
        """What stands after its key."""
        value: Value[Any] = getattr(self, self.KEY)
        return value

    def terrain(self) -> Iterator[tuple[str, Value[str], bool]]:
        """Yield the terrain that it lays: its key, the terrain, and whether one must be able to walk on it."""
        for key, walked in self.TERRAIN.items():
            value: Value[str] | None = getattr(self, key)
            if value is not None:
                yield key, value, walked


class BodyEntry(PassEntry):
    """A pass whose bodies lie across the ground: walkers go around them, or over what crosses them.

    Attributes:
        count: How many.
        bank: The terrain beside it.
        crossing: The terrain, to be walked on, by which ways go on that it would cut: a ford, a bridge. Without
            one it lies where it cuts none.
    """

    count: Annotated[IntValue, within(0, 100)] = Constant(1)
    bank: Given[TerrainValue] = None
    crossing: Given[TerrainValue] = None


class LakeEntry(BodyEntry):
    """Lakes, pools, puddles: round and ragged.

    Attributes:
        lake: The terrain of the lake.
        cells: How many cells it covers.
    """

    KEY = "lake"
    TERRAIN: ClassVar = {"lake": False, "bank": True, "crossing": True}

    lake: TerrainValue
    cells: Annotated[IntValue, within(1, MAX_CELLS)] = Between(20, 60)


class RiverEntry(BodyEntry):
    """Rivers, which wind from one edge of the map, or of the part of it that is named, to the opposite one.

    They cut a bed through earth and walls, but for those of prefabs and encounters.

    Attributes:
        river: The terrain of the river.
        width: How many cells wide.
    """

    KEY = "river"
    TERRAIN: ClassVar = {"river": False, "bank": True, "crossing": True}

    river: TerrainValue
    width: Annotated[IntValue, within(1, 3)] = Constant(1)


class ChasmEntry(BodyEntry):
    """Chasms, which are widest in the middle, and go through earth and walls as rivers do.

    Attributes:
        chasm: The terrain of the chasm.
        length: How many cells it is long, from end to end.
        width: How many cells it is wide in the middle.
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
        cover: What share of the ground they cover.
        size: How large they are, across.
    """

    KEY = "patches"
    TERRAIN: ClassVar = {"patches": True}

    patches: TerrainValue
    cover: ShareValue = Constant(0.15)
    size: Annotated[IntValue, within(2, 100)] = Constant(6)


class RubbleEntry(PassEntry):
    """What lies about in heaps along walls.

    Attributes:
        rubble: The terrain of the heaps.
        cover: What share of the ground it covers.
    """

    KEY = "rubble"
    TERRAIN: ClassVar = {"rubble": True}

    rubble: TerrainValue
    cover: ShareValue = Constant(0.08)


class CracksEntry(PassEntry):
    """Thin lines across the ground.

    Attributes:
        cracks: The terrain of the cracks.
        count: How many.
        length: How many cells each has.
    """

    KEY = "cracks"
    TERRAIN: ClassVar = {"cracks": True}

    cracks: TerrainValue
    count: Annotated[IntValue, within(0, 1000)] = Between(3, 6)
    length: Annotated[IntValue, within(1, 1000)] = Between(4, 10)


USUAL_RADIUS, USUAL_SPACING = 4, 12
"""What a light's radius and spacing are where its own do not apply this time."""


class LightEntry(PassEntry):
    """Lights along walls.

    Attributes:
        light: The colour of the lights.
        radius: How many cells each light reaches.
        spacing: How many cells away the next one is, at least; and props that shine, such as a prefab's torches.
        count: How many; by default as many as there is space for.
        ground: The terrain below each: what it is that shines.
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
"""The key that says what a pass does -> its shape."""


Pass = Annotated[Any, by_key(PASSES, "pass", "passes", "{patches: grass, cover: 15%}")]
Dressing = Annotated[tuple[Pass, ...], Field(max_length=MAX_PASSES)]
