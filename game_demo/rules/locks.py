"""Locks: doors that open to what the player has found, levers that open them from afar, boxes with keys in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import esper

from dungeon import terrain as t
from game_demo.rules.naming import name_of
from game_demo.state.components import Item, Prop, Tag

if TYPE_CHECKING:
    from game_demo.state.game import Game
    from game_demo.state.geometry import Cell


def open_lock(game: Game, cell: Cell) -> bool:
    """Open the locked door at a cell if the player has what opens it; tell whether it is open."""
    lock = game.map.locks.get(cell)
    if lock is None or not game.map.ring.use(lock.word):
        return False
    _open(game, cell)
    game.log.say("You unlock the door.", "good")
    return True


def work(game: Game, prop: int) -> bool:
    """Open a locked prop, or pull one that opens something; tell whether anything has come of it."""
    keywords = esper.component_for_entity(prop, Tag).keywords
    word = keywords.get("lock")
    if prop in game.map.worked or not (isinstance(word, str) or "opens" in keywords):
        return False
    if isinstance(word, str) and not game.map.ring.use(word):
        return False
    game.map.worked.add(prop)
    if isinstance(word, str):
        game.log.say(f"You unlock the {name_of(prop)}.", "good")
        _follow(game, word)
    obtain(game, prop)
    return True


def obtain(game: Game, entity: int) -> None:
    """Let the player have what an entity opens: one that was taken, pulled, opened or destroyed.

    What a lever or a death opens for good is opened at once.
    """
    keywords = esper.component_for_entity(entity, Tag).keywords
    words = game.map.ring.add(keywords)
    if not words or esper.has_component(entity, Item):
        return
    if "holds" in keywords:
        game.log.say(
            "There is a key in it." if esper.has_component(entity, Prop) else "It had a key.", "find"
        )
        return
    for word in words:
        for cell in [at for at, lock in game.map.locks.items() if lock.word == word]:
            if game.map.door_at(cell, t.LOCKED_DOOR) and game.map.ring.use(word):
                game.log.say("Somewhere a lock springs open.", "find")
                _open(game, cell)


def _open(game: Game, cell: Cell) -> None:
    game.map.set_door(cell, is_open=True)
    _follow(game, game.map.locks[cell].word)


def _follow(game: Game, word: str) -> None:
    """Open the doors whose locks follow those of a word."""
    for cell, lock in game.map.locks.items():
        if lock.follows == word and game.map.door_at(cell, t.LOCKED_DOOR):
            game.log.say("Another lock springs open.", "find")
            _open(game, cell)
