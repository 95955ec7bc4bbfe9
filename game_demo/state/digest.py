"""A game in one number: games in which everything is alike have the same."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import esper

if TYPE_CHECKING:
    from collections.abc import Iterator

    from game_demo.state.game import Game
    from game_demo.state.game_map import GameMap


def digest_of(game: Game) -> str:
    """Return the SHA-256, in hexadecimal digits, of all that can make a difference to how the game goes on.

    How the player remembers that things looked is no part of it, for a game that nobody watches keeps nothing of that.
    """
    digest = hashlib.sha256()
    here = game.map.level.id
    for map_id, game_map in game.maps.items():
        game.worlds.enter(map_id)
        for part in _parts(game_map):
            digest.update(part)
    game.worlds.enter(here)
    ends = (
        here,
        game.hero,
        game.ending,
        game.cause,
        game.log.turn,
        game.log.messages,
        game.clock,
        game.rng.getstate(),
    )
    digest.update(repr(ends).encode())
    return digest.hexdigest()


def _parts(game_map: GameMap) -> Iterator[bytes]:
    """Yield what a level in play is; its esper world is the current one."""
    yield from (game_map.level.id.encode(), game_map.codes.tobytes(), game_map.sight.explored.tobytes())
    ring = game_map.ring
    words = (ring.lasting, ring.codes, ring.levers, +ring.once, game_map.unlocked, game_map.worked)
    yield repr([sorted(each) for each in words]).encode()
    yield repr((sorted(ring.once.items()), game_map.came_from)).encode()
    for entity in sorted(esper.get_entities()):
        components: tuple[object, ...] = esper.components_for_entity(entity)
        yield repr((entity, sorted(map(repr, components)))).encode()
