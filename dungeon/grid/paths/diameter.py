"""How far apart the two cells of a mask are that are farthest apart, walking.

Every sweep from a cell `v` measures its distance to all others and its eccentricity `e`, the distance to the one that
is farthest. By the triangle inequality no cell `u` has an eccentricity above `d(u, v) + e`, nor one below
`max(d(u, v), e - d(u, v))`. Cells whose upper bound does not exceed the longest way found so far need no sweep of
their own, and a few sweeps from well chosen cells leave none.

After Takes and Kosters, "Determining the diameter of small world networks" (2011): sweeps go in turn to the cell that
may be the most remote and to the one that may be the most central. The first four are those of Crescenzi and others,
"On computing the diameter of real-world undirected graphs" (2013): some cell, the farthest from it, the farthest
from that, and the middle between those two.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dungeon.grid.regions import FAR, distances

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from dungeon.grid.rect import Link


class Diameter(NamedTuple):
    """The steps between the two cells that are farthest apart: at least `low`, at most `high`; equal when exact."""

    low: int
    high: int


def diameter(mask: NDArray[np.bool_], most: int = 100, links: Sequence[Link] = ()) -> Diameter:
    """Return the length of the longest of all shortest ways between two cells of a mask.

    Args:
        mask: (height, width) bool, one 4-connected part with at least one cell.
        most: How many sweeps it may take; exact unless more are needed.
        links: Pairs of cells that count as neighbours.

    Raises:
        ValueError: The mask is empty or in several parts.
    """
    ys, xs = mask.nonzero()
    if not len(ys):
        raise ValueError("an empty mask has no diameter")
    bounds = _Bounds(mask, ys, xs, links)
    first = bounds.sweep(0)
    if int(first.max()) == FAR:
        raise ValueError("a mask in several parts has no diameter")
    one_end = bounds.sweep(int(first.argmax()))
    other_end = bounds.sweep(int(one_end.argmax()))
    bounds.sweep(int(np.maximum(one_end, other_end).argmin()))
    while bounds.sweeps < most and len(left := np.flatnonzero(bounds.high > bounds.longest)):
        if bounds.sweeps % 2:
            central = bounds.low.argmin()
            is_known = bounds.low[central] == bounds.high[central]
            bounds.sweep(int(left[bounds.low[left].argmin()] if is_known else central))
        else:
            bounds.sweep(int(left[bounds.high[left].argmax()]))
    return Diameter(bounds.longest, max(bounds.longest, int(bounds.high.max())))


class _Bounds:
    """What is known of the eccentricity of every cell: it is at least `low` and at most `high`."""

    def __init__(
        self, mask: NDArray[np.bool_], ys: NDArray[np.intp], xs: NDArray[np.intp], links: Sequence[Link]
    ) -> None:
        self.mask, self.links = mask, links
        self.ys, self.xs = ys, xs
        self.low = np.zeros(len(ys), np.int32)
        self.high = np.full(len(ys), FAR, np.int32)
        self.longest = 0
        self.sweeps = 0

    def sweep(self, cell: int) -> NDArray[np.int32]:
        """Measure the distances from a cell, learn from them, and return them."""
        away = distances(self.mask, [(int(self.ys[cell]), int(self.xs[cell]))], self.links)[self.mask]
        farthest = away.max()
        if farthest < FAR:
            np.maximum(self.low, np.maximum(away, farthest - away), out=self.low)
            np.minimum(self.high, away + farthest, out=self.high)
            self.high[cell] = farthest
            self.longest = max(self.longest, int(farthest))
        self.sweeps += 1
        return away
