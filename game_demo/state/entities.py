"""Where entities are, and which are where."""

from __future__ import annotations

from typing import TYPE_CHECKING

import esper

from game_demo.state.components import Footprint, Hidden, Inventory, Item, Position, Tag

if TYPE_CHECKING:
    from game_demo.state.game_map import GameMap
    from game_demo.state.geometry import Cell

ORDER = ("robot", "prop", "item", "trap", "debris")
"""In which order to name kinds of things."""


def cell_of(entity: int) -> Cell:
    """Return the cell at which an entity is."""
    position = esper.component_for_entity(entity, Position)
    return position.y, position.x


def cells_of(entity: int) -> tuple[Cell, ...]:
    """Return all the cells that an entity covers."""
    footprint = esper.try_component(entity, Footprint)
    return footprint.cells if footprint else (cell_of(entity),)


def held_by(entity: int) -> list[int]:
    """Return the items that a robot holds."""
    inventory = esper.try_component(entity, Inventory)
    return inventory.items if inventory else []


def entities_at(game_map: GameMap, cell: Cell, *, hidden: bool = False) -> list[int]:
    """Return the spawns that cover a cell of the player's level, those on top first."""
    things = [*game_map.lying.get(cell, ())]
    blocker = game_map.blockers.get(cell)
    if blocker is not None and blocker not in things and esper.has_component(blocker, Tag):
        things.append(blocker)
    found = [
        (ORDER.index(esper.component_for_entity(entity, Tag).kind), entity)
        for entity in things
        if hidden or not esper.has_component(entity, Hidden)
    ]
    return [entity for _, entity in sorted(found)]


def items_at(game_map: GameMap, cell: Cell) -> list[int]:
    """Return the items that lie on a cell of the player's level."""
    return [entity for entity in entities_at(game_map, cell) if esper.has_component(entity, Item)]
