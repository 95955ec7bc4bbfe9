"""Masks of what changes while encounters are placed: only rows that have changed are looked at again."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from dungeon.grid.bits import Board
    from dungeon.level.canvas import Canvas


class Current:
    """A mask of what there is now.

    Args:
        board: The layout of the mask.
        canvas: What changes.
        look: Called with that and a slice of its rows; returns (rows, width) bool, what there is in them now.
    """

    __slots__ = ("_board", "_canvas", "_changed", "_look", "_mask")

    def __init__(
        self, board: Board, canvas: Canvas, look: Callable[[Canvas, slice], NDArray[np.bool_]]
    ) -> None:
        self._board = board
        self._canvas = canvas
        self._look = look
        self._mask = 0
        self._changed = [(0, board.height)]

    def forget(self, top: int, bottom: int) -> None:
        """Say that rows have changed, from the one on `top` to before `bottom`."""
        self._changed.append((max(top, 0), min(bottom, self._board.height)))

    @property
    def mask(self) -> int:
        """The mask."""
        if self._changed:
            self._changed.sort()
            top, bottom = self._changed[0]
            for first, last in self._changed:
                if first > bottom:
                    self._renew(top, bottom)
                    top = first
                bottom = max(bottom, last)
            self._renew(top, bottom)
            self._changed.clear()
        return self._mask

    def _renew(self, top: int, bottom: int) -> None:
        now = self._board.from_part(self._look(self._canvas, slice(top, bottom)), 0)
        self._mask = self._board.with_rows(self._mask, top, bottom, now)
