"""Damage to robots that the works do: by traps and blasts, and not by the player's own blows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import esper

from game_demo.rules.body.wrecks import destroy
from game_demo.rules.naming import name_of
from game_demo.state.components import Health
from game_demo.state.entities import cell_of

if TYPE_CHECKING:
    from game_demo.state.game import Game


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
