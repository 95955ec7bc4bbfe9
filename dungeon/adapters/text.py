"""A level, or a sample of a prefab, as plain text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dungeon.adapters.scene import figures

if TYPE_CHECKING:
    from dungeon.adapters.scene import Scene


def to_text(level: Scene, *, spawns: bool = True) -> str:
    """Return the level, or a sample of a prefab, as lines of characters, one a cell, each line ended by a newline.

    Args:
        level: The level, or whatever else has terrain and spawns.
        spawns: Whether to show what stands on the terrain.
    """
    rows = [list(map(chr, row)) for row in level.terrain_set.glyph[level.terrain].tolist()]
    if spawns:
        for figure in figures(level.spawns):
            rows[figure.cell.y][figure.cell.x] = figure.glyph
    return "".join("".join(row) + "\n" for row in rows)
