"""Fitting parts to the player's body."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from game_demo.rules.body.pack import lay_down, stow, take_from
from game_demo.rules.naming import what_it_does
from game_demo.rules.recorded import command
from game_demo.rules.turn import pass_turn
from game_demo.state.components import Stack
from game_demo.state.things.parts import PLACES

if TYPE_CHECKING:
    from game_demo.state.game import Game
    from game_demo.state.things.parts import Place

FITTING: Final = 3
"""How many turns it takes to fit a part."""


@command
def fit(game: Game, number: int, place: Place) -> None:
    """Fit a part of the pack to a place of the body; what was there goes into the pack, or on the ground if that is full.

    Args:
        game: The game.
        number: Which stack of the pack has the part, the first being 0.
        place: Where to.
    """
    stack = game.player.inventory[number]
    if stack.effect.part is None or stack.effect.part.slot != PLACES[place]:
        game.log.say("That does not fit.", "aside")
        return
    passed = " It works." if stack.effect.untried else ""
    effect = stack.effect = stack.effect.tried()
    take_from(game, number)
    old = game.body.fitted.get(place)
    game.body.fitted[place] = Stack(stack.tag, stack.look, effect)
    game.refit()
    where = "on your back" if place == "back" else f"as your {place}"
    if effect.faulty:
        game.log.say(f"You fit the {stack.look.name} {where}, but it is faulty: it does nothing.", "bad")
    else:
        does = what_it_does(effect)
        game.log.say(f"You fit the {stack.look.name} {where}{f': {does}' if does else ''}.{passed}", "good")
    if old is not None:
        put_away(game, old)
    for _ in range(FITTING):
        if not game.is_over:
            pass_turn(game)


@command
def take_off(game: Game, place: Place) -> None:
    """Take off what is fitted to a place of the body; it goes into the pack, or on the ground if that is full."""
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
    """Put what was fitted into the pack, or on the ground if that is full."""
    if stow(game, stack):
        game.log.say(f"You put the {stack.look.name} into your pack.")
        return
    lay_down(game, stack)
    game.log.say(f"You lay the {stack.look.name} down: your pack is full.")
