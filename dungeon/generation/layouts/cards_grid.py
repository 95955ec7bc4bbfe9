"""The coarse grid of the layout `cards`, on whose cells rooms lie.

A mask is an int with one bit per grid cell; a *place* is the number of a cell's bit.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dungeon.generation.layouts.coast import reach_of
from dungeon.grid.bits import Board, runs
from dungeon.grid.rect import Rect

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dungeon.core.streams import Stream
    from dungeon.generation.layouts.cards_params import CardsParams
    from dungeon.level.canvas import Canvas

SIDES = ((-1, 0), (0, -1), (0, 1), (1, 0))
"""North, west, east, south as (dy, dx)."""

ROOMY = 1.4
"""A grid is roomy if it has this many times the cells that the map asks for."""


def edge_of(params: CardsParams) -> int:
    """Return how many rows or columns at each edge of the map stay free of grid cells: one, and those of a coast."""
    return 1 + reach_of(params)


def grid_size(height: int, width: int, params: CardsParams) -> tuple[int, int]:
    """Return how many (rows, columns) of grid cells fit on a map of `height` x `width` cells, whose edges stay free."""
    gap, cell, edges = params.spacing, params.cell, 2 * edge_of(params)
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

        +---+---+          with a gap of -1, it begins at the last row or column
        |   |   |          of the one before, so that they share walls
        +---+---+

    Attributes:
        board: The layout of masks of the grid's cells.
        top: The row of the map where the first grid cell begins.
        left: The column of the map where it begins.
        height: The number of rows of the map in a grid cell.
        width: The number of columns of the map in a grid cell.
        gap: The number of rows or columns of the map between grid cells; -1 if they share walls.
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
        pitch = params.cell.height + params.spacing, params.cell.width + params.spacing
        rows, columns = grid_size(canvas.height, canvas.width, params)
        edges = 2 * edge_of(params)
        spare_rows = canvas.height - edges + params.spacing - rows * pitch[0]
        spare_columns = canvas.width - edges + params.spacing - columns * pitch[1]
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
        height, width, gap = params.cell.height, params.cell.width, params.spacing
        board = Board(*grid_size(canvas.height - down, canvas.width - right, params))
        edge = edge_of(params)
        bare = cls(
            board=board, top=edge + down, left=edge + right, height=height, width=width, gap=gap, free=0
        )
        columns = []
        for x in range(board.width):
            near = bare.on_map(Rect(0, x, 1, 1)).grown(max(gap, 1)).clipped(canvas.height, canvas.width)
            columns.append(slice(near.x, near.right))
        free = 0
        for y in range(board.height):
            near = bare.on_map(Rect(y, 0, 1, 1)).grown(max(gap, 1)).clipped(canvas.height, canvas.width)
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

    @property
    def abuts(self) -> bool:
        """Whether neighbouring grid cells share a row or column of walls."""
        return self.gap < 0

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
