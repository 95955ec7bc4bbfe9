"""From a *draft* (all entries as written) to `Content`: entries are validated and compared with each other, and prefabs built.

A *record* is an entry as written. A *form* is an encounter with one of its variants. *Terrain codes* are the numbers of kinds of terrain.

All files are read first, so that an entry may refer to any other. The name of an invalid entry counts as
known, so that references to it are not reported, too.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Generic, TypeVar

from dungeon.content.catalog.symbols import LegendEntry
from dungeon.content.library import Content, GrowingView, LazyMapping
from dungeon.content.loading.build import (
    BuildContext,
    build_catalog,
    build_prefab,
    build_terrain,
    build_themes,
    terrain_codes,
)
from dungeon.content.loading.draft import (
    ACCEPTED_FILE,
    ENTRY_TYPES,
    ContentDraft,
    known_names,
    model_of,
    new_names,
)
from dungeon.content.loading.layers import like_of
from dungeon.content.models import entries as models
from dungeon.content.models.accepted import AcceptedEntry
from dungeon.content.models.encounters import CategoryEntry, EncounterEntry
from dungeon.content.models.locks import LockEntry
from dungeon.content.models.maps import MapEntry
from dungeon.content.models.towers import towers_on_drawn_maps
from dungeon.content.models.world import WorldEntry, branches_without_type, chart_of, unknown_maps
from dungeon.content.prefab.locked_ground import words_opened_by
from dungeon.content.source.files import ProblemLog, Record, validate
from dungeon.content.source.names import Names, words_of
from dungeon.content.values.grammar import weight_of
from dungeon.content.values.prefab_weights import VariantOf, weigh_prefabs
from dungeon.core.errors import ContentError, printable
from dungeon.core.frozen import NOTHING, Derived, Frozen, by_fields

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Mapping, Sequence
    from pathlib import Path

    from dungeon.content.catalog.catalog import Catalog
    from dungeon.content.catalog.symbols import SymbolEntry
    from dungeon.content.loading.draft import XpFile
    from dungeon.content.models.world import WorldChart
    from dungeon.content.prefab.prefab import Prefab
    from dungeon.terrain import TerrainSet


T = TypeVar("T")


def assemble(draft: ContentDraft, folders: Sequence[Path], *, trusted: bool) -> Content | None:
    """Check all entries and return the content; None if there are problems.

    Args:
        draft: The entries as written; problems are added to its log.
        folders: The folders from which they were read: the base content, then the mods.
        trusted: Whether exactly these files were valid in an earlier run. Then each prefab is checked and built only
            when it is first asked for. Everything else takes little time and is checked again.
    """
    log, records = draft.log, draft.records
    names = known_names(draft)
    for kind in records:
        if kind != "prefab" or not trusted:
            _validate(kind, draft, names)
    drawn = draft.drawn
    called = draft.called = _called(drawn, draft.variants)
    weights = draft.weights = draft.single("weights.yaml", models.WeightsEntry, names)
    words = weights.root if weights else {}
    accepted = draft.single(ACCEPTED_FILE, AcceptedEntry, Names({}))  # a check warns of unknown names
    variants = _variants(draft, names, words)
    chart = _world(draft, folders[0], names, words)
    catalog = draft.catalog = build_catalog(draft.things, draft.kinds, words, chart)
    draft.trusted = trusted
    for sort in ENTRY_TYPES:
        for rule in sort.rules:
            rule(draft)
    if chart is not None:
        for name, lock in draft.all_of("lock", LockEntry).items():
            named = ((("keys_on", number), text, False) for number, text in enumerate(lock.keys_on))
            log.report(records["lock"][name], unknown_maps(named, chart))
    codes = terrain_codes(records)
    terrain_set = build_terrain(draft.all_of("terrain", models.TerrainEntry), codes)
    prefabs = draft.prefabs = _prefabs(
        draft, names, codes, terrain_set, catalog, called, variants, later=trusted
    )
    if draft.world is None or chart is None or accepted is None or log.problems:
        return None
    encounters = draft.all_of("encounter", EncounterEntry)
    maps = draft.all_of("map", MapEntry)
    forms = {name: tuple(entry.forms(name)) for name, entry in encounters.items()}
    labelled = {form.label: form.entry for each in forms.values() for form in each}
    preferences: dict[str, Mapping[str, float]] = {
        label: Frozen(weigh_prefabs(entry.prefabs, called, partial(weight_of, words=words), variants))
        for label, entry in labelled.items()
    }
    choices = _choices(preferences, list(drawn))
    layouts = {name: entry.layout.params for name, entry in maps.items()}
    placings = {label: entry.placing.params for label, entry in labelled.items()}
    sources = {
        (kind, name): record.source(key=True)
        for kind, entries in records.items()
        for name, record in entries.items()
    }
    world = draft.singles["world.yaml"]
    sources |= {("tower", name): world.source("towers", key=True) for name in draft.world.towers}
    removed = {
        (kind, name): source
        for kind, names in draft.gone.items()
        for name, source in names.items()
        if name not in records[kind]
    }
    return Content(
        folder=str(folders[0]),
        layers=tuple(map(str, folders)),
        terrain_set=terrain_set,
        themes=Frozen(build_themes(draft.all_of("theme", models.ThemeEntry), codes, records["terrain"])),
        weights=Frozen(words),
        kinds=draft.kinds,
        catalog=catalog,
        prefabs=prefabs,
        encounters=Frozen(encounters),
        maps=Frozen(maps),
        locks=Frozen(draft.all_of("lock", LockEntry)),
        categories=Frozen(draft.all_of("category", CategoryEntry)),
        accepted=accepted,
        world=draft.world,
        chart=chart,
        layouts=Frozen(layouts),
        forms=Frozen(forms),
        placings=Frozen(placings),
        preferences=Frozen(preferences),
        choices=LazyMapping(choices, _PrefabsByName(prefabs, choices)),
        called=LazyMapping(called, _PrefabsByName(prefabs, called)),
        variants=variants,
        conditions=Frozen(_conditions(records["prefab"], names)),
        bases=Frozen({name: like for name, record in records["prefab"].items() if (like := like_of(record))}),
        sources=Frozen(sources),
        changes=Frozen(draft.changes),
        removed=Frozen(removed),
    )


@dataclass(frozen=True, slots=True)
class _PrefabsByName:
    """A function that returns the prefabs listed under a name.

    Attributes:
        prefabs: Name -> prefab.
        names: Name, such as a tag -> the names of the prefabs listed under it.
    """

    prefabs: Mapping[str, Prefab]
    names: Mapping[str, Sequence[str]]

    def __call__(self, name: str) -> tuple[Prefab, ...]:
        return tuple(self.prefabs[each] for each in self.names[name])


def _validate(kind: str, draft: ContentDraft, names: Names) -> None:
    """Validate each entry of a kind, and put the valid ones into the draft."""
    made = draft.variants if kind == "prefab" else ()
    named = {name: record for name, record in draft.records[kind].items() if name not in made}
    new_names(kind, named, draft.kinds, draft.log)
    for name, record in draft.records[kind].items():
        entry = draft.validated(kind, model_of(kind), record, names, _empty_entry(record, draft.drawings))
        if entry is not None:
            draft.entries[kind][name] = entry


def _world(draft: ContentDraft, folder: Path, names: Names, words: Mapping[str, float]) -> WorldChart | None:
    """Validate ``world.yaml``, put its entry and chart into the draft, and return the chart; None if it is invalid or missing.

    Args:
        draft: The entries as written.
        folder: The folder of the base content, for a message.
        names: All names.
        words: Weight word, such as `rare` -> number.
    """
    if "world.yaml" not in draft.singles:
        if "world" not in draft.damaged:
            draft.log.file(printable(str(folder / "world.yaml")), "this file is missing")
        return None
    draft.world = draft.single("world.yaml", WorldEntry, names)
    if draft.world is None:
        return None
    draft.chart, problems = chart_of(draft.world)
    problems += branches_without_type(draft.world, names, words)
    types = {map_id: [*spot.types] for map_id, spot in draft.chart.spots.items()}
    problems += towers_on_drawn_maps(draft.chart.towers, types, draft.all_of("map", MapEntry))
    draft.log.report(draft.singles["world.yaml"], problems)
    return draft.chart


def _empty_entry(record: Record, drawings: Container[str]) -> dict[str, object] | None:
    """Return {} if `record` is a prefab with an .xp drawing whose name in YAML has no value after it; else None.

    Args:
        record: The entry as written.
        drawings: The names of all prefabs with .xp drawings.
    """
    is_bare = record.kind == "prefab" and record.data is None and record.name in drawings
    return {} if is_bare else None


def _called(records: Mapping[str, Record], variants: Mapping[str, str]) -> dict[str, list[str]]:
    """Return name or tag -> the names of the prefabs that have it, in the order of the content.

    Args:
        records: Name -> prefab as written, for all that have a drawing.
        variants: Name of a variant -> the prefab whose variant it is, and whose name and tags it has, too.
    """
    called: dict[str, list[str]] = {}
    for name, record in records.items():
        base = [variants[name]] if name in variants else []
        for word in (name, *base, *words_of(record.fields.get("tags"))):
            called.setdefault(word, []).append(name)
    return called


def _variants(draft: ContentDraft, names: Names, words: Mapping[str, float]) -> Mapping[str, VariantOf]:
    """Return name of a variant -> the prefab whose variant it is, and its weight; an invalid weight counts as 1.

    Args:
        draft: The entries as written.
        names: All names.
        words: Weight word, such as `rare` -> number.
    """
    found = {}
    for name, base in draft.variants.items():
        said = draft.records["prefab"][base].fields["variants"][name.removeprefix(f"{base}/")]
        weight = validate(
            models.PrefabVariant,
            draft.records["prefab"][base],
            names,
            ProblemLog(),
            {"weight": said.get("weight", 1)},
        )
        found[name] = VariantOf(base, weight_of(weight.weight, words) if weight else 1.0)
    return Frozen(found)


def _choices(preferences: Mapping[str, Mapping[str, float]], prefabs: Sequence[str]) -> dict[str, list[str]]:
    """Return label of a form (an encounter or variant) -> the names of the prefabs with which it may be placed.

    Args:
        preferences: Label of a form -> prefab -> weight.
        prefabs: All prefabs, in the order in which the results are sorted.
    """
    place = {name: number for number, name in enumerate(prefabs)}
    return {
        label: sorted((each for each, weight in weights.items() if weight > 0), key=place.__getitem__)
        for label, weights in preferences.items()
    }


def _conditions(records: Mapping[str, Record], names: Names) -> dict[str, models.PrefabConditions]:
    """Return prefab -> where it may be used, for the prefabs with `only`; the entries are valid."""
    return {
        name: models.PrefabConditions.model_validate(record.fields["only"], context=names)
        for name, record in records.items()
        if record.fields.get("only")
    }


def _prefabs(
    draft: ContentDraft,
    names: Names,
    codes: dict[str, int],
    terrain_set: TerrainSet,
    catalog: Catalog,
    called: Mapping[str, Sequence[str]],
    variants: Mapping[str, VariantOf],
    *,
    later: bool,
) -> Mapping[str, Prefab]:
    """Return the valid prefabs; problems of the others go to the draft's log.

    Args:
        draft: The draft with all entries.
        names: All names.
        codes: Name of terrain -> code.
        terrain_set: The meaning of the codes.
        catalog: All objects.
        called: Name or tag -> the names of the prefabs that go by it.
        variants: The prefabs that are variants of others.
        later: Whether each prefab is built only when it is first asked for; all must be known to be valid.
    """
    finished: dict[str, Prefab] = {}
    records = draft.drawn
    later_on = _LazyPrefabs(records, draft.drawings, names)
    prefabs: Mapping[str, Prefab] = LazyMapping(records, later_on) if later else GrowingView(finished)
    context = draft.context = later_on.context = _context(
        draft, names, codes, terrain_set, catalog, called, variants, prefabs
    )
    if not later:
        entries = draft.all_of("prefab", models.PrefabEntry)
        for name in records:
            prefab = _built(name, records, entries.get(name), draft.drawings, context, draft.log)
            if prefab is not None:
                finished[name] = prefab
    return prefabs


def _built(
    name: str,
    records: Mapping[str, Record],
    entry: models.PrefabEntry | None,
    drawings: Mapping[str, XpFile],
    context: BuildContext,
    log: ProblemLog,
) -> Prefab | None:
    """Build the prefab of a name from its entry and its drawing; return None, after logging its problems, if it is invalid."""
    packed = drawings.get(name)
    layers = packed.layers(log) if packed else None
    return build_prefab(records[name], entry, layers, context, drawings.keys(), log)


class _LazyPrefabs:
    """A function that builds a prefab, known to be valid, by its name.

    Attributes:
        context: The palettes, legends and so on with which drawings are read. It is set after construction, because it
            contains the prefabs themselves.
    """

    __slots__ = ("context", "drawings", "names", "records")
    context: BuildContext

    def __init__(self, records: Mapping[str, Record], drawings: Mapping[str, XpFile], names: Names) -> None:
        self.records = records
        self.drawings = drawings
        self.names = names

    def __call__(self, name: str) -> Prefab:
        log = ProblemLog()
        unsaid = _empty_entry(self.records[name], self.drawings)
        entry = validate(models.PrefabEntry, self.records[name], self.names, log, unsaid)
        prefab = _built(name, self.records, entry, self.drawings, self.context, log)
        if prefab is None or log.problems:
            raise ContentError(log.problems)  # the cache was wrong about it
        return prefab


@dataclass(frozen=True, slots=True)
class _SymbolMemo(Generic[T]):
    """A function that returns `ask(symbol, catalog)` for a symbol. It calls `ask` once for each symbol and caches the result."""

    catalog: Catalog
    ask: Callable[[SymbolEntry, Catalog], T]
    _known: Derived = field(default_factory=Derived, init=False, repr=False, compare=False)

    __reduce__ = by_fields

    def __call__(self, symbol: SymbolEntry) -> T:
        # Keyed by `id`, since comparing symbols is slow; the symbol is kept, too, so that its id is not reused.
        return self._known.once(id(symbol), self._asked, symbol)[1]

    def _asked(self, symbol: SymbolEntry) -> tuple[SymbolEntry, T]:
        return symbol, self.ask(symbol, self.catalog)


def _stops(symbol: SymbolEntry, catalog: Catalog) -> bool:
    """Tell whether one of the objects for which a symbol may stand blocks walkers permanently; robots don't, since they move."""
    kind, selector = symbol.kind, symbol.selector
    if kind is None or selector is None or symbol.like == "robot":
        return False
    return any(thing.blocks for thing in catalog.members(kind, selector))


def _context(
    draft: ContentDraft,
    names: Names,
    codes: dict[str, int],
    terrain_set: TerrainSet,
    catalog: Catalog,
    called: Mapping[str, Sequence[str]],
    variants: Mapping[str, VariantOf],
    prefabs: Mapping[str, Prefab],
) -> BuildContext:
    """Return the context with which all drawings are read: palettes, legends, terrain codes and so on.

    Args:
        draft: All entries.
        names: All names.
        codes: Name of terrain -> code.
        terrain_set: The meaning of the codes.
        catalog: All objects.
        called: Name or tag -> the names of the prefabs that have it.
        variants: The prefabs that are variants of others.
        prefabs: Name -> prefab, for those built so far.
    """
    palette_record = draft.singles.get("palette.yaml")
    draft.palette = draft.single("palette.yaml", models.PaletteEntry, names)
    return BuildContext(
        codes=codes,
        terrain_set=terrain_set,
        palette=draft.palette,
        palette_fields=palette_record.fields if palette_record else {},
        legends=draft.all_of("legend", LegendEntry),
        palettes=draft.all_of("palette", models.PaletteEntry),
        legend_records=draft.records["legend"],
        palette_records=draft.records["palette"],
        stops=_SymbolMemo(catalog, _stops),
        opens=_SymbolMemo(catalog, words_opened_by),
        given=frozenset(draft.records["lock"]),
        whole=draft.damaged.isdisjoint(("palette", "legend")),
        prefabs_whole="prefab" not in draft.damaged,
        called=called,
        variants=variants,
        prefabs=prefabs,
        weights=draft.weights.root if draft.weights else NOTHING,
    )
