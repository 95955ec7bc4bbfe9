"""Allies: robots that have changed sides. They keep near the player and fight whoever is after him, until he leaves the level."""

from __future__ import annotations

from typing import TYPE_CHECKING

import esper

from game_demo.rules.naming import name_of
from game_demo.rules.robots.moods import settle, turn_to, wake
from game_demo.state.components import Ambush, Follows, Mind, Patrol
from game_demo.state.entities import cell_of
from game_demo.state.things.minds import AFTER_PLAYER

if TYPE_CHECKING:
    from game_demo.state.game import Game


def is_ally(entity: int) -> bool:
    """Tell whether an entity is a robot on the player's side."""
    mind = esper.try_component(entity, Mind)
    return mind is not None and mind.state == "with you"


def is_foe(entity: int) -> bool:
    """Tell whether an entity is a robot that is after the player."""
    mind = esper.try_component(entity, Mind)
    return mind is not None and mind.state in AFTER_PLAYER


def win_over(game: Game, robot: int) -> None:
    """Let a robot change sides: what it waited for, whom it followed and its rounds are nothing to it any more."""
    for kind in (Ambush, Follows, Patrol):
        esper.try_remove_component(robot, kind)
    turn_to(game, robot, "with you")
    game.turned[name_of(robot)] += 1
    wake(game, robot)
    game.log.say(f"The {name_of(robot)} is on your side now.", "good")


def dismiss_allies(game: Game) -> None:
    """Let the player's allies on this level be what they were, and where they are."""
    for robot, mind in esper.get_component(Mind):
        if is_ally(robot):
            mind.post = cell_of(robot)
            settle(game, robot)
            game.log.say(f"The {name_of(robot)} stays behind, and forgets you.")
