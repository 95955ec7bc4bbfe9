"""A session: games played one after another with the same content."""

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
"""Random seeds are drawn from 0 to this number: short enough to tell a friend."""

LESSONS: Final = "lessons"
"""The name, under `starts` in ``world.yaml``, of the map on which a player's first game begins."""

MOST_KEYS: Final = 20_000
"""How many of the last keys a report contains."""


def any_seed() -> int:
    """Return a random seed."""
    return random.SystemRandom().randrange(SEEDS)


class Session:
    """Games played one after another.

    Args:
        content: The content.
        seed: The seed of the first world; None for a random one.
        start: The id of the first map, in worlds that have it; by default the first game begins with the lessons, others without.
        crash_at: The turn on which games raise an exception, for tests.
        palette: The name of the first of `PALETTES` to use.
        keeper: Saves the games; None for nothing saved.

    Attributes:
        game: The present game.
        keys: The last keys pressed in it.

    Raises:
        ValueError: There is no such palette.
    """

    def __init__(
        self,
        content: Content,
        seed: int | str | None = None,
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

    def _new_game(self, seed: int | str | None, start: str | None, *, lessons: bool | None = None) -> Game:
        world = dungeon.World(self.content, any_seed() if seed is None else seed)
        first = start if start in world else None
        if (
            first is None
            and LESSONS in world.starts
            and (self.keeper.is_first if lessons is None else lessons)
        ):
            first = world.starts[LESSONS].id
        text = "" if seed is None or str(seed) == str(world.seed) else str(seed)
        game = Game(world, first, crash_at=self.crash_at, seed_text=text)
        self.keeper.follow(game, first)
        self.keys.clear()
        return game

    def begin(
        self, seed: int | str | None = None, *, start: str | None = None, lessons: bool | None = None
    ) -> None:
        """Begin a new game.

        Args:
            seed: The seed of its world; None for a random one.
            start: The id of its first map; None for the session's.
            lessons: Without a first map, whether it begins with the lessons; None for only if the player has not played yet.
        """
        self.keeper.leave(self.game)
        self.game = self._new_game(seed, start or self.start, lessons=lessons)

    def go_on(self, saved: Saved) -> bool:
        """Continue a saved game; return whether that was possible. If not, the keeper has a notice."""
        game = self.keeper.try_resume(saved.path, self.content)
        if game is None:
            return False
        game.crash_at = self.crash_at
        self.game = game
        self.keys.clear()
        return True

    def jump(self, text: str) -> None:
        """Begin a new game in the world and on the map that a text names: a map id, a seed, or both.

        Raises:
            ValueError: There is no such map, or no such seed.
        """
        words = text.split()
        maps = [word for word in words if "/" in word]
        seed = next((word for word in words if word not in maps), self.seed_as_typed)
        world = dungeon.World(self.content, seed)
        for name in maps:
            if name not in world:
                known = [node.id for node in world.maps]
                raise ValueError(f"no map {name} in world {world.seed}, only {', '.join(known)}")
        self.begin(seed, start=maps[0] if maps else None)

    def write_report(self, folder: Path) -> Path:
        """Write a report for bug hunters, with the state, the keys and the messages; return its file.

        Raises:
            OSError: It can't be written.
        """
        game = self.game
        level, (y, x) = game.map.level, game.player_cell
        lines = [
            f"{game.world.content.world.name}, tcod-dungeon {version('tcod-dungeon')}",
            f"{game.seed_words}, map {level.id}, turn {game.log.turn}, y {y}, x {x}",
            f"hp {game.health.hp}/{game.health.max_hp}, power {game.attack.power}, state {digest_of(game)}",
            f"keys: {' '.join(self.keys)}",
            "",
            *(f"{message.turn:>5}  {message}" for message in game.log.messages),
        ]
        path = folder / f"report-{self.seed}-{level.id.replace('/', '-')}-{game.log.turn}.txt"
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return path

    def heard(self, key: str) -> None:
        """Store a key for reports."""
        self.keys.append(key)

    def next_palette(self) -> str:
        """Switch to the next palette; return its name."""
        self._palettes.rotate(-1)
        return self._palettes[0]

    def recolour(self, console: Console) -> None:
        """Recolour a finished console by the palette."""
        PALETTES[self._palettes[0]](console.rgb)

    @property
    def is_with_lessons(self) -> bool | None:
        """Whether the present game began with the lessons; None if the player can't choose that, on a level of `start`."""
        lessons = self.world.starts.get(LESSONS)
        if lessons is None or self.start in self.world:
            return None
        return lessons.id in self.game.maps

    @property
    def first(self) -> str:
        """The id of the map on which the present game began, or will begin."""
        return next(iter(self.game.maps))

    @property
    def world(self) -> dungeon.World:
        """The world that is played."""
        return self.game.world

    @property
    def seed(self) -> int:
        """The seed of that world."""
        return self.game.world.seed

    @property
    def seed_as_typed(self) -> int | str:
        """The same as the player typed it."""
        return self.game.seed_text or self.seed

    @cached_property
    def backdrop(self) -> Console:
        """The map behind the title: of another world, so that it gives nothing away."""
        world = dungeon.World(self.content, self.seed + 1)
        return dungeon.to_console(world.level(world.start.id))
