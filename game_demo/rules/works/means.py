"""What the player has to work with: his parts decide what he can do to things; and what robots make of that."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import esper

from game_demo.rules.body.life import spend
from game_demo.rules.body.wrecks import destroy
from game_demo.rules.naming import name_of
from game_demo.rules.robots.moods import turn_to
from game_demo.rules.robots.senses import make_noise
from game_demo.state.components import Health
from game_demo.state.entities import cell_of
from game_demo.state.things.clock import TURN

if TYPE_CHECKING:
    from game_demo.state.game import Game

__all__ = ["Skill", "damage_robot", "drain", "has_skill", "make_noise", "shut_down"]

Skill = Literal["digs", "hacks", "keen"]
"""What some parts enable the player to do, by the keyword that says so."""


def has_skill(game: Game, skill: Skill) -> bool:
    """Tell whether a part that is fitted enables the player to do something."""
    return getattr(game.body.build, skill) is True


def drain(game: Game, turns: int) -> None:
    """Take charge for so many turns from the player's battery."""
    spend(game, turns * TURN)


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
    turn_to(game, robot, "off")
