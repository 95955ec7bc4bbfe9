"""Joins prefabs that were on a map before its layout to the rest of the map, in the same manner for every layout.

A mouth is where a way may leave such a prefab: a link that is drawn as a tunneler's start or as a connector, or an edge that may be
dug. A layout may begin its corridors at `LayoutJob.mouths`, or know nothing of them. What it leaves undone is done here:

- Each tunneler's mouth that leads nowhere gets a way, as wide as the mouth where there is space.
- Each part of the map that is cut off gets one way, from the mouth where it is cheapest.
- A prefab gets an opening on each side, at most one, where open cells lie within `CLOSE` cells beyond a mouth.

Ways go through free earth and keep out of areas in which nothing may be dug. They enter rooms through doorways: a room with a hole in
its wall would be a zone, in which encounters are not placed. No way leads to a locked door, as its key may lie behind it. Over
a sea between parts of the map ways are causeways. Where an object in a prefab will stop walkers for good, the cells behind it get a
way of their own.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from functools import partial, reduce
from operator import or_
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from dungeon import terrain as t
from dungeon.core.errors import GenerationError
from dungeon.generation.layouts.doorways import (
    behind,
    dig_in,
    is_open,
    last_before,
    lines_of,
    may_dig_in,
    wall_up_blind_doors,
)
from dungeon.generation.openings.openings import SIDES
from dungeon.grid.bits import shifted, without
from dungeon.grid.rect import Cell, Rect
from dungeon.grid.regions import components, touching
from dungeon.grid.ways import find_way
from dungeon.level.steps import Phase, Step

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from dungeon.grid.bits import Board
    from dungeon.level.canvas import Canvas, Mouth

OPEN = 1
EARTH = 5
"""How much dearer a step through earth is than one over open cells: short digs win over long ones."""

DOORWAY = 40
"""Likewise, one through the wall of a room."""

BESIDE = 100
"""Likewise, one through earth right beside what somebody else has drawn or reserved: ways keep a little apart."""

BROKEN = 200
"""Likewise, one through the wall of a room where no doorway can be."""

LAST_RESORT = 1000
"""Likewise, one through what should be left alone: another prefab's walls, or an area in which nothing is to be dug."""

MOST_TRIES = 60
"""How many ways are looked for that break into rooms properly."""

Care = Literal["rooms", "what is left alone", "doors", "nothing"]

CARE: tuple[Care, ...] = ("rooms", "what is left alone", "doors", "nothing")
"""What is spared by a way: rooms are, if it can be, then at least what nobody should dig through, then the walls beside doors."""

WAYS = ("corridor", "junction", "hall")
"""Kinds of regions that lead somewhere: a mouth before which there is nothing else leads nowhere."""

CLOSE = 4
"""How many cells of earth a prefab is opened through to what lies close beyond a mouth, at most."""

Lost = tuple[int, set[Cell]]
"""A region, and its cells that are no part of the main part of the map."""


class MapParts(NamedTuple):
    """The parts of a map.

    Attributes:
        labels: (height, width) the part that each open cell belongs to, 0 for closed, sealed and stopped ones.
        main: The main part.
        stopped: (height, width) bool, the open cells that no way need lead to, nor may lead through.
    """

    labels: NDArray[np.int32]
    main: int
    stopped: NDArray[np.bool_]


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

    @property
    def walls(self) -> int:
        """The closed cells through which a way would open what was seeded where that has no mouth."""
        canvas, board = self.canvas, self.canvas.board
        with_mouths = {mouth.region for mouth in self.mouths}
        opened = board.from_array(canvas.open)
        seeded = (
            board.from_array(canvas.within(each for each in self.regions if each in with_mouths)) & opened
        )
        fronts = (first for mouth in self.mouths for _, first in lines_of(canvas, mouth))
        inside = (cell for cell in fronts if canvas.inside(Rect(*cell, 1, 1)))
        return without(board.beside(seeded), opened | board.from_cells(inside))


Start = tuple[Cell | None, Cell, "Mouth | None"]
"""Where a way may begin: the prefab's cell before a mouth, the first cell of the way, and the mouth."""


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
        stopped: (height, width) bool, the open cells on which an object will stop walkers for good: ways need not lead to them, and
            never lead through them. By default none.
        locked: (height, width) bool, the open cells of prefabs that the layout itself has drawn to which only locked doors lead. A
            way ends at such a cell only if it can end at no other. By default none.

    Yields:
        A step after every way that is dug.

    Raises:
        GenerationError: No way can be dug to a prefab, or to a part of the map behind one.
    """
    site = _Site(canvas, mouths, regions, np.zeros_like(canvas.drawn) if locked is None else locked)
    closed = canvas.open & ~canvas.passable() & ~_sea(canvas)
    if stopped is not None:
        closed |= stopped
    # A way leads to a pond, if not into it. So it does to what lies behind a locked door.
    ponds = set(regions).difference(np.bincount(canvas.region[canvas.open & ~closed]).nonzero()[0].tolist())
    parts = yield from _join_regions(site, closed & ~canvas.within(ponds), ponds)
    parts = yield from _join_all(site, _shut_off, _parts(site, closed) if ponds else parts)
    if regions:
        yield from _open_to_near(site, parts)
        wall_up_blind_doors(canvas, canvas.drawn)


def _join_regions(
    site: _Site, closed: NDArray[np.bool_], ponds: Collection[int]
) -> Generator[Step, None, MapParts]:
    """Give every tunneler's mouth its way, and every region of what was seeded one; return the parts there are then.

    Of a region among `ponds` a way need lead to one part only, and to none if nothing in it can be walked on.
    """
    canvas = site.canvas
    for mouth in site.mouths:
        if mouth.kind == "diggable" and is_open(canvas, *last_before(mouth)) and may_dig_in(canvas, mouth):
            dig_in(canvas, mouth)
    known: dict[int, MapParts] = {}
    for mouth in site.mouths:
        # There is no line at a door that led nowhere, and has been walled up.
        fronts = [cell for _, cell in lines_of(canvas, mouth) if canvas.inside(Rect(*cell, 1, 1))]
        if mouth.kind == "tunneler" and fronts:
            step = _lead_out(site, mouth, fronts, closed, known)
            if step is not None:
                known.clear()
                yield step
    return (yield from _join_all(site, partial(_cut_off, ponds=ponds), _parts(site, closed), ponds))


def _lead_out(
    site: _Site, mouth: Mouth, fronts: Sequence[Cell], closed: NDArray[np.bool_], known: dict[int, MapParts]
) -> Step | None:
    """Dig the way of a tunneler's mouth; do nothing if the cells in front of it are open and lead to more than the prefab itself.

    Args:
        site: The map.
        mouth: The mouth.
        fronts: The cells just outside of the mouth.
        closed: (height, width) bool, the open cells that no way may lead through.
        known: Region id -> the parts of the map without that region. Results are added; the caller empties it when a way is dug.

    Returns:
        The step; None if nothing was dug.

    Raises:
        GenerationError: The cells in front of the mouth are solid, and no way can be dug from them.
    """
    canvas, region = site.canvas, mouth.region
    if region not in known:
        known[region] = _parts(site, closed | canvas.within([region]))
    parts = known[region]
    begun = [int(parts.labels[cell]) for cell in fronts if is_open(canvas, *cell)]
    if not parts.main:
        return None
    if begun:
        ends = canvas.within(each.id for each in canvas.regions if each.kind not in WAYS)
        if not {parts.main, 0, *parts.labels[ends].tolist()}.isdisjoint(begun):
            return None
    with suppress(*([GenerationError] if begun else [])):
        return _join(site, parts._replace(stopped=closed), region, [mouth])
    return None


def _join_all(
    site: _Site, find: Callable[[_Site, MapParts], Lost | None], parts: MapParts, ponds: Collection[int] = ()
) -> Generator[Step, None, MapParts]:
    """Join what is found to be lost, until nothing is; return the parts that there are then."""
    canvas, before = site.canvas, None
    while (found := find(site, parts)) and found != before:
        region, lost = before = found
        leading_out = [mouth for mouth in site.mouths if not lost.isdisjoint(behind(canvas, mouth))]
        stopped = parts.stopped
        try:
            yield _join(site, parts, region, leading_out, lost)
        except GenerationError:
            here = canvas.within([region])
            if region not in ponds or canvas.passable()[here].any():
                raise
            stopped = stopped | here  # walls that stay all around: it is only looked at
        parts = _parts(site, stopped)
    if found:
        raise _no_way(canvas, found[0])
    return parts


def _open_to_near(site: _Site, parts: MapParts) -> Iterator[Step]:
    """Open prefabs to cells of the main part within `CLOSE` cells beyond a mouth, once a side at most; yield a step for each opening."""
    canvas = site.canvas
    opened = {
        (mouth.region, mouth.dy, mouth.dx)
        for mouth in site.mouths
        if any(is_open(canvas, *first) and is_open(canvas, *last) for last, first in lines_of(canvas, mouth))
    }
    ground: Diggable | None = None
    for mouth in site.mouths:
        side = mouth.region, mouth.dy, mouth.dx
        if side in opened or not canvas.inside(Rect(mouth.y, mouth.x, 1, 1)):
            continue
        near = Rect(mouth.y, mouth.x, 1, 1).grown(CLOSE + 1).clipped(canvas.height, canvas.width)
        around = (parts.labels[near.slices] == parts.main) & (canvas.region[near.slices] != mouth.region)
        inner = behind(canvas, mouth)
        if not around.any() or not any(parts.labels[cell] == parts.main for cell in inner):
            continue
        if mouth.kind == "diggable" and not may_dig_in(canvas, mouth):
            continue
        ground = ground or _ground(site, parts, "rooms")
        board = canvas.board
        own = board.from_array(canvas.region == mouth.region)
        found = _narrow(ground.but(own | board.full & ~board.block(*near)), _starts(canvas, [mouth]), "rooms")
        if found and sum(not is_open(canvas, *cell) for cell in found[0]) <= CLOSE + 1:
            opened.add(side)
            yield _dig_from(canvas, *found)
            parts, ground = _parts(site, parts.stopped), None


# -- what is cut off ----------------------------------------------------------------------------


def _parts(site: _Site, stopped: NDArray[np.bool_]) -> MapParts:
    """Return the parts of the map.

    The main one is that of which the layout made most: what it did not seed, in these regions.
    """
    canvas = site.canvas
    sealed = canvas.within(region.id for region in canvas.regions if region.sealed)
    labels, count = components(canvas.open & ~(sealed | stopped | _sea(canvas)), canvas.leaps)
    if count < 2:
        return MapParts(labels, count, stopped)
    dug = labels[~canvas.within(site.regions)]
    counts = np.bincount(dug if dug.any() else labels.ravel())
    counts[0] = 0
    return MapParts(labels, int(counts.argmax()), stopped)


def _cut_off(site: _Site, parts: MapParts, ponds: Collection[int] = ()) -> Lost | None:
    """Return the first of the regions that is cut off: in part, or as a whole if it is one of `ponds`."""
    canvas, (labels, main, _) = site.canvas, parts
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


def _shut_off(site: _Site, parts: MapParts) -> Lost | None:
    """Return the first room or cave that no walker gets into; or else the first cells with stairs, or any cells, that none gets to."""
    canvas, (labels, main, _) = site.canvas, parts
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


class Diggable(NamedTuple):
    """Where a way may lead: masks of the map.

    Attributes:
        board: How masks are laid out.
        costs: What a step into a cell costs -> the cells.
        crossings: The wall cells that may become doorways.
        goal: Where it may end.
    """

    board: Board
    costs: dict[int, int]
    crossings: int
    goal: int

    def but(self, cells: int) -> Diggable:
        """Return the ground without some cells."""
        costs = {cost: without(each, cells) for cost, each in self.costs.items()}
        return self._replace(costs=costs, goal=without(self.goal, cells))

    def has_crossing(self, cell: Cell) -> bool:
        """Tell whether a cell is a wall that may become a doorway."""
        return bool(self.crossings >> cell.y * self.board.stride + cell.x & 1)

    def has(self, cell: Cell, *costs: int) -> bool:
        """Tell whether a step into a cell is possible, and costs one of these, if any are given."""
        place = cell.y * self.board.stride + cell.x
        return any(self.costs[cost] >> place & 1 for cost in costs or self.costs)


def _join(
    site: _Site, parts: MapParts, region: int, mouths: Sequence[Mouth], lost: Collection[Cell] = ()
) -> Step:
    """Dig the cheapest way from one of a prefab's mouths to the rest of the map.

    Args:
        site: The map.
        parts: Its parts.
        region: The prefab's region.
        mouths: Where the way may begin.
        lost: The cells of the prefab that it is to lead to, at which it may begin if no way leads from a mouth before them.

    Raises:
        GenerationError: There is no way.
    """
    canvas = site.canvas
    usable = [mouth for mouth in mouths if mouth.kind != "diggable" or may_dig_in(canvas, mouth)]
    begin = [
        each
        for each in _starts(canvas, usable)
        if not lost or each[0] in lost or each[2] is None or each[2].kind == "diggable"
    ]
    within: list[Start] = [(None, cell, None) for cell in sorted(lost)]
    for care in CARE:
        ground = _ground(site, parts, care)
        away = ground.but(canvas.board.from_array(canvas.region == region))
        for mouth in usable if care == "rooms" else ():
            if mouth.width > 1 and (path := _wide(away, canvas, mouth)):
                return _dig_from(canvas, path, mouth)
        if begin and (found := _narrow(away, begin, care)):
            path, begun = found
            beside = [first for _, first in lines_of(canvas, begun)] if begun is not None else []
            path += [cell for cell in beside if cell not in path and away.has(cell, EARTH, BESIDE)]
            return _dig_from(canvas, path, begun)
        if within and (found := _narrow(ground, within, care)):
            return _dig_from(canvas, *found)
    raise _no_way(canvas, region)


def _starts(canvas: Canvas, mouths: Iterable[Mouth]) -> list[Start]:
    """Return where ways from some mouths may begin."""
    return [(last, first, mouth) for mouth in mouths for last, first in lines_of(canvas, mouth)]


def _no_way(canvas: Canvas, region: int) -> GenerationError:
    if not region:
        return GenerationError("no way can be dug to a door that leads into nothing")
    bounds = canvas.regions[region - 1].bounds
    return GenerationError(f"no way can be dug to the prefab at y {bounds.y}, x {bounds.x}")


def _ground(site: _Site, parts: MapParts, care: Care) -> Diggable:
    """Return the ground for ways to the main part of the map."""
    canvas, board, bits = site.canvas, site.canvas.board, site.canvas.board.from_array
    sea = bits(_sea(canvas))
    opened = without(bits(canvas.open), sea)
    drawn, crossings = bits(canvas.drawn), _crossings(canvas)
    left_alone = without(bits(canvas.used) | drawn, opened | sea)
    costs = dict.fromkeys((OPEN, EARTH, DOORWAY, BESIDE, BROKEN, LAST_RESORT), 0)
    costs |= {OPEN: opened, EARTH: without(board.block(1, 1, board.height - 2, board.width - 2), opened)}

    def put(cells: int, cost: int) -> None:
        """Let some cells, of those that may be dug, cost that much; none may be at a cost of 0."""
        cells &= reduce(or_, costs.values())
        for each in costs:
            costs[each] = without(costs[each], cells)
        if cost:
            costs[cost] |= cells

    spares_rooms, digs_all = care == "rooms", care == "nothing"
    put(costs[EARTH] & board.around(left_alone | drawn), BESIDE)
    put(left_alone, LAST_RESORT if care in ("doors", "nothing") else 0)
    put(
        board.around(_rooms(canvas)) & (costs[EARTH] | costs[BESIDE]) & ~crossings,
        0 if spares_rooms else BROKEN,
    )
    put(crossings, DOORWAY)
    put(site.walls, 0 if spares_rooms else LAST_RESORT)
    beside_doors = board.beside(board.from_cells((door.y, door.x) for door in canvas.connections))
    put(without(beside_doors, opened), LAST_RESORT if digs_all else 0)
    stopped = bits(
        parts.stopped | (canvas.base == t.LOCKED_DOOR)
    )  # nothing may open a locked door from outside
    put(stopped | bits(canvas.base == t.BLOCKED), 0)
    goal = without(bits(parts.labels == parts.main), stopped)
    return Diggable(board, costs, crossings, without(goal, bits(site.locked)) or goal)


def _narrow(ground: Diggable, starts: Sequence[Start], care: Care) -> tuple[list[Cell], Mouth | None] | None:
    """Return the cheapest way, one cell wide, from one of the starts to the goal of the ground.

    If `care` is "rooms", a way never bends in the wall of a room, nor crosses two walls in a row, between which there is no space for a
    corridor. Where the cheapest way does, these cells are closed and the search begins again, up to `MOST_TRIES` times.

    Returns:
        The way and the mouth that it begins at, None for a way that begins within a prefab; or None if there is no way.
    """
    board = ground.board
    begun = {cell: (before, mouth) for before, cell, mouth in reversed(starts)}
    for _ in range(MOST_TRIES):
        path = find_way(board, ground.costs, board.from_cells(begun), ground.goal)
        if not path:
            return None
        before, mouth = begun[path[0]]
        if before is not None:
            path.insert(0, before)
        crooked = [
            cell
            for number, cell in enumerate(path)
            if ground.has_crossing(cell)
            and not (_is_straight(path, number) and not ground.has_crossing(path[number - 1]))
        ]
        if not crooked or care != "rooms":
            return path, mouth
        ground = ground.but(board.from_cells(crooked))
    return None


def _wide(ground: Diggable, canvas: Canvas, mouth: Mouth) -> list[Cell]:
    """Return the cells of a way as wide as its mouth through mere earth; none if there is no such way."""
    across = mouth.width - 1
    corner = Cell(mouth.y - across * (mouth.dy < 0), mouth.x - across * (mouth.dx < 0))
    if not canvas.inside(Rect(*corner, mouth.width, mouth.width)):
        return []
    board, earth = ground.board, {cost: ground.costs[cost] for cost in (OPEN, EARTH, BESIDE)}
    return find_way(board, earth, board.from_cells([corner]), ground.goal, width=mouth.width)


def _dig_from(canvas: Canvas, path: Sequence[Cell], mouth: Mouth | None) -> Step:
    """Dig a way that begins at a mouth, or within a prefab."""
    if mouth is not None:
        dig_in(canvas, mouth)
    _dig(canvas, path)
    y, x = path[0]
    return Step(Phase.LAYOUT, f"a way to the prefab at y {y}, x {x}", canvas)


def _rooms(canvas: Canvas) -> int:
    """Return the mask of the cells of rooms."""
    return canvas.board.from_array(canvas.within(each.id for each in canvas.regions if each.kind == "room"))


def _crossings(canvas: Canvas) -> int:
    """Return the wall cells that may become doorways: with a room on one side, and walls on both sides along the wall."""
    rooms, opened = _rooms(canvas), canvas.board.from_array(canvas.open)
    (down, beside_down), (across, beside_across) = (
        (shifted(rooms, by) | shifted(rooms, -by), shifted(opened, by) | shifted(opened, -by))
        for by in (canvas.board.stride, 1)
    )
    walls = without(down, across | beside_across) | without(across, down | beside_down)
    return without(walls & canvas.board.full, opened)


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
    board = canvas.board
    crossings, closed = _crossings(canvas), ~canvas.open | _sea(canvas)
    solid = {cell for cell in path if closed[cell]}
    doorways: list[int] = []
    for at, (y, x) in enumerate(path):
        if crossings >> y * board.stride + x & 1 and _is_straight(path, at) and at - 1 not in doorways:
            doorways.append(at)
    plain = [cell for at, cell in enumerate(path) if cell in solid and at not in doorways]
    if plain:
        number = canvas.add_region("corridor", Rect.around(plain))
        canvas.carve_cells(plain, t.CORRIDOR, number)
        regions = canvas.region[Rect.around(plain).grown().clipped(canvas.height, canvas.width).slices]
        for region in np.unique(regions[touching(regions == number)]).tolist():
            canvas.unroom(region)
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
