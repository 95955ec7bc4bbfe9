"""Charges: who charges lowers its head first, and then runs straight on; who steps aside lets it run into the next wall."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import esper

from game_demo.rules.robots.allies import is_ally
from game_demo.rules.robots.moods import turn_to
from game_demo.rules.robots.striking import hits, line_of_fire
from game_demo.state.components import Attack
from game_demo.state.entities import cell_of

if TYPE_CHECKING:
    from game_demo.state.game import Game
    from game_demo.state.things.minds import Mind

REACH: Final = 6
"""From so many cells away at most it charges."""
STRIDE: Final = 3
"""So many cells it runs in a move."""
FORCE: Final = 2
"""By so much the power of its blow is multiplied that way."""


def lowers_its_head(game: Game, robot: int, mind: Mind) -> bool:
    """Let a robot that charges make ready to, if it sees the player straight ahead with nothing in between; tell whether it did."""
    if not mind.rams:
        return False
    (y, x), (to_y, to_x) = cell_of(robot), game.player_cell
    dy, dx = to_y - y, to_x - x
    steps = max(abs(dy), abs(dx))
    is_straight = dy == 0 or dx == 0 or abs(dy) == abs(dx)
    if not is_straight or not 1 < steps <= REACH:
        return False
    between = line_of_fire((y, x), (to_y, to_x))[:-1]
    if not all(game.map.is_free_for(robot, cell) for cell in between):
        return False
    mind.heading = dy // steps, dx // steps
    turn_to(game, robot, "charging")
    return True


def charges(game: Game, robot: int, mind: Mind) -> None:
    """Runs straight on, into whoever stands there, until it has run long enough; who runs into anything else reels."""
    for _ in range(STRIDE):
        y, x = cell_of(robot)
        ahead = y + mind.heading[0], x + mind.heading[1]
        other = game.map.blockers.get(ahead)
        if other is not None and (other == game.hero or is_ally(other)):
            hits(game, robot, other, "rams", FORCE * esper.component_for_entity(robot, Attack).power)
            turn_to(game, robot, "alert")
            return
        if not game.map.is_free(ahead) or ahead in game.map.stairs:
            turn_to(game, robot, "reeling")
            return
        game.map.move(robot, ahead)
    mind.patience -= 1
    if mind.patience <= 0:
        turn_to(game, robot, "alert")


def reels(game: Game, robot: int, mind: Mind) -> None:
    """Does nothing, for as long as that lasts."""
    mind.patience -= 1
    if mind.patience <= 0:
        turn_to(game, robot, "alert")
