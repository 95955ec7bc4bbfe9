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
from dungeon.generation.layouts.dice import RolledParameters, thrown
from dungeon.grid.regions import touching
from dungeon.grid.shapes import SHAPES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from dungeon.core.streams import Streams
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
        streams: Where chance comes from: "shape", at a room's top left cell.
    """
    rooms = _plain_rooms(canvas, rooms)
    shapes = params.table("shapes", PLAIN)
    if not rooms or shapes[1] == [PLAIN]:
        return []
    opened, columns, stream_at = canvas.open.tobytes(), canvas.width, streams.at_cells("shape")
    closed = np.zeros(canvas.terrain.shape, np.bool_)
    shaped = []
    for room in rooms:
        y, x, height, width = room.bounds
        stream = stream_at(y, x)
        name = thrown(shapes, stream)()
        if name == PLAIN:
            continue
        cells = SHAPES[name](height, width, stream).copy()
        first, below = y * columns + x, (y + height) * columns + x
        _let_in(cells, opened[first - columns : first - columns + width], opened[below : below + width])
        _let_in(cells.T, opened[first - 1 : below : columns], opened[first + width : below : columns])
        if b"\0" in cells.tobytes():
            closed[y : y + height, x : x + width] = ~cells
            shaped.append((room, name))
    if shaped:
        canvas.close(closed)
        canvas.build_walls(among=touching(closed))
    return shaped


def _plain_rooms(canvas: Canvas, rooms: Iterable[Region]) -> list[Region]:
    """Return those rooms that are rectangles of mere floor, large enough to be shaped."""
    plain = canvas.region * ((canvas.terrain == t.FLOOR) & ~canvas.drawn)
    cells = np.bincount(plain.ravel(), minlength=len(canvas.regions) + 1).tolist()
    return [
        each
        for each in rooms
        if each.kind == "room"
        and not each.sealed
        and cells[each.id] == each.bounds.area
        and min(each.bounds.height, each.bounds.width) >= SMALLEST
    ]


def _let_in(cells: NDArray[np.bool_], above: bytes, below: bytes) -> None:
    """Add to a room's shape the ways from all that leads into it: straight ahead, until the shape is met.

    It is met in every column, as it reaches from side to side in one piece; and so it stays.

    Args:
        cells: (height, width) bool, the shape.
        above: Which of the cells above its first row are open, one byte each.
        below: Likewise below its last row.
    """
    for entries, rows in ((above, cells), (below, cells[::-1])):
        at = entries.find(1)
        while at >= 0:
            rows[: int(rows[:, at].argmax()), at] = True
            at = entries.find(1, at + 1)
