"""The first level of the demo after the lessons: small, with one encounter that is a choice, and another one in each game."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import esper
from demo import demo_content, demo_world
from test_game import forget_worlds

from dungeon import World
from game_demo.rules import actions, journeys
from game_demo.rules.watch import pursuers
from game_demo.state.components import Mind, Robot, Tag
from game_demo.state.game import Game

if TYPE_CHECKING:
    from dungeon import Level

WORLDS = range(40)


def opening_of(level: Level) -> str:
    """Return the name of the level's only encounter."""
    (opening,) = [each.encounter for each in level.placements if each.encounter]
    return opening


def test_the_first_level_has_one_of_many_openings_near_the_stairs() -> None:
    content = demo_content()
    opened: Counter[str] = Counter()
    offered: set[frozenset[str]] = set()
    for seed in WORLDS:
        level = demo_world(seed).level("returns/1")
        opening = opening_of(level)
        assert content.encounters[opening].category == "opening"
        opened[opening] += 1
        tools = frozenset(spawn.tag for spawn in level.spawns if spawn.keywords.get("choice") == "tool")
        assert len(tools) == 2
        assert tools & {"spanner", "pry_bar"}
        offered.add(tools)
        assert level.terrain.size <= 62 * 34
    assert len(opened) >= 8
    assert max(opened.values()) < len(WORLDS) / 4
    assert len(offered) == 5


def test_first_levels_are_of_several_kinds_with_or_without_lessons() -> None:
    worlds = [World(demo_content(), seed) for seed in WORLDS]
    assert len({world.start.name for world in worlds}) == 4
    assert {world.starts["lessons"].id for world in worlds} == {"goods_inwards/1"}
    assert {world.node(each).leads_to for world in worlds for each in ("returns/1", "goods_inwards/1")} == {
        ("galleries/1",)
    }


def test_a_robot_that_is_locked_in_is_no_pursuer_until_its_lock_opens() -> None:
    seed = next(seed for seed in WORLDS if opening_of(demo_world(seed).level("returns/1")) == "one_lever")
    game = Game(demo_world(seed), "returns/1")
    level = game.map.level
    (lever,) = [(each.y, each.x) for each in level.spawns if each.tag == "lever"]
    (porter,) = [robot for robot, (_, tag) in esper.get_components(Robot, Tag) if tag.tag == "crate_mule"]
    beside = next(cell for cell in game.map.neighbours(lever) if game.map.is_free(cell))
    game.map.move(game.hero, beside)
    game.map.sight.visible[:] = True
    esper.component_for_entity(porter, Mind).state = "alert"
    assert porter not in pursuers(game)
    actions.step(game, (lever[0] - beside[0], lever[1] - beside[1]))
    game.map.sight.visible[:] = True
    assert porter in pursuers(game)
    forget_worlds()


def test_in_the_lessons_one_key_leads_through_them_and_one_past_them() -> None:
    for seed in range(3):
        past, through = (Game(demo_world(seed), "goods_inwards/1") for _ in range(2))
        journeys.go_down(past)
        journeys.go_down(past)
        assert past.map.level.id == "galleries/1"
        for _ in range(2):
            journeys.explore(through)
        assert "STATION 1, " in str(through.log.messages[-1])
    forget_worlds()
