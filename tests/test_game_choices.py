"""Choices: several items lie together, and the player can take only one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import esper
from demo import demo_content
from test_game import said, walk
from test_game_screens import after
from workshops import cellar

import dungeon
from game_demo.display.descriptions import describe_cell
from game_demo.rules import actions, journeys
from game_demo.rules.lessons import LESSONS
from game_demo.rules.paths import AROUND, known_costs
from game_demo.state.components import (
    Position,
)
from game_demo.state.digest import digest_of
from game_demo.state.log import HINT

if TYPE_CHECKING:
    from workshops import Begin

__all__ = ["cellar"]


OFFER = "You may take only one of these: a scrap and a patch. (g on one takes it; o goes on)"


def test_exploring_stops_once_beside_a_choice_and_takes_nothing(cellar: Begin) -> None:
    play = cellar("###########\n#<..a.b..r#\n#.........#\n###########")
    game = play.game
    journeys.explore(game)
    assert (said(game)[-1], game.player_cell[1]) == (OFFER, 3)
    for _ in range(4):
        journeys.explore(game)
        assert game.player_cell not in [(1, 4), (1, 6)]
    assert said(game).count(OFFER) == 1
    assert [stack.tag for stack in game.player.inventory] == ["patch"], "exploring goes on"
    assert "You left a scrap and a patch behind." in said(game)[-1]


def test_an_item_of_a_choice_can_be_taken_after_exploring(cellar: Begin) -> None:
    play = cellar("##########\n#<.a.b.d.#\n##########")
    game = play.game
    journeys.explore(game)
    assert said(game)[-1] == OFFER
    assert "you may take only one of these: a scrap and a patch" in describe_cell(game, (1, 3))[0]
    assert f"{HINT}{LESSONS['choice'].text}" in said(after(play, ".").game)
    journeys.travel(game, (1, 3))
    assert "Here lies a scrap. (g takes it; you may take only one of these: a scrap and a patch)" in said(
        game
    )
    journeys.travel(game, (1, 5))
    actions.pick_up(game)
    assert said(game)[-1] == "You take the patch (i applies it: repairs 6) instead of a scrap."
    assert [stack.tag for stack in game.player.inventory] == ["patch"]
    assert [bool(game.map.items_at((1, x))) for x in (3, 5, 7)] == [False, False, True]


def test_travelling_to_an_item_of_a_choice_does_not_stop_at_another(cellar: Begin) -> None:
    game = cellar("########\n#<.a.b.#\n#......#\n########").game
    for goal in ((1, 5), (1, 1), (1, 5)):
        journeys.travel(game, goal)
        assert game.player_cell == goal
    assert not any(item in game.map.passed for item in game.map.items_at((1, 3)))


def test_a_heap_of_any_size_to_choose_from_is_still_ground_to_walk_on(cellar: Begin) -> None:
    game = cellar("##########\n#<.aaaaaa#\n##########").game
    for x in range(4, 9):
        (item,) = game.map.items_at((1, x))
        game.map.lying[1, x].remove(item)
        game.map.lay(item, [(1, 3)])
        esper.component_for_entity(item, Position).x = 3
    assert known_costs(game)[1, 3] == AROUND


def test_picking_up_a_choice_on_one_cell_takes_one_item(cellar: Begin) -> None:
    game = cellar("######\n#<ab.#\n######").game
    (item,) = game.map.items_at((1, 3))
    game.map.lying[1, 3].remove(item)
    game.map.lay(item, [(1, 2)])
    esper.component_for_entity(item, Position).x = 2
    walk(game, "l")
    actions.pick_up(game)
    assert not game.map.items_at((1, 2))
    assert game.player.haul.counts.total() + len(game.player.inventory) == 1
    assert digest_of(game)


def test_the_last_item_of_a_choice_is_taken_like_any_other(cellar: Begin) -> None:
    game = cellar("###########\n#<..a.b...#\n###########").game
    (scrap,) = game.map.items_at((1, 4))
    game.map.delete(scrap)
    journeys.explore(game)
    assert [stack.tag for stack in game.player.inventory] == ["patch"]
    assert not any("(g on one takes it" in line for line in said(game))


def test_a_choice_of_one_item_is_no_choice(cellar: Begin) -> None:
    game = cellar("###########\n#<....b...#\n###########").game
    journeys.explore(game)
    assert [stack.tag for stack in game.player.inventory] == ["patch"]
    assert not any("(g on one takes it" in line for line in said(game))


def test_the_first_level_of_the_demo_has_a_choice_in_every_world() -> None:
    content = demo_content()
    for seed in range(4):
        spawns = dungeon.World(content, seed).level("goods_inwards/1").spawns
        offered = [spawn.tag for spawn in spawns if spawn.keywords.get("choice") == "prize"]
        assert len({*offered}) == 3


def test_no_level_above_depth_4_has_a_prize_of_the_lessons() -> None:
    for seed in range(4):
        world = dungeon.World(demo_content(), seed)
        lessons = world.starts["lessons"].id
        offered = {
            spawn.tag for spawn in world.level(lessons).spawns if spawn.keywords.get("choice") == "prize"
        }
        others = [node.id for node in world.maps if node.depth <= 3 and node.id != lessons]
        assert not offered & {spawn.tag for each in others for spawn in world.level(each).spawns}
