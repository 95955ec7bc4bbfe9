"""Ways from seeded prefabs (put on a map before its layout) to the rest of the map: finding the cheapest one, digging it.

A way is a corridor through earth and open cells, with doorways where it crosses walls of rooms. It begins at a mouth,
an opening at the edge of a prefab, and ends in the main part of the map: the largest connected part that the layout
dug.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from dungeon import terrain as t
from dungeon.core.errors import GenerationError
from dungeon.generation.layouts.doorways import dig_in, lines_of, may_dig_in
from dungeon.generation.openings.openings import SIDES
from dungeon.grid.bits import shifted, without
from dungeon.grid.rect import Cell, Rect
from dungeon.grid.regions import touching
from dungeon.grid.ways import find_way
from dungeon.level.steps import Phase, Step

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

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
"""What a way must not damage, in the order of the searches: if a search finds no way, the next word allows more.

"rooms": no room is broken open. "reserved": rooms may be broken open, but reserved cells and drawings not be dug.
"doors": reserved cells and drawings may be dug, too, but not the walls beside doors. "nothing": all may be dug.
"""


class MapParts(NamedTuple):
    """The connected components of a map's open cells, its parts.

    Attributes:
        labels: (height, width), the number of each open cell's part; 0 for closed, sealed and stopped cells.
        main: The number of the main part.
        stopped: (height, width) bool, open cells that ways need not lead to and must not lead through.
    """

    labels: NDArray[np.int32]
    main: int
    stopped: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class SeededMap:
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
        """The mask of closed cells beside prefabs with mouths, but in front of no mouth: digging there would break a prefab open."""
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
"""A possible beginning of a way: (the prefab's cell at a mouth, the first cell of the way outside, the mouth).

The prefab's cell and the mouth are None for a way that begins inside of a prefab.
"""


# -- the cheapest way ------------------------------------------------------------------------------


class Diggable(NamedTuple):
    """The cells through which a way may be dug, as masks of the map (one bit a cell), with the cost of each cell.

    Attributes:
        board: The layout of the masks.
        costs: Cost -> the mask of the cells that a step into costs this much.
        crossings: The mask of the wall cells that may become doorways.
        goal: The mask of the cells where a way may end.
    """

    board: Board
    costs: dict[int, int]
    crossings: int
    goal: int

    def without_cells(self, cells: int) -> Diggable:
        """Return a copy in which a way may not lead through the cells of the mask `cells`, nor end there."""
        costs = {cost: without(each, cells) for cost, each in self.costs.items()}
        return self._replace(costs=costs, goal=without(self.goal, cells))

    def has_crossing(self, cell: Cell) -> bool:
        """Tell whether a cell is a wall cell that may become a doorway."""
        return bool(self.crossings >> cell.y * self.board.stride + cell.x & 1)

    def has(self, cell: Cell, *costs: int) -> bool:
        """Tell whether a way may lead through a cell and a step into the cell has one of the given costs.

        Args:
            cell: The cell.
            *costs: The costs, such as `EARTH`; none for any cost.
        """
        place = cell.y * self.board.stride + cell.x
        return any(self.costs[cost] >> place & 1 for cost in costs or self.costs)


def dig_way_out(
    seeded: SeededMap, parts: MapParts, region: int, mouths: Sequence[Mouth], lost: Collection[Cell] = ()
) -> Step:
    """Dig the cheapest way from one of a prefab's mouths to the main part of the map; return the step to show.

    Args:
        seeded: The map.
        parts: The connected parts of the map.
        region: The id of the prefab's region.
        mouths: The mouths where the way may begin.
        lost: The cells of the prefab that are cut off. The way may begin at these cells if no way from a mouth beside
            them is possible. Empty for a way from any of `mouths`.

    Raises:
        GenerationError: No way can be dug.
    """
    canvas = seeded.canvas
    usable = [mouth for mouth in mouths if mouth.kind != "diggable" or may_dig_in(canvas, mouth)]
    begin = [
        each
        for each in possible_starts(canvas, usable)
        if not lost or each[0] in lost or each[2] is None or each[2].kind == "diggable"
    ]
    within: list[Start] = [(None, cell, None) for cell in sorted(lost)]
    for care in CARE:
        ground = diggable_ground(seeded, parts, care)
        away = ground.without_cells(canvas.board.from_array(canvas.region == region))
        for mouth in usable if care == "rooms" else ():
            if mouth.width > 1 and (path := _wide_way(away, canvas, mouth)):
                return dig_from(canvas, path, mouth)
        if begin and (found := narrow_way(away, begin, care)):
            path, begun = found
            beside = [first for _, first in lines_of(canvas, begun)] if begun is not None else []
            path += [cell for cell in beside if cell not in path and away.has(cell, EARTH, BESIDE)]
            return dig_from(canvas, path, begun)
        if within and (found := narrow_way(ground, within, care)):
            return dig_from(canvas, *found)
    raise no_way_error(canvas, region)


def possible_starts(canvas: Canvas, mouths: Iterable[Mouth]) -> list[Start]:
    """Return every cell in front of these mouths (openings of prefabs) as a possible beginning of a way."""
    return [(last, first, mouth) for mouth in mouths for last, first in lines_of(canvas, mouth)]


def no_way_error(canvas: Canvas, region: int) -> GenerationError:
    """Return the error to raise if no way can be dug to the region with this id (0 for open cells without a region)."""
    if not region:
        return GenerationError("no way can be dug to a door that leads into nothing")
    bounds = canvas.regions[region - 1].bounds
    return GenerationError(f"no way can be dug to the prefab at y {bounds.y}, x {bounds.x}")


def diggable_ground(seeded: SeededMap, parts: MapParts, care: Care) -> Diggable:
    """Return the cells through which a way to the main part of the map may be dug, with the cost of each.

    Args:
        seeded: The map.
        parts: The connected parts of the map.
        care: What the way must not damage, a word of `CARE`: "rooms" is the strictest, "nothing" allows all.
    """
    canvas, board, bits = seeded.canvas, seeded.canvas.board, seeded.canvas.board.from_array
    sea = bits(sea_of(canvas))
    opened = without(bits(canvas.open), sea)
    drawn, crossings = bits(canvas.drawn), _crossings(canvas)
    left_alone = without(bits(canvas.used) | drawn, opened | sea)
    costs = dict.fromkeys((OPEN, EARTH, DOORWAY, BESIDE, BROKEN, LAST_RESORT), 0)
    costs |= {OPEN: opened, EARTH: without(board.block(1, 1, board.height - 2, board.width - 2), opened)}

    def put(cells: int, cost: int) -> None:
        """Give the cells of a mask a new cost, except cells that no way may lead through; a cost of 0 forbids the cells."""
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
    put(seeded.walls, 0 if spares_rooms else LAST_RESORT)
    beside_doors = board.beside(board.from_cells((door.y, door.x) for door in canvas.connections))
    put(without(beside_doors, opened), LAST_RESORT if digs_all else 0)
    # No way may lead through a locked door: its key could lie behind it.
    stopped = bits(parts.stopped | (canvas.base == t.LOCKED_DOOR))
    put(stopped | bits(canvas.base == t.BLOCKED), 0)
    goal = without(bits(parts.labels == parts.main), stopped)
    return Diggable(board, costs, crossings, without(goal, bits(seeded.locked)) or goal)


def narrow_way(
    ground: Diggable, starts: Sequence[Start], care: Care
) -> tuple[list[Cell], Mouth | None] | None:
    """Return the cheapest way, one cell wide, from one of the starts to the goal of the ground.

    With care "rooms", a way must not bend inside the wall of a room, nor cross two walls without a cell between them.
    If the cheapest way does, the cells where it does are forbidden and the search begins again, up to `MOST_TRIES`
    times.

    Args:
        ground: The cells through which the way may be dug.
        starts: The possible beginnings of the way.
        care: What the way must not damage, a word of `CARE`.

    Returns:
        (cells of the way, the mouth where it begins or None if it begins inside of a prefab). None if there is no way.
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


def _wide_way(ground: Diggable, canvas: Canvas, mouth: Mouth) -> list[Cell]:
    """Return the cells of the cheapest way from a mouth: a way as wide as the mouth, through earth and open cells.

    Args:
        ground: The cells through which the way may be dug.
        canvas: The map.
        mouth: The mouth where the way begins.

    Returns:
        All cells of the way; an empty list if there is no such way.
    """
    across = mouth.width - 1
    corner = Cell(mouth.y - across * (mouth.dy < 0), mouth.x - across * (mouth.dx < 0))
    if not canvas.inside(Rect(*corner, mouth.width, mouth.width)):
        return []
    board, earth = ground.board, {cost: ground.costs[cost] for cost in (OPEN, EARTH, BESIDE)}
    return find_way(board, earth, board.from_cells([corner]), ground.goal, width=mouth.width)


def dig_from(canvas: Canvas, path: Sequence[Cell], mouth: Mouth | None) -> Step:
    """Dig a way, and open its mouth: dig through the earth at the prefab's edge, too. Return the step to show.

    Args:
        canvas: The map.
        path: The cells of the way.
        mouth: The mouth where the way begins; None if it begins inside of a prefab.
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

         .
        #x#

    Such a cell (x) has a cell of a room on one side or both, and no open cell beside it along the wall.
    """
    rooms, opened = _rooms(canvas), canvas.board.from_array(canvas.open)
    (down, beside_down), (across, beside_across) = (
        (shifted(rooms, by) | shifted(rooms, -by), shifted(opened, by) | shifted(opened, -by))
        for by in (canvas.board.stride, 1)
    )
    walls = without(down, across | beside_across) | without(across, down | beside_down)
    return without(walls & canvas.board.full, opened)


def sea_of(canvas: Canvas) -> NDArray[np.bool_]:
    """Return (height, width) bool: the terrain, such as water, that a layout has put between parts of the map.

    It belongs to no region and can't be walked on. Ways may be dug across it, as causeways.
    """
    sea: NDArray[np.bool_] = canvas.open & ~canvas.passable() & (canvas.region == 0) & ~canvas.drawn
    return sea


def _is_straight(path: Sequence[Cell], number: int) -> bool:
    """Tell whether a way goes straight through the cell `path[number]`, and leads through neither cell beside that cell."""
    if not 0 < number < len(path) - 1:
        return False
    before, here, after = path[number - 1 : number + 2]
    beside = {(here.y, here.x - 1), (here.y, here.x + 1)}
    if before.y == here.y:
        beside = {(here.y - 1, here.x), (here.y + 1, here.x)}
    return (before.y + after.y, before.x + after.x) == (2 * here.y, 2 * here.x) and beside.isdisjoint(path)


def _dig(canvas: Canvas, path: Sequence[Cell]) -> None:
    """Dig a way: a corridor through earth and across water, and doorways in walls of rooms.

    A room that the corridor touches at other places is open to the corridor, so it becomes a zone
    (`Canvas.room_to_zone`), in which no encounter is placed.

    Args:
        canvas: The map.
        path: The cells of the way, in order.
    """
    board = canvas.board
    crossings, closed = _crossings(canvas), ~canvas.open | sea_of(canvas)
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
    """Turn doors right beside a new corridor into cells of the corridor, since walkers could go around these doors.

    Args:
        canvas: The map.
        dug: The cells of the new corridor.
        corridor: The id of the corridor's region.
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
