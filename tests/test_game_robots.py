"""Descriptions and messages about robots in sight: states, packs, calls, wrecks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import esper
import pytest
from test_game import said, walk
from workshops import cellar, guardroom, hall, storehouse, workshop

from game_demo.display.descriptions import describe_cell, describe_entity
from game_demo.display.drawing import DIM, PLAIN, RED
from game_demo.display.panels import (
    entries_in_sight,
)
from game_demo.rules import actions, journeys
from game_demo.rules.moods import BREATH, PATIENCE, hear, settle, turn_to
from game_demo.rules.paths import robots_in_sight
from game_demo.rules.robot_moves import EnergyProcessor
from game_demo.rules.watch import Watch, fighters_in_sight
from game_demo.state.body import TURN
from game_demo.state.components import (
    Appearance,
    Energy,
    Mind,
    Perception,
    cell_of,
)
from game_demo.state.game import Game

if TYPE_CHECKING:
    from workshops import Begin

    from game_demo.state.game import Game

__all__ = ["cellar", "guardroom", "hall", "storehouse", "workshop"]

CORRIDOR = """
    ####################
    #<......c.........{}#
    ####################
"""


def news(game: Game) -> list[str]:
    """Return what was said that was no aside."""
    return [message.text for message in game.log.messages if message.kind != "aside"]


def hear_out(game: Game) -> None:
    """Wait until who has drawn breath has called."""
    for _ in range(PATIENCE["calling"]):
        actions.wait(game)


def test_a_robot_calls_only_where_another_one_hears_it(workshop: Begin) -> None:
    for other, is_heard in ((".", False), ("h", True)):
        game = workshop(f"####################\n#<......a.{other}........#\n####################").game
        caller, *listeners = sorted(robots_in_sight(game), key=cell_of)
        for robot in listeners:
            turn_to(game, robot, "asleep")
        hear_out(game)
        assert any("draws breath" in each for each in said(game)) == is_heard
        assert ("A robot hears it, and comes." in said(game)) == is_heard
        assert esper.component_for_entity(caller, Mind).state == "fleeing"


def test_each_of_two_pack_hunters_in_sight_counts_the_other(workshop: Begin) -> None:
    game = workshop("##################\n#<...........w.w.#\n##################").game
    game.map.awake.clear()  # they may be too far away to make moves
    robots = robots_in_sight(game)
    assert len(robots) == 2
    assert all("1 more pack member in sight" in describe_entity(game, robot) for robot in robots)


def test_a_lone_pack_hunter_is_described_as_alone(workshop: Begin) -> None:
    play = workshop("##########\n#<...w..w#\n##########")
    one, other = sorted(robot for robot, _ in esper.get_component(Mind))
    assert (
        "waits at most 6 moves for its pack before it comes, 1 more pack member in sight"
        in describe_entity(play.game, one)
    )
    turn_to(play.game, one, "alert")
    assert "hunts in a pack, 1 more pack member in sight" in describe_entity(play.game, one), (
        "it waits no longer"
    )
    turn_to(play.game, one, "at work")
    turn_to(play.game, other, "asleep")
    assert "hunts in a pack, 1 more pack member asleep in sight" in describe_entity(play.game, one)
    turn_to(play.game, other, "off")
    assert "hunts in a pack, but no other pack member is near" in describe_entity(play.game, one)


def test_a_caller_calls_after_the_announced_number_of_moves(workshop: Begin) -> None:
    game = workshop("####################\n#<......a.h........#\n####################").game
    turn_to(game, game.map.blockers[1, 10], "asleep")
    actions.wait(game)
    assert (
        said(game)[-1] == f"The clerk has noticed you, and draws breath: it calls for help in {BREATH} moves."
    )
    for _ in range(BREATH - 1):
        actions.wait(game)
        assert not any("calls for help!" in each for each in said(game))
    actions.wait(game)
    assert any("calls for help!" in each for each in said(game))


def test_the_text_of_a_wreck_says_that_it_is_empty(storehouse: Begin) -> None:
    game = storehouse("#####\n#<s.#\n#####").game
    walk(game, "L")
    assert "useless" in describe_cell(game, (1, 2))[0]
    walk(game, "l")
    actions.pick_up(game)
    assert said(game)[-1] == "There is a wreck of a sweeper here, but nothing to take."


def test_a_wreck_that_explodes_is_not_described_as_useless(storehouse: Begin) -> None:
    game = storehouse("#####\n#<b.#\n#####").game
    walk(game, "L")
    assert "useless" not in describe_cell(game, (1, 2))[0]


def test_descriptions_say_fights_on_sight_but_hide_ambushes(storehouse: Begin) -> None:
    game = storehouse("######\n#<..g#\n######").game
    guard = game.map.blockers[1, 4]
    mind = esper.component_for_entity(guard, Mind)
    told = describe_entity(game, guard)
    assert told.splitlines() == [
        "guard, 9/9 hp, hits for up to 1",
        "At its post, unaware of you, so your blow does 3 to 6 damage",
        "Sees you here in the dark up to 1 step away, 1 if you stand still, 1 if you sneak (in the light: 1, 1, 1; while you sneak, with 50% chance a move)",
        "As fast as you: if you walk away, it can't catch up, fights on sight, stays near its post unless struck, opens doors",
    ]
    for state in ("lurking", "off"):
        mind.state = state
        assert not {"fights on sight", "by surprise"} & set(describe_entity(game, guard).split(", "))


@pytest.mark.parametrize(
    ("robot", "told"),
    [
        (
            "h",
            [
                "The caller has noticed you, and draws breath: it calls for help in 2 moves.",
                "The caller calls for help!",
                "A robot hears it, and comes.",
                "The caller comes for you.",
            ],
        ),
        (
            "w",
            [
                "The hound has noticed you, and draws breath: it calls for help in 2 moves.",
                "The hound calls for help!",
                "A robot hears it, and comes.",
                "The hound comes for you.",
            ],
        ),
    ],
)
def test_a_robot_notices_before_it_calls(guardroom: Begin, robot: str, told: list[str]) -> None:
    game = guardroom(f"<.......{robot}..h").game
    turn_to(game, max(robots_in_sight(game), key=cell_of), "asleep")
    for _ in range(3):
        actions.wait(game)
    assert [each for each in said(game)[-5:] if "heard something" not in each] == told


def test_robots_show_whether_they_are_hostile(hall: Begin) -> None:
    play = hall("############\n#<...f...i.#\n############")
    fighter, idler = (entry for entry in entries_in_sight(play.game) if entry.health)
    assert (idler.mark, idler.colour) == ("-", DIM)
    assert (fighter.mark, fighter.colour) == (" ", PLAIN)
    mind = next(mind for _, (mind, look) in esper.get_components(Mind, Appearance) if look.glyph == "f")
    mind.state = "alert"
    assert next(each for each in entries_in_sight(play.game) if each.glyph == "f").colour == RED


def test_a_robot_that_always_flees_ends_a_journey_once(cellar: Begin) -> None:
    game = cellar(CORRIDOR.format(".")).game
    robot, mind = next((entity, mind) for entity, mind in esper.get_component(Mind))
    actions.wait(game)
    assert news(game)[-1] == "The clerk runs from you."
    before = news(game)
    for _ in range(3):  # it settles, sees him and runs again
        mind.state, watch = mind.manner.rest, Watch(game)
        actions.wait(game)
        assert mind.state == "fleeing"
        assert watch.is_quiet(), "it interrupts no journey either"
    assert news(game) == before
    assert game.map.sight.visible[game.map.level.entrance]
    assert robot in fighters_in_sight(game)


def test_a_repeated_call_that_brings_a_robot_ends_a_journey(cellar: Begin) -> None:
    game = cellar(CORRIDOR.format("h")).game
    minds = {mind.behaviour: mind for _, mind in esper.get_component(Mind)}
    hear_out(game)
    minds["hunt"].state = "at work"
    minds["caller"].state, minds["caller"].called = "at its post", False
    hear_out(game)
    assert "A robot hears it, and comes." in news(game)
    assert news(game).count("The clerk calls for help!") == 2


def test_a_robot_that_can_not_move_does_not_prevent_journeys(cellar: Begin) -> None:
    game = cellar("""
        ####################
        #<........h........#
        ####################
    """).game
    robot, mind = next(iter(esper.get_component(Mind)))
    esper.component_for_entity(robot, Perception).radius = 20
    mind.leash, mind.state, mind.aim = 3, "alert", game.player_cell
    journeys.explore(game)
    assert game.log.turn > 0
    assert not any(text.startswith("Not now") for text in said(game))


def test_each_of_a_name_that_always_flees_is_an_aside_after_the_first(cellar: Begin) -> None:
    game = cellar("""
        ####################
        #<......c.c.c......#
        ####################
    """).game
    actions.wait(game)
    fled = [each for each in game.log.messages if each.text == "The clerk runs from you."]
    assert [each.kind for each in fled[:2]] == ["find", "aside"]
    assert news(game).count("The clerk runs from you.") == 1


def test_a_robot_that_comes_and_gives_up_in_sight_is_told_of_once(cellar: Begin) -> None:
    game = cellar("""
        ####################
        #<........h........#
        ####################
    """).game
    ((robot, mind),) = esper.get_component(Mind)
    esper.component_for_entity(robot, Energy).speed = 0
    once = ["The hound has heard something.", "The hound has noticed you.", "The hound gives up the chase."]

    def come_and_go() -> None:
        hear(game, robot, (1, 1))
        turn_to(game, robot, "alert")
        settle(game, robot)

    told = len(said(game))
    for _ in range(3):
        come_and_go()
    assert said(game)[told:] == once
    game.map.sight.visible[cell_of(robot)] = False
    while mind.retold:
        game.clock.advance(TURN)
        game.log.turn = game.clock.turn
        EnergyProcessor().process(game)
    game.map.sight.visible[cell_of(robot)] = True
    told = len(said(game))
    come_and_go()
    assert said(game)[told:] == once, "as if it were new"
