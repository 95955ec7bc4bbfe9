"""Robots that come after the player by stairs: those that fight him and see him leave, and his allies."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import esper

from game_demo.rules.moods import is_ally, wake
from game_demo.rules.naming import as_sentence, the
from game_demo.rules.senses import sees_player
from game_demo.state.carried import words_of
from game_demo.state.components import (
    Ambush,
    Follows,
    HeldBy,
    Inventory,
    Leader,
    Mind,
    Patrol,
    Position,
    Route,
    Tag,
    cell_of,
    held_by,
)

if TYPE_CHECKING:
    from game_demo.state.game import Arrival, Game

FAR: Final = 12
"""A robot farther than this many steps from the stairs does not follow the player."""
LEFT_BEHIND: Final = (Ambush, Follows, Leader, Patrol, Position)
"""The components of a robot that hold only for the level that it leaves."""


def followers_of(game: Game, target: str) -> dict[int, int]:
    """Return robot -> turn on which it arrives, for the robots that follow the player who takes the stairs under him.

    These are his allies, and the robots that fight him and see him, within `FAR` steps of the stairs. Robots stay that can't walk, that
    are on a leash, or whose destruction opens a lock. Nothing follows to a map without a way back.

    Args:
        game: The game.
        target: The id of the map that the stairs lead to.
    """
    if game.world.node(target).one_way:
        return {}
    found = {}
    for robot, (energy, mind) in sorted(game.map.awake.items()):
        if not (is_ally(robot) or (mind.state == "alert" and not mind.leash and sees_player(game, robot))):
            continue
        if energy.speed and not words_of(esper.component_for_entity(robot, Tag).keywords):
            steps = len(game.map.path(cell_of(robot), game.player_cell, doors=mind.opens_doors))
            if 0 < steps <= FAR:
                found[robot] = game.log.turn + 1 + math.ceil(steps / energy.speed)
    return found


def allies_left_by(game: Game, target: str) -> list[int]:
    """Return the player's allies that would stay behind if he took the stairs under him to the map `target`."""
    followers = followers_of(game, target)
    return [robot for robot, _ in esper.get_component(Mind) if is_ally(robot) and robot not in followers]


def arrive(game: Game) -> None:
    """Bring the robots to the player's level that are due this turn."""
    due = [each for each in game.arrivals if each.turn <= game.log.turn]
    for each in due:
        game.arrivals.remove(each)
        robot = _bring(game, each)
        if game.map.sight.visible[cell_of(robot)]:
            game.log.say(
                f"{as_sentence(the(robot))} {'has come with' if is_ally(robot) else 'comes after'} you.",
                "find",
            )
        else:
            game.log.say("You hear steps where you came in.", "find")


def _bring(game: Game, arrival: Arrival) -> int:
    """Move a robot, with what it holds, to where the player came to his level; return its entity there."""
    game.worlds.enter(arrival.map_id)
    parts = _parts_of(arrival.robot)
    held = [_parts_of(item) for item in held_by(arrival.robot)]
    for item in held_by(arrival.robot):
        esper.delete_entity(item, immediate=True)
    game.maps[arrival.map_id].delete(arrival.robot)
    game.resume()
    robot = esper.create_entity(*parts, Position(0, 0))
    if held:
        items = [esper.create_entity(*each, HeldBy(robot)) for each in held]
        esper.add_component(robot, Inventory(items))
    game.map.put(robot, game.map.nearest_free(arrival.cell))
    esper.add_component(robot, Route())
    mind = esper.component_for_entity(robot, Mind)
    mind.post, mind.aim = cell_of(robot), game.player_cell
    wake(game, robot)
    old = arrival.map_id, arrival.robot
    if old in game.roused:
        game.roused.remove(old)
        game.roused.add((game.map.level.id, robot))
    return robot


def _parts_of(entity: int) -> list[object]:
    """Return the components of a robot or item that it keeps on another level."""
    apart = (*LEFT_BEHIND, HeldBy, Inventory)
    components: tuple[object, ...] = esper.components_for_entity(entity)
    return [each for each in components if not isinstance(each, apart)]
