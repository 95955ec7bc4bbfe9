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
    "Colour",
    "Debris",
    "DoorState",
    "Energy",
    "EntityText",
    "ExclusiveChoice",
    "Follows",
    "Footprint",
    "GoalItem",
    "Gun",
    "HaulValue",
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
    "components_of",
]

Colour = tuple[int, int, int]
"""Red, green and blue, 0 to 255 each."""


@dataclass(slots=True)
class Health:
    """The hit points of an entity, and their highest number."""

    hp: int
    max_hp: int


@dataclass(slots=True)
class Attack:
    """The highest damage of the entity's blows."""

    power: int


@dataclass(slots=True)
class Perception:
    """How many cells away the robot notices the player in the light."""

    radius: int


@dataclass(slots=True)
class Energy:
    """How many moves the robot makes a turn, how many it has left, and whether the player was near at the last check."""

    speed: float = 1.0
    moves: float = 0.0
    is_near: bool = True


@dataclass(slots=True)
class Route:
    """The way of a robot to its goal.

    Attributes:
        goal: The cell that the way leads to; None for none yet.
        cells: The cells that are left, the next one last; empty if there is no way.
        patience: How many moves the robot waits before it looks for a way again, after it has found none.
    """

    goal: Cell | None = None
    cells: list[Cell] = field(default_factory=list)
    patience: int = 0


@dataclass(slots=True)
class Hidden:
    """The entity was not found yet."""


@dataclass(slots=True)
class EntityText:
    """The text that the player reads about the entity."""

    text: str


@dataclass(slots=True)
class Charger:
    """The entity can charge the player `left` more times."""

    left: int


@dataclass(slots=True)
class GoalItem:
    """Taking the entity wins the game, and shows this text."""

    epilogue: str = ""


@dataclass(slots=True)
class HaulValue:
    """The value of the entity in the haul."""

    amount: int


@dataclass(frozen=True, slots=True)
class ExclusiveChoice:
    """Taking the entity removes all others with this word from the same placement."""

    word: str
    placement: int | None = None


@dataclass(slots=True)
class Player:
    """The entity is the player, with this pack and haul."""

    inventory: list[Stack] = field(default_factory=list)
    haul: Haul = field(default_factory=Haul)


# -- cells of entities -----------------------------------------------------------------------------


def cell_of(entity: int) -> Cell:
    """Return the cell of an entity."""
    position = esper.component_for_entity(entity, Position)
    return position.y, position.x


def cells_of(entity: int) -> tuple[Cell, ...]:
    """Return all cells that an entity covers."""
    footprint = esper.try_component(entity, Footprint)
    return footprint.cells if footprint else (cell_of(entity),)


def held_by(entity: int) -> list[int]:
    """Return the items in a robot or a box."""
    inventory = esper.try_component(entity, Inventory)
    return inventory.items if inventory else []
