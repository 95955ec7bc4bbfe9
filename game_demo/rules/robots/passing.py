"""Passing: who walks into a robot that means no harm changes places with it, unless it stands fast or has no room where he is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import esper

from game_demo.rules.naming import name_of
from game_demo.rules.robots.allies import is_ally
from game_demo.rules.robots.moods import may_call, means_harm
from game_demo.state.components import Energy, Mind
from game_demo.state.entities import cell_of
from game_demo.state.things.minds import PRESSING, STANDING, UNAWARE

if TYPE_CHECKING:
    from game_demo.state.game import Game


def is_peaceful(entity: int) -> bool:
    """Tell whether an entity is a robot that is not struck by walking into it: it means no harm, and does not know of the player."""
    mind = esper.try_component(entity, Mind)
    if mind is None:
        return False
    return is_ally(entity) or (mind.state in UNAWARE - PRESSING and not means_harm(entity))


def passes(entity: int) -> bool:
    """Tell whether an entity is a robot that changes places with the player where there is room for it.

    An ally does; others not if they have no legs, or are about nothing for which they need them.
    """
    if not is_peaceful(entity) or is_ally(entity):
        return is_ally(entity)
    has_legs = esper.component_for_entity(entity, Energy).speed > 0
    return has_legs and esper.component_for_entity(entity, Mind).state not in STANDING


def gives_way(game: Game, entity: int) -> bool:
    """Tell whether an entity is a robot that changes places with the player next to it."""
    return is_peaceful(entity) and not why_not(game, entity)


def why_not(game: Game, robot: int) -> str:
    """Return why a peaceful robot next to the player does not change places with him, as he reads it; empty if it does.

    It is not pushed onto a trap, nor into a door that a lever might shut, which it would keep open unless it is an ally, that
    follows him there anyway; nor is the player onto ground that he could not walk on.
    """
    game_map, name = game.map, name_of(robot)
    if not passes(robot):
        return f"The {name} means no harm, but does not make way. (w strikes it)"
    if game.player_cell in game_map.locks.keys() & game_map.doors.keys() and not is_ally(robot):
        return f"The {name} does not come into this doorway: step out of it, and let it by."
    if game_map.armed_trap_at(game.player_cell) is not None:
        return f"The {name} does not step onto the trap: step off it, and let it by."
    if not game_map.walkable[cell_of(robot)]:
        return f"You can't go where the {name} is."
    return ""


def told_of_passing(robot: int) -> str:
    """Return what walking into a robot does, if that does not strike it; else an empty text."""
    if not is_peaceful(robot):
        return ""
    until = " until it notices you" if may_call(robot) and not is_ally(robot) else ""
    return f"lets you pass{until}" if passes(robot) else "does not make way: w strikes it"
