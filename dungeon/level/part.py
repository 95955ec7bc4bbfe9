"""A rectangle of a map as a canvas of its own: what is built on it there is put back on the map."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from dungeon.grid.regions import bounds_of
from dungeon.level.canvas import Canvas

if TYPE_CHECKING:
    from dungeon.grid.rect import Rect


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A rectangle of a map.

    Attributes:
        rect: Where it lies on the map.
        canvas: What it is made of. Its cells, regions and doors are counted from its own top left corner, and from 1.
        kept: The ids, on the map, of the regions that it had from the beginning, in order of their ids here.
    """

    rect: Rect
    canvas: Canvas
    kept: tuple[int, ...]

    def here(self, region: int) -> int:
        """Return the id that a region of the map has here, 0 if it has no cell here."""
        return self.kept.index(region) + 1 if region in self.kept else 0


def crop(whole: Canvas, rect: Rect) -> Part:
    """Return a rectangle of a map. It changes by itself; its outermost cells stay closed, as those of any canvas.

    Doors that lie there are left out: what begins on it has none.
    """
    canvas = Canvas(rect.height, rect.width, whole.terrain_set)
    area = rect.slices
    for mine, theirs in (
        (canvas.terrain, whole.terrain),
        (canvas.drawn, whole.drawn),
        (canvas.quiet, whole.quiet),
    ):
        mine[...] = theirs[area]
    columns = (1 << rect.width) - 1
    canvas.used.rows = [row >> rect.x & columns for row in whole.used.rows[rect.y : rect.bottom]]
    kept, numbers = np.unique(whole.region[area], return_inverse=True)
    if kept[0]:
        kept, numbers = np.concatenate([[0], kept]), numbers + 1
    canvas.region[...] = numbers.reshape(rect.height, rect.width)
    for number, region in enumerate(kept[1:].tolist(), 1):
        old = whole.regions[region - 1]
        canvas.add_region(old.kind, bounds_of(canvas.region == number), sealed=old.sealed)
    return Part(rect=rect, canvas=canvas, kept=tuple(kept[1:].tolist()))


def paste(whole: Canvas, part: Part) -> None:
    """Put a part back on the map from which it was taken, with all that has been built on it.

    New regions get the ids after those of the map.
    """
    rect, canvas, area = part.rect, part.canvas, part.rect.slices
    whole.terrain[area], whole.drawn[area], whole.quiet[area] = canvas.terrain, canvas.drawn, canvas.quiet
    whole.used.clear(*rect)
    for y, row in enumerate(canvas.used.rows, rect.y):
        whole.used.rows[y] |= row << rect.x
    ids = [0, *part.kept]
    ids += [
        whole.add_region(region.kind, _moved(region.bounds, rect), sealed=region.sealed)
        for region in canvas.regions[len(part.kept) :]
    ]
    whole.region[area] = np.array(ids, np.uint16).take(canvas.region)
    for number, region in zip(part.kept, canvas.regions, strict=False):
        old = whole.regions[number - 1]
        whole.regions[number - 1] = replace(old, kind=region.kind, sealed=region.sealed)
        around = old.bounds.joined(_moved(region.bounds, rect))
        if (whole.region[around.slices] == number).any():
            whole.settle_bounds(number, around)
    for door in canvas.doors:
        first, second = door.between
        moved = replace(door, y=door.y + rect.y, x=door.x + rect.x, between=(ids[first], ids[second]))
        whole.doors.append(moved)


def _moved(bounds: Rect, by: Rect) -> Rect:
    """Return bounds within a part as they lie on the map."""
    return bounds._replace(y=bounds.y + by.y, x=bounds.x + by.x)
