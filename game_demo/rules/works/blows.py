"""Blows at robots that mean no harm: as walking into these strikes nobody, one says that he means it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from game_demo.rules.body.fighting import hit
from game_demo.rules.naming import name_of
from game_demo.rules.robots.allies import is_ally
from game_demo.rules.robots.passing import is_peaceful
from game_demo.rules.robots.striking import BLOW_NOISE
from game_demo.rules.works.way import Way, noise_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from game_demo.state.game import Game
    from game_demo.state.geometry import Cell


def ways(game: Game, cell: Cell) -> Iterator[Way]:
    """Yield a blow at the robot at a cell, if walking into it would be none; allies are not struck."""
    robot = game.map.blockers.get(cell)
    if robot is not None and is_peaceful(robot) and not is_ally(robot):
        yield Way(
            "strike",
            f"Strike the {name_of(robot)}, which means you no harm",
            partial(hit, game, robot),
            noise_of(BLOW_NOISE),
        )
