"""The state of a game: many games in one process without effect on each other, digests, and what bots see."""

from __future__ import annotations

import functools
import gc
import random
from typing import TYPE_CHECKING

import esper
import pytest
from demo import demo_content

import dungeon
from dungeon.playtest.game import Action
from game_demo.playing import DemoPlay, Knowledge
from game_demo.rules import actions
from game_demo.rules.paths import robots_in_sight
from game_demo.screens.keys import DIRECTIONS
from game_demo.state.components import Position, Robot, Tag
from game_demo.state.digest import digest_of
from game_demo.state.game import Game
from game_demo.state.geometry import mask_of
from game_demo.state.sight import SIGHT_RADIUS, field_of_view

if TYPE_CHECKING:
    from dungeon import Content

SEED = 4


@pytest.fixture(scope="module")
def content() -> Content:
    return demo_content()


def act_at_random(game: Game, turns: int, rng: random.Random) -> None:
    """Walk, search, take and use stairs as chance has it."""
    for _ in range(turns):
        match rng.randrange(12):
            case 0:
                actions.search(game)
            case 1:
                actions.pick_up(game)
            case 2:
                actions.descend(game)
            case _:
                actions.step(game, rng.choice([*DIRECTIONS.values()]))


def test_interleaved_games_end_like_separate_games(content: Content) -> None:
    world = dungeon.World(content, SEED)
    make = functools.cache(world.level)

    def alone(seed: int) -> str:
        game = Game(world, seed=seed, make=make)
        act_at_random(game, 60, random.Random(seed))
        return digest_of(game)

    games = [(Game(world, seed=seed, make=make), random.Random(seed)) for seed in (1, 2, 1)]
    for _ in range(12):
        for game, rng in games:
            act_at_random(game, 5, rng)
    ends = [digest_of(game) for game, _ in games]
    assert ends == [alone(1), alone(2), alone(1)]
    assert ends[0] != ends[1]


def test_the_digest_changes_with_any_part_of_the_state(content: Content) -> None:
    game = Game(dungeon.World(content, SEED))
    digests = [digest_of(game)]
    game.health.hp -= 1
    digests.append(digest_of(game))
    game.rng.random()
    digests.append(digest_of(game))
    game.map.ring.lasting["brass"] += 1
    digests.append(digest_of(game))
    esper.delete_entity(min(each for each in esper.get_entities() if each != game.hero), immediate=True)
    digests.append(digest_of(game))
    assert len({*digests}) == len(digests)


def test_many_games_at_a_time_leave_nothing_in_esper(content: Content) -> None:
    world = dungeon.World(content, SEED)
    make = functools.cache(world.level)
    games = [Game(world, make=make) for _ in range(30)]
    names = {game.worlds[world.start.id] for game in games}
    assert len(names) == 30
    assert names <= set(esper.list_worlds())
    for game in games:
        actions.wait(game)
    assert len({digest_of(game) for game in games}) == 1
    games[0].close()
    assert games[0].worlds[world.start.id] not in esper.list_worlds()
    del game, games
    assert names.isdisjoint(esper.list_worlds())


def test_a_bots_game_leaves_nothing_in_esper_when_it_is_deleted(content: Content) -> None:
    play = DemoPlay(Game(dungeon.World(content, SEED)))
    name = play.game.worlds[play.game.map.level.id]
    play.act(Action.WAIT)
    assert name in esper.list_worlds()
    gc.disable()  # what refers to itself would stay until it is collected
    try:
        del play
        assert name not in esper.list_worlds()
    finally:
        gc.enable()


@pytest.mark.parametrize("seed", [1, 2])
def test_the_indices_of_a_level_agree_with_esper(seed: int, content: Content) -> None:
    game, rng = Game(dungeon.World(content, SEED), seed=seed), random.Random(seed)
    for _ in range(30):
        act_at_random(game, 10, rng)
        game.health.hp = game.health.max_hp
        game_map = game.map
        at = {entity: (each.y, each.x) for entity, each in esper.get_component(Position)}
        for entity, cell in at.items():
            if esper.has_component(entity, Tag):
                assert entity in game_map.entities_at(cell, hidden=True)
        assert all(game_map.blockers[at[robot]] == robot for robot, _ in esper.get_component(Robot))
        assert game_map.robots == sum(game_map.bit(at[robot]) for robot, _ in esper.get_component(Robot))


@pytest.mark.parametrize("seed", [1, 2])
def test_a_moving_door_updates_views_like_a_full_recomputation(seed: int, content: Content) -> None:
    game, rng = Game(dungeon.World(content, SEED), seed=seed), random.Random(seed)
    for _ in range(15):
        act_at_random(game, 10, rng)
        game.health.hp = game.health.max_hp
        game_map = game.map
        shut = [cell for cell, door in game_map.doors.items() if cell not in game_map.blockers]
        for cell in rng.sample(shut, min(len(shut), 3)):
            game_map.set_door(cell, is_open=rng.random() < 0.5)
        game.update_sight()
        walkable, transparent = game_map.walkable.copy(), game_map.transparent.copy()
        anew = field_of_view(transparent, game.player_cell, SIGHT_RADIUS)
        assert (game_map.sight.visible == anew).all()
        assert game_map.sight.mask == mask_of(anew)
        game_map.refresh()
        assert (walkable == game_map.walkable).all()
        assert (transparent == game_map.transparent).all()


@pytest.mark.parametrize("seed", [1, 2])
def test_a_bots_observation_agrees_with_the_level(seed: int, content: Content) -> None:
    play, rng = DemoPlay(Game(dungeon.World(content, SEED), seed=seed, watched=False)), random.Random(seed)
    for turn in range(200):
        play.act(rng.choice(play.legal()))
        if turn % 10:
            continue
        play.game.health.hp = play.game.health.max_hp
        seen, game_map = play.observe(), play.game.map
        fresh = Knowledge(game_map, way_up=play.game.map_above() is not None)
        fresh.look(seen.cell)
        assert (seen.ground[seen.visible] == fresh.ground[seen.visible]).all()
        assert {thing for thing in seen.things if seen.visible[thing.cell]} == {*fresh.things}
        robots = {robot.number: robot for robot in fresh.robots()}
        assert {robot.number: robot for robot in seen.robots} == robots
        assert robots.keys() == robots_in_sight(play.game)
