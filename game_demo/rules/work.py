"""The key `w`: all options for what is next to the player, and the command that carries one out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import esper

from game_demo.rules.destruction import blast_options
from game_demo.rules.fighting import blow_options
from game_demo.rules.forcing import dig_options, force_options, force_refusal, pry_options, pry_refusal
from game_demo.rules.hacking import (
    free_options,
    mend_options,
    tap_options,
    tap_refusal,
    terminal_options,
    terminal_refusal,
)
from game_demo.rules.leftovers import untried_levers
from game_demo.rules.naming import name_of
from game_demo.rules.traps import trap_options
from game_demo.rules.turn import command, pass_turn
from game_demo.state.components import Charger, Robot

if TYPE_CHECKING:
    from collections.abc import Iterable

    from game_demo.rules.options import WorkOption
    from game_demo.state.game import Game
    from game_demo.state.geometry import Cell, Direction


SOURCES = (
    terminal_options,
    free_options,
    mend_options,
    tap_options,
    blow_options,
    force_options,
    pry_options,
    blast_options,
    trap_options,
    dig_options,
)
"""Each yields the options for one kind of thing at a cell; the player reads them in this order."""


def options_at(game: Game, cell: Cell) -> list[WorkOption]:
    """Return the options for what is at a cell, which must be next to the player."""
    game.resume()
    if not game.map.in_bounds(cell):
        return []
    return [option for source in SOURCES for option in source(game, cell)]


def option_at(game: Game, cell: Cell, name: str) -> WorkOption | None:
    """Return the option of a name for what is at a cell, or None."""
    return next((way for way in options_at(game, cell) if way.name == name), None)


def refusals_at(game: Game, *cells: Cell) -> list[str]:
    """Return why things at some cells have no options although the player may expect some, each reason once."""
    game.resume()
    within = [*filter(game.map.in_bounds, cells)]
    told = [*(force_refusal(game, cell) for cell in within), pry_refusal(game, within)]
    told += [refusal(game, cell) for refusal in (terminal_refusal, tap_refusal) for cell in within]
    names = map(name_of, _worked_by_walking(game, within))
    walked = [f"Walk into the {name} to use it." for name in dict.fromkeys(names)]
    return [*dict.fromkeys(filter(None, told))] or walked


def _worked_by_walking(game: Game, cells: Iterable[Cell]) -> list[int]:
    """Return the untried levers and unspent chargers at some cells: walking into them uses them."""
    things = dict.fromkeys(thing for cell in cells if (thing := game.map.blockers.get(cell)) is not None)
    levers = untried_levers(game)
    charging = [thing for thing, charger in esper.get_component(Charger) if charger.left]
    return [thing for thing in things if thing in levers or thing in charging]


@command
def deal(game: Game, direction: Direction, name: str) -> None:
    """Carry out an option on what is next to the player. If he is hurt while its turns pass, he stops.

    Args:
        game: The game.
        direction: Where the thing is.
        name: The name of the option.
    """
    cell = (game.player_cell[0] + direction[0], game.player_cell[1] + direction[1])
    way = option_at(game, cell, name)
    if way is None:
        game.log.say("That can't be done here.", "aside")
        return
    hp, robot = game.health.hp, game.map.blockers.get(cell)
    for _ in range(way.turns - 1):
        pass_turn(game)
        if game.is_over:
            return
        if game.health.hp < hp:
            game.log.say("You are hurt, and stop working.", "bad")
            return
    if option_at(game, cell, name) is None:
        game.log.say(f"That can't be done any more: {_describe_change(game, cell, robot)}.")
        return
    way.act()
    if not game.is_over:
        pass_turn(game)


def _describe_change(game: Game, cell: Cell, before: int | None) -> str:
    """Return why an option is gone: the robot `before` has moved or noticed the player, or something else has changed."""
    if before is None or not esper.entity_exists(before) or not esper.has_component(before, Robot):
        return "something has changed there"
    moved = game.map.blockers.get(cell) != before
    return f"the {name_of(before)} has moved away" if moved else f"the {name_of(before)} has noticed you"
