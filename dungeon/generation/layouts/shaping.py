"""Shapes of rooms: rooms without an encounter become ellipses, crosses and the like.

Rooms are dug as rectangles, since encounters are placed in free rectangles, and get a shape after that. Earth fills the
cells of the rectangle outside of the shape. An entry is an open cell beside the rectangle, such as a door.

A way of one cell's width from every entry to the shape stays open:

    #########      #########
    #.......#      ##.....##
    +.......#      +.......#      the door keeps its way in, although
    #.......#      ##.....##      the ellipse begins beside it
    #########      #########
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import numpy as np

from dungeon import terrain as t
from dungeon.content.values.grammar import Choice, Constant
from dungeon.content.values.value_fields import WordValue, one_of
from dungeon.generation.layouts.dice import RolledParameters, roller
from dungeon.grid.regions import touching
from dungeon.grid.shapes import SHAPES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from dungeon.core.streams import Streams
    from dungeon.level.canvas import Canvas
    from dungeon.level.model import Region

SMALLEST = 4
"""Rooms with a side shorter than this stay rectangles: a shape of three cells is hard to tell."""

PLAIN = "rectangle"
"""The shape of rooms before they are shaped."""


class ShapedRoomsParams(RolledParameters):
    """Parameters of layouts that dig rooms as rectangles.

    Attributes:
        shapes: The shape of a room in which no encounter is placed.
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
    """Roll a shape for each room and fill the cells outside of the shape with earth.

    Args:
        canvas: The map, with everything placed.
        params: The author's parameters.
        rooms: The rooms that may get a shape; those too small, or not plain floor throughout, stay rectangles.
        streams: The random streams; each room uses the stream "shape" of its top left cell.

    Returns:
        (room, name of its shape) for each room that is no longer a rectangle.
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
        name = roller(shapes, stream)()
        if name == PLAIN:
            continue
        cells = SHAPES[name](height, width, stream).copy()
        first, below = y * columns + x, (y + height) * columns + x
        _open_entries(cells, opened[first - columns : first - columns + width], opened[below : below + width])
        _open_entries(cells.T, opened[first - 1 : below : columns], opened[first + width : below : columns])
        if b"\0" in cells.tobytes():
            closed[y : y + height, x : x + width] = ~cells
            shaped.append((room, name))
    if shaped:
        canvas.close(closed)
        canvas.build_walls(among=touching(closed))
    return shaped


def _plain_rooms(canvas: Canvas, rooms: Iterable[Region]) -> list[Region]:
    """Return those of the rooms that are full rectangles of plain floor, not sealed, with sides of `SMALLEST` cells or more."""
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


def _open_entries(cells: NDArray[np.bool_], above: bytes, below: bytes) -> None:
    """Add cells to a room's new shape, so that no entry above or below the room is cut off.

    From each entry, cells are added straight ahead until the shape is met. Every column meets the shape, since shapes
    reach from side to side and are connected. So the result is connected, too.

    Args:
        cells: (height, width) bool, the cells of the shape within the rectangle of the room; changed.
        above: One byte for each cell above the rectangle, in order: 1 if it is open, else 0.
        below: The same for the cells below the rectangle.
    """
    for entries, rows in ((above, cells), (below, cells[::-1])):
        at = entries.find(1)
        while at >= 0:
            rows[: int(rows[:, at].argmax()), at] = True
            at = entries.find(1, at + 1)
