"""Aiming and shooting: the order of targets, obstacles, and the texts about a shot before it is fired."""

from __future__ import annotations

from typing import TYPE_CHECKING

import esper
import pytest
from test_game import said, walk
from test_game_screens import after, shot
from workshops import guardroom, storehouse, workshop

from game_demo.display.descriptions import describe_cell, describe_entity
from game_demo.rules import actions
from game_demo.rules.destruction import set_off
from game_demo.rules.fighting import marks
from game_demo.rules.moods import turn_to
from game_demo.rules.watch import fighters_in_sight
from game_demo.screens.aim import Aim
from game_demo.screens.look import Look
from game_demo.state.components import Energy, Health, Mind, cell_of
from game_demo.state.fixtures import Explosive
from game_demo.state.game import Game

if TYPE_CHECKING:
    from workshops import Begin

    from game_demo.screens.screen import Screen
    from game_demo.state.game import Game

__all__ = ["guardroom", "storehouse", "workshop"]


def collect(game: Game, steps: int) -> Game:
    """Go right, and take what lies after each step."""
    for _ in range(steps):
        walk(game, "l")
        actions.pick_up(game)
    return game


def words(screen: Screen) -> str:
    """Return what a screen shows, with one blank between words."""
    return " ".join(shot(screen).split())


@pytest.mark.parametrize("size", [(80, 24), (103, 24), (160, 50)])
@pytest.mark.parametrize(
    "drawing",
    [
        "##########\n#<u..i...#\n#.....i..#\n#........#\n##########",
        "######\n#<u..#\n#....#\n#....#\n#....#\n#.i..#\n#.i..#\n######",
    ],
)
def test_the_label_of_a_shot_is_near_its_target_and_hides_no_robot(
    workshop: Begin, drawing: str, size: tuple[int, int]
) -> None:
    play = workshop(drawing)
    after(play, "l", "g", "a", "a", "1")
    rows = shot(play, size).splitlines()
    spots = [(y, x) for y, row in enumerate(rows[:-6]) for x, letter in enumerate(row[:75]) if letter in "@i"]
    on_map = [(y, x) for y, x in spots if rows[y][x - 1] in ".#<i" and rows[y][x + 1] in ".#i"]
    assert len(on_map) == 3
    aimed = shot(after(play, "f"), size).splitlines()
    (told,) = (
        number for number, row in enumerate(aimed) if "idler 9/9, " in row and "1 to 5 damage, hits" in row
    )
    assert "the shot and the turn use 2 charge, heard 9 steps away" in aimed[told + 1]
    assert "f shoots  Esc back" in aimed[told + 2]
    left = aimed[told].index("│ idler")
    right = aimed[told].index("│", left + 1)
    assert aimed[told - 1][left] + aimed[told - 1][right] == "┌┐"
    assert aimed[told + 3][left] + aimed[told + 3][right] == "└┘"
    assert all(aimed[y][x] == rows[y][x] for y, x in on_map)
    assert min(abs(told - y) for y, x in on_map if rows[y][x] == "i") <= 4
    assert told > 1
    assert aimed[0] == rows[0], "the top row, which nobody looks at, tells what it did"


def test_aiming_begins_with_pursuers(workshop: Begin) -> None:
    play = workshop("########\n#<u....#\n#.i..h.#\n########")
    after(play, "l", "g", "a", "a", "1")
    near, far = marks(play.game)
    turn_to(play.game, far, "off")
    assert Aim(play, play.game).targets == [near, far]
    turn_to(play.game, far, "asleep")
    assert Aim(play, play.game).targets == [far, near], "the harmless last"
    assert "hound 5/5, asleep: 1 to 5 damage, hits 75%" in shot(after(play, "f"))
    turn_to(play.game, far, "alert")
    turn_to(play.game, near, "asleep")
    assert Aim(play, play.game).targets == [far, near]
    assert "hound 5/5, alert: 1 to 5 damage, hits 75%" in shot(after(play, "f"))


def test_a_blocked_shot_says_if_no_step_clears_it(workshop: Begin) -> None:
    play = workshop("#########\n#<.uQ..h#\n#########")
    after(play, "l", "l", "g", "a", "a", "1")
    after(play, "f")
    assert "No clear shot at the hound: a locker is in the way. Go around it, or move closer." in said(
        play.game
    )


def test_who_is_too_far_away_for_a_shot_can_be_approached_with_tab(workshop: Begin) -> None:
    play = workshop("###############\n#<u........h..#\n###############")
    after(play, "l", "g", "a", "a", "1", "f")
    assert said(play.game)[-1] == "The hound is too far away: the range of your gun is 6. (Tab goes nearer)"


def test_a_caller_is_aimed_at_if_the_fighters_are_too_far_away(workshop: Begin) -> None:
    play = workshop("###############\n#<u.a........h#\n#.............#\n###############")
    after(play, "l", "g", "a", "a", "1")
    clerk, hound = sorted(robot for robot, _ in esper.get_component(Mind))
    esper.component_for_entity(clerk, Mind).state = "at its post"
    play.game.map.move(hound, (1, 10))
    assert "clerk 5/5, at its post: 1 to 5 damage" in shot(after(play, "f"))


def test_an_unseen_obstacle_of_a_shot_is_not_named(workshop: Begin) -> None:
    play = workshop("##########\n#<u..h..h#\n##########")
    after(play, "l", "g", "a", "a", "1")
    near = min((robot for robot, _ in esper.get_component(Mind)), key=lambda robot: cell_of(robot)[1])
    turn_to(play.game, near, "with you")
    after(play, "f")
    assert "No clear shot at the hound: your hound is in the way. Go around it, or move closer." in said(
        play.game
    )
    play.game.map.sight.visible[cell_of(near)] = False
    after(play, "f")
    told = "No clear shot at the hound: something is in the way. Go around it, or move closer."
    assert told in said(play.game)


def test_a_shot_at_a_harmless_robot_asks_first(workshop: Begin) -> None:
    play = workshop("########\n#<u..h.#\n########")
    after(play, "l", "g", "a", "a", "1")
    (hound,) = marks(play.game)
    turn_to(play.game, hound, "off")
    charge = play.game.body.charge
    asked = after(play, "f", "f")
    assert "Shoot the hound, which means you no harm?" in shot(asked)
    assert after(asked, "n") is play
    assert play.game.body.charge == charge
    assert after(asked, "y") is play
    assert play.game.body.charge < charge


def test_a_shot_at_an_enemy_does_not_ask(workshop: Begin) -> None:
    play = workshop("########\n#<u..h.#\n########")
    after(play, "l", "g", "a", "a", "1")
    charge = play.game.body.charge
    assert after(play, "f", "f") is play
    assert play.game.body.charge < charge


def test_aiming_from_look_mode_targets_the_cursor(workshop: Begin) -> None:
    play = workshop("########\n#<u....#\n#.i..h.#\n########")
    after(play, "l", "g", "a", "a", "1")
    _, far = marks(play.game)
    look = Look(play, play.game, cursor=cell_of(far))
    assert "f aims" in shot(look)
    aim = after(look, "f")
    assert isinstance(aim, Aim)
    assert aim.targets[0] == far
    assert "f aims" not in shot(Look(play, play.game, cursor=(1, 4)))


def test_aiming_in_look_mode_without_a_gun_says_so(workshop: Begin) -> None:
    play = workshop("########\n#<u..h.#\n########")
    assert after(play, "x", "f") is play
    assert said(play.game)[-1] == "You have no gun."


def test_descriptions_say_if_a_robot_is_out_of_gun_range(workshop: Begin) -> None:
    play = workshop("##########################\n#<u.....................h#\n##########################")
    game = play.game
    after(play, "l", "g", "a", "a", "1")
    (hound,) = (robot for robot, _ in esper.get_component(Mind))
    gun = game.body.build.gun
    assert gun is not None
    assert f"beyond your gun's range of {gun.range}" in describe_entity(game, hound)
    game.map.move(game.hero, (1, 23))
    assert "range" not in describe_entity(game, hound)


def test_explosives_describe_their_blast_and_aiming_lists_its_victims(storehouse: Begin) -> None:
    play = storehouse("#########\n#<u..K..#\n#########")
    game = play.game
    (keg,) = [each for each, _ in esper.get_component(Explosive)]
    assert (
        "explodes if you strike (w) or shoot it: 6 damage beside it, less damage up to 2 cells away"
        in describe_entity(game, keg)
    )
    after(play, "l", "g", "a", "a", "1")
    assert "keg: explodes if hit, chance" in shot(after(play, "f"))
    assert "its blast does" not in shot(after(play, "f"))
    assert "now " not in describe_entity(game, keg)
    walk(game, "l")
    aim = after(play, "f")
    assert "its blast does 3 to you" in shot(aim)
    charge, asked = game.body.charge, after(aim, "f")
    assert "Shoot the keg? Its blast does 3 to you." in shot(asked)
    assert after(asked, "n") is play
    assert game.body.charge == charge
    assert "now 3 to you" in describe_entity(game, keg)
    set_off(game, keg, 3)
    assert "explodes in 3 turns" in describe_entity(game, keg)
    actions.wait(game)
    assert "explodes in 2 turns" in describe_entity(game, keg)


def test_guns_show_their_range_and_part_names_do_not_repeat_arm(guardroom: Begin) -> None:
    play = guardroom("<g.G")
    game = collect(play.game, 1)
    told = words(after(play, "i")).replace("│ ", "")
    assert "gun arm, shoots for up to 4, 75% of shots hit, range 6, 10 charge a shot" in told
    assert "shoots for up to 3, 75% of shots hit, range 5" in describe_cell(game, (1, 4))[0]
    actions.apply(game, 0)
    assert (
        "You fit the gun as your right arm: shoots for up to 4, 75% of shots hit, range 6, 10 charge a shot."
        in said(game)
    )


def test_aiming_does_not_hide_the_newest_message(guardroom: Begin) -> None:
    play = guardroom("<g.i")
    game = collect(play.game, 1)
    actions.apply(game, 0)
    after(play, *"....")
    for number in range(4):
        game.log.say(f"Something falls for the {number}th time.")
    text = shot(after(play, "f"))
    assert "f shoots" in text
    assert text.splitlines()[23].strip() == "Something falls for the 3th time."


# -- the key that attacks -------------------------------------------------------------------------


def test_tab_walks_to_the_nearest_enemy_and_strikes_it(workshop: Begin) -> None:
    play = workshop("##########\n#<....h..#\n#.....i..#\n##########")
    game = play.game
    (hound,) = fighters_in_sight(game)
    turn_to(game, hound, "off")
    after(play, "tab")
    assert said(game)[-1].startswith("You see no enemy"), "neither idlers nor what is off"
    assert game.log.turn == 0
    turn_to(game, hound, "asleep")
    cells = [after(play, "tab").game.player_cell for _ in range(4)]  # type: ignore[attr-defined]
    assert cells == [(1, 2), (1, 3), (1, 4), (1, 5)]
    health = esper.component_for_entity(hound, Health)
    before = health.hp
    after(play, "tab")
    assert health.hp < before
    assert game.player_cell == (1, 5)


def test_tab_waits_for_an_enemy_that_comes(workshop: Begin) -> None:
    play = workshop("#########\n#<..h..##\n#########")
    game = play.game
    (hound,) = fighters_in_sight(game)
    mind = esper.component_for_entity(hound, Mind)
    mind.state, mind.aim = "alert", game.player_cell
    after(play, "tab")
    assert "You wait for the hound to come to you." in said(game)
    assert game.log.turn > 1, "one key until it is there"
    assert game.player_cell == (1, 1)
    assert cell_of(hound) == (1, 2)
    health = esper.component_for_entity(hound, Health)
    after(play, "tab")
    assert health.hp < health.max_hp


@pytest.mark.parametrize("speed", [0, 0.5])
def test_tab_goes_to_an_enemy_that_can_not_come_or_is_slow(workshop: Begin, speed: float) -> None:
    play = workshop("########\n#<...h.#\n########")
    (hound,) = fighters_in_sight(play.game)
    turn_to(play.game, hound, "alert")
    esper.component_for_entity(hound, Energy).speed = speed
    after(play, "tab")
    assert play.game.player_cell == (1, 2)


def test_tab_does_not_follow_a_robot_that_flees(workshop: Begin) -> None:
    play = workshop("########\n#<..h..#\n########")
    game = play.game
    (hound,) = fighters_in_sight(game)
    turn_to(game, hound, "fleeing")
    after(play, "tab")
    assert said(game)[-1] == "The hound flees, and Tab does not follow it."
    assert game.log.turn == 0
    game.map.move(hound, (1, 2))
    after(play, "tab")
    health = esper.component_for_entity(hound, Health)
    assert health.hp < health.max_hp, "it is struck when it is beside the player"


def test_tab_asks_before_a_step_onto_a_known_trap(workshop: Begin) -> None:
    play = workshop("#######\n#<p.h##\n#######")
    (hound,) = fighters_in_sight(play.game)
    turn_to(play.game, hound, "asleep")
    asked = after(play, "tab")
    assert asked is play, "no safe way leads there"
    assert said(play.game)[-1] == "You see the hound, but know no path to it."


def test_tab_does_not_fight_on_beside_a_burning_fuse(storehouse: Begin) -> None:
    play = storehouse("########\n#<.g...#\n#.K....#\n########")
    (keg,) = (entity for entity, _ in esper.get_component(Explosive))
    set_off(play.game, keg, 4)
    turn = play.game.log.turn
    after(play, "tab")
    assert "hisses and will explode. Get 3 cells away from it." in said(play.game)[-1]
    assert play.game.log.turn == turn


def test_tab_without_an_enemy_in_sight_says_so(workshop: Begin) -> None:
    play = workshop("#######\n#<....#\n#######")
    after(play, "tab")
    assert said(play.game)[-1] == "You see no enemy."


def test_the_only_enemy_is_shot_at_once_after_the_first_shot(workshop: Begin) -> None:
    play = workshop("#########\n#<u...h.#\n#########")
    after(play, "l", "g", "a", "a", "1")
    game = play.game
    ((hound, mind),) = esper.get_component(Mind)
    health = esper.component_for_entity(hound, Health)
    health.hp = health.max_hp = 99
    esper.component_for_entity(hound, Energy).speed = 0
    assert isinstance(after(play, "f"), Aim)
    assert after(play, "f", "f") is play
    turn = game.log.turn
    assert after(play, "f") is play
    assert game.log.turn == turn + 1
    mind.state, mind.behaviour = "idle", "idle"
    assert isinstance(after(play, "f"), Aim), "a harmless robot is never shot without a question"
