"""Floors of rectangular rooms. An L-shaped tunnel joins each room to the one before."""

from __future__ import annotations

import random
from typing import NamedTuple

from .entity import Entity
from .game_map import GameMap
from .tile_types import FLOOR, STAIRS

WIDTH, HEIGHT = 80, 43
MOST_ROOMS, SMALLEST, LARGEST = 30, 6, 10


class Room(NamedTuple):
    """A room with its walls."""

    x: int
    y: int
    width: int
    height: int

    @property
    def center(self) -> tuple[int, int]:
        """The cell in the middle of the room."""
        return self.x + self.width // 2, self.y + self.height // 2

    @property
    def inside(self) -> tuple[slice, slice]:
        """The floor of the room, as an index."""
        return slice(self.x + 1, self.x + self.width), slice(self.y + 1, self.y + self.height)

    def meets(self, other: Room) -> bool:
        """Return whether two rooms have a cell in common."""
        return (
            self.x <= other.x + other.width
            and other.x <= self.x + self.width
            and self.y <= other.y + other.height
            and other.y <= self.y + self.height
        )

    def random_cell(self, dice: random.Random) -> tuple[int, int]:
        """Return a random cell of the room's floor."""
        return (
            dice.randrange(self.x + 1, self.x + self.width),
            dice.randrange(self.y + 1, self.y + self.height),
        )


def dig_tunnel(floor: GameMap, begin: tuple[int, int], end: tuple[int, int], dice: random.Random) -> None:
    """Dig a tunnel along one axis, then along the other."""
    (x1, y1), (x2, y2) = begin, end
    corner_x, corner_y = (x2, y1) if dice.random() < 0.5 else (x1, y2)
    floor.tiles[min(x1, x2) : max(x1, x2) + 1, corner_y] = FLOOR
    floor.tiles[corner_x, min(y1, y2) : max(y1, y2) + 1] = FLOOR


def furnish(floor: GameMap, room: Room, depth: int, dice: random.Random) -> None:
    """Put monsters and draughts into a room."""
    for _ in range(dice.randint(0, 1 + depth // 2)):
        x, y = room.random_cell(dice)
        if floor.blocker_at(x, y) is None:
            if dice.random() < 0.8:
                monster = Entity(x, y, "r", (160, 110, 80), "rat", blocks=True, hp=4, power=1)
            else:
                monster = Entity(x, y, "g", (130, 170, 110), "ghoul", blocks=True, hp=9, power=3)
            floor.entities.append(monster)
    if dice.random() < 0.3:
        x, y = room.random_cell(dice)
        floor.entities.append(Entity(x, y, "!", (200, 90, 160), "draught", heals=8))


def make_floor(seed: int, depth: int) -> GameMap:
    """Make a floor of random rooms."""
    dice = random.Random(f"{seed} {depth}")
    floor = GameMap(WIDTH, HEIGHT)
    rooms: list[Room] = []
    for _ in range(MOST_ROOMS):
        width, height = dice.randint(SMALLEST, LARGEST), dice.randint(SMALLEST, LARGEST)
        room = Room(dice.randrange(WIDTH - width), dice.randrange(HEIGHT - height), width, height)
        if any(room.meets(other) for other in rooms):
            continue
        floor.tiles[room.inside] = FLOOR
        if rooms:
            dig_tunnel(floor, rooms[-1].center, room.center, dice)
            furnish(floor, room, depth, dice)
        rooms.append(room)
    floor.start, floor.stairs = rooms[0].center, rooms[-1].center
    floor.tiles[floor.stairs] = STAIRS
    return floor
