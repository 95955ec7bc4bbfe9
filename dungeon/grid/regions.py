"""Boolean arrays (*masks*) as maps: connected components, walking distances in 4-neighbour steps, and fields of view.

A *mask* is a (height, width) bool array. A *leap* is a pair of cells that count as neighbours although they lie apart, such as two
portals. A *run* is a stretch of consecutive set cells in a row, as long as possible.
"""

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
"""The distance of a cell that can't be reached: the largest int32."""

LARGE = 100_000
"""From 100,000 cells on, `distances` uses numpy index arrays (`DistanceField`), which is then faster than bitmasks."""


class Parts:
    """The 4-connected components of a mask, numbered from 1 in order of their first cells, row by row.

    Rows are cut into runs of set cells, and runs that touch are united (union-find). Each run first points to the first run that
    it overlaps in the row above, which gives trees. A run that overlaps several joins trees. These joins are made in rounds,
    each of which at least halves the number of trees that still have a neighbour (Boruvka, 1926). So the work is a few numpy
    passes over the runs, and one over the mask.

    Args:
        mask: (height, width) bool.
        leaps: Pairs of cells that count as neighbours if both are set.

    Attributes:
        height: Rows of the mask.
        width: Columns of the mask.
        count: The number of components.
    """

    def __init__(self, mask: NDArray[np.bool_], leaps: Iterable[Leap] = ()) -> None:
        self.height, self.width = mask.shape
        # An unset cell lies between two rows, so that no run goes on in the next row.
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
        """(count + 1,): at index n the number of cells of component n; 0 at index 0, since components are numbered from 1."""
        return np.bincount(self._part, self._lengths, self.count + 1).astype(np.intp)

    @property
    def labels(self) -> NDArray[np.int32]:
        """(height, width) int32: the number of each cell's component, 0 outside the mask."""
        return self._painted(self._part.astype(np.int32))

    def numbered(self, numbers: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return (height, width): `numbers[n]` at each cell of component n, and 0 outside the mask."""
        return self._painted(numbers[self._part])

    def first(self, number: int) -> Cell:
        """Return the first cell, row by row, of the component with this number."""
        run = int((self._part == number).argmax())
        return Cell(*divmod(int(self._edges[2 * run]), self.width + 1))

    def boxes(self) -> list[Rect]:
        """Return the bounding box of each component, in order of their numbers."""
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
        """Return the number of a cell's component, 0 outside the mask."""
        before = self._edges_before(y, x)
        return int(self._part[before // 2]) if before % 2 else 0

    def _edges_before(self, y: int, x: int) -> int:
        """Return the number of run starts and run ends up to and including cell (y, x), row by row; it is odd inside a run."""
        return int(self._edges.searchsorted(y * (self.width + 1) + x, side="right"))

    def mask(self, number: int) -> NDArray[np.bool_]:
        """Return (height, width) bool: the cells of the component with this number."""
        return self._painted(self._part == number)

    def _painted(self, values: NDArray[S]) -> NDArray[S]:
        """Return (height, width): at each cell of run i `values[i]`, and 0 outside the mask; runs are numbered row by row."""
        size = self.height * (self.width + 1)
        between = np.zeros(2 * len(values) + 1, values.dtype)
        between[1::2] = values
        bounds = np.concatenate(([0], self._edges, [size]))
        flat = between.repeat(bounds[1:] - bounds[:-1])
        return np.ascontiguousarray(flat.reshape(self.height, self.width + 1)[:, :-1])


def _joined(root: NDArray[np.intp], a: NDArray[np.intp], b: NDArray[np.intp]) -> NDArray[np.intp]:
    """Join the component with root `a[i]` to the component with root `b[i]`, for each i (union-find).

    Args:
        root: For each run, the root of its component: the component's first run.
        a: Roots of components.
        b: As many roots of components.

    Returns:
        For each run, the root of its component after joining.
    """
    number = np.zeros(len(root), np.intp)
    number[a] = number[b] = 1
    trees = number.nonzero()[0]
    number[trees] = nodes = np.arange(len(trees))
    a, b = number[a], number[b]
    while len(a):
        apart = nodes[a] != nodes[b]
        a, b = nodes[a[apart]], nodes[b[apart]]
        # If several pairs write to one entry, any of them may win: each is an earlier run.
        nodes[np.maximum(a, b)] = np.minimum(a, b)
        nodes = _roots(nodes, len(nodes))
    whole = np.arange(len(root))
    whole[trees] = trees[nodes]
    return whole[root]


def _roots(parent: NDArray[np.intp], depth: int) -> NDArray[np.intp]:
    """Return the root of each node's tree, for trees given by the parent of each node (pointer doubling).

    Args:
        parent: For each node, its parent; a root is its own parent.
        depth: The greatest number of steps from a node to its root.
    """
    for _ in range(depth.bit_length()):  # each pass makes every entry point twice as far
        parent = parent.take(parent)
    return parent


def components(mask: NDArray[np.bool_], leaps: Iterable[Leap] = ()) -> tuple[NDArray[np.int32], int]:
    """Number the 4-connected components of a mask from 1, in order of their first cells (see `Parts`).

    Args:
        mask: (height, width) bool.
        leaps: Pairs of cells that count as neighbours.

    Returns:
        (height, width) int32 labels, 0 outside the mask and 1 to count inside; and the count.
    """
    parts = Parts(mask, leaps)
    return parts.labels, parts.count


def parts_of(labels: NDArray[np.int32], count: int) -> list[NDArray[np.intp]]:
    """Return a list whose item n holds the cells with label n + 1, as ascending flat indices (y * width + x).

    Args:
        labels: (height, width): 1 to `count`, or 0 for a cell of no component, as `components` returns them.
        count: The largest label; the list has this many items.
    """
    flat = labels.ravel()
    order = np.argsort(flat, kind="stable")
    return np.split(order, np.searchsorted(flat[order], np.arange(1, count + 1)))[1:]


def bounds_of(mask: NDArray[np.bool_]) -> Rect:
    """Return the smallest rectangle around the set cells of a (height, width) mask.

    Raises:
        ValueError: No cell is set.
    """
    cells, columns, width = mask.tobytes(), mask.any(axis=0).tobytes(), mask.shape[1]
    if 1 not in cells:
        raise ValueError("there is no cell to draw a rectangle around")
    top, left = cells.index(1) // width, columns.index(1)
    return Rect(top, left, cells.rindex(1) // width + 1 - top, columns.rindex(1) + 1 - left)


def distances(
    walkable: NDArray[np.bool_], starts: Iterable[tuple[int, int]], leaps: Sequence[Leap] = ()
) -> NDArray[np.int32]:
    """Return the distance map of a mask: the 4-neighbour steps from the nearest start to each cell.

    Args:
        walkable: (height, width) bool: the cells that steps may enter.
        starts: (y, x) cells; they have the distance 0.
        leaps: Pairs of cells that count as neighbours.

    Returns:
        (height, width) int32; `FAR` where no steps lead.
    """
    if walkable.size >= LARGE:
        field = DistanceField(walkable, leaps)
        field.spread(starts)
        return np.where(field.away < 0, FAR, field.away)
    return _by_steps(walkable, starts, leaps)


def _by_steps(
    walkable: NDArray[np.bool_], starts: Iterable[tuple[int, int]], leaps: Sequence[Leap]
) -> NDArray[np.int32]:
    """Return the distance map of a mask, as `distances` does, by a breadth-first search on bitmasks.

    In each step, all cells not reached yet count up by one. The counts of all cells are kept together: one bitmask holds one
    binary digit of every count. They are counted in a Gray code (Gray, "Pulse code communication", 1953), because each step then
    changes only one digit.
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
    """Return the bitmask of the 4-neighbours of the cells in `front`; some may lie outside the map.

    Args:
        front: A bitmask of cells (see `grid.bits`).
        stride: The number of bits per row.
    """
    wide = front | front << stride + 1
    return (wide | wide << stride - 1) >> stride


def _numbers(board: Board, digits: Sequence[int], reached: int) -> NDArray[np.int32]:
    """Return the distance map (height, width) int32 that is given digit by digit; `FAR` for cells that are not reached.

    Args:
        board: Converts bitmasks to arrays.
        digits: Binary digit n of a cell's distance is the cell's bit in `digits[n]`.
        reached: The bitmask of the cells that have a distance.
    """
    numbers = board.to_numbers(digits)
    numbers[~board.to_array(reached)] = FAR
    return numbers


def way_down(away: NDArray[np.int32], end: Cell, leaps: Iterable[Leap] = ()) -> list[Cell]:
    """Return a shortest path from `end` to its nearest start by walking down a distance map; the first and last cell are included.

    Among several shortest paths, it takes one that goes straight on where it can.

    Args:
        away: (height, width): the distance map, a result of `distances`.
        end: The first cell of the path; its distance is not `FAR`.
        leaps: The pairs of cells that `distances` was given.
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
    """A distance map to which starts are added one after another (`spread`): 4-neighbour steps from the nearest start.

    Meant for large, open maps: all cells of one distance are found in one numpy pass.

    Args:
        walkable: (height, width) bool: the cells that steps may enter.
        leaps: Pairs of cells that count as neighbours.

    Attributes:
        away: (height, width) int32: the distances; `FAR` where no steps lead, -1 outside the mask.
    """

    def __init__(self, walkable: NDArray[np.bool_], leaps: Iterable[Leap] = ()) -> None:
        height, width = walkable.shape
        # A closed cell lies between two rows, and a closed row above and below the map.
        self._stride: int = width + 1
        stride = self._stride
        self._places = np.full((height + 2) * stride + 1, -1, np.int32)
        self.away: NDArray[np.int32] = self._places[stride : -stride - 1].reshape(height, stride)[:, :-1]
        self.away[walkable] = FAR
        pairs = [(self._place(*one), self._place(*other)) for one, other in leaps]
        self._leaps = np.array([*pairs, *(pair[::-1] for pair in pairs)], np.intp).reshape(-1, 2).T

    def _place(self, y: int, x: int) -> int:
        """Return the index of cell (y, x) in the flat array `_places`, which has a closed row above the map."""
        return (y + 1) * self._stride + x

    def spread(self, starts: Iterable[tuple[int, int]]) -> None:
        """Add starts, and lower the distances of all cells that are nearer to one of them."""
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
            # A cell with several neighbours in the front appears several times in `near`: keep its last entry.
            order = np.arange(len(near), dtype=np.int32)
            turn[near] = order
            front = near.compress(turn.take(near) == order)


def framed(cells: NDArray[S], outside: int = 0) -> NDArray[S]:
    """Return a (height + 2, width + 2) copy with a border, one cell wide, of the value `outside`: a quicker `np.pad`."""
    height, width = cells.shape
    wide = np.full((height + 2, width + 2), outside, cells.dtype)
    wide[1:-1, 1:-1] = cells
    return wide


def beside(mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return a (height, width) mask with all cells added that share an edge with a set cell."""
    near = mask.copy()
    near[1:] |= mask[:-1]
    near[:-1] |= mask[1:]
    near[:, 1:] |= mask[:, :-1]
    near[:, :-1] |= mask[:, 1:]
    return near


def touching(mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return a (height, width) mask with all cells added that touch a set cell, at an edge or a corner."""
    near = mask.copy()
    near[1:] |= mask[:-1]
    near[:-1] |= mask[1:]
    wide = near.copy()
    wide[:, 1:] |= near[:, :-1]
    wide[:, :-1] |= near[:, 1:]
    return wide


def seen_from(transparent: NDArray[np.bool_], eye: tuple[int, int]) -> NDArray[np.bool_]:
    """Return (height, width) bool: the field of view from a cell, with no limit of distance.

    Of two transparent cells, either each sees the other or neither does (tcod's symmetric shadow casting).

    Args:
        transparent: (height, width) bool: the cells that let sight pass.
        eye: The (y, x) of the viewer.
    """
    import tcod.constants  # noqa: PLC0415  # rarely needed, and slow to import
    import tcod.map  # noqa: PLC0415

    seen: NDArray[np.bool_] = tcod.map.compute_fov(
        transparent, eye, algorithm=tcod.constants.FOV_SYMMETRIC_SHADOWCAST
    )
    return seen
