"""Places: where in the earth caves may be, and where each of them begins.

No two maps have the same outline: stretches of earth as wide as a cave or several, which grow from a few random blocks, are left
out of the ground first. Into the rest places are thrown like darts, and those that hit too near another do not count.

    ground         without stretches of earth      places that lie apart
    ############       ####    ######                ####    #o####
    ############         ###  #######                  o##  #######
    ############           ##########                    ########o#
    ############       ##############                #o####o#######

Places have classes, so that neighbours never share one: all blobs of a class grow as one mask. Everything here is reckoned on a
board of half the map's size.
"""

from __future__ import annotations

import math
from bisect import bisect
from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from dungeon.grid.automaton import grow_apart
from dungeon.grid.bits import Board, nth_bit
from dungeon.grid.outline import drawing, stretches
from dungeon.grid.rect import Rect

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dungeon.core.streams import Stream

RAGGED = 1
"""How many cells the ground's rims are ragged."""

APART = 0.85
"""How near each other places may be, as a share of the distance that they are to be apart about."""

NEIGHBOURS = 1.4
"""Up to which distance places are neighbours, likewise."""

BAND = 16
"""How many rows are counted together when a random free cell is picked."""

REMEMBERED = 64
"""So many discs are kept: on maps of one size, and with caves of one size, they are always the same two."""


class Place(NamedTuple):
    """Where a cave may be: its centre and which class of neighbours it belongs to."""

    y: float
    x: float
    kind: int


class Earth(NamedTuple):
    """The earth in which caves may be, on a board of half the map's size.

    Attributes:
        area: The rectangle that it lies in.
        ground: Its mask.
    """

    board: Board
    area: Rect
    ground: int


def outlined(board: Board, area: Rect, barren: float, spacing: float, stream: Stream) -> Earth:
    """Return the earth in which caves may be, with an outline of its own.

    Args:
        board: The whole map.
        area: The part of the map in which it lies.
        barren: At most this share of it, and at least half as much, is left out in stretches.
        spacing: How many cells neighbouring places are apart, about.
        stream: Where chance comes from.
    """
    half = Board(board.height // 2, board.width // 2)
    top, left = (area.y + 1) // 2, (area.x + 1) // 2
    within = Rect(top, left, max(0, area.bottom // 2 - top), max(0, area.right // 2 - left))
    if within.area == 0:
        return Earth(half, within, 0)
    earth = stretches(half, within, barren, spacing / 2, stream)
    inset = RAGGED if min(within.height, within.width) > 3 * RAGGED else 0
    whole, inner = half.block(*within), half.block(*within.grown(-inset))
    (ground,) = grow_apart(half, [inner], whole, drawing(stream, half), inset)
    return Earth(half, within, ground & ~earth)


def thrown(earth: Earth, spacing: float, stream: Stream) -> Iterator[Place]:
    """Yield places for caves, about so many cells apart, until the earth has no space for another.

    Dart throwing, after R. L. Cook, "Stochastic Sampling in Computer Graphics" (1986), where no dart is lost: a mask holds the
    cells that are far enough from all places so far, each place is a random one of them, and a disc about it is struck out.
    """
    half, random = earth.board, stream.random
    apart, wide = spacing * APART / 2, spacing * NEIGHBOURS / 2
    frame = int(wide)  # discs reach so far beyond the earth
    near, nearly = _disc(frame, apart), _disc(frame, wide)
    row = (1 << half.stride) - 1
    rows = half.height + 2 * frame
    free = [0] * rows
    free[frame : frame + half.height] = [
        (earth.ground >> y * half.stride & row) << frame for y in range(half.height)
    ]
    bands = [sum(bits.bit_count() for bits in free[top : top + BAND]) for top in range(0, rows, BAND)]
    classes: list[list[int]] = []
    while (ends := list(accumulate(bands)))[-1]:
        index = int(random() * ends[-1])
        band = bisect(ends, index)
        index -= ends[band] - bands[band]
        y = band * BAND
        while index >= (count := free[y].bit_count()):
            index -= count
            y += 1
        x = nth_bit(free[y], index)
        for at, disc in enumerate(near, y - len(near) // 2):
            if hit := free[at] & disc << x - frame:
                free[at] ^= hit
                bands[at // BAND] -= hit.bit_count()
        for kind, taken in enumerate(classes):  # noqa: B007  # the first in which no neighbour is
            if not taken[y] >> x & 1:
                break
        else:
            kind = len(classes)
            classes.append([0] * rows)
        taken = classes[kind]
        for at, disc in enumerate(nearly, y - len(nearly) // 2):
            taken[at] |= disc << x - frame
        yield Place(2 * (y - frame + random()), 2 * (x - frame + random()), kind)


@lru_cache(maxsize=REMEMBERED)
def _disc(centre: int, radius: float) -> list[int]:
    """Return the rows of the cells that are less than a radius away from the middle row's cell `centre`."""
    reaches = (int(math.sqrt(radius * radius - dy * dy)) for dy in range(-int(radius), int(radius) + 1))
    return [(1 << 2 * reach + 1) - 1 << centre - reach for reach in reaches]
