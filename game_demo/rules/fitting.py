"""Commands that change the player's body: fitting and taking off parts, and charging the battery."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import esper

from game_demo.rules.naming import name_of, pluralized, what_it_does
from game_demo.rules.pack import lay_down, stow, use_up
from game_demo.rules.turn import command, pass_turn
from game_demo.state.body import PLACES, TURN
from game_demo.state.components import Appearance, Charger, EntityText, Stack

if TYPE_CHECKING:
    from game_demo.state.body import Place
    from game_demo.state.game import Game


# -- parts -----------------------------------------------------------------------------------------

FITTING: Final = 3
"""How many turns it takes to fit a part or take it off."""


@command
def fit(game: Game, number: int, place: Place) -> None:
    """Fit a part from the pack. The part that was there goes into the pack, or on the ground if the pack is full.

    Args:
        game: The game.
        number: The stack of the pack with the part, counted from 0.
        place: The place of the body.
    """
    stack = game.player.inventory[number]
    if stack.effect.part is None or stack.effect.part.slot != PLACES[place]:
        game.log.say("That does not fit.", "aside")
        return
    passed = " It works." if stack.effect.untried else ""
    effect = use_up(game, number)
    game.note("used", tag=stack.tag)
    old = game.body.fitted.get(place)
    game.body.fitted[place] = Stack(stack.tag, stack.look, effect, letter=stack.letter)
    game.refit()
    where = "on your back" if place == "back" else f"as your {place}"
    if effect.faulty:
        game.log.say(f"You fit the {stack.look.name} {where}, but it is faulty: it does nothing.", "bad")
    else:
        does = what_it_does(effect)
        told = f"You fit the {stack.look.name} {where}"
        game.log.say(f"{told}: {does}.{passed}" if does else f"{told}.{passed}", "good")
    if old is not None:
        put_away(game, old)
    for _ in range(FITTING):
        if not game.is_over:
            pass_turn(game)


@command
def take_off(game: Game, place: Place) -> None:
    """Take off the part at a place of the body. It goes into the pack, or on the ground if the pack is full."""
    old = game.body.fitted.pop(place, None)
    if old is None:
        game.log.say("Nothing is fitted there.", "aside")
        return
    game.refit()
    game.log.say(f"You take the {old.look.name} off.")
    put_away(game, old)
    for _ in range(FITTING):
        if not game.is_over:
            pass_turn(game)


def put_away(game: Game, stack: Stack) -> None:
    """Put a part that was taken off into the pack, or on the ground if the pack is full."""
    if stow(game, stack):
        game.log.say(f"You put the {stack.look.name} into your pack.")
        return
    lay_down(game, stack)
    game.log.say(f"You lay the {stack.look.name} down: your pack is full.")


# -- charging --------------------------------------------------------------------------------------

CHARGE: Final = 300
"""How many turns' worth of charge a charger gives at a time."""
CHARGING: Final = 5
"""How many turns charging takes."""
SPENT: Final = "No lamp on this charger is lit: it is used up."
"""The description of an empty charger."""


def gain(game: Game, turns: int) -> None:
    """Add `turns` turns' worth of charge to the battery, up to its capacity."""
    body = game.body
    had_failed, had = body.has_failed, body.charge
    body.charge = min(body.charge + turns * TURN, body.capacity)
    if gained := body.charge // TURN - had // TURN:
        game.note("charged", amount=gained)
    if had_failed and not body.has_failed:
        game.refit()
        game.log.say("Your battery has charge again, and your lamps come on.", "good")


def charge_at(game: Game, prop: int) -> bool:
    """Charge the player at a charger, if it is not empty and the battery is not full; return whether it did."""
    charger = esper.try_component(prop, Charger)
    if charger is None:
        return False
    if not charger.left:
        return False
    if game.body.charge == game.body.capacity:
        game.log.say(f"Your battery is full: you don't need the {name_of(prop)} now.", "aside")
        return False
    charger.left -= 1
    name = name_of(prop)
    if not charger.left:
        esper.component_for_entity(prop, Appearance).name = f"spent {name}"
        esper.add_component(prop, EntityText(SPENT))
        game.map.changed_things.append(prop)
    for _ in range(CHARGING):
        if not game.is_over:
            pass_turn(game)
    gain(game, CHARGE)
    times = pluralized(charger.left, "more time") if charger.left else "no more"
    game.log.say(f"You charge yourself at the {name}; you can use it {times}.", "good")
    return True
