"""The state and the rules of a game."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING

import numpy as np
import tcod.path

from .entity import Entity, new_player
from .procgen import make_floor

if TYPE_CHECKING:
    from pathlib import Path

    from tcod.console import Console

SIGHT = 8


class Engine:
    """A game in play: the player, the current floor, and the messages."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.map_id = "cellar/1"
        self.player = new_player()
        self.messages: list[str] = []
        self.arrive()

    def arrive(self) -> None:
        """Make the current floor, and put the player at its start."""
        self.floor = make_floor(self.seed, self.map_id)
        self.player.x, self.player.y = self.floor.start
        self.floor.entities.append(self.player)
        self.floor.see_from(self.player.xy, SIGHT)

    def descend(self) -> None:
        """Take the stairs under the player, if there are any."""
        if self.player.xy not in self.floor.exits:
            self.messages.append("There are no stairs here.")
        else:
            self.map_id = self.floor.exits[self.player.xy]
            self.arrive()

    def move(self, dx: int, dy: int) -> None:
        """Move the player by (dx, dy), or strike the monster there; then the monsters act. (0, 0) waits."""
        x, y = self.player.x + dx, self.player.y + dy
        blocker = self.floor.blocker_at(x, y)
        if blocker is not None and blocker is not self.player:
            in_the_way = f"A {blocker.name} is in the way."
            self.messages.append(blocker.hit(self.player.power) if blocker.hp > 0 else in_the_way)
        elif self.floor.is_walkable(x, y):
            self.player.x, self.player.y = x, y
            self.take()
        self.others()
        self.floor.see_from(self.player.xy, SIGHT)

    def take(self) -> None:
        """Drink all draughts on the player's cell."""
        for entity in [each for each in self.floor.entities if each.heals and each.xy == self.player.xy]:
            self.floor.entities.remove(entity)
            self.player.hp += entity.heals
            self.messages.append(f"You drink the {entity.name}.")

    def others(self) -> None:
        """Let every monster in the player's sight approach or bite."""
        for entity in self.floor.entities:
            if entity is self.player or entity.hp <= 0 or not self.floor.visible[entity.xy]:
                continue
            if max(abs(entity.x - self.player.x), abs(entity.y - self.player.y)) <= 1:
                self.messages.append(f"The {entity.name} bites. " + self.player.hit(entity.power))
            else:
                self.approach(entity)

    def approach(self, entity: Entity) -> None:
        """Move the monster one step toward the player, around other entities."""
        cost = self.floor.tiles["walkable"].astype(np.int8)
        for other in self.floor.entities:
            if other.blocks:
                cost[other.xy] = 10 if other.hp > 0 else 0
        finder = tcod.path.Pathfinder(tcod.path.SimpleGraph(cost=cost, cardinal=2, diagonal=3))
        finder.add_root(entity.xy)
        way = finder.path_to(self.player.xy)[1:].tolist()
        if len(way) > 1 and self.floor.blocker_at(*way[0]) is None:
            entity.x, entity.y = way[0]

    def render(self, console: Console) -> None:
        """Draw the floor, the player's hit points and the last messages."""
        console.clear()
        self.floor.render(console)
        line = f"{self.map_id}   HP {self.player.hp}   {' '.join(self.messages[-2:])}"
        console.print(0, console.height - 1, line)

    def save(self, path: Path) -> None:
        """Save the game to a file."""
        path.write_bytes(pickle.dumps(self))


def load(path: Path) -> Engine:
    """Load a game that `Engine.save` has saved."""
    engine = pickle.loads(path.read_bytes())  # noqa: S301  # the player's own file
    assert isinstance(engine, Engine)
    return engine
