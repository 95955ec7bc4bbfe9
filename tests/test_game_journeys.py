"""Journeys: exploring, travelling, running and resting; what ends them; and the screens for choosing a place."""

from __future__ import annotations

from typing import TYPE_CHECKING

import esper
import pytest
from test_game import drawing, drawn_content, forget_worlds, keyed, picture, said, walk
from test_game_screens import Script, after, shot

from game_demo.rules import actions, journeys, pack
from game_demo.rules.leftovers import ready_places
from game_demo.rules.lessons import LESSONS, lesson_due, teach
from game_demo.rules.moods import turn_to, waiting_for
from game_demo.rules.naming import listed, with_article
from game_demo.rules.traps import reveal
from game_demo.rules.watch import LEAP, Watch
from game_demo.saving.files import SaveFolder
from game_demo.saving.keeper import Keeper
from game_demo.saving.recording import GameOrigin
from game_demo.screens.dialogs import AskText, Confirm
from game_demo.screens.game_screens import Ending, PlayScreen
from game_demo.screens.look import Look, Overview
from game_demo.screens.session import Session
from game_demo.start import run
from game_demo.state.body import TURN, BodyPart
from game_demo.state.components import (
    Ambush,
    Appearance,
    Attack,
    Energy,
    GoalItem,
    Gun,
    Health,
    ItemEffect,
    Mind,
    Robot,
    Stack,
    cell_of,
)
from game_demo.state.digest import digest_of
from game_demo.state.geometry import distance
from game_demo.state.log import HINT, Log

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from game_demo.state.game import Game

    MakePlay = Callable[..., PlayScreen]


@pytest.fixture
def begin(tmp_path: Path) -> Iterator[MakePlay]:
    """Begin a game on drawn levels, with its screen; the player arrives at ``<``."""

    def make(*drawings: str, world: str = "") -> PlayScreen:
        return PlayScreen(Session(drawn_content(tmp_path, *drawings, world=world), 1))

    yield make
    forget_worlds()


HALLS = """
    ##################
    #<.......#.......#
    #........+...s...#
    #........#.......#
    ##################
"""


# -- exploring ------------------------------------------------------------------------------------


def test_exploring_goes_on_until_there_is_nothing_left(begin: MakePlay) -> None:
    game = begin(HALLS).game
    for _ in range(3):  # it stops at what one has come for
        journeys.explore(game)
    assert game.player.haul.counts == {("scrap", 0): 1}
    assert said(game)[-1].startswith("Nothing else to explore here")
    assert game.map.sight.explored.all()


def test_exploring_avoids_known_traps(begin: MakePlay) -> None:
    game = begin("""
        ###########
        #<...o....#
        #####.#####
        #####o#####
        #####.#####
        #####.....#
        ###########
    """).game
    for _ in range(5):
        journeys.explore(game)
    assert "You set off a gong! A gong rings." not in said(game)
    assert game.player_cell[0] < 3  # beyond the trap there is no other way


def test_exploring_stops_where_a_robot_comes_in_sight_that_can_fight(begin: MakePlay) -> None:
    drawn = """
        ####################
        #<.................#
        ##################.#
        #i.................#
        ####################
    """
    harmless, other = (begin(drawn.replace("i", letter)).game for letter in "if")
    journeys.explore(other)
    assert said(other)[-1] == "You see a fighter."
    journeys.explore(harmless)
    assert harmless.log.turn > other.log.turn
    assert "idler" not in " ".join(said(harmless))


def test_exploring_is_refused_while_a_robot_is_after_the_player(begin: MakePlay) -> None:
    game = begin("""
        ##################
        #<...............#
        #...h............#
        ##################
    """).game
    walk(game, "l")
    turn = game.log.turn
    journeys.explore(game)
    assert said(game)[-1] == "Not now: the hunter is after you. Fight the robot, or run."
    journeys.rest(game)
    assert said(game)[-1] == "Not now: the hunter is after you. Fight or run.", "in full once"
    assert game.log.turn == turn
    gun = ItemEffect(part=BodyPart(slot="arm", gun=Gun(power=1, range=20)))
    game.body.fitted["right arm"] = Stack("gun", Appearance("(", (0, 0, 0), "gun"), gun)
    game.refit()
    journeys.explore(game)
    assert "Fight the robot, or shoot it (f), or run" in said(game)[-1]


def test_a_far_pursuer_prevents_one_journey_until_it_is_near(begin: MakePlay) -> None:
    game = begin("""
        ##########################
        #<.......................#
        #.......h................#
        ##########################
    """).game
    ((robot, mind),) = esper.get_component(Mind)
    mind.state = "alert"
    journeys.rest(game)
    assert said(game)[-1].startswith("Not now: the hunter is after you.")
    assert (said(game)[-1].endswith("(press again to go on)"), game.log.turn) == (True, 0)
    journeys.rest(game)
    assert distance(cell_of(robot), game.player_cell) == LEAP, "where its next blows will be hard"
    assert said(game)[-1] == "The hunter is after you."
    turn = game.log.turn
    for _ in range(2):
        journeys.rest(game)
    told = game.log.messages[-1]
    assert (told.text, told.times) == ("Not now: the hunter is after you. Fight or run.", 2)
    assert game.log.turn == turn


def test_a_weak_robot_prevents_one_journey(begin: MakePlay) -> None:
    game = begin("""
        ##################
        #<...............#
        #................#
        #..h.............#
        ##################
    """).game
    ((robot, mind),) = esper.get_component(Mind)
    mind.state, mind.behaviour, mind.patience = "searching", "idle", 99
    esper.component_for_entity(robot, Attack).power = 1
    esper.component_for_entity(robot, Energy).speed = 0
    journeys.explore(game)
    assert said(game)[-1].endswith("(press again to go on)")
    journeys.travel(game, (1, 9))
    assert game.player_cell == (1, 9), "the player was told of it already"
    turn_to(game, robot, "stalking")
    journeys.travel(game, (1, 16))
    assert game.player_cell == (1, 10), "but not that it waits for others"


def test_exploring_never_goes_on_beside_a_weak_robot_or_after_its_blow(begin: MakePlay) -> None:
    game = begin("""
        ##################
        #<...............#
        #.h..............#
        ##################
    """).game
    ((robot, mind),) = esper.get_component(Mind)
    mind.state = "alert"
    esper.component_for_entity(robot, Attack).power = 1
    for _ in range(3):
        journeys.explore(game)
        assert said(game)[-1].startswith("Not now: the hunter is after you.")
        assert "again" not in said(game)[-1]
    assert game.log.turn == 0
    actions.wait(game)
    assert said(game)[-1] == "The hunter hits you for 1."
    esper.component_for_entity(robot, Energy).speed = 0
    walk(game, "lll")
    journeys.explore(game)
    assert said(game)[-1].endswith("Fight or run. (press again to go on)")
    assert game.log.turn == 4


def spare_the_goal(game: Game) -> None:
    """Let what the player has come for be no news, wherever it lies."""
    game.resume()
    game.map.passed.update(item for item, _ in esper.get_component(GoalItem))


def test_a_fleeing_robot_ends_a_journey_only_if_it_is_close_or_attacks(begin: MakePlay) -> None:
    game = begin("""
        ####################
        #<.................#
        #.................h#
        ####################
    """).game
    robot, mind = next(iter(esper.get_component(Mind)))
    walk(game, "ll")
    mind.state, mind.patience = "fleeing", 99
    mind.behaviour = "idle"  # it notices nobody anew
    esper.component_for_entity(robot, Energy).speed = 0
    game.map.move(robot, (2, 18))
    journeys.travel(game, (1, 16))
    assert (game.player_cell, said(game)[-1]) == ((1, 16), "The hunter is close.")
    journeys.travel(game, (1, 10))
    assert game.player_cell == (1, 10)
    esper.component_for_entity(robot, Energy).speed = 1
    mind.state, mind.patience, mind.behaviour = "stalking", 3, "swarm"
    turn = game.log.turn
    journeys.rest(game)
    assert said(game)[-1].startswith("Not now: the hunter waits for others")
    assert game.log.turn == turn
    walk(game, "...")
    assert "The hunter comes for you." in said(game)
    turn = game.log.turn
    journeys.explore(game)
    assert said(game)[-1].startswith("Not now: the hunter is after you.")
    assert game.log.turn == turn


def test_a_searching_robot_ends_a_journey_and_prevents_a_new_one(begin: MakePlay) -> None:
    game = begin("""
        ####################
        #<.................#
        #.......h..........#
        ####################
    """).game
    ((_, mind),) = esper.get_component(Mind)
    mind.behaviour, mind.state = "idle", "off"
    watch = Watch(game)
    assert watch.is_quiet()
    mind.state = "searching"
    assert not watch.is_quiet()
    assert said(game)[-1] == "The hunter is searching for you."
    for act in (journeys.explore, journeys.rest, journeys.go_down):
        mind.was_told = False
        act(game)
    assert said(game)[-1].startswith("You have not seen any stairs down yet.")
    assert said(game)[-3:-1] == [
        f"Not now: the hunter is searching for you. {advice} (press again to go on)"
        for advice in (
            "Get out of the robot's sight and wait (.) until it gives up, or strike first.",
            "Hide or strike.",
        )
    ]
    assert game.log.turn == 0


def test_exploring_ignores_props_with_the_text_of_their_kind(begin: MakePlay) -> None:
    game = begin("""
        ###########
        #<........#
        #.........#
        #....t..t.#
        #.........#
        ###########
    """).game
    spare_the_goal(game)
    journeys.explore(game)
    assert said(game)[-1].startswith("Nothing else to explore here")
    assert "Stool. Three legs." not in said(game)
    journeys.travel(game, (3, 9))
    assert game.player_cell == (3, 9)
    journeys.travel(game, (3, 5))
    assert "Stool. Three legs." in [each.text for each in game.log.messages if each.kind == "aside"]


def test_exploring_opens_locks_and_reports_what_is_left(tmp_path: Path) -> None:
    game = keyed("brass", "##########\n#<.a...A.#\n#......###\n##########", tmp_path)
    spare_the_goal(game)
    journeys.explore(game)
    assert said(game)[-1].startswith("You take the scrap (opens a brass lock)."), (
        "what opens locks is worth a stop"
    )
    journeys.explore(game)
    assert said(game)[-1] == "You unlock the brass lock; the scrap stays in the lock."
    assert game.map.doors[1, 7].is_open
    journeys.explore(game)
    assert game.map.sight.explored[1, 8]
    forget_worlds()
    game = keyed("brass gate", "#######\n#<....#\n#.b...#\n##B####\n#a....#\n#######", tmp_path)
    spare_the_goal(game)
    journeys.explore(game)
    assert said(game)[-1].startswith("The crate is beside you, "), "to try, or left alone"
    journeys.explore(game)
    told = "Nothing else to explore here. Left to do: try a crate; open a gate."
    assert said(game)[-1] == f"{told} (press _ to list the nearest)", "to explore on leaves it"
    forget_worlds()


def test_a_trap_in_the_only_way_on_is_left_to_disarm(begin: MakePlay) -> None:
    game = begin("""
        #########
        #<..#...#
        #...n..>#
        #...#...#
        #########
    """).game
    reveal(game, (2, 4))
    journeys.explore(game)
    journeys.explore(game)
    assert "Left to do: disarm a needle. " in said(game)[-1]
    told = "The needle, 3 steps to the east, lies in the way on: disarm it (w beside it), or walk onto it."
    assert told in said(game)[-1]
    assert "secret doors" not in said(game)[-1]
    assert (2, 4) in ready_places(game)


def test_exploring_reports_boxes_and_opens_them(begin: MakePlay) -> None:
    game = begin("""
        #######
        #<....#
        #...B.#
        #######
    """).game
    spare_the_goal(game)
    journeys.explore(game)
    assert "Nothing else to explore here. Left to do: open a locked crate." in said(game)[-1]
    game.map.ring.add({"opens": "pay_chest", "consumed": True})
    journeys.explore(game)
    assert said(game)[-2:] == ["You unlock the crate.", "The crate is empty."]
    journeys.explore(game)
    assert said(game)[-1].endswith("Search at dead ends (s): there may be secret doors.")


def test_exploring_opens_a_near_box_whose_key_the_player_has_first(begin: MakePlay) -> None:
    game = begin("""
        ##############
        #<.B...+.....#
        #......#.....#
        ##############
    """).game
    game.map.ring.add({"opens": "pay_chest", "consumed": True})
    journeys.explore(game)
    assert said(game)[-2:] == ["You unlock the crate.", "The crate is empty."]
    assert not game.map.sight.explored[2, 9]


def test_exploring_reports_an_openable_box_beside_a_sleeping_robot(begin: MakePlay) -> None:
    game = begin("""
        ########
        #<.....#
        #....Bh#
        ########
    """).game
    ((_, mind),) = esper.get_component(Mind)
    mind.state = "asleep"
    spare_the_goal(game)
    game.map.ring.add({"opens": "pay_chest", "consumed": True})
    game.body.build = game.body.build.__class__(noise=8)
    journeys.explore(game)
    journeys.explore(game)
    assert "Left to do: unlock a crate." in said(game)[-1]
    assert mind.state == "asleep"


def test_exploring_stops_once_more_when_a_tenth_of_the_charge_is_left(begin: MakePlay) -> None:
    game = begin("""
        ##############################
        #<...........................#
        ############################.#
        #............................#
        ##############################
    """).game
    game.body.charge = game.body.capacity // 10 + 10 * TURN
    journeys.explore(game)
    assert "Your battery is nearly empty: it lasts about " in said(game)[-1]
    assert 8 <= game.log.turn <= 12
    journeys.explore(game)
    assert game.log.turn > 30
    assert sum("nearly empty" in text for text in said(game)) == 1


def test_exploring_goes_around_robots_and_waits_for_those_that_leave_no_way(begin: MakePlay) -> None:
    game = begin("""
        ############
        #<.a.......#
        #..........#
        ############
    """).game
    journeys.travel(game, (1, 9))
    assert game.player_cell == (1, 9)
    game = begin("""
        ############
        #<.a.......#
        ############
    """).game
    journeys.travel(game, (1, 9))
    assert game.player_cell == (1, 2)
    assert (
        said(game)[-1]
        == "An idler is in the way. The idler means no harm, but does not make way. (w strikes it)"
    )


def test_exploring_takes_what_lies_about_and_goes_on(begin: MakePlay) -> None:
    game = begin("""
        ###########
        #<..r...c.#
        #########s#
        #########g#
        ###########
    """).game
    for taken in (["patch"], ["patch", "cell"]):  # each is the first of its kind
        journeys.explore(game)
        assert [stack.tag for stack in game.player.inventory] == taken
    journeys.explore(game)
    assert game.player.haul.counts == {("scrap", 0): 1}
    assert game.player_cell == (3, 9)
    assert said(game)[-1] == "Here lies a prize. (g takes it)"


def test_exploring_takes_neither_dropped_items_nor_the_goal(begin: MakePlay) -> None:
    game = begin("""
        ##########
        #<r......#
        ########.#
        ########g#
        ##########
    """).game
    walk(game, "l")
    actions.pick_up(game)
    actions.drop(game, 0)
    journeys.explore(game)
    assert (game.player.inventory, game.player_cell, game.is_over) == ([], (3, 8), False)
    assert said(game)[-1] == "Here lies a prize. (g takes it)"


def test_exploring_leaves_the_bait_of_an_ambush_until_it_is_sprung(begin: MakePlay) -> None:
    game = begin("""
        #################
        #<.b....b.......#
        ##########......#
        #.......w.......#
        #################
    """).game
    for _ in range(9):
        journeys.explore(game)
    assert not game.player.haul.counts
    assert "You left two scraps behind." in said(game)[-1]
    journeys.travel(game, (1, 3))
    for robot in waiting_for(game.map.items_at((1, 3))[0]):
        esper.remove_component(robot, Ambush)
    for _ in range(9):
        journeys.explore(game)
    assert game.player.haul.counts == {("scrap", 0): 2}


def test_exploring_stops_where_the_pack_is_full(begin: MakePlay, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pack, "INVENTORY_SIZE", 1)
    game = begin("""
        ###########
        #<.r.c....#
        ###########
    """).game
    journeys.explore(game)
    assert len(game.player.inventory) == 1
    journeys.explore(game)
    assert (said(game)[-1], game.player_cell) == (
        "Your pack is full. (d drops something)",
        (1, 5),
    )
    journeys.explore(game)
    assert game.player_cell[1] > 5  # it is left there


def test_exploring_stops_when_an_empty_battery_costs_hit_points(begin: MakePlay) -> None:
    game = begin(HALLS).game
    game.body.charge = 0
    game.refit()
    journeys.explore(game)
    assert said(game)[-1] == "You stop: you are losing hit points."


def test_a_journey_ends_if_robots_block_all_its_paths(begin: MakePlay) -> None:
    game = begin("""
        ##########
        #.a......#
        #<#......#
        #.a......#
        ##########
    """).game
    game.map.sight.explored[:] = True
    journeys.travel(game, (2, 5))
    assert game.player_cell == (2, 1)
    assert (
        said(game)[-1]
        == "An idler is in the way. The idler means no harm, but does not make way. (w strikes it)"
    )


@pytest.mark.parametrize("is_told", [False, True])
def test_no_journey_begins_on_a_cell_that_an_enemy_holds(begin: MakePlay, *, is_told: bool) -> None:
    game = begin("########\n#<h...>#\n########", "###\n#<#\n###").game
    game.map.sight.explored[:] = True
    ((robot, mind),) = esper.get_component(Mind)
    mind.state, mind.was_told = "alert", is_told
    esper.component_for_entity(robot, Attack).power = 1  # a weak robot shortens no journey, once he was told
    journeys.go_down(game)
    assert (said(game)[-1], game.log.turn) == ("A hunter is in the way.", 0)
    assert not any("set out" in text for text in said(game))


def test_exploring_is_refused_beside_a_weak_pursuer_that_bars_the_only_way(begin: MakePlay) -> None:
    game = begin(
        """
        #######
        #<'h..#
        #######
    """.replace("'h", "h.")
    ).game
    ((robot, mind),) = esper.get_component(Mind)
    game.map.sight.explored[:] = True
    mind.state, mind.was_told = "alert", True
    esper.component_for_entity(robot, Attack).power = 1
    for _ in range(2):
        journeys.explore(game)
        assert said(game)[-1].removesuffix(" [2 times]").startswith("Not now: the hunter is after you. Fight")
    assert game.log.turn == 0


def test_tab_stops_once_when_less_than_a_third_of_the_hit_points_is_left(begin: MakePlay) -> None:
    play = begin("#######\n#<f...#\n#######")
    game = play.game
    ((fighter, _),) = esper.get_component(Mind)
    esper.component_for_entity(fighter, Energy).speed = 0
    game.health.hp = game.health.max_hp // 2
    after(play, "tab")
    turn, game.health.hp = game.log.turn, 5
    assert turn, "it strikes"
    after(play, "tab")
    assert (said(game)[-1], game.log.turn) == (
        "You stop: you have only 5 hit points left. (Tab again strikes on)",
        turn,
    )
    after(play, "tab", "tab")
    assert game.log.turn == turn + 2


def test_tab_catches_up_with_a_shooter_that_backs_off(begin: MakePlay) -> None:
    play = begin("""
        #################################
        #<..f...........................#
        #################################
    """)
    ((shooter, mind),) = esper.get_component(Mind)
    esper.add_component(shooter, Gun(power=0, range=9))
    mind.state, mind.keeps = "alert", 4
    health = esper.component_for_entity(shooter, Health)
    after(play, *["tab"] * 6)
    assert health.hp < health.max_hp
    assert cell_of(shooter) > (1, 5), "it has backed off"


def test_travelling_opens_doors_and_ends_beside_a_blocked_goal(begin: MakePlay) -> None:
    game = begin("""
        ##########
        #<...+..C#
        ##########
    """).game
    journeys.travel(game, (1, 8))
    assert said(game)[-1] == "You have not seen that place yet."
    journeys.explore(game)
    journeys.travel(game, (1, 1))
    assert game.player_cell == (1, 1)
    journeys.travel(game, (1, 8))
    assert game.player_cell == (1, 7)


def test_travelling_to_a_robot_ends_beside_it(begin: MakePlay) -> None:
    game = begin("""
        ##########
        #<.....a.#
        #........#
        ##########
    """).game
    journeys.travel(game, (1, 7))
    assert game.player_cell == (1, 6)
    turn = game.log.turn
    journeys.travel(game, (1, 7))
    assert game.log.turn == turn


def test_travelling_is_refused_without_a_known_safe_path(begin: MakePlay) -> None:
    game = begin("""
        ##########
        #<..o....#
        ##########
    """).game
    journeys.travel(game, (1, 7))
    assert said(game)[-1] == "You know no safe way there."
    assert game.log.turn == 0


def test_damage_ends_a_journey(begin: MakePlay) -> None:
    game = begin("""
        ##########
        #<..n....#
        ##########
    """).game
    journeys.travel(game, (1, 8))
    assert game.player_cell == (1, 4)
    assert said(game)[-1] == "You set off a needle, which hits you for 5!"


def test_a_text_read_before_does_not_end_a_journey(begin: MakePlay) -> None:
    game = begin("""
        ##########
        #<..t.s..#
        ##########
    """).game
    stops = []
    for x in (8, 8, 8, 1, 8):
        journeys.travel(game, (1, x))
        stops.append(game.player_cell[1])
    assert stops == [6, 8, 8, 1, 8], "a stool is no more than an aside"


def test_the_stairs_key_walks_to_stairs_and_then_takes_them(begin: MakePlay) -> None:
    first = """
        ############
        #<....+...>#
        ############
    """
    game = begin(first, HALLS).game
    journeys.go_down(game)
    assert said(game)[-1] == "You have not seen any stairs down yet. (o explores, or tells what is left)"
    journeys.explore(game)
    assert said(game)[-1] == "You see the stairs to Hall 2, depth 2."
    journeys.go_down(game)
    assert game.player_cell == (1, 10)
    journeys.go_down(game)
    assert game.map.level.id == "m2/2"
    walk(game, "ll")
    journeys.go_up(game)
    assert (game.map.level.id, game.player_cell) == ("m2/2", (1, 1))
    journeys.go_up(game)
    assert game.map.level.id == "m1/1"


# -- resting --------------------------------------------------------------------------------------


def test_resting_lasts_until_hit_points_are_full(begin: MakePlay) -> None:
    game = begin(HALLS).game
    game.health.hp -= 5
    journeys.rest(game)
    assert said(game)[-1] == "Your hit points are full again."
    assert game.health.hp == game.health.max_hp
    turn = game.log.turn
    journeys.rest(game)
    assert game.log.turn == turn + journeys.PAUSE


def test_resting_ends_when_a_robot_comes(begin: MakePlay) -> None:
    game = begin("""
        ######
        #<...#
        ####.#
        #h...#
        ######
    """).game
    game.health.hp = 1
    journeys.rest(game)
    assert said(game)[-1] == "You see a hunter."
    assert game.health.hp < game.health.max_hp


# -- keys and clicks ------------------------------------------------------------------------------


def test_shift_with_an_arrow_runs(begin: MakePlay) -> None:
    play = begin("""
        ############
        #<.........#
        ############
    """)
    after(play, "shift+right")
    assert play.game.player_cell == (1, 10)


def test_the_key_r_repeats_the_last_action(begin: MakePlay) -> None:
    play = begin(HALLS)
    after(play, "s", "r", "r")
    assert play.game.log.turn == 3
    after(play, "l", "r")
    assert play.game.player_cell == (1, 3)


def test_stepping_on_a_known_trap_asks_first(begin: MakePlay) -> None:
    play = begin("""
        ########
        #<.o...#
        ########
    """)
    for key in ("l", "L", "shift+right"):
        question = after(play, "l", key) if play.game.player_cell == (1, 1) else after(play, key)
        assert isinstance(question, Confirm)
        assert "Step on a gong?  y / n" in shot(question)
        assert after(question, "n") is play
        assert play.game.player_cell == (1, 2)
    after(play, "l", "y")
    assert said(play.game)[-1] == "You set off a gong! A gong rings."


def test_running_stops_before_a_known_trap(begin: MakePlay) -> None:
    play = begin("""
        #########
        #<...o..#
        #########
    """)
    after(play, "L")
    assert play.game.player_cell == (1, 4)


def test_taking_one_way_stairs_asks_first(begin: MakePlay) -> None:
    halls = "#####\n#<.>#\n#####", HALLS
    play = begin(*halls, world="one_way: m2/2\n")
    question = after(play, "l", "l", ">")
    assert "You can't come back from Hall 2, depth 2. Go there?" in shot(question)
    assert after(question, "n").game.map.level.id == "m1/1"  # type: ignore[attr-defined]
    assert after(play, ">", "y").game.map.level.id == "m2/2"  # type: ignore[attr-defined]
    play = begin(*halls)
    assert after(play, "l", "l", ">").game.map.level.id == "m2/2"  # type: ignore[attr-defined]


def spot_of(screen: PlayScreen | Look, cell: tuple[int, int]) -> tuple[int, int]:
    """Return where on a console of 80x24 a cell shows."""
    shot(screen)
    spots = ((y, x) for y in range(24) for x in range(80))
    return next(spot for spot in spots if screen._spot_to_cell(spot) == cell)


def test_a_left_click_travels_to_the_cell(begin: MakePlay) -> None:
    play = begin(HALLS)
    for cell in ((3, 7), (3, 8)):
        assert play.click(*spot_of(play, cell), 1) is play
        assert play.game.player_cell == cell
    turn = play.game.log.turn
    assert play.click(0, 0, 1) is play
    assert play.game.log.turn == turn


def test_a_right_click_looks_at_the_cell(begin: MakePlay) -> None:
    play = begin(HALLS)
    look = play.click(*spot_of(play, (2, 5)), 3)
    assert isinstance(look, Look)
    assert look.cursor == (2, 5)
    assert look.click(*spot_of(look, (2, 6)), 1) is look
    assert look.cursor == (2, 6)
    assert look.click(*spot_of(look, (2, 6)), 1) is play
    assert play.game.player_cell == (2, 6)


def test_the_main_loop_passes_clicks_to_screens(begin: MakePlay) -> None:
    from game_demo.frontends.frontend import Click  # noqa: PLC0415

    play = begin(HALLS)
    heard: list[str] = []
    y, x = spot_of(play, (3, 7))
    script = Script()
    script.keys = [Click(y, x, 1), "l", None]  # type: ignore[list-item]
    run(script, play, heard=heard.append)
    assert play.game.player_cell == (3, 8)
    assert heard == [f"click({y},{x},1)", "l"]


# -- what is shown --------------------------------------------------------------------------------


def test_look_mode_does_not_scroll_and_enter_travels_to_the_cursor(begin: MakePlay) -> None:
    wide = "\n".join(["#" * 120, f"#<{'.' * 117}#", *[f"#{'.' * 118}#"] * 40, "#" * 120])
    play = begin(wide)
    journeys.travel(play.game, (10, 11))
    rows = shot(play).splitlines()
    look = after(play, "x")
    assert shot(look).splitlines()[1:19] == rows[1:19]
    look = after(look, *"JJ")
    assert look.cursor == (26, 11)  # type: ignore[attr-defined]
    assert shot(look).splitlines()[2:19] != rows[2:19]
    look = after(play, "x", *"ll", "enter")
    assert look is play
    assert play.game.player_cell == (10, 13)


def test_tab_and_enter_choose_a_place_to_travel_to(begin: MakePlay) -> None:
    play = begin("#########\n#<.....>#\n#########", HALLS)
    look = after(play, "_", "_")
    assert look.cursor == (1, 7)  # type: ignore[attr-defined]
    after(look, "<", ">", "enter")
    assert play.game.player_cell == (1, 7)


def test_things_in_sight_are_listed_in_a_row_on_narrow_screens(begin: MakePlay) -> None:
    play = begin("""
        ############
        #<...f.ssi.#
        ############
    """)
    assert " f  fighter 50/50  i- idler 3/3  ! scrap x2  " in shot(play)
    crowd = begin("###########\n#<iiiiiiii#\n###########")
    assert shot(crowd).splitlines()[20].startswith(" i- idler x8 3/3  * prize"), "those alike are counted"
    for number, (robot, _) in enumerate(esper.get_component(Robot)):
        esper.component_for_entity(robot, Health).hp = number
    row = shot(crowd).splitlines()[20]
    assert row.startswith(" i- idler 0/3  i- idler 1/3")
    assert row.endswith("more")
    assert (
        row.count("idler") + int(row.split("+")[1].split()[0]) == 8 + 2
    )  # and the stairs, and the heart of the world
    alone = begin("######\n#<>..#\n####.#\n####.#\n####.#\n######", HALLS)
    assert "nothing in sight" in shot(after(alone, *"llljjj"))


def test_the_end_box_hides_neither_the_killer_nor_the_messages(begin: MakePlay) -> None:
    for y in (1, 20, 38):
        rows = ["#" * 90, *[f"#{'.' * 88}#"] * 40, "#" * 90]
        rows[y] = f"#{'.' * 40}<.h{'.' * 45}#"
        play = begin("\n".join(rows))
        play.game.health.hp = 1
        screen = after(play, *"....")
        while not isinstance(screen, Ending):
            screen = after(screen, ".")
        shown = shot(screen).splitlines()
        at = next(row for row, text in enumerate(shown) if "@" in text)
        column = shown[at].index("@")
        around = "".join(row.ljust(80)[column - 1 : column + 2] for row in shown[at - 1 : at + 2])
        assert "h" in around
        assert "You were destroyed by a hunter." in "".join(shown)
        assert any(row.startswith("│ The hunter hits you") for row in shown)
        assert sum("q  leave" in row for row in shown) == 1
        assert any("You destroyed no robot" in row for row in shown)
        forget_worlds()


def test_a_lesson_is_printed_once_a_game_when_it_is_of_use(begin: MakePlay) -> None:
    play = begin("""
        #############
        #<.....i.os.#
        #####L#####.#
        #####.......#
        #############
    """)
    told = [f"{HINT}{LESSONS[name].told(play.game)}" for name in ("robot", "trap", "lock", "item")]
    assert not {*said(play.game)} & {*told}
    for number in range(1, 5):
        after(play, ".")
        lessons = [text for text in said(play.game) if text in told]
        assert lessons == told[:number]  # no more than one at a time
    after(play, *"." * 10)
    play = PlayScreen(play.session)  # another screen, the same game
    after(play, *"." * 10)
    assert [text for text in said(play.game) if text in told] == told
    turn = play.game.log.turn
    play.game.body.charge = 1
    assert lesson_due(play.game) == "charge"
    teach(play.game, "charge")
    assert (lesson_due(play.game), play.game.log.turn) == (None, turn)


def test_lessons_are_replayed_and_not_printed_twice(tmp_path: Path) -> None:
    content = drawn_content(tmp_path / "content", "#########\n#<..i...#\n#########")
    keeper = Keeper(GameOrigin("content", "code", "1.0"), SaveFolder(tmp_path / "saves"))
    session = Session(content, 1, keeper=keeper)
    after(PlayScreen(session), "s", "s")
    keeper.leave(session.game)
    again = Session(content, 1, keeper=keeper)
    assert again.go_on(keeper.saved()[0])
    assert digest_of(again.game) == digest_of(session.game)
    after(PlayScreen(again), "s", "s")
    assert said(again.game).count(f"{HINT}{LESSONS['robot'].text}") == 1
    keeper.close()
    forget_worlds()


def test_the_pack_compares_parts_with_fitted_ones(begin: MakePlay) -> None:
    play = begin("######\n#<rc.#\n######")
    play.game.health.hp -= 4
    text = shot(after(play, "l", "g", "l", "g", "i"))
    assert "repairs 6 (hp 26 -> 30)" in text
    assert "arm, power +2" in text
    play.game.health.hp = play.game.health.max_hp
    assert "repairs 6 (your hit points are full)" in shot(after(play, "i"))


def test_the_overview_shows_only_explored_cells(begin: MakePlay) -> None:
    play = begin(HALLS)
    screen = after(play, "M")
    assert isinstance(screen, Overview)
    rows = shot(screen).splitlines()
    assert [len(row.strip()) for row in rows[1:-1] if row.strip()] == [10, 10, 10]
    assert after(screen, "M") is play
    journeys.explore(play.game)
    journeys.explore(play.game)
    assert max(len(row.strip()) for row in shot(after(play, "M")).splitlines()[1:-1]) == 18


def test_the_overview_lists_visited_levels_and_seen_stairs(begin: MakePlay) -> None:
    def listed_levels() -> list[str]:
        boxed = [row.split("│") for row in shot(after(play, "M", "tab")).splitlines() if row.count("│") == 2]
        return [row.strip() for _, row, _ in boxed]

    play = begin("#######\n#<+..>#\n#######", HALLS)
    overview = after(play, "M")
    assert "Tab lists the levels" in shot(overview)
    assert shot(after(overview, "tab", "tab")) == shot(overview)
    assert after(overview, "tab", "q") is play
    assert listed_levels() == ["Hall 1, depth 1, you are here, no stairs onward found yet"]
    after(play, "l", "l")
    assert listed_levels() == [
        "Hall 1, depth 1, you are here", "Hall 2, depth 2 (stairs in Hall 1, depth 1), not visited",
    ]  # fmt: skip
    after(play, ">", ">")
    assert listed_levels() == [
        "Hall 1, depth 1, visited", "Hall 2, depth 2 (stairs in Hall 1, depth 1), you are here",
    ]  # fmt: skip


def test_the_overview_can_be_read_without_colours(begin: MakePlay) -> None:
    play = begin(HALLS)
    *rows, legend = shot(after(play, "M")).splitlines()
    assert [letter for letter in "".join(rows[1:]) if letter in "@<>+$^R"] == [*"@+"]
    assert "░" in "".join(rows)
    told = "@ you > down < up R robot ^ trap $ item + door ░ floor · path █ wall"
    assert " ".join(legend.split()) == told


def test_names_have_their_articles() -> None:
    assert [with_article(name) for name in ("spanner", "arc cell", "brass fittings", "Chief Clerk")] == [
        "a spanner", "an arc cell", "some brass fittings", "the Chief Clerk",
    ]  # fmt: skip
    assert with_article("pile of kettles") == "a pile of kettles"
    assert with_article("dress") == "a dress"
    assert listed(["key"]) == "a key"
    assert listed(["key", "arc cell", "key"]) == "two keys and an arc cell"
    assert listed(["key", "arc cell", "lid"]) == "a key, an arc cell and a lid"
    assert listed([]) == ""


def test_a_message_repeated_after_some_turns_is_not_counted_up() -> None:
    log = Log()
    for turn in (1, 2, 3, 9):
        log.turn = turn
        log.say("Thud.")
    assert [str(message) for message in log.messages] == ["Thud. [3 times]", "Thud."]


# -- for designers --------------------------------------------------------------------------------


def test_the_designers_view_steps_through_its_tints(begin: MakePlay) -> None:
    play = begin(HALLS)
    seen = []
    for number in range(7):
        after(play, *("v" if number else "vy"))
        seen.append(play.eye)
        assert (f"Tints: {play.eye}" in shot(play, (120, 40))) == (play.eye is not None)
        assert ("prefab: 1 region" in shot(play)) == (play.eye == "regions")
    assert seen == ["encounters", "features", "flow", "regions", "spawns", "zones", None]


def test_the_player_can_jump_to_any_map_of_any_world(begin: MakePlay) -> None:
    play = begin(HALLS, HALLS)
    ask = after(play, "ctrl+g")
    assert isinstance(ask, AskText)
    wrong = after(ask, *"m9/9", "enter")
    assert "no map m9/9 in world 1, only m1/1, m2/2" in shot(wrong)
    there = after(wrong, *["backspace"] * 4, *"m2/2 77", "enter")
    assert isinstance(there, PlayScreen)
    assert (there.game.map.level.id, there.session.seed) == ("m2/2", 77)
    assert after(there, "ctrl+g", "escape") is there


def test_a_report_lists_seed_map_cell_and_keys(
    begin: MakePlay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    play = begin(HALLS)
    run(Script("l", "j", "s", "!"), play, heard=play.session.heard)
    path = tmp_path.resolve() / "report-1-m1-1-3.txt"
    assert said(play.game)[-1] == f"A report of this game is written to {path}."
    text = (tmp_path / "report-1-m1-1-3.txt").read_text()
    assert "seed 1, map m1/1, turn 3, y 2, x 2\n" in text
    assert "keys: l j s !\n" in text
    (tmp_path / "report-1-m1-1-4.txt").mkdir()
    after(play, "l", "!")
    assert said(play.game)[-1].startswith("The report could not be written: ")
    assert drawing(picture(play.game)).count("@") == 1


def test_exploring_in_sight_of_a_robot_asks_only_once(
    begin: MakePlay, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("game_demo.rules.journeys._watcher_of", lambda *_: "fighter")
    game = begin("""
        ###########
        #<....#...#
        #####.#.#.#
        #####...#.#
        #########.#
        ###########
    """).game
    journeys.explore(game)
    assert game.log.turn == 0
    assert "where a fighter would see you. (press o again to go there)" in said(game)[-1]
    journeys.explore(game)
    assert game.map.sight.explored[4, 9], "the end of the way, around four corners"
    assert sum("(press o again to go there)" in each for each in said(game)) == 1
