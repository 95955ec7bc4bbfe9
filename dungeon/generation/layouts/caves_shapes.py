"""What an author may set for caves and what is dug to join them."""

from __future__ import annotations

import math
from bisect import bisect
from functools import cached_property, lru_cache, reduce
from itertools import accumulate
from operator import or_
from typing import TYPE_CHECKING, Annotated, NamedTuple

import numpy as np
from pydantic import Field

from dungeon.content.values.grammar import Between, Choice, Constant
from dungeon.content.values.value_fields import IntValue, Probability, within
from dungeon.generation.layouts.dice import RolledParameters
from dungeon.grid.automaton import drawing, grow_apart, majority, stretches
from dungeon.grid.bits import Board, nth_bit
from dungeon.grid.rect import Rect
from dungeon.grid.regions import Parts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from dungeon.core.streams import Stream

# -- params ----------------------------------------------------------------------------------------


class CaveSystemParams(RolledParameters):
    """What an author may set for caves and what is dug to join them.

    Attributes:
        margin: How many cells of earth are left at the map's edges, at least: space for what is embedded later.
        cave: How many cells a cave has, about. Those with fewer than the least of it are filled, those with more than the
            most parted; 200 is taken for 141..283, as parting halves caves.
        barren: At most this share of the ground, and at least half as much, stays earth in stretches as wide as a cave or two.
            Chance says where, so that no two maps have one outline.
        pockets: The share of the places for caves that stay earth.
        fill: The share of a cave's ground that is open before the automaton smooths it: the less, the more nooks.
        steps: How often the automaton smooths it.
        linearity: The share of the caves that is to lie along one way, at least; the rest lies beside it. Where the earth
            does not allow it the journal says how many do. Ways that close loops are short cuts between them.
        loops: How many ways that close loops there are to be, per cave: one at least, wherever it can be dug, unless this is 0.
        saves: How many cells of walk a way that closes a loop must save, if another does.
        reach: How long a tunnel may be, unless it takes longer ones to join all caves, or as many along one way as
            `linearity` says.
        width: How many cells wide tunnels are, wherever there is free earth beside them.
        winding: The share of the tunnels that wind.
        min_caves: With fewer caves (in mines, with fewer caves and rooms) the map is not usable. Where that many of the sizes of
            `cave` find no space they are smaller. Where they still find none, the map's features count, too.
    """

    margin: Annotated[IntValue, within(1, 500)] = Constant(3)
    cave: Annotated[IntValue, within(10, 10_000)] = Choice(
        ((Between(60, 150), 2), (Between(120, 250), 3), (Between(200, 400), 1))
    )
    barren: Probability = 0.3
    pockets: Probability = 0.08
    fill: Probability = 0.68
    steps: Annotated[int, Field(ge=0, le=50, strict=True)] = 5
    linearity: Probability = 0.75
    loops: Probability = 0.2
    saves: Annotated[int, Field(ge=0, strict=True)] = 50
    reach: Annotated[int, Field(ge=1, le=200, strict=True)] = 16
    width: Annotated[IntValue, within(1, 2)] = Choice(((Constant(1), 3), (Constant(2), 1)))
    winding: Probability = 0.9
    min_caves: Annotated[int, Field(ge=1, strict=True)] = 2

    @cached_property
    def mean(self) -> float:
        """How many cells a cave has on average."""
        return sum((size or 0) * share for size, share in self.cave.odds().items())

    @cached_property
    def limits(self) -> tuple[int, int]:
        """The fewest and the most cells of a cave.

        The halves of one that is parted must not be too small: where the sizes that the author wants are closer together
        than by a factor of two, both limits give way alike.
        """
        sizes = list(self.cave.outcomes())
        low, high = min(sizes), max(sizes)
        slack = max(1.0, math.sqrt(2 * low / high))
        return round(low / slack), round(high * slack)


# -- cave_shapes -----------------------------------------------------------------------------------
#
# Cave shapes: caves that lie apart in the earth, before anything joins them.
#
# From a few overlapping blocks at each place for a cave (see `places`) a blob grows until it comes near others, on a board of
# half the size; two cells of earth are left between blobs. What they cover is filled with noise, a cellular automaton makes
# caves of it, those too small are filled, and those too large are parted.
#
#     places             blobs grown apart     noise in them         five steps on
#       o   o   o          ###  ####  ###       #.#  ##.#  ##.        .##   ###  ##.
#     o   o   o           ####  ###  ####      ##.#  .##  ##.#       ####  ###  ###.
#


# -- places -----------------------------------------------------------------------------------------
#
# Places: where in the earth caves may be, and where each of them begins.
#
# No two maps have the same outline: stretches of earth as wide as a cave or several, which grow from a few random blocks, are left
# out of the ground first. Into the rest places are thrown like darts, and those that hit too near another do not count.
#
#     ground         without stretches of earth      places that lie apart
#     ############       ####    ######                ####    #o####
#     ############         ###  #######                  o##  #######
#     ############           ##########                    ########o#
#     ############       ##############                #o####o#######
#
# Places have classes, so that neighbours never share one: all blobs of a class grow as one mask. Everything here is reckoned on a
# board of half the map's size.


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


BLOCKS = 2
"""Of how many blocks a blob's beginning consists."""

SPAN = 0.35
"""How long the blocks' sides are about, as a share of what a square cave's would be."""

SPREAD = 0.3
"""How far blocks are from their place at most, likewise."""

GROWTH = 0.32
"""How often blobs grow, as a share of the cells between two places."""

GROWTH_STEPS = 8
"""How often the parts of a cave grow before it is asked whether they still do."""


def blobs(
    board: Board, earth: Earth, places: Sequence[tuple[Place, int]], spacing: float, stream: Stream
) -> int:
    """Return the union of blobs that grew from the places until they came near each other.

    Args:
        board: The whole map.
        earth: Where blobs may be.
        places: Each with how many cells its cave is to have; 0 for a pocket of earth.
        spacing: How many cells neighbouring places are apart, about.
        stream: Where chance comes from.
    """
    half = earth.board
    kinds = 1 + max((place.kind for place, _ in places), default=0)
    *begun, pockets = np.zeros((kinds + 1, half.height, half.width), np.bool_)
    for place, cells in places:
        _begin(
            begun[place.kind] if cells else pockets,
            place,
            math.sqrt(cells) or spacing,
            earth.area,
            stream.random,
        )
    masks = [half.from_array(each) for each in begun]
    taken = 0
    ground = earth.ground & ~half.from_array(pockets)
    for index, mask in enumerate(masks):
        masks[index] = mask & ground & ~half.around(taken)
        taken |= masks[index]
    grown = grow_apart(half, masks, ground, drawing(stream, half), round(spacing * GROWTH))
    return _doubled(board, half, reduce(or_, grown))


def _begin(
    blob: NDArray[np.bool_], place: Place, side: float, area: Rect, random: Callable[[], float]
) -> None:
    """Set a few blocks about a place, on the board of half the size, from which a blob grows."""
    top, left, bottom, right = area.y, area.x, area.bottom, area.right
    half_y, half_x, spread, span = place.y / 2, place.x / 2, side * SPREAD, side * SPAN
    for _ in range(BLOCKS):
        long = span * (0.6 + 0.8 * random())
        height = min(max(1, int(long * (0.5 + random()) + 0.5)), area.height)
        width = min(max(1, int(long * (0.5 + random()) + 0.5)), area.width)
        y = int(half_y - height / 2 + (random() - 0.5) * spread)
        x = int(half_x - width / 2 + (random() - 0.5) * spread)
        y, x = min(max(y, top), bottom - height), min(max(x, left), right - width)
        blob[y : y + height, x : x + width] = True


def _doubled(board: Board, half: Board, bits: int) -> int:
    """Return the mask of a board of half the size at twice its size."""
    cells = np.zeros((board.height, board.width), np.bool_)
    cells[: 2 * half.height, : 2 * half.width] = half.to_array(bits).repeat(2, 0).repeat(2, 1)
    return board.from_array(cells)


def weathered(board: Board, bits: int, within: int, steps: int) -> Iterator[int]:
    """Yield noise, and what the automaton makes of it after each step; nothing opens outside of `within`."""
    yield bits
    for _ in range(steps):
        bits = majority(board, bits) & within
        yield bits


def numbered(
    cells: NDArray[np.bool_], low: int, high: int, stream: Stream
) -> tuple[NDArray[np.int32], list[Rect]]:
    """Number the caves that open cells make; fill the small ones, part the large ones.

    Args:
        cells: (height, width) bool.
        low: The fewest cells of a cave.
        high: The most.
        stream: Where chance comes from.

    Returns:
        A (height, width) array, 0 in the earth and 1, 2, 3... in the caves; and the smallest rectangle around each.
    """
    parts = Parts(cells)
    boxes, sizes = parts.boxes(), parts.sizes
    large = (sizes > high).nonzero()[0].tolist()
    if large:
        cells = cells.copy()
        for part in large:
            box = boxes[part - 1]
            _part(cells[box.slices], parts.first(part).x - box.x, high, stream)
        parts = Parts(cells)
        boxes, sizes = parts.boxes(), parts.sizes
    kept = sizes >= low
    kept[0] = False
    numbers = (kept.cumsum() * kept).astype(np.int32)
    return parts.numbered(numbers), [box for box, is_kept in zip(boxes, kept[1:], strict=True) if is_kept]


def _part(cells: NDArray[np.bool_], first: int, high: int, stream: Stream) -> None:
    """Part a cave until none of its parts is too large.

    Two ends that lie far apart grow towards each other, and where they come near, a wall of earth stays.

    Args:
        cells: Those in the smallest rectangle around it, which are changed.
        first: A column in which a cell of the top row is part of it.
        high: The most cells of a part.
        stream: Where chance comes from.
    """
    board = Board(*cells.shape)
    draw = drawing(stream, board)
    open_cells = board.from_array(cells)
    whole = board.flood(open_cells, 1 << first)
    parts, done = [whole], 0
    while parts:
        part = parts.pop()
        if part.bit_count() <= high:
            done |= part
            continue
        end = board.last_reached(part, part & -part)
        ends = [end, board.last_reached(part, end)]
        grown: list[int] = []
        while grown != ends:
            grown, ends = ends, grow_apart(board, ends, part, draw, GROWTH_STEPS)
        parts += ends
    cells[:] = board.to_array(open_cells ^ whole ^ done)
