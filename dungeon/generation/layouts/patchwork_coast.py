"""The coast of the layout `patchwork`: shores around its zones, and the terrain between the zones, such as water.

The rock of a zone is all its open cells with the walls around them. A shore is a strip of walkable cells around the
rock, of varying width. What lies beyond is filled with the terrain `between`. Masks are integers with one bit a cell.

All open cells of a zone and the walls around them become one mass of rock; narrow bays are filled. Around it lies the
shore, of varying width, and behind the shore begins the terrain `between`:

    ~~~~~~~~~~~~~~~
    ~~,,,,,,,,~~~~~      , the shore, with a doorway into the rock here and there; it touches no other open cell,
    ~,,######,,,~~~      so that rooms stay rooms
    ~,##....###,,~~
    ~,#.....'..,,~~
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dungeon import terrain as t
from dungeon.generation.layouts.patchwork_ways import Rock
from dungeon.grid.bits import places, shifted
from dungeon.grid.noise import value_noise
from dungeon.grid.rect import Cell, Rect
from dungeon.grid.regions import beside, bounds_of, touching

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from dungeon.core.streams import MersenneStream, Streams
    from dungeon.generation.layouts.patchwork_params import PatchworkParams
    from dungeon.grid.bits import Board
    from dungeon.level.canvas import Canvas

BAY = 2
"""Bays of the rock that are up to twice this many cells wide are filled with rock."""

WAVES = 4
"""Distance in cells over which the width of a shore varies (the scale of the noise)."""

STRIDE = 30
"""A shore has one door, and one more for each of this many cells of shore, if there are places for these doors."""

APART = 8
"""Doors to a shore keep this many cells from each other."""


def reach_of(params: PatchworkParams) -> int:
    """Return how many cells along the edge of a zone's rectangle are kept free for the coast; 0 without a coast."""
    if params.between is None:
        return 0
    return 1 if params.shore is None else 1 + max(params.beach.outcomes())


def lay_coast(
    canvas: Canvas,
    params: PatchworkParams,
    areas: Sequence[Sequence[Rect]],
    ways: Iterable[int],
    streams: Streams,
    close: Callable[[], int],
) -> None:
    """Lay shores around zones, and fill the rest of the map with the terrain `between`.

    Args:
        canvas: The map.
        params: The author's parameters; `between` is set.
        areas: The rectangles of each zone.
        ways: The ids of the corridors between zones. Outside of the rock they become bridges, with `between` beside.
        streams: The random streams ("shore", number of the zone, number of its part).
        close: Rolls the terrain of a door to a shore.
    """
    rock = Rock.of(canvas)
    board = rock.board
    crossed = board.from_array(canvas.within(ways))
    land = board.around(rock.opened & ~crossed)
    for number, rects in enumerate(areas):
        for part, rect in enumerate(rects):
            area = board.block(*rect)
            rooms = rock.opened & ~(crossed | rock.doors) & area
            mass = _mass(board, rooms, rect)
            land |= mass
            if params.shore is not None:
                stream = streams.mersenne("shore", number, part)
                beach = _Beach(rock, rooms, stream, params.dice("shore", stream, "cave"))
                shore = _shore(board, mass, params, stream) & rock.walls & area & ~board.around(rock.opened)
                for cells in _parts(board, shore & ~land):
                    land |= _open_shore(canvas, beach, cells, close)
    rest = board.to_array(rock.walls & ~land)
    canvas.terrain[rest] = canvas.terrain_set.codes[str(params.between)]
    canvas.open_bed(rest)


def _mass(board: Board, opened: int, rect: Rect) -> int:
    """Return the mask of the rock of a zone: its open cells, the walls around them, everything enclosed, and filled bays.

    Bays are filled by a morphological closing: the rock is grown by `BAY` cells, then shrunk by as many.

    Args:
        board: The layout of the masks.
        opened: The mask of the zone's open cells.
        rect: The rectangle of the zone, to which the rock is cut.
    """
    mass = board.around(opened)
    for _ in range(BAY):
        mass = board.around(mass)
    outside = board.full & ~mass
    for _ in range(BAY):
        outside = board.around(outside)
    area, inner = board.block(*rect), board.block(*rect.grown(-1))
    mass = (board.around(opened) | board.full & ~outside) & area
    beyond = area & ~mass
    return area & ~board.flood(beyond, beyond & ~inner)


def _shore(board: Board, mass: int, params: PatchworkParams, stream: MersenneStream) -> int:
    """Return the mask of a strip of cells around the rock of a zone, within which its shore lies.

    The width varies from place to place by smooth noise, within the range of the parameter `beach`.

    Args:
        board: The layout of the masks.
        mass: The mask of the rock.
        params: The author's parameters.
        stream: The random stream of the noise.
    """
    low, high = min(params.beach.outcomes()), max(params.beach.outcomes())
    breadth = low + (high - low + 1) * value_noise(stream, board.height, board.width, WAVES)
    wide = mass
    for step in range(high):
        wide |= (board.beside if step % 2 else board.around)(wide) & board.from_array(breadth >= step + 1)
    return wide & ~mass


def _parts(board: Board, cells: int) -> Iterator[int]:
    """Yield the connected components of a mask, in the order of their first cells."""
    while cells:
        part = board.flood(cells, cells & -cells)
        yield part
        cells ^= part


def _entries(rock: Rock, rooms: int, cells: int) -> list[tuple[int, int]]:
    """Return all places for doors between the open cells of a zone and a shore, as (door, cell of the shore in front of it).

    Both are places of bits in a mask: y times the stride of the board, plus x.

    Args:
        rock: The masks of the map.
        rooms: The mask of the zone's open cells.
        cells: The mask of the shore.
    """
    return sorted(
        (door, door + step)
        for step in rock.steps()
        for door in places(rock.entries(rooms, step) & shifted(cells, -step))
    )


class _Beach(NamedTuple):
    """What is needed to lay the shores of one part of a zone.

    Attributes:
        rock: The masks of the map.
        rooms: The mask of the open cells of this part of the zone.
        stream: The random stream of the shores.
        ground: Rolls the terrain of a shore cell.
    """

    rock: Rock
    rooms: int
    stream: MersenneStream
    ground: Callable[[], str]


def _open_shore(canvas: Canvas, beach: _Beach, cells: int, close: Callable[[], int]) -> int:
    """Turn cells into a shore, with doors from the zone to the shore; do nothing if no door is possible.

    Args:
        canvas: The map.
        beach: What is needed to lay the shores of the zone.
        cells: The mask of the cells of the shore, all connected.
        close: Rolls the terrain of a door.

    Returns:
        `cells`; 0 if no door is possible.
    """
    rock, rooms, stream, ground = beach
    board = rock.board
    entries = _entries(rock, rooms, cells) or _entries(Rock.of(canvas, break_in=True), rooms, cells)
    stream.shuffle(entries)
    doors: list[tuple[Cell, Cell]] = []
    wanted = 1 + cells.bit_count() // STRIDE
    near = 0  # mask of the cells too near to a door
    for door, front in entries:
        if len(doors) == wanted:
            break
        if not near >> door & 1:
            cell = Cell(*divmod(door, board.stride))
            near |= board.block(*Rect(*cell, 1, 1).grown(APART).clipped(board.height, board.width))
            doors.append((cell, Cell(*divmod(front, board.stride))))
    if not doors:
        return 0
    where = board.to_array(cells)
    bounds = bounds_of(where)
    region = canvas.carve_spaces(where.astype(np.int32), [bounds], "zone", t.CAVE) + 1
    canvas.terrain[where] = [canvas.terrain_set.codes[ground()] for _ in range(cells.bit_count())]
    for (y, x), ahead in doors:
        inner = int(canvas.region[2 * y - ahead.y, 2 * x - ahead.x])
        canvas.add_door(y, x, (inner, region), close())
    canvas.build_walls(bounds.grown())
    return cells


def shores_of(canvas: Canvas) -> NDArray[np.bool_]:
    """Return (height, width) bool: floor beside the terrain between zones, except floor drawn by prefabs or next to a door."""
    floor = (canvas.base >= t.FLOOR) & (canvas.base <= t.CAVE) & ~canvas.drawn
    floor &= beside(canvas.open & ~canvas.passable() & (canvas.region == 0))
    doors = np.zeros(floor.shape, np.bool_)
    doors[[door.y for door in canvas.connections], [door.x for door in canvas.connections]] = True
    return floor & ~touching(doors)
