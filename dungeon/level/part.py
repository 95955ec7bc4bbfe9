"""Cropping a rectangle of a canvas to a canvas of its own, and pasting it back after something was built on it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from dungeon import terrain as t
from dungeon.grid.regions import bounds_of, touching
from dungeon.level.canvas import Canvas

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dungeon.grid.rect import Rect


@dataclass(frozen=True, slots=True, kw_only=True)
class CanvasPart:
    """A rectangle of a map as a canvas.

    Attributes:
        rect: Its place on the map.
        canvas: The canvas of the rectangle. Its cells are counted from its own top left corner, its region ids from 1.
        kept: The regions that it had from the beginning: `kept[n - 1]` is the map's id of its region n.
        foreign: (height, width) bool: the cells of things that lie across its edge. They are blocked here, and `paste` leaves
            them unchanged on the map.
    """

    rect: Rect
    canvas: Canvas
    kept: tuple[int, ...]
    foreign: NDArray[np.bool_]

    def here(self, region: int) -> int:
        """Return the id on this canvas of the map's region `region`; 0 if it has no cell here."""
        return self.kept.index(region) + 1 if region in self.kept else 0


def crop(whole: Canvas, rect: Rect) -> CanvasPart:
    """Return a rectangle of a map as an independent canvas; its outermost cells stay closed, as on any canvas.

    Connections are not copied, so it begins without doors. Regions that reach its edge, or cross it, become blocked terrain,
    with the cells that prefabs drew around them and the earth beside them that will be their walls.
    """
    canvas = Canvas(rect.height, rect.width, whole.terrain_set)
    area = rect.slices
    for mine, theirs in (
        (canvas.terrain, whole.terrain),
        (canvas.drawn, whole.drawn),
        (canvas.quiet, whole.quiet),
        (canvas.used, whole.used),
    ):
        mine[...] = theirs[area]
    foreign = _across(whole, rect)
    canvas.used |= foreign
    canvas.terrain[foreign] = t.BLOCKED
    kept, numbers = np.unique(np.where(foreign, 0, whole.region[area]), return_inverse=True)
    if kept[0]:
        kept, numbers = np.concatenate([[0], kept]), numbers + 1
    canvas.region[...] = numbers.reshape(rect.height, rect.width)
    for number, region in enumerate(kept[1:].tolist(), 1):
        old = whole.regions[region - 1]
        canvas.add_region(old.kind, bounds_of(canvas.region == number), sealed=old.sealed)
    return CanvasPart(rect=rect, canvas=canvas, kept=tuple(kept[1:].tolist()), foreign=foreign)


def part_of(rect: Rect, canvas: Canvas) -> CanvasPart:
    """Return a canvas that was built separately as a part of a map at `rect`, which must be free earth, to `paste` it there."""
    return CanvasPart(rect=rect, canvas=canvas, kept=(), foreign=np.zeros(canvas.terrain.shape, np.bool_))


def _across(whole: Canvas, rect: Rect) -> NDArray[np.bool_]:
    """Return the `foreign` cells of a rectangle of the map: regions at or across its edge, prefab cells around them, and their walls."""
    found = np.zeros(whole.terrain.shape, np.bool_)
    inside = rect.grown(-1)
    for region in whole.regions:
        if region.bounds.overlaps(rect) and not inside.encloses(region.bounds):
            around = region.bounds.grown().clipped(whole.height, whole.width).slices
            own = whole.region[around] == region.id
            found[around] |= own | whole.drawn[around] | touching(own) & (whole.region[around] == 0)
    return found[rect.slices]


def paste(whole: Canvas, part: CanvasPart) -> None:
    """Write a part back to the map, with everything that was built on it; its foreign cells are skipped.

    New regions are appended to the map's regions, and their ids and the doors' change accordingly.
    """
    rect, canvas, area = part.rect, part.canvas, part.rect.slices
    own = ~part.foreign
    np.copyto(whole.terrain[area], canvas.terrain, where=own)
    np.copyto(whole.drawn[area], canvas.drawn, where=own)
    np.copyto(whole.quiet[area], canvas.quiet, where=own)
    np.copyto(whole.used[area], canvas.used, where=own)
    ids = [0, *part.kept]
    ids += [
        whole.add_region(region.kind, _moved(region.bounds, rect), sealed=region.sealed)
        for region in canvas.regions[len(part.kept) :]
    ]
    np.copyto(whole.region[area], np.array(ids, np.uint16).take(canvas.region), where=own)
    for number, region in zip(part.kept, canvas.regions, strict=False):
        old = whole.regions[number - 1]
        whole.regions[number - 1] = replace(old, kind=region.kind, sealed=region.sealed)
        around = old.bounds.joined(_moved(region.bounds, rect))
        if (whole.region[around.slices] == number).any():
            whole.settle_bounds(number, around)
    for door in canvas.connections:
        first, second = door.between
        moved = replace(door, y=door.y + rect.y, x=door.x + rect.x, between=(ids[first], ids[second]))
        whole.connections.append(moved)


def _moved(bounds: Rect, by: Rect) -> Rect:
    """Return bounds on a part's canvas moved to the map, where the part lies at `by`."""
    return bounds._replace(y=bounds.y + by.y, x=bounds.x + by.x)
