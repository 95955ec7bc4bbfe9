"""What is left to do on a level: unread signs, untried levers, captives, locks, lids, terminals, cradles and items that the player saw.

An *item of a choice* is one of several of which the player may take one. The *offers* of a terminal are what it may do for him.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import esper
import numpy as np

from dungeon import terrain as t
from game_demo.rules.forcing import needs_tool
from game_demo.rules.hacking import has_anything
from game_demo.rules.locks import description_of, has_opener, is_barred, is_locked, locked_prop_at
from game_demo.rules.moods import is_captive, waiting_for
from game_demo.rules.naming import bearings, listed, name_of
from game_demo.rules.pack import spare_for
from game_demo.rules.paths import (
    FAR,
    cells_beside,
    is_seen_trap,
    known_costs,
    seen_stairs,
    seen_things,
    steps_from,
)
from game_demo.state.carried import words_of
from game_demo.state.components import (
    Blocks,
    Charger,
    EntityText,
    ExclusiveChoice,
    GoalItem,
    Item,
    Prop,
    Tag,
    cell_of,
    cells_of,
)
from game_demo.state.fixtures import Captive, Lid, Terminal
from game_demo.state.geometry import distance

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from dungeon import Portal
    from game_demo.state.game import Game
    from game_demo.state.geometry import Cell


NEARBY: Final = 8
"""Exploring visits unread signs and the items of a choice within this many steps before nearer goals: a sign may be about these."""
MOST_SIGNS: Final = 5
"""How many signs that were read already are listed as places to go."""
MOST_ALIKE: Final = 3
"""How many places of one kind are listed, nearest first."""


def signs_unread(game: Game) -> list[int]:
    """Return the unread signs on the floor that the player has seen.

    A sign is a prop with a text of its own, or one that tells a code. A prop with the text of all its kind is not a sign.
    """
    return [prop for prop in _unread(game) if is_sign(game, prop)]


def openable_locks(game: Game) -> list[Cell]:
    """Return the cells of the known locked doors and boxes that the player has the opener for, and of lids that are ajar."""
    locked = [*_locked_doors(game), *map(cell_of, _locked_boxes(game))]
    ajar = [cell_of(each) for each in _lids(game) if not needs_tool(each)]
    return [cell for cell in locked if has_opener(game, cell)] + ajar


PRY_OPEN: Final = "pry open"
"""The deed of a lid that a tool opens."""


class Leftover(NamedTuple):
    """Something on the level that the player could still do something about.

    Attributes:
        thing: The name of the thing.
        cell: The cell of the thing.
        deed: What the player can do with it, such as ``read``.
    """

    thing: str
    cell: Cell
    deed: str


def describe_leftovers(game: Game, way_on: str = "", asleep: str = "") -> str:
    """Return the message when exploring is over: what else is left on the level, and that the player may search for secret doors.

    Args:
        game: The game.
        way_on: A sentence about unexplored ground past a sleeping enemy; empty for none.
        asleep: A sentence about items left near sleeping enemies; empty for none.
    """
    told = [way_on or "Nothing else to explore here."]
    if left := leftovers(game):
        lists = game.log.advice("(press _ to list the nearest)", "(_ lists)")
        told.append(f"Left to do: {describe_deeds(left)}. {lists}")
        if not game.body.build.pries and any(each.deed == PRY_OPEN for each in left):
            told.append(f"To pry, fit the {spare_for(game, 'pries')} that you carry (i).")
    if traps := traps_in_the_way(game):
        nearest = min(traps, key=lambda each: distance(cell_of(each), game.player_cell))
        where = bearings(game.player_cell, cell_of(nearest))
        told.append(
            f"The {name_of(nearest)}, {where}, lies in the way on: disarm it (w beside it), or walk onto it."
        )
    if asleep:
        told.append(asleep)
    if items := _left_items(game):
        told.append(f"You left {listed(map(name_of, items))} behind.")
    if (barred := _out_of_reach(game)) is not None:
        told.append(f"You see ground {bearings(game.player_cell, barred)} that you can't reach yet.")
    if seen_stairs(game) & game.map.exits.keys():
        told.append("Press > to go to stairs that lead onward.")
    elif not (left or way_on or asleep):
        told.append("Search at dead ends (s): there may be secret doors.")
    return " ".join(told)


def leftovers(game: Game) -> list[Leftover]:
    """Return the untried levers, captives, terminals with an offer, unread signs, locks, portals, shut lids and traps in the way."""
    locks = game.map.locks
    shut = {cell: locks[cell].name if cell in locks else "" for cell in _locked_doors(game)}
    found = [Leftover(name_of(each), cell_of(each), "try") for each in untried_levers(game)]
    found += [Leftover(name_of(each), cell_of(each), "free") for each in captives_left(game)]
    found += [Leftover(name_of(each), cell_of(each), "ask") for each in _talkative_terminals(game)]
    found += [Leftover(name_of(each), cell_of(each), "read") for each in signs_unread(game)]
    found += [Leftover(name or "locked door", cell, "open") for cell, name in shut.items()]
    for cell, portal in _portals_left(game).items():
        name = portal.kind.replace("_", " ")
        is_shut = is_barred(game, portal)
        found.append(Leftover(f"locked {name}" if is_shut else name, cell, "open" if is_shut else "take"))
    for box in _locked_boxes(game):
        deed, locked = ("unlock", "") if has_opener(game, cell_of(box)) else ("open", "locked ")
        found.append(Leftover(f"{locked}{name_of(box)}", cell_of(box), deed))
    lids = _lids(game)
    found += [Leftover(name_of(each), cell_of(each), "open") for each in lids if not needs_tool(each)]
    if game.body.build.pries or spare_for(game, "pries"):
        found += [Leftover(name_of(each), cell_of(each), PRY_OPEN) for each in lids if needs_tool(each)]
    found += [Leftover(name_of(each), cell_of(each), "disarm") for each in traps_in_the_way(game)]
    return found


def describe_deeds(left: Iterable[Leftover]) -> str:
    """Return what is left to do, each deed written once: ``ask a call board and a console; open a gate``."""
    things: dict[str, list[str]] = {}
    for each in left:
        things.setdefault(each.deed, []).append(each.thing)
    return "; ".join(f"{deed} {listed(names)}" for deed, names in things.items())


def lids_to_pry(game: Game) -> list[int]:
    """Return the shut lids that the player has seen; empty unless a tool that pries is fitted."""
    return [each for each in _lids(game) if needs_tool(each)] if game.body.build.pries else []


def traps_in_the_way(game: Game) -> list[int]:
    """Return the known traps with ground that the player can reach on one side, and ground that he can't, or has not seen, on another."""
    steps, costs = steps_from(game, [game.player_cell]), known_costs(game)
    lost = ((costs > 0) & (steps >= FAR)) | ~game.map.sight.explored
    found = []
    for cell, trap in game.map.traps.items():
        beside = game.map.neighbours(cell) if is_seen_trap(game, cell) else []
        if any(steps[near] < FAR for near in beside) and any(lost[near] for near in beside):
            found.append(trap)
    return sorted(found)


def places_to_try(game: Game) -> list[Cell]:
    """Return the cells of places that the player could go to, nearest first: leftovers, items, cradles, portals and signs.

    Places without a known way are left out. Of places of one kind the nearest few are kept. Places that are not in
    `ready_places` come last.
    """
    steps = steps_from(game, [game.player_cell])
    ready = ready_places(game)
    alike: dict[str, list[Cell]] = {}
    for each in leftovers(game):
        alike.setdefault(f"{each.deed} {each.thing}", []).append(each.cell)
    for entity in _items(game):
        alike.setdefault(name_of(entity), []).append(cell_of(entity))
    for cell, portal in game.map.portals.items():
        if game.map.sight.explored[cell]:
            alike.setdefault(portal.kind, []).append(cell)

    def nearest(cells: Iterable[Cell], most: int | None = None) -> list[tuple[int, Cell]]:
        return sorted((_steps_beside(game, steps, cell), cell) for cell in cells)[:most]

    found = nearest(map(cell_of, cradles_left(game)), MOST_ALIKE) + nearest(
        map(cell_of, _signs(game)), MOST_SIGNS
    )
    for cells in alike.values():
        found += nearest(cells, MOST_ALIKE)
    within_reach = sorted((cell not in ready, count, cell) for count, cell in found if 0 < count < FAR)
    return [*dict.fromkeys(cell for *_, cell in within_reach)]


def ready_places(game: Game) -> set[Cell]:
    """Return the cells where the player can take, try, free, read, open or charge something now."""
    things = [
        *_items(game),
        *_talkative_terminals(game),
        *untried_levers(game),
        *captives_left(game),
        *signs_unread(game),
        *lids_to_pry(game),
        *cradles_left(game),
        *traps_in_the_way(game),
    ]
    open_ways = {cell for cell, portal in _portals_left(game).items() if not is_barred(game, portal)}
    return {*map(cell_of, things), *openable_locks(game), *open_ways}


def captives_left(game: Game) -> list[int]:
    """Return the robots that the player has seen and can free."""
    return [robot for robot in sorted(seen_things(game, Captive)) if is_captive(robot)]


def cradles_left(game: Game) -> list[int]:
    """Return the chargers that the player has seen and that still hold charge."""
    chargers = sorted(seen_things(game, Charger))
    return [each for each in chargers if esper.component_for_entity(each, Charger).left]


def _items(game: Game) -> list[int]:
    """Return the items that the player has seen, without the goal of the game."""
    return [item for item in sorted(seen_things(game, Item)) if not esper.has_component(item, GoalItem)]


def left_nearer(game: Game, steps: int) -> list[Leftover]:
    """Return the leftovers of `ready_places` that are fewer than `steps` steps away."""
    found, ready = steps_from(game, [game.player_cell]), ready_places(game)
    near = (each for each in leftovers(game) if each.cell in ready)
    return [each for each in near if _steps_beside(game, found, each.cell) < steps]


def steps_beside(game: Game, cells: Iterable[Cell]) -> list[int]:
    """Return the number of steps to each cell; for a blocked cell, the steps to its nearest neighbour plus one."""
    steps = steps_from(game, [game.player_cell])
    return [_steps_beside(game, steps, cell) for cell in cells]


def _steps_beside(game: Game, steps: NDArray[np.int32], cell: Cell) -> int:
    """Return the number of steps to a cell; for a blocked cell, the steps to its nearest neighbour plus one."""
    beside = (int(steps[near]) for near in cells_beside(game, cell))
    return min(int(steps[cell]), 1 + min(beside, default=FAR))


def things_of_use(game: Game) -> list[int]:
    """Return the locked boxes, untried levers and terminals with an offer that the player has seen."""
    return [*_locked_boxes(game), *untried_levers(game), *_talkative_terminals(game)]


def to_be_worked(game: Game) -> list[int]:
    """Return the levers, lids, terminals and items of a choice of which exploring has not told the player yet."""
    works = [*untried_levers(game), *lids_to_pry(game), *_talkative_terminals(game)]
    return [work for work in works if work not in game.map.passed] + choices_untold(game)


def choices_untold(game: Game) -> list[int]:
    """Return the known items of a choice that the player neither stood on nor was told of."""
    return sorted(seen_things(game, ExclusiveChoice) - game.map.passed - game.map.left)


def _out_of_reach(game: Game) -> Cell | None:
    """Return the nearest walkable cell that the player has seen but knows no way to, such as behind a grille; None for none.

    Single cells don't count: what stands in a booth of glass never leaves it.
    The answer is also None if he has seen a portal: where a boat or the like crosses, ground is meant to be out of reach.
    """
    explored, here = game.map.sight.explored, game.player_cell
    if any(explored[cell] for cell in game.map.portals):
        return None
    apart = (known_costs(game) > 0) & (steps_from(game, [here]) >= FAR)
    cells = [(y, x) for y, x in np.argwhere(apart).tolist() if apart[y - 1 : y + 2, x - 1 : x + 2].sum() > 1]
    return min(cells, key=lambda cell: (distance(cell, here), cell), default=None)


def _talkative_terminals(game: Game) -> list[int]:
    """Return the terminals that the player has seen and that have an offer for him."""
    return [each for each in sorted(seen_things(game, Terminal)) if has_anything(game, each)]


def _left_items(game: Game) -> list[int]:
    """Return the known items that the player left behind: those of a choice that he stood on, and those that exploring never takes."""
    items = seen_things(game, Item)
    passed = {item for item in items & game.map.passed if esper.has_component(item, ExclusiveChoice)}
    return sorted(items & game.map.left | passed | {item for item in items if waiting_for(item)})


def _locked_doors(game: Game) -> list[Cell]:
    explored, doors = game.map.sight.explored, game.map.doors
    return [cell for cell in doors if explored[cell] and game.map.door_at(cell, t.LOCKED_DOOR) is not None]


def _portals_left(game: Game) -> dict[Cell, Portal]:
    """Return cell -> portal, for the portals that the player has seen there and not taken yet."""
    seen = {cell: portal for cell, portal in game.map.portals.items() if game.map.sight.explored[cell]}
    return {cell: portal for cell, portal in seen.items() if portal.begin not in game.map.crossed}


def _locked_boxes(game: Game) -> list[int]:
    return [prop for prop in sorted(seen_things(game, Prop)) if locked_prop_at(game, cell_of(prop)) == prop]


def untried_levers(game: Game) -> list[int]:
    """Return the levers that the player has seen and not pulled: props that open a lock when he walks into or onto them.

    Props that hold a key or tell a code are no levers.
    """
    ring, levers = game.map.ring, []
    for prop in sorted(seen_things(game, Prop) - game.map.worked):
        words = () if {"lock", "holds", "code"} & _keywords(prop).keys() else words_of(_keywords(prop))
        if not all(map(ring.opens_all, words)):
            levers.append(prop)
    return levers


def _unread(game: Game) -> list[int]:
    """Return the props on the floor with a text that the player has not read. Levers on the floor are left out."""
    props = [prop for prop in sorted(seen_things(game, Prop)) if esper.has_component(prop, EntityText)]
    return [
        prop
        for prop in props
        if not esper.has_component(prop, Blocks)
        and description_of(game, prop) not in game.read
        and ("code" in _keywords(prop) or not {"lock", "opens"} & _keywords(prop).keys())
    ]


def _lids(game: Game) -> list[int]:
    """Return the shut lids without a lock that the player has seen."""
    return [each for each in sorted(seen_things(game, Lid)) if not is_locked(game, each)]


def _signs(game: Game) -> list[int]:
    """Return the signs on the floor that the player has read."""
    props = [prop for prop in sorted(seen_things(game, Prop)) if not esper.has_component(prop, Blocks)]
    return [prop for prop in props if is_sign(game, prop) and description_of(game, prop) in game.read]


def is_sign(game: Game, prop: int) -> bool:
    """Return whether a prop tells a code, or has a text of its own, unlike a stool that has the text of every stool."""
    tag = esper.component_for_entity(prop, Tag)
    kind = game.world.content.catalog.things[tag.kind][tag.tag]
    return "code" in _keywords(prop) or _keywords(prop).get("text") != kind.data.get("text")


def _keywords(prop: int) -> dict[str, object]:
    return dict(esper.component_for_entity(prop, Tag).keywords)


def is_his(item: int) -> bool:
    """Return whether exploring leaves an item for the player to take: the goal of the game, one of a choice, or the bait of an ambush."""
    return (
        esper.has_component(item, GoalItem)
        or esper.has_component(item, ExclusiveChoice)
        or bool(waiting_for(item))
    )


def unvisited_items(game: Game) -> list[Cell]:
    """Return the cells of known items, without those that the player laid down or left, or stood on although `is_his`."""
    items = sorted(seen_things(game, Item) - game.map.left)
    known = [cell_of(item) for item in items if item not in game.map.passed or not is_his(item)]
    return [cell for cell in known if not prop_at(game, cell)]


def laden_props(game: Game) -> list[Cell]:
    """Return the cells of the props on which known items lie, without those items that exploring does not take."""
    items = sorted(seen_things(game, Item) - game.map.left)
    props = [prop_at(game, cell_of(item)) for item in items if not is_his(item)]
    return [cell for prop in props if prop for cell in cells_of(prop)]


def prop_at(game: Game, cell: Cell) -> int:
    """Return the prop that blocks a cell; 0 for none."""
    blocker = game.map.blockers.get(cell)
    return blocker if blocker is not None and esper.has_component(blocker, Prop) else 0
