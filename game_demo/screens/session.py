"""One sitting: games played one after another with the same content."""

from __future__ import annotations

import random
from collections import deque
from functools import cached_property
from importlib.metadata import version
from typing import TYPE_CHECKING, Final

import dungeon
from game_demo.display.palettes import PALETTES
from game_demo.saving.keeper import Keeper
from game_demo.state.digest import digest_of
from game_demo.state.game import Game

if TYPE_CHECKING:
    from pathlib import Path

    from tcod.console import Console

    from dungeon import Content
    from game_demo.saving.keeper import Saved

SEEDS: Final = 1_000_000
"""So many seeds are drawn from when none is given: few enough to tell a friend about."""

MOST_KEYS: Final = 20_000
"""So many keys are kept for a report."""


def any_seed() -> int:
    """Return a seed by chance."""
    return random.SystemRandom().randrange(SEEDS)


class Session:
    """A sitting.

    Args:
        content: What to play with.
        seed: The seed of the first world, or None for any.
        start: The map to begin on, by default where the world begins; so in worlds that don't have it.
        crash_at: The turn on which games break down on purpose.
        palette: Which of `PALETTES` to draw in.
        keeper: What saves the games; they are not saved if there is none.

    Attributes:
        game: The game that is on.
        keys: The keys that have been pressed since it began, the last of them.

    Raises:
        ValueError: There is no such palette.
    """

    def __init__(
        self,
        content: Content,
        seed: int | None = None,
        *,
        start: str | None = None,
        crash_at: int | None = None,
        palette: str = "plain",
        keeper: Keeper | None = None,
    ) -> None:
        self.content = content
        self._palettes = deque(PALETTES)
        self._palettes.rotate(-self._palettes.index(palette))
        self.keys: deque[str] = deque(maxlen=MOST_KEYS)
        self.start = start
        self.crash_at = crash_at
        self.keeper = keeper or Keeper()
        self.game = self._new_game(seed, start)

    def _new_game(self, seed: int | None, start: str | None) -> Game:
        world = dungeon.World(self.content, any_seed() if seed is None else seed)
        first = start if start in world else None
        game = Game(world, first, crash_at=self.crash_at)
        self.keeper.follow(game, first)
        self.keys.clear()
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
        self.keys.clear()
        return True

    def jump(self, text: str) -> None:
        """Begin a new game where a text says: a map's id, a seed, or both.

        Raises:
            ValueError: There is no such map, or that is no seed.
        """
        words = text.split()
        maps = [word for word in words if "/" in word]
        seeds: list[int | str] = [word for word in words if word not in maps]
        world = dungeon.World(self.content, seeds[0] if seeds else self.seed)
        for name in maps:
            if name not in world:
                known = [node.id for node in world.maps]
                raise ValueError(f"no map {name} in world {world.seed}, only {', '.join(known)}")
        self.begin(world.seed, start=maps[0] if maps else None)

    def write_report(self, folder: Path) -> Path:
        """Write down where the game is and how it came there, for whoever looks for a mistake; return the file.

        Raises:
            OSError: It can't be written there.
        """
        game = self.game
        level, (y, x) = game.map.level, game.player_cell
        lines = [
            f"{game.world.content.world.name}, tcod-dungeon {version('tcod-dungeon')}",
            f"seed {self.seed}, map {level.id}, turn {game.log.turn}, y {y}, x {x}",
            f"hp {game.health.hp}/{game.health.max_hp}, power {game.attack.power}, state {digest_of(game)}",
            f"keys: {' '.join(self.keys)}",
            "",
            *(f"{message.turn:>5}  {message}" for message in game.log.messages),
        ]
        path = folder / f"report-{self.seed}-{level.id.replace('/', '-')}-{game.log.turn}.txt"
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return path

    def heard(self, key: str) -> None:
        """Note a key that has been pressed."""
        self.keys.append(key)

    def next_palette(self) -> str:
        """Draw in the next palette from now on, and return its name."""
        self._palettes.rotate(-1)
        return self._palettes[0]

    def recolour(self, console: Console) -> None:
        """Put a finished console into the colours of the palette."""
        PALETTES[self._palettes[0]](console.rgb)

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
