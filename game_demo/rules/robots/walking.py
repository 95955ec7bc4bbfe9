"""How robots walk: towards a cell, along with others, or about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import esper

from game_demo.rules.naming import name_of
from game_demo.rules.robots.company import goal_of
from game_demo.state.components import Mind, Robot, Route
from game_demo.state.entities import cell_of
from game_demo.state.geometry import NEIGHBOURS, distance

if TYPE_CHECKING:
    from game_demo.state.game import Game
    from game_demo.state.geometry import Cell, Direction

REST_CHANCE: Final = 0.2
TURN_CHANCE: Final = 0.15
PATIENCE: Final = 4
"""For so many moves a robot stands before it thinks again about a way that it did not find."""
TRIES: Final = 4
"""So many directions a robot considers for its next step when it strolls."""


def closes_in(game: Game, robot: int) -> bool:
    """Let a robot that sees the player step straight at him, if nothing that stays is in its way; tell whether it did.

    Who would come up against something steps around it: else it would go to and fro between the two.
    """
    (y, x), (to_y, to_x) = cell_of(robot), game.player_cell
    cells = []
    for _ in range(max(abs(to_y - y), abs(to_x - x))):
        y, x = y + (to_y > y) - (to_y < y), x + (to_x > x) - (to_x < x)
        cells.append((y, x))
    if not game.map.is_free_for(robot, cells[0]) or any(_stays(game, cell) for cell in cells[1:-1]):
        return False
    game.map.move(robot, cells[0])
    return True


def _stays(game: Game, cell: Cell) -> bool:
    """Tell whether something is at a cell that will be in the way of whoever comes there: anything but a robot."""
    stander = game.map.blockers.get(cell)
    return not game.map.walkable[cell] or (stander is not None and not esper.has_component(stander, Robot))


def steps_away(game: Game, robot: int, end: Cell) -> bool:
    """Let a robot step to where it is farther from a cell; tell whether it could."""

    def far(cell: Cell) -> tuple[int, int]:
        """Return the steps to there, and the square of how far that is in a straight line."""
        return distance(cell, end), (cell[0] - end[0]) ** 2 + (cell[1] - end[1]) ** 2

    here = cell_of(robot)
    free = [cell for cell in game.map.neighbours(here) if game.map.is_free_for(robot, cell)]
    best = max(free, key=far, default=here)
    if far(best) <= far(here):
        return False
    game.map.move(robot, best)
    return True


def walks_towards(game: Game, robot: int, end: Cell) -> bool:
    """Let a robot take a step towards a cell, or open the door in its way if it can; tell whether there is a way.

    It keeps to the way that it has found once, even where that was to a cell next to this one.
    """
    game_map, here = game.map, cell_of(robot)
    route = esper.component_for_entity(robot, Route)
    doors = esper.component_for_entity(robot, Mind).opens_doors
    _plan(game, route, here, end, doors=doors)
    if not route.cells:
        return False
    ahead = route.cells[-1]
    if doors and game_map.door_at(ahead):
        game_map.set_door(ahead, is_open=True)
        if game_map.sight.visible[ahead]:
            game.log.say(f"The {name_of(robot)} opens a door.")
    elif game_map.is_free_for(robot, ahead):
        game_map.move(robot, ahead)
        route.cells.pop()
    else:
        route.goal = None  # another way may be free
    return True


def _plan(game: Game, route: Route, here: Cell, end: Cell, *, doors: bool) -> None:
    """Have a robot's route lead to a cell, if any does; work it out anew only where that is needed, as where it has stepped off it."""
    if route.cells and route.goal is not None and distance(here, route.cells[-1]) == 1:
        if route.goal == end:
            return
        if distance(route.goal, end) == 1:
            route.cells.insert(0, end)
            route.goal = end
            return
    elif not route.cells and route.goal == end and route.patience:
        route.patience -= 1
        return
    route.cells = game.map.path(here, end, doors=doors)[::-1]
    route.goal, route.patience = end, PATIENCE


def goes_along(game: Game, robot: int) -> bool:
    """Let a robot that is on patrol, or follows another one, take a step; tell whether there was one to take."""
    goal = goal_of(robot)
    return goal is not None and walks_towards(game, robot, goal)


def wanders(game: Game, robot: int, heading: Direction) -> Direction:
    """Let a robot take a step or a rest; return in which direction it is heading now."""
    game_map, rng = game.map, game.rng
    if rng.random() < REST_CHANCE:
        return heading
    y, x = cell_of(robot)
    ahead = (y + heading[0], x + heading[1])
    if heading != (0, 0) and rng.random() >= TURN_CHANCE and game_map.is_free_for(robot, ahead):
        game_map.move(robot, ahead)
        return heading
    for _ in range(TRIES):
        heading = NEIGHBOURS[int(rng.random() * len(NEIGHBOURS))]
        ahead = (y + heading[0], x + heading[1])
        if game_map.is_free_for(robot, ahead):
            game_map.move(robot, ahead)
            return heading
    return 0, 0
