"""Doors of drawings that lead nowhere: in sealed parts, under machines, beside gaps that are walled up, at edges. Each drawing once broke a level."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from drawn import OBJECTS, load

import dungeon
from dungeon import terrain as t

if TYPE_CHECKING:
    from pathlib import Path

    from dungeon import Level

LEGEND = {
    "L": "locked_door",
    "G": {"terrain": "locked_door", "lock": "gold"},
    "M": {"terrain": "locked_door", "lock": "level"},
    "W": "water",
    "C": {"prop": "crate"},
    "c": {"prop": "crate", "chance": "50%"},
    "D": {"prop": "crate", "shift": [1, 1]},
    "g": {"prop": "crate", "opens": "gold"},
    "5": {"item": "scrap"},
    "k": {"item": "scrap", "opens": "gold"},
    "B": {"prop": "crate", "lock": "level"},
    "$": [{"prop": "crate"}, {"item": "scrap"}],
    "<": "stairs_up",
}
SMALL = {"size": "50x36", "encounters": 2}
CASES: dict[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    "a door in a sealed part of an encounter": (
        {"map": "#######\n#L###G#\n#.L..##\n#5..Cc#\n#####.#", "sealed": True},
        {"layout": "tunnels", "features": [{"prefab": "room"}]},
        "enclosed",
    ),
    "a piece with one open cell before its sealed part": (
        {"map": "#######\n#..c.##\n#....##\n#....L#\n#....##\n#....##\n#....##\n#####.#", "sealed": True},
        {"layout": {"connected": {"rooms": 8, "prefabs": {"room": 2}}}, "features": [{"prefab": "room"}]},
        "embedded",
    ),
    "a locked door under a machine that stands in a wall": (
        {
            "map": "#######\n#..#..#\n#..#..#\n#..#c.#\n#..#..#\n#..G...\n###+###",
            "machines": "       \n       \n       \n       \n   ═   \n   ═   \n       ",
        },
        {"layout": "tunnels", "features": [{"prefab": "room", "required": True}]},
        "accessible",
    ),
    "a locked door beside a gap that is walled up": (
        {
            "map": "####.###\n#..C.Lg#\n#C####M#\n#....c.#\n##C##+##\n#......#\n########",
            "machines": "      ══\n      ══" + "\n        " * 5,
            "sealed": True,
        },
        {
            "layout": {"cards": {"count": 8, "cell": "9x9"}},
            "features": [{"prefab": "room", "required": True}],
        },
        "accessible",
    ),
    "a gap between a locked door and a sealed part": (
        {
            "map": "#L######\n#cC.D..#\n#+..#.C#\n#C.gL..#\n########",
            "machines": "   ═  ══\n   ═  ══\n        \n        \n        ",
            "sealed": True,
        },
        {"layout": {"connected": {"rooms": 8}}, "features": [{"prefab": "room"}]},
        "centered",
    ),
    "a locked door of a drawn map to a pocket that is filled": (
        {
            "map": "######\n#CC#.#\n##.L.#\n.#.#.#\n##.#C#\n#D.#.#\n##.#..\n######",
            "machines": "      \n      \n   ══ \n      \n      \n      \n══    \n══    ",
            "sealed": True,
        },
        {"layout": {"static": {"prefab": "room", "pockets": "fill"}}},
        "",
    ),
    "a locked door in a sealed part that turns out to be open": (
        {
            "map": "#####\n#DG##\n##..#\n+Mc.#\n#####",
            "machines": "     \n  ═  \n  ═  \n     \n     ",
            "machine": "lamp",
            "sealed": True,
        },
        {"layout": "caves", "features": [{"prefab": "room"}]},
        "enclosed",
    ),
    "a locked door of a drawn map to which a key is scattered": (
        {"map": "######\n#....#\n#.##.#\n#.G..#\n######"},
        {
            "layout": {"static": {"prefab": "room", "pockets": "seal"}},
            "population": [{"item": "scrap", "opens": "gold"}],
        },
        "",
    ),
    "a locked box behind a door whose key lies beside the box": (
        {"map": "########\n#<...#B#\n#....G.#\n#....#k#\n########"},
        {"layout": {"static": {"prefab": "room", "pockets": "seal"}}},
        "",
    ),
    "a box that touches only a locked door without a key": (
        {"map": "######\n#<..##\n#..L$#\n######"},
        {"layout": {"static": {"prefab": "room"}}},
        "",
    ),
    "a room whose only cell besides its door is full": (
        {"map": "#####\n#...#\n#...#\n#C###\n#+###", "sealed": True},
        {"layout": "tunnels"},
        "enclosed",
    ),
    "a door at the edge of a drawn map, which makes its part the largest until it is walled up": (
        {"map": "########\n#.W.#..#\n#####.##\n#####+##", "sealed": True},
        {"layout": {"static": {"prefab": "room"}}},
        "",
    ),
    "a sealed part behind water that a joined part of a drawn map touches": (
        {"map": "#######\n#.....#\n#.....#\n#######\n#..W..#\n####+##", "sealed": True},
        {"layout": {"static": {"prefab": "room"}}},
        "",
    ),
    "a link through a wall in which a machine would stand": (
        {
            "map": "#########\n#....C..#\n+C..c.C.#\n#######+#",
            "machines": "         \n         \n     ═   \n     ══  ",
            "links": "         \n         \n     1   \n         ",
            "sealed": True,
        },
        {"layout": "tunnels", "features": [{"prefab": "room", "required": True}]},
        "",
    ),
}


def made(folder: Path, name: str, seed: int, lock: str | None = None) -> Level:
    """Return a level of a case; `lock` is that of its encounter."""
    prefab, where, mode = CASES[name]
    place = {} if "static" in where["layout"] else SMALL
    heap: dict[str, Any] = {"category": "fluff", "placing": mode, "prefabs": "room", "maps": {"m": 1}}
    heap |= {"lock": lock} if lock else {}
    files = {
        "world.yaml": {"start": "m/1"},
        "terrain.yaml": {"water": {"like": "floor", "glyph": "~", "walkable": False}},
        "maps/m.yaml": {"m": {"name": "M", **place, **where}},
        "prefabs/room.yaml": {"room": {**prefab, "legend": LEGEND}},
        "encounters/all.yaml": {"heap": heap} if mode else {},
        "locks.yaml": {"level": {"name": "level", "opened_by": {"item": "scrap"}}},
    }
    content = load(folder, OBJECTS | {path: json.dumps(held) for path, held in files.items()})
    return dungeon.World(content, seed).level("m/1")


@pytest.mark.parametrize("name", CASES)
def test_no_level_is_refused_for_a_door_that_leads_nowhere(tmp_path: Path, name: str) -> None:
    for seed in range(4):
        level = made(tmp_path, name, seed)
        assert not dungeon.prove(level)


def test_a_locked_door_under_an_obstacle_has_no_lock(tmp_path: Path) -> None:
    level = made(tmp_path, "a locked door under a machine that stands in a wall", 0)
    assert (level.terrain_set.base[level.terrain] == t.LOCKED_DOOR).any()
    assert not level.locks


def test_a_scattered_key_opens_a_door_that_was_sealed(tmp_path: Path) -> None:
    level = made(tmp_path, "a locked door of a drawn map to which a key is scattered", 0)
    assert len(level.locks) == 1
    assert not level.unreachable.any()


def test_no_key_is_put_for_a_box_behind_a_door_whose_key_lies_beside_the_box(tmp_path: Path) -> None:
    level = made(tmp_path, "a locked box behind a door whose key lies beside the box", 0)
    assert [lock.word for lock in level.locks] == ["gold"]
    assert [spawn.source for spawn in level.spawns] == ["room:B", "room:k"]


def test_what_lies_on_a_box_that_touches_only_a_shut_door_is_taken_away(tmp_path: Path) -> None:
    level = made(tmp_path, "a box that touches only a locked door without a key", 0)
    assert [spawn.like for spawn in level.spawns] == ["prop"]


def test_a_room_is_entered_through_its_locked_door_whichever_way_it_lies(tmp_path: Path) -> None:
    sides = set()
    for seed in range(8):
        level = made(tmp_path, "a room whose only cell besides its door is full", seed, lock="level")
        assert not dungeon.prove(level)
        sides |= {placement.orientation for placement in level.placements if level.locks}
    assert len(sides) > 1
