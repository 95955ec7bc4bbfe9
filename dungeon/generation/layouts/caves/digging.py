"""Digging ways between spaces that lie apart in the earth: caves, and the rooms of mines."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from dungeon import terrain as t
from dungeon.core.errors import GenerationError
from dungeon.generation.layouts.caves.crossings import (
    CLOSED,
    Crossing,
    free_cells,
    straight_way,
    widened,
    winding_way,
)
from dungeon.generation.layouts.caves.flow import Flow
from dungeon.grid.paths.graph import longest_in_trees, neighbours_in, parts
from dungeon.grid.paths.ways import shortest_way
from dungeon.grid.rect import Cell, Rect
from dungeon.level.steps import Phase, Step

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from dungeon.generation.layouts.caves.crossings import Crossing
    from dungeon.generation.layouts.caves.flow import Flow, Pair
    from dungeon.grid.bits import Board
    from dungeon.grid.rows import Rows
    from dungeon.level.canvas import Canvas

BETWEEN_DOORS = 3
"""A way between two rooms has a door at each end and a cell between them, or is a single door."""

AROUND = 30
"""How far beyond two spaces a way that bends may lead from one to the other."""


@dataclass(kw_only=True)
class Digger:
    """The spaces of a canvas and the ways dug between them so far.

    Spaces are numbered from 1: caves first, then rooms. A way leaves a room through a door, a cave through a hole.

    Attributes:
        canvas: The map; the spaces are carved already.
        board: The layout of its masks.
        area: The mask of the part of the map in which all spaces lie.
        labels: (height, width), each space's number at its cells, `CLOSED` where no way may be dug, otherwise 0.
        taken: What is open, and what may not be dug.
        boxes: The smallest rectangle around each space.
        caves: How many of the spaces are caves.
        before: What to add to a space's number to get its region.
        random: Draws from 0 to 1.
        close: Rolls what closes a room: the terrain of the door.
        winding: The chance that a way winds.
        thickness: Rolls how many cells wide a way is.
        dug: The pairs of spaces that have been joined.
        lacks: Whether straight ways alone would leave too few spaces along one way.
    """

    canvas: Canvas
    board: Board
    area: int
    labels: NDArray[np.int32]
    taken: Rows
    boxes: Sequence[Rect]
    caves: int
    before: int
    random: Callable[[], float]
    close: Callable[[], int]
    winding: float
    thickness: Callable[[], int]
    dug: list[Pair] = field(default_factory=list)
    lacks: bool = False

    def __post_init__(self) -> None:
        self.is_free = free_cells(self.taken)
        self.has_rooms = len(self.boxes) > self.caves

    def is_room(self, number: int) -> bool:
        """Tell whether a space is a room."""
        return number > self.caves

    def dig(self, crossings: Sequence[Crossing]) -> bool:
        """Dig a way between two spaces that touches nothing else; return whether there is one."""
        for crossing in filter(self._has_doors, crossings) if self.has_rooms else crossings:
            a, b = crossing.a, crossing.b
            way: list[tuple[int, int]] = []
            if self.winding and crossing.length > 2 and self.random() < self.winding:
                way = winding_way(crossing, self.is_free, self.random)
            if not (way and self._touches_only(way, a, b)):
                way = straight_way(crossing)
                if not self._touches_only(way, a, b):
                    continue
            self.carve(way, a, b, beside=(crossing.dx, crossing.dy))
            return True
        return False

    def _touches_only(self, way: Sequence[tuple[int, int]], a: int, b: int) -> bool:
        """Tell whether a way is free to be dug and would lead nowhere but to two spaces."""
        rows, is_free = self.taken.rows, self.is_free
        for y, x in way:
            if is_free(y, x):
                continue
            if rows[y] >> x & 1:
                return False
            for row, column in ((y - 1, x), (y, x - 1), (y, x + 1), (y + 1, x)):
                if rows[row] >> column & 1 and self.labels.item(row, column) not in (a, b, CLOSED):
                    return False
        return True

    def _has_doors(self, crossing: Crossing) -> bool:
        """Tell whether doors can stand at those ends of a crossing that are in rooms."""
        a, b, y, x, dy, dx, length = crossing
        rooms = self.is_room(a) + self.is_room(b)
        if rooms == 2 and 1 < length < BETWEEN_DOORS:
            return False
        used = self.taken
        for at in (0,) * self.is_room(a) + (length - 1,) * self.is_room(b):
            row, column = y + dy * at, x + dx * at
            if used.any_in(row - dx, column - dy, 1, 1) or used.any_in(row + dx, column + dy, 1, 1):
                return False
        return True

    def carve(
        self, way: Sequence[tuple[int, int]], a: int, b: int, beside: tuple[int, int] | None = None
    ) -> None:
        """Carve a way from space a to space b as a corridor, with doors where it meets rooms.

        Args:
            way: Its cells, from the one beside a to the one beside b.
            a: Where it begins.
            b: Where it ends.
            beside: The step to a second line of cells, if it may be wide.
        """
        canvas, rows = self.canvas, self.taken.rows
        first, last = a > self.caves, b > self.caves
        self.dug.append((a, b) if a < b else (b, a))
        for y, x in way:
            rows[y] |= 1 << x
        if len(way) == 1 and (first or last):
            canvas.add_door(*way[0], (a + self.before, b + self.before), self.close())
            return
        cells = way[first : len(way) - last]
        if beside is not None and self.thickness() > 1:
            cells = widened(cells, beside, self.is_free)
            for y, x in cells:
                rows[y] |= 1 << x
        ys, xs = zip(*cells, strict=True)
        top, left = min(ys), min(xs)
        corridor = canvas.add_region("corridor", Rect(top, left, max(ys) - top + 1, max(xs) - left + 1))
        canvas.carve_cells(cells, t.CORRIDOR, corridor)
        if first:
            canvas.add_door(*way[0], (a + self.before, corridor), self.close())
        if last:
            canvas.add_door(*way[-1], (b + self.before, corridor), self.close())

    def dig_all(self, flow: Flow, crossings: Mapping[Pair, Sequence[Crossing]]) -> Iterator[Step]:
        """Dig the ways of a flow, and whatever else it takes to join all spaces; `Step`s show each.

        Raises:
            GenerationError: There is a space to which no way can be dug.
        """
        missing = []
        for number, (a, b) in enumerate(flow.tree, 1):
            if self.dig(crossings.get((a, b), ())):
                yield Step(Phase.LAYOUT, f"tunnel between {a} and {b}", self.canvas)
            elif number < len(flow.path):
                missing.append((a, b))
        self.lacks = (len(missing) > 0 or len(flow.path) < flow.wanted) and self.along() < flow.wanted
        if self.lacks:
            for a, b in self.bend_all(missing):
                yield Step(Phase.LAYOUT, f"tunnel between {a} and {b}", self.canvas)
                if self.along() >= flow.wanted:
                    break
        for a, b in flow.loops:
            if self.dig(crossings[a, b]):
                yield Step(Phase.LAYOUT, f"loop between {a} and {b}", self.canvas)
        for a, b in self.join_rest():
            yield Step(Phase.LAYOUT, f"tunnel between {a} and {b}", self.canvas)

    @property
    def has_loop(self) -> bool:
        """Whether one can go around in a circle, once all spaces are joined."""
        return len(set(self.dug)) >= len(self.boxes)

    def along(self, loops: Sequence[Pair] = ()) -> int:
        """Return how many spaces lie along the longest way that leads through none of these loops."""
        return longest_in_trees(
            neighbours_in([pair for pair in self.dug if pair not in loops], len(self.boxes))
        )

    def join_rest(self) -> Iterator[tuple[int, int]]:
        """Join what no straight way joins: dig shortest ways until all hangs together; yield what was joined.

        Raises:
            GenerationError: There is no way, for the rooms' walls and what was taken before stand in it.
        """
        while True:
            together = parts(neighbours_in(self.dug, len(self.boxes)))
            if len(together) < 2:
                return
            least = min(together, key=len)
            yield self._join(np.array(least) + 1)

    def bend_all(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        """Dig shortest ways between pairs of spaces, each of which touches nothing else; yield those that there are."""
        board, boxes = self.board, self.boxes
        shut = board.from_array(self.labels < 0)
        for a, b in pairs:
            here, there = self._mask(a), self._mask(b)
            taken = board.from_rows(self.taken.rows)
            near = boxes[a - 1].joined(boxes[b - 1]).grown(AROUND).clipped(board.height, board.width)
            others = taken & ~(shut | here | there)
            earth = self.area & board.block(*near) & ~(taken | board.beside(others))
            way = self._shortest(here, there, earth)
            if way:
                self.carve(way, a, b)
                yield a, b

    def _mask(self, number: int) -> int:
        """Return the mask of a space."""
        box = self.boxes[number - 1]
        return self.board.from_part(self.labels[box.slices] == number, box.x) << box.y * self.board.stride

    def _join(self, numbers: NDArray[np.intp]) -> tuple[int, int]:
        """Dig the shortest way from some of the spaces to any other."""
        board, labels = self.board, self.labels
        own = np.isin(labels, numbers)
        here = board.from_array(own)
        earth = board.full & ~board.from_rows(self.taken.rows)
        way = self._shortest(here, board.from_array(labels > 0) & ~here, earth)
        if not way:
            raise GenerationError(f"no way can be dug to {len(numbers)} of {len(self.boxes)} caves and rooms")
        a, b = self._beside(way[0], own), self._beside(way[-1], ~own)
        self.carve(way, a, b)
        return a, b

    def _shortest(self, here: int, there: int, ground: int) -> list[Cell]:
        """Return the cells of a shortest way through earth from one mask to another, which enters rooms through their walls."""
        board = self.board
        starts, goals = board.beside(here) & ground, board.beside(there) & ground
        if self.has_rooms:
            rooms = board.from_array(self.labels > self.caves)
            doors = board.from_cells((door.y, door.x) for door in self.canvas.doors)
            gates = board.beside(rooms) & ~board.around(doors)  # a wall's corners are not beside its room
            ground &= gates | ~board.around(rooms)
            starts &= ground
            goals &= ground
            ground &= starts | goals | ~gates
        return shortest_way(board, starts, goals, ground, self.random)

    def _beside(self, cell: tuple[int, int], among: NDArray[np.bool_]) -> int:
        """Return the number of a space that a cell touches."""
        y, x = cell
        for at in ((y - 1, x), (y, x - 1), (y, x + 1), (y + 1, x)):
            if self.labels[at] > 0 and among[at]:
                return int(self.labels[at])
        raise GenerationError(f"no space lies beside {y}, {x}")
