"""The shapes of content files: one model per kind of entry. YAML becomes these once, at the edge."""

from __future__ import annotations

import re
from collections.abc import Mapping  # noqa: TC003  # pydantic reads it
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainValidator,
    WithJsonSchema,
    model_validator,
)
from pydantic_core import PydanticCustomError

from dungeon import terrain as t
from dungeon.content.selector import Selector, SelectorField
from dungeon.content.values import Constant, IntValue, Probability, within
from dungeon.grid.symmetry import Orientation
from dungeon.vocabulary import SPAWN_KINDS, Category, SpawnKind

MAX_MAP_SIDE = 4000
MAX_WEIGHT = 1_000_000
ORIENTATIONS = tuple(each.label for each in Orientation)
MAX_DEPTH = 1000
HEX_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")


def read_colour(raw: object) -> object:
    """Read ``#rrggbb`` or a list of three numbers."""
    if isinstance(raw, str):
        if not HEX_COLOUR.fullmatch(raw):
            raise ValueError(f"a colour is written #rrggbb, not {raw!r}")
        return tuple(bytes.fromhex(raw[1:]))
    return tuple(raw) if isinstance(raw, list) else raw


def read_glyph(raw: object) -> object:
    """Read a single character; a digit may stand without quotes."""
    text = str(raw) if isinstance(raw, int) and not isinstance(raw, bool) else raw
    if not isinstance(text, str) or len(text) != 1 or not text.isprintable():
        raise ValueError(f"one printable character is needed, not {raw!r}")
    return text


def as_list(raw: object) -> object:
    """Read a single thing as a list of one."""
    return raw if isinstance(raw, list | tuple) else [raw]


def read_span(raw: object) -> object:
    """Read ``2..5`` or ``3`` as a pair of bounds."""
    if isinstance(raw, int) and not isinstance(raw, bool):
        return raw, raw
    if isinstance(raw, str) and (match := re.fullmatch(r"\s*(\d{1,6})\s*\.\.\s*(\d{1,6})?\s*", raw)):
        low, high = int(match[1]), int(match[2] or MAX_DEPTH)
        if low > high:
            raise ValueError(f"the range {raw} ends below its start")
        return low, high
    if isinstance(raw, tuple):
        return raw
    raise ValueError(f"a whole number or a range such as 2..5 is needed, not {raw!r}")


def among(*words: str) -> tuple[AfterValidator, WithJsonSchema]:
    """Return the annotations that allow just these words."""

    def check(word: str) -> str:
        if word not in words:
            raise PydanticCustomError("among", "this name is not known", {"allowed": words})
        return word

    return AfterValidator(check), WithJsonSchema({"enum": list(words)})


Byte = Annotated[int, Field(ge=0, le=255, strict=True)]
Colour = Annotated[tuple[Byte, Byte, Byte], BeforeValidator(read_colour)]
Glyph = Annotated[str, BeforeValidator(read_glyph)]
Words = Annotated[tuple[str, ...], BeforeValidator(as_list)]
Span = Annotated[
    tuple[int, int],
    BeforeValidator(read_span),
    WithJsonSchema({"type": ["integer", "string"], "description": "3, 2..5 or 2.."}),
]
Level = Annotated[int, Field(ge=0, le=MAX_DEPTH, strict=True)]


def read_weight(raw: object) -> str | float:
    """Read a weight word or a number."""
    if isinstance(raw, str) and raw:
        return raw
    if isinstance(raw, int | float) and not isinstance(raw, bool) and 0 <= raw <= MAX_WEIGHT:
        return float(raw)
    raise ValueError(f"a weight is a word of weights.yaml or a number from 0 to {MAX_WEIGHT}, not {raw!r}")


Weight = Annotated[
    str | float,
    PlainValidator(read_weight),
    WithJsonSchema({"type": ["string", "number"], "description": "a word of weights.yaml, or a number"}),
]


@dataclass(frozen=True, slots=True)
class Algorithm:
    """A layout or placing mode that an author has chosen, with its parameters as written."""

    name: str
    params: Mapping[str, object]


def read_algorithm(raw: object) -> Algorithm:
    """Read ``tunnels`` or ``{tunnels: {rooms: 20}}``."""
    if isinstance(raw, Algorithm):
        return raw
    if isinstance(raw, str):
        return Algorithm(raw, {})
    if isinstance(raw, dict) and len(raw) == 1:
        ((name, params),) = raw.items()
        if params is None or isinstance(params, dict):
            return Algorithm(name, params or {})
    raise ValueError("a name is needed, or {name: {its parameters}}")


AlgorithmField = Annotated[
    Algorithm,
    PlainValidator(read_algorithm),
    WithJsonSchema({"type": ["string", "object"], "maxProperties": 1}),
]


class Entry(BaseModel):
    """Base of all entries: frozen, and a key that no one knows is a mistake."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True, validate_default=True)


class TerrainEntry(Entry):
    """A kind of terrain that the author adds, or another look for a built-in one."""

    like: Annotated[str, *among(*t.BASE_NAMES)] = "floor"
    glyph: Glyph | None = None
    fg: Colour | None = None
    bg: Colour | None = None
    walkable: bool | None = None
    transparent: bool | None = None
    diggable: bool | None = None


class ThemeEntry(Entry):
    """How terrain looks on a map: the name of what is drawn or dug -> the name of what it becomes.

    The names on the left are built-in ones, or the digits 0 to 9 of a text drawing.
    """

    terrain: dict[str, str] = {}

    @model_validator(mode="before")
    @classmethod
    def _bare(cls, raw: object) -> object:
        return {"terrain": raw}


class WeightsEntry(Entry):
    """What the words for weights are worth."""

    words: dict[str, Annotated[float, Field(ge=0, le=MAX_WEIGHT)]] = {}

    @model_validator(mode="before")
    @classmethod
    def _bare(cls, raw: object) -> object:
        return {"words": raw}


class PaletteEntry(Entry):
    """How the cells of a drawing are read as terrain.

    Attributes:
        glyphs: Character -> terrain.
        colours: ``#rrggbb`` -> terrain, for cells whose character says nothing.
        match: Whether a colour must be listed exactly, or the nearest listed one counts.
    """

    glyphs: dict[str, str] = {}
    colours: dict[str, str] = {}
    match: Literal["exact", "nearest"] | None = None


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

    name: str
    glyph: Glyph
    fg: Colour = (200, 200, 200)
    classes: Words = Field(default=(), alias="class")
    categories: Words = Field(default=(), alias="category")
    depth: Level = 0
    weight: Weight = 1.0
    blocks: bool | None = None
    opaque: bool = False
    light: Annotated[int, Field(ge=0, le=100)] = 0
    data: dict[str, Any] = {}


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

    terrain: str | None = None
    prop: SelectorField | None = None
    trap: SelectorField | None = None
    robot: SelectorField | None = None
    item: SelectorField | None = None
    debris: SelectorField | None = None
    chance: Probability = 1.0
    unique: bool = False
    shift: tuple[Annotated[int, Field(ge=0, le=50)], Annotated[int, Field(ge=0, le=50)]] = (0, 0)
    data: dict[str, Any] = {}

    @model_validator(mode="before")
    @classmethod
    def _bare_word_is_terrain(cls, raw: object) -> object:
        return {"terrain": raw} if isinstance(raw, str) else raw

    @model_validator(mode="after")
    def _one_object_at_most(self) -> Self:
        kinds = [kind for kind in SPAWN_KINDS if getattr(self, kind) is not None]
        if len(kinds) > 1:
            raise ValueError(f"a character stands for one object, not for {' and '.join(kinds)}")
        if not kinds and self.terrain is None:
            raise ValueError("a character stands for terrain or for an object; this says neither")
        return self

    @property
    def kind(self) -> SpawnKind | None:
        """Which kind of object it is, if any."""
        return next((kind for kind in SPAWN_KINDS if getattr(self, kind) is not None), None)

    @property
    def selector(self) -> Selector | None:
        """Which object it is, if any."""
        return getattr(self, self.kind) if self.kind else None


Legend = dict[Glyph, SymbolEntry]


class LegendFile(Entry):
    """A legend that several prefabs share."""

    legend: Legend


class PrefabEntry(Entry):
    """A drawing and what stands in it.

    Attributes:
        map: The terrain as text, a character a cell; none for the .xp drawing of the same name.
        links: Layer 2 as text, same size as `map`; likewise `machines` (3) and `references` (4).
        legend: Meaning of characters; overrides the shared legends.
        legends: Names of shared legends, later ones overriding earlier ones.
        palette: Overrides of ``palette.yaml``.
        machine: The tag of the prop that drawn machines are; generic by default.
        orientations: The ways it may lie.
        tags: Names under which it can be asked for.
    """

    map: str | None = None
    links: str | None = None
    machines: str | None = None
    references: str | None = None
    legend: Legend = {}
    legends: Words = ()
    palette: PaletteEntry = PaletteEntry()
    machine: str | None = None
    orientations: Annotated[
        tuple[Annotated[str, *among(*ORIENTATIONS)], ...], BeforeValidator(as_list), Field(min_length=1)
    ] = ORIENTATIONS
    tags: Words = ()


class Limit(Entry):
    """How many copies of an encounter there may be; None for any number."""

    map: Annotated[int, Field(ge=1, strict=True)] | None = None
    world: Annotated[int, Field(ge=1, strict=True)] | None = None


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
    prefabs: Annotated[Words, Field(min_length=1)]
    placing: AlgorithmField = Algorithm("enclosed", {})
    maps: dict[str, Weight]
    depth: Span = (0, MAX_DEPTH)
    limit: Limit = Limit()
    group: Words = ()
    access: Span | None = None


class PopulationEntry(SymbolEntry):
    """Objects strewn over a map outside of encounters: what a legend says, and how many."""

    count: Annotated[IntValue, within(0, 10_000)] = Constant(1)


class Size(Entry):
    """The size of a map in cells; rolled per level."""

    width: Annotated[IntValue, within(9, MAX_MAP_SIDE)] = Constant(100)
    height: Annotated[IntValue, within(9, MAX_MAP_SIDE)] = Constant(60)

    @model_validator(mode="before")
    @classmethod
    def _width_x_height(cls, raw: object) -> object:
        if isinstance(raw, str):
            match = re.fullmatch(r"\s*(\d{1,6})\s*x\s*(\d{1,6})\s*", raw)
            if not match:
                raise ValueError(f"a size is written 100x60 (columns x rows), not {raw!r}")
            return {"width": int(match[1]), "height": int(match[2])}
        return raw


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

    name: str
    size: Size = Size()
    layout: AlgorithmField = Algorithm("tunnels", {})
    theme: str | None = None
    encounters: Annotated[IntValue, within(0, 10_000)] = Constant(0)
    population: tuple[PopulationEntry, ...] = ()


class WorldEntry(Entry):
    """Which maps there are at which depth, and where they lead.

    Attributes:
        name: What the player reads.
        start: The id of the first map: ``name/depth``.
        leads_to: Map id -> the ids of the maps that its exits lead to.
    """

    name: str = "World"
    start: str
    leads_to: dict[str, Words] = {}
