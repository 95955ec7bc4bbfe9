"""Which levels the player has been to or knows of, and where he has seen the stairs to them."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING, Final

from game_demo.display.drawing import BRIGHT, GOLD, GREEN, clean

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from game_demo.state.components import Colour
    from game_demo.state.game import Game
    from game_demo.state.game_map import GameMap

WIDTH: Final = 74
"""How many columns a level is written in."""


def itinerary(game: Game) -> tuple[list[tuple[str, Colour]], int]:
    """Return lines of text with their colours, and which of them is the first about the level where the player is.

    They tell of each level once, from the top down: of those where he was, and of those to which he has seen stairs.
    """
    lines: list[tuple[str, Colour]] = []
    here, stairs = 0, _stairs_seen(game)
    for node in game.world.maps:
        game_map = game.maps.get(node.id)
        if game_map is None and node.id not in stairs:
            continue
        is_here = game_map is game.map
        here = len(lines) if is_here else here
        colour = GOLD if is_here else GREEN if game_map is None else BRIGHT
        told = clean(_told_of(game, node.id, stairs))
        lines += [(line, colour) for line in wrap(told, WIDTH, subsequent_indent="  ")]
    return lines, here


def _stairs_seen(game: Game) -> dict[str, list[str]]:
    """Return on which levels, by their ids, the player has seen stairs to a level; in order of depth."""
    seen: dict[str, list[str]] = {}
    for node in game.world.maps:
        game_map = game.maps.get(node.id)
        for target in _ways_on(game_map) if game_map is not None else ():
            seen.setdefault(target, []).append(node.id)
    return seen


def _ways_on(game_map: GameMap) -> list[str]:
    """Return the ids of the levels to which the player has seen stairs on a level, each once."""
    exits = sorted(game_map.exits.items())
    return [*dict.fromkeys(target for cell, target in exits if game_map.sight.explored[cell])]


def _told_of(game: Game, map_id: str, stairs: Mapping[str, Sequence[str]]) -> str:
    """Return what is read of a level: what it is called, where there are stairs to it, and what the player has had of it."""
    above = " and ".join(map(game.title, stairs.get(map_id, ())))
    title = f"{game.title(map_id)}{f' (stairs in {above})' if above else ''}"
    game_map = game.maps.get(map_id)
    if game_map is None:
        no_way_back = ", and no way back" if game.world.node(map_id).one_way else ""
        foretaste = game.foretaste(map_id)
        return f"{title}, not visited{no_way_back}{f'. {foretaste}' if foretaste else ''}"
    has_been = "you are here" if game_map is game.map else "visited"
    no_way_on = ", no way on found yet" if game_map.exits and not _ways_on(game_map) else ""
    return f"{title}, {has_been}{no_way_on}"
