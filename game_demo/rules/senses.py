"""What robots notice of the player: by sight, if there is light enough, and by sound, which doors muffle.

The *exposure* of the player is 1 if he walks in the light, and less in the dark or if he stands still or sneaks. A robot that sees
8 cells far notices him from 4 cells away if his exposure is 0.5.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import esper

from game_demo.rules.hearing import hearers
from game_demo.rules.moods import disturb, hear
from game_demo.state.components import Perception, cell_of
from game_demo.state.geometry import distance
from game_demo.state.minds import LOOKS_OUT
from game_demo.state.sight import field_of_view

if TYPE_CHECKING:
    from dungeon import Light
    from game_demo.state.game import Game
    from game_demo.state.geometry import Cell
    from game_demo.state.minds import State


DARK: Final = 2 / 3
"""The share of its range at which a robot sees the player in the dark."""
STANDING: Final = 1 / 2
"""The share of that while the player stands still."""
SNEAKING: Final = 1 / 3
"""The share of that while the player sneaks."""
OVERLOOKED: Final = 1 / 2
"""The chance per move that a robot within that range still overlooks a sneaking player."""
STARTLED: Final[frozenset[State]] = frozenset(("alert", "stalking"))
"""A robot that turns to one of these states as it notices the player loses one move."""


def exposure_where(*, is_lit: bool) -> float:
    """Return the exposure of a walking player in the light or in the dark."""
    return 1 if is_lit else DARK


def exposure(game: Game) -> float:
    """Return the exposure of the player now."""
    share = SNEAKING if game.body.sneaks else STANDING if game.body.stands else 1
    return exposure_where(is_lit=is_lit(game)) * share


def range_of_sight(robot: int, share: float) -> float:
    """Return from how many steps a robot notices the player if `share` is his exposure."""
    return esper.component_for_entity(robot, Perception).radius * share


def is_lit(game: Game) -> bool:
    """Return whether the player carries a light, or a light of the level shines on him."""
    return game.body.build.lit or any(_shines_on_player(game, light) for light in game.map.level.lights)


def is_lit_at(game: Game, cell: Cell) -> bool:
    """Return whether a light of the level shines on a cell."""
    sight = field_of_view(game.map.transparent, cell, game.map.sight.radius)
    return any(_reaches(light, cell) and sight[light.y, light.x] for light in game.map.level.lights)


def _shines_on_player(game: Game, light: Light) -> bool:
    """Return whether a light of the level shines on the player. He sees the lamp then, as sight is symmetric."""
    return _reaches(light, game.player_cell) and bool(game.map.sight.visible[light.y, light.x])


def _reaches(light: Light, cell: Cell) -> bool:
    """Return whether a cell is within the radius of a light, walls aside."""
    reach = max(light.radius, 1)
    return (light.y - cell[0]) ** 2 + (light.x - cell[1]) ** 2 <= reach**2


def sees_player(game: Game, robot: int, share: float = 1) -> bool:
    """Return whether a robot sees the player. Sight is symmetric: a robot can see him if he sees the robot's cell.

    Args:
        game: The game.
        robot: The robot.
        share: The exposure of the player; 1 for a robot that knows of him already.
    """
    cell = cell_of(robot)
    if not game.map.sight.visible[cell]:
        return False
    if distance(cell, game.player_cell) > max(range_of_sight(robot, share), 1):
        return False
    return share == 1 or not game.body.sneaks or game.rng.random() >= OVERLOOKED


class SenseProcessor(esper.Processor):
    """Lets robots notice the player. A surprised robot that attacks loses one move."""

    def process(self, game: Game) -> None:
        """Check each robot that is on the lookout and has a move."""
        game_map = game.map
        if not game_map.robots & game_map.sight.mask:
            return
        share = exposure(game)
        for robot, energy, mind in game_map.ready:
            notices = mind.manner.on_sight
            if notices is None or mind.state not in LOOKS_OUT:
                continue
            if sees_player(game, robot, share):
                is_surprised = mind.state != "searching"
                disturb(game, robot, notices)
                energy.moves -= is_surprised and mind.state in STARTLED


def make_noise(game: Game, cell: Cell, radius: int, about: Cell | None = None) -> int:
    """Make a noise: all robots that hear it and react to noises go there and search. Return how many do.

    Args:
        game: The game.
        cell: Where the noise is made.
        radius: How many steps away it is heard. A closed door counts as several steps.
        about: Where the robots go; by default `cell`.
    """
    coming = hearers(game, cell, radius)
    for robot in coming:
        hear(game, robot, about or cell)
    return len(coming)


def tell_who_comes(game: Game, coming: int) -> None:
    """Print how many robots follow a call or an alarm."""
    if coming:
        game.log.say(
            "A robot hears it, and comes." if coming == 1 else f"{coming} robots hear it, and come.", "bad"
        )
    else:
        game.log.say("No robot takes notice of the noise.")
