"""Shapes of rooms: what is left empty of encounters does not stay a plain rectangle.

Placing looks for free rectangles, so rooms are dug as such and shaped when everything has been placed. Earth fills what lies
outside of a shape, but for a cell's breadth of floor from every door to the rest:

    #########      #########
    #.......#      ##.....##
    +.......#      +.......#      the door has its way in, though
    #.......#      ##.....##      the ellipse begins beside it
    #########      #########
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import numpy as np

from dungeon import terrain as t
from dungeon.content.values.grammar import Choice, Constant
from dungeon.content.values.value_fields import WordValue, one_of
from dungeon.generation.layouts.dice import RolledParameters
from dungeon.grid.bits import Board
from dungeon.grid.shapes import SHAPES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from dungeon.core.streams import Streams
    from dungeon.grid.rect import Rect
    from dungeon.level.canvas import Canvas
    from dungeon.level.model import Region

SMALLEST = 4
"""Rooms with a shorter side stay as they are."""

PLAIN = "rectangle"
"""What rooms are before they are shaped."""


class ShapedRoomsParams(RolledParameters):
    """What an author may set where rooms are dug as rectangles.

    Attributes:
        shapes: What becomes of a room in which no encounter is placed.
    """

    shapes: Annotated[WordValue, one_of(*SHAPES)] = Choice(
        (
            (Constant(PLAIN), 5),
            (Constant("notched"), 2),
            (Constant("alcoves"), 1),
            (Constant("pillared"), 1),
            (Constant("ellipse"), 1),
            (Constant("cross"), 1),
        )
    )


def shape_rooms(
    canvas: Canvas, params: ShapedRoomsParams, rooms: Iterable[Region], streams: Streams
) -> list[tuple[Region, str]]:
    """Give rooms their shapes; return each that has become another, and which shape it has.

    Args:
        canvas: The map, with all that has been placed.
        params: What the author set.
        rooms: The regions that need not stay as they are.
        streams: Where chance comes from: ("shape", y, x) for the room of which that is the top left cell.
    """
    shaped = []
    closed = np.zeros(canvas.terrain.shape, np.bool_)
    for room in rooms:
        if room.kind != "room" or room.sealed or not _is_plain(canvas, room):
            continue
        y, x, height, width = room.bounds
        stream = streams.stream("shape", y, x)
        name = params.dice("shapes", stream, PLAIN)()
        if name == PLAIN:
            continue
        cells = SHAPES[name](height, width, stream)
        _let_in(cells, canvas, room.bounds)
        if not cells.all() and _is_whole(cells):
            closed[room.bounds.slices] = ~cells
            shaped.append((room, name))
    if shaped:
        canvas.close(closed)
    for room, _ in shaped:
        canvas.settle_bounds(room.id, room.bounds)
        canvas.build_walls(room.bounds.grown())
    return shaped


def _is_plain(canvas: Canvas, room: Region) -> bool:
    """Tell whether a room is a rectangle of mere floor, large enough to be shaped."""
    if min(room.bounds.height, room.bounds.width) < SMALLEST:
        return False
    area = room.bounds.slices
    plain = (canvas.terrain[area] == t.FLOOR) & (canvas.region[area] == room.id) & ~canvas.drawn[area]
    return bool(plain.all())


def _is_whole(cells: NDArray[np.bool_]) -> bool:
    """Tell whether steps lead from everywhere in a shape to everywhere else."""
    board = Board(*cells.shape)
    bits = board.from_array(cells)
    return board.flood(bits, bits & -bits) == bits


def _let_in(cells: NDArray[np.bool_], canvas: Canvas, bounds: Rect) -> None:
    """Add to a room's shape the ways from all that leads into it: straight ahead, until the shape is met."""
    around = canvas.terrain_set.open.take(canvas.terrain[bounds.grown().slices])
    sides = (
        (around[0, 1:-1], cells.T),
        (around[-1, 1:-1], cells[::-1].T),
        (around[1:-1, 0], cells),
        (around[1:-1, -1], cells[:, ::-1]),
    )
    for entries, lines in sides:
        for at in entries.nonzero()[0].tolist():
            line = lines[at]
            line[: int(line.argmax()) if line.any() else len(line)] = True
