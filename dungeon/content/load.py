"""From a folder of files to `Content`: all of it, or a `ContentError` that lists everything wrong with it.

Everything is read before anything is checked, so that an entry may refer to any other; and an entry that is
not valid still has a name, so that whoever refers to it is not blamed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar

from pydantic import BaseModel

from dungeon.content import check, models
from dungeon.content.build import (
    Makings,
    build_catalog,
    build_prefab,
    build_terrain,
    build_themes,
    terrain_codes,
)
from dungeon.content.files import (
    File,
    Findings,
    Record,
    content_files,
    parse_file,
    read_bytes,
    records_of,
    validate,
)
from dungeon.content.library import Content
from dungeon.content.names import NameList, plural
from dungeon.content.planes import Drawn
from dungeon.content.rexpaint import MAX_FILE_BYTES, parse_xp
from dungeon.content.shown import printable
from dungeon.errors import ContentError, Problem, Source
from dungeon.vocabulary import SPAWN_KINDS

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    from dungeon.content.catalog import Catalog
    from dungeon.content.models import SymbolEntry
    from dungeon.content.names import Names
    from dungeon.content.prefab import Prefab

M = TypeVar("M", bound=BaseModel)

SINGLE_FILES = {"palette.yaml": "palette", "weights.yaml": "weight word", "world.yaml": "world"}
"""Files that are one entry each; every other file maps names to entries."""

ENTRY_KINDS: dict[str, str] = {
    "terrain.yaml": "terrain",
    "themes.yaml": "theme",
    "prefabs": "prefab",
    "legends": "legend",
    "encounters": "encounter",
    "maps": "map",
    **{f"objects/{plural(kind)}.yaml": kind for kind in SPAWN_KINDS},
}
"""Where entries of each kind stand: a file, or any YAML file in a folder."""

PLAIN_FILES = (".md", ".txt")
"""Endings of files that are there for people."""

MODELS: dict[str, type[BaseModel]] = {
    "terrain": models.TerrainEntry,
    "theme": models.ThemeEntry,
    "prefab": models.PrefabEntry,
    "legend": models.LegendEntry,
    "encounter": models.EncounterEntry,
    "map": models.MapEntry,
    **dict.fromkeys(SPAWN_KINDS, models.ThingEntry),
}


@dataclass(slots=True)
class Draft:
    """What has been read so far.

    Attributes:
        findings: What is wrong with it.
        records: Kind -> name -> the entry as written, also where it is not valid.
        entries: Kind -> name -> the valid entry.
        singles: File name -> its record, for files that are one entry.
        drawings: Prefab -> its .xp file.
        damaged: The kinds of entries of which a file could not be read in full.
    """

    findings: Findings = field(default_factory=Findings)
    records: dict[str, dict[str, Record]] = field(default_factory=lambda: {kind: {} for kind in MODELS})
    entries: dict[str, dict[str, BaseModel]] = field(default_factory=lambda: {kind: {} for kind in MODELS})
    singles: dict[str, Record] = field(default_factory=dict)
    drawings: dict[str, Drawn] = field(default_factory=dict)
    damaged: set[str] = field(default_factory=set)

    def all_of(self, kind: str, model: type[M]) -> dict[str, M]:
        """Return the valid entries of a kind."""
        return {name: entry for name, entry in self.entries[kind].items() if isinstance(entry, model)}

    def single(self, place: str, model: type[M], names: Names) -> M | None:
        """Return the entry of a file that is one entry; a default where there is no such file."""
        record = self.singles.get(place)
        if record is None:
            return None if SINGLE_FILES[place] in self.damaged else model.model_validate({})
        return validate(model, record, names, self.findings, {} if record.root is None else None)


def load_content(folder: str | os.PathLike[str]) -> Content:
    """Read the content of a game.

    Args:
        folder: The folder that holds ``world.yaml``, ``maps/`` and the rest.

    Raises:
        ContentError: Something is wrong; the error lists every problem in every file.
    """
    root = Path(folder)
    shown = printable(str(root))
    if not root.is_dir():
        raise ContentError([Problem(source=Source(file=shown), message="there is no such folder")])
    draft = Draft()
    findings = draft.findings
    for file in content_files(root, findings):
        _read(draft, file)
    content = _assemble(draft, root)
    if findings.unlisted:
        findings.problems.append(
            Problem(
                source=Source(file=shown),
                message=f"there are {findings.unlisted} more problems than those listed here",
            )
        )
    if content is None:
        raise ContentError(findings.problems)
    return content


def _read(draft: Draft, file: File) -> None:
    """Read one file into the draft, whatever it is."""
    place = PurePosixPath(file.place)
    folder = place.parts[0] if len(place.parts) > 1 else ""
    if place.suffix in PLAIN_FILES:
        return
    if file.place in SINGLE_FILES:
        parsed = parse_file(file, draft.findings)
        if parsed.whole:
            draft.singles[file.place] = Record(place.stem, "", file.shown, parsed.root, ())
        if not parsed.whole or not isinstance(parsed.root, dict | None):
            draft.damaged.add(SINGLE_FILES[file.place])
    elif place.suffix == ".xp" and folder == "prefabs":
        _read_drawing(draft, place.stem, file)
    elif place.suffix in (".yaml", ".yml") and (
        kind := ENTRY_KINDS.get(file.place) or ENTRY_KINDS.get(folder)
    ):
        _read_entries(draft, kind, file)
    else:
        draft.findings.take([_unread(file)])


def _unread(file: File) -> Problem:
    """Return the problem with a file whose name tells nobody what it holds."""
    known = [*SINGLE_FILES, *ENTRY_KINDS]
    # What is meant may be a file in another folder, with another ending, or in another case.
    stem = PurePosixPath(file.place).stem
    places = [f"{each}/{stem}.yaml" for each in known if not each.endswith(".yaml")]
    places += [each for each in known if each.endswith(".yaml")]
    return Problem(
        source=Source(file=file.shown),
        message="nothing reads a file of this name",
        value=printable(file.place),
        allowed=tuple(known),
        nearest=NameList([*places, f"prefabs/{stem}.xp"]).nearest(file.place),
    )


def _read_entries(draft: Draft, kind: str, file: File) -> None:
    parsed = parse_file(file, draft.findings)
    if not parsed.whole or not isinstance(parsed.root, dict | None):
        draft.damaged.add(kind)
    for record in records_of(kind, parsed, file, draft.findings):
        first = draft.records[kind].setdefault(record.name, record)
        if first is not record:
            message = f"this name is taken already, in {first.source(key=True)}"
            draft.findings.add(record, message, value=record.name, key=True)


def _read_drawing(draft: Draft, name: str, file: File) -> None:
    if name in draft.drawings:
        message = f"a drawing of this name is there already, {draft.drawings[name].file}"
        draft.findings.file(file.shown, message)
        return
    data = read_bytes(file, MAX_FILE_BYTES, draft.findings)
    layers = []
    if data is not None:
        try:
            layers = parse_xp(data, file.shown)
        except ContentError as error:
            draft.findings.take(error.problems)
    draft.drawings[name] = Drawn(layers=layers, file=file.shown)


def _assemble(draft: Draft, folder: Path) -> Content | None:
    """Check the entries, put them together, and return the content if nothing is wrong."""
    findings, records = draft.findings, draft.records
    for name, drawn in draft.drawings.items():
        # A drawing without a word about it is a prefab with all defaults.
        records["prefab"].setdefault(name, Record("prefab", name, drawn.file, {}, ()))
    weight_record = draft.singles.get("weights.yaml")
    names = check.known_names(records, weight_record.fields if weight_record else (), draft.damaged)
    for kind, entries in records.items():
        check.new_names(kind, entries, findings)
        for name, record in entries.items():
            is_bare = record.data is None and name in draft.drawings
            entry = validate(MODELS[kind], record, names, findings, {} if is_bare else None)
            if entry is not None:
                draft.entries[kind][name] = entry
    check.terrain(records["terrain"], findings)
    check.tags(records["prefab"], findings)
    weights = draft.single("weights.yaml", models.WeightsEntry, names)
    words = weights.root if weights else {}
    world = None
    if "world.yaml" in draft.singles:
        world = draft.single("world.yaml", models.WorldEntry, names)
    elif "world" not in draft.damaged:
        findings.file(printable(str(folder / "world.yaml")), "this file is missing")
    if world is not None:
        check.world(world, draft.singles["world.yaml"], findings)
    codes = terrain_codes(records["terrain"])
    catalog = build_catalog({kind: draft.all_of(kind, models.ThingEntry) for kind in SPAWN_KINDS}, words)
    prefabs = _prefabs(draft, names, codes, catalog)
    if world is None or findings.problems:
        return None
    encounters = draft.all_of("encounter", models.EncounterEntry)
    maps = draft.all_of("map", models.MapEntry)
    return Content(
        folder=str(folder),
        terrain_set=build_terrain(draft.all_of("terrain", models.TerrainEntry), codes),
        themes=MappingProxyType(build_themes(draft.all_of("theme", models.ThemeEntry), codes)),
        weights=MappingProxyType(words),
        catalog=catalog,
        prefabs=MappingProxyType(prefabs),
        encounters=MappingProxyType(encounters),
        maps=MappingProxyType(maps),
        world=world,
        layouts=MappingProxyType({name: entry.layout.params for name, entry in maps.items()}),
        placings=MappingProxyType({name: entry.placing.params for name, entry in encounters.items()}),
        choices=MappingProxyType(_choices(encounters, prefabs)),
        sources=MappingProxyType(
            {
                (kind, name): record.source(key=True)
                for kind, entries in records.items()
                for name, record in entries.items()
            }
        ),
    )


def _choices(
    encounters: Mapping[str, models.EncounterEntry], prefabs: Mapping[str, Prefab]
) -> dict[str, tuple[Prefab, ...]]:
    """Return encounter -> the prefabs that go by the names or tags it lists, each once."""
    called: dict[str, dict[str, Prefab]] = {}
    for prefab in prefabs.values():
        for name in (prefab.name, *prefab.tags):
            called.setdefault(name, {})[prefab.name] = prefab
    place = {name: number for number, name in enumerate(prefabs)}
    choices = {}
    for name, entry in encounters.items():
        wanted = {each: prefab for word in entry.prefabs for each, prefab in called[word].items()}
        choices[name] = tuple(wanted[each] for each in sorted(wanted, key=place.__getitem__))
    return choices


def _prefabs(draft: Draft, names: Names, codes: dict[str, int], catalog: Catalog) -> dict[str, Prefab]:
    """Read the drawings of all prefabs, and return the prefabs that are right."""

    def stops(symbol: SymbolEntry) -> bool:
        # Robots move; other things stay where they are.
        kind, selector = symbol.kind, symbol.selector
        if kind is None or selector is None or kind == "robot":
            return False
        return any(thing.blocks for thing in catalog.members(kind, selector))

    palette_record = draft.singles.get("palette.yaml")
    makings = Makings(
        codes=codes,
        palette=draft.single("palette.yaml", models.PaletteEntry, names),
        palette_fields=palette_record.fields if palette_record else {},
        legends={name: entry.root for name, entry in draft.all_of("legend", models.LegendEntry).items()},
        legend_records=draft.records["legend"],
        stops=stops,
        whole=draft.damaged.isdisjoint(("palette", "legend")),
    )
    prefabs = {}
    entries = draft.all_of("prefab", models.PrefabEntry)
    for name, record in draft.records["prefab"].items():
        drawn = draft.drawings.get(name)
        prefab = build_prefab(record, entries.get(name), drawn, makings, draft.drawings, draft.findings)
        if prefab is not None:
            prefabs[name] = prefab
    return prefabs
