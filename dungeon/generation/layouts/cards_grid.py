"""The coarse grid of the layout `cards`: its cells (places for rooms), and how a zone grows on it cell by cell.

A *card* is a prefab, plain room or passage that takes one or more cells of the grid. A mask is an int with one bit per grid
cell; a *place* is the number of a cell's bit. A *section* is a shape of several grid cells that a growing zone takes at once.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from dungeon.content.values.grammar import roll
from dungeon.generation.layouts.cards_params import turned
from dungeon.generation.layouts.coast import reach_of
from dungeon.grid.bits import Board, places, runs
from dungeon.grid.rect import Rect

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from dungeon.core.streams import Stream
    from dungeon.generation.layouts.cards_params import CardsParams, Growth
    from dungeon.level.canvas import Canvas

# -- lattice ---------------------------------------------------------------------------------------
#
# The grid on which cards are laid. A *place* is the number of a cell's bit in the masks of the grid.


SIDES = ((-1, 0), (0, -1), (0, 1), (1, 0))
"""North, west, east, south as (dy, dx)."""

ROOMY = 1.4
"""A grid is roomy if it has this many times the cells that the map asks for."""


def edge_of(params: CardsParams) -> int:
    """Return how many rows or columns at each edge of the map stay free of grid cells: one, and those of a coast."""
    return 1 + reach_of(params)


def grid_size(height: int, width: int, params: CardsParams) -> tuple[int, int]:
    """Return how many (rows, columns) of grid cells fit on a map of `height` x `width` cells, whose edges stay free."""
    gap, cell, edges = params.gap, params.cell, 2 * edge_of(params)
    return (
        max((height - edges + gap) // (cell.height + gap), 0),
        max((width - edges + gap) // (cell.width + gap), 0),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Lattice:
    """The coarse grid of a map, with earth between the grid cells.

        +---+ +---+
        |   | |   |    a grid cell is `height` x `width` cells of the map,
        +---+ +---+    and the next one begins `gap` cells behind it
        +---+ +---+

    Attributes:
        board: The layout of masks of the grid's cells.
        top: The row of the map where the first grid cell begins.
        left: The column of the map where it begins.
        height: The number of rows of the map in a grid cell.
        width: The number of columns of the map in a grid cell.
        gap: The number of rows or columns of the map between grid cells.
        free: The mask of the grid cells on which a card may lie.
    """

    board: Board
    top: int
    left: int
    height: int
    width: int
    gap: int
    free: int

    @classmethod
    def on(cls, canvas: Canvas, params: CardsParams, stream: Stream) -> Lattice:
        """Return the grid of a map, at a random position on the map.

        It has as many cells as fit. If that is far more than the map asks for, one row and one column are left out, which
        leaves more positions for the grid. If no grid cell is free at some position because of prefabs on the map, other
        positions are tried in random order.
        """
        pitch = params.cell.height + params.gap, params.cell.width + params.gap
        rows, columns = grid_size(canvas.height, canvas.width, params)
        edges = 2 * edge_of(params)
        spare_rows = canvas.height - edges + params.gap - rows * pitch[0]
        spare_columns = canvas.width - edges + params.gap - columns * pitch[1]
        if (rows - 1) * (columns - 1) >= ROOMY * params.most_cells():
            spare_rows, spare_columns = pitch[0] - 1, pitch[1] - 1
        first = stream.between(0, spare_rows), stream.between(0, spare_columns)
        drawn = cls._at(canvas, params, *first)
        if drawn.free or not drawn.board.full:
            return drawn
        others = [(y, x) for y in range(spare_rows + 1) for x in range(spare_columns + 1) if (y, x) != first]
        stream.shuffle(others)
        moved = (cls._at(canvas, params, *each) for each in others)
        return next((each for each in moved if each.free), drawn)

    @classmethod
    def _at(cls, canvas: Canvas, params: CardsParams, down: int, right: int) -> Lattice:
        """Return the grid that begins `down` rows and `right` columns inside the free edge of the map, with as many cells as fit there."""
        height, width, gap = params.cell.height, params.cell.width, params.gap
        board = Board(*grid_size(canvas.height - down, canvas.width - right, params))
        edge = edge_of(params)
        bare = cls(
            board=board, top=edge + down, left=edge + right, height=height, width=width, gap=gap, free=0
        )
        columns = []
        for x in range(board.width):
            near = bare.on_map(Rect(0, x, 1, 1)).grown(gap).clipped(canvas.height, canvas.width)
            columns.append(slice(near.x, near.right))
        free = 0
        for y in range(board.height):
            near = bare.on_map(Rect(y, 0, 1, 1)).grown(gap).clipped(canvas.height, canvas.width)
            used = canvas.used[near.y : near.bottom]
            free |= (
                sum(1 << x for x, column in enumerate(columns) if not used[:, column].any())
                << y * board.stride
            )
        return replace(bare, free=free)

    def on_map(self, cells: Rect) -> Rect:
        """Return the rectangle of the map that a rectangle of grid cells covers, including the earth between these cells."""
        down, across = self.height + self.gap, self.width + self.gap
        return Rect(
            self.top + cells.y * down,
            self.left + cells.x * across,
            cells.height * down - self.gap,
            cells.width * across - self.gap,
        )

    def area(self, cells: int) -> Iterator[Rect]:
        """Yield rectangles of the map that cover the grid cells of the mask `cells`, and the earth between neighbouring ones."""
        for height in (1, 2):  # blocks of two rows cover the earth between rows
            for place, width in runs(self.board.fits(cells, height, 1)):
                yield self.on_map(Rect(*divmod(place, self.board.stride), height, width))

    def extent(self, count: int, *, down: bool) -> int:
        """Return how many rows or columns of the map `count` neighbouring grid cells cover, with the gaps between them.

        Args:
            count: The number of grid cells.
            down: Whether they lie below each other, so that rows of the map are counted; otherwise columns.
        """
        side = self.height if down else self.width
        return count * (side + self.gap) - self.gap

    def beside(self, cells: int) -> int:
        """Return the mask of the grid cells that share a side with a cell of the mask `cells`, without `cells` itself."""
        return self.board.beside(cells) & ~cells

    def around(self, cells: int) -> int:
        """Return the mask of the grid cells that touch a cell of the mask `cells`, also at corners, without `cells` itself."""
        return self.board.around(cells) & ~cells

    def step(self, place: int, side: tuple[int, int]) -> int | None:
        """Return the place of the grid cell next to the one at `place`, on the side (dy, dx); None if that is outside the grid."""
        there = place + side[0] * self.board.stride + side[1]
        return there if there >= 0 and self.board.full >> there & 1 else None

    def neighbours(self, place: int) -> Iterator[int]:
        """Yield the places of the up to four neighbours of the grid cell at `place`: north, west, east, south."""
        for side in SIDES:
            there = self.step(place, side)
            if there is not None:
                yield there

    def parts(self, cells: int) -> list[int]:
        """Return the connected components of a mask, each as a mask, in the order of their first cells."""
        found = []
        while cells:
            part = self.board.flood(cells, cells & -cells)
            found.append(part)
            cells ^= part
        return found

    def inner(self, cells: int) -> int:
        """Return the mask of the cells in `cells` whose four neighbours are in `cells`, too."""
        board = self.board
        if min(board.height, board.width) <= 2:
            return 0
        inside = board.block(1, 1, board.height - 2, board.width - 2)
        return cells & ~board.beside(board.full & ~cells) & inside


# -- growth ----------------------------------------------------------------------------------------
#
# A zone grows by a set of valid cells beside it. A cell is picked from the set, then its own neighbours join the set. So no
# pick is ever wrong, and none has to be undone. The order of the picks gives the zone its shape.
#
# After "PGC: Smart Card Layout" (Sean Howard, squidi.net, 2009).


MOST_BORDERS = 4
"""A cell has four neighbours."""

TOWARD = {"north": (-1, 0), "south": (1, 0), "west": (0, -1), "east": (0, 1)}
"""Direction -> (dy, dx); north-east and the like are the sums."""


@dataclass(frozen=True, slots=True)
class Grower:
    """Lets one zone grow on the grid, cell by cell.

    Attributes:
        lattice: The grid.
        growth: The author's parameters of the growth.
        stream: The random stream.
        ages: Place of a cell beside the zone -> how many other cells were taken while it lay there.
    """

    lattice: Lattice
    growth: Growth
    stream: Stream
    ages: dict[int, int] = field(default_factory=dict)

    def grow(
        self,
        begin: int,
        allowed: int,
        count: int,
        *,
        beside: int = 0,
        leaves_room: Callable[[int], bool] = lambda _: True,
    ) -> int:
        """Return the mask of the grid cells that the zone takes: `count` cells, or fewer if there is no space.

        Args:
            begin: The mask of the zone's first cells; 0 if it begins beside another zone.
            allowed: The mask of the cells that it may take.
            count: The number of cells that it should have.
            beside: The mask of another zone beside which it may take cells at any time, even apart from its own cells; 0 for
                none.
            leaves_room: Takes a mask of the zone with further cells, and tells whether other zones still have space then. Cells
                for which it returns False are never taken. It must return False for every larger zone, too.
        """
        cells, ages = begin, self.ages
        while (size := cells.bit_count()) < count:
            neighbours = self.lattice.beside(cells | beside) & allowed & ~cells
            if not neighbours:
                break
            place = self._pick(neighbours, cells | beside, cells)
            if self.growth.ageing:
                for other in places(neighbours):
                    ages[other] = ages.get(other, 0) + 1
            section = self._section(place, allowed & ~cells, count - size)
            if leaves_room(cells | section):
                cells |= section
            elif leaves_room(cells | 1 << place):
                cells |= 1 << place
            else:
                allowed &= ~(1 << place)
        return cells

    def _pick(self, neighbours: int, rooms: int, cells: int) -> int:
        """Return the place of the grid cell that the zone takes next: a random one of its neighbours, as the author's `grow` says.

        Args:
            neighbours: The mask of the cells that may be taken.
            rooms: The mask of the cells that count as taken for the author's `chances`.
            cells: The mask of the zone so far.
        """
        growth, stream, chosen = self.growth, self.stream, neighbours
        if growth.chances:
            exactly = by_borders(self.lattice, neighbours, rooms)
            for borders in range(MOST_BORDERS, 0, -1):
                few = exactly[borders]
                if few and stream.chance(growth.chances.get(borders, 0.0)):
                    chosen = few
                    break
        options = places(chosen)
        if growth.toward is None and not growth.ageing:
            return stream.pick(options)
        pulls = self._pulls(options, cells)
        most = max(pulls)
        weights = [
            (1 + growth.ageing * self.ages.get(place, 0)) * math.exp(growth.pull * (pull - most))
            for place, pull in zip(options, pulls, strict=True)
        ]
        return stream.weighted(zip(options, weights, strict=True))

    def _pulls(self, options: Sequence[int], cells: int) -> list[float]:
        """Return for each cell how far it lies in the author's direction `toward`, in cells; the zone prefers cells that lie far.

        For `toward: centre` it is minus the distance from the zone's middle; without a direction, 0.

        Args:
            options: The places of the cells.
            cells: The mask of the zone so far.
        """
        toward, stride = self.growth.toward, self.lattice.board.stride
        if toward is None or (toward == "centre" and not cells):
            return [0.0] * len(options)
        if toward != "centre":
            return [float(_along(place, toward, stride)) for place in options]
        inside = [divmod(place, stride) for place in places(cells)]
        y0, x0 = (sum(each[axis] for each in inside) / len(inside) for axis in (0, 1))
        return [-math.hypot(place // stride - y0, place % stride - x0) for place in options]

    def _section(self, place: int, allowed: int, most: int) -> int:
        """Return the mask of the cells that the zone takes at once: a rolled section over the cell at `place`, or that cell alone.

        Args:
            place: The place of the cell.
            allowed: The mask of the cells that may be taken. If the section fits in no position, only the cell is taken.
            most: The greatest number of cells to take.
        """
        board, cell = self.lattice.board, 1 << place
        name = roll(self.growth.sections, self.stream, "cell")
        if name == "cell":
            return cell
        y, x = divmod(place, board.stride)
        fits = []
        for offsets in turned(name):
            cells = [(y + down, x + across) for down, across in offsets]
            if len(cells) <= most and all(
                0 <= row < board.height and 0 <= column < board.width for row, column in cells
            ):
                mask = board.from_cells(cells)
                if mask & ~allowed == 0:
                    fits.append(mask)
        return self.stream.pick(fits) if fits else cell


def first_of(options: list[int], growth: Growth, stride: int, stream: Stream) -> int:
    """Return the place of a random cell with which a zone begins.

    If the zone grows in a direction such as north, only the southern half of the cells comes into question, so that there is
    space ahead.

    Args:
        options: The places of the possible cells.
        growth: The author's parameters of the growth.
        stride: The number of bits from one row of the grid to the next.
        stream: The random stream.
    """
    if growth.toward is None or growth.toward == "centre":
        return stream.pick(options)
    toward = growth.toward
    ordered = sorted(options, key=lambda place: _along(place, toward, stride))
    return stream.pick(ordered[: (len(ordered) + 1) // 2])


def _along(place: int, toward: str, stride: int) -> int:
    """Return how far the grid cell at `place` lies in the direction `toward`, such as "north-east", in cells."""
    steps = [TOWARD[word] for word in toward.split("-")]
    return sum(place // stride * dy + place % stride * dx for dy, dx in steps)


def by_borders(lattice: Lattice, neighbours: int, rooms: int) -> list[int]:
    """Sort grid cells by the number of sides that they share with cells of `rooms`: return five masks, for 0 to 4 sides.

    Bits are moved up from mask to mask, once per direction, so that all cells are counted at once.

    Args:
        lattice: The grid.
        neighbours: The mask of the cells to sort.
        rooms: The mask of the cells whose sides count.
    """
    stride = lattice.board.stride
    exactly = [neighbours, 0, 0, 0, 0]
    for moved in (rooms << 1, rooms >> 1, rooms << stride, rooms >> stride):
        for borders in range(MOST_BORDERS, 0, -1):
            more = exactly[borders - 1] & moved
            exactly[borders] |= more
            exactly[borders - 1] ^= more
    return exactly
