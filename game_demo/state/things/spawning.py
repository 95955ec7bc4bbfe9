"""From a spawn of the level to the components of an entity of the game."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from game_demo.state.components import (
    Attack,
    Blocks,
    Description,
    Energy,
    Goal,
    Guard,
    Health,
    Hidden,
    Hunt,
    ItemEffect,
    Perception,
    Route,
    TrapEffect,
    Wander,
    components_of,
)
from game_demo.state.things.furnishing import fixtures_of
from game_demo.state.things.keywords import Keywords

if TYPE_CHECKING:
    from dungeon import Spawn


def components_for(spawn: Spawn, warnings: list[str]) -> list[Any]:
    """Return the components of a spawn's entity.

    Args:
        spawn: Any spawn.
        warnings: Takes a line for every keyword that the game cannot use.
    """
    keywords = Keywords(spawn, warnings)
    parts = components_of(spawn)
    if text := keywords.text("text"):
        parts.append(Description(text))
    match spawn.kind:
        case "robot":
            parts += _robot(spawn, keywords)
        case "trap":
            parts += _trap(keywords)
        case "item":
            works = not keywords.flag("faulty", default=False)
            parts.append(
                ItemEffect(keywords.integer("repair", 0) * works, keywords.integer("power", 0) * works)
            )
            if keywords.flag("goal", default=False):
                parts.append(Goal())
    return parts + fixtures_of(keywords)


def _robot(spawn: Spawn, keywords: Keywords) -> list[Any]:
    hp = keywords.integer("hp", 4, low=1)
    parts: list[Any] = [
        Health(hp, hp),
        Attack(keywords.integer("attack", 0)),
        Perception(keywords.integer("sight", 8)),
        Energy(keywords.number("speed", 1, low=0, high=4)),
        Route(),
    ]
    if not spawn.blocks:  # a game in which robots could be walked through would need other rules
        parts.append(Blocks())
    if "ambush" in spawn.keywords:
        return parts  # it waits
    match keywords.behaviour():
        case "wander":
            parts.append(Wander())
        case "guard":
            parts.append(Guard((spawn.y, spawn.x)))
        case "hunt":
            parts.append(Hunt())
    return parts


def _trap(keywords: Keywords) -> list[Any]:
    effect = keywords.text("effect")
    if keywords.flag("faulty", default=False):
        parts: list[Any] = [TrapEffect(0, "It clicks, and that is all.")]
    else:
        damage, noise = keywords.integer("damage", 0 if effect else 1), keywords.integer("noise", 0)
        parts = [TrapEffect(damage, effect, noise, keywords.flag("sparks", default=False))]
    if keywords.flag("hidden", default=True):
        parts.append(Hidden())
    return parts
