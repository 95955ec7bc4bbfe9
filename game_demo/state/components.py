"""The components of entities, those of `dungeon.to_esper` and the game's own, and functions that read the cells of entities."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import esper

from dungeon.adapters.components import (
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
from game_demo.state.body import Body, Gun, ItemEffect, Stack
from game_demo.state.carried import Haul
from game_demo.state.fixtures import TrapEffect
from game_demo.state.minds import Mind

if TYPE_CHECKING:
    from game_demo.state.geometry import Cell


__all__ = [
    "Ambush",
    "Appearance",
    "Attack",
    "Blocks",
    "Body",
    "Charger",
    "Choice",
    "Colour",
    "Debris",
    "Description",
    "DoorState",
    "Energy",
    "Follows",
    "Footprint",
    "Goal",
    "Gun",
    "Health",
    "HeldBy",
    "Hidden",
    "Inventory",
    "Item",
    "ItemEffect",
    "Leader",
    "Mind",
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
    "Value",
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
    """How many cells away the entity notices the player where it is light."""

    radius: int


@dataclass(slots=True)
class Energy:
    """How many moves the entity makes a turn, and how many it has left; whether the player was near when that was last asked."""

    speed: float = 1.0
    moves: float = 0.0
    is_near: bool = True


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
class Charger:
    """The player can be charged there, so many times more."""

    left: int


@dataclass(slots=True)
class Goal:
    """Whoever takes the entity has won, and reads this last."""

    epilogue: str = ""


@dataclass(slots=True)
class Value:
    """The entity would fetch so much outside."""

    amount: int


@dataclass(frozen=True, slots=True)
class Choice:
    """Who takes the entity has to leave all others of this word and this placement."""

    word: str
    placement: int | None = None


@dataclass(slots=True)
class Player:
    """The entity is the player, with this inventory; `haul`: what he has found to sell."""

    inventory: list[Stack] = field(default_factory=list)
    haul: Haul = field(default_factory=Haul)


# -- cells of entities -----------------------------------------------------------------------------


def cell_of(entity: int) -> Cell:
    """Return the cell at which an entity is."""
    position = esper.component_for_entity(entity, Position)
    return position.y, position.x


def cells_of(entity: int) -> tuple[Cell, ...]:
    """Return all the cells that an entity covers."""
    footprint = esper.try_component(entity, Footprint)
    return footprint.cells if footprint else (cell_of(entity),)


def held_by(entity: int) -> list[int]:
    """Return the items that a robot or a box holds."""
    inventory = esper.try_component(entity, Inventory)
    return inventory.items if inventory else []
