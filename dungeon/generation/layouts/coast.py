"""The coast of the layouts `patchwork` and `cards`: shores around zones, the terrain between them, such as water, and ports.

A zone lies on one or more *lands*, connected parts of the map. The rock of a zone is all its open cells with the walls around them. A shore is a strip of walkable cells around the
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

from typing import TYPE_CHECKING, Annotated, NamedTuple, Self

import numpy as np
from pydantic import model_validator

from dungeon import terrain as t
from dungeon.content.source.problems import MisreadError, ValueProblem
from dungeon.content.values.fields import TerrainName, TerrainValue
from dungeon.content.values.grammar import Between, Constant
from dungeon.content.values.value_fields import IntValue, within
from dungeon.core.errors import GenerationError
from dungeon.generation.layouts.dice import RolledParameters
from dungeon.generation.layouts.patchwork_ways import Rock
from dungeon.generation.openings.landings import landing
from dungeon.grid.bits import places, shifted
from dungeon.grid.noise import value_noise
from dungeon.grid.rect import Cell, Rect
from dungeon.grid.regions import beside, bounds_of, touching
from dungeon.level.model import Portal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from dungeon.content.values.grammar import Value
    from dungeon.core.streams import MersenneStream, Stream, Streams
    from dungeon.generation.layouts.job import LayoutJob
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


# -- parameters ------------------------------------------------------------------------------------


class CoastParams(RolledParameters):
    """Parameters of layouts whose zones may be islands.

    Attributes:
        between: The terrain that fills the map around the zones instead of earth, such as water that can't be walked
            on.
        shore: The walkable terrain all around each zone, if `between` is set; without `shore` there are no shores.
        beach: The width of a shore, in cells.
    """

    between: TerrainName | None = None
    shore: TerrainValue | None = None
    beach: Annotated[IntValue, within(1, 6)] = Between(1, 3)

    @model_validator(mode="after")
    def _shores_need_between(self) -> Self:
        """Reject `shore` and `beach` without `between`."""
        if self.between is None:
            message = "it needs 'between' as well"
            problems = [
                ValueProblem(message=message, path=(key,), value=key, key=True)
                for key in ("shore", "beach")
                if key in self.model_fields_set
            ]
            if problems:
                raise MisreadError(problems)
        return self

    def laid_terrain(self) -> Iterator[tuple[str, Value[str], bool]]:
        """Yield (key, terrain, whether it must be walkable) for the terrain between zones and on shores."""
        if self.between is not None:
            yield "between", Constant(self.between), False
        if self.shore is not None:
            yield "shore", self.shore, True


# -- the coast -------------------------------------------------------------------------------------


def reach_of(params: CoastParams) -> int:
    """Return how many cells along the edge of a zone's land are kept free for the coast; 0 without a coast."""
    if params.between is None:
        return 0
    return 1 if params.shore is None else 1 + max(params.beach.outcomes())


class Land(NamedTuple):
    """A connected part of a zone. Both are masks of the map.

    Attributes:
        area: The cells where its rock may be: its rooms and corridors, with the earth around.
        coast: The cells where its shore may be.
    """

    area: int
    coast: int


def lay_coast(
    canvas: Canvas,
    params: CoastParams,
    lands: Sequence[Sequence[Land]],
    ways: Iterable[int],
    streams: Streams,
    close: Callable[[], int],
    stopped: int = 0,
) -> list[int]:
    """Lay shores around zones, and fill the rest of the map with the terrain `between`.

    Args:
        canvas: The map.
        params: The author's parameters; `between` is set.
        lands: The lands of each zone.
        ways: The ids of the corridors between zones. Outside of the rock they become bridges, with `between` beside.
        streams: The random streams ("shore", number of the zone, number of its land).
        close: Rolls the terrain of a door to a shore.
        stopped: The mask of the open cells from which no door to a shore may lead.

    Returns:
        For each zone the mask of its shores.
    """
    rock = Rock.of(canvas)
    board = rock.board
    crossed = board.from_array(canvas.within(ways))
    land = board.around(rock.opened & ~crossed)
    shores = [0] * len(lands)
    for number, parts in enumerate(lands):
        for part, (area, coast) in enumerate(parts):
            rooms = rock.opened & ~(crossed | rock.doors) & area
            mass = _mass(board, rooms, area)
            land |= mass
            if params.shore is not None:
                stream = streams.mersenne("shore", number, part)
                beach = _Beach(rock, rooms & ~stopped, stream, params.dice("shore", stream, "cave"))
                shore = _shore(board, mass, params, stream) & rock.walls & coast & ~board.around(rock.opened)
                for cells in _parts(board, shore & ~land):
                    shores[number] |= _open_shore(canvas, beach, cells, close)
            land |= shores[number]
    rest = board.to_array(rock.walls & ~land)
    canvas.terrain[rest] = canvas.terrain_set.codes[str(params.between)]
    canvas.open_bed(rest)
    return shores


def _mass(board: Board, opened: int, area: int) -> int:
    """Return the mask of the rock of a zone: its open cells, the walls around them, everything enclosed, and filled bays.

    Bays are filled by a morphological closing: the rock is grown by `BAY` cells, then shrunk by as many.

    Args:
        board: The layout of the masks.
        opened: The mask of the zone's open cells.
        area: The mask of the land, to which the rock is cut.
    """
    mass = board.around(opened)
    for _ in range(BAY):
        mass = board.around(mass)
    outside = board.full & ~mass
    for _ in range(BAY):
        outside = board.around(outside)
    inner = board.block(1, 1, board.height - 2, board.width - 2) & ~board.around(board.full & ~area)
    mass = (board.around(opened) | board.full & ~outside) & area
    beyond = area & ~mass
    return area & ~board.flood(beyond, beyond & ~inner)


def _shore(board: Board, mass: int, params: CoastParams, stream: MersenneStream) -> int:
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
        rooms: The mask of the open cells of this part of the zone, from which doors may lead.
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


# -- ports ------------------------------------------------------------------------------------------
#
# The two ends of a portal to an island: on shores if both zones have one, else in rooms.


NEAR = 1.25
"""A portal over water is at most this many times as long as the shortest one, so that its place varies a little."""


def open_port(
    canvas: Canvas,
    one: NDArray[np.bool_],
    other: NDArray[np.bool_],
    shores: NDArray[np.bool_],
    kind: str,
    job: LayoutJob,
    stream: Stream,
) -> Portal:
    """Return a portal between two zones: over a short distance from shore to shore if both have one, else between rooms.

    Args:
        canvas: The map, with its coast.
        one: (height, width) bool, the ground of the first zone.
        other: (height, width) bool, the ground of the second zone.
        shores: (height, width) bool, the shore cells where a portal may be, from `shores_of`.
        kind: The kind of the portal, such as "boat".
        job: What the layout was given, with the prefabs drawn and the portals so far; no two portals share a cell.
        stream: The random stream.

    Raises:
        GenerationError: A zone has no cell where a portal may be.
    """
    ends = _ashore(shores, one, other, job, stream)
    if ends is None:
        ends = [landing(canvas, part, job.drawn, job.portals, stream) for part in (one, other)]
    begin, end = ends
    if begin is None or end is None:
        raise GenerationError(f"a zone has no place for a {kind}")
    return Portal(y=begin.y, x=begin.x, to_y=end.y, to_x=end.x, kind=kind)


def _ashore(
    shores: NDArray[np.bool_],
    one: NDArray[np.bool_],
    other: NDArray[np.bool_],
    job: LayoutJob,
    stream: Stream,
) -> list[Cell | None] | None:
    """Return a random pair of shore cells, one of each zone, at about the shortest distance from each other.

    Args:
        shores: (height, width) bool, the shore cells where a portal may be.
        one: (height, width) bool, the ground of the first zone.
        other: (height, width) bool, the ground of the second zone.
        job: Its portals; their cells are not taken again.
        stream: The random stream.

    Returns:
        [cell of the first zone, cell of the second zone]; None if either zone has no free shore cell.
    """
    free = shores.copy()
    for portal in job.portals:
        free[portal.begin] = free[portal.end] = False
    begins, ends = np.argwhere(free & one), np.argwhere(free & other)
    if not len(begins) or not len(ends):
        return None
    down, right = (np.abs(begins[:, at, None] - ends[:, at]) for at in (0, 1))
    across = down + right
    pairs = np.argwhere(across <= NEAR * across.min())
    first, last = pairs[stream.below(len(pairs))]
    return [Cell(*begins[first].tolist()), Cell(*ends[last].tolist())]
