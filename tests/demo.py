"""The content that comes with the library, read once for all tests of a process."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import dungeon
from dungeon import load_content

if TYPE_CHECKING:
    from dungeon import Content, Level, World

DATA = Path(__file__).parent.parent / "data"


@cache
def demo_content() -> Content:
    """Return the content of `data/`; tests share it and do not change it."""
    return load_content(DATA)


@cache
def demo_world(seed: int) -> World:
    """Return a world of `data/`."""
    return dungeon.World(demo_content(), seed)


@cache
def demo_level(map_id: str, seed: int) -> Level:
    """Return a level of `data/`; tests share it and do not change it."""
    return demo_world(seed).level(map_id)
