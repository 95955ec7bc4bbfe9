"""Shapes of caves that lie apart in the earth, before anything joins them; parameters of the layouts `caves` and `mines`.

A *place* is a point of the map around which a cave is to grow. A *blob* is the rough shape of a cave: it grows from a few
overlapping blocks at its place until it comes near other blobs. *Stretches* and *pockets* are parts that stay earth.

Blobs grow on a board of half the map's size, and two cells of earth stay between them. They are filled with noise, and a
cellular automaton turns the noise into caves. Caves that are too small are filled; caves that are too large are
split.

    places             blobs grown apart     noise in them         five steps on
      o   o   o          ###  ####  ###       #.#  ##.#  ##.        .##   ###  ##.
    o   o   o           ####  ###  ####      ##.#  .##  ##.#       ####  ###  ###.
"""

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

# -- parameters ------------------------------------------------------------------------------------


class CaveSystemParams(RolledParameters):
    """Parameters of caves and of the tunnels that join them.

    Attributes:
        margin: The fewest cells of earth at the map's edges: space for encounters that are embedded in earth later.
        cave: The size of a cave in cells, roughly. Caves with fewer cells than the lowest value are filled, and caves
            with more than the highest are split; 200 means 141..283, since a split halves a cave.
        barren: The largest share of the ground that stays earth in stretches as wide as a cave or two; at least half of this share does.
            Their places are random, so that no two maps have the same outline.
        pockets: The share of the places for caves that stay earth.
        fill: The share of a cave's ground that is open before the automaton smooths it. A lower share gives more
            nooks.
        steps: The number of steps of the automaton.
        linearity: The smallest share of the caves that lie along one path; the others lie beside it. If the earth
            does not allow it, the journal tells how many do. Tunnels that close loops are short cuts between caves of
            this path.
        loops: The number of tunnels that close loops, per cave. Unless this is 0, one is dug at least, if one can be.
        saves: The fewest steps of walk that a tunnel which closes a loop must save. If no tunnel saves as much, one
            that saves less is dug.
        reach: The greatest length of a tunnel, in cells. Longer ones are dug only to join all caves, or for
            `linearity`.
        width: The width of tunnels in cells, where there is free earth beside them.
        winding: The share of the tunnels that wind.
        min_caves: The fewest caves (in mines: caves and rooms) of a usable map. If too few caves of the sizes `cave`
            have space, they are smaller. If there are still too few, regions that were on the map before count, too.
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
        """The mean size of a cave, in cells."""
        return sum((size or 0) * share for size, share in self.cave.odds().items())

    @cached_property
    def limits(self) -> tuple[int, int]:
        """The fewest and the most cells of a cave.

        The most are at least twice the fewest, so that both halves of a split cave are large enough. If the values of
        `cave` are closer together, both limits are moved apart by the same factor: 200 alone gives (141, 283).
        """
        sizes = list(self.cave.outcomes())
        low, high = min(sizes), max(sizes)
        slack = max(1.0, math.sqrt(2 * low / high))
        return round(low / slack), round(high * slack)


# -- places -----------------------------------------------------------------------------------------
#
# First, stretches of earth as wide as a cave or several are left out of the ground. They grow from a few random blocks, so
# that no two maps have the same outline. Then places for caves are chosen in the rest like darts that may not hit near
# each other.
#
#     ground         without stretches of earth      places that lie apart
#     ############       ####    ######                ####    #o####
#     ############         ###  #######                  o##  #######
#     ############           ##########                    ########o#
#     ############       ##############                #o####o#######
#
# Each place has a class, and neighbours never share one (a graph colouring). So all blobs of a class grow as one mask.
# Everything here is on a board of half the map's size.


RAGGED = 1
"""How many cells deep the edges of the ground are made ragged."""

APART = 0.85
"""The smallest distance between two places, as a share of the mean `spacing`."""

NEIGHBOURS = 1.4
"""Places within this distance are neighbours, as a share of `spacing`."""

BAND = 16
"""Number of rows whose free cells are counted together: a random free cell is found by band, then by row."""

REMEMBERED = 64
"""Number of discs kept in the cache. Maps of one size with caves of one size always use the same two."""


class CavePlace(NamedTuple):
    """A point of the map around which a cave is to grow.

    Attributes:
        y: Its row on the map.
        x: Its column on the map.
        kind: Its class, from 0. No two neighbours have the same class, so all blobs of one class can grow as one mask.
    """

    y: float
    x: float
    kind: int


class CaveEarth(NamedTuple):
    """The part of a map in which caves may be, at half the map's size.

    Attributes:
        board: The layout of masks at half the map's size.
        area: The rectangle of this board in which the ground lies.
        ground: The mask of the cells of this board in which caves may be.
    """

    board: Board
    area: Rect
    ground: int


def outline_earth(board: Board, area: Rect, barren: float, spacing: float, stream: Stream) -> CaveEarth:
    """Return the part of a map in which caves may be: an area with ragged edges, without random stretches that stay earth.

    Args:
        board: The layout of the whole map's masks.
        area: The rectangle of the map in which caves may be.
        barren: The largest share of it that is left out; at least half of that share is.
        spacing: The mean distance of neighbouring places, in cells of the map.
        stream: The random stream.
    """
    half = Board(board.height // 2, board.width // 2)
    top, left = (area.y + 1) // 2, (area.x + 1) // 2
    within = Rect(top, left, max(0, area.bottom // 2 - top), max(0, area.right // 2 - left))
    if within.area == 0:
        return CaveEarth(half, within, 0)
    earth = stretches(half, within, barren, spacing / 2, stream)
    inset = RAGGED if min(within.height, within.width) > 3 * RAGGED else 0
    whole, inner = half.block(*within), half.block(*within.grown(-inset))
    (ground,) = grow_apart(half, [inner], whole, drawing(stream, half), inset)
    return CaveEarth(half, within, ground & ~earth)


def throw_places(earth: CaveEarth, spacing: float, stream: Stream) -> Iterator[CavePlace]:
    """Yield random places (points around which caves grow), about `spacing` cells apart, until there is no space for another.

    Dart throwing, after R. L. Cook, "Stochastic Sampling in Computer Graphics" (1986). Here no dart misses: a mask
    holds the cells that are far enough from all places so far. Each place is a random cell of it, and a disc around
    it is cleared.

    Args:
        earth: The part of the map in which caves may be.
        spacing: The mean distance of neighbouring places, in cells of the map.
        stream: The random stream.
    """
    half, random = earth.board, stream.random
    apart, wide = spacing * APART / 2, spacing * NEIGHBOURS / 2
    frame = int(wide)  # discs reach this far beyond the earth
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
        for kind, taken in enumerate(classes):  # noqa: B007  # take the first class that no neighbour has
            if not taken[y] >> x & 1:
                break
        else:
            kind = len(classes)
            classes.append([0] * rows)
        taken = classes[kind]
        for at, disc in enumerate(nearly, y - len(nearly) // 2):
            taken[at] |= disc << x - frame
        yield CavePlace(2 * (y - frame + random()), 2 * (x - frame + random()), kind)


@lru_cache(maxsize=REMEMBERED)
def _disc(centre: int, radius: float) -> list[int]:
    """Return a disc as one mask per row, from top to bottom: the cells at most `radius` away from its centre.

    Args:
        centre: The column of the centre: the number of its bit in the middle row.
        radius: The radius in cells.
    """
    reaches = (int(math.sqrt(radius * radius - dy * dy)) for dy in range(-int(radius), int(radius) + 1))
    return [(1 << 2 * reach + 1) - 1 << centre - reach for reach in reaches]


BLOCKS = 2
"""Number of blocks from which a blob begins: two that overlap give an irregular start."""

SPAN = 0.35
"""Length of the blocks' sides, roughly, as a share of the side of a square cave."""

SPREAD = 0.3
"""Greatest distance of a block from its place, as a share of the side of a square cave."""

GROWTH = 0.32
"""Number of steps that blobs grow, as a share of the distance between two places."""

GROWTH_STEPS = 8
"""Number of steps that the parts of a split cave grow before it is checked whether they still grow."""


def blobs(
    board: Board, earth: CaveEarth, places: Sequence[tuple[CavePlace, int]], spacing: float, stream: Stream
) -> int:
    """Return the mask of all blobs (rough shapes of caves), grown from their places until they come near each other.

    Args:
        board: The layout of the whole map's masks, and of the result.
        earth: The part of the map in which blobs may be.
        places: Each place with the size of its cave in cells; 0 for a place that stays earth.
        spacing: The mean distance of neighbouring places, in cells of the map.
        stream: The random stream.
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
    blob: NDArray[np.bool_], place: CavePlace, side: float, area: Rect, random: Callable[[], float]
) -> None:
    """Set the first cells of a blob (the rough shape of a cave): a few blocks around its place, from which it grows.

    Args:
        blob: (height, width) bool at half the map's size; changed.
        place: The place of the cave.
        side: The side of a square cave of the wanted size, in cells of the map.
        area: The rectangle of `blob` in which all blocks must lie.
        random: Draws from 0 to 1.
    """
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
    """Return a mask of the map's board from one of half the map's size: each set cell becomes a block of 2 x 2 cells.

    Args:
        board: The layout of the whole map's masks.
        half: The layout of masks at half the map's size.
        bits: The mask, of the board `half`.
    """
    cells = np.zeros((board.height, board.width), np.bool_)
    cells[: 2 * half.height, : 2 * half.width] = half.to_array(bits).repeat(2, 0).repeat(2, 1)
    return board.from_array(cells)


def automaton_steps(board: Board, bits: int, within: int, steps: int) -> Iterator[int]:
    """Yield a mask of noise, then the mask after each step of the cellular automaton that smooths it to caves.

    Args:
        board: The layout of the masks.
        bits: The noise: the mask of the cells that are open at first.
        within: The mask of the cells that may be open; all others stay closed.
        steps: The number of steps.
    """
    yield bits
    for _ in range(steps):
        bits = majority(board, bits) & within
        yield bits


def numbered(
    cells: NDArray[np.bool_], low: int, high: int, stream: Stream
) -> tuple[NDArray[np.int32], list[Rect]]:
    """Number the caves (connected components of open cells), after filling small caves and splitting large ones.

    Args:
        cells: (height, width) bool, the open cells.
        low: The fewest cells of a cave.
        high: The most cells of a cave.
        stream: The random stream.

    Returns:
        A (height, width) array with 0 in the earth and 1, 2, 3... in the caves; and the smallest rectangle around
        each cave.
    """
    parts = Parts(cells)
    boxes, sizes = parts.boxes(), parts.sizes
    large = (sizes > high).nonzero()[0].tolist()
    if large:
        cells = cells.copy()
        for part in large:
            box = boxes[part - 1]
            _split(cells[box.slices], parts.first(part).x - box.x, high, stream)
        parts = Parts(cells)
        boxes, sizes = parts.boxes(), parts.sizes
    kept = sizes >= low
    kept[0] = False
    numbers = (kept.cumsum() * kept).astype(np.int32)
    return parts.numbered(numbers), [box for box, is_kept in zip(boxes, kept[1:], strict=True) if is_kept]


def _split(cells: NDArray[np.bool_], first: int, high: int, stream: Stream) -> None:
    """Split a cave by walls of earth until no part has more than `high` cells.

    Two ends of the cave that lie far apart grow towards each other. Where they come near each other, a wall of earth stays.

    Args:
        cells: (height, width) bool, the open cells in the smallest rectangle around the cave; changed.
        first: A column in which the cave has a cell of the top row.
        high: The most cells of a part.
        stream: The random stream.
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
