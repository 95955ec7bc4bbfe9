"""The pack: what goes into it, and comes out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from game_demo.state.components import Stack
    from game_demo.state.game import Game

INVENTORY_SIZE: Final = 26
"""How many kinds of things the pack holds."""


def stow(game: Game, stack: Stack) -> bool:
    """Put something into the pack; tell whether there was room for it."""
    inventory = game.player.inventory
    like = next((each for each in inventory if (each.tag, each.effect) == (stack.tag, stack.effect)), None)
    if like is not None:
        like.count += stack.count
    elif len(inventory) < INVENTORY_SIZE:
        inventory.append(stack)
    else:
        return False
    return True


def take_from(game: Game, number: int) -> None:
    """Take one of a stack out of the pack: the first is number 0."""
    stack = game.player.inventory[number]
    stack.count -= 1
    if stack.count == 0:
        del game.player.inventory[number]
