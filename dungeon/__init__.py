"""Prefabs and encounters for tcod roguelikes: maps that grow around what you draw.

    import dungeon

    content = dungeon.load_content("data")
    level = dungeon.World(content, seed=7).level("foundry/3")
    console = dungeon.to_console(level)

Names are imported when they are first used, so that `import dungeon` costs next to nothing.
"""

from __future__ import annotations

from dungeon.core.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__)
