"""What closes a room where a way meets it, by the words that authors use; and doors at which none does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import numpy as np

from dungeon import terrain as t
from dungeon.content.values.value_fields import WordValue, one_of
from dungeon.generation.layouts.mouths import is_open, settle
from dungeon.grid.rect import Cell

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dungeon.level.canvas import Canvas

CLOSINGS = {"door": t.DOOR, "doorway": t.DOORWAY, "secret door": t.SECRET_DOOR, "open": t.FLOOR}
"""The word, and the terrain that it stands for; open is a mere gap."""

Closing = Annotated[WordValue, one_of(*CLOSINGS)]


def wall_up_blind_doors(canvas: Canvas, drawn: NDArray[np.bool_]) -> None:
    """Turn doors among cells that prefabs have drawn, (height, width) bool, into wall where they lead nowhere.

    With them go doors that the layout has made before such a door, for these lead nowhere then.
    """
    listed = {(door.y, door.x) for door in canvas.doors}
    drawn_doors = [
        Cell(y, x) for y, x in np.argwhere(drawn & canvas.terrain_set.door.take(canvas.terrain)).tolist()
    ]
    doors = [cell for cell in drawn_doors if cell not in listed]
    for y, x in doors:  # the list grows while it is walked through
        near = [Cell(y - 1, x), Cell(y, x - 1), Cell(y, x + 1), Cell(y + 1, x)]
        if is_open(canvas, y, x) and sum(is_open(canvas, *cell) for cell in near) < 2:
            before = int(canvas.region[y, x])
            canvas.wall_up(y, x)
            canvas.remove_doors([(y, x)])
            settle(canvas, before)
            doors += [
                cell for cell in near if cell in listed or canvas.terrain_set.door[canvas.terrain[cell]]
            ]
