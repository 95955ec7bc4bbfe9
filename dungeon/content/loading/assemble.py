"""From a draft to content: every entry checked against its model and against the others, prefabs built.

Everything has been read before anything is checked, so that an entry may refer to any other; and an entry that
is not valid still has a name, so that whoever refers to it is not blamed.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from dungeon.content.catalog import symbols
from dungeon.content.library import Content, Lazy
from dungeon.content.loading import check
from dungeon.content.loading.build import (
    BuildContext,
    build_catalog,
    build_prefab,
    build_terrain,
    build_themes,
    terrain_codes,
    words_of,
)
from dungeon.content.loading.draft import MODELS, Draft
from dungeon.content.models import entries as models
from dungeon.content.source.files import Findings, Record, validate
from dungeon.content.source.quoting import printable
from dungeon.core.errors import ContentError
from dungeon.core.vocabulary import SPAWN_KINDS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from dungeon.content.catalog.catalog import Catalog
    from dungeon.content.catalog.symbols import SymbolEntry
    from dungeon.content.prefab.prefab import Prefab
    from dungeon.content.source.names import Names


def assemble(draft: Draft, folder: Path, *, trusted: bool) -> Content | None:
    """Check the entries, put them together, and return the content if nothing is wrong.

    Args:
        draft: What has been read; its findings take what is wrong.
        folder: Where it was read from.
        trusted: Whether these very files have been found right before. Then each prefab is checked and built only
            when it is asked for; everything else, which takes little time, is checked at once all the same.
    """
    findings, records = draft.findings, draft.records
    for name, drawn in draft.drawings.items():
        # A drawing without a word about it is a prefab with all defaults.
        records["prefab"].setdefault(name, Record("prefab", name, drawn.file, {}, ()))
    weight_record = draft.singles.get("weights.yaml")
    names = check.known_names(records, weight_record.fields if weight_record else (), draft.damaged)
    for kind in records:
        if kind != "prefab" or not trusted:
            _validate(kind, draft, names)
    called = _called(records["prefab"])
    check.terrain(records["terrain"], findings)
    check.things(records, findings)
    check.extending(records, findings)
    check.tags(records["prefab"], findings)
    valid = records["prefab"].keys() if trusted else draft.entries["prefab"].keys()
    check.fitting({name: records["prefab"][name] for name in valid}, called, findings)
    weights = draft.weights = draft.single("weights.yaml", models.WeightsEntry, names)
    words = weights.root if weights else {}
    world = draft.world = _world(draft, folder, names)
    codes = terrain_codes(records["terrain"])
    catalog = build_catalog({kind: draft.all_of(kind, models.ThingEntry) for kind in SPAWN_KINDS}, words)
    prefabs = draft.prefabs = _prefabs(draft, names, codes, catalog, called, later=trusted)
    if world is None or findings.problems:
        return None
    encounters = draft.all_of("encounter", models.EncounterEntry)
    maps = draft.all_of("map", models.MapEntry)
    choices = _choices(encounters, list(records["prefab"]), called)
    return Content(
        folder=str(folder),
        terrain_set=build_terrain(draft.all_of("terrain", models.TerrainEntry), codes),
        themes=MappingProxyType(build_themes(draft.all_of("theme", models.ThemeEntry), codes)),
        weights=MappingProxyType(words),
        catalog=catalog,
        prefabs=prefabs,
        encounters=MappingProxyType(encounters),
        maps=MappingProxyType(maps),
        world=world,
        layouts=MappingProxyType({name: entry.layout.params for name, entry in maps.items()}),
        placings=MappingProxyType({name: entry.placing.params for name, entry in encounters.items()}),
        choices=Lazy(choices, lambda name: tuple(prefabs[each] for each in choices[name])),
        called=Lazy(called, lambda word: tuple(prefabs[each] for each in called[word])),
        sources=MappingProxyType(
            {
                (kind, name): record.source(key=True)
                for kind, entries in records.items()
                for name, record in entries.items()
            }
        ),
    )


def _validate(kind: str, draft: Draft, names: Names) -> None:
    """Check the entries of a kind, each for itself, and put those that are valid into the draft."""
    check.new_names(kind, draft.records[kind], draft.findings)
    for name, record in draft.records[kind].items():
        entry = validate(MODELS[kind], record, names, draft.findings, _unsaid(record, draft))
        if entry is not None:
            draft.entries[kind][name] = entry


def _world(draft: Draft, folder: Path, names: Names) -> models.WorldEntry | None:
    """Return the world, or None if it is not valid or not there."""
    if "world.yaml" not in draft.singles:
        if "world" not in draft.damaged:
            draft.findings.file(printable(str(folder / "world.yaml")), "this file is missing")
        return None
    world = draft.single("world.yaml", models.WorldEntry, names)
    if world is not None:
        check.world(world, draft.singles["world.yaml"], draft.findings)
    return world


def _unsaid(record: Record, draft: Draft) -> dict[str, object] | None:
    """Return the empty entry that an .xp drawing has whose name in a YAML file has nothing after it."""
    is_bare = record.kind == "prefab" and record.data is None and record.name in draft.drawings
    return {} if is_bare else None


def _called(records: Mapping[str, Record]) -> dict[str, list[str]]:
    """Return name or tag -> the names of the prefabs that go by it, in the content's order."""
    called: dict[str, list[str]] = {}
    for name, record in records.items():
        for word in (name, *words_of(record.fields.get("tags"))):
            called.setdefault(word, []).append(name)
    return called


def _choices(
    encounters: Mapping[str, models.EncounterEntry],
    prefabs: Sequence[str],
    called: Mapping[str, Sequence[str]],
) -> dict[str, list[str]]:
    """Return encounter -> the prefabs that go by the names or tags it lists, each once, in the content's order."""
    place = {name: number for number, name in enumerate(prefabs)}
    choices = {}
    for encounter, entry in encounters.items():
        wanted = {name for word in entry.prefabs for name in called[word]}
        choices[encounter] = sorted(wanted, key=place.__getitem__)
    return choices


def _prefabs(
    draft: Draft,
    names: Names,
    codes: dict[str, int],
    catalog: Catalog,
    called: Mapping[str, Sequence[str]],
    *,
    later: bool,
) -> Mapping[str, Prefab]:
    """Return the prefabs that are right, after adding what is wrong with others to the draft's findings.

    Args:
        draft: With all entries.
        names: All names.
        codes: Name of terrain -> code.
        catalog: All objects.
        called: Name or tag -> the names of the prefabs that go by it.
        later: Whether all are known to be right; then each is built when it is asked for.
    """
    records, drawn = draft.records["prefab"], frozenset(draft.drawings)

    def built(name: str, entry: models.PrefabEntry | None, findings: Findings) -> Prefab | None:
        packed = draft.drawings.get(name)
        layers = packed.layers(findings) if packed else None
        return build_prefab(records[name], entry, layers, context, drawn, findings)

    def made(name: str) -> Prefab:
        findings = Findings()
        unsaid = _unsaid(records[name], draft)
        entry = validate(models.PrefabEntry, records[name], names, findings, unsaid)
        prefab = built(name, entry, findings)
        if prefab is None or findings.problems:
            raise ContentError(findings.problems)  # whoever said that it is right was wrong
        return prefab

    finished: dict[str, Prefab] = {}
    prefabs: Mapping[str, Prefab] = Lazy(records, made) if later else MappingProxyType(finished)
    context = draft.context = _context(draft, names, codes, catalog, called, prefabs)
    if not later:
        entries = draft.all_of("prefab", models.PrefabEntry)
        for name in records:
            prefab = built(name, entries.get(name), draft.findings)
            if prefab is not None:
                finished[name] = prefab
    return prefabs


def _stops(symbol: SymbolEntry, catalog: Catalog) -> bool:
    """Tell whether an object of a symbol will stop walkers for good: robots move, other things stay."""
    kind, selector = symbol.kind, symbol.selector
    if kind is None or selector is None or kind == "robot":
        return False
    return any(thing.blocks for thing in catalog.members(kind, selector))


def _context(
    draft: Draft,
    names: Names,
    codes: dict[str, int],
    catalog: Catalog,
    called: Mapping[str, Sequence[str]],
    prefabs: Mapping[str, Prefab],
) -> BuildContext:
    """Return what all drawings are read with."""
    known: dict[int, tuple[SymbolEntry, bool]] = {}

    def stops(symbol: SymbolEntry) -> bool:
        # Kept by identity, for symbols are slow to compare; the symbol is kept, too, so that no other takes its place.
        if id(symbol) not in known:
            known[id(symbol)] = symbol, _stops(symbol, catalog)
        return known[id(symbol)][1]

    palette_record = draft.singles.get("palette.yaml")
    draft.palette = draft.single("palette.yaml", models.PaletteEntry, names)
    return BuildContext(
        codes=codes,
        palette=draft.palette,
        palette_fields=palette_record.fields if palette_record else {},
        legends=draft.all_of("legend", symbols.LegendEntry),
        palettes=draft.all_of("palette", models.PaletteEntry),
        legend_records=draft.records["legend"],
        palette_records=draft.records["palette"],
        stops=stops,
        whole=draft.damaged.isdisjoint(("palette", "legend")),
        called=called,
        prefabs=prefabs,
    )
