"""What the player carries: where it goes when he takes it, and how things come out of the pack."""

from __future__ import annotations

from dataclasses import replace
from operator import itemgetter
from typing import TYPE_CHECKING, Final, Literal

import esper

from game_demo.state.components import Choice, Item, ItemEffect, Position, Tag, Value
from game_demo.state.key_ring import words_of

if TYPE_CHECKING:
    from collections.abc import Collection

    from game_demo.state.components import Stack
    from game_demo.state.game import Game
    from game_demo.state.things.parts import Aid

INVENTORY_SIZE: Final = 26
"""How many kinds of things the pack holds."""

Keeping = Literal["pack", "ring", "haul"]
"""Where things are kept; only the pack may be full."""


def keeping_of(item: int) -> Keeping:
    """Return where an item goes that is taken: what has a use into the pack, what just opens locks on the level's ring, all else to the haul."""
    if esper.component_for_entity(item, ItemEffect).is_useful:
        return "pack"
    return "ring" if words_of(esper.component_for_entity(item, Tag).keywords) else "haul"


def worth_of(item: int) -> int:
    """Return what an item would fetch outside."""
    value = esper.try_component(item, Value)
    return value.amount if value else 0


def rivals_of(items: Collection[int]) -> list[int]:
    """Return the items of the level that are put away when some are taken: the others of which one may have one."""
    words = [choice for item in items if (choice := esper.try_component(item, Choice)) is not None]
    choices = sorted(esper.get_component(Choice), key=itemgetter(0))
    return [item for item, choice in choices if choice in words and item not in items]


def spare_for(game: Game, use: Aid) -> str:
    """Return the name of what is carried and would help with something if it were fitted; empty for nothing, or without charge."""
    stacks = [] if game.body.has_failed else game.player.inventory
    return next((each.look.name for each in stacks if getattr(each.effect.part, use, False)), "")


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


def item_of(stack: Stack) -> int:
    """Return an item like those of a stack, which is nowhere yet."""
    return esper.create_entity(stack.look, Tag("item", stack.tag), Item(), replace(stack.effect))


def lay_down(game: Game, stack: Stack) -> None:
    """Lay one of what a stack is of where the player stands; as he knows of it, exploring does not go back for it."""
    cell, item = game.player_cell, item_of(stack)
    esper.add_component(item, Position(*cell))
    game.map.lay(item, [cell])
    game.map.passed.add(item)
    game.map.left.add(item)
