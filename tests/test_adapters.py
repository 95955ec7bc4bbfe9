"""A level as a console, text, JSON, ANSI and esper entities."""

import json
import re
from copy import deepcopy
from dataclasses import fields, replace
from random import Random

import esper
import numpy as np
import pytest
from drawn import KINDS, load, mask, rows, small_game
from tcod.console import Console, rgb_graphic

import dungeon
from dungeon import (
    Appearance,
    Blocks,
    Cell,
    Debris,
    DoorState,
    Footprint,
    Item,
    LeadsTo,
    Level,
    LevelInfo,
    Opaque,
    Position,
    Prop,
    Rect,
    Robot,
    Spawn,
    Tag,
    Trap,
    XpLayer,
    components_of,
)
from dungeon import terrain as t
from dungeon.adapters.console import RESET, console_to_rows, drawing_to_console, to_ansi
from dungeon.adapters.highlights import CATEGORY_COLOURS, FEATURE
from dungeon.adapters.scene import DRAW_ORDER


@pytest.fixture(scope="module")
def levels(tmp_path_factory):
    """The four levels of the first world of the small game that has a machine, and a door of a prefab."""
    content = load(tmp_path_factory.mktemp("game"), small_game())
    worlds = (dungeon.World(content, seed) for seed in range(50))
    made = ([world.level(node.id) for node in world.maps] for world in worlds)
    return next(
        levels
        for levels in made
        if any(each.glyphs for level in levels for each in level.spawns)
        and any(len(level.doors) > len(level.connections) for level in levels)
    )


@pytest.fixture
def level(levels):
    """One of them, with machines, lights and several exits."""
    return max(levels, key=lambda each: sum(len(spawn.cells) > 1 for spawn in each.spawns))


@pytest.fixture(autouse=True)
def no_worlds_left():
    """Leave esper as it was."""
    yield
    esper.switch_world("none")
    for name in esper.list_worlds():
        if name not in ("none", "default"):
            esper.delete_world(name)
    esper.clear_database()


def tiny(*spawns, **changed):
    """Return a small level with these spawns."""
    terrain = np.full((3, 5), t.WALL, np.uint8)
    terrain[1, 1:4] = t.STAIRS_UP, t.FLOOR, t.STAIRS_DOWN
    values = {
        "id": "m/1",
        "name": "M",
        "depth": 1,
        "seed": 0,
        "terrain": terrain,
        "region": np.zeros_like(terrain, np.uint16),
        "terrain_set": KINDS,
        "entrance": Cell(1, 1),
        "exits": (dungeon.Exit(y=1, x=3, leads_to="m/2"),),
        "regions": (),
        "connections": (),
        "doors": (),
        "placements": (),
        "spawns": spawns,
        "lights": (),
        "journal": (),
    }
    return Level(**{**values, **changed})


def spawn(kind, glyph, **more):
    """Return a spawn in the middle of the tiny level."""
    return Spawn(
        **{"kind": kind, "tag": kind, "name": kind, "y": 1, "x": 2, "glyph": glyph, "fg": (1, 2, 3), **more}
    )


# -- console --------------------------------------------------------------------------------------


def test_a_console_shows_terrain_and_spawns(level):
    console = dungeon.to_console(level)
    assert isinstance(console, Console)
    assert (console.height, console.width) == level.terrain.shape
    assert console.rgb.shape == level.terrain.shape
    assert [console.rgb.dtype[name] for name in rgb_graphic.names] == [
        rgb_graphic[name] for name in rgb_graphic.names
    ]
    stands = np.zeros(level.terrain.shape, np.bool_)
    for each in level.spawns:
        for cell in each.cells:
            stands[cell] = True
    kinds = level.terrain_set
    assert np.array_equal(console.rgb["ch"][~stands], kinds.glyph[level.terrain][~stands])
    assert np.array_equal(console.rgb["fg"][~stands], kinds.fg[level.terrain][~stands])
    assert np.array_equal(console.rgb["bg"], kinds.bg[level.terrain])
    for each in level.spawns:
        if each.kind == "robot":
            assert chr(console.rgb["ch"][each.y, each.x]) == each.glyph
            assert tuple(console.rgb["fg"][each.y, each.x]) == each.fg
        if each.glyphs:
            shown = "".join(chr(console.rgb["ch"][cell]) for cell in each.cells)
            assert shown == "".join(each.glyphs)


def test_the_drawing_order_of_spawns():
    assert DRAW_ORDER == ("debris", "trap", "item", "prop", "robot")
    things = [spawn(kind, kind[0]) for kind in DRAW_ORDER]
    for shown in range(5):
        for order in (things[: shown + 1], things[shown::-1]):
            level = tiny(*order)
            assert chr(dungeon.to_console(level).rgb["ch"][1, 2]) == DRAW_ORDER[shown][0]
            assert dungeon.to_text(level).splitlines()[1] == f"#<{DRAW_ORDER[shown][0]}>#"


def test_highlighted_encounters_are_tinted_by_category(levels):
    for level in levels:
        plain, tinted = dungeon.to_console(level).rgb, dungeon.to_console(level, "encounters").rgb
        expected = plain["bg"].copy()
        for placement in level.placements:
            colour = CATEGORY_COLOURS[placement.category] if placement.encounter else FEATURE.colour
            expected[placement.bounds.slices] = colour
        assert np.array_equal(tinted["bg"], expected)
        assert np.array_equal(tinted["ch"], plain["ch"])
        assert np.array_equal(tinted["fg"], plain["fg"])
    with pytest.raises(ValueError, match="there is no highlight 'rooms', only encounters, features"):
        dungeon.to_console(levels[0], highlight="rooms")


def test_a_prefab_that_the_map_asked_for_is_not_an_encounter():
    placement = dungeon.Placement(
        encounter="",
        category="risk",
        prefab="p",
        mode="seeded",
        orientation="r0",
        region=0,
        bounds=Rect(1, 1, 1, 1),
    )
    level = tiny(placements=(placement,))
    assert tuple(dungeon.to_console(level, "encounters").rgb["bg"][1, 1]) == FEATURE.colour


# -- text -----------------------------------------------------------------------------------------


def test_text_has_a_line_a_row(level):
    for spawns in (True, False):
        text = dungeon.to_text(level, spawns=spawns)
        assert text.endswith("\n")
        lines = text.split("\n")[:-1]
        assert [len(line) for line in lines] == [level.width] * level.height
    ground = dungeon.to_text(level, spawns=False).splitlines()
    assert ground == ["".join(map(chr, row)) for row in level.terrain_set.glyph[level.terrain].tolist()]


# -- JSON -----------------------------------------------------------------------------------------


def check_equal(one, other):
    """Check that two levels are equal in every field."""
    for field in fields(Level):
        first, second = getattr(one, field.name), getattr(other, field.name)
        if isinstance(first, np.ndarray):
            assert first.dtype == second.dtype
            assert np.array_equal(first, second)
            assert not second.flags.writeable
        else:
            assert first == second, field.name
            assert type(first) is type(second), field.name


def test_a_level_comes_back_from_json_as_it_was(levels):
    for level in levels:
        text = dungeon.to_json(level)
        back = dungeon.from_json(text)
        check_equal(level, back)
        assert dungeon.to_json(back) == text
        assert dungeon.to_text(back) == dungeon.to_text(level)
        assert dungeon.prove(back) == []
        assert isinstance(back.spawns[0].cells[0], Cell)
        assert isinstance(back.placements[0].bounds, Rect)
    assert sum(len(each.cells) > 1 for level in levels for each in level.spawns) > 0
    assert sum(len(level.lights) for level in levels) > 0


def test_all_keywords_of_an_object_survive_json():
    keywords = {"a": [1, 2.5, None, True, "é☃𝄞"], "b": {"c": {"d": []}}, "": "\n\x00", "n": -(10**40)}
    level = tiny(spawn("item", "☃", keywords=keywords, source='p:"'), name="Hölle\\", seed=-(10**50))
    back = dungeon.from_json(dungeon.to_json(level))
    check_equal(level, back)
    assert back.spawns[0].keywords == keywords


def before(data, version, *lacking):
    """Return the JSON of a level as a version of the format wrote it that called connections doors and listed no doors."""
    regions = [
        {"doors" if key == "connections" else key: value for key, value in region.items()}
        for region in data["regions"]
    ]
    kept = {key: value for key, value in data.items() if key not in (*lacking, "connections")}
    changed = {"doors": data["connections"], "regions": regions}
    return {**kept, **changed, "format": f"tcod-dungeon level {version}"}


def test_doors_are_written_and_a_level_from_before_they_were_listed_has_those_of_its_terrain(levels):
    for level in levels:
        data = json.loads(dungeon.to_json(level))
        assert [(door["y"], door["x"], door["terrain"], door["state"]) for door in data["doors"]] == [
            (door.y, door.x, door.terrain, door.state) for door in level.doors
        ]
        check_equal(level, dungeon.from_json(json.dumps(before(data, 6, "markers", "ways_back"))))
    assert {door.state for level in levels for door in level.doors} > {"closed"}
    with pytest.raises(ValueError, match=r"unknown keys \['connections', 'markers', 'ways_back'\]"):
        dungeon.from_json(json.dumps({**data, "format": "tcod-dungeon level 6"}))


@pytest.mark.parametrize("version", ["9", "12", "9" * 5000])
def test_a_level_of_a_newer_version_is_reported_as_newer(version):
    text = json.dumps({"format": f"tcod-dungeon level {version}"})
    with pytest.raises(ValueError, match=r"^a newer version of the library wrote this level.*level 8'$"):
        dungeon.from_json(text)


@pytest.mark.parametrize("version", ["", "0", "07", "-1", "²", "seven"])
def test_a_format_without_a_version_is_none(version):
    text = json.dumps({"format": f"tcod-dungeon level {version}"})
    with pytest.raises(ValueError, match=r"^this is not a level: its format is not 'tcod-dungeon level 8'$"):
        dungeon.from_json(text)


def test_locks_are_written_and_a_level_from_before_there_were_any_has_none():
    level = tiny(locks=(dungeon.Lock(y=1, x=2, word="vault"),))
    data = json.loads(dungeon.to_json(level))
    assert data["locks"] == [
        {"y": 1, "x": 2, "word": "vault", "follows": "", "name": "", "count": 1, "keys_on": []}
    ]
    check_equal(level, dungeon.from_json(json.dumps(data)))
    older = before(data, 1, "locks", "zones", "portals", "own_kinds", "markers", "ways_back")
    check_equal(replace(level, locks=()), dungeon.from_json(json.dumps(older)))
    with pytest.raises(ValueError, match=r"^this is not a level: missing keys \['locks'\]"):
        dungeon.from_json(json.dumps({**older, "format": "tcod-dungeon level 2"}))
    with pytest.raises(
        ValueError, match=r"unknown keys \['locks', 'markers', 'own_kinds', 'portals', 'ways_back', 'zones'\]"
    ):
        dungeon.from_json(json.dumps(before(data, 1)))


def test_markers_are_written_and_a_level_from_before_there_were_any_has_none():
    marker = dungeon.Marker(y=1, x=2, name="throne", data={"b": [1, {"c": 2}], "a": None})
    level = tiny(markers=(marker,))
    data = json.loads(dungeon.to_json(level))
    assert data["markers"] == [
        {"y": 1, "x": 2, "name": "throne", "data": {"a": None, "b": [1, {"c": 2}]}, "placement": None}
    ]
    back = dungeon.from_json(json.dumps(data))
    check_equal(level, back)
    assert back.markers[0].data["b"] == (1, {"c": 2})
    older = {key: value for key, value in data.items() if key not in ("markers", "ways_back")}
    older["format"] = "tcod-dungeon level 7"
    check_equal(replace(level, markers=()), dungeon.from_json(json.dumps(older)))
    with pytest.raises(ValueError, match=r"markers: .* is not on a map"):
        dungeon.from_json(dungeon.to_json(replace(level, markers=(replace(marker, x=99),))))


def test_zones_are_written_and_a_level_from_before_there_were_any_has_none():
    zone = dungeon.Zone(
        id=1, name="mill", kind="first", regions=(1,), theme="rust", step=2, gates=(Cell(1, 2),)
    )
    level = tiny(zones=(zone,))
    data = json.loads(dungeon.to_json(level))
    assert data["zones"][0] == {
        "id": 1, "name": "mill", "kind": "first", "parent": 0, "regions": [1], "theme": "rust", "step": 2,
        "gates": [[1, 2]],
    }  # fmt: skip
    check_equal(level, dungeon.from_json(json.dumps(data)))
    older = before(data, 2, "zones", "portals", "own_kinds", "markers", "ways_back")
    check_equal(replace(level, zones=()), dungeon.from_json(json.dumps(older)))
    with pytest.raises(
        ValueError, match=r"^this is not a level: missing keys \['own_kinds', 'portals', 'zones'\]"
    ):
        dungeon.from_json(json.dumps({**older, "format": "tcod-dungeon level 6"}))


def test_portals_are_written_and_a_level_from_before_there_were_any_has_none():
    portal = dungeon.Portal(y=1, x=1, to_y=1, to_x=3, kind="boat", both=False)
    level = tiny(portals=(portal,))
    data = json.loads(dungeon.to_json(level))
    assert data["portals"] == [{"y": 1, "x": 1, "to_y": 1, "to_x": 3, "kind": "boat", "both": False}]
    check_equal(level, dungeon.from_json(json.dumps(data)))
    older = before(data, 3, "portals", "own_kinds", "markers", "ways_back")
    check_equal(replace(level, portals=()), dungeon.from_json(json.dumps(older)))
    with pytest.raises(ValueError, match=r"portals: .* is not on a map"):
        dungeon.from_json(dungeon.to_json(replace(level, portals=(replace(portal, to_x=99),))))


def test_groups_and_patrols_are_written_and_a_level_from_before_there_were_any_has_none():
    robot = dungeon.Spawn(kind="robot", tag="r", name="r", y=1, x=2, glyph="r", fg=(1, 2, 3), blocks=True)
    level = tiny(spawns=(replace(robot, group=1, leads=True, patrol=(Cell(1, 2), Cell(1, 3))),))
    data = json.loads(dungeon.to_json(level))
    (written,) = data["spawns"]
    assert (written["group"], written["leads"], written["patrol"]) == (1, True, [[1, 2], [1, 3]])
    check_equal(level, dungeon.from_json(json.dumps(data)))
    for name in ("group", "leads", "patrol"):
        del written[name]
    check_equal(
        replace(level, spawns=(robot,)),
        dungeon.from_json(json.dumps(before(data, 4, "own_kinds", "markers", "ways_back"))),
    )
    far = replace(level, spawns=(replace(robot, patrol=(Cell(1, 2), Cell(1, 99))),))
    with pytest.raises(ValueError, match=r"spawns: .* is not on a map"):
        dungeon.from_json(dungeon.to_json(far))


def test_a_region_may_be_of_a_kind_that_only_a_layout_of_ones_own_knows():
    region = np.zeros((3, 5), np.uint16)
    region[1, 1:4] = 1
    garden = dungeon.Region(id=1, kind="garden", bounds=Rect(1, 1, 1, 3))
    level = tiny(region=region, regions=(garden,))
    assert dungeon.prove(level) == []
    assert dungeon.from_json(dungeon.to_json(level)).regions == (garden,)


def test_json_is_plain_and_names_its_format(level):
    data = json.loads(dungeon.to_json(level))
    assert data["format"] == "tcod-dungeon level 8"
    assert data["terrain"][0] == "01" * level.width
    assert len(data["region"][0]) == 4 * level.width
    assert data["entrance"] == list(level.entrance)
    assert data["terrain_kinds"][3]["name"] == "floor"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        "7",
        "NaN",
        '"level"',
        "{}",
        '{"format": 1}',
        '{"format": "tcod-dungeon level 1"}',
        '{"format": "tcod-dungeon level 4"}',
        '{"format": ["tcod-dungeon level 2"]}',
        "[" * 100_000,
        '{"a":' * 100_000,
        "9" * 100_000,
        "\ud800",
        "\x00",
    ],
)
def test_what_is_no_level_is_refused(text):
    with pytest.raises(ValueError, match=r".+"):
        dungeon.from_json(text)


def changed(data, path, value):
    """Return the data with one value replaced, or taken away if the value is None of ours."""
    copy = deepcopy(data)
    *steps, last = path
    at = copy
    for step in steps:
        at = at[step]
    if value is REMOVED:
        del at[last]
    else:
        at[last] = value
    return copy


REMOVED = object()
WRONG = [
    REMOVED,
    None,
    True,
    -1,
    0,
    10**6,
    10**400,
    float("nan"),
    float("inf"),
    1e308,
    2.5,
    "",
    "x",
    "zz",
    "0",
    "é" * 7,
    [],
    [[]],
    [1],
    [None, None],
    ["00"],
    [300, 0, 0],
    {},
    {"a": 1},
    [{}],
]


def paths_of(value, path=()):
    """Yield the path of every value within, but only the first few of long lists."""
    yield path
    if isinstance(value, dict):
        for key in value:
            yield from paths_of(value[key], (*path, key))
    elif isinstance(value, list):
        for index in range(min(len(value), 2)):
            yield from paths_of(value[index], (*path, index))


def test_a_changed_level_is_read_or_refused_but_nothing_else(level):
    parts = ("spawns", "connections", "doors", "regions", "placements", "journal", "lights")
    short = replace(level, **{part: getattr(level, part)[-2:] for part in parts})
    data = json.loads(dungeon.to_json(short))
    read = refused = 0
    paths = [path for path in paths_of(data) if path]
    random = Random(1)
    for path in paths:
        for wrong in random.sample(WRONG, 4):
            text = json.dumps(changed(data, path, wrong))
            try:
                back = dungeon.from_json(text)
            except ValueError:
                refused += 1
                continue
            read += 1
            # What is read can be shown.
            dungeon.to_text(back)
            dungeon.to_console(back, "encounters")
    assert refused > read > 30


def test_messages_say_where_a_level_departs(level):
    data = json.loads(dungeon.to_json(level))
    for path, wrong, message in [
        (("depth",), "deep", "^depth: "),
        (("terrain", 0), "0", "^terrain: "),
        (("terrain", 0), "00", "^terrain: "),
        (("region", 1), "zz" * level.width, "^region: "),
        (("region",), [], "^region: must be a list of rows"),
        (("spawns", 0, "hp"), 9, r"^spawns\.0: an object has missing keys \[\] and unknown keys \['hp'\]"),
        (
            ("spawns", 0, "loadout"),
            REMOVED,
            r"^spawns\.0: an object has missing keys \['loadout'\] and unknown keys \[\]",
        ),
        (("spawns", 0, "y"), 9999, "^spawns: .* is not on a map of"),
        (("spawns", 0, "x"), -1, "^spawns: .* is not on a map of"),
        (("spawns", 0, "glyph"), "ab", "^spawns: .* must have exactly one character"),
        (("spawns", 0, "fg"), [256, 0, 0], "^the parts of a colour must be"),
        (("spawns", 0, "cells"), [[0, 10**9]], "^spawns: .* is not on a map of"),
        (
            ("locks",),
            [{"y": 3000, "x": 0, "word": "a", "follows": "", "name": "", "count": 1, "keys_on": []}],
            "^locks: .* is not on a map of",
        ),
        (
            ("locks",),
            [{"y": 3, "x": 0, "word": "a", "name": "", "count": 1, "follow": "b", "keys_on": []}],
            r"^locks\.0: an object has missing keys \['follows'\] and unknown keys \['follow'\]",
        ),
        (("locks",), [{"y": 3, "x": 0}], "^locks: "),
        (
            ("zones",),
            [
                {
                    "id": 1,
                    "name": "a",
                    "kind": "first",
                    "parent": 0,
                    "regions": [],
                    "theme": "",
                    "step": 0,
                    "gates": [[3000, 0]],
                }
            ],
            "^zones: .* is not on a map of",
        ),
        (("connections", 0, "x"), 10**30, "^connections: .* is not on a map of"),
        (("doors", 0, "x"), 10**30, "^doors: .* is not on a map of"),
        (("doors", 0, "state"), "ajar", "^doors: "),
        (("placements", 0, "bounds"), [1, 1, 500, 2], "^placements: .* is not on a map of"),
        (("regions", 0, "bounds"), [5, 5, -2, 2], "^regions: .* is not on a map of"),
        (("terrain_kinds", 3, "base"), 1, "'floor' with the code 3 is not based on 1"),
        (("terrain_kinds", 23, "base"), 77, "'water' with the code 23 is not based on 77"),
        (("terrain_kinds", 2, "glyph"), "", "'blocked' needs one character"),
        (("terrain_kinds", 2, "fg"), [0, 0, 999], "'blocked' needs one character and colours"),
        (("terrain_kinds",), [], "^terrain_kinds: a level needs at least 23 kinds of terrain, not 0"),
        (("journal",), REMOVED, "^this is not a level: missing keys \\['journal'\\]"),
        (("more",), 1, "unknown keys \\['more'\\]"),
    ]:
        with pytest.raises(ValueError, match=message):
            dungeon.from_json(json.dumps(changed(data, path, wrong)))


def test_a_key_that_stands_twice_is_refused():
    text = dungeon.to_json(tiny()).replace('"depth":', '"depth": 9, "depth":')
    with pytest.raises(ValueError, match=r"^this is not a level: a JSON object has the key 'depth' twice$"):
        dungeon.from_json(text)


def test_maps_without_cells_are_refused():
    data = json.loads(dungeon.to_json(tiny()))
    for row in ("", " "):
        empty = {**data, "terrain": [row], "region": [row]}
        with pytest.raises(ValueError, match=r"terrain|entrance"):
            dungeon.from_json(json.dumps(empty))
    with pytest.raises(ValueError, match=r"terrain is \(3, 5\), region is \(2, 5\)"):
        dungeon.from_json(json.dumps({**data, "region": data["region"][1:]}))


# -- esper ----------------------------------------------------------------------------------------

MARKS = {"prop": Prop, "trap": Trap, "robot": Robot, "item": Item, "debris": Debris}


def test_every_spawn_door_and_exit_becomes_an_entity(level):
    entities = dungeon.to_esper(level)
    assert esper.current_world == level.id
    assert len(entities) == len(set(entities)) == len(level.spawns)
    for entity, each in zip(entities, level.spawns, strict=True):
        assert esper.component_for_entity(entity, Position) == Position(each.y, each.x)
        assert esper.component_for_entity(entity, Appearance) == Appearance(each.glyph, each.fg, each.name)
        tag = esper.component_for_entity(entity, Tag)
        assert (tag.kind, tag.tag, tag.keywords, tag.source) == (
            each.kind,
            each.tag,
            each.keywords,
            each.source,
        )
        kinds = [kind for kind, mark in MARKS.items() if esper.has_component(entity, mark)]
        assert kinds == [each.kind]
        assert esper.has_component(entity, Blocks) == each.blocks
        assert esper.has_component(entity, Opaque) == each.opaque
        assert esper.has_component(entity, Footprint) == (len(each.cells) > 1)
    ways = [(at.y, at.x, way.map_id) for _, (at, way) in esper.get_components(Position, LeadsTo)]
    assert sorted(ways) == sorted((way.y, way.x, way.leads_to) for way in level.exits)
    ((_, info),) = esper.get_component(LevelInfo)
    assert info.level is level


def test_every_door_is_an_entity_also_those_that_prefabs_drew(levels):
    drawn = 0
    for level in levels:
        dungeon.to_esper(level)
        doors = {(at.y, at.x): state for _, (at, state) in esper.get_components(Position, DoorState)}
        cells = np.argwhere(np.isin(level.base, t.DOORS)).tolist()
        assert sorted(doors) == [tuple(cell) for cell in cells]
        assert all(state == DoorState(int(level.base[cell])) for cell, state in doors.items())
        assert sorted(doors) == [door.cell for door in level.doors]
        drawn += len({*doors} - {(way.y, way.x) for way in level.connections})
    assert drawn > 0


def test_factories_replace_the_components_of_a_kind(level):
    class Brain:
        pass

    entities = dungeon.to_esper(
        level, factories={"robot": lambda each: [*components_of(each), Brain()], "item": lambda each: []}
    )
    for entity, each in zip(entities, level.spawns, strict=True):
        assert esper.entity_exists(entity)
        assert esper.has_component(entity, Brain) == (each.kind == "robot")
        assert esper.has_component(entity, Position) == (each.kind != "item")
    with pytest.raises(ValueError, match="no kind of spawn 'monster', only prop, trap, robot"):
        dungeon.to_esper(level, factories={"monster": components_of})


def test_a_factory_that_is_for_nothing_changes_nothing(level):
    esper.switch_world("before")
    with pytest.raises(ValueError, match="no kind of spawn"):
        dungeon.to_esper(level, "after", {"gate": components_of})
    assert esper.current_world == "before"
    assert "after" not in esper.list_worlds()


def test_several_worlds_stand_side_by_side(levels):
    counts = [len(dungeon.to_esper(level)) for level in levels[:2]]
    named = dungeon.to_esper(levels[2], world="elsewhere")
    assert esper.current_world == "elsewhere"
    assert len(list(esper.get_component(Tag))) == len(named)
    for level, count in zip(levels[:2], counts, strict=True):
        esper.switch_world(level.id)
        assert len(list(esper.get_component(Tag))) == count
    # The levels know nothing of what happens to the entities.
    for _, at in esper.get_component(Position):
        at.x += 1
    assert dungeon.to_text(dungeon.from_json(dungeon.to_json(levels[1]))) == dungeon.to_text(levels[1])


# -- ANSI and drawings ----------------------------------------------------------------------------

ESCAPE = re.compile(r"\x1b\[[0-9;]*m")


def test_ansi_is_the_text_with_colours(level):
    console = dungeon.to_console(level)
    text = to_ansi(console)
    lines = text.split("\n")[:-1]
    assert ESCAPE.sub("", text) == dungeon.to_text(level)
    assert all(line.endswith(RESET) for line in lines)
    for y in range(level.height):
        fg, x = None, 0
        for part in re.split(f"({ESCAPE.pattern})", lines[y]):
            if part.startswith("\x1b[38;2;"):
                numbers = [int(number) for number in part[2:-1].split(";")]
                fg = numbers[2:5], numbers[7:10]
            elif part and not part.startswith("\x1b"):
                for _ in part:
                    tile = console.rgb[y, x]
                    assert fg == (tile["fg"].tolist(), tile["bg"].tolist())
                    x += 1
        assert x == level.width


def test_ansi_says_each_colour_once_a_run():
    console = Console(6, 1, order="C")
    console.rgb["ch"] = ord("x")
    console.rgb["fg"][0, 3:] = 1, 2, 3
    assert to_ansi(console).count("\x1b[38;2;") == 2


def test_ansi_lets_no_control_character_out():
    console = Console(4, 1, order="C")
    console.rgb["ch"][0] = [0, 7, 27, ord("é")]
    assert ESCAPE.sub("", to_ansi(console)) == "   é\n"


def layer(text, transparent):
    """Return a layer of a drawing."""
    glyph = np.array([[ord(char) for char in line] for line in rows(text)], np.uint32)
    bg = np.zeros((*glyph.shape, 3), np.uint8)
    bg[mask(transparent)] = 255, 0, 255
    return XpLayer(glyph=glyph, fg=np.full(bg.shape, 200, np.uint8), bg=bg)


def test_layers_of_a_drawing_lie_over_each_other():
    console = drawing_to_console([layer("abc\ndef", "...\n..."), layer("123\n456", "#.#\n##.")])
    assert console_to_rows(console) == ["a2c", "de6"]
    assert (console.height, console.width) == (2, 3)


def test_nothing_is_shared_with_the_level(level):
    console = dungeon.to_console(level)
    before = dungeon.to_text(level)
    console.rgb["ch"] = ord("?")
    assert dungeon.to_text(level) == before
    other = replace(level, name="Other")
    assert other.terrain is level.terrain
