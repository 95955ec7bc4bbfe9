"""What is left on a level when all has been seen that can be reached: locks, what opens some, and what could be read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import esper
import numpy as np

from dungeon import terrain as t
from game_demo.rules.forcing import needs_tool
from game_demo.rules.hacking import has_anything
from game_demo.rules.locks import description_of, has_opener, is_locked, locked_prop_at, shut_ways
from game_demo.rules.naming import left_over, listed, name_of, pluralized
from game_demo.rules.paths import FAR, cells_beside, known_costs, seen_stairs, seen_things, steps_from
from game_demo.state.carried import words_of
from game_demo.state.components import Blocks, Charger, Choice, Description, Goal, Item, Prop, Tag, cell_of
from game_demo.state.fixtures import Lid, Terminal
from game_demo.state.geometry import bearing_of, distance

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from game_demo.state.game import Game
    from game_demo.state.geometry import Cell


MOST_SIGNS: Final = 5
"""So many signs that he has read."""
MOST_ALIKE: Final = 3
"""So many places of those that are alike the player is offered to go to."""


def signs_unread(game: Game) -> list[int]:
    """Return the props on the floor that the player has not read and that say something of their own, or tell a code.

    What says no more than all that are like it is none of them.
    """
    return [prop for prop in _unread(game) if is_sign(game, prop)]


def openable_locks(game: Game) -> list[Cell]:
    """Return the cells of the doors and boxes that the player has seen to be locked, and has something for; and of lids that are ajar."""
    locked = [*_locked_doors(game), *map(cell_of, _locked_boxes(game))]
    ajar = [cell_of(each) for each in _lids(game) if not needs_tool(each)]
    return [cell for cell in locked if has_opener(game, cell)] + ajar


class Leftover(NamedTuple):
    """Something to which the player could still see.

    Attributes:
        thing: What it is.
        cell: Where it is.
        deed: What is to be done about it, where that must be said.
    """

    thing: str
    cell: Cell
    deed: str = ""

    @property
    def name(self) -> str:
        """What it is, and what is to be done about it."""
        return f"{self.thing} {self.deed}".rstrip()


def told_of_leftovers(game: Game, asleep: str = "") -> str:
    """Return what the player reads when he knows of nowhere to go: what he could still see to, or that he may search.

    Args:
        game: The game.
        asleep: What else there is for the sake of somebody asleep, in a sentence; empty for nothing.
    """
    told = ["Nothing else to explore here."]
    if names := _told_by_deeds(leftovers(game)):
        told.append(f"There {left_over(names)}. (_ lists the nearest)")
    if asleep:
        told.append(asleep)
    if items := _left_items(game):
        told.append(f"You left {listed(map(name_of, items))} behind.")
    if (barred := _out_of_reach(game)) is not None:
        where = f"{pluralized(distance(game.player_cell, barred), 'step')} to the {bearing_of(game.player_cell, barred)}"
        told.append(f"You see ground {where}, but no way to it yet.")
    if seen_stairs(game) & game.map.exits.keys():
        told.append("You know stairs that lead on (>).")
    elif not names and not asleep:
        told.append("Search at dead ends (s): there may be secret doors.")
    return " ".join(told)


def leftovers(game: Game) -> list[Leftover]:
    """Return what the player has seen of levers, of what could be read, of locks that are shut, and of lids."""
    locks, explored = game.map.locks, game.map.sight.explored
    ways = [cell for cell in shut_ways(game) if cell in game.map.portals and explored[cell]]
    shut = {cell: locks[cell].name if cell in locks else "" for cell in [*_locked_doors(game), *ways]}
    found = [Leftover(name_of(each), cell_of(each), "to try") for each in untried_levers(game)]
    found += [Leftover(name_of(each), cell_of(each), "to read") for each in signs_unread(game)]
    found += [Leftover(f"shut {name}" if name else "locked door", cell) for cell, name in shut.items()]
    for box in _locked_boxes(game):
        key = "that you can open" if has_opener(game, cell_of(box)) else ""
        found.append(Leftover(f"locked {name_of(box)}", cell_of(box), key))
    lids = _lids(game)
    found += [Leftover(name_of(each), cell_of(each), "to open") for each in lids if not needs_tool(each)]
    found += [Leftover(name_of(each), cell_of(each), "to pry open") for each in lids_to_pry(game)]
    return found


def _told_by_deeds(left: Iterable[Leftover]) -> list[str]:
    """Return the names of what is left, in which what is to be done about several kinds of things is said once."""
    alike: dict[str, list[str]] = {}
    for each in left:
        alike.setdefault(each.deed, []).append(each.thing)
    return [
        f"{thing} {deed}".rstrip() if thing == things[-1] else thing
        for deed, things in alike.items()
        for thing in things
    ]


def lids_to_pry(game: Game) -> list[int]:
    """Return what the player has seen that is shut, and opens to the tool that he has."""
    return [each for each in _lids(game) if needs_tool(each)] if game.body.build.pries else []


def places_to_try(game: Game) -> list[Cell]:
    """Return where the player could go to see to something that he knows of, the nearest by steps first.

    That is what is left, items and terminals, lids and signs among it, but for what he has no tool for or knows no way to. Of
    what is alike just the nearest few are there, of signs that were read and cradles likewise. What is not ready for him,
    as `ready_places` has it, comes after all else.
    """
    steps = steps_from(game, [game.player_cell])
    ready = ready_places(game)
    alike: dict[str, list[Cell]] = {}
    for each in leftovers(game):
        alike.setdefault(each.name, []).append(each.cell)
    for entity in _items_and_terminals(game):
        alike.setdefault(name_of(entity), []).append(cell_of(entity))

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
    """Return where there is something that the player can take, try, read or open now: nothing that is locked, nailed shut or was read."""
    things = [
        *_items_and_terminals(game),
        *untried_levers(game),
        *signs_unread(game),
        *lids_to_pry(game),
        *cradles_left(game),
    ]
    return {*map(cell_of, things), *openable_locks(game)}


def cradles_left(game: Game) -> list[int]:
    """Return what the player has seen that would charge him."""
    chargers = sorted(seen_things(game, Charger))
    return [each for each in chargers if esper.component_for_entity(each, Charger).left]


def _items_and_terminals(game: Game) -> list[int]:
    """Return the items that the player has seen, but for what he has come for, and the terminals that have something for him."""
    items = [item for item in sorted(seen_things(game, Item)) if not esper.has_component(item, Goal)]
    return [*items, *_talkative_terminals(game)]


def left_nearer(game: Game, steps: int) -> list[str]:
    """Return the names of what is left on the level to which fewer steps lead."""
    found = steps_from(game, [game.player_cell])
    return [each.name for each in leftovers(game) if _steps_beside(game, found, each.cell) < steps]


def steps_beside(game: Game, cells: Iterable[Cell]) -> list[int]:
    """Return how many steps it is to each of some cells, or, where nobody can stand there, to beside what does and one more."""
    steps = steps_from(game, [game.player_cell])
    return [_steps_beside(game, steps, cell) for cell in cells]


def _steps_beside(game: Game, steps: NDArray[np.int32], cell: Cell) -> int:
    """Return how many steps it is to a cell, or, where nobody can stand there, to beside what does and one more."""
    beside = (int(steps[near]) for near in cells_beside(game, cell))
    return min(int(steps[cell]), 1 + min(beside, default=FAR))


def things_of_use(game: Game) -> list[int]:
    """Return what the player has seen of locked boxes, of levers that he has left alone, and of terminals that have something to offer."""
    return [*_locked_boxes(game), *untried_levers(game), *_talkative_terminals(game)]


def to_be_worked(game: Game) -> list[int]:
    """Return the levers, terminals and shut lids that the player has seen and can see to, and to which exploring has not led him yet."""
    works = [*untried_levers(game), *lids_to_pry(game), *_talkative_terminals(game)]
    return [work for work in works if work not in game.map.passed]


def _out_of_reach(game: Game) -> Cell | None:
    """Return the nearest cell of ground that the player has seen, such as through a grille, and to which he knows no way; None for none.

    Where boats and the like part the level, what is across is none of it.
    """
    explored, here = game.map.sight.explored, game.player_cell
    if any(explored[cell] for cell in game.map.portals):
        return None
    apart = (known_costs(game) > 0) & (steps_from(game, [here]) >= FAR)
    cells = [(y, x) for y, x in np.argwhere(apart).tolist()]
    return min(cells, key=lambda cell: (distance(cell, here), cell), default=None)


def _talkative_terminals(game: Game) -> list[int]:
    return [each for each in sorted(seen_things(game, Terminal)) if has_anything(game, each)]


def _left_items(game: Game) -> list[int]:
    """Return the items that the player has left, and those over which he has stood for him to choose from."""
    items = seen_things(game, Item)
    choices = {item for item in items & game.map.passed if esper.has_component(item, Choice)}
    return sorted(items & game.map.left | choices)


def _locked_doors(game: Game) -> list[Cell]:
    explored, doors = game.map.sight.explored, game.map.doors
    return [cell for cell in doors if explored[cell] and game.map.door_at(cell, t.LOCKED_DOOR) is not None]


def _locked_boxes(game: Game) -> list[int]:
    return [prop for prop in sorted(seen_things(game, Prop)) if locked_prop_at(game, cell_of(prop)) == prop]


def untried_levers(game: Game) -> list[int]:
    """Return what the player sees that opens something for whoever walks into it, or onto it, and that he has left alone.

    What has a key in it is none: it does not look as if it had.
    """
    ring, levers = game.map.ring, []
    for prop in sorted(seen_things(game, Prop) - game.map.worked):
        words = () if {"lock", "holds", "code"} & _keywords(prop).keys() else words_of(_keywords(prop))
        if not all(word in ring.lasting or word in ring.levers for word in words):
            levers.append(prop)
    return levers


def _unread(game: Game) -> list[int]:
    """Return the props on the floor with something to read on them that the player has read on none.

    A lever on the floor is none of them, as who stands on it pulls it; what tells a code is.
    """
    props = [prop for prop in sorted(seen_things(game, Prop)) if esper.has_component(prop, Description)]
    return [
        prop
        for prop in props
        if not esper.has_component(prop, Blocks)
        and description_of(game, prop) not in game.read
        and ("code" in _keywords(prop) or not {"lock", "opens"} & _keywords(prop).keys())
    ]


def _lids(game: Game) -> list[int]:
    """Return what the player has seen of what has a lid, but no lock, and is shut."""
    return [each for each in sorted(seen_things(game, Lid)) if not is_locked(game, each)]


def _signs(game: Game) -> list[int]:
    """Return the signs on the floor that the player has read."""
    props = [prop for prop in sorted(seen_things(game, Prop)) if not esper.has_component(prop, Blocks)]
    return [prop for prop in props if is_sign(game, prop) and description_of(game, prop) in game.read]


def is_sign(game: Game, prop: int) -> bool:
    """Tell whether a prop says something of its own, or tells a code: a stool says what all of them do."""
    tag = esper.component_for_entity(prop, Tag)
    kind = game.world.content.catalog.things[tag.kind][tag.tag]
    return "code" in _keywords(prop) or _keywords(prop).get("text") != kind.data.get("text")


def _keywords(prop: int) -> dict[str, object]:
    return dict(esper.component_for_entity(prop, Tag).keywords)
