"""From valid entries to what generation works with: terrain, themes, the catalog, prefabs."""

from __future__ import annotations

from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from dungeon import terrain as t
from dungeon.content.catalog import Catalog, Thing
from dungeon.content.drawing import DEFAULT_GLYPHS, PLANE_NAMES, Meaning, Plane, plane_of_layer, read_drawing
from dungeon.content.models import PaletteEntry, TerrainEntry
from dungeon.content.prefab import Prefab
from dungeon.errors import Problem, Source
from dungeon.grid.symmetry import Orientation

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from dungeon.content.check import Names
    from dungeon.content.files import Findings, Record
    from dungeon.content.models import PrefabEntry, SymbolEntry, ThemeEntry, ThingEntry
    from dungeon.content.rexpaint import XpLayer
    from dungeon.vocabulary import SpawnKind

BLOCKING_KINDS = ("prop", "robot")
"""Kinds that stop walkers unless their entry says otherwise."""


def build_terrain(
    entries: Mapping[str, TerrainEntry], records: Mapping[str, Record]
) -> tuple[t.TerrainSet, dict[str, int]]:
    """Return the terrain set, and name -> code for every name, also of entries that are not valid.

    An author's kinds are numbered by name, so that their order in the file does not matter.
    """
    kinds = {kind.name: kind for kind in t.BUILT_IN_KINDS}
    codes = {kind.name: code for code, kind in enumerate(t.BUILT_IN_KINDS)}
    for name in sorted(records):
        codes.setdefault(name, min(len(codes), t.MAX_KINDS))
        entry = entries.get(name, TerrainEntry())
        # An entry of a built-in name changes its look, not its nature.
        like = kinds[name] if name in t.BASE_NAMES else kinds[entry.like]
        kinds[name] = t.TerrainKind(
            name=name,
            base=like.base,
            walkable=_or(entry.walkable, like.walkable),
            transparent=_or(entry.transparent, like.transparent),
            diggable=_or(entry.diggable, like.diggable),
            glyph=entry.glyph or like.glyph,
            fg=entry.fg or like.fg,
            bg=entry.bg or like.bg,
        )
    ordered = sorted(kinds.values(), key=lambda kind: codes[kind.name])
    return t.TerrainSet(tuple(ordered[: t.MAX_KINDS])), codes


def _or(value: bool | None, otherwise: bool) -> bool:  # noqa: FBT001
    return otherwise if value is None else value


def build_themes(
    entries: Mapping[str, ThemeEntry],
    records: Mapping[str, Record],
    codes: Mapping[str, int],
    findings: Findings,
) -> dict[str, NDArray[np.uint8]]:
    """Return theme -> (256,) uint8, the code that every code is painted as."""
    paintable = {**{name: codes[name] for name in t.BASE_NAMES}, **{str(i): t.FLOOR_0 + i for i in range(10)}}
    themes = {}
    for theme, entry in entries.items():
        table = np.arange(256, dtype=np.uint8)
        for name, becomes in entry.terrain.items():
            if name not in paintable:
                findings.unknown(
                    records[theme], (name,), "built-in terrain or digit", name, paintable, key=True
                )
            elif becomes not in codes:
                findings.unknown(records[theme], (name,), "terrain", becomes, codes)
            else:
                table[paintable[name]] = codes[becomes]
        table.flags.writeable = False
        themes[theme] = table
    return themes


def build_catalog(
    entries: Mapping[SpawnKind, Mapping[str, ThingEntry]],
    records: Mapping[str, Mapping[str, Record]],
    weights: Mapping[str, float],
    findings: Findings,
) -> Catalog:
    """Return the catalog of all objects."""
    things: dict[SpawnKind, Mapping[str, Thing]] = {}
    for kind, catalog in entries.items():
        made = {}
        for tag, entry in catalog.items():
            weight = weights.get(entry.weight) if isinstance(entry.weight, str) else entry.weight
            if weight is None:
                findings.unknown(records[kind][tag], ("weight",), "weight word", str(entry.weight), weights)
            made[tag] = Thing(
                kind=kind,
                tag=tag,
                name=entry.name,
                glyph=entry.glyph,
                fg=entry.fg,
                classes=entry.classes,
                categories=entry.categories,
                depth=entry.depth,
                weight=weight or 0.0,
                blocks=_or(entry.blocks, kind in BLOCKING_KINDS),
                opaque=entry.opaque,
                light=entry.light,
                data=MappingProxyType(entry.data),
            )
        things[kind] = MappingProxyType(made)
    return Catalog(MappingProxyType(things))


def build_prefab(
    entry: PrefabEntry,
    record: Record,
    layers: tuple[list[XpLayer], str] | None,
    palette: PaletteEntry,
    shared: Mapping[str, Mapping[str, SymbolEntry]],
    names: Names,
    findings: Findings,
) -> Prefab | None:
    """Return the prefab of an entry and its drawing, or None where there is no drawing to read."""
    legend: dict[str, SymbolEntry] = {}
    for name in entry.legends:
        legend |= shared.get(name, {})
    legend |= entry.legend
    own = entry.palette
    merged = PaletteEntry(
        glyphs=DEFAULT_GLYPHS | palette.glyphs | own.glyphs,
        colours={colour.lower(): name for colour, name in (palette.colours | own.colours).items()},
        match=own.match or palette.match,
    )
    planes = _xp_planes(record, layers, findings) if layers else _text_planes(entry, record, findings)
    if planes is None:
        return None
    drawing, problems = read_drawing(
        planes, Meaning(legend, merged, names.terrain, names.stops), record.label
    )
    findings.problems += problems
    return Prefab(
        name=record.name,
        drawing=drawing,
        legend=MappingProxyType(legend),
        orientations=tuple(Orientation.named(label) for label in entry.orientations),
        machine=entry.machine,
        tags=entry.tags,
    )


def _xp_planes(record: Record, layers: tuple[list[XpLayer], str], findings: Findings) -> list[Plane] | None:
    """Return the planes of an .xp drawing."""
    drawn, file = layers
    for name in PLANE_NAMES:
        if isinstance(record.data, dict) and name in record.data:
            findings.add(record, (name,), f"{file} draws this prefab already", value=name, key=True)
    if len(drawn) > len(PLANE_NAMES):
        message = f"{file} has {len(drawn)} layers; a prefab has at most {len(PLANE_NAMES)}"
        findings.add(record, (), message, key=True)
    return [plane_of_layer(layer, partial(_cell_of_xp, file)) for layer in drawn[: len(PLANE_NAMES)]] or None


def _cell_of_xp(file: str, y: int, x: int) -> Source:
    """Return the place of a cell of a drawing: its row and column, counted from 1."""
    return Source(file=file, line=y + 1, column=x + 1)


def _text_planes(entry: PrefabEntry, record: Record, findings: Findings) -> list[Plane] | None:
    """Return the planes of a text drawing, or None after saying why they can't be read."""
    if entry.map is None:
        findings.add(record, (), "it has neither a map nor an .xp drawing of its name", key=True)
        return None
    texts = {name: getattr(entry, name) for name in PLANE_NAMES}
    planes: list[Plane] = []
    for name, text in texts.items():
        if text is None:  # nothing on this layer
            rows = [" " * planes[0].shape[1]] * planes[0].shape[0]
        else:
            rows = text.rstrip("\n").split("\n")
        plane = Plane(rows, partial(_cell_of_text, record, name))
        if not _is_even(plane, name, record, findings):
            return None
        if planes and plane.shape != planes[0].shape:
            (height, width), (rows_here, columns) = planes[0].shape, plane.shape
            message = f"the {name} are {columns}x{rows_here} cells, the map is {width}x{height}"
            findings.add(record, (name,), message)
            return None
        planes.append(plane)
    last = max(i for i, text in enumerate(texts.values()) if text is not None)
    return planes[: last + 1]


def _cell_of_text(record: Record, name: str, y: int, x: int) -> Source:
    """Return the place of a cell of a text map in its YAML file."""
    mark = record.mark(name)
    if mark.indent < 0:
        return Source(file=record.file, line=mark.line, column=mark.column)
    return Source(file=record.file, line=mark.line + 1 + y, column=mark.indent + 1 + x)


def _is_even(plane: Plane, name: str, record: Record, findings: Findings) -> bool:
    """Tell whether a plane's rows are all as long as the first, and there are any; report those that are not."""
    width = plane.shape[1]
    if not width:
        findings.add(record, (name,), "the drawing, or its first row, is empty")
        return False
    ragged = [(y, len(row)) for y, row in enumerate(plane.chars) if len(row) != width]
    for y, length in ragged:
        message = f"row {y + 1} has {length} cells, row 1 has {width}"
        findings.problems.append(Problem(source=plane.where(y, 0), entry=record.label, message=message))
    return not ragged
