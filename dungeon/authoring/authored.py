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
from dungeon.content.drawing.meaning import (
    CONNECTOR,
    DEFAULT_GLYPHS,
    DONT_CARE,
    text_planes,
    with_connectors,
    xp_planes,
)
from dungeon.content.loading.build import BuildContext
from dungeon.content.loading.draft import DRAWING, Layer, bytes_of, held_in
from dungeon.content.loading.layers import lay
from dungeon.content.models.entries import PaletteEntry, PrefabEntry
from dungeon.content.prefab.locked_ground import opens_nothing
from dungeon.content.source.files import Findings, Record, content_files
from dungeon.content.source.names import Names
from dungeon.core.errors import ContentError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from dungeon.content.drawing.meaning import Meaning, Plane
    from dungeon.content.library import Content
    from dungeon.content.loading.draft import Draft
    from dungeon.content.source.files import File
    from dungeon.core.errors import Source


@dataclass(frozen=True, slots=True)
class Origin:
    """Where it is said what a character or a colour means.

    Attributes:
        where: What says it: a legend, a palette.
        source: The place in the file; None for what is built in.
        record: The entry that says it, and `path` to the character in it.
        changed: Where mods change a part of what is said.
    """

    where: str
    source: Source | None = None
    record: Record | None = field(default=None, repr=False, compare=False)
    path: tuple[str, ...] = ()
    changed: tuple[Source, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthoredPrefab:
    """A prefab as written.

    Attributes:
        record: Its entry, with what it has from others.
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
    draft = _read_again(content, name, findings)
    bare = Record("prefab", name, content.sources["prefab", name].file, {}, ())
    record = draft.records["prefab"].get(name, bare)
    legends, palettes = draft.records["legend"], draft.records["palette"]
    main = draft.singles.get("palette.yaml", Record("palette", "", "palette.yaml", {}, ()))
    if name in draft.drawings:
        planes = xp_planes(record, draft.drawings[name].layers(findings), findings)
    else:
        planes = text_planes(record, (), findings)
    if findings.problems:
        raise ContentError(findings.problems)
    words = Names({}, kinds=content.kinds)
    entry = PrefabEntry.model_validate(record.fields, context=words)
    context = BuildContext(
        codes={kind: code for code, kind in enumerate(content.terrain_set.names)},
        palette=PaletteEntry.model_validate(main.fields),
        palette_fields=main.fields,
        legends={
            each: LegendEntry.model_validate(legend.data, context=words) for each, legend in legends.items()
        },
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
        legend=MappingProxyType(_legend(content, context, record)),
        glyphs=MappingProxyType(_glyphs(palette_places)),
        colours=MappingProxyType(_colours(palette_places)),
    )


def _read_again(content: Content, name: str, findings: Findings) -> Draft:
    """Return what the files that matter to a prefab say: those of it and of all that it is like, of legends and of palettes."""
    names, layers = (name, *content.bases_of(name)), []
    for number, root in enumerate(content.layers):
        layer = Layer(findings, {})
        for file in content_files(Path(root), findings, number):
            if _matters(file, names, content):
                layer.read(file, bytes_of(file, findings))
        # What else is in these files may be about prefabs in files that are not read.
        layer.records["prefab"] = {
            each: record for each, record in layer.records["prefab"].items() if each in names
        }
        layers.append(layer)
    return lay(layers, findings)


def _matters(file: File, names: Collection[str], content: Content) -> bool:
    """Tell whether a file may say anything of one of these prefabs, or of what characters mean."""
    what = held_in(file.place)
    if what == "prefab":
        # With mods any file may have a word about them.
        return len(content.layers) > 1 or file.shown in {
            content.sources["prefab", name].file for name in names
        }
    if what == DRAWING:
        return PurePosixPath(file.place).stem in names
    return what in ("legend", "palette")


def _legend(content: Content, context: BuildContext, record: Record) -> dict[str, Origin]:
    found: dict[str, Origin] = {}
    for name in context.legend_names(record):
        legend = context.legend_records[name]
        for char in legend.fields:
            if char != "extends":
                found[char] = _origin(f"legend {name}", content, legend, char)
    for char in record.fields.get("legend", {}):
        owner = record.owner("legend", str(char))
        where = "its own legend" if owner is record else f"the legend of {owner.name}"
        found[char] = _origin(where, content, owner, "legend", str(char))
    return found


def _origin(where: str, content: Content, record: Record, *path: str) -> Origin:
    """Return what says what a character means: the part of an entry to which a path leads."""
    within = ".".join(path) + "."
    changed = tuple(
        change.source
        for change in content.changes.get((record.kind, record.name), ())
        if any(key.startswith(within) for key in change.keys)
    )
    return Origin(where, record.source(*path, key=True), record, path, changed)


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
