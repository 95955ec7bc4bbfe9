"""The shapes of content files: one model per kind of entry. YAML becomes these once, at the edge."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, Self

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, RootModel, model_validator

from dungeon import terrain as t
from dungeon.content.catalog.legends import MAX_CHARACTERS, Legend
from dungeon.content.catalog.selector import Selector, selector_of
from dungeon.content.catalog.symbols import Loadout
from dungeon.content.drawing.planes import MAX_PAINTS
from dungeon.content.models.dressing import Dressing
from dungeon.content.models.features import Features, Variants, faults_of_names
from dungeon.content.models.layouts import LayoutField, MapDrops
from dungeon.content.models.locks import LockName, MapLocks
from dungeon.content.models.population import MapPopulationEntry
from dungeon.content.prefab.prefab import MAX_PROTRUSION
from dungeon.content.prefab.variation import Steps
from dungeon.content.source.faults import UNSAID, Fault, MisreadError, misread
from dungeon.content.source.names import MAX_LISTED, NewName
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
    Amount,
    CategoryName,
    Depths,
    Flag,
    Free,
    Given,
    LegendNames,
    Level,
    Line,
    NewNames,
    Paintable,
    PaletteNames,
    Protrusion,
    Radius,
    Share,
    TerrainName,
    Text,
    ThemeName,
    among,
    several_of,
    span,
)
from dungeon.content.values.grammar import Constant, DepthNumber, NumberByDepth, Value, number_at
from dungeon.content.values.looks import Colour, ColourKey, Glyph, Meant
from dungeon.content.values.prefab_words import PrefabsByWeight
from dungeon.content.values.value_fields import IntValue, Probability, Rolled, WordValue, one_of, within
from dungeon.core.frozen import nothing
from dungeon.core.parameters import Entry
from dungeon.core.registry import LAYOUTS
from dungeon.grid.symmetry import Orientation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pydantic import GetJsonSchemaHandler
    from pydantic_core import CoreSchema

    from dungeon.content.models.features import FeatureEntry

LEAST_MAP_SIDE, MAX_MAP_SIDE = 9, 4000
SIZE = re.compile(r"\s*([0-9]{1,6})\s*x\s*([0-9]{1,6})\s*")
SPELLING = "a size is written 100x60 (columns x rows), or {width: ..., height: ...}"
BY_DEPTH = "a size by depth is written {by_depth: {1: 60x40, 5: 100x60}}, with or without stepped: true"

Side = Annotated[DepthNumber, *number_here(LEAST_MAP_SIDE, MAX_MAP_SIDE)]


class Size(Entry):
    """The size of a map in cells; rolled per level.

    Attributes:
        width: How many columns it has, at any depth or by depth.
        height: How many rows, at any depth or by depth.
    """

    short_form: ClassVar = {"type": "string", "pattern": f"^{SIZE.pattern}$"}

    width: Side = Constant(100)
    height: Side = Constant(60)

    @model_validator(mode="before")
    @classmethod
    def _width_x_height(cls, raw: object) -> object:
        if isinstance(raw, dict | Size):
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


class _ByDepth(BeforeValidator):
    """The annotation that lets a size depend on the depth."""

    def __get_pydantic_json_schema__(
        self, core: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, object]:
        one: dict[str, object] = {"type": "string", "pattern": f"^{SIZE.pattern}$"}
        described = "by depth: {by_depth: {1: 60x40, 5: 100x60}}, evenly between these depths or stepped"
        return {"anyOf": [handler(core), points_schema(one, described)]}


SizeHere = Annotated[Size, _ByDepth(_by_depth)]
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


MAX_COLOURS = 100
MOST_ENCOUNTERS = 10_000
ORIENTATIONS = tuple(each.label for each in Orientation)


class TerrainEntry(Entry):
    """A kind of terrain that the author adds, or another look for a built-in one.

    Attributes:
        like: The built-in terrain that it is to everything that digs, places and walks; what is not said is as with that.
        glyph: The character that shows it.
        fg: The colour of the glyph.
        bg: The colour behind it.
        walkable: Whether a walker can enter it.
        transparent: Whether sight passes.
        diggable: Whether ways may be dug through it: layouts and placing dig through earth and walls that do not deny it.
    """

    like: Annotated[str, *among(*t.BASE_NAMES)] = "floor"
    glyph: Given[Glyph] = None
    fg: Given[Colour] = None
    bg: Given[Colour] = None
    walkable: Given[Flag] = None
    transparent: Given[Flag] = None
    diggable: Given[Flag] = None


class ThemeEntry(RootModel[Annotated[dict[Paintable, TerrainName], Field(max_length=MAX_LISTED)]]):
    """How terrain looks on a map: the name of what is drawn or dug -> the name of what it becomes.

    The names on the left are built-in ones, `junction` and `hall` among them, or the digits 0 to 9 of a text drawing.
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
        extends: Other palettes, of the folder ``palettes``, that it adds to and overrides.
    """

    extends: PaletteNames = ()
    glyphs: dict[Glyph, TerrainName] = Field(default_factory=nothing, max_length=MAX_CHARACTERS)
    colours: dict[ColourKey, TerrainName] = Field(default_factory=nothing, max_length=MAX_COLOURS)
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


NO_PALETTE = PaletteEntry()
"""What most prefabs have."""


class ThingEntry(Entry):
    """An object of a catalog: prop, trap, robot, item or debris.

    Attributes:
        name: What the player reads.
        glyph: The character that shows it.
        fg: The colour of the glyph.
        like: The object of its kind from which it has all that it does not say itself, but for the name and the glyph.
        classes: The classes it belongs to, for references that ask for a class.
        categories: The categories it belongs to, broader than classes, for references that ask for a category.
        depth: Its rating: the depth from which on it fits.
        weight: How often it is chosen among its like, at any depth or by depth.
        blocks: Whether it stops walkers; by default props and robots do.
        opaque: Whether it stops sight.
        light: The radius it lights, 0 for none.
        prototype: Whether an item or trap is a prototype, which only references that ask for one get.
        faulty: How often a prototype is a faulty one.
        carries: The items that a robot would carry, for references that ask for those.
        loadout: The items that a robot holds, and leaves behind when it is gone; or a prop, for whoever opens it.
        threat: How much a robot or trap adds to the danger of a map, for budgets.
        worth: How much an item adds to what there is to be had on a map, for budgets.
        state: The state that it is in, unless whoever asks for it says another one; what has the weight 0 is a state that it
            is in only where that is asked for.
        roll: Free keywords in the value grammar, rolled for each object.
        data: Free keywords; they reach the game as they are written, lists as tuples.
    """

    name: Line
    glyph: Glyph
    like: Given[NewName] = None
    fg: Colour = (200, 200, 200)
    classes: NewNames = Field(default=(), alias="class")
    categories: NewNames = Field(default=(), alias="category")
    depth: Level = 0
    weight: WeightHere = 1.0
    blocks: Given[Flag] = None
    opaque: Flag = False
    light: Radius = 0
    prototype: Flag = False
    faulty: Probability = 0.0
    carries: Given[Annotated[Selector, *selector_of("item")]] = None
    loadout: Loadout = ()
    threat: Amount = 0.0
    worth: Amount = 0.0
    state: Given[WordValue] = None
    roll: Rolled = Field(default_factory=nothing)
    data: Free = Field(default_factory=nothing)


def _space_is_itself(aliases: dict[str, str]) -> dict[str, str]:
    if " " in aliases:
        raise misread("a space is an empty cell, and can't stand for anything else", UNSAID, " ", key=True)
    return aliases


Aliases = Annotated[dict[Glyph, Meant], Field(max_length=MAX_CHARACTERS), AfterValidator(_space_is_itself)]


class PrefabEntry(Entry):
    """A drawing and what stands in it.

    Attributes:
        like: The prefab from which it has all that it does not say itself, but for the drawing if it has one of its own.
        map: The terrain as text, a character a cell; none for the .xp drawing of the same name.
        links: Layer 2 as text: how the drawing is joined to the rest of the map, cells over those of `map`. A space is
            an empty cell, and what is not drawn is empty. A text whose first row begins with spaces begins with
            ``|2``, or YAML would take them for indentation.
        machines: Layer 3 as text, cells over those of `map`: props over several cells, shown as they are drawn.
        references: Layer 4 as text, cells over those of `map`: characters where objects stand, which legends explain.
        paint: The colours of machines drawn as text: characters over theirs, which `paints` explains.
        paints: Character of `paint` -> colour.
        aliases: Character that is drawn -> the character that is meant, for characters that an .xp file or a text
            can't hold; ``""`` for a cell that leaves the map as it is.
        legend: Meaning of characters; overrides the shared legends.
        legends: Names of shared legends, later ones overriding earlier ones.
        palette: Overrides of ``palette.yaml``.
        parameters: What is decided once for all of the drawing: its name -> what it may be. Symbols and steps ask
            for it by `switch`.
        vary: What is done to the drawing's characters each time the prefab is used, step by step in this order.
        machine: Which prop drawn machines are, unless a reference over them says; generic by default.
        orientations: The ways it may lie: turned by 0, 90, 180 or 270 degrees (`r0`...), mirrored before that (`m0`...).
        tags: Names under which it can be asked for, other than those of prefabs.
        max_protrusion: How many cells it may stand out into a cave when it is embedded in its wall.
    """

    NOT_HERE: ClassVar = {
        "extends": "what a prefab has from another is said by 'like'",
        "abstract": "a prefab without a drawing is there only for others to be like it",
    }

    like: Given[NewName] = None
    map: Given[Text] = None
    links: Given[Text] = None
    machines: Given[Text] = None
    references: Given[Text] = None
    paint: Given[Text] = None
    paints: Annotated[dict[Glyph, Colour], Field(max_length=MAX_PAINTS)] = Field(default_factory=nothing)
    aliases: Aliases = Field(default_factory=nothing)
    legend: Legend = Field(default_factory=nothing)
    legends: LegendNames = ()
    palette: PaletteEntry = Field(default_factory=lambda: NO_PALETTE)
    parameters: Annotated[dict[NewName, WordValue], Field(max_length=MAX_LISTED)] = Field(
        default_factory=nothing
    )
    vary: Steps = ()
    machine: Given[Annotated[Selector, *selector_of("prop")]] = None
    orientations: Annotated[tuple[str, ...], *several_of(*ORIENTATIONS)] = ORIENTATIONS
    tags: NewNames = ()
    max_protrusion: Protrusion = MAX_PROTRUSION


class Budget(Entry):
    """How much the encounters of a map may bring, as it is to be expected; any amount where it is not said.

    Attributes:
        threat: The sum of the `threat` of robots and traps.
        worth: The sum of the `worth` of items.
    """

    threat: Given[AmountHere] = None
    worth: Given[AmountHere] = None


class MapEntry(Entry):
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
    size: SizeHere = Size()
    layout: LayoutField = Field(default="tunnels", validate_default=True)
    way: Probability = 0.6
    theme: Given[ThemeName] = None
    encounters: MapCount = Constant(0)
    mix: Annotated[
        dict[CategoryName, Annotated[tuple[int, int], *span(0, MOST_ENCOUNTERS)]],
        Field(max_length=MAX_LISTED),
    ] = Field(default_factory=nothing)
    budget: Budget = Budget()
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

    @model_validator(mode="after")
    def _mix_fits(self) -> Self:
        least, most = sum(low for low, _ in self.mix.values()), max(self.encounters.outcomes())
        if least > most:
            raise misread(
                f"these are {least} encounters at least, and the map gets {most} at most", UNSAID, "mix"
            )
        return self

    @model_validator(mode="after")
    def _features_make_sense(self) -> Self:
        faults = list(faults_of_names(self.features, self.variants))
        if LAYOUTS[self.layout.name].draws_all:
            message = f"the layout {self.layout.name} draws the whole map, which can't have this"
            faults += [
                Fault(message=message, path=(key,), value=key, key=True)
                for key in ("features", "variants", "dressing")
                if key in self.model_fields_set
            ]
        if faults:
            raise MisreadError(faults)
        return self
