"""Where a feature lies right on a map by what its author says of it, whatever else is there: rows and columns apart.

Each function returns masks of the first rows, or columns, of the feature: those of its top left cell.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dungeon.content.models.features import PARTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

Size = tuple[int, int]
"""(height, width)."""

Lines = tuple["NDArray[np.bool_]", "NDArray[np.bool_]"]
"""(height,) and (width,) bool."""


def lies_at(options: Sequence[float], shift: int, length: int, whole: int) -> NDArray[np.bool_]:
    """Return (whole,) bool: the first columns (or rows) at which something of that length lies right.

    Args:
        options: Coordinates, any of which will do; all will if there are none.
        shift: How far from there.
        length: How many columns (or rows) it has.
        whole: How many the map has.
    """
    inside = np.zeros(whole, np.bool_)
    inside[: max(whole - length + 1, 0)] = True
    if not options:
        return inside
    found = np.zeros(whole, np.bool_)
    for option in options:
        first = _first(option, length, whole)
        found[max(first - shift, 0) : max(first + shift + 1, 0)] = True
    return found & inside


def _first(place: float, length: int, whole: int) -> int:
    """Return the first column (or row) of something at a coordinate: a share is one of what is left inside the border."""
    if isinstance(place, int):
        return place if place >= 0 else whole - length + 1 + place
    return 1 + round(place * (whole - 2 - length))


def lies_beside(side: str, distance: int, size: Size, whole: Size) -> Lines:
    """Return where something has that distance to an edge, or in a corner to both."""
    lines = []
    for near, far, length, extent in (
        ("north", "south", size[0], whole[0]),
        ("west", "east", size[1], whole[1]),
    ):
        line = np.zeros(extent, np.bool_)
        first = None
        if near in side:
            first = distance
        elif far in side:
            first = extent - distance - length
        if first is None:
            line[:] = True
        elif 0 <= first < extent:
            line[first] = True
        lines.append(line)
    return lines[0], lines[1]


def lies_within(region: str, size: Size, whole: Size) -> Lines:
    """Return where the middle of something lies in a part of the map."""
    lines = []
    for (low, high), length, extent in zip(shares_of(region), size, whole, strict=True):
        middle = np.arange(extent) + length / 2
        lines.append((low * extent <= middle) & (middle <= high * extent))
    return lines[0], lines[1]


def shares_of(region: str) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return what part of the rows, and of the columns, a part of the map has: from and to, of 0 to 1."""
    middle, every = (1 / 3, 2 / 3), (0.0, 1.0)
    if region == "centre":
        return middle, middle
    side, part = region.split(" ")
    if side == "middle":
        return (middle, every) if part == "rows" else (every, middle)
    share = PARTS[part]
    rows = (0.0, share) if "north" in side else (1 - share, 1.0) if "south" in side else every
    columns = (0.0, share) if "west" in side else (1 - share, 1.0) if "east" in side else every
    return rows, columns


def stretch(share: float, whole: int) -> int:
    """Return a length in cells: a share is one of the map's."""
    return share if isinstance(share, int) else max(1, round(share * whole))
