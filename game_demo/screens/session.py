"""One sitting: games played one after another with the same content."""

from __future__ import annotations

import random
from functools import cached_property
from typing import TYPE_CHECKING, Final

import dungeon
from game_demo.saving.keeper import Keeper
from game_demo.state.game import Game

if TYPE_CHECKING:
    from tcod.console import Console

    from dungeon import Content
    from game_demo.saving.keeper import Saved

SEEDS: Final = 1_000_000
"""So many seeds are drawn from when none is given: few enough to tell a friend about."""


def any_seed() -> int:
    """Return a seed by chance."""
    return random.SystemRandom().randrange(SEEDS)


def has_map(world: dungeon.World, map_id: str | None) -> bool:
    """Tell whether a world has a map of that id."""
    return any(node.id == map_id for node in world.maps)


class Session:
    """A sitting.

    Args:
        content: What to play with.
        seed: The seed of the first world, or None for any.
        start: The map to begin on, by default where the world begins; so in worlds that don't have it.
        crash_at: The turn on which games break down on purpose.
        keeper: What saves the games; they are not saved if there is none.

    Attributes:
        game: The game that is on.
    """

    def __init__(
        self,
        content: Content,
        seed: int | None = None,
        *,
        start: str | None = None,
        crash_at: int | None = None,
        keeper: Keeper | None = None,
    ) -> None:
        self.content = content
        self.start = start
        self.crash_at = crash_at
        self.keeper = keeper or Keeper()
        self.game = self._new_game(seed, start)

    def _new_game(self, seed: int | None, start: str | None) -> Game:
        world = dungeon.World(self.content, any_seed() if seed is None else seed)
        first = start if has_map(world, start) else None
        game = Game(world, first, crash_at=self.crash_at)
        self.keeper.follow(game, first)
        return game

    def begin(self, seed: int | None = None, *, start: str | None = None) -> None:
        """Begin a new game, in any world if there is no seed, on the map on which the others began if none is named."""
        self.keeper.leave(self.game)
        self.game = self._new_game(seed, start or self.start)

    def go_on(self, saved: Saved) -> bool:
        """Go on with a saved game, and tell whether that can be done; the keeper has a notice if not."""
        game = self.keeper.try_resume(saved.path, self.content)
        if game is None:
            return False
        game.crash_at = self.crash_at
        self.game = game
        return True

    @property
    def world(self) -> dungeon.World:
        """The world that is played."""
        return self.game.world

    @property
    def seed(self) -> int:
        """Its seed."""
        return self.game.world.seed

    @cached_property
    def backdrop(self) -> Console:
        """A map to hang behind the title: not one of the world that is played, for that would give it away."""
        world = dungeon.World(self.content, self.seed + 1)
        return dungeon.to_console(world.level(world.start.id))
