"""The game with locks whose keys lie on other levels: what it tells, and what opens when the player comes back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from drawn import OBJECTS, load

import dungeon
from game_demo.rules.actions import ascend, descend, pick_up
from game_demo.rules.locks import describe_lock, description_of, keys_of_use, open_lock, work
from game_demo.state.components import Prop, Tag
from game_demo.state.game import Game

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

import esper

HALL = """
    hall:
      orientations: r0
      map: |
        ########
        #<..L..#
        #>..#..#
        ########
      legend: {L: {terrain: locked_door, lock: bridge}}
    """


@pytest.fixture
def games() -> Iterator[list[Game]]:
    made: list[Game] = []
    yield made
    for game in made:
        game.close()


def started(folder: Path, opener: str, games: list[Game]) -> Game:
    """Return a game that begins in a hall with a lock whose key lies in the cave below."""
    content = load(
        folder,
        {
            **OBJECTS,
            "locks.yaml": f"bridge: {{name: Slag Bridge, opened_by: {opener}, keys_on: cave/2}}\n",
            "prefabs/hall.yaml": HALL,
            "maps/m.yaml": "port: {name: Port, layout: {static: {prefab: hall}}}\n"
            "cave: {name: The Cave, size: 40x24, layout: caves}\n",
            "world.yaml": "start: port/1\nleads_to: {port/1: cave/2}\n",
        },
    )
    game = Game(dungeon.World(content, 1))
    games.append(game)
    return game


def go_to(game: Game, cell: tuple[int, int]) -> None:
    """Put the player on a cell."""
    game.map.move(game.hero, cell)


def messages(game: Game) -> str:
    """Return all messages of the game so far."""
    return " ".join(message.text for message in game.log.messages)


def test_a_key_from_another_level_opens_the_door_and_is_kept(tmp_path: Path, games: list[Game]) -> None:
    game = started(tmp_path, "{item: scrap}", games)
    ((door, lock),) = game.map.locks.items()
    assert lock.keys_on == ("cave/2",)
    assert describe_lock(game, door) == "The Slag Bridge is shut; what opens it is in The Cave, depth 2"
    assert not open_lock(game, door)
    go_to(game, next(iter(game.map.exits)))
    descend(game)
    (key,) = (spawn for spawn in game.map.level.spawns if spawn.keywords.get("opens"))
    go_to(game, (key.y, key.x))
    assert "opens the Slag Bridge on another level" in description_of(
        game, game.map.items_at((key.y, key.x))[0]
    )
    pick_up(game)
    assert not keys_of_use(game)
    go_to(game, game.map.level.entrance)
    ascend(game)
    assert game.map.level.id == "port/1"
    assert [*keys_of_use(game)] == ["scrap metal (opens the Slag Bridge)"]
    assert open_lock(game, door)
    assert "you keep the scrap metal for another lock" in messages(game)


def test_a_lever_on_another_level_opens_the_door_when_the_player_is_back(
    tmp_path: Path, games: list[Game]
) -> None:
    game = started(tmp_path, "{prop: crate}", games)
    (door,) = game.map.locks
    go_to(game, next(iter(game.map.exits)))
    descend(game)
    (lever,) = (
        prop for prop, (tag, _) in esper.get_components(Tag, Prop) if tag.keywords.get("opens") == "bridge"
    )
    assert work(game, lever)
    assert "On another level a lock clicks: Slag Bridge." in messages(game)
    go_to(game, game.map.level.entrance)
    ascend(game)
    assert game.map.doors[door].is_open
    assert "springs open" in messages(game)
