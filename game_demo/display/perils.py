"""What is asked before the player comes to harm, or can't come back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import esper

from game_demo.rules.body.battery import CHARGE
from game_demo.rules.locks import keys_of_use
from game_demo.rules.naming import listed, name_of, with_article
from game_demo.rules.ways import is_seen_trap
from game_demo.state.components import Charger
from game_demo.state.things.clock import TURN

if TYPE_CHECKING:
    from game_demo.state.components import Stack
    from game_demo.state.game import Game
    from game_demo.state.geometry import Cell


def peril(game: Game, cell: Cell) -> str:
    """Return what to ask before the player steps on a cell, or walks into what is there, empty if he knows of no harm in that."""
    game.resume()
    thing = game.map.blockers.get(cell)
    if thing is not None:
        return _waste(game, thing)
    if not is_seen_trap(game, cell):
        return ""
    return f"Step on {with_article(name_of(game.map.traps[cell]))}?"


def _waste(game: Game, thing: int) -> str:
    """Return what to ask before the player draws charge for some of which he has no room; empty for nothing."""
    charger = esper.try_component(thing, Charger)
    room = (game.body.capacity - game.body.charge) // TURN
    if charger is None or not charger.left or not 0 < room < CHARGE:
        return ""
    told, use = ("gives its last", "Use it up?") if charger.left == 1 else ("gives", "Charge now?")
    return f"The {name_of(thing)} {told} {CHARGE} charge, but you have room for only {room}. {use}"


def excess(game: Game, stack: Stack) -> str:
    """Return what to ask before the player uses up something for most of which he has no need; empty for nothing."""
    effect, health, body = stack.effect, game.health, game.body
    if effect.frame or (effect.faulty and not effect.untried):
        return ""
    needs = [
        (effect.repair, health.max_hp - health.hp, "repairs {} hit points, but you lack only {}"),
        (
            effect.charge,
            (body.capacity - body.charge) // TURN,
            "gives {} charge, but you have room for only {}",
        ),
    ]
    gains = [each for each in needs if each[0]]
    if all(need <= 0 for _, need, _ in gains) or any(2 * need >= amount for amount, need, _ in gains):
        return ""
    told = ", and it ".join(text.format(amount, need) for amount, need, text in gains)
    return f"The {stack.look.name} {told}. Use it up?"


def parting(game: Game) -> str:
    """Return what to ask before the player goes down from where he is; empty if he can come back, and leaves no key that is of use here."""
    target = game.map.exits.get(game.player_cell)
    if target is None:
        return ""
    is_final, keys = game.world.node(target).one_way, keys_of_use(game)
    told = [f"You can't come back from {game.title(target)}."] * is_final
    if keys:
        told.append(f"Keys stay on their level: {listed(keys)}.")
    return " ".join([*told, "Go there?"]) if told else ""
