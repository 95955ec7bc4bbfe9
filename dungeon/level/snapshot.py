"""What a part of a canvas was, to go back to."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from dungeon.grid.rect import Rect
    from dungeon.level.model import Door


class Snapshot(NamedTuple):
    """What a rectangle of the canvas was, to go back to.

    Attributes:
        regions: How many regions there were, and `bounds` how many changes of bounds had been made.
        doors: The list of doors that there was then, of which the first `door_count` are those.
    """

    rect: Rect
    terrain: NDArray[np.uint8]
    region: NDArray[np.uint16]
    drawn: NDArray[np.bool_]
    used: list[int]
    regions: int
    bounds: int
    doors: list[Door]
    door_count: int
