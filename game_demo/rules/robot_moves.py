"""What robots do with their moves, in each of their states, and how they walk."""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, Final

import esper

from game_demo.rules.moods import AT_HEEL, disturb, goal_of, is_alone, pack_around, settle, turn_to
from game_demo.rules.naming import name_of
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


# -- states ----------------------------------------------------------------------------------------

FAR_TURNS: Final = 4
"""Robots that are farther from the player than he sees move slowly: on one turn in so many."""
PACK: Final = 6
"""Robots that hunt in packs wait for one that is no farther away than this."""
HUNTING: Final[frozenset[State]] = frozenset(("stalking", "alert"))
"""The states of those of a pack that are after the player."""
NEAR, WIDE = 3, 5
"""While they wait they keep so far from the player: from so many cells to so many."""
GUARD_RANGE: Final = 8
"""So far the player's allies go to fight for him."""
MEND_RANGE: Final = 8
"""So far away menders see damage."""


class EnergyProcessor(esper.Processor):
    """Gives every robot the moves for the time that has passed; those far from the player have them less often, and rest between."""

    def process(self, game: Game) -> None:
        """Let it happen."""
        game_map, share = game.map, game.clock.elapsed / TURN
        if game.clock.times(FAR_TURNS):
            top, left, bottom, right = area_around(
                game.player_cell, game_map.sight.radius, game_map.codes.shape
            )
            ready, game_map.awake = [], {}
            for robot, (energy, mind, at) in esper.get_components(Energy, Mind, Position):
                energy.moves = min(energy.moves, 1) + energy.speed * share
                energy.is_near = top <= at.y < bottom and left <= at.x < right
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
    """Lets robots use up their moves, by what they are about: see `MOVES`."""

    def process(self, game: Game) -> None:
        """Let it happen. In order of states and then of their entities, for random numbers are drawn in this order."""
        about: dict[State, list[Ready]] = {}
        for each in game.map.ready:
            about.setdefault(each[2].state, []).append(each)
            if each[2].state not in MOVES:  # who does nothing saves no moves for when he is woken
                each[1].moves %= 1
        for state, move in MOVES.items():
            for robot, energy, mind in about.get(state, ()):
                while mind.state == state and energy.moves >= 1 and not game.is_over:
                    energy.moves -= 1
                    move(game, robot, mind)
                if mind.state != state:  # what moves are left are made there, if that is still to come
                    about.setdefault(mind.state, []).append((robot, energy, mind))


def calls(game: Game, robot: int, mind: Mind) -> None:
    """Draws breath, and calls for help, once: whoever hears it goes where it saw the player last.

    That it does so again is news only if somebody comes; calls in vain are counted.
    """
    if sees_player(game, robot):
        mind.aim = game.player_cell
    mind.patience -= 1
    if mind.patience > 0:
        return
    is_seen = game.map.sight.visible[cell_of(robot)]
    who = f"The {name_of(robot)} calls" if is_seen else "Somewhere a robot calls"
    coming = make_noise(game, cell_of(robot), mind.calls, mind.aim)
    if mind.is_old_news and not coming:
        game.log.say(f"{who} for help again, in vain.", "aside", merged=True)
    else:
        game.log.say(f"{who} for help!", "bad")
        tell_who_comes(game, coming)
    disturb(game, robot, mind.manner.on_sight or mind.manner.on_harm)


def flees(game: Game, robot: int, mind: Mind) -> None:
    """Runs from the player; who can't get away strikes."""
    mind.patience -= 1
    if mind.patience <= 0:
        settle(game, robot)
    elif sees_player(game, robot) and not steps_away(game, robot, game.player_cell):
        strikes(game, robot)


def stalks(game: Game, robot: int, mind: Mind) -> None:
    """Keeps near the player until another of its kind is there, or it has waited long enough, or there is nobody to wait for."""
    mind.patience -= 1
    if not sees_player(game, robot):
        turn_to(game, robot, "alert")  # and after him
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
    """Fights the player on sight, goes where it saw him last, and then looks about; who is on a leash goes back instead."""
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
    """Let a robot that wants some space between itself and the player step back if there is less; tell whether it did."""
    is_near = distance(cell_of(robot), game.player_cell) < mind.keeps
    return is_near and steps_away(game, robot, game.player_cell)


def stands_by(game: Game, robot: int, mind: Mind) -> None:  # noqa: ARG001  # as all moves do
    """Fights the nearest robot that is after the player; where there is none, keeps near him."""
    foe = _foe_near(game, robot)
    if foe is not None and (
        strikes(game, robot) or shoots(game, robot, foe) or walks_towards(game, robot, cell_of(foe))
    ):
        return
    if distance(cell_of(robot), game.player_cell) > AT_HEEL:
        walks_towards(game, robot, game.player_cell)


def _foe_near(game: Game, ally: int) -> int | None:
    """Return the nearest robot after the player, of those that he sees and that are near enough to an ally of his; None for none."""
    here, visible = cell_of(ally), game.map.sight.visible
    foes = [
        (distance(cell_of(robot), here), robot)
        for robot, (_, mind) in game.map.awake.items()
        if mind.state in AFTER_PLAYER and visible[cell_of(robot)]
    ]
    steps, foe = min(foes, default=(GUARD_RANGE + 1, None))
    return foe if steps <= GUARD_RANGE else None


def searches(game: Game, robot: int, mind: Mind) -> None:
    """Goes where it heard or guesses the player, and looks about there for a while."""
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
    """Stands at its post, or goes its rounds: then its post goes along."""
    if goes_along(game, robot):
        mind.post = cell_of(robot)
    elif cell_of(robot) != mind.post:
        walks_towards(game, robot, mind.post)


def mends(game: Game, robot: int, mind: Mind) -> None:
    """Goes to a robot that is damaged, and mends it."""
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
            game.log.say(f"The {name_of(robot)} mends the {name_of(patient)}.")


def _damaged_near(game: Game, mender: int) -> int | None:
    """Return the nearest robot that a mender can see to be damaged, None if none is."""
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
    """Strolls about, or goes its rounds; menders see whether there is something to mend."""
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
"""What robots do with a move in each state, in the order in which they make them; in those that are not here they do nothing."""
