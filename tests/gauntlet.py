"""A game of running past robots: each map costs as much as the robots on it strike, and who is left at the end has won."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import numpy as np

from dungeon.playtest.game import Action, Event, Ground, Observation

if TYPE_CHECKING:
    from collections.abc import Callable

    from dungeon import Level, World

HP = 6


class Gauntlet:
    """All that can be done is to go down, and each robot of the map strikes once before that."""

    def __init__(self, world: World, seed: int, make: Callable[[str], Level]) -> None:
        self.rng = random.Random(f"{world.seed}/{seed}")
        self.make, self.turn, self.hp, self.over = make, 0, HP, None
        self.level = make(world.start.id)

    def observe(self) -> Observation:
        ground = np.full(self.level.walkable.shape, Ground.FLOOR, np.uint8)
        everything = np.ones(ground.shape, bool)
        return Observation(
            map_id=self.level.id, depth=self.level.depth, turn=self.turn, cell=self.level.entrance, hp=self.hp,
            max_hp=HP, power=1, ground=ground, visible=everything, explored=everything, robots=(), things=(),
            version=self.turn, mending={}, strengthening={}, keys=0,
        )  # fmt: skip

    def legal(self) -> list[Action]:
        return [Action.DOWN]

    def act(self, _: Action) -> list[Event]:
        self.turn += 1
        here, events = self.level.id, []
        for robot in (each for each in self.level.spawns if each.kind == "robot"):
            blow = int(self.rng.random() * (robot.keywords["attack"] + 1))
            self.hp -= blow
            events.append(Event("hurt", here, None, "", robot.tag, blow, 1))
            if self.hp <= 0:
                self.over = "death"
                return [*events, Event("died", here, None, "", robot.tag)]
        if not self.level.exits:
            self.over = "victory"
            return [*events, Event("won", here)]
        self.level = self.make(self.level.exits[0].leads_to)
        return [*events, Event("entered", self.level.id)]


def start(world: World, seed: int = 0, *, make: Callable[[str], Level] | None = None) -> Gauntlet:
    return Gauntlet(world, seed, make or world.level)
