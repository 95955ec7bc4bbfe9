"""The shapes of content files: one model per kind of entry. YAML becomes these once, at the edge."""

from __future__ import annotations

import re
from functools import cached_property
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, RootModel, model_validator

from dungeon import terrain as t
from dungeon.content.faults import UNSAID, Fault, MisreadError, misread
from dungeon.content.fields import (
    DEEPEST,
    Colour,
    ColourKey,
    Count,
    Depths,
    Doors,
    Flag,
    Free,
    Given,
    Glyph,
    LayoutField,
    LegendNames,
    Level,
    Line,
    MapId,
    MapIds,
    MapName,
    NewNames,
    Paintable,
    PlacingField,
    PrefabsOrTags,
    PropName,
    Radius,
    Share,
    Shift,
    TerrainName,
    Text,
    ThemeName,
    Weight,
    among,
    read_one_of,
    several,
)
from dungeon.content.names import MAX_LISTED, NewName
from dungeon.content.selector import Selector, selector_of
from dungeon.content.values import Constant, IntValue, Probability, within
from dungeon.grid.symmetry import Orientation
from dungeon.vocabulary import SPAWN_KINDS, Category, SpawnKind

MAX_DEPTH = DEEPEST
MAX_MAP_SIDE = 4000
MAX_COLOURS = 100
MAX_CHARACTERS = 500
MAX_MAPS = 2000
ORIENTATIONS = tuple(each.label for each in Orientation)
SIZE = re.compile(r"\s*([0-9]{1,6})\s*x\s*([0-9]{1,6})\s*")


class Entry(BaseModel):
    """Base of all entries: frozen, and a key that no one knows is a mistake."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class TerrainEntry(Entry):
    """A kind of terrain that the author adds, or another look for a built-in one."""

    like: Annotated[str, *among(*t.BASE_NAMES)] = "floor"
    glyph: Given[Glyph] = None
    fg: Given[Colour] = None
    bg: Given[Colour] = None
    walkable: Given[Flag] = None
    transparent: Given[Flag] = None
    diggable: Given[Flag] = None


class ThemeEntry(RootModel[Annotated[dict[Paintable, TerrainName], Field(max_length=MAX_LISTED)]]):
    """How terrain looks on a map: the name of what is drawn or dug -> the name of what it becomes.

    The names on the left are built-in ones, or the digits 0 to 9 of a text drawing.
    """

    model_config = ConfigDict(frozen=True)


class WeightsEntry(RootModel[Annotated[dict[NewName, Share], Field(max_length=MAX_LISTED)]]):
    """What the words for weights are worth."""

    model_config = ConfigDict(frozen=True)


class PaletteEntry(Entry):
    """How the cells of a drawing are read as terrain.

    Attributes:
        glyphs: Character -> terrain.
        colours: ``#rrggbb`` -> terrain; the colour of a cell tells more than its character.
        match: Whether a colour must be listed exactly, or the nearest listed one counts where neither the
            colour nor the character is listed.
    """

    glyphs: dict[Glyph, TerrainName] = Field(default_factory=dict, max_length=MAX_CHARACTERS)
    colours: dict[ColourKey, TerrainName] = Field(default_factory=dict, max_length=MAX_COLOURS)
    match: Given[Literal["exact", "nearest"]] = None

    @model_validator(mode="after")
    def _each_colour_once(self) -> Self:
        seen: dict[str, str] = {}
        for colour in self.colours:
            first = seen.setdefault(colour.lower(), colour)
            if first != colour:
                raise misread(
                    f"this colour stands here twice, also as {first}", colour, "colours", colour, key=True
                )
        return self


class ThingEntry(Entry):
    """An object of a catalog: prop, trap, robot, item or debris.

    Attributes:
        classes: The classes it belongs to, for references that ask for a class.
        categories: Likewise, the broader categories.
        depth: Its rating: the depth from which on it fits.
        weight: How often it is chosen among its like.
        blocks: Whether it stops walkers; by default props and robots do.
        opaque: Whether it stops sight.
        light: The radius it lights, 0 for none.
        data: Whatever the game needs to know; it reaches the spawn untouched.
    """

    name: Line
    glyph: Glyph
    fg: Colour = (200, 200, 200)
    classes: NewNames = Field(default=(), alias="class")
    categories: NewNames = Field(default=(), alias="category")
    depth: Level = 0
    weight: Weight = 1.0
    blocks: Given[Flag] = None
    opaque: Flag = False
    light: Radius = 0
    data: Free = Field(default_factory=dict)


class SymbolEntry(Entry):
    """What one character of a drawing stands for: terrain, an object, or an object on terrain.

    Attributes:
        terrain: The terrain of the cell; `floor` where only an object is named.
        prop: Which prop stands there; likewise `trap`, `robot`, `item`, `debris`. At most one of them.
        chance: How likely it is there at all.
        unique: Whether neighbours with the same character choose for themselves.
        shift: How far it may stand from where it is drawn: (columns, rows) either way.
        data: Whatever the game needs to know of this one.
    """

    terrain: Given[TerrainName] = None
    prop: Given[Annotated[Selector, *selector_of("prop")]] = None
    trap: Given[Annotated[Selector, *selector_of("trap")]] = None
    robot: Given[Annotated[Selector, *selector_of("robot")]] = None
    item: Given[Annotated[Selector, *selector_of("item")]] = None
    debris: Given[Annotated[Selector, *selector_of("debris")]] = None
    chance: Probability = 1.0
    unique: Flag = False
    shift: Shift = (0, 0)
    data: Free = Field(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _bare_word_is_terrain(cls, raw: object) -> object:
        return {"terrain": raw} if isinstance(raw, str) else raw

    @model_validator(mode="after")
    def _makes_sense(self) -> Self:
        if self.kind is None:
            if self.terrain is None:
                raise misread(f"an object ({', '.join(SPAWN_KINDS)}) or terrain is needed here")
            self._refuse("chance", "unique", "shift", "data", message="only an object can have this")
        self._one_object_at_most()
        return self

    def _one_object_at_most(self) -> None:
        kinds = [kind for kind in SPAWN_KINDS if getattr(self, kind) is not None]
        if len(kinds) > 1:
            self._refuse(*kinds[1:], message=f"one object at most can be named, and {kinds[0]} is")

    def _refuse(self, *keys: str, message: str) -> None:
        given = [key for key in keys if key in self.model_fields_set]
        if given:
            raise MisreadError(Fault(message=message, path=(key,), value=key, key=True) for key in given)

    @cached_property
    def kind(self) -> SpawnKind | None:
        """Which kind of object it is, if any."""
        return next((kind for kind in SPAWN_KINDS if getattr(self, kind) is not None), None)

    @property
    def selector(self) -> Selector | None:
        """Which object it is, if any."""
        return getattr(self, self.kind) if self.kind else None


def _space_is_empty(legend: dict[str, SymbolEntry]) -> dict[str, SymbolEntry]:
    if " " in legend and legend[" "].kind is not None:
        raise misread("a space is an empty cell; only terrain can be there", UNSAID, " ", key=True)
    return legend


Legend = Annotated[
    dict[Glyph, SymbolEntry], Field(max_length=MAX_CHARACTERS), AfterValidator(_space_is_empty)
]


class LegendEntry(RootModel[Legend]):
    """A legend that several prefabs share."""

    model_config = ConfigDict(frozen=True)


class PrefabEntry(Entry):
    """A drawing and what stands in it.

    Attributes:
        map: The terrain as text, a character a cell; none for the .xp drawing of the same name.
        links: Layer 2 as text, cells over those of `map`; likewise `machines` (3) and `references` (4). A space is
            an empty cell, and what is not drawn is empty. A text whose first row begins with spaces begins with
            ``|2``, or YAML would take them for indentation.
        legend: Meaning of characters; overrides the shared legends.
        legends: Names of shared legends, later ones overriding earlier ones.
        palette: Overrides of ``palette.yaml``.
        machine: The tag of the prop that drawn machines are; generic by default.
        orientations: The ways it may lie.
        tags: Names under which it can be asked for, other than those of prefabs.
    """

    map: Given[Text] = None
    links: Given[Text] = None
    machines: Given[Text] = None
    references: Given[Text] = None
    legend: Legend = Field(default_factory=dict)
    legends: LegendNames = ()
    palette: PaletteEntry = PaletteEntry()
    machine: Given[PropName] = None
    orientations: Annotated[tuple[str, ...], *several(read_one_of(*ORIENTATIONS), least=1)] = ORIENTATIONS
    tags: NewNames = ()


class Limit(Entry):
    """How many copies of an encounter there may be; None for any number."""

    map: Given[Count] = None
    world: Given[Count] = None


class EncounterEntry(Entry):
    """Content worth meeting.

    Attributes:
        category: fluff, risk, danger or reward.
        prefabs: The prefabs it may take, each as likely as any other that fits.
        placing: The placing mode: a name, or `{name: {its parameters}}`.
        maps: Map -> how common it is there, as a weight word or a number.
        depth: The depths at which it may appear.
        limit: How many copies a map, and the world, may have.
        group: Exclusivity groups: no two encounters of a group share a map.
        access: How many doors the room may have.
    """

    category: Category
    prefabs: PrefabsOrTags
    placing: PlacingField = Field(default="enclosed", validate_default=True)
    maps: Annotated[dict[MapName, Weight], Field(min_length=1, max_length=MAX_LISTED)]
    depth: Depths = (0, MAX_DEPTH)
    limit: Limit = Limit()
    group: NewNames = ()
    access: Given[Doors] = None


class PopulationEntry(SymbolEntry):
    """Objects strewn over a map outside of encounters: what a legend says of an object, and how many."""

    count: Annotated[IntValue, within(0, 10_000)] = Constant(1)

    @model_validator(mode="before")
    @classmethod
    def _bare_word_is_terrain(cls, raw: object) -> object:
        if isinstance(raw, str):
            raise misread("a mapping such as {robot: sweeper, count: 2..5} is needed here", raw)
        return raw

    @model_validator(mode="after")
    def _makes_sense(self) -> Self:
        if self.kind is None:
            raise misread(f"an object is needed here: {', '.join(SPAWN_KINDS)}")
        self._refuse("terrain", "unique", "shift", message="objects strewn over a map can't have this")
        self._one_object_at_most()
        return self


class Size(Entry):
    """The size of a map in cells; rolled per level."""

    width: Annotated[IntValue, within(9, MAX_MAP_SIDE)] = Constant(100)
    height: Annotated[IntValue, within(9, MAX_MAP_SIDE)] = Constant(60)

    @model_validator(mode="before")
    @classmethod
    def _width_x_height(cls, raw: object) -> object:
        if isinstance(raw, dict | Size):
            return raw
        if isinstance(raw, str) and (match := SIZE.fullmatch(raw)):
            return {"width": int(match[1]), "height": int(match[2])}
        raise misread("a size is written 100x60 (columns x rows), or {width: ..., height: ...}", raw)


class MapEntry(Entry):
    """A type of map.

    Attributes:
        name: What the player reads.
        size: Columns and rows; a layout that brings its own size ignores it.
        layout: A layout's name, or `{name: {its parameters}}`.
        theme: How its terrain looks.
        encounters: How many encounters it gets.
        population: What is strewn over it besides.
    """

    name: Line
    size: Size = Size()
    layout: LayoutField = Field(default="tunnels", validate_default=True)
    theme: Given[ThemeName] = None
    encounters: Annotated[IntValue, within(0, 10_000)] = Constant(0)
    population: Annotated[tuple[PopulationEntry, ...], Field(max_length=MAX_LISTED)] = ()


class WorldEntry(Entry):
    """Which maps there are at which depth, and where they lead.

    Attributes:
        name: What the player reads.
        start: The id of the first map: ``name/depth``.
        leads_to: Map id -> the ids of the maps that its exits lead to.
    """

    name: Line = "World"
    start: MapId
    leads_to: dict[MapId, MapIds] = Field(default_factory=dict, max_length=MAX_MAPS)
