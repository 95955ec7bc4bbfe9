"""Journeys: many steps, or turns of rest, at one key. Whatever matters ends them.

What matters is a robot that comes in sight and can fight, damage, something found, anything said that is more than an aside,
another level, the end. Whoever is in sight already when a journey begins does not stop it, unless he turns on the player: none
begins under the eyes of who fights or seeks him. Who stalks him or runs from him ends it only by coming close.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import esper
import numpy as np

from game_demo.rules import actions
from game_demo.rules.body.fighting import targets
from game_demo.rules.naming import listed, name_of, with_article
from game_demo.rules.robots.allies import is_ally
from game_demo.rules.robots.moods import is_dangerous
from game_demo.rules.ways import (
    frontier,
    is_seen_trap,
    robots_in_sight,
    seen_stairs,
    seen_things,
    way_beside,
    way_to_nearest,
)
from game_demo.rules.works.leftovers import openable_locks, told_of_leftovers, unread_cells
from game_demo.state.components import Goal, Item, Mind, Trap
from game_demo.state.entities import cell_of
from game_demo.state.geometry import distance
from game_demo.state.things.minds import PRESSING, WARY

if TYPE_CHECKING:
    from game_demo.state.game import Game
    from game_demo.state.geometry import Cell, Direction
    from game_demo.state.things.minds import State

RUN_STEPS: Final = 60
LONGEST: Final = 500
"""So many turns a journey takes at most."""
PATIENCE: Final = 4
"""So many turns a walker waits for robots to get out of the way."""
DETOUR: Final = 3
"""So many steps more they rather take."""
PAUSE: Final = 20
"""So many turns a player rests whom nothing ails."""
CLOSE: Final = 2
"""So few steps away is who stalks the player, or runs from him, when it matters."""


class Watch:
    """Keeps an eye on a game while time passes: what was known when a journey began is no news on it."""

    def __init__(self, game: Game, *kinds: type) -> None:
        self._game = game
        self._kinds = kinds or (Item, Trap)
        self._level, self._hp, self._news = game.map, game.health.hp, game.log.news
        self._robots, self._things = fighters_in_sight(game), seen_things(game, *self._kinds)
        self._pursuers, self._close = _pursuers(game), _close(game)
        self._stairs = seen_stairs(game)

    def is_quiet(self, expected: int = 0) -> bool:
        """Tell whether nothing has happened that matters; say what has come in sight, or that the player is hurt.

        Args:
            expected: How many messages that are more than asides are no news, as what is being done brings them.
        """
        game = self._game
        self._news += expected
        if game.is_over or game.map is not self._level or game.log.news != self._news:
            return False
        if game.health.hp < self._hp:
            actions.remark(game, "You stop, for you are being worn down.", "bad")
            return False
        self._hp = game.health.hp
        robots, things = (
            fighters_in_sight(game) - self._robots,
            seen_things(game, *self._kinds) - self._things,
        )
        if found := [name_of(entity) for entity in sorted(robots) + sorted(things)]:
            actions.remark(game, f"You see {listed(found)}.", "find")
        elif seen_stairs(game) > self._stairs:
            actions.remark(game, "You see stairs.", "find")
        elif pursuers := sorted(_pursuers(game) - self._pursuers):
            actions.remark(game, f"The {name_of(pursuers[0])} {_intent(pursuers[0])}.", "find")
        elif close := sorted(_close(game) - self._close):
            actions.remark(game, f"The {name_of(close[0])} is close.", "find")
        return game.log.news == self._news


def run(game: Game, direction: Direction) -> None:
    """Go on in one direction until something is worth a look."""
    game.resume()
    watch = Watch(game)
    for number in range(RUN_STEPS):
        before = game.player_cell
        if number and is_seen_trap(game, (before[0] + direction[0], before[1] + direction[1])):
            return
        actions.step(game, direction)
        if game.player_cell == before or not watch.is_quiet():
            return
        if game.player_cell in game.map.stairs or game.player_cell in game.map.doors:
            return
        if _branches(game, before):
            return


def explore(game: Game) -> None:
    """Go where the player has not looked yet, to items over which he has not stood, and to what can be read, the nearest first.

    What lies there he takes, but for what he has come for: that is left to him. After all that, he opens what he can.
    """
    game.resume()
    if _is_pursued(game):
        return
    watch, ends = Watch(game, Trap), game.log.turn + LONGEST  # it goes to items anyway
    while game.log.turn < ends:
        way = way_to_nearest(game, [*frontier(game), *_unvisited_items(game), *unread_cells(game)])
        if not way:
            _open_or_tell(game, watch)
            return
        items = game.map.items_at(way[-1])
        finds = not game.map.passed.issuperset(items)
        may_go_on = _follow(game, watch, way, until_more_is_seen=True)
        if (
            finds
            and game.player_cell == way[-1]
            and not any(esper.has_component(item, Goal) for item in items)
        ):
            may_go_on = watch.is_quiet(expected=1) and _takes(game, watch)  # that they lie there was said
        if not may_go_on:
            return
    actions.remark(game, "You stop to look about.")


def _open_or_tell(game: Game, watch: Watch) -> None:
    """Go to the nearest lock that the player can open, and open it; where there is none, say what is left here."""
    locks = openable_locks(game)
    way = way_to_nearest(game, {cell for lock in locks for cell in game.map.neighbours(lock)})
    if not _follow(game, watch, way):
        return
    y, x = game.player_cell
    lock = next((each for each in locks if distance(each, (y, x)) == 1), None)
    if lock is None:
        actions.remark(game, told_of_leftovers(game))
    else:
        actions.step(game, (lock[0] - y, lock[1] - x))


def _takes(game: Game, watch: Watch) -> bool:
    """Take what lies here; tell whether that was all that has happened."""
    here = game.player_cell
    before = len(game.map.items_at(here))
    actions.pick_up(game)
    return watch.is_quiet(expected=before - len(game.map.items_at(here)))


def travel(game: Game, end: Cell) -> None:
    """Go to a cell that the player has seen; next to it, if nobody can stand there."""
    game.resume()
    if not game.map.sight.explored[end]:
        actions.remark(game, "You have not seen that place yet.")
    elif not _is_pursued(game):
        is_taken = end in game.map.blockers and game.map.sight.visible[end]
        way = [] if is_taken else way_to_nearest(game, [end])
        way = way or way_beside(game, end)
        if not way and distance(game.player_cell, end) > 1:
            actions.remark(game, "You know of no safe way there.")
        _follow(game, Watch(game), way)


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
    if game.player_cell == entrance or game.map_above() is None:
        actions.ascend(game)
    else:
        _seek_stairs(game, seen_stairs(game) & {entrance}, "up")


def rest(game: Game) -> None:
    """Let turns pass until the player is whole, or for a while if he is."""
    game.resume()
    if _is_pursued(game):
        return
    watch, was_whole = Watch(game), game.health.hp >= game.health.max_hp
    for _ in range(PAUSE if was_whole else LONGEST):
        actions.wait(game)
        if not watch.is_quiet():
            return
        if not was_whole and game.health.hp >= game.health.max_hp:
            actions.remark(game, "You are whole again.", "good")
            return


def _follow(game: Game, watch: Watch, way: list[Cell], *, until_more_is_seen: bool = False) -> bool:
    """Go along a way, through doors and around robots; tell whether the journey may go on after that.

    It ends early where the player sees something that he had not seen of the level, if that is asked for.
    """
    explored = game.map.sight.explored
    patience, seen = PATIENCE, np.count_nonzero(explored)
    while way:
        robot = game.map.blockers.get(way[0])
        if robot is None or is_ally(robot):
            (y, x), turn = game.player_cell, game.log.turn
            actions.step(game, (way[0][0] - y, way[0][1] - x))
            if game.log.turn == turn:
                return False
        elif around := way_to_nearest(game, way[-1:], barred=_taken_beside(game), longest=len(way) + DETOUR):
            way = around  # whose first cell is free
            continue
        elif patience := patience - 1:
            actions.wait(game)
        else:
            actions.remark(game, f"{with_article(name_of(robot)).capitalize()} is in the way.")
            return False
        if not watch.is_quiet():
            return False
        if game.player_cell == way[0]:
            way = way[1:]
        if until_more_is_seen and np.count_nonzero(explored) > seen:
            break
    return True


def _taken_beside(game: Game) -> list[Cell]:
    """Return the cells next to the player on which robots stand with whom he can't change places."""
    blockers = game.map.blockers
    beside = [cell for cell in game.map.neighbours(game.player_cell) if cell in blockers]
    return [cell for cell in beside if not is_ally(blockers[cell])]


def _seek_stairs(game: Game, known: set[Cell], where: str) -> None:
    way = way_to_nearest(game, known)
    if way:
        travel(game, way[-1])
    elif known:
        actions.remark(game, f"You know of no safe way to the stairs {where}.", "aside")
    else:
        actions.remark(game, f"You have not seen any stairs {where} yet. (o explores)", "aside")


def _unvisited_items(game: Game) -> list[Cell]:
    """Return where the items lie that the player knows, but for those over which he has stood."""
    return [cell_of(item) for item in sorted(seen_things(game, Item) - game.map.passed)]


def fighters_in_sight(game: Game) -> set[int]:
    """Return the robots in sight that can hurt the player, as looking at them tells."""
    return {robot for robot in robots_in_sight(game) if is_dangerous(robot) and not is_ally(robot)}


def _pursuers(game: Game) -> set[int]:
    """Return the robots in sight that can hurt the player, and fight or seek him."""
    return {robot for robot in fighters_in_sight(game) if _state_of(robot) in PRESSING}


def _close(game: Game) -> set[int]:
    """Return the robots in sight that can hurt the player, know of him and keep away, but are close."""
    wary = {robot for robot in fighters_in_sight(game) if _state_of(robot) in WARY}
    return {robot for robot in wary if distance(cell_of(robot), game.player_cell) <= CLOSE}


def _state_of(robot: int) -> State:
    return esper.component_for_entity(robot, Mind).state


def _intent(robot: int) -> str:
    """Return what the player reads of a robot that fights or seeks him."""
    return "is looking about for you" if _state_of(robot) == "searching" else "is after you"


def _is_pursued(game: Game) -> bool:
    """Tell whether somebody in sight fights or seeks the player who can hurt him; say so."""
    pursuers = sorted(_pursuers(game), key=lambda robot: (_state_of(robot) == "searching", robot))
    if pursuers:
        if _state_of(pursuers[0]) == "searching":
            advice = "Get out of its sight, or strike first."
        else:
            ways = "Fight it, or f shoots" if targets(game) else "Fight it"
            advice = f"{ways}, or run and c shuts a door behind you."
        actions.remark(game, f"Not now: the {name_of(pursuers[0])} {_intent(pursuers[0])}. {advice}")
    return bool(pursuers)


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
