"""The rectangles of the zones of the layout `patchwork`.

A zone is joined to its parent, an earlier zone, and has one or more parts, a rectangle each. For these parts, strips
are cut off the rectangle of the parent. A cut is one such division of a whole map into rectangles. Seeded prefabs were
put on the map before.

Each zone lies beside its parent. A zone and all its descendants share one rectangle. For each child a strip is cut off
from this rectangle, for the child and its descendants. The rest is the zone itself, so it borders on all children:

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
from typing import TYPE_CHECKING

from dungeon.grid.bits import Board, without
from dungeon.grid.rect import Rect

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from dungeon.core.streams import Stream

# -- areas -----------------------------------------------------------------------------------------


LEAST = 12
"""The fewest rows and columns of a zone, whatever its layout: a few small rooms."""

FACING = 8
"""The fewest rows or columns over which a zone lies opposite its parent, so that a way between them has a choice of places."""

TRIES = 400
"""Number of cuts tried. If none works, as many more are tried in which zones may get less than their share."""

ENOUGH = 8
"""After this many cuts that work, the best one is taken."""

SHARED = 0.25
"""The chance that all remaining children share one side although other sides are free."""

SLIM = 2.5
"""A zone that is longer than this many times its width makes a cut worse."""

CROWDED = 20
"""How much worse a zone full of seeded prefabs makes a cut, beside the weight 1 of a slim zone."""

NORTH, EAST, SOUTH, WEST = range(4)
"""The sides of a rectangle, clockwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """How much space a zone needs, and where, when the map is cut into zones.

    Attributes:
        parent: The index of the zone that it is joined to, an earlier one; None for the first zone.
        share: The relative size of the zone; within `cut`, its number of cells.
        touches: Whether the zone shares walls with its parent.
        parts: The number of parts that the zone has around its parent.
        least: The smallest (shorter side, longer side) of each part, in cells.
        free: The (shorter side, longer side) of a rectangle in each part that must be free of seeded prefabs.
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
    """Return the rectangles of each zone on a map, one for each part of the zone; None if there is no space for all zones.

    Many random cuts of the map are tried, and the best one is taken.

    Args:
        size: The (height, width) of the map.
        claims: The zones, parents before children.
        gap: The number of rows or columns between zones that share no walls.
        kept: Rectangles of seeded prefabs. Each should lie in one zone or in none, and leave the zone the space that
            it needs.
        stream: The random stream.
        uneven: How much wider or narrower a strip may be than its zones' shares demand: 0.35 is up to 35 %.
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
    """Return how many seeded prefabs, with the rectangles `kept`, reach across the border of a zone."""
    rects = [rect for each in areas for rect in each]
    return sum(any(r.overlaps(each) and not r.grown(-1).encloses(each) for r in rects) for each in kept)


def _flaws(areas: Sequence[tuple[Rect, ...]], kept: Sequence[Rect]) -> float:
    """Return how bad a cut of the map into zones is, 0 for perfect.

    A cut is worse the slimmer its zones are, and the larger the share of each zone is that seeded prefabs cover.

    Args:
        areas: The rectangles of each zone.
        kept: The rectangles of the seeded prefabs.
    """
    rects = [rect for each in areas for rect in each]
    slim = sum(max(max(r.height, r.width) / min(r.height, r.width) - SLIM, 0.0) for r in rects)
    taken = sum(rect.common(each).area / rect.area for rect in rects for each in kept)
    return slim + CROWDED * taken


class _FreeBlocks:
    """Finds rectangles that are free of seeded prefabs; positions found for a size are remembered.

    Args:
        size: The (height, width) of the map.
        kept: The rectangles of the seeded prefabs.
    """

    def __init__(self, size: tuple[int, int], kept: Sequence[Rect]) -> None:
        self._board = Board(*size)
        self._free = reduce(without, (self._board.block(*each) for each in kept), self._board.full)
        self._known: dict[tuple[int, int], int] = {}

    def holds(self, rect: Rect, sides: tuple[int, int]) -> bool:
        """Tell whether `rect` contains a free rectangle with these two sides, upright or lying."""
        return any(
            self._fits(height, width)
            & self._board.block(rect.y, rect.x, rect.height - height + 1, rect.width - width + 1)
            for height, width in (sides, sides[::-1])
            if height <= rect.height and width <= rect.width
        )

    def _fits(self, height: int, width: int) -> int:
        """Return the mask of the top left cells of all free rectangles of `height` x `width` cells."""
        if (height, width) not in self._known:
            self._known[height, width] = self._board.fits(self._free, height, width)
        return self._known[height, width]


@dataclass(slots=True)
class _MapCut:
    """One attempt to cut a map into zones.

    Attributes:
        claims: The space that each zone needs.
        joined: For each zone the parts of its children, as (index of the child, number of the part).
        weights: (index of a zone, number of a part) -> cells that the part should get; part 0 of a zone includes all
            descendants of the zone.
        gap: The number of rows or columns between zones that share no walls.
        uneven: How much wider or narrower a strip may be than its zones' shares demand: 0.35 is up to 35 %.
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
        """Cut a rectangle into rectangles for a zone and all its descendants; set `fits` to False if that fails.

        Args:
            rect: The rectangle.
            zone: The index of the zone.
            taken: The side of the rectangle at which the zone's parent lies (`NORTH`, ...) -> the number of rows or
                columns next to this side that no strip may take; empty for the first zone.
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
        """Give a rectangle to the zone with the index `zone`; set `fits` to False if the rectangle is too small for the zone."""
        short, long = self.claims[zone].least
        self.fits &= min(rect.height, rect.width) >= short and max(rect.height, rect.width) >= long
        self.areas[zone].append(rect)

    def _pick(self, sides: Sequence[int], rect: Rect) -> int:
        """Return one of `sides` (`NORTH`, ...) of a rectangle at random; short sides are more likely than long ones."""
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
        """Cut a strip for some zones off a rectangle, as wide as their shares demand; return (the strip, the rest).

            +------+-+---------+        side EAST: whole = the width of the rectangle, broad = the width of the strip,
            | rest | |  strip  |        between = the width of the gap (-1 if strip and rest share a line of walls)
            +------+-+---------+

        Args:
            rect: The rectangle.
            side: The side of the rectangle at which the strip lies.
            zones: What gets the strip, as (index of a zone, number of a part).
            left: (index of the zone that gets the rest, number of cells that the rest should have: for this zone, and
                for those of its children that get a later strip).
            taken: Side of the rectangle -> the number of rows or columns next to this side that the strip may not take.
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
        """Split a strip among several zones, in proportion to their shares.

        Args:
            strip: The rectangle of the strip.
            side: The side of the parent's rectangle at which the strip lies.
            zones: What gets the strip, as (index of a zone, number of a part).
            touched: Whether the strip shares a line of walls with the parent. A zone that does not touch is cut back.

        Yields:
            ((index of a zone, number of a part), `side`, the rectangle of that part).
        """
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
    """Return the side of a rectangle that lies opposite `side`: `NORTH` -> `SOUTH`."""
    return (side + 2) % 4


def _ends(side: int) -> tuple[int, int]:
    """Return the two sides of a rectangle at which a strip along `side` ends: `EAST` -> (`NORTH`, `SOUTH`)."""
    return (NORTH, SOUTH) if side in (EAST, WEST) else (WEST, EAST)


def _trimmed(rect: Rect, side: int, by: int) -> Rect:
    """Return a rectangle without the `by` rows or columns nearest to the side `side`."""
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
    """Return over how many rows or columns two rectangles lie opposite each other; 0 or less for none.

    Args:
        one: The first rectangle.
        other: The second rectangle.
        side: The side of `one` at which `other` lies.
    """
    if side in (EAST, WEST):
        return min(one.bottom, other.bottom) - max(one.y, other.y)
    return min(one.right, other.right) - max(one.x, other.x)
