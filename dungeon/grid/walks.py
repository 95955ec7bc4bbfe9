"""What lies far from a start, for whoever has to walk."""

from __future__ import annotations

from functools import reduce
from math import ceil
from operator import or_
from typing import TYPE_CHECKING

import numpy as np

from dungeon.grid.bits import Board
from dungeon.grid.regions import FAR, LARGE, distances

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from dungeon.grid.rect import Cell


class Walks:
    """All walks over the set cells of a mask, in 4-neighbour steps, from the nearest of some starts.

    A small map is one integer, and so is the front of all cells that are equally far: a step is a few shifts. As that
    takes a pass over the map for each step, large maps have their distances counted.

    Args:
        walkable: (height, width) bool.
        starts: Cells of it.
    """

    def __init__(self, walkable: NDArray[np.bool_], starts: Sequence[Cell]) -> None:
        self._board = board = Board(*walkable.shape)
        self._fronts: list[int] = []
        self._steps: NDArray[np.int32] | None = None
        if walkable.size < LARGE:
            self._fronts = board.fronts(board.from_array(walkable), board.from_cells(starts))
        else:
            self._steps = distances(walkable, starts)

    def far(self, cells: NDArray[np.bool_], share: float) -> NDArray[np.bool_] | None:
        """Return those of some cells that are at least that share of the longest walk to any of them away.

        None if no walk leads to any of them.

        Args:
            cells: (height, width) bool.
            share: 0 to 1.
        """
        if self._steps is not None:
            steps = np.where(cells & (self._steps < FAR), self._steps, 0)
            longest = int(steps.max(initial=0))
            return steps >= max(1, ceil(share * longest)) if longest else None
        wanted, fronts = self._board.from_array(cells), self._fronts
        longest = next((steps for steps in range(len(fronts) - 1, 0, -1) if fronts[steps] & wanted), 0)
        if not longest:
            return None
        far = reduce(or_, fronts[max(1, ceil(share * longest)) : longest + 1])
        return self._board.to_array(far & wanted)
