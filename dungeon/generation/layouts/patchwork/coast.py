"""What lies between zones instead of earth, water say; and shores, on which one walks around them.

Everything within a zone that is dug, with the walls about it, is made one mass of rock: bays and inlets too narrow for anything
are filled. Around that runs the shore, broader here and narrower there, and beyond it begins what lies between:

    ~~~~~~~~~~~~~~~
    ~~,,,,,,,,~~~~~      , the shore, with a doorway into the rock here and there; it touches nothing open, so
    ~,,######,,,~~~      that rooms stay what they are
    ~,##....###,,~~
    ~,#.....'..,,~~
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dungeon import terrain as t
from dungeon.generation.layouts.patchwork.crossings import Rock
from dungeon.grid.bits import places, shifted
from dungeon.grid.noise import value_noise
from dungeon.grid.rect import Cell, Rect
from dungeon.grid.regions import bounds_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from dungeon.core.streams import MersenneStream, Streams
    from dungeon.generation.layouts.patchwork.params import PatchworkParams
    from dungeon.grid.bits import Board
    from dungeon.level.canvas import Canvas

BAY = 2
"""Bays up to twice as broad are filled."""

WAVES = 4
"""How many cells apart a shore is broader, or narrower."""

STRIDE = 30
"""A shore has a door for so many of its cells, if there can be that many."""

APART = 8
"""Doors to a shore keep so many cells from each other."""


def reach_of(params: PatchworkParams) -> int:
    """Return by how many cells all that is dug in a zone keeps from its edge, so that there is space for a coast."""
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
    """Lay shores about zones, and fill what is left of the map.

    Args:
        canvas: The map.
        params: What the author set, with something that lies `between`.
        areas: The rectangles of each zone.
        ways: The ids of the corridors between zones: they become open bridges where they leave the rock.
        streams: Where chance comes from.
        close: Rolls what a door to a shore is made of.
    """
    rock = Rock.of(canvas)
    board, codes = rock.board, {kind.name: code for code, kind in enumerate(canvas.terrain_set.kinds)}
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
                ground = params.dice("shore", stream, "cave")
                shore = _shore(board, mass, params, stream) & rock.walls & area & ~board.around(rock.opened)
                for cells in _parts(board, shore & ~land):
                    land |= _open_shore(canvas, rock, rooms, cells, ground, codes, stream, close)
    rest = board.to_array(rock.walls & ~land)
    canvas.terrain[rest] = codes[str(params.between)]
    canvas.open_bed(rest)


def _mass(board: Board, opened: int, rect: Rect) -> int:
    """Return the rock of a zone in a rectangle: its open cells, the walls about them, and all that these shut in or lies in bays."""
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
    """Return the cells of a shore about some rock, broader here and narrower there."""
    low, high = min(params.beach.outcomes()), max(params.beach.outcomes())
    breadth = low + (high - low + 1) * value_noise(stream, board.height, board.width, WAVES)
    wide = mass
    for step in range(high):
        wide |= (board.beside if step % 2 else board.around)(wide) & board.from_array(breadth >= step + 1)
    return wide & ~mass


def _parts(board: Board, cells: int) -> Iterator[int]:
    """Yield the parts of a mask that hang together, in the order of their first cells."""
    while cells:
        part = board.flood(cells, cells & -cells)
        yield part
        cells ^= part


def _entries(rock: Rock, rooms: int, cells: int) -> list[tuple[int, int]]:
    """Return the walls in which a door may be between rooms and a shore, each with the cell of the shore before it."""
    return sorted(
        (door, door + step)
        for step in rock.steps()
        for door in places(rock.entries(rooms, step) & shifted(cells, -step))
    )


def _open_shore(
    canvas: Canvas,
    rock: Rock,
    rooms: int,
    cells: int,
    shore: Callable[[], str],
    codes: Mapping[str, int],
    stream: MersenneStream,
    close: Callable[[], int],
) -> int:
    """Make cells a shore, with doors from the zone beside it; return them, or nothing if there can be no door."""
    board = rock.board
    entries = _entries(rock, rooms, cells) or _entries(Rock.of(canvas, break_in=True), rooms, cells)
    stream.shuffle(entries)
    doors: list[tuple[Cell, Cell]] = []
    wanted = 1 + cells.bit_count() // STRIDE
    near = 0  # the cells that are too near to a door
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
    canvas.terrain[where] = [codes[shore()] for _ in range(cells.bit_count())]
    for (y, x), ahead in doors:
        inner = int(canvas.region[2 * y - ahead.y, 2 * x - ahead.x])
        canvas.add_door(y, x, (inner, region), close())
    canvas.build_walls(bounds.grown())
    return cells
