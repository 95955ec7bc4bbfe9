"""The grid on which cards are laid: which of its cells are free, and where they lie on the map.

Cells are kept in masks of a `Board` with a bit for each, and told by the place of their bit.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dungeon.grid.bits import Board
from dungeon.grid.rect import Rect

if TYPE_CHECKING:
    from dungeon.core.streams import Stream
    from dungeon.generation.layouts.cards.params import CardsParams
    from dungeon.level.canvas import Canvas

SIDES = ((-1, 0), (0, -1), (0, 1), (1, 0))
"""North, west, east, south as (dy, dx)."""

ROOMY = 1.4
"""A grid is roomy that has so many times the cells that are asked for."""


def grid_size(height: int, width: int, params: CardsParams) -> tuple[int, int]:
    """Return for how many rows and columns of cells a map of that size has space within its border."""
    gap, cell = params.gap, params.cell
    return max((height - 2 + gap) // (cell.height + gap), 0), max((width - 2 + gap) // (cell.width + gap), 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lattice:
    """A grid of cells on a map, with earth between them.

        +---+ +---+
        |   | |   |    a cell is `height` x `width` cells of the map,
        +---+ +---+    and the next one begins `gap` cells behind it
        +---+ +---+

    Attributes:
        board: The layout of masks of its cells.
        top: The map's row of the first cell; `left`: its column.
        height: How many rows of the map a cell has; `width`: how many columns.
        gap: How many rows, or columns, lie between cells.
        free: The mask of the cells on which a card may lie.
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
        """Return the grid of a map, laid anywhere within its border.

        It has as many cells as there is space for, or a row and a column fewer where it is roomy without them: that leaves the
        space to lie elsewhere each time. Where it would have no free cell, among what was put on the map before, it is laid so
        that it has some, if it can be.
        """
        pitch = params.cell.height + params.gap, params.cell.width + params.gap
        rows, columns = grid_size(canvas.height, canvas.width, params)
        spare_rows = canvas.height - 2 + params.gap - rows * pitch[0]
        spare_columns = canvas.width - 2 + params.gap - columns * pitch[1]
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
        """Return the grid that begins so many rows and columns behind the map's border, with all cells that fit there."""
        height, width, gap = params.cell.height, params.cell.width, params.gap
        board = Board(*grid_size(canvas.height - down, canvas.width - right, params))
        bare = cls(board=board, top=1 + down, left=1 + right, height=height, width=width, gap=gap, free=0)
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
        """Return the rectangle of the map that a rectangle of cells covers, what lies between them included."""
        down, across = self.height + self.gap, self.width + self.gap
        return Rect(
            self.top + cells.y * down,
            self.left + cells.x * across,
            cells.height * down - self.gap,
            cells.width * across - self.gap,
        )

    def extent(self, count: int, *, down: bool) -> int:
        """Return how many rows (down), or columns, of the map so many cells in a row cover."""
        side = self.height if down else self.width
        return count * (side + self.gap) - self.gap

    def beside(self, cells: int) -> int:
        """Return the mask of the cells that share a side with a mask, without the mask itself."""
        return self.board.beside(cells) & ~cells

    def around(self, cells: int) -> int:
        """Return the mask of the cells that touch a mask, corners included, without the mask itself."""
        return self.board.around(cells) & ~cells

    def step(self, place: int, side: tuple[int, int]) -> int | None:
        """Return the place of the cell on one side of another; None where the grid ends."""
        there = place + side[0] * self.board.stride + side[1]
        return there if there >= 0 and self.board.full >> there & 1 else None
