"""What the player has found out about a level, in the words that bots understand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import esper
import numpy as np

from dungeon import terrain as t
from dungeon.playtest.game import Ground, Thing
from game_demo.state.components import (
    Attack,
    Goal,
    Health,
    Hidden,
    Item,
    ItemEffect,
    Position,
    Prop,
    Robot,
    Tag,
)
from game_demo.state.entities import cell_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from game_demo.state.game_map import GameMap
    from game_demo.state.geometry import Cell

TRAP: Final = int(Ground.TRAP)
NONE: Final = -1
"""In a map of placements: none."""


class Knowledge:
    """One level, as far as the player knows it.

    Args:
        game_map: The level; its esper world is the current one whenever this is asked.
        way_up: Whether stairs lead up from where the level begins.

    Attributes:
        ground: (height, width) uint8 of `Ground`, as it was when the player saw it last.
        things: The items, and props that work, that were found.
        version: It rises whenever ground or things have changed.
        placement_at: (height, width) int16, the index of the placement on each cell, `NONE` for none.
    """

    def __init__(self, game_map: GameMap, *, way_up: bool) -> None:
        self.game_map = game_map
        self.ground = np.full(game_map.codes.shape, Ground.UNKNOWN, np.uint8)
        self.things: tuple[Thing, ...] = ()
        self.version = 0
        self.placement_at = _placement_map(game_map)
        self._way_up = way_up
        self._kinds = _ground_of_terrain(game_map)
        self._marks = self._marked()
        self._version = 0
        self._looked: set[Cell] = set()  # from these cells nothing new can be seen before something changes
        self._truth = self.ground
        self._props = sorted(entity for entity, _ in esper.get_component(Prop) if self._works(entity))
        self._found: set[int] = set()
        self._findable: dict[int, Thing] = {}
        self._unseen = (self.placement_at != NONE) & game_map.level.walkable

    def look(self, cell: Cell) -> list[int]:
        """Learn what is in sight of the player, who is at a cell; return the placements that were not in sight before."""
        game_map = self.game_map
        if self._version != game_map.version:
            self._version = game_map.version
            self._survey()
        elif cell in self._looked:
            return []
        self._looked.add(cell)
        self.version += 1
        near = game_map.sight.area.slices
        visible = game_map.sight.visible[near]
        np.copyto(self.ground[near], self._truth[near], where=visible)
        self._find()
        fresh = self._unseen[near] & visible
        if not fresh.any():
            return []
        seen: list[int] = np.unique(self.placement_at[near][fresh]).tolist()
        self._unseen &= ~np.isin(self.placement_at, seen)
        return seen

    def robots(self) -> list[Thing]:
        """Return the robots in sight."""
        visible = self.game_map.sight.visible
        return [
            self._thing(entity, hp=health.hp, max_hp=health.max_hp, power=attack.power)
            for entity, (_, at, health, attack) in esper.get_components(Robot, Position, Health, Attack)
            if visible[at.y, at.x]
        ]

    def _survey(self) -> None:
        """Take note that what stays where it is has changed: work out what there is to be seen of it."""
        game_map = self.game_map
        self._looked.clear()
        truth = self._kinds[game_map.codes]
        np.copyto(truth, self._marks, where=self._marks != Ground.UNKNOWN)
        for cell in filter(self._shows_trap, game_map.traps):
            truth[cell] = TRAP
        self._truth = truth
        items = [entity for entity, _ in esper.get_components(Item, Position)]
        props = [entity for entity in self._props if self._works(entity)]
        known = self._findable
        self._findable = {entity: known.get(entity) or self._thing(entity) for entity in (*items, *props)}
        self._found &= self._findable.keys()
        self._list()

    def _marked(self) -> NDArray[np.uint8]:
        """Return (height, width) what stands on the ground for good, `Ground.UNKNOWN` where nothing does."""
        game_map = self.game_map
        marks = np.full(game_map.codes.shape, Ground.UNKNOWN, np.uint8)
        for cells, kind in (
            (game_map.portals, Ground.PORTAL),
            (game_map.exits, Ground.DOWN),
            ([game_map.level.entrance] if self._way_up else [], Ground.UP),
            ((cell for cell, each in game_map.blockers.items() if self._is_prop(each)), Ground.OBJECT),
        ):
            for cell in cells:
                marks[cell] = kind
        return marks

    def _find(self) -> None:
        """Find the things that are in sight."""
        visible, found = self.game_map.sight.visible, self._found
        fresh = [
            entity for entity, thing in self._findable.items() if entity not in found and visible[thing.cell]
        ]
        if fresh:
            found.update(fresh)
            self._list()

    def _list(self) -> None:
        self.things = tuple(self._findable[entity] for entity in sorted(self._found))

    def _shows_trap(self, cell: Cell) -> bool:
        trap = self.game_map.armed_trap_at(cell)
        return trap is not None and not esper.has_component(trap, Hidden)

    @staticmethod
    def _is_prop(entity: int) -> bool:
        return esper.has_component(entity, Prop)

    def _works(self, prop: int) -> bool:
        """Tell whether a prop opens or pulls something for whoever bumps into it, as its description says."""
        keywords = esper.component_for_entity(prop, Tag).keywords
        return prop not in self.game_map.worked and ("lock" in keywords or "opens" in keywords)

    def _thing(self, entity: int, *, hp: int = 0, max_hp: int = 0, power: int = 0) -> Thing:
        tag, effect = esper.component_for_entity(entity, Tag), esper.try_component(entity, ItemEffect)
        placement = self.game_map.placements.get(entity)
        return Thing(
            entity,
            tag.kind,
            tag.tag,
            cell_of(entity),
            placement,
            self.encounter(placement),
            hp,
            max_hp,
            effect.power if effect else power,
            effect.repair if effect else 0,
            tag.kind == "prop",
            effect is not None and "opens" in tag.keywords,
            esper.has_component(entity, Goal),
        )

    def encounter(self, placement: int | None) -> str:
        """Return the name of the encounter of a placement, empty for none."""
        return "" if placement is None else self.game_map.level.placements[placement].encounter


def _ground_of_terrain(game_map: GameMap) -> NDArray[np.uint8]:
    """Return the (256,) uint8 kind of ground of every code of terrain."""
    kinds = game_map.level.terrain_set
    table = np.where(kinds.walkable, Ground.FLOOR, Ground.WALL).astype(np.uint8)
    table[kinds.base == t.DOOR] = Ground.DOOR
    table[kinds.base == t.LOCKED_DOOR] = Ground.LOCKED
    return table


def _placement_map(game_map: GameMap) -> NDArray[np.int16]:
    """Return the (height, width) index of the encounter's placement on each cell, the latest where several lie."""
    level = game_map.level
    found = np.full(level.terrain.shape, NONE, np.int16)
    for index, placement in enumerate(level.placements):
        if placement.scattered:
            found[level.region == placement.region] = index
        elif placement.encounter:
            bounds = placement.bounds
            found[bounds.y : bounds.y + bounds.height, bounds.x : bounds.x + bounds.width] = index
    return found
