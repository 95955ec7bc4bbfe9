"""What the player has found out about a level, in the words that bots understand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import esper
import numpy as np

from dungeon import terrain as t
from dungeon.playtest.game import Ground, Thing
from game_demo.rules.robots.passing import passes
from game_demo.state.components import (
    Attack,
    Charger,
    Goal,
    Gun,
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
from game_demo.state.geometry import mask_of
from game_demo.state.things.parts import worth_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from game_demo.state.game_map import GameMap
    from game_demo.state.geometry import Cell

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
        self._kinds = _ground_of_terrain(game_map)
        self._marks = self._marked(way_up=way_up)
        self._truth = self._kinds[game_map.codes]  # what there is to be seen of the ground
        self._stale = 0  # mask: where that may be another than `ground`
        self._learn_ground([*self._marks, *game_map.traps])
        self._stale = (1 << self.ground.size) - 1
        self._findable: dict[int, Thing] = {}
        self._lost = 0  # mask: where things are to be found
        self._found: set[int] = set()
        self._learn_things(
            entity for kind in (Item, Prop) for entity, _ in esper.get_components(kind, Position)
        )
        self._robots: dict[int, Thing] = {}  # as they were seen last
        walkable = game_map.level.walkable
        self._grounds = {  # of the placements that were not in sight: masks
            index: mask_of((self.placement_at == index) & walkable)
            for index in range(len(game_map.level.placements))
        }
        self._unmet = mask_of((self.placement_at != NONE) & walkable)  # all of them
        self._looked: set[Cell] = set()  # from these cells nothing new can be seen before something changes
        self._version = game_map.version
        self._cells_read, self._things_read = len(game_map.changed_cells), len(game_map.changed_things)

    def look(self, cell: Cell) -> list[int]:
        """Learn what is in sight of the player, who is at a cell; return the placements that were not in sight before."""
        if self._version != self.game_map.version:
            self._catch_up()
        elif cell in self._looked:
            return []
        self._looked.add(cell)
        self.version += 1
        sight = self.game_map.sight
        if self._stale & sight.mask:
            self._stale ^= self._stale & sight.mask
            np.putmask(self.ground, sight.visible, self._truth)
        if self._lost & sight.mask:
            self._lost ^= self._lost & sight.mask
            self._find()
        if not self._unmet & sight.mask:
            return []
        seen = [index for index, grounds in self._grounds.items() if grounds & sight.mask]
        for index in seen:
            self._unmet ^= self._grounds.pop(index)
        return seen

    def robots(self) -> list[Thing]:
        """Return the robots in sight."""
        game_map = self.game_map
        mask, width = game_map.sight.mask, game_map.width
        if not mask & game_map.robots:
            return []
        return [
            self._robot(entity, (at.y, at.x), health, attack)
            for entity, (_, at, health, attack) in esper.get_components(Robot, Position, Health, Attack)
            if mask >> at.y * width + at.x & 1
        ]

    def _catch_up(self) -> None:
        """Take note of what has changed of what stays where it is."""
        game_map = self.game_map
        self._version = game_map.version
        self._looked.clear()
        self._learn_ground(game_map.changed_cells[self._cells_read :])
        self._learn_things(game_map.changed_things[self._things_read :])
        self._cells_read, self._things_read = len(game_map.changed_cells), len(game_map.changed_things)

    def _learn_ground(self, cells: Iterable[Cell]) -> None:
        """Work out what there is to be seen of the ground of some cells."""
        for cell in cells:
            if self._marks.get(cell) == Ground.OBJECT and cell not in self.game_map.blockers:
                del self._marks[cell]  # it stands there no more
            if self._shows_trap(cell):
                self._truth[cell] = Ground.TRAP
            else:
                self._truth[cell] = self._marks.get(cell, self._kinds[self.game_map.codes[cell]])
            self._stale |= self.game_map.bit(cell)

    def _learn_things(self, entities: Iterable[int]) -> None:
        """Work out what there is to be found of some entities."""
        for entity in entities:
            if self._is_findable(entity):
                self._findable[entity] = thing = self._thing(entity)
                self._lost |= self.game_map.bit(thing.cell)
                continue
            self._findable.pop(entity, None)
            if entity in self._found:
                self._found.remove(entity)
                self._list()

    def _is_findable(self, entity: int) -> bool:
        """Tell whether an entity is an item that lies somewhere, or a prop that works."""
        if not esper.entity_exists(entity) or not esper.has_component(entity, Position):
            return False
        if esper.has_component(entity, Item) or charges(entity):
            return True
        return self._is_prop(entity) and self._works(entity)

    def _marked(self, *, way_up: bool) -> dict[Cell, Ground]:
        """Return what stands on the ground for good, by its cell."""
        game_map = self.game_map
        objects = (cell for cell, each in game_map.blockers.items() if self._is_prop(each))
        return {
            **dict.fromkeys(game_map.portals, Ground.PORTAL),
            **dict.fromkeys(game_map.exits, Ground.DOWN),
            **dict.fromkeys([game_map.level.entrance] if way_up else [], Ground.UP),
            **dict.fromkeys(objects, Ground.OBJECT),
        }

    def _find(self) -> None:
        """Find the things that are in sight."""
        mask, bit = self.game_map.sight.mask, self.game_map.bit
        self._found.update(entity for entity, thing in self._findable.items() if mask & bit(thing.cell))
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

    def _robot(self, entity: int, cell: Cell, health: Health, attack: Attack) -> Thing:
        """Return a robot as it is seen now."""
        thing = self._robots.get(entity)
        if thing is None:
            gun = esper.try_component(entity, Gun)
            power = max(attack.power, gun.power if gun else 0)
            thing = self._thing(entity, hp=health.hp, max_hp=health.max_hp, power=power)
        yields = passes(entity)
        if (thing.cell, thing.hp, thing.yields) != (cell, health.hp, yields):
            thing = thing._replace(cell=cell, hp=health.hp, yields=yields)
        self._robots[entity] = thing
        return thing

    def _thing(self, entity: int, *, hp: int = 0, max_hp: int = 0, power: int = 0) -> Thing:
        tag, effect = esper.component_for_entity(entity, Tag), esper.try_component(entity, ItemEffect)
        placement = self.game_map.placements.get(entity)
        return Thing(
            entity,
            tag.like,
            tag.tag,
            cell_of(entity),
            placement,
            self.encounter(placement),
            hp,
            max_hp,
            _use_of(effect) if effect else power,
            effect.repair if effect else 0,
            tag.like == "prop" and self._works(entity),
            effect is not None and "opens" in tag.keywords,
            esper.has_component(entity, Goal),
            charges(entity),
        )

    def encounter(self, placement: int | None) -> str:
        """Return the name of the encounter of a placement, empty for none."""
        return "" if placement is None else self.game_map.level.placements[placement].encounter


def _use_of(effect: ItemEffect) -> int:
    """Return roughly how much stronger an item makes whoever has nothing else."""
    return (max(round(worth_of([effect.part])), 0) if effect.part else 0) + effect.frame


def charges(entity: int) -> bool:
    """Tell whether the player can still be charged at an entity."""
    charger = esper.try_component(entity, Charger)
    return charger is not None and charger.left > 0


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
