"""A copy of a part of a canvas, to go back to."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from dungeon.grid.rect import Rect
    from dungeon.level.model import Connection


class Snapshot(NamedTuple):
    """A copy of a rectangle of the canvas, to go back to.

    Attributes:
        rect: The rectangle. The arrays have its shape.
        regions: How many regions there were, and `bounds` how many changes of bounds had been made.
        connections: The list of connections that there was then, of which the first `connection_count` are those.
    """

    rect: Rect
    terrain: NDArray[np.uint8]
    region: NDArray[np.uint16]
    drawn: NDArray[np.bool_]
    used: NDArray[np.bool_]
    quiet: NDArray[np.bool_]
    regions: int
    bounds: int
    connections: list[Connection]
    connection_count: int
