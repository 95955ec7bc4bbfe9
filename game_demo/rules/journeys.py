"""Journeys: running, travelling, resting and exploring, many turns at one key press. Anything that matters ends them.

These end a journey: a robot in sight that fights the player, or would; damage; a burning fuse; something found; any message
that is more than an aside; another level; the end of the game. A robot that was in sight when the journey began does not end
it, unless it turns on the player. A robot that fights or seeks the player prevents one journey, or makes it one step long; it
does so again when it has hit him, and always while it is beside him or near enough to hit him hard. A robot that stalks or
flees ends a journey only by coming close; a harmless robot is mentioned once and ends none.

A *sleeper* is a sleeping robot that would fight the player. An *item of a choice* is one of several of which he may take one.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Final, Literal

import esper
import numpy as np

from game_demo.rules import actions
from game_demo.rules.fitting import CHARGE
from game_demo.rules.forcing import PRY, PRY_NOISE, lidded_at, opens_to_tool_only
from game_demo.rules.hearing import DEAF
from game_demo.rules.leftovers import (
    NEARBY,
    choices_untold,
    cradles_left,
    describe_deeds,
    describe_leftovers,
    is_his,
    laden_props,
    left_nearer,
    lids_to_pry,
    openable_locks,
    signs_unread,
    to_be_worked,
    unvisited_items,
)
from game_demo.rules.moods import gives_way, is_captive, is_peaceful, why_not
from game_demo.rules.naming import as_sentence, bearings, left_over, listed, name_of, pluralized, with_article
from game_demo.rules.pack import describe_choice, is_known, keeping_of, rivals_of
from game_demo.rules.paths import (
    FAR,
    cells_beside,
    frontier,
    is_seen_trap,
    mask_of,
    new_items_at,
    seen_stairs,
    side_of_stander,
    steps_from,
    way_beside,
    way_to_nearest,
)
from game_demo.rules.senses import exposure, range_of_sight
from game_demo.rules.turn import command
from game_demo.rules.watch import (
    Watch,
    fighters_in_sight,
    hunted,
    is_hindered,
    is_in_blast,
    known_sleepers,
    lookouts,
    warn,
    way_to_attack,
)
from game_demo.rules.work import deal
from game_demo.state.body import TURN
from game_demo.state.components import (
    ExclusiveChoice,
    ItemEffect,
    Robot,
    Trap,
    cell_of,
    cells_of,
)
from game_demo.state.geometry import bearing_of, distance

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from game_demo.state.game import Game
    from game_demo.state.geometry import Cell, Direction


# -- what is told before a way is gone -------------------------------------------------------------


@command
def tell_ahead(game: Game, goal: Cell, text: str) -> None:
    """Tell the player about a long or risky path before he walks it. This takes no time; the same key again walks the path."""
    game.ahead = game.map.level.id, goal
    game.log.say(text, "aside")


def is_agreed(game: Game, goal: Cell) -> bool:
    """Return whether the player was just told about the path to `goal`, so that he agrees to it by pressing the same key again."""
    return game.ahead == (game.map.level.id, goal)


def doors_shut_on_somebody(game: Game) -> set[Cell]:
    """Return the doors that the player has closed in sight of a hostile robot, and that are still closed."""
    doors = (cell for map_id, cell in game.shut if map_id == game.map.level.id)
    return {cell for cell in doors if game.map.door_at(cell)}


def describe_shut_door(game: Game, way: Iterable[Cell]) -> str:
    """Return a clause about the first of `doors_shut_on_somebody` on the path `way`; empty if there is none."""
    shut = doors_shut_on_somebody(game)
    door = next((cell for cell in way if cell in shut), None)
    where = "" if door is None else bearing_of(game.player_cell, door)
    return f", through the door to the {where} that you shut to keep a robot out" if where else ""


# -- sleeping robots -------------------------------------------------------------------------------

BESIDE: Final = 4
"""Journeys keep more than this many steps away from a sleeping enemy."""


class Sleepers:
    """The sleepers that the player knows of, and how near to them journeys may lead.

    Attributes:
        robots: The robots.
    """

    def __init__(self, game: Game) -> None:
        self.robots = known_sleepers(game)
        self._steps = steps_from(game, [cell_of(robot) for robot in self.robots])
        heard = 0 if game.body.sneaks else game.body.build.noise // DEAF
        self._woken = min(max(heard, 1), int(self._steps[game.player_cell]) - 1)

    def beside(self, cells: Iterable[Cell]) -> list[Cell]:
        """Return the cells that are within `BESIDE` steps of a sleeper."""
        return [cell for cell in cells if self._steps[cell] <= BESIDE]

    def nearest_to(self, cells: Iterable[Cell]) -> int:
        """Return the sleeper with the least distance to one of some cells."""
        return min(self.robots, key=lambda robot: min(distance(cell_of(robot), cell) for cell in cells))

    @property
    def around(self) -> NDArray[np.bool_]:
        """The (height, width) bool mask of the cells within `BESIDE` steps of a sleeper."""
        return self._steps <= BESIDE

    @property
    def within_earshot(self) -> NDArray[np.bool_]:
        """The (height, width) bool mask of the cells nearer to a sleeper than the player, where his steps would wake it."""
        return self._steps <= self._woken


# -- running, travelling, resting ------------------------------------------------------------------

RUN_STEPS: Final = 60
LONGEST: Final = 500
"""The most turns that a journey takes."""
PATIENCE: Final = 4
"""How many turns a journey waits for a robot in the way."""
DETOUR: Final = 3
"""The most extra steps of a detour around a robot in the way."""
PAUSE: Final = 20
"""How many turns `rest` waits if the player's hit points are full."""


def run(game: Game, direction: Direction) -> None:
    """Walk in one direction until something is worth a look, such as a side passage, a door or a robot."""
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
    """Walk to a cell that the player has seen, or beside it if it is blocked. While a robot hinders the player, walk one step only.

    No path begins on a cell that an enemy holds.
    A path through a door that the player has closed against a robot is taken only if there is no other, and only when he asks twice.

    Args:
        game: The game.
        end: The cell.
        told: A message printed before the first step; empty for none.
    """
    game.resume()
    if not game.map.sight.explored[end]:
        actions.remark(game, "You have not seen that place yet.")
        return
    if end == game.player_cell or is_in_blast(game):
        return
    chase = hunted(game)
    way = _way_to(game, end, _taken_beside(game, by_enemies=not chase))
    if not way and game.player_cell not in cells_beside(game, end):
        direct = _way_to(game, end)
        robot = game.map.blockers[direct[0]] if direct else None
        actions.remark(
            game, "You know no safe way there." if robot is None else _describe_hindrance(game, robot)
        )
    elif way and chase:
        warn(game, f"You go only one step, because {chase}.")
    elif (door := describe_shut_door(game, way)) and not is_agreed(game, end):
        goal = f"{pluralized(len(way), 'step')} to the {bearing_of(game.player_cell, end)}"
        tell_ahead(game, end, f"The way there is {goal}{door}. (Choose the place again to go)")
        return
    elif told:
        actions.remark(game, told, "aside")
    if follow(game, Watch(game, Trap), way[:1] if chase else way):
        _tell_beside(game, end)


def _way_to(game: Game, end: Cell, barred: NDArray[np.bool_] | None = None) -> list[Cell]:
    """Return a path to a cell, or to a cell beside it if it is blocked; an empty list if there is none.

    The path leads around sleepers, and around doors that the player has shut against robots, if there is such a path.
    """
    earshot, shut = Sleepers(game).within_earshot, mask_of(game, doors_shut_on_somebody(game))
    quiet = earshot if barred is None else earshot | barred
    for closed in (quiet | shut, quiet, barred) if shut.any() else (quiet, barred):
        way = [] if is_taken(game, end) else way_to_nearest(game, [end], barred=closed)
        if way := way or way_beside(game, end, barred=closed):
            return way
    return []


def is_taken(game: Game, cell: Cell) -> bool:
    """Return whether the player must stop beside a cell: he sees a robot or thing there that does not let him pass, or knows of a captive."""
    stander = game.map.blockers.get(cell)
    if stander is None or gives_way(game, stander):
        return False
    return bool(game.map.sight.visible[cell]) or is_captive(stander)


def _tell_beside(game: Game, end: Cell) -> None:
    """After a journey to a thing, tell the player how to use it, as a journey never walks into things."""
    thing = game.map.blockers.get(end)
    if thing is None or esper.has_component(thing, Robot) or game.player_cell not in cells_beside(game, end):
        return
    actions.remark(game, describe_keys_for_work(game, thing))


def describe_keys_for_work(game: Game, thing: int, *, explores: bool = False) -> str:
    """Return where a thing beside the player is and which keys work on it; `explores` adds what the key `o` does."""
    cell = min(cells_of(thing), key=lambda cell: distance(cell, game.player_cell))
    side = side_of_stander(game, cell)
    if opens_to_tool_only(game, cell):
        keys = "w or o" if explores else "w"
        told = f"press {keys} to pry it open, which is heard {PRY_NOISE} steps away"
        how = told if game.body.build.pries else "only a tool that pries opens its shut lid"
    else:
        how = "walk into it" + ", or w" * actions.answers(game, thing) + "; o goes on" * explores
    return f"The {name_of(thing)} is beside you, to the {side}. ({how})"


def go_down(game: Game) -> None:
    """Take the stairs down or on, or walk to the nearest known ones."""
    here = game.player_cell
    if here in game.map.exits or here in game.map.portals:
        actions.descend(game)
    else:
        _seek_stairs(game, seen_stairs(game) & game.map.exits.keys(), "down")


def go_up(game: Game) -> None:
    """Take the stairs up, or walk to them."""
    if game.player_cell in game.map.ways_up or game.world.node(game.map.level.id).one_way:
        actions.ascend(game)
    else:
        _seek_stairs(game, seen_stairs(game) & game.map.ways_up, "up")


def rest(game: Game) -> None:
    """Pass turns until the player's hit points are full; `PAUSE` turns if they are full already."""
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


def await_foe(game: Game) -> None:
    """Wait until the enemy that comes is beside the player, or anything else happens; at most `PATIENCE` turns."""
    hp, foes = game.health.hp, fighters_in_sight(game)
    for _ in range(PATIENCE):
        actions.wait(game)
        still_comes = way_to_attack(game)[0] == (0, 0)
        if not still_comes or game.is_over or game.health.hp < hp or fighters_in_sight(game) != foes:
            return


def follow(game: Game, watch: Watch, way: list[Cell], *, until_news: bool = False) -> bool:
    """Walk along the path `way`, opening doors and going around robots; return whether the journey may go on.

    With `until_news` the walk ends as soon as the player discovers a cell or sees a robot that may notice him, because then
    another path may be better.
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
            way = around  # its first cell is free
            continue
        elif patience := patience - 1:
            actions.wait(game)
        else:
            actions.remark(game, _describe_hindrance(game, robot))
            return False
        if not watch.is_quiet():
            return False
        if game.player_cell == way[0]:
            way = way[1:]
        if until_news and (np.count_nonzero(explored) > seen or lookouts(game)):
            break
    return True


def _taken_beside(game: Game, *, by_enemies: bool = False) -> NDArray[np.bool_]:
    """Return the (height, width) bool mask of the cells next to the player that are blocked by robots that don't make way.

    With `by_enemies` only those count that fight the player or would.
    """
    blockers, fighters = game.map.blockers, fighters_in_sight(game)
    beside = [cell for cell in game.map.neighbours(game.player_cell) if cell in blockers]
    if by_enemies:
        return mask_of(game, (cell for cell in beside if blockers[cell] in fighters))
    return mask_of(game, (cell for cell in beside if not gives_way(game, blockers[cell])))


def _describe_hindrance(game: Game, robot: int) -> str:
    """Return the message that a robot is in the way, and what the player can do about it."""
    in_the_way = f"{as_sentence(with_article(name_of(robot)))} is in the way."
    return f"{in_the_way} {why_not(game, robot)}" if is_peaceful(robot) else in_the_way


def _seek_stairs(game: Game, known: set[Cell], where: str) -> None:
    way = way_to_nearest(game, known)
    if way:
        travel(game, way[-1], _describe_stairs(game, known, len(way), way[-1]))
    elif known:
        actions.remark(game, f"You know no safe way to the stairs {where}.", "aside")
    else:
        actions.remark(
            game, f"You have not seen any stairs {where} yet. (o explores, or tells what is left)", "aside"
        )


def _describe_stairs(game: Game, known: set[Cell], steps: int, stairs: Cell) -> str:
    """Return the message when the player walks to stairs, with a hint at other stairs and at cradles that he leaves unused."""
    exits = game.map.exits
    target = exits.get(stairs)
    to = f"to {game.title(target)}" if target is not None else "up"
    is_told = actions.describe_exit(game, stairs) in game.read  # else it is told at the end of the way
    ahead = f" {game.foretaste(target)}" if target is not None and is_told else ""
    is_one_of_several = len({exits[cell] for cell in known & exits.keys()}) > 1

    room = (game.body.capacity - game.body.charge) // TURN
    cradles = [name_of(each) for each in cradles_left(game)] if target is not None and room >= CHARGE else []
    left = f" There {left_over(cradles)} here." if cradles else ""
    away = f"{pluralized(steps, 'step')} away"
    if is_one_of_several:
        others = "(For other stairs: x, then > and Enter)"
        return f"You set out for the nearest stairs, {to}, {away}. {others}{ahead}{left}"
    return f"You set out for the stairs {to}, {away}.{ahead}{left}"


def _branches(game: Game, before: Cell) -> bool:
    """Return whether there is a door at the player's side, or a passage that was not at his side on the cell `before` this step."""
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


# -- exploring -------------------------------------------------------------------------------------

LONG: Final = 25
"""Exploring tells where a way of this many steps leads, and asks before one that leads away from what is left nearer."""
MOST_NEARER: Final = 2
"""How many nearer things are named when exploring leads far away."""


def explore(game: Game) -> None:
    """Walk to the nearest unexplored ground, item or unread sign, again and again, until something happens.

    Items are taken on the way, except those that `is_his` names. Locks that the player can open are opened. Beside
    a choice, a lever, a terminal or a lid he can pry open, exploring stops once and tells him; if he explores on, a lid is pried open,
    and the others are left alone. Sleeping enemies are avoided and the ground near them is explored last. The player is asked before a long
    way if something is left to do nearer, and before a way in sight of a hostile robot.
    """
    game.resume()
    if is_hindered(game):
        return
    watch, ends = Watch(game, Trap), game.log.turn + LONGEST  # not Item, as exploring goes to items anyway
    agreed, dared = LONG - 1, ""
    while game.log.turn < ends:
        if _finds_at(game, game.player_cell) and not _picks_up(game, watch):
            return
        sleepers = Sleepers(game)
        done = _sees_to_what_is_beside(game, watch, sleepers)
        if done == "go on":
            continue
        if done == "stop":
            return
        shut = mask_of(game, doors_shut_on_somebody(game))
        if not (way := _way_on(game, sleepers, shut) or _way_on(game, sleepers)):
            _open_or_tell(game, watch, sleepers)
            return
        watcher = "door" if any(shut[cell] for cell in way) else _watcher_of(game, way)
        doubtful = watcher not in ("", dared) or len(way) > agreed
        if doubtful and not is_agreed(game, way[-1]) and _asks_before(game, way, watcher, dared):
            return
        agreed, dared, begins = max(agreed, len(way)), watcher or dared, game.log.turn
        finds = _finds_at(game, way[-1])
        is_told = not game.map.passed.issuperset(finds)
        may_go_on = follow(game, watch, way, until_news=True)
        agreed = max(agreed - (game.log.turn - begins), LONG - 1)
        if finds and game.player_cell == way[-1]:
            may_go_on = watch.is_quiet(expected=is_told) and _picks_up(game, watch)
        if not may_go_on:
            return
    actions.remark(game, "You have explored for a long time, and stop to look around.")


@command
def come_upon(game: Game, thing: int) -> None:
    """Tell the player, once, that he is beside a lever, a lid, a terminal or an item of a choice. It takes no time."""
    if thing not in _work_beside(game, game.player_cell):
        return
    if esper.has_component(thing, ExclusiveChoice):
        game.map.left.update([thing, *rivals_of([thing])])
        told = f"{as_sentence(describe_choice([thing]))}. (g on one takes it; o goes on)"
    else:
        game.map.passed.add(thing)
        game.ahead = game.map.level.id, cell_of(thing)
        told = describe_keys_for_work(game, thing, explores=True)
    game.log.say(told, "find")


def _lid_come_upon(game: Game) -> Cell | None:
    """Return the cell of the lid beside the player that exploring has just told him of, or None."""
    told = (lid for lid in lids_to_pry(game) if is_agreed(game, cell_of(lid)))
    cells = chain.from_iterable(map(cells_of, told))
    return next((cell for cell in cells if distance(cell, game.player_cell) == 1), None)


def _asks_before(game: Game, way: list[Cell], watcher: str, dared: str) -> bool:
    """Tell where a long or watched path leads; return whether the player must agree, because of work left nearer or a new watcher."""
    told, nearer = _describe_way(game, way, watcher), _describe_nearer(game, len(way))
    if not nearer and watcher in ("", dared):
        actions.remark(game, told, "aside")
        return False
    again = game.log.advice("(press o again to go there)", "(o goes there)")
    tell_ahead(game, way[-1], f"{nearer}{told} {again}")
    return True


def _watcher_of(game: Game, way: list[Cell]) -> str:
    """Return the name of the first awake robot that fights or calls and would notice the player on the path; empty for none."""
    for robot in lookouts(game):
        cell, reach = cell_of(robot), range_of_sight(robot, exposure(game))
        if any(distance(cell, each) <= reach for each in way):
            return name_of(robot)
    return ""


def _describe_way(game: Game, way: list[Cell], watcher: str) -> str:
    """Return the message before a long or watched path: where it leads, what for, and which robot would see the player."""
    goal = way[-1]
    things = _finds_at(game, goal) + [sign for sign in signs_unread(game) if cell_of(sign) == goal]
    things += _work_beside(game, goal)
    if things:
        aim = f"to {listed(map(name_of, things))}"
    elif any(distance(lock, goal) <= 1 for lock in openable_locks(game)):
        aim = "to open something"
    else:
        aim = "to look around"
    eyes = f", where {with_article(watcher)} would see you" if watcher else ""
    eyes = describe_shut_door(game, way) or eyes
    return f"Next: {pluralized(len(way), 'step')} to the {bearing_of(game.player_cell, goal)}, {aim}{eyes}."


def _describe_nearer(game: Game, steps: int) -> str:
    """Return the sentence about what the player could do fewer than `steps` steps away; empty for nothing."""
    here = left_nearer(game, steps)[:MOST_NEARER]
    lists = game.log.advice("(press _ to list all)", "(_ lists)")
    return f"Left to do nearer to you: {describe_deeds(here)}. {lists} " if here else ""


def _way_on(game: Game, sleepers: Sleepers, barred: NDArray[np.bool_] | None = None) -> list[Cell]:
    """Return the path to the nearest cell with something to discover, read, take or open; empty if nothing is left.

    A goal near a sleeper counts only if it is unexplored ground. Of the props to read only signs count: see `is_sign`. A sign or a
    place beside a choice within `NEARBY` steps comes before all other goals.

    Args:
        game: The game.
        sleepers: The sleeping enemies.
        barred: (height, width) bool, cells that the path must avoid; None for none.
    """
    unseen = frontier(game)
    works = chain(openable_locks(game), laden_props(game), *map(cells_of, to_be_worked(game)))
    beside = {cell for work in works for cell in game.map.neighbours(work)}
    signs = {*map(cell_of, signs_unread(game))}
    choices = [cell_of(item) for item in choices_untold(game)]
    first = signs.union(*map(game.map.neighbours, choices))
    goals = {*unseen, *unvisited_items(game), *signs, *beside}.difference(choices)
    around, within_earshot = sleepers.around, sleepers.within_earshot
    if barred is not None:
        around, within_earshot = around | barred, within_earshot | barred
    quiet = goals.difference(sleepers.beside(goals))
    return (
        way_to_nearest(game, quiet & first, barred=around, longest=NEARBY)
        or way_to_nearest(game, quiet, barred=around)
        or way_to_nearest(game, quiet.union(unseen), barred=within_earshot)
    )


def _finds_at(game: Game, cell: Cell) -> list[int]:
    """Return the items at a cell that exploring takes: all, or none if the goal of the game or an item of a choice is among them."""
    finds = new_items_at(game, cell)
    return [] if any(map(is_his, finds)) else finds


def _picks_up(game: Game, watch: Watch, prop: int | None = None) -> bool:
    """Take the items on the player's cell, or on a prop beside him.

    Return False if exploring stops, because an item is worth a stop or something else happened.
    """
    cells = [game.player_cell] if prop is None else cells_of(prop)
    items = [item for cell in cells for item in game.map.items_at(cell)]
    usual = [item for item in items if not _is_worth_a_stop(game, item)]
    if prop is None:
        actions.pick_up(game)
    else:
        _open(game, next(_beside(cells, game.player_cell)))
    taken = [item for item in usual if not esper.entity_exists(item)]
    return watch.is_quiet(expected=len(taken) + (prop is not None))  # a prop is described before


def _is_worth_a_stop(game: Game, item: int) -> bool:
    """Return whether exploring stops after taking an item: a part, a key, or the first of a useful kind."""
    is_part = esper.component_for_entity(item, ItemEffect).part is not None
    is_new = keeping_of(item) == "pack" and not is_known(game, item)
    return is_part or is_new or keeping_of(item) == "ring"


def _open_or_tell(game: Game, watch: Watch, sleepers: Sleepers) -> None:
    """Walk to the nearest lock that the player can open and open it; if there is none, print what is left on the level."""
    locks = openable_locks(game)
    beside = {cell for lock in locks for cell in game.map.neighbours(lock)}
    way = way_to_nearest(game, beside, barred=sleepers.within_earshot)
    if not follow(game, watch, way):
        return
    lock = next((each for each in locks if distance(each, game.player_cell) == 1), None)
    if lock is None:
        actions.remark(game, describe_leftovers(game, *_describe_left_near_sleepers(game, sleepers)))
    else:
        _open(game, lock)


def _sees_to_what_is_beside(
    game: Game, watch: Watch, sleepers: Sleepers
) -> Literal["nothing", "go on", "stop"]:
    """Open a lock or lid beside the player that he can open, or take what lies on a prop; else tell him of a choice, lever, lid or terminal.

    A lid that only a tool opens is pried open if exploring has just told him of it. Nothing is done beside a sleeper.

    Returns:
        `nothing` if there was nothing to do, `go on` if it was no reason to stop, else `stop`.
    """
    here = game.player_cell
    if sleepers.beside([here]):
        return "nothing"
    if (lock := next(_beside(openable_locks(game), here), _lid_come_upon(game))) is not None:
        is_lid, is_shut = lidded_at(game, lock) is not None, opens_to_tool_only(game, lock)
        _open(game, lock)
        told = 1 if is_shut else 2  # a lid that is ajar is described before its content
        return "go on" if is_lid and watch.is_quiet(expected=told) else "stop"
    if (laden := next(_beside(laden_props(game), here), None)) is not None:
        return "go on" if _picks_up(game, watch, game.map.blockers[laden]) else "stop"
    if works := _work_beside(game, here):
        come_upon(game, works[0])
        return "stop"
    return "nothing"


def _beside(cells: Iterable[Cell], here: Cell) -> Iterator[Cell]:
    """Yield the cells that are next to `here`."""
    return (cell for cell in cells if distance(cell, here) == 1)


def _work_beside(game: Game, here: Cell) -> list[int]:
    """Return the choices, levers, lids and terminals next to a cell of which exploring has not told the player yet."""
    works = to_be_worked(game)
    return [each for each in works if any(distance(cell, here) == 1 for cell in cells_of(each))]


def _open(game: Game, lock: Cell) -> None:
    """Open a lock, take what lies on a prop, or pry open a lid next to the player."""
    direction = lock[0] - game.player_cell[0], lock[1] - game.player_cell[1]
    if opens_to_tool_only(game, lock):
        deal(game, direction, PRY)
    else:
        actions.step(game, direction)


def _describe_left_near_sleepers(game: Game, sleepers: Sleepers) -> tuple[str, str]:
    """Return the sentences about the way on past a sleeping enemy, and about items left near one; empty for nothing."""
    if not sleepers.robots:
        return "", ""
    how = "o keeps away from it, so walk there, or strike it (Tab)" if game.body.sneaks else "sneak there (t)"
    steps = steps_from(game, [game.player_cell])
    cells = dict.fromkeys(cell for cell in unvisited_items(game) if steps[cell] < FAR)
    names = [name_of(item) for cell in cells for item in game.map.items_at(cell)]
    way_on = items = ""
    if way := way_to_nearest(game, frontier(game)):
        sleeper = sleepers.nearest_to(way)
        where = bearings(game.player_cell, cell_of(sleeper))
        way_on = f"{as_sentence(with_article(name_of(sleeper)))} sleeps beside the way on, {where}: {how}."
    if names:
        items = f"There {left_over(names)} near a sleeping {name_of(sleepers.nearest_to(cells))}: {how}."
    return way_on, items
