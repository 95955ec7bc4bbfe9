"""Where entities are, and what they hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

import esper

from game_demo.state.components import Footprint, Inventory, Position

if TYPE_CHECKING:
    from game_demo.state.geometry import Cell


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
