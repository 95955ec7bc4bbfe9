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
from dungeon.level.model import Door, Exit, Level, Light, Marker, Spawn

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tcod.ecs import Entity, Registry

E = TypeVar("E")

Factory = Callable[[Spawn], Iterable[Any]]
"""A function that returns the components of a spawn's entity."""


class Factories(TypedDict, total=False):
    """Functions that return the components of entities, instead of `components_of`.

    Attributes:
        prop: Called with each `Spawn` whose kind is prop, or a kind of the content that is like prop and has no factory of
            its own. The same goes for `trap`, `robot`, `item` and `debris`.
        door: Called with each `Door`.
        portal: Called with each `PortalEnd`.
        exit: Called with each `Exit`, the stairs up of towers included.
        light: Called with each `Light`.
        marker: Called with each `Marker`.
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
    marker: Callable[[Marker], Iterable[Any]]
    level: Callable[[Level], Iterable[Any]]


NO_COMPONENTS = (str, bytes, int, float, bool)
"""Types that are no components: a factory has returned them by mistake."""


def things_of(level: Level) -> Iterator[tuple[str, Thing]]:
    """Yield (key in `Factories`, object) for every spawn, door, exit, light, marker and portal's end of a level, and the level itself."""
    yield "level", level
    yield from (("door", door) for door in level.doors)
    yield from (("portal", end) for end in portal_ends_of(level))
    yield from (("exit", way) for way in (*level.exits, *level.ways_back))
    yield from ((spawn.kind, spawn) for spawn in level.spawns)
    yield from (("light", light) for light in level.lights)
    yield from (("marker", marker) for marker in level.markers)


def checked_factories(
    factories: Mapping[Any, Any] | None, own_kinds: Mapping[str, str]
) -> dict[str, Callable[[Any], Any]]:
    """Return kind -> factory. Kinds of the content get the factory of the built-in kind that they are like, unless they have one.

    Args:
        factories: Kind -> a function that returns the components of an entity, as given to `to_esper`; None for none.
        own_kinds: Kind of the content -> the built-in kind that it is like.

    Raises:
        ValueError: A factory is for an unknown kind.
        TypeError: A factory can't be called.
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
    """Return the components of the entity of a spawn, door and so on, as the factory makes them.

    Args:
        kind: The kind, for error messages.
        thing: The spawn, door and so on.
        factory: A function that returns components; None for the default components.

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
            raise TypeError(f"the factory of {kind!r} must return components such as Health(3), not {each!r}")
    return components


def _entities_of(
    level: Level,
    factories: Mapping[str, Callable[[Any], Any]],
    add: Callable[[list[Any]], E],
    hold: Callable[[E, Iterable[list[Any]]], None],
) -> list[E]:
    """Add an entity for every spawn, door and so on of a level, and return the entities of the spawns.

    An exception gets a note that names the spawn, door and so on that was being added.

    Args:
        level: The level.
        factories: As `checked_factories` returns them.
        add: Makes an entity from components and returns it.
        hold: Makes the entities of the items that a robot or prop holds. It is called with the entity of the robot or prop, and
            with a list of components for each item, without `Position`.
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


def _described(thing: Spawn | Door | PortalEnd | Exit | Light | Marker) -> str:
    """Return a description of a spawn, door, exit or light for the note on an exception: its tag, place and source."""
    place = f"at y {thing.y}, x {thing.x}"
    if isinstance(thing, Spawn):
        return f" {thing.tag!r} {place}" + (f", asked for by {thing.source}," if thing.source else "")
    return f" {place}"


def to_esper(
    level: Level,
    world: str | None = None,
    factories: Factories | Mapping[SpawnKind, Factory] | Mapping[str, Factory] | None = None,
) -> list[int]:
    """Add a level to an esper world: an entity for every spawn, door, exit, light, marker and portal's end.

    One more entity stands for the level.

    Existing entities stay, and the world becomes esper's current one. A level can be in a world only once; call
    `remove_from_esper` before you add it again. Levels of the same map id but different seeds can share a world.

    Items that a robot or a prop holds are entities, too, with `HeldBy` and without `Position`. The holder's `Inventory` lists them.

    If a factory raises an exception, the world and the current world are restored, and a note on the exception names the
    spawn, door, exit or light. Other effects of the factory can't be undone.

    esper keeps one current world per process, so call this, like all of esper, from a single thread. Levels may be
    made in any thread.

    Args:
        level: The level.
        world: Name of the esper world; by default the level's id. It is created if it does not exist.
        factories: Kind of spawn, or ``door``, ``portal``, ``exit``, ``light``, ``marker`` or ``level`` -> a function that returns its
            components, instead of `components_of`. It is called, while the world is the current one, with a `Spawn`,
            `Door`, `PortalEnd`, `Exit`, `Light`, `Marker` or the `Level`. `OfLevel` is added unless the function returns one.

    Returns:
        The entities of the spawns, in the order of `level.spawns`.

    Raises:
        ValueError: The level is in the world already, or a factory is for an unknown kind.
        TypeError: The level, the world's name or a factory has the wrong type, or a factory does not return components.

    Example:
        >>> import esper
        >>> entities = dungeon.to_esper(level, "foundry")
        >>> esper.component_for_entity(entities[0], dungeon.Position).y == level.spawns[0].y
        True
    """
    check_type(level, Level, "to_esper", A_LEVEL)
    name = _world_name("to_esper", level.id, world)
    chosen = checked_factories(factories, level.own_kinds)
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
        if esper.current_world != name:  # a factory may have switched the world
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
    """Return the name of the esper world for a level: `world`, or else the map id. TypeError if it is no text."""
    check_type(
        world, (str, NoneType), function, "the name of an esper world, as text, or None, beside the level"
    )
    return map_id if world is None else world


def remove_from_esper(level: Level | str, world: str | None = None) -> int:
    """Remove a level from an esper world: delete, at once, every entity whose `OfLevel` is this level.

    So entities stay if the game has removed their `OfLevel`, or replaced it by another level's. The world itself stays,
    even if it is empty, and so does esper's current world.

    Args:
        level: The level; or its id, for the levels of this id with any seed.
        world: Name of the esper world; by default the level's id.

    Returns:
        The number of deleted entities.

    Raises:
        KeyError: There is no such esper world.
        TypeError: The level or the world's name has the wrong type.

    Example:
        >>> entities = dungeon.to_esper(level, "left behind")
        >>> dungeon.remove_from_esper(level, "left behind") >= len(entities)
        True
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
    """Delete the entities that are not already marked for deletion, and return their number."""
    # esper fails later if an entity that is marked for deletion is deleted at once.
    living = [entity for entity in entities if esper.entity_exists(entity)]
    for entity in living:
        esper.delete_entity(entity, immediate=True)
    return len(living)


def _undo(name: str, before: set[int], former: str, worlds: list[str]) -> None:
    """Restore esper after an error: delete the new entities of a world, or the world itself if it is new.

    Args:
        name: The world.
        before: The entities that the world had before.
        former: The world that was esper's current one before; it becomes the current one again.
        worlds: The worlds that existed before.
    """
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
    """Add a level to a tcod-ecs registry: an entity for every spawn, door, exit, light, marker and portal's end.

    One more entity stands for the level.

    The entities have the components of `to_esper`, by type: ``entity.components[dungeon.Position]``. Items that a robot
    holds are entities without `Position`: ``item.relation_tag[dungeon.HeldBy]`` is the robot, and
    ``registry.Q.all_of(relations=[(dungeon.HeldBy, robot)])`` finds its items.

    Existing entities stay. `remove_from_tcod_ecs` removes the level again. If a factory raises an exception, the registry
    is restored, and a note on the exception names the spawn, door, exit or light.

    Args:
        level: The level.
        registry: The registry.
        factories: As for `to_esper`.

    Returns:
        The entities of the spawns, in the order of `level.spawns`.

    Raises:
        ValueError: The level is in the registry already, or a factory is for an unknown kind.
        TypeError: The level or the registry has the wrong type, or a factory does not return components.

    Example:
        >>> from tcod.ecs import Registry
        >>> registry = Registry()
        >>> entities = dungeon.to_tcod_ecs(level, registry)
        >>> entities[0].components[dungeon.Position].y == level.spawns[0].y
        True
    """
    check_type(level, Level, "to_tcod_ecs", A_LEVEL)
    from tcod.ecs import Registry  # noqa: PLC0415 - an extra

    check_type(registry, Registry, "to_tcod_ecs", "a tcod.ecs.Registry beside the level")
    chosen = checked_factories(factories, level.own_kinds)
    for each in registry.Q.all_of([LevelInfo]):
        info = each.components[LevelInfo].level
        if (info.id, info.seed) == (level.id, level.seed):
            raise ValueError(
                f"{level.id} of seed {level.seed} is in this registry already: "
                "take it out first, with remove_from_tcod_ecs(level, registry)"
            )
    made: list[Entity] = []

    def add(components: list[Any]) -> Entity:
        parts = [OfLevel(level.id, level.seed), *components]  # a factory's own OfLevel replaces this one
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
    """Remove a level from a registry: clear every entity whose `OfLevel` is this level.

    Entities without `OfLevel`, or with another level's, stay.

    Args:
        level: The level; or its id, for the levels of this id with any seed.
        registry: The registry.

    Returns:
        The number of cleared entities.

    Example:
        >>> from tcod.ecs import Registry
        >>> registry = Registry()
        >>> entities = dungeon.to_tcod_ecs(level, registry)
        >>> dungeon.remove_from_tcod_ecs(level, registry) >= len(entities)
        True
    """
    check_type(level, (Level, str), "remove_from_tcod_ecs", f"{A_LEVEL}, or its id")
    owned = [each for each in registry.Q.all_of([OfLevel]) if each.components[OfLevel].is_of(level)]
    for entity in owned:
        entity.clear()
    return len(owned)
