"""What is seen from a cell."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def seen_from(transparent: NDArray[np.bool_], eye: tuple[int, int]) -> NDArray[np.bool_]:
    """Return (height, width) bool: what is seen from a cell, however far.

    Between cells that sight passes it goes both ways or neither (symmetric shadow casting, as tcod has it).

    Args:
        transparent: (height, width) bool, the cells that sight passes.
        eye: The (y, x) of the cell.
    """
    import tcod.constants  # noqa: PLC0415  # rarely needed, and slow to import
    import tcod.map  # noqa: PLC0415

    seen: NDArray[np.bool_] = tcod.map.compute_fov(
        transparent, eye, algorithm=tcod.constants.FOV_SYMMETRIC_SHADOWCAST
    )
    return seen
