"""Which robots hear a noise, and react to it. A closed door muffles noises."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

import esper
import numpy as np

from game_demo.state.components import Mind, Position, cell_of
from game_demo.state.geometry import area_around, cells_in, distance, mask_of
from game_demo.state.minds import LOOKS_OUT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from game_demo.state.game import Game
    from game_demo.state.geometry import Area, Cell


MUFFLED: Final = 4
"""A closed door weakens a sound as much as this many steps."""
DEAF: Final = 2
"""A sleeping robot hears a noise only at its range divided by this."""


def hearers(game: Game, cell: Cell, radius: int) -> list[int]:
    """Return the robots that hear a noise and react to noises.

    Args:
        game: The game.
        cell: Where the noise is made.
        radius: How many steps away it is heard. A closed door counts as `MUFFLED` steps.
    """
    listeners = [*_listeners(game, cell, radius)]
    if not listeners:
        return []
    area = area_around(cell, radius, game.map.codes.shape)
    heard = _heard(game, cell, radius, area)
    ranges = {robot: radius // DEAF if _sleeps(robot) else radius for robot in listeners}
    return [robot for robot in listeners if heard[ranges[robot]] & _bit_in(area, cell_of(robot))]


def alarmed(cell: Cell, radius: int) -> list[int]:
    """Return the robots within `radius` cells that react to noises and don't know where the player is.

    An alarm is heard through walls, by sleeping robots and by those in ambush, too.
    """
    return [
        robot
        for robot, (mind, _) in sorted(esper.get_components(Mind, Position))
        if mind.is_unaware and mind.state != "off" and mind.manner.on_noise is not None
        if distance(cell_of(robot), cell) <= radius
    ]


def _sleeps(robot: int) -> bool:
    return esper.component_for_entity(robot, Mind).state == "asleep"


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
