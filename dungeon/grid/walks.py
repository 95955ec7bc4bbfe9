"""Walking distances (4-neighbour steps) from a growing set of start cells, the *starts*: which cells are far, near or farthest.

A *walks object* holds a map's walkable cells and the starts so far. A *leap* is a pair of cells that count as neighbours although
they lie apart, such as two portals. `walks_over` chooses between two classes with the same methods: `BitWalks` for small maps and
`ArrayWalks` for large ones.
"""

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
"""From 200,000 cells on, `walks_over` uses numpy distance maps, which are then faster than bitmasks of breadth-first fronts."""

Halves = tuple[int, int]
"""The cells of a mask as two bitmasks: (its white cells, its black cells) if the map is coloured like a chessboard.

Measured on a map of 198x66 cells: a breadth-first search in this form takes 0.24 ms, `regions.distances` on whole masks 1.1 ms. A
level needs about seven of them.
"""


def walks_over(walkable: NDArray[np.bool_], leaps: Sequence[Leap] = ()) -> Walks:
    """Return a walks object for a map: it measures walking distances from start cells. Add the starts with `begin`.

    Args:
        walkable: (height, width) bool: the cells that steps may enter.
        leaps: Pairs of cells that count as neighbours, such as two portals.
    """
    return BitWalks(walkable, leaps) if walkable.size < MANY else ArrayWalks(walkable, leaps)


class BitWalks:
    """Walking distances on a small map, by a breadth-first search (a *wave*) on bitmasks from each start.

    Colour the cells like a chessboard. Every step leads from a white cell to a black one or back, so all cells of a *front* (the
    cells at one distance) have one colour, and a front needs a bitmask of only half the cells. Rows follow each other with one closed cell between
    them, or two to make the stride odd. With p = y * stride + x, cell (y, x) is bit p // 2 of its colour's bitmask, and p % 2
    is its colour::

        w b w b | |         stride 7        white:  0 . 1 . . .      black:  . 0 . 1 . .
        b w b w | |                                 . 4 . 5 . .              3 . 4 . . .

    A leap may join cells of the same colour, so on a map with leaps a front has cells of both colours (`_LeapingWave`).
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
        """Return the connected component of the first walkable cell among `cells`: (height, width) bool.

        Args:
            cells: The cells to try in turn. If none of them is walkable, the largest component of the map is returned.
            likely: A walkable cell that is probably in the largest component. It only makes the search for that component quicker.
        """
        for cell in cells:
            place, colour = self._place(cell)
            if self._ways[colour] >> place & 1:
                return self._joined(self._reached(place, colour))
        return self._joined(self._largest(likely))

    def begin(self, start: Cell) -> None:
        """Add a walkable cell as a start. From now on, a cell's distance is that to its nearest start."""
        self._waves.append(self._wave(*self._place(start)))

    def alone(self, start: Cell) -> BitWalks:
        """Return a walks object for the same map with `start` as its only start. Both objects share a cache of searches."""
        walks = BitWalks.__new__(BitWalks)
        walks._height, walks._width, walks._stride = self._height, self._width, self._stride  # noqa: SLF001
        walks._ways, walks._leaps, walks._known = self._ways, self._leaps, self._known  # noqa: SLF001
        walks._waves = [self._wave(*self._place(start))]  # noqa: SLF001
        return walks

    def join(self, other: Walks) -> None:
        """Add all starts of another walks object, which must be for the same map."""
        assert isinstance(other, BitWalks)
        self._waves += other._waves  # noqa: SLF001

    def longest(self) -> int:
        """Return the greatest distance of a reachable cell from its nearest start; 0 without starts."""
        if len(self._waves) == 1:
            return self._waves[0].reach
        return self._longest(*self._ways) if self._waves else 0

    def beyond(self, cells: NDArray[np.bool_], steps: int) -> NDArray[np.bool_]:
        """Return the reachable cells among `cells` that are at least `steps` away from every start: (height, width) bool.

        Args:
            cells: (height, width) bool.
            steps: A number of steps, at least 1.
        """
        return self._joined(self._beyond(steps, *self._reachable(*self._halves(cells))))

    def nearer(self, cells: Iterable[Cell], steps: int) -> tuple[Cell, ...]:
        """Return the cells among `cells` that are less than `steps` away from some start, in the given order."""
        if not steps:
            return ()
        far = self._beyond(steps, *self._ways)
        places = ((cell, *self._place(cell)) for cell in cells)
        return tuple(cell for cell, place, colour in places if not far[colour] >> place & 1)

    def farthest(self, cells: NDArray[np.bool_]) -> Cell | None:
        """Return the cell of `cells` (height, width) with the greatest distance from its nearest start; of several the first, row by row.

        None if no cell of `cells` can be reached, or if only starts can.
        """
        wanted = self._halves(cells)
        longest = self._longest(*wanted)
        if not longest:
            return None
        found = self._beyond(longest, *self._reachable(*wanted))
        firsts = [2 * ((half & -half).bit_length() - 1) + colour for colour, half in enumerate(found) if half]
        return Cell(*divmod(min(firsts), self._stride))

    def far(self, cells: NDArray[np.bool_], share: float) -> NDArray[np.bool_] | None:
        """Return the cells of `cells` that are far from the nearest start, compared with the farthest of them.

        If the farthest one is 40 steps away and `share` is 0.5, the result is all cells that are at least 20 steps away.

        Args:
            cells: (height, width) bool.
            share: From 0 to 1.

        Returns:
            (height, width) bool, unreachable cells left out. Without starts: `cells`. None if no cell of `cells` can be
            reached, or if only starts can.
        """
        if not self._waves:
            return cells
        wanted = self._halves(cells)
        longest = self._longest(*wanted)
        if not longest:
            return None
        return self._joined(self._beyond(max(1, ceil(share * longest)), *self._reachable(*wanted)))

    def _longest(self, white: int, black: int) -> int:
        """Return the distance from the nearest start to the farthest reachable cell of a mask; 0 if there is no such cell.

        Args:
            white: The bitmask of the mask's white cells on the chessboard pattern (see `BitWalks`).
            black: The bitmask of its black cells.
        """
        wanted = self._reachable(white, black)
        most = max(wave.longest for wave in self._waves)
        return bisect_left(range(1, most), True, key=lambda steps: not any(self._beyond(steps, *wanted)))

    def _reachable(self, white: int, black: int) -> Halves:
        """Return the cells of a mask that some start can reach, as two bitmasks.

        Args:
            white: The bitmask of the mask's white cells on the chessboard pattern (see `BitWalks`).
            black: The bitmask of its black cells.
        """
        most = max(wave.longest for wave in self._waves)
        lost_white, lost_black = self._beyond(most, -1, -1)
        return white & ~lost_white, black & ~lost_black

    def _beyond(self, steps: int, white: int, black: int) -> Halves:
        """Return the cells of a mask that are at least `steps` away from all starts, unreachable ones included.

        Args:
            steps: The number of steps.
            white: The bitmask of the mask's white cells on the chessboard pattern (see `BitWalks`).
            black: The bitmask of its black cells.
        """
        for wave in self._waves:
            dry = wave.dry(steps)
            white &= dry[0]
            black &= dry[1]
        return white, black

    def _place(self, cell: Cell) -> tuple[int, int]:
        """Return (bit of a cell in its colour's bitmask, colour: 0 for white, 1 for black)."""
        return divmod(cell.y * self._stride + cell.x, 2)

    def _wave(self, place: int, colour: int) -> _Wave | _LeapingWave:
        """Return the breadth-first search from a start, from a cache if there was one from this start before.

        Args:
            place: The start's bit in the bitmask of its colour.
            colour: 0 if the start is a white cell of the chessboard pattern, 1 if it is a black one.
        """
        key = place, colour
        if key not in self._known:
            self._known[key] = self._leaping(place, colour) if self._leaps else self._running(place, colour)
        return self._known[key]

    def _running(self, place: int, colour: int) -> _Wave:
        """Compute the breadth-first search from a start, on a map where no distant cells count as neighbours (no leaps).

        Args:
            place: The start's bit in the bitmask of its colour.
            colour: 0 if the start is a white cell of the chessboard pattern, 1 if it is a black one.
        """
        own, other = self._ways[colour], self._ways[1 - colour]
        dry, dry_beside = [own], [other]
        # With r = stride // 2, the four steps from a white cell are shifts by 0 or +r bits, and then by 0 or -(r + 1).
        # From a black cell they are shifts by 0 or +(r + 1), and then by 0 or -r.
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
        """Compute the breadth-first search from a start, for a map with leaps (pairs of cells that count as neighbours).

        Args:
            place: The start's bit in the bitmask of its colour.
            colour: 0 if the start is a white cell of the chessboard pattern, 1 if it is a black one.
        """
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
        """Return the connected component of one cell, as two bitmasks.

        Args:
            place: The cell's bit in the bitmask of its colour.
            colour: 0 if the cell is a white one of the chessboard pattern, 1 if it is a black one.
        """
        wave, (white, black) = self._wave(place, colour), self._ways
        dry_white, dry_black = wave.dry(wave.longest)
        return white ^ dry_white, black ^ dry_black

    def _largest(self, likely: Cell | None) -> Halves:
        """Return the largest connected component of the walkable cells, as two bitmasks.

        Components are flooded one by one: first from `likely`, then from the middle of the cells not flooded yet. The search ends
        when the largest component so far has at least as many cells as are left.

        Args:
            likely: A walkable cell that is probably in the largest component; None if no cell is known.
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
        """Convert a (height, width) bool array to two bitmasks: its white and its black cells of the chessboard pattern."""
        padded = np.zeros(self._height * self._stride + 1, np.bool_)
        padded[:-1].reshape(self._height, self._stride)[:, : self._width] = mask
        colours = np.ascontiguousarray(padded[: padded.size // 2 * 2].reshape(-1, 2).T)
        packed = np.packbits(colours, axis=1, bitorder="little")
        white, black = (int.from_bytes(half.tobytes(), "little") for half in packed)
        return white, black

    def _joined(self, halves: Halves) -> NDArray[np.bool_]:
        """Convert two bitmasks, the white and the black cells of the chessboard pattern, back to one (height, width) bool array."""
        size = self._height * self._stride
        count = (size + 1) // 2
        flat = np.empty((count, 2), np.uint8)
        for colour, half in enumerate(halves):
            packed = np.frombuffer(half.to_bytes((count + 7) // 8, "little"), np.uint8)
            flat[:, colour] = np.unpackbits(packed, count=count, bitorder="little")
        return flat.view(np.bool_).ravel()[:size].reshape(self._height, self._stride)[:, : self._width]


class _Wave(NamedTuple):
    """A breadth-first search from one start on a map coloured like a chessboard. A cell is *dry* until the search reaches it.

    Attributes:
        colour: The colour of the start, 0 for white, 1 for black.
        white: `white[n]` is the bitmask of the white cells that are still dry after the search has made n fronts of white
            cells. A front is the cells at one distance, which all have one colour.
        black: `black[n]` is the bitmask of the black cells that are still dry after n fronts of black cells.
    """

    colour: int
    white: list[int]
    black: list[int]

    def dry(self, steps: int) -> Halves:
        """Return the cells at least `steps` away from the start or not reachable, as (white, black) bitmasks of a chessboard (see `BitWalks`)."""
        last = len(self.white) - 1
        return (
            self.white[min((steps + 1 - self.colour) // 2, last)],
            self.black[min((steps + self.colour) // 2, last)],
        )

    @property
    def longest(self) -> int:
        """An upper bound on the distances of all cells from the start."""
        return 2 * len(self.white)

    @property
    def reach(self) -> int:
        """The distance of the cells that are farthest from the start."""
        other = self.white if self.colour else self.black
        return 2 * len(other) - (3 if other[-1] != other[-2] else 4)


class _LeapingWave(NamedTuple):
    """A breadth-first search from one start on a map with leaps.

    Attributes:
        left: The cells not reached yet: `left[n]` are those at least n steps away, so `left[0]` includes the start.
    """

    left: list[Halves]

    def dry(self, steps: int) -> Halves:
        """Return the cells at least `steps` away from the start or not reachable, as (white, black) bitmasks of a chessboard (see `BitWalks`)."""
        return self.left[min(steps, len(self.left) - 1)]

    @property
    def longest(self) -> int:
        """An upper bound on the distances of all cells from the start."""
        return len(self.left)

    @property
    def reach(self) -> int:
        """The distance of the cells that are farthest from the start."""
        return len(self.left) - 2


class ArrayWalks:
    """Walking distances on a large map, by a distance map in a numpy array (`DistanceField`)."""

    def __init__(self, walkable: NDArray[np.bool_], leaps: Sequence[Leap] = ()) -> None:
        self._walkable, self._leaps = walkable, leaps
        self._field = DistanceField(walkable, leaps)
        self._begun = False

    def part(self, cells: Iterable[Cell], likely: Cell | None = None) -> NDArray[np.bool_]:
        """Return the connected component of the first walkable cell among `cells`: (height, width) bool.

        Args:
            cells: The cells to try in turn. If none of them is walkable, the largest component of the map is returned.
            likely: Has no effect in this class.
        """
        del likely  # all components are found at once
        parts = Parts(self._walkable, self._leaps)
        chosen = next(filter(None, (parts.at(*cell) for cell in cells)), 0) or int(parts.sizes.argmax())
        return parts.mask(chosen)

    def begin(self, start: Cell) -> None:
        """Add a walkable cell as a start. From now on, a cell's distance is that to its nearest start."""
        self._field.spread([start])
        self._begun = True

    def alone(self, start: Cell) -> ArrayWalks:
        """Return a walks object for the same map with `start` as its only start."""
        walks = ArrayWalks(self._walkable, self._leaps)
        walks.begin(start)
        return walks

    def join(self, other: Walks) -> None:
        """Add all starts of another walks object, which must be for the same map."""
        assert isinstance(other, ArrayWalks)
        away = self._field.away
        np.minimum(away, other._field.away, out=away)  # noqa: SLF001
        self._begun = self._begun or other._begun  # noqa: SLF001

    def longest(self) -> int:
        """Return the greatest distance of a reachable cell from its nearest start; 0 without starts."""
        return self._longest(self._walkable) if self._begun else 0

    def beyond(self, cells: NDArray[np.bool_], steps: int) -> NDArray[np.bool_]:
        """Return the reachable cells among `cells` that are at least `steps` away from every start: (height, width) bool."""
        away = self._field.away
        found: NDArray[np.bool_] = cells & (away >= steps) & (away < FAR)
        return found

    def nearer(self, cells: Iterable[Cell], steps: int) -> tuple[Cell, ...]:
        """Return the cells among `cells` that are less than `steps` away from some start, in the given order."""
        return tuple(cell for cell in cells if self._field.away[cell] < steps)

    def farthest(self, cells: NDArray[np.bool_]) -> Cell | None:
        """Return the cell of `cells` (height, width) with the greatest distance from its nearest start.

        None if no cell of `cells` can be reached, or if only starts can.
        """
        far = self.far(cells, 1)
        return None if far is None else Cell(*divmod(int(far.argmax()), far.shape[1]))

    def _longest(self, cells: NDArray[np.bool_]) -> int:
        """Return the distance from the nearest start to the farthest reachable cell of `cells` (height, width); 0 if there is none."""
        steps = self._field.away[cells]
        return int(steps.max(where=steps < FAR, initial=0))

    def far(self, cells: NDArray[np.bool_], share: float) -> NDArray[np.bool_] | None:
        """Return the cells of `cells` that are far from the nearest start, compared with the farthest of them.

        If the farthest one is 40 steps away and `share` is 0.5, the result is all cells that are at least 20 steps away.

        Args:
            cells: (height, width) bool.
            share: From 0 to 1.

        Returns:
            (height, width) bool, unreachable cells left out. Without starts: `cells`. None if no cell of `cells` can be
            reached, or if only starts can.
        """
        if not self._begun:
            return cells
        longest = self._longest(cells)
        return self.beyond(cells, max(1, ceil(share * longest))) if longest else None


Walks: TypeAlias = BitWalks | ArrayWalks
"""An object that measures walking distances, of the class that suits the map's size: see `walks_over`."""
