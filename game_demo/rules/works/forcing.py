"""Doors and boxes that are locked: unlocking them, and forcing them, a second way for whoever has not found the key, loud and not without harm."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from dungeon import terrain as t
from game_demo.rules.locks import (
    break_lock,
    can_be_forced,
    has_opener,
    locked_prop_at,
    open_lock,
    told_of_lock,
    word_at,
    work,
)
from game_demo.rules.naming import name_of
from game_demo.rules.robots.senses import make_noise
from game_demo.rules.works.way import Way, noise_of, odds_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from game_demo.state.game import Game
    from game_demo.state.geometry import Cell

CHANCE: Final = 0.15
"""The chance that a lock gives way to somebody without power, and how much more each point of it makes."""
CHANCE_OF_POWER: Final = 0.06
PRIED: Final = 0.3
"""By so much likelier it is for whoever has a tool that pries, and it costs nothing of his hull."""
MOST: Final = 0.9
FORCE_TURNS: Final = 3
FORCE_NOISE: Final = 10
"""How many steps away that is heard."""
HARM: Final = 2
"""What it costs of the player's own hull, whether the lock gives or not."""


def ways(game: Game, cell: Cell) -> Iterator[Way]:
    """Yield the unlocking of what is locked at a cell, if the player has what opens it, and the forcing.

    It is not forced if only a lever moves it, or if that would be the player's end.
    """
    if has_opener(game, cell):
        yield Way(
            "unlock",
            f"Unlock the {_name_at(game, cell)}{_told_of_opener(game, cell)}",
            partial(_unlock, game, cell),
        )
    what = _locked_at(game, cell)
    harm = _harm(game)
    if not what or game.health.hp <= harm:
        return
    odds = odds_of(game, "pries", CHANCE + CHANCE_OF_POWER * game.attack.power, PRIED, MOST)
    price = f"{harm} hit points, {noise_of(FORCE_NOISE)}" if harm else noise_of(FORCE_NOISE)
    act = partial(_force, game, cell, odds.chance)
    yield Way("force", f"Force the {what}", act, price, odds, "it holds", FORCE_TURNS)


def refusal(game: Game, cell: Cell) -> str:
    """Return why what is locked at a cell can't be forced now, as the player reads it; empty if it can, or need not be, or nothing is."""
    if has_opener(game, cell):
        return ""
    if _locked_at(game, cell):
        return (
            ""
            if game.health.hp > _harm(game)
            else "You have too few hit points to force it: that would destroy you."
        )
    if game.map.door_at(cell, t.LOCKED_DOOR) is None:
        return ""
    return f"{told_of_lock(game, cell)}. Neither force nor a tool opens it."


def _name_at(game: Game, cell: Cell) -> str:
    """Return the name of what is locked at a cell."""
    prop, lock = locked_prop_at(game, cell), game.map.locks.get(cell)
    return name_of(prop) if prop is not None else (lock and lock.name) or "door"


def _told_of_opener(game: Game, cell: Cell) -> str:
    """Return by what the player opens the lock at a cell, as he reads it; empty for what he does not carry."""
    word, ring = word_at(game, cell), game.map.ring
    if word in ring.codes:
        return " by its code"
    key = ring.key_to(word)
    return f" with the {key.name}" if key else ""


def _unlock(game: Game, cell: Cell) -> None:
    """Do what walking into it does."""
    prop = locked_prop_at(game, cell)
    if prop is None:
        open_lock(game, cell)
    else:
        work(game, prop)


def _harm(game: Game) -> int:
    """Return what forcing anything costs the player of his hull."""
    return 0 if game.body.build.pries else HARM


def _locked_at(game: Game, cell: Cell) -> str:
    """Return what can be forced at a cell, empty for nothing."""
    if game.map.door_at(cell, t.LOCKED_DOOR) is not None:
        return "door" if can_be_forced(game, cell) else ""
    prop = locked_prop_at(game, cell)
    return "" if prop is None else name_of(prop)


def _force(game: Game, cell: Cell, chance: float) -> None:
    """Throw oneself, or a bar, against it."""
    game.health.hp -= _harm(game)
    make_noise(game, cell, FORCE_NOISE)
    if game.rng.random() >= chance:
        game.log.say("It holds.", "bad")
    else:
        break_lock(game, cell)
