"""How robots behave, on small drawn levels: what they notice, and what they turn to then."""

from __future__ import annotations

from typing import TYPE_CHECKING

import esper
import pytest
from test_game import drawn_content, forget_worlds, said, walk

import dungeon
from game_demo.display.descriptions import describe_entity
from game_demo.display.panels import mark_of
from game_demo.rules import actions
from game_demo.rules.destruction import destroy
from game_demo.rules.hearing import _bit_in, _heard
from game_demo.rules.robot_moves import MOVES
from game_demo.rules.senses import exposure, make_noise
from game_demo.rules.watch import why_no_attack
from game_demo.state.body import BodyPart
from game_demo.state.components import (
    Appearance,
    Follows,
    Health,
    ItemEffect,
    Leader,
    Mind,
    Robot,
    Stack,
    Tag,
    cell_of,
)
from game_demo.state.game import Game
from game_demo.state.geometry import Area, area_around, distance
from game_demo.state.minds import LOOKS_OUT, MANNERS, MARKS
from game_demo.state.tiles import MOODS, tiles

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from game_demo.state.minds import State

    MakeGame = Callable[[str], Game]

OBJECTS = {
    "robots": """
        guard: {name: guard, glyph: g, data: {behaviour: guard, hp: 20, attack: 2, sight: 9}}
        sleeper: {name: sleeper, glyph: s, state: asleep, data: {behaviour: guard, attack: 2, sight: 9}}
        coward: {name: coward, glyph: c, data: {behaviour: coward, hp: 20, attack: 1, calls: 9}}
        clerk: {name: clerk, glyph: k, data: {behaviour: caller, calls: 12, sight: 12}}
        shy: {name: shy one, glyph: y, data: {behaviour: guard, hp: 20, attack: 3, flees_below: 0.9}}
        rat: {name: rat, glyph: r, data: {behaviour: swarm, hp: 9, attack: 2, sight: 20}}
        mender: {name: mender, glyph: m, data: {behaviour: mender, mends: 2}}
        post: {name: post, glyph: i, data: {behaviour: idle, hp: 30, speed: 0}}
        witness: {name: witness, glyph: w, data: {behaviour: idle, obeys: true}}
        nailer: {name: nailer, glyph: n, data: {behaviour: guard, hp: 20, sight: 12, speed: 0.5, shoots: {power: 3, range: 5}}}
    """,
    "traps": "bell: {name: bell, glyph: ^, data: {damage: 0, effect: It rings., noise: 12}}",
    "props": """
        lamp: {name: lamp, glyph: "!", light: 3}
        crate: {name: crate, glyph: "="}
    """,
}
LEGEND = """
    g: {robot: guard}
    s: {robot: sleeper}
    c: {robot: coward}
    k: {robot: clerk}
    y: {robot: shy}
    r: {robot: rat}
    m: {robot: mender}
    i: {robot: post}
    w: {robot: witness}
    n: {robot: nailer}
    b: {trap: bell}
    L: {prop: lamp}
    C: {prop: crate}
"""


@pytest.fixture
def play(tmp_path: Path) -> Iterator[MakeGame]:
    """Begin a game on a drawn level; the player arrives at ``<``, and takes much damage."""

    def begin(drawing: str) -> Game:
        game = Game(dungeon.World(drawn_content(tmp_path, drawing, objects=OBJECTS, legend=LEGEND), 1))
        game.health.hp = game.health.max_hp = 1000
        return game

    yield begin
    forget_worlds()


def named(tag: str) -> int:
    """Return the robot of that name in the catalog."""
    return next(robot for robot, (_, each) in esper.get_components(Robot, Tag) if each.tag == tag)


def state(tag: str) -> State:
    return esper.component_for_entity(named(tag), Mind).state


def test_tab_tells_of_a_robot_that_only_calls_how_to_strike_it(play: MakeGame) -> None:
    game = play("##########\n#<...k...#\n##########")
    assert state("clerk") in LOOKS_OUT
    assert why_no_attack(game) == (
        "You see no enemy that fights. The clerk calls others if it notices you. (w beside it strikes it)"
    )


# -- sight ----------------------------------------------------------------------------------------


def test_in_the_dark_robots_see_two_thirds_as_far_half_of_that_who_stands_still_and_a_third_who_sneaks(
    play: MakeGame,
) -> None:
    game = play("""
        ##############
        #<..........L#
        ##############
    """)
    assert exposure(game) == 2 / 3
    walk(game, ".")
    assert exposure(game) == 2 / 3
    walk(game, ".")
    assert exposure(game) == 1 / 3
    walk(game, "l")
    assert exposure(game) == 2 / 3
    actions.sneak(game)
    assert exposure(game) == 2 / 9
    walk(game, ".")
    assert exposure(game) == 2 / 9, "also if he stands meanwhile"
    actions.sneak(game)
    walk(game, "l" * 8)
    assert exposure(game) == 1


def test_who_carries_a_lamp_is_seen_as_in_the_light(play: MakeGame) -> None:
    game = play("""
        ####
        #<.#
        ####
    """)
    lamp = ItemEffect(part=BodyPart(slot="head", lit=True))
    game.body.fitted["head"] = Stack("lamp", Appearance("(", (0, 0, 0), "lamp"), lamp)
    game.refit()
    assert exposure(game) == 1
    game.body.charge = 0
    game.refit()
    assert exposure(game) == 2 / 3


@pytest.mark.parametrize(("gap", "is_noticed"), [(3, True), (4, True), (5, False)])
def test_a_guard_notices_who_comes_near_enough(play: MakeGame, gap: int, is_noticed: bool) -> None:  # noqa: FBT001
    blank = "." * gap
    game = play(f"""
        ####{"#" * gap}##
        #<.{blank}.g#
        ####{"#" * gap}##
    """)
    walk(game, "l")  # they are two cells more apart; the guard sees 9 cells, 6 in the dark
    assert (state("guard") == "alert") == is_noticed


def test_who_stands_in_the_light_is_seen_from_afar(play: MakeGame) -> None:
    drawings = [
        f"""
        ############
        #<{prop}......g.#
        #..........#
        ############
    """
        for prop in ".L"
    ]
    states = []
    for each in drawings:
        game = play(each)
        walk(game, "j")
        states.append(state("guard"))
    assert states == ["at its post", "alert"]


def test_a_blow_that_nobody_saw_coming_does_twice_the_damage_and_all_of_its_power_at_least(
    play: MakeGame,
) -> None:
    game = play("""
        #####
        #<s.#
        #####
    """)
    hits = []
    for _ in range(30):
        health = esper.component_for_entity(named("sleeper"), Health)
        mind = esper.component_for_entity(named("sleeper"), Mind)
        health.hp, mind.state = 100, "asleep"
        walk(game, "l")
        hits.append(100 - health.hp)
    assert set(hits) == {3, 4, 6}, "and no less than its best"
    assert "You hit the sleeper, which was not aware of you, for 6." in " ".join(said(game))


# -- sound ----------------------------------------------------------------------------------------


def test_who_hears_something_goes_there_and_looks_about_and_back(play: MakeGame) -> None:
    game = play("""
        ###############
        #<..#.........#
        #...#.#######.#
        #...+.#g......#
        ###############
    """)
    make_noise(game, (1, 5), 12)
    assert state("guard") == "at its post"  # too far to walk
    make_noise(game, (3, 5), 20)
    assert state("guard") == "searching"
    seen = []
    for _ in range(60):
        walk(game, ".")
        seen.append((state("guard"), distance(cell_of(named("guard")), (3, 5))))
    assert min(away for about, away in seen if about == "searching") <= 1
    assert (seen[-1][0], cell_of(named("guard"))) == ("at its post", (3, 7))


@pytest.mark.parametrize(("radius", "heard"), [(6, False), (9, True)])
def test_doors_muffle(play: MakeGame, radius: int, heard: bool) -> None:  # noqa: FBT001
    game = play("""
        ##########
        #<..+...g#
        ##########
    """)
    make_noise(game, (1, 2), radius)
    assert (state("guard") == "searching") == heard
    game.map.set_door((1, 4), is_open=True)
    make_noise(game, (1, 2), 6)
    assert state("guard") == "searching"


def test_sound_goes_around_corners_and_is_late_behind_doors(play: MakeGame) -> None:
    game = play("""
        ##############
        #............#
        #.####.###.###
        #.#<.+.......#
        #.############
        #............#
        ##############
    """)
    area = area_around((3, 4), 9, game.map.codes.shape)
    heard = _heard(game, (3, 4), 9, area)
    assert [
        "".join(
            next((str(steps) for steps, cells in enumerate(heard) if cells & _bit_in(area, (y, x))), "#")
            for x in range(game.map.width)
        )
        for y in range(game.map.height)
    ] == [
        "##############",
        "##987666789###",
        "######5###9###",
        "###10456789###",
        "##############",
        "##############",
        "##############",
    ]


def test_steps_are_heard_but_not_those_of_who_sneaks(play: MakeGame) -> None:
    drawing = """
        ########
        #<.....#
        ####+###
        #..s.###
        ########
    """
    game = play(drawing)
    game.map.set_door((2, 4), is_open=True)
    actions.sneak(game)
    walk(game, "lll")
    assert state("sleeper") == "asleep"
    actions.sneak(game)
    walk(game, "hl")
    assert state("sleeper") == "asleep"  # it hears only what is half as far
    make_noise(game, (1, 4), 6)
    assert state("sleeper") == "searching"


def test_a_bell_calls_robots_to_who_has_set_it_off(play: MakeGame) -> None:
    game = play("""
        ##########
        #<b.#....#
        #...+...g#
        ##########
    """)
    walk(game, "l")
    assert game.health.hp == game.health.max_hp
    assert state("guard") == "searching"
    assert esper.component_for_entity(named("guard"), Mind).aim == game.player_cell


def test_a_fight_calls_others(play: MakeGame) -> None:
    game = play("""
        ##########
        #<i..#...#
        #....+..g#
        ##########
    """)
    game.map.set_door((2, 5), is_open=True)
    walk(game, "L")
    assert state("guard") == "at its post"
    game.map.move(named("guard"), (2, 6))
    game.map.move(named("guard"), (1, 6))
    walk(game, "l")
    assert state("guard") == "searching"


# -- what they turn to ----------------------------------------------------------------------------


def test_a_coward_that_is_struck_calls_and_runs(play: MakeGame) -> None:
    game = play("""
        ##############
        #<c..........#
        #............#
        ######+#######
        #.........g..#
        ##############
    """)
    game.map.set_door((3, 6), is_open=True)
    walk(game, "L..")
    assert "The coward calls for help!" in said(game)
    assert state("guard") in ("searching", "alert")
    walk(game, "....")
    assert distance(cell_of(named("coward")), game.player_cell) > 2
    assert state("coward") == "fleeing"
    walk(game, "." * 30)
    assert state("coward") == "at work"


def test_a_caller_calls_when_it_sees_the_player(play: MakeGame) -> None:
    game = play("""
        ###############
        #<.....k......#
        #########+#####
        ########...g..#
        ###############
    """)
    game.map.set_door((2, 9), is_open=True)
    walk(game, "l..")
    assert said(game)[-3:] == [
        "The clerk calls for help!",
        "A robot hears it, and comes.",
        "The clerk runs from you.",
    ]
    assert state("guard") == "searching"
    assert esper.component_for_entity(named("guard"), Mind).aim == game.player_cell


def test_who_has_had_enough_flees(play: MakeGame) -> None:
    game = play("""
        ############
        #<y........#
        ############
    """)
    walk(game, ".")
    assert state("shy") == "alert"
    walk(game, "ll")
    assert state("shy") == "fleeing"


def two_rats(play: MakeGame) -> tuple[Game, int, int]:
    """Begin a game with a rat that sees the player, and another that hears of nothing, behind a wall; return the game and the two."""
    game = play("""
        ##################
        #<......r....##r##
        #............#####
        #............#####
        ##################
    """)
    near, far = sorted((robot for robot, _ in esper.get_component(Mind)), key=cell_of)
    return game, near, far


def test_rats_wait_for_one_another(play: MakeGame) -> None:
    game, near, far = two_rats(play)
    mind = esper.component_for_entity(near, Mind)
    walk(game, "j")
    assert mind.state == "stalking"
    away = []
    while mind.state == "stalking":
        walk(game, ".")
        away.append(distance(cell_of(near), game.player_cell))
    assert 3 <= len(away) <= 8
    assert min(away) >= 3
    assert mind.state == "alert"
    assert esper.component_for_entity(far, Mind).state != "alert"


@pytest.mark.parametrize("other", ["asleep", "off", "with you"])
def test_a_rat_waits_for_nobody_where_there_is_none_to_wait_for(play: MakeGame, other: State) -> None:
    game, near, far = two_rats(play)
    esper.component_for_entity(far, Mind).state = other
    walk(game, "j")
    assert esper.component_for_entity(near, Mind).state == "alert"
    assert not any("waits for others" in text for text in said(game))


def test_the_last_rat_of_a_pack_stops_waiting(play: MakeGame) -> None:
    game, near, far = two_rats(play)
    mind = esper.component_for_entity(near, Mind)
    walk(game, "j")
    assert mind.state == "stalking"
    destroy(game, far, "")
    walk(game, ".")
    assert mind.state == "alert"


def test_rats_that_are_two_attack(play: MakeGame) -> None:
    game = play("""
        ##############
        #<......r....#
        #.......r....#
        ##############
    """)
    walk(game, "j.")
    assert {mind.state for _, mind in esper.get_component(Mind)} == {"alert"}


def test_rats_encircle(play: MakeGame) -> None:
    game = play("""
        ##############
        #<......rr...#
        #.......r....#
        #............#
        ##############
    """)
    game.map.move(game.hero, (2, 4))
    game.update_sight()
    walk(game, "." * 12)
    sides = {cell_of(robot) for robot, _ in esper.get_component(Robot)}
    assert len(sides) == 3
    assert all(distance(cell, game.player_cell) == 1 for cell in sides)


def test_a_mender_mends_what_is_damaged(play: MakeGame) -> None:
    game = play("""
        ##########
        #<...m.i.#
        ##########
    """)
    health = esper.component_for_entity(named("post"), Health)
    health.hp = 10
    walk(game, "." * 5)
    assert state("mender") == "mending"
    assert health.hp > 10
    walk(game, "." * 20)
    assert health.hp == 30
    assert state("mender") == "at work"


def test_who_obeys_shuts_down_with_its_leader(play: MakeGame) -> None:
    game = play("""
        #######
        #<g.w.#
        #######
    """)
    esper.add_component(named("guard"), Leader(1))
    esper.add_component(named("witness"), Follows(1))
    esper.component_for_entity(named("guard"), Health).hp = 1
    walk(game, "l")
    assert "The witness shuts down." in said(game)
    assert state("witness") == "off"


# -- shots ----------------------------------------------------------------------------------------


def test_a_nailer_shoots_from_where_its_line_is_free(play: MakeGame) -> None:
    game = play("""
        ##########
        #<....n..#
        ##########
    """)
    walk(game, "l" + "." * 3)
    assert any("The nailer shoots" in text for text in said(game))


def test_nobody_shoots_through_a_crate(play: MakeGame) -> None:
    game = play("""
        ########
        #<..C.n#
        ########
    """)
    esper.component_for_entity(named("nailer"), Mind).state = "alert"
    walk(game, "." * 12)
    assert not any("shoots" in text for text in said(game))


# -- what the player sees of it -------------------------------------------------------------------


def test_states_show_in_words_by_a_mark_and_on_the_map(play: MakeGame) -> None:
    game = play("""
        ########
        #<...g.#
        ########
    """)
    guard = named("guard")
    area = Area(0, 0, *game.map.codes.shape)
    for each in ("at its post", "alert", "searching", "fleeing", "with you"):
        esper.component_for_entity(guard, Mind).state = each
        assert each in describe_entity(game, guard).lower()
        assert mark_of(guard) == MARKS.get(each, " ")
        there = tuple(tiles(game.map, area, robots=True)["bg"][cell_of(guard)])
        assert (there == MOODS.get(each)) == (each in MOODS)
    esper.component_for_entity(guard, Mind).state = "lurking"
    assert "idle" in describe_entity(game, guard).lower()


def test_all_states_that_behaviours_turn_to_can_be_acted_upon() -> None:
    for manner in MANNERS.values():
        turned_to = {manner.rest, manner.on_harm, manner.on_sight, manner.on_noise} - {None, "idle"}
        assert turned_to <= MOVES.keys()
    assert MARKS.keys() == MOODS.keys()
