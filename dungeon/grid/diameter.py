"""The diameter of a mask (the greatest walking distance between two cells), found by *sweeps*: breadth-first searches from a cell.

A sweep from a cell v finds the distance d(u, v) of every cell u, and the eccentricity e of v: the greatest of these distances. By the triangle inequality, the eccentricity of u is at most d(u, v) + e. So if a shortest path of n steps is
known, a longer one can only begin at cells u with d(u, v) > n - e for every sweep. A few sweeps from well chosen cells leave no
such cell. A sweep stores the cells farther than 0, 1, 2... steps as bitmasks, so the remaining cells are found by one AND per
sweep.

After Takes and Kosters, "Determining the diameter of small world networks" (2011): sweeps alternate between the cell that may be
the most remote and the cell that may be the most central. The first four sweeps are those of Crescenzi and others, "On computing
the diameter of real-world undirected graphs" (2013): any cell, the farthest cell from it, the farthest from that, and the middle
between these two.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, NamedTuple

from dungeon.grid.bits import Board, without

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np
    from numpy.typing import NDArray

    from dungeon.grid.rect import Leap


class Diameter(NamedTuple):
    """Bounds on the diameter in steps: it is at least `low` and at most `high`. If it is known exactly, both are equal."""

    low: int
    high: int


def diameter(mask: NDArray[np.bool_], most: int = 100, leaps: Iterable[Leap] = ()) -> Diameter:
    """Return the diameter of a mask: the greatest number of 4-neighbour steps between two of its cells.

    Args:
        mask: (height, width) bool: 4-connected, with at least one cell.
        most: The greatest number of sweeps; at least four are always made. If more are needed, the result is not exact.
        leaps: Pairs of cells that count as neighbours.

    Raises:
        ValueError: The mask is empty or not connected.
    """
    sweeps = Sweeps(mask, leaps)
    if not sweeps.cells:
        raise ValueError("an empty mask has no diameter")
    sweeps.sweep(sweeps.cells)
    if sweeps.farther[0][-1]:
        raise ValueError("a mask in several parts has no diameter")
    return sweeps.diameter(most)


class Sweeps:
    """The sweeps (breadth-first searches) of a mask so far. Sets of cells are bitmasks: see `grid.bits`.

    Args:
        mask: (height, width) bool: 4-connected.
        leaps: Pairs of cells that count as neighbours.

    Attributes:
        cells: The mask as a bitmask.
        farther: `farther[s][n]` is the mask of the cells more than n steps away from the start of sweep s. The last one is empty.
        longest: The greatest distance that a sweep has found so far.
    """

    def __init__(self, mask: NDArray[np.bool_], leaps: Iterable[Leap]) -> None:
        board = Board(*mask.shape)
        self.cells = board.from_array(mask)
        self.farther: list[list[int]] = []
        self.longest = 0
        self._board = board
        pairs = [tuple(board.from_cells([cell]) for cell in pair) for pair in leaps]
        self._across = [*pairs, *(pair[::-1] for pair in pairs)]

    def sweep(self, cells: int) -> None:
        """Make a sweep from the first cell, row by row, of the mask `cells`."""
        front = cells & -cells
        rest, stride, farther = self.cells ^ front, self._board.stride, []
        while front:
            farther.append(rest)
            leapt = 0
            for here, there in self._across:
                if front & here:
                    leapt |= there
            # all four steps, as in `grid.bits.flooded`
            front |= front << stride + 1
            front = ((front | front << stride - 1) >> stride | leapt) & rest
            rest ^= front
        self.farther.append(farther)
        self.longest = max(self.longest, len(farther) - 1)

    def sweep_from(self, cell: tuple[int, int]) -> None:
        """Make a sweep from the cell (y, x) of the mask."""
        self.sweep(self._board.from_cells([cell]))

    def steps_to(self, cell: tuple[int, int]) -> int:
        """Return the steps from the start of the first sweep to the cell (y, x) of the mask."""
        place = self._board.from_cells([cell])
        return bisect_left(self.farther[0], True, key=lambda rest: not rest & place)

    def diameter(self, most: int = 100) -> Diameter:
        """Return the diameter, or bounds on it if `most` sweeps are too few. One sweep, from any cell, must have been made before."""
        for _ in range(2):
            self.sweep(self.farthest_of_last())
        self.sweep(self.most_central(self.cells))
        while len(self.farther) < most and (left := self.ends_beyond(self.longest)):
            self.sweep(self.most_central(left) if len(self.farther) % 2 else self.most_remote(left))
        return Diameter(self.longest, self.bound())

    def farthest_of_last(self) -> int:
        """Return the mask of the cells that are farthest from the start of the last sweep."""
        farther = self.farther[-1]
        return farther[-2] if len(farther) > 1 else self.cells

    def ends_beyond(self, steps: int) -> int:
        """Return the mask of the cells from which, for all that is known, some cell may be more than `steps` away.

        Args:
            steps: A number of steps, at least `longest`.
        """
        found = self.cells
        for farther in self.farther:
            to_go = steps - (len(farther) - 1)
            found &= farther[to_go] if to_go < len(farther) else 0
        return found

    def most_central(self, among: int) -> int:
        """Return the cells of `among` whose distance to the farthest start of a sweep is least: the most central cells."""

        def within(steps: int) -> int:
            """Return the cells of `among` that are at most `steps` away from the starts of all sweeps."""
            found = among
            for farther in self.farther:
                if steps < len(farther):
                    found = without(found, farther[steps])
            return found

        return within(bisect_left(range(self.longest), True, key=lambda steps: within(steps) > 0))

    def most_remote(self, among: int) -> int:
        """Return the cells of `among` farthest from one start: that of the sweep whose greatest distance is the least of all sweeps."""
        farther = min(self.farther, key=len)
        steps = bisect_left(farther, True, key=lambda rest: not rest & among)
        return farther[steps - 1] & among

    def bound(self) -> int:
        """Return the least upper bound on the diameter that follows from the sweeps so far."""
        steps = self.longest
        while self.ends_beyond(steps):
            steps += 1
        return steps
