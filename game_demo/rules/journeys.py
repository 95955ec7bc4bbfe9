"""Journeys: running, travelling, resting and exploring, many turns at one key press. Anything that matters ends them.

These end a journey: a robot in sight that fights the player, or would; damage; a burning fuse; something found; any message
that is more than an aside; another level; the end of the game. A robot that was in sight when the journey began does not end
it, unless it turns on the player. While a robot fights or seeks the player, a journey is one step long. A robot that stalks
or flees ends a journey only by coming close; a harmless robot is mentioned once and ends none.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Final, Literal

import esper
import numpy as np

from game_demo.rules import actions
from game_demo.rules.fitting import CHARGE
from game_demo.rules.forcing import PRY, PRY_NOISE, opens_to_tool_only
from game_demo.rules.leftovers import (
    cradles_left,
    left_nearer,
    lids_to_pry,
    openable_locks,
    signs_unread,
    to_be_worked,
    told_of_leftovers,
    untried_levers,
)
from game_demo.rules.moods import gives_way, is_peaceful, why_not
from game_demo.rules.naming import as_sentence, left_over, listed, name_of, pluralized, with_article
from game_demo.rules.options import noise_of
from game_demo.rules.pack import is_known, keeping_of
from game_demo.rules.paths import (
    FAR,
    cells_beside,
    frontier,
    is_seen_trap,
    mask_of,
    new_items_at,
    seen_stairs,
    seen_things,
    side_of_stander,
    steps_from,
    way_beside,
    way_to_nearest,
)
from game_demo.rules.senses import DEAF, exposure, range_of_sight
from game_demo.rules.turn import command
from game_demo.rules.watch import Watch, hunted, is_hindered, is_in_blast, known_sleepers, lookouts
from game_demo.rules.work import deal
from game_demo.state.body import TURN
from game_demo.state.components import Choice, Goal, Item, ItemEffect, Robot, Trap, cell_of, cells_of
from game_demo.state.geometry import bearing_of, distance

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from game_demo.state.game import Game
    from game_demo.state.geometry import Cell, Direction


# -- what is told before a way is gone -------------------------------------------------------------


@command
def tell_ahead(game: Game, goal: Cell, text: str) -> None:
    """Let the player read where going on takes him, that he may think better of it; that takes no time."""
    game.ahead = game.map.level.id, goal
    game.log.say(text, "aside")


def is_agreed(game: Game, goal: Cell) -> bool:
    """Tell whether that is the way of which the player was told last."""
    return game.ahead == (game.map.level.id, goal)


def doors_shut_on_somebody(game: Game) -> set[Cell]:
    """Return the doors that the player has shut before the eyes of somebody who means harm, and that are shut still."""
    doors = (cell for map_id, cell in game.shut if map_id == game.map.level.id)
    return {cell for cell in doors if game.map.door_at(cell)}


def told_of_shut_door(game: Game, way: Iterable[Cell]) -> str:
    """Return by which of these doors a way leads first, as a part of a sentence; empty if by none."""
    shut = doors_shut_on_somebody(game)
    door = next((cell for cell in way if cell in shut), None)
    where = "" if door is None else bearing_of(game.player_cell, door)
    return f", through the door to the {where} that you shut against a robot" if where else ""


# -- sleeping robots -------------------------------------------------------------------------------

BESIDE: Final = 4
"""What is no more steps away from a sleeping enemy is left alone."""


class Sleepers:
    """Those asleep of whom the player knows, and how near he goes to them.

    Attributes:
        names: What they are called.
    """

    def __init__(self, game: Game) -> None:
        sleepers = known_sleepers(game)
        self.names = [name_of(robot) for robot in sleepers]
        self._steps = steps_from(game, [cell_of(robot) for robot in sleepers])
        heard = 0 if game.body.sneaks else game.body.build.noise // DEAF
        self._woken = min(max(heard, 1), int(self._steps[game.player_cell]) - 1)

    def beside(self, cells: Iterable[Cell]) -> list[Cell]:
        """Return those of some cells that are beside one of them."""
        return [cell for cell in cells if self._steps[cell] <= BESIDE]

    @property
    def around(self) -> NDArray[np.bool_]:
        """The (height, width) bool mask of all that is beside one of them."""
        return self._steps <= BESIDE

    @property
    def within_earshot(self) -> NDArray[np.bool_]:
        """The (height, width) bool mask of where steps wake one of them, but for what is no nearer to it than the player is."""
        return self._steps <= self._woken


# -- running, travelling, resting ------------------------------------------------------------------

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


# -- exploring -------------------------------------------------------------------------------------

LONG: Final = 25
"""A way of so many steps is told of, and gone when the player explores on, for it takes charge."""
LEGIBLE: Final = 8
"""What can be read, and is no more steps away, comes before what is nearer, for it may be about that."""
MOST_NEARER: Final = 2
"""So many things are told of that a player leaves behind who goes a long way."""


def explore(game: Game) -> None:
    """Go where the player has not looked yet, to items that he has not left, and to what can be read, the nearest first.

    What lies there he takes, but for what he has come for, and where there is a choice: that is left to him. Doors and
    boxes that he has keys to he opens, the nearest first as well; levers, terminals and what he has the tool to pry open he
    comes upon, for him to try: the lever or lid beside which exploring has just ended he pulls, or pries open, when he explores on. What lies
    beside a sleeping enemy he leaves, and he looks there last. Of a long way, and of one on which somebody who fights would notice him, he is told; he goes it when he explores on.
    """
    game.resume()
    if is_hindered(game):
        return
    watch, ends = Watch(game, Trap, Choice), game.log.turn + LONGEST  # it goes to items anyway
    agreed, dared = LONG - 1, ""
    while game.log.turn < ends:
        if _finds_at(game, game.player_cell) and not _picks_up(game, watch):
            return
        sleepers = Sleepers(game)
        if not sleepers.beside([game.player_cell]) and (done := _sees_to_what_is_beside(game)) != "nothing":
            if done == "pried" and watch.is_quiet(expected=1):  # what was in it is told
                continue
            return
        shut = mask_of(game, doors_shut_on_somebody(game))
        if not (way := _way_on(game, sleepers, shut) or _way_on(game, sleepers)):
            _open_or_tell(game, watch, sleepers)
            return
        watcher = "door" if any(shut[cell] for cell in way) else _watcher_of(game, way)
        if (watcher not in ("", dared) or len(way) > agreed) and not is_agreed(game, way[-1]):
            tell_ahead(game, way[-1], _told_of_way(game, way, watcher))
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
    actions.remark(game, "You stop to look around.")


@command
def come_upon(game: Game, thing: int) -> None:
    """Let the player read once that he is beside a lever, a lid or a terminal that he may try; that takes no time."""
    if thing not in _work_beside(game, game.player_cell):
        return
    game.map.passed.add(thing)
    game.ahead = game.map.level.id, cell_of(thing)
    game.log.say(told_of_work(game, thing, explores=thing in _simple_works(game)), "find")


def _simple_works(game: Game) -> list[int]:
    """Return the untried levers and shut lids with which just one thing can be done, so that exploring on may do it."""
    return [*untried_levers(game), *lids_to_pry(game)]


def _work_come_upon(game: Game) -> Cell | None:
    """Return the cell of the lever or lid beside the player of which he was told last as he explored; None for none."""
    works = {(game.map.level.id, cell_of(each)): each for each in _simple_works(game)}
    work = works.get(game.ahead) if game.ahead else None
    beside = () if work is None else cells_of(work)
    return next((cell for cell in beside if distance(cell, game.player_cell) == 1), None)


def _watcher_of(game: Game, way: list[Cell]) -> str:
    """Return who in sight means harm, or calls who does, is awake, and would notice the player on his way, by its name; empty for nobody."""
    for robot in lookouts(game):
        cell, reach = cell_of(robot), range_of_sight(robot, exposure(game))
        if any(distance(cell, each) <= reach for each in way):
            return name_of(robot)
    return ""


def _told_of_way(game: Game, way: list[Cell], watcher: str) -> str:
    """Return where a way leads, what for, and before whose eyes, as the player reads it before he decides to go there."""
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
    eyes = told_of_shut_door(game, way) or eyes
    here = left_nearer(game, len(way))
    first = f" There {left_over(here[:MOST_NEARER])} nearer to you. (_ lists all)" if here else ""
    return f"Next: {pluralized(len(way), 'step')} to the {bearing_of(game.player_cell, goal)}, {aim}{eyes}. (o again goes there){first}"


def _way_on(game: Game, sleepers: Sleepers, barred: NDArray[np.bool_] | None = None) -> list[Cell]:
    """Return the way to the nearest cell where there is something to be seen, read or taken; beside sleepers only to look.

    Of what can be read only signs are worth a way, as all stools have three legs; and they come first where they are near.

    Args:
        game: The game.
        sleepers: Those asleep.
        barred: (height, width) bool, where it does not lead; None for nowhere.
    """
    unseen = frontier(game)
    works = chain(openable_locks(game), *map(cells_of, to_be_worked(game)))
    beside = {cell for work in works for cell in game.map.neighbours(work)}
    signs = {*map(cell_of, signs_unread(game))}
    goals = {*unseen, *_unvisited_items(game), *signs, *beside}
    around, within_earshot = sleepers.around, sleepers.within_earshot
    if barred is not None:
        around, within_earshot = around | barred, within_earshot | barred
    quiet = goals.difference(sleepers.beside(goals))
    return (
        way_to_nearest(game, quiet & signs, barred=around, longest=LEGIBLE)
        or way_to_nearest(game, quiet, barred=around)
        or way_to_nearest(game, quiet.union(unseen), barred=within_earshot)
    )


def _finds_at(game: Game, cell: Cell) -> list[int]:
    """Return the items of a cell that are to be taken; none if what he has come for is among them, or a choice: that is his."""
    finds = new_items_at(game, cell)
    return [] if any(map(_is_his, finds)) else finds


def _is_his(item: int) -> bool:
    """Tell whether the player takes an item himself or not at all: what he has come for, and one of several."""
    return esper.has_component(item, Goal) or esper.has_component(item, Choice)


def _picks_up(game: Game, watch: Watch) -> bool:
    """Take what lies here, of which the player knows; tell whether it is nothing to make use of now, and nothing else has happened."""
    items = game.map.items_at(game.player_cell)
    novel = {item for item in items if _is_worth_a_stop(game, item)}
    actions.pick_up(game)
    taken = set(items).difference(game.map.items_at(game.player_cell))
    return watch.is_quiet(expected=len(taken - novel))


def _is_worth_a_stop(game: Game, item: int) -> bool:
    """Tell whether an item that is taken is a part to be fitted, opens locks, or is something new to make use of."""
    is_part = esper.component_for_entity(item, ItemEffect).part is not None
    is_new = keeping_of(item) == "pack" and not is_known(game, item)
    return is_part or is_new or keeping_of(item) == "ring"


def _open_or_tell(game: Game, watch: Watch, sleepers: Sleepers) -> None:
    """Go to the nearest lock that the player can open, and open it; where there is none, say what is left here."""
    locks = openable_locks(game)
    beside = {cell for lock in locks for cell in game.map.neighbours(lock)}
    way = way_to_nearest(game, beside, barred=sleepers.within_earshot)
    if not follow(game, watch, way):
        return
    lock = next((each for each in locks if distance(each, game.player_cell) == 1), None)
    if lock is None:
        actions.remark(game, told_of_leftovers(game, _told_beside(game, sleepers)))
    else:
        _open(game, lock)


def _sees_to_what_is_beside(game: Game) -> Literal["nothing", "pried", "other"]:
    """Open a door or box next to the player that he has a key to, tell him of a lever, lid or terminal there, or try one of which he was told.

    Returns:
        What came of it: `other` is what the player is to see, and to think about.
    """
    here = game.player_cell
    locks = (each for each in openable_locks(game) if distance(each, here) == 1)
    lock = next(locks, _work_come_upon(game))
    works = _work_beside(game, here)
    if lock is not None:
        is_lid = opens_to_tool_only(game, lock)
        _open(game, lock)
        return "pried" if is_lid else "other"
    if works:
        come_upon(game, works[0])
        return "other"
    return "nothing"


def _work_beside(game: Game, here: Cell) -> list[int]:
    """Return the levers, lids and terminals next to a cell beside which exploring has not ended yet."""
    works = to_be_worked(game)
    return [each for each in works if any(distance(cell, here) == 1 for cell in cells_of(each))]


def _open(game: Game, lock: Cell) -> None:
    """Open a lock next to the player, pull a lever there, or pry a lid open."""
    direction = lock[0] - game.player_cell[0], lock[1] - game.player_cell[1]
    if opens_to_tool_only(game, lock):
        deal(game, direction, PRY)
    else:
        actions.step(game, direction)


def _told_beside(game: Game, sleepers: Sleepers) -> str:
    """Return what is left for the sake of those asleep, when exploring leads nowhere else; empty for nothing."""
    if not sleepers.names:
        return ""
    steps = steps_from(game, [game.player_cell])
    cells = [cell for cell in _unvisited_items(game) if steps[cell] < FAR]
    names = [name_of(item) for cell in dict.fromkeys(cells) for item in game.map.items_at(cell)]
    if way := way_to_nearest(game, frontier(game)):
        names.append(f"passage to the {bearing_of(game.player_cell, way[-1])}")
    return f"There {left_over(names)} near a sleeping {sleepers.names[0]}: sneak there (t)." if names else ""


def _unvisited_items(game: Game) -> list[Cell]:
    """Return where the items lie that the player knows, but for those that he has left, and what is his over which he has stood."""
    items = sorted(seen_things(game, Item) - game.map.left)
    return [cell_of(item) for item in items if item not in game.map.passed or not _is_his(item)]
