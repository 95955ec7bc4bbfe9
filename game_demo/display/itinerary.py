"""Which levels the player has been to, and where the ways down lead that he has seen there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from game_demo.display.drawing import BRIGHT, DIM, GOLD, GREEN

if TYPE_CHECKING:
    from game_demo.state.components import Colour
    from game_demo.state.game import Game
    from game_demo.state.game_map import GameMap


def itinerary(game: Game) -> tuple[list[tuple[str, Colour]], int]:
    """Return lines of text with their colours, and which of them is about the level where the player is.

    They tell of each level where he was, from the top down, and of its exits that he has seen.
    """
    lines: list[tuple[str, Colour]] = []
    here = 0
    for node in game.world.maps:
        if (game_map := game.maps.get(node.id)) is None:
            continue
        is_here = game_map is game.map
        here = len(lines) if is_here else here
        lines.append((f"{game.title(node.id)}{', where you are' * is_here}", GOLD if is_here else BRIGHT))
        lines += _ways_down(game, game_map)
    return lines, here


def _ways_down(game: Game, game_map: GameMap) -> list[tuple[str, Colour]]:
    """Return a line for each way down from a level that the player has seen."""
    seen = [target for cell, target in sorted(game_map.exits.items()) if game_map.sight.explored[cell]]
    if not seen:
        return [("  no way down seen", DIM)] if game_map.exits else []
    return [
        (f"  > {game.title(each)}, where you were", DIM)
        if each in game.maps
        else (f"  > {game.title(each)}, not taken{_no_way_back(game, each)}", GREEN)
        for each in dict.fromkeys(seen)
    ]


def _no_way_back(game: Game, map_id: str) -> str:
    return ", and no way back" if game.world.node(map_id).one_way else ""
