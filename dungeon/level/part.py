"""Parts of a map: a rectangle is cropped to a small canvas of its own, built on, and pasted back to the map's canvas.

Regions are numbered differently on both: the canvas of a part counts its own from 1. *Foreign* cells belong to things that lie at
or across the rectangle's edge; nothing may be built there.
"""

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
    """A rectangle of a map as a canvas of its own.

    Attributes:
        rect: The rectangle, on the map.
        canvas: The part's canvas. Its top left cell is (0, 0), and its region ids begin at 1.
        kept: For each region that the part had when it was cropped, the region's id on the map: `kept[n - 1]` for region n here.
        foreign: (height, width) bool: the cells of regions that lie at or across the rectangle's edge, with their walls. They are
            blocked terrain on the part's canvas, and `paste` leaves them unchanged on the map.
    """

    rect: Rect
    canvas: Canvas
    kept: tuple[int, ...]
    foreign: NDArray[np.bool_]

    def here(self, region: int) -> int:
        """Return the id that a region of the map has on the part's canvas; 0 if the part has no cell of it.

        Args:
            region: The region's id on the map.
        """
        return self.kept.index(region) + 1 if region in self.kept else 0


def crop(whole: Canvas, rect: Rect) -> CanvasPart:
    """Return a rectangle of a map as a canvas of its own, to build on.

    The list of connections is not copied, so the part begins with an empty one. A region that reaches or crosses the rectangle's
    edge becomes blocked terrain, with the cells that prefabs drew around it and the earth that will be its walls.

    Args:
        whole: The map.
        rect: The rectangle.
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
    """Return a canvas that was not cropped from a map as a part of the map, so that `paste` can put it there.

    Args:
        rect: Where the canvas is to lie on the map; the map must have only free earth there.
        canvas: The canvas, of the same size.
    """
    return CanvasPart(rect=rect, canvas=canvas, kept=(), foreign=np.zeros(canvas.terrain.shape, np.bool_))


def _across(whole: Canvas, rect: Rect) -> NDArray[np.bool_]:
    """Return the foreign cells of a rectangle: (height, width) bool of the rectangle's size.

    These are the cells of each region that reaches or crosses the rectangle's edge, of prefabs around the region, and of the
    region's walls.

    Args:
        whole: The map.
        rect: The rectangle.
    """
    found = np.zeros(whole.terrain.shape, np.bool_)
    inside = rect.grown(-1)
    for region in whole.regions:
        if region.bounds.overlaps(rect) and not inside.encloses(region.bounds):
            around = region.bounds.grown().clipped(whole.height, whole.width).slices
            own = whole.region[around] == region.id
            found[around] |= own | whole.drawn[around] | touching(own) & (whole.region[around] == 0)
    return found[rect.slices]


def paste(whole: Canvas, part: CanvasPart) -> None:
    """Copy a part back to the map, with everything that was built on it, apart from the part's foreign cells.

    New regions are appended to the map's list of regions and get new ids, also in the doors' `between`.

    Args:
        whole: The map.
        part: The part.
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
    """Return where a rectangle of a part's canvas lies on the map, if the part lies at the rectangle `by`."""
    return bounds._replace(y=bounds.y + by.y, x=bounds.x + by.x)
