"""Add a level's entities to an esper world or to a tcod-ecs registry, and remove them again.

Every entity has the component `OfLevel`, so that a level can be found again in a world that holds several levels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import NoneType
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar

import esper

from dungeon.adapters.components import (
    HeldBy,
    Inventory,
    LevelInfo,
    OfLevel,
    PortalEnd,
    Position,
    Thing,
    components_of,
    portal_ends_of,
)
from dungeon.core.errors import A_LEVEL, check_type
from dungeon.core.vocabulary import OTHER_ENTITIES, SPAWN_KINDS, SpawnKind
from dungeon.level.model import Door, Exit, Level, Light, Spawn

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tcod.ecs import Entity, Registry

E = TypeVar("E")

Factory = Callable[[Spawn], Iterable[Any]]
"""Makes the components of a spawn's entity."""


class Factories(TypedDict, total=False):
    """What makes the components of entities, instead of `components_of`.

    Attributes:
        prop: Called with each `Spawn` of that kind, or of one that is like it and has no factory of its own; likewise
            `trap`, `robot`, `item` and `debris`.
        door: Called with each `Door`.
        portal: Called with each `PortalEnd`.
        exit: Called with each `Exit`.
        light: Called with each `Light`.
        level: Called with the `Level`.
    """

    prop: Factory
    trap: Factory
    robot: Factory
    item: Factory
    debris: Factory
    door: Callable[[Door], Iterable[Any]]
    portal: Callable[[PortalEnd], Iterable[Any]]
    exit: Callable[[Exit], Iterable[Any]]
    light: Callable[[Light], Iterable[Any]]
    level: Callable[[Level], Iterable[Any]]


NO_COMPONENTS = (str, bytes, int, float, bool)
"""What a factory can only have returned by mistake."""


def things_of(level: Level) -> Iterator[tuple[str, Thing]]:
    """Yield everything that becomes an entity, with what factories call it."""
    yield "level", level
    yield from (("door", door) for door in level.doors)
    yield from (("portal", end) for end in portal_ends_of(level))
    yield from (("exit", way) for way in level.exits)
    yield from ((spawn.kind, spawn) for spawn in level.spawns)
    yield from (("light", light) for light in level.lights)


def checked(
    factories: Mapping[Any, Any] | None, own_kinds: Mapping[str, str]
) -> dict[str, Callable[[Any], Any]]:
    """Return the factories, or raise an error if one of them is for nothing or can't be called.

    Kinds of the content's own have those of the kinds that they are like, unless there are others for them.
    """
    chosen = dict(factories or {})
    for kind, factory in chosen.items():
        if kind not in (*SPAWN_KINDS, *own_kinds, *OTHER_ENTITIES):
            kinds = f"{', '.join((*SPAWN_KINDS, *own_kinds))}, and {', '.join(OTHER_ENTITIES)}"
            raise ValueError(f"there is no kind of spawn {kind!r}, only {kinds}")
        if not callable(factory):
            raise TypeError(f"the factory of {kind!r} can't be called: {factory!r}")
    return {kind: chosen[like] for kind, like in own_kinds.items() if like in chosen} | chosen


def components_by(kind: str, thing: Thing, factory: Callable[[Any], Any] | None) -> list[Any]:
    """Return the components of an entity.

    Raises:
        TypeError: The factory does not return components.
    """
    if factory is None:
        return components_of(thing)
    made = factory(thing)
    if not isinstance(made, Iterable) or isinstance(made, str | bytes | Mapping):
        raise TypeError(f"the factory of {kind!r} must return a list of components, and returned {made!r}")
    components = list(made)
    for each in components:
        if each is None or isinstance(each, type) or type(each) in NO_COMPONENTS:
            raise TypeError(
                f"the factory of {kind!r} must return components such as Health(3), and {each!r} is none"
            )
    return components


def _entities_of(
    level: Level,
    factories: Mapping[str, Callable[[Any], Any]],
    add: Callable[[list[Any]], E],
    hold: Callable[[E, Iterable[list[Any]]], None],
) -> list[E]:
    """Add an entity for everything on a level, and return those of the spawns. A note on an error tells what it is about.

    Args:
        level: The level.
        factories: As `checked` returns them.
        add: Makes an entity of some components.
        hold: Gives an entity what it holds: called with the components of each, which have no place.
    """
    entities = []
    for kind, thing in things_of(level):
        try:
            entity = add(components_by(kind, thing, factories.get(kind)))
            if isinstance(thing, Spawn):
                entities.append(entity)
                held = (components_by(each.kind, each, factories.get(each.kind)) for each in thing.loadout)
                hold(entity, ([part for part in parts if not isinstance(part, Position)] for parts in held))
        except BaseException as error:
            what = f"the {kind}" if isinstance(thing, Level) else f"the {kind}{_described(thing)}"
            error.add_note(f"This was about {what} of {level.id}.")
            raise
    return entities


def _described(thing: Spawn | Door | PortalEnd | Exit | Light) -> str:
    """Return what tells a thing from others of its kind."""
    place = f"at y {thing.y}, x {thing.x}"
    if isinstance(thing, Spawn):
        return f" {thing.tag!r} {place}" + (f", asked for by {thing.source}," if thing.source else "")
    return f" {place}"


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

    def add(components: list[Any]) -> int:
        if not any(isinstance(each, OfLevel) for each in components):
            components.append(OfLevel(level.id, level.seed))
        if esper.current_world != name:  # a factory may have looked elsewhere
            esper.switch_world(name)
        return esper.create_entity(*components)

    def hold(holder: int, loadout: Iterable[list[Any]]) -> None:
        items = [add([*components, HeldBy(holder)]) for components in loadout]
        if items:
            esper.add_component(holder, Inventory(items))

    try:
        return _entities_of(level, chosen, add, hold)
    except BaseException:
        _undo(name, before, former, worlds)
        raise


def _world_name(function: str, map_id: str, world: str | None) -> str:
    """Return the name of the esper world that a level goes to; raise a TypeError if it is no text."""
    check_type(
        world, (str, NoneType), function, "the name of an esper world, as text, or None, beside the level"
    )
    return map_id if world is None else world


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


def to_tcod_ecs(
    level: Level,
    registry: Registry,
    factories: Factories | Mapping[SpawnKind, Factory] | Mapping[str, Factory] | None = None,
) -> list[Entity]:
    """Add an entity for every spawn, door, exit, light and portal's end of a level, and one for itself, to a registry.

    Each has the components that `to_esper` gives it, by their types: ``entity.components[dungeon.Position]``. What a robot
    holds are entities without `Position`, too, and related to it: ``item.relation_tag[dungeon.HeldBy]`` is the robot, and
    ``registry.Q.all_of(relations=[(dungeon.HeldBy, robot)])`` all that it holds.

    What was in the registry stays; `remove_from_tcod_ecs` takes the level out again. If a factory fails, the registry is
    what it was before, and a note on the error says what it was about.

    Args:
        level: The level.
        registry: The registry.
        factories: As for `to_esper`.

    Returns:
        The entities of the spawns, in the order of `level.spawns`.

    Raises:
        ValueError: The level is in that registry already, or a factory is for nothing that there is.
        TypeError: The level or the registry is of another type, or a factory does not return components.
    """
    check_type(level, Level, "to_tcod_ecs", A_LEVEL)
    from tcod.ecs import Registry  # noqa: PLC0415 - an extra

    check_type(registry, Registry, "to_tcod_ecs", "a tcod.ecs.Registry beside the level")
    chosen = checked(factories, level.own_kinds)
    for each in registry.Q.all_of([LevelInfo]):
        info = each.components[LevelInfo].level
        if (info.id, info.seed) == (level.id, level.seed):
            raise ValueError(
                f"{level.id} of seed {level.seed} is in this registry already: "
                "take it out first, with remove_from_tcod_ecs(level, registry)"
            )
    made: list[Entity] = []

    def add(components: list[Any]) -> Entity:
        parts = [OfLevel(level.id, level.seed), *components]  # of which the last of a type stays
        made.append(registry.new_entity({type(part): part for part in parts}))
        return made[-1]

    def hold(holder: Entity, loadout: Iterable[list[Any]]) -> None:
        for components in loadout:
            add(components).relation_tag[HeldBy] = holder

    try:
        return _entities_of(level, chosen, add, hold)
    except BaseException:
        for entity in made:
            entity.clear()
        raise


def remove_from_tcod_ecs(level: Level | str, registry: Registry) -> int:
    """Take a level out of a registry again: clear every entity whose `OfLevel` says that it is the level's.

    All that `to_tcod_ecs` has added for it goes, but for what has another level's `OfLevel` by now, or none.

    Args:
        level: The level, or its id: then the levels of that id of all seeds.
        registry: The registry.

    Returns:
        How many entities have gone.
    """
    check_type(level, (Level, str), "remove_from_tcod_ecs", f"{A_LEVEL}, or its id")
    owned = [each for each in registry.Q.all_of([OfLevel]) if each.components[OfLevel].is_of(level)]
    for entity in owned:
        entity.clear()
    return len(owned)
