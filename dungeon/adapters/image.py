"""A level, or a sample of a prefab, as a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dungeon.adapters.console import to_console
from dungeon.adapters.scene import Scene
from dungeon.core.wanted import A_SCENE, check_type

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from tcod.console import Console

    from dungeon.core.vocabulary import Highlight


def to_image(level: Scene, highlight: Highlight | None = None, *, scale: int = 1) -> NDArray[np.uint8]:
    """Return the level, or a sample of a prefab, as an RGBA picture.

    Args:
        level: The level, or whatever else has terrain and spawns.
        highlight: As for `to_console`.
        scale: A cell is 8 * scale pixels wide and high.

    Returns:
        (height * 8 * scale, width * 8 * scale, 4) uint8.
    """
    check_type(level, Scene, "to_image", A_SCENE)
    return render(to_console(level, highlight), scale=scale)


def render(console: Console, *, scale: int = 1) -> NDArray[np.uint8]:
    """Return any console as an RGBA picture, as `to_image` does; no window or display is needed."""
    from dungeon.adapters.tileset import square_tileset  # noqa: PLC0415  # it needs tcod, which takes 60 ms

    picture: NDArray[np.uint8] = square_tileset(scale).render(console)
    return np.ascontiguousarray(picture)
