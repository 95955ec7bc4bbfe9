"""The cells that are next to those of a mask: by an edge, or by a corner, too."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def beside(mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the cells that share an edge with a cell of a mask, and the mask itself."""
    near = mask.copy()
    near[1:] |= mask[:-1]
    near[:-1] |= mask[1:]
    near[:, 1:] |= mask[:, :-1]
    near[:, :-1] |= mask[:, 1:]
    return near


def touching(mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the cells that touch a cell of a mask, corners included, and the mask itself."""
    near = mask.copy()
    near[1:] |= mask[:-1]
    near[:-1] |= mask[1:]
    wide = near.copy()
    wide[:, 1:] |= near[:, :-1]
    wide[:, :-1] |= near[:, 1:]
    return wide
