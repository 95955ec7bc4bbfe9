"""Company: where robots go of themselves that are on patrol, or follow another one, and whom those that hunt in packs wait for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import esper

from game_demo.state.components import Follows, Leader, Mind, Patrol
from game_demo.state.entities import cell_of
from game_demo.state.geometry import distance

if TYPE_CHECKING:
    from game_demo.state.game import Game
    from game_demo.state.geometry import Cell
    from game_demo.state.things.minds import State

ABSENT: Final[frozenset[State]] = frozenset(("off", "asleep", "with you"))
"""The states of robots for whom no pack waits."""
AT_HEEL: Final = 2
"""Whoever follows a leader goes after it when it is farther away than this."""


def goal_of(robot: int) -> Cell | None:
    """Return where a robot is to go now; None if it may do as it likes."""
    patrol = esper.try_component(robot, Patrol)
    if patrol is not None:
        return _next_place(patrol, cell_of(robot))
    leader = _leader_of(robot)
    if leader is None or distance(cell_of(leader), cell_of(robot)) <= AT_HEEL:
        return None
    return cell_of(leader)


def _next_place(patrol: Patrol, cell: Cell) -> Cell:
    """Return the place to which a patrol goes from a cell: there and back again."""
    places = [*patrol.places, *patrol.places[-2:0:-1]]
    if cell == places[patrol.at]:
        patrol.at = (patrol.at + 1) % len(places)
    return places[patrol.at]


def _leader_of(robot: int) -> int | None:
    follows = esper.try_component(robot, Follows)
    if follows is None:
        return None
    leaders = esper.get_component(Leader)
    return next((entity for entity, leader in leaders if leader.group == follows.group), None)


def pack_around(game: Game, *, asleep: bool = False) -> list[int]:
    """Return the robots near the player that hunt in packs, and are about, or those that are asleep instead, in order."""
    return [robot for robot in sorted(game.map.awake) if hunts_in_pack(robot, asleep=asleep)]


def hunts_in_pack(robot: int, *, asleep: bool = False) -> bool:
    """Tell whether a robot is one that hunts in packs, and about, or asleep instead."""
    mind = esper.component_for_entity(robot, Mind)
    return mind.behaviour == "swarm" and (mind.state == "asleep" if asleep else mind.state not in ABSENT)


def is_alone(game: Game, robot: int) -> bool:
    """Tell whether there is nobody near for whom a robot of a pack could wait."""
    return all(other == robot for other in pack_around(game))
