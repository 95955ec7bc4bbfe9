"""One owner for the state of a game: any number of them in a process, none of which touches another."""

from __future__ import annotations

import functools
import random
from typing import TYPE_CHECKING

import esper
import pytest

import dungeon
from game_demo.content import data_folder
from game_demo.rules import actions
from game_demo.screens.keys import DIRECTIONS
from game_demo.state.digest import digest_of
from game_demo.state.game import Game

if TYPE_CHECKING:
    from dungeon import Content

SEED = 4


@pytest.fixture(scope="module")
def content() -> Content:
    return dungeon.load_content(data_folder())


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


def test_games_in_turn_end_like_games_one_after_the_other(content: Content) -> None:
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


def test_a_digest_tells_games_apart_that_differ_in_one_thing(content: Content) -> None:
    game = Game(dungeon.World(content, SEED))
    digests = [digest_of(game)]
    game.health.hp -= 1
    digests.append(digest_of(game))
    game.rng.random()
    digests.append(digest_of(game))
    game.map.ring.lasting.add("brass")
    digests.append(digest_of(game))
    esper.delete_entity(min(each for each in esper.get_entities() if each != game.hero), immediate=True)
    digests.append(digest_of(game))
    assert len({*digests}) == len(digests)


def test_a_hundred_games_stand_side_by_side_and_leave_nothing(content: Content) -> None:
    world = dungeon.World(content, SEED)
    before, make = esper.list_worlds(), functools.cache(world.level)
    games = [Game(world, make=make) for _ in range(100)]
    names = {game.worlds[world.start.id] for game in games}
    assert len(names) == 100
    assert names <= set(esper.list_worlds())
    for game in games:
        actions.wait(game)
    assert len({digest_of(game) for game in games}) == 1
    games[0].close()
    assert games[0].worlds[world.start.id] not in esper.list_worlds()
    del game, games
    assert set(esper.list_worlds()) == set(before) | {"default"}
