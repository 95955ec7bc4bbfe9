"""What a part of a canvas was, to go back to."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from dungeon.grid.rect import Rect
    from dungeon.level.model import Connection


class Snapshot(NamedTuple):
    """What a rectangle of the canvas was, to go back to.

    Attributes:
        regions: How many regions there were, and `bounds` how many changes of bounds had been made.
        connections: The list of connections that there was then, of which the first `connection_count` are those.
    """

    rect: Rect
    terrain: NDArray[np.uint8]
    region: NDArray[np.uint16]
    drawn: NDArray[np.bool_]
    used: NDArray[np.bool_]
    regions: int
    bounds: int
    connections: list[Connection]
    connection_count: int
