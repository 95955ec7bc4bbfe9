"""A digest of a whole game: equal games have equal digests, which tests that a replay gives the same game.

All attributes of a game's objects are included, so new state is covered without a change here. What is left out is named
in `UNTOLD`, and a value of an unknown type is an error.
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import fields, is_dataclass
from functools import cache, singledispatch
from random import Random
from types import MappingProxyType, NoneType
from typing import Any, Final

import esper
import numpy as np

from dungeon import Level, World
from game_demo.state.game import Game, Worlds
from game_demo.state.game_map import GameMap
from game_demo.state.log import Log, Message
from game_demo.state.sight import Sight

UNTOLD: Final[Mapping[type, frozenset[str]]] = MappingProxyType(
    {
        # How the game is made, measured and recorded
        Game: frozenset(
            {"_make", "watched", "crash_at", "recorder", "unsaved", "seed_text", "is_acting", "facts"}
        ),
        # Which messages are new on the screen
        Log: frozenset({"action"}),
        Message: frozenset({"action"}),
        # Caches of values computed from other attributes, and what only a screen shows
        GameMap: frozenset({"_paths", "letters"}),
        # How remembered cells look, which games without a screen don't store
        Sight: frozenset({"memory", "_familiar", "_version", "_views"}),
    }
)
"""Class -> the attributes that make no difference to how a game goes on."""


def digest_of(game: Game) -> str:
    """Return the SHA-256 in hexadecimal digits of everything that makes a difference to how the game goes on.

    Raises:
        TypeError: The game holds a value of an unknown type.
    """
    digest = hashlib.sha256(_told(game).encode())
    for map_id in game.maps:
        game.worlds.enter(map_id)
        for entity in sorted(esper.get_entities()):
            components: tuple[object, ...] = esper.components_for_entity(entity)
            digest.update(f"{entity}{sorted(map(_told, components))}".encode())
    game.resume()
    return digest.hexdigest()


@singledispatch
def _told(value: object) -> str:
    """Return a value as text, with everything in it; the order of sets does not depend on hashes."""
    kind: Any = type(value)
    attributes = ",".join([f"{name}={_told(getattr(value, name))}" for name in _names(kind)])
    return f"{kind.__name__}({attributes})"


@cache
def _names(kind: type) -> list[str]:
    """Return the names of the attributes of a dataclass that are part of the digest."""
    if not is_dataclass(kind):
        raise TypeError(f"a game's state holds objects of {kind}, for which the digest has no rule")
    untold = UNTOLD.get(kind, frozenset())
    return [field.name for field in fields(kind) if field.name not in untold]


@_told.register(NoneType)
@_told.register(str)
@_told.register(int)
@_told.register(float)
def _(value: str | float | None) -> str:
    return repr(value)


@_told.register(tuple)
@_told.register(list)
@_told.register(deque)
def _(value: Iterable[object]) -> str:
    return f"({','.join(map(_told, value))})"


@_told.register(AbstractSet)
def _(value: AbstractSet[object]) -> str:
    return f"{{{','.join(sorted(map(_told, value)))}}}"


@_told.register(Mapping)
def _(value: Mapping[object, object]) -> str:
    items = ",".join([f"{_told(key)}:{_told(each)}" for key, each in value.items()])
    return f"{{{items}}}"


@_told.register
def _(value: np.ndarray) -> str:
    return f"{value.dtype}{value.shape}{hashlib.sha256(value.tobytes()).hexdigest()}"


@_told.register
def _(value: Random) -> str:
    return repr(value.getstate())


@_told.register
def _(value: Level) -> str:
    return value.id


@_told.register
def _(value: World) -> str:
    return str(value.seed)


@_told.register
def _(_: Worlds) -> str:
    return ""  # the entities are added one by one


@_told.register
def _(value: Game | GameMap | Sight) -> str:
    untold = UNTOLD[type(value)]
    parts = (f"{name}={_told(each)}" for name, each in sorted(vars(value).items()) if name not in untold)
    return f"({','.join(parts)})"
