"""Tapping robots: who has a tool for it, and comes close to one that is not aware of him, can have it on his side."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

import esper

from game_demo.rules.body.life import spend
from game_demo.rules.naming import name_of
from game_demo.rules.robots.allies import win_over
from game_demo.rules.robots.moods import is_dangerous, provoke
from game_demo.rules.works.way import Odds, Way, charge_of
from game_demo.state.components import Mind, Robot
from game_demo.state.things.clock import TURN

if TYPE_CHECKING:
    from collections.abc import Iterator

    from game_demo.state.game import Game
    from game_demo.state.geometry import Cell

CHANCE: Final = 0.6
TAP_TURNS: Final = 2
TAP_CHARGE: Final = 30
"""The turns' charge that it takes, beyond those turns' own."""


def ways(game: Game, cell: Cell) -> Iterator[Way]:
    """Yield the tapping of the robot at a cell, if it fights and does not know where the player is."""
    robot = game.map.blockers.get(cell)
    if robot is None or not game.body.build.hacks or not esper.has_component(robot, Robot):
        return
    mind = esper.component_for_entity(robot, Mind)
    if mind.is_unaware and mind.state != "off" and is_dangerous(robot):
        text = f"Tap the {name_of(robot)}, so that it changes sides"
        price = charge_of(game, TAP_CHARGE, TAP_TURNS)
        yield Way(
            "tap", text, partial(_tap, game, robot), price, Odds(CHANCE), "it notices you", turns=TAP_TURNS
        )


def refusal(game: Game, cell: Cell) -> str:
    """Return why the robot at a cell can't be tapped, as the player reads it who has a tool for that; empty if it can, or there is none."""
    robot = game.map.blockers.get(cell)
    if (
        robot is None
        or not game.body.build.hacks
        or not esper.has_component(robot, Robot)
        or [*ways(game, cell)]
    ):
        return ""
    why = "has noticed you" if is_dangerous(robot) else "does not fight"
    return f"You can't make the {name_of(robot)} change sides: it {why}."


def _tap(game: Game, robot: int) -> None:
    """Try to have a robot change sides."""
    spend(game, TAP_CHARGE * TURN)
    if game.rng.random() < CHANCE:
        win_over(game, robot)
    else:
        game.log.say(f"The {name_of(robot)} shakes you off.", "bad")
        provoke(game, robot)
