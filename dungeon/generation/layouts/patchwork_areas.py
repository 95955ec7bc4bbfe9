"""Where the zones of a map lie: rectangles, each beside that of the zone that it is joined to.

A zone and all that hangs on it have a rectangle together. From that a strip is cut off for each zone that is joined to it, with
all that hangs on that in turn, and what is left in the end is its own, so that it lies at all of them:

    +--------+  +-----------+
    |        |  |     c     |      a has its own rectangle once b, c and d have theirs; no two strips lie at
    |        |  +-----------+      one side of it, unless they share it: then it is cut last, and parted
    |   b    |  +-----------+
    |        |  |     a     |
    |        |  +-----------+      a gap stays between them, but where a zone is to share walls with the
    |        |  |     d     |      other (d, a tumour): their rectangles have a row or column in common, which
    +--------+  +-----------+      is closed on both sides as the outermost cells of any map are
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
"""The fewest rows and columns that a zone has, whatever its layout."""

FACING = 8
"""How many rows or columns of a zone lie opposite the one that it is joined to, at least."""

TRIES = 400
"""How many ways to cut the map are tried; if none will do, as many more in which zones may get less than their share."""

ENOUGH = 8
"""Of so many that will do, the best is taken."""

SHARED = 0.25
"""How likely it is that all who are left share a side though others are free."""

SLIM = 2.5
"""A zone should not be longer than so many times its breadth."""

CROWDED = 20
"""How bad it is to give a zone space that is all taken."""

NORTH, EAST, SOUTH, WEST = range(4)


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """What a zone asks for.

    Attributes:
        parent: The index of the zone that it is joined to, one before it; None for the first.
        share: How large it is beside the others.
        touches: Whether it shares walls with the other.
        parts: In how many parts it lies about the other.
        least: How many cells the shorter and the longer side of each part need at least.
        free: How many those of a block in it need in which nothing lies yet.
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
    """Return the rectangles of each zone on a map of that (height, width), or None if there is no space for them.

    Args:
        size: The map.
        claims: The zones.
        gap: How many rows or columns lie between zones that share no walls.
        kept: Rectangles that should each lie in one zone, or in none, and leave it the space that it needs.
        stream: Where chance comes from.
        uneven: By which share of it a strip may be broader or narrower than those of its zones say.
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
    for zone, claim in reversed([*enumerate(claims)]):  # what hangs on a zone comes after it
        own = claim.share / claim.parts
        weights |= {(zone, part): own for part in range(1, claim.parts)}
        weights[zone, 0] = own + sum(weights[each] for each in joined[zone])
    space = _Space(size, kept)
    found: list[tuple[float, float, int, list[tuple[Rect, ...]]]] = []
    for number in range(2 * TRIES):
        if number >= TRIES and found:
            break
        knife = _Knife(claims, joined, weights, gap, uneven, stream, is_tight=number >= TRIES)
        knife.lay(Rect(0, 0, *size), 0, {})
        if knife.fits:
            areas = [tuple(rects) for rects in knife.areas]
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
    """Return how many of the rectangles are cut that should not be."""
    rects = [rect for each in areas for rect in each]
    return sum(any(r.overlaps(each) and not r.grown(-1).encloses(each) for r in rects) for each in kept)


def _flaws(areas: Sequence[tuple[Rect, ...]], kept: Sequence[Rect]) -> float:
    """Return how far a way to cut the map is from a good one: zones are slim, or taken already."""
    rects = [rect for each in areas for rect in each]
    slim = sum(max(max(r.height, r.width) / min(r.height, r.width) - SLIM, 0.0) for r in rects)
    taken = sum(rect.common(each).area / rect.area for rect in rects for each in kept)
    return slim + CROWDED * taken


class _Space:
    """What is free of a map.

    Args:
        size: Its (height, width).
        kept: The rectangles that are not.
    """

    def __init__(self, size: tuple[int, int], kept: Sequence[Rect]) -> None:
        self._board = Board(*size)
        self._free = reduce(without, (self._board.block(*each) for each in kept), self._board.full)
        self._known: dict[tuple[int, int], int] = {}

    def holds(self, rect: Rect, sides: tuple[int, int]) -> bool:
        """Tell whether a block of these sides, lying or standing, is free in a rectangle."""
        return any(
            self._fits(height, width)
            & self._board.block(rect.y, rect.x, rect.height - height + 1, rect.width - width + 1)
            for height, width in (sides, sides[::-1])
            if height <= rect.height and width <= rect.width
        )

    def _fits(self, height: int, width: int) -> int:
        """Return the top left cells of all blocks of that size that are free."""
        if (height, width) not in self._known:
            self._known[height, width] = self._board.fits(self._free, height, width)
        return self._known[height, width]


@dataclass(slots=True)
class _Knife:
    """Cuts a map once.

    Attributes:
        claims: What each zone asks for.
        joined: The parts that are joined to each zone, as its index and which of its parts it is.
        weights: The share of each part, with all that hangs on its zone if it is the first.
        is_tight: Whether a zone may get less than its share, where its full share would leave its parent zone too few cells.
        areas: The rectangles of each zone.
        fits: Whether all of them are large enough, and lie beside those that they are joined to, until now.
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
        """Lay a zone, and all that hangs on it, into a rectangle.

        Args:
            rect: The rectangle.
            zone: The zone's index.
            taken: Side of the rectangle at which something lies that the zone is to lie at -> how many rows or columns all
                others must keep away from it.
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
        short, long = self.claims[zone].least
        self.fits &= min(rect.height, rect.width) >= short and max(rect.height, rect.width) >= long
        self.areas[zone].append(rect)

    def _pick(self, sides: Sequence[int], rect: Rect) -> int:
        """Return one of some sides of a rectangle, likelier one of its short ones."""
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
        """Cut a strip off a rectangle, as broad as the shares of those who get it say; return the strip and what is left.

        Args:
            rect: The rectangle.
            side: The side at which the strip lies.
            zones: The parts that get it.
            left: The index of the zone that gets what is left, and the share of that and of all that is yet to be cut off.
            taken: As `lay` is given it.
            touched: Whether one of `zones` is to share walls with what is left.
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
        """Part a strip among those who get it; yield each with the side at which it lies, and its rectangle."""
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
    return (side + 2) % 4


def _ends(side: int) -> tuple[int, int]:
    """Return the sides at which a strip along a side ends, north before south and west before east."""
    return (NORTH, SOUTH) if side in (EAST, WEST) else (WEST, EAST)


def _trimmed(rect: Rect, side: int, by: int) -> Rect:
    """Return a rectangle without some rows or columns at one side."""
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
    """Return how many rows or columns of two rectangles lie opposite each other, at a side of the first."""
    if side in (EAST, WEST):
        return min(one.bottom, other.bottom) - max(one.y, other.y)
    return min(one.right, other.right) - max(one.x, other.x)


# -- crossings -------------------------------------------------------------------------------------
#
# Ways from one zone to another: a door in a wall that they share, or the shortest corridors through earth.
#
# Where a door can be is asked of all cells at once. It has an open cell of a zone on one side, on the other side either an open
# cell of the other zone, or earth that no open cell touches, corners included; through such earth alone corridors are dug, so
# that nothing else of the two zones comes to touch:
#
#     ####         ####
#     ...#         ...####
#     ...+....     ...+..#        o +, the doors at both ends; all that a corridor
#     ...#         ...##.####     touches is its own walls
#     ####         #### .+...
#


APART = 5
"""Ways between the same two zones keep so many cells from each other's doors, if they can."""


class Way(NamedTuple):
    """A way between two zones.

    Attributes:
        doors: The cells of its doors: one in a wall that both share, else the first zone's and the other's.
        cells: The cells of the corridor between these, from the first zone to the other.
    """

    doors: tuple[Cell, ...]
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rock:
    """A map on which ways are looked for.

    Attributes:
        board: How masks are laid out.
        opened: The mask of the open cells.
        walls: The mask of the closed cells in which a door may be.
        deep: The mask of those through which a corridor may be dug.
        doors: The mask of the doors that there are, drawn ones and mere gaps among them.
    """

    board: Board
    opened: int
    walls: int
    deep: int
    doors: int

    @classmethod
    def of(cls, canvas: Canvas, *, break_in: bool = False) -> Rock:
        """Return the rock of a map; doors may be broken into what prefabs have drawn, or they may not."""
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
        """Return by how many places a bit moves up with a step south, east, north and west."""
        return self.board.stride, 1, -self.board.stride, -1

    def entries(self, ground: int, step: int) -> int:
        """Return the walls into which a door may be broken from some ground by a step, with a wall on both sides."""
        across = 1 if abs(step) != 1 else self.board.stride
        flanks = shifted(self.opened, across) | shifted(self.opened, -across)
        return self.walls & shifted(ground, step) & ~flanks & ~self.board.beside(self.doors)

    def shared(self, one: int, other: int) -> int:
        """Return the walls in which a door leads from some ground straight to other ground."""
        found = 0
        for step in self.steps():
            found |= self.entries(one, step) & shifted(other, -step)
        return found

    def pick_door(self, doors: Mapping[int, int], front: Cell, stream: Stream) -> Cell:
        """Return one of the doors before which a cell is."""
        place = front.y * self.board.stride + front.x
        found = [place - step for step, each in doors.items() if each >> place - step & 1]
        return Cell(*divmod(stream.pick(found), self.board.stride))

    def doors_to(self, ground: int, allowed: int) -> dict[int, int]:
        """Return the doors that may lead to some ground, a mask for each step out of it to where a corridor may start."""
        return {
            step: self.entries(ground, step) & shifted(self.deep & allowed, -step) for step in self.steps()
        }


def _fronts(doors: Mapping[int, int]) -> int:
    """Return the mask of the cells before doors."""
    return reduce(or_, (shifted(each, step) for step, each in doors.items()))


def way_between(rock: Rock, one: int, other: int, allowed: int, stream: Stream, *, walls: bool) -> Way | None:
    """Return a way from some ground to other ground, one of the shortest, or None if there is none.

    Args:
        rock: The map.
        one: The mask of the ground where it begins.
        other: That of the ground where it ends.
        allowed: The mask of the cells through which a corridor may lead.
        stream: Where chance comes from.
        walls: Whether a mere door in a wall between the two will do, and is better than any corridor.
    """
    if walls and (shared := rock.board.cells(rock.shared(one, other))):
        return Way((stream.pick(shared),), ())
    starts, ends = rock.doors_to(one, allowed), rock.doors_to(other, allowed)
    ground = {1: rock.deep & allowed}
    way = find_way(rock.board, ground, _fronts(starts), _fronts(ends), random=stream.random)
    if not way:
        return None
    doors = rock.pick_door(starts, way[0], stream), rock.pick_door(ends, way[-1], stream)
    return Way(doors, tuple(way))


def dig_way(canvas: Canvas, way: Way, close: Callable[[], int]) -> int:
    """Dig a way and hang its doors; return the id of its corridor, 0 if it has none."""
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


def join(
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
    """Dig ways from one part of the map to another; return of each its corridor and the door to the other part.

    Args:
        canvas: The map.
        begins: (height, width) bool, the ground of the first part; then what else a way may begin on if none can there.
        other: The same of the second part.
        allowed: (height, width) bool, where corridors may be, if they can: they may be anywhere if it takes that.
        close: Rolls what a door is made of.
        stream: Where chance comes from.
        count: How many ways, if there are so many apart from each other.
        walls: Whether the two may share a wall, with a mere door in it.

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
