"""The finished level: plain frozen values, all that a game needs and nothing of how it was made.

Nothing of a level can be changed, down to its arrays and to what is in a spawn's keywords. Levels that hold the same
are equal. All of it can be copied and pickled; a pickle is for the same version of the library, say for another
process, and JSON (`dungeon.to_json`) is for keeping.
"""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003  # read at run time, as the imports below
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal

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
    """A room, corridor, junction, hall, cave, zone or prefab, or what else a layout made.

    Attributes:
        id: Its number in `Level.region`, from 1.
        kind: One of `RegionKind`, or what a layout of one's own calls it: any text that is not empty.
        bounds: The smallest rectangle around its cells, walls and doors not included.
        connections: Indices into `Level.connections`.
        sealed: Whether it is cut off from the rest on purpose.
    """

    id: int
    kind: str
    bounds: Rect
    connections: tuple[int, ...] = ()
    sealed: bool = False

    __reduce__ = by_fields


@dataclass(frozen=True, slots=True, kw_only=True)
class Connection:
    """A way through a wall that joins two regions: through a door, or a mere gap.

    A door that a prefab draws inside itself joins nothing that the layout knows: it is a `Door`, but no connection.

    Attributes:
        y: Its row; `x`: its column.
        kind: The built-in terrain it is: doorway, door, secret door, locked door, or floor where there is only a gap.
        between: The ids of the regions on its two sides.
    """

    y: int
    x: int
    kind: int
    between: tuple[int, int]

    __reduce__ = by_fields


DoorStatus = Literal["open", "closed", "secret", "locked"]
"""How a door stands when the player comes to a level."""

DOOR_STATES: Mapping[int, DoorStatus] = Frozen(
    {DOORWAY: "open", DOOR: "closed", SECRET_DOOR: "secret", LOCKED_DOOR: "locked"}
)
"""Built-in terrain of a door -> its state."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Door:
    """A cell of a level with a door, wherever it comes from: layouts, prefabs and locks all make doors.

    Attributes:
        y: Its row; `x`: its column.
        terrain: The name of its terrain, such as ``door``, or the author's name for it, such as ``blast_door``.
        state: ``open`` for a doorway, ``closed``, ``secret`` for a closed door that looks like a wall, or ``locked``.
        lock: The word of its lock: whatever says `opens` with that word opens it. None if it has no lock; the library
            knows of nothing that opens a locked door without one.
        lock_name: What the player reads of the lock; may be empty.
    """

    y: int
    x: int
    terrain: str
    state: DoorStatus
    lock: str | None = None
    lock_name: str = ""

    __reduce__ = by_fields

    @property
    def cell(self) -> Cell:
        """Its cell."""
        return Cell(self.y, self.x)

    @property
    def kind(self) -> int:
        """The built-in terrain that its terrain is based on: doorway, door, secret door or locked door."""
        return next(code for code, state in DOOR_STATES.items() if state == self.state)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lock:
    """What bars a locked door, prop or portal: something that says `opens: word` opens it.

    What opens it says so in the keyword ``opens`` of its spawn, and is used up by that if it also says `consumed`. A prop
    that is locked says `lock` among its own keywords; it has a lock here if the level is sure to have what opens it. A
    locked door has one if its legend says `lock`, also where it stays shut because nothing in reach opens it. Without one
    it is opened by nothing that the library knows of. A portal is locked where it begins.

    Attributes:
        y: The row of the locked door, prop or portal; `x`: its column.
        word: The word that must be the same.
        follows: The word of other locks: this one opens when one of those is opened. Empty if it does not.
        name: What the player reads; empty where a drawing alone has locked it.
    """

    y: int
    x: int
    word: str
    follows: str = ""
    name: str = ""


def doors_of(terrain: NDArray[np.uint8], terrain_set: TerrainSet, locks: Iterable[Lock]) -> tuple[Door, ...]:
    """Return the doors of a level, row by row.

    Args:
        terrain: (height, width) uint8 codes of `terrain_set`.
        terrain_set: What they mean.
        locks: The level's locks, of doors and of other things.
    """
    at = {(lock.y, lock.x): lock for lock in locks}
    found = []
    for y, x in np.argwhere(looked_up(terrain_set.door, terrain)).tolist():
        kind = terrain_set.kinds[terrain[y, x]]
        lock = at.get((y, x)) if kind.base == LOCKED_DOOR else None
        word, name = (lock.word, lock.name) if lock else (None, "")
        state = DOOR_STATES[kind.base]
        found.append(Door(y=y, x=x, terrain=kind.name, state=state, lock=word, lock_name=name))
    return tuple(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class Portal:
    """A way from one cell to another that need not be beside it: a boat, a teleporter, a chute.

    Whoever stands on the cell where it begins may go to the cell where it ends, in one step. If a `Lock` lies where it
    begins, that must be opened first, from wherever one may go.

    Attributes:
        y: The row where it begins; `x`: the column.
        to_y: The row where it ends; `to_x`: the column.
        kind: What it is, in the author's word: that of the prop that stands there, if one does.
        both: Whether one may also go back the same way.
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
        """Where it begins."""
        return Cell(self.y, self.x)

    @property
    def end(self) -> Cell:
        """Where it ends."""
        return Cell(self.to_y, self.to_x)

    def moved(self, dy: int, dx: int) -> Portal:
        """Return it so many rows and columns further down and right."""
        y, x, to_y, to_x = self.y + dy, self.x + dx, self.to_y + dy, self.to_x + dx
        return replace(self, y=y, x=x, to_y=to_y, to_x=to_x)

    @property
    def entries(self) -> tuple[Cell, ...]:
        """The cells from which one may go."""
        return (self.begin, self.end) if self.both else (self.begin,)


def leaps_of(portals: Iterable[Portal]) -> tuple[Leap, ...]:
    """Return the pairs of cells between which portals lead both ways."""
    return tuple((each.begin, each.end) for each in portals if each.both)


@dataclass(frozen=True, slots=True, kw_only=True)
class Zone:
    """A part of a map with a theme, and rooms and encounters, of its own.

    Attributes:
        id: Its number, from 1.
        name: What the map's author calls it.
        kind: How it is joined to its parent: bridge, tumour, multi-tumour or island; `first` if it has none.
        parent: The id of the zone that it is joined to, which is lower than its own; 0 for none.
        regions: The ids of its regions; what leads from one zone to another belongs to neither.
        theme: How its terrain looks; empty where the map's theme says.
        step: How much deeper than the map it counts.
        gates: The cells of the doors by which it is entered from its parent, or of the portals that begin there.
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
    """A way out of the level at (y, x), to the map with the id `leads_to`."""

    y: int
    x: int
    leads_to: str

    __reduce__ = by_fields


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """An encounter's content, put somewhere on the level.

    Attributes:
        encounter: The encounter's name; empty for a prefab that the map itself asked for.
        category: What kind of encounter it is.
        prefab: The prefab's name; empty for an encounter without a drawing.
        mode: The placing mode: enclosed, accessible...
        orientation: How the prefab lies: ``r0``, ``m90``...; empty for an encounter without a drawing.
        region: The id of the region it was put in, 0 for none.
        bounds: The rectangle it covers; without a drawing, the bounds of its region, of which it covers the cells.
        copy: Which copy of this encounter on this level, from 1.
        limit: How many copies this level may have; None for any number.
        groups: The exclusivity groups of which no other encounter may share the level.
        tint: The colour that the content gives the category; None for fluff, risk, danger and reward, which have theirs,
            unless it gives them another.
        variant: In which of the encounter's variants it came; empty if it has none.
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
        """Whether it covers the cells of its region, rather than all of its bounds."""
        return self.prefab == "" and self.region > 0


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Spawn:
    """A concrete object at a cell.

    Attributes:
        kind: Prop, trap, robot, item, debris, or one that the content declares.
        like: The one of these five that it is to all that asks how it behaves; by default its kind.
        tag: Its internal name in the catalog.
        name: What the player reads; `glyph` and `fg`: how it looks, RGB of 0..255.
        y: Its row; `x`: its column.
        cells: All cells it covers, for a machine; otherwise just its own.
        glyphs: What a machine shows on each of its cells; empty for anything else. `fgs`: in which colours.
        blocks: Whether it stops walkers.
        opaque: Whether it stops sight.
        keywords: What the catalog and the reference say of it beyond the above: a dict that can't be changed, in which
            lists have become tuples. `dict(keywords)` is a copy that can.
        placement: The index in `Level.placements` of the placement it came with, or None.
        source: The prefab and the character, or the map, that asked for it.
        group: The number of the group of robots that it belongs to, from 1; 0 for none.
        leads: Whether the others of its group follow it.
        patrol: The cells that it goes to one after the other, and back again, from its own one on; empty if it does not.
        loadout: The items that a robot or a prop holds, each as if it lay on its cell. They are nowhere else among the spawns of
            a level.
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
    """A light at (y, x) that reaches `radius` cells; its `colour` is RGB of 0..255."""

    y: int
    x: int
    radius: int
    colour: Colour

    __reduce__ = by_fields


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Level:
    """A playable level. It can't be changed; levels that hold the same are equal, and have the same hash.

    Attributes:
        id: Its map id, such as ``foundry/3``; `name` is what the player reads.
        depth: How deep it lies.
        seed: The world seed it was made from.
        terrain: (height, width) uint8 codes of `terrain_set`, read-only.
        region: (height, width) uint16 region ids, 0 outside any region, read-only.
        entrance: Where the player arrives.
        exits: The ways on, each with the id of the map that it leads to.
        regions: Its rooms, corridors, caves...; the one with the id n is ``regions[n - 1]``.
        connections: The ways through walls between them: doors and gaps.
        doors: Its doors, row by row: each cell whose terrain is based on a door, once, also where a prefab has drawn it.
        placements: Where encounters, and the prefabs that the map asks for, have come to be.
        spawns: Every object on it.
        lights: Its lights.
        journal: Every decision that made it, with its reason, in order.
        locks: What bars locked doors and portals, and the props whose locks the level sees to. Something on the level opens
            each of them, except the doors of sealed regions.
        zones: The parts of the map that its author has named.
        portals: The ways that lead from cell to cell without steps: boats, teleporters, chutes.
        own_kinds: The kinds of objects that the content declares, and which of the five each is like.
        retries: How often the layout had to be begun again.
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
        """Rows."""
        return int(self.terrain.shape[0])

    @property
    def width(self) -> int:
        """Columns."""
        return int(self.terrain.shape[1])

    @property
    def leaps(self) -> tuple[Leap, ...]:
        """The pairs of cells between which portals lead both ways."""
        return leaps_of(self.portals)

    @property
    def kinds(self) -> dict[int, str]:
        """Region id -> what kind of region it is."""
        return {region.id: region.kind for region in self.regions}

    @cached_property
    def base(self) -> NDArray[np.uint8]:
        """(height, width) uint8: the built-in terrain each cell is based on; read-only."""
        return sealed(self.terrain_set.base[self.terrain])

    @cached_property
    def walkable(self) -> NDArray[np.bool_]:
        """(height, width) bool: whether the terrain can be walked on; spawns are not asked. Read-only."""
        return sealed(self.terrain_set.walkable[self.terrain])

    @cached_property
    def transparent(self) -> NDArray[np.bool_]:
        """(height, width) bool: whether the terrain lets sight pass; read-only."""
        return sealed(self.terrain_set.transparent[self.terrain])
