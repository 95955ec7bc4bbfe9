"""The rectangles of a patchwork's zones, and the ways from one zone to another.

Each zone lies beside the zone that it is joined to (its parent). A zone and all its descendants share one rectangle.
For each child a strip is cut off from it, with the child's own descendants. The rest is the zone's own, so it borders
on all children:

    +--------+  +-----------+
    |        |  |     c     |      a keeps the rest after strips for b, c and d are cut off. Strips lie at different
    |        |  +-----------+      sides, unless several children share the last side: then that strip is split.
    |   b    |  +-----------+
    |        |  |     a     |
    |        |  +-----------+      A gap stays between them. A tumour (d) shares walls with its parent, though: the
    |        |  |     d     |      two rectangles have one row or column in common, which both keep closed as the
    +--------+  +-----------+      edge of their map.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import accumulate
from operator import or_
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dungeon import terrain as t
from dungeon.core.errors import GenerationError
from dungeon.grid.bits import Board, shifted, without
from dungeon.grid.rect import Cell, Rect
from dungeon.grid.regions import touching
from dungeon.grid.ways import find_way

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from dungeon.core.streams import Stream
    from dungeon.level.canvas import Canvas

# -- areas -----------------------------------------------------------------------------------------


LEAST = 12
"""The fewest rows and columns of a zone, whatever its layout: a few small rooms."""

FACING = 8
"""The fewest rows or columns over which a zone lies opposite its parent, so that a way between them has a choice of places."""

TRIES = 400
"""Number of cuts tried. If none works, the same number is tried with zones that may get less than their share."""

ENOUGH = 8
"""After this many cuts that work, the best one is taken."""

SHARED = 0.25
"""The chance that all remaining children share one side although other sides are free."""

SLIM = 2.5
"""A zone longer than this many times its width counts as a flaw."""

CROWDED = 20
"""Weight of the share of a zone that is taken already, beside the weight of slim zones."""

NORTH, EAST, SOUTH, WEST = range(4)
"""The sides of a rectangle, clockwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """How much space a zone needs, and where, when the map is cut into zones.

    Attributes:
        parent: The index of its parent, lower than its own; None for the first zone.
        share: Its relative size; within `cut`, its number of cells.
        touches: Whether it shares walls with its parent.
        parts: The number of parts that it has around its parent.
        least: The fewest cells of the (shorter, longer) side of each part.
        free: The (shorter, longer) side of a block in each part that must be free of seeded prefabs.
    """

    parent: int | None
    share: float
    touches: bool = False
    parts: int = 1
    least: tuple[int, int] = (LEAST, LEAST)
    free: tuple[int, int] = (1, 1)


def cut(
    size: tuple[int, int],
    claims: Sequence[Claim],
    gap: int,
    kept: Sequence[Rect],
    stream: Stream,
    uneven: float,
) -> list[tuple[Rect, ...]] | None:
    """Return the rectangles of each zone on a map; None if there is no space for them.

    Args:
        size: The (height, width) of the map.
        claims: The zones, parents before children.
        gap: The number of rows or columns between zones that share no walls.
        kept: Rectangles of seeded prefabs. Each should lie in one zone or in none, and leave the zone the space that
            it needs.
        stream: The random stream.
        uneven: By which share of its width a strip may be wider or narrower.
    """
    total = sum(each.share for each in claims)
    claims = [
        replace(
            each,
            share=max(each.share / total * size[0] * size[1], each.parts * each.least[0] * each.least[1]),
        )
        for each in claims
    ]
    joined = [
        [
            (number, part)
            for number, each in enumerate(claims)
            if each.parent == zone
            for part in range(each.parts)
        ]
        for zone in range(len(claims))
    ]
    weights: dict[tuple[int, int], float] = {}
    for zone, claim in reversed([*enumerate(claims)]):  # children come before their parents here
        own = claim.share / claim.parts
        weights |= {(zone, part): own for part in range(1, claim.parts)}
        weights[zone, 0] = own + sum(weights[each] for each in joined[zone])
    space = _FreeBlocks(size, kept)
    found: list[tuple[float, float, int, list[tuple[Rect, ...]]]] = []
    for number in range(2 * TRIES):
        if number >= TRIES and found:
            break
        attempt = _MapCut(claims, joined, weights, gap, uneven, stream, is_tight=number >= TRIES)
        attempt.lay(Rect(0, 0, *size), 0, {})
        if attempt.fits:
            areas = [tuple(rects) for rects in attempt.areas]
            lost = sum(
                weights[zone, part] / weights[0, 0]
                for zone, rects in enumerate(areas)
                for part, rect in enumerate(rects)
                if not space.holds(rect, claims[zone].free)
            )
            found.append((lost + _cut_through(areas, kept), _flaws(areas, kept), len(found), areas))
            if len(found) >= ENOUGH and not min(found)[0]:
                break
    return min(found)[3] if found else None


def _cut_through(areas: Sequence[tuple[Rect, ...]], kept: Sequence[Rect]) -> int:
    """Return the number of rectangles of seeded prefabs (`kept`) that reach across the border of a zone."""
    rects = [rect for each in areas for rect in each]
    return sum(any(r.overlaps(each) and not r.grown(-1).encloses(each) for r in rects) for each in kept)


def _flaws(areas: Sequence[tuple[Rect, ...]], kept: Sequence[Rect]) -> float:
    """Return how bad a cut of the map into zones is, 0 for perfect.

    It counts how slim the zones are, and the share of their area that seeded prefabs (`kept`) take.
    """
    rects = [rect for each in areas for rect in each]
    slim = sum(max(max(r.height, r.width) / min(r.height, r.width) - SLIM, 0.0) for r in rects)
    taken = sum(rect.common(each).area / rect.area for rect in rects for each in kept)
    return slim + CROWDED * taken


class _FreeBlocks:
    """The free blocks of a map, with a cache per size of block.

    Args:
        size: The (height, width) of the map.
        kept: The rectangles that are not free.
    """

    def __init__(self, size: tuple[int, int], kept: Sequence[Rect]) -> None:
        self._board = Board(*size)
        self._free = reduce(without, (self._board.block(*each) for each in kept), self._board.full)
        self._known: dict[tuple[int, int], int] = {}

    def holds(self, rect: Rect, sides: tuple[int, int]) -> bool:
        """Tell whether a rectangle has a free block of these sides, in either orientation."""
        return any(
            self._fits(height, width)
            & self._board.block(rect.y, rect.x, rect.height - height + 1, rect.width - width + 1)
            for height, width in (sides, sides[::-1])
            if height <= rect.height and width <= rect.width
        )

    def _fits(self, height: int, width: int) -> int:
        """Return the mask of the top left cells of all free blocks of that size."""
        if (height, width) not in self._known:
            self._known[height, width] = self._board.fits(self._free, height, width)
        return self._known[height, width]


@dataclass(slots=True)
class _MapCut:
    """One attempt to cut a map into zones.

    Attributes:
        claims: The demands of each zone.
        joined: The children of each zone, as (index of the zone, number of its part).
        weights: The share of each part; that of part 0 includes all descendants of its zone.
        gap: The number of rows or columns between zones that share no walls.
        uneven: By which share of its width a strip may be wider or narrower.
        stream: The random stream.
        is_tight: Whether a zone may get less than its share, if its parent would be too small otherwise.
        areas: The rectangles of each zone so far.
        fits: Whether all rectangles so far are large enough and lie opposite their parents.
    """

    claims: Sequence[Claim]
    joined: Sequence[Sequence[tuple[int, int]]]
    weights: Mapping[tuple[int, int], float]
    gap: int
    uneven: float
    stream: Stream
    is_tight: bool = False
    areas: list[list[Rect]] = field(init=False)
    fits: bool = True

    def __post_init__(self) -> None:
        self.areas = [[] for _ in self.claims]

    def lay(self, rect: Rect, zone: int, taken: dict[int, int]) -> None:
        """Cut a rectangle for a zone and all its descendants; set `fits` to False if that fails.

        Args:
            rect: The rectangle.
            zone: The index of the zone.
            taken: Side of the rectangle at which its parent or a child already lies -> the number of rows or columns
                that strips at other sides must keep away from there.
        """
        children = [*self.joined[zone]]
        self.stream.shuffle(children)
        taken = dict(taken)
        strips: list[tuple[tuple[int, int], int, Rect]] = []
        while children and self.fits:
            sides = [side for side in range(4) if side not in taken]
            if not sides:
                self.fits = False
                return
            side = self._pick(sides, rect)
            now = children if len(sides) == 1 or self.stream.chance(SHARED) else children[:1]
            children = children[len(now) :]
            rest = self.claims[zone].share + sum([self.weights[each] for each in children])
            touched = any(self.claims[number].touches for number, _ in now)
            strip, rect = self._slice(rect, side, now, (zone, rest), taken, touched=touched)
            self.fits &= min(strip.height, strip.width, rect.height, rect.width) > 0
            if not self.fits:
                return
            strips += self._part(strip, side, now, touched=touched)
            taken[side] = self.gap + 1 if touched else 0
        self._claim(zone, rect)
        for (number, part), side, strip in strips:
            self.fits = self.fits and min(strip.height, strip.width) > 0
            if not self.fits:
                return
            away = self.gap + 1 if self.claims[number].touches else 0
            if part:
                self._claim(number, strip)
            else:
                self.lay(strip, number, {_opposite(side): away})
            self.fits = self.fits and _facing(rect, self.areas[number][-1], side) >= FACING

    def _claim(self, zone: int, rect: Rect) -> None:
        """Give a rectangle to a zone, by its index; set `fits` to False if the rectangle is too small for it."""
        short, long = self.claims[zone].least
        self.fits &= min(rect.height, rect.width) >= short and max(rect.height, rect.width) >= long
        self.areas[zone].append(rect)

    def _pick(self, sides: Sequence[int], rect: Rect) -> int:
        """Return a random side of a rectangle out of `sides`, more likely a short one."""
        long = (rect.height / rect.width) ** 2
        return self.stream.weighted([(side, long if side in (NORTH, SOUTH) else 1 / long) for side in sides])

    def _slice(
        self,
        rect: Rect,
        side: int,
        zones: Sequence[tuple[int, int]],
        left: tuple[int, float],
        taken: dict[int, int],
        *,
        touched: bool,
    ) -> tuple[Rect, Rect]:
        """Cut a strip off a rectangle, as wide as the shares of its zones demand; return the strip and the rest.

            +------+-+---------+        side EAST
            | rest | |  strip  |        whole = the width of the rectangle, broad = that of the strip,
            +------+-+---------+        between = the gap (-1 for a shared line of walls)

        Args:
            rect: The rectangle.
            side: The side at which the strip lies.
            zones: The parts that get the strip.
            left: The index of the zone that gets the rest, and the share of that zone with all children not cut off
                yet.
            taken: As for `lay`.
            touched: Whether any of `zones` shares walls with the rest.
        """
        zone, rest = left
        share = sum([self.weights[each] for each in zones])
        whole = rect.width if side in (EAST, WEST) else rect.height
        wish = share / (share + rest) * (1 + self.uneven * (2 * self.stream.random() - 1))
        broad = max(round(wish * whole), *[self.claims[number].least[0] for number, _ in zones])
        between = -1 if touched else self.gap
        if self.is_tight:
            across = rect.area // whole
            short, long = self.claims[zone].least
            broad = min(broad, whole - between - (short if across >= long else long))
        strip = _trimmed(rect, _opposite(side), whole - broad)
        for end in _ends(side):
            strip = _trimmed(strip, end, taken.get(end, 0))
        return strip, _trimmed(rect, side, broad + between)

    def _part(
        self, strip: Rect, side: int, zones: Sequence[tuple[int, int]], *, touched: bool
    ) -> Iterator[tuple[tuple[int, int], int, Rect]]:
        """Split a strip among its zones; yield (zone and part, side, rectangle)."""
        first, last = _ends(side)
        whole = strip.height if side in (EAST, WEST) else strip.width
        shares = [self.weights[each] for each in zones]
        shared = whole - self.gap * (len(zones) - 1)
        total = sum(shares)
        ends = [round(shared * each / total) for each in accumulate(shares)]
        for number, (each, begin, end) in enumerate(zip(zones, [0, *ends], ends, strict=False)):
            gaps = number * self.gap
            own = _trimmed(_trimmed(strip, first, begin + gaps), last, whole - end - gaps)
            if touched and not self.claims[each[0]].touches:
                own = _trimmed(own, _opposite(side), self.gap + 1)
            yield each, side, own


def _opposite(side: int) -> int:
    """Return the number of the side of a rectangle that lies opposite the side `side`."""
    return (side + 2) % 4


def _ends(side: int) -> tuple[int, int]:
    """Return the two sides at which a strip along `side` ends: (north, south) or (west, east)."""
    return (NORTH, SOUTH) if side in (EAST, WEST) else (WEST, EAST)


def _trimmed(rect: Rect, side: int, by: int) -> Rect:
    """Return a rectangle without the `by` rows or columns nearest to one side."""
    if not by:
        return rect
    y, x, height, width = rect
    if side == NORTH:
        return Rect(y + by, x, height - by, width)
    if side == EAST:
        return Rect(y, x, height, width - by)
    if side == SOUTH:
        return Rect(y, x, height - by, width)
    return Rect(y, x + by, height, width - by)


def _facing(one: Rect, other: Rect, side: int) -> int:
    """Return how many rows or columns of two rectangles lie opposite each other; `other` lies at the side `side` of `one`."""
    if side in (EAST, WEST):
        return min(one.bottom, other.bottom) - max(one.y, other.y)
    return min(one.right, other.right) - max(one.x, other.x)


# -- ways between zones ----------------------------------------------------------------------------
#
# A way is a door in a wall that two zones share, or a shortest corridor through earth with a door at both ends.
#
# All possible doors are found at once, as masks. A door has an open cell of one zone on one side. On the other side it has
# an open cell of the other zone, or earth that no open cell touches, not even diagonally. Corridors are dug through such
# earth alone, so they touch nothing on their way:
#
#     ####         ####
#     ...#         ...####
#     ...+....     ...+..#        o +, the doors at both ends; all that a corridor
#     ...#         ...##.####     touches is its own walls
#     ####         #### .+...
#


APART = 5
"""Ways between the same two zones keep this many cells from each other's doors, if they can."""


class ZoneWay(NamedTuple):
    """A way between two zones.

    Attributes:
        doors: Its door cells: one in a shared wall, else the door of the first zone and that of the second.
        cells: The cells of its corridor, from the first zone to the second; empty for a door in a shared wall.
    """

    doors: tuple[Cell, ...]
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rock:
    """Masks of a map on which ways are searched.

    Attributes:
        board: The layout of the masks.
        opened: The open cells.
        walls: The closed cells in which a door may be.
        deep: The cells through which a corridor may be dug: free earth that touches no open cell.
        doors: The doors of the map, drawn doors and gaps included.
    """

    board: Board
    opened: int
    walls: int
    deep: int
    doors: int

    @classmethod
    def of(cls, canvas: Canvas, *, break_in: bool = False) -> Rock:
        """Return the masks of a map; with `break_in`, doors may be put into walls that prefabs have drawn."""
        board, base = canvas.board, canvas.base
        inner = board.block(1, 1, canvas.height - 2, canvas.width - 2)
        opened = board.from_array(canvas.open)
        solid = board.from_array((base == t.EARTH) | (base == t.WALL)) & inner
        free = solid & ~board.from_array(canvas.used) & ~board.from_array(canvas.drawn)
        return cls(
            board=board,
            opened=opened,
            walls=solid if break_in else free,
            deep=free & ~board.around(opened),
            doors=board.from_array(canvas.terrain_set.door.take(canvas.terrain))
            | board.from_cells((door.y, door.x) for door in canvas.connections),
        )

    def steps(self) -> tuple[int, int, int, int]:
        """Return by how many places the bit of a cell moves with a step south, east, north and west."""
        return self.board.stride, 1, -self.board.stride, -1

    def entries(self, ground: int, step: int) -> int:
        """Return the mask of the wall cells, one `step` (in bits) from the cells of `ground`, in which a door may be.

        They have a wall on both sides, and no door beside them.
        """
        across = 1 if abs(step) != 1 else self.board.stride
        flanks = shifted(self.opened, across) | shifted(self.opened, -across)
        return self.walls & shifted(ground, step) & ~flanks & ~self.board.beside(self.doors)

    def shared(self, one: int, other: int) -> int:
        """Return the mask of the wall cells in which a door would lead straight from the ground `one` to the ground `other`."""
        found = 0
        for step in self.steps():
            found |= self.entries(one, step) & shifted(other, -step)
        return found

    def pick_door(self, doors: Mapping[int, int], front: Cell, stream: Stream) -> Cell:
        """Return a random one of the doors that lead to the cell `front`.

        Args:
            doors: Step from the ground to a door -> the mask of these doors.
            front: The cell in front of the door, outside of the ground.
            stream: The random stream.
        """
        place = front.y * self.board.stride + front.x
        found = [place - step for step, each in doors.items() if each >> place - step & 1]
        return Cell(*divmod(stream.pick(found), self.board.stride))

    def doors_to(self, ground: int, allowed: int) -> dict[int, int]:
        """Return the doors that may lead out of some ground to a corridor: step -> the mask of the doors.

        Args:
            ground: The mask of the ground.
            allowed: The mask of the cells where a corridor may be.
        """
        return {
            step: self.entries(ground, step) & shifted(self.deep & allowed, -step) for step in self.steps()
        }


def _fronts(doors: Mapping[int, int]) -> int:
    """Return the mask of the cells right in front of doors, outside of the zone that the doors lead out of.

    Args:
        doors: Step from the ground to a door -> the mask of these doors.
    """
    return reduce(or_, (shifted(each, step) for step, each in doors.items()))


def way_between(
    rock: Rock, one: int, other: int, allowed: int, stream: Stream, *, walls: bool
) -> ZoneWay | None:
    """Return a random one of the shortest ways from one ground to another; None if there is none.

    Args:
        rock: The masks of the map.
        one: The mask of the ground where it begins.
        other: The mask of the ground where it ends.
        allowed: The mask of the cells where a corridor may be.
        stream: The random stream.
        walls: Whether a door in a shared wall is allowed; it is preferred to any corridor.
    """
    if walls and (shared := rock.board.cells(rock.shared(one, other))):
        return ZoneWay((stream.pick(shared),), ())
    starts, ends = rock.doors_to(one, allowed), rock.doors_to(other, allowed)
    ground = {1: rock.deep & allowed}
    way = find_way(rock.board, ground, _fronts(starts), _fronts(ends), random=stream.random)
    if not way:
        return None
    doors = rock.pick_door(starts, way[0], stream), rock.pick_door(ends, way[-1], stream)
    return ZoneWay(doors, tuple(way))


def dig_way(canvas: Canvas, way: ZoneWay, close: Callable[[], int]) -> int:
    """Dig a way between two zones with its doors; return the id of its corridor, 0 if it is only a door.

    Args:
        canvas: The map.
        way: The cells and doors of the way.
        close: Rolls the terrain of a door.
    """
    corridor = 0
    if way.cells:
        corridor = canvas.add_region("corridor", Rect.around(way.cells))
        canvas.carve_cells(way.cells, t.CORRIDOR, corridor)
    for y, x in way.doors:
        sides = [(y - 1, x), (y + 1, x)] if canvas.open[y - 1, x] else [(y, x - 1), (y, x + 1)]
        first, second = (int(canvas.region[side]) for side in sides)
        canvas.add_door(y, x, (first, second), close())
    dug = np.zeros(canvas.terrain.shape, np.bool_)
    dug[tuple(np.transpose((*way.cells, *way.doors)))] = True
    canvas.build_walls(among=touching(dug))
    return corridor


def join_zones(
    canvas: Canvas,
    begins: Sequence[NDArray[np.bool_]],
    other: NDArray[np.bool_],
    allowed: NDArray[np.bool_],
    close: Callable[[], int],
    stream: Stream,
    *,
    count: int = 1,
    walls: bool = False,
) -> list[tuple[int, Cell]]:
    """Dig ways from one part of the map to another; return (id of the corridor or 0, door to the other part) of each.

    Tries come in this order: a corridor on allowed cells, a corridor anywhere, doors broken into walls of prefabs.

    Args:
        canvas: The map.
        begins: (height, width) bool each: the ground of the first part, then other ground where a way may begin if it
            can't there.
        other: (height, width) bool, the ground of the second part.
        allowed: (height, width) bool, where corridors should be.
        close: Rolls the terrain of a door.
        stream: The random stream.
        count: The greatest number of ways; further ones are dug only if they are apart from each other.
        walls: Whether the two parts may share a wall with a door in it.

    Raises:
        GenerationError: No way leads there.
    """
    found: list[tuple[int, Cell]] = []
    for number in range(count):
        way = None
        for one, break_in, limit in (
            (begins[0], False, True),
            (begins[0], False, False),
            *((each, True, False) for each in begins),
        ):
            rock = Rock.of(canvas, break_in=break_in)
            bits = rock.board.from_array
            near = 0
            for _, (y, x) in found:
                near |= rock.board.block(*Rect(y, x, 1, 1).grown(APART).clipped(canvas.height, canvas.width))
            inside = bits(allowed) if limit else rock.board.full
            begin, end = (bits(part if break_in else part & ~canvas.drawn) & ~near for part in (one, other))
            way = way_between(rock, begin, end, inside, stream, walls=walls)
            if way is not None or number:
                break
        if way is None:
            break
        found.append((dig_way(canvas, way, close), way.doors[-1]))
    if not found:
        raise GenerationError("no way can be dug from one zone to another")
    return found
