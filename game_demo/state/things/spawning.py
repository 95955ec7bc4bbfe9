"""From a spawn of the level to the components of an entity of the game."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from game_demo.state.components import (
    Attack,
    Blocks,
    Charger,
    Choice,
    Description,
    Energy,
    Goal,
    Health,
    Hidden,
    ItemEffect,
    Mind,
    Perception,
    Route,
    TrapEffect,
    Value,
    components_of,
)
from game_demo.state.things.furnishing import fixtures_of
from game_demo.state.things.keywords import Keywords
from game_demo.state.things.minds import MANNERS

if TYPE_CHECKING:
    from dungeon import Spawn
    from game_demo.state.things.minds import State


def components_for(spawn: Spawn, warnings: list[str]) -> list[Any]:
    """Return the components of a spawn's entity.

    Args:
        spawn: Any spawn.
        warnings: Takes a line for every keyword that the game cannot use.
    """
    keywords = Keywords(spawn, warnings)
    parts = components_of(spawn)
    if text := keywords.one_of_texts("text"):
        parts.append(Description(text))
    match spawn.like:
        case "robot":
            parts += _robot(spawn, keywords)
        case "trap":
            parts += _trap(keywords)
        case "item":
            parts += _item(keywords)
        case "prop":
            if charges := keywords.integer("charges", 0):
                parts.append(Charger(charges))
    return parts + fixtures_of(keywords)


def _robot(spawn: Spawn, keywords: Keywords) -> list[Any]:
    hp = keywords.integer("hp", 4, low=1)
    parts: list[Any] = [
        Health(hp, hp),
        Attack(keywords.integer("attack", 0)),
        Perception(keywords.integer("sight", 8)),
        Energy(keywords.number("speed", 1, low=0, high=4)),
        Route(),
        _mind(spawn, keywords),
    ]
    if (gun := keywords.gun()) is not None:
        parts.append(gun)
    if not spawn.blocks:  # a game in which robots could be walked through would need other rules
        parts.append(Blocks())
    return parts


def _mind(spawn: Spawn, keywords: Keywords) -> Mind:
    state: State | None = "lurking" if "ambush" in spawn.keywords else None
    state = state or ("asleep" if keywords.text("state") == "asleep" else None)
    behaviour = keywords.behaviour()
    return Mind(
        behaviour,
        state or MANNERS[behaviour].rest,
        (spawn.y, spawn.x),
        calls=keywords.integer("calls", 0),
        flees_below=keywords.number("flees_below", 0, high=1),
        mends=keywords.integer("mends", 1),
        obeys=keywords.flag("obeys"),
        opens_doors=keywords.flag("doors", default=True),
        leash=keywords.integer("leash", 0),
        keeps=keywords.integer("keeps", 0),
        rams=keywords.flag("rams"),
        steals=keywords.flag("steals"),
    )


def _item(keywords: Keywords) -> list[Any]:
    effect = ItemEffect(
        keywords.integer("repair", 0),
        keywords.integer("charge", 0),
        keywords.integer("frame", 0),
        keywords.part(),
    )
    if effect.is_useful:
        faulty = keywords.flag("faulty")
        effect = replace(effect, untried=faulty or keywords.flag("prototype"), faulty=faulty)
    parts: list[Any] = [effect]
    if value := keywords.integer("value", 0):
        parts.append(Value(value))
    if word := keywords.text("choice"):
        parts.append(Choice(word, keywords.spawn.placement))
    if keywords.flag("goal"):
        parts.append(Goal(keywords.text("ending")))
    return parts


def _trap(keywords: Keywords) -> list[Any]:
    effect = keywords.text("effect")
    parts: list[Any] = [
        TrapEffect(
            keywords.integer("damage", 0 if effect else 1),
            effect,
            keywords.integer("noise", 0),
            keywords.flag("sparks"),
            keywords.integer("charge", 0),
            keywords.flag("faulty"),
        )
    ]
    if keywords.flag("hidden", default=True):
        parts.append(Hidden())
    return parts
