"""What is asked before the player comes to harm, or can't come back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from game_demo.rules.naming import name_of, with_article
from game_demo.rules.ways import is_seen_trap

if TYPE_CHECKING:
    from game_demo.state.game import Game
    from game_demo.state.geometry import Cell


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
