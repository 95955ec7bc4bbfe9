"""Floors made from the levels of a world. Its content is in the folder `data`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import dungeon

from .entity import Entity
from .game_map import GameMap
from .tile_types import tile_dt

CONTENT = dungeon.load_content(Path(__file__).parent.parent / "data")
FIELDS = ("hp", "power", "heals")  # the keywords of spawns that entities have


def make_floor(seed: int, map_id: str) -> GameMap:
    """Make the floor of a map in the world of a seed."""
    level = dungeon.World(CONTENT, seed).level(map_id)
    floor = GameMap(level.width, level.height)
    floor.tiles[:] = dungeon.tiles(level, tile_dt, order="F")
    floor.start = dungeon.xy(level.entrance)
    floor.exits = {dungeon.xy(way): way.leads_to for way in level.exits}
    for spawn in level.spawns:
        data: dict[str, Any] = {key: spawn.keywords[key] for key in FIELDS if key in spawn.keywords}
        glyphs = spawn.glyphs or spawn.glyph * len(spawn.cells)
        for cell, glyph in zip(spawn.cells, glyphs, strict=True):
            entity = Entity(*dungeon.xy(cell), glyph, spawn.fg, spawn.name, spawn.blocks, **data)
            entity.number = len(floor.entities)
            floor.entities.append(entity)
            floor.tiles["transparent"][entity.xy] &= not spawn.opaque
    return floor
