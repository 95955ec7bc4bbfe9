"""Company of drawn objects: followers, bands, and what lies around a cell."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import pytest
from drawn import OBJECTS
from rolling import game

import dungeon
from dungeon import terrain as t
from dungeon.authoring.explain import explain_prefab
from dungeon.grid.regions import distances

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from dungeon import Content, Level, Spawn

SEEDS = 12

GANG = {
    "objects/robots.yaml": OBJECTS["objects/robots.yaml"]
    + """
        boss: {name: boss, glyph: B, class: boss, threat: 5, band: [{robot: rat, count: 2}]}
        chief: {name: chief, glyph: C, class: boss, like: boss, depth: 9}
        rat: {name: rat, glyph: r, threat: 1, band: [{robot: sweeper, count: 9}]}
        """,
    "objects/items.yaml": OBJECTS["objects/items.yaml"]
    + """
        coin: {name: coin, glyph: "$", worth: 2}
        key: {name: key, glyph: "-"}
        """,
}


def drawn(folder: Path, map_rows: str, legend: str, more: Mapping[str, str] | None = None) -> Content:
    """Return a game whose map `m` is a drawing with this legend."""
    rows = "\n".join(f"    {row}" for row in map_rows.split())
    prefab = f"hall:\n  map: |\n{rows}\n  orientations: r0\n  legend: {legend}\n"
    maps = "m: {name: M, layout: {static: {prefab: hall}}}\n"
    return game(folder, prefab, {**GANG, "maps/m.yaml": maps, **(more or {})})


def made(content: Content, seed: int = 0) -> Level:
    """Return a level of the map `m` that keeps all promises."""
    world = dungeon.World(content, seed)
    level = world.level("m/1")
    assert dungeon.prove(level, world) == []
    return level


def steps_from(level: Level, home: tuple[int, int], *around: Spawn) -> list[int]:
    """Return how many steps lead from a cell to each of these objects, around obstacles and through no locked door."""
    ground = level.walkable & (level.terrain_set.base[level.terrain] != t.LOCKED_DOOR)
    for spawn in level.spawns:
        if spawn.blocks and spawn.like != "robot":
            ground[tuple(zip(*spawn.cells, strict=True))] = False
    away = distances(ground, [home])
    return [int(away[each.y, each.x]) for each in around]


def tagged(level: Level, tag: str) -> list[Spawn]:
    return [each for each in level.spawns if each.tag == tag]


HALL = """
    #########
    <.......#
    #.......#
    #...X...#
    #.......#
    #.......#
    ########>
    """


def test_followers_of_a_drawn_robot_are_its_group(tmp_path: Path) -> None:
    legend = "{X: {robot: guard, followers: [{robot: sweeper, count: 1..2}, {robot: rat, chance: 50%}]}}"
    content = drawn(tmp_path, HALL, legend)
    seen = Counter()
    for seed in range(SEEDS):
        level = made(content, seed)
        leader, *others = level.spawns
        assert (leader.tag, leader.group, leader.leads) == ("guard", 1, True)
        assert all((each.group, each.leads) == (1, False) for each in others)
        assert all(max(abs(each.y - leader.y), abs(each.x - leader.x)) <= 2 for each in others)
        seen.update(each.tag for each in others)
    assert seen.keys() == {"sweeper", "rat"}
    assert SEEDS < seen["sweeper"] < 2 * SEEDS
    assert 0 < seen["rat"] < SEEDS


def test_each_drawn_leader_has_followers_of_its_own(tmp_path: Path) -> None:
    hall = HALL.replace("..X..", "X.XX.")
    level = made(drawn(tmp_path, hall, "{X: {robot: guard, followers: [{robot: sweeper}]}}"))
    groups = {each.group for each in tagged(level, "guard")}
    assert groups == {1, 2, 3}
    assert sorted(each.group for each in tagged(level, "sweeper")) == [1, 2, 3]


def test_of_several_things_in_a_cell_each_has_its_own_company(tmp_path: Path) -> None:
    plate = "lamp: {name: lamp, glyph: '*', blocks: false}\n"
    legend = """{X: [{prop: lamp, around: [{item: coin, count: 2}]}, {item: kit, around: [{item: scrap, count: 3}]},
        {robot: boss}]}"""
    more = {"objects/props.yaml": plate}
    content = drawn(tmp_path, HALL, legend, more)
    for seed in range(4):
        level = made(content, seed)
        found = Counter(each.tag for each in level.spawns)
        assert found == {"lamp": 1, "kit": 1, "boss": 1, "coin": 2, "scrap": 3, "rat": 2}
        assert {each.tag for each in level.spawns if each.leads} == {"boss"}


ALONE = [
    ("robot: boss", 2),
    ("robot: {class: boss}", 2),
    ("robot: boss, followers: []", 0),
    ("robot: boss, followers: [{robot: rat}]", 1),
    ("robot: boss, chance: 0%", 0),
]


@pytest.mark.parametrize(("entry", "rats"), ALONE)
def test_a_band_comes_with_its_robot_wherever_it_is_asked_for(tmp_path: Path, entry: str, rats: int) -> None:
    ways = {
        "drawn": drawn(tmp_path / "drawn", HALL, f"{{X: {{{entry}}}}}"),
        "scattered": drawn(
            tmp_path / "scattered",
            HALL,
            "{X: floor}",
            {"maps/m.yaml": f"m: {{name: M, population: [{{{entry}, in_sight: true}}]}}\n"},
        ),
        "content": drawn(
            tmp_path / "content",
            HALL,
            "{X: floor}",
            {
                "maps/m.yaml": "m: {name: M, encounters: 1}\n",
                "encounters/e.yaml": f"e: {{category: danger, placing: free, content: [{{{entry}}}], maps: {{m: 1}}}}\n",
            },
        ),
    }
    for content in ways.values():
        level = made(content, 1)
        assert len(tagged(level, "rat")) == rats
        assert not tagged(level, "sweeper")  # followers bring no band of their own
        assert [each.group for each in tagged(level, "rat")] == [1] * rats


def test_who_is_like_a_robot_has_its_band(tmp_path: Path) -> None:
    level = made(drawn(tmp_path, HALL, "{X: {robot: chief}}"))
    assert sorted(each.tag for each in level.spawns) == ["chief", "rat", "rat"]


CLOSED = """
    #############
    <.n.......L.#
    #.n.A.....#.#
    #.n.......###
    #.....#.#####
    #####...####>
    """


def test_around_a_cell_leads_no_way_through_what_keeps_one_out(tmp_path: Path) -> None:
    legend = """{A: {prop: engine, around: [{prop: crate, count: 60}, {item: coin, count: 60, within: 20}]},
        L: {terrain: locked_door, lock: brass}, n: {terrain: floor, no_spawn: true}}"""
    more = {"locks.yaml": "brass: {opened_by: {item: key}, name: brass}\n"}
    content = drawn(tmp_path, CLOSED, legend, more)
    for seed in range(SEEDS):
        level = made(content, seed)
        coins, crates = tagged(level, "coin"), tagged(level, "crate")
        (engine,) = tagged(level, "engine")
        assert len(coins) > 15
        assert len(crates) > 3
        assert max(steps_from(level, (engine.y, engine.x), *coins)) <= 20
        home = (engine.y, engine.x)
        assert all(abs(each.y - home[0]) + abs(each.x - home[1]) <= 3 for each in crates)
        assert not any(each.x - engine.x == -2 and each.y - engine.y <= 1 for each in (*coins, *crates))
        assert not any(each.x - engine.x > 5 for each in coins)  # behind the locked door


def test_nothing_is_put_into_a_sealed_part(tmp_path: Path) -> None:
    hall = "##########\n<....#...#\n#.C..#.D.#\n#....#...#\n#....#####\n#........>\n##########"
    legend = "{C: {prop: engine, around: [{item: coin, count: 90, within: 9}]}, D: {robot: boss}}"
    drawn(tmp_path, hall, legend)
    sealed = (tmp_path / "prefabs/all.yaml").read_text("utf-8") + "  sealed: true\n"
    (tmp_path / "prefabs/all.yaml").write_text(sealed, "utf-8")
    content = dungeon.load_content(tmp_path)
    level = made(content)
    (boss,) = tagged(level, "boss")
    assert level.unreachable[boss.y, boss.x]
    assert len(tagged(level, "coin")) > 15
    assert not any(level.unreachable[each.y, each.x] for each in tagged(level, "coin"))
    assert not tagged(level, "rat")
    assert {each.reason for each in level.journal if each.subject == "hall:D (rat)"} == {
        "no cell near its leader is free"
    }


def test_a_bare_cell_and_a_wall_have_things_around_them(tmp_path: Path) -> None:
    hall = HALL.replace("#.......#\n    #.......#\n    ########>", "#.......#\n    #.......#\n    ####W###>")
    legend = "{X: {terrain: water, around: [{item: coin, count: 3, within: 1}]}, W: {terrain: wall, around: [{item: kit}]}}"
    for seed in range(4):
        level = made(drawn(tmp_path / str(seed), hall, legend), seed)
        ((y, x),) = np.argwhere(level.terrain == level.terrain_set.code("water")).tolist()
        assert all(abs(each.y - y) + abs(each.x - x) == 1 for each in tagged(level, "coin"))
        assert len(tagged(level, "coin")) == 3
        (kit,) = tagged(level, "kit")
        assert abs(kit.y - y - 3) + abs(kit.x - x) <= 3


def test_what_is_absent_has_nothing_around_it(tmp_path: Path) -> None:
    content = drawn(tmp_path, HALL, "{X: {prop: engine, chance: 50%, around: [{item: coin}]}}")
    levels = [made(content, seed) for seed in range(SEEDS)]
    assert {(len(tagged(each, "engine")), len(tagged(each, "coin"))) for each in levels} == {(0, 0), (1, 1)}


def test_an_entry_comes_at_its_depths_only(tmp_path: Path) -> None:
    legend = "{X: {prop: engine, around: [{item: coin, depth: 2..}, {item: scrap, depth: 1}]}}"
    level = made(drawn(tmp_path, HALL, legend))
    assert [each.tag for each in level.spawns] == ["engine", "scrap"]


def test_heaps_patrols_and_followers_come_as_in_a_population(tmp_path: Path) -> None:
    legend = """{X: {prop: engine, around: [{debris: ash, count: 6, drift: 3, within: 9},
        {robot: guard, patrol: 3, followers: [{robot: sweeper}], within: 6}]}}"""
    features = "m: {name: M, size: 60x40, features: [{prefab: den}]}\n"
    prefabs = {
        "prefabs/den.yaml": f'den: {{map: "...\\n.X.\\n...", legend: {legend}}}\n',
        "maps/m.yaml": features,
    }
    content = drawn(tmp_path, HALL, "{X: floor}", prefabs)
    patrols = 0
    for seed in range(4):
        level = made(content, seed)
        (guard,), (sweeper,) = tagged(level, "guard"), tagged(level, "sweeper")
        assert guard.group == sweeper.group == 1
        assert guard.leads
        patrols += bool(guard.patrol)
        assert len(tagged(level, "ash")) == 6
    assert patrols


DEN = """
    den:
      map: |
        .....
        ..B..
        ..A..
        .....
      legend:
        B: {robot: boss}
        A: {prop: engine, around: [{item: coin, count: 3, within: 2}, {prop: crate, count: 2, within: 4}, {robot: rat, within: 6}]}
    nook:
      map: "mB"
      legend:
        m: {terrain: floor, around: [{item: coin, count: 2..4, within: 2}]}
        B: {robot: guard, followers: [{robot: sweeper, count: 2}]}
    """
DENS = """
    dens: {category: danger, prefabs: den, placing: accessible, maps: {m: 1, c: 1}}
    nooks: {category: danger, prefabs: nook, placing: accessible, maps: {m: 1, c: 1}}
    niches: {category: danger, prefabs: nook, placing: enclosed, maps: {m: 1, c: 1}}
    """
MAPS = """
    m: {name: M, size: 60x40, encounters: 5, features: [{prefab: nook}], population: [{robot: boss}]}
    c: {name: C, size: 60x40, layout: caves, encounters: 3, features: [{prefab: den}]}
    j: {name: J, size: 60x40, layout: {connected: {rooms: 9, prefabs: {den: 2, nook: 1}}}}
    """
WORLD = "start: m/1\nleads_to: {m/1: c/2, c/2: j/3}\n"


def test_whole_levels_keep_what_company_promises(tmp_path: Path) -> None:
    more = {**GANG, "maps/m.yaml": MAPS, "encounters/e.yaml": DENS, "world.yaml": WORLD}
    content = game(tmp_path, DEN, more)
    seen: Counter[str] = Counter()
    for seed in range(SEEDS):
        world = dungeon.World(content, seed)
        for node in world.maps:
            level = world.level(node.id)
            assert dungeon.prove(level, world) == []
            assert json.loads(dungeon.to_json(level)) == json.loads(
                dungeon.to_json(dungeon.from_json(dungeon.to_json(level)))
            )
            engines = tagged(level, "engine")
            for coin in [each for each in tagged(level, "coin") if each.source == "den:A"]:
                near = [abs(each.y - coin.y) + abs(each.x - coin.x) for each in engines]
                assert min(near) <= 2
            seen.update(f"{each.source} {each.tag}" for each in level.spawns if each.group and not each.leads)
            seen.update(
                "outside" for each in level.spawns if each.source == "nook:m" and each.placement is None
            )
            seen.update(f"{node.id} {each.tag}" for each in tagged(level, "coin"))
    assert seen.keys() > {
        "den:B rat",
        "nook:B sweeper",
        "population 1 rat",
        "outside",
        "m/1 coin",
        "c/2 coin",
        "j/3 coin",
    }


AMONG = """
    m: {name: M, size: 60x40, population: [{prop: engine, count: 3, at: middles,
        around: [{item: coin, count: 3, within: 2}, {robot: guard, within: 6, patrol: 3, followers: [{robot: rat}]}]}]}
    """
HOARD = """
    hoard: {category: reward, placing: free, maps: {m: 1},
        content: [{prop: pillar, around: [{prop: crate, count: 4}, {item: kit, count: 90, within: 9}]}]}
    """


def test_scattered_objects_have_things_around_them(tmp_path: Path) -> None:
    maps = AMONG.replace("60x40,", "60x40, encounters: 1,")
    content = game(tmp_path, DEN, {**GANG, "maps/m.yaml": maps, "encounters/e.yaml": HOARD})
    patrols = 0
    for seed in range(SEEDS):
        level = made(content, seed)  # proved: no robot of a population is seen from the entrance
        engines, coins, guards = (tagged(level, tag) for tag in ("engine", "coin", "guard"))
        assert len(engines) == 3
        assert 6 <= len(coins) <= 9
        for coin in coins:
            assert min(abs(each.y - coin.y) + abs(each.x - coin.x) for each in engines) <= 2
        assert {each.source for each in (*coins, *guards)} == {"population 1"}
        patrols += sum(bool(each.patrol) for each in guards)
        kits = tagged(level, "kit")
        (hoard,) = [each for each in level.placements if each.encounter == "hoard"]
        assert len(kits) > 3
        assert len(tagged(level, "crate")) <= 4
        assert {int(level.region[each.y, each.x]) for each in kits} == {hoard.region}
    assert patrols


def test_company_changes_nothing_else_that_is_drawn(tmp_path: Path) -> None:
    hall = HALL.replace("<.......", "<Y.Y.Y.Y")
    plain = "Y: {item: [scrap, coin], chance: 60%, shift: [1, 1]}"
    one = drawn(tmp_path / "one", hall, f"{{X: {{robot: guard}}, {plain}}}")
    other = drawn(
        tmp_path / "other",
        hall,
        f"{{X: {{robot: guard, around: [{{item: kit, count: 3}}], followers: [{{robot: rat}}]}}, {plain}}}",
    )
    for seed in range(SEEDS):
        items = [
            [each for each in made(content, seed).spawns if each.source == "hall:Y"]
            for content in (one, other)
        ]
        assert items[0] == items[1]


def test_budgets_and_explanations_count_company(tmp_path: Path) -> None:
    content = game(tmp_path, DEN, GANG)
    told = explain_prefab(content, "den", depth=1)
    assert told.brings == {"threat": 5 + 2 + 1, "worth": 6}
    company = {each.char: each.meanings[0].company for each in told.characters}
    assert [(each.where, each.count) for each in company["A"]] == [
        ("within 2 steps", "3"),
        ("within 4 steps", "2"),
        ("within 6 steps", "1"),
    ]
    assert [(each.where, each.count) for each in company["B"]] == [("following boss", "2")]
    assert explain_prefab(content, "nook", depth=1).brings == {"worth": 2 * 3}


def test_rolls_of_a_prefab_show_company_within_it(tmp_path: Path) -> None:
    content = game(tmp_path, DEN, GANG)
    sample = dungeon.sample_prefab(content, "den", seed=1)
    tags = Counter(each.tag for each in sample.spawns)
    assert tags["coin"] == 3
    assert tags["rat"] == 3
    assert all(0 <= each.y < 4 and 0 <= each.x < 5 for each in sample.spawns)
