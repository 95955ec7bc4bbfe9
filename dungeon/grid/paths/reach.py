"""How far one thing lies from another on foot: in 4-neighbour steps, looked at from where one of them is."""

from __future__ import annotations

from typing import NamedTuple

from dungeon.grid.bits import Board


class Distance(NamedTuple):
    """How far from some cells, or how near to them, something is to lie.

    Steps are counted between the two cells that are nearest, whatever these are made of: what lies there need not be walked on.

    Attributes:
        what: What is on these cells, in words.
        cells: The mask of the cells.
        steps: How many steps away it is at least, or at most if it is to be `near`.
        near: Whether it is to be near.
    """

    what: str
    cells: int
    steps: int
    near: bool = False

    @property
    def broken(self) -> str:
        """What there is to say of places that won't do."""
        less = f"{'more' if self.near else 'less'} than {self.steps} steps"
        return f"{less} from {self.what}"

    def reached(self, board: Board, ways: int) -> int:
        """Return the cells of which something that is near has one at least, and something that is far away has none.

        Args:
            board: The layout of the masks.
            ways: Where one walks.
        """
        return reach(board, ways, self.cells, self.steps if self.near else self.steps - 1)

    def holds(self, board: Board, ways: int, cells: int) -> bool:
        """Tell whether something on these cells lies right."""
        return bool(self.reached(board, ways) & cells) == self.near


def reach(board: Board, ways: int, start: int, steps: int) -> int:
    """Return the cells that are at most so many steps from a start; only the last step may lead off where one walks.

    Args:
        board: The layout of the masks.
        ways: Where one walks.
        start: Where it begins.
        steps: How many steps.
    """
    if not start:
        return 0
    top, bottom = board.rows_of(start, steps)
    band, first = Board(bottom - top, board.width), top * board.stride
    reached = front = start >> first
    ways = ways >> first & band.full
    for _ in range(steps):
        front = band.beside(front) & ~reached
        reached |= front
        front &= ways
        if not front:
            break
    return reached << first
