"""What robots notice of the player: by sight, if there is light enough, and by sound, which doors muffle.

The *exposure* of the player is 1 if he walks in the light, and less in the dark or if he stands still or sneaks. A robot that sees
8 cells far notices him from 4 cells away if his exposure is 0.5.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

import esper
import numpy as np

from game_demo.rules.moods import disturb, hear
from game_demo.state.components import Mind, Perception, cell_of
from game_demo.state.geometry import area_around, cells_in, distance, mask_of
from game_demo.state.minds import LOOKS_OUT
from game_demo.state.sight import field_of_view

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dungeon import Light
    from game_demo.state.game import Game
    from game_demo.state.geometry import Area, Cell
    from game_demo.state.minds import State


DARK: Final = 2 / 3
"""The share of its range at which a robot sees the player in the dark."""
STANDING: Final = 1 / 2
"""The share of that while the player stands still."""
SNEAKING: Final = 1 / 3
"""The share of that while the player sneaks."""
OVERLOOKED: Final = 1 / 2
"""The chance per move that a robot within that range still overlooks a sneaking player."""
MUFFLED: Final = 4
"""A closed door weakens a sound as much as this many steps."""
STARTLED: Final[frozenset[State]] = frozenset(("alert", "stalking"))
"""A robot that turns to one of these states as it notices the player loses one move."""
DEAF: Final = 2
"""A sleeping robot hears a noise only at its range divided by this."""


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
        radius: How many steps away it is heard. A closed door counts as `MUFFLED` steps.
        about: Where the robots go; by default `cell`.
    """
    listeners = [*_listeners(game, cell, radius)]
    if not listeners:
        return 0
    area = area_around(cell, radius, game.map.codes.shape)
    heard = _heard(game, cell, radius, area)
    coming = 0
    for robot in listeners:
        is_asleep = esper.component_for_entity(robot, Mind).state == "asleep"
        if heard[radius // DEAF if is_asleep else radius] & _bit_in(area, cell_of(robot)):
            hear(game, robot, about or cell)
            coming += 1
    return coming


def tell_who_comes(game: Game, coming: int) -> None:
    """Print how many robots follow a call or an alarm."""
    if coming:
        game.log.say("A robot comes." if coming == 1 else f"{coming} robots come.", "bad")
    else:
        game.log.say("No robot hears it.")


def _listeners(game: Game, cell: Cell, radius: int) -> Iterator[int]:
    """Yield the robots that react to noises, within the square of `radius` cells around a cell."""
    game_map, width = game.map, game.map.width
    top, left = max(cell[0] - radius, 0), max(cell[1] - radius, 0)
    rows, columns = cell[0] + radius + 1 - top, min(cell[1] + radius + 1, width) - left
    there = game_map.robots >> top * width + left & _rectangle(rows, columns, width)
    for y, x in cells_in(there, width):
        robot = game_map.blockers[top + y, left + x]
        mind = esper.component_for_entity(robot, Mind)
        if mind.manner.on_noise is not None and (mind.state == "asleep" or mind.state in LOOKS_OUT):
            yield robot


@lru_cache(maxsize=256)
def _rectangle(rows: int, columns: int, width: int) -> int:
    """Return the bitmask of a rectangle in the corner of a map of that width, in the form of `mask_of`."""
    return sum(((1 << columns) - 1) << row * width for row in range(rows))


def _heard(game: Game, cell: Cell, radius: int, area: Area) -> list[int]:
    """Return the cells where a sound is heard after 0, 1... `radius` steps, as bitmasks of an area for `_bit_in`.

    The sound is a flood fill, one step in all directions at a time. A closed door joins the fill `MUFFLED` - 1 steps after the
    sound has reached it, so the result is the same as Dijkstra's algorithm with doors as costly cells.
    """
    game_map, (rows, columns) = game.map, area.shape
    # An extra column, so that the end of a row is not next to the start of the following row.
    ways = np.zeros((rows, columns + 1), np.bool_)
    ways[:, :columns] = game_map.walkable[area.slices] | game_map.transparent[area.slices]
    doors = 0
    for at in game_map.doors:
        if (spot := area.within(at)) is not None and game_map.door_at(at):
            ways[spot] = False
            doors |= _bit_in(area, at)
    free, stride = mask_of(ways), columns + 1
    reached = _bit_in(area, cell)
    through = [0] * (radius + MUFFLED)  # doors that the sound has passed, by the steps it has made then
    heard = [reached]
    for steps in range(radius):
        wide = reached | reached << 1 | reached >> 1
        near = wide | wide << stride | wide >> stride
        through[steps + MUFFLED - 1] = near & doors
        doors &= ~near
        reached |= near & free | through[steps]
        heard.append(reached)
    return heard


def _bit_in(area: Area, cell: Cell) -> int:
    """Return the bitmask of one cell of an area that has an extra empty column at its right."""
    return 1 << (cell[0] - area.top) * (area.shape[1] + 1) + cell[1] - area.left
