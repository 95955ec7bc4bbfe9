"""Lakes, rivers and chasms on the ground: where ways go on across them, and what their banks are made of."""

from __future__ import annotations

from functools import reduce
from itertools import islice
from math import cos, pi, sin
from operator import or_
from typing import TYPE_CHECKING

import numpy as np

from dungeon import terrain as t
from dungeon.content.values.grammar import roll
from dungeon.core.errors import counted
from dungeon.generation.dressing.ground import PassOutcome
from dungeon.grid.bits import Board, flooded, without
from dungeon.grid.noise import grain, value_noise
from dungeon.grid.rect import Rect
from dungeon.grid.regions import Parts
from dungeon.grid.ways import find_way

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dungeon.content.models.dressing import BodyEntry, ChasmEntry, LakeEntry, RiverEntry
    from dungeon.core.streams import Stream
    from dungeon.generation.dressing.ground import DressingGround

# -- ways -------------------------------------------------------------------------------------------
#
# Ways across what is flooded: where it would cut walkers off, and by which cells they go on.
#
# It is enough to look at the ground close by. If whatever hangs together there goes on hanging together, every way that
# led through the flooded cells leads around them, or over their crossings, and stays about as long as it was::
#
#     ...~~....        .  ground        Left and right of the river hang together by way of a crossing =,
#     ...~~....        ~  flooded       though there may be a long way round somewhere else.
#     ...==....
#     ..~~.....


CLOSE_BY = 3
"""So many cells around what is flooded, ground hangs together as it did before."""

ISLET = 6
"""So many cells that nobody would get to are flooded as well."""


def ways_across(board: Board, walked: int, flood: int, soft: int, stream: Stream) -> tuple[int, int]:
    """Return what is flooded in the end, and which cells of it must be crossings.

    Where no crossing is needed ways lead around; if one is needed and there is none, some way is cut.

    Args:
        board: How masks are laid out.
        walked: Where walkers get now.
        flood: The cells that are to be flooded.
        soft: The cells that may be flooded besides: islets are.
        stream: Which crossing it is where several are as short.
    """
    whole = board
    area = whole.bounds(flood).grown(CLOSE_BY + 1).clipped(board.height, board.width)
    board = Board(area.height, area.width)
    flood, walked, soft = (whole.cut(mask, area) for mask in (flood, walked, soft))
    close = flood
    for _ in range(CLOSE_BY):
        close = board.around(close)
    dry = walked & close & ~flood
    shore = board.beside(flood) & dry
    parts = []
    while shore:
        part = flooded(dry, shore & -shore, board.stride)
        shore &= ~part
        if (
            part.bit_count() <= ISLET
            and not part & ~soft
            and not board.beside(part) & walked & ~part & ~flood
        ):
            flood |= part  # shut in
        else:
            parts.append(part)
    wet, crossings, every = flood & walked, 0, reduce(or_, parts, 0)
    while len(parts) > 1:
        part, others = parts[0], every & ~parts[0]
        cells = find_way(board, {1: wet}, board.beside(part), board.beside(others), random=stream.random)
        way = board.from_cells(cells)
        if not way:
            every ^= parts.pop(0)  # it never hung together with the others
            continue
        crossings |= way
        every |= way
        joined = board.beside(way)
        met = [each for each in parts if each & joined]
        parts = [reduce(or_, met, way), *(each for each in parts if not each & joined)]
    return whole.put_back(flood, area), whole.put_back(crossings, area)


# -- lakes ------------------------------------------------------------------------------------------
#
# The shapes of lakes: they grow from where there is space, cell by cell at their rims, until they are large enough.


SMALLEST_LAKE = 0.6
"""A lake that has this share of the cells that were asked for is large enough."""

MOST = 0.55
"""It takes no more than this share of the ground that hangs together: what is left is its shore."""

DEEP = 2
"""It begins so many cells from the nearest wall, where that is possible."""


ABOVE = 16
"""So many rows above a lake are looked at, and as many more when it comes to the first of them."""


def lakes(ground: DressingGround, area: int, wanted: int, stream: Stream) -> Iterator[int]:
    """Yield lakes of about that many cells, each of them elsewhere, until no place is left.

    Of each comes a second, one step away from everything that stops walkers: in a ring of free cells nothing is cut off.

    Args:
        ground: The map.
        area: The cells that may be flooded.
        wanted: How many cells a lake is to have.
        stream: Where chance comes from.
    """
    board = ground.board
    least = max(round(wanted * SMALLEST_LAKE), 1)
    parts = Parts(board.to_array(area))
    most = parts.numbered(np.minimum(np.rint(parts.sizes * MOST), wanted).astype(np.int32))
    left = board.from_array(most >= least)
    if not left:
        return
    middles = area
    for _ in range(DEEP):
        middles &= ~board.beside(board.full & ~middles)
    free = area & ~board.around(board.full & ~ground.walked)
    is_left = board.to_flags(left)
    for starts in (middles, area):
        for place in ground.in_random_order(starts & left, stream):
            if not is_left[place]:
                continue
            start, size = 1 << place, most.item(divmod(place, board.stride))
            lake = _grown(board, area, start, size, stream)
            left = without(left, lake)
            is_left = board.to_flags(left)
            if lake.bit_count() >= least:
                yield lake
            pond = _grown(board, free, start & free, size, stream)
            if pond.bit_count() >= least:
                yield pond


def _grown(board: Board, area: int, start: int, wanted: int, stream: Stream) -> int:
    """Let a cell grow over an area: at random at its rim, and wherever it is enclosed on two sides (after M. Eden, 1961)."""
    size, stride = board.height * board.stride, board.stride
    # The masks are shorter without the rows above all of this, but for a few.
    low = max(start.bit_length() // stride - ABOVE, 0) * stride
    lake, free, first = start >> low, (area ^ start) >> low, (1 << stride) - 1
    while (lacking := wanted - lake.bit_count()) > 0:
        if low and lake & first:
            by = min(ABOVE * stride, low)
            low -= by
            lake <<= by
            free = area >> low ^ lake
        left, right, up, down = lake << 1, lake >> 1, lake << stride, lake >> stride
        beside, above = left | right, up | down
        rim = (beside | above) & free
        if not rim:
            break
        inlets = (left & right | up & down | beside & above) & rim
        more = rim & stream.bits(size) >> low | inlets
        while more.bit_count() > lacking:
            more &= stream.bits(size) >> low
        lake |= more
        free ^= more
    return lake << low


# -- rivers -----------------------------------------------------------------------------------------
#
# The courses of rivers: they wind around what is hard to get through, from one side to the opposite one.


BEND = 9
"""So many cells lie between the hills around which a river winds."""

PEBBLES = 0.8
"""How much single cells count beside the hills."""

HARD, HARDER = 0.42, 0.6
"""From these values of the noise on, ground takes twice as long, and four times."""


def courses(ground: DressingGround, area: int, part: Rect, width: int, stream: Stream) -> Iterator[int]:
    """Yield the cells of rivers across a part of the map: from side to side, or else from top to bottom.

    A river begins and ends within half of its side, and where no way leads from there, anywhere on it.

    Args:
        ground: The map.
        area: The cells through which it may flow.
        part: What it flows across.
        width: How many cells wide it is.
        stream: Where chance comes from.
    """
    board = ground.board
    speeds = _speeds(ground, area, stream)
    lies_across = part.width * stream.random() > part.height * stream.random()
    for across in (lies_across, not lies_across):
        length = part.height if across else part.width
        half = (length + 1) // 2
        places = [(stream.between(0, length - half), half), (stream.between(0, length - half), half)]
        for one, other in (places, [(0, length), (0, length)]):
            starts = _line(board, part, one, far=False, across=across) & area
            goal = _line(board, part, other, far=True, across=across) & area
            if way := find_way(board, speeds, starts, goal):
                yield _widened(board, board.from_cells(way), width) & area


def _speeds(ground: DressingGround, area: int, stream: Stream) -> dict[int, int]:
    """Return turns -> the cells through which a river takes so many; it keeps out of corridors as far as it can."""
    board = ground.board
    noise = value_noise(stream, board.height, board.width, BEND)
    noise += PEBBLES * (grain(stream, board.height, board.width) - 0.5)
    hard, harder = board.from_array(noise > HARD), board.from_array(noise > HARDER)
    harder |= board.from_array(ground.canvas.base == t.CORRIDOR)
    return {1: area & ~hard & ~harder, 2: area & hard & ~harder, 4: area & harder}


def _line(board: Board, part: Rect, place: tuple[int, int], *, far: bool, across: bool) -> int:
    """Return the cells of one side of a rectangle, from the how-manieth on and how many."""
    first, count = place
    if across:
        return board.block(part.y + first, part.right - 1 if far else part.x, count, 1)
    return board.block(part.bottom - 1 if far else part.y, part.x + first, 1, count)


def _widened(board: Board, way: int, width: int) -> int:
    """Return a way that is 1 to 3 cells wide."""
    if width == 1:
        return way
    return way | board.move(way, 0, 1) | board.move(way, 1, 0) if width == 2 else board.beside(way)


# -- chasms -----------------------------------------------------------------------------------------
#
# The shapes of chasms: jagged lines, widest in the middle.


SHORTEST_CHASM = 0.6
"""A chasm that has this share of the length that was asked for is long enough."""

JAGGED = 0.5
"""How far it may turn from cell to cell, in radians."""


def chasms(
    ground: DressingGround, area: int, seen: int, length: int, width: int, stream: Stream
) -> Iterator[int]:
    """Yield chasms of about that length, each of them with its middle elsewhere, until no place is left.

    Args:
        ground: The map.
        area: The cells through which it may go.
        seen: Those of them in which its middle may lie: a chasm within rock would be lost on everybody.
        length: From end to end.
        width: In the middle.
        stream: Where chance comes from.
    """
    board, size = ground.board, (length // 2, width)
    within, left = board.to_flags(area), board.to_array(seen)
    for place in ground.in_random_order(seen, stream):
        y, x = divmod(place, board.stride)
        if not left[y, x]:
            continue
        heading = stream.random() * 2 * pi
        (one, steps), (other, more) = (
            _arm(board, within, (y, x), heading + turn, size, stream) for turn in (0.0, pi)
        )
        if steps + more + 1 >= length * SHORTEST_CHASM:
            centre = 1 << place
            torn = reduce(or_, (board.block(*each) for each in (*one, *other)), centre)
            yield flooded(area & torn, centre, board.stride)
        left[max(y - 1, 0) : y + 2, max(x - 1, 0) : x + 2] = False


def _arm(
    board: Board, area: bytes, start: tuple[int, int], heading: float, size: tuple[int, int], stream: Stream
) -> tuple[list[Rect], int]:
    """Return the blocks of one half of a chasm, which may stick out of the area, and how long it is within."""
    length, width = size
    y, x = start[0] + 0.5, start[1] + 0.5
    blocks: list[Rect] = []
    for step in range(length):
        high = max(round(width * cos(step / (length + 1) * pi / 2)), 1)
        top, left = int(y) - high // 2, int(x) - high // 2
        bottom, right = min(top + high, board.height), min(left + high, board.width)
        top, left = max(top, 0), max(left, 0)
        place = int(y) * board.stride + int(x)
        if not area[place]:
            return blocks, step
        blocks.append(Rect(top, left, bottom - top, right - left))
        heading += (stream.random() - 0.5) * 2 * JAGGED
        # No step is diagonal, so that the line hangs together.
        if stream.random() < abs(sin(heading)) / (abs(sin(heading)) + abs(cos(heading))):
            y += 1 if sin(heading) > 0 else -1
        else:
            x += 1 if cos(heading) > 0 else -1
    return blocks, length


CUTS_OFF = "wherever it was tried it would cut a way, and it has no 'crossing'"

LAKES, CHASMS = 32, 256
"""Maximum number of shapes that are tried for one lake and one chasm: a refusal takes time in proportion to the area."""


def lake(ground: DressingGround, entry: LakeEntry, stream: Stream) -> PassOutcome:
    """Lay a lake where there is space for it."""
    wanted = roll(entry.cells, stream, 20)
    area = ground.soft & ground.asked(entry, stream)
    shapes = islice(lakes(ground, area, wanted, stream), LAKES)
    return _laid(ground, entry, shapes, stream, f"nowhere is there space for {counted(wanted, 'cell')}")


def river(ground: DressingGround, entry: RiverEntry, stream: Stream) -> PassOutcome:
    """Let a river flow, where it comes past something open."""
    width = roll(entry.width, stream, 1)
    part = ground.part(entry, stream)
    seen = ground.soft & ground.of_kind(entry.regions)
    area = (seen | ground.rock) & ground.board.block(*part)
    shapes = (each for each in courses(ground, area, part, width, stream) if each & seen)
    return _laid(ground, entry, shapes, stream, "no way leads from edge to edge")


def chasm(ground: DressingGround, entry: ChasmEntry, stream: Stream) -> PassOutcome:
    """Tear the ground open."""
    length, width = roll(entry.length, stream, 12), roll(entry.width, stream, 2)
    part = ground.board.block(*ground.part(entry, stream))
    seen = ground.soft & ground.of_kind(entry.regions) & part
    shapes = islice(chasms(ground, seen | ground.rock & part, seen, length, width, stream), CHASMS)
    return _laid(ground, entry, shapes, stream, f"nowhere is there space for {counted(length, 'cell')}")


def _laid(
    ground: DressingGround, entry: BodyEntry, shapes: Iterable[int], stream: Stream, lacking: str
) -> PassOutcome:
    """Lay the first of some shapes that leaves walkers their ways.

    Args:
        ground: The map.
        entry: What its author says.
        shapes: The cells of each.
        stream: Where chance comes from.
        lacking: Why there may be none.
    """
    name = roll(entry.what, stream, "")
    if not name:
        return PassOutcome(done=False, text="its terrain does not apply this time")
    board, code = ground.board, ground.codes[name]
    is_walked = bool(ground.canvas.terrain_set.walkable[code])
    for shape in shapes:
        if is_walked:
            flood, crossings = shape & ground.soft, 0  # what one can wade through opens no ways through rock
        else:
            flood, crossings = ways_across(board, ground.walked, shape, ground.soft, stream)
        if crossings and entry.crossing is None:
            lacking = CUTS_OFF
            continue
        if not is_walked and (fault := ground.lost(flood & ~crossings)):
            lacking = f"wherever it was tried {fault}"
            continue
        ground.lay(flood & ~crossings, code)
        if entry.crossing is not None:
            ground.strew(crossings, entry.crossing, stream)
        if entry.bank is not None:
            ground.strew(board.around(flood) & ground.floor & ~crossings, entry.bank, stream)
        y, x = board.nth(flood, flood.bit_count() // 2)
        text = f"{counted(flood.bit_count(), 'cell')} of {name} about y {y}, x {x}"
        if crossings:
            text += f", {counted(crossings.bit_count(), 'cell')} across"
        return PassOutcome(done=True, text=text)
    return PassOutcome(done=False, text=lacking)
