"""A level as entities of tcod-ecs, with the same components as in esper; needs the extra ``tcod-ecs``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dungeon.adapters.entities.components import (
    HeldBy,
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
    from collections.abc import Mapping

    from tcod.ecs import Entity, Registry

    from dungeon.adapters.entities.components import Factories, Factory
    from dungeon.core.vocabulary import SpawnKind


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

    def added(components: list[Any]) -> Entity:
        parts = [OfLevel(level.id, level.seed), *components]  # of which the last of a type stays
        made.append(registry.new_entity({type(part): part for part in parts}))
        return made[-1]

    entities = []
    try:
        for kind, thing in things_of(level):
            entity = added(components_by(kind, thing, chosen.get(kind)))
            if isinstance(thing, Spawn):
                entities.append(entity)
                for held in thing.loadout:
                    item = added(components_by(held.kind, held, chosen.get(held.kind)))
                    item.components.pop(Position, None)
                    item.relation_tag[HeldBy] = entity
    except BaseException as error:
        error.add_note(f"This was about {described(kind, thing)} of {level.id}.")
        for entity in made:
            entity.clear()
        raise
    return entities


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
