"""Which listed colour explains which cell of a drawing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import NDArray

    from dungeon.content.drawing.meaning import Meaning
    from dungeon.content.drawing.planes import Plane


def listed_colours(
    plane: Plane,
    colour: NDArray[np.uint8],
    meaning: Meaning,
    own: Collection[str],
    unknown: Collection[str],
) -> NDArray[np.int32]:
    """Return (height, width): the listed colour, as 0xrrggbb, by which each cell is read; -1 where none is.

    The legend, which is the prefab's own, comes before colours, and colours before other characters. Where the
    nearest colour counts, it does so for cells that nothing else explains.

    Args:
        plane: The map.
        colour: (height, width, 3) uint8, the colour that each cell is seen in.
        meaning: What colours mean; there must be some.
        own: Characters that come before colours.
        unknown: Characters that mean nothing.
    """
    keys = np.array(sorted(int(text[1:], 16) for text in meaning.colours), np.int32)
    seen_as = packed(colour)
    at = np.minimum(np.searchsorted(keys, seen_as), len(keys) - 1)
    seen = ~plane.having(own) & (keys[at] == seen_as)
    result = np.where(seen, seen_as, np.int32(-1))
    if meaning.nearest and unknown:
        guessed = plane.having(unknown) & ~seen
        colours, which = np.unique(seen_as[guessed], return_inverse=True)
        result[guessed] = keys[_nearest(colours, keys)][which]
    return result


def packed(colour: NDArray[np.uint8]) -> NDArray[np.int32]:
    """Return (..., 3) bytes as one number each, 0xrrggbb."""
    wide = colour.astype(np.int32)
    return wide[..., 0] << 16 | wide[..., 1] << 8 | wide[..., 2]


def _nearest(colours: NDArray[np.int32], listed: NDArray[np.int32]) -> NDArray[np.intp]:
    """Return, for each colour (packed), the index of the listed one that is nearest in RGB."""
    best = np.zeros(colours.shape, np.intp)
    least = np.full(colours.shape, np.iinfo(np.int32).max, np.int32)
    for index, other in enumerate(listed.tolist()):
        unlike = sum(((colours >> shift & 255) - (other >> shift & 255)) ** 2 for shift in (16, 8, 0))
        closer = unlike < least
        best[closer] = index
        least[closer] = unlike[closer]
    return best
