"""Smooth noise: random values at the corners of a coarse lattice, and in between what lies between them.

Value noise, as in K. Perlin's "An image synthesizer" (1985) and what followed it. Everything is done cell by cell, so
that the same draws give the same noise, to the last bit, on every machine.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Protocol

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
    (above, down), (before, across) = _between(height, size), _between(width, size)
    corners = grain(stream, int(above[-1]) + 2, int(before[-1]) + 2)
    lines = corners[:, before] * (1 - across) + corners[:, before + 1] * across
    noise: NDArray[np.float64] = lines[above] * (1 - down)[:, None] + lines[above + 1] * down[:, None]
    return noise


@lru_cache(maxsize=64)
def _between(length: int, size: int) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return, for each of so many cells in a row, the corner before it, and how much of the next one it takes."""
    place = (np.arange(length) + 0.5) / size
    before = place.astype(np.intp)
    rest = place - before
    return sealed(before), sealed(rest * rest * (3 - 2 * rest))  # level at the corners
