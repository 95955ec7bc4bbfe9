"""Levels and prefabs as maps of the editor Tiled: they come back unchanged, or with the changes made there."""

from __future__ import annotations

import base64
import gzip
import io
import json
import struct
import zlib
from copy import deepcopy
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from demo import demo_content
from PIL import Image

import dungeon
from dungeon import terrain as t
from dungeon.authoring.tiled import Exporter
from dungeon.cli import main

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

DATA = Path(__file__).parent.parent / "data"
SMALL = DATA.parent / "docs" / "integrate" / "data"
MAPS = ("tally_house/3", "mere/4", "galleries/2")
"""Between them they have locks, portals, patrols, and robots that hold something."""


@pytest.fixture(scope="module")
def levels() -> list[dungeon.Level]:
    world = dungeon.World(demo_content(), 7)
    return [world.level(map_id) for map_id in MAPS]


@pytest.fixture(scope="module")
def exporter() -> Exporter:
    dungeon.content_schemas()  # which imports the layouts and placing modes of the content
    return Exporter(DATA)


def tiled(level: dungeon.Level) -> dict[str, Any]:
    """Return the map of a level, as Tiled has it before it."""
    found: dict[str, Any] = json.loads(written(level))
    return found


@cache
def written(level: dungeon.Level) -> str:
    return dungeon.to_tiled(level, "level")["level.tmj"]


def read(made: dict[str, Any]) -> dungeon.Level:
    return dungeon.from_tiled(json.dumps(made))


def layer(made: dict[str, Any], name: str) -> dict[str, Any]:
    (found,) = [each for each in made["layers"] if each["name"] == name]
    return found  # type: ignore[no-any-return]


def field(made: dict[str, Any], name: str, key: str) -> dict[str, Any]:
    """Return a property of the first object of a layer."""
    (found,) = [each for each in layer(made, name)["objects"][0]["properties"] if each["name"] == key]
    return found  # type: ignore[no-any-return]


def value(thing: dict[str, Any], name: str) -> Any:
    (found,) = [each["value"] for each in thing["properties"] if each["name"] == name]
    return found


# -- levels ---------------------------------------------------------------------------------------


def test_a_level_comes_back_as_it_was(levels: list[dungeon.Level]) -> None:
    for level in levels:
        files = dungeon.to_tiled(level)
        assert list(files) == [f"{level.id.replace('/', '-')}{ending}" for ending in (".tmj", ".png")]
        assert dungeon.from_tiled(next(iter(files.values()))) == level
        assert files == dungeon.to_tiled(level)
    spawns = [spawn for level in levels for spawn in level.spawns]
    for part in ("patrol", "loadout", "glyphs", "placement", "keywords"):
        assert any(getattr(spawn, part) for spawn in spawns), part
    assert all(
        any(getattr(level, part) for level in levels) for part in ("locks", "portals", "zones", "lights")
    )


def test_its_terrain_is_tiles_that_look_like_it(levels: list[dungeon.Level]) -> None:
    level = levels[0]
    files = dungeon.to_tiled(level, "level")
    made = json.loads(files["level.tmj"])
    (tileset,) = made["tilesets"]
    picture = np.array(Image.open(io.BytesIO(files["level.png"])).convert("RGBA"))
    assert picture.shape == (tileset["imageheight"], tileset["imagewidth"], 4)
    types = {tile["id"] + tileset["firstgid"]: tile["type"] for tile in tileset["tiles"]}
    gids = np.array(layer(made, "terrain")["data"]).reshape(level.height, level.width)
    assert [[types[gid] for gid in row] for row in gids.tolist()] == [
        [level.terrain_set.names[code] for code in row] for row in level.terrain.tolist()
    ]
    side = tileset["tilewidth"]
    whole = dungeon.to_image(level, scale=side // 8)
    standing = {cell for spawn in level.spawns for cell in spawn.cells}
    for y, x in [(0, 0), level.entrance, *((door.y, door.x) for door in level.connections)]:
        if (y, x) not in standing:
            row, column = divmod(int(gids[y, x]) - tileset["firstgid"], tileset["columns"])
            tile = picture[row * side : (row + 1) * side, column * side : (column + 1) * side]
            np.testing.assert_array_equal(tile, whole[y * side : (y + 1) * side, x * side : (x + 1) * side])


def test_objects_of_the_map_have_their_places_and_properties(levels: list[dungeon.Level]) -> None:
    for level in levels:
        made = tiled(level)
        side = made["tilewidth"]
        things = layer(made, "spawns")["objects"]
        assert [(each["name"], each["type"], each["y"], each["x"]) for each in things] == [
            (spawn.tag, spawn.kind, spawn.y * side, spawn.x * side) for spawn in level.spawns
        ]
        placed = {each["id"]: each for each in layer(made, "placements")["objects"]}
        for thing, spawn in zip(things, level.spawns, strict=True):
            assert value(thing, "fg") == "#ff{:02x}{:02x}{:02x}".format(*spawn.fg)
            if spawn.placement is not None:
                assert (
                    placed[value(thing, "placement")]["name"] == level.placements[spawn.placement].encounter
                )
        assert [each["name"] for each in layer(made, "exits")["objects"]] == [
            way.leads_to for way in level.exits
        ]
        ids = [each["id"] for part in made["layers"] for each in part.get("objects", ())]
        assert len(set(ids)) == len(ids) < made["nextobjectid"] + 1 == max(ids) + 2


def test_a_moved_object_takes_all_its_cells_along(levels: list[dungeon.Level]) -> None:
    for level in levels:
        made = tiled(level)
        wanted = [bool(spawn.patrol or spawn.loadout or spawn.glyphs) for spawn in level.spawns]
        for thing, moved in zip(layer(made, "spawns")["objects"], wanted, strict=True):
            thing["x"] += moved * made["tilewidth"] * 1.1  # nobody hits the grid exactly
        after = read(made)
        for old, new, moved in zip(level.spawns, after.spawns, wanted, strict=True):
            assert (new.y, new.x) == (old.y, old.x + moved)
            assert new.cells == tuple((y, x + moved) for y, x in old.cells)
            assert new.patrol == tuple((y, x + moved) for y, x in old.patrol)
            assert [(held.tag, held.x) for held in new.loadout] == [
                (held.tag, held.x + moved) for held in old.loadout
            ]


def test_terrain_is_painted_and_objects_deleted(levels: list[dungeon.Level]) -> None:
    level = levels[0]
    made = tiled(level)
    y, x = np.argwhere(level.base == t.EARTH)[0].tolist()
    data = layer(made, "terrain")["data"]
    data[y * level.width + x] = 1 + level.terrain_set.code("floor")
    lost = level.spawns.index(next(spawn for spawn in level.spawns if spawn.placement == 0))
    del layer(made, "placements")["objects"][0], layer(made, "spawns")["objects"][lost]
    after = read(made)
    assert after.base[y, x] == t.FLOOR
    assert (after.terrain != level.terrain).sum() == 1
    assert after.placements == level.placements[1:]
    assert len(after.spawns) == len(level.spawns) - 1
    numbers = [spawn.placement for number, spawn in enumerate(level.spawns) if number != lost]
    assert [spawn.placement for spawn in after.spawns] == [
        number - 1 if number else None for number in numbers
    ]


def packed(pack: Callable[[bytes], bytes], data: list[int]) -> str:
    return base64.b64encode(pack(struct.pack(f"<{len(data)}I", *data))).decode()


@pytest.mark.parametrize(
    ("pack", "named"),
    [(bytes, ""), (zlib.compress, "zlib"), (gzip.compress, "gzip")],
    ids=["plain", "zlib", "gzip"],
)
def test_tiles_are_read_however_tiled_packs_them(
    levels: list[dungeon.Level], pack: Callable[[bytes], bytes], named: str
) -> None:
    made = tiled(levels[0])
    ground = layer(made, "terrain")
    turned = [gid | (number % 8) << 29 for number, gid in enumerate(ground["data"])]
    ground |= {"data": packed(pack, turned), "encoding": "base64", "compression": named}
    for tile in made["tilesets"][0]["tiles"]:
        tile["class"] = tile.pop("type")  # as Tiled 1.9 wrote it
    assert read(made) == levels[0]


FAULTS: list[tuple[str, Callable[[dict[str, Any]], object]]] = [
    ("infinite: Input should be False", lambda made: made.update(infinite=True)),
    ("orientation: ", lambda made: made.update(orientation="isometric")),
    ("width: ", lambda made: made.update(width=10**9)),
    ("the map has no layer 'terrain', only ground, ", lambda made: layer(made, "terrain").update(name="ground")),
    ("the layer 'terrain' has 3 cells", lambda made: layer(made, "terrain").update(data=[1, 2, 3])),
    ("the layer 'terrain' is not a layer of tiles", lambda made: layer(made, "terrain")["data"].append(-1)),
    ("'terrain' can't be unpacked", lambda made: layer(made, "terrain").update(data="AAAA", compression="zlib")),
    ("is compressed as zstd: set the map's tile layer format", lambda made: layer(made, "terrain").update(data="AAAA", compression="zstd")),
    ("a tile without a class at y 0, x 1", lambda made: layer(made, "terrain")["data"].__setitem__(1, 99999)),
    ("the tile at y 0, x 1 is no terrain", lambda made: layer(made, "terrain")["data"].__setitem__(1, 0)),
    ("the tileset x.tsx is an external file", lambda made: made["tilesets"][0].update(source="x.tsx")),
    ("the map has no property 'level'", lambda made: made.update(properties=[])),
    ("'level' of the map is not a JSON object", lambda made: made["properties"][-1].update(value="[")),
    ("'level' of the map has no valid terrain_kinds", lambda made: made["properties"][-1].update(value="{}")),
    ("spawns: the object [0-9]+ can't be read", lambda made: layer(made, "spawns")["objects"][0].pop("properties")),
    ("spawns: ", lambda made: layer(made, "spawns")["objects"][0].update(type="ghost")),
    ("spawns: .* is not on a map", lambda made: layer(made, "spawns")["objects"][0].update(x=-160)),
    ("a level must have one entrance, not 0", lambda made: layer(made, "entrance").update(objects=[])),
    ("depth: ", lambda made: made["properties"].pop(2)),
    ("the layer 'exits' is not a layer of objects", lambda made: layer(made, "exits").pop("objects")),
    ("the map has 2 layers called 'exits'", lambda made: made["layers"].append(layer(made, "exits"))),
    ("two properties of the same name", lambda made: made["properties"].append(made["properties"][0])),
    ("spawns.0: .*missing keys .'source'. and unknown keys .'origin'.", lambda made: field(made, "spawns", "source").update(name="origin")),
    ("'west' is not the id of an object", lambda made: field(made, "spawns", "placement").update(value="west")),
    ("'#ff000000ff' is no colour", lambda made: field(made, "spawns", "fg").update(value="#ff000000ff")),
]  # fmt: skip


@pytest.mark.parametrize(("message", "spoil"), FAULTS, ids=[message for message, _ in FAULTS])
def test_what_is_no_level_is_refused(
    levels: list[dungeon.Level], message: str, spoil: Callable[[dict[str, Any]], object]
) -> None:
    made = tiled(levels[0])
    spoil(made)
    with pytest.raises(ValueError, match=message):
        read(made)


WRONG = [
    *(None, True, 0, -1, 10**30, 1.5, float("inf"), float("nan"), "", "x", "#12", "{}", "[]", [], {}, [[]]),
    '{"terrain_kinds": [{"name": []}]}',
    '{"cells": [], "patrol": [], "loadout": [{}]}',
    '{"cells": [[0, "a"]], "patrol": [], "loadout": []}',
    '{"cells": ' + "[" * 3000 + "]" * 3000 + "}",
]


def paths_of(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of every value within, but of long lists only of the first few."""
    keys = data if isinstance(data, dict) else range(min(len(data), 9)) if isinstance(data, list) else ()
    for key in keys:
        yield (*path, key)
        yield from paths_of(data[key], (*path, key))


def test_a_spoilt_map_is_read_or_refused_but_nothing_else(levels: list[dungeon.Level]) -> None:
    level = levels[0]
    held = next(spawn for each in levels for spawn in each.spawns if spawn.loadout)
    items = tuple(replace(item, placement=0) for item in held.loadout)
    small_doors = tuple(door for door in level.doors if max(door.cell) < 9)
    small = replace(
        level, terrain=level.terrain[:9, :9], region=level.region[:9, :9], entrance=dungeon.Cell(1, 1), exits=(),
        regions=(), connections=(), doors=small_doors, journal=(), locks=(), zones=(), placements=(replace(level.placements[0], bounds=dungeon.Rect(1, 1, 2, 2)),),
        lights=(replace(level.lights[0], y=2, x=2),), spawns=(replace(held, y=3, x=3, cells=(), patrol=(), placement=0, loadout=items),),
    )  # fmt: skip
    made = tiled(small)
    assert read(made) == small
    outcomes = []
    for number, path in enumerate(list(paths_of(made))):
        spoilt = deepcopy(made)
        at = spoilt
        for key in path[:-1]:
            at = at[key]
        at[path[-1]] = WRONG[number % len(WRONG)]
        try:
            outcomes.append(dungeon.prove(read(spoilt)) is not None)
        except ValueError:
            outcomes.append(False)
    assert 0 < sum(outcomes) < len(outcomes)


@pytest.mark.parametrize("text", ["", "[]", "{}", "\0", '{"type": "tileset"}'])
def test_what_is_no_map_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="this is not a Tiled map that can be read"):
        dungeon.from_tiled(text)


# -- prefabs --------------------------------------------------------------------------------------


def test_a_prefab_comes_back_as_its_exported_text(exporter: Exporter) -> None:
    for name in [
        *sorted(exporter.content.prefabs)[::20],
        "boiler_room",
        "pay_office",
        "pool",
        "control_room",
    ]:
        files = exporter.export(name, "tmj")
        assert list(files) == [f"{name}.tmj", f"{name}.png"]
        assert dungeon.prefab_from_tiled(files[f"{name}.tmj"]) == exporter.export(name, "text")


def test_a_prefab_is_drawn_in_tiled(exporter: Exporter) -> None:
    made = json.loads(exporter.export("boiler_room", "tmj")["boiler_room.tmj"])
    (tileset,) = made["tilesets"]
    numbers = {tile["type"]: tile["id"] + tileset["firstgid"] for tile in reversed(tileset["tiles"])}
    assert [each["name"] for each in made["layers"]] == ["map", "links", "machines", "references", "paint"]
    layer(made, "map")["data"][:3] = [numbers["#"], numbers["q"], 0]
    layer(made, "references")["data"][-1] = numbers["Z"]
    entry = made["properties"][0]
    entry["value"] = entry["value"].replace("boiler_room:", "cold_room:")
    (text,) = dungeon.prefab_from_tiled(json.dumps(made)).values()
    lines = text.decode().splitlines()
    assert lines[:3] == ["cold_room:", "  map: |", "    #q ......."]
    end = lines.index("  paint: |2")
    assert lines[end - 1] == "     _      _Z"
    assert lines[-1] == "  machine: boiler"


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("", "'entry' must be the entry of a prefab"),
        ("a: {}\nb: {}", "'entry' must be the entry of a prefab"),
        ("- a", "'entry' must be the entry of a prefab"),
        ("a: 3", "must be a name with keys and values, not 'a': 3"),
        ("../a: {}", "must be a name with keys and values, not '../a'"),
        ("a: {", "the property 'entry':1:"),
    ],
)
def test_an_entry_that_is_none_is_refused(exporter: Exporter, entry: str, message: str) -> None:
    made = json.loads(exporter.export("pool", "tmj")["pool.tmj"])
    made["properties"][0]["value"] = entry
    with pytest.raises(ValueError, match=message):
        dungeon.prefab_from_tiled(json.dumps(made))


def test_the_command_writes_both_and_reads_prefabs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    drawn, text, direct, floor = (
        tmp_path / name for name in ("vault.tmj", "vault.yaml", "direct.yaml", "cellar.tmj")
    )
    data = ["--data", str(SMALL)]
    assert main(["export", "vault", "--to", str(drawn), *data]) == 0
    assert main(["export", str(drawn), "--to", str(text)]) == 0
    assert main(["export", "vault", "--to", str(direct), *data]) == 0
    assert main(["export", "cellar/2", "--seed", "7", "--to", str(floor), *data]) == 0
    assert text.read_bytes() == direct.read_bytes()
    world = dungeon.World(dungeon.load_content(SMALL), 7)
    assert dungeon.from_tiled(floor.read_bytes()) == world.level("cellar/2")
    pictures = [str(each.with_suffix(".png")) for each in (drawn, floor)]
    assert all(Path(each).read_bytes().startswith(b"\x89PNG") for each in pictures)
    out = capsys.readouterr().out.split()
    assert out == [str(drawn), pictures[0], str(text), str(direct), str(floor), pictures[1]]
    drawn.write_text("{}", encoding="utf-8")
    assert main(["export", str(drawn), "--to", str(text), "--force"]) == 2
    assert "vault.tmj: this is not a Tiled map that can be read" in capsys.readouterr().err
