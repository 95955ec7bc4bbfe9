"""Every key, lever, code and boat of our own worlds does what it says: each is used, and everything locked is then opened."""

from __future__ import annotations

import functools
from collections import Counter
from typing import TYPE_CHECKING

import esper
import pytest
from demo import demo_content
from solved import AVOIDING, solved

import dungeon
from dungeon import terrain as t
from game_demo.rules import actions
from game_demo.rules.locks import is_locked
from game_demo.rules.moods import is_peaceful
from game_demo.rules.work import deal
from game_demo.state.components import Item, Position, Prop, Robot, Tag, cell_of
from game_demo.state.game import Game

if TYPE_CHECKING:
    from collections.abc import Callable

    from dungeon import Level, World
    from game_demo.state.geometry import Cell, Direction


Levels = dict[int, "tuple[World, Callable[[str], Level]]"]
SEEDS = (0, 3)


@pytest.fixture(scope="module")
def levels() -> Levels:
    """Worlds of our own by their seeds, each with what makes its levels, once."""
    content = demo_content()
    worlds = {seed: dungeon.World(content, seed) for seed in SEEDS}
    return {seed: (world, functools.cache(world.level)) for seed, world in worlds.items()}


def keep_alive(game: Game) -> None:
    """Let nothing destroy the player, and nobody stand in his way."""
    game.health.hp = game.health.max_hp = 10**6
    for robot, (_, tag) in list(esper.get_components(Robot, Tag)):
        if "opens" not in tag.keywords:
            game.map.delete(robot)


def go_beside(game: Game, cell: Cell) -> Cell:
    """Put the player next to a cell, and return the direction in which that lies."""
    y, x = cell
    near = [at for at in game.map.neighbours(cell) if game.map.is_free(at) or at == game.player_cell]
    at = min(near, key=lambda each: abs(each[0] - y) + abs(each[1] - x))
    if at != game.player_cell:
        game.map.move(game.hero, at)
    return y - at[0], x - at[1]


def use(game: Game, entity: int) -> None:
    """Take an item, bump into a prop, or destroy a robot."""
    cell = cell_of(entity)
    if esper.has_component(entity, Item):
        game.map.move(game.hero, game.map.nearest_free(cell))
        assert game.player_cell == cell, "items lie where one can step"
        actions.pick_up(game)
        return
    if esper.has_component(entity, Prop):
        actions.step(game, go_beside(game, cell))
        return
    while esper.entity_exists(entity):
        strike(game, go_beside(game, cell_of(entity)), entity)


def strike(game: Game, direction: Direction, robot: int) -> None:
    """Strike a robot next to the player, also one that means no harm."""
    if is_peaceful(robot):
        deal(game, direction, "strike")
    else:
        actions.step(game, direction)


def openers(game: Game) -> list[int]:
    """Return what opens something and was not used yet, of what stands or lies on the level."""
    return [
        entity
        for entity, (tag, _) in esper.get_components(Tag, Position)
        if "opens" in tag.keywords and entity not in game.map.worked
    ]


def use_all(game: Game) -> Counter[str]:
    """Use each thing that opens something once, boxes as soon as they can be opened; return how many of each kind that were."""
    used: Counter[str] = Counter()
    pulled: set[int] = set()
    while True:
        todo = [each for each in openers(game) if each not in pulled]
        todo = [each for each in todo if not is_locked(game, each) or _opens(game, each)]
        if not todo:
            return used
        for each in todo:
            tag = esper.component_for_entity(each, Tag)
            used["code" if tag.keywords.get("code") else tag.kind] += 1
            use(game, each)
            pulled.add(each)


def _opens(game: Game, prop: int) -> bool:
    word = str(esper.component_for_entity(prop, Tag).keywords["lock"])
    return game.map.ring.opens(word)


def open_all(game: Game) -> Counter[str]:
    """Open everything that is locked, and return how many of each kind that were."""
    opened: Counter[str] = Counter()
    level = game.map.level
    for lock in level.locks:
        cell = lock.y, lock.x
        if lock.keys_on:  # test_game_far_keys opens such locks: their keys lie on other maps
            opened["far"] += 1
        elif cell in game.map.portals:
            opened["portal"] += 1
            game.map.move(game.hero, cell)
            actions.descend(game)
            assert game.player_cell != cell, lock
        elif cell in game.map.doors:
            opened["door"] += 1
            if game.map.door_at(cell, t.LOCKED_DOOR) is not None:
                actions.step(game, go_beside(game, cell))
            assert game.map.door_at(cell, t.LOCKED_DOOR) is None, lock
    for prop, (_, tag) in list(esper.get_components(Prop, Tag)):
        if isinstance(tag.keywords.get("lock"), str):
            opened["box"] += 1
            if is_locked(game, prop):
                actions.step(game, go_beside(game, cell_of(prop)))
            assert not is_locked(game, prop), (level.id, tag)
    return opened


def played(world: World, make: Callable[[str], Level]) -> tuple[Counter[str], Counter[str]]:
    """Return what was used in all maps of a world, and what was opened."""
    used: Counter[str] = Counter()
    opened: Counter[str] = Counter()
    for node in world.maps:
        game = Game(world, start=node.id, make=make, watched=False)
        keep_alive(game)
        used += use_all(game)
        opened += open_all(game)
        opened["crossing"] += crossings(game)
        game.close()
    return used, opened


def crossings(game: Game) -> int:
    """Go by every portal to where it leads, and return how many there are."""
    level: Level = game.map.level
    for portal in level.portals:
        game.map.move(game.hero, (portal.y, portal.x))
        actions.descend(game)
        assert game.player_cell != (portal.y, portal.x), portal
    return len(level.portals)


@pytest.mark.parametrize("seed", SEEDS)
def test_all_that_opens_opens_and_all_that_is_locked_is_opened(levels: Levels, seed: int) -> None:
    used, opened = played(*levels[seed])
    assert used["item"]
    assert used["prop"]
    assert opened["door"]
    assert opened["box"]


def test_a_third_of_the_encounters_can_be_solved_in_two_ways(levels: Levels) -> None:
    rows = solved(made(node.id) for world, made in levels.values() for node in world.maps)
    posed = [each.ways for each in rows.values() if each.ways]
    assert sum(len(ways) > 1 for ways in posed) >= len(rows) / 3
    assert sum(len(ways - AVOIDING) > 1 for ways in posed) >= len(posed) / 3
