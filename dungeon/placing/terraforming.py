"""What modes that change the shape of a cave have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dungeon.grid.rect import Rect
from dungeon.grid.regions import bounds_of

if TYPE_CHECKING:
    from dungeon.level.canvas import Canvas


def settle_bounds(canvas: Canvas, region: int, changed: Rect) -> None:
    """Make the bounds of a region those of its cells, after some have come or gone within a rectangle."""
    area = canvas.regions[region - 1].bounds.joined(changed)
    cells = bounds_of(canvas.region[area.slices] == region)
    canvas.set_bounds(region, Rect(area.y + cells.y, area.x + cells.x, cells.height, cells.width))
