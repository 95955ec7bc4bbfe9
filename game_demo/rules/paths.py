"""Shortest paths through the part of a level that the player knows.

Paths lead over known ground only: unseen cells are left out, and hidden traps count as floor. Robots don't block paths here,
because they move; code that follows a path must go around them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import esper
import numpy as np
import tcod.path

from game_demo.state.components import ExclusiveChoice, Hidden, Position, Prop, Robot, cell_of, cells_of
from game_demo.state.geometry import NEIGHBOURS, bearing_of, side_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from game_demo.state.game import Game
    from game_demo.state.geometry import Cell


FAR: Final = 9999
"""More steps than any way has."""
OPENING: Final = 2
"""The cost of a closed door, in cells: opening it takes a turn."""
AROUND: Final = 3
"""The cost of a cell with an item of a choice, so that ways to one such item avoid the others."""


def known_costs(game: Game) -> NDArray[np.int8]:
    """Return the (height, width) cost of a step to each cell; 0 where the player knows no safe ground."""
    game_map, explored = game.map, game.map.sight.explored
    cost = (game_map.walkable & explored).astype(np.int8)
    for cell in game_map.doors:
        if explored[cell] and game_map.door_at(cell):
            cost[cell] = OPENING
    for cell, entity in game_map.blockers.items():
        if not esper.has_component(entity, Robot):
            cost[cell] = 0
    for cell in game_map.traps:
        if is_seen_trap(game, cell):
            cost[cell] = 0
    for cell in map(cell_of, seen_things(game, ExclusiveChoice)):  # several may lie on one cell
        if cost[cell]:
            cost[cell] = AROUND
    cost[game.player_cell] = 1
    return cost


def is_seen_trap(game: Game, cell: Cell) -> bool:
    """Return whether there is an armed trap at a cell that the player has found."""
    trap = game.map.armed_trap_at(cell)
    return trap is not None and not esper.has_component(trap, Hidden)


def robots_in_sight(game: Game) -> set[int]:
    """Return the robots that the player sees."""
    game.resume()
    visible = game.map.sight.visible
    return {robot for robot, _ in esper.get_component(Robot) if visible[cell_of(robot)]}


def seen_things(game: Game, *kinds: type) -> set[int]:
    """Return the known entities on the level that have one of some component types, such as `Item`."""
    explored = game.map.sight.explored
    return {
        entity
        for kind in kinds
        for entity, _ in esper.get_components(kind, Position)
        if explored[cell_of(entity)] and not esper.has_component(entity, Hidden)
    }


def new_items_at(game: Game, cell: Cell) -> list[int]:
    """Return the items on a cell, without those that the player laid down or left there."""
    return [item for item in game.map.items_at(cell) if item not in game.map.left]


def seen_stairs(game: Game) -> set[Cell]:
    """Return the cells of the stairs that the player has seen on the level."""
    return {cell for cell in game.map.stairs if game.map.sight.explored[cell]}


def way_to_nearest(
    game: Game, goals: Iterable[Cell], *, barred: NDArray[np.bool_] | None = None, longest: int = FAR
) -> list[Cell]:
    """Return a shortest safe path from the player to the nearest of some cells.

    Args:
        game: The game.
        goals: The cells.
        barred: (height, width) bool, cells that the path must avoid; None for none.
        longest: Maximum number of steps.

    Returns:
        The cells of the path without the player's own; empty if there is no path, or he is on a goal already.
    """
    ends = sorted(goals)
    if not ends:
        return []
    cost = known_costs(game)
    if barred is not None:
        cost[barred] = 0
    graph = tcod.path.SimpleGraph(cost=cost, cardinal=2, diagonal=3)
    finder = tcod.path.Pathfinder(graph)
    finder.add_root(game.player_cell)
    finder.resolve()
    far = finder.distance
    end = min(ends, key=lambda cell: int(far[cell]))
    if far[end] == np.iinfo(far.dtype).max:
        return []
    way: list[list[int]] = finder.path_to(end).tolist()
    return [(y, x) for y, x in way[1:]] if len(way) <= longest + 1 else []


def way_beside(game: Game, goal: Cell, *, barred: NDArray[np.bool_] | None = None) -> list[Cell]:
    """Return a shortest safe path from the player to a cell next to `goal`, as `way_to_nearest` does."""
    return way_to_nearest(game, cells_beside(game, goal), barred=barred)


def cells_beside(game: Game, cell: Cell) -> set[Cell]:
    """Return the neighbours of a cell; if a prop of several cells stands there, the neighbours of all of them."""
    stander = game.map.blockers.get(cell)
    covered: tuple[Cell, ...] = (cell,)
    if stander is not None and esper.has_component(stander, Prop):
        covered = cells_of(stander)
    return {near for each in covered for near in game.map.neighbours(each)}


def side_of_stander(game: Game, cell: Cell) -> str:
    """Return the direction from the player to the thing at a cell beside him.

    If several cells of the thing are beside him, the direction is that of the first.
    """
    y, x = game.player_cell
    stander = game.map.blockers.get(cell)
    covered = (cell,) if stander is None else cells_of(stander)
    beside = (side_of(way) for way in NEIGHBOURS if (y + way[0], x + way[1]) in covered)
    return next(beside, "") or bearing_of((y, x), cell)


def mask_of(game: Game, cells: Iterable[Cell]) -> NDArray[np.bool_]:
    """Return the (height, width) bool mask of some cells of the player's level."""
    mask = np.zeros(game.map.codes.shape, dtype=np.bool_)
    for cell in cells:
        mask[cell] = True
    return mask


def steps_from(game: Game, cells: Iterable[Cell]) -> NDArray[np.int32]:
    """Return for each cell, (height, width), the steps over known ground to the nearest of `cells`; `FAR` or more for no path."""
    finder = tcod.path.Pathfinder(tcod.path.SimpleGraph(cost=known_costs(game), cardinal=1, diagonal=1))
    for cell in cells:
        finder.add_root(cell)
    finder.resolve()
    steps: NDArray[np.int32] = finder.distance
    return steps


def frontier(game: Game) -> list[Cell]:
    """Return the known walkable cells beside unexplored ones, without the player's own."""
    unseen = np.pad(~game.map.sight.explored, 1)
    beside = unseen[:-2, 1:-1] | unseen[2:, 1:-1] | unseen[1:-1, :-2] | unseen[1:-1, 2:]
    beside &= known_costs(game) > 0
    beside[game.player_cell] = False
    return [(y, x) for y, x in np.argwhere(beside).tolist()]
