"""The components of entities that a level becomes, for esper and tcod-ecs alike: plain dataclasses without logic.

There is one entity for every spawn, door, exit, light, marker and end of a portal, and one for the level itself.
"""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003  # public fields have these types, as Cell and SpawnKind below
from dataclasses import dataclass, field
from typing import Any, cast, get_args

from dungeon.core.errors import check_type
from dungeon.core.frozen import NOTHING
from dungeon.core.kinds import AS_ITS_KIND
from dungeon.core.vocabulary import SpawnKind  # noqa: TC001
from dungeon.grid.rect import Cell  # noqa: TC001
from dungeon.level.model import Door, Exit, Level, Light, Marker, Spawn
from dungeon.terrain import DOOR, Colour


@dataclass(frozen=True, slots=True, kw_only=True)
class PortalEnd:
    """A cell of a level from which a portal leads to another cell.

    Attributes:
        y: The row of the cell.
        x: The column of the cell.
        to: The cell that the portal leads to.
        kind: The portal's kind, a word that the author chose.
        lock: The name of the portal's lock in content files; None if the portal is not locked.
        lock_name: The lock's name for the player; may be empty.
        lock_count: How many objects are needed to open the lock.
        lock_keys_on: The ids of the maps on which these objects lie; empty if all of them are on the level.
    """

    y: int
    x: int
    to: Cell
    kind: str
    lock: str | None = None
    lock_name: str = ""
    lock_count: int = 1
    lock_keys_on: tuple[str, ...] = ()


def portal_ends_of(level: Level) -> list[PortalEnd]:
    """Return every cell of a level from which a portal leads to another cell."""
    locks = {(lock.y, lock.x): lock for lock in level.locks}
    found = []
    for portal in level.portals:
        lock = locks.get(portal.begin)
        told = lock.for_door if lock else {}
        for (y, x), to in zip(portal.entries, (portal.end, portal.begin), strict=False):
            found.append(PortalEnd(y=y, x=x, to=to, kind=portal.kind, **told))
    return found


Thing = Spawn | Door | PortalEnd | Exit | Light | Marker | Level
"""A part of a level that becomes an entity."""


@dataclass(slots=True)
class Position:
    """Where an entity is: row y, column x."""

    y: int
    x: int


@dataclass(slots=True)
class Appearance:
    """How an entity looks, and its name.

    Attributes:
        glyph: The character that is drawn.
        fg: The character's colour, RGB of 0..255.
        name: The name that the player reads.
    """

    glyph: str
    fg: Colour
    name: str


@dataclass(slots=True)
class Footprint:
    """The cells of an entity that covers several, with the character and colour of each.

    Attributes:
        cells: All cells that it covers.
        glyphs: The character of each cell, in the order of `cells`.
        fgs: The colour of each cell, RGB of 0..255, in the order of `cells`.
    """

    cells: tuple[Cell, ...]
    glyphs: tuple[str, ...]
    fgs: tuple[Colour, ...] = ()


@dataclass(slots=True)
class Blocks:
    """The entity stops walkers."""


@dataclass(slots=True)
class Opaque:
    """The entity stops sight."""


@dataclass(slots=True)
class Tag:
    """The catalog entry of an entity, and its keywords.

    Attributes:
        kind: Prop, trap, robot, item, debris, or a kind that the content declares.
        tag: Its name in the catalog.
        keywords: The keywords of the catalog and the reference, as in `Spawn.keywords`; immutable.
        source: The prefab and character, or the map, whose entry asked for the object.
        like: The built-in kind whose rules the entity follows: `kind` itself, or the one that a kind of the content is like.
    """

    kind: str
    tag: str
    keywords: Mapping[str, object] = field(default_factory=lambda: NOTHING)
    source: str = ""
    like: SpawnKind = AS_ITS_KIND

    def __post_init__(self) -> None:
        if self.like == AS_ITS_KIND:
            self.like = cast("SpawnKind", self.kind)


@dataclass(slots=True)
class Prop:
    """The entity is a prop, or its kind is like a prop (see `Tag.like`). The same goes for `Trap`, `Robot`, `Item` and `Debris`."""


@dataclass(slots=True)
class Trap:
    """The entity is a trap, not yet sprung.

    Attributes:
        armed: Whether it can still be sprung. The game sets it to False.
    """

    armed: bool = True


@dataclass(slots=True)
class Robot:
    """The entity is a robot."""


@dataclass(slots=True)
class Item:
    """The entity is an item."""


@dataclass(slots=True)
class Debris:
    """The entity is debris."""


@dataclass(slots=True)
class Leader:
    """The entity leads a group. The members of the group have `Follows` with the same number, on the same level.

    Attributes:
        group: The number of the group on its level, from 1.
    """

    group: int


@dataclass(slots=True)
class Follows:
    """The entity is a member of a group. It follows the entity that has `Leader` with the same number, on the same level.

    Attributes:
        group: The number of the group on its level, from 1.
    """

    group: int


@dataclass(slots=True)
class Patrol:
    """The entity patrols: it walks to these cells in order, and back again.

    Attributes:
        places: The cells; the first is the one on which it starts.
        at: A counter for the game: the number of cells that the entity has reached.
    """

    places: tuple[Cell, ...]
    at: int = 0


@dataclass(slots=True)
class Inventory:
    """The entity is a robot or a prop that holds items. Each of these items has `HeldBy`.

    Attributes:
        items: The entities of the items.
    """

    items: list[int]


@dataclass(slots=True)
class HeldBy:
    """The entity is an item that a robot or a prop holds. It has no `Position` until it is dropped.

    Attributes:
        holder: The entity that holds it.
    """

    holder: int


@dataclass(slots=True)
class DoorState:
    """The entity is a door.

    Attributes:
        kind: Its built-in terrain: doorway, door, secret door or locked door.
        is_open: Whether it stands open. The game sets it.
    """

    kind: int = DOOR
    is_open: bool = False


@dataclass(slots=True)
class Locked:
    """The entity is locked. Objects whose keyword `opens` names the same lock open it.

    Attributes:
        lock: The name of the lock in content files.
        name: The lock's name for the player; may be empty.
        count: How many such objects are needed.
        keys_on: The ids of the maps on which these objects lie; empty if all of them are on the level.
    """

    lock: str
    name: str = ""
    count: int = 1
    keys_on: tuple[str, ...] = ()


@dataclass(slots=True)
class Ambush:
    """The entity belongs to an ambush: an item that springs it when taken, or a robot that waits for that.

    All entities of one ambush have the same `word` and the same `placement`.

    Attributes:
        word: The name of the ambush in content files.
        placement: Index of the placement in `Level.placements`; None for none.
    """

    word: str
    placement: int | None = None


@dataclass(slots=True)
class LeadsTo:
    """The entity is an exit, or stairs up of a tower.

    Attributes:
        map_id: Id of the map that it leads to, such as ``foundry/3``.
        arrives: For stairs of a tower, the cell of that map at which the player arrives; None for the entrance of that map.
    """

    map_id: str
    arrives: Cell | None = None


@dataclass(slots=True)
class TakesTo:
    """The entity is a portal's end, which takes walkers to another cell of the level.

    Attributes:
        cell: The cell that the portal leads to.
        kind: The portal's kind, a word that the author chose.
    """

    cell: Cell
    kind: str


@dataclass(slots=True)
class LightSource:
    """The entity is a light.

    Attributes:
        radius: How far it reaches, in cells.
        colour: Its colour, RGB of 0..255.
    """

    radius: int
    colour: Colour


@dataclass(slots=True)
class Marked:
    """The entity is a cell that a prefab marks for the game.

    Attributes:
        name: The name that the author gave the marker; may be empty.
        data: Free keywords of the cell, as in `Marker.data`; immutable.
        placement: Index of the placement in `Level.placements`; None for none.
    """

    name: str
    data: Mapping[str, object] = field(default_factory=lambda: NOTHING)
    placement: int | None = None


@dataclass(frozen=True, slots=True)
class OfLevel:
    """The level that an entity belongs to. `remove_from_esper` deletes the entities of a level by this component.

    It is immutable and hashable. Replace it when the entity moves to another level; remove it, and the entity stays
    when the level is removed. Entities of your own that have it are removed with the level.

    Attributes:
        map_id: The level's id, such as ``foundry/3``.
        seed: The seed of the level's world; None for a level of any seed.
    """

    map_id: str
    seed: int | None = None

    def is_of(self, level: Level | str) -> bool:
        """Tell whether the entity belongs to a level. If only the level's id is given, its seed does not matter."""
        if isinstance(level, str):
            return self.map_id == level
        return self.map_id == level.id and self.seed in (None, level.seed)


@dataclass(slots=True)
class LevelInfo:
    """A level that an esper world holds; one entity has it.

    Attributes:
        level: The level.
    """

    level: Level


KIND_COMPONENTS: dict[str, type] = {
    "prop": Prop,
    "trap": Trap,
    "robot": Robot,
    "item": Item,
    "debris": Debris,
}


def components_of(thing: Thing) -> list[Any]:
    """Return the components that the entity of a spawn, door, portal's end, exit, light, marker or level gets by default.

    A factory of your own may begin with these.

    Args:
        thing: The spawn, door, portal's end, exit, light, marker or level.

    Example:
        >>> components = dungeon.components_of(level.spawns[0])
        >>> dungeon.Position in map(type, components)
        True
    """
    check_type(
        thing, get_args(Thing), "components_of", "a spawn, door, portal's end, exit, light, marker or level"
    )
    more: list[Any]
    match thing:
        case Spawn():
            return _components_of_spawn(thing)
        case Level():
            return [LevelInfo(thing)]
        case Door():
            more = [DoorState(thing.kind), *_locked(thing)]
        case PortalEnd():
            more = [TakesTo(thing.to, thing.kind), *_locked(thing)]
        case Exit():
            more = [LeadsTo(thing.leads_to, thing.arrives)]
        case Light():
            more = [LightSource(thing.radius, thing.colour)]
        case Marker():
            more = [Marked(thing.name, thing.data, thing.placement)]
    return [Position(thing.y, thing.x), *more]


def _locked(thing: Door | PortalEnd) -> list[Locked]:
    if thing.lock is None:
        return []
    return [Locked(thing.lock, thing.lock_name, thing.lock_count, thing.lock_keys_on)]


def _components_of_spawn(spawn: Spawn) -> list[Any]:
    """Return the default components of a spawn."""
    found: list[Any] = [
        Position(spawn.y, spawn.x),
        Appearance(spawn.glyph, spawn.fg, spawn.name),
        Tag(spawn.kind, spawn.tag, spawn.keywords, spawn.source, spawn.like),
        KIND_COMPONENTS[spawn.like](),
    ]
    if len(spawn.cells) > 1:
        found.append(Footprint(spawn.cells, spawn.glyphs, spawn.fgs))
    if spawn.blocks:
        found.append(Blocks())
    if spawn.opaque:
        found.append(Opaque())
    ambush = spawn.keywords.get("ambush")
    if isinstance(ambush, str) and spawn.like in ("item", "robot"):
        found.append(Ambush(ambush, spawn.placement))
    if spawn.group:
        found.append(Leader(spawn.group) if spawn.leads else Follows(spawn.group))
    if spawn.patrol:
        found.append(Patrol(spawn.patrol))
    return found
