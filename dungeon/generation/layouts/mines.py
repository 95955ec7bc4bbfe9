"""The layout `mines`: a squarish area with a few caves, and rooms dug out between them, joined by straight tunnels.

A place is a point of the map around which a cave would grow; some places get a room instead.

After the mines of "Generating and Populating Caves". Caves and tunnels are made as in the layout `caves`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from dungeon import terrain as t
from dungeon.content.values.grammar import Between, Choice, Constant
from dungeon.content.values.value_fields import IntValue, Probability, WordValue, one_of, within
from dungeon.generation.layouts import caves
from dungeon.generation.layouts.caves import CaveSystem
from dungeon.generation.layouts.caves_shapes import CaveSystemParams
from dungeon.generation.layouts.shaping import ShapedRoomsParams
from dungeon.grid.rect import Rect

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import numpy as np
    from numpy.typing import NDArray

    from dungeon.core.registry import Size
    from dungeon.core.streams import Stream
    from dungeon.generation.layouts.caves_shapes import CavePlace
    from dungeon.generation.layouts.job import LayoutJob
    from dungeon.level.canvas import Canvas
    from dungeon.level.steps import Step

APART = 3
"""Cells of earth between rooms: enough for a wall of each and a tunnel of one cell."""

FRONT = 3
"""Rooms keep this many cells, plus the width of the mouth, away from a mouth (opening) of a seeded prefab."""

ROOMS_BESIDE = 2
"""The smallest map for mines has space for this many rooms beside the smallest number of caves."""

TRIES = 5
"""Number of sizes and spots tried for a room before its place becomes a cave."""


class MinesParams(CaveSystemParams, ShapedRoomsParams):
    """Parameters of the layout `mines`.

    Attributes:
        side: The height and the width of the mine in cells, each rolled, where the map has space for it.
        rooms: The share of the places for caves that get a room instead.
        room: The length of a room's side, in cells.
        doors: What closes a room: a door, or an open doorway.
    """

    side: Annotated[IntValue, within(9, 4000)] = Between(44, 60)
    rooms: Probability = 0.5
    room: Annotated[IntValue, within(2, 100)] = Between(4, 9)
    doors: Annotated[WordValue, one_of("door", "doorway")] = Choice(
        ((Constant("doorway"), 3), (Constant("door"), 1))
    )
    cave: Annotated[IntValue, within(10, 10_000)] = Choice(((Between(24, 70), 2), (Between(60, 160), 1)))
    barren: Probability = 0.2
    pockets: Probability = 0.15
    fill: Probability = 0.72
    linearity: Probability = 0.5
    loops: Probability = 0.25
    saves: Annotated[int, Field(ge=0, strict=True)] = 40
    reach: Annotated[int, Field(ge=1, le=200, strict=True)] = 30
    width: Annotated[IntValue, within(1, 2)] = Constant(1)
    winding: Probability = 0.0
    min_caves: Annotated[int, Field(ge=1, strict=True)] = 1


def least_size(params: MinesParams, job: LayoutJob) -> Size:
    """Return the smallest map for this layout, as (shorter side, longer side) in cells.

    It has space for the smallest allowed number of caves (`min_caves`), and for two rooms beside them (`ROOMS_BESIDE`).
    """
    short, long = caves.least_size(params, job)
    return short, long + round(ROOMS_BESIDE * caves.spacing(params))


def mines(canvas: Canvas, params: MinesParams, job: LayoutJob) -> Iterator[Step]:
    """Dig rooms, make caves between them in the free earth of the canvas, and join all of them.

    Args:
        canvas: The map. Everything on it stays; rooms and caves keep one cell away from it.
        params: The author's parameters.
        job: Its random streams ("layout", "mines", attempt, ...) decide everything.

    Yields:
        A step for the caves and after every room and tunnel; if the job is watched, for the noise and each step of the
        cellular automaton, too.

    Raises:
        GenerationError: There are too few caves, or a cave or room can't be joined.
    """
    system = CaveSystem(canvas, params, job, "mines")
    ground = system.ground
    ground.area = _somewhere(ground.area, params, system.stream)
    rooms, places = _plan_rooms(system, params, job.streams.mersenne(*system.key, "rooms"))
    walls = 0
    for room in rooms:
        walls |= ground.board.block(*room.grown(APART).clipped(canvas.height, canvas.width))
    yield from system.hollow_out(places, ground.diggable & ~walls, len(rooms))
    yield from map(system.dig_room, rooms)
    codes = {"door": t.DOOR, "doorway": t.DOORWAY}
    closing = params.dice("doors", job.streams.mersenne(*system.key, "doors"), "doorway")
    yield from system.join(close=lambda: codes[closing()])


def _somewhere(area: Rect, params: MinesParams, stream: Stream) -> Rect:
    """Return a rectangle for the whole mine, at a random place within `area`, with sides rolled by the parameter `side`."""
    side = params.dice("side", stream, 60)
    height, width = min(side(), area.height), min(side(), area.width)
    y, x = stream.between(0, area.height - height), stream.between(0, area.width - width)
    return Rect(area.y + y, area.x + x, height, width)


def _plan_rooms(
    system: CaveSystem, params: MinesParams, stream: Stream
) -> tuple[list[Rect], list[tuple[CavePlace, int]]]:
    """Decide which places for caves get a room instead.

    Returns:
        The rooms; and what `CaveSystem.places` returned for the places that stay for caves.
    """
    canvas = system.canvas
    side = params.dice("room", stream, 4)
    taken = canvas.used.copy()
    for mouth in system.job.mouths:
        front = Rect(mouth.y, mouth.x, 1, 1).grown(mouth.width + FRONT)
        taken[front.clipped(canvas.height, canvas.width).slices] = True
    places = system.places()
    order = list(range(len(places)))
    stream.shuffle(order)
    rooms: dict[int, Rect] = {}
    for number in order:
        if len(rooms) >= round(params.rooms * len(places)):
            break
        room = _fitting(places[number][0], system.ground.area, taken, side, stream)
        if room is not None:
            rooms[number] = room
            taken[room.slices] = True
    return list(rooms.values()), [place for number, place in enumerate(places) if number not in rooms]


def _fitting(
    place: CavePlace, area: Rect, taken: NDArray[np.bool_], side: Callable[[], int], stream: Stream
) -> Rect | None:
    """Return a random room around a place, `APART` cells away from taken cells; None if none of `TRIES` random rooms fits.

    Args:
        place: The point that shall lie within the room or at its edge.
        area: The rectangle in which the whole room must lie.
        taken: (height, width) bool, the cells that are taken.
        side: Rolls the length of a side, in cells.
        stream: The random stream of the room's position.
    """
    for _ in range(TRIES):
        height, width = side(), side()
        y = round(place.y - height * stream.random())
        x = round(place.x - width * stream.random())
        room = Rect(y, x, height, width)
        near = room.grown(APART).clipped(*taken.shape)
        if area.encloses(room) and not taken[near.slices].any():
            return room
    return None
