"""Masks of what changes while encounters are placed: only rows that have changed are looked at again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from dungeon.grid.bits import Board


class Current:
    """A mask of what there is now.

    Args:
        board: The layout of the mask.
        look: Called with a slice of rows; returns (rows, width) bool, what there is in them now.
    """

    __slots__ = ("_board", "_changed", "_look", "_mask", "_stale")

    def __init__(self, board: Board, look: Callable[[slice], NDArray[np.bool_]]) -> None:
        self._board = board
        self._look = look
        self._mask = 0
        self._stale = np.ones(board.height, np.bool_)
        self._changed = True

    def forget(self, rows: slice) -> None:
        """Say that these rows have changed."""
        self._stale[rows] = True
        self._changed = True

    @property
    def mask(self) -> int:
        """The mask."""
        if self._changed:
            for top, bottom in (
                np.flatnonzero(np.diff(self._stale, prepend=False, append=False)).reshape(-1, 2).tolist()
            ):
                self._renew(top, bottom)
            self._stale[:] = False
            self._changed = False
        return self._mask

    def _renew(self, top: int, bottom: int) -> None:
        stride = self._board.stride
        first, rows = top * stride, (1 << (bottom - top) * stride) - 1
        now = self._board.from_part(self._look(slice(top, bottom)), 0)
        self._mask ^= (self._mask & rows << first) ^ now << first
