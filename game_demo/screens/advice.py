"""What the player is told in time: hints on the first map, once each, and what is asked before he comes to harm."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from game_demo.rules.naming import name_of, with_article
from game_demo.rules.ways import is_seen_trap, robots_in_sight, seen_stairs, seen_things
from game_demo.state.components import Item

if TYPE_CHECKING:
    from collections.abc import Callable

    from game_demo.state.game import Game
    from game_demo.state.geometry import Cell

SHOWN: Final = 8
"""For so many turns a hint stays."""


class Hint(NamedTuple):
    """Something worth knowing.

    Attributes:
        text: What it is, in less than 80 characters.
        matters: Whether it is of use now.
    """

    text: str
    matters: Callable[[Game], bool]


HINTS: Final = (
    Hint("Walk with the arrow keys or hjklyubn; o explores by itself.", lambda game: game.log.turn == 0),
    Hint(
        "Hurt? R rests until you are whole, unless somebody comes.",
        lambda game: 2 * game.health.hp < game.health.max_hp,
    ),
    Hint(
        "Letters are robots. x tells what one is and does; walk into it to strike.",
        lambda game: bool(robots_in_sight(game)),
    ),
    Hint("i shows what you carry, and a letter there uses it.", lambda game: bool(game.player.inventory)),
    Hint(
        "Things lie about that you can use: walk there, and g takes them.",
        lambda game: bool(seen_things(game, Item)),
    ),
    Hint(
        "You have seen stairs down: > brings you there, and > again down.",
        lambda game: bool(seen_stairs(game) & game.map.exits.keys()),
    ),
)
"""The most pressing first."""


class Hints:
    """The hints of one game: none where it did not begin just now, and none beyond its first map."""

    def __init__(self, game: Game) -> None:
        self._left = [*HINTS] if game.log.turn == 0 else []
        self._first = game.map.level.id
        self._shown = ""
        self._until = 0

    def next(self, game: Game) -> str:
        """Return what the player is to be told now, empty for nothing."""
        if game.map.level.id != self._first:
            return ""
        if game.log.turn >= self._until:
            hint = next((each for each in self._left if each.matters(game)), None)
            self._shown = ""
            if hint is not None:
                self._left.remove(hint)
                self._shown, self._until = hint.text, game.log.turn + SHOWN
        return self._shown


def peril(game: Game, cell: Cell) -> str:
    """Return what to ask before the player steps on a cell, empty if he knows of no harm in that."""
    game.resume()
    if cell in game.map.blockers or not is_seen_trap(game, cell):
        return ""
    return f"Step on {with_article(name_of(game.map.traps[cell]))}?"


def parting(game: Game) -> str:
    """Return what to ask before the player goes down from where he is, empty if he can come back."""
    target = game.map.exits.get(game.player_cell)
    if target is None or not game.world.node(target).one_way:
        return ""
    return f"No way leads back from {game.title(target)}. Go there?"
