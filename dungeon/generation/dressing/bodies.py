"""Lakes, rivers and chasms: their shapes, the crossings that keep walkers' paths open, and the terrain of their banks.

To flood cells is to give them the terrain of a lake, river or chasm. A crossing is cells by which walkers get over it,
such as a bridge. The ground (`DressingGround`) knows which cells of the map may change; an area is a mask. A mask is an
int with one bit a cell.
"""

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
# Crossings over flooded cells, where flooding would cut walkers off.
#
# It is enough to look at the ground close by. If parts that are connected there stay connected, every way that led
# through flooded cells now leads around them or over a crossing, and is about as long as before::
#
#     ...~~....        .  ground        The sides of the river are connected by a crossing (=), even if there
#     ...~~....        ~  flooded       is a long way round somewhere else.
#     ...==....
#     ..~~.....


CONNECTED_WITHIN = 3
"""Distance in cells around flooded ground within which connected ground must stay connected."""

MAX_ISLET = 6
"""Islands of up to this many cells are flooded as well."""


def ways_across(board: Board, walked: int, flood: int, soft: int, stream: Stream) -> tuple[int, int]:
    """Find where walkers must be able to cross flooded cells, so that ground connected now stays connected.

    Args:
        board: Converts between cells and masks.
        walked: Mask of the cells that walkers use now.
        flood: Mask of the cells to flood.
        soft: Mask of further cells that may be flooded. Small islands of such cells in the flood are flooded, too.
        stream: The random stream: it picks among the shortest crossings.

    Returns:
        (mask of the flooded cells, small islands included; mask of the flooded cells that must become crossings, 0 if other paths
        lead around the flood).
    """
    whole = board
    area = whole.bounds(flood).grown(CONNECTED_WITHIN + 1).clipped(board.height, board.width)
    board = Board(area.height, area.width)
    flood, walked, soft = (whole.cut(mask, area) for mask in (flood, walked, soft))
    close = flood
    for _ in range(CONNECTED_WITHIN):
        close = board.around(close)
    dry = walked & close & ~flood
    shore = board.beside(flood) & dry
    parts = []
    while shore:
        part = flooded(dry, shore & -shore, board.stride)
        shore &= ~part
        if (
            part.bit_count() <= MAX_ISLET
            and not part & ~soft
            and not board.beside(part) & walked & ~part & ~flood
        ):
            flood |= part  # an islet
        else:
            parts.append(part)
    wet, crossings, every = flood & walked, 0, reduce(or_, parts, 0)
    while len(parts) > 1:
        part, others = parts[0], every & ~parts[0]
        cells = find_way(board, {1: wet}, board.beside(part), board.beside(others), random=stream.random)
        way = board.from_cells(cells)
        if not way:
            every ^= parts.pop(0)  # it was not connected with the others before
            continue
        crossings |= way
        every |= way
        joined = board.beside(way)
        met = [each for each in parts if each & joined]
        parts = [reduce(or_, met, way), *(each for each in parts if not each & joined)]
    return whole.put_back(flood, area), whole.put_back(crossings, area)


# -- lakes ------------------------------------------------------------------------------------------
#
# Lakes grow from a cell with space around it, by cells at their rim, until they are large enough.


MIN_LAKE_SHARE = 0.6
"""A lake is large enough with this share of the cells that were asked for."""

MAX_LAKE_SHARE = 0.55
"""Maximum share of a connected area that a lake takes; the rest is its shore."""

LAKE_WALL_DISTANCE = 2
"""Distance in cells from the nearest wall at which a lake starts, if possible."""


ROW_MARGIN = 16
"""Number of rows above a lake that its masks include; when the lake reaches the first of them, as many more are added."""


def lakes(ground: DressingGround, area: int, wanted: int, stream: Stream) -> Iterator[int]:
    """Yield masks of lakes of about `wanted` cells, grown from one cell after another, until all possible lakes have been yielded.

    From each cell up to two lakes grow. The first may touch walls. The second keeps one cell away from walls and obstacles, so that
    walkers can go all around it; such a lake cuts nothing off.

    Args:
        ground: The map.
        area: Mask of the cells that may be flooded.
        wanted: The number of cells of a lake.
        stream: The random stream.
    """
    board = ground.board
    least = max(round(wanted * MIN_LAKE_SHARE), 1)
    parts = Parts(board.to_array(area))
    most = parts.numbered(np.minimum(np.rint(parts.sizes * MAX_LAKE_SHARE), wanted).astype(np.int32))
    left = board.from_array(most >= least)
    if not left:
        return
    middles = area
    for _ in range(LAKE_WALL_DISTANCE):
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
    """Return the mask of a lake grown from one cell, by an Eden model (M. Eden, 1961).

    Each round adds random cells beside the lake, and all cells that have the lake on two sides.

    Args:
        board: Converts between cells and masks.
        area: Mask of the cells that the lake may take.
        start: Mask of the first cell.
        wanted: The number of cells of the lake; it gets fewer if the area is too small.
        stream: The random stream.
    """
    size, stride = board.height * board.stride, board.stride
    # Rows far above the start are cut off: shorter ints make each step cheaper.
    low = max(start.bit_length() // stride - ROW_MARGIN, 0) * stride
    lake, free, first = start >> low, (area ^ start) >> low, (1 << stride) - 1
    while (lacking := wanted - lake.bit_count()) > 0:
        if low and lake & first:
            by = min(ROW_MARGIN * stride, low)
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
# Rivers are shortest ways from one side to the opposite one through noise, so they wind around its hills.


HILL_SPACING = 9
"""Distance in cells between the hills around which a river winds."""

RIVER_GRAIN = 0.8
"""Weight of the noise of single cells, added to the noise of the hills."""

HARD, HARDER = 0.42, 0.6
"""Thresholds of the noise: above the first a cell costs a river twice as much, above the second four times."""


def courses(ground: DressingGround, area: int, part: Rect, width: int, stream: Stream) -> Iterator[int]:
    """Yield the masks of up to four rivers across a part of the map: two from west to east, and two from north to south, in random order.

    In each direction, the first river begins in a random half of one side of the part and ends in a random half of the opposite side.
    The second river may begin and end anywhere on these two sides.

    Args:
        ground: The map.
        area: Mask of the cells through which the river may flow.
        part: The part of the map to cross.
        width: The width of the river in cells, 1 to 3.
        stream: The random stream.
    """
    board = ground.board
    speeds = _costs(ground, area, stream)
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


def _costs(ground: DressingGround, area: int, stream: Stream) -> dict[int, int]:
    """Return cost (1, 2 or 4) -> mask of the cells of `area` that cost a river this much to flow through; 4 for corridors.

    A river takes the cheapest path, so random costs make it wind.
    """
    board = ground.board
    noise = value_noise(stream, board.height, board.width, HILL_SPACING)
    noise += RIVER_GRAIN * (grain(stream, board.height, board.width) - 0.5)
    hard, harder = board.from_array(noise > HARD), board.from_array(noise > HARDER)
    harder |= board.from_array(ground.canvas.base == t.CORRIDOR)
    return {1: area & ~hard & ~harder, 2: area & hard & ~harder, 4: area & harder}


def _line(board: Board, part: Rect, place: tuple[int, int], *, far: bool, across: bool) -> int:
    """Return the mask of some neighbouring cells of one side of a rectangle.

    Args:
        board: Converts between cells and masks.
        part: The rectangle.
        place: (first cell along the side, number of cells).
        far: Whether to take the right or bottom side, not the left or top one.
        across: Whether to take the left or right side, not the top or bottom one.
    """
    first, count = place
    if across:
        return board.block(part.y + first, part.right - 1 if far else part.x, count, 1)
    return board.block(part.bottom - 1 if far else part.y, part.x + first, 1, count)


def _widened(board: Board, way: int, width: int) -> int:
    """Return the mask of a river's path, one cell wide in `way`, made `width` (1 to 3) cells wide."""
    if width == 1:
        return way
    return way | board.move(way, 0, 1) | board.move(way, 1, 0) if width == 2 else board.beside(way)


# -- chasms -----------------------------------------------------------------------------------------
#
# Chasms are jagged lines, widest in the middle.


MIN_CHASM_SHARE = 0.6
"""A chasm is long enough with this share of the length that was asked for."""

MAX_TURN = 0.5
"""Maximum change of its direction at each cell, in radians."""


def chasms(
    ground: DressingGround, area: int, seen: int, length: int, width: int, stream: Stream
) -> Iterator[int]:
    """Yield masks of chasms about `length` cells long, each with its middle in another place, until no place is left.

    Args:
        ground: The map.
        area: Mask of the cells through which a chasm may go.
        seen: Mask of the open cells of `area`. The middle of a chasm lies in one of them, since no player would see a chasm that is
            all within rock.
        length: The length of a chasm in cells.
        width: The width of a chasm in cells at its middle; it narrows towards both ends.
        stream: The random stream.
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
        if steps + more + 1 >= length * MIN_CHASM_SHARE:
            centre = 1 << place
            torn = reduce(or_, (board.block(*each) for each in (*one, *other)), centre)
            yield flooded(area & torn, centre, board.stride)
        left[max(y - 1, 0) : y + 2, max(x - 1, 0) : x + 2] = False


def _arm(
    board: Board, area: bytes, start: tuple[int, int], heading: float, size: tuple[int, int], stream: Stream
) -> tuple[list[Rect], int]:
    """Return (squares of cells, length in cells) of one half of a chasm, from the chasm's middle to one end.

    The half ends where it leaves the area; squares may reach out of the area.

    Args:
        board: Converts between cells and masks.
        area: For each bit of a mask, 1 if the cell belongs to the area.
        start: The cell in the middle of the chasm.
        heading: The first direction, in radians; it changes a little at each cell.
        size: (length of the half, width in the middle) in cells.
        stream: The random stream.
    """
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
        heading += (stream.random() - 0.5) * 2 * MAX_TURN
        # Steps are never diagonal, so that the line is 4-connected.
        if stream.random() < abs(sin(heading)) / (abs(sin(heading)) + abs(cos(heading))):
            y += 1 if sin(heading) > 0 else -1
        else:
            x += 1 if cos(heading) > 0 else -1
    return blocks, length


CUTS_OFF = "wherever it was tried it would cut a way, and it has no 'crossing'"

MAX_LAKE_SHAPES, MAX_CHASM_SHAPES = 32, 256
"""Maximum number of shapes that are tried for one lake and one chasm, as each costs time in proportion to the area."""


def lake(ground: DressingGround, entry: LakeEntry, stream: Stream) -> PassOutcome:
    """Lay a lake in the first of some random places where it cuts nothing off."""
    wanted = roll(entry.cells, stream, 20)
    area = ground.soft & ground.asked(entry, stream)
    shapes = islice(lakes(ground, area, wanted, stream), MAX_LAKE_SHAPES)
    return _laid(ground, entry, shapes, stream, f"nowhere is there space for {counted(wanted, 'cell')}")


def river(ground: DressingGround, entry: RiverEntry, stream: Stream) -> PassOutcome:
    """Lay a river from edge to edge of the map or a part of it, so that it flows through some open cells."""
    width = roll(entry.width, stream, 1)
    part = ground.part(entry, stream)
    seen = ground.soft & ground.of_kind(entry.regions)
    area = (seen | ground.rock) & ground.board.block(*part)
    shapes = (each for each in courses(ground, area, part, width, stream) if each & seen)
    return _laid(ground, entry, shapes, stream, "no way leads from edge to edge")


def chasm(ground: DressingGround, entry: ChasmEntry, stream: Stream) -> PassOutcome:
    """Lay a chasm whose middle lies in an open cell; its ends may lie in rock."""
    length, width = roll(entry.length, stream, 12), roll(entry.width, stream, 2)
    part = ground.board.block(*ground.part(entry, stream))
    seen = ground.soft & ground.of_kind(entry.regions) & part
    shapes = islice(chasms(ground, seen | ground.rock & part, seen, length, width, stream), MAX_CHASM_SHAPES)
    return _laid(ground, entry, shapes, stream, f"nowhere is there space for {counted(length, 'cell')}")


def _laid(
    ground: DressingGround, entry: BodyEntry, shapes: Iterable[int], stream: Stream, lacking: str
) -> PassOutcome:
    """Lay the first shape of a lake, river or chasm that cuts walkers off from no part of the map, with its crossings and banks.

    Args:
        ground: The map.
        entry: The entry of the lake, river or chasm.
        shapes: The masks of the shapes to try, in order.
        stream: The random stream.
        lacking: The reason to return if there is no shape at all.
    """
    name = roll(entry.what, stream, "")
    if not name:
        return PassOutcome(done=False, text="its terrain does not apply this time")
    board, code = ground.board, ground.codes[name]
    is_walked = bool(ground.canvas.terrain_set.walkable[code])
    for shape in shapes:
        if is_walked:
            # Walkable terrain is not cut through rock, where it would open new ways.
            flood, crossings = shape & ground.soft, 0
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
