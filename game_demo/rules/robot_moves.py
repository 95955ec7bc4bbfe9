"""What robots do with their moves, in each of their states, and how they walk."""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, Final

import esper

from game_demo.rules.moods import AT_HEEL, disturb, goal_of, is_alone, pack_around, settle, turn_to
from game_demo.rules.naming import as_sentence, name_of, the
from game_demo.rules.robot_attacks import charges, lowers_its_head, reels, shoots, strikes
from game_demo.rules.senses import make_noise, sees_player, tell_who_comes
from game_demo.state.body import TURN
from game_demo.state.components import Energy, Health, Mind, Position, Robot, Route, cell_of
from game_demo.state.geometry import NEIGHBOURS, area_around, distance
from game_demo.state.minds import AFTER_PLAYER

if TYPE_CHECKING:
    from collections.abc import Callable

    from game_demo.state.game import Game
    from game_demo.state.game_map import Ready
    from game_demo.state.geometry import Cell, Direction
    from game_demo.state.minds import State


# -- walking ---------------------------------------------------------------------------------------

REST_CHANCE: Final = 0.2
TURN_CHANCE: Final = 0.15
PATIENCE: Final = 4
"""How many moves a robot stands still before it looks again for a way that it did not find."""
TRIES: Final = 4
"""How many directions a wandering robot tries for its next step."""


def closes_in(game: Game, robot: int) -> bool:
    """Let a robot step straight towards the player, if no wall or prop is on that line; return whether it did.

    A robot with an obstacle ahead takes a way around it instead, else it would swing to and fro before the obstacle.
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
    """Return whether a cell is blocked by something that will not move away, that is anything but a robot."""
    stander = game.map.blockers.get(cell)
    return not game.map.walkable[cell] or (stander is not None and not esper.has_component(stander, Robot))


def steps_away(game: Game, robot: int, end: Cell) -> bool:
    """Let a robot step to a neighbouring cell that is farther from `end`; return whether there was one."""

    def far(cell: Cell) -> tuple[int, int]:
        """Return the steps to `end`, and the squared straight distance to break ties."""
        return distance(cell, end), (cell[0] - end[0]) ** 2 + (cell[1] - end[1]) ** 2

    here = cell_of(robot)
    free = [cell for cell in game.map.neighbours(here) if game.map.is_free_for(robot, cell)]
    best = max(free, key=far, default=here)
    if far(best) <= far(here):
        return False
    game.map.move(robot, best)
    return True


def walks_towards(game: Game, robot: int, end: Cell) -> bool:
    """Let a robot step along a path to a cell, or open the door ahead; return whether there is a path.

    A robot keeps a path once found, even if the goal has moved to a neighbouring cell since.
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
            game.log.say(f"{as_sentence(the(robot))} opens a door.")
    elif game_map.is_free_for(robot, ahead):
        game_map.move(robot, ahead)
        route.cells.pop()
    else:
        route.goal = None  # another way may be free
    return True


def _plan(game: Game, route: Route, here: Cell, end: Cell, *, doors: bool) -> None:
    """Update a robot's route to a cell; a new path is computed only if the robot has left the old one or the goal has moved far."""
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
    """Let a robot step along its patrol or after its leader; return whether it had somewhere to go."""
    goal = goal_of(robot)
    return goal is not None and walks_towards(game, robot, goal)


def wanders(game: Game, robot: int, heading: Direction) -> Direction:
    """Let a robot take a random step or rest; return its new heading."""
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


# -- states ----------------------------------------------------------------------------------------

FAR_TURNS: Final = 4
"""Robots out of the player's range of sight move only on one turn in this many."""
PACK: Final = 6
"""A pack hunter joins in if another is within this many cells."""
HUNTING: Final[frozenset[State]] = frozenset(("stalking", "alert"))
"""The states in which a pack hunter is after the player."""
NEAR, WIDE = 3, 5
"""A stalking robot stays between `NEAR` and `WIDE` cells from the player."""
GUARD_RANGE: Final = 8
"""Allies attack enemies within this many cells."""
MEND_RANGE: Final = 8
"""Menders notice damaged robots within this many cells."""


class EnergyProcessor(esper.Processor):
    """Gives each robot the moves for the time that has passed. Far robots get theirs in batches, every `FAR_TURNS` turns."""

    def process(self, game: Game) -> None:
        """Add the moves, and list the robots that have one."""
        game_map, share = game.map, game.clock.elapsed / TURN
        if game.clock.times(FAR_TURNS):
            top, left, bottom, right = area_around(
                game.player_cell, game_map.sight.radius, game_map.codes.shape
            )
            ready, game_map.awake = [], {}
            for robot, (energy, mind, at) in esper.get_components(Energy, Mind, Position):
                energy.moves = min(energy.moves, 1) + energy.speed * share
                energy.is_near = top <= at.y < bottom and left <= at.x < right
                if mind.retold and not game_map.sight.visible[at.y, at.x]:
                    mind.retold.clear()
                if energy.is_near:
                    game_map.awake[robot] = energy, mind
                if energy.moves >= 1:
                    ready.append((robot, energy, mind))
        else:
            ready = []
            for robot, (energy, mind) in game_map.awake.items():
                if energy.is_near:
                    energy.moves = min(energy.moves, 1) + energy.speed * share
                if energy.moves >= 1:
                    ready.append((robot, energy, mind))
        game_map.ready = sorted(ready, key=itemgetter(0))


class MoveProcessor(esper.Processor):
    """Lets robots use their moves, each by the function of its state in `MOVES`."""

    def process(self, game: Game) -> None:
        """Make the moves, state by state and then by entity number, because they draw random numbers in this order."""
        about: dict[State, list[Ready]] = {}
        for each in game.map.ready:
            about.setdefault(each[2].state, []).append(each)
            if each[2].state not in MOVES:  # a robot that does nothing must not save up moves
                each[1].moves %= 1
        for state, move in MOVES.items():
            for robot, energy, mind in about.get(state, ()):
                while mind.state == state and energy.moves >= 1 and not game.is_over:
                    energy.moves -= 1
                    move(game, robot, mind)
                if mind.state != state:  # the moves left are made in its new state, if that comes later
                    about.setdefault(mind.state, []).append((robot, energy, mind))


def calls(game: Game, robot: int, mind: Mind) -> None:
    """Let a robot draw breath, then call for help once: all robots that hear the call go where the caller last saw the player."""
    if sees_player(game, robot):
        mind.aim = game.player_cell
    mind.patience -= 1
    if mind.patience > 0:
        return
    is_seen = game.map.sight.visible[cell_of(robot)]
    who = f"The {name_of(robot)} calls" if is_seen else "Somewhere a robot calls"
    game.log.say(f"{who} for help!", "bad")
    tell_who_comes(game, make_noise(game, cell_of(robot), mind.calls, mind.aim))
    disturb(game, robot, mind.manner.on_sight or mind.manner.on_harm)


def flees(game: Game, robot: int, mind: Mind) -> None:
    """Let a robot run from the player, and strike him if there is no way out."""
    mind.patience -= 1
    if mind.patience <= 0:
        settle(game, robot)
    elif sees_player(game, robot) and not steps_away(game, robot, game.player_cell):
        strikes(game, robot)


def stalks(game: Game, robot: int, mind: Mind) -> None:
    """Let a pack hunter keep near the player until another one joins, its patience runs out, or there is none to wait for; then attack."""
    mind.patience -= 1
    if not sees_player(game, robot):
        turn_to(game, robot, "alert")  # and goes where it saw him last
        return
    mind.aim = game.player_cell
    here = cell_of(robot)
    steps = distance(here, game.player_cell)
    pack = [
        other
        for other in pack_around(game)
        if esper.component_for_entity(other, Mind).state in HUNTING and distance(cell_of(other), here) <= PACK
    ]
    if len(pack) > 1 or mind.patience <= 0 or is_alone(game, robot):
        for each in pack:
            turn_to(game, each, "alert")
    elif steps < NEAR:
        if not steps_away(game, robot, game.player_cell):
            strikes(game, robot)
    elif steps > WIDE:
        closes_in(game, robot)


def fights(game: Game, robot: int, mind: Mind) -> None:
    """Let a robot fight the player if it sees him, and else go to where it last saw him and search.

    If the player is farther from the robot's post than its leash, the robot goes back to its post.
    """
    is_seen = sees_player(game, robot)
    if is_seen:
        mind.aim = game.player_cell
        if _keeps_off(game, robot, mind):
            return
    if strikes(game, robot) or (
        is_seen and (shoots(game, robot, game.hero) or lowers_its_head(game, robot, mind))
    ):
        return
    if mind.is_out_of_bounds:
        walks_towards(game, robot, mind.post)
        if not is_seen:
            settle(game, robot)
        return
    if is_seen and closes_in(game, robot):
        return
    if mind.aim is None or distance(cell_of(robot), mind.aim) <= 1:
        turn_to(game, robot, "searching")
    elif not walks_towards(game, robot, mind.aim):
        mind.aim = None


def _keeps_off(game: Game, robot: int, mind: Mind) -> bool:
    """Let a shooter step back, every other turn, if the player is nearer than it likes; return whether it did.

    In the turns between it shoots, so that the player can catch up with it.
    """
    is_near = distance(cell_of(robot), game.player_cell) < mind.keeps
    return is_near and game.log.turn % 2 == 0 and steps_away(game, robot, game.player_cell)


def stands_by(game: Game, robot: int, mind: Mind) -> None:  # noqa: ARG001  # all moves take it
    """Let an ally fight the nearest robot that is after the player, and else keep near him."""
    foe = _foe_near(game, robot)
    if foe is not None and (
        strikes(game, robot) or shoots(game, robot, foe) or walks_towards(game, robot, cell_of(foe))
    ):
        return
    if distance(cell_of(robot), game.player_cell) > AT_HEEL:
        walks_towards(game, robot, game.player_cell)


def _foe_near(game: Game, ally: int) -> int | None:
    """Return the robot nearest to an ally, within `GUARD_RANGE`, that is after the player and in his sight; None for none."""
    here, visible = cell_of(ally), game.map.sight.visible
    foes = [
        (distance(cell_of(robot), here), robot)
        for robot, (_, mind) in game.map.awake.items()
        if mind.state in AFTER_PLAYER and visible[cell_of(robot)]
    ]
    steps, foe = min(foes, default=(GUARD_RANGE + 1, None))
    return foe if steps <= GUARD_RANGE else None


def searches(game: Game, robot: int, mind: Mind) -> None:
    """Let a robot go to the cell where it last heard or saw the player, and look around there for a while."""
    if mind.aim is not None and distance(cell_of(robot), mind.aim) > 1:
        if not walks_towards(game, robot, mind.aim):
            mind.aim = None
        return
    mind.aim = None
    mind.patience -= 1
    mind.heading = wanders(game, robot, mind.heading)
    if mind.patience <= 0:
        settle(game, robot)


def keeps_post(game: Game, robot: int, mind: Mind) -> None:
    """Let a robot stand at its post. A robot on patrol, or with a leader, walks on, and where it is becomes its post."""
    if goes_along(game, robot):
        mind.post = cell_of(robot)
    elif cell_of(robot) != mind.post:
        walks_towards(game, robot, mind.post)


def mends(game: Game, robot: int, mind: Mind) -> None:
    """Let a mender walk to the nearest damaged robot and mend that."""
    patient = _damaged_near(game, robot)
    if patient is None:
        settle(game, robot)
    elif distance(cell_of(robot), cell_of(patient)) > 1:
        if not walks_towards(game, robot, cell_of(patient)):
            wanders(game, robot, mind.heading)
    else:
        health = esper.component_for_entity(patient, Health)
        health.hp = min(health.hp + mind.mends, health.max_hp)
        if game.map.sight.visible[cell_of(robot)]:
            game.log.say(f"{as_sentence(the(robot))} mends {the(patient)}.")


def _damaged_near(game: Game, mender: int) -> int | None:
    """Return the nearest damaged robot within `MEND_RANGE` of a mender, or None."""
    here = cell_of(mender)
    damaged = [
        (distance(cell_of(robot), here), robot)
        for robot in sorted(game.map.awake)
        if robot != mender and _is_damaged(robot)
    ]
    steps, patient = min(damaged, default=(MEND_RANGE + 1, None))
    return patient if steps <= MEND_RANGE else None


def _is_damaged(robot: int) -> bool:
    health = esper.component_for_entity(robot, Health)
    return health.hp < health.max_hp


def works(game: Game, robot: int, mind: Mind) -> None:
    """Let a robot wander, or walk its patrol; a mender looks for damaged robots first."""
    if mind.behaviour == "mender" and _damaged_near(game, robot) is not None:
        turn_to(game, robot, "mending")
    elif not goes_along(game, robot):
        mind.heading = wanders(game, robot, mind.heading)


MOVES: Final[dict[State, Callable[[Game, int, Mind], None]]] = {
    "calling": calls,
    "fleeing": flees,
    "stalking": stalks,
    "charging": charges,
    "reeling": reels,
    "alert": fights,
    "with you": stands_by,
    "searching": searches,
    "at its post": keeps_post,
    "at work": works,
    "mending": mends,
}
"""State -> what a robot does with a move, in the order in which states are processed. Other states do nothing."""
