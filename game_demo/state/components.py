"""What entities of the game consist of: the components that `dungeon.to_esper` gives them, and the game's own."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dungeon.adapters.entities.components import (
    Ambush,
    Appearance,
    Blocks,
    Debris,
    DoorState,
    Follows,
    Footprint,
    HeldBy,
    Inventory,
    Item,
    Leader,
    Opaque,
    Patrol,
    Position,
    Prop,
    Robot,
    Tag,
    Trap,
    components_of,
)
from game_demo.state.things.fixtures import TrapEffect

if TYPE_CHECKING:
    from game_demo.state.geometry import Cell, Direction

__all__ = [
    "Ambush",
    "Appearance",
    "Attack",
    "Blocks",
    "Colour",
    "Debris",
    "Description",
    "DoorState",
    "Energy",
    "Follows",
    "Footprint",
    "Goal",
    "Guard",
    "Health",
    "HeldBy",
    "Hidden",
    "Hunt",
    "Inventory",
    "Item",
    "ItemEffect",
    "Leader",
    "Opaque",
    "Patrol",
    "Perception",
    "Player",
    "Position",
    "Prop",
    "Robot",
    "Route",
    "Stack",
    "Tag",
    "Trap",
    "TrapEffect",
    "Wander",
    "components_of",
]

Colour = tuple[int, int, int]
"""Red, green and blue, of 0 to 255 each."""


@dataclass(slots=True)
class Health:
    """How much damage an entity still takes, and how much when it is whole."""

    hp: int
    max_hp: int


@dataclass(slots=True)
class Attack:
    """The most damage that one of the entity's blows does."""

    power: int


@dataclass(slots=True)
class Perception:
    """How many cells away the entity notices the player."""

    radius: int


@dataclass(slots=True)
class Energy:
    """How many moves the entity makes a turn, and how many it has left; whether the player was near when that was last asked."""

    speed: float = 1.0
    moves: float = 0.0
    is_near: bool = True


@dataclass(slots=True)
class Wander:
    """The entity strolls about, for now in this direction."""

    heading: Direction = (0, 0)


@dataclass(slots=True)
class Guard:
    """The entity keeps near its post."""

    post: Cell


@dataclass(slots=True)
class Hunt:
    """The entity chases the player, whom it saw last at `last_seen`."""

    last_seen: Cell | None = None


@dataclass(slots=True)
class Route:
    """The way that the robot has found to its goal.

    Attributes:
        goal: Where it leads to; None for nowhere yet.
        cells: What is left of it, the next cell last; none if there is no way.
        patience: How many moves the robot makes before it looks again for a way that there was not.
    """

    goal: Cell | None = None
    cells: list[Cell] = field(default_factory=list)
    patience: int = 0


@dataclass(slots=True)
class Hidden:
    """The entity has not been found yet."""


@dataclass(slots=True)
class Description:
    """What is read of the entity."""

    text: str


@dataclass(slots=True)
class ItemEffect:
    """What an item does when it is applied; or the trap that it is, to be laid."""

    repair: int = 0
    power: int = 0
    trap: TrapEffect | None = None


@dataclass(slots=True)
class Goal:
    """Whoever takes the entity has won."""


@dataclass(slots=True)
class Stack:
    """Items of one kind in the player's inventory."""

    tag: str
    look: Appearance
    effect: ItemEffect
    count: int = 1


@dataclass(slots=True)
class Player:
    """The entity is the player, with this inventory."""

    inventory: list[Stack] = field(default_factory=list)
