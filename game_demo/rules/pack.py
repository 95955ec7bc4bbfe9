"""What the player carries: how items are taken, where each goes, and how they come out of the pack."""

from __future__ import annotations

from dataclasses import replace
from operator import itemgetter
from string import ascii_lowercase
from typing import TYPE_CHECKING, Final, Literal

import esper

from game_demo.rules.locks import describe_lock_and_key, obtain
from game_demo.rules.moods import spring
from game_demo.rules.naming import listed, name_of, use_of
from game_demo.state.carried import Find, words_of
from game_demo.state.components import (
    Appearance,
    EntityText,
    ExclusiveChoice,
    HaulValue,
    Item,
    ItemEffect,
    Position,
    Stack,
    Tag,
)

if TYPE_CHECKING:
    from collections.abc import Collection

    from game_demo.state.body import Aid
    from game_demo.state.game import Game


# -- where things go -------------------------------------------------------------------------------

LETTERS: Final = ascii_lowercase.replace("i", "")
"""The letters of things in the pack. The key `i` opens the pack, and closes it."""
INVENTORY_SIZE: Final = len(LETTERS)
"""How many kinds of things the pack holds: one for each letter."""

Keeping = Literal["pack", "ring", "haul"]
"""Where an item is kept. Only the pack can be full."""


def keeping_of(item: int) -> Keeping:
    """Return where a taken item goes: ``pack`` for useful things, ``ring`` for mere keys, ``haul`` for the rest."""
    if esper.component_for_entity(item, ItemEffect).is_useful:
        return "pack"
    return "ring" if words_of(esper.component_for_entity(item, Tag).keywords) else "haul"


def worth_of(item: int) -> int:
    """Return the value of an item in the haul."""
    value = esper.try_component(item, HaulValue)
    return value.amount if value else 0


def rivals_of(items: Collection[int]) -> list[int]:
    """Return the items that vanish when the player takes `items`, because he may take only one item of their choice."""
    words = [choice for item in items if (choice := esper.try_component(item, ExclusiveChoice)) is not None]
    choices = sorted(esper.get_component(ExclusiveChoice), key=itemgetter(0))
    return [item for item, choice in choices if choice in words and item not in items]


def describe_choice(items: Collection[int]) -> str:
    """Return the clause that the player may take only one of some items and their `rivals_of`; empty if they have none."""
    rivals = rivals_of(items)
    return (
        f"you may take only one of these: {listed(map(name_of, sorted([*items, *rivals])))}" if rivals else ""
    )


def spare_for(game: Game, use: Aid | Literal["gun"]) -> str:
    """Return the name of a part in the pack with an ability that would help if fitted; empty for none, or with an empty battery."""
    stacks = [] if game.body.has_failed else game.player.inventory
    return next((each.look.name for each in stacks if getattr(each.effect.part, use, False)), "")


def stow(game: Game, stack: Stack) -> bool:
    """Put a stack into the pack; return whether there was room. It keeps its letter if that is free, else gets the first free one."""
    inventory = game.player.inventory
    like = next((each for each in inventory if (each.tag, each.effect) == (stack.tag, stack.effect)), None)
    if like is not None:
        like.count += stack.count
    elif len(inventory) < INVENTORY_SIZE:
        taken = {each.letter for each in inventory}
        stack.letter = next(each for each in [stack.letter, *LETTERS] if each and each not in taken)
        inventory.append(stack)
    else:
        return False
    return True


def take_from(game: Game, number: int) -> None:
    """Take one item of a stack out of the pack. `number` counts stacks from 0."""
    stack = game.player.inventory[number]
    stack.count -= 1
    if stack.count == 0:
        del game.player.inventory[number]


def use_up(game: Game, number: int) -> ItemEffect:
    """Take one item of a stack out of the pack to use it; return what it does. From then on that is known of the others of its stack."""
    stack = game.player.inventory[number]
    effect = stack.effect = stack.effect.tried()
    take_from(game, number)
    return effect


def item_of(stack: Stack) -> int:
    """Create an item like those of a stack, on no cell yet; return the entity."""
    return esper.create_entity(stack.look, Tag("item", stack.tag), Item(), replace(stack.effect))


def lay_down(game: Game, stack: Stack) -> None:
    """Lay one item of a stack on the player's cell. Exploring does not fetch it again."""
    cell, item = game.player_cell, item_of(stack)
    esper.add_component(item, Position(*cell))
    game.map.lay(item, [cell])
    game.map.passed.add(item)
    game.map.left.add(item)


# -- taking ----------------------------------------------------------------------------------------


def take(game: Game, item: int) -> bool:
    """Give the player an item; return whether there was room for it."""
    tag, look = esper.component_for_entity(item, Tag).tag, esper.component_for_entity(item, Appearance)
    keeping, effect, worth = keeping_of(item), esper.component_for_entity(item, ItemEffect), ""
    if keeping == "pack" and not stow(game, Stack(tag, look, effect)):
        return False
    if keeping == "haul":
        find = Find(look.name, worth_of(item))
        game.player.haul.add(find)
        worth = f", worth {find.value}" if find.value else ""
    rivals = rivals_of([item])
    text = words.text if (words := esper.try_component(item, EntityText)) else ""
    worth += f" instead of {listed(map(name_of, rivals))}" if rivals else ""
    is_new = not is_known(game, item)  # it may be taken before its text was read
    of_itself = [use_of(effect)] if is_new else []
    use = "; ".join(of_itself if keeping == "pack" else describe_lock_and_key(game, item))
    told = f"You take the {look.name}{use and f' ({use})'}{worth}."
    game.read.add(text or look.name)
    game.log.say(f"{told} {text}".rstrip() if is_new else told, "good", merged=True)
    game.note("gained", item)
    for rival in rivals:
        game.map.delete(rival)
    obtain(game, item)  # what opens locks goes on the ring, also if it has another use and is in the pack
    spring(game, item)
    game.map.delete(item)
    return True


def is_known(game: Game, item: int) -> bool:
    """Return whether the player has taken an item like this before, or read its text."""
    words = esper.try_component(item, EntityText)
    return (words.text if words else name_of(item)) in game.read
