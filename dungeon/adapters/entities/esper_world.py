"""A level as esper entities, one for every spawn, door, exit, light and end of a portal, and one for the level itself.

Every entity has `OfLevel`, by which a level is found again that shares an esper world with others.
"""

from __future__ import annotations

from types import NoneType
from typing import TYPE_CHECKING, Any

import esper

from dungeon.adapters.entities.components import (
    HeldBy,
    Inventory,
    LevelInfo,
    OfLevel,
    Position,
    checked,
    components_by,
    described,
    things_of,
)
from dungeon.core.wanted import A_LEVEL, check_type
from dungeon.level.model import Level, Spawn

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from dungeon.adapters.entities.components import Factories, Factory
    from dungeon.core.vocabulary import SpawnKind


def to_esper(
    level: Level,
    world: str | None = None,
    factories: Factories | Mapping[SpawnKind, Factory] | Mapping[str, Factory] | None = None,
) -> list[int]:
    """Add an entity for every spawn, door, exit, light and portal's end of a level, and one for itself, to an esper world.

    Afterwards that world is esper's current one, and what was in it stays. A level can be in a world once: to add it anew,
    take it out with `remove_from_esper` first. Levels of one map id and two seeds can share a world.

    If a factory fails, the world is what it was before, and so is the current world; a note on the error says which
    spawn, door, exit or light it was about. What a factory has done besides making entities can't be taken back.

    What a robot or a prop holds are entities, too, with `HeldBy` and without `Position`; the holder's `Inventory` lists them.

    esper's worlds belong to the process, and it knows one current world: call this, like all of esper, from one thread.
    Levels may be made in any.

    Args:
        level: The level.
        world: The esper world's name, by default the level's id; it is made if there is none.
        factories: Kind of spawn, or ``door``, ``portal``, ``exit``, ``light`` or ``level`` -> a function that makes its
            components, instead of `components_of`. It is called while that world is the current one, with a `Spawn`,
            `Door`, `PortalEnd`, `Exit`, `Light` or the `Level`; every entity gets `OfLevel` besides, unless the function gives it one.

    Returns:
        The entities of the spawns, in the order of `level.spawns`.

    Raises:
        ValueError: The level is in that world already, or a factory is for nothing that there is.
        TypeError: The level, the world's name or a factory is of another type, or a factory does not return components.
    """
    check_type(level, Level, "to_esper", A_LEVEL)
    name = _world_name("to_esper", level.id, world)
    chosen = checked(factories, level.own_kinds)
    former, worlds = esper.current_world, esper.list_worlds()
    esper.switch_world(name)
    if any(
        info.level.id == level.id and info.level.seed == level.seed
        for _, info in esper.get_component(LevelInfo)
    ):
        esper.switch_world(former)
        raise ValueError(
            f"{level.id} of seed {level.seed} is in the esper world {name!r} already: "
            f"take it out first, with remove_from_esper(level, {name!r})"
        )
    before = set(esper.get_entities())
    entities: list[int] = []
    try:
        for kind, thing in things_of(level):
            entity = _added(level, name, components_by(kind, thing, chosen.get(kind)))
            if isinstance(thing, Spawn):
                entities.append(entity)
                items = []
                for held in thing.loadout:
                    components = components_by(held.kind, held, chosen.get(held.kind))
                    without_place = [each for each in components if not isinstance(each, Position)]
                    items.append(_added(level, name, [*without_place, HeldBy(entity)]))
                if items:
                    esper.add_component(entity, Inventory(items))
    except BaseException as error:
        error.add_note(f"This was about {described(kind, thing)} of {level.id}.")
        _undo(name, before, former, worlds)
        raise
    return entities


def _world_name(function: str, map_id: str, world: str | None) -> str:
    """Return the name of the esper world that a level goes to; raise a TypeError if it is no text."""
    check_type(
        world, (str, NoneType), function, "the name of an esper world, as text, or None, beside the level"
    )
    return map_id if world is None else world


def _added(level: Level, world: str, components: list[Any]) -> int:
    """Add an entity of a level to an esper world."""
    if not any(isinstance(each, OfLevel) for each in components):
        components.append(OfLevel(level.id, level.seed))
    if esper.current_world != world:  # a factory may have looked elsewhere
        esper.switch_world(world)
    return esper.create_entity(*components)


def remove_from_esper(level: Level | str, world: str | None = None) -> int:
    """Take a level out of an esper world again: delete, at once, every entity there whose `OfLevel` says that it is the level's.

    All that `to_esper` has added for it goes, wherever it has moved to within that world, but for what has another
    level's `OfLevel` by now, or none. What a game has deleted already does not matter. The current world
    stays the current one, and the world stays, be it empty.

    Args:
        level: The level, or its id: then the levels of that id of all seeds.
        world: The esper world's name, by default the level's id.

    Returns:
        How many entities have gone.

    Raises:
        KeyError: There is no such esper world.
        TypeError: The level, or the world's name, is of another type.
    """
    check_type(level, (Level, str), "remove_from_esper", f"{A_LEVEL}, or its id")
    name = _world_name("remove_from_esper", level if isinstance(level, str) else level.id, world)
    if name not in esper.list_worlds():
        raise KeyError(f"there is no esper world {name!r}, only {', '.join(map(repr, esper.list_worlds()))}")
    former = esper.current_world
    esper.switch_world(name)
    owned = [entity for entity, owner in esper.get_component(OfLevel) if owner.is_of(level)]
    gone = _delete(owned)
    esper.switch_world(former)
    return gone


def _delete(entities: Iterable[int]) -> int:
    """Delete those of these entities that are not about to go anyway, and return how many that were."""
    # esper fails later on where an entity that waits to be deleted is deleted at once.
    living = [entity for entity in entities if esper.entity_exists(entity)]
    for entity in living:
        esper.delete_entity(entity, immediate=True)
    return len(living)


def _undo(name: str, before: set[int], former: str, worlds: list[str]) -> None:
    """Make esper what it was: delete the new entities of a world, or the world if it is new."""
    esper.switch_world(name)
    _delete([entity for entity in esper.get_entities() if entity not in before])
    esper.switch_world(former)
    if name not in worlds:
        esper.delete_world(name)
