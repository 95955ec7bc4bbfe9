"""Connected parts of a mask, and how far its cells are from a start."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dungeon.grid.rect import Rect

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

FAR = int(np.iinfo(np.int32).max)
"""The distance of a cell that cannot be reached."""


def components(mask: NDArray[np.bool_]) -> tuple[NDArray[np.int32], int]:
    """Number the 4-connected parts of a mask.

    Rows are cut into runs of set cells; runs that overlap in neighbouring rows are joined by hooking and
    pointer jumping (Shiloach and Vishkin, 1982), so the work is a few array passes over the runs.

    Args:
        mask: (height, width) bool.

    Returns:
        A (height, width) array, 0 outside the mask and 1..count inside, numbered in order of each part's
        first cell row by row; and the count.
    """
    height, width = mask.shape
    labels = np.zeros((height, width), np.int32)
    stride = width + 1
    flat = np.zeros(height * stride + 1, np.int8)
    flat[1:].reshape(height, stride)[:, :width] = mask
    edges = np.flatnonzero(np.diff(flat, append=np.int8(0)))
    starts, ends = edges[::2], edges[1::2]
    if not len(starts):
        return labels, 0
    # The runs of the next row that overlap run i are first[i] .. last[i] - 1.
    first = np.searchsorted(ends, starts + stride, side="right")
    last = np.searchsorted(starts, ends + stride, side="left")
    overlaps = np.maximum(last - first, 0)
    upper = np.repeat(np.arange(len(starts)), overlaps)
    lower = np.arange(len(upper)) - np.repeat(np.cumsum(overlaps) - overlaps, overlaps) + first[upper]
    parent = np.arange(len(starts))
    while True:
        a, b = parent[upper], parent[lower]
        apart = a != b
        if not apart.any():
            break
        upper, lower, a, b = upper[apart], lower[apart], a[apart], b[apart]
        np.minimum.at(parent, np.maximum(a, b), np.minimum(a, b))
        while True:
            jumped = parent[parent]
            if (jumped == parent).all():
                break
            parent = jumped
    roots, number = np.unique(parent, return_inverse=True)
    labels[mask] = np.repeat(number + 1, ends - starts)
    return labels, len(roots)


def parts_of(labels: NDArray[np.int32], count: int) -> list[NDArray[np.intp]]:
    """Return the flat indices of the cells with each label 1..count, in order."""
    flat = labels.ravel()
    order = np.argsort(flat, kind="stable")
    return np.split(order, np.searchsorted(flat[order], np.arange(1, count + 1)))[1:]


def bounds_of(mask: NDArray[np.bool_]) -> Rect:
    """Return the smallest rectangle around the set cells; ValueError if there are none."""
    ys, xs = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    if not len(ys):
        raise ValueError("there is no cell to draw a rectangle around")
    top, left = int(ys[0]), int(xs[0])
    return Rect(top, left, int(ys[-1]) - top + 1, int(xs[-1]) - left + 1)


def distances(walkable: NDArray[np.bool_], starts: Iterable[tuple[int, int]]) -> NDArray[np.int32]:
    """Return how many 4-neighbour steps each walkable cell is from the nearest start.

    Args:
        walkable: (height, width) bool.
        starts: (y, x) cells.

    Returns:
        A (height, width) array; `FAR` where no way leads.
    """
    import tcod.path  # noqa: PLC0415  # only exits and reports need it, and it takes 60 ms

    result: NDArray[np.int32] = tcod.path.maxarray(walkable.shape, dtype=np.int32)
    for y, x in starts:
        result[y, x] = 0
    tcod.path.dijkstra2d(result, walkable.astype(np.int32), 1, None, out=result)
    return result
