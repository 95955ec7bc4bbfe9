"""From a folder of files to `Content`: all of it, or a `ContentError` that lists everything wrong with it."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar

from dungeon.content import check, models
from dungeon.content.build import build_catalog, build_prefab, build_terrain, build_themes
from dungeon.content.files import Findings, Record, content_files, entries_of, parse_file, validate
from dungeon.content.library import Content
from dungeon.content.rexpaint import XpLayer, read_xp
from dungeon.errors import ContentError, Problem, Source
from dungeon.vocabulary import SPAWN_KINDS

if TYPE_CHECKING:
    from pydantic import BaseModel

M = TypeVar("M", bound="BaseModel")

SINGLE_FILES = {"palette.yaml", "weights.yaml", "world.yaml"}
"""Files that are one entry each; every other file maps names to entries."""

ENTRY_KINDS: dict[str, str] = {
    "terrain.yaml": "terrain",
    "themes.yaml": "theme",
    "prefabs": "prefab",
    "legends": "legend",
    "encounters": "encounter",
    "maps": "map",
    **{f"objects/{kind if kind == 'debris' else kind + 's'}.yaml": kind for kind in SPAWN_KINDS},
}
"""Where entries of each kind stand: a file, or any YAML file in a folder."""

PLAIN_FILES = (".md", ".txt")
"""Endings of files that are there for people."""

MODELS: dict[str, type[BaseModel]] = {
    "terrain": models.TerrainEntry,
    "theme": models.ThemeEntry,
    "prefab": models.PrefabEntry,
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
        drawings: Prefab -> the layers of its .xp file, and the file's name.
    """

    findings: Findings = field(default_factory=Findings)
    records: dict[str, dict[str, Record]] = field(
        default_factory=lambda: {kind: {} for kind in ENTRY_KINDS.values()}
    )
    entries: dict[str, dict[str, BaseModel]] = field(
        default_factory=lambda: {kind: {} for kind in ENTRY_KINDS.values()}
    )
    singles: dict[str, Record] = field(default_factory=dict)
    drawings: dict[str, tuple[list[XpLayer], str]] = field(default_factory=dict)

    def all_of(self, kind: str, model: type[M]) -> dict[str, M]:
        """Return the valid entries of a kind."""
        return {name: entry for name, entry in self.entries[kind].items() if isinstance(entry, model)}


def load_content(folder: str | os.PathLike[str]) -> Content:
    """Read the content of a game.

    Args:
        folder: The folder that holds ``world.yaml``, ``maps/`` and the rest.

    Raises:
        ContentError: Something is wrong; the error lists every problem in every file.
    """
    root = Path(folder)
    if not root.is_dir():
        raise ContentError([Problem(source=Source(file=str(folder)), message="there is no such folder")])
    draft = Draft()
    for path in content_files(root):
        _read(draft, path, path.relative_to(root).as_posix(), str(path))
    _validate(draft)
    content = _assemble(draft, str(folder))
    errors = [problem for problem in draft.findings.problems if problem.severity == "error"]
    if errors or content is None:
        raise ContentError(draft.findings.problems)
    return content


def _read(draft: Draft, path: Path, place: str, file: str) -> None:
    """Read one file into the draft, whatever it is."""
    folder = place.split("/", maxsplit=1)[0] if "/" in place else ""
    if place.endswith(PLAIN_FILES):
        return
    if place in SINGLE_FILES:
        root = parse_file(path, file, draft.findings)
        draft.singles[place] = Record(path.stem, "", file, root, ())
    elif path.suffix == ".xp" and folder == "prefabs":
        try:
            draft.drawings[path.stem] = read_xp(path), file
        except ContentError as error:
            draft.findings.problems += error.problems
            draft.drawings[path.stem] = [], file
    elif path.suffix in (".yaml", ".yml") and (kind := ENTRY_KINDS.get(place) or ENTRY_KINDS.get(folder)):
        for record in entries_of(kind, parse_file(path, file, draft.findings), file, draft.findings):
            first = draft.records[kind].setdefault(record.name, record)
            if first is not record:
                where = f"this name is taken already, in {first.source(key=True)}"
                draft.findings.add(record, (), where, value=record.name, key=True)
    else:
        known = ", ".join([*sorted(SINGLE_FILES), *ENTRY_KINDS])
        message = f"nothing reads a file of this name here (known: {known})"
        draft.findings.problems.append(Problem(source=Source(file=file), message=message))


def _validate(draft: Draft) -> None:
    """Turn every entry into its model."""
    for name, (_, file) in draft.drawings.items():
        # A drawing without a word about it is a prefab with all defaults.
        draft.records["prefab"].setdefault(name, Record("prefab", name, file, {}, ()))
    for kind, records in draft.records.items():
        for name, record in records.items():
            if kind == "legend":
                symbols = validate(models.LegendFile, record, draft.findings, data={"legend": record.data})
                entry: BaseModel | None = symbols
            else:
                entry = validate(
                    MODELS[kind], record, draft.findings, data={} if record.data is None else None
                )
            if entry is not None:
                draft.entries[kind][name] = entry


def _single(draft: Draft, file: str, model: type[M]) -> M | None:
    """Return the entry of a file that is one entry; a default where the file is not there."""
    record = draft.singles.get(file)
    if record is None:
        record = Record(Path(file).stem, "", file, {}, ())
    return validate(model, record, draft.findings, data={} if record.data is None else None)


def _assemble(draft: Draft, folder: str) -> Content | None:
    """Put the entries together, check what they say of each other, and return the content if it is whole."""
    findings = draft.findings
    palette = _single(draft, "palette.yaml", models.PaletteEntry)
    weights = _single(draft, "weights.yaml", models.WeightsEntry)
    world = None
    if "world.yaml" in draft.singles:
        world = _single(draft, "world.yaml", models.WorldEntry)
    else:
        source = Source(file=os.path.join(folder, "world.yaml"))  # noqa: PTH118  # a name to show, not a path to use
        findings.problems.append(Problem(source=source, message="this file is missing"))
    terrain_set, codes = build_terrain(draft.all_of("terrain", models.TerrainEntry), draft.records["terrain"])
    themes = build_themes(draft.all_of("theme", models.ThemeEntry), draft.records["theme"], codes, findings)
    words = weights.words if weights else {}
    catalog = build_catalog(
        {kind: draft.all_of(kind, models.ThingEntry) for kind in SPAWN_KINDS}, draft.records, words, findings
    )
    shared = {name: each.legend for name, each in draft.all_of("legend", models.LegendFile).items()}
    known = check.Names(
        terrain=codes,
        things={kind: draft.records[kind] for kind in SPAWN_KINDS},
        records=draft.records,
        weights=words,
        catalog=catalog,
    )
    if palette is not None and "palette.yaml" in draft.singles:
        check.palette(palette, draft.singles["palette.yaml"], (), known, findings)
    for name, legend in shared.items():
        check.legend(legend, draft.records["legend"][name], (), known, findings)
    prefabs = {}
    for name, entry in draft.all_of("prefab", models.PrefabEntry).items():
        record = draft.records["prefab"][name]
        check.prefab(entry, record, known, findings)
        layers = draft.drawings.get(name)
        prefab = build_prefab(
            entry, record, layers, palette or models.PaletteEntry(), shared, known, findings
        )
        if prefab is not None:
            prefabs[name] = prefab
    encounters = draft.all_of("encounter", models.EncounterEntry)
    maps = draft.all_of("map", models.MapEntry)
    placings = check.encounters(encounters, known, findings)
    layouts = check.maps(maps, known, findings)
    if world is not None:
        check.world(world, draft.singles["world.yaml"], known, findings)
    if world is None or any(problem.severity == "error" for problem in findings.problems):
        return None
    return Content(
        folder=folder,
        terrain_set=terrain_set,
        themes=MappingProxyType(themes),
        weights=MappingProxyType(words),
        catalog=catalog,
        prefabs=MappingProxyType(prefabs),
        encounters=MappingProxyType(encounters),
        maps=MappingProxyType(maps),
        world=world,
        layouts=MappingProxyType(layouts),
        placings=MappingProxyType(placings),
        sources=MappingProxyType(
            {
                (kind, name): record.source(key=True)
                for kind, records in draft.records.items()
                for name, record in records.items()
            }
        ),
    )
