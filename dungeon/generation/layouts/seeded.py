"""Joins prefabs that were put on a map before its layout (seeded) to the rest of the map, in the same way for every layout.

A mouth is a place where a way may leave such a prefab: a drawn tunneler start or connector, or an edge that may be
dug. A layout may begin its corridors at `LayoutJob.mouths`, or ignore them. Afterwards this module does the rest:

- Each tunneler mouth that leads nowhere gets a way, as wide as the mouth where there is space.
- Each part of the map that is cut off gets one way, from the mouth where it is cheapest.
- A prefab gets at most one opening on each side where open cells lie within `CLOSE` cells beyond a mouth.

    #####                 room
    #..o'....             o  the mouth's line in the prefab, '  its opening
    #####   ,   #####     ,  the way: dug through earth by the cheapest path (Dijkstra)
            ,,,,'...#     '  a doorway in the straight part of a room's wall

Ways enter rooms through doorways, because a room with a hole in its wall becomes a zone, where no encounters are
placed. They avoid cells that are reserved. No way leads to a locked door, as its key may lie behind it. Ways over
water between the parts of a map are causeways. Where an object of a prefab blocks walkers for good, the cells behind
it get a way of their own.
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
    cell_before,
    cells_behind,
    dig_in,
    is_open,
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

# What a step of a way costs, by the cell that it enters. Only the ratios matter.

OPEN = 1
"""A step over an open cell."""

EARTH = 5
"""A step through earth: five times an open cell, so that short digs win over long ones."""

DOORWAY = 40
"""A step through the wall of a room, where it becomes a doorway: as much as eight cells of earth."""

BESIDE = 100
"""A step through earth right beside a drawn or reserved cell, so that ways keep a cell away from it if they can."""

BROKEN = 200
"""A step through the wall of a room where no doorway can be."""

LAST_RESORT = 1000
"""A step through cells that should stay: another prefab's walls, or reserved cells. Only taken if there is no other way."""

MOST_TRIES = 60
"""Largest number of searches for a way that enters rooms through proper doorways."""

Care = Literal["rooms", "reserved", "doors", "nothing"]

CARE: tuple[Care, ...] = ("rooms", "reserved", "doors", "nothing")
"""What a way must not damage, in the order of the searches: each search allows what the next word no longer names.

"rooms": no room is broken open. "reserved": rooms may be, reserved cells and drawings not. "doors": those may be,
too, but not the walls beside doors. "nothing": everything may be dug.
"""

WAYS = ("corridor", "junction", "hall")
"""Kinds of regions that only lead on: a mouth in front of which there is nothing else leads nowhere."""

CLOSE = 4
"""A prefab is opened to cells behind at most this many cells of earth."""

CutOff = tuple[int, set[Cell]]
"""A region, and those of its cells that are not connected to the main part of the map."""


class MapParts(NamedTuple):
    """The parts of a map, by connected components of its open cells.

    Attributes:
        labels: (height, width), the number of each open cell's part; 0 for closed, sealed and stopped cells.
        main: The number of the main part.
        stopped: (height, width) bool, open cells that ways need not lead to and must not lead through.
    """

    labels: NDArray[np.int32]
    main: int
    stopped: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class _SeededMap:
    """A map on which prefabs were seeded, with its layout.

    Attributes:
        canvas: The map.
        mouths: The mouths of the seeded prefabs.
        regions: The ids of the regions of the seeded prefabs.
        locked: (height, width) bool, open cells of the layout's own prefabs that only locked doors lead to.
    """

    canvas: Canvas
    mouths: Sequence[Mouth]
    regions: Sequence[int]
    locked: NDArray[np.bool_]

    @property
    def walls(self) -> int:
        """The closed cells beside a seeded prefab that are in front of none of its mouths: digging there would break it open."""
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
"""A possible beginning of a way: (the prefab's cell before a mouth, the first cell of the way, the mouth).

Cell and mouth are None for a way that begins inside of a prefab.
"""


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
            them, and never lead through them. None for no such cell.
        locked: (height, width) bool, open cells, of prefabs that the layout has drawn itself, that only locked doors
            lead to. A way ends at such a cell only if it can end at no other. None for no such cell.

    Yields:
        A step after every way that is dug.

    Raises:
        GenerationError: No way can be dug to a prefab, or to a part of the map behind one.
    """
    site = _SeededMap(canvas, mouths, regions, np.zeros_like(canvas.drawn) if locked is None else locked)
    closed = canvas.open & ~canvas.passable() & ~_sea(canvas)
    if stopped is not None:
        closed |= stopped
    # A pond: a seeded region without an open cell that walkers reach, such as water, or cells behind a locked door. A way
    # leads up to it, though not into it.
    ponds = set(regions).difference(np.bincount(canvas.region[canvas.open & ~closed]).nonzero()[0].tolist())
    parts = yield from _join_regions(site, closed & ~canvas.within(ponds), ponds)
    parts = yield from _join_all(site, _shut_off, _parts(site, closed) if ponds else parts)
    if regions:
        yield from _open_to_near(site, parts)
        wall_up_blind_doors(canvas, canvas.drawn)


def _join_regions(
    site: _SeededMap, closed: NDArray[np.bool_], ponds: Collection[int]
) -> Generator[Step, None, MapParts]:
    """Dig a way for every tunneler mouth, and one for every region of a seeded prefab that is cut off.

    Yield a step for each way, and return the connected parts of the map after that.

    A region in `ponds` needs a way to one of its parts only, and no way if none of its cells can be walked on.
    """
    canvas = site.canvas
    for mouth in site.mouths:
        if mouth.kind == "diggable" and is_open(canvas, *cell_before(mouth)) and may_dig_in(canvas, mouth):
            dig_in(canvas, mouth)
    known: dict[int, MapParts] = {}
    for mouth in site.mouths:
        # `lines_of` returns nothing for a mouth at a blind door that has been walled up.
        fronts = [cell for _, cell in lines_of(canvas, mouth) if canvas.inside(Rect(*cell, 1, 1))]
        if mouth.kind == "tunneler" and fronts:
            step = _lead_out(site, mouth, fronts, closed, known)
            if step is not None:
                known.clear()
                yield step
    return (yield from _join_all(site, partial(_cut_off, ponds=ponds), _parts(site, closed), ponds))


def _lead_out(
    site: _SeededMap,
    mouth: Mouth,
    fronts: Sequence[Cell],
    closed: NDArray[np.bool_],
    known: dict[int, MapParts],
) -> Step | None:
    """Dig a way from a tunneler mouth of a prefab, unless cells in front of the mouth are open already and lead on.

    Args:
        site: The map.
        mouth: The mouth.
        fronts: The cells just outside of the mouth.
        closed: (height, width) bool, open cells that no way may lead through.
        known: A cache: region id -> the parts of the map without that region. The caller clears it when a way is dug.

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
    site: _SeededMap,
    find: Callable[[_SeededMap, MapParts], CutOff | None],
    parts: MapParts,
    ponds: Collection[int] = (),
) -> Generator[Step, None, MapParts]:
    """Dig ways to cut-off cells, as long as `find` returns any; return the parts of the map then.

    Args:
        site: The map.
        find: Returns the next cut-off cells, None when all are joined.
        parts: The parts of the map so far.
        ponds: The regions without walkable cells that a way need not lead to if none can be dug.
    """
    canvas, before = site.canvas, None
    while (found := find(site, parts)) and found != before:
        region, lost = before = found
        leading_out = [mouth for mouth in site.mouths if not lost.isdisjoint(cells_behind(canvas, mouth))]
        stopped = parts.stopped
        try:
            yield _join(site, parts, region, leading_out, lost)
        except GenerationError:
            here = canvas.within([region])
            if region not in ponds or canvas.passable()[here].any():
                raise
            stopped = stopped | here  # solid walls all around it, so players only see it
        parts = _parts(site, stopped)
    if found:
        raise _no_way(canvas, found[0])
    return parts


def _open_to_near(site: _SeededMap, parts: MapParts) -> Iterator[Step]:
    """Open seeded prefabs to the main part of the map where it comes within `CLOSE` cells of a mouth; yield a step for each.

    A prefab gets at most one such opening on each side.
    """
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
        inner = cells_behind(canvas, mouth)
        if not around.any() or not any(parts.labels[cell] == parts.main for cell in inner):
            continue
        if mouth.kind == "diggable" and not may_dig_in(canvas, mouth):
            continue
        ground = ground or _ground(site, parts, "rooms")
        board = canvas.board
        own = board.from_array(canvas.region == mouth.region)
        found = _narrow(
            ground.without_cells(own | board.full & ~board.block(*near)), _starts(canvas, [mouth]), "rooms"
        )
        if found and sum(not is_open(canvas, *cell) for cell in found[0]) <= CLOSE + 1:
            opened.add(side)
            yield _dig_from(canvas, *found)
            parts, ground = _parts(site, parts.stopped), None


# -- parts of the map ---------------------------------------------------------------------------


def _parts(site: _SeededMap, stopped: NDArray[np.bool_]) -> MapParts:
    """Return the connected components of the map's open cells.

    The main part is the one with the most cells of the layout's own, those outside of `site.regions`.
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


def _cut_off(site: _SeededMap, parts: MapParts, ponds: Collection[int] = ()) -> CutOff | None:
    """Return the first region of a seeded prefab with cells that are cut off from the main part of the map; None without one.

    A region in `ponds` is returned only if none of its cells is in the main part.
    """
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


def _shut_off(site: _SeededMap, parts: MapParts) -> CutOff | None:
    """Return the next cells that are cut off from the main part of the map; None if there are none.

    Rooms and caves without access come first, then parts with stairs, then any others.
    """
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
    """The cells where a way may lead, as masks of the map, with the cost of each.

    Attributes:
        board: The layout of the masks.
        costs: Cost of a step -> the cells that a step into costs this much.
        crossings: The wall cells that may become doorways.
        goal: The cells where a way may end.
    """

    board: Board
    costs: dict[int, int]
    crossings: int
    goal: int

    def without_cells(self, cells: int) -> Diggable:
        """Return a copy without the cells of a mask."""
        costs = {cost: without(each, cells) for cost, each in self.costs.items()}
        return self._replace(costs=costs, goal=without(self.goal, cells))

    def has_crossing(self, cell: Cell) -> bool:
        """Tell whether a cell is a wall that may become a doorway."""
        return bool(self.crossings >> cell.y * self.board.stride + cell.x & 1)

    def has(self, cell: Cell, *costs: int) -> bool:
        """Tell whether a way may step into a cell at one of these costs; at any cost if none is given.

        Args:
            cell: The cell.
            *costs: Costs of a step.
        """
        place = cell.y * self.board.stride + cell.x
        return any(self.costs[cost] >> place & 1 for cost in costs or self.costs)


def _join(
    site: _SeededMap, parts: MapParts, region: int, mouths: Sequence[Mouth], lost: Collection[Cell] = ()
) -> Step:
    """Dig the cheapest way from one of a prefab's mouths to the main part of the map.

    Args:
        site: The map.
        parts: Its parts.
        region: The id of the prefab's region.
        mouths: The mouths where the way may begin.
        lost: The cut-off cells of the prefab that need the way. It may begin at them if it can begin at no mouth
            beside them.

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
        away = ground.without_cells(canvas.board.from_array(canvas.region == region))
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
    """Return every cell of these mouths (places where a way may leave a prefab) as a possible beginning of a way."""
    return [(last, first, mouth) for mouth in mouths for last, first in lines_of(canvas, mouth)]


def _no_way(canvas: Canvas, region: int) -> GenerationError:
    """Return the error that no way can be dug to a region (0: to open cells without a region)."""
    if not region:
        return GenerationError("no way can be dug to a door that leads into nothing")
    bounds = canvas.regions[region - 1].bounds
    return GenerationError(f"no way can be dug to the prefab at y {bounds.y}, x {bounds.x}")


def _ground(site: _SeededMap, parts: MapParts, care: Care) -> Diggable:
    """Return the cells where a way to the main part of the map may lead, with the cost of each.

    Args:
        site: The map.
        parts: Its parts.
        care: What the way must not damage, a word of `CARE`.
    """
    canvas, board, bits = site.canvas, site.canvas.board, site.canvas.board.from_array
    sea = bits(_sea(canvas))
    opened = without(bits(canvas.open), sea)
    drawn, crossings = bits(canvas.drawn), _crossings(canvas)
    left_alone = without(bits(canvas.used) | drawn, opened | sea)
    costs = dict.fromkeys((OPEN, EARTH, DOORWAY, BESIDE, BROKEN, LAST_RESORT), 0)
    costs |= {OPEN: opened, EARTH: without(board.block(1, 1, board.height - 2, board.width - 2), opened)}

    def put(cells: int, cost: int) -> None:
        """Give these cells a new cost, if they may be dug at all; a cost of 0 forbids them."""
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
    # No way may lead through a locked door: its key could lie behind it.
    stopped = bits(parts.stopped | (canvas.base == t.LOCKED_DOOR))
    put(stopped | bits(canvas.base == t.BLOCKED), 0)
    goal = without(bits(parts.labels == parts.main), stopped)
    return Diggable(board, costs, crossings, without(goal, bits(site.locked)) or goal)


def _narrow(ground: Diggable, starts: Sequence[Start], care: Care) -> tuple[list[Cell], Mouth | None] | None:
    """Return the cheapest way, one cell wide, from one of the starts to the goal, and its mouth; None if there is no way.

    With care "rooms", a way never bends inside the wall of a room, nor crosses two walls in a row (there is no space
    for a corridor between). If the cheapest way does, these cells are forbidden and the search begins again, up to
    `MOST_TRIES` times.

    Returns:
        (way, mouth); the mouth is None for a way that begins inside of a prefab.
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
        ground = ground.without_cells(board.from_cells(crooked))
    return None


def _wide(ground: Diggable, canvas: Canvas, mouth: Mouth) -> list[Cell]:
    """Return the cells of a way as wide as its mouth, through earth and open cells only; an empty list if there is none."""
    across = mouth.width - 1
    corner = Cell(mouth.y - across * (mouth.dy < 0), mouth.x - across * (mouth.dx < 0))
    if not canvas.inside(Rect(*corner, mouth.width, mouth.width)):
        return []
    board, earth = ground.board, {cost: ground.costs[cost] for cost in (OPEN, EARTH, BESIDE)}
    return find_way(board, earth, board.from_cells([corner]), ground.goal, width=mouth.width)


def _dig_from(canvas: Canvas, path: Sequence[Cell], mouth: Mouth | None) -> Step:
    """Dig a way, and from its mouth through the earth at the prefab's edge; return the step to show.

    Args:
        canvas: The map.
        path: The cells of the way.
        mouth: The mouth where it begins; None if it begins inside of a prefab.
    """
    if mouth is not None:
        dig_in(canvas, mouth)
    _dig(canvas, path)
    y, x = path[0]
    return Step(Phase.LAYOUT, f"a way to the prefab at y {y}, x {x}", canvas)


def _rooms(canvas: Canvas) -> int:
    """Return the mask of the cells of all regions that are rooms."""
    return canvas.board.from_array(canvas.within(each.id for each in canvas.regions if each.kind == "room"))


def _crossings(canvas: Canvas) -> int:
    """Return the mask of the wall cells that may become doorways.

     .           a room's cell on one side (or both),
    #x#          and no open cell beside it along the wall
    """
    rooms, opened = _rooms(canvas), canvas.board.from_array(canvas.open)
    (down, beside_down), (across, beside_across) = (
        (shifted(rooms, by) | shifted(rooms, -by), shifted(opened, by) | shifted(opened, -by))
        for by in (canvas.board.stride, 1)
    )
    walls = without(down, across | beside_across) | without(across, down | beside_down)
    return without(walls & canvas.board.full, opened)


def _sea(canvas: Canvas) -> NDArray[np.bool_]:
    """Return (height, width) bool: water and the like that a layout has laid between parts of the map, outside of all regions.

    It can't be walked on, and ways lead over it.
    """
    sea: NDArray[np.bool_] = canvas.open & ~canvas.passable() & (canvas.region == 0) & ~canvas.drawn
    return sea


def _is_straight(path: Sequence[Cell], number: int) -> bool:
    """Tell whether a way goes straight through its cell `number`, without touching the two cells beside that."""
    if not 0 < number < len(path) - 1:
        return False
    before, here, after = path[number - 1 : number + 2]
    beside = {(here.y, here.x - 1), (here.y, here.x + 1)}
    if before.y == here.y:
        beside = {(here.y - 1, here.x), (here.y + 1, here.x)}
    return (before.y + after.y, before.x + after.x) == (2 * here.y, 2 * here.x) and beside.isdisjoint(path)


def _dig(canvas: Canvas, path: Sequence[Cell]) -> None:
    """Dig a way: corridor through earth and over water, doorways into rooms.

    A room that the corridor touches elsewhere is open to it, and becomes a zone (`Canvas.room_to_zone`).
    """
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
            canvas.room_to_zone(region)
        _absorb_doors(canvas, plain, number)
    for at in doorways:
        between = int(canvas.region[path[at - 1]]), int(canvas.region[path[at + 1]])
        canvas.add_door(*path[at], between, t.DOORWAY)
    if solid:
        area, dug = Rect.around(solid).grown(), np.zeros(closed.shape, np.bool_)
        dug[tuple(zip(*solid, strict=True))] = True
        canvas.build_walls(area, among=touching(dug[area.slices]))


def _absorb_doors(canvas: Canvas, dug: Sequence[Cell], corridor: int) -> None:
    """Turn doors right beside a new corridor into corridor, since walkers could go around them.

    Args:
        canvas: The map.
        dug: The cells of the corridor.
        corridor: The id of its region.
    """
    beside = {(y + dy, x + dx) for y, x in dug for dy, dx in SIDES}
    gone = [door for door in canvas.connections if (door.y, door.x) in beside]
    canvas.remove_doors((door.y, door.x) for door in gone)
    for door in gone:
        cell = Rect(door.y, door.x, 1, 1)
        canvas.carve(cell, t.CORRIDOR, corridor)
        canvas.widen_bounds(corridor, cell)
        for region in door.between:
            canvas.room_to_zone(region)
