"""What the player has to work with: what he carries decides what he can do to things; and what robots make of that."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import esper

from game_demo.rules.body.wrecks import destroy
from game_demo.rules.naming import name_of
from game_demo.state.components import Attack, Energy, Guard, Health, Hunt, Wander
from game_demo.state.entities import cell_of
from game_demo.state.geometry import distance

if TYPE_CHECKING:
    from game_demo.state.game import Game
    from game_demo.state.geometry import Cell

Skill = Literal["digs", "hacks", "keen"]
"""What some items enable the player to do, by the keyword that says so."""


def has_skill(game: Game, skill: Skill) -> bool:
    """Tell whether something that the player carries enables him to do something."""
    items = game.world.content.catalog.things["item"]
    return any(
        stack.tag in items and items[stack.tag].data.get(skill) is True for stack in game.player.inventory
    )


def make_noise(game: Game, cell: Cell, radius: int) -> None:
    """Let those who hunt come and see what it was, if they hear it: up to `radius` cells away."""
    for robot, hunt in esper.get_component(Hunt):
        if distance(cell_of(robot), cell) <= radius:
            hunt.last_seen = cell
            game.map.awake[robot] = esper.component_for_entity(robot, Energy)


def damage_robot(game: Game, robot: int, damage: int, cause: str) -> None:
    """Take hit points from a robot that something else than the player's own blow has hit.

    Args:
        game: The game.
        robot: The robot.
        damage: How many.
        cause: What it was, as the player reads it if he sees it.
    """
    health = esper.component_for_entity(robot, Health)
    health.hp -= damage
    game.note("dealt", robot, damage)
    is_seen = game.map.sight.visible[cell_of(robot)]
    if health.hp <= 0:
        destroy(game, robot, f"The {cause} destroys the {name_of(robot)}." if is_seen else "")
    elif is_seen:
        game.log.say(f"The {cause} hits the {name_of(robot)} for {damage}.")


def shut_down(game: Game, robot: int) -> None:
    """Let a robot stand where it is, and do no more."""
    for behaviour in (Hunt, Guard, Wander):
        esper.try_remove_component(robot, behaviour)
    esper.component_for_entity(robot, Attack).power = 0
    if game.map.sight.visible[cell_of(robot)]:
        game.log.say(f"The {name_of(robot)} shuts down.", "good")
