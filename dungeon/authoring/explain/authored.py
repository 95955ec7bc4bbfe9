"""A prefab as its author wrote it: its planes, and where in the files the meaning of each character stands.

Content that is loaded remembers nothing of this, for games have no use for it. It is read again from the few files
that matter when somebody asks.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import TYPE_CHECKING

from dungeon.content.catalog.symbols import LegendEntry
from dungeon.content.drawing.connectors import CONNECTOR, with_connectors
from dungeon.content.drawing.meaning import DEFAULT_GLYPHS
from dungeon.content.drawing.planes import DONT_CARE, Drawn, text_planes, xp_planes
from dungeon.content.drawing.rexpaint import read_xp
from dungeon.content.loading.build import BuildContext
from dungeon.content.models.entries import PaletteEntry, PrefabEntry
from dungeon.content.prefab.sure_keys import opens_nothing
from dungeon.content.source.files import Findings, Record, content_files, read_bytes, records_of
from dungeon.content.source.reader import MAX_BYTES, Parsed, read_yaml
from dungeon.core.errors import ContentError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from dungeon.content.drawing.meaning import Meaning
    from dungeon.content.drawing.planes import Plane
    from dungeon.content.library import Content
    from dungeon.content.source.files import File
    from dungeon.core.errors import Source


@dataclass(frozen=True, slots=True)
class Origin:
    """Where it is said what a character or a colour means.

    Attributes:
        where: What says it: a legend, a palette.
        source: The place in the file; None for what is built in.
        record: The entry that says it, and `path` to the character in it.
    """

    where: str
    source: Source | None = None
    record: Record | None = field(default=None, repr=False, compare=False)
    path: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthoredPrefab:
    """A prefab as written.

    Attributes:
        record: Its entry.
        planes: Its planes, in the order of `PLANE_NAMES`.
        meaning: What their characters and colours mean.
        legend: Character -> where the legend that counts says what it is.
        glyphs: Likewise for characters of palettes, and those that are built in.
        colours: ``#rrggbb`` in lower case -> the palette that lists it.
    """

    record: Record
    planes: tuple[Plane, ...]
    meaning: Meaning
    legend: Mapping[str, Origin]
    glyphs: Mapping[str, Origin]
    colours: Mapping[str, Origin]


BUILT_IN = Origin("built in")


def read_authored(content: Content, name: str) -> AuthoredPrefab:
    """Read a prefab of loaded content again, as written.

    Raises:
        ContentError: The files have changed since the content was loaded, and are wrong now.
    """
    findings = Findings()
    files = content_files(Path(content.folder), findings)
    record = _record(content, name, files, findings)
    legends = {each.name: each for each in _entries("legend", "legends", files, findings)}
    palettes = {each.name: each for each in _entries("palette", "palettes", files, findings)}
    main = _palette(files, findings)
    drawing = next((file for file in files if _is_drawing_of(name, file)), None)
    if drawing is None:
        planes = text_planes(record, (), findings)
    else:
        planes = xp_planes(record, Drawn(layers=read_xp(drawing.path), file=drawing.shown), findings)
    if findings.problems:
        raise ContentError(findings.problems)
    entry = PrefabEntry.model_validate(record.fields)
    context = BuildContext(
        codes={kind: code for code, kind in enumerate(content.terrain_set.names)},
        palette=PaletteEntry.model_validate(main.fields),
        palette_fields=main.fields,
        legends={each: LegendEntry.model_validate(legends[each].data) for each in legends},
        palettes={each: PaletteEntry.model_validate(palettes[each].data) for each in palettes},
        legend_records=legends,
        palette_records=palettes,
        stops=lambda _symbol: False,
        opens=opens_nothing,
        given=frozenset(),
        whole=True,
        prefabs_whole=True,
        called={},
        prefabs=content.prefabs,
        weights=content.weights,
    )
    palette_places = list(_palettes(context, main, record))
    shown, meaning = with_connectors(planes, context.meaning(record, entry), context.variation(record, entry))
    return AuthoredPrefab(
        record=record,
        planes=tuple(shown),
        meaning=meaning,
        legend=MappingProxyType(_legend(context, record)),
        glyphs=MappingProxyType(_glyphs(palette_places)),
        colours=MappingProxyType(_colours(palette_places)),
    )


def _record(content: Content, name: str, files: list[File], findings: Findings) -> Record:
    shown = content.sources["prefab", name].file
    for file in files:
        if file.shown == shown and not _is_drawing_of(name, file):
            for record in records_of("prefab", _parsed(file, findings), file, findings):
                if record.name == name:
                    return record
    return Record("prefab", name, shown, {}, ())


def _entries(kind: str, folder: str, files: list[File], findings: Findings) -> Iterator[Record]:
    for file in files:
        place = PurePosixPath(file.place)
        if place.parts[0] == folder and place.suffix in (".yaml", ".yml"):
            yield from records_of(kind, _parsed(file, findings), file, findings)


def _palette(files: list[File], findings: Findings) -> Record:
    for file in files:
        if file.place == "palette.yaml":
            return Record("palette", "", file.shown, _parsed(file, findings).root, ())
    return Record("palette", "", "palette.yaml", {}, ())


def _parsed(file: File, findings: Findings) -> Parsed:
    data = read_bytes(file, MAX_BYTES, findings)
    parsed = read_yaml(data or b"", file.shown)
    findings.take(parsed.problems)
    return parsed


def _is_drawing_of(name: str, file: File) -> bool:
    place = PurePosixPath(file.place)
    return place.suffix == ".xp" and place.parts[0] == "prefabs" and place.stem == name


def _legend(context: BuildContext, record: Record) -> dict[str, Origin]:
    found: dict[str, Origin] = {}
    for name in context.legend_names(record):
        legend = context.legend_records[name]
        for char in legend.fields:
            if char != "extends":
                found[char] = Origin(f"legend {name}", legend.source(char, key=True), legend, (char,))
    for char in record.fields.get("legend", {}):
        path = ("legend", str(char))
        found[char] = Origin("its own legend", record.source(*path, key=True), record, path)
    return found


def _palettes(
    context: BuildContext, main: Record, record: Record
) -> Iterator[tuple[str, Record, tuple[str, ...]]]:
    """Yield what palettes are called, their records, and the paths to them, later ones overriding earlier ones."""
    general, own = context.palette_names(record)
    for name in general:
        yield f"palette {name}", context.palette_records[name], ()
    yield PurePosixPath(main.file).name, main, ()
    for name in own:
        yield f"palette {name}", context.palette_records[name], ()
    if "palette" in record.fields:
        yield "its own palette", record, ("palette",)


def _glyphs(palettes: list[tuple[str, Record, tuple[str, ...]]]) -> dict[str, Origin]:
    found = dict.fromkeys([*DEFAULT_GLYPHS, CONNECTOR, DONT_CARE], BUILT_IN)
    for where, record, path in palettes:
        for char in _listed(record, path, "glyphs"):
            found[char] = Origin(where, record.source(*path, "glyphs", char, key=True))
    return found


def _colours(palettes: list[tuple[str, Record, tuple[str, ...]]]) -> dict[str, Origin]:
    found = {}
    for where, record, path in palettes:
        for colour in _listed(record, path, "colours"):
            found[colour.lower()] = Origin(where, record.source(*path, "colours", colour, key=True))
    return found


def _listed(record: Record, path: tuple[str, ...], key: str) -> list[str]:
    data = record.fields
    for step in (*path, key):
        data = data.get(step, {})
    return list(data)
