"""Checks of what entries say of each other: names, parameters, the shape of the world."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dungeon.content.files import validate
from dungeon.registry import LAYOUTS, PLACINGS, Parameters
from dungeon.vocabulary import SPAWN_KINDS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dungeon.content.catalog import Catalog
    from dungeon.content.files import Findings, Record
    from dungeon.content.models import (
        Algorithm,
        EncounterEntry,
        MapEntry,
        PaletteEntry,
        PrefabEntry,
        SymbolEntry,
        WorldEntry,
    )
    from dungeon.content.selector import Selector
    from dungeon.registry import Layout, Placing
    from dungeon.vocabulary import SpawnKind

MAP_ID = re.compile(r"([^/]+)/(\d{1,4})")


@dataclass(frozen=True, slots=True)
class Names:
    """Every name that content may refer to, also of entries that are not valid themselves.

    Attributes:
        terrain: Name -> code.
        things: Kind of object -> tags.
        records: Kind of entry -> name -> the entry as written.
        weights: The weight words.
        catalog: The valid objects.
    """

    terrain: Mapping[str, int]
    things: Mapping[SpawnKind, Mapping[str, Record]]
    records: Mapping[str, Mapping[str, Record]]
    weights: Mapping[str, float]
    catalog: Catalog

    def stops(self, symbol: SymbolEntry) -> bool:
        """Tell whether a symbol's object may stop walkers for good: robots move, other things stay."""
        kind, selector = symbol.kind, symbol.selector
        if kind is None or selector is None or kind == "robot":
            return False
        return any(thing.blocks for thing in self.catalog.members(kind, selector))


def palette(
    entry: PaletteEntry, record: Record, path: Sequence[str], names: Names, findings: Findings
) -> None:
    """Check that a palette's characters, colours and terrain are what they should be."""
    for char, name in entry.glyphs.items():
        if len(char) != 1:
            findings.add(record, (*path, "glyphs", char), "one character is needed", value=char, key=True)
        if name not in names.terrain:
            findings.unknown(record, (*path, "glyphs", char), "terrain", name, names.terrain)
    for colour, name in entry.colours.items():
        if not re.fullmatch(r"#[0-9a-fA-F]{6}", colour):
            message = "a colour is written #rrggbb"
            findings.add(record, (*path, "colours", colour), message, value=colour, key=True)
        if name not in names.terrain:
            findings.unknown(record, (*path, "colours", colour), "terrain", name, names.terrain)


def legend(
    symbols: Mapping[str, SymbolEntry], record: Record, path: Sequence[str], names: Names, findings: Findings
) -> None:
    """Check that the terrain and the objects of a legend exist."""
    for char, symbol in symbols.items():
        check_symbol(symbol, record, (*path, char), names, findings)


def check_symbol(
    symbol: SymbolEntry, record: Record, path: Sequence[str | int], names: Names, findings: Findings
) -> None:
    """Check that the terrain and the object of one symbol exist."""
    if symbol.terrain is not None and symbol.terrain not in names.terrain:
        findings.unknown(record, (*path, "terrain"), "terrain", symbol.terrain, names.terrain)
    if symbol.kind is not None and symbol.selector is not None:
        _selector(symbol.kind, symbol.selector, record, (*path, symbol.kind), names, findings)


def _selector(
    kind: SpawnKind,
    selector: Selector,
    record: Record,
    path: Sequence[str | int],
    names: Names,
    findings: Findings,
) -> None:
    known = names.things[kind]
    if selector.tags is not None:
        for tag in dict.fromkeys(selector.tags.outcomes()):
            if tag not in known:
                findings.unknown(record, (*path, tag), kind, tag, known)
        return
    things = names.catalog.things[kind].values()
    classes = {name for thing in things for name in thing.classes}
    categories = {name for thing in things for name in thing.categories}
    for name in selector.classes:
        if name not in classes:
            findings.unknown(record, (*path, "class"), f"class of {kind}s", name, classes)
    for name in selector.categories:
        if name not in categories:
            findings.unknown(record, (*path, "category"), f"category of {kind}s", name, categories)


def prefab(entry: PrefabEntry, record: Record, names: Names, findings: Findings) -> None:
    """Check the names that a prefab uses."""
    for number, name in enumerate(entry.legends):
        if name not in names.records["legend"]:
            findings.unknown(record, ("legends", number), "legend", name, names.records["legend"])
    legend(entry.legend, record, ("legend",), names, findings)
    palette(entry.palette, record, ("palette",), names, findings)
    if entry.machine is not None and entry.machine not in names.things["prop"]:
        findings.unknown(record, ("machine",), "prop", entry.machine, names.things["prop"])


def _parameters(
    chosen: Algorithm,
    registry: Mapping[str, Layout[Parameters]] | Mapping[str, Placing[Parameters]],
    what: str,
    record: Record,
    key: str,
    findings: Findings,
) -> Parameters | None:
    """Return the validated parameters of a layout or placing mode."""
    algorithm = registry.get(chosen.name)
    if algorithm is None:
        findings.unknown(record, (key, chosen.name), what, chosen.name, registry, key=True)
        return None
    return validate(algorithm.params, record, findings, (key, chosen.name), chosen.params)


def encounters(
    entries: Mapping[str, EncounterEntry], names: Names, findings: Findings
) -> dict[str, Parameters]:
    """Check the encounters, and return the parameters of their placing modes."""
    known_tags = {
        tag: name
        for name, record in names.records["prefab"].items()
        if isinstance(record.data, dict) and isinstance(tags := record.data.get("tags", ()), list | tuple)
        for tag in tags
    }
    result = {}
    for name, entry in entries.items():
        record = names.records["encounter"][name]
        for number, each in enumerate(entry.prefabs):
            if each not in names.records["prefab"] and each not in known_tags:
                allowed = [*names.records["prefab"], *known_tags]
                findings.unknown(record, ("prefabs", number), "prefab or tag", each, allowed)
        for each, weight in entry.maps.items():
            if each not in names.records["map"]:
                findings.unknown(record, ("maps", each), "map", each, names.records["map"], key=True)
            if isinstance(weight, str) and weight not in names.weights:
                findings.unknown(record, ("maps", each), "weight word", weight, names.weights)
        params = _parameters(entry.placing, PLACINGS, "placing mode", record, "placing", findings)
        if params is not None:
            result[name] = params
    return result


def maps(entries: Mapping[str, MapEntry], names: Names, findings: Findings) -> dict[str, Parameters]:
    """Check the maps, and return the parameters of their layouts."""
    result = {}
    for name, entry in entries.items():
        record = names.records["map"][name]
        if entry.theme is not None and entry.theme not in names.records["theme"]:
            findings.unknown(record, ("theme",), "theme", entry.theme, names.records["theme"])
        for number, population in enumerate(entry.population):
            path = ("population", number)
            check_symbol(population, record, path, names, findings)
            if population.kind is None:
                findings.add(record, path, f"an object is needed here: {', '.join(SPAWN_KINDS)}")
        params = _parameters(entry.layout, LAYOUTS, "layout", record, "layout", findings)
        if params is not None:
            result[name] = params
            for key, wanted in params.prefabs().items():
                if wanted not in names.records["prefab"]:
                    at = ("layout", entry.layout.name, key)
                    findings.unknown(record, at, "prefab", wanted, names.records["prefab"])
    return result


def world(entry: WorldEntry, record: Record, names: Names, findings: Findings) -> None:
    """Check that every map id names a map, that the start exists and that every map can be reached from it."""
    ids = dict.fromkeys([entry.start, *entry.leads_to])
    places: dict[str, tuple[tuple[str | int, ...], bool]] = {
        each: (("leads_to", each), True) for each in entry.leads_to
    }
    places.setdefault(entry.start, (("start",), False))
    for source, targets in entry.leads_to.items():
        for number, target in enumerate(targets):
            ids.setdefault(target)
            places.setdefault(target, (("leads_to", source, number), False))
            if targets.index(target) != number:
                findings.add(
                    record, ("leads_to", source, number), "this exit stands here twice", value=target
                )
    for map_id in ids:
        path, key = places[map_id]
        match = MAP_ID.fullmatch(map_id)
        if match is None:
            findings.add(record, path, "a map id is written name/depth", value=map_id, key=key)
        elif match[1] not in names.records["map"]:
            findings.unknown(record, path, "map", match[1], names.records["map"], key=key)
    reached = [entry.start]
    for map_id in reached:
        reached += [target for target in entry.leads_to.get(map_id, ()) if target not in reached]
    for map_id in entry.leads_to:
        if map_id not in reached:
            findings.add(
                record, ("leads_to", map_id), "no way leads here from the start", value=map_id, key=True
            )
