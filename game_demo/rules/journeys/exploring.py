"""Exploring: a journey to whatever the player has not seen, taken, read, opened or tried on his level, the nearest first."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Final, Literal

import esper

from game_demo.rules import actions
from game_demo.rules.body.pack import keeping_of
from game_demo.rules.body.taking import is_known
from game_demo.rules.journeys.ahead import doors_shut_on_somebody, is_agreed, tell_ahead, told_of_shut_door
from game_demo.rules.journeys.sleepers import Sleepers
from game_demo.rules.journeys.walking import LONGEST, follow, told_of_work
from game_demo.rules.journeys.watch import Watch, is_hindered, lookouts
from game_demo.rules.naming import left_over, listed, name_of, pluralized, with_article
from game_demo.rules.recorded import command
from game_demo.rules.robots.senses import exposure, range_of_sight
from game_demo.rules.ways import (
    FAR,
    frontier,
    mask_of,
    new_items_at,
    seen_things,
    steps_from,
    way_to_nearest,
)
from game_demo.rules.works.leftovers import (
    left_nearer,
    lids_to_pry,
    openable_locks,
    signs_unread,
    to_be_worked,
    told_of_leftovers,
    untried_levers,
)
from game_demo.rules.works.prying import PRY, opens_to_tool_only
from game_demo.rules.works.ways import deal
from game_demo.state.components import Choice, Goal, Item, ItemEffect, Trap
from game_demo.state.entities import cell_of, cells_of
from game_demo.state.geometry import bearing_of, distance

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from game_demo.state.game import Game
    from game_demo.state.geometry import Cell

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
