"""What robots notice of the player: by sight, if there is light enough, and by sound, which doors muffle."""

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
"""To this share of their range robots see the player where no lamp shines."""
STANDING: Final = 1 / 2
"""To this share of that when he has not moved; `SNEAKING`: when he sneaks."""
SNEAKING: Final = 1 / 3
OVERLOOKED: Final = 1 / 2
"""The chance that a robot which sees so far does not notice the player while he sneaks, at each of its moves."""
MUFFLED: Final = 4
"""A shut door takes as much from a sound as so many steps."""
STARTLED: Final[frozenset[State]] = frozenset(("alert", "stalking"))
"""Who turns to this as it notices the player makes one move less."""
DEAF: Final = 2
"""Those asleep hear only what is so many times as near."""


def exposure_where(*, is_lit: bool) -> float:
    """Return to which share of their range robots see the player who walks in the light or not, if nothing is in between."""
    return 1 if is_lit else DARK


def exposure(game: Game) -> float:
    """Return to which share of their range robots see the player now."""
    share = SNEAKING if game.body.sneaks else STANDING if game.body.stands else 1
    return exposure_where(is_lit=is_lit(game)) * share


def range_of_sight(robot: int, share: float) -> float:
    """Return from how many steps a robot sees the player that is not aware of him, and is exposed to such a share."""
    return esper.component_for_entity(robot, Perception).radius * share


def is_lit(game: Game) -> bool:
    """Tell whether the player shines, or a light shines on him."""
    return game.body.build.lit or any(_shines_on_player(game, light) for light in game.map.level.lights)


def is_lit_at(game: Game, cell: Cell) -> bool:
    """Tell whether a light of the level shines on a cell."""
    sight = field_of_view(game.map.transparent, cell, game.map.sight.radius)
    return any(_reaches(light, cell) and sight[light.y, light.x] for light in game.map.level.lights)


def _shines_on_player(game: Game, light: Light) -> bool:
    """Tell whether a light of the level reaches the player: sight is symmetric, so it does if he sees it and is near enough."""
    return _reaches(light, game.player_cell) and bool(game.map.sight.visible[light.y, light.x])


def _reaches(light: Light, cell: Cell) -> bool:
    """Tell whether a cell is near enough to a light, whatever is in between."""
    reach = max(light.radius, 1)
    return (light.y - cell[0]) ** 2 + (light.x - cell[1]) ** 2 <= reach**2


def sees_player(game: Game, robot: int, share: float = 1) -> bool:
    """Tell whether a robot sees the player. Sight is symmetric, so it does where the player could see it.

    Args:
        game: The game.
        robot: The robot.
        share: To which share of its range it sees him; in full once it knows of him.
    """
    cell = cell_of(robot)
    if not game.map.sight.visible[cell]:
        return False
    if distance(cell, game.player_cell) > max(range_of_sight(robot, share), 1):
        return False
    return share == 1 or not game.body.sneaks or game.rng.random() >= OVERLOOKED


class SenseProcessor(esper.Processor):
    """Lets robots notice the player; that takes those who come for him a move, unless they were looking for him."""

    def process(self, game: Game) -> None:
        """Let it happen."""
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
    """Let whoever hears a noise go and see what it was, and return how many that are.

    Args:
        game: The game.
        cell: Where it is made.
        radius: How many steps away it is heard; shut doors count for `MUFFLED`.
        about: Where those who hear it go; by default to where it was made.
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
    """Tell the player what came of a call or an alarm that so many robots follow."""
    if coming:
        game.log.say("A robot comes." if coming == 1 else f"{coming} robots come.", "bad")
    else:
        game.log.say("No robot hears it.")


def _listeners(game: Game, cell: Cell, radius: int) -> Iterator[int]:
    """Yield the robots that mind noises, of the square around a cell."""
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
    """Return the mask of a rectangle in the corner of a map of that width, as `mask_of` has it."""
    return sum(((1 << columns) - 1) << row * width for row in range(rows))


def _heard(game: Game, cell: Cell, radius: int, area: Area) -> list[int]:
    """Return where a sound from a cell is heard after 0, 1... `radius` steps: masks of an area around it, for `_bit_in`.

    It spreads one step at a time in all directions at once, which finds the shortest ways as Dijkstra's algorithm does:
    what it meets of shut doors joins in when it has come through them.
    """
    game_map, (rows, columns) = game.map, area.shape
    # A column more, so that no row's end is beside the next one's beginning.
    ways = np.zeros((rows, columns + 1), np.bool_)
    ways[:, :columns] = game_map.walkable[area.slices] | game_map.transparent[area.slices]
    doors = 0
    for at in game_map.doors:
        if (spot := area.within(at)) is not None and game_map.door_at(at):
            ways[spot] = False
            doors |= _bit_in(area, at)
    free, stride = mask_of(ways), columns + 1
    reached = _bit_in(area, cell)
    through = [0] * (radius + MUFFLED)  # the doors through which it comes, by the steps that it has made then
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
    """Return the mask of one cell of an area that has an empty column at its right."""
    return 1 << (cell[0] - area.top) * (area.shape[1] + 1) + cell[1] - area.left
