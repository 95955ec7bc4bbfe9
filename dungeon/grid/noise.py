"""Value noise: random values at the corners of a coarse lattice over the map; cells between corners get values between theirs.

After K. Perlin, "An image synthesizer" (1985). Only elementwise operations are used, so the same random stream gives the same
noise, to the last bit, on every machine.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from dungeon.core.frozen import sealed

if TYPE_CHECKING:
    from numpy.typing import NDArray

GRAIN_BITS = 16
"""Bits of each random value, so that one is a uint16."""


class Bits(Protocol):
    """The part of a random stream (`Stream`) that noise uses."""

    def bits(self, count: int, share: float = 0.5) -> int:
        """Return an integer of `count` bits, each of which is set with the probability `share`."""


def ranks(stream: Bits, height: int, width: int) -> NDArray[np.uint16]:
    """Return (height, width) uint16: a uniformly random value for each cell, independent of the others."""
    count = height * width
    drawn = stream.bits(GRAIN_BITS * count).to_bytes(GRAIN_BITS // 8 * count, "little")
    return np.frombuffer(drawn, "<u2").astype(np.uint16, copy=False).reshape(height, width)


def grain(stream: Bits, height: int, width: int) -> NDArray[np.float64]:
    """Return (height, width) floats: for each cell a uniformly random value from 0 up to, but not including, 1."""
    return ranks(stream, height, width) / (1 << GRAIN_BITS)


def value_noise(stream: Bits, height: int, width: int, size: int) -> NDArray[np.float64]:
    """Return (height, width) floats from 0 up to 1 that change smoothly from cell to cell.

    Args:
        stream: The random stream.
        height: Rows.
        width: Columns.
        size: Cells from one corner of the lattice to the next; hills and hollows are about twice as large.
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
    """The position of each cell of a row (or column) between two lattice corners.

    Attributes:
        corners: The number of lattice corners along the row.
        before: (cells,): the index of the corner before each cell.
        after: (cells,): the index of the next corner.
        of_it: (cells,): the weight of the corner before, 0 to 1.
        of_next: (cells,): the weight of the next corner; both add up to 1.
    """

    corners: int
    before: NDArray[np.intp]
    after: NDArray[np.intp]
    of_it: NDArray[np.float64]
    of_next: NDArray[np.float64]


@lru_cache(maxsize=64)
def _between(length: int, size: int) -> _Between:
    """Return the positions of `length` cells between lattice corners that are `size` cells apart."""
    place = (np.arange(length) + 0.5) / size
    before = place.astype(np.intp)
    rest = place - before
    of_next = rest * rest * (3 - 2 * rest)  # smoothstep: its slope is 0 at the corners
    return _Between(
        int(before[-1]) + 2, sealed(before), sealed(before + 1), sealed(1 - of_next), sealed(of_next)
    )
