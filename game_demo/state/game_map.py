"""A level in play: its entities in an esper world, and its present ground."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING

import esper
import numpy as np
import tcod.path

import dungeon
from dungeon import terrain as t
from game_demo.state.carried import KeyRing
from game_demo.state.components import (
    Blocks,
    DoorState,
    Energy,
    ExclusiveChoice,
    Hidden,
    Item,
    Mind,
    Opaque,
    Player,
    Position,
    Prop,
    Robot,
    Tag,
    Trap,
    cell_of,
    cells_of,
    held_by,
)
from game_demo.state.fixtures import Careless, Laid
from game_demo.state.geometry import NEIGHBOURS
from game_demo.state.sight import Sight
from game_demo.state.spawning import components_for

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from dungeon import Level, Lock, Portal, Spawn
    from game_demo.state.geometry import Cell

CLOSED_DOORS = (t.DOOR, t.SECRET_DOOR, t.LOCKED_DOOR)
ORDER = ("robot", "prop", "item", "trap", "debris")
"""The order in which kinds of things on a cell are listed."""

NOBODY = -1
"""No entity."""
Ready = tuple[int, Energy, Mind]
"""A robot with a move, and its components."""

ROBOT_COST = 10
"""What a robot in the way costs in pathfinding, in cells."""


class WeightedPaths:
    """Shortest paths over cells of different costs. One pathfinder serves all of them: to make it takes half the time of a path.

    Attributes:
        costs: (height, width) int8 cost of each cell; 0 where no path leads.
    """

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.costs = np.zeros(shape, dtype=np.int8)
        self._finder = tcod.path.Pathfinder(tcod.path.SimpleGraph(cost=self.costs, cardinal=2, diagonal=3))
        self._untravelled = self._finder.traversal.copy()

    def path(self, start: Cell, end: Cell) -> list[Cell]:
        """Return the cells of a cheapest path after `start`, up to `end`; empty if there is none."""
        finder = self._finder
        finder.traversal[...] = self._untravelled
        finder.distance[...] = np.iinfo(finder.distance.dtype).max
        finder.distance[end] = 0
        finder.rebuild_frontier()
        way: list[list[int]] = finder.path_from(start).tolist()
        return [(y, x) for y, x in way[1:]]


class GameMap:
    """A level in play.

    Args:
        level: The level.
        world: The name of the esper world for the entities of the level. That world is the current one afterwards.

    Attributes:
        level: The level as it was generated.
        codes: (height, width) uint8, the terrain as the player knows it: a hidden secret door is a wall, an open door a doorway.
        walkable: (height, width) bool, where one can step now; closed doors must be opened first.
        transparent: (height, width) bool, where sight passes now.
        doors: Cell -> the door there, open or closed.
        blockers: Cell -> the entity that blocks it: a robot, a prop or the player.
        robots: The bitmask of the robots' cells, in the form of `mask_of`.
        traps: Cell -> the trap there, armed or sprung.
        sight: What the player sees and remembers of the level.
        came_from: The id of the map from which the player came last to the entrance.
        warnings: What the game could not use of the content.
        locks: Cell -> the lock of the door there, or of the portal that begins there.
        portals: Cell -> the portal that begins or ends there.
        unlocked: The first cells of portals that were unlocked.
        crossed: The first cells of portals that the player has taken.
        ring: The player's keys to this level.
        worked: The props that were pulled or unlocked.
        height: Number of rows.
        width: Number of columns.
        has_changed: Whether `refresh` is due, because something that blocks sight has moved.
        changed_cells: The cells where a door or a trap has changed, oldest first.
        changed_things: The entities that were laid, removed or worked, oldest first.
        placements: Entity -> the index in `Level.placements` of the placement that it came from, or None.
        lying: Cell -> the things that lie or stand there, other than robots and the player.
        awake: The robots that may move: near the player at the last check, or disturbed since.
        ready: The robots with a move this turn, in order of entity numbers.
        passed: The things that the player has stood on, or beside which exploring has stopped, and the robots he changed places with.
        left: The items that the player laid down, had no room for or was told to choose from; exploring does not fetch them.
        letters: Letter -> the cell that it stood for when the list of places was shown last.
        secretive: The cells on which, or next to which, something is hidden or was hidden.
    """

    def __init__(self, level: Level, world: str) -> None:
        self.level = level
        self.codes = level.terrain.copy()
        self.changed_cells: list[Cell] = []
        self.changed_things: list[int] = []
        self.height, self.width = level.height, level.width
        self.warnings: list[str] = []
        self.came_from: str | None = None
        self.locks: dict[Cell, Lock] = {(lock.y, lock.x): lock for lock in level.locks}
        self.portals: dict[Cell, Portal] = {
            cell: portal for portal in level.portals for cell in portal.entries
        }
        self.unlocked: set[Cell] = set()
        self.crossed: set[Cell] = set()
        self.ring = KeyRing({lock.word: lock.count for lock in level.locks if lock.count > 1})
        self.worked: set[int] = set()
        self.exits: dict[Cell, str] = {(way.y, way.x): way.leads_to for way in level.exits}
        self.stairs: frozenset[Cell] = self.ways_up.union(self.exits)
        make = self._components
        entities = dungeon.to_esper(
            level, world, {"prop": make, "trap": make, "robot": make, "item": make, "debris": make}
        )
        self._settle_choices()
        self.placements = {
            each: spawn.placement
            for entity, spawn in zip(entities, level.spawns, strict=True)
            for each in (entity, *held_by(entity))
        }
        doors = esper.get_components(Position, DoorState)
        self.doors = {(at.y, at.x): door for _, (at, door) in doors if door.kind in CLOSED_DOORS}
        secrets = [cell for cell, door in self.doors.items() if door.kind == t.SECRET_DOOR]
        for cell in secrets:
            self.codes[cell] = self._wall_near(cell)
        self.blockers: dict[Cell, int] = {}
        for entity, _ in esper.get_component(Blocks):
            self.blockers |= dict.fromkeys(cells_of(entity), entity)
        self.robots = 0
        for entity, _ in esper.get_component(Robot):
            self.robots |= self.bit(cell_of(entity))
        self.traps = {cell_of(entity): entity for entity, _ in esper.get_component(Trap)}
        self.lying: dict[Cell, list[int]] = {}
        for entity, spawn in zip(entities, level.spawns, strict=True):
            if spawn.like != "robot":
                self.lay(entity, spawn.cells)
        self.passed: set[int] = set()
        self.left: set[int] = set()
        self.letters: dict[str, Cell] = {}
        self.awake: dict[int, tuple[Energy, Mind]] = {
            robot: (energy, mind) for robot, (energy, mind) in esper.get_components(Energy, Mind)
        }
        self.ready: list[Ready] = []
        secrets += [cell_of(entity) for entity, _ in esper.get_component(Hidden)]
        self.secretive = {near for cell in secrets for near in (cell, *self.neighbours(cell))}
        self.sight = Sight(self.codes.shape)
        kinds = level.terrain_set
        self._steppable = kinds.walkable & (kinds.base != t.DOOR)
        self._doorway, self._door = self._most_common(t.DOORWAY), self._most_common(t.DOOR)
        self._dug = self._most_common(t.CORRIDOR)
        self._opaque: set[Cell]
        self.walkable: NDArray[np.bool_]
        self.transparent = np.zeros(self.codes.shape, dtype=np.bool_)
        self._refreshed = 0
        self._rooted = self._where_props_stand()
        self._paths = WeightedPaths(self.codes.shape)
        self.refresh()

    @cached_property
    def back(self) -> dict[Cell, str]:
        """Cell of the stairs up of a tower -> the id of the map that they lead to."""
        return {(way.y, way.x): way.leads_to for way in self.level.ways_back}

    @cached_property
    def ways_up(self) -> frozenset[Cell]:
        """The cells of all stairs up: the entrance and those of towers."""
        return frozenset([self.level.entrance, *self.back])

    @cached_property
    def arrivals(self) -> dict[Cell, Cell]:
        """Cell of a tower's stairs -> the cell of the other map at which the player arrives."""
        ways = (*self.level.exits, *self.level.ways_back)
        return {(way.y, way.x): way.arrives for way in ways if way.arrives is not None}

    def _where_props_stand(self) -> tuple[NDArray[np.intp], ...]:
        """Return the rows and the columns of the cells that props block."""
        rooted = [cell for cell, entity in self.blockers.items() if esper.has_component(entity, Prop)]
        return tuple(np.array(rooted, dtype=np.intp).reshape(-1, 2).T)

    def _components(self, spawn: Spawn) -> list[object]:
        return components_for(spawn, self.warnings)

    @property
    def version(self) -> int:
        """A counter that grows when anything changes that does not walk: doors, traps, items, what blocks sight."""
        return self._refreshed + len(self.changed_cells) + len(self.changed_things)

    # -- doors ----------------------------------------------------------------------------------

    def _wall_near(self, cell: Cell) -> int:
        """Return the terrain code of a wall beside a cell, as which a secret door is shown."""
        base = self.level.terrain_set.base
        codes = [int(self.level.terrain[near]) for near in self.neighbours(cell)]
        return next((code for code in codes if base[code] == t.WALL), t.WALL)

    def _most_common(self, kind: int) -> int:
        """Return the terrain code that this level uses most for a built-in kind of terrain."""
        codes = self.level.terrain[self.level.base == kind]
        return int(np.bincount(codes).argmax()) if codes.size else kind

    def door_at(self, cell: Cell, kind: int = t.DOOR) -> DoorState | None:
        """Return the closed door of a kind at a cell, or None."""
        door = self.doors.get(cell)
        return door if door is not None and door.kind == kind and not door.is_open else None

    def set_door(self, cell: Cell, *, is_open: bool) -> None:
        """Open or close the door at a cell. A secret door is an ordinary one from then on."""
        door = self.doors[cell]
        door.kind = t.DOOR
        door.is_open = is_open
        drawn = int(self.level.terrain[cell])
        was_door = self.level.terrain_set.base[drawn] == t.DOOR  # and no secret one
        self._change_ground(cell, self._doorway if is_open else drawn if was_door else self._door)

    def lock_door(self, cell: Cell) -> bool:
        """Close and lock the door at a cell again; return False if something is in its way."""
        if cell in self.blockers:
            return False
        door = self.doors[cell]
        door.kind, door.is_open = t.LOCKED_DOOR, False
        self._change_ground(cell, int(self.level.terrain[cell]))
        return True

    def break_open(self, cell: Cell) -> bool:
        """Turn the ground of a cell into floor, if it can be dug; return whether it could."""
        if not self.may_be_broken(cell):
            return False
        self._change_ground(cell, self._dug)
        return True

    def may_be_broken(self, cell: Cell) -> bool:
        """Return whether the ground of a cell can be dug, and is not the border of the map."""
        y, x = cell
        is_inside = 0 < y < self.height - 1 and 0 < x < self.width - 1
        return (
            is_inside and cell not in self.doors and bool(self.level.terrain_set.diggable[self.codes[cell]])
        )

    # -- ground ---------------------------------------------------------------------------------

    def refresh(self) -> None:
        """Compute `walkable` and `transparent` again."""
        kinds = self.level.terrain_set
        before = self.transparent
        self.walkable = self._steppable[self.codes]
        self.transparent = kinds.transparent[self.codes]
        self._opaque = {cell for entity, _ in esper.get_component(Opaque) for cell in cells_of(entity)}
        for cell in self._opaque:
            self.transparent[cell] = False
        if self._refreshed:  # else nobody has looked yet
            self.sight.look_anew([(y, x) for y, x in np.argwhere(self.transparent != before).tolist()])
        self.has_changed = False
        self._refreshed += 1

    def _change_ground(self, cell: Cell, code: int) -> None:
        """Set the terrain code of a cell."""
        self.codes[cell] = code
        self.walkable[cell] = self._steppable[code]
        self.transparent[cell] = self.level.terrain_set.transparent[code] and cell not in self._opaque
        self.sight.look_anew([cell])
        self.changed_cells.append(cell)

    def in_bounds(self, cell: Cell) -> bool:
        """Return whether a cell is on the map."""
        return 0 <= cell[0] < self.height and 0 <= cell[1] < self.width

    def neighbours(self, cell: Cell) -> Iterator[Cell]:
        """Yield the up to eight neighbours of a cell on the map."""
        for y, x in NEIGHBOURS:
            if self.in_bounds(near := (cell[0] + y, cell[1] + x)):
                yield near

    def is_free(self, cell: Cell) -> bool:
        """Return whether a cell can be stepped on now."""
        return cell not in self.blockers and self.in_bounds(cell) and bool(self.walkable[cell])

    def is_free_for(self, robot: int, cell: Cell) -> bool:
        """Return whether a robot would step on a cell: a free cell without stairs and without a trap that the robot knows."""
        return cell not in self.stairs and self.is_free(cell) and not self.is_known_trap(robot, cell)

    def is_known_trap(self, robot: int, cell: Cell) -> bool:
        """Return whether a robot avoids an armed trap at a cell: a careless robot avoids none, others all that the player did not lay."""
        trap = self.armed_trap_at(cell)
        if trap is None or esper.has_component(trap, Laid):
            return False
        return robot == NOBODY or not esper.has_component(robot, Careless)

    def armed_trap_at(self, cell: Cell) -> int | None:
        """Return the armed trap at a cell, or None."""
        entity = self.traps.get(cell)
        if entity is None or not esper.component_for_entity(entity, Trap).armed:
            return None
        return entity

    def nearest_free(self, cell: Cell) -> Cell:
        """Return the free cell nearest to a cell, or the cell itself if it is free."""
        free = self.walkable.copy()
        for taken in self.blockers:
            free[taken] = False
        cells = np.argwhere(free)
        far = np.abs(cells - np.array(cell)).max(axis=1)
        y, x = cells[int(far.argmin())].tolist()
        return y, x

    # -- things ---------------------------------------------------------------------------------

    def lay(self, entity: int, cells: Iterable[Cell]) -> None:
        """Put a thing that does not walk on some cells."""
        for cell in cells:
            self.lying.setdefault(cell, []).append(entity)
        self.changed_things.append(entity)

    def entities_at(self, cell: Cell, *, hidden: bool = False) -> list[int]:
        """Return the entities on a cell, topmost first; the level must be the player's."""
        things = [*self.lying.get(cell, ())]
        blocker = self.blockers.get(cell)
        if blocker is not None and blocker not in things and esper.has_component(blocker, Tag):
            things.append(blocker)
        found = [
            (ORDER.index(esper.component_for_entity(entity, Tag).like), entity)
            for entity in things
            if hidden or not esper.has_component(entity, Hidden)
        ]
        return [entity for _, entity in sorted(found)]

    def items_at(self, cell: Cell) -> list[int]:
        """Return the items on a cell."""
        return [entity for entity in self.entities_at(cell) if esper.has_component(entity, Item)]

    def delete(self, entity: int) -> None:
        """Remove an entity from all its cells and from the game. The last item of a choice is none then, but an item like any other."""
        if esper.has_component(entity, Robot):
            self.remove(entity)
        for cell in cells_of(entity):
            if self.blockers.get(cell) == entity:
                del self.blockers[cell]
                self.changed_cells.append(cell)
            if entity in self.lying.get(cell, ()):
                self.lying[cell].remove(entity)
            if self.traps.get(cell) == entity:
                del self.traps[cell]
                self.changed_cells.append(cell)
        if esper.has_component(entity, Prop):
            self._rooted = self._where_props_stand()
        self.awake.pop(entity, None)
        self.has_changed |= esper.has_component(entity, Opaque)
        self.changed_things.append(entity)
        choice = esper.try_component(entity, ExclusiveChoice)
        esper.delete_entity(entity, immediate=True)
        if choice is not None:
            self._settle_choices()

    @staticmethod
    def _settle_choices() -> None:
        """Make items of a choice ordinary ones where only one is left, or was made."""
        found = list(esper.get_component(ExclusiveChoice))
        counts = Counter(choice for _, choice in found)
        for item, choice in found:
            if counts[choice] == 1:
                esper.remove_component(item, ExclusiveChoice)

    # -- walkers --------------------------------------------------------------------------------

    def put(self, entity: int, cell: Cell) -> None:
        """Put a walker on a cell."""
        position = esper.component_for_entity(entity, Position)
        position.y, position.x = cell
        self.blockers[cell] = entity
        if esper.has_component(entity, Robot):
            self.robots |= self.bit(cell)
        if esper.has_component(entity, Opaque):
            self.has_changed = True

    def remove(self, entity: int) -> None:
        """Take a walker off its cell."""
        cell = cell_of(entity)
        self.blockers.pop(cell, None)
        if esper.has_component(entity, Robot):
            self.robots &= ~self.bit(cell)

    def bit(self, cell: Cell) -> int:
        """Return the bitmask of one cell, in the form of `mask_of`."""
        return 1 << cell[0] * self.width + cell[1]

    def move(self, entity: int, cell: Cell) -> None:
        """Move an entity to another cell."""
        self.remove(entity)
        self.put(entity, cell)

    def swap(self, one: int, other: int) -> None:
        """Let two walkers change places."""
        cells = cell_of(one), cell_of(other)
        for entity in (one, other):
            self.remove(entity)
        for entity, cell in zip((other, one), cells, strict=True):
            self.put(entity, cell)

    def path(self, start: Cell, end: Cell, *, doors: bool) -> list[Cell]:
        """Return the cells of a shortest path, the first one next to `start`; empty if there is none.

        Args:
            start: The first cell. A robot there avoids the traps that it knows.
            end: The goal, whatever stands there.
            doors: Whether closed doors can be opened on the way.
        """
        cost = self._paths.costs
        cost[:] = self.walkable
        if doors:
            for cell in self.doors:
                if self.door_at(cell):
                    cost[cell] = 2
        cost[self._rooted] = 0
        for _, (_, at) in esper.get_components(Robot, Position):
            cost[at.y, at.x] = ROBOT_COST
        for _, (_, at) in esper.get_components(Player, Position):
            cost[at.y, at.x] = 0
        walker = self.blockers.get(start, NOBODY)
        for cell in (*self.stairs, *(each for each in self.traps if self.is_known_trap(walker, each))):
            cost[cell] = 0
        cost[start] = 1
        return self._paths.path(start, end)
