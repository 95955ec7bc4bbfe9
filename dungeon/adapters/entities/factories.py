"""What makes the components of a level's entities: by default `components_of`, or functions of the game's own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypedDict

from dungeon.adapters.entities.components import (
    PortalEnd,
    Thing,
    components_of,
    portal_ends_of,
)
from dungeon.core.vocabulary import OTHER_ENTITIES, SPAWN_KINDS
from dungeon.level.model import Door, Exit, Level, Light, Spawn

if TYPE_CHECKING:
    from collections.abc import Iterator

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


def described(kind: str, thing: Thing) -> str:
    """Return what a note on an error calls it."""
    if isinstance(thing, Level):
        return "the level"
    place = f"at y {thing.y}, x {thing.x}"
    if isinstance(thing, Spawn):
        return f"the {kind} {thing.tag!r} {place}" + (
            f", asked for by {thing.source}," if thing.source else ""
        )
    return f"the {kind} {place}"
