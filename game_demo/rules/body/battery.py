"""The battery: whatever the player does takes charge, and mending himself takes more."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import esper

from game_demo.rules.naming import name_of
from game_demo.rules.turn import pass_turn
from game_demo.state.components import Appearance, Charger, Description
from game_demo.state.things.clock import TURN

if TYPE_CHECKING:
    from game_demo.state.game import Game

CHARGE: Final = 300
"""How many turns' charge a charger gives at a time; `CHARGING`: how many turns that takes."""
CHARGING: Final = 5
SPENT: Final = "No lamp on it is lit."
"""What is read of a charger that holds nothing more, whatever it said before."""


def gain(game: Game, turns: int) -> None:
    """Put charge for so many turns into the battery, as far as it holds that."""
    body = game.body
    had_failed = body.has_failed
    body.charge = min(body.charge + turns * TURN, body.capacity)
    if had_failed and not body.has_failed:
        game.refit()
        game.log.say("Your lamps come on again.", "good")


def charge_at(game: Game, prop: int) -> bool:
    """Let the player be charged at a charger, if it holds something and he has room for it; tell whether he was."""
    charger = esper.try_component(prop, Charger)
    if charger is None:
        return False
    if not charger.left:
        return False
    if game.body.charge == game.body.capacity:
        game.log.say(f"Your battery is full. The {name_of(prop)} can wait.", "aside")
        return False
    charger.left -= 1
    name = name_of(prop)
    if not charger.left:
        esper.component_for_entity(prop, Appearance).name = f"spent {name}"
        esper.add_component(prop, Description(SPENT))
        game.map.changed_things.append(prop)
    for _ in range(CHARGING):
        if not game.is_over:
            pass_turn(game)
    gain(game, CHARGE)
    times = "once" if charger.left == 1 else f"{charger.left} times"
    rest = f"it can charge you {times} more" if charger.left else "it is used up now"
    game.log.say(f"You charge yourself at the {name}; {rest}.", "good")
    return True
