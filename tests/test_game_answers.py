"""Messages that answer a player's questions: where something is, what opens it, why something can't be done."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import esper
import pytest
from test_game import forget_worlds, own_content, said, walk
from test_game_journeys import spare_the_goal
from test_game_screens import after, beginning, shot

from game_demo.display.descriptions import describe_cell
from game_demo.rules import actions, journeys
from game_demo.rules.fighting import fire
from game_demo.rules.moods import disturb, hear, provoke, settle, turn_to
from game_demo.rules.naming import name_of
from game_demo.rules.options import WorkOdds, WorkOption
from game_demo.rules.watch import is_hindered
from game_demo.rules.work import options_at
from game_demo.screens.aim import Aim
from game_demo.screens.dialogs import Confirm, parting_question
from game_demo.screens.look import Look
from game_demo.state.body import BodyPart
from game_demo.state.components import Appearance, Energy, ItemEffect, Mind, Perception, Robot, Stack

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from game_demo.screens.game_screens import PlayScreen
    from game_demo.state.game import Game

    Begin = Callable[..., PlayScreen]

__all__ = ["own_content"]

OBJECTS = {
    "robots": """
        vole: {name: bolt vole, glyph: v, data: {behaviour: guard, hp: 9, attack: 1}}
        hauler: {name: hauler, glyph: h, loadout: [{item: key}], data: {behaviour: idle, hp: 5}}
        clerk: {name: clerk, glyph: c, data: {behaviour: caller, hp: 5, calls: 20}}
        wolf: {name: wolf, glyph: w, data: {behaviour: swarm, hp: 5, attack: 1}}
        sweeper: {name: sweeper, glyph: s, data: {behaviour: idle, hp: 3}}
    """,
    "items": """
        key: {name: key, glyph: "-"}
        bar: {name: bar, glyph: "/", data: {slot: arm, pries: true}}
        gun: {name: gun, glyph: "/", data: {slot: arm, shoots: {power: 5, range: 6, charge: 1}, armour: 2, drain: 25}}
    """,
    "traps": "plate: {name: plate, glyph: ^, data: {damage: 2, hidden: false}}",
    "props": """
        desk: {name: asking desk, glyph: "&", data: {terminal: [map]}}
        locker: {name: locker, glyph: "|", data: {lid: true}}
        notice: {name: notice, glyph: "=", blocks: false}
        barrel: {name: barrel, glyph: B, data: {explodes: {radius: 2, damage: 6}}}
        lamp: {name: lamp, glyph: "o", blocks: false, light: 3}
    """,
}
LEGEND = """
    v: {robot: vole}
    y: {robot: wolf}
    s: {robot: sweeper}
    c: {robot: clerk}
    h: {robot: hauler}
    z: {robot: vole, state: asleep}
    u: {item: gun}
    b: {item: bar}
    p: {trap: plate}
    D: {prop: desk}
    A: {prop: locker, state: ajar}
    Q: {prop: locker}
    t: {prop: notice, data: {text: Mind the step.}}
    k: {item: key, opens: till}
    O: {prop: lamp}
    B: {prop: barrel}
    L: {terrain: locked_door, lock: till}
"""


@pytest.fixture
def begin(tmp_path: Path) -> Iterator[Begin]:
    yield from beginning(tmp_path, OBJECTS, LEGEND)


def told_at(game: Game, cell: tuple[int, int]) -> str:
    return "\n".join(describe_cell(game, cell))


def armed(play: PlayScreen) -> PlayScreen:
    """Take the gun that lies to the east, and fit it."""
    after(play, "l", "g", "a", "a", "1")
    return play


def test_messages_about_new_things_in_sight_group_them_by_direction(begin: Begin) -> None:
    play = begin(
        "\n".join(["###", "#<#", "#+#", *("#p#" if row in (3, 9, 11) else "#.#" for row in range(14)), "###"])
    )
    journeys.travel(play.game, (2, 1))
    assert "You see a plate; two plates far to the south." in said(play.game)


def test_the_message_about_stairs_in_sight_names_their_level(begin: Begin) -> None:
    play = begin("#######\n#<.+.>#\n#######", "####\n#<.#\n####")
    after(play, "o")
    target = next(iter(play.game.map.exits.values()))
    assert f"You see the stairs to {play.game.title(target)}." in said(play.game)


@pytest.mark.parametrize(
    ("drawing", "told"),
    [
        ("######\n#<u..#\n######", "There is nothing in sight to shoot at."),
        (
            "#######\n#..#..#\n#<u#..#\n#...z.#\n#######",
            "No clear shot at the bolt vole: a wall is in the way. Step to the south.",
        ),
    ],
)
def test_a_refused_shot_prints_the_reason(begin: Begin, drawing: str, told: str) -> None:
    play = armed(begin(drawing))
    after(play, "f")
    assert said(play.game)[-1] == told


def test_a_wide_screen_shows_armour_and_gun(begin: Begin) -> None:
    play = begin("#####\n#<u.#\n#####")
    assert "power 3  │" in shot(play, (160, 50))
    assert "power 3  armour 2  gun 5  │" in shot(armed(play), (160, 50))


def test_the_body_page_shows_the_charge_used_by_a_turn(begin: Begin) -> None:
    play = begin("#####\n#<u.#\n#####")
    assert "A turn takes 1 charge." in shot(after(play, "e"))
    armed(play)
    assert "A turn takes 1.25 charge." in shot(after(play, "e"))


def test_the_lesson_about_terminals_names_the_direction_of_one(begin: Begin) -> None:
    play = begin("######\n#<..D#\n######")
    after(play, "l")
    assert any(
        "The asking desk to the east is a terminal: press w beside it." in each for each in said(play.game)
    )


def test_the_lesson_about_terminals_waits_until_one_is_in_sight(begin: Begin) -> None:
    play = begin("########\n#<.....#\n#####.##\n#####.##\n##D....#\n########")
    play.game.map.sight.explored[:] = True
    after(play, "l", "l", "l", "l")
    assert not any("is a terminal" in each for each in said(play.game))
    after(play, "j", "j", "j")
    assert any("is a terminal" in each for each in said(play.game))


@pytest.mark.parametrize(
    ("drawing", "is_told"), [("########\n#<..v..#\n########", True), ("########\n#<v....#\n########", False)]
)
def test_a_robot_beside_the_player_is_not_announced_as_coming(
    begin: Begin, drawing: str, *, is_told: bool
) -> None:
    game = begin(drawing).game
    (vole,) = (robot for robot, _ in esper.get_component(Robot))
    turn_to(game, vole, "stalking")
    turn_to(game, vole, "alert")
    assert ("The bolt vole comes for you." in said(game)) is is_told


def test_looking_at_a_lid_tells_what_opens_it(begin: Begin) -> None:
    game = begin("#####\n#<QA#\n#####").game
    assert describe_cell(game, (1, 2))[0] == "Locker, shut: a bar or the like opens it"
    assert describe_cell(game, (1, 3))[0] == "Locker, ajar, opens if you walk into it"


def test_a_lock_whose_key_the_player_has_says_so(begin: Begin) -> None:
    game = begin("######\n#<kL.#\n######").game
    assert (
        describe_cell(game, (1, 3))[0]
        == "The door is locked; it needs a key (beside it, press w to try to force it)"
    )
    walk(game, "l")
    actions.pick_up(game)
    assert describe_cell(game, (1, 3))[0] == "The door is locked; you have what opens it"


@pytest.mark.parametrize(("ground", "is_told"), [("W", True), (".", False)])
def test_exploring_reports_seen_ground_that_can_not_be_reached(
    tmp_path: Path, ground: str, *, is_told: bool
) -> None:
    (tmp_path / "terrain.yaml").write_text("mesh: {like: wall, transparent: true}\n")
    legend = f"{LEGEND}    W: {{terrain: mesh}}\n    S: {{terrain: secret_door}}\n"
    begin = next(beginning(tmp_path, OBJECTS, legend))
    play = begin(f"""
        ########
        #<..{ground}..#
        #.####.#
        #....S.#
        ########
    """)
    spare_the_goal(play.game)
    after(play, "o", "o")
    told = said(play.game)[-1]
    assert told.startswith("Nothing else to explore here.")
    assert ("You see ground 3 steps to the northeast that you can't reach yet." in told) is is_told
    forget_worlds()


def test_the_cell_of_a_booth_of_glass_is_not_called_out_of_reach(tmp_path: Path) -> None:
    (tmp_path / "terrain.yaml").write_text("mesh: {like: wall, transparent: true}\n")
    begin = next(
        beginning(tmp_path, OBJECTS, f"{LEGEND}    W: {{terrain: mesh}}\n    S: {{terrain: secret_door}}\n")
    )
    play = begin("""
        ########
        #<..W.W#
        #.###S##
        #......#
        ########
    """)
    spare_the_goal(play.game)
    after(play, "o", "o")
    assert play.game.map.sight.explored[1, 5]
    assert said(play.game)[-1].startswith("Nothing else to explore here.")
    assert "can't reach" not in said(play.game)[-1]
    forget_worlds()


def test_places_that_are_not_ready_are_listed_under_a_heading(begin: Begin) -> None:
    play = begin("#########\n#<.....L#\n#.A...k.#\n#########")
    rows = [row.strip(" │") for row in shot(after(play, "_")).splitlines()]
    heading = rows.index("Read before, shut or locked (to force a lock, go there and press w):")
    assert [row[:2] for row in rows[heading - 2 : heading + 2]] == ["b ", "a ", "Re", "c "]
    assert "Locker" in rows[heading - 2]
    assert "The door is locked" in rows[heading + 1]


def test_enter_goes_to_the_nearest_place_that_is_ready(begin: Begin) -> None:
    play = begin("##########\n#k..<.k.L#\n##########")
    play.game.map.sight.explored[:] = True
    after(play, "_", "enter")
    assert play.game.player_cell == (1, 6), "not the first of the list"


def test_advice_against_a_searching_robot_mentions_the_gun_if_it_can_hit(begin: Begin) -> None:
    play = begin("#############\n#<u....v....#\n#############")
    (vole,) = (robot for robot, _ in esper.get_component(Robot))
    for keys, told in (
        ((), "or strike first."),
        (("l", "g", "a", "a", "1"), "or strike first, or shoot (f)."),
    ):
        after(play, *keys)
        turn_to(play.game, vole, "searching")
        assert is_hindered(play.game)
        assert said(play.game)[-1].removesuffix(" (press again to go on)").endswith(told)


def test_a_robot_that_gives_up_its_chase_is_announced(begin: Begin) -> None:
    game = begin("##########\n#<..v....#\n##########").game
    (vole,) = (robot for robot, _ in esper.get_component(Robot))
    settle(game, vole)
    assert "gives up" not in said(game)[-1], "it was not after him"
    turn_to(game, vole, "alert")
    settle(game, vole)
    assert said(game)[-1] == "The bolt vole gives up the chase."
    turn_to(game, vole, "alert")
    game.map.sight.visible[:] = False
    settle(game, vole)
    assert said(game)[-1] == "The bolt vole gives up the chase somewhere."
    settle(game, vole)
    assert said(game)[-1].count("gives up") == 1
    turn_to(game, vole, "alert")
    turn_to(game, vole, "fleeing")
    settle(game, vole)
    assert sum("gives up" in each for each in said(game)) == 2, "nothing that flees gives up a chase"
    assert "times" not in said(game)[-1], "it is told once"


def test_the_body_page_shows_speed_and_noise_while_sneaking(begin: Begin) -> None:
    play = begin("#####\n#<..#\n#####")
    assert "1 step a turn, heard 3 steps away" in shot(after(play, "e"))
    after(play, "t")
    assert "0.7 steps a turn, unheard" in shot(after(play, "e"))
    assert any("Each step takes one and a half times as long." in each for each in said(play.game))
    after(play, "t", "t")
    assert said(play.game)[-2:] == ["You stop sneaking.", "You sneak."], "the advice is printed once"


def test_the_description_of_a_cell_says_if_it_is_lit(begin: Begin) -> None:
    game = begin("#################\n#<....O.........#\n#################").game
    assert describe_cell(game, (1, 5))[-1].endswith(", in the light")
    assert "light" not in describe_cell(game, (1, 12))[-1]


def test_leaving_a_useful_key_behind_asks_first(begin: Begin) -> None:
    play = begin("##########\n#<k>..L..#\n##########", "####\n#<.#\n####")
    after(play, "l", "l")
    assert play.game.player_cell in play.game.map.exits
    assert parting_question(play.game, ">") == ""
    after(play, "h", "g", "l")
    asked = after(play, ">")
    assert isinstance(asked, Confirm)
    assert (
        asked.question
        == "You would leave behind keys that work only on this level: a key (opens a door). Go there?"
    )


def test_the_work_menu_lists_refusals_beside_options(begin: Begin) -> None:
    play = begin("#####\n#Q<p#\n#####")
    menu = shot(after(play, "w"))
    assert "Disarm the plate" in menu
    assert "The locker to the west does not open by hand" in " ".join(menu.replace("│", " ").split())


def test_aiming_offers_no_harmless_robot_if_no_enemy_can_be_hit(begin: Begin) -> None:
    play = armed(begin("#############\n#<u...s.v...#\n#############"))
    assert after(play, "f") is play
    assert said(play.game)[-1].startswith("No clear shot at the bolt vole: a sweeper is in the way.")
    assert told_at(play.game, (1, 8)).count("a sweeper is in the way of a shot") == 1
    assert isinstance(after(Look(play, play.game, cursor=(1, 6)), "f"), Aim), "but where the player means it"
    assert after(Look(play, play.game, cursor=(1, 8)), "f") is play


def test_advice_mentions_shooting_only_if_a_shot_is_possible(begin: Begin) -> None:
    play = armed(begin("#############\n#<u...s.v...#\n#############"))
    vole = play.game.map.blockers[1, 8]
    turn_to(play.game, vole, "alert")
    assert is_hindered(play.game)
    assert "shoots" not in said(play.game)[-1]


def test_the_description_of_ground_says_what_it_does(begin: Begin, tmp_path: Path) -> None:
    (tmp_path / "terrain.yaml").write_text(
        "puddle: {like: floor, glyph: '~'}\nmesh: {like: wall, glyph: '=', transparent: true}\n"
    )
    legend = f"{LEGEND}    W: {{terrain: mesh}}\n    w: {{terrain: puddle}}\n"
    begin = next(beginning(tmp_path, OBJECTS, legend))
    game = begin("########\n#<w.W..#\n#......#\n########").game
    assert [describe_cell(game, (1, x))[-1] for x in (2, 3, 4)] == [
        "Puddle: you can walk on it",
        "Floor",
        "Mesh: you can see and shoot through it, but not walk through it",
    ]
    forget_worlds()


def test_travelling_does_not_stop_for_items(begin: Begin) -> None:
    play = begin("########\n#<.....#\n#####.##\n#####.##\n#####k##\n########")
    journeys.travel(play.game, (1, 6))
    assert play.game.player_cell == (1, 6)


def test_descriptions_give_the_range_of_noises_that_wake_and_of_calls(begin: Begin) -> None:
    game = begin("########\n#<.z..c#\n########").game
    caller = told_at(game, (1, 6))
    assert (
        "your blow does 3 to 6 damage, woken by your steps within 1 cell, your blows within 3 cells\n"
        in told_at(game, (1, 3))
    )
    game.body.sneaks = True
    assert "your blow does 3 to 6 damage, woken by your blows within 3 cells\n" in told_at(game, (1, 3))
    assert (
        "here in the dark up to 5 steps away, 2 if you stand still, 1 if you sneak (in the light: 8, 4, 2; while you sneak, with 50% chance a move)"
        in caller
    )
    assert "calls for help if it notices you (heard 20 steps away)" in caller


def test_enter_does_not_replace_a_fitted_part(begin: Begin) -> None:
    play = begin("#######\n#<ubu.#\n#######")
    for letter in "aab":
        after(play, "l", "g")
        fitting = after(play, "i", "a")
        if letter == "b":
            assert after(fitting, "enter") is fitting, "both arms hold something"
            assert "Enter" not in shot(fitting)
        else:
            after(fitting, "enter")
    assert [*play.game.body.fitted] == ["right arm", "left arm"]


def test_a_robot_woken_by_a_blow_strikes_back_only_once(begin: Begin) -> None:
    game = begin("#######\n#<...z#\n#######").game
    (vole,) = (robot for robot, _ in esper.get_component(Robot))
    actions.sneak(game)
    walk(game, "lll")
    assert esper.component_for_entity(vole, Mind).state == "asleep"
    assert esper.component_for_entity(vole, Energy).moves < 1
    hurt = []
    game.facts = hurt
    walk(game, "l")
    assert sum(fact.kind == "hurt" for fact in hurt) <= 1


def test_a_journey_avoids_sleeping_robots_if_there_is_another_path(begin: Begin) -> None:
    game = begin("""
        ##############
        #<....z.....k#
        #.##########.#
        #.##########.#
        #............#
        ##############
    """).game
    game.map.sight.explored[:] = True
    (vole,) = (robot for robot, _ in esper.get_component(Robot))
    esper.component_for_entity(vole, Mind).was_told = True
    journeys.travel(game, (1, 12))
    assert game.player_cell == (1, 12)
    assert esper.component_for_entity(vole, Mind).state == "asleep"


def test_a_robot_that_hears_the_player_is_announced(begin: Begin) -> None:
    game = begin("##########\n#<...v...#\n##########").game
    (vole,) = (robot for robot, _ in esper.get_component(Robot))
    hear(game, vole, (1, 1))
    assert said(game)[-1] == "The bolt vole has heard something."
    hear(game, vole, (1, 1))
    assert "times" not in said(game)[-1], "it is told once"


def test_the_description_of_an_explosive_says_why_it_can_not_be_shot(begin: Begin) -> None:
    play = armed(begin("#############\n#<u..Q.B....#\n#############"))
    assert "a locker is in the way of a shot" in describe_cell(play.game, (1, 7))[0]
    assert after(Look(play, play.game, cursor=(1, 7)), "f") is play
    assert said(play.game)[-1].startswith("No clear shot at the barrel: a locker is in the way.")


def test_stopping_a_call_for_help_is_announced(begin: Begin) -> None:
    game = begin("#######\n#<c..z#\n#######").game
    clerk = game.map.blockers[1, 2]
    disturb(game, clerk, "fleeing")
    assert "is about to call for help (heard 20 steps away), unless a blow or a shot stops it" in told_at(
        game, (1, 2)
    )
    provoke(game, clerk)
    assert "The clerk is stopped before it can call for help." in said(game)
    assert "calls for help" in told_at(game, (1, 2))


def test_a_player_who_can_tap_reads_why_a_robot_can_not_be_tapped(begin: Begin) -> None:
    play = begin("######\n#<v..#\n######")
    game = play.game
    tapper = ItemEffect(part=BodyPart(slot="head", hacks=True))
    game.body.fitted["head"] = Stack("tapper", Appearance("/", (0, 0, 0), "tapper"), tapper)
    game.refit()
    vole = game.map.blockers[1, 2]
    assert [way.name for way in options_at(game, (1, 2))] == ["tap"]
    turn_to(game, vole, "alert")
    after(play, "w")
    assert (
        said(game)[-1]
        == "You can't make the bolt vole change sides: it has noticed you (t sneaks up on others)."
    )
    for state in ("with you", "off"):
        turn_to(game, vole, state)
        after(play, "w")
        assert "change sides" not in said(game)[-1]


def test_exploring_asks_before_it_walks_into_sight_of_a_caller(begin: Begin) -> None:
    play = begin("####################\n#<...c............k#\n####################")
    spare_the_goal(play.game)
    (clerk,) = (robot for robot, _ in esper.get_component(Robot))
    esper.component_for_entity(clerk, Perception).radius = 9
    after(play, "o")
    assert any("where a clerk would see you" in each for each in said(play.game))


def test_exploring_does_not_open_a_door_shut_against_a_robot(begin: Begin) -> None:
    play = begin("""
        ##########
        #<.+.v...#
        #.######.#
        #.....k#.#
        ########.#
        ########.#
        ##########
    """)
    game = play.game
    spare_the_goal(game)
    door = (1, 3)
    walk(game, "l")
    actions.step(game, (0, 1))
    assert game.map.doors[door].is_open
    actions.close_door(game, (0, 1))
    for _ in range(8):
        journeys.explore(game)
        if "that you shut to keep a robot out" in said(game)[-1]:
            break
        assert not game.map.doors[door].is_open
    assert "through the door to the " in said(game)[-1], "what else there is comes first"
    for _ in range(4):
        journeys.explore(game)
    assert game.map.doors[door].is_open, "but then it is the player's to say"


def test_the_description_of_a_robot_lists_its_items(begin: Begin) -> None:
    game = begin("######\n#<h..#\n######").game
    assert "carries a key" in describe_cell(game, (1, 2))[0]
    assert "carries" not in describe_cell(begin("######\n#<v..#\n######").game, (1, 2))[0]


def test_running_stops_beside_an_unaware_robot(begin: Begin) -> None:
    game = begin("#############\n#<..........#\n#.....z.....#\n#############").game
    actions.sneak(game)
    journeys.run(game, (0, 1))
    if game.player_cell[1] < 5:
        journeys.run(game, (0, 1))
    assert game.player_cell == (1, 5)
    assert "The bolt vole is close." in said(game)


def test_a_wrong_key_in_look_mode_gets_an_answer(begin: Begin) -> None:
    look = after(begin("#####\n#<..#\n#####"), "x")
    assert "Esc back" in shot(look)
    assert "Esc, then g" in shot(after(look, "g"))
    assert "Esc, then v" in shot(after(look, "v"))
    assert "Esc back" in shot(after(look, "l"))


def test_keys_of_the_game_do_nothing_in_look_mode_and_in_the_pack(begin: Begin) -> None:
    play = begin("######\n#<u..#\n######")
    after(play, "l", "g")
    pack = after(play, "i")
    assert after(pack, "z") is pack
    assert after(pack, "i") is play, "no item has the letter of the key that opens the pack"
    look = Look(play, play.game, cursor=(1, 4))
    turn = play.game.log.turn
    assert after(look, ".") is look
    assert play.game.log.turn == turn


def test_an_option_that_can_not_fail_shows_no_risk() -> None:
    way = WorkOption("ask", "Ask the desk", lambda: None, price="20 charge", risk="an alarm", turns=3)
    assert str(way) == "Ask the desk (20 charge, 3 turns)"
    assert str(replace(way, odds=WorkOdds(0.75))) == "Ask the desk (75%, else an alarm, 20 charge, 3 turns)"


@pytest.mark.parametrize(("steps", "is_hindered"), [(1, True), (3, True), (4, False)])
def test_exploring_is_refused_near_a_robot_held_by_its_leash(
    begin: Begin, steps: int, *, is_hindered: bool
) -> None:
    play = begin(f"###########\n#<......###\n#{'.' * (steps)}v{'.' * (8 - steps)}#\n###########")
    game = play.game
    (vole,) = (robot for robot, _ in esper.get_component(Robot))
    mind = esper.component_for_entity(vole, Mind)
    turn_to(game, vole, "alert")
    mind.leash, mind.aim, mind.post = 1, (1, 1), (2, 9)
    journeys.explore(game)
    assert ("Not now" in said(game)[-1]) is is_hindered


@pytest.mark.parametrize(("gap", "is_told"), [(5, True), (10, False)])
def test_the_lesson_about_locks_waits_until_the_smallest_screen_shows_the_door(
    begin: Begin, gap: int, *, is_told: bool
) -> None:
    play = begin("\n".join(["####", "#<k#", *["#.##"] * gap, "#L##", "#.##", "####"]))
    after(play, "s")
    assert play.game.map.sight.visible[2 + gap, 1]
    assert any("is locked: walk into it" in each for each in said(play.game)) is is_told


def test_a_shot_that_misses_does_not_stop_a_call(begin: Begin) -> None:
    play = armed(begin("############\n#<u...c...z#\n############"))
    game = play.game
    ((clerk, _),) = [each for each in esper.get_component(Robot) if name_of(each[0]) == "clerk"]
    turn_to(game, clerk, "calling")
    game.rng = type("Misfortune", (), {"random": staticmethod(lambda: 0.99)})()
    fire(game, clerk)
    assert "You shoot at the clerk, and miss." in said(game)
    assert esper.component_for_entity(clerk, Mind).state == "calling"
    assert "The clerk is stopped before it can call for help." not in said(game)


SEEN_AGAIN = {
    "a guard at its post": """
        ################
        #<............v#
        #.##############
        #..............#
        ################
    """,
    "a pack hunter behind mesh": """
        #################
        #<............Wy#
        #.#############L#
        #............k..#
        #################
    """,
}


@pytest.mark.parametrize("drawing", SEEN_AGAIN.values(), ids=SEEN_AGAIN)
def test_a_robot_that_stays_where_it_was_seen_ends_one_journey(tmp_path: Path, drawing: str) -> None:
    (tmp_path / "terrain.yaml").write_text("mesh: {like: wall, transparent: true}\n")
    begin = next(beginning(tmp_path, OBJECTS, f"{LEGEND}    W: {{terrain: mesh}}\n"))
    game = begin(drawing).game
    for robot, perception in esper.get_component(Perception):
        perception.radius = 1
        (name,) = {name_of(robot)}
    game.map.sight.explored[:] = True
    for _ in range(3):
        journeys.travel(game, (3, 9))
        for _ in range(2):
            journeys.travel(game, (1, 3))
    assert said(game).count(f"You see a {name}.") == 1
    assert game.player_cell == (1, 3)
    forget_worlds()
