"""Several things in one cell: robots on items, items on props, several items, and several layers of references."""

from __future__ import annotations

from dataclasses import replace
from textwrap import dedent
from typing import TYPE_CHECKING

import pytest
from drawn import OBJECTS, load
from test_game import LEGEND, drawn_content, forget_worlds, walk
from test_game import OBJECTS as OF_GAME
from test_game import said as told_in

import dungeon
from dungeon import Orientation
from dungeon.playtest.bots.playing import bot_named
from game_demo.playing import DemoPlay
from game_demo.rules import actions, journeys
from game_demo.rules.naming import name_of
from game_demo.state.game import Game

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from dungeon import Content, Level

SEEDS = range(12)
FILES = {
    **OBJECTS,
    "objects/items.yaml": (
        'gem: {name: gem, glyph: "*"}\ncoin: {name: coin, glyph: "$"}\nkey: {name: key, glyph: "-", data: {opens: brass}}\n'
    ),
    "objects/props.yaml": (
        'altar: {name: altar, glyph: "_"}\nplinth: {name: plinth, glyph: ",", blocks: false}\ncrate: {name: crate, glyph: "="}\n'
    ),
    "objects/robots.yaml": "rat: {name: rat, glyph: r}\nbat: {name: bat, glyph: b}\n",
    "objects/debris.yaml": 'ash: {name: ash, glyph: "%"}\n',
    "world.yaml": "start: m/1\n",
}
ROOM = """\
  map: |
    #######
    #.....#
    #.a.p.#
    #.....#
    #.g.h.#
    ###+###
  legend:
    a: [{prop: altar}, {item: gem}, {item: coin, chance: 50%}]
    p: [{prop: plinth}, {item: gem}]
    g: [{robot: rat}, {item: coin}, {debris: ash}]
    h: [{item: gem}, {item: gem}, {item: coin}]
"""


def content(folder: Path, layout: str, prefabs: str = f"room:\n{ROOM}", **more: str) -> Content:
    files = {**FILES, "prefabs/p.yaml": prefabs, "maps/m.yaml": f"m: {{name: M, {layout}}}\n", **more}
    return load(folder, files)


def made(folder: Path, layout: str, prefabs: str = f"room:\n{ROOM}", **more: str) -> list[Level]:
    """Return a level of each seed, after asserting that it is right."""
    own = content(folder, layout, prefabs, **more)
    levels = [dungeon.World(own, seed).level("m/1") for seed in SEEDS]
    assert not any(map(dungeon.prove, levels))
    return levels


def cells(level: Level) -> list[tuple[str, ...]]:
    """Return the sorted tags of the objects of each cell that has several."""
    found: dict[tuple[int, int], list[str]] = {}
    for spawn in level.spawns:
        found.setdefault((spawn.y, spawn.x), []).append(spawn.tag)
    return sorted(tuple(sorted(tags)) for tags in found.values() if tags[1:])


def said(folder: Path, prefabs: str, **more: str) -> list[str]:
    with pytest.raises(dungeon.ContentError) as caught:
        content(folder, "size: 60x40", prefabs, **more)
    return [str(each).removeprefix(f"{folder}/") for each in caught.value.problems]


def is_whole(found: Sequence[tuple[str, ...]]) -> bool:
    """Tell whether everything that the room draws together lies together."""
    altars = [each for each in found if "altar" in each]
    others = [each for each in found if "altar" not in each]
    assert all(each in (("altar", "gem"), ("altar", "coin", "gem")) for each in altars)
    return len(altars) == 1 and others == [("ash", "coin", "rat"), ("coin", "gem", "gem"), ("gem", "plinth")]


@pytest.mark.parametrize(
    "layout",
    [
        "size: 60x40, layout: tunnels, features: [{prefab: room}]",
        "size: 60x40, layout: caves, features: [{prefab: room}], population: [{prop: crate, count: 40}]",
        "size: 80x50, layout: {connected: {rooms: 6, prefabs: {room: 1}, auto: 40%}}",
        "size: 80x50, layout: {cards: {cell: 9x8, count: 6, deck: {room: 1}, rooms: 1}}",
    ],
    ids=["tunnels", "caves", "connected", "cards"],
)
def test_what_is_drawn_together_lies_together_in_every_layout(tmp_path: Path, layout: str) -> None:
    levels = made(tmp_path, layout)
    rooms = [sum("rat" in each for each in cells(level)) for level in levels]
    assert sum(map(bool, rooms)) > 5
    assert all(is_whole(cells(level)) for level, count in zip(levels, rooms, strict=True) if count == 1)
    tops = {each for level in levels for each in cells(level) if "altar" in each}
    assert tops == {("altar", "gem"), ("altar", "coin", "gem")}


@pytest.mark.parametrize("mode", ["enclosed", "centered", "embedded"])
def test_what_is_drawn_together_lies_together_in_every_mode(tmp_path: Path, mode: str) -> None:
    caves = "caves" if mode in ("centered", "embedded") else "tunnels"
    entry = f"{{category: reward, prefabs: room, placing: {mode}, maps: {{m: 1}}}}"
    levels = made(
        tmp_path,
        f"size: 70x45, layout: {caves}, encounters: 2",
        **{"encounters/e.yaml": f"show: {entry}\n"},
    )
    placed = [level for level in levels if level.placements]
    assert placed
    assert all(any("rat" in each for each in cells(level)) for level in placed)


def test_a_list_is_like_layers_and_turns_with_the_drawing(tmp_path: Path) -> None:
    layers = (
        "room:\n  map: |\n    #####\n    #...#\n    #...#\n    ##+##\n"
        '  references: ["\\n r", "\\n c", "\\n c\\n  c"]\n'
        "  legend: {r: {robot: rat}, c: {item: coin}}\n"
    )
    drawing = content(tmp_path, "size: 60x40", layers).prefabs["room"].drawing
    for way in Orientation:
        turned = drawing.turned(way).references
        home = way.turn_cell(1, 1, 4, 5)
        assert sorted(each.char for each in turned if each.cell == home) == ["c", "c", "r"]
    levels = made(tmp_path, "size: 60x40, features: [{prefab: room}]", layers)
    assert [cells(level) for level in levels] == [[("coin", "coin", "rat")]] * len(SEEDS)


def test_each_of_a_list_is_a_chain_and_a_group_of_its_own(tmp_path: Path) -> None:
    prefab = (
        "room: {map: '##+##/#xx.#/#xx.#/#####', legend: {x: [{item: [gem, coin]}, {robot: [rat, bat], group: one},"
        " {debris: ash, group: one}]}}\n"
    ).replace("/", "\n\n    ")
    seen = set()
    for level in made(tmp_path, "size: 60x40, features: [{prefab: room}]", prefab):
        found = cells(level)
        assert len(found) == 4
        assert len(set(found)) == 1  # four alike that touch
        seen.add(found[0])
    assert {item for each in seen for item in each} == {"ash", "bat", "rat", "coin", "gem"}


def test_a_step_may_put_a_list_and_a_switch_choose_one(tmp_path: Path) -> None:
    prefab = """\
room:
  map: |
    #####
    #x.s#
    ##+##
  parameters: {guard: [rat, none]}
  legend:
    y: [{robot: rat}, {item: gem}]
    s: {switch: guard, cases: {rat: [{robot: rat}, {item: coin}], none: {item: coin}}}
  vary: [{substitute: x, with: y}]
"""
    found = {
        tuple(cells(level)) for level in made(tmp_path, "size: 60x40, features: [{prefab: room}]", prefab)
    }
    assert found == {(("gem", "rat"),), (("coin", "rat"), ("gem", "rat"))}


def test_a_fitted_prefab_brings_its_lists_along(tmp_path: Path) -> None:
    prefab = (
        "niche: {map: 'x.', legend: {x: [{prop: altar}, {item: gem}]}}\n"
        'room: {map: "#####\\n#FF.#\\n##+##", vary: [{fit: F, prefabs: niche, otherwise: "."}]}\n'
    )
    levels = made(tmp_path, "size: 60x40, features: [{prefab: room}]", prefab)
    assert all(cells(level) == [("altar", "gem")] for level in levels)


def test_an_item_on_a_machine_is_reached_from_beside_the_machine(tmp_path: Path) -> None:
    prefab = """\
room:
  map: |
    #######
    #.....#
    #.....#
    #.....#
    #.....#
    #.....#
    ###+###
  machines: |2

      ▒▒▒
      ▒▒▒
      ▒▒▒
  references: |2


       *
  legend: {"*": {item: key}}
"""
    for level in made(tmp_path, "size: 60x40, features: [{prefab: room}]", prefab):
        (prop,) = [each for each in level.spawns if each.like == "prop"]
        assert [(each.y, each.x) in prop.cells for each in level.spawns if each.tag == "key"] == [True]


def test_a_key_on_an_altar_opens_its_door_and_a_mark_on_one_gets_a_key(tmp_path: Path) -> None:
    drawn = """\
yard:
  map: |
    ##########
    #<..#....#
    #.A.L..1.#
    #...#....#
    ##########
  orientations: r0
  legend:
    A: [{prop: altar}, KEY]
    L: {terrain: locked_door, lock: brass}
    1: {item: gem}
"""
    layout = "layout: {static: {prefab: yard}}"
    for level in made(tmp_path / "key", layout, drawn.replace("KEY", "{item: key}")):
        assert cells(level) == [("altar", "key")]
    locks = {"locks.yaml": "brass: {name: brass, opened_by: {item: coin}}\n"}
    for level in made(tmp_path / "mark", layout, drawn.replace("KEY", "{key: brass}"), **locks):
        assert cells(level) == [("altar", "coin")]
    guard = drawn.replace("{prop: altar}, KEY", "{robot: rat}, {key: brass}")
    for level in made(tmp_path / "guard", layout, guard, **locks):
        assert cells(level) == [("coin", "rat")]


BEHIND = """\
yard:
  map: |
    ##########
    #d<#ba#..#
    #me.cccma#
    #####+####
  legend:
    a: [{item: gem, opens: brass}, {robot: bat}]
    b: [{prop: altar, chance: 20%}, {robot: rat, chance: 50%}]
    c: [{key: brass}, {prop: crate, chance: 50%, shift: [2, 2], loadout: [{item: coin}]}, {item: gem}]
    d: [{item: coin}, {robot: bat}]
    e: [{prop: plinth, shift: [3, 1]}, {item: gem}]
    m: {terrain: locked_door, lock: brass}
"""


def test_a_locked_door_in_what_is_left_of_a_sealed_pocket_is_sealed_too(tmp_path: Path) -> None:
    locks = {"locks.yaml": "brass: {name: brass, opened_by: {item: key}}\n"}
    made(tmp_path, "layout: {static: {prefab: yard, pockets: seal}}", BEHIND, **locks)


def test_no_key_lies_on_a_crate_that_was_scattered_onto_its_mark(tmp_path: Path) -> None:
    drawn = """\
yard:
  map: |
    ##########
    #<..#....#
    #.A.L..A.#
    #...#....#
    #...#....#
    ##########
  orientations: r0
  legend:
    A: [{debris: ash, chance: 10%}, {key: brass}]
    L: {terrain: locked_door, lock: brass}
"""
    locks = {"locks.yaml": "brass: {name: brass, opened_by: {item: coin}}\n"}
    crates = "population: [{prop: crate, count: 14}]"
    levels = made(tmp_path, f"layout: {{static: {{prefab: yard}}}}, {crates}", drawn, **locks)
    assert all("coin" in [each.tag for each in level.spawns] for level in levels)


def test_an_item_on_an_altar_that_nobody_can_stand_beside_is_left_out(tmp_path: Path) -> None:
    drawn = (
        'yard: {map: "######\\n#<.CCC\\n#..CAC\\n#..CCC\\n######", orientations: r0,'
        " legend: {C: {prop: crate}, A: [{prop: altar}, {item: gem}]}}\n"
    )
    (level, *_) = made(tmp_path, "layout: {static: {prefab: yard}}", drawn)
    assert "gem" not in [each.tag for each in level.spawns]
    assert any(each.reason == "no way leads to it" for each in level.journal)


SHIFTED = """\
yard:
  map: |
    ######
    #<.am#
    #.ma.#
    #.#ee#
    #....#
    ####+#
  legend:
    a: [{item: coin}, {item: [gem, key], unique: true}, {item: gem, chance: 20%}, {prop: altar, shift: [3, 2]}]
    e: [{item: coin}, {item: [gem, key], chance: 50%}, {prop: crate, shift: [1, 0]}]
    m: {item: gem}
"""


@pytest.mark.parametrize("pockets", ["seal", "join"])
def test_props_that_shift_away_from_their_items_close_no_way(tmp_path: Path, pockets: str) -> None:
    """An altar stays expected until it is put, though items on its cell are put before it."""
    made(tmp_path, f"layout: {{static: {{prefab: yard, pockets: {pockets}}}}}", SHIFTED)


CLOSET = """\
yard:
  map: |
    #########
    #<dd..c.#
    #d#..#.d#
    #cdc.bc.#
    ######+##
  legend:
    b: [{item: gem, shift: [2, 3]}, {prop: plinth, chance: 20%}]
    c: [{prop: crate}, {robot: bat}]
    d: [{item: gem}, {item: coin}, {prop: [altar, plinth]}]
"""


def test_a_sealed_pocket_keeps_no_item_that_nobody_can_stand_beside(tmp_path: Path) -> None:
    """Chance may open the pocket in the end, and the altar between the crates is still walled in."""
    levels = made(tmp_path, "layout: {static: {prefab: yard, pockets: seal}}", CLOSET)
    assert any("gem" in each for level in levels for each in cells(level))


def test_the_proof_finds_items_on_props_out_of_reach_or_not_drawn_there(tmp_path: Path) -> None:
    drawn = (
        'yard: {map: "######\\n#<...#\\n#.CAC#\\n#..C.#\\n######", orientations: r0,'
        " legend: {C: {prop: crate}, A: [{prop: altar}, {item: gem}]}}\n"
    )
    (level, *_) = made(tmp_path, "layout: {static: {prefab: yard}}", drawn)
    gem = next(each for each in level.spawns if each.tag == "gem")
    wall = replace(next(each for each in level.spawns if each.tag == "crate"), y=gem.y - 1, x=gem.x, cells=())
    shut = replace(level, spawns=(*level.spawns, wall))
    assert "walk-item" in {each.rule for each in dungeon.prove(shut)}
    others = [each for each in level.spawns if each is not gem]
    strange = replace(level, spawns=(*others, replace(gem, source="population 1")))
    assert {each.rule for each in dungeon.prove(strange)} == {"spawn-buried"}


def test_two_robots_props_or_traps_in_a_cell_are_errors_that_say_where(tmp_path: Path) -> None:
    once = "a cell has one robot at most; only items and debris may be several"
    assert said(
        tmp_path,
        'p: {map: "a", legend: {a: [{robot: rat}, {item: gem}, {robot: bat}]}}\n',
        **{"maps/m.yaml": ""},
    )[:1] == [f"prefabs/p.yaml:1:56: error: prefab 'p': {once}: robot"]
    assert said(
        tmp_path,
        'p: {map: "a", references: ["r", "b"], legend: {a: floor, r: {robot: rat}, b: {robot: bat}}}\n',
    )[:1] == [f"prefabs/p.yaml:1:33: error: prefab 'p': {once}: 'b'"]
    ground = "a cell has one terrain at most; only items and debris may be several"
    assert said(
        tmp_path,
        'p: {map: "a", legend: {a: [{robot: rat}, grass, {terrain: wall}]}}\n',
        **{"terrain.yaml": "grass: {like: floor}\n"},
    )[0].endswith(f"{ground}: terrain")


def test_a_mistake_in_a_list_is_told_where_it_stands(tmp_path: Path) -> None:
    (only,) = said(tmp_path, 'p: {map: "a", legend: {a: [{item: gem}, {robot: rat, chanse: 50%}]}}\n')
    assert only.startswith("prefabs/p.yaml:1:54: error: prefab 'p': this key is not known: chanse")
    (only,) = said(tmp_path, 'p: {map: "a", legend: {a: [{item: gem}, {robot: rot}]}}\n')
    assert only.startswith("prefabs/p.yaml:1:49: error: prefab 'p': there is no robot of this name: rot")


def test_a_list_of_terrain_stays_a_choice(tmp_path: Path) -> None:
    prefab = 'room: {map: "#####\\n#xxx#\\n##+##", legend: {x: [{floor: 3, doorway: 1}, floor]}}\n'
    made_of = {
        level.base[each.y, each.x]
        for level in made(tmp_path, "size: 60x40, features: [{prefab: room}]", prefab)
        for each in level.spawns
    }
    assert not made_of


def test_robots_on_items_reach_json_and_entities(tmp_path: Path) -> None:
    (level, *_) = made(tmp_path, "size: 60x40, features: [{prefab: room}]")
    assert dungeon.from_json(dungeon.to_json(level)).spawns == level.spawns
    assert len(dungeon.to_esper(level, world="together")) == len(level.spawns)


# -- in the demo's game -----------------------------------------------------------------------------

ALTARS = """
A: [{prop: crate}, {item: patch}, {item: scrap}]
G: [{robot: idler}, {item: patch}]
E: [{prop: crate}, {item: prize}]
"""
HALL = """
##########
#<...A...#
#.....G..#
#........#
##########
"""


@pytest.fixture
def begin(tmp_path: Path) -> Iterator[Callable[[str], Game]]:
    """Begin a game of the demo on a drawn level with altars and a guard that stands on its treasure."""

    def begun(drawing: str) -> Game:
        drawn = drawn_content(tmp_path, drawing, objects=OF_GAME, legend=dedent(LEGEND) + ALTARS)
        return Game(dungeon.World(drawn, 1))

    yield begun
    forget_worlds()


def names_at(game: Game, y: int, x: int) -> list[str]:
    return sorted(name_of(item) for item in game.map.items_at((y, x)))


def test_a_step_into_a_prop_takes_what_lies_on_it(begin: Callable[[str], Game]) -> None:
    game = begin(HALL)
    assert names_at(game, 1, 5) == ["patch", "scrap"]
    walk(game, "lll")
    assert names_at(game, 1, 5) == ["patch", "scrap"]
    walk(game, "l")
    assert game.player_cell == (1, 4)
    assert names_at(game, 1, 5) == []
    assert [stack.tag for stack in game.player.inventory][:1] == ["patch"]
    walk(game, "l")
    assert told_in(game)[-1] == "Crate. It is nailed shut."


def test_the_treasure_of_a_guard_is_taken_once_it_has_left(begin: Callable[[str], Game]) -> None:
    game = begin(HALL)
    guard = game.map.blockers[2, 6]
    assert names_at(game, 2, 6) == ["patch"]
    game.map.delete(guard)
    walk(game, "jlllll")
    assert game.player_cell == (2, 6)
    actions.pick_up(game)
    assert names_at(game, 2, 6) == []


def test_exploring_and_bots_take_what_lies_on_a_prop(begin: Callable[[str], Game]) -> None:
    game = begin(HALL.replace("G", "."))
    for _ in range(4):
        journeys.explore(game)
    assert names_at(game, 1, 5) == []
    play = DemoPlay(begin(HALL.replace("G", ".").replace("A", "E")))
    bot = bot_named("greedy", 1)
    for _ in range(60):
        if play.over is None:
            play.act(bot.choose(play))
    assert play.over == "victory"
