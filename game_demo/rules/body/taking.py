"""Taking things: what the player reads of them, what is put away for that, and what comes of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import esper

from game_demo.rules.body.pack import keeping_of, rivals_of, stow, worth_of
from game_demo.rules.locks import obtain, told_of_words
from game_demo.rules.naming import listed, name_of, use_of
from game_demo.rules.robots.moods import spring
from game_demo.state.components import Appearance, Description, ItemEffect, Stack, Tag
from game_demo.state.things.haul import Find

if TYPE_CHECKING:
    from game_demo.state.game import Game


def take(game: Game, item: int) -> bool:
    """Let the player have an item; tell whether there was room for it."""
    tag, look = esper.component_for_entity(item, Tag).tag, esper.component_for_entity(item, Appearance)
    keeping, effect, worth = keeping_of(item), esper.component_for_entity(item, ItemEffect), ""
    if keeping == "pack" and not stow(game, Stack(tag, look, effect)):
        return False
    if keeping == "haul":
        find = Find(look.name, worth_of(item))
        game.player.haul.add(find)
        worth = f", worth {find.value}" if find.value else ""
    rivals = rivals_of([item])
    text = words.text if (words := esper.try_component(item, Description)) else ""
    worth += f" instead of {listed(map(name_of, rivals))}" if rivals else ""
    is_new = not is_known(game, item)  # he may take it before he has read it
    of_itself = [use_of(effect)] if is_new else []
    use = "; ".join(of_itself if keeping == "pack" else told_of_words(game, item))
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
    """Tell whether the player has taken an item like this before, or read what is read of it."""
    words = esper.try_component(item, Description)
    return (words.text if words else name_of(item)) in game.read
