"""The smallest game for bots: the player walks from stairs to stairs, and some ground hurts."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import numpy as np

from dungeon.playtest.game import STEPS, Action, Event, Ground, Observation

if TYPE_CHECKING:
    from collections.abc import Callable

    from dungeon import Level, World


class Stroll:
    """Whoever comes to a level that leads nowhere has won; every other step on the ground of an encounter hurts."""

    def __init__(self, world: World, seed: int, make: Callable[[str], Level]) -> None:
        self.rng = random.Random(f"{world.seed}/{seed}")
        self.make, self.turn, self.hp, self.over = make, 0, 10, None
        self.met: set[tuple[str, int]] = set()
        self.here: int | None = None
        self.come_to(world.start.id)

    def come_to(self, map_id: str) -> None:
        self.level = level = self.make(map_id)
        self.cell = level.entrance
        self.ground = np.where(level.walkable, Ground.FLOOR, Ground.WALL).astype(np.uint8)
        for way in level.exits:
            self.ground[way.y, way.x] = Ground.DOWN

    def observe(self) -> Observation:
        everything = np.ones(self.ground.shape, bool)
        return Observation(
            map_id=self.level.id, depth=self.level.depth, turn=self.turn, cell=self.cell, hp=self.hp, max_hp=10, power=1,
            ground=self.ground, visible=everything, explored=everything, robots=(), things=(), version=self.level.depth,
            mending={}, strengthening={}, keys=0, charge=1000 - self.turn,
        )  # fmt: skip

    def legal(self) -> list[Action]:
        return [each for each in Action if each <= Action.WAIT or self.ground[self.cell] == Ground.DOWN]

    def act(self, action: Action) -> list[Event]:
        self.turn += 1
        if action == Action.DOWN and self.ground[self.cell] == Ground.DOWN:
            (target,) = {way.leads_to for way in self.level.exits if (way.y, way.x) == self.cell}
            self.come_to(target)
            events = [Event("entered", target), *self.trodden()]
            if not self.level.exits:
                self.over = "victory"
                events.append(Event("won", target))
            return events
        if action < len(STEPS):
            there = tuple(np.add(self.cell, STEPS[action]).tolist())
            self.cell = there if self.level.walkable[there] else self.cell
        return self.trodden()

    def trodden(self) -> list[Event]:
        """Return what the ground does to whoever stands on it."""
        y, x = self.cell
        found = [
            n
            for n, each in enumerate(self.level.placements)
            if each.encounter and each.bounds.y <= y < each.bounds.bottom and each.bounds.x <= x < each.bounds.right
        ]  # fmt: skip
        here = found[0] if found else None
        about = () if here is None else (here, self.level.placements[here].encounter)
        events = []
        if about and (self.level.id, here) not in self.met:
            self.met.add((self.level.id, here))
            events += [Event(kind, self.level.id, *about) for kind in ("seen", "met")]
        if here != self.here:
            self.here = here
            events.append(Event("came", self.level.id, *about))
        if about and self.rng.random() < 0.5:
            self.hp -= 1
            events.append(Event("sprung", self.level.id, *about, "nettle", 1, 7))
            if not self.hp:
                self.over = "death"
                events.append(Event("died", self.level.id, *about, "nettle"))
        return events


def start(world: World, seed: int = 0, *, make: Callable[[str], Level] | None = None) -> Stroll:
    return Stroll(world, seed, make or world.level)


def start_badly(world: World, seed: int = 0, *, make: Callable[[str], Level] | None = None) -> Stroll:
    """Start a game that goes wrong in some worlds."""
    if seed == 1 and world.seed == 2:
        raise ArithmeticError("one game too many")
    return start(world, seed, make=make)
