"""Running, travelling and resting; and how a way is followed, which exploring does too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import esper
import numpy as np

from game_demo.rules import actions
from game_demo.rules.body.battery import CHARGE
from game_demo.rules.journeys.ahead import doors_shut_on_somebody, is_agreed, tell_ahead, told_of_shut_door
from game_demo.rules.journeys.sleepers import Sleepers
from game_demo.rules.journeys.watch import Watch, hunted, is_hindered, is_in_blast, lookouts
from game_demo.rules.naming import as_sentence, left_over, name_of, pluralized, with_article
from game_demo.rules.robots.passing import gives_way, is_peaceful, why_not
from game_demo.rules.ways import (
    cells_beside,
    is_seen_trap,
    mask_of,
    seen_stairs,
    side_of_stander,
    way_beside,
    way_to_nearest,
)
from game_demo.rules.works.leftovers import cradles_left
from game_demo.rules.works.prying import PRY_NOISE, opens_to_tool_only
from game_demo.rules.works.way import noise_of
from game_demo.state.components import Robot, Trap
from game_demo.state.entities import cells_of
from game_demo.state.geometry import bearing_of, distance
from game_demo.state.things.clock import TURN

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from game_demo.state.game import Game
    from game_demo.state.geometry import Cell, Direction

RUN_STEPS: Final = 60
LONGEST: Final = 500
"""So many turns a journey takes at most."""
PATIENCE: Final = 4
"""So many turns a walker waits for robots to get out of the way."""
DETOUR: Final = 3
"""So many steps more they rather take."""
PAUSE: Final = 20
"""So many turns a player rests whom nothing ails."""


def run(game: Game, direction: Direction) -> None:
    """Go on in one direction until something is worth a look."""
    game.resume()
    watch = Watch(game)
    for number in range(RUN_STEPS):
        before = game.player_cell
        if number and is_seen_trap(game, (before[0] + direction[0], before[1] + direction[1])):
            return
        actions.stride(game, direction)
        if game.player_cell == before or not watch.is_quiet():
            return
        if game.player_cell in game.map.stairs or game.player_cell in game.map.doors:
            return
        if _branches(game, before):
            return


def travel(game: Game, end: Cell, told: str = "") -> None:
    """Go to a cell that the player has seen; next to it, if nobody can stand there. While somebody is after him, go one step.

    Through a door that he has shut on somebody he goes only if there is no other way, and when he asks for it again.

    Args:
        game: The game.
        end: The cell.
        told: What he reads of it as he sets off.
    """
    game.resume()
    if not game.map.sight.explored[end]:
        actions.remark(game, "You have not seen that place yet.")
        return
    if end == game.player_cell or is_in_blast(game):
        return
    chase = hunted(game)
    barred = _taken_beside(game) if chase else None
    way = _way_to(game, end, barred)
    if not way and game.player_cell not in cells_beside(game, end):
        actions.remark(game, "You know no safe way there.")
    elif way and chase:
        actions.remark(game, f"You go one step at a time: {chase}.")
    elif (door := told_of_shut_door(game, way)) and not is_agreed(game, end):
        goal = f"{pluralized(len(way), 'step')} to the {bearing_of(game.player_cell, end)}"
        tell_ahead(game, end, f"That is {goal}{door}. (Choose it again to go there)")
        return
    elif told:
        actions.remark(game, told, "aside")
    if follow(game, Watch(game, Trap), way[:1] if chase else way):
        _tell_beside(game, end)


def _way_to(game: Game, end: Cell, barred: NDArray[np.bool_] | None) -> list[Cell]:
    """Return the way to a cell, or to beside it if nobody can stand there: by no sleeper whom that would wake, if there is such a way."""
    earshot, shut = Sleepers(game).within_earshot, mask_of(game, doors_shut_on_somebody(game))
    quiet = earshot if barred is None else earshot | barred
    for closed in (quiet | shut, quiet, barred) if shut.any() else (quiet, barred):
        way = [] if is_taken(game, end) else way_to_nearest(game, [end], barred=closed)
        if way := way or way_beside(game, end, barred=closed):
            return way
    return []


def is_taken(game: Game, cell: Cell) -> bool:
    """Tell whether the player sees somebody at a cell with whom he can't change places, so that he goes beside it."""
    stander = game.map.blockers.get(cell)
    return stander is not None and bool(game.map.sight.visible[cell]) and not gives_way(game, stander)


def _tell_beside(game: Game, end: Cell) -> None:
    """Tell who has come next to a thing that it is for him to walk into it, as a journey does not."""
    thing = game.map.blockers.get(end)
    if thing is None or esper.has_component(thing, Robot) or game.player_cell not in cells_beside(game, end):
        return
    actions.remark(game, told_of_work(game, thing))


def told_of_work(game: Game, thing: int, *, explores: bool = False) -> str:
    """Return where a thing beside the player is, and how he works on it; `explores`: whether exploring on does, too."""
    cell = min(cells_of(thing), key=lambda cell: distance(cell, game.player_cell))
    side = side_of_stander(game, cell)
    if opens_to_tool_only(game, cell):
        keys = "w or o" if explores else "w"
        told = f"{keys} pries it open, {noise_of(PRY_NOISE)}"
        how = told if game.body.build.pries else "shut: it needs a tool that pries"
    else:
        others = ["w"] * actions.answers(game, thing) + ["o"] * explores
        how = ", or ".join(["walk into it", *others])
    return f"The {name_of(thing)} is beside you, to the {side}. ({how})"


def go_down(game: Game) -> None:
    """Take the stairs down, or whatever else leads on from here; go to the nearest that the player knows, if there are none here."""
    here = game.player_cell
    if here in game.map.exits or here in game.map.portals:
        actions.descend(game)
    else:
        _seek_stairs(game, seen_stairs(game) & game.map.exits.keys(), "down")


def go_up(game: Game) -> None:
    """Take the stairs up; go to them, if the player is not there."""
    entrance = game.map.level.entrance
    if game.player_cell == entrance or game.world.node(game.map.level.id).one_way:
        actions.ascend(game)
    else:
        _seek_stairs(game, seen_stairs(game) & {entrance}, "up")


def rest(game: Game) -> None:
    """Let turns pass until the player is whole, or for a while if he is."""
    game.resume()
    if is_hindered(game):
        return
    watch, was_whole = Watch(game), game.health.hp >= game.health.max_hp
    for _ in range(PAUSE if was_whole else LONGEST):
        actions.wait(game)
        if not watch.is_quiet():
            return
        if not was_whole and game.health.hp >= game.health.max_hp:
            actions.remark(game, "Your hit points are full again.", "good")
            return
    if was_whole:
        actions.remark(game, f"Your hit points are full: you only waited, for {PAUSE} turns.")


def follow(game: Game, watch: Watch, way: list[Cell], *, until_news: bool = False) -> bool:
    """Go along a way, through doors and around robots; tell whether the journey may go on after that.

    It ends early where the player sees something that he had not seen of the level, or where somebody is in sight who may
    come to see him, if that is asked for: the way may be another then.
    """
    explored = game.map.sight.explored
    patience, seen = PATIENCE, np.count_nonzero(explored)
    while way:
        if is_in_blast(game, way[0]):
            return False
        robot = game.map.blockers.get(way[0])
        if robot is None or gives_way(game, robot):
            (y, x), ticks = game.player_cell, game.clock.ticks  # quick legs make several steps in a turn
            actions.stride(game, (way[0][0] - y, way[0][1] - x))
            if game.clock.ticks == ticks:
                return False
        elif around := way_to_nearest(game, way[-1:], barred=_taken_beside(game), longest=len(way) + DETOUR):
            way = around  # whose first cell is free
            continue
        elif patience := patience - 1:
            actions.wait(game)
        else:
            actions.remark(game, _told_of_hindrance(game, robot))
            return False
        if not watch.is_quiet():
            return False
        if game.player_cell == way[0]:
            way = way[1:]
        if until_news and (np.count_nonzero(explored) > seen or lookouts(game)):
            break
    return True


def _taken_beside(game: Game) -> NDArray[np.bool_]:
    """Return the (height, width) bool mask of the cells next to the player on which robots stand with whom he can't change places."""
    blockers = game.map.blockers
    beside = [cell for cell in game.map.neighbours(game.player_cell) if cell in blockers]
    return mask_of(game, (cell for cell in beside if not gives_way(game, blockers[cell])))


def _told_of_hindrance(game: Game, robot: int) -> str:
    """Return who is in the way, and what can be done about it."""
    in_the_way = f"{as_sentence(with_article(name_of(robot)))} is in the way."
    return f"{in_the_way} {why_not(game, robot)}" if is_peaceful(robot) else in_the_way


def _seek_stairs(game: Game, known: set[Cell], where: str) -> None:
    way = way_to_nearest(game, known)
    if way:
        travel(game, way[-1], _told_of_stairs(game, known, len(way), way[-1]))
    elif known:
        actions.remark(game, f"You know no safe way to the stairs {where}.", "aside")
    else:
        actions.remark(game, f"You have not seen any stairs {where} yet. (o explores)", "aside")


def _told_of_stairs(game: Game, known: set[Cell], steps: int, stairs: Cell) -> str:
    """Return to which stairs the player goes, of all that he knows of, how he would get to others that lead elsewhere, and what he could charge at before."""
    exits = game.map.exits
    target = exits.get(stairs)
    to = f"to {game.title(target)}" if target is not None else "up"
    is_one_of_several = len({exits[cell] for cell in known & exits.keys()}) > 1
    others = ", the nearest. (For others: x, then > and Enter)" if is_one_of_several else "."
    room = (game.body.capacity - game.body.charge) // TURN
    cradles = [name_of(each) for each in cradles_left(game)] if target is not None and room >= CHARGE else []
    left = f" There {left_over(cradles)} here." if cradles else ""
    return f"You go {pluralized(steps, 'step')} to the stairs {to}{others}{left}"


def _branches(game: Game, before: Cell) -> bool:
    """Tell whether a way opens to the side that was not there a step ago."""
    (y, x), (from_y, from_x) = game.player_cell, before
    sides = [(from_x - x, y - from_y), (x - from_x, from_y - y)]
    walkable, doors = game.map.walkable, game.map.doors
    for side_y, side_x in sides:
        now, then = (y + side_y, x + side_x), (from_y + side_y, from_x + side_x)
        if not (game.map.in_bounds(now) and game.map.in_bounds(then)):
            continue
        if (
            (walkable[now] and not walkable[then])
            or game.map.door_at(now)
            or (now in doors and walkable[now])
        ):
            return True
    return False
