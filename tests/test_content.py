"""Loading content: what good content becomes, and what is said of content that is wrong.

In the files below a « stands before the culprit; it is taken out before the file is written, and the problem that is
reported must be at its place.
"""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from textwrap import dedent
from typing import TYPE_CHECKING, Annotated, Any

import pytest
from content_files import SMALL, marked, write_content
from pydantic import Field, field_validator

import dungeon
from dungeon import XpLayer
from dungeon import terrain as t
from dungeon.content.drawing.planes import (
    STRIPPED,
)
from dungeon.content.loading.draft import ENTRY_KINDS, MODELS
from dungeon.content.models import entries as models
from dungeon.content.models.world import WorldEntry
from dungeon.content.source.files import MAX_PROBLEMS
from dungeon.content.source.problems import MAX_ENTRY_PROBLEMS
from dungeon.core.registry import LAYOUTS, Layout
from dungeon.extend import IntValue, Parameters, PrefabOrTag, within

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dungeon import Content, Problem

WORLD, WEIGHTS, TERRAIN, THEMES, PALETTE = (
    "world.yaml",
    "weights.yaml",
    "terrain.yaml",
    "themes.yaml",
    "palette.yaml",
)
ROBOTS, LEGENDS, PREFABS = "objects/robots.yaml", "legends/boxes.yaml", "prefabs/rooms.yaml"
ENCOUNTERS, MAPS = "encounters/rooms.yaml", "maps/cellars.yaml"

ON_LINUX = pytest.mark.skipif(
    sys.platform != "linux", reason="this needs pipes, /proc, and file names of any bytes"
)


def load(folder: Path, files: Mapping[str, str | bytes | Sequence[XpLayer] | None] | None = None) -> Content:
    return dungeon.load_content(write_content(folder, files))


def problems(
    folder: Path, files: Mapping[str, str | bytes | Sequence[XpLayer] | None]
) -> tuple[Problem, ...]:
    with pytest.raises(dungeon.ContentError) as caught:
        load(folder, files)
    return caught.value.problems


def said(folder: Path, files: Mapping[str, Any]) -> list[str]:
    """Return all problems as printed, without the folder and the severity."""
    return [
        str(problem).replace(f"{folder}/", "").replace(" error: ", " ") for problem in problems(folder, files)
    ]


def expect(folder: Path, files: Mapping[str, str], expected: list[str]) -> None:
    """Check that the problems of the files are the expected ones, each at its «."""
    written, places = {}, []
    for file, text in files.items():
        written[file], here = marked(dedent(text))
        places += [f"{file}:{place}: " for place in here] or [f"{file}: "]
    assert sorted(said(folder, written)) == sorted(
        place + message for place, message in zip(places, expected, strict=True)
    )


# -- good content -------------------------------------------------------------------------------


def test_small_content_becomes_what_it_says(tmp_path: Path) -> None:
    content = load(tmp_path)
    assert content.folder == str(tmp_path)
    assert content.world.start == "cellars/1"
    assert content.world.leads_to == {"cellars/1": ("cellars/2",)}
    assert content.weights == {"rare": 1.0, "common": 10.0}
    assert content.weight("common") == 10.0
    assert content.weight(2.5) == 2.5
    assert content.terrain_set.names[t.BUILT_IN :] == ("grass",)
    assert content.catalog["prop", "crate"].blocks
    assert not content.catalog["item", "scrap"].blocks
    assert content.catalog["robot", "sweeper"].classes == ("worker",)
    assert content.prefabs["store"].tags == ("rooms",)
    references = content.prefabs["store"].drawing.references
    assert sorted({each.char for each in references}) == ["B", "C"]
    assert content.encounters["store"].prefabs == ("store",)
    assert content.maps["cellars"].name == "The Cellars"
    assert str(content.sources["map", "cellars"]) == f"{tmp_path}/maps/cellars.yaml:1:1"
    assert str(content.sources["prefab", "store"]) == f"{tmp_path}/prefabs/rooms.yaml:1:1"


def test_themes_paint_built_in_terrain_and_digits(tmp_path: Path) -> None:
    theme = load(tmp_path).themes["garden"]
    grass = t.BUILT_IN
    assert theme[t.FLOOR] == theme[t.FLOOR_0 + 1] == theme[grass] == grass
    assert theme[t.WALL] == t.WALL
    assert theme[t.FLOOR_0] == t.FLOOR_0


def test_terrain_is_numbered_by_name_and_takes_after_what_it_is_like(tmp_path: Path) -> None:
    text = """
        water: {like: floor, walkable: false, glyph: "~", bg: [0, 0, 90]}
        floor: {fg: "#ffffff"}
        grass: {}
        gate: {like: door}
    """
    kinds = load(tmp_path, {TERRAIN: text}).terrain_set.kinds
    assert [kind.name for kind in kinds[t.BUILT_IN :]] == ["gate", "grass", "water"]
    assert kinds[t.FLOOR].fg == (255, 255, 255)
    assert kinds[t.FLOOR].walkable
    assert kinds[t.BUILT_IN].base == t.DOOR
    assert not kinds[t.BUILT_IN].transparent
    assert (kinds[-1].base, kinds[-1].walkable, kinds[-1].bg) == (t.FLOOR, False, (0, 0, 90))


KINDS_OF_CORRIDOR = [
    # terrain.yaml, themes.yaml -> the kinds that are told apart, and what the theme paints junctions and halls as
    ("", "garden: {floor: grass}\n", (), ("corridor", "corridor")),
    ("", "garden: {corridor: grass}\n", (), ("grass", "grass")),
    ("", "garden: {hall: grass}\n", ("hall",), ("corridor", "grass")),
    ("", "garden: {corridor: grass, junction: floor}\n", ("junction",), ("floor", "grass")),
    ("junction: {glyph: o}\n", "garden: {corridor: grass}\n", ("junction",), ("junction", "grass")),
    ("junction: {glyph: o}\n", "garden: {junction: grass}\n", ("junction",), ("grass", "corridor")),
    (
        "",
        "garden: {corridor: grass}\nbarn: {hall: wall, junction: hall}\n",
        ("junction", "hall"),
        ("grass", "grass"),
    ),
]


@pytest.mark.parametrize(("looks", "themes", "own", "painted"), KINDS_OF_CORRIDOR)
def test_junctions_and_halls_are_corridor_unless_they_are_told_apart(
    tmp_path: Path, looks: str, themes: str, own: tuple[str, ...], painted: tuple[str, ...]
) -> None:
    drawn = "crossing: {map: jh, legend: {j: junction, h: hall}}\n"
    content = load(tmp_path, {TERRAIN: f"grass: {{}}\n{looks}", THEMES: themes, "prefabs/drawn.yaml": drawn})
    kinds = content.terrain_set.kinds
    assert tuple(kind.name for kind in kinds[t.BUILT_IN :]) == ("grass", *own), (
        "authors' kinds keep their codes"
    )
    assert {kind.base for kind in kinds[t.BUILT_IN + 1 :]} <= {t.CORRIDOR}
    (codes,) = content.prefabs["crossing"].drawing.terrain.tolist()
    assert [kinds[code].name for code in codes] == [
        name if name in own else "corridor" for name in ("junction", "hall")
    ]
    assert tuple(kinds[content.themes["garden"][code]].name for code in codes) == painted


def test_the_order_of_files_and_entries_makes_no_difference(tmp_path: Path) -> None:
    grass, moss = "grass: {glyph: '\"'}\n", "moss: {like: cave}\n"
    one = load(tmp_path / "1", {TERRAIN: grass + moss}).terrain_set
    other = load(tmp_path / "2", {TERRAIN: moss + grass}).terrain_set
    assert one.kinds == other.kinds


def test_free_keywords_reach_the_object_as_they_are(tmp_path: Path) -> None:
    text = "sweeper: {name: x, glyph: s, class: worker, category: harmless, data: {mood: no, loot: [1, {a: ~}], 7: 0.5}}\n"
    data = load(tmp_path, {ROBOTS: text}).catalog["robot", "sweeper"].data
    assert data == {"mood": "no", "loot": [1, {"a": None}], "7": 0.5}
    assert type(data["loot"]) is tuple
    assert isinstance(data["loot"][1], dict)


def test_an_xp_file_alone_is_a_prefab(tmp_path: Path) -> None:
    content = load(tmp_path, {"prefabs/deep/down/hall.xp": [XpLayer.from_rows(["###", "#.#"])]})
    assert content.prefabs["hall"].drawing.terrain.shape == (2, 3)
    assert content.sources["prefab", "hall"].file == f"{tmp_path}/prefabs/deep/down/hall.xp"


@pytest.mark.parametrize("entry", ["hall:", "hall: {}", "hall: {tags: big, orientations: r0}"])
def test_an_entry_may_say_more_of_an_xp_file(tmp_path: Path, entry: str) -> None:
    files = {"prefabs/hall.xp": [XpLayer.from_rows(["."])], "prefabs/halls.yaml": entry}
    assert load(tmp_path, files).prefabs["hall"].drawing.terrain.tolist() == [[t.FLOOR]]


def test_an_encounter_may_ask_for_a_tag_in_any_spelling(tmp_path: Path) -> None:
    files = {
        PREFABS: "store: {map: '.', tags: rooms}\n",
        ENCOUNTERS: "store: {category: reward, prefabs: rooms, maps: {cellars: 1}}\n",
    }
    assert load(tmp_path, files).encounters["store"].prefabs == ("rooms",)


def test_the_prefabs_of_an_encounter_are_those_that_go_by_its_words_in_the_order_of_prefabs(
    tmp_path: Path,
) -> None:
    files = {
        PREFABS: "c: {map: '.', tags: [x1, rooms]}\na: {map: '.'}\nb: {map: '.', tags: x1}\nd: {map: '.', tags: x2}\n",
        ENCOUNTERS: "store: {category: reward, prefabs: [b, a, x1, rooms], maps: {cellars: 1}}\n",
    }
    assert [each.name for each in load(tmp_path, files).choices["store"]] == ["c", "a", "b"]


def test_legends_override_each_other_and_the_prefabs_own_comes_last(tmp_path: Path) -> None:
    files = {
        LEGENDS: "one: {a: grass, b: grass, c: grass}\ntwo: {b: wall, c: wall}\n",
        PREFABS: "store: {map: abc, legends: [one, two], legend: {c: door}}\n",
    }
    terrain = load(tmp_path, files).prefabs["store"].drawing.terrain
    assert terrain.tolist() == [[t.BUILT_IN, t.WALL, t.DOOR]]


def test_palettes_are_extended_by_a_prefab(tmp_path: Path) -> None:
    files = {
        PALETTE: 'glyphs: {"~": grass, "=": grass}\ncolours: {"#FF0000": grass, "#00ff00": grass}\n',
        PREFABS: 'store: {map: "~="}\nhall: {palette: {glyphs: {"x": wall}, colours: {"#ff0000": wall}, match: nearest}}\n',
        "prefabs/hall.xp": [XpLayer.from_rows(["█x~"], fg=(250, 9, 9))],
    }
    prefabs = load(tmp_path, files).prefabs
    assert prefabs["store"].drawing.terrain.tolist() == [[t.BUILT_IN, t.BUILT_IN]]
    assert prefabs["hall"].drawing.terrain.tolist() == [[t.WALL, t.WALL, t.BUILT_IN]]


def test_what_may_be_left_out(tmp_path: Path) -> None:
    files: dict[str, str | None] = dict.fromkeys(SMALL)
    files |= {WORLD: "start: cellars/1\n", MAPS: "cellars: {name: Cellars}\n"}
    content = load(tmp_path, files)
    assert not content.prefabs
    assert content.world.leads_to == {}


def test_files_for_people_and_hidden_files_are_left_alone(tmp_path: Path) -> None:
    load(
        tmp_path,
        {"README.md": "x", "prefabs/notes.txt": "x", ".hidden": "x", ".git/x.yaml": "[", "__old/x": "x"},
    )


@pytest.mark.parametrize(
    "name",
    [
        *(
            "{}~",
            "#{}#",
            ".#{}",
            ".{}.swp",
            "{}.swp",
            "{}.bak",
            "{}.BAK",
            "{}.orig",
            "{}.rej",
            "{}.old",
            "{}.tmp",
        ),
        *("{}.save", ".~lock.{}#", ".DS_Store", "Thumbs.db", "desktop.ini", "4913", "~{}.tmp"),
    ],
)
def test_what_editors_leave_beside_a_file_is_left_alone(tmp_path: Path, name: str) -> None:
    """Also beside a drawing, and whatever it holds: half of a file, or all of one that is there already."""
    files: dict[str, str | bytes] = {
        f"{folder}/{name.format(file)}": b"store: {"
        for folder, file in [("prefabs", "rooms.yaml"), ("prefabs", "hall.xp"), ("objects", "robots.yaml")]
    }
    files[name.format("world.yaml")] = b"\xff"
    content = load(tmp_path, files)
    assert list(content.prefabs) == ["store"]


def test_worlds_may_lead_back(tmp_path: Path) -> None:
    load(
        tmp_path,
        {WORLD: "start: cellars/1\nleads_to: {cellars/1: cellars/2, cellars/2: [cellars/1]}\n"},
    )


# -- one fault, one problem ---------------------------------------------------------------------


def encounter(lines: str) -> dict[str, str]:
    """Return an encounter that is right but for the lines that are added."""
    return {ENCOUNTERS: f"store:\n  category: reward\n  prefabs: store\n  maps: {{cellars: common}}\n{lines}"}


def prefab(lines: str) -> dict[str, str]:
    """Return a prefab whose C needs a meaning."""
    return {PREFABS: f"store:\n  map: |\n    C..\n    ...\n{lines}"}


def symbol(meaning: str) -> dict[str, str]:
    return prefab(f"  legend:\n    C: {meaning}\n")


def a_map(lines: str) -> dict[str, str]:
    return {MAPS: f"cellars:\n  name: The Cellars\n{lines}"}


def robot(entry: str) -> dict[str, str]:
    return {ROBOTS: f"sweeper: {{name: s, glyph: s, class: worker, category: harmless}}\n{entry}\n"}


NEEDS_SPAN = "a whole number, or a range such as 2..5 or 2.., is needed here"
NEEDS_INT = "a whole number, or a range such as 2..5, is needed here"
NEEDS_NAME = "a name consists of letters, digits, _ and - (at least one letter, not _ or - first, at most 60 characters)"
NEEDS_LINE = "one line of text is needed here, of 1 to 200 printable characters"
NEEDS_MAPPING = "a mapping of keys to values is needed here"
NEEDS_ID = "a map id is needed here: name/depth, such as foundry/3"


def tower(floors: str, more: str = "") -> dict[str, str]:
    """Return a world of four maps with one tower, and the type of one of them that is drawn as a whole."""
    ways = "cellars/1: cellars/2, cellars/2: [cellars/3, crypt/3]"
    world = f"start: cellars/1\nleads_to: {{{ways}}}\n{more}towers: {{keep: {{floors: {floors}}}}}\n"
    return {WORLD: world, "maps/crypt.yaml": "crypt: {name: Crypt, layout: {static: {prefab: store}}}\n"}


ONE_FAULT: list[tuple[dict[str, str], str]] = [
    # Names that nothing has.
    (encounter("  placing: «enclosd\n"), "encounter 'store': no placing mode of this name is registered; it may come from a plugin that is not installed or not imported (--import NAME): enclosd (did you mean enclosed?)"),
    (encounter("  placing: {«enclosd: {}}\n"), "encounter 'store': no placing mode of this name is registered; it may come from a plugin that is not installed or not imported (--import NAME): enclosd (did you mean enclosed?)"),
    ({ENCOUNTERS: "store: {category: reward, prefabs: [store, «stoer], maps: {cellars: 1}}\n"}, "encounter 'store': there is no prefab or tag of this name: stoer (did you mean store?)"),
    ({ENCOUNTERS: "store: {category: reward, prefabs: [«room], maps: {cellars: 1}}\n"}, "encounter 'store': there is no prefab or tag of this name: room (did you mean rooms?)"),
    ({ENCOUNTERS: "store: {category: reward, prefabs: store, maps: {«cellar: 1}}\n"}, "encounter 'store': there is no type of map of this name: cellar (did you mean cellars?)"),
    ({ENCOUNTERS: "store: {category: reward, prefabs: store, maps: {cellars: «comon}}\n"}, "encounter 'store': there is no weight word of this name: comon (did you mean common?)"),
    (symbol("{prop: «crat}"), "prefab 'store': there is no prop of this name: crat (did you mean crate?)"),
    (symbol("{prop: [crate, «barel]}"), "prefab 'store': there is no prop of this name: barel (did you mean barrel?)"),
    (symbol("{prop: {crate: 3, «barel: 1}}"), "prefab 'store': there is no prop of this name: barel (did you mean barrel?)"),
    (symbol("{prop: {value: {«crat: 3}, chance: 30%}}"), "prefab 'store': there is no prop of this name: crat (did you mean crate?)"),
    (symbol("{item: «crate}"), "prefab 'store': there is no item of this name, but a prop: crate"),
    (symbol("{robot: {class: «workers}}"), "prefab 'store': there is no class of robots of this name: workers (did you mean worker?)"),
    (symbol("{robot: {class: worker, category: [«harmles]}}"), "prefab 'store': there is no category of robots of this name: harmles (did you mean harmless?)"),
    (symbol("{robot: «worker}"), "prefab 'store': there is no robot of this name, but a class, which is written {class: worker}: worker"),
    (symbol("{robot: {class: «harmless}}"), "prefab 'store': there is no class of robots of this name, but a category, which is written {category: harmless}: harmless"),
    (symbol("{robot: {category: «sweeper}}"), "prefab 'store': there is no category of robots of this name, but a robot: sweeper"),
    (robot("drone: {name: drone, glyph: d, «hp: 3}"), "robot 'drone': this key is not known; keys that only your game understands belong under 'data': hp (allowed: band, blocks, carries, category, class, data, depth, faulty, fg, glyph, light, like, loadout, name, opaque, prototype, roll, state, threat, weight, worth)"),
    (a_map("  «width: 50\n"), "map 'cellars': write this under 'size', which is 80x50 or {width: ..., height: ...}: width"),
    (symbol("{debris: {class: «stone}}"), "prefab 'store': there is no class of debris of this name: stone"),
    (symbol("{terrain: «gras}"), "prefab 'store': there is no terrain of this name: gras (did you mean grass?)"),
    (symbol("«gras"), "prefab 'store': there is no terrain of this name: gras (did you mean grass?)"),
    (symbol("«crate"), "prefab 'store': there is no terrain of this name, but a prop, which is written {prop: crate}: crate"),
    (prefab("  legends: «boxs\n"), "prefab 'store': there is no legend of this name: boxs (did you mean boxes?)"),
    (prefab("  legend: {C: wall}\n  machine: «crat\n"), "prefab 'store': there is no prop of this name: crat (did you mean crate?)"),
    (prefab("  palette: {glyphs: {C: «wal}}\n"), "prefab 'store': there is no terrain of this name: wal (did you mean wall?)"),
    (a_map("  theme: «gardn\n"), "map 'cellars': there is no theme of this name: gardn (did you mean garden?)"),
    (a_map("  layout: «statik\n"), "map 'cellars': no layout of this name is registered; it may come from a plugin that is not installed or not imported (--import NAME): statik (did you mean static?)"),
    (a_map("  layout: {static: {prefab: «stor}}\n"), "map 'cellars': there is no prefab or tag of this name: stor (did you mean store?)"),
    (a_map("  population: [{item: «scrp}]\n"), "map 'cellars': there is no item of this name: scrp (did you mean scrap?)"),
    ({WORLD: "start: «celars/1\n"}, "world: there is no map or branch of this name: celars (did you mean cellars?)"),
    ({WORLD: "start: cellars/1\nleads_to: {cellars/1: [«cellar/2]}\n"}, "world: there is no map or branch of this name: cellar (did you mean cellars?)"),
    ({THEMES: "garden: {«flor: grass}\n"}, "theme 'garden': there is no built-in terrain or digit of this name: flor (did you mean floor?)"),
    ({THEMES: "garden: {floor: «gras}\n"}, "theme 'garden': there is no terrain of this name: gras (did you mean grass?)"),
    ({THEMES: "garden: {«10: grass}\n"}, "theme 'garden': there is no built-in terrain or digit of this name: 10 (did you mean 1?)"),
    ({PALETTE: "glyphs: {x: «gras}\n"}, "palette: there is no terrain of this name: gras (did you mean grass?)"),
    ({LEGENDS: "boxes: {B: {prop: «barel}}\n"}, "legend 'boxes': there is no prop of this name: barel (did you mean barrel?)"),
    ({TERRAIN: "grass: {like: «flor}\n"}, "terrain 'grass': this value is not allowed here: flor (did you mean floor?)"),
    (robot("drone: {name: d, glyph: d, weight: «rar}"), "robot 'drone': there is no weight word of this name: rar (did you mean rare?)"),
    # Keys.
    ({ENCOUNTERS: "store: {«catgory: reward, prefabs: store, maps: {cellars: 1}}\n"}, "encounter 'store': this key is not known: catgory (did you mean category?)"),
    (encounter("  «like: store\n"), "encounter 'store': an encounter can't be like another: write its keys here, or make both of them 'variants' of one encounter: like"),
    (encounter("  limit: {«wrld: 3}\n"), "encounter 'store': this key is not known: wrld (did you mean world?)"),
    (encounter("  placing: {enclosed: {«windows: 3}}\n"), "encounter 'store': this key is not known: windows (allowed: doors, surplus, width)"),
    (symbol("{«porp: crate}"), "prefab 'store': this key is not known: porp (did you mean prop?)"),
    (symbol("{robot: {«clas: worker}}"), "prefab 'store': this key is not known: clas (did you mean class?)"),
    (symbol("{robot: {class: worker, «colour: red}}"), "prefab 'store': only class and category can ask for an object here: colour (allowed: category, class)"),
    (prefab("  legend: {C: wall}\n  «tag: x\n"), "prefab 'store': this key is not known: tag (did you mean tags?)"),
    (a_map("  size: {width: 50, «heigth: 40}\n"), "map 'cellars': this key is not known: heigth (did you mean height?)"),
    ({LEGENDS: "boxes: {B: {«porp: barrel}}\n"}, "legend 'boxes': this key is not known: porp (did you mean prop?)"),
    (robot("drone: {name: d, glyph: d, «classes: worker}"), "robot 'drone': this key is not known: classes (did you mean class?)"),
    # What is missing.
    ({ENCOUNTERS: "«store: {prefabs: store, maps: {cellars: 1}}\n"}, "encounter 'store': 'category' is missing"),
    ({ENCOUNTERS: "store: «{category: reward, maps: {cellars: 1}}\n"}, "encounter 'store': an encounter that is placed enclosed needs 'prefabs'"),
    ({WORLD: "«name: x\n"}, "world: 'start' is missing"),
    ({WORLD: "# nothing at all\n"}, "world: 'start' is missing"),
    (robot("«drone: {name: d}"), "robot 'drone': 'glyph' is missing"),
    ({PREFABS: "«store: {tags: rooms}\n"}, "prefab 'store': this prefab has neither a map nor an .xp drawing of its name"),
    (robot("drone:«"), f"robot 'drone': {NEEDS_MAPPING}, but there is no value"),
    (a_map("  theme:«\n"), "map 'cellars': this key has no value"),
    (prefab("  legend: {C: wall}\n  links:«\n"), "prefab 'store': this key has no value"),
    (encounter("  limit: {map: «}\n"), "encounter 'store': this key has no value"),
    (encounter("  group:«\n"), "encounter 'store': a name, or a list of names, is needed here, but there is no value"),
    (prefab("  legend:\n    C:«\n"), f"prefab 'store': {NEEDS_MAPPING}, but there is no value"),
    (symbol("«{}"), "prefab 'store': an object (prop, trap, robot, item, debris) or terrain is needed here"),
    (a_map("  population: [«{count: 3}]\n"), "map 'cellars': an object is needed here: prop, trap, robot, item, debris"),
    # What is of the wrong kind.
    ({MAPS: "cellars: «3\n"}, f"map 'cellars': {NEEDS_MAPPING}: 3"),
    ({MAPS: "«- cellars\n", WORLD: "start: cellars/1\n", ENCOUNTERS: ""}, "map: a mapping of names to map entries is needed here: [cellars]"),
    ({WORLD: "«[cellars/1]\n"}, f"world: {NEEDS_MAPPING}: [cellars/1]"),
    ({WORLD: "start: cellars/1\nleads_to: «[cellars/1]\n"}, f"world: {NEEDS_MAPPING}, such as {{cellars/1: ...}}: [cellars/1]"),
    ({WORLD: "start: cellars/1\nleads_to: {cellars/1: «{cellars/2: 1}}\n"}, "world: a name, or a list of names, is needed here: {cellars/2: 1}"),
    ({WEIGHTS: "«common\n"}, f"weights: {NEEDS_MAPPING}: common"),
    ({PALETTE: "«[]\n"}, f"palette: {NEEDS_MAPPING}: []"),
    ({PALETTE: "glyphs: «[x]\n"}, f"palette: {NEEDS_MAPPING}, such as {{x: ...}}: [x]"),
    ({THEMES: "garden: «grass\n"}, f"theme 'garden': {NEEDS_MAPPING}: grass"),
    (prefab("  legend: «[C]\n"), f"prefab 'store': {NEEDS_MAPPING}, such as {{C: ...}}: [C]"),
    ({PREFABS: "store: {map: «3}\n"}, "prefab 'store': text is needed here: 3"),
    ({PREFABS: "store: {map: «[x, y]}\n"}, "prefab 'store': text is needed here: [x, y]"),
    (symbol("«5"), f"prefab 'store': {NEEDS_MAPPING}, such as {{prop: 5}}: 5"),
    (symbol("{prop: «1.5}"), "prefab 'store': a name is needed here: 1.5"),
    (symbol("{prop: «2..5}"), "prefab 'store': a range of numbers is not possible here: 2..5"),
    (symbol("{prop: «[]}"), "prefab 'store': a list must not be empty here: nothing could be chosen from it"),
    (symbol("{prop: crate, unique: «yes}"), "prefab 'store': true or false is needed here: yes (allowed: false, true)"),
    (symbol("{prop: crate, shift: «3}"), "prefab 'store': a list of two whole numbers, [columns, rows], is needed here: 3"),
    (symbol("{prop: crate, shift: [1, «51]}"), "prefab 'store': a whole number from 0 to 50 is needed here: 51"),
    (symbol("{prop: crate, chance: «often}"), "prefab 'store': a share from 0% to 100% is needed here: often"),
    (symbol("{prop: crate, chance: «130%}"), "prefab 'store': a share from 0% to 100% is needed here: 130%"),
    (symbol("{prop: crate, data: «[]}"), f"prefab 'store': {NEEDS_MAPPING}: []"),
    (encounter("  limit: «3\n"), f"encounter 'store': {NEEDS_MAPPING}, such as {{map: 3}}: 3"),
    (encounter("  far_from: «3\n"), f"encounter 'store': {NEEDS_MAPPING}, such as {{...: 3}}: 3"),
    (encounter("  «once: true\n"), "encounter 'store': an encounter that comes once in a world is written with guaranteed: true and limit: {world: 1}: once"),
    (encounter("  «spacing: 9\n"), "encounter 'store': this distance is written under 'far_from', with the encounter's own name for its other copies: spacing"),
    (encounter("  «weight: 3\n"), "encounter 'store': how common an encounter is, is written under 'maps', as in maps: {cellars: 3}: weight"),
    (encounter("  limit: {map: «1.5}\n"), "encounter 'store': a whole number is needed here: 1.5"),
    (encounter("  access: «two\n"), f"encounter 'store': {NEEDS_SPAN}: two"),
    (encounter("  depth: «99999999999999999999\n"), f"encounter 'store': {NEEDS_SPAN}: 99999999999999999999"),
    (encounter("  placing: «[enclosed]\n"), "encounter 'store': a placing mode is needed here: its name, or {name: {its parameters}}: [enclosed]"),
    (encounter("  placing: «{enclosed: 3}\n"), "encounter 'store': a placing mode is needed here: its name, or {name: {its parameters}}: {enclosed: 3}"),
    ({ENCOUNTERS: "store: {category: reward, prefabs: store, maps: {cellars: «{1: 10, 5: 40}}}\n"}, "encounter 'store': a weight by depth is written {by_depth: {1: rare, 5: common}}, with or without stepped: true: {1: 10, 5: 40}"),
    ({ENCOUNTERS: "store: {category: reward, prefabs: store, maps: {cellars: {by_depth: {1: rare, 5: «comon}}}}\n"}, "encounter 'store': there is no weight word of this name: comon (did you mean common?)"),
    ({ENCOUNTERS: "store: {category: reward, prefabs: store, maps: {cellars: {by_depth: {«deep: rare}}}}\n"}, "encounter 'store': a depth from 0 to 1000 is needed here: deep"),
    (encounter("  limit: {map: 2}\n  least: {map: «3}\n"), "encounter 'store': this minimum is above the limit, which is 2: 3"),
    (encounter("  limit: {world: 1..2}\n  least: {world: «3}\n"), "encounter 'store': this minimum is above the limit, which is 2: 3"),
    (encounter("  requires: «store\n"), "encounter 'store': this encounter requires itself: store -> store"),
    (encounter("  fallback: «store\n"), "encounter 'store': this encounter is its own fallback: store -> store"),
    (encounter("  conflicts: «store\n"), "encounter 'store': an encounter can't conflict with itself: store"),
    (encounter("  requires: «stoer\n"), "encounter 'store': there is no encounter of this name: stoer (did you mean store?)"),
    (encounter("  group: {wolrd: a}\n".replace("wolrd", "«wolrd")), "encounter 'store': this key is not known: wolrd (did you mean world?)"),
    ({ENCOUNTERS: "store: {category: reward, prefabs: {«stroe: 1}, maps: {cellars: 1}}\n"}, "encounter 'store': there is no prefab or tag of this name: stroe (did you mean store?)"),
    ({ENCOUNTERS: "store: {category: reward, prefabs: {store: «comon}, maps: {cellars: 1}}\n"}, "encounter 'store': there is no weight word of this name: comon (did you mean common?)"),
    ({ENCOUNTERS: "store: {category: reward, prefabs: «{store: 0}, maps: {cellars: 1}}\n"}, "encounter 'store': at least one weight must be above zero: {store: 0}"),
    ({ENCOUNTERS: "store: {category: reward, prefabs: «{}, maps: {cellars: 1}}\n"}, "encounter 'store': a mapping must not be empty here: nothing could be chosen from it"),
    ({ENCOUNTERS: "store: {category: reward, prefabs: [«true], maps: {cellars: 1}}\n"}, "encounter 'store': a name is needed here: true"),
    (a_map("  size: «60 by 40\n"), "map 'cellars': a size is written 100x60 (columns x rows), or {width: ..., height: ...}: 60 by 40"),
    (a_map("  size: «60\n"), "map 'cellars': a size is written 100x60 (columns x rows), or {width: ..., height: ...}: 60"),
    (a_map("  encounters: «some\n"), f"map 'cellars': {NEEDS_INT}: some"),
    (a_map("  encounters: [3, {4: «x}]\n"), "map 'cellars': a weight, a number from 0 up, is needed here: x"),
    (a_map("  population: «{item: scrap}\n"), "map 'cellars': a list is needed here: {item: scrap}"),
    (a_map("  population: [«scrap]\n"), "map 'cellars': a mapping such as {robot: sweeper, count: 2..5} is needed here: scrap"),
    (robot("drone: {name: d, glyph: «dd}"), "robot 'drone': one printable character is needed here: dd"),
    (robot("drone: {name: d, glyph: «10}"), "robot 'drone': one printable character is needed here: 10"),
    (robot(r'drone: {name: d, glyph: «"\e"}'), r"robot 'drone': one printable character is needed here: \x1b"),
    (robot("drone: {name: d, glyph: d, fg: «red}"), 'robot \'drone\': a colour is needed here, "#rrggbb" or [red, green, blue]: red'),
    (robot("drone: {name: d, glyph: d, fg: «[1, 2, 300]}"), "robot 'drone': the parts of a colour are whole numbers from 0 to 255: [1, 2, 300]"),
    (robot("drone: {name: d, glyph: d, opaque: «1}"), "robot 'drone': true or false is needed here: 1 (allowed: false, true)"),
    (robot("drone: {name: «12, glyph: d}"), "robot 'drone': text is needed here: 12"),
    (robot("drone: {name: «'', glyph: d}"), f"robot 'drone': {NEEDS_LINE}: \"\""),
    (robot(r'drone: {name: «"a\nb\e[31m", glyph: d}'), rf"robot 'drone': {NEEDS_LINE}: a\nb\x1b[31m"),
    # Numbers out of bounds.
    (encounter("  limit: {map: «0}\n"), "encounter 'store': a number of at least 1 is needed here: 0"),
    (encounter("  access: «0\n"), "encounter 'store': this number must lie between 1 and 1000: 0"),
    (encounter("  depth: «1..2000\n"), "encounter 'store': this number must lie between 0 and 1000: 1..2000"),
    (encounter("  depth: «5..2\n"), "encounter 'store': the end of this range is below its start: 5..2"),
    ({ENCOUNTERS: "store: {category: reward, prefabs: store, maps: {cellars: «-1}}\n"}, "encounter 'store': a weight is a word of weights.yaml or a number from 0 to 1,000,000: -1"),
    ({WEIGHTS: "common: «-1\n"}, "weights: a weight is a number from 0 to 1,000,000: -1"),
    (a_map("  size: «5x40\n"), "map 'cellars': this number must lie between 9 and 4000: 5"),
    (a_map("  size: {width: [40, «30..5000]}\n"), "map 'cellars': this number must lie between 9 and 4000: 5000"),
    (a_map("  encounters: «-1\n"), "map 'cellars': this number must lie between 0 and 10000: -1"),
    (robot("drone: {name: d, glyph: d, depth: «1001}"), "robot 'drone': a number of at most 1000 is needed here: 1001"),
    (robot("drone: {name: d, glyph: d, light: «-1}"), "robot 'drone': a number of at least 0 is needed here: -1"),
    (symbol("{prop: «{crate: 0, barrel: 0}}"), "prefab 'store': at least one weight must be above zero: {crate: 0, barrel: 0}"),
    ({ENCOUNTERS: "store: {category: reward, prefabs: «[], maps: {cellars: 1}}\n"}, "encounter 'store': a list must not be empty here: nothing could be chosen from it"),
    ({ENCOUNTERS: "store: {category: reward, prefabs: store, maps: «{}}\n"}, "encounter 'store': at least 1 item must be listed here: {}"),
    # Maps of the world.
    ({WORLD: "start: «cellars\n"}, f"world: {NEEDS_ID}: cellars"),
    ({WORLD: "start: «cellars/01\n"}, f"world: {NEEDS_ID}: cellars/01"),
    ({WORLD: "start: «cellars/-1\n"}, f"world: {NEEDS_ID}: cellars/-1"),
    ({WORLD: "start: «cellars/2000\n"}, "world: a map lies at a depth of 1000 at most: cellars/2000"),
    ({WORLD: "start: cellars/1\nleads_to:\n  cellars/1: [cellars/2]\n  «cellars/3: []\n"}, "world: no exits lead from the start of the world to these maps: cellars/3"),
    ({WORLD: "start: cellars/1\nleads_to: {cellars/1: [cellars/2, «cellars/2]}\n"}, "world: this word is listed twice: cellars/2"),
    ({WORLD: "start: cellars/1\nleads_to: {cellars/1: [cellars/2, «cellars/1]}\n"}, "world: a map can't lead to itself: cellars/1"),
    ({WORLD: "start: cellars/1\nleads_to: {cellars/1: «cellars/1}\n"}, "world: a map can't lead to itself: cellars/1"),
    # Towers.
    (tower("{cellars/1: «stoer, cellars/2: store}"), "world: there is no prefab or tag of this name: stoer (did you mean store?)"),
    (tower("{cellars/1: store, «cellars/4: store}"), "world: the world has no such map; 'maps' says at which depths there are any: cellars/4 (did you mean cellars/3?)"),
    (tower("{cellars/1: store, «cellars/3: store}"), "world: no exit leads from cellars/1, the map of the floor before, to cellars/3: cellars/3"),
    (tower("{cellars/2: store, «cellars/1: store}"), "world: no exit leads from cellars/2, the map of the floor before, to cellars/1: cellars/1"),
    (tower("{cellars/1: store, cellars/2: store, «cellars/1..2: store}"), "world: cellars/1 has a floor of this tower already: cellars/1..2"),
    (tower("«{cellars/1: store}"), "world: a tower has floors on two maps or more; a prefab on one map is a feature of that map"),
    (tower("{cellars/1: store, cellars/2: «{value: store, chance: 50%}}"), "world: every floor is there: 'chance' of the tower decides whether a world has all of them"),
    (tower("{cellars/1: store, cellars/2: store}, at: [1, 1], «where: centre"), "world: 'at' gives the position of the feature already: where"),
    (tower("{cellars/1: store, «cellars/2: store}", "one_way: cellars/2\n"), "world: cellars/2 is one-way, but stairs lead back up from this floor: cellars/2"),
    (
        tower("{cellars/2: store, «crypt/3: store}"),
        "world: the layout static draws the whole map crypt, so crypt/3 can't have a floor: crypt/3",
    ),
    # What stands twice, or two ways.
    (robot("«sweeper: {name: d, glyph: d}"), "this key stands twice in one mapping, first in line 1: sweeper"),
    ({ENCOUNTERS: "store: {category: reward, prefabs: [store, «store], maps: {cellars: 1}}\n"}, "encounter 'store': this word is listed twice: store"),
    (encounter("  group: [a, b, «a]\n"), "encounter 'store': this word is listed twice: a"),
    (prefab("  legend: {C: wall}\n  orientations: [r0, «r0]\n"), "prefab 'store': this word is listed twice: r0"),
    (prefab("  legend: {C: wall}\n  orientations: [r0, «r45]\n"), "prefab 'store': this value is not allowed here: r45 (allowed: m0, m180, m270, m90, r0, r180, r270, r90)"),
    ({PALETTE: 'colours: {"#ff0000": wall, «"#FF0000": floor}\n'}, "palette: this colour stands here twice, also as #ff0000: #FF0000"),
    ({PALETTE: 'colours: {«"#ff00": wall}\n'}, 'palette: a colour is written "#rrggbb": #ff00'),
    ({PALETTE: "match: «near\n"}, "palette: this value is not allowed here: near (did you mean nearest?)"),
    (symbol("{prop: crate, «item: scrap}"), "prefab 'store': an entry can name only one object, and 'prop' names one already: item"),
    (symbol("{terrain: wall, «chance: 30%}"), "prefab 'store': only an object can have this key: chance"),
    ({"objects/robots.yaml": "sweeper: {name: s, glyph: s, like: «sweepr}"}, "robot 'sweeper': there is no robot of this name: sweepr (did you mean sweeper?)"),
    ({"objects/robots.yaml": "sweeper: {name: s, glyph: s, like: «sweeper}"}, "robot 'sweeper': this robot is like itself: sweeper -> sweeper"),
    (a_map("  population: [{item: scrap, density: 1, «count: 3}]\n"), "map 'cellars': 'density' says already how many objects there are: count"),
    (a_map("  population: [{item: scrap, density: «many}]\n"), "map 'cellars': a density is needed here: how many per 100 cells, at most 100: many"),
    (a_map("  population: [{item: scrap, density: «{1: 2}}]\n"), "map 'cellars': a density by depth is written {by_depth: {1: 0.5, 5: 2}}, with or without stepped: true: {1: 2}"),
    (a_map("  population: [{item: scrap, at: «cellar}]\n"), "map 'cellars': this value is not allowed here: cellar (allowed: anywhere, corridors, doors, middles, rooms, walls)"),
    (a_map("  population: [{item: scrap, «patrol: 3}]\n"), "map 'cellars': only robots can have this key: patrol"),
    (a_map("  population: [{item: scrap, «followers: [{robot: sweeper}]}]\n"), "map 'cellars': only robots can have this key: followers"),
    (a_map("  population: [{item: scrap, «in_sight: true}]\n"), "map 'cellars': only robots can have this key: in_sight"),
    (a_map("  population: [{robot: sweeper, «drift: 3}]\n"), "map 'cellars': robots can't lie in heaps; they keep together by 'followers': drift"),
    (a_map("  population: [{robot: sweeper, followers: [{«item: scrap}]}]\n"), "map 'cellars': only robots can follow others: item"),
    (a_map("  population: [{robot: sweeper, followers: [{robot: «sweepr}]}]\n"), "map 'cellars': there is no robot of this name: sweepr (did you mean sweeper?)"),
    (symbol("{prop: crate, «followers: [{robot: sweeper}]}"), "prefab 'store': only robots can have this key: followers"),
    (symbol("{terrain: wall, «followers: [{robot: sweeper}]}"), "prefab 'store': only an object can have this key: followers"),
    (symbol("{robot: sweeper, followers: [{«item: scrap}]}"), "prefab 'store': only robots can follow others: item"),
    (symbol("{robot: sweeper, followers: [{robot: sweeper, «within: 3}]}"), "prefab 'store': this key is not known; keys that only your game understands belong under 'data': within (allowed: ambush, chance, count, data, debris, fallback, item, loadout, lock, never_faulty, opens, prop, prototype, rating, robot, roll, state, strong, trap)"),
    (symbol("{prop: crate, around: [{item: scrap, within: «0}]}"), "prefab 'store': this number must lie between 1 and 50: 0"),
    (symbol("{prop: crate, around: [{item: scrap, within: «51}]}"), "prefab 'store': this number must lie between 1 and 50: 51"),
    (symbol("{prop: crate, around: [{item: «scrp}]}"), "prefab 'store': there is no item of this name: scrp (did you mean scrap?)"),
    (symbol("{prop: crate, around: [{item: scrap, «shift: [1, 1]}]}"), "prefab 'store': objects scattered over a map can't have this key: shift"),
    (symbol("{prop: crate, around: [{item: scrap, «around: []}]}"), "prefab 'store': objects scattered over a map can't have this key: around"),
    (symbol("{prop: crate, around: [{item: scrap, «patrol: 2}]}"), "prefab 'store': only robots can have this key: patrol"),
    (a_map("  population: [{item: scrap, around: [{item: scrap, within: «0}]}]\n"), "map 'cellars': this number must lie between 1 and 50: 0"),
    (a_map("  population: [{item: scrap, around: [{item: scrap, «around: []}]}]\n"), "map 'cellars': objects scattered over a map can't have this key: around"),
    (robot("boss: {name: b, glyph: b, band: [{«item: scrap}]}"), "robot 'boss': only robots can follow others: item"),
    (robot("boss: {name: b, glyph: b, band: [{robot: «sweepr}]}"), "robot 'boss': there is no robot of this name: sweepr (did you mean sweeper?)"),
    ({"objects/items.yaml": "scrap: {name: s, glyph: s, «band: [{robot: sweeper}]}"}, "item 'scrap': only robots can have this key: band"),
    (a_map("  machines: [{prefabs: «stor}]\n"), "map 'cellars': there is no prefab or tag of this name: stor (did you mean store?)"),
    (a_map("  machines: [{prefabs: store, at: «door}]\n"), "map 'cellars': this value is not allowed here: door (allowed: middle, wall)"),
    (a_map("  population: [{item: scrap, «shift: [1, 1]}]\n"), "map 'cellars': objects scattered over a map can't have this key: shift"),
    (prefab("  legend: {C: wall, «' ': {prop: crate}}\n"), "prefab 'store': a space is an empty cell, so it can stand for terrain, but not for an object"),
    (prefab("  legend: {C: wall, «CC: wall}\n"), "prefab 'store': one printable character is needed here: CC"),
    ({TERRAIN: "grass: {}\nfloor: {«walkable: false}\n"}, "terrain 'floor': only the look of built-in terrain can be changed: walkable"),
    ({TERRAIN: "grass: {}\nhall: {«like: floor}\n"}, "terrain 'hall': only the look of built-in terrain can be changed: like"),
    # Names of entries.
    (robot("«drone one: {name: d, glyph: d}"), f"robot 'drone one': {NEEDS_NAME}: drone one"),
    (robot("«a/b: {name: d, glyph: d}"), f"robot 'a/b': {NEEDS_NAME}: a/b"),
    (robot("«'': {name: d, glyph: d}"), f'robot: {NEEDS_NAME}: ""'),
    (robot("«_x: {name: d, glyph: d}"), f"robot '_x': {NEEDS_NAME}: _x"),
    (robot(r'«"x\ny": {name: d, glyph: d}'), rf"robot 'x\ny': {NEEDS_NAME}: x\ny"),
    (robot("«12: {name: d, glyph: d}"), f"robot '12': {NEEDS_NAME}: 12"),
    ({WEIGHTS: "common: 1\n«12: 3\n"}, f"weights: {NEEDS_NAME}: 12"),
    (robot("«value: {name: d, glyph: d}"), "robot 'value': this word has a meaning of its own and can't be a name: value"),
    (robot("«true: {name: d, glyph: d}"), "robot 'true': this word has a meaning of its own and can't be a name: true"),
    (robot("drone: {name: d, glyph: d, class: «my own}"), f"robot 'drone': {NEEDS_NAME}: my own"),
    (encounter("  group: «big ones\n"), f"encounter 'store': {NEEDS_NAME}: big ones"),
    ({WEIGHTS: "common: 1\n«so so: 3\n"}, f"weights: {NEEDS_NAME}: so so"),
    # Drawings.
    ({PREFABS: "store:\n  map: |\n    «C..\n    .C.\n"}, "prefab 'store': no legend or palette says what this character means (2 cells): 'C'"),
    ({PREFABS: "store:\n  map: |\n    «c..\n  legend: {C: wall}\n"}, "prefab 'store': no legend or palette says what this character means: 'c' (did you mean C?)"),
    ({PREFABS: "store:\n  map: |\n    ...\n    ..«\n    ...\n"}, "prefab 'store': this row has 2 cells, but most rows have 3"),
    ({PREFABS: "store:\n  map: |\n    ...«.\n    ...\n    ...\n"}, "prefab 'store': this row has 4 cells, but most rows have 3"),
    ({PREFABS: "store:\n  map: |\n    ...\n    .. \n    ..«\n"}, "prefab 'store': this row has 2 cells, but most rows have 3"),
    ({PREFABS: "store:\n  map: |\n    ...\n    . .\n    ..«\n"}, f"prefab 'store': this row has 2 cells, but most rows have 3{STRIPPED}"),
    ({PREFABS: "store:\n  map: |\n    ...\n    «\n    ...\n"}, "prefab 'store': this row has 0 cells, but most rows have 3"),
    ({PREFABS: "store: {map: «''}\n"}, "prefab 'store': this drawing is empty"),
    ({PREFABS: "store:\n  map: |\n    ...\n  links: |2\n       «2\n"}, "prefab 'store': this row of the links reaches out of the map, which is 3x1 cells"),
    ({PREFABS: "store:\n  map: |\n    ...\n  links: |\n    2\n    «2\n"}, "prefab 'store': this row of the links reaches out of the map, which is 3x1 cells"),
    ({PREFABS: "store:\n  map: |\n    ...\n  links: |\n    2«y2\n"}, "prefab 'store': a link is written as a digit from 1 to 9, the width of a tunneler, or as one of the allowed marks: 'y' (allowed: *, o, x)"),
    ({PREFABS: "store:\n  map: |\n    ...\n  references: |\n    «q\n"}, "prefab 'store': no legend says what this reference means: 'q'"),
    ({PREFABS: "store: {map: «'..x'}\n"}, "prefab 'store': no legend or palette says what this character means: 'x'"),
    ({PREFABS: "store:\n  map: «>\n    ...\n    ...\n"}, "prefab 'store': YAML joins the rows of this drawing into one; write | after the key, and the rows below it"),
    ({PREFABS: "store:\n  map:\n    «...\n    ...\n"}, "prefab 'store': YAML joins the rows of this drawing into one; write | after the key, and the rows below it"),
    ({PREFABS: "store:\n  map: '...'\n  links: «>\n    2\n    2\n"}, "prefab 'store': YAML joins the rows of this drawing into one; write | after the key, and the rows below it"),
    ({PREFABS: "store: {map: '.', tags: [rooms, «store]}\n"}, "prefab 'store': there is a prefab whose name is this tag, in prefabs/rooms.yaml:1:1: store"),
    # YAML.
    ({ROBOTS: "sweeper: {name: s, glyph: s, fg: «#ff0000}\n"}, "this is not YAML: # begins a comment; a value that begins with # must stand in quotes"),
    ({ROBOTS: "sweeper:\n  name: s\n  glyph: s\n  fg: «#ff0000\n  class: worker\n"}, "# begins a comment; a value that begins with # must stand in quotes"),
    (prefab("  legend:\n    C: wall\n    «#: wall\n"), "# begins a comment; a key that begins with # must stand in quotes"),
    (prefab("  legend:\n    C: wall\n    «*: wall\n"), "this is not YAML: * must stand in quotes here"),
    ({ROBOTS: "sweeper: «!!python/object:os.system {name: s, glyph: s, class: worker}\n"}, "! begins a tag, which has no meaning here; text that begins with ! must stand in quotes: tag:yaml.org,2002:python/object:os.system"),
    ({ROBOTS: "sweeper: {name: s, glyph: «*s, class: worker}\n"}, "no anchor above has this name: *s"),
    ({WORLD: "start: cellars/1\n«---\nstart: cellars/2\n"}, "a second YAML document begins here, but a file can hold only one"),
]  # fmt: skip


@pytest.mark.parametrize(("files", "expected"), ONE_FAULT)
def test_one_fault_is_one_problem(tmp_path: Path, files: dict[str, str], expected: str) -> None:
    (culprit,) = [file for file, text in files.items() if "«" in text] or list(files)
    others = {file: text for file, text in files.items() if file != culprit}
    text, places = marked(files[culprit])
    place = f"{culprit}:{places[0]}" if places else culprit
    assert said(tmp_path, {**others, culprit: text}) == [f"{place}: {expected}"]


def test_rows_whose_ends_an_editor_has_stripped_are_those_that_are_shorter_than_the_longest(
    tmp_path: Path,
) -> None:
    text = """\
        store:
          map: |2
              ###
             ## ##
            #     #
             ## ##
              ###
        """
    found = said(tmp_path, {PREFABS: text})
    places = [f"{line}:{column}" for line, column in [(3, 10), (4, 11), (6, 11), (7, 10)]]
    assert found == [
        f"{PREFABS}:{place}: prefab 'store': this row has {cells} cells, but the longest row has 7{STRIPPED}"
        for place, cells in zip(places, (5, 6, 6, 5), strict=True)
    ]


def test_a_problem_can_be_taken_apart(tmp_path: Path) -> None:
    (problem,) = problems(tmp_path, symbol("{prop: crat}"))
    assert problem.source.file == f"{tmp_path}/prefabs/rooms.yaml"
    assert (problem.source.line, problem.source.column) == (6, 15)
    assert problem.entry == "prefab 'store'"
    assert problem.message == "there is no prop of this name"
    assert problem.value == "crat"
    assert problem.allowed == ("barrel", "crate")
    assert problem.nearest == "crate"
    assert problem.severity == "error"


# -- parameters of layouts ----------------------------------------------------------------------


class Branch(Parameters):
    """A part of the parameters below."""

    width: Annotated[IntValue, within(1, 9)] = Field(default="1..2", validate_default=True)  # type: ignore[arg-type]


class HallParameters(Parameters):
    """Parameters as anyone may register them, with errors of pydantic's own."""

    rooms: int = 3
    share: float = 0.5
    branch: Branch = Branch()
    theme: str = ""
    room: PrefabOrTag = "store"
    odd: int = 1

    @field_validator("odd")
    @classmethod
    def _is_odd(cls, value: int) -> int:
        if value % 2 == 0:
            raise ValueError("this must be odd")
        return value

    def asked_for(self) -> tuple[str, ...]:
        return (self.room,)


@pytest.fixture(name="halls")
def _halls(monkeypatch: pytest.MonkeyPatch) -> None:
    halls = Layout(name="halls", params=HallParameters, build=lambda *_: iter(()))
    monkeypatch.setitem(LAYOUTS, "halls", halls)


@pytest.mark.usefixtures("halls")
@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ("{rooms: «many}", "a whole number is needed here: many"),
        ("{rooms: «1.5}", "a whole number is needed here: 1.5"),
        ("{share: «half}", "a number is needed here: half"),
        ("{share: «[1]}", "a number is needed here: [1]"),
        ("{theme: «3}", "text is needed here: 3"),
        ("{branch: «3}", "a mapping of keys to values is needed here, such as {width: 3}: 3"),
        ("{branch: {«widht: 3}}", "this key is not known: widht (did you mean width?)"),
        ("{branch: {width: [1, {«12: 1}]}}", "this number must lie between 1 and 9: 12"),
        ("{«room_s: 3}", "this key is not known: room_s (did you mean rooms?)"),
        ("{odd: «2}", "this must be odd: 2"),
        ("{room: «stor}", "there is no prefab or tag of this name: stor (did you mean store?)"),
    ],
)
def test_parameters_of_any_layout(tmp_path: Path, parameters: str, expected: str) -> None:
    expect(tmp_path, a_map(f"  layout: {{halls: {parameters}}}\n"), [f"map 'cellars': {expected}"])


@pytest.mark.usefixtures("halls")
def test_all_that_is_wrong_with_parameters_is_said_at_once(tmp_path: Path) -> None:
    text = """
        cellars:
          name: The Cellars
          layout:
            halls:
              rooms: «many
              branch:
                width: «x
              «thme: x
          theme: «gardn
    """
    expect(
        tmp_path,
        {MAPS: text},
        [
            "map 'cellars': a whole number is needed here: many",
            "map 'cellars': a whole number, or a range such as 2..5, is needed here: x",
            "map 'cellars': this key is not known: thme (did you mean theme?)",
            "map 'cellars': there is no theme of this name: gardn (did you mean garden?)",
        ],
    )


@pytest.mark.usefixtures("halls")
def test_parameters_that_are_right(tmp_path: Path) -> None:
    content = load(tmp_path, a_map("  layout: {halls: {rooms: 7, branch: {width: {1: 2}}}}\n"))
    params = content.layouts["cellars"]
    assert isinstance(params, HallParameters)
    assert params.rooms == 7
    assert content.maps["cellars"].layout.params is params


# -- many faults --------------------------------------------------------------------------------


def test_five_faults_in_three_files_are_five_problems(tmp_path: Path) -> None:
    expect(
        tmp_path,
        {
            ENCOUNTERS: """
                store:
                  category: «rewards
                  prefabs: store
                  maps: {«cellar: common}
            """,
            ROBOTS: """
                sweeper: {name: s, glyph: «ss, class: worker, category: harmless}
                «drone: {name: d}
            """,
            WORLD: "start: «celars/1\n",
        },
        [
            "encounter 'store': there is no category of this name: rewards (did you mean reward?)",
            "encounter 'store': there is no type of map of this name: cellar (did you mean cellars?)",
            "robot 'sweeper': one printable character is needed here: ss",
            "robot 'drone': 'glyph' is missing",
            "world: there is no map or branch of this name: celars (did you mean cellars?)",
        ],
    )


def test_ten_faults_in_one_file_are_ten_problems(tmp_path: Path) -> None:
    text = """
        store:
          map: |
            C.x
            «y.«
          legend:
            C: {prop: «crat, chance: «many}
            x: {«porp: crate, unique: «yes}
          machine: «crat
          orientations: [r0, «r45]
          «tagz: [a]
          palette: {glyphs: {«zz: wall}}
    """
    expect(
        tmp_path,
        {PREFABS: text},
        [
            "prefab 'store': no legend or palette says what this character means: 'y'",
            "prefab 'store': this row has 2 cells, but the longest row has 3",
            "prefab 'store': there is no prop of this name: crat (did you mean crate?)",
            "prefab 'store': a share from 0% to 100% is needed here: many",
            "prefab 'store': this key is not known: porp (did you mean prop?)",
            "prefab 'store': true or false is needed here: yes (allowed: false, true)",
            "prefab 'store': there is no prop of this name: crat (did you mean crate?)",
            "prefab 'store': this value is not allowed here: r45 (allowed: m0, m180, m270, m90, r0, r180, r270, r90)",
            "prefab 'store': this key is not known: tagz (did you mean tags?)",
            "prefab 'store': one printable character is needed here: zz",
        ],
    )


USES_ALL = {
    PREFABS: """
        store:
          map: "B~x"
          legend: {x: {robot: sweeper}}
          legends: boxes
    """,
    ENCOUNTERS: """
        store: {category: reward, prefabs: [store, rooms], maps: {cellars: common}}
    """,
    MAPS: """
        cellars:
          name: Cellars
          theme: garden
          population: [{robot: {class: worker, category: harmless}}, {robot: sweeper}]
    """,
    "prefabs/more.yaml": "hall: {map: '.', tags: rooms}\n",
}
"""Content whose entries refer to most of the others."""


@pytest.mark.parametrize(
    ("file", "what", "message"),
    [
        # An entry that is not valid still has its name, its classes and its tags.
        (ROBOTS, "sweeper: {name: s, glyph: ss, class: worker, category: harmless}", "one printable character"),
        (MAPS, "cellars: {name: 3, theme: garden}", "text is needed here"),
        (THEMES, "garden: 3", NEEDS_MAPPING),
        (TERRAIN, "grass: {like: flor}", "this value is not allowed here"),
        (WEIGHTS, "rare: 1\ncommon: x", "a weight is a number"),
        ("prefabs/more.yaml", "hall: {map: '.', tags: rooms, machine: crat}", "there is no prop"),
        # A legend or palette that is not valid still has its characters, or may have any.
        (LEGENDS, "boxes: {B: {prop: barel}}", "there is no prop"),
        (LEGENDS, "boxes: {B: 3}", NEEDS_MAPPING),
        (LEGENDS, "box: {B: {prop: barrel}}", "there is no legend"),
        (LEGENDS, "boxes: 3", NEEDS_MAPPING),
        (PALETTE, "glyphs: {'~': gras}", "there is no terrain"),
        (PALETTE, "glyphs: {'~': grass}\nmatch: 3", "this value is not allowed here"),
        (PREFABS, "store: {map: 'q.', legend: {q: {porp: crate}}}", "this key is not known"),
        (PREFABS, "store: {map: 'q.', legend: {q: grass}, palette: {glyphs: 3}}", NEEDS_MAPPING),
        (PREFABS, "store: {map: 'q.', legend: q}", NEEDS_MAPPING),
        (PREFABS, "store: {map: 'q.', legend: *q}", "no anchor above has this name"),
        (PREFABS, "store: {map: 'q.', palette: 3}", NEEDS_MAPPING),
        # Of a file that breaks off, anything may be in the part that is lost.
        (ROBOTS, "sweeper: {name: s", "this is not YAML"),
        (LEGENDS, "boxes: [", "this is not YAML"),
        (PALETTE, "glyphs: {'~: grass}", "this is not YAML"),
        (THEMES, b"\xff", "the file is not UTF-8 text"),
        (WEIGHTS, b"\xff", "the file is not UTF-8 text"),
        (WEIGHTS, "common", NEEDS_MAPPING),
        (WORLD, b"\xff", "the file is not UTF-8 text"),
        (TERRAIN, b"\xff", "the file is not UTF-8 text"),
        (PREFABS, b"\xff", "the file is not UTF-8 text"),
        (MAPS, b"\xff", "the file is not UTF-8 text"),
        (MAPS, "- cellars", "a mapping of names to map entries is needed here"),
        ("prefabs/more.yaml", b"\xff", "the file is not UTF-8 text"),
        # A drawing that cannot be read is still a prefab.
        ("prefabs/more.xp", b"text", "the file is plain text, not a REXPaint drawing"),
        ("prefabs/more.xp", b"", "the file is empty"),
    ],
)  # fmt: skip
def test_one_fault_does_not_bring_up_others(
    tmp_path: Path, file: str, what: str | bytes, message: str
) -> None:
    load(tmp_path / "good", USES_ALL)
    (problem,) = problems(tmp_path / "bad", {**USES_ALL, file: what})
    assert message in problem.message


def test_too_many_faults_are_counted(tmp_path: Path) -> None:
    found = problems(
        tmp_path, {ROBOTS: "".join(f"k{number}: {number}\n" for number in range(MAX_PROBLEMS + 50))}
    )
    assert len(found) == MAX_PROBLEMS + 1
    assert found[0].message.startswith("there are ")
    assert found[0].message.endswith(" more problems than those listed here")
    assert found[0].source.file == str(tmp_path)
    listed = "".join(f"  k{number}: 1\n" for number in range(MAX_ENTRY_PROBLEMS + 50))
    found = problems(tmp_path, {ROBOTS: "", PREFABS: f"store:\n  map: .\n{listed}", ENCOUNTERS: ""})
    assert len(found) == MAX_ENTRY_PROBLEMS + 1
    assert "there are 50 more problems in this entry" in [problem.message for problem in found]


def test_problems_are_listed_in_the_order_of_files_and_lines(tmp_path: Path) -> None:
    found = problems(tmp_path, {ROBOTS: "b: 1\na: 2\n", WORLD: "", MAPS: "cellars: {name: 3}\n"})
    places = [(problem.source.file, problem.source.line) for problem in found]
    assert places == sorted(places)
    assert str(dungeon.ContentError(found)).startswith(f"{len(found)} problems in the content\n  {tmp_path}")


# -- files --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("file", "nearest"),
    [
        ("World.yaml", "world.yaml"),
        ("world.yml", "world.yaml"),
        ("palete.yaml", "palette.yaml"),
        ("objects/robot.yaml", "objects/robots.yaml"),
        ("objects/more/robots.yaml", "objects/robots.yaml"),
        ("encounter/rooms.yaml", "encounters/rooms.yaml"),
        ("prefab/rooms.yaml", "prefabs/rooms.yaml"),
        ("Prefabs/rooms.yaml", "prefabs/rooms.yaml"),
        ("prefabs/Hall.XP", "prefabs/Hall.xp"),
        ("prefabs/hall.yaml-", "prefabs/hall.yaml"),
        ("prefabs/hall.jaml", "prefabs/hall.yaml"),
        ("hall.xp", "prefabs/hall.xp"),
        ("rooms.db", None),
        ("maps.yaml", "maps/maps.yaml"),
        ("legend", None),
    ],
)
def test_a_file_that_nothing_reads_is_a_problem(tmp_path: Path, file: str, nearest: str | None) -> None:
    (problem,) = problems(tmp_path, {file: b"x"})
    assert problem.source == dungeon.Source(file=f"{tmp_path}/{file}")
    assert problem.message == "this file is not read, since content has no file of this name"
    assert problem.value == file
    assert problem.nearest == nearest


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (
            {"prefabs/a/hall.xp": [XpLayer.from_rows(["."])], "prefabs/b/hall.xp": [XpLayer.from_rows(["#"])]},
            ["prefabs/b/hall.xp: error: there is a drawing of this name already: {folder}/prefabs/a/hall.xp"],
        ),
        (
            {"prefabs/Hall.xp": [XpLayer.from_rows(["."])], "prefabs/x.yaml": "hall: {tags: big}"},
            [
                "prefabs/Hall.xp: error: prefab 'Hall': this name differs only in case from that of prefab 'hall' in {folder}/prefabs/x.yaml:1:1: Hall",
                "prefabs/x.yaml:1:1: error: prefab 'hall': this prefab has neither a map nor an .xp drawing of its name; is Hall.xp meant?",
            ],
        ),
        (
            {"prefabs/hall.xp": [XpLayer.from_rows(["."])], "prefabs/x.yaml": "hall: {map: '.'}"},
            ["prefabs/x.yaml:1:8: error: prefab 'hall': the file {folder}/prefabs/hall.xp draws this prefab already: map"],
        ),
        (
            {"prefabs/hall.xp": [XpLayer.from_rows([" "])] * 5},
            ["prefabs/hall.xp: error: prefab 'hall': without the key 'layers', the drawing of a prefab has at most 4 layers, but this one has 5"],
        ),
        (
            {"prefabs/great hall.xp": [XpLayer.from_rows(["."])]},
            [f"prefabs/great hall.xp: error: prefab 'great hall': {NEEDS_NAME}: great hall"],
        ),
        (
            {"prefabs/x.yaml": "store: {map: '.'}"},
            ["prefabs/x.yaml:1:1: error: prefab 'store': this name is taken already, in {folder}/prefabs/rooms.yaml:1:1: store"],
        ),
        (
            {"maps/more.yaml": "Cellars: {name: x}"},
            ["maps/more.yaml:1:1: error: map 'Cellars': this name differs only in case from that of map 'cellars' in {folder}/maps/cellars.yaml:1:1: Cellars"],
        ),
        (
            {"categories.yaml": "Reward: {}\nlore: {}\nexits: {}\n"},
            [
                "categories.yaml:1:1: error: category 'Reward': this name differs only in case from that of category 'reward', which is always there: Reward",
                "categories.yaml:3:1: error: category 'exits': this word means stairs in 'far_from' and 'near', and can't be a name: exits",
            ],
        ),
        (
            {"encounters/more.yaml": "entrance: {category: reward, prefabs: store, maps: {cellars: 1}}"},
            ["encounters/more.yaml:1:1: error: encounter 'entrance': this word means stairs in 'far_from' and 'near', and can't be a name: entrance"],
        ),
        ({"world.yaml": None}, ["world.yaml: error: this file is missing"]),
        ({"objects/robots.yaml": b"a: 1\n" * 2_000_000}, ["objects/robots.yaml: error: the file is larger than 4,000,000 bytes"]),
    ],
)  # fmt: skip
def test_files_that_do_not_go_together(tmp_path: Path, files: dict[str, Any], expected: list[str]) -> None:
    found = [str(problem).removeprefix(f"{tmp_path}/") for problem in problems(tmp_path, files)]
    assert found == [line.replace("{folder}", str(tmp_path)) for line in expected]


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    for name in ("nowhere", "nul\0"):
        with pytest.raises(dungeon.ContentError, match="there is no such folder"):
            dungeon.load_content(tmp_path / name)


@ON_LINUX
def test_folders_pipes_and_links_that_lead_nowhere_are_problems(tmp_path: Path) -> None:
    write_content(tmp_path)
    (tmp_path / "prefabs" / "a.yaml").mkdir()
    os.mkfifo(tmp_path / "prefabs" / "b.yaml")
    os.mkfifo(tmp_path / "prefabs" / "c.xp")
    (tmp_path / "prefabs" / "d.yaml").symlink_to(tmp_path / "gone")
    (tmp_path / "prefabs" / "e.yaml").symlink_to(tmp_path / "prefabs" / "e.yaml")
    (tmp_path / "prefabs" / "f.yaml").symlink_to("/dev/zero")
    (tmp_path / "prefabs" / "g").symlink_to(tmp_path)
    (tmp_path / "palette.yaml").unlink()
    (tmp_path / "palette.yaml").mkdir()
    with pytest.raises(dungeon.ContentError) as caught:
        dungeon.load_content(tmp_path)
    assert [str(problem).replace(f"{tmp_path}/", "") for problem in caught.value.problems] == [
        "palette.yaml: error: this is a folder, but a file is needed here",
        "prefabs/a.yaml: error: this is a folder, but a file is needed here",
        "prefabs/b.yaml: error: the file cannot be read: it is a pipe or device",
        "prefabs/c.xp: error: the file cannot be read: it is a pipe or device",
        "prefabs/d.yaml: error: the file cannot be read: No such file or directory",
        "prefabs/e.yaml: error: the file cannot be read: Too many levels of symbolic links",
        "prefabs/f.yaml: error: the file cannot be read: it is a pipe or device",
        f"prefabs/g: error: this folder is a link to {tmp_path}, which is read already",
    ]


def test_a_link_to_a_folder_elsewhere_is_followed(tmp_path: Path) -> None:
    write_content(tmp_path / "game")
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared" / "halls.yaml").write_text("hall: {map: '.'}\n")
    (tmp_path / "game" / "prefabs" / "shared").symlink_to(tmp_path / "shared")
    assert "hall" in dungeon.load_content(tmp_path / "game").prefabs


@ON_LINUX
def test_names_that_a_terminal_would_obey_are_shown_as_escapes(tmp_path: Path) -> None:
    (problem,) = problems(tmp_path, {"prefabs/\x1b[31m\n\u202e.txt.exe": b"x"})
    assert problem.source.file.endswith(r"/prefabs/\x1b[31m\n\u202e.txt.exe")
    assert str(problem).isprintable()
    path = os.fsencode(tmp_path) + b"/prefabs/\xff.yaml"
    Path(os.fsdecode(path)).write_text("hall: 3")
    with pytest.raises(dungeon.ContentError) as caught:
        dungeon.load_content(tmp_path)
    assert all(str(problem).isprintable() for problem in caught.value.problems)
    str(caught.value).encode()


def test_allowed_and_nearest_values_are_shown_as_escapes() -> None:
    """They are the author's own words, too."""
    source = dungeon.Source(file="a.yaml")
    problem = dungeon.Problem(source=source, message="no such colour", allowed=("\a", "b"))
    assert str(problem) == r"a.yaml: error: no such colour (allowed: \x07, b)"
    assert str(replace(problem, nearest="\x1b[2J")).endswith(r"(did you mean \x1b[2J?)")


# -- schemas ------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [*MODELS, "palette", "weights", "world"])
def test_every_kind_of_entry_has_a_schema(kind: str) -> None:
    singles = {"palette": models.PaletteEntry, "weights": models.WeightsEntry, "world": WorldEntry}
    schema = {**MODELS, **singles}[kind].model_json_schema()
    assert schema["type"] == "object"


def test_every_kind_of_entry_has_a_place() -> None:
    assert sorted(set(ENTRY_KINDS.values())) == sorted(MODELS)


# -- anything at all ----------------------------------------------------------------------------

HOSTILE_MEMORY = 100_000_000
HOSTILE = [
    '{R: "".join(f"k{i}: 1\\n" for i in range(29000))}',
    '{R: "".join(f"k{i}: {{}}\\n" for i in range(29000))}',
    '{R: "k:\\n" + "".join(f"  k{i}: 1\\n" for i in range(29000))}',
    '{R: "x: [" + "{}," * 59990 + "]"}',
    '{R: "k: &a [" + "x," * 9 + "]\\nl: [" + "*a," * 5990 + "]"}',
    '{W: "start: a/1\\nleads_to:\\n" + "".join(f"  a/{i}: [" + "b/1," * 28 + "]\\n" for i in range(1999))}',
    '{P: "r: {map: .}\\n" * 9000}',
    '{P: "store:\\n  map: |\\n" + ("    " + "C" * 1000 + "\\n") * 990 + "  legend: {C: {prop: crate}}\\n"}',
    '{P: "store:\\n  map: |\\n" + ("    " + "😀" + "\\n") * 440000}',
    '{P: "store:\\n  map: |\\n    " + "".join(chr(0x10000 + i) for i in range(950000)) + "\\n"}',
    '{P: "store:\\n  map: \'" + "x" * 3900000 + "\'\\n"}',
    '{P: "store: {map: ., legend: {C: {prop: " + "9" * 3900000 + "%}}}\\n"}',
    '{"prefabs/hall.xp": xp(np.arange(1000000).reshape(1000, 1000))}',
    '{"prefabs/hall.xp": xp(*[np.full((700, 700), 120)] * 4)}',
    '{"prefabs/hall.xp": xp(np.full((300, 300), 219), noise=True), PAL: "match: nearest\\ncolours: {" + ",".join(f"\'#{i:06x}\': wall" for i in range(100)) + "}\\n"}',
]


@pytest.fixture(scope="module")
def hostile_peaks(tmp_path_factory: pytest.TempPathFactory) -> dict[str, int]:
    """Return attack -> how many bytes loading it took, each in a child of its own of one program."""
    folder = tmp_path_factory.mktemp("hostile")
    script = f"""
import os
import sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
import numpy as np
import dungeon
from pathlib import Path
from content_files import write_content
from dungeon.content.drawing.rexpaint import XpLayer

R, P, W, PAL = "objects/robots.yaml", "prefabs/rooms.yaml", "world.yaml", "palette.yaml"

def xp(*glyphs, noise=False):
    layers = []
    for glyph in glyphs:
        colour = np.full((*glyph.shape, 3), 200, np.uint8)
        if noise:
            packed = np.arange(glyph.size, dtype="<u4").reshape(glyph.shape)
            colour = np.stack([packed >> 16, packed >> 8, packed], axis=2).astype(np.uint8)
        layers.append(XpLayer(glyph=glyph.astype(np.uint32), fg=colour, bg=colour))
    return layers

def peak():
    return int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0]) * 1024

def taken(folder, attack):
    write_content(folder, eval(attack))
    Path("/proc/self/clear_refs").write_text("5")  # forget what writing took
    before = peak()
    try:
        dungeon.load_content(folder)
    except dungeon.ContentError as error:
        assert error.problems
        assert len(str(error)) < 1_000_000
    return peak() - before

dungeon.load_content(write_content(Path({str(folder / "good")!r})))
for number, attack in enumerate({HOSTILE!r}):
    if not os.fork():
        print(number, taken(Path({str(folder)!r}) / str(number), attack), flush=True)
        os._exit(0)
    assert os.wait()[1] == 0, attack
"""
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    taken = dict(map(int, line.split()) for line in result.stdout.splitlines())
    return {attack: taken[number] for number, attack in enumerate(HOSTILE)}


@ON_LINUX
@pytest.mark.parametrize("attack", HOSTILE)
def test_hostile_content_takes_little_memory(hostile_peaks: dict[str, int], attack: str) -> None:
    assert hostile_peaks[attack] < HOSTILE_MEMORY
