"""Small saves: the seed, the map id, and the differences from the floor that these two make."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import numpy as np

from .engine import SIGHT, Engine
from .entity import Entity
from .procgen import make_floor

VERSION = 1


def to_text(engine: Engine) -> str:
    """Return a saved game as JSON."""
    floor = engine.floor
    here = {entity.number: entity for entity in floor.entities}
    made = {entity.number: entity for entity in make_floor(engine.seed, engine.map_id).entities}
    save = {
        "version": VERSION,
        "seed": engine.seed,
        "map": engine.map_id,
        "player": asdict(engine.player),
        "messages": engine.messages[-2:],
        "gone": [number for number in made if number not in here],
        "changed": {
            n: changes for n, entity in made.items() if n in here and (changes := changed(entity, here[n]))
        },
        "explored": np.packbits(floor.explored).tobytes().hex(),
    }
    return json.dumps(save)


def changed(before: Entity, now: Entity) -> dict[str, Any]:
    """Return the fields of an entity that have changed, with their values now."""
    then = asdict(before)
    return {field: value for field, value in asdict(now).items() if value != then[field]}


def from_text(text: str) -> Engine:
    """Return the game that `to_text` wrote.

    Raises:
        ValueError: The save has another version.
    """
    save = json.loads(text)
    if save["version"] != VERSION:
        raise ValueError(f"this game is of version {save['version']}, not {VERSION}")
    engine = Engine.__new__(Engine)
    engine.seed, engine.map_id, engine.messages = save["seed"], save["map"], save["messages"]
    engine.floor = floor = make_floor(engine.seed, engine.map_id)
    for number, changes in save["changed"].items():
        for field, value in changes.items():
            setattr(floor.entities[int(number)], field, value)
    engine.player = Entity(**{**save["player"], "colour": tuple(save["player"]["colour"])})
    floor.entities = [each for each in floor.entities if each.number not in save["gone"]] + [engine.player]
    bits = np.unpackbits(np.frombuffer(bytes.fromhex(save["explored"]), np.uint8), count=floor.explored.size)
    floor.explored[:] = bits.reshape(floor.explored.shape)
    floor.see_from(engine.player.xy, SIGHT)
    return engine
