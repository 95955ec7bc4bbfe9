"""A level as esper entities: components are plain dataclasses, one entity per spawn, door, exit and the level itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import esper
import numpy as np

from dungeon.core.vocabulary import SPAWN_KINDS, SpawnKind
from dungeon.grid.rect import Cell  # noqa: TC001  # part of a component's public fields
from dungeon.terrain import DOOR, DOORS, Colour

if TYPE_CHECKING:
    from dungeon.level.model import Level, Spawn

Factory = Callable[["Spawn"], Iterable[Any]]
"""Makes the components of a spawn's entity."""


@dataclass(slots=True)
class Position:
    """Where an entity is: row y, column x."""

    y: int
    x: int


@dataclass(slots=True)
class Appearance:
    """How an entity looks and what the player reads."""

    glyph: str
    fg: Colour
    name: str


@dataclass(slots=True)
class Footprint:
    """All cells of an entity that covers several, and what it shows on each."""

    cells: tuple[Cell, ...]
    glyphs: tuple[str, ...]


@dataclass(slots=True)
class Blocks:
    """The entity stops walkers."""


@dataclass(slots=True)
class Opaque:
    """The entity stops sight."""


@dataclass(slots=True)
class Tag:
    """What an entity is in the content's catalogs, and what the content says of it beyond that."""

    kind: SpawnKind
    tag: str
    keywords: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))
    source: str = ""


@dataclass(slots=True)
class Prop:
    """The entity is a prop; `Trap`, `Robot`, `Item` and `Debris` likewise."""


@dataclass(slots=True)
class Trap:
    """The entity is a trap, not yet sprung."""

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
class DoorState:
    """The entity is a door."""

    kind: int = DOOR
    is_open: bool = False


@dataclass(slots=True)
class LeadsTo:
    """The entity is an exit to the map of that id."""

    map_id: str


@dataclass(slots=True)
class LevelInfo:
    """The level that an esper world holds; one entity has it."""

    level: Level


KIND_COMPONENTS: dict[SpawnKind, type] = {
    "prop": Prop,
    "trap": Trap,
    "robot": Robot,
    "item": Item,
    "debris": Debris,
}


def components_of(spawn: Spawn) -> list[Any]:
    """Return the components that a spawn gets by default; a factory of your own may begin with these."""
    found: list[Any] = [
        Position(spawn.y, spawn.x),
        Appearance(spawn.glyph, spawn.fg, spawn.name),
        Tag(spawn.kind, spawn.tag, spawn.keywords, spawn.source),
        KIND_COMPONENTS[spawn.kind](),
    ]
    if len(spawn.cells) > 1:
        found.append(Footprint(spawn.cells, spawn.glyphs))
    if spawn.blocks:
        found.append(Blocks())
    if spawn.opaque:
        found.append(Opaque())
    return found


def to_esper(
    level: Level, world: str | None = None, factories: Mapping[SpawnKind, Factory] | None = None
) -> list[int]:
    """Add an entity for every spawn, door and exit of a level to an esper world.

    Doors that a prefab has drawn are doors too. Afterwards that world is esper's current one; what was in it
    stays, so a level that is added twice is there twice.

    Args:
        level: The level.
        world: The esper world's name, by default the level's id; it is made if there is none.
        factories: Kind of spawn -> a function that makes its components, instead of `components_of`.

    Returns:
        The entities of the spawns, in the order of `level.spawns`.

    Raises:
        ValueError: A factory is for no kind of spawn that there is.
    """
    chosen = dict(factories or {})
    unknown = [kind for kind in chosen if kind not in SPAWN_KINDS]
    if unknown:
        raise ValueError(f"there is no kind of spawn {unknown[0]!r}, only {', '.join(SPAWN_KINDS)}")
    esper.switch_world(level.id if world is None else world)
    esper.create_entity(LevelInfo(level))
    base = level.base
    for y, x in np.argwhere(np.isin(base, DOORS)).tolist():
        esper.create_entity(Position(y, x), DoorState(int(base[y, x])))
    for way in level.exits:
        esper.create_entity(Position(way.y, way.x), LeadsTo(way.leads_to))
    return [esper.create_entity(*chosen.get(spawn.kind, components_of)(spawn)) for spawn in level.spawns]
