"""How far apart the two cells of a mask are that are farthest apart, walking.

Every sweep from a cell `v` finds its distance to all others and its eccentricity `e`, the distance to the one that is
farthest. By the triangle inequality no cell `u` has an eccentricity above `d(u, v) + e`. So where a way of `n` steps is
known, a longer one can only begin where all sweeps have more than `n - e` steps to go, and a few sweeps from well chosen
cells leave no such place. A sweep keeps what is farther than 0, 1, 2... steps as one integer each, so that "where?" is
an AND for each sweep.

After Takes and Kosters, "Determining the diameter of small world networks" (2011): sweeps go in turn to the cell that
may be the most remote and to the one that may be the most central. The first four are those of Crescenzi and others,
"On computing the diameter of real-world undirected graphs" (2013): some cell, the farthest from it, the farthest
from that, and the middle between those two.
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
    """The steps between the two cells that are farthest apart: at least `low`, at most `high`; equal when exact."""

    low: int
    high: int


def diameter(mask: NDArray[np.bool_], most: int = 100, leaps: Iterable[Leap] = ()) -> Diameter:
    """Return the length of the longest of all shortest ways between two cells of a mask.

    Args:
        mask: (height, width) bool, one 4-connected part with at least one cell.
        most: How many sweeps it may take, of which it always takes four; exact unless more are needed.
        leaps: Pairs of cells that count as neighbours.

    Raises:
        ValueError: The mask is empty or in several parts.
    """
    sweeps = Sweeps(mask, leaps)
    if not sweeps.cells:
        raise ValueError("an empty mask has no diameter")
    sweeps.sweep(sweeps.cells)
    if sweeps.farther[0][-1]:
        raise ValueError("a mask in several parts has no diameter")
    return sweeps.diameter(most)


class Sweeps:
    """Sweeps of a mask, and what they tell. Sets of cells are integers: see `grid.bits`.

    Args:
        mask: (height, width) bool, one 4-connected part.
        leaps: Pairs of cells that count as neighbours.

    Attributes:
        cells: The mask.
        farther: For each sweep the cells that are farther than 0, 1, 2... steps, up to its eccentricity.
        longest: The most steps that a sweep had to go.
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
        """Walk from the first of some cells."""
        front = cells & -cells
        rest, stride, farther = self.cells ^ front, self._board.stride, []
        while front:
            farther.append(rest)
            leapt = 0
            for here, there in self._across:
                if front & here:
                    leapt |= there
            # All four steps, as in `grid.bits.flooded`.
            front |= front << stride + 1
            front = ((front | front << stride - 1) >> stride | leapt) & rest
            rest ^= front
        self.farther.append(farther)
        self.longest = max(self.longest, len(farther) - 1)

    def sweep_from(self, cell: tuple[int, int]) -> None:
        """Walk from a cell (y, x) of the mask."""
        self.sweep(self._board.from_cells([cell]))

    def steps_to(self, cell: tuple[int, int]) -> int:
        """Return how many steps a cell (y, x) of the mask is from where the first sweep began."""
        place = self._board.from_cells([cell])
        return bisect_left(self.farther[0], True, key=lambda rest: not rest & place)

    def diameter(self, most: int = 100) -> Diameter:
        """Return the length of the longest of all shortest ways, wherever the first sweep began: see `diameter`."""
        for _ in range(2):
            self.sweep(self.farthest_of_last())
        self.sweep(self.most_central(self.cells))
        while len(self.farther) < most and (left := self.ends_beyond(self.longest)):
            self.sweep(self.most_central(left) if len(self.farther) % 2 else self.most_remote(left))
        return Diameter(self.longest, self.bound())

    def farthest_of_last(self) -> int:
        """Return the cells that are farthest from where the last sweep began."""
        farther = self.farther[-1]
        return farther[-2] if len(farther) > 1 else self.cells

    def ends_beyond(self, steps: int) -> int:
        """Return the cells from which ways of more than so many steps may lead, `longest` at least."""
        found = self.cells
        for farther in self.farther:
            to_go = steps - (len(farther) - 1)
            found &= farther[to_go] if to_go < len(farther) else 0
        return found

    def most_central(self, among: int) -> int:
        """Return those of some cells the most distant of whose distances to where sweeps began is least."""

        def within(steps: int) -> int:
            found = among
            for farther in self.farther:
                if steps < len(farther):
                    found = without(found, farther[steps])
            return found

        return within(bisect_left(range(self.longest), True, key=lambda steps: within(steps) > 0))

    def most_remote(self, among: int) -> int:
        """Return those of some cells that are farthest from where the sweep with the least eccentricity began."""
        farther = min(self.farther, key=len)
        steps = bisect_left(farther, True, key=lambda rest: not rest & among)
        return farther[steps - 1] & among

    def bound(self) -> int:
        """Return how many steps no way can exceed."""
        steps = self.longest
        while self.ends_beyond(steps):
            steps += 1
        return steps
