"""Warnings in time: which robot will see the player, what a blast would do, where a journey leads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import esper
import pytest
from test_game import own_content, said, walk
from test_game_answers import LEGEND, OBJECTS, told_at
from test_game_journeys import spare_the_goal
from test_game_screens import after, beginning, shot
from workshops import guardroom

from dungeon.grid.rect import Cell as Place
from game_demo.display.descriptions import describe_cell
from game_demo.rules import actions, journeys
from game_demo.rules.destruction import set_off
from game_demo.rules.moods import settle, turn_to
from game_demo.rules.naming import listed
from game_demo.rules.paths import robots_in_sight
from game_demo.rules.robot_moves import walks_towards
from game_demo.rules.watch import is_hindered, pursuers
from game_demo.state.components import (
    Health,
    ItemEffect,
    Mind,
    Patrol,
    Perception,
    Position,
    Robot,
    cell_of,
    held_by,
)
from game_demo.state.fixtures import Careless, Explosive, Fuse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from game_demo.screens.game_screens import PlayScreen

    Begin = Callable[..., PlayScreen]

__all__ = ["guardroom", "own_content"]


@pytest.fixture
def begin(tmp_path: Path) -> Iterator[Begin]:
    yield from beginning(tmp_path, OBJECTS, LEGEND)


def test_the_first_search_explains_that_searching_is_certain(begin: Begin) -> None:
    game = begin("#######\n#<....#\n#######").game
    actions.search(game)
    assert said(game)[-1].startswith(
        "You search: nothing is hidden beside you. (A search always finds what is hidden beside you"
    )


@pytest.mark.parametrize(
    ("row", "hinders"), [("<...CG", False), ("<....G", True), ("<...Ch", False), ("<....h", True)]
)
def test_a_robot_that_is_shut_in_and_can_not_shoot_the_player_prevents_no_journey(
    guardroom: Begin, row: str, *, hinders: bool
) -> None:
    game = guardroom(row).game
    ((_, mind),) = esper.get_component(Mind)
    mind.state = "alert"
    assert bool(pursuers(game)) == is_hindered(game) == hinders


@pytest.mark.parametrize(
    ("steps", "told"),
    [
        (7, ""),
        (6, "sees you here at its next move, unless you stand still or sneak"),
        (3, "sees you here at its next move, unless you sneak"),
        (2, "sees you here at its next move (if you sneak, only with 50% chance)"),
        (1, "sees you here at its next move (if you sneak, only with 50% chance)"),
    ],
)
def test_the_description_of_a_lookout_says_if_it_will_see_the_player(
    begin: Begin, steps: int, told: str
) -> None:
    game = begin(f"############\n#<{'.' * (steps - 1)}v{'.' * (9 - steps)}#\n############").game
    (vole,) = (robot for robot, _ in esper.get_component(Robot))
    # That is 6 in the dark, 3 for who stands, and 2 for who sneaks.
    esper.component_for_entity(vole, Perception).radius = 9
    lines = told_at(game, (1, 1 + steps))
    assert ("sees you here" in lines) == bool(told)
    assert f"your blow does 3 to 6 damage{', ' * bool(told)}{told}\n" in lines


def test_items_carried_by_a_robot_show_their_effect(begin: Begin) -> None:
    game = begin("######\n#<h..#\n######").game
    (key,) = held_by(game.map.blockers[1, 2])
    esper.add_component(key, ItemEffect(charge=600))
    assert "carries a key (charge +600)" in describe_cell(game, (1, 2))[0]
    assert listed(["key (charge +600)"] * 2) == "two keys (charge +600)"


def test_lids_are_listed_with_their_state(begin: Begin) -> None:
    play = begin("#######\n#<A.Q.#\n#######")
    assert "locker, ajar" in shot(play, (120, 36))
    assert "locker\n" in shot(play, (120, 36))


def test_visible_traps_of_a_known_kind_do_not_end_a_journey(begin: Begin) -> None:
    game = begin("""
        ############
        #<...+..p..#
        ####+#######
        #......p...#
        ############
    """).game
    spare_the_goal(game)
    for _ in range(9):
        journeys.explore(game)
    assert sum("You see a plate" in line for line in said(game)) == 1


def test_exploring_reads_signs_before_it_takes_nearer_things(begin: Begin) -> None:
    play = begin("""
        ###########
        #<.....t..#
        #.........#
        #.k.......#
        ###########
    """)
    spare_the_goal(play.game)
    journeys.explore(play.game)
    assert play.game.player_cell == (1, 7)
    assert "Mind the step." in said(play.game)[-1]


def test_exploring_asks_when_a_patrol_comes_near(begin: Begin) -> None:
    game = begin("########################\n#<..........k........v.#\n########################").game
    spare_the_goal(game)
    (vole,) = (robot for robot, _ in esper.get_component(Robot))
    esper.component_for_entity(vole, Perception).radius = 6
    esper.add_component(vole, Patrol((Place(1, 2), Place(1, 20))))
    journeys.explore(game)
    assert said(game)[-1] == "You see a bolt vole."
    begun = game.log.turn
    journeys.explore(game)
    assert "to a key, where a bolt vole would see you" in said(game)[-1]
    assert game.log.turn > begun, "on the way, not before it, for then it was far"
    asked = game.player_cell
    journeys.explore(game)
    assert game.player_cell > asked, "once is enough"


def test_a_robot_needs_a_move_to_notice_the_player(begin: Begin) -> None:
    game = begin("######\n#<v..#\n######").game
    vole = game.map.blockers[1, 2]
    esper.component_for_entity(vole, Perception).radius = 9
    walk(game, ".")
    assert esper.component_for_entity(vole, Mind).state == "alert"
    assert game.health.hp == game.health.max_hp, "it has noticed him, and that was its move"
    blows = [message for message in said(game) if "hits you" in message]
    while game.log.turn < 9:
        walk(game, ".")
    assert not blows
    assert "The bolt vole hits you for 1." in " ".join(said(game))


def test_a_pursuer_ends_sneaking(begin: Begin) -> None:
    game = begin("#########\n#<...v..#\n#########").game
    actions.sneak(game)
    assert game.body.sneaks
    turn_to(game, game.map.blockers[1, 5], "alert")
    assert not game.body.sneaks
    assert said(game)[-1] == "You stop sneaking."
    actions.sneak(game)
    assert game.body.sneaks, "and he may sneak on"


def test_the_key_r_repeats_a_work_option(begin: Begin, monkeypatch: pytest.MonkeyPatch) -> None:
    play = begin("#####\n#<L.#\n#k#.#\n#####")
    game = play.game
    monkeypatch.setattr(game.rng, "random", lambda: 0.99)
    after(play, "w", "f")
    assert "It holds." in said(game)
    turns = game.log.turn
    after(play, "x", "escape", "r")
    assert game.log.turn == 2 * turns, "looking about is nothing that is done again"
    after(play, ".", "r")
    assert game.log.turn == 2 * turns + 2
    monkeypatch.setattr(game.rng, "random", lambda: 0.0)
    after(play, "w", "f", "r")
    assert said(game)[-1] == "That can't be done here."


def test_a_robot_walks_around_an_obstacle_to_the_player(begin: Begin) -> None:
    game = begin("""
        ###########
        #.........#
        #.BBBBBBB.#
        #.B.....B.#
        #<B..v..B.#
        #.B.....B.#
        #.BBBBB.B.#
        #.........#
        ###########
    """).game
    vole = game.map.blockers[4, 5]
    esper.component_for_entity(vole, Perception).radius = 20
    turn_to(game, vole, "alert")
    for _ in range(16):
        walk(game, ".")
    assert max(abs(a - b) for a, b in zip(cell_of(vole), game.player_cell, strict=True)) == 1


def test_a_journey_takes_a_door_shut_against_a_robot_only_at_the_second_request(
    begin: Begin,
) -> None:
    game = begin("""
        ##########
        #<.+.v...#
        ##.#####.#
        ##.#####>#
        ##########
    """, "###\n#<#\n###").game  # fmt: skip
    spare_the_goal(game)
    game.map.sight.explored[:] = True
    walk(game, "l")
    actions.step(game, (0, 1))
    actions.close_door(game, (0, 1))
    for robot, _ in [*esper.get_component(Robot)]:
        settle(game, robot)
    turns = game.log.turn
    journeys.go_down(game)
    assert game.log.turn == turns
    assert (
        "through the door to the east that you shut to keep a robot out. (Choose the place again to go)"
        in said(game)[-1]
    )
    journeys.go_down(game)
    assert game.log.turn > turns


def test_exploring_is_refused_once_beside_a_cornered_robot(begin: Begin) -> None:
    game = begin("######\n#<v..#\n######").game
    spare_the_goal(game)
    turn_to(game, game.map.blockers[1, 2], "fleeing")
    assert is_hindered(game)
    assert said(game)[-1] == (
        "Not now: the bolt vole flees, but strikes if it can't get away. Strike the robot, or step aside and let it get away. "
        "(press again to go on)"
    )
    assert not is_hindered(game)


def test_a_stalking_robot_shows_how_long_it_waits(begin: Begin) -> None:
    game = begin("#########\n#<..y.y.#\n#########").game
    wolf = game.map.blockers[1, 4]
    turn_to(game, wolf, "stalking")
    esper.component_for_entity(wolf, Mind).patience = 4
    assert "waits at most 4 more moves for its pack before it comes, 1 more pack member in sight" in told_at(
        game, (1, 4)
    )


def test_the_description_of_an_explosive_predicts_its_blast(begin: Begin) -> None:
    game = begin("###########\n#<.B.vB...#\n###########").game
    assert "now 3 to you, 3 to a bolt vole" in describe_cell(game, (1, 3))[0]
    told = describe_cell(game, (1, 6))[0]
    assert "now 6 to a bolt vole" in told
    assert "to you" not in told
    game = begin("########\n#<..BB.#\n########").game
    assert "now sets off a barrel" in describe_cell(game, (1, 5))[0]


def test_a_second_robot_of_a_name_is_announced_as_another(begin: Begin) -> None:
    game = begin("##########\n#<...v.v.#\n##########").game
    for robot in sorted(each for each, _ in esper.get_component(Robot)):
        turn_to(game, robot, "alert")
    assert said(game)[-2:] == ["The bolt vole has noticed you.", "Another bolt vole has noticed you."]


def test_a_robot_off_its_path_finds_a_new_one(begin: Begin) -> None:
    game = begin("############\n#<.....v...#\n#..........#\n############").game
    (vole,) = (robot for robot, _ in esper.get_component(Robot))
    walks_towards(game, vole, (1, 2))
    game.map.move(vole, (1, 10))  # as one does that steps back from the player
    walks_towards(game, vole, (1, 2))
    assert cell_of(vole) in {(1, 9), (2, 9)}


def test_the_view_includes_dangerous_robots_in_sight(begin: Begin) -> None:
    shaft = ["#" * 5, "#<..#", *["#...#"] * 30, "#" * 5]
    shaft[18] = "#.v.#"
    play = begin("\n".join(shaft))
    game = play.game
    game.map.move(game.hero, (9, 1))
    game.update_sight()
    shown = shot(play, (80, 24)).splitlines()
    assert any("v" in row for row in shown[1:19])
    assert any("@" in row for row in shown[1:19])
    assert shot(after(play, "x"), (80, 24)).splitlines()[1:12] == shown[1:12], "looking does not shift it"


def test_a_trap_springs_when_a_robot_steps_on_it(begin: Begin) -> None:
    game = begin("#######\n#<..pv#\n#######").game
    vole = game.map.blockers[1, 5]
    esper.component_for_entity(vole, Perception).radius = 9
    esper.add_component(vole, Careless())
    turn_to(game, vole, "alert")
    walk(game, ".")
    assert cell_of(vole) == (1, 4)
    assert esper.component_for_entity(vole, Health).hp == 7, "at once"


@pytest.mark.parametrize(
    ("steps", "luck", "state"),
    [
        (2, 0.6, "alert"),
        (2, 0.4, "at its post"),
        (1, 0.4, "at its post"),
        (1, 0.6, "alert"),
        (3, 0.6, "at its post"),
    ],
)
def test_a_sneaking_player_within_a_third_of_the_range_is_noticed_half_the_time(
    begin: Begin, monkeypatch: pytest.MonkeyPatch, steps: int, luck: float, state: str
) -> None:
    game = begin(f"########\n#<{'.' * (steps - 1)}v{'.' * (5 - steps)}#\n########").game
    (vole,) = (robot for robot, _ in esper.get_component(Robot))
    esper.component_for_entity(vole, Perception).radius = 9  # in the dark 6, a third of which is 2
    monkeypatch.setattr(game.rng, "random", lambda: luck)
    actions.sneak(game)
    walk(game, ".")
    assert esper.component_for_entity(vole, Mind).state == state


def test_pursuers_out_of_sight_are_listed(begin: Begin) -> None:
    play = begin("#########\n#<.#...v#\n#.......#\n#########")
    game = play.game
    walk(game, "jl")
    (vole,) = robots_in_sight(game)
    turn_to(game, vole, "alert")
    game.map.move(game.hero, (1, 1))
    game.update_sight()
    assert not robots_in_sight(game)
    assert "bolt vole, out of sight" in shot(play)
    assert "/1200  power" in shot(play)
    settle(game, vole)
    assert "out of sight" not in shot(play)


def test_an_explosive_under_the_player_has_no_direction(begin: Begin) -> None:
    game = begin("#####\n#<B.#\n#####").game
    (barrel,) = (each for each, _ in esper.get_component(Explosive))
    set_off(game, barrel)
    assert said(game)[-1] == "The barrel to the east is about to explode!"
    esper.remove_component(barrel, Fuse)
    esper.add_component(barrel, Position(*game.player_cell))  # as a wreck lies, on which he stands
    set_off(game, barrel)
    assert said(game)[-1] == "The barrel is about to explode!"
