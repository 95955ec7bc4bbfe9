"""The rules of the demo game, on small drawn worlds and on the game's own content."""

from __future__ import annotations

import itertools
from heapq import heappop, heappush
from pathlib import Path
from textwrap import dedent, indent
from typing import TYPE_CHECKING

import esper
import numpy as np
import pytest
from demo import demo_content
from walker import beside

import dungeon
from dungeon import terrain as t
from dungeon.grid.rect import Cell as Place
from dungeon.proof.solution import solution_of
from game_demo.display.descriptions import describe_cell, describe_entity, underfoot
from game_demo.rules import actions, journeys, locks
from game_demo.rules.moods import AT_HEEL, is_peaceful, why_not
from game_demo.rules.naming import name_of, terrain_name
from game_demo.rules.traps import reveal
from game_demo.rules.work import deal
from game_demo.screens.keys import DIRECTIONS
from game_demo.state.body import POWER
from game_demo.state.components import (
    Follows,
    GoalItem,
    Health,
    HeldBy,
    Hidden,
    Inventory,
    Leader,
    Mind,
    Patrol,
    Player,
    Position,
    Robot,
    Trap,
    cell_of,
)
from game_demo.state.game import Game, goal_of
from game_demo.state.geometry import distance

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from numpy.typing import NDArray

    from dungeon import Content
    from game_demo.state.geometry import Cell

    MakeGame = Callable[..., Game]

OBJECTS = {
    "robots": """
        idler: {name: idler, glyph: i, data: {behaviour: idle, hp: 3}}
        miser: {name: miser, glyph: z, like: idler, loadout: [{item: patch}, {item: scrap, count: 2}]}
        mole: {name: mole, glyph: m, state: rusty, data: {hp: 5, text: It digs.}}
        fighter: {name: fighter, glyph: f, data: {behaviour: guard, hp: 50, attack: 2, sight: 20}}
        hunter: {name: hunter, glyph: h, data: {behaviour: hunt, hp: 5, attack: 3, sight: 20}}
        fast: {name: fast one, glyph: q, data: {behaviour: hunt, speed: 2, sight: 20}}
    """,
    "traps": """
        needle: {name: needle, glyph: ^, data: {damage: 5}}
        gong: {name: gong, glyph: ^, data: {effect: A gong rings., hidden: false}}
        pit: {name: pit, glyph: ^, data: {damage: 999}}
    """,
    "items": """
        scrap: {name: scrap, glyph: "!", data: {text: Rusty.}}
        patch: {name: patch, glyph: "!", data: {repair: 6}}
        cell: {name: power cell, glyph: "!", data: {slot: arm, power: 2}}
        prize: {name: prize, glyph: "*", data: {goal: true}}
    """,
    "props": """
        crate: {name: crate, glyph: "=", data: {text: It is nailed shut.}}
        screen: {name: screen, glyph: "=", opaque: true}
        stool: {name: stool, glyph: n, blocks: false, data: {text: Three legs.}}
    """,
    "debris": "dust: {name: dust, glyph: ','}",
}
LEGEND = """
    w: {robot: hunter, ambush: bell}
    v: {robot: hunter, ambush: gong}
    b: {item: scrap, ambush: bell}
    S: secret_door
    L: locked_door
    i: {robot: idler}
    a: {robot: idler, state: asleep}
    m: {robot: mole}
    z: {robot: miser}
    f: {robot: fighter}
    h: {robot: hunter}
    q: {robot: fast}
    n: {trap: needle}
    o: {trap: gong}
    p: {trap: pit}
    s: {item: scrap}
    r: {item: patch}
    c: {item: cell}
    g: {item: prize}
    C: {prop: crate}
    V: {prop: screen}
    d: {debris: dust}
    t: {prop: stool}
    B: {prop: crate, state: shut, lock: pay_chest}
    O: {prop: screen, opens: pay_chest}
    x: {trap: needle, data: {faulty: true}}
    y: {item: cell, data: {prototype: true, faulty: true}}
"""


def drawn_content(
    folder: Path,
    *drawings: str,
    world: str = "",
    objects: Mapping[str, str] = OBJECTS,
    legend: str = LEGEND,
) -> Content:
    """Load a world in which each level is a drawing, and leads to the next; more may be said of it."""
    files = {f"objects/{kind}.yaml": text for kind, text in objects.items()}
    legend = indent(dedent(legend).strip("\n"), "    ")
    for depth, drawing in enumerate(drawings, start=1):
        rows = indent(dedent(drawing).strip("\n"), "    ")
        files[f"prefabs/p{depth}.yaml"] = f"p{depth}:\n  map: |\n{rows}\n  legend:\n{legend}\n"
        files[f"maps/m{depth}.yaml"] = (
            f"m{depth}: {{name: Hall {depth}, layout: {{static: {{prefab: p{depth}, frame: 0}}}}}}\n"
        )
    ids = [f"m{depth}/{depth}" for depth in range(1, len(drawings) + 1)]
    links = "".join(f"  {one}: [{other}]\n" for one, other in itertools.pairwise(ids))
    files["world.yaml"] = f"name: The Test\nstart: {ids[0]}\nleads_to:\n{links or '  {}'}\n{world}"
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text))
    return dungeon.load_content(folder)


@pytest.fixture
def play(tmp_path: Path) -> Iterator[MakeGame]:
    """Begin a game on drawn levels; the player arrives at ``<``."""

    def begin(*drawings: str, seed: int = 1, start: str | None = None, world: str = "") -> Game:
        return Game(dungeon.World(drawn_content(tmp_path, *drawings, world=world), seed), start)

    yield begin
    forget_worlds()


def forget_worlds() -> None:
    esper.switch_world("default")
    for name in esper.list_worlds():
        if name != "default":
            esper.delete_world(name)


@pytest.fixture(scope="module")
def own_content() -> Content:
    return demo_content()


def walk(game: Game, keys: str) -> Game:
    """Take a step for each letter of hjklyubn, strike who means no harm for a capital one, or wait for a dot."""
    for key in keys:
        if key == ".":
            actions.wait(game)
        elif key.isupper():
            deal(game, DIRECTIONS[key.lower()], "strike")
        else:
            actions.step(game, DIRECTIONS[key])
    return game


def said(game: Game) -> list[str]:
    return [str(message) for message in game.log.messages]


def picture(game: Game) -> str:
    """Return the level as it is now, robots and the player included."""
    glyphs = game.map.level.terrain_set.glyph
    rows = [[chr(glyphs[code]) for code in row] for row in game.map.codes.tolist()]
    for robot, _ in esper.get_component(Robot):
        y, x = cell_of(robot)
        rows[y][x] = "R"
    rows[game.player_cell[0]][game.player_cell[1]] = "@"
    return "\n".join("".join(row).rstrip() for row in rows)


def drawing(text: str) -> str:
    return dedent(text).strip("\n")


# -- ambushes -------------------------------------------------------------------------------------


def test_robots_in_ambush_attack_when_the_item_is_taken(play: MakeGame) -> None:
    game = play("""
        ##############
        #<.b......w.v#
        ##############
    """)
    before = picture(game)
    walk(game, "ll..")
    assert picture(game) == before.replace("@..", "<.@")
    actions.pick_up(game)
    assert "Something has been waiting for you to take that." in said(game)
    walk(game, "..")
    assert picture(game) == drawing("""
        ##############
        #<.@...R....R#
        ##############
    """)


def test_a_robot_in_ambush_strikes_back(play: MakeGame) -> None:
    game = play("""
        ########
        #<.w.b.#
        ########
    """)
    walk(game, "lLl")
    assert game.health.hp < game.health.max_hp or not list(esper.get_component(Robot))


# -- doors ----------------------------------------------------------------------------------------


def test_walking_into_a_door_opens_it_and_it_stays_open(play: MakeGame) -> None:
    game = play("""
        #####
        #<+.#
        #####
    """)
    assert not game.map.sight.visible[1, 3]
    walk(game, "l")
    assert picture(game) == drawing("""
        #####
        #@'.#
        #####
    """)
    assert game.map.sight.visible[1, 3]
    assert terrain_name(game.map, (1, 2)) == "open door"
    walk(game, "ll")
    assert picture(game) == drawing("""
        #####
        #<'@#
        #####
    """)


def test_an_open_door_can_be_closed_unless_something_is_in_it(play: MakeGame) -> None:
    game = walk(
        play("""
        ######
        #<+.i#
        ######
    """),
        "l",
    )
    robot = next(entity for entity, _ in esper.get_component(Robot))
    game.map.move(robot, (1, 2))
    actions.close_door(game, DIRECTIONS["l"])
    assert said(game)[-1] == "The door can't be closed: the idler stands in the doorway."
    game.map.move(robot, (1, 4))
    actions.close_door(game, DIRECTIONS["l"])
    assert said(game)[-1] == "You close the door."
    assert game.map.door_at((1, 2)) is not None
    assert not game.map.sight.visible[1, 3]
    actions.close_door(game, DIRECTIONS["h"])
    assert said(game)[-1] == "There is no open door in that direction."


def test_walking_into_a_locked_door_prints_a_message_and_takes_no_turn(play: MakeGame) -> None:
    game = walk(
        play("""
        #####
        #<L.#
        #.#.#
        #...#
        #####
    """),
        "l",
    )
    assert (said(game)[-1], game.player_cell, game.log.turn) == (
        "The door is locked. (beside it, press w to try to force it)",
        (1, 1),
        0,
    )


KEYED = {
    "brass": "{name: brass lock, opened_by: {item: scrap}}",
    "slot": "{name: slot, opened_by: {item: cell}, consumed: true}",
    "gate": "{name: gate, opened_by: {prop: crate}}",
    "last": "{name: last door, opened_by: {lock: gate}}",
    "guard": "{name: guarded door, opened_by: {robot: idler}}",
}


def keyed(words: str, drawing: str, folder: Path, *, holder: str = "", **changed: str) -> Game:
    """Begin a game in a drawing: `A` and `B` are locked with these words, `a` and `b` marks for what opens them, or what holds it."""
    legend = "".join(
        f"    {mark}: {{terrain: locked_door, lock: {word}}}\n    {mark.lower()}: {{{holder}key: {word}}}\n"
        for mark, word in zip("AB", words.split(), strict=False)
    )
    rows = indent(dedent(drawing).strip("\n"), "    ")
    path = Path(drawn_content(folder, "<.").folder)
    (path / "prefabs/p1.yaml").write_text(f"p1:\n  map: |\n{rows}\n  legend:\n{legend}")
    (path / "locks.yaml").write_text("".join(f"{word}: {what}\n" for word, what in (KEYED | changed).items()))
    return Game(dungeon.World(dungeon.load_content(path), 1))


def test_a_locked_door_opens_if_the_player_has_found_its_key(tmp_path: Path) -> None:
    game = walk(keyed("brass", "#########\n#<.a.A..#\n#########", tmp_path), "llll")
    assert (
        said(game)[-1] == "The brass lock is shut; it needs a scrap. (beside it, press w to try to force it)"
    )
    assert game.player_cell == (1, 4)
    walk(game, "h")
    actions.pick_up(game)
    walk(game, "ll")
    assert said(game)[-1] == "You unlock the brass lock; the scrap stays in the lock."
    assert walk(game, "ll").player_cell == (1, 6)
    forget_worlds()


def test_a_key_is_kept_while_it_fits_another_shut_lock(tmp_path: Path) -> None:
    game = walk(keyed("brass", "###########\n#.A.<.a.A.#\n###########", tmp_path), "ll")
    actions.pick_up(game)
    walk(game, "ll")
    assert said(game)[-1] == "You unlock the brass lock; you keep the scrap for another lock."
    walk(game, "hhhhhh")
    assert said(game)[-1] == "You unlock the brass lock; the scrap stays in the lock."
    forget_worlds()


def test_a_locked_door_names_its_opener(tmp_path: Path) -> None:
    drawing = "###########\n#.a.<.A...#\n###########"
    told = {
        "gate": "The gate is shut; a crate opens it.",
        "guard": "The guarded door is shut; destroying an idler opens it. (beside it, press w to try to force it)",
    }
    for word, words in told.items():
        assert said(walk(keyed(word, drawing, tmp_path), "ll"))[-1] == words
        forget_worlds()
    game = walk(keyed("brass", drawing, tmp_path, holder="robot: idler, "), "ll")
    assert said(game)[-1] == "The brass lock is shut; it needs a key. (beside it, press w to try to force it)"
    forget_worlds()


def test_a_portal_can_be_crossed_after_its_lock_is_opened(play: MakeGame) -> None:
    game = play("""
        #########
        #<..#...#
        #...#...#
        #...#...#
        #########
    """)
    ferry = dungeon.Portal(y=1, x=3, to_y=3, to_x=7, kind="boat")
    game.map.portals = dict.fromkeys(ferry.entries, ferry)
    game.map.locks[1, 3] = dungeon.Lock(y=1, x=3, word="chain", name="rusty chain")
    actions.descend(walk(game, "ll"))
    assert (said(game)[-1], game.player_cell) == ("The rusty chain is shut.", (1, 3))
    locks.open_from_afar(game, (1, 3))
    assert said(game)[-1] == "Beneath you the rusty chain springs open."
    game.map.unlocked.clear()
    game.map.ring.add({"opens": "chain", "consumed": True})
    actions.descend(game)
    assert said(game)[-2:] == ["You unlock the rusty chain.", "The boat takes you across."]
    assert game.player_cell == (3, 7)
    actions.descend(walk(game, "kj"))
    assert game.player_cell == (1, 3)


def test_reading_a_slip_with_a_code_opens_its_lock(tmp_path: Path) -> None:
    keypad = "{name: keypad, opened_by: {item: scrap, data: {code: 4711}}}"
    game = walk(keyed("brass", "#########\n#<.a.A..#\n#########", tmp_path, brass=keypad), "llll")
    assert (
        said(game)[-1]
        == "The keypad is shut; it needs a code that is told on this level. (beside it, press w to try to force it)"
    )
    actions.pick_up(walk(game, "h"))
    assert said(game)[-1] == "Now you know the code."
    walk(game, "ll")
    assert said(game)[-1] == "You know the code: the keypad opens."
    forget_worlds()


def test_a_strong_room_of_the_demo_opens_to_the_code_on_a_slip(own_content: Content) -> None:
    worlds = (dungeon.World(own_content, seed) for seed in itertools.count())
    world, level, lock = next(
        (world, level, lock)
        for world in worlds
        for level in [world.level(node.id) for node in world.maps if node.name == "galleries"]
        for lock in level.locks
        if lock.word == "dials"
    )
    (slip,) = [each for each in level.spawns if each.keywords.get("opens") == "dials"]
    game = Game(world, start=level.id)
    game.health.hp = game.health.max_hp = game.body.charge = 10**6
    before = min(cell for cell in beside((lock.y, lock.x)) if level.walkable[cell])
    through = lock.y - before[0], lock.x - before[1]
    game.map.move(game.hero, game.map.nearest_free(before))
    actions.step(game, through)
    assert (
        "The row of dials is shut; it needs a code that is told on this level. (beside it, press w to try to force it)"
        in said(game)
    )
    game.map.move(game.hero, game.map.nearest_free((slip.y, slip.x)))
    actions.pick_up(game)
    assert "Now you know the code." in said(game)
    game.map.move(game.hero, game.map.nearest_free(before))
    actions.step(game, through)
    assert "You know the code: the row of dials opens." in said(game)
    forget_worlds()


def test_a_key_that_is_used_up_opens_one_door(tmp_path: Path) -> None:
    game = keyed("slot slot", "###########\n#..A.<a.B.#\n###########", tmp_path)
    game.map.ring.add({"opens": "slot", "consumed": True})
    walk(game, "hh")
    assert said(game)[-1] == "You unlock the slot."
    walk(game, "llll")
    assert (
        said(game)[-1] == "The slot is shut; it needs a power cell. (beside it, press w to try to force it)"
    )
    forget_worlds()


def test_a_lever_opens_its_doors_and_the_doors_that_follow_them(tmp_path: Path) -> None:
    hall = """
        #########
        #<..#####
        #.a.A.B.#
        #...#####
        #########
        """
    game = keyed("gate last", hall, tmp_path)
    assert not game.map.walkable[2, [4, 6]].any()
    walk(game, "n")
    assert said(game)[-2:] == [
        "Somewhere to the east the gate springs open.",
        "Somewhere to the east the last door springs open, too.",
    ]
    assert game.map.walkable[2, [4, 6]].all()
    forget_worlds()


TOGGLED = "{name: gate, opened_by: {prop: crate}, toggle: true}"


def test_a_lever_pulled_again_shuts_its_own_doors_but_not_those_that_followed(tmp_path: Path) -> None:
    hall = """
        #########
        #<..#####
        #.a.A.B.#
        #...#####
        #########
        """
    game = keyed("gate last", hall, tmp_path, gate=TOGGLED)
    for is_open in (True, False, True):
        walk(game, "n")
        assert bool(game.map.walkable[2, 4]) == is_open
        assert game.map.walkable[2, 6]
        assert said(game)[-1] == "Somewhere to the east the gate snaps shut." or is_open
    walk(game, "n")
    walk(game, "lnl")
    assert (said(game)[-1], game.player_cell) == ("The gate is shut; a crate opens it.", (2, 3))
    forget_worlds()


def test_a_lever_does_not_shut_a_door_in_which_something_stands(tmp_path: Path) -> None:
    hall = """
        #########
        #<..#####
        #.a.A...#
        #...#####
        #########
        """
    game = walk(keyed("gate", hall, tmp_path, gate=TOGGLED), "nlnl")
    lever = game.map.blockers[2, 2]
    assert game.player_cell == (2, 4)
    assert not locks.work(game, lever)
    assert said(game)[-1] == "You stand in the doorway that the crate closes: step out of it first."
    walk(game, "l")
    game.map.blockers[2, 4] = game.hero
    assert locks.work(game, lever)
    assert said(game)[-1] == "Somewhere a door tries to lock, but something is in its way."
    assert game.map.walkable[2, 4]
    forget_worlds()


def test_a_lever_pulled_again_locks_its_portal(tmp_path: Path) -> None:
    game = keyed("gate", "#######\n#<a..A#\n#.....#\n#######", tmp_path, gate=TOGGLED)
    ferry = dungeon.Portal(y=1, x=3, to_y=2, to_x=5, kind="boat")
    game.map.portals = dict.fromkeys(ferry.entries, ferry)
    game.map.locks[1, 3] = dungeon.Lock(y=1, x=3, word="gate", name="chain")
    game.map.locks[2, 4] = dungeon.Lock(y=2, x=4, word="gate")  # no way: as that of a box
    walk(game, "l")
    assert (game.map.unlocked, game.map.ring.use("gate")) == ({(1, 3)}, True)
    walk(game, "l")
    assert (game.map.unlocked, game.map.ring.use("gate")) == (set(), False)
    actions.descend(walk(game, "nlk"))
    assert (said(game)[-1], game.player_cell) == ("The chain is shut; a crate opens it.", (1, 3))
    forget_worlds()


def test_a_secret_door_looks_like_a_wall_until_a_search_finds_it(play: MakeGame) -> None:
    game = play("""
        #####
        #<S.#
        #####
    """)
    assert terrain_name(game.map, (1, 2)) == "wall"
    assert chr(game.map.sight.memory["ch"][1, 2]) == "#"
    actions.search(game)
    assert said(game)[-1] == "You find a secret door!"
    assert terrain_name(game.map, (1, 2)) == "door"
    assert walk(game, "lll").player_cell == (1, 3)


def test_a_search_beside_a_secret_door_that_was_noticed_finds_nothing_more(play: MakeGame) -> None:
    game = play("""
        #####
        #<S.#
        #####
    """)
    reveal(game, (1, 2), by="notice")
    actions.search(game)
    assert said(game)[-2:] == ["You notice a secret door!", "You search: nothing more is hidden beside you."]


def test_a_secret_door_beside_the_player_is_noticed_after_some_turns(play: MakeGame) -> None:
    game = walk(
        play("""
        #####
        #<S.#
        #####
    """),
        "l" * 60,
    )
    assert "You notice a secret door!" in said(game)
    assert game.player_cell == (1, 3)


# -- things ---------------------------------------------------------------------------------------


def test_equal_items_on_one_cell_are_counted(play: MakeGame) -> None:
    game = play("""
        #######
        #<rrcs#
        #######
    """)
    for _ in range(2):
        walk(game, "l")
        actions.pick_up(game)
    while game.player.inventory:
        actions.drop(game, 0)
    walk(game, "hl")
    assert said(game)[-1] == "Here lie two patches. (g takes them)"
    assert underfoot(game) == "floor, patch x2"
    walk(game, "l")
    actions.pick_up(game)
    walk(game, "h")
    actions.drop(game, 0)
    walk(game, "hl")
    assert said(game)[-1] == "Here lie two patches and a power cell. (g takes them)"
    shown = [underfoot(game, width) for width in (27, 26, 19, 9)]
    assert shown == [
        "floor, patch x2, power cell",
        "patch x2, power cell",
        "patch x2, +1 more",
        "patch x2, +1 more",
    ]


def test_items_are_taken_stacked_applied_and_used_up(play: MakeGame) -> None:
    game = play("""
        #######
        #<rrcs#
        #######
    """)
    walk(game, "l")
    assert said(game)[-1] == "Here lies a patch. (g takes it)"
    assert underfoot(game) == "floor, patch"
    actions.pick_up(game)
    actions.pick_up(game)
    assert said(game)[-1] == "Nothing lies here."
    for _ in range(3):
        walk(game, "l")
        actions.pick_up(game)
    assert said(game)[-1] == "You take the scrap. Rusty."
    patches, *_ = game.player.inventory
    assert [(each.tag, each.count) for each in game.player.inventory] == [
        ("patch", 2),
        ("cell", 1),
    ]
    game.health.hp = 3
    actions.apply(game, 0)
    assert (game.health.hp, patches.count) == (9, 1)
    actions.apply(game, 1)
    assert game.attack.power == 5
    assert [each.tag for each in game.player.inventory] == ["patch"]
    game.health.hp = game.health.max_hp
    actions.apply(game, 0)
    assert (said(game)[-1], patches.count) == ("You are not damaged.", 1)


def test_walking_into_a_prop_prints_its_description(play: MakeGame) -> None:
    game = walk(
        play("""
        ######
        #<.CV#
        #....#
        ######
    """),
        "ll",
    )
    assert (game.player_cell, said(game)[-1]) == ((1, 2), "Crate. It is nailed shut.")
    walk(game, "jlu")
    assert (game.player_cell, said(game)[-1]) == ((2, 3), "Screen.")


def test_descriptions_of_props_name_their_state_and_opener(play: MakeGame) -> None:
    game = walk(
        play("""
        #####
        #<.B#
        #.O.#
        #####
    """),
        "ll",
    )
    assert said(game)[-2:] == [
        "Crate, shut, locked: a screen opens it; or force it (w). It is nailed shut.",
        "(press w to list what you can do with it)",
    ]
    walk(game, "j")
    assert said(game)[-4:] == [
        "Screen.", "You work the screen.", "The crate opens.", "The crate is empty.",
    ]  # fmt: skip


def test_walking_into_impassable_ground_prints_its_name(play: MakeGame) -> None:
    game = play("#####\n#<..#\n#####")
    game.map.walkable[1, 2] = False
    walk(game, "lk")
    told = said(game)[-2:]
    assert told == [
        "Floor: you can see and shoot through it, but not walk through it.",
        "Wall: you can't go there.",
    ]
    actions.stride(game, (-1, 0))
    assert said(game)[-2:] == told, "of many steps each would say it"
    assert game.log.turn == 0


def test_the_description_of_a_robot_names_its_state(play: MakeGame) -> None:
    game = play("""
        #####
        #<.m#
        #####
    """)
    (mole,) = game.map.entities_at((1, 3))
    assert describe_entity(game, mole).startswith("mole, 5/5 hp, does not fight, rusty\n")


def test_faulty_items_and_traps_do_nothing(play: MakeGame) -> None:
    game = play("""
        #####
        #<yx#
        #####
    """)
    walk(game, "l")
    told = "power cell, arm, power +2, untried: it may be faulty"
    assert describe_entity(game, game.map.items_at(game.player_cell)[0]) == (
        f"{told}, if you fit it as your right arm, better: blows do up to 5 damage (now 3), a prototype"
    )
    actions.pick_up(game)
    actions.apply(game, 0)
    assert said(game)[-1] == "You fit the power cell as your right arm, but it is faulty: it does nothing."
    assert game.attack.power == POWER
    walk(game, "l")
    assert "You set off a needle! The trap clicks, but nothing happens." in said(game)
    assert game.health.hp == game.health.max_hp


def test_stepping_on_a_prop_prints_its_text(play: MakeGame) -> None:
    game = walk(
        play("""
        #####
        #<t.#
        #####
    """),
        "l",
    )
    assert (game.player_cell, said(game)[-1]) == ((1, 2), "Stool. Three legs.")


def test_an_opaque_prop_blocks_sight(play: MakeGame) -> None:
    game = play("""
        #######
        #<V...#
        ###..##
        #######
    """)
    assert game.map.sight.visible[1, 2]
    assert not game.map.sight.visible[1, 3]


def test_a_trap_springs_once(play: MakeGame) -> None:
    game = play("""
        ######
        #<no.#
        ######
    """)
    (needle, gong) = sorted(game.map.traps.items())
    assert esper.has_component(needle[1], Hidden)
    assert not esper.has_component(gong[1], Hidden)
    walk(game, "llhll")
    texts = said(game)
    assert texts.count("You set off a needle, which hits you for 5!") == 1
    assert texts.count("You set off a gong! A gong rings.") == 1
    assert game.health.hp == game.health.max_hp - 5
    assert not any(
        trap.armed or esper.has_component(each, Hidden) for each, trap in esper.get_component(Trap)
    )


def test_a_search_finds_a_trap(play: MakeGame) -> None:
    game = play("""
        #####
        #<n.#
        #####
    """)
    assert game.map.entities_at((1, 2)) == []
    actions.search(game)
    assert said(game)[-1] == "You find a needle!"
    assert [name_of(each) for each in game.map.entities_at((1, 2))] == ["needle"]


def test_death_ends_the_game(play: MakeGame) -> None:
    game = walk(
        play("""
        #####
        #<ph#
        #####
    """),
        "l",
    )
    assert (game.ending, game.cause, game.health.hp) == ("death", "a pit", 0)


# -- robots ---------------------------------------------------------------------------------------


def test_a_destroyed_robot_leaves_a_wreck(play: MakeGame) -> None:
    game = play("""
        #####
        #<i.#
        #####
    """)
    while (1, 2) in game.map.blockers:
        walk(game, "L")
    assert said(game)[-1] == "You destroy the idler, which was not aware of you."
    assert game.health.hp == game.health.max_hp
    ((wreck,), told) = game.map.entities_at((1, 2)), describe_cell(game, (1, 2), everything=True)
    assert name_of(wreck) == "wreck of an idler"
    assert "The wreck of an idler: not made with this level" in told
    assert walk(game, "ll").player_cell == (1, 2) or game.player_cell == (1, 3)


def test_a_destroyed_robot_drops_its_items(play: MakeGame) -> None:
    game = play("""
        #####
        #<z.#
        #####
    """)
    held = esper.component_for_entity(robot_of(game), Inventory).items
    assert [name_of(each) for each in held] == ["patch", "scrap", "scrap"]
    assert {esper.component_for_entity(each, HeldBy).holder for each in held} == {robot_of(game)}
    assert game.map.entities_at((1, 2)) == [robot_of(game)]
    while not game.map.entities_at((1, 2))[1:]:
        walk(game, "L")
    assert said(game)[-2:] == [
        "You destroy the miser, which was not aware of you.",
        "It drops a patch and two scraps.",
    ]
    left = [name_of(each) for each in game.map.entities_at((1, 2))]
    assert left == ["patch", "scrap", "scrap", "wreck of a miser"]
    walk(game, "l")
    actions.pick_up(game)
    assert [(stack.look.name, stack.count) for stack in game.player.inventory] == [("patch", 1)]
    assert game.player.haul.counts == {("scrap", 0): 2}


def test_a_guard_attacks_a_player_who_comes_near(play: MakeGame) -> None:
    game = play("""
        #######
        #<+..f#
        #######
    """)
    walk(game, "...")
    assert cell_of(robot_of(game)) == (1, 5)
    walk(game, "l....")
    assert cell_of(robot_of(game)) == (1, 2)
    assert game.health.hp < game.health.max_hp
    assert game.ending is None


def test_a_guard_that_loses_the_player_searches_and_returns_to_its_post(play: MakeGame) -> None:
    game = play("""
        ###########
        #.<....f..#
        #.#########
        #.........#
        #########.#
        #########.#
        ###########
    """)
    walk(game, "...")
    assert cell_of(robot_of(game)) == (1, 5)
    game.map.move(game.hero, (5, 9))
    states = []
    for _ in range(40):
        walk(game, ".")
        states.append(esper.component_for_entity(robot_of(game), Mind).state)
    assert list(dict.fromkeys(states)) == ["alert", "searching", "at its post"]
    assert cell_of(robot_of(game)) == (1, 7)


def test_a_patrol_walks_to_its_last_place_and_back_through_doors(play: MakeGame) -> None:
    game = play("""
        ##############
        #<...#.......#
        ##########+###
             #m......#
             #########
    """)
    robot = robot_of(game)
    esper.add_component(robot, Patrol((Place(3, 6), Place(3, 10), Place(1, 7))))
    seen = []
    for _ in range(40):
        walk(game, ".")
        seen.append(cell_of(robot))
    turns = [cell for cell in seen if cell in {(3, 6), (1, 7)}]
    assert turns[:4] == [(1, 7), (3, 6), (1, 7), (3, 6)]


def test_a_follower_stays_near_its_leader(play: MakeGame) -> None:
    game = play("""
        ##############
        #<...#.......#
        ##########+###
             #mm.....#
             #########
    """)
    leader, follower = sorted(entity for entity, _ in esper.get_component(Robot))
    esper.add_component(leader, Leader(1))
    esper.add_component(leader, Patrol((Place(3, 6), Place(1, 7))))
    esper.add_component(follower, Follows(1))
    away = []
    for _ in range(40):
        walk(game, ".")
        away.append(distance(cell_of(leader), cell_of(follower)))
    assert max(away) <= AT_HEEL + 2


def test_a_hunter_chases_on_sight_and_opens_doors(play: MakeGame) -> None:
    game = play("""
        ########
        #<+...h#
        #.######
        #.....##
        ########
    """)
    walk(game, "l")
    actions.close_door(game, DIRECTIONS["l"])
    game.health.hp = game.health.max_hp = 999
    walk(game, "." * 12)
    assert any("The hunter hits you" in text for text in said(game))


def test_a_fast_robot_moves_twice(play: MakeGame) -> None:
    game = walk(
        play("""
        ##########
        #<......q#
        ##########
    """),
        "..",
    )
    assert cell_of(robot_of(game)) == (1, 5), "the first of its moves went by as it noticed the player"


def test_a_robot_without_attack_never_strikes(play: MakeGame) -> None:
    game = walk(
        play("""
        #####
        #<q.#
        #####
    """),
        "." * 20,
    )
    assert game.health.hp == game.health.max_hp


def test_robots_avoid_traps_and_stairs(play: MakeGame) -> None:
    game = play("""
        ########
        #<o...m#
        ########
    """)
    for _ in range(200):
        walk(game, ".")
        assert cell_of(robot_of(game))[1] > 2


def robot_of(game: Game) -> int:
    ((robot, _),) = esper.get_component(Robot)
    assert esper.current_world == game.worlds[game.map.level.id]
    return robot


def assert_nobody_shares_a_cell(game: Game) -> None:
    """Robots and the player stand on cells of their own that can be stood on, and the index knows them."""
    walkers = [*(entity for entity, _ in esper.get_component(Robot)), game.hero]
    cells = [cell_of(walker) for walker in walkers]
    assert len(set(cells)) == len(cells)
    assert [game.map.blockers[cell] for cell in cells] == walkers
    assert all(game.map.walkable[cell] for cell in cells)


@pytest.mark.parametrize("seed", [1, 2])
def test_no_two_robots_share_a_cell_in_500_turns(own_content: Content, seed: int) -> None:
    game = Game(dungeon.World(own_content, seed))
    game.health.hp = game.health.max_hp = game.body.charge = 10**6
    for turn in range(500):
        walk(game, game.rng.choice("hjklyubn."))
        if turn % 10 == 0:
            assert_nobody_shares_a_cell(game)
    forget_worlds()


def test_robots_move(play: MakeGame) -> None:
    game = play("""
        #######
        #<....#
        #..m..#
        #.....#
        #######
    """)
    robot = robot_of(game)
    seen = set()
    for _ in range(50):
        walk(game, ".")
        seen.add(cell_of(robot))
    assert len(seen) > 5


# -- levels ---------------------------------------------------------------------------------------

TWO = (
    """
    #######
    #<s+.>#
    #.....#
    #######
    """,
    """
    #######
    #<...i#
    #######
    """,
)


def test_a_level_is_unchanged_when_the_player_comes_back_to_it(play: MakeGame) -> None:
    game = walk(play(*TWO), "l")
    actions.pick_up(game)
    actions.descend(game)
    assert said(game)[-1] == "No stairs lead down from here."
    walk(game, "llll")
    assert underfoot(game) == "stairs down to Hall 2, depth 2"
    before, seen = picture(game), game.map.sight.explored.copy()
    actions.descend(game)
    assert (game.map.level.id, game.player_cell) == ("m2/2", (1, 1))
    assert underfoot(game) == "stairs up to Hall 1, depth 1"
    walk(game, "l")
    actions.ascend(game)
    assert said(game)[-1] == "No stairs lead up from here."
    walk(game, "h")
    actions.ascend(game)
    assert (game.map.level.id, game.player_cell, picture(game)) == ("m1/1", (1, 5), before)
    assert (game.map.sight.explored >= seen).all()
    assert game.map.items_at((1, 2)) == []
    assert esper.current_world == game.worlds["m1/1"]
    assert len(esper.get_component(Player)) == 1


def test_the_components_of_the_player_are_the_same_on_the_next_level(play: MakeGame) -> None:
    game = walk(play(*TWO), "jlllu")
    game.health.hp = 7
    actions.descend(game)
    assert game.player_cell == (1, 1)
    assert esper.component_for_entity(game.hero, Health).hp == 7
    assert esper.component_for_entity(game.hero, Position).x == 1


def test_the_player_can_not_leave_the_world_by_its_entrance(play: MakeGame) -> None:
    game = play(*TWO)
    actions.ascend(game)
    assert game.map.level.id == "m1/1"
    assert underfoot(game) == "the way out of this world"


def test_the_player_can_not_go_back_from_a_one_way_map(play: MakeGame) -> None:
    game = walk(play(*TWO, world="one_way: m2/2"), "jlllu")
    actions.descend(game)
    assert game.map.level.id == "m2/2"
    assert underfoot(game) == "floor"
    actions.ascend(game)
    assert game.map.level.id == "m2/2"
    assert said(game)[-1] == "The way by which you came has closed behind you."


def ways_through(world: dungeon.World, here: str) -> Iterator[list[str]]:
    """Yield every way from a map to the end of the world."""
    targets = world.node(here).leads_to
    if not targets:
        yield [here]
    for target in targets:
        yield from ([here, *rest] for rest in ways_through(world, target))


def brought(game: Game, cell: Cell) -> None:
    """Put the player somewhere, in good health."""
    game.health.hp = 30
    game.map.move(game.hero, cell)


@pytest.mark.parametrize("has_drifts", [True, False])
def test_the_demo_is_won_with_and_without_the_drifts(own_content: Content, has_drifts: bool) -> None:  # noqa: FBT001
    worlds = (dungeon.World(own_content, seed) for seed in itertools.count())
    world = next(each for each in worlds if ("drifts/2" in each) == has_drifts)
    ways = list(ways_through(world, world.start.id))
    assert {way[-1] for way in ways} == {"order_room/12"}
    assert any("drifts/4" in way for way in ways) == has_drifts
    way = max(ways, key=lambda way: ("drifts/4" in way, len(way)))
    game = Game(world)
    for here, target in itertools.pairwise(way):
        brought(game, exit_to(game, target))
        actions.descend(game)
        assert game.map.level.id == target
        brought(game, game.map.level.entrance)
        actions.ascend(game)
        if world.node(target).one_way:
            assert game.map.level.id == target
            continue
        assert game.map.level.id == here
        actions.descend(game)
    (goal,) = (entity for entity, _ in esper.get_component(GoalItem))
    brought(game, cell_of(goal))
    actions.pick_up(game)
    assert game.ending == "victory"
    forget_worlds()


def test_a_game_begun_on_a_deeper_level_can_go_up(play: MakeGame) -> None:
    game = play(*TWO, start="m2/2")
    actions.ascend(game)
    assert (game.map.level.id, game.player_cell) == ("m1/1", (1, 5))
    with pytest.raises(KeyError, match="no map 'm9/9'"):
        play(*TWO, start="m9/9")


def test_taking_the_goal_item_of_the_content_wins(play: MakeGame) -> None:
    game = walk(
        play("""
        #####
        #<.g#
        #####
    """),
        "ll",
    )
    actions.pick_up(game)
    assert game.ending == "victory"


def test_without_a_goal_item_one_is_placed_far_from_the_deepest_entrance(play: MakeGame) -> None:
    game = play(*TWO)
    assert game.map.items_at((2, 1)) == []
    walk(game, "jlllu")
    actions.descend(game)
    (heart,) = game.map.items_at((1, 4))
    assert name_of(heart) == goal_of(game.world) == "prize"
    walk(game, "lll")
    actions.pick_up(game)
    assert game.ending == "victory"


def test_unusable_keywords_give_warnings(play: MakeGame, monkeypatch: pytest.MonkeyPatch) -> None:
    bad = "mole: {name: mole, glyph: m, data: {hp: many, behaviour: dance, speed: 99, text: 5}}"
    monkeypatch.setitem(OBJECTS, "robots", dedent(OBJECTS["robots"]).replace("mole:", "unused:") + bad)
    game = play("""
        #####
        #<mm#
        #####
    """)
    told = [text for text in said(game) if text.startswith("Content: robot 'mole'")]
    assert [text.split(": ")[2].split()[0] for text in told] == ["text", "hp", "speed", "behaviour"]


def test_running_stops_at_side_passages_doors_and_robots(play: MakeGame) -> None:
    game = play("""
        ###########
        #<........#
        #####.#####
        #####..s..#
        ###########
    """)
    journeys.run(game, DIRECTIONS["l"])
    assert game.player_cell == (1, 5)
    walk(game, "j")
    journeys.run(game, DIRECTIONS["j"])
    assert game.player_cell == (3, 5)
    journeys.run(game, DIRECTIONS["l"])
    assert game.player_cell == (3, 7)
    journeys.run(game, DIRECTIONS["l"])
    assert game.player_cell == (3, 9)


def test_the_same_keys_in_the_same_world_give_the_same_game(own_content: Content) -> None:
    def played() -> str:
        game = Game(dungeon.World(own_content, 5))
        walk(game, "hjklyubn" * 20)
        return picture(game) + "\n".join(said(game))

    assert played() == played()
    forget_worlds()


# -- whole worlds ---------------------------------------------------------------------------------


def go_to(game: Game, goal: Cell, *, patience: int = 3000) -> None:
    """Walk a shortest way, as a player would who knows it: through doors, secret ones and robots."""
    way: list[Cell] = []
    for _ in range(patience):
        if game.player_cell == goal or game.is_over:
            return
        way = way or way_to(game, goal)
        assert way, (
            f"no way from {game.player_cell} to {goal} on {game.map.level.id} of seed {game.world.seed}"
        )
        (y, x), (to_y, to_x) = game.player_cell, way[0]
        if way[0] not in beside(game.player_cell):
            actions.descend(game)
        elif (
            (robot := game.map.blockers.get(way[0])) is not None
            and is_peaceful(robot)
            and why_not(game, robot)
        ):
            deal(game, (to_y - y, to_x - x), "strike")  # it means no harm, but stands in the way
        else:
            actions.step(game, (to_y - y, to_x - x))
        way = way[1:] if game.player_cell == way[0] else []
    raise AssertionError(f"{goal} was not reached on {game.map.level.id} of seed {game.world.seed}")


def fetch_keys(game: Game) -> None:
    """Take, pull or destroy what opens the locks of the level, in the order of the rounds in which that can be got at."""
    keys = [key for key in solution_of(game.map.level).keys if key.sphere is not None]
    for key in sorted(keys, key=lambda each: each.sphere or 0):
        spawn = game.map.level.spawns[key.spawn]
        if spawn.kind == "item":
            go_to(game, (spawn.y, spawn.x))
            actions.pick_up(game)
        else:
            free = (cell for cell in sorted(beside((spawn.y, spawn.x))) if game.map.is_free(cell))
            side = next(cell for cell in free if way_to(game, cell))
            go_to(game, side)
            actions.step(game, (spawn.y - side[0], spawn.x - side[1]))


def way_to(game: Game, goal: Cell) -> list[Cell]:
    """Return the cells of a cheapest way, by steps and by portals that are open or that a key at hand opens (Dijkstra)."""
    cost, waiting = costs(game), [(0, game.player_cell, game.player_cell)]
    came: dict[Cell, Cell] = {}
    while waiting:
        so_far, here, before = heappop(waiting)
        if here in came:
            continue
        came[here] = before
        if here == goal:
            break
        for there in (*beside(here), *across(game, here)):
            if cost[there] and there not in came:
                heappush(waiting, (so_far + int(cost[there]), there, here))
    way = [goal] if goal in came else []
    while way and came[way[-1]] != game.player_cell:
        way.append(came[way[-1]])
    return way[::-1]


def costs(game: Game) -> NDArray[np.int8]:
    """Return (height, width), what a step onto each cell costs; 0 where nobody gets."""
    level = game.map.level
    cost = level.walkable.astype(np.int8)
    for cell, lock in game.map.locks.items():
        if cell in game.map.portals:
            continue
        is_shut = game.map.door_at(cell, t.LOCKED_DOOR) and lock.word not in game.map.ring.lasting
        cost[cell] = not is_shut and level.base[cell] in t.DOORS
    for cell, entity in game.map.blockers.items():
        cost[cell] = 20 if esper.has_component(entity, Robot) else 0
    for cell in game.map.traps:
        cost[cell] = 30 if cost[cell] else 0
    return cost


def across(game: Game, cell: Cell) -> list[Cell]:
    """Return where a portal takes who stands on a cell, if it does."""
    portal = game.map.portals.get(cell)
    if portal is None:
        return []
    lock = game.map.locks.get(portal.begin)
    is_open = lock is None or portal.begin in game.map.unlocked or lock.word in game.map.ring.lasting
    return [portal.end if cell == portal.begin else portal.begin] if is_open else []


def exit_to(game: Game, map_id: str) -> Cell:
    """Return where a way leads from the player's map to another."""
    return next(cell for cell, target in game.map.exits.items() if target == map_id)


def explore(game: Game, taken: set[tuple[str, str]]) -> None:
    """Go down by every exit that has not been taken yet, on from there, and up again; the player stands on the map at last.

    To exits from where nobody comes back the player only goes.
    """
    here = game.map.level.id
    fresh = [leads_to for leads_to in game.world.node(here).leads_to if (here, leads_to) not in taken]
    if fresh:  # who comes here again has fetched them
        fetch_keys(game)
    for leads_to in fresh:
        taken.add((here, leads_to))
        go_to(game, exit_to(game, leads_to))
        if game.world.node(leads_to).one_way:
            continue
        actions.descend(game)
        assert game.map.level.id == leads_to
        assert_nobody_shares_a_cell(game)
        explore(game, taken)
        go_to(game, game.map.level.entrance)
        actions.ascend(game)
        assert game.map.level.id == here
        assert game.map.exits[game.player_cell] == leads_to
        assert_nobody_shares_a_cell(game)


def test_a_player_can_take_all_stairs_down_and_up_again(own_content: Content) -> None:
    world = dungeon.World(own_content, 0)
    lessons, game = Game(world, "goods_inwards/1"), Game(world)
    taken: set[tuple[str, str]] = set()
    for each in (game, lessons):
        each.resume()
        each.health.hp = each.health.max_hp = 10**6
        each.body.charge, each.attack.power = (
            10**9,
            10**3,
        )  # for whatever stands in a door, and whoever mends that
        first = each.map.level.id
        explore(each, taken)
        assert each.map.level.id == first
    for below in [node.id for node in world.maps if node.one_way]:
        way = next(way for way in ways_through(world, game.map.level.id) if below in way)
        for target in way[1 : way.index(below) + 1]:
            go_to(game, exit_to(game, target))
            actions.descend(game)
        explore(game, taken)
        assert game.map.level.id == below
    assert taken == {(node.id, target) for node in world.maps for target in node.leads_to}
    assert game.ending is None
    forget_worlds()
