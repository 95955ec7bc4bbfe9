"""From valid entries to what generation works with: terrain, themes, the catalog, prefabs."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from dungeon import terrain as t
from dungeon.content.catalog import Catalog, Thing
from dungeon.content.drawing import DEFAULT_GLYPHS, Meaning, read_drawing
from dungeon.content.models import TerrainEntry
from dungeon.content.planes import Drawn, text_planes, xp_planes
from dungeon.content.prefab import Prefab
from dungeon.grid.symmetry import Orientation

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from numpy.typing import NDArray

    from dungeon.content.files import Findings, Record
    from dungeon.content.models import Legend, PaletteEntry, PrefabEntry, SymbolEntry, ThemeEntry, ThingEntry
    from dungeon.vocabulary import SpawnKind

BLOCKING_KINDS = ("prop", "robot")
"""Kinds that stop walkers unless their entry says otherwise."""

PAINTABLE: dict[str, int] = {
    **{name: code for code, name in enumerate(t.BASE_NAMES)},
    **{str(digit): t.FLOOR_0 + digit for digit in range(10)},
}
"""What a theme can give a look to -> its code."""


def terrain_codes(own: Iterable[str]) -> dict[str, int]:
    """Return name -> code of all terrain, the author's own included.

    Those are numbered by name, so that their order in the file does not matter.
    """
    names = [kind.name for kind in t.BUILT_IN_KINDS]
    names += sorted(set(own).difference(names))
    return {name: code for code, name in enumerate(names[: t.MAX_KINDS])}


def build_terrain(entries: Mapping[str, TerrainEntry], codes: Mapping[str, int]) -> t.TerrainSet:
    """Return the terrain set; a kind whose entry is not valid is a floor."""
    kinds = {kind.name: kind for kind in t.BUILT_IN_KINDS}
    built_in = dict(kinds)
    for name in codes:
        entry = entries.get(name)
        if entry is None:
            if name in built_in:
                continue
            entry = TerrainEntry()
        # An entry of a built-in name changes its look, not its nature.
        like = built_in.get(name, built_in[entry.like])
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
    return t.TerrainSet(tuple(kinds[name] for name in codes))


def _or(value: bool | None, otherwise: bool) -> bool:  # noqa: FBT001
    return otherwise if value is None else value


def build_themes(entries: Mapping[str, ThemeEntry], codes: Mapping[str, int]) -> dict[str, NDArray[np.uint8]]:
    """Return theme -> (256,) uint8, the code that every code is painted as."""
    themes = {}
    for theme, entry in entries.items():
        table = np.arange(256, dtype=np.uint8)
        for name, becomes in entry.root.items():
            table[PAINTABLE[name]] = codes.get(becomes, t.FLOOR)
        table.flags.writeable = False
        themes[theme] = table
    return themes


def build_catalog(
    entries: Mapping[SpawnKind, Mapping[str, ThingEntry]], weights: Mapping[str, float]
) -> Catalog:
    """Return the catalog of all objects."""
    things: dict[SpawnKind, Mapping[str, Thing]] = {}
    for kind, catalog in entries.items():
        made = {}
        for tag, entry in catalog.items():
            weight = weights.get(entry.weight, 0.0) if isinstance(entry.weight, str) else entry.weight
            made[tag] = Thing(
                kind=kind,
                tag=tag,
                name=entry.name,
                glyph=entry.glyph,
                fg=entry.fg,
                classes=entry.classes,
                categories=entry.categories,
                depth=entry.depth,
                weight=weight,
                blocks=_or(entry.blocks, kind in BLOCKING_KINDS),
                opaque=entry.opaque,
                light=entry.light,
                data=MappingProxyType(entry.data),
            )
        things[kind] = MappingProxyType(made)
    return Catalog(MappingProxyType(things))


@dataclass(frozen=True, slots=True, kw_only=True)
class Makings:
    """What drawings are read with.

    Attributes:
        codes: Name of terrain -> code.
        palette: What ``palette.yaml`` says, or None if it is not valid.
        palette_fields: What it says as written.
        legends: The valid legends by name.
        legend_records: All legends as written.
        stops: Tells whether an object of that symbol will stop walkers for good.
        whole: Whether every file with legends or palettes could be read.
    """

    codes: Mapping[str, int]
    palette: PaletteEntry | None
    palette_fields: Mapping[str, Any]
    legends: Mapping[str, Legend]
    legend_records: Mapping[str, Record]
    stops: Callable[[SymbolEntry], bool]
    whole: bool
    glyphs: Mapping[str, str] = field(init=False)

    def __post_init__(self) -> None:
        own = self.palette.glyphs if self.palette else {}
        object.__setattr__(self, "glyphs", DEFAULT_GLYPHS | own)

    def meaning(self, record: Record, entry: PrefabEntry | None) -> Meaning:
        """Return what the characters and colours of a prefab's drawing may mean.

        What is not valid has been reported; its characters count as known, so that it is reported just once.
        """
        raw = record.fields
        legend: dict[str, SymbolEntry] = {}
        unclear: set[str] = set()
        whole = self.whole
        for name in _words(raw.get("legends")):
            if name in self.legends:
                legend |= self.legends[name]
            elif name in self.legend_records and isinstance(self.legend_records[name].data, dict):
                unclear |= set(self.legend_records[name].fields)
            else:
                whole = False
        glyphs, nearest = self.glyphs, False
        colours: dict[str, str] = {}
        palettes = [self.palette, entry.palette if entry else None]
        for palette in palettes:
            if palette is not None:
                colours |= {colour.lower(): name for colour, name in palette.colours.items()}
                nearest = nearest if palette.match is None else palette.match == "nearest"
        if entry is not None:
            legend |= entry.legend
            glyphs = {**glyphs, **entry.palette.glyphs} if entry.palette.glyphs else glyphs
        else:
            unclear |= _keys(raw.get("legend")) | _keys(_field(raw.get("palette"), "glyphs"))
            kinds = {"legend": dict, "legends": list | str, "palette": dict}
            whole = whole and all(isinstance(raw[key], kind) for key, kind in kinds.items() if key in raw)
        if self.palette is None:
            unclear |= _keys(self.palette_fields.get("glyphs"))
        return Meaning(
            legend=legend,
            glyphs=glyphs,
            colours=colours,
            nearest=nearest,
            codes=self.codes,
            stops=self.stops,
            unclear=unclear,
            whole=whole,
            colours_whole=self.palette is not None and (entry is not None or "palette" not in raw),
        )


def _words(raw: object) -> list[str]:
    listed = raw if isinstance(raw, list) else [raw]
    return [str(word) for word in listed if isinstance(word, str | int)]


def _field(raw: object, key: str) -> object:
    return raw.get(key) if isinstance(raw, dict) else None


def _keys(raw: object) -> set[str]:
    return set(raw) if isinstance(raw, dict) else set()


def build_prefab(
    record: Record,
    entry: PrefabEntry | None,
    drawn: Drawn | None,
    makings: Makings,
    drawings: Collection[str],
    findings: Findings,
) -> Prefab | None:
    """Read the drawing of a prefab, and return the prefab if everything about it is right.

    Args:
        record: The entry as written.
        entry: The entry, or None if it is not valid; its drawing is looked at all the same.
        drawn: Its .xp file, if there is one.
        makings: What to read the drawing with.
        drawings: The names of all .xp files.
        findings: Takes what is wrong.
    """
    if drawn is not None:
        planes = xp_planes(record, drawn, findings)
    else:
        planes = text_planes(record, drawings, findings)
    if not planes:
        return None
    meaning = makings.meaning(record, entry)
    drawing, problems = read_drawing(planes, meaning, record.label)
    findings.take(problems)
    if entry is None or problems:
        return None
    return Prefab(
        name=record.name,
        drawing=drawing,
        legend=MappingProxyType(dict(meaning.legend)),
        orientations=tuple(Orientation.named(label) for label in entry.orientations),
        machine=entry.machine,
        tags=entry.tags,
    )
