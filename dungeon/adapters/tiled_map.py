"""Convert levels to maps of the editor Tiled and back. A part is a layer of objects (spawns, lights...); an item is one of its objects as the level's JSON has it.

Both directions go through the level's JSON, so that an edited map is validated like any level that is read.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from dungeon.adapters.json import from_json, to_json
from dungeon.adapters.tmj import (
    SIDE,
    Layer,
    Property,
    Sheet,
    TiledMap,
    TmjObject,
    objects_in,
    png,
    properties_of,
    read_map,
    tile_layer,
    types_in,
    values_of,
    write_map,
)
from dungeon.level.model import doors_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dungeon.level.model import Level

NAMED: dict[str, tuple[str, str]] = {
    "placements": ("encounter", "category"),
    "spawns": ("tag", "kind"),
    "exits": ("leads_to", ""),
    "lights": ("", ""),
    "locks": ("word", ""),
    "portals": ("kind", ""),
    "markers": ("name", ""),
    "ways_back": ("leads_to", ""),
    "entrance": ("", ""),
}
"""Layer of objects -> the JSON fields that become the objects' name and class; empty for none."""

SHOWN = ("id", "name", "depth", "seed")
"""The JSON fields that become properties of the map."""

COLOURS = ("fg", "colour")


def written(level: Level, name: str) -> dict[str, bytes]:
    """Return a level as files for Tiled, file name -> bytes, as `to_tiled` does; `name` is their name without an ending."""
    data = json.loads(to_json(level))
    sheet = Sheet()
    kinds = level.terrain_set.kinds
    tiles = np.array([sheet.tile(kind.glyph, kind.fg, kind.bg, kind.name) for kind in kinds], np.uint32)
    for spawn in level.spawns:
        sheet.tile(spawn.glyph, spawn.fg)
    del data["terrain"], data["doors"]  # both follow from the tiles
    y, x = data["entrance"]
    data["entrance"] = [{"y": y, "x": x}]
    layers, first = [tile_layer(1, "terrain", tiles[level.terrain])], 1
    numbers = {index: index + 1 for index in range(len(level.placements))}  # placements are the first objects
    for part in NAMED:
        items = data.pop(part)
        things = tuple(_thing(part, item, first + at, numbers, sheet) for at, item in enumerate(items))
        layers.append(
            Layer(id=len(layers) + 1, name=part, type="objectgroup", draworder="index", objects=things)
        )
        first += len(things)
    shown = {key: data.pop(key) for key in SHOWN}
    tiled = TiledMap(
        width=level.width, height=level.height, tilewidth=SIDE, tileheight=SIDE, layers=tuple(layers),
        nextlayerid=len(layers) + 1, nextobjectid=first, tilesets=(sheet.tileset(f"{name}.png"),),
        properties=properties_of({**shown, "level": json.dumps(data, ensure_ascii=False)}),
    )  # fmt: skip
    return {f"{name}.tmj": write_map(tiled), f"{name}.png": png(sheet.picture())}


def _thing(
    part: str, item: dict[str, Any], number: int, numbers: Mapping[int, int], sheet: Sheet
) -> TmjObject:
    """Return an item of the level's JSON as an object of Tiled.

    Args:
        part: The layer: a key of `NAMED`.
        item: The item. The function may remove keys from this dict.
        number: The id of the new object.
        numbers: Index of a placement -> the id of its object.
        sheet: The tiles; a spawn's tile is added.
    """
    name, kind = NAMED[part]
    gid = None
    if part == "spawns":
        gid = sheet.tile(item["glyph"], tuple(item["fg"]))
        item = {**_changed(item, -item["y"], -item["x"], numbers), "y": item["y"], "x": item["x"]}
    y, x, height, width = item.pop("bounds", None) or (item.pop("y"), item.pop("x"), 1, 1)
    named, typed = item.pop(name, ""), item.pop(kind, "")
    plain, properties, more = {}, [], {}
    for key, value in item.items():
        if part == "spawns" and key == "placement":
            properties.append(Property(name=key, type="object", value=value or 0))
        elif key in COLOURS:
            properties.append(Property(name=key, type="color", value="#ff" + bytes(value).hex()))
        elif isinstance(value, str | int):
            plain[key] = value
        else:
            more[key] = value
    if more:
        plain["more"] = json.dumps(more, ensure_ascii=False)
    return TmjObject(
        id=number, name=named, type=typed, x=x * SIDE, y=y * SIDE, width=width * SIDE, height=height * SIDE, gid=gid,
        properties=(*properties_of(plain), *properties),
    )  # fmt: skip


def _changed(spawn: Mapping[str, Any], dy: int, dx: int, numbers: Mapping[int, int]) -> dict[str, Any]:
    """Return a copy of a spawn in JSON, moved by `dy` rows and `dx` columns, together with its loadout.

    `placement` is replaced, too, since Tiled names a placement by the id of its object, and the level's JSON by its index.

    Args:
        spawn: The spawn in JSON.
        dy: The number of rows by which it is moved down.
        dx: The number of columns by which it is moved to the right.
        numbers: Old value of `placement` -> its new value. A value that is missing here becomes None.
    """
    return {
        **spawn,
        "y": spawn["y"] + dy,
        "x": spawn["x"] + dx,
        "cells": [[y + dy, x + dx] for y, x in spawn["cells"]],
        "patrol": [[y + dy, x + dx] for y, x in spawn["patrol"]],
        "placement": numbers.get(spawn["placement"]),
        "loadout": [_changed(held, dy, dx, numbers) for held in spawn["loadout"]],
    }


def read(text: str | bytes) -> Level:
    """Return the level of a .tmj file: the work of `from_tiled`, with the same errors."""
    tiled = read_map(text)
    said = values_of(tiled.properties)
    if "level" not in said:
        raise ValueError("this is not a level: the map has no property 'level'")
    data = _object(said["level"], "the property 'level' of the map")
    data |= {key: said.get(key) for key in SHOWN}
    data["terrain"] = _terrain(tiled, data)
    numbers = {thing.id: at for at, thing in enumerate(objects_in(tiled, "placements"))}
    for part in NAMED:
        data[part] = []
        for thing in objects_in(tiled, part):
            try:
                data[part].append(_item(part, thing, tiled, numbers))
            except (KeyError, TypeError, ValueError, RecursionError) as error:
                raise ValueError(f"{part}: the object {thing.id} can't be read: {error!r}") from None
    if len(data["entrance"]) != 1:
        raise ValueError(f"a level must have one entrance, not {len(data['entrance'])}")
    data["entrance"] = [data["entrance"][0]["y"], data["entrance"][0]["x"]]
    level = from_json(json.dumps({"doors": [], **data}))
    return replace(level, doors=doors_of(level.terrain, level.terrain_set, level.locks))


def _terrain(tiled: TiledMap, data: Mapping[str, Any]) -> list[str]:
    """Return the terrain rows as hexadecimal text, as the JSON has them."""
    kinds = data.get("terrain_kinds")
    names = [kind.get("name") for kind in kinds if isinstance(kind, dict)] if isinstance(kinds, list) else []
    if not 0 < len(names) <= 256 or not all(isinstance(name, str) for name in names):
        raise ValueError("the property 'level' of the map has no valid terrain_kinds")
    codes = {name: code for code, name in enumerate(names)}
    rows = []
    for y, row in enumerate(types_in(tiled, "terrain")):
        unknown = [(x, name) for x, name in enumerate(row) if name not in codes]
        if unknown:
            x, name = unknown[0]
            raise ValueError(f"terrain: the tile at y {y}, x {x} is no terrain kind of the level: {name!r}")
        rows.append(bytes(codes[name] for name in row).hex())
    return rows


def _item(part: str, thing: TmjObject, tiled: TiledMap, numbers: Mapping[int, int]) -> dict[str, Any]:
    """Return an object of Tiled as an item of the level's JSON.

    Args:
        part: The layer: a key of `NAMED`.
        thing: The object.
        tiled: The map.
        numbers: Id of the object of a placement -> its index.
    """
    item = values_of(thing.properties)
    item |= _object(item.pop("more", "{}"), "the property 'more'")
    for key, value in zip(NAMED[part], (thing.name, thing.type), strict=True):
        if key:
            item[key] = value
    for key in COLOURS:
        if key in item:
            if not isinstance(item[key], str) or not re.fullmatch("#?([0-9a-fA-F]{2}){3,4}", item[key]):
                raise ValueError(f"{item[key]!r} is no colour")
            item[key] = list(bytes.fromhex(item[key].removeprefix("#")))[-3:]
    y, x = round(thing.y / tiled.tileheight), round(thing.x / tiled.tilewidth)
    if part == "placements":
        item["bounds"] = [y, x, round(thing.height / tiled.tileheight), round(thing.width / tiled.tilewidth)]
        return item
    if part == "spawns":
        if type(item["placement"]) is not int:  # ids of deleted objects become None in `_changed`
            raise ValueError(
                f"{item['placement']!r} is not the id of an object, as the property 'placement' of a spawn must be"
            )
        return _changed({**item, "y": 0, "x": 0}, y, x, numbers)
    return {**item, "y": y, "x": x}


def _object(text: object, what: str) -> dict[str, Any]:
    """Return the JSON object that a text holds. ValueError if the text holds something else; `what` names the text in the message."""
    try:
        found = json.loads(str(text))
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise ValueError(f"{what} is not a JSON object")  # noqa: TRY004 - the file is wrong, not the call
    return found
