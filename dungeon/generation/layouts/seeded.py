"""What a layout has left undone for the prefabs that stood on the map before it.

A layout is told by `LayoutJob.mouths` where to begin, and ours do. A layout of somebody else may know nothing of that:
then every tunneler's mouth that it has not met gets its way here, and every prefab that is still cut off gets one from
whichever of its mouths is cheapest. Such ways go through free earth, keep out of areas in which nothing is dug, and
break into rooms through doorways only, so that rooms stay what placing takes them for; a room with a hole in its wall would
be a zone. No way comes to a locked door, for what opens that may lie behind it, or nowhere. Over a sea that lies between parts of the map they are causeways. Where something in a prefab stops walkers,
whatever lies behind it gets a way of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal

import numpy as np

from dungeon import terrain as t
from dungeon.core.errors import GenerationError
from dungeon.generation.layouts.mouths import (
    behind,
    dig_in,
    is_open,
    last_before,
    lines_of,
    may_dig_in,
    wall_up_blind_doors,
)
from dungeon.generation.openings.openings import SIDES
from dungeon.grid.neighbours import framed, touching
from dungeon.grid.rect import Cell, Rect
from dungeon.grid.regions import FAR, cheapest, cheapest_way, components
from dungeon.level.steps import Phase, Step

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Generator, Iterator, Sequence

    from numpy.typing import NDArray

    from dungeon.level.canvas import Canvas
    from dungeon.level.mouth import Mouth

EARTH = 5
"""How much dearer a step through earth is than one over open cells: short digs win over long ones."""

DOORWAY = 40
"""Likewise, one through the wall of a room."""

BROKEN = 200
"""Likewise, one through the wall of a room where no doorway can be."""

LAST_RESORT = 1000
"""Likewise, one through what should be left alone: another prefab's walls, or an area in which nothing is to be dug."""

MOST_TRIES = 60
"""How many ways are looked for that break into rooms properly."""

Care = Literal["rooms", "what is left alone", "doors", "nothing"]

CARE: tuple[Care, ...] = ("rooms", "what is left alone", "doors", "nothing")
"""What is spared by a way: rooms are, if it can be, then at least what nobody should dig through, then the walls beside doors."""

Lost = tuple[int, set[Cell]]
"""A region, and its cells that are no part of the main part of the map."""

Parts = tuple["NDArray[np.int32]", int]
"""(height, width) the part that each open cell belongs to, 0 for closed, sealed and stopped ones; and the main part."""


@dataclass(frozen=True, slots=True)
class _Site:
    """A map on which prefabs were seeded.

    Attributes:
        canvas: The map, with its layout.
        mouths: Where what was seeded can be joined.
        regions: The regions of what was seeded.
        locked: (height, width) bool, the open cells of the layout's prefabs that only locked doors lead to.
    """

    canvas: Canvas
    mouths: Sequence[Mouth]
    regions: Sequence[int]
    locked: NDArray[np.bool_]


Start = tuple[Cell | None, Cell, "Mouth | None"]
"""Where a way may begin: the prefab's cell before a mouth, the first cell of the way, and the mouth."""


def join_seeded(
    canvas: Canvas,
    mouths: Sequence[Mouth],
    regions: Sequence[int],
    stopped: NDArray[np.bool_] | None = None,
    locked: NDArray[np.bool_] | None = None,
) -> Iterator[Step]:
    """Join what was seeded to the rest of the map, as far as the layout has not.

    Args:
        canvas: The map, with its layout.
        mouths: Where what was seeded can be joined.
        regions: The regions of what was seeded.
        stopped: (height, width) bool, the open cells that no way need lead to, nor may lead through, for something in it is
            going to stop walkers for good; by default none.
        locked: (height, width) bool, the open cells of the layout's prefabs that only locked doors lead to. Corridors lead to
            other cells, if there are any. By default no cell is locked.

    Yields:
        A step after every way that is dug.

    Raises:
        GenerationError: A prefab, or what lies behind one, is where no way can be dug to.
    """
    if not regions and stopped is None:
        return
    site = _Site(canvas, mouths, regions, np.zeros_like(canvas.drawn) if locked is None else locked)
    closed = canvas.open & ~canvas.passable() & ~_sea(canvas)
    if stopped is not None:
        closed |= stopped
    # A way leads to a pond, if not into it. So it does to what lies behind a locked door.
    ponds = set(regions).difference(np.bincount(canvas.region[canvas.open & ~closed]).nonzero()[0].tolist())
    parts = yield from _join_regions(site, closed & ~canvas.within(ponds), ponds)
    if closed.any() or not canvas.passable()[canvas.open].all():
        yield from _join_all(site, _shut_off, closed, None if ponds else parts)
    if regions:
        wall_up_blind_doors(canvas, canvas.drawn)


def _join_regions(
    site: _Site, closed: NDArray[np.bool_], ponds: Collection[int]
) -> Generator[Step, None, Parts]:
    """Give every tunneler's mouth its way, and every region of what was seeded one; return the parts there are then.

    Of a region among `ponds` a way need lead to one part only, and to none if nothing in it can be walked on.
    """
    canvas = site.canvas
    for mouth in site.mouths:
        if mouth.kind == "diggable" and is_open(canvas, *last_before(mouth)) and may_dig_in(canvas, mouth):
            dig_in(canvas, mouth)
    for mouth in site.mouths:
        lines = lines_of(canvas, mouth)  # none at a door that led nowhere, and has been walled up
        if mouth.kind != "tunneler" or not lines or any(is_open(canvas, *cell) for _, cell in lines):
            continue
        others = canvas.open & (canvas.region != mouth.region)
        if others.any():  # else no way can lead anywhere
            yield _join(site, _parts(site, closed), mouth.region, [mouth], closed)
    return (yield from _join_all(site, partial(_cut_off, ponds=ponds), closed, ponds=ponds))


def _join_all(
    site: _Site,
    find: Callable[[_Site, Parts], Lost | None],
    stopped: NDArray[np.bool_],
    parts: Parts | None = None,
    ponds: Collection[int] = (),
) -> Generator[Step, None, Parts]:
    """Join what is found to be lost, until nothing is; `parts`: those that there are, if that is known. Return those then."""
    canvas, before = site.canvas, None
    parts = parts or _parts(site, stopped)
    while (found := find(site, parts)) and found != before:
        region, lost = before = found
        leading_out = [mouth for mouth in site.mouths if not lost.isdisjoint(behind(canvas, mouth))]
        try:
            yield _join(site, parts, region, leading_out, stopped, lost)
        except GenerationError:
            here = canvas.within([region])
            if region not in ponds or canvas.passable()[here].any():
                raise
            stopped = stopped | here  # walls that stay all around: it is only looked at
        parts = _parts(site, stopped)
    if found:
        raise _no_way(canvas, found[0])
    return parts


# -- what is cut off ----------------------------------------------------------------------------


def _parts(site: _Site, stopped: NDArray[np.bool_]) -> Parts:
    """Return the parts of the map.

    The main one is that of which the layout made most: what it did not seed, in these regions.
    """
    canvas = site.canvas
    sealed = canvas.within(region.id for region in canvas.regions if region.sealed)
    labels, count = components(canvas.open & ~(sealed | stopped | _sea(canvas)), canvas.leaps)
    if count < 2:
        return labels, count
    dug = labels[~canvas.within(site.regions)]
    counts = np.bincount(dug if dug.any() else labels.ravel())
    counts[0] = 0
    return labels, int(counts.argmax())


def _cut_off(site: _Site, parts: Parts, ponds: Collection[int] = ()) -> Lost | None:
    """Return the first of the regions that is cut off: in part, or as a whole if it is one of `ponds`."""
    canvas, (labels, main) = site.canvas, parts
    lost = (labels > 0) & (labels != main)
    if not lost.any():
        return None
    for region in site.regions:
        here = canvas.regions[region - 1].bounds.slices
        own = canvas.region[here] == region
        if region in ponds and (labels[here][own] == main).any():
            continue
        cells = np.argwhere(lost[here] & own).tolist()
        if cells:
            return region, {Cell(y + here[0].start, x + here[1].start) for y, x in cells}
    return None


def _shut_off(site: _Site, parts: Parts) -> Lost | None:
    """Return the first room or cave that no walker gets into; or else the first cells with stairs, or any cells, that none gets to."""
    canvas, (labels, main) = site.canvas, parts
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


# -- ways ---------------------------------------------------------------------------------------


def _join(
    site: _Site,
    parts: Parts,
    region: int,
    mouths: Sequence[Mouth],
    stopped: NDArray[np.bool_],
    lost: Collection[Cell] = (),
) -> Step:
    """Dig the cheapest way from one of a prefab's mouths to the rest of the map.

    Args:
        site: The map.
        parts: Its parts.
        region: The prefab's region.
        mouths: Where the way may begin.
        stopped: (height, width) bool, the open cells that it may not lead through.
        lost: The cells of the prefab that it is to lead to, at which it may begin if no way leads from a mouth before them.

    Raises:
        GenerationError: There is no way.
    """
    canvas = site.canvas
    begin = [
        (last, first, mouth)
        for mouth in mouths
        if mouth.kind != "diggable" or may_dig_in(canvas, mouth)
        for last, first in lines_of(canvas, mouth)
        if not lost or last in lost or mouth.kind == "diggable"
    ]
    within = [(None, cell, None) for cell in sorted(lost)]
    for care in CARE:
        found = (begin and _find(site, parts, region, begin, care, stopped)) or (
            within and _find(site, parts, region, within, care, stopped)
        )
        if found:
            path, mouth = found
            if mouth is not None:
                dig_in(canvas, mouth)
            _dig(canvas, path)
            y, x = path[0]
            return Step(Phase.LAYOUT, f"a way to the prefab at y {y}, x {x}", canvas)
    raise _no_way(canvas, region)


def _no_way(canvas: Canvas, region: int) -> GenerationError:
    if not region:
        return GenerationError("no way can be dug to a door that leads into nothing")
    bounds = canvas.regions[region - 1].bounds
    return GenerationError(f"no way can be dug to the prefab at y {bounds.y}, x {bounds.x}")


def _find(
    site: _Site,
    parts: Parts,
    region: int,
    starts: Sequence[Start],
    care: Care,
    stopped: NDArray[np.bool_],
) -> tuple[list[Cell], Mouth | None] | None:
    """Return the cheapest way to the rest of the map, and the mouth that it begins at; None if there is no way.

    Args:
        site: The map.
        parts: Its parts.
        region: The prefab's region.
        starts: Where the way may begin.
        care: What is spared.
        stopped: The open cells that it may not lead through.
    """
    canvas, (labels, main) = site.canvas, parts
    cost, crossings = _costs(canvas, care)
    stopped = stopped | (canvas.base == t.LOCKED_DOOR)  # nothing may open it from outside
    cost[stopped] = 0
    goal = (labels == main) & ~stopped
    if starts[0][2] is not None:  # the way leads away from the prefab
        own = canvas.region == region
        cost[own] = 0
        goal &= ~own
    if (goal & ~site.locked).any():
        goal &= ~site.locked
    usable = [each for each in starts if cost[each[1]] or each[2] is None]
    begun = np.where(goal, 0, FAR)
    for _ in range(MOST_TRIES):
        if not usable:
            return None
        ends = np.zeros(goal.shape, np.bool_)
        ends[tuple(zip(*(cell for _, cell, _ in usable), strict=True))] = True
        distance = cheapest(cost, begun, [ends])
        reached = [(int(distance[cell]), number) for number, (_, cell, _) in enumerate(usable)]
        nearest, number = min(reached, default=(FAR, 0))
        if nearest == FAR:
            return None
        before, start, mouth = usable[number]
        path = cheapest_way(distance, start) if nearest else [start]
        if before is not None:
            path.insert(0, before)
        crooked = [
            cell for number, cell in enumerate(path) if crossings[cell] and not _is_straight(path, number)
        ]
        if not crooked or care != "rooms":
            return path, mouth
        for cell in crooked:
            cost[cell] = 0
        usable = [each for each in usable if cost[each[1]] or each[2] is None]
    return None


def _costs(canvas: Canvas, care: Care) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
    """Return what a step into each cell costs, 0 where none is possible, and the wall cells that may become doorways.

    Such a cell has a room on one side, and walls on both sides along the wall.
    """
    is_open, sea = canvas.open, _sea(canvas)
    cost = np.where(is_open & ~sea, 1, EARTH).astype(np.int32)
    left_alone = (canvas.used | canvas.drawn) & ~is_open
    cost[left_alone] = LAST_RESORT if care in ("doors", "nothing") else 0
    walls, crossings = _room_walls(canvas)
    crossings &= cost > 0
    if care == "rooms":
        cost[walls] = 0
    cost[walls & (cost == EARTH)] = BROKEN
    cost[crossings] = DOORWAY
    for door in canvas.connections:
        for cell in ((door.y - 1, door.x), (door.y + 1, door.x), (door.y, door.x - 1), (door.y, door.x + 1)):
            if not is_open[cell] or sea[cell]:
                cost[cell] = LAST_RESORT if care == "nothing" else 0
    cost[canvas.base == t.BLOCKED] = 0
    cost[[0, -1]] = 0
    cost[:, [0, -1]] = 0
    return cost, crossings


def _room_walls(canvas: Canvas) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return (height, width) bool each: the walls of rooms, and those of them that may become doorways."""
    room = framed(canvas.within(region.id for region in canvas.regions if region.kind == "room"))
    opened = framed(canvas.open)
    down = room[:-2, 1:-1] | room[2:, 1:-1]
    across = room[1:-1, :-2] | room[1:-1, 2:]
    flanked = ~(opened[1:-1, :-2] | opened[1:-1, 2:]) & down & ~across
    flanked |= ~(opened[:-2, 1:-1] | opened[2:, 1:-1]) & across & ~down
    corners = room[:-2, :-2] | room[:-2, 2:] | room[2:, :-2] | room[2:, 2:]
    walls = (down | across | corners) & ~opened[1:-1, 1:-1]
    return walls, walls & flanked


def _sea(canvas: Canvas) -> NDArray[np.bool_]:
    """Return (height, width) bool: what a layout has laid between its parts, on which nobody walks, and over which ways lead."""
    sea: NDArray[np.bool_] = canvas.open & ~canvas.passable() & (canvas.region == 0) & ~canvas.drawn
    return sea


def _is_straight(path: Sequence[Cell], number: int) -> bool:
    """Tell whether a way goes straight through one of its cells, and touches neither cell beside it."""
    if not 0 < number < len(path) - 1:
        return False
    before, here, after = path[number - 1 : number + 2]
    beside = {(here.y, here.x - 1), (here.y, here.x + 1)}
    if before.y == here.y:
        beside = {(here.y - 1, here.x), (here.y + 1, here.x)}
    return (before.y + after.y, before.x + after.x) == (2 * here.y, 2 * here.x) and beside.isdisjoint(path)


def _dig(canvas: Canvas, path: Sequence[Cell]) -> None:
    """Dig a way: a corridor through earth or over a sea, doorways into rooms; a room broken open elsewhere is one no longer."""
    _, crossings = _room_walls(canvas)
    closed = ~canvas.open | _sea(canvas)
    solid = [cell for cell in path if closed[cell]]
    doorways = [at for at, cell in enumerate(path) if crossings[cell] and _is_straight(path, at)]
    plain = [cell for at, cell in enumerate(path) if cell in solid and at not in doorways]
    if plain:
        top, left = min(cell.y for cell in plain), min(cell.x for cell in plain)
        bottom, right = max(cell.y for cell in plain), max(cell.x for cell in plain)
        number = canvas.add_region("corridor", Rect(top, left, bottom - top + 1, right - left + 1))
        for y, x in plain:
            canvas.carve(Rect(y, x, 1, 1), t.CORRIDOR, number)
            for row in canvas.region[y - 1 : y + 2, x - 1 : x + 2].tolist():
                for beside in row:
                    canvas.unroom(beside)
        _unhinge(canvas, plain, number)
    for at in doorways:
        between = int(canvas.region[path[at - 1]]), int(canvas.region[path[at + 1]])
        canvas.add_door(*path[at], between, t.DOORWAY)
    if solid:
        area, dug = Rect.around(solid).grown(), np.zeros(closed.shape, np.bool_)
        dug[tuple(zip(*solid, strict=True))] = True
        canvas.build_walls(area, among=touching(dug[area.slices]))


def _unhinge(canvas: Canvas, dug: Sequence[Cell], corridor: int) -> None:
    """Make doors beside which a corridor has been dug part of that: one would walk around them."""
    beside = {(y + dy, x + dx) for y, x in dug for dy, dx in SIDES}
    gone = [door for door in canvas.connections if (door.y, door.x) in beside]
    canvas.remove_doors((door.y, door.x) for door in gone)
    for door in gone:
        cell = Rect(door.y, door.x, 1, 1)
        canvas.carve(cell, t.CORRIDOR, corridor)
        canvas.widen_bounds(corridor, cell)
        for region in door.between:
            canvas.unroom(region)
