"""From a spawn of the level to the components of an entity of the game."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from game_demo.state.components import (
    Blade,
    Blocks,
    Goal,
    Guard,
    Health,
    Hidden,
    Hunt,
    Pace,
    Senses,
    Snare,
    Use,
    Wander,
    Words,
    components_of,
)
from game_demo.state.keywords import Keywords

if TYPE_CHECKING:
    from dungeon import Spawn


def components_for(spawn: Spawn, complaints: list[str]) -> list[Any]:
    """Return the components of a spawn's entity.

    Args:
        spawn: Any spawn.
        complaints: Takes a line for every keyword that the game cannot use.
    """
    keywords = Keywords(spawn, complaints)
    parts = components_of(spawn)
    if text := keywords.text("text"):
        parts.append(Words(text))
    match spawn.kind:
        case "robot":
            parts += _robot(spawn, keywords)
        case "trap":
            parts += _trap(keywords)
        case "item":
            works = not keywords.flag("faulty", otherwise=False)
            parts.append(Use(keywords.whole("repair", 0) * works, keywords.whole("power", 0) * works))
            if keywords.flag("goal", otherwise=False):
                parts.append(Goal())
    return parts


def _robot(spawn: Spawn, keywords: Keywords) -> list[Any]:
    hp = keywords.whole("hp", 4, low=1)
    parts: list[Any] = [
        Health(hp, hp),
        Blade(keywords.whole("attack", 0)),
        Senses(keywords.whole("sight", 8)),
        Pace(keywords.number("speed", 1, low=0, high=4)),
    ]
    if not spawn.blocks:  # a game in which robots could be walked through would need other rules
        parts.append(Blocks())
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
    if keywords.flag("faulty", otherwise=False):
        parts: list[Any] = [Snare(0, "It clicks, and that is all.")]
    else:
        parts = [Snare(keywords.whole("damage", 0 if effect else 1), effect)]
    if keywords.flag("hidden", otherwise=True):
        parts.append(Hidden())
    return parts
