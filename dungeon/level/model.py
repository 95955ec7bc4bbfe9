"""The finished level as frozen dataclasses: everything that a game needs, without the code that made it.

No part of a level can be changed, including its arrays and the keywords of its spawns. Levels with equal contents are equal.
Levels can be copied and pickled. A pickle is only for the same version of the library, to reach another process, for example;
use JSON (`dungeon.to_json`) for files.
"""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003  # read at run time, as the imports below
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from dungeon.core.frozen import NOTHING, Frozen, by_fields, freeze, itself, sealed, short_repr
from dungeon.core.kinds import AS_ITS_KIND
from dungeon.core.vocabulary import Category, SpawnKind  # noqa: TC001
from dungeon.grid.rect import Cell, Rect  # read at run time when a level is read from JSON
from dungeon.level.journal import Decision  # noqa: TC001
from dungeon.terrain import DOOR, DOORWAY, LOCKED_DOOR, SECRET_DOOR, Colour, TerrainSet, looked_up

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from dungeon.grid.rect import Leap


@dataclass(frozen=True, slots=True, kw_only=True)
class Region:
    """A room, corridor, junction, hall, cave, zone, prefab or other part of a map that a layout made.

    Attributes:
        id: The region's number in the array `Level.region`, from 1.
        kind: One of `RegionKind`, or any other text that is not empty, from a plugin's layout.
        bounds: The smallest rectangle around the region's cells, without walls and doors.
        connections: The indices in `Level.connections` of the connections at the region's edge.
        sealed: Whether the region is cut off from the rest of the map on purpose.
    """

    id: int
    kind: str
    bounds: Rect
    connections: tuple[int, ...] = ()
    sealed: bool = False

    __reduce__ = by_fields


@dataclass(frozen=True, slots=True, kw_only=True)
class Connection:
    """A door or gap in a wall that joins two regions.

    A door that a prefab draws inside itself is a `Door`, but no connection.

    Attributes:
        y: The row of the door or gap.
        x: The column of the door or gap.
        kind: The code of the built-in terrain: doorway, door, secret door, locked door, or floor for a gap.
        between: The ids of the regions on both sides; 0 for a side without a region.
    """

    y: int
    x: int
    kind: int
    between: tuple[int, int]

    __reduce__ = by_fields


DoorStatus = Literal["open", "closed", "secret", "locked"]
"""The state of a door when the player enters the level."""

DOOR_STATES: Mapping[int, DoorStatus] = Frozen(
    {DOORWAY: "open", DOOR: "closed", SECRET_DOOR: "secret", LOCKED_DOOR: "locked"}
)
"""Code of the built-in terrain of a door -> its state."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Door:
    """A door cell of a level, whether a layout, a prefab or a lock made it.

    Attributes:
        y: The door's row.
        x: The door's column.
        terrain: The name of the door's terrain: a built-in one such as ``door``, or an author's own such as ``blast_door``.
        state: ``open`` for a doorway, ``closed``, ``secret`` for a closed door that looks like a wall, or ``locked``.
        lock: The word of the door's lock: a spawn with the keyword `opens` and this word opens the door. None if the door has no
            lock; a locked door without a lock can't be opened.
        lock_name: The name of the lock for the player; may be empty.
        lock_count: How many such spawns are needed to open the door.
        lock_keys_on: The ids of the maps of the world on which these spawns lie; empty if all of them are on the level.
    """

    y: int
    x: int
    terrain: str
    state: DoorStatus
    lock: str | None = None
    lock_name: str = ""
    lock_count: int = 1
    lock_keys_on: tuple[str, ...] = ()

    __reduce__ = by_fields

    @property
    def cell(self) -> Cell:
        """The (y, x) of the door."""
        return Cell(self.y, self.x)

    @property
    def kind(self) -> int:
        """The code of the built-in terrain that the door's terrain is based on: doorway, door, secret door or locked door."""
        return next(code for code, state in DOOR_STATES.items() if state == self.state)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lock:
    """The lock of a door, prop or portal. Spawns whose keyword `opens` has the lock's word open it.

    One opens it, or as many as `count` says. Spawns with the keyword `consumed: true` are used up when they open a lock.

    Every locked prop has the keyword `lock`; it has a `Lock`, too, only if the level is sure to hold something that opens it.
    A locked door of a prefab has a `Lock` if the prefab's legend names one, even if nothing in reach opens it; a locked door
    without a `Lock` can't be opened. The lock of a locked portal is on the cell where the portal begins.

    Attributes:
        y: The row of the locked door, prop or portal.
        x: The column of the locked door, prop or portal.
        word: The word that the keyword `opens` of a key must have.
        follows: The word of other locks. Once a lock with that word is open, this one can be opened without a key. Empty for none.
        name: The lock's name for the player; empty if the lock comes from a drawing alone.
        count: How many spawns with the word are needed to open the lock; 1 or more.
        keys_on: The ids of the maps of the world on which these spawns lie; empty if all of them are on the level.
    """

    y: int
    x: int
    word: str
    follows: str = ""
    name: str = ""
    count: int = 1
    keys_on: tuple[str, ...] = ()

    @property
    def for_door(self) -> dict[str, Any]:
        """The fields `lock...` that a door or the end of a portal with this lock has."""
        return {
            "lock": self.word,
            "lock_name": self.name,
            "lock_count": self.count,
            "lock_keys_on": self.keys_on,
        }


def doors_of(terrain: NDArray[np.uint8], terrain_set: TerrainSet, locks: Iterable[Lock]) -> tuple[Door, ...]:
    """Return the doors of a level, row by row.

    Args:
        terrain: (height, width) uint8 codes of `terrain_set`.
        terrain_set: The kinds of terrain.
        locks: All locks of the level, those of props and portals included.
    """
    at = {(lock.y, lock.x): lock for lock in locks}
    found = []
    for y, x in np.argwhere(looked_up(terrain_set.door, terrain)).tolist():
        kind = terrain_set.kinds[terrain[y, x]]
        lock = at.get((y, x)) if kind.base == LOCKED_DOOR else None
        door = Door(y=y, x=x, terrain=kind.name, state=DOOR_STATES[kind.base])
        found.append(door if lock is None else replace(door, **lock.for_door))
    return tuple(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class Portal:
    """A passage from one cell to any other cell in one step: a boat, a teleporter, a chute.

    A player on the cell where the portal begins may move to the cell where it ends. If there is a `Lock` on the cell
    where the portal begins, that lock must be opened before the portal is used, in either direction.

    Attributes:
        y: The row of the cell where the portal begins.
        x: The column of that cell.
        to_y: The row of the cell where the portal ends.
        to_x: The column of that cell.
        kind: The author's word for such a portal, often the tag of the prop that stands where it begins.
        both: Whether a player may also go back from the end to the beginning.
    """

    y: int
    x: int
    to_y: int
    to_x: int
    kind: str
    both: bool = True

    __reduce__ = by_fields

    @property
    def begin(self) -> Cell:
        """The cell where the portal begins."""
        return Cell(self.y, self.x)

    @property
    def end(self) -> Cell:
        """The cell where the portal ends."""
        return Cell(self.to_y, self.to_x)

    def moved(self, dy: int, dx: int) -> Portal:
        """Return the portal with both ends moved `dy` rows down and `dx` columns to the right."""
        y, x, to_y, to_x = self.y + dy, self.x + dx, self.to_y + dy, self.to_x + dx
        return replace(self, y=y, x=x, to_y=to_y, to_x=to_x)

    @property
    def entries(self) -> tuple[Cell, ...]:
        """The cells from which a player may take the portal: where it begins and, if it leads both ways, where it ends."""
        return (self.begin, self.end) if self.both else (self.begin,)


def leaps_of(portals: Iterable[Portal]) -> tuple[Leap, ...]:
    """Return (begin, end) of each portal that leads both ways; for `grid` functions these cells count as neighbours."""
    return tuple((each.begin, each.end) for each in portals if each.both)


@dataclass(frozen=True, slots=True, kw_only=True)
class Zone:
    """A part of a map that has its own theme, rooms and encounters.

    Attributes:
        id: The zone's number, from 1.
        name: The name that the map's author gave the zone.
        kind: How the zone is joined to another zone, its parent. `first`: the zone has no parent. `bridge`: a room or corridor
            lies between the two. `tumour`: the zone grows out of one side of its parent and shares walls with it.
            `multi-tumour`: the zone has several parts, each like a tumour. `island`: a portal or a tunnel leads to the zone.
        parent: The id of the parent, which is lower than the zone's own id; 0 without a parent.
        regions: The ids of the regions in the zone. A passage between two zones belongs to neither of them.
        theme: The name of the zone's theme; empty if it uses the map's theme.
        step: How many levels deeper than the map the zone counts when encounters and objects are drawn for it.
        gates: The cells of the doors from the parent into this zone. If a portal leads to the zone, the one cell where the portal
            begins.
    """

    id: int
    name: str
    kind: str
    parent: int = 0
    regions: tuple[int, ...] = ()
    theme: str = ""
    step: int = 0
    gates: tuple[Cell, ...] = ()

    __reduce__ = by_fields


@dataclass(frozen=True, slots=True, kw_only=True)
class Exit:
    """An exit of the level at (y, x), to the map with the id `leads_to`; or stairs of a tower that lead back there.

    Attributes:
        y: The row of the exit.
        x: The column of the exit.
        leads_to: The id of the map to which it leads.
        arrives: The cell of that map at which the player arrives, for stairs of a tower; there, stairs lead back here. None for
            the entrance of that map.
    """

    y: int
    x: int
    leads_to: str
    arrives: Cell | None = None

    __reduce__ = by_fields


@dataclass(frozen=True, slots=True, kw_only=True)
class Marker:
    """A cell that a prefab marks for the game: it has a name, free data, or both.

    Attributes:
        y: The row of the cell.
        x: The column of the cell.
        name: The name that the author gave the marker; may be empty.
        data: Free keywords of the cell, as they are written; a read-only dict in which lists are tuples.
        placement: The index in `Level.placements` of the placement that the cell belongs to; None if it belongs to none.
    """

    y: int
    x: int
    name: str = ""
    data: Mapping[str, object] = field(default_factory=lambda: NOTHING)
    placement: int | None = None

    __reduce__ = by_fields

    def __post_init__(self) -> None:
        object.__setattr__(self, "data", freeze(self.data))


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """One copy of an encounter, or of a prefab that the map or its layout asks for, at its place on the level.

    Attributes:
        encounter: The name of the encounter; empty for a prefab that the map or its layout asked for.
        category: The category of the encounter, such as ``reward``.
        prefab: The name of the prefab; empty for an encounter without one.
        mode: The placing mode: enclosed, accessible...; seeded for a feature of the map, layout for a prefab that the layout
            drew as a part of the map.
        orientation: The orientation of the prefab: ``r0``, ``m90``...; empty without a prefab.
        region: The id of the region that the encounter or prefab was placed in; 0 for none.
        bounds: The rectangle that the prefab covers. Without a prefab, the encounter covers the cells of its region, and this is
            the region's bounds.
        copy: The number of this copy among the level's copies of the encounter, from 1.
        limit: The maximum number of copies on this level; None for no limit.
        groups: The exclusivity groups of the encounter: no other encounter of these groups may be on the level.
        tint: The colour of the category, if the content declares one; None for a built-in category with its usual colour.
        variant: The name of the encounter's variant; empty if it has none.
    """

    encounter: str
    category: Category
    prefab: str
    mode: str
    orientation: str
    region: int
    bounds: Rect
    copy: int = 1
    limit: int | None = None
    groups: tuple[str, ...] = ()
    tint: Colour | None = None
    variant: str = ""

    __reduce__ = by_fields

    @property
    def scattered(self) -> bool:
        """Whether the placement has no prefab. It then covers the cells of its region, and not all cells of `bounds`."""
        return self.prefab == "" and self.region > 0


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Spawn:
    """A concrete object on a cell of the level.

    Attributes:
        kind: Prop, trap, robot, item, debris, or a kind that the content declares.
        like: The built-in kind (one of these five) whose behaviour it has; by default its kind.
        tag: The object's internal name in the catalog.
        name: The object's name for the player.
        y: The object's row; for a machine (a prop of several cells), that of its first cell.
        x: The column of the same cell.
        glyph: The character that shows the object.
        fg: The colour of that character, RGB of 0..255.
        cells: All cells that the object covers: several for a machine, else only (y, x).
        glyphs: For a machine, the character on each of its cells; else empty.
        fgs: For a machine, the colours of `glyphs`; else empty.
        blocks: Whether the object stops walkers.
        opaque: Whether the object stops sight.
        keywords: All other values from the catalog and the prefab's reference: a read-only dict in which lists are tuples. The
            level adds some, such as `opens` to the keys that it places, and `holds` (the key's tag) to an object that holds a key.
            `json.loads(json.dumps(keywords))` is a plain copy that can be changed.
        placement: The index in `Level.placements` of the placement that the object belongs to; None if it belongs to none.
        source: What asked for the object: the prefab and the character, or an entry of the map.
        group: The number of the group of robots that the object belongs to, from 1; 0 for none.
        leads: Whether the object is the leader that the other robots of its group follow.
        patrol: The cells that a robot walks to in order, and back again, beginning with its own cell; empty for no patrol.
        loadout: The items that a robot or prop holds, each with the holder's (y, x). They are not in `Level.spawns`.
    """

    kind: str
    like: SpawnKind = AS_ITS_KIND
    tag: str
    name: str
    y: int
    x: int
    glyph: str
    fg: Colour
    cells: tuple[Cell, ...] = ()
    glyphs: tuple[str, ...] = ()
    fgs: tuple[Colour, ...] = ()
    blocks: bool = False
    opaque: bool = False
    keywords: Mapping[str, object] = field(default_factory=lambda: NOTHING)
    placement: int | None = None
    source: str = ""
    group: int = 0
    leads: bool = False
    patrol: tuple[Cell, ...] = ()
    loadout: tuple[Spawn, ...] = ()

    __reduce__ = by_fields
    __repr__ = short_repr

    def __post_init__(self) -> None:
        if type(self.keywords) is not Frozen:
            object.__setattr__(self, "keywords", freeze(self.keywords))
        if self.like == AS_ITS_KIND:
            object.__setattr__(self, "like", self.kind)
        if not self.cells:
            object.__setattr__(self, "cells", (Cell(self.y, self.x),))


@dataclass(frozen=True, slots=True, kw_only=True)
class Light:
    """A light at (y, x) that shines `radius` cells far; its `colour` is RGB of 0..255."""

    y: int
    x: int
    radius: int
    colour: Colour

    __reduce__ = by_fields


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Level:
    """A playable level. It can't be changed; levels with equal contents are equal and have the same hash.

    Attributes:
        id: The id of the level's map, such as ``foundry/3``.
        name: The map's name for the player.
        depth: The map's depth in the world, from 0.
        seed: The world seed that the level was made from.
        terrain: (height, width) uint8 codes of `terrain_set`; read-only.
        region: (height, width) uint16 region ids, 0 outside all regions; read-only.
        terrain_set: The kinds of terrain that the codes stand for.
        entrance: The cell where the player arrives.
        exits: The exits, each with the id of the map that it leads to. Only towers have several exits to one map.
        regions: The rooms, corridors, caves...; the region with the id n is ``regions[n - 1]``.
        connections: The doors and gaps in walls that join regions.
        doors: All door cells, row by row, those that prefabs have drawn included.
        placements: The encounters, and the prefabs that the map or its layout asks for, with their places.
        spawns: All objects on the level.
        lights: All lights of the level.
        journal: Every decision that was taken while the level was made, with the reason, in order.
        locks: The locks of doors and portals, and of props that the level holds a key for. Something on the level opens each of
            them, except the doors of sealed regions.
        zones: The zones of the map; empty if its author declares none.
        portals: The boats, teleporters and chutes that lead from cell to cell in one step.
        markers: The cells that prefabs mark for the game, in the order in which the prefabs were filled.
        ways_back: The stairs up of towers, each with the id of the map and the cell that it leads back to. The entrance may be one of
            them.
        own_kinds: Each kind of object that the content declares -> the built-in kind that it is like.
        retries: How many times the layout had to start over.
    """

    id: str
    name: str
    depth: int
    seed: int
    terrain: NDArray[np.uint8]
    region: NDArray[np.uint16]
    terrain_set: TerrainSet
    entrance: Cell
    exits: tuple[Exit, ...]
    regions: tuple[Region, ...]
    connections: tuple[Connection, ...]
    doors: tuple[Door, ...]
    placements: tuple[Placement, ...]
    spawns: tuple[Spawn, ...]
    lights: tuple[Light, ...]
    journal: tuple[Decision, ...]
    locks: tuple[Lock, ...] = ()
    zones: tuple[Zone, ...] = ()
    portals: tuple[Portal, ...] = ()
    markers: tuple[Marker, ...] = ()
    ways_back: tuple[Exit, ...] = ()
    own_kinds: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    retries: int = 0

    __reduce__ = by_fields
    __copy__ = __deepcopy__ = itself

    def __post_init__(self) -> None:
        if self.terrain.shape != self.region.shape:
            raise ValueError(f"terrain is {self.terrain.shape}, region is {self.region.shape}")
        object.__setattr__(self, "terrain", sealed(self.terrain))
        object.__setattr__(self, "region", sealed(self.region))
        object.__setattr__(self, "own_kinds", freeze(self.own_kinds))

    def __repr__(self) -> str:
        parts = "spawns", "placements", "regions", "doors", "exits"
        counts = ", ".join(f"{len(getattr(self, part))} {part}" for part in parts)
        return f"<Level {self.id} of seed {self.seed}: {self.width}x{self.height} cells, {counts}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Level):
            return NotImplemented
        if self is other:
            return True
        pairs = ((getattr(self, each.name), getattr(other, each.name)) for each in fields(Level))
        return all(
            np.array_equal(*pair) if isinstance(pair[0], np.ndarray) else pair[0] == pair[1] for pair in pairs
        )

    def __hash__(self) -> int:
        return hash((self.id, self.seed, self.entrance, self.terrain.tobytes()))

    @property
    def height(self) -> int:
        """The number of rows of the map."""
        return int(self.terrain.shape[0])

    @property
    def width(self) -> int:
        """The number of columns of the map."""
        return int(self.terrain.shape[1])

    @property
    def leaps(self) -> tuple[Leap, ...]:
        """The pairs of cells that count as neighbours: (begin, end) of each portal that leads both ways."""
        return leaps_of(self.portals)

    @property
    def kinds(self) -> dict[int, str]:
        """Region id -> the kind of the region."""
        return {region.id: region.kind for region in self.regions}

    @cached_property
    def base(self) -> NDArray[np.uint8]:
        """(height, width) uint8: for each cell, the code of the built-in terrain that its terrain is based on; read-only."""
        return sealed(self.terrain_set.base[self.terrain])

    @cached_property
    def unreachable(self) -> NDArray[np.bool_]:
        """(height, width) bool: the cells of sealed regions, which no walker reaches without digging; read-only."""
        inside = np.array([False, *(region.sealed for region in self.regions)])
        return sealed(inside[self.region])

    @cached_property
    def walkable(self) -> NDArray[np.bool_]:
        """(height, width) bool: whether the terrain can be walked on, regardless of spawns; read-only."""
        return sealed(self.terrain_set.walkable[self.terrain])

    @cached_property
    def transparent(self) -> NDArray[np.bool_]:
        """(height, width) bool: whether the terrain lets sight pass; read-only."""
        return sealed(self.terrain_set.transparent[self.terrain])
