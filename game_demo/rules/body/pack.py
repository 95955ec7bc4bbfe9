"""The pack: what goes into it, and comes out."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from game_demo.state.game import Game


def take_from(game: Game, number: int) -> None:
    """Take one of a stack out of the pack: the first is number 0."""
    stack = game.player.inventory[number]
    stack.count -= 1
    if stack.count == 0:
        del game.player.inventory[number]
