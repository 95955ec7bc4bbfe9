"""Boolean arrays as maps: connected components, step distances, neighbouring cells and fields of view."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import numpy as np

from dungeon.grid.bits import Board
from dungeon.grid.rect import Cell, Leap, Rect

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

S = TypeVar("S", bound=np.generic)

FAR = int(np.iinfo(np.int32).max)
"""The distance of a cell that cannot be reached."""

LARGE = 100_000
"""From so many cells on, a map has so many that are equally far from a start that numpy is faster than masks."""


class Parts:
    """The 4-connected parts of a mask, numbered from 1 in order of each part's first cell row by row.

    Rows are cut into runs of set cells. Each run is hooked to the first one that it overlaps in the row above, which
    gives trees; runs that overlap several are where trees meet, and these are joined in rounds, of which every one
    at least halves the number of trees that still have a neighbour (Boruvka, 1926). So the work is a few array passes
    over the runs, and one over the mask.

    Args:
        mask: (height, width) bool.
        leaps: Pairs of cells that count as neighbours, where both are set.

    Attributes:
        count: How many parts there are.
    """

    def __init__(self, mask: NDArray[np.bool_], leaps: Iterable[Leap] = ()) -> None:
        self.height, self.width = mask.shape
        # Between two rows lies a cell that is not set, so that no run goes on in the next row.
        stride = self.width + 1
        flat = np.zeros(self.height * stride + 1, np.bool_)
        flat[1:].reshape(self.height, stride)[:, :-1] = mask
        edges = (flat[1:] != flat[:-1]).nonzero()[0]
        starts, ends = edges[::2].copy(), edges[1::2].copy()
        # The runs of the row above that overlap run i are first[i] .. first[i] + overlaps[i] - 1.
        first = ends.searchsorted(starts - stride, side="right")
        overlaps = starts.searchsorted(ends - stride, side="left") - first
        runs = np.arange(len(starts))
        root = _roots(np.where(overlaps > 0, first, runs), self.height)
        meeting = (overlaps > 1).nonzero()[0]
        if len(meeting):
            others = overlaps[meeting] - 1
            lower = meeting.repeat(others)
            upper = np.arange(len(lower)) - (others.cumsum() - others).repeat(others) + first[lower] + 1
            root = _joined(root, root[lower], root[upper])
        self._edges = edges
        joined_by_leaps = [pair for pair in leaps if mask[pair[0]] and mask[pair[1]]]
        if joined_by_leaps:
            one, other = (
                [self._edges_before(*cell) // 2 for cell in side]
                for side in zip(*joined_by_leaps, strict=True)
            )
            root = _joined(root, root[one], root[other])
        number = np.cumsum(root == runs)
        self.count = int(number[-1]) if len(number) else 0
        self._part = number[root]
        self._lengths = ends - starts

    @property
    def sizes(self) -> NDArray[np.intp]:
        """(count + 1,) how many cells each part has; none has the number 0."""
        return np.bincount(self._part, self._lengths, self.count + 1).astype(np.intp)

    @property
    def labels(self) -> NDArray[np.int32]:
        """(height, width) the number of the part each cell is of, 0 for none."""
        return self._painted(self._part.astype(np.int32))

    def numbered(self, numbers: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return (height, width) `numbers[n]` at the cells of part n, 0 outside of parts."""
        return self._painted(numbers[self._part])

    def first(self, number: int) -> Cell:
        """Return the first cell of a part, row by row."""
        run = int((self._part == number).argmax())
        return Cell(*divmod(int(self._edges[2 * run]), self.width + 1))

    def boxes(self) -> list[Rect]:
        """Return the smallest rectangle around each part."""
        rows, starts = np.divmod(self._edges[::2], self.width + 1)
        order = self._part.argsort(kind="stable")
        first = self._part[order].searchsorted(np.arange(1, self.count + 1))
        rows, starts, ends = rows[order], starts[order], (starts + self._lengths)[order]
        sides = (
            np.minimum.reduceat(rows, first).tolist(),
            np.minimum.reduceat(starts, first).tolist(),
            np.maximum.reduceat(rows, first).tolist(),
            np.maximum.reduceat(ends, first).tolist(),
        )
        return [Rect(y, x, last + 1 - y, end - x) for y, x, last, end in zip(*sides, strict=True)]

    def at(self, y: int, x: int) -> int:
        """Return the number of the part a cell is of, 0 for none."""
        before = self._edges_before(y, x)
        return int(self._part[before // 2]) if before % 2 else 0

    def _edges_before(self, y: int, x: int) -> int:
        """Return how many runs begin or end up to a cell."""
        return int(self._edges.searchsorted(y * (self.width + 1) + x, side="right"))

    def mask(self, number: int) -> NDArray[np.bool_]:
        """Return (height, width) bool: the cells of one part."""
        return self._painted(self._part == number)

    def _painted(self, values: NDArray[S]) -> NDArray[S]:
        """Return (height, width) the value of each cell's run, 0 outside of runs."""
        size = self.height * (self.width + 1)
        between = np.zeros(2 * len(values) + 1, values.dtype)
        between[1::2] = values
        bounds = np.concatenate(([0], self._edges, [size]))
        flat = between.repeat(bounds[1:] - bounds[:-1])
        return np.ascontiguousarray(flat.reshape(self.height, self.width + 1)[:, :-1])


def _joined(root: NDArray[np.intp], a: NDArray[np.intp], b: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the first run of the part that each run is of, once the trees with the roots `a[i]` and `b[i]` are joined."""
    number = np.zeros(len(root), np.intp)
    number[a] = number[b] = 1
    trees = number.nonzero()[0]
    number[trees] = nodes = np.arange(len(trees))
    a, b = number[a], number[b]
    while len(a):
        apart = nodes[a] != nodes[b]
        a, b = nodes[a[apart]], nodes[b[apart]]
        nodes[np.maximum(a, b)] = np.minimum(a, b)  # where several meet, any of them is an earlier run
        nodes = _roots(nodes, len(nodes))
    whole = np.arange(len(root))
    whole[trees] = trees[nodes]
    return whole[root]


def _roots(parent: NDArray[np.intp], depth: int) -> NDArray[np.intp]:
    """Let every run point straight at the root of its tree, which no run is more than `depth` steps away from."""
    for _ in range(depth.bit_length()):  # each time it points twice as far
        parent = parent.take(parent)
    return parent


def components(mask: NDArray[np.bool_], leaps: Iterable[Leap] = ()) -> tuple[NDArray[np.int32], int]:
    """Number the 4-connected parts of a mask: see `Parts`.

    Args:
        mask: (height, width) bool.
        leaps: Pairs of cells that count as neighbours.

    Returns:
        A (height, width) array, 0 outside the mask and 1..count inside; and the count.
    """
    parts = Parts(mask, leaps)
    return parts.labels, parts.count


def parts_of(labels: NDArray[np.int32], count: int) -> list[NDArray[np.intp]]:
    """Return the flat indices of the cells with each label 1..count, in order."""
    flat = labels.ravel()
    order = np.argsort(flat, kind="stable")
    return np.split(order, np.searchsorted(flat[order], np.arange(1, count + 1)))[1:]


def bounds_of(mask: NDArray[np.bool_]) -> Rect:
    """Return the smallest rectangle around the set cells; ValueError if there are none."""
    cells, columns, width = mask.tobytes(), mask.any(axis=0).tobytes(), mask.shape[1]
    if 1 not in cells:
        raise ValueError("there is no cell to draw a rectangle around")
    top, left = cells.index(1) // width, columns.index(1)
    return Rect(top, left, cells.rindex(1) // width + 1 - top, columns.rindex(1) + 1 - left)


def distances(
    walkable: NDArray[np.bool_], starts: Iterable[tuple[int, int]], leaps: Sequence[Leap] = ()
) -> NDArray[np.int32]:
    """Return how many 4-neighbour steps each walkable cell is from the nearest start.

    Args:
        walkable: (height, width) bool.
        starts: (y, x) cells.
        leaps: Pairs of cells that count as neighbours.

    Returns:
        A (height, width) array; `FAR` where no way leads.
    """
    if walkable.size >= LARGE:
        field = DistanceField(walkable, leaps)
        field.spread(starts)
        return np.where(field.away < 0, FAR, field.away)
    return _by_steps(walkable, starts, leaps)


def _by_steps(
    walkable: NDArray[np.bool_], starts: Iterable[tuple[int, int]], leaps: Sequence[Leap]
) -> NDArray[np.int32]:
    """Return `distances`, by masks of the cells that each step leaves dry.

    How many steps leave a cell dry is counted in a Gray code (Gray, "Pulse code communication", 1953), whose digits are
    masks: of it each step changes but one.
    """
    board = Board(*walkable.shape)
    stride = board.stride
    pairs = [tuple(y * stride + x for y, x in pair) for pair in leaps]
    across = [*pairs, *((there, here) for here, there in pairs)]
    front = board.from_cells(starts)
    ways = dry = board.from_array(walkable) | front
    digits: list[int] = []
    steps = 0
    while front:
        dry ^= front
        steps += 1
        changed = (steps & -steps).bit_length() - 1
        if changed == len(digits):
            digits.append(0)
        digits[changed] ^= dry
        near = _beside(front, stride)
        for here, there in across:
            near |= (front >> here & 1) << there
        front = near & dry
    for place in range(len(digits) - 1, 0, -1):  # from the Gray code to binary digits
        digits[place - 1] ^= digits[place]
    return _numbers(board, digits, ways ^ dry)


def _beside(front: int, stride: int) -> int:
    """Return the cells of a mask and those beside them, some of which may be off the map."""
    wide = front | front << stride + 1
    return (wide | wide << stride - 1) >> stride


def _numbers(board: Board, digits: Sequence[int], reached: int) -> NDArray[np.int32]:
    """Return (height, width) the numbers of the cells of a mask, of which the digits are masks, the lowest first; else `FAR`."""
    numbers = board.to_numbers(digits)
    numbers[~board.to_array(reached)] = FAR
    return numbers


def way_down(away: NDArray[np.int32], end: Cell, leaps: Iterable[Leap] = ()) -> list[Cell]:
    """Return the cells of a shortest way from a cell back to the nearest start, both included.

    Of several, one that goes straight on as long as it may.

    Args:
        away: (height, width) what `distances` returns.
        end: A cell that is not `FAR` away.
        leaps: Pairs of cells that count as neighbours, as it was given.
    """
    height, width = away.shape
    across = [*leaps, *((there, here) for here, there in leaps)]
    way = [end]
    last = (0, 0)
    for steps in range(int(away[end]) - 1, -1, -1):
        y, x = way[-1]
        for dy, dx in (last, (-1, 0), (0, -1), (0, 1), (1, 0)):
            if 0 <= y + dy < height and 0 <= x + dx < width and away[y + dy, x + dx] == steps:
                last = dy, dx
                way.append(Cell(y + dy, x + dx))
                break
        else:
            way.append(next(there for here, there in across if here == (y, x) and away[there] == steps))
    return way


class DistanceField:
    """How many 4-neighbour steps the cells of a mask are from the nearest of some starts, told one after another.

    All cells that are equally far are found at a time: dear by the step, cheap by the cell.

    Args:
        walkable: (height, width) bool.
        leaps: Pairs of cells that count as neighbours.

    Attributes:
        away: (height, width) int32, how many; `FAR` where no way leads, and -1 outside the mask.
    """

    def __init__(self, walkable: NDArray[np.bool_], leaps: Iterable[Leap] = ()) -> None:
        height, width = walkable.shape
        # There is a closed cell between two rows, and a closed row above and below.
        self._stride: int = width + 1
        stride = self._stride
        self._places = np.full((height + 2) * stride + 1, -1, np.int32)
        self.away: NDArray[np.int32] = self._places[stride : -stride - 1].reshape(height, stride)[:, :-1]
        self.away[walkable] = FAR
        pairs = [(self._place(*one), self._place(*other)) for one, other in leaps]
        self._leaps = np.array([*pairs, *(pair[::-1] for pair in pairs)], np.intp).reshape(-1, 2).T

    def _place(self, y: int, x: int) -> int:
        return (y + 1) * self._stride + x

    def spread(self, starts: Iterable[tuple[int, int]]) -> None:
        """Let walks begin at more cells."""
        away, stride = self._places, self._stride
        ways = np.array([[-stride], [-1], [1], [stride]], np.intp)
        turn = np.empty(away.size, np.int32)
        front = np.array([self._place(y, x) for y, x in starts], np.intp)
        away[front] = steps = 0
        while len(front):
            steps += 1
            near = (front + ways).ravel()
            if self._leaps.size:
                here, there = self._leaps
                near = np.append(near, there[away.take(here) == steps - 1])
            near = near.compress(away.take(near) > steps)
            away[near] = steps
            # A cell with several neighbours in the front is there several times: the last one stays.
            order = np.arange(len(near), dtype=np.int32)
            turn[near] = order
            front = near.compress(turn.take(near) == order)


def framed(cells: NDArray[S], outside: int = 0) -> NDArray[S]:
    """Return an array with one more row, and column, on every side: `np.pad`, at a fraction of its price."""
    height, width = cells.shape
    wide = np.full((height + 2, width + 2), outside, cells.dtype)
    wide[1:-1, 1:-1] = cells
    return wide


def beside(mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the cells that share an edge with a cell of a mask, and the mask itself."""
    near = mask.copy()
    near[1:] |= mask[:-1]
    near[:-1] |= mask[1:]
    near[:, 1:] |= mask[:, :-1]
    near[:, :-1] |= mask[:, 1:]
    return near


def touching(mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the cells that touch a cell of a mask, corners included, and the mask itself."""
    near = mask.copy()
    near[1:] |= mask[:-1]
    near[:-1] |= mask[1:]
    wide = near.copy()
    wide[:, 1:] |= near[:, :-1]
    wide[:, :-1] |= near[:, 1:]
    return wide


def seen_from(transparent: NDArray[np.bool_], eye: tuple[int, int]) -> NDArray[np.bool_]:
    """Return (height, width) bool: what is seen from a cell, however far.

    Between cells that sight passes it goes both ways or neither (symmetric shadow casting, as tcod has it).

    Args:
        transparent: (height, width) bool, the cells that sight passes.
        eye: The (y, x) of the cell.
    """
    import tcod.constants  # noqa: PLC0415  # rarely needed, and slow to import
    import tcod.map  # noqa: PLC0415

    seen: NDArray[np.bool_] = tcod.map.compute_fov(
        transparent, eye, algorithm=tcod.constants.FOV_SYMMETRIC_SHADOWCAST
    )
    return seen
