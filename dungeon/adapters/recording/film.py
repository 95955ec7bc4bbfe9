"""An array that changes a little at a time, kept as it was at every moment.

What is kept is what changed: the cells and their new values. When these have come to more than the whole array takes,
compressed, that is kept too, and a moment is made from the last such array before it::

    whole array   +   +   +   +   whole array   +   +   ...
"""

from __future__ import annotations

import zlib
from bisect import bisect_right
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

S = TypeVar("S", bound=np.generic)

INTERVAL = 32
"""The whole array is not kept again before so many moments."""


class Change(NamedTuple, Generic[S]):
    """What became different at one moment: the flat indices of cells, and their values since."""

    cells: NDArray[np.uint32]
    values: NDArray[S]

    @property
    def nbytes(self) -> int:
        """How many bytes it takes."""
        return self.cells.nbytes + self.values.nbytes


class Film(Generic[S]):
    """The moments of an array.

    Args:
        first: The array at its first moment; it may go on changing.

    Attributes:
        changes: What changed at each moment, nothing at the first.
    """

    def __init__(self, first: NDArray[S]) -> None:
        self._last = first.copy()
        self._starts = [0]
        self._whole = [self._compressed()]  # at the moments with these numbers
        self._since = 0  # the bytes of all changes since
        self.changes = [self._change(first)]

    def add(self, now: NDArray[S]) -> None:
        """Add a moment."""
        change = self._change(now)
        self._last.ravel()[change.cells] = change.values
        self._since += change.nbytes
        number = len(self.changes)
        self.changes.append(change)
        if number - self._starts[-1] >= INTERVAL and self._since > len(self._whole[-1]):
            self._starts.append(number)
            self._whole.append(self._compressed())
            self._since = 0

    def at(self, number: int) -> NDArray[S]:
        """Return the array as it was at a moment, made anew."""
        nearest = bisect_right(self._starts, number) - 1
        flat = np.frombuffer(zlib.decompress(self._whole[nearest]), self._last.dtype).copy()
        for change in self.changes[self._starts[nearest] + 1 : number + 1]:
            flat[change.cells] = change.values
        return flat.reshape(self._last.shape)

    @property
    def nbytes(self) -> int:
        """How many bytes all moments take."""
        return sum(change.nbytes for change in self.changes) + sum(map(len, self._whole))

    def _change(self, now: NDArray[S]) -> Change[S]:
        cells = np.flatnonzero(now != self._last).astype(np.uint32)
        return Change(cells, now.ravel()[cells])

    def _compressed(self) -> bytes:
        return zlib.compress(self._last.tobytes(), 1)
