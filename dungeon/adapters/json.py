"""Write a level as JSON, and read it back. Levels that earlier versions of the library wrote can be read, too.

Arrays are hexadecimal text, one string per row: two digits per cell for terrain, four for regions. Everything
else has the structure of the dataclasses. Every field is validated when it is read.
"""

from __future__ import annotations

import json
import re
from dataclasses import fields, is_dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from dungeon.core.errors import A_LEVEL, check_type
from dungeon.core.vocabulary import SPAWN_KINDS, SpawnKind
from dungeon.grid.rect import Cell, Rect
from dungeon.level.journal import Decision
from dungeon.level.model import (
    Connection,
    Door,
    Exit,
    Level,
    Light,
    Lock,
    Marker,
    Placement,
    Portal,
    Region,
    Spawn,
    Zone,
    doors_of,
)
from dungeon.terrain import BUILT_IN, TerrainKind, TerrainSet

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray
    from pydantic import TypeAdapter


def to_json(level: Level) -> str:
    """Return the level as JSON, with a line for each exit, spawn, row of cells...; equal levels give equal text.

    Example:
        >>> json.loads(dungeon.to_json(level))["id"]
        'foundry/3'
    """
    check_type(level, Level, "to_json", A_LEVEL)
    data: dict[str, Any] = {"format": FORMAT}
    parts = _adapters()
    for name, part in parts.items():
        if name == "terrain_kinds":
            continue
        # pydantic does not know `Frozen` mappings, so they are converted to dicts.
        data[name] = part.dump_python(getattr(level, name), mode="json", fallback=dict, warnings="none")
    for spawn in data["spawns"]:
        for each in (spawn, *spawn["loadout"]):
            each["keywords"] = _sorted(each["keywords"])
    for marker in data["markers"]:
        marker["data"] = _sorted(marker["data"])
    data["terrain_kinds"] = parts["terrain_kinds"].dump_python(level.terrain_set.kinds, mode="json")
    for name, dtype in ARRAYS.items():
        data[name] = [row.tobytes().hex() for row in getattr(level, name).astype(dtype)]
    written = ",\n".join(f"{_encode(name)}: {_in_lines(part)}" for name, part in data.items())
    return f"{{\n{written}\n}}\n"


def _in_lines(part: object) -> str:
    """Return a part of a level as JSON; a list of objects or texts has a line for each of them."""
    # Not by the `indent` of `json.dumps`: then code in Python writes the text, and the whole call takes twice as long.
    if not isinstance(part, list) or not part or isinstance(part[0], int):
        return _encode(part)
    lines = ",\n".join(_encode(each) for each in part)
    return f"[\n{lines}\n]"


def from_json(text: str) -> Level:
    """Return the level that `to_json` wrote, in this version of the library or an earlier one.

    Raises:
        ValueError: The text is no level, or a newer version wrote it; the message names the first wrong field.

    Example:
        >>> dungeon.from_json(dungeon.to_json(level)) == level
        True
    """
    check_type(text, (str, bytes), "from_json", "the text that to_json wrote")
    try:
        data = json.loads(text, object_pairs_hook=_object)
    except RecursionError:
        raise ValueError("this is not a level: it is nested too deeply") from None
    version = _version(data)
    lacks_doors = version < FIRST_WITH_DOORS
    later = {key: value for key, (since, value) in SINCE.items() if version < since}
    known = {"format", *SHAPES, *ARRAYS} - {*later, "connections" if lacks_doors else ""}
    missing, unknown = sorted(known - set(data)), sorted(set(data) - known)
    if missing or unknown:
        raise ValueError(f"this is not a level: missing keys {missing}, unknown keys {unknown}")
    data = {**later, **(_with_connections(data) if lacks_doors else data)}
    parts: dict[str, Any] = {}
    for name, part in _adapters().items():
        try:
            parts[name] = part.validate_python(data[name])
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from None
        for fault in _strange_keys(name, data[name], parts[name], lacks=version == VERSION):
            raise ValueError(fault)
    kinds = parts.pop("terrain_kinds")
    if len(kinds) < BUILT_IN:
        raise ValueError(
            f"terrain_kinds: a level needs at least {BUILT_IN} kinds of terrain, not {len(kinds)}"
        )
    for name, dtype in ARRAYS.items():
        parts[name] = _array(data[name], dtype, name)
    terrain_set = TerrainSet(kinds)
    if lacks_doors:
        parts["doors"] = doors_of(parts["terrain"], terrain_set, parts["locks"])
    level = Level(terrain_set=terrain_set, **parts)
    for fault in _faults(level):
        raise ValueError(fault)
    return level


_encode = json.JSONEncoder(ensure_ascii=False).encode

NAME = "tcod-dungeon level "
VERSION = 8
FORMAT = f"{NAME}{VERSION}"

SHOWN = 40
"""Maximum number of characters of an unknown format in a message."""

FIRST_WITH_DOORS = 7
"""The first version of the format that lists doors. Earlier versions use the key `doors` for connections."""

SINCE: dict[str, tuple[int, Any]] = {
    "locks": (2, []),
    "zones": (3, []),
    "portals": (4, []),
    "own_kinds": (6, {}),
    "markers": (8, []),
    "ways_back": (8, []),
}
"""Key -> the first version of the format that has it, and its value for levels of earlier versions.

Spawns of the first four versions have no groups, patrols and loadouts.
"""

ARRAYS: dict[str, str] = {"terrain": ">u1", "region": ">u2"}
"""The arrays and their dtypes in the file: big-endian, so that the digits read as numbers."""


SHAPES: dict[str, Any] = {
    "id": str,
    "name": str,
    "depth": int,
    "seed": int,
    "retries": int,
    "own_kinds": dict[str, SpawnKind],
    "entrance": Cell,
    "exits": tuple[Exit, ...],
    "regions": tuple[Region, ...],
    "connections": tuple[Connection, ...],
    "doors": tuple[Door, ...],
    "placements": tuple[Placement, ...],
    "spawns": tuple[Spawn, ...],
    "lights": tuple[Light, ...],
    "locks": tuple[Lock, ...],
    "zones": tuple[Zone, ...],
    "portals": tuple[Portal, ...],
    "markers": tuple[Marker, ...],
    "ways_back": tuple[Exit, ...],
    "journal": tuple[Decision, ...],
    "terrain_kinds": tuple[TerrainKind, ...],
}
"""Key -> the type of its value."""


@cache
def _adapters() -> dict[str, TypeAdapter[Any]]:
    """Return key of the JSON -> the pydantic adapter that writes and reads its value. Each adapter is built when it is first used."""
    from pydantic import ConfigDict, TypeAdapter  # noqa: PLC0415 - few programs keep levels so

    config = ConfigDict(defer_build=True)
    return {name: TypeAdapter(shape, config=config) for name, shape in SHAPES.items()}


def _sorted(keywords: object) -> object:
    """Return an object's `keywords` with the keys of all nested dicts sorted.

    `keywords` are YAML that the library does not interpret. Sorted, the JSON does not depend on their order in content files.
    """
    if isinstance(keywords, dict):
        return {key: _sorted(keywords[key]) for key in sorted(keywords)}
    return [_sorted(each) for each in keywords] if isinstance(keywords, list) else keywords


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object as a dict. ValueError if a key occurs twice."""
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(key for number, (key, _) in enumerate(pairs) if key in dict(pairs[:number]))
        raise ValueError(f"this is not a level: a JSON object has the key {twice!r} twice")
    return found


def _strange_keys(where: str, data: Any, value: object, *, lacks: bool) -> Iterator[str]:
    """Yield a message for each object in the JSON with unknown keys or, if `lacks` is True, with missing keys.

    Args:
        where: The path of the value, for messages: ``spawns.3``.
        data: The value as read from JSON.
        value: The dataclass, or tuple of dataclasses, that was made from it.
        lacks: Whether missing keys are reported.
    """
    if is_dataclass(value):
        names = {each.name for each in fields(value)}
        unknown, missing = sorted(data.keys() - names), sorted(names - data.keys()) if lacks else []
        if unknown or missing:
            yield f"{where}: an object has missing keys {missing} and unknown keys {unknown}"
        for name in names & data.keys():
            yield from _strange_keys(f"{where}.{name}", data[name], getattr(value, name), lacks=lacks)
    elif isinstance(value, tuple) and value and is_dataclass(value[0]):
        for number, (part, each) in enumerate(zip(data, value, strict=True)):
            yield from _strange_keys(f"{where}.{number}", part, each, lacks=lacks)


def _version(data: object) -> int:
    """Return the number of the format's version that a level was written in. ValueError if it is unknown or newer than this library."""
    found = data.get("format") if isinstance(data, dict) else None
    known = {f"{NAME}{number}": number for number in range(1, VERSION + 1)}
    if isinstance(found, str) and found in known:
        return known[found]
    if isinstance(found, str) and re.fullmatch(f"{NAME}[1-9][0-9]*", found):
        raise ValueError(
            f"a newer version of the library wrote this level: its format is {found[:SHOWN]!r}, "
            f"and this version reads up to {FORMAT!r}"
        )
    raise ValueError(f"this is not a level: its format is not {FORMAT!r}")


def _with_connections(data: dict[str, Any]) -> dict[str, Any]:
    """Return the data of a level before version 7 with the key `doors` renamed to `connections`."""
    regions = data["regions"]
    if isinstance(regions, list):
        regions = [
            {"connections" if key == "doors" else key: value for key, value in each.items()}
            if isinstance(each, dict)
            else each
            for each in regions
        ]
    return {**data, "regions": regions, "connections": data["doors"], "doors": []}


def _faults(level: Level) -> Iterator[str]:
    """Yield a message for each wrong value that would make drawing the level fail.

    Whether the level can be played is checked by `prove`.
    """
    yield from _places_off_the_map(level)
    things = [each for spawn in level.spawns for each in (spawn, *spawn.loadout)]
    for spawn in things:
        if spawn.like != level.own_kinds.get(spawn.kind, spawn.kind) or spawn.like not in SPAWN_KINDS:
            yield f"spawns: {spawn.tag!r} has the kind {spawn.kind!r}, like {spawn.like!r}, which is unknown"
        if any(len(glyph) != 1 for glyph in (spawn.glyph, *spawn.glyphs)):
            yield f"spawns: {spawn.tag!r} must have exactly one character per cell"
        if spawn.glyphs and len(spawn.glyphs) != len(spawn.cells):
            yield f"spawns: {spawn.tag!r} has {len(spawn.glyphs)} characters for {len(spawn.cells)} cells"
    tints = [each.tint for each in level.placements if each.tint is not None]
    for colour in [
        *(spawn.fg for spawn in things),
        *(light.colour for light in level.lights),
        *tints,
    ]:
        if not all(0 <= part <= 255 for part in colour):
            yield f"the parts of a colour must be 0 to 255, not {colour}"


def _places_off_the_map(level: Level) -> Iterator[str]:
    """Yield a message for each cell or rectangle in a level that is not on the map."""
    whole = Rect(0, 0, level.height, level.width)
    places = [("entrance", Rect(*level.entrance, 1, 1))]
    for name in ("exits", "connections", "doors", "spawns", "lights", "locks", "markers", "ways_back"):
        places += [(name, Rect(each.y, each.x, 1, 1)) for each in getattr(level, name)]
    places += [("portals", Rect(*cell, 1, 1)) for each in level.portals for cell in (each.begin, each.end)]
    places += [("spawns", Rect(*cell, 1, 1)) for spawn in level.spawns for cell in spawn.cells]
    places += [("spawns", Rect(*cell, 1, 1)) for spawn in level.spawns for cell in spawn.patrol]
    places += [("zones", Rect(*gate, 1, 1)) for zone in level.zones for gate in zone.gates]
    places += [("regions", region.bounds) for region in level.regions]
    places += [("placements", placement.bounds) for placement in level.placements]
    for name, place in places:
        if place.height < 0 or place.width < 0 or not whole.encloses(place):
            yield f"{name}: {place} is not on a map of {level.height}x{level.width}"


def _array(rows: object, dtype: str, name: str) -> NDArray[Any]:
    """Return an array from rows of hexadecimal digits; ValueError if they are no such rows."""
    if not isinstance(rows, list) or not rows or not all(isinstance(row, str) for row in rows):
        raise ValueError(f"{name}: must be a list of rows in hexadecimal")
    try:
        cells = [np.frombuffer(bytes.fromhex(row), dtype) for row in rows]
        return np.array(cells).astype(dtype[1:])
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None
