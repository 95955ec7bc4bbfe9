"""Where one gets on foot, and what lies far from some starts: in 4-neighbour steps from the nearest of them."""

from __future__ import annotations

from bisect import bisect_left
from math import ceil
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from dungeon.grid.bits import nth_bit
from dungeon.grid.rect import Cell
from dungeon.grid.regions import FAR, DistanceField, Parts

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from dungeon.grid.rect import Leap

MANY = 200_000
"""From so many cells on, a map has so many that are equally far from a start that they had better be listed."""

Halves = tuple[int, int]
"""A mask as an integer for its white cells and one for its black ones: see `BitWalks`.

On a map of 198x66 cells a wave in this form takes 0.24 ms; `regions.distances`, on whole masks, takes 1.1 ms. A level has about
seven waves.
"""


def walks_over(walkable: NDArray[np.bool_], leaps: Sequence[Leap] = ()) -> Walks:
    """Return all walks over the set cells of a mask; where they begin is yet to be said.

    Args:
        walkable: (height, width) bool.
        leaps: Pairs of cells that count as neighbours.
    """
    return BitWalks(walkable, leaps) if walkable.size < MANY else ArrayWalks(walkable, leaps)


class BitWalks:
    """All walks on a small map.

    A wave runs over the map from each start, and its front is one integer. As every step leads from a white cell of a
    chessboard to a black one or back, a front has cells of one colour only, and there is an integer for each colour. The
    rows stand one after another in it, with a closed cell between them, or two if that is what makes their stride odd:
    the cell (y, x) is one of `y * stride + x` halved, and the remainder is its colour::

        w b w b | |         stride 7        white:  0 . 1 . . .      black:  . 0 . 1 . .
        b w b w | |                                 . 4 . 5 . .              3 . 4 . . .

    A leap may join cells of one colour: where there are any, a front has cells of both.
    """

    def __init__(self, walkable: NDArray[np.bool_], leaps: Iterable[Leap] = ()) -> None:
        self._height, self._width = walkable.shape
        self._stride: int = self._width + 1 | 1
        self._ways = self._halves(walkable)
        pairs = [(self._place(here), self._place(there)) for here, there in leaps]
        self._leaps = [*pairs, *(pair[::-1] for pair in pairs)]
        self._waves: list[_Wave | _LeapingWave] = []
        self._known: dict[tuple[int, int], _Wave | _LeapingWave] = {}

    def part(self, cells: Iterable[Cell], likely: Cell | None = None) -> NDArray[np.bool_]:
        """Return a connected part of the cells that can be walked on.

        Args:
            cells: The first of these that is set is in it; if none is, it is the largest part.
            likely: A set cell that is likely to be in the largest part, which is quick to find if it is.

        Returns:
            (height, width) bool.
        """
        for cell in cells:
            place, colour = self._place(cell)
            if self._ways[colour] >> place & 1:
                return self._joined(self._reached(place, colour))
        return self._joined(self._largest(likely))

    def begin(self, start: Cell) -> None:
        """Let walks begin at one more cell of the mask."""
        self._waves.append(self._wave(*self._place(start)))

    def alone(self, start: Cell) -> BitWalks:
        """Return all walks over the same cells that begin at one of them."""
        walks = BitWalks.__new__(BitWalks)
        walks._height, walks._width, walks._stride = self._height, self._width, self._stride  # noqa: SLF001
        walks._ways, walks._leaps, walks._known = self._ways, self._leaps, self._known  # noqa: SLF001
        walks._waves = [self._wave(*self._place(start))]  # noqa: SLF001
        return walks

    def join(self, other: Walks) -> None:
        """Let walks begin where those others do, too, which go over the same cells."""
        assert isinstance(other, BitWalks)
        self._waves += other._waves  # noqa: SLF001

    def longest(self) -> int:
        """Return how many steps the cell is away that is farthest; 0 if no walk begins anywhere."""
        if len(self._waves) == 1:
            return self._waves[0].reach
        return self._longest(*self._ways) if self._waves else 0

    def beyond(self, cells: NDArray[np.bool_], steps: int) -> NDArray[np.bool_]:
        """Return those of some cells to which walks lead that are at least so many steps away.

        Args:
            cells: (height, width) bool.
            steps: At least 1.
        """
        return self._joined(self._beyond(steps, *self._reachable(*self._halves(cells))))

    def nearer(self, cells: Iterable[Cell], steps: int) -> tuple[Cell, ...]:
        """Return those of some cells to which walks lead that are less than so many steps away."""
        if not steps:
            return ()
        far = self._beyond(steps, *self._ways)
        places = ((cell, *self._place(cell)) for cell in cells)
        return tuple(cell for cell, place, colour in places if not far[colour] >> place & 1)

    def farthest(self, cells: NDArray[np.bool_]) -> Cell | None:
        """Return the first, row by row, of those cells that are farthest away; None if no walk leads to any of them."""
        wanted = self._halves(cells)
        longest = self._longest(*wanted)
        if not longest:
            return None
        found = self._beyond(longest, *self._reachable(*wanted))
        firsts = [2 * ((half & -half).bit_length() - 1) + colour for colour, half in enumerate(found) if half]
        return Cell(*divmod(min(firsts), self._stride))

    def far(self, cells: NDArray[np.bool_], share: float) -> NDArray[np.bool_] | None:
        """Return those of some cells that are at least that share of the longest walk to any of them away.

        All of them if no walk begins anywhere; None if no walk leads to any of them.

        Args:
            cells: (height, width) bool.
            share: 0 to 1.
        """
        if not self._waves:
            return cells
        wanted = self._halves(cells)
        longest = self._longest(*wanted)
        if not longest:
            return None
        return self._joined(self._beyond(max(1, ceil(share * longest)), *self._reachable(*wanted)))

    def _longest(self, white: int, black: int) -> int:
        """Return how many steps the farthest of some cells is away to which walks lead; 0 if there is none but starts."""
        wanted = self._reachable(white, black)
        most = max(wave.longest for wave in self._waves)
        return bisect_left(range(1, most), True, key=lambda steps: not any(self._beyond(steps, *wanted)))

    def _reachable(self, white: int, black: int) -> Halves:
        """Return those of some cells to which walks lead."""
        most = max(wave.longest for wave in self._waves)
        lost_white, lost_black = self._beyond(most, -1, -1)
        return white & ~lost_white, black & ~lost_black

    def _beyond(self, steps: int, white: int, black: int) -> Halves:
        """Return those of some cells that are at least so many steps away, or to which no way leads."""
        for wave in self._waves:
            dry = wave.dry(steps)
            white &= dry[0]
            black &= dry[1]
        return white, black

    def _place(self, cell: Cell) -> tuple[int, int]:
        """Return the place of a cell in the integer of its colour, and the colour."""
        return divmod(cell.y * self._stride + cell.x, 2)

    def _wave(self, place: int, colour: int) -> _Wave | _LeapingWave:
        """Return how a wave runs over the map from a cell; it runs but once."""
        key = place, colour
        if key not in self._known:
            self._known[key] = self._leaping(place, colour) if self._leaps else self._running(place, colour)
        return self._known[key]

    def _running(self, place: int, colour: int) -> _Wave:
        """Let a wave run from a cell where there are no leaps."""
        own, other = self._ways[colour], self._ways[1 - colour]
        dry, dry_beside = [own], [other]
        # From a white cell all four steps are one of 0 or a row down (to the black cell before the one below), and one
        # of 0 or a row and a cell up. From a black one they are likewise a row and a cell down, and a row up.
        there, back = self._stride // 2 + colour, self._stride // 2 + 1 - colour
        front = 1 << place
        while front:
            own ^= front
            dry.append(own)
            front |= front << there
            front = (front | front >> back) & other
            other ^= front
            dry_beside.append(other)
            front |= front << back
            front = (front | front >> there) & own
        return _Wave(colour, *((dry_beside, dry) if colour else (dry, dry_beside)))

    def _leaping(self, place: int, colour: int) -> _LeapingWave:
        """Let a wave run from a cell where there are leaps."""
        row = self._stride // 2
        dry_white, dry_black = self._ways
        left = [(dry_white, dry_black)]
        front = [0, 0]
        front[colour] = 1 << place
        brinks = [0, 0]
        for (here, own), _ in self._leaps:
            brinks[own] |= 1 << here
        while any(front):
            white, black = front
            dry_white ^= white
            dry_black ^= black
            left.append((dry_white, dry_black))
            white |= white << row
            black |= black << row + 1
            after = [black | black >> row, white | white >> row + 1]
            if front[0] & brinks[0] or front[1] & brinks[1]:
                for (here, its), (there, own) in self._leaps:
                    after[own] |= (front[its] >> here & 1) << there
            front = [after[0] & dry_white, after[1] & dry_black]
        return _LeapingWave(left)

    def _reached(self, place: int, colour: int) -> Halves:
        """Return all cells to which ways lead from a cell."""
        wave, (white, black) = self._wave(place, colour), self._ways
        dry_white, dry_black = wave.dry(wave.longest)
        return white ^ dry_white, black ^ dry_black

    def _largest(self, likely: Cell | None) -> Halves:
        """Return the largest part.

        Parts are looked for until one has more cells than are left: from the likely cell, then from their middle,
        where waves are short.
        """
        white, black = self._ways
        most, largest = 0, (0, 0)
        while (left := white.bit_count() + black.bit_count()) > most:
            if likely is not None and not most:
                place, colour = self._place(likely)
            else:
                colour = int(black.bit_count() > white.bit_count())
                half = (white, black)[colour]
                place = nth_bit(half, half.bit_count() // 2)
            part = self._reached(place, colour)
            white, black = white ^ part[0], black ^ part[1]
            size = left - white.bit_count() - black.bit_count()
            if size > most:
                most, largest = size, part
        return largest

    def _halves(self, mask: NDArray[np.bool_]) -> Halves:
        """Return the integers of a (height, width) array."""
        padded = np.zeros(self._height * self._stride + 1, np.bool_)
        padded[:-1].reshape(self._height, self._stride)[:, : self._width] = mask
        colours = np.ascontiguousarray(padded[: padded.size // 2 * 2].reshape(-1, 2).T)
        packed = np.packbits(colours, axis=1, bitorder="little")
        white, black = (int.from_bytes(half.tobytes(), "little") for half in packed)
        return white, black

    def _joined(self, halves: Halves) -> NDArray[np.bool_]:
        """Return the (height, width) array of its integers."""
        size = self._height * self._stride
        count = (size + 1) // 2
        flat = np.empty((count, 2), np.uint8)
        for colour, half in enumerate(halves):
            packed = np.frombuffer(half.to_bytes((count + 7) // 8, "little"), np.uint8)
            flat[:, colour] = np.unpackbits(packed, count=count, bitorder="little")
        return flat.view(np.bool_).ravel()[:size].reshape(self._height, self._stride)[:, : self._width]


class _Wave(NamedTuple):
    """How a wave from one start runs over the map.

    Attributes:
        colour: The colour of the start.
        white: The white cells that are dry before, between and after its fronts there; `black`: the black ones.
    """

    colour: int
    white: list[int]
    black: list[int]

    def dry(self, steps: int) -> Halves:
        """Return the cells that are at least so many steps away, or to which no way leads."""
        last = len(self.white) - 1
        return (
            self.white[min((steps + 1 - self.colour) // 2, last)],
            self.black[min((steps + self.colour) // 2, last)],
        )

    @property
    def longest(self) -> int:
        """No cell is farther away."""
        return 2 * len(self.white)

    @property
    def reach(self) -> int:
        """How many steps the farthest cells are away: the last of its fronts in which there is one."""
        other = self.white if self.colour else self.black
        return 2 * len(other) - (3 if other[-1] != other[-2] else 4)


class _LeapingWave(NamedTuple):
    """How a wave from one start runs over the map and across leaps.

    Attributes:
        left: The cells that are dry before its first step, the start being one of them, after it, and so on.
    """

    left: list[Halves]

    def dry(self, steps: int) -> Halves:
        """Return the cells that are at least so many steps away, or to which no way leads."""
        return self.left[min(steps, len(self.left) - 1)]

    @property
    def longest(self) -> int:
        """No cell is farther away."""
        return len(self.left)

    @property
    def reach(self) -> int:
        """How many steps the farthest cells are away."""
        return len(self.left) - 2


class ArrayWalks:
    """All walks on a large map: how far each cell is."""

    def __init__(self, walkable: NDArray[np.bool_], leaps: Sequence[Leap] = ()) -> None:
        self._walkable, self._leaps = walkable, leaps
        self._field = DistanceField(walkable, leaps)
        self._begun = False

    def part(self, cells: Iterable[Cell], likely: Cell | None = None) -> NDArray[np.bool_]:
        """Return a connected part, as `BitWalks.part` does."""
        del likely  # all parts are found at once
        parts = Parts(self._walkable, self._leaps)
        chosen = next(filter(None, (parts.at(*cell) for cell in cells)), 0) or int(parts.sizes.argmax())
        return parts.mask(chosen)

    def begin(self, start: Cell) -> None:
        """Let walks begin at one more cell of the mask."""
        self._field.spread([start])
        self._begun = True

    def alone(self, start: Cell) -> ArrayWalks:
        """Return the walks that begin at one cell, as `BitWalks.alone` does."""
        walks = ArrayWalks(self._walkable, self._leaps)
        walks.begin(start)
        return walks

    def join(self, other: Walks) -> None:
        """Let walks begin where those others do, too, as `BitWalks.join` does."""
        assert isinstance(other, ArrayWalks)
        away = self._field.away
        np.minimum(away, other._field.away, out=away)  # noqa: SLF001
        self._begun = self._begun or other._begun  # noqa: SLF001

    def longest(self) -> int:
        """Return how many steps the cell is away that is farthest, as `BitWalks.longest` does."""
        return self._longest(self._walkable) if self._begun else 0

    def beyond(self, cells: NDArray[np.bool_], steps: int) -> NDArray[np.bool_]:
        """Return the cells that are at least so many steps away, as `BitWalks.beyond` does."""
        away = self._field.away
        found: NDArray[np.bool_] = cells & (away >= steps) & (away < FAR)
        return found

    def nearer(self, cells: Iterable[Cell], steps: int) -> tuple[Cell, ...]:
        """Return the cells that are nearer, as `BitWalks.nearer` does."""
        return tuple(cell for cell in cells if self._field.away[cell] < steps)

    def farthest(self, cells: NDArray[np.bool_]) -> Cell | None:
        """Return the cell that is farthest away, as `BitWalks.farthest` does."""
        far = self.far(cells, 1)
        return None if far is None else Cell(*divmod(int(far.argmax()), far.shape[1]))

    def _longest(self, cells: NDArray[np.bool_]) -> int:
        """Return how many steps the farthest of some cells is away; 0 if no walk leads to any but starts."""
        steps = self._field.away[cells]
        return int(steps.max(where=steps < FAR, initial=0))

    def far(self, cells: NDArray[np.bool_], share: float) -> NDArray[np.bool_] | None:
        """Return those of some cells that are far away, as `BitWalks.far` does."""
        if not self._begun:
            return cells
        longest = self._longest(cells)
        return self.beyond(cells, max(1, ceil(share * longest))) if longest else None


Walks: TypeAlias = BitWalks | ArrayWalks
