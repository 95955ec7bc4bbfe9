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

    __slots__ = ("_board", "_changed", "_look", "_mask")

    def __init__(self, board: Board, look: Callable[[slice], NDArray[np.bool_]]) -> None:
        self._board = board
        self._look = look
        self._mask = 0
        self._changed = [slice(0, board.height)]

    def forget(self, rows: slice) -> None:
        """Say that these rows have changed."""
        self._changed.append(rows)

    @property
    def mask(self) -> int:
        """The mask."""
        if self._changed:
            stale = np.zeros(self._board.height, np.bool_)
            for rows in self._changed:
                stale[rows] = True
            for top, bottom in (
                np.flatnonzero(np.diff(stale, prepend=False, append=False)).reshape(-1, 2).tolist()
            ):
                self._renew(top, bottom)
            self._changed.clear()
        return self._mask

    def _renew(self, top: int, bottom: int) -> None:
        stride = self._board.stride
        first, rows = top * stride, (1 << (bottom - top) * stride) - 1
        now = self._board.from_part(self._look(slice(top, bottom)), 0)
        self._mask ^= (self._mask & rows << first) ^ now << first
