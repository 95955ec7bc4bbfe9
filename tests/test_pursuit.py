"""Robots that come after the player by stairs, and those that stay."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

import esper
import pytest
from test_game import drawn_content, forget_worlds, said, walk
from test_robots import named

import dungeon
from game_demo.rules import actions
from game_demo.rules.commands import perform
from game_demo.rules.moods import win_over
from game_demo.state.components import Appearance, Energy, Health, Mind, Robot, Tag, cell_of, held_by
from game_demo.state.digest import digest_of
from game_demo.state.game import Game
from game_demo.state.geometry import distance
from game_demo.state.log import Command

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    MakeGame = Callable[..., Game]

OBJECTS = {
    "robots": """
        hunter: {name: hunter, glyph: h, loadout: [{item: nut}], data: {behaviour: hunt, hp: 9, attack: 2, sight: 20}}
        tied: {name: tied one, glyph: t, data: {behaviour: hunt, hp: 9, attack: 2, sight: 20, leash: 30}}
        porter: {name: porter, glyph: p, data: {behaviour: idle, hp: 5, attack: 2}}
    """,
    "items": 'nut: {name: nut, glyph: "!"}',
}
LEGEND = """
    h: {robot: hunter}
    t: {robot: tied}
    p: {robot: porter}
"""
BELOW = "#######\n#<....#\n#######"


@pytest.fixture
def play(tmp_path: Path) -> Iterator[MakeGame]:
    """Begin a game on drawn levels; the player arrives at ``<``, takes much damage, and all robots are after him."""
    contents = cache(lambda *drawings: drawn_content(tmp_path, *drawings, objects=OBJECTS, legend=LEGEND))

    def begin(*drawings: str) -> Game:
        game = Game(dungeon.World(contents(*drawings), 1))
        game.health.hp = game.health.max_hp = 1000
        for _, (_, mind) in esper.get_components(Robot, Mind):
            if mind.behaviour != "idle":
                mind.state, mind.aim = "alert", game.player_cell
        return game

    yield begin
    forget_worlds()


def robots() -> list[str]:
    return [look.name for _, (_, look) in esper.get_components(Robot, Appearance)]


def arrive_with(game: Game, steps: str) -> list[str]:
    """Walk to the stairs, go down and wait; return the robots that have arrived."""
    walk(game, steps)
    actions.descend(game)
    assert (game.map.level.id, robots()) == ("m2/2", [])  # robots take a turn or more
    for _ in range(8):
        actions.wait(game)
    return robots()


def test_a_robot_that_sees_the_player_leave_comes_after_him(play: MakeGame) -> None:
    game = play("#######\n#h.<.>#\n#.....#\n#######", BELOW)
    esper.component_for_entity(named("hunter"), Health).hp = 7
    assert arrive_with(game, "ll") == ["hunter"]
    hunter = named("hunter")
    assert "The hunter comes after you." in said(game)
    assert distance(cell_of(hunter), game.player_cell) == 1
    assert esper.component_for_entity(hunter, Health).hp == 7
    assert game.health.hp < 1000
    assert [esper.component_for_entity(item, Tag).tag for item in held_by(hunter)] == ["nut"]
    actions.ascend(game)
    assert (game.map.level.id, robots()) == ("m1/1", [])
    for _ in range(4):
        actions.wait(game)
    assert robots() == ["hunter"]  # and up again


@pytest.mark.parametrize("letter", ["t", "p"], ids=["on a leash", "unaware"])
def test_robots_of_their_level_stay(play: MakeGame, letter: str) -> None:
    assert arrive_with(play(f"#######\n#{letter}.<.>#\n#.....#\n#######", BELOW), "ll") == []


def test_a_robot_whose_destruction_opens_a_lock_stays(play: MakeGame) -> None:
    game = play("#######\n#h.<.>#\n#.....#\n#######", BELOW)
    hunter = named("hunter")
    tag = esper.component_for_entity(hunter, Tag)
    esper.add_component(hunter, replace(tag, keywords={**tag.keywords, "opens": "gate"}))
    assert arrive_with(game, "ll") == []


def test_a_robot_that_does_not_see_the_player_leave_stays(play: MakeGame) -> None:
    game = play("#############\n#<>.+......h#\n#############", BELOW)
    assert arrive_with(game, "l") == []


def test_a_player_who_goes_on_at_once_is_lost(play: MakeGame) -> None:
    game = play("#########\n#h....<>#\n#########", "####\n#<>#\n####", BELOW)
    walk(game, "l")
    actions.descend(game)
    walk(game, "l")
    actions.descend(game)
    for _ in range(12):
        actions.wait(game)
    assert (game.map.level.id, robots()) == ("m3/3", [])


def test_an_ally_comes_along(play: MakeGame) -> None:
    game = play("#######\n#p.<.>#\n#.....#\n#######", BELOW)
    win_over(game, named("porter"))
    assert arrive_with(game, "ll") == ["porter"]
    assert "Your porter has come with you." in said(game)
    assert esper.component_for_entity(named("porter"), Mind).state == "with you"


def test_an_ally_that_can_not_walk_stays_and_forgets(play: MakeGame) -> None:
    game = play("#######\n#p.<.>#\n#.....#\n#######", BELOW)
    win_over(game, named("porter"))
    esper.component_for_entity(named("porter"), Energy).speed = 0
    assert arrive_with(game, "ll") == []
    assert "Your porter stays behind, and forgets you." in said(game)


def test_the_same_commands_bring_the_same_robots(play: MakeGame) -> None:
    drawings = "#######\n#h.<.>#\n#h....#\n#######", BELOW
    game, commands = play(*drawings), list[Command]()
    game.recorder = lambda _, command: commands.append(command)
    assert arrive_with(game, "ll") == ["hunter", "hunter"]
    again = play(*drawings)
    for command in commands:
        perform(again, command)
    assert digest_of(again) == digest_of(game)
