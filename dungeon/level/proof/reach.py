"""Which cells hang together, on flat masks with a closed frame.

A mask here is one flat array of rows, each framed by a closed cell at either end, with a closed row above and
below: the neighbours of cell `i` are `i - 1`, `i + 1`, `i - stride` and `i + stride`, and a run of open cells
never crosses the end of a row. Pieces are found run by run: every run is hooked to the first run that it touches
in the row above, which leaves trees; runs that touch several are the few places where trees meet, and those are
joined in rounds, each of which at least halves the number of trees that still have a neighbour (Boruvka, 1926).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray


class Pieces(NamedTuple):
    """The 4-connected pieces of a mask, as runs of open cells in a row.

    Attributes:
        starts: The first cell of each run, in ascending order.
        ends: The cell behind each run's last.
        piece: For each run, the first run of the piece that it belongs to.
    """

    starts: NDArray[np.intp]
    ends: NDArray[np.intp]
    piece: NDArray[np.intp]


def pieces(mask: NDArray[np.bool_], stride: int) -> Pieces:
    """Return the 4-connected pieces of a flat framed mask."""
    edges = (mask[1:] != mask[:-1]).nonzero()[0] + 1
    starts, ends = edges[::2].copy(), edges[1::2].copy()
    first = ends.searchsorted(starts - stride, side="right")
    count = starts.searchsorted(ends - stride, side="left") - first
    piece = _to_root(np.where(count > 0, first, np.arange(len(starts))), mask.size // stride)
    joining = (count > 1).nonzero()[0]
    if not len(joining):
        return Pieces(starts, ends, piece)
    more = count[joining] - 1
    lower = np.repeat(joining, more)
    upper = np.arange(len(lower)) - np.repeat(np.cumsum(more) - more, more) + first[lower] + 1
    return Pieces(starts, ends, _joined(piece, lower, upper))


def flood(mask: NDArray[np.bool_], seeds: NDArray[np.intp], found: Pieces) -> NDArray[np.bool_]:
    """Return the cells of a flat framed mask that 4-neighbour steps reach from the seeds.

    Args:
        mask: Where steps may go.
        seeds: Cells of the mask.
        found: Its pieces.

    Returns:
        The reached cells: `mask` itself if that is all of it.
    """
    if not len(seeds):
        return np.zeros_like(mask)
    starts, ends, piece = found
    reached = np.zeros(len(starts), np.bool_)
    reached[piece[np.searchsorted(starts, seeds, side="right") - 1]] = True
    reached = reached[piece]
    if reached.all():
        return mask
    steps = np.zeros(mask.size, np.int8)
    steps[starts[reached]] = 1
    steps[ends[reached]] = -1
    return np.cumsum(steps, dtype=np.int8).view(np.bool_)


def beside(mask: NDArray[np.bool_], stride: int) -> NDArray[np.bool_]:
    """Return the cells of a flat framed mask and those that share an edge with one."""
    wider = mask.copy()
    wider[1:] |= mask[:-1]
    wider[:-1] |= mask[1:]
    wider[stride:] |= mask[:-stride]
    wider[:-stride] |= mask[stride:]
    return wider


def _joined(piece: NDArray[np.intp], lower: NDArray[np.intp], upper: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the first run of each run's piece, once the trees of the runs `lower[i]` and `upper[i]` are one."""
    one, other = piece[lower], piece[upper]
    meets = np.zeros(len(piece), np.bool_)
    meets[one] = meets[other] = True
    trees = meets.nonzero()[0]
    one, other = trees.searchsorted(one), trees.searchsorted(other)
    joined = np.arange(len(trees))
    while len(one):
        apart = joined[one] != joined[other]
        one, other = joined[one[apart]], joined[other[apart]]
        # Where several pairs write to one place any of them is right: all point to an earlier tree.
        joined[np.maximum(one, other)] = np.minimum(one, other)
        joined = _to_root(joined, len(trees))
    roots = np.arange(len(piece))
    roots[trees] = trees[joined]
    return roots[piece]


def _to_root(parent: NDArray[np.intp], height: int) -> NDArray[np.intp]:
    """Let everything that points to something else point straight at the root of its tree, which is that high at most."""
    for _ in range(height.bit_length()):  # each time all point twice as far up
        parent = parent.take(parent)
    return parent


def parts_of(mask: NDArray[np.bool_], stride: int) -> Iterator[NDArray[np.intp]]:
    """Yield the places of the cells of each 4-connected piece of a flat framed mask, in order of their first cells."""
    starts, ends, piece = pieces(mask, stride)
    if not len(starts):
        return
    number = piece.repeat(ends - starts)
    order = number.argsort(kind="stable")
    cuts = np.flatnonzero(np.diff(number[order])) + 1
    yield from np.split(np.flatnonzero(mask)[order], cuts)
