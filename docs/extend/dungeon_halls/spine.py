"""The layout *spine*: a hall from west to east, with rooms along both sides.

##########################
####......##.....#...#####
####......##.....#...#####
##########+########+######
#,,,,,,,,,,,,,,,,,,,,,,,,#
####+###########+#########
##......#.........########
##################
"""

from collections.abc import Iterator
from typing import Annotated

from dungeon.extend import (
    Between,
    Canvas,
    Constant,
    GenerationError,
    IntValue,
    LayoutJob,
    Parameters,
    Phase,
    Rect,
    Step,
    Stream,
    TerrainName,
    Value,
    roll,
    within,
)


class SpineParams(Parameters):
    """The parameters that an author may set.

    Attributes:
        width: The width of the hall in cells.
        room: The length of each side of a room in cells.
        paving: The terrain of the hall's floor.
    """

    width: Annotated[IntValue, within(1, 5)] = Constant(1)
    room: Annotated[IntValue, within(2, 12)] = Between(3, 8)
    paving: TerrainName = "corridor"

    def laid_terrain(self) -> Iterator[tuple[str, Value[str], bool]]:
        """Yield the parameter for the floor of the hall; this terrain must be walkable."""
        yield "paving", Constant(self.paving), True


def build(canvas: Canvas, params: SpineParams, job: LayoutJob) -> Iterator[Step]:
    """Dig the hall, then the rooms to its north, then the rooms to its south.

    Raises:
        GenerationError: A feature of the map is in the way of the hall.
    """
    stream = job.streams.stream("layout", "spine", job.attempt)
    width = roll(params.width, stream, 1)
    top = stream.between(canvas.height // 3, canvas.height * 2 // 3 - width)
    hall = Rect(top, 1, width, canvas.width - 2)
    if not canvas.may_carve(hall):
        raise GenerationError(f"there is no way through for a hall in row {top}")
    region = canvas.carve_room(hall, "corridor", canvas.terrain_set.code(params.paving))
    yield Step(Phase.LAYOUT, "a hall", canvas)
    for wall in (hall.y - 1, hall.bottom):
        _dig_rooms(canvas, params, hall, wall, region, stream)
        yield Step(Phase.LAYOUT, "rooms along one side", canvas)
    canvas.build_walls()
    yield Step(Phase.LAYOUT, "walls", canvas)


def _dig_rooms(
    canvas: Canvas, params: SpineParams, hall: Rect, wall: int, region: int, stream: Stream
) -> None:
    """Dig rooms behind a wall of the hall, from west to east, wherever there is space, each with a door."""
    left = hall.x
    while left < hall.right:
        height, width = (roll(params.room, stream, 3) for _ in range(2))
        room = Rect(wall - height if wall < hall.y else wall + 1, left, height, width)
        if canvas.may_carve(room):
            canvas.add_door(wall, stream.between(left, room.right - 1), (canvas.carve_room(room), region))
        left += width + 1
