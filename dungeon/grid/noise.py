"""Smooth noise: random values at the corners of a coarse lattice, and in between what lies between them.

Value noise, as in K. Perlin's "An image synthesizer" (1985) and what followed it. Everything is done cell by cell, so
that the same draws give the same noise, to the last bit, on every machine.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from dungeon.core.frozen import sealed

if TYPE_CHECKING:
    from numpy.typing import NDArray

GRAIN_BITS = 16


class Bits(Protocol):
    """Where noise comes from: a `Stream`, of the kind that is for many draws."""

    def bits(self, count: int, share: float = 0.5) -> int:
        """Return an integer of `count` bits, each of which is set with the probability `share`."""


def ranks(stream: Bits, height: int, width: int) -> NDArray[np.uint16]:
    """Return (height, width) whole numbers, each drawn for itself."""
    count = height * width
    drawn = stream.bits(GRAIN_BITS * count).to_bytes(GRAIN_BITS // 8 * count, "little")
    return np.frombuffer(drawn, "<u2").astype(np.uint16, copy=False).reshape(height, width)


def grain(stream: Bits, height: int, width: int) -> NDArray[np.float64]:
    """Return (height, width) values from 0 up to 1, each drawn for itself."""
    return ranks(stream, height, width) / (1 << GRAIN_BITS)


def value_noise(stream: Bits, height: int, width: int, size: int) -> NDArray[np.float64]:
    """Return (height, width) values from 0 up to 1 that change smoothly.

    Args:
        stream: Where chance comes from.
        height: Rows.
        width: Columns.
        size: How many cells lie between two corners of the lattice: hills and hollows are about twice as large.
    """
    rows, columns = _between(height, size), _between(width, size)
    corners = grain(stream, rows.corners, columns.corners)
    lines = corners.take(columns.before, 1) * columns.of_it + corners.take(columns.after, 1) * columns.of_next
    noise: NDArray[np.float64] = lines.take(rows.before, 0)
    noise *= rows.of_it[:, None]
    below = lines.take(rows.after, 0)
    below *= rows.of_next[:, None]
    noise += below
    return noise


class _Between(NamedTuple):
    """How the cells of a row lie between the corners of a lattice.

    Attributes:
        corners: How many there are.
        before: (cells,) the corner before each cell, and `after` the next one.
        of_it: (cells,) how much each takes of the corner before it, and `of_next` of the next one.
    """

    corners: int
    before: NDArray[np.intp]
    after: NDArray[np.intp]
    of_it: NDArray[np.float64]
    of_next: NDArray[np.float64]


@lru_cache(maxsize=64)
def _between(length: int, size: int) -> _Between:
    """Return how so many cells in a row lie between corners that are `size` cells apart."""
    place = (np.arange(length) + 0.5) / size
    before = place.astype(np.intp)
    rest = place - before
    of_next = rest * rest * (3 - 2 * rest)  # level at the corners
    return _Between(
        int(before[-1]) + 2, sealed(before), sealed(before + 1), sealed(1 - of_next), sealed(of_next)
    )
