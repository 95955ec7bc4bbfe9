"""What is left on a level when all has been seen that can be reached: locks, what opens some, and what could be read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import esper

from dungeon import terrain as t
from game_demo.rules.locks import description_of, locked_prop_at, shut_ways
from game_demo.rules.naming import listed, name_of
from game_demo.rules.ways import seen_things
from game_demo.state.components import Blocks, Description, Prop, Tag
from game_demo.state.entities import cell_of
from game_demo.state.key_ring import words_of

if TYPE_CHECKING:
    from game_demo.state.game import Game
    from game_demo.state.geometry import Cell


def unread_cells(game: Game) -> list[Cell]:
    """Return the cells on which the player could stand to read something that he has not read yet, as far as he has seen it."""
    return [cell_of(prop) for prop in _unread(game)]


def openable_locks(game: Game) -> list[Cell]:
    """Return the cells of the doors and boxes that the player has seen to be locked, and has something for."""
    ring, locks = game.map.ring, game.map.locks
    doors = [cell for cell in _locked_doors(game) if cell in locks and ring.opens(locks[cell].word)]
    return doors + [cell_of(box) for box in _locked_boxes(game) if ring.opens(str(_keywords(box)["lock"]))]


def told_of_leftovers(game: Game) -> str:
    """Return what the player reads when he knows of nowhere to go: what he could still see to, or that he may search."""
    locks, explored = game.map.locks, game.map.sight.explored
    ways = [cell for cell in shut_ways(game) if cell in game.map.portals and explored[cell]]
    shut = [locks[cell].name if cell in locks else "" for cell in [*_locked_doors(game), *ways]]
    names = [f"shut {name}" if name else "locked door" for name in shut]
    names += [f"locked {name_of(box)}" for box in _locked_boxes(game)]
    names += [f"{name_of(lever)} to be tried" for lever in _untried_levers(game)]
    names += [f"{name_of(prop)} to be read" for prop in _unread(game)]
    if names:
        return f"You know of nothing else here to go to. There is still {listed(names)}."
    return "You know of nothing else here to go to. Searching (s) at dead ends may find a way."


def _locked_doors(game: Game) -> list[Cell]:
    explored, doors = game.map.sight.explored, game.map.doors
    return [cell for cell in doors if explored[cell] and game.map.door_at(cell, t.LOCKED_DOOR) is not None]


def _locked_boxes(game: Game) -> list[int]:
    return [prop for prop in sorted(seen_things(game, Prop)) if locked_prop_at(game, cell_of(prop)) == prop]


def _untried_levers(game: Game) -> list[int]:
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


def _keywords(prop: int) -> dict[str, object]:
    return dict(esper.component_for_entity(prop, Tag).keywords)
