"""What lies far from some starts, for whoever has to walk: in 4-neighbour steps from the nearest of them."""

from __future__ import annotations

from bisect import bisect_left
from math import ceil
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from dungeon.grid.regions import FAR, Field

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dungeon.grid.rect import Cell

MANY = 200_000
"""From so many cells on, a map has so many that are equally far from a start that they had better be listed."""


def walks_over(walkable: NDArray[np.bool_]) -> Walks:
    """Return all walks over the set cells of a mask; where they begin is yet to be said.

    Args:
        walkable: (height, width) bool.
    """
    return Waves(walkable) if walkable.size < MANY else Steps(walkable)


class Waves:
    """All walks on a small map.

    A wave runs over the map from each start, and its front is one integer. As every step leads from a white cell of a
    chessboard to a black one or back, a front has cells of one colour only, and there is an integer for each colour. The
    rows stand one after another in it, with a closed cell between them, or two if that is what makes their stride odd:
    the cell (y, x) is one of `y * stride + x` halved, and the remainder is its colour::

        w b w b | |         stride 7        white:  0 . 1 . . .      black:  . 0 . 1 . .
        b w b w | |                                 . 4 . 5 . .              3 . 4 . . .
    """

    def __init__(self, walkable: NDArray[np.bool_]) -> None:
        self._height, self._width = walkable.shape
        self._stride = self._width + 1 | 1
        self._ways = self._halves(walkable)
        self._waves: list[_Wave] = []

    def begin(self, start: Cell) -> None:
        """Let walks begin at one more cell of the mask."""
        place, colour = divmod(start.y * self._stride + start.x, 2)
        own, other = self._ways[colour], self._ways[1 - colour]
        dry = [own], [other]
        # From a white cell all four steps are one of 0 or a row down (to the black cell before the one below), and one
        # of 0 or a row and a cell up. From a black one they are likewise a row and a cell down, and a row up.
        there, back = self._stride // 2 + colour, self._stride // 2 + 1 - colour
        front = 1 << place
        while front:
            own ^= front
            dry[0].append(own)
            front |= front << there
            front = (front | front >> back) & other
            other ^= front
            dry[1].append(other)
            front |= front << back
            front = (front | front >> there) & own
        self._waves.append(_Wave(colour, dry[colour], dry[1 - colour]))

    def far(self, cells: NDArray[np.bool_], share: float) -> NDArray[np.bool_] | None:
        """Return those of some cells that are at least that share of the longest walk to any of them away.

        All of them if no walk begins anywhere; None if no walk leads to any of them.

        Args:
            cells: (height, width) bool.
            share: 0 to 1.
        """
        if not self._waves:
            return cells
        white, black = self._halves(cells)
        most = max(wave.longest for wave in self._waves)
        lost_white, lost_black = self._beyond(most, -1, -1)
        wanted = white & ~lost_white, black & ~lost_black
        longest = bisect_left(range(1, most), True, key=lambda steps: not any(self._beyond(steps, *wanted)))
        return self._joined(self._beyond(max(1, ceil(share * longest)), *wanted)) if longest else None

    def _beyond(self, steps: int, white: int, black: int) -> tuple[int, int]:
        """Return those of some cells that are at least so many steps away, or to which no way leads."""
        for colour, whites, blacks in self._waves:
            last = len(whites) - 1
            white &= whites[min((steps + 1 - colour) // 2, last)]
            black &= blacks[min((steps + colour) // 2, last)]
        return white, black

    def _halves(self, mask: NDArray[np.bool_]) -> list[int]:
        """Return the integers of a (height, width) array."""
        padded = np.zeros(self._height * self._stride + 1, np.bool_)
        padded[:-1].reshape(self._height, self._stride)[:, : self._width] = mask
        colours = np.ascontiguousarray(padded[: padded.size // 2 * 2].reshape(-1, 2).T)
        packed = np.packbits(colours, axis=1, bitorder="little")
        return [int.from_bytes(half.tobytes(), "little") for half in packed]

    def _joined(self, halves: tuple[int, int]) -> NDArray[np.bool_]:
        """Return the (height, width) array of its integers."""
        size = self._height * self._stride
        count = (size + 1) // 2
        data = b"".join(half.to_bytes((count + 7) // 8, "little") for half in halves)
        packed = np.frombuffer(data, np.uint8).reshape(2, -1)
        flat = np.unpackbits(packed, axis=1, count=count, bitorder="little").T.reshape(-1)[:size]
        return flat.view(np.bool_).reshape(self._height, self._stride)[:, : self._width]


class _Wave(NamedTuple):
    """How a wave from one start runs over the map.

    Attributes:
        colour: The colour of the start.
        white: The white cells that are dry before, between and after its fronts there; `black`: the black ones.
    """

    colour: int
    white: list[int]
    black: list[int]

    @property
    def longest(self) -> int:
        """No cell is farther away."""
        return 2 * len(self.white)


class Steps:
    """All walks on a large map: how far each cell is."""

    def __init__(self, walkable: NDArray[np.bool_]) -> None:
        self._field = Field(walkable)
        self._begun = False

    def begin(self, start: Cell) -> None:
        """Let walks begin at one more cell of the mask."""
        self._field.spread([start])
        self._begun = True

    def far(self, cells: NDArray[np.bool_], share: float) -> NDArray[np.bool_] | None:
        """Return those of some cells that are at least that share of the longest walk to any of them away.

        All of them if no walk begins anywhere; None if no walk leads to any of them.

        Args:
            cells: (height, width) bool.
            share: 0 to 1.
        """
        if not self._begun:
            return cells
        away = self._field.away
        steps = away[cells]
        longest = int(steps.max(where=steps < FAR, initial=0))
        if not longest:
            return None
        found: NDArray[np.bool_] = cells & (away >= max(1, ceil(share * longest))) & (away < FAR)
        return found


Walks: TypeAlias = Waves | Steps
