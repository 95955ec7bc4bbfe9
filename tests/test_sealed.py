"""Prefabs with closed parts that are sealed on purpose: in every layout and placing mode they stay closed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from drawn import OBJECTS, load

import dungeon
from dungeon import terrain as t
from dungeon.content.prefab.drawing import Link
from dungeon.content.prefab.locked_ground import sealed_cells

if TYPE_CHECKING:
    from pathlib import Path

    from dungeon import Content, Level

WATER = replace(t.BUILT_IN_KINDS[t.FLOOR], name="water", walkable=False)
CODES = {
    "#": t.WALL,
    ".": t.FLOOR,
    "+": t.DOOR,
    "?": t.KEEP,
    "L": t.LOCKED_DOOR,
    "B": t.FLOOR,
    "~": t.BUILT_IN,
}
SEEDS = range(12)

CASE = """\
  map: |
    #######
    #.===.#
    #.=1=.#
    #.===.#
    #.....#
    ###+###
"""
COURT = """\
  map: |
    ####+####
    #.......#
    +..###..+
    #..#1#..#
    +..###..+
    #.......#
    ####+####
"""
ISLE = """\
  map: |
    .......
    .###...
    .#1#...
    .###...
    .......
"""
LAKE = """\
  map: |
    .......
    .~~~~~.
    ~~~1.~~
    .~~~~~.
    ...~...
"""
VAULT = """\
  map: |
    ######
    #1..1#
    #....#
    ######
"""
LEGEND = '  legend: {1: {item: gem}, "=": glass, "~": water}\n  sealed: true\n'
PREFABS = "".join(
    f"{name}:\n{rows}{LEGEND}"
    for name, rows in {"case": CASE, "court": COURT, "isle": ISLE, "lake": LAKE, "vault": VAULT}.items()
)
FILES = {
    **OBJECTS,
    "objects/items.yaml": 'gem: {name: gem, glyph: "*"}\n',
    "terrain.yaml": 'glass: {like: wall, glyph: "=", transparent: true, diggable: false}\n'
    'water: {like: floor, glyph: "~", walkable: false}\n',
    "prefabs/sealed.yaml": PREFABS,
    "world.yaml": "start: m/1\n",
}


def sealed_in(text: str, links: tuple[Link, ...] = ()) -> list[str] | None:
    """Return the rows of a drawing with its sealed cells as `x`, all others as `.`; None if nothing is sealed."""
    rows = text.split("/")
    codes = np.array([[CODES[char] for char in row] for row in rows], np.uint8)
    boxes = np.array([[char == "B" for char in row] for row in rows])
    found = sealed_cells(codes, boxes, links, t.TerrainSet((*t.BUILT_IN_KINDS, WATER)))
    return None if found is None else ["".join("x" if cell else "." for cell in row) for row in found]


def content(folder: Path, layout: str, **more: str) -> Content:
    """Return the content of a map with this entry, and the sealed prefabs."""
    return load(folder, {**FILES, "maps/m.yaml": f"m: {{name: M, {layout}}}\n", **more})


def checked(level: Level) -> int:
    """Assert that the level is right, and that its gems, and nothing else, lie in sealed regions; return how many gems it has."""
    assert not dungeon.prove(level)
    gems = [spawn for spawn in level.spawns if spawn.tag == "gem"]
    assert all(level.unreachable[spawn.y, spawn.x] == (spawn.tag == "gem") for spawn in level.spawns)
    return len(gems)


def test_a_part_is_sealed_if_no_door_edge_or_link_leads_to_it() -> None:
    assert sealed_in("#####/#.#.#/###.+/#####") == [".....", ".x...", ".....", "....."]
    assert sealed_in("#####/#.#.#/###.#/#####") == [".....", ".x.x.", "...x.", "....."]
    assert sealed_in("#####/#.?.#/#####") is None
    assert sealed_in("####+/#..L./####.") is None


def test_islands_in_water_and_what_objects_close_in_are_sealed() -> None:
    assert sealed_in("~~~~~/~~.~~/~~~~.") == [".....", "..x..", "....."]
    assert sealed_in("#####/#~.~#/#####") == [".....", ".xxx.", "....."]  # closed all around, water and all
    assert sealed_in("######/#.B..#/####+#") == ["......", ".x....", "......"]
    assert sealed_in("~~~~~~/~.BB.~/~~~~~~") == ["......", ".xxxx.", "......"]
    assert sealed_in("~~~~/~BB~/~~~~") is None  # nobody could stand there anyway


def test_a_link_on_or_beside_a_part_leads_to_it_and_a_closed_edge_does_not() -> None:
    text = "#####/#.#.#/#####"
    assert sealed_in(text, (Link(1, 1, 1, 0, -1, "tunneler"),)) == [".....", "...x.", "....."]
    assert sealed_in(text, (Link(1, 4, 1, 0, 1, "connector"),)) == [".....", ".x...", "....."]
    assert sealed_in(text, (Link(1, 4, 1, 0, 1, "closed"),)) == [".....", ".x.x.", "....."]


@pytest.mark.parametrize(
    "layout",
    [
        "size: 70x45, layout: tunnels",
        "size: 70x45, layout: caves",
        "size: 70x45, layout: mines",
        "size: 100x60, layout: {patchwork: {zones: {x: {}, y: {layout: caves}}}}",
    ],
    ids=["tunnels", "caves", "mines", "patchwork"],
)
def test_features_with_sealed_parts_stay_closed_in_every_layout(tmp_path: Path, layout: str) -> None:
    features = "features: [{prefab: vault, count: 2}, {prefab: case}, {prefab: isle}, {prefab: lake}]"
    made = content(tmp_path, f"{layout}, {features}, population: [{{prop: crate, count: 20}}]")
    counts = [checked(dungeon.World(made, seed).level("m/1")) for seed in SEEDS]
    assert counts == [7] * len(SEEDS)  # two in each vault, one in the case, in the isle and in the lake


@pytest.mark.parametrize(
    ("layout", "mode", "prefabs"),
    [
        ("tunnels", "enclosed", "[case, court]"),
        ("tunnels", "accessible", "isle"),
        ("caves", "centered", "[isle, court, lake]"),
        ("caves", "embedded", "case"),
    ],
)
def test_encounters_with_sealed_parts_stay_closed_in_every_mode(
    tmp_path: Path, layout: str, mode: str, prefabs: str
) -> None:
    entry = f"{{category: reward, prefabs: {prefabs}, placing: {mode}, access: 1..4, maps: {{m: 1}}}}"
    made = content(
        tmp_path, f"size: 70x45, layout: {layout}, encounters: 3", **{"encounters/e.yaml": f"show: {entry}\n"}
    )
    assert sum(checked(dungeon.World(made, seed).level("m/1")) for seed in SEEDS) > len(SEEDS)


@pytest.mark.parametrize(
    "layout",
    [
        "{connected: {rooms: 10, prefabs: {case: 2, court: 1}, auto: 40%}}",
        "{cards: {cell: 11x9, count: 9, deck: {case: 2, court: 1}, rooms: 1}}",
    ],
    ids=["connected", "cards"],
)
def test_pieces_and_cards_with_sealed_parts_stay_closed(tmp_path: Path, layout: str) -> None:
    made = content(tmp_path, f"size: 80x50, layout: {layout}")
    assert sum(checked(dungeon.World(made, seed).level("m/1")) for seed in SEEDS) > len(SEEDS)


@pytest.mark.parametrize("pockets", ["join", "fill", "seal"])
def test_a_whole_map_keeps_its_sealed_parts_and_in_every_case_of_pockets(
    tmp_path: Path, pockets: str
) -> None:
    drawn = 'yard: {map: "#######\\n#<..#1#\\n#...###\\n#######", legend: {1: {item: gem}}, sealed: true}\n'
    made = content(
        tmp_path, f"layout: {{static: {{prefab: yard, pockets: {pockets}}}}}", **{"prefabs/yard.yaml": drawn}
    )
    level = dungeon.World(made, 1).level("m/1")
    assert checked(level) == 1
    assert dungeon.to_text(level, spawns=False).split("\n")[2].strip() == "#<..#.#"


def test_a_part_that_a_portal_leads_to_is_not_sealed(tmp_path: Path) -> None:
    drawn = (
        'lift: {map: "#######\\n#.###.#\\n#.#P#.#\\n#.###.#\\n#..P..#\\n###+###",'
        " legend: {P: {prop: pad, port: up}}, sealed: true}\n"
    )
    objects = {"objects/props.yaml": "pad: {name: pad, glyph: O, blocks: false}\n"}
    made = content(
        tmp_path, "size: 60x40, features: [{prefab: lift}]", **{"prefabs/lift.yaml": drawn, **objects}
    )
    level = dungeon.World(made, 1).level("m/1")
    assert len(level.portals) == 1
    assert not level.unreachable.any()
    assert not dungeon.prove(level)


def test_a_fitted_prefab_brings_its_sealed_part_along(tmp_path: Path) -> None:
    drawn = (
        'box: {map: "###\\n#1#\\n###", legend: {1: {item: gem}}, sealed: true}\n'
        'shop: {map: "#######\\n#.SSS.#\\n#.SSS.#\\n#.SSS.#\\n#.....#\\n###+###", vary: [{fit: S, prefabs: box}]}\n'
    )
    made = content(tmp_path, "size: 60x40, features: [{prefab: shop}]", **{"prefabs/shop.yaml": drawn})
    levels = [dungeon.World(made, seed).level("m/1") for seed in SEEDS]
    assert [checked(level) for level in levels] == [1] * len(SEEDS)
