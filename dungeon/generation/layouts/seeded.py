"""Joins seeded prefabs (put on a map before its layout) to the rest of the map, in the same way for every layout.

A mouth is an opening at the edge of a prefab, where a way (a corridor that is dug later) may begin. A region is a room,
cave, corridor or prefab. Connected open cells are a part of the map; the main part is the largest that the layout dug.

A mouth is drawn (a tunneler start or a connector), or is an edge that may be dug. A layout may begin its corridors at
`LayoutJob.mouths`, or ignore them. Afterwards this module does the rest:

- Each tunneler mouth that leads nowhere gets a way, as wide as the mouth where there is space.
- Each part of the map that is cut off gets one way, from the mouth where it is cheapest.
- A prefab gets at most one opening on each side where open cells lie within `CLOSE` cells beyond a mouth.

    #####                 room
    #..o'....             o  the prefab's cell at the mouth, '  the opening in front of it
    #####   ,   #####     ,  the way: dug through earth by the cheapest path (Dijkstra)
            ,,,,'...#     '  a doorway in the straight part of a room's wall

Ways enter rooms through doorways, because a room with a hole in its wall becomes a zone, where no encounters are
placed. They avoid cells that are reserved. No way leads to a locked door, as its key may lie behind it. Ways over
water between the parts of a map are causeways. Where an object of a prefab blocks walkers for good, the cells behind
it get a way of their own.
"""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from dungeon.core.errors import GenerationError
from dungeon.generation.layouts.doorways import (
    cell_before,
    cells_behind,
    dig_in,
    is_open,
    lines_of,
    may_dig_in,
    wall_up_blind_doors,
)
from dungeon.generation.layouts.seeded_ways import (
    Diggable,
    MapParts,
    SeededMap,
    dig_from,
    dig_way_out,
    diggable_ground,
    narrow_way,
    no_way_error,
    possible_starts,
    sea_of,
)
from dungeon.grid.rect import Cell, Rect
from dungeon.grid.regions import components

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Generator, Iterator, Sequence

    from numpy.typing import NDArray

    from dungeon.level.canvas import Canvas, Mouth
    from dungeon.level.steps import Step

WAYS = ("corridor", "junction", "hall")
"""Kinds of regions that are only walked through: a mouth whose corridor connects to no other region leads nowhere."""

CLOSE = 4
"""A prefab is opened to open cells outside if at most this many cells of earth lie between, besides the edge."""

CutOff = tuple[int, set[Cell]]
"""(id of a region, those of its cells that are not connected to the main part of the map)."""


def join_seeded(
    canvas: Canvas,
    mouths: Sequence[Mouth],
    regions: Sequence[int],
    stopped: NDArray[np.bool_] | None = None,
    locked: NDArray[np.bool_] | None = None,
) -> Iterator[Step]:
    """Join the seeded prefabs to the rest of the map, where the layout has not.

    Args:
        canvas: The map, with its layout.
        mouths: The mouths of the seeded prefabs.
        regions: The ids of the regions of the seeded prefabs.
        stopped: (height, width) bool, open cells on which an object blocks walkers for good. Ways need not lead to
            these cells, and never lead through them. None if there is no such cell.
        locked: (height, width) bool, open cells that only locked doors lead to, in prefabs that the layout itself has
            drawn. A way ends at such a cell only if it can end nowhere else. None if there is no such cell.

    Yields:
        A step after every way that is dug.

    Raises:
        GenerationError: No way can be dug to a seeded prefab, or to another part of the map that is cut off.
    """
    seeded = SeededMap(canvas, mouths, regions, np.zeros_like(canvas.drawn) if locked is None else locked)
    closed = canvas.open & ~canvas.passable() & ~sea_of(canvas)
    if stopped is not None:
        closed |= stopped
    # A pond: a seeded region without an open cell that walkers reach, such as water, or cells behind a locked door. A way
    # leads up to it, though not into it.
    ponds = set(regions).difference(np.bincount(canvas.region[canvas.open & ~closed]).nonzero()[0].tolist())
    parts = yield from _join_regions(seeded, closed & ~canvas.within(ponds), ponds)
    parts = yield from _join_all(seeded, _shut_off, _parts(seeded, closed) if ponds else parts)
    if regions:
        yield from _open_to_near(seeded, parts)
        wall_up_blind_doors(canvas, canvas.drawn)


def _join_regions(
    seeded: SeededMap, closed: NDArray[np.bool_], ponds: Collection[int]
) -> Generator[Step, None, MapParts]:
    """Dig a way for every tunneler mouth that leads nowhere, and ways to all cut-off cells of seeded prefabs.

    Args:
        seeded: The map.
        closed: (height, width) bool, open cells that no way may lead through.
        ponds: Ids of seeded regions without a cell that walkers reach, such as water. A way to one cell of such a
            region is enough. If no way can be dug, a region of which no cell can be walked on may stay cut off.

    Yields:
        A step for each way.

    Returns:
        The connected parts of the map with all these ways.
    """
    canvas = seeded.canvas
    for mouth in seeded.mouths:
        if mouth.kind == "diggable" and is_open(canvas, *cell_before(mouth)) and may_dig_in(canvas, mouth):
            dig_in(canvas, mouth)
    known: dict[int, MapParts] = {}
    for mouth in seeded.mouths:
        # `lines_of` returns nothing for a mouth at a blind door that has been walled up.
        fronts = [cell for _, cell in lines_of(canvas, mouth) if canvas.inside(Rect(*cell, 1, 1))]
        if mouth.kind == "tunneler" and fronts:
            step = _lead_out(seeded, mouth, fronts, closed, known)
            if step is not None:
                known.clear()
                yield step
    return (yield from _join_all(seeded, partial(_cut_off, ponds=ponds), _parts(seeded, closed), ponds))


def _lead_out(
    seeded: SeededMap,
    mouth: Mouth,
    fronts: Sequence[Cell],
    closed: NDArray[np.bool_],
    known: dict[int, MapParts],
) -> Step | None:
    """Dig a way from a tunneler mouth of a prefab, unless cells in front of the mouth are open already and lead on.

    Args:
        seeded: The map.
        mouth: The mouth.
        fronts: The cells just outside of the mouth.
        closed: (height, width) bool, open cells that no way may lead through.
        known: A cache: id of a prefab's region -> the connected parts of the map without that region. The caller
            clears it when a way is dug.

    Returns:
        The step to show; None if nothing was dug.

    Raises:
        GenerationError: The cells in front of the mouth are solid, and no way can be dug from them.
    """
    canvas, region = seeded.canvas, mouth.region
    if region not in known:
        known[region] = _parts(seeded, closed | canvas.within([region]))
    parts = known[region]
    begun = [int(parts.labels[cell]) for cell in fronts if is_open(canvas, *cell)]
    if not parts.main:
        return None
    if begun:
        ends = canvas.within(each.id for each in canvas.regions if each.kind not in WAYS)
        if not {parts.main, 0, *parts.labels[ends].tolist()}.isdisjoint(begun):
            return None
    with suppress(*([GenerationError] if begun else [])):
        return dig_way_out(seeded, parts._replace(stopped=closed), region, [mouth])
    return None


def _join_all(
    seeded: SeededMap,
    find: Callable[[SeededMap, MapParts], CutOff | None],
    parts: MapParts,
    ponds: Collection[int] = (),
) -> Generator[Step, None, MapParts]:
    """Dig ways to cut-off cells until `find` returns no more; yield a step for each way.

    Args:
        seeded: The map.
        find: Returns the next region with cut-off cells; None when all are joined.
        parts: The connected parts of the map so far.
        ponds: Ids of regions that may stay cut off if no way can be dug to them and no cell of them can be walked on.

    Returns:
        The connected parts of the map with all these ways.

    Raises:
        GenerationError: No way can be dug to some cut-off cells, or they are still cut off after it was dug.
    """
    canvas, before = seeded.canvas, None
    while (found := find(seeded, parts)) and found != before:
        region, lost = before = found
        leading_out = [mouth for mouth in seeded.mouths if not lost.isdisjoint(cells_behind(canvas, mouth))]
        stopped = parts.stopped
        try:
            yield dig_way_out(seeded, parts, region, leading_out, lost)
        except GenerationError:
            here = canvas.within([region])
            if region not in ponds or canvas.passable()[here].any():
                raise
            stopped = stopped | here  # solid walls all around it, so players only see it
        parts = _parts(seeded, stopped)
    if found:
        raise no_way_error(canvas, found[0])
    return parts


def _open_to_near(seeded: SeededMap, parts: MapParts) -> Iterator[Step]:
    """Open a seeded prefab to the main part of the map if the main part comes within `CLOSE` cells of one of its mouths.

    A prefab gets at most one such opening on each side, and none on a side that is open already.

    Yields:
        A step for each opening.
    """
    canvas = seeded.canvas
    opened = {
        (mouth.region, mouth.dy, mouth.dx)
        for mouth in seeded.mouths
        if any(is_open(canvas, *first) and is_open(canvas, *last) for last, first in lines_of(canvas, mouth))
    }
    ground: Diggable | None = None
    for mouth in seeded.mouths:
        side = mouth.region, mouth.dy, mouth.dx
        if side in opened or not canvas.inside(Rect(mouth.y, mouth.x, 1, 1)):
            continue
        near = Rect(mouth.y, mouth.x, 1, 1).grown(CLOSE + 1).clipped(canvas.height, canvas.width)
        around = (parts.labels[near.slices] == parts.main) & (canvas.region[near.slices] != mouth.region)
        inner = cells_behind(canvas, mouth)
        if not around.any() or not any(parts.labels[cell] == parts.main for cell in inner):
            continue
        if mouth.kind == "diggable" and not may_dig_in(canvas, mouth):
            continue
        ground = ground or diggable_ground(seeded, parts, "rooms")
        board = canvas.board
        own = board.from_array(canvas.region == mouth.region)
        found = narrow_way(
            ground.without_cells(own | board.full & ~board.block(*near)),
            possible_starts(canvas, [mouth]),
            "rooms",
        )
        if found and sum(not is_open(canvas, *cell) for cell in found[0]) <= CLOSE + 1:
            opened.add(side)
            yield dig_from(canvas, *found)
            parts, ground = _parts(seeded, parts.stopped), None


# -- parts of the map ---------------------------------------------------------------------------


def _parts(seeded: SeededMap, stopped: NDArray[np.bool_]) -> MapParts:
    """Return the connected components of the map's open cells.

    The main part is the component with the most cells outside of seeded prefabs.

    Args:
        seeded: The map.
        stopped: (height, width) bool, open cells that count as closed.
    """
    canvas = seeded.canvas
    sealed = canvas.within(region.id for region in canvas.regions if region.sealed)
    labels, count = components(canvas.open & ~(sealed | stopped | sea_of(canvas)), canvas.leaps)
    if count < 2:
        return MapParts(labels, count, stopped)
    dug = labels[~canvas.within(seeded.regions)]
    counts = np.bincount(dug if dug.any() else labels.ravel())
    counts[0] = 0
    return MapParts(labels, int(counts.argmax()), stopped)


def _cut_off(seeded: SeededMap, parts: MapParts, ponds: Collection[int] = ()) -> CutOff | None:
    """Return the first region of a seeded prefab with cells that are cut off from the main part of the map, and these cells.

    Args:
        seeded: The map.
        parts: The connected parts of the map.
        ponds: Ids of regions that are returned only if none of their cells is in the main part.

    Returns:
        (id of the region, its cut-off cells); None if there is no such region.
    """
    canvas, (labels, main, _) = seeded.canvas, parts
    lost = (labels > 0) & (labels != main)
    if not lost.any():
        return None
    for region in seeded.regions:
        here = canvas.regions[region - 1].bounds.slices
        own = canvas.region[here] == region
        if region in ponds and (labels[here][own] == main).any():
            continue
        cells = np.argwhere(lost[here] & own).tolist()
        if cells:
            return region, {Cell(y + here[0].start, x + here[1].start) for y, x in cells}
    return None


def _shut_off(seeded: SeededMap, parts: MapParts) -> CutOff | None:
    """Return the next cells of the map that can be walked on but are cut off from its main part; None if there are none.

    Rooms and caves that are cut off as a whole come first, then parts with stairs, then all others.

    Returns:
        (id of the region of these cells or 0, the cells).
    """
    canvas, (labels, main, _) = seeded.canvas, parts
    shut = (labels > 0) & (labels != main) & canvas.terrain_set.walkable.take(canvas.terrain)
    if not shut.any():
        return None
    entered = np.zeros(len(canvas.regions) + 1, np.bool_)
    entered[canvas.region[labels == main]] = True
    places = canvas.within(
        each.id for each in canvas.regions if each.kind in ("room", "cave") and not entered[each.id]
    )
    for cells in (shut & places, shut & canvas.terrain_set.stairs.take(canvas.terrain), shut):
        if cells.any():
            first = np.unravel_index(int(cells.argmax()), cells.shape)
            region = int(canvas.region[first])
            lost = np.argwhere((labels == labels[first]) & (canvas.region == region))
            return region, {Cell(y, x) for y, x in lost.tolist()}
    return None
