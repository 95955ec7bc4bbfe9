"""From valid entries to what generation uses: the terrain set, themes, the catalog, prefabs.

A *record* is an entry as written. A *terrain code* is the number of a kind of terrain in arrays. *Shared* legends and palettes are those
with a file of their own, which prefabs name.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import ValidationError

from dungeon import terrain as t
from dungeon.content.catalog.catalog import Catalog, CatalogObject
from dungeon.content.catalog.symbols import SymbolEntry
from dungeon.content.drawing.meaning import (
    DEFAULT_GLYPHS,
    CharacterMeanings,
    UnreadCharacters,
    Variation,
)
from dungeon.content.drawing.planes import (
    XpDrawing,
    drawn_planes,
)
from dungeon.content.drawing.read_drawing import read_drawing
from dungeon.content.models.entries import PrefabEntry, TerrainEntry
from dungeon.content.prefab.prefab import Prefab
from dungeon.content.prefab.variation import FitEntry
from dungeon.content.source.files import Record
from dungeon.content.source.names import words_of
from dungeon.content.values.grammar import weight_of, without_words
from dungeon.content.values.prefab_weights import weigh_prefabs
from dungeon.core.frozen import Derived, Frozen, sealed
from dungeon.grid.symmetry import Orientation

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from dungeon.content.catalog.symbols import LegendEntry
    from dungeon.content.models.entries import PaletteEntry, ThemeEntry, ThingEntry
    from dungeon.content.models.world import WorldChart
    from dungeon.content.prefab.locked_ground import OpenedWords
    from dungeon.content.source.files import ProblemLog, Record
    from dungeon.content.values.grammar import Value
    from dungeon.content.values.prefab_weights import VariantOf
    from dungeon.core.kinds import Kinds

BLOCKING_KINDS = ("prop", "robot")
"""Kinds that block walkers unless their entry says otherwise."""

PAINTABLE: dict[str, int] = {
    **{name: code for code, name in enumerate(t.BASE_NAMES)},
    **{str(digit): t.FLOOR_0 + digit for digit in range(10)},
}
"""Name in a theme -> the code that it gives a look to."""


def terrain_codes(records: Mapping[str, Mapping[str, Record]]) -> dict[str, int]:
    """Return name -> code for all terrain, built-in and the author's own.

    The author's kinds are numbered in alphabetical order, so that their order in the file does not matter. Then come
    the kinds of corridor that `terrain.yaml` or a theme names; the other kinds of corridor share the code of `corridor`.

    Args:
        records: Kind of entry -> name -> entry as written.
    """
    own = dict.fromkeys(records["terrain"])
    told = own | dict.fromkeys(str(name) for record in records["theme"].values() for name in record.fields)
    names = [kind.name for kind in t.BUILT_IN_KINDS]
    names += sorted(own.keys() - {*names, *t.CORRIDOR_KINDS})
    names += [name for name in t.CORRIDOR_KINDS if name in told]
    return dict.fromkeys(t.CORRIDOR_KINDS, t.CORRIDOR) | {
        name: code for code, name in enumerate(names[: t.MAX_KINDS])
    }


def build_terrain(entries: Mapping[str, TerrainEntry], codes: Mapping[str, int]) -> t.TerrainSet:
    """Return the terrain set, which tells what each terrain code means; a kind whose entry is not valid becomes a floor.

    A kind like wall or earth with `diggable: false` gets the base `blocked`, so that code which digs need not check
    `diggable` itself.

    Args:
        entries: Name -> valid entry of terrain.
        codes: Name of terrain -> code.
    """
    built_in = {kind.name: kind for kind in t.BUILT_IN_KINDS}
    built_in |= {name: replace(built_in["corridor"], name=name) for name in t.CORRIDOR_KINDS}
    names = {
        code: name for name, code in codes.items()
    }  # `corridor` comes after the kinds that share its code
    kinds = []
    for code in sorted(names):
        name = names[code]
        entry = entries.get(name, TerrainEntry())
        # An entry of a built-in name changes its look, not its nature.
        like = built_in.get(name, built_in[entry.like])
        kinds.append(
            t.TerrainKind(
                name=name,
                base=t.BLOCKED if entry.diggable is False and like.base in t.DIGGABLE else like.base,
                walkable=_or(entry.walkable, like.walkable),
                transparent=_or(entry.transparent, like.transparent),
                diggable=_or(entry.diggable, like.diggable),
                glyph=entry.glyph or like.glyph,
                fg=entry.fg or like.fg,
                bg=entry.bg or like.bg,
            )
        )
    return t.TerrainSet(tuple(kinds))


def _or(value: bool | None, otherwise: bool) -> bool:  # noqa: FBT001
    return otherwise if value is None else value


def build_themes(
    entries: Mapping[str, ThemeEntry], codes: Mapping[str, int], looks: Collection[str]
) -> dict[str, NDArray[np.uint8]]:
    """Return theme -> (256,) uint8, which has for each terrain code the code of the terrain as which it is shown.

    Args:
        entries: Name -> theme.
        codes: Name of terrain -> code.
        looks: Names in `terrain.yaml`. Kinds of corridor that are not among them are shown like `corridor`.
    """
    themes = {}
    for theme, entry in entries.items():
        table = np.arange(256, dtype=np.uint8)
        painted = {name: codes.get(becomes, t.FLOOR) for name, becomes in entry.root.items()}
        for name in t.CORRIDOR_KINDS:
            if name not in looks:
                table[codes[name]] = painted.get("corridor", codes[name])
        for name, becomes in painted.items():
            table[PAINTABLE[name] if name in PAINTABLE else codes[name]] = becomes
        themes[theme] = sealed(table)
    return themes


def build_catalog(
    entries: Mapping[str, Mapping[str, ThingEntry]],
    kinds: Kinds,
    weights: Mapping[str, float],
    chart: WorldChart | None,
) -> Catalog:
    """Return the catalog of all objects, with every default filled in.

    Args:
        entries: Kind of object -> tag -> entry.
        kinds: The kinds of objects.
        weights: Weight word, such as `rare` -> number.
        chart: All maps that worlds may have; None if ``world.yaml`` is not valid.
    """
    things: dict[str, Mapping[str, CatalogObject]] = {}
    for kind, catalog in entries.items():
        made, like = {}, kinds[kind].like
        for tag, entry in catalog.items():
            made[tag] = CatalogObject(
                kind=kind,
                like=like,
                tag=tag,
                name=entry.name,
                glyph=entry.glyph,
                fg=entry.fg,
                classes=entry.classes,
                categories=entry.categories,
                depth=entry.depth,
                weight=without_words(entry.weight, weights),
                blocks=_or(entry.blocks, like in BLOCKING_KINDS),
                opaque=entry.opaque,
                light=entry.light,
                prototype=entry.prototype,
                faulty=entry.faulty,
                carries=entry.carries,
                loadout=entry.loadout,
                band=entry.band,
                threat=entry.threat,
                worth=entry.worth,
                roll=_rolled(entry),
                data=entry.data,
            )
        things[kind] = Frozen(made)
    return Catalog(Frozen(things), Frozen(chart.shallowest() if chart is not None else {}))


def _rolled(entry: ThingEntry) -> Mapping[str, Value[Any]]:
    """Return keyword -> value for the keywords of an object that are rolled, sorted by name; they are rolled in that order."""
    if entry.state is None:
        return entry.roll
    return Frozen(dict(sorted({**entry.roll, "state": entry.state}.items())))


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildContext:
    """Everything with which the drawings of prefabs are read: palettes, legends, terrain codes and so on.

    Attributes:
        codes: Name of terrain -> code.
        terrain_set: The meaning of the codes.
        palette: The entry of ``palette.yaml``, or None if it is not valid.
        palette_fields: The keys and values of ``palette.yaml`` as written.
        legends: Name -> valid shared legend.
        palettes: Name -> valid shared palette.
        legend_records: Name -> shared legend as written.
        palette_records: Name -> shared palette as written.
        stops: Tells whether the object of a symbol blocks walkers permanently.
        opens: Returns the names of the locks that the object of a symbol certainly opens.
        given: The lock names in `locks.yaml`, for which the level itself places keys.
        whole: Whether every file with legends or palettes could be read.
        prefabs_whole: Whether every file with prefabs could be read.
        called: Name or tag -> the names of the prefabs that go by it.
        variants: The prefabs that are variants of others.
        prefabs: Name -> prefab, for those built so far.
        weights: Weight word -> number.
        notes: Cache of derived values.
    """

    codes: Mapping[str, int]
    terrain_set: t.TerrainSet
    palette: PaletteEntry | None
    palette_fields: Mapping[str, Any]
    legends: Mapping[str, LegendEntry]
    palettes: Mapping[str, PaletteEntry]
    legend_records: Mapping[str, Record]
    palette_records: Mapping[str, Record]
    stops: Callable[[SymbolEntry], bool]
    opens: Callable[[SymbolEntry], OpenedWords]
    given: frozenset[str]
    whole: bool
    prefabs_whole: bool
    called: Mapping[str, Sequence[str]]
    variants: Mapping[str, VariantOf]
    prefabs: Mapping[str, Prefab]
    weights: Mapping[str, float]
    notes: Derived = field(default_factory=Derived, init=False)

    def legend_names(self, record: Record) -> list[str]:
        """Return the names of the shared legends that a prefab uses or that these extend; each legend overrides those before it."""
        return self._extended(record.fields.get("legends"), self.legend_records)

    def palette_names(self, record: Record) -> tuple[list[str], list[str]]:
        """Return (shared palettes that ``palette.yaml`` extends, shared palettes that the prefab's own palette extends), by name.

        A prefab's drawing is read by four groups of palettes, each of which overrides those before it: those that
        ``palette.yaml`` extends, ``palette.yaml``, those that the prefab's palette extends, the prefab's palette.
        """
        said = self.palette_fields.get("extends"), _field(record.fields.get("palette"), "extends")
        general, own = (self._extended(each, self.palette_records) for each in said)
        return general, own

    def _extended(self, said: object, records: Mapping[str, Record]) -> list[str]:
        names = tuple(words_of(said))
        return self.notes.once((id(records), names), extended, names, records)

    def meaning(self, record: Record, entry: PrefabEntry | None) -> CharacterMeanings:
        """Return what the characters and colours of a prefab's drawing mean.

        Characters to which an invalid entry gives a meaning count as known, so that each mistake is reported only once.

        Args:
            record: The entry of the prefab as written.
            entry: The entry; None if it is not valid.
        """
        raw = record.fields
        legend: dict[str, SymbolEntry] = {}
        # An .xp drawing without an entry may have one in a file that could not be read.
        unclear = UnreadCharacters(self.whole and (bool(record.path) or self.prefabs_whole))
        for name in self.legend_names(record):
            if name in self.legends:
                legend |= self.legends[name].symbols
            else:
                unclear.add_legend(self.legend_records.get(name))
        general, own = self.palette_names(record)
        palettes = [*map(self.palettes.get, general), self.palette, *map(self.palettes.get, own)]
        for name in (*general, *own):
            if name not in self.palettes:
                unclear.add_palette(self.palette_records[name].data if name in self.palette_records else None)
        if self.palette is None:
            unclear.add_palette(self.palette_fields)
        if entry is not None:
            legend |= entry.legend
            palettes.append(entry.palette)
        else:
            unclear.add_prefab(record, PrefabEntry.model_fields)
        glyphs, nearest = DEFAULT_GLYPHS, False
        colours: dict[str, str] = {}
        roles = None
        for palette in palettes:
            if palette is not None:
                roles = palette.layers or roles
                glyphs = {**glyphs, **palette.glyphs} if palette.glyphs else glyphs
                colours |= {colour.lower(): name for colour, name in palette.colours.items()}
                nearest = nearest if palette.match is None else palette.match == "nearest"
        return CharacterMeanings(
            legend=legend,
            glyphs=glyphs,
            colours=colours,
            nearest=nearest,
            codes=self.codes,
            sealing=self.terrain_set if entry is not None and entry.sealed else None,
            stops=self.stops,
            opens=self.opens,
            given=self.given,
            machine=SymbolEntry.model_validate({"prop": entry.machine}) if entry and entry.machine else None,
            paints=entry.paints if entry else _paints(raw.get("paints", {})),
            unclear=unclear.chars,
            whole=unclear.whole,
            roles=(entry.layers if entry else None) or roles,
            colours_whole=None not in palettes and (entry is not None or "palette" not in raw),
        )

    def knows_roles(self, record: Record, entry: PrefabEntry | None) -> bool:
        """Tell whether no invalid entry may say what the layers of a prefab's .xp drawing hold."""
        general, own = self.palette_names(record)
        palettes = [*map(self.palettes.get, (*general, *own)), self.palette]
        return None not in palettes and (
            entry is not None or not {"layers", "palette"} & record.fields.keys()
        )

    def variation(self, record: Record, entry: PrefabEntry | None) -> Variation:
        """Return what varies in a prefab's drawing.

        Args:
            record: The entry of the prefab as written.
            entry: The entry; None if it is not valid. Then `vary` and `parameters` are used if these are valid.
        """
        if entry is None:
            try:
                said = {key: record.fields[key] for key in ("vary", "parameters") if key in record.fields}
                entry = PrefabEntry.model_validate(said)
            except ValidationError:
                return Variation()
        weigh = partial(weight_of, words=self.weights)
        fits: dict[int, Mapping[str, float]] = {
            number: Frozen(weigh_prefabs(step.prefabs, self.called, weigh, self.variants))
            for number, step in enumerate(entry.vary)
            if isinstance(step, FitEntry)
        }
        return Variation(entry.vary, entry.parameters, Frozen(fits))


def extended(names: Iterable[str], records: Mapping[str, Record]) -> list[str]:
    """Return names of legends or palettes, each once, together with those that they extend; later ones override earlier ones.

    The names in `names` keep their order, and each entry comes after those that it extends. If entries extend each other
    in a circle, which is reported elsewhere, the circle is cut.

    Args:
        names: The names that an entry lists.
        records: Name -> legend or palette as written.
    """
    asked = list(names)
    lines: dict[str, list[str]] = {}
    waiting = [(name, False) for name in reversed(asked)]
    begun: set[str] = set()
    while waiting:
        name, done = waiting.pop()
        below = words_of(records[name].fields.get("extends")) if name in records else []
        if done:
            lines[name] = [*_in_line(below, lines), name]
        elif name not in begun:
            begun.add(name)
            waiting += [(name, True), *((each, False) for each in reversed(below))]
    return _in_line(asked, lines)


def _in_line(names: Iterable[str], lines: Mapping[str, Sequence[str]]) -> list[str]:
    """Join several lists of names into one list without repetitions, in which `names` keep their order.

    Args:
        names: The names whose lists are joined. In the result, a name stands after all names of its own list.
        lines: Name -> its list, such as the legends that a legend extends.

    Example: names [a, b] with the lists a: [x, a] and b: [x, y, b] -> [x, a, y, b].
    """
    order: dict[str, None] = {}
    for name in names:
        order |= dict.fromkeys(each for each in lines.get(name, ()) if each not in order)
        order.pop(name, None)
        order[name] = None
    return list(order)


def _field(raw: object, key: str) -> object:
    return raw.get(key) if isinstance(raw, dict) else None


def _paints(raw: object) -> dict[str, t.Colour] | None:
    """Return the characters in `paints` of an invalid prefab, all with the colour black; None if that can't be read."""
    return dict.fromkeys(raw, (0, 0, 0)) if isinstance(raw, dict) else None


def build_prefab(
    record: Record,
    entry: PrefabEntry | None,
    drawn: XpDrawing | None,
    context: BuildContext,
    drawings: Collection[str],
    log: ProblemLog,
) -> Prefab | None:
    """Build a prefab from its entry and its drawing; return None, after logging its problems, if it is invalid.

    Args:
        record: The entry of the prefab as written.
        entry: The entry, or None if it is not valid; its drawing is checked all the same.
        drawn: The .xp file of the prefab; None if it has none.
        context: The palettes, legends and so on with which drawings are read.
        drawings: The names of all .xp files.
        log: The log to which problems are added.
    """
    if drawn is not None and not context.knows_roles(record, entry):
        return None
    meaning = context.meaning(record, entry)
    planes = drawn_planes(record, drawn, drawings, log, meaning.roles)
    if not planes:
        return None
    read = read_drawing(planes, meaning, context.variation(record, entry), record.name, record.label)
    log.take(read.problems)
    spare = [problem for problem in read.spare if record.is_own(*problem.path)]
    log.report(record, [*read.entry_problems, *spare])
    if entry is None or read.problems or read.entry_problems or spare:
        return None
    log.report(record, read.unused, severity="warning")
    return Prefab(
        name=record.name,
        template=read.template,
        orientations=tuple(Orientation.named(label) for label in entry.orientations),
        tags=entry.tags,
        max_protrusion=entry.max_protrusion,
        prefabs=context.prefabs,
    )
