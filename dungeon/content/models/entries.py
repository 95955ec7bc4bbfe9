"""The models of terrain, themes, weights, palettes, objects and prefabs, and the rules that compare such entries.

A *reference* is a character of a drawing, or a key elsewhere, by which an author asks for an object. A *symbol* is the meaning of a
character. A *record* is an entry as written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from pydantic import AfterValidator, ConfigDict, Field, RootModel, ValidationInfo

from dungeon import terrain as t
from dungeon.content.catalog.requests import Loadout
from dungeon.content.catalog.scattered import Followers
from dungeon.content.catalog.selector import Selector, selector_of
from dungeon.content.catalog.symbols import MAX_CHARACTERS, Legend, LegendEntry, SymbolEntry
from dungeon.content.drawing.layer_roles import LayerRoles, ReferenceTexts
from dungeon.content.drawing.planes import (
    MAX_PAINTS,
)
from dungeon.content.models.features import VariantName
from dungeon.content.models.rules import Entries, find_circles
from dungeon.content.prefab.prefab import MAX_PROTRUSION
from dungeon.content.prefab.variation import Steps
from dungeon.content.source.names import MAX_LISTED, NameList, NewName, reader_of, words_of
from dungeon.content.source.problems import NO_VALUE, CheckedEntry, ValueProblem, misread
from dungeon.content.values.by_depth import WeightHere
from dungeon.content.values.fields import (
    DEEPEST,
    Amount,
    Depths,
    Flag,
    Free,
    Given,
    LegendNames,
    Level,
    Line,
    MapName,
    NewNames,
    Paintable,
    PaletteNames,
    Protrusion,
    Radius,
    Share,
    TerrainName,
    Text,
    Weight,
    among,
    several,
    several_of,
)
from dungeon.content.values.looks import Colour, ColourKey, Glyph, Meant
from dungeon.content.values.value_fields import Probability, Rolled, WordValue
from dungeon.core.frozen import nothing
from dungeon.core.kinds import BUILT_IN
from dungeon.core.parameters import Entry
from dungeon.core.registry import LAYOUTS
from dungeon.grid.symmetry import Orientation

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from dungeon.content.source.files import Record

MAX_COLOURS = 100
"""Maximum number of colours in a palette."""
ORIENTATIONS = tuple(each.label for each in Orientation)


class TerrainEntry(Entry):
    """A kind of terrain that the author adds, or a new look for a built-in one.

    Attributes:
        like: The built-in terrain as which this kind counts for digging, placing and walking. Keys that are left out here
            have the values of that terrain.
        glyph: The character that shows it.
        fg: The colour of the glyph.
        bg: The colour behind it.
        walkable: Whether a walker can enter it.
        transparent: Whether one can see through it.
        diggable: Whether layouts and placing may dig through it. By default they may dig through what is like
            earth or wall.
    """

    like: Annotated[str, *among(*t.BASE_NAMES)] = "floor"
    glyph: Given[Glyph] = None
    fg: Given[Colour] = None
    bg: Given[Colour] = None
    walkable: Given[Flag] = None
    transparent: Given[Flag] = None
    diggable: Given[Flag] = None


class ThemeEntry(RootModel[Annotated[dict[Paintable, TerrainName], Field(max_length=MAX_LISTED)]]):
    """How terrain looks on a map: terrain as drawn or dug -> the terrain that it is painted as.

    The key is the name of a built-in terrain, such as `wall`, `junction` or `hall`, or a digit 0 to 9, which stands for the cells
    with that digit in text drawings. The value is the name of any terrain.
    """

    model_config = ConfigDict(frozen=True)


class WeightsEntry(RootModel[Annotated[dict[NewName, Share], Field(max_length=MAX_LISTED)]]):
    """The weight words: word, such as `rare` -> number."""

    model_config = ConfigDict(frozen=True)


class PaletteEntry(CheckedEntry):
    """How the cells of a drawing are read as terrain.

    Attributes:
        glyphs: Character -> terrain.
        colours: ``#rrggbb`` -> terrain. The colour of a cell counts before its character.
        match: `exact`: only listed colours count. `nearest`: if neither its colour nor its character is
            listed, a cell is read by the nearest listed colour.
        extends: Other palettes, of the folder ``palettes``. Their characters and colours have the same meaning in this
            palette, unless it lists them itself.
        layers: The contents of each layer of an .xp drawing, the lowest layer first: `terrain`, `links`, `machines`,
            `references`, `ignore`, or the plural of a kind, such as `items`, for references to this kind alone. A later
            layer of terrain, links or machines lies over the earlier ones. A drawing may have fewer layers. Without this
            key: terrain, links, machines, references.
    """

    extends: PaletteNames = ()
    glyphs: dict[Glyph, TerrainName] = Field(default_factory=nothing, max_length=MAX_CHARACTERS)
    colours: dict[ColourKey, TerrainName] = Field(default_factory=nothing, max_length=MAX_COLOURS)
    match: Given[Literal["exact", "nearest"]] = None
    layers: Given[LayerRoles] = None

    def problems(self) -> Iterator[ValueProblem]:
        """Yield the problems that show when the keys of this entry are compared with each other."""
        seen: dict[str, str] = {}
        for colour in self.colours:
            first = seen.setdefault(colour.lower(), colour)
            if first != colour:
                message = f"this colour stands here twice, also as {first}"
                yield ValueProblem(message=message, path=("colours", colour), value=colour, key=True)


NO_PALETTE = PaletteEntry()
"""The palette of most prefabs."""


class ThingEntry(Entry):
    """An object of a catalog: prop, trap, robot, item or debris.

    Attributes:
        name: The name that the player reads.
        glyph: The character that shows it.
        fg: The colour of the glyph.
        like: Another object of its kind; it provides all keys that are not written here, except `name` and
            `glyph`.
        classes: The classes to which the object belongs, for references that ask for a class.
        categories: The categories to which the object belongs (broader than classes), for references that ask for a
            category.
        depth: The rating of the object: the depth from which on it is used.
        weight: How often the object is chosen among the objects of its class or category, at any depth or by depth.
        blocks: Whether the object blocks walkers; by default props and robots do.
        opaque: Whether the object blocks sight.
        light: The radius that the object lights, in cells; 0 for none.
        prototype: Whether the item or trap is a prototype, which only references with `prototype` get.
        faulty: How often a prototype is a faulty one.
        carries: The items that the robot would carry, for references with `equipped_by`.
        loadout: The items that a robot holds and drops when it dies, or that a prop holds for the player who
            opens it.
        band: Robots that follow the robot, wherever it is asked for without `followers`.
        threat: How much the robot or trap adds to the danger of a map, for budgets.
        worth: How much the item adds to the treasure of a map, for budgets.
        state: The state of the object, unless the reference to it names another one. A state with weight 0 is used only
            by such a reference.
        roll: Free keywords in the value grammar, rolled for each object.
        data: Free keywords, passed to the game as they are written; lists become tuples.
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
    band: Followers = ()
    threat: Amount = 0.0
    worth: Amount = 0.0
    state: Given[WordValue] = None
    roll: Rolled = Field(default_factory=nothing)
    data: Free = Field(default_factory=nothing)


def _space_is_itself(aliases: dict[str, str]) -> dict[str, str]:
    if " " in aliases:
        raise misread("a space is an empty cell, and can't stand for anything else", NO_VALUE, " ", key=True)
    return aliases


Aliases = Annotated[dict[Glyph, Meant], Field(max_length=MAX_CHARACTERS), AfterValidator(_space_is_itself)]


def _read_layout_name(raw: object, _: ValidationInfo) -> str:
    """Read the name of a registered layout."""
    if not isinstance(raw, str) or raw not in LAYOUTS:
        raise misread("no layout of this name is registered", raw, allowed=NameList(LAYOUTS, is_open=True))
    return raw


class PrefabConditions(Entry):
    """Where a prefab may be used; it must meet all of these conditions.

    Attributes:
        depth: The depths of the maps.
        maps: The types of the maps; by default all.
        layouts: The layouts of the maps; by default all.
    """

    depth: Depths = (0, DEEPEST)
    maps: Annotated[tuple[MapName, ...], *several(reader_of("map"))] = ()
    layouts: Annotated[tuple[str, ...], *several(_read_layout_name)] = ()

    def hold_on(self, map_name: str, depth: int, layout: str) -> bool:
        """Tell whether the prefab may be used on a map of this type, at this depth, with this layout."""
        low, high = self.depth
        return (
            low <= depth <= high
            and (not self.maps or map_name in self.maps)
            and (not self.layouts or layout in self.layouts)
        )


class DrawnEntry(Entry):
    """A drawing, and the objects in it; each variant of a prefab may have these keys, too.

    Attributes:
        map: The terrain as text, one character per cell; not used with an .xp drawing of the prefab's name.
        links: Layer 2 as text: where the drawing is joined to the rest of the map. Its cells lie over those
            of `map`; a space is an empty cell, and missing cells are empty. If the first row begins with
            spaces, begin the text with ``|2``, or YAML takes them for indentation.
        machines: Layer 3 as text, over the cells of `map`: props over several cells, shown as they are drawn.
        references: Layer 4 as text, over the cells of `map`: characters for objects, explained by legends; or a
            list of such texts, for several objects in a cell.
        paint: The colours of machines drawn as text: a character over each machine cell, explained by
            `paints`.
        paints: Character of `paint` -> colour.
        aliases: Drawn character -> the character it stands for, if an .xp file or a text can't hold that one;
            ``""`` for a cell that leaves the map unchanged.
        legend: Character -> its meaning; overrides the shared legends.
        legends: Names of shared legends; later ones override earlier ones.
        palette: Overrides of ``palette.yaml``.
        layers: What each layer of its .xp drawing holds, in place of `layers` in palettes.
        parameters: Parameter -> its value, rolled once for the whole drawing. Symbols and steps use it by
            `switch`.
        vary: Changes to the drawing's characters each time the prefab is used, one step after the other.
        machine: The prop that drawn machines are, unless a reference over them names one; generic by default.
        orientations: The permitted orientations: turned by 0, 90, 180 or 270 degrees (`r0`...), or mirrored
            first (`m0`...).
        max_protrusion: How many cells the prefab may stand out into a cave when it is embedded in the cave's wall.
        sealed: Whether the parts of the drawing that nothing leads to from outside stay closed on purpose, islands in water
            and what objects shut off among them. No level digs into them, and nothing in them counts as reachable. If
            false, a corridor is dug to such a part.
        only: Where it may be used. Where it may not, it is as if its name and tags did not name it. Not asked of
            prefabs that are fitted into others.
    """

    map: Given[Text] = None
    links: Given[Text] = None
    machines: Given[Text] = None
    references: Given[ReferenceTexts] = None
    paint: Given[Text] = None
    paints: Annotated[dict[Glyph, Colour], Field(max_length=MAX_PAINTS)] = Field(default_factory=nothing)
    aliases: Aliases = Field(default_factory=nothing)
    legend: Legend = Field(default_factory=nothing)
    legends: LegendNames = ()
    palette: PaletteEntry = Field(default_factory=lambda: NO_PALETTE)
    layers: Given[LayerRoles] = None
    parameters: Annotated[dict[NewName, WordValue], Field(max_length=MAX_LISTED)] = Field(
        default_factory=nothing
    )
    vary: Steps = ()
    machine: Given[Annotated[Selector, *selector_of("prop")]] = None
    orientations: Annotated[tuple[str, ...], *several_of(*ORIENTATIONS)] = ORIENTATIONS
    max_protrusion: Protrusion = MAX_PROTRUSION
    sealed: Flag = False
    only: Given[PrefabConditions] = None


class PrefabVariant(DrawnEntry):
    """One variant of a prefab: a prefab of its own, called `prefab/variant`. Keys that it does not have are taken from the prefab.

    Attributes:
        weight: How common this variant is among the variants of the prefab that may be used: a weight word or a number.
    """

    NOT_HERE: ClassVar = dict.fromkeys(
        ("like", "tags", "variants"), "this key belongs to the prefab itself: its variants have it in common"
    )

    weight: Weight = 1.0


class PrefabEntry(CheckedEntry, DrawnEntry):
    """A drawing, and the objects in it.

    Attributes:
        like: Another prefab; it provides all keys that are not written here, and the drawing if there is none
            here.
        tags: Other names under which the prefab can be asked for; no prefab may have such a name.
        variants: Name -> a variant of the prefab. Each copy is one of those that may be used where it stands, drawn by
            weight. A variant takes keys as with `like`, and `only` key by key.
    """

    NOT_HERE: ClassVar = {
        "extends": "to take keys from another prefab, write 'like'",
        "abstract": "a prefab without a drawing is abstract already: others can be 'like' it",
    }

    like: Given[NewName] = None
    tags: NewNames = ()
    variants: Annotated[dict[VariantName, PrefabVariant], Field(max_length=MAX_LISTED)] = Field(
        default_factory=nothing
    )

    def problems(self) -> Iterator[ValueProblem]:
        """Yield the problems that show when the keys of this entry are compared with each other."""
        if self.variants and not any(each.weight for each in self.variants.values()):
            message = "at least one weight must be above zero"
            yield ValueProblem(message=message, path=("variants",), value="variants", key=True)


BUILT_IN_NAMES = frozenset([*(kind.name for kind in t.BUILT_IN_KINDS), *t.CORRIDOR_KINDS])


NATURE = ("like", "walkable", "transparent", "diggable")
"""Keys that built-in terrain can't have, because algorithms rely on its nature."""

LOCKED = "locked_door"
STEPPED_ON = "players step on a portal, so this prop needs blocks: false"
"""Message for a portal whose prop blocks."""


def check_terrain(entries: Entries) -> None:
    """Check that entries of built-in terrain change only its look, and that there are not too many kinds."""
    records, log = entries.records["terrain"], entries.log
    for name, record in records.items():
        for key in NATURE if name in BUILT_IN_NAMES else ():
            if key in record.fields:
                log.add(record, "only the look of built-in terrain can be changed", key, value=key, key=True)
    own = [record for name, record in records.items() if name not in BUILT_IN_NAMES]
    most = t.MAX_KINDS - len(BUILT_IN_NAMES)
    if len(own) > most:
        log.add(
            own[most], f"there can be at most {most} kinds of terrain besides the built-in ones", key=True
        )


def legends_of(
    records: Mapping[str, Mapping[str, Record]],
    legends: Mapping[str, LegendEntry],
    prefabs: Mapping[str, PrefabEntry],
) -> Iterator[tuple[Record, tuple[str, ...], Mapping[str, SymbolEntry]]]:
    """Yield (entry as written, path of the legend in it, character -> symbol) for each shared legend and each prefab's legend.

    Args:
        records: Kind of entry -> name -> entry as written.
        legends: Name -> shared legend.
        prefabs: Name -> prefab; characters that it takes from another prefab by `like` are left out.
    """
    for name, legend in legends.items():
        yield records["legend"][name], (), legend.symbols
    for name, prefab in prefabs.items():
        record = records["prefab"][name]
        own = {char: symbol for char, symbol in prefab.legend.items() if record.is_own("legend", char)}
        yield record, ("legend",), own


def check_symbols(entries: Entries) -> None:
    """Check, in all legends, that only props and lockable doors have `lock`, and that no prop with `port` blocks walkers."""
    terrain, log = entries.records["terrain"], entries.log
    able = {LOCKED, *(name for name, record in terrain.items() if record.fields.get("like") == LOCKED)}
    legends, prefabs = entries.all_of("legend", LegendEntry), entries.all_of("prefab", PrefabEntry)
    for record, path, legend in legends_of(entries.records, legends, prefabs):
        for char, symbol in legend.items():
            for leaf, below in symbol.leaves():
                ground = leaf.terrain if leaf.kind is None and leaf.lock is not None else None
                if ground is not None and able.isdisjoint(ground.outcomes()):
                    message = (
                        "only a prop, locked_door, and terrain that is like locked_door, can have this key"
                    )
                    log.add(record, message, *path, char, *below, "lock", value="lock", key=True)
                if leaf.port is None or leaf.selector is None:
                    continue
                if any(thing.blocks for thing in entries.catalog.members(str(leaf.kind), leaf.selector)):
                    log.add(record, STEPPED_ON, *path, char, *below, "port", value="port", key=True)


def check_themes(entries: Entries) -> None:
    """Report each theme that turns terrain into locked doors, which nothing would open."""
    records, log = entries.records, entries.log
    like = {name: str(record.fields.get("like", name)) for name, record in records["terrain"].items()}
    for theme, entry in entries.all_of("theme", ThemeEntry).items():
        for name, becomes in entry.root.items():
            if LOCKED in (becomes, like.get(becomes)) and name != LOCKED:
                message = "a theme can't turn terrain into locked doors: nothing would open them"
                log.add(records["theme"][theme], message, name, value=becomes)


def check_tags(entries: Entries) -> None:
    """Check that no tag of a prefab is the name of another prefab: an encounter that asks for that word would mean both."""
    prefabs, log = entries.records["prefab"], entries.log
    for record in prefabs.values():
        words = record.fields.get("tags") if record.is_own("tags") else []
        for number, word in enumerate(words if isinstance(words, list) else [words]):
            if isinstance(word, str) and word in prefabs:
                other = prefabs[word].source(key=True)
                log.add(
                    record,
                    f"there is a prefab whose name is this tag, in {other}",
                    "tags",
                    number,
                    value=word,
                )


MOST_NESTED = 50
"""Maximum depth of prefabs fitted into each other."""

OF_KIND: dict[str, tuple[str, ...]] = {
    "carries": ("robot",),
    "loadout": ("robot", "prop"),
    "band": ("robot",),
    "threat": ("robot", "trap"),
    "worth": ("item",),
    "prototype": ("item", "trap"),
    "faulty": ("item", "trap"),
}
"""Key of objects -> the built-in kinds (and kinds like them) that can have it."""


def check_things(entries: Entries) -> None:
    """Check that objects have only keys that fit their kind."""
    records, kinds, log = entries.records, entries.kinds, entries.log
    for kind in kinds.names:
        like = kinds[kind].like
        for record in records[kind].values():
            for key, able in OF_KIND.items():
                if key in record.fields and like not in able and record.is_own(key):
                    called = " and ".join(BUILT_IN[each].called for each in able)
                    log.add(record, f"only {called} can have this key", key, value=key, key=True)
            is_faulty = "faulty" in record.fields and record.is_own("faulty") and not record.is_lost
            if is_faulty and "prototype" not in record.fields and like in OF_KIND["faulty"]:
                log.add(record, "only a prototype can be faulty", "faulty", value="faulty", key=True)


def check_extending(entries: Entries) -> None:
    """Check that no legend and no palette extends itself, directly or through others."""
    records, log = entries.records, entries.log
    for kind in ("legend", "palette"):
        below = {name: words_of(record.fields.get("extends")) for name, record in records[kind].items()}
        for name, circle in find_circles(below).items():
            message = f"this {kind} extends itself: {' -> '.join(circle)}"
            log.add(records[kind][name], message, "extends")


def check_fitting(entries: Entries) -> None:
    """Check that no prefab is fitted into itself, directly or through others, and that nesting is not too deep."""
    log, drawn = entries.log, entries.drawn
    valid = drawn if entries.trusted else entries.entries["prefab"]
    records = {name: record for name, record in drawn.items() if name in valid}
    fitted = {name: _fitted(record, entries.called) for name, record in records.items()}
    below = {name: [each for names in steps.values() for each in names] for name, steps in fitted.items()}
    found = find_circles(below)
    for name, circle in found.items():
        steps = [step for step, names in fitted[name].items() if circle[1] in names]
        message = f"this prefab is fitted into itself: {' -> '.join(circle)}"
        log.add(records[name], message, "vary", steps[0], "prefabs")
    if found:
        return
    nested = {name: [name] for name in below if below[name]}
    for _ in range(MOST_NESTED + 1):
        nested = {each: [*way, each] for name, way in nested.items() for each in below.get(name, ())}
    for way in list(nested.values())[:1]:  # one example is enough
        message = f"prefabs are fitted into each other more than {MOST_NESTED} deep, down to {way[-1]}"
        log.add(records[way[0]], message, "vary")


def _fitted(record: Record, called: Mapping[str, Iterable[str]]) -> dict[int, list[str]]:
    """Return index of a `fit` step of a prefab -> the names of the prefabs that it may fit into this one.

    Args:
        record: The entry of the prefab as written.
        called: Name or tag -> the names of the prefabs that go by it.
    """
    steps = record.fields.get("vary")
    return {
        number: [name for word in words_of(step.get("prefabs")) for name in called.get(word, ())]
        for number, step in enumerate(steps if isinstance(steps, list) else [])
        if isinstance(step, dict) and "fit" in step
    }
