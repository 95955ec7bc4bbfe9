"""What the player sees of a level and remembers of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import tcod.constants
import tcod.map
from tcod.console import rgb_graphic

from game_demo.state.geometry import area_around

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from game_demo.state.geometry import Area, Cell

SIGHT_RADIUS: Final = 16
"""How many cells the player sees."""


class Sight:
    """One level through the player's eyes.

    Attributes:
        visible: (height, width) bool, what is seen now.
        explored: (height, width) bool, what was ever seen.
        memory: (height, width) of tcod's `rgb_graphic`, how it looked then; robots are not remembered.
    """

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.visible = np.zeros(shape, dtype=np.bool_)
        self.explored = np.zeros(shape, dtype=np.bool_)
        self.memory = np.zeros(shape, dtype=rgb_graphic)

    def update(self, transparent: NDArray[np.bool_], eye: Cell) -> None:
        """See what there is to be seen from a cell, where sight passes through these cells of the level."""
        self.visible = field_of_view(transparent, eye, SIGHT_RADIUS)

    def remember(self, area: Area, picture: NDArray[np.void]) -> None:
        """Keep in mind what is seen in a part of the level.

        Args:
            area: The part; it holds all that is visible.
            picture: (height, width) of tcod's `rgb_graphic`, how that part looks now.
        """
        visible = self.visible[area.slices]
        self.explored[area.slices] |= visible
        self.memory[area.slices][visible] = picture[visible]


def field_of_view(transparent: NDArray[np.bool_], eye: Cell, radius: int) -> NDArray[np.bool_]:
    """Return the (height, width) bool mask of what is seen from a cell, up to `radius` cells away."""
    area = area_around(eye, radius, transparent.shape)
    visible = np.zeros(transparent.shape, dtype=np.bool_)
    visible[area.slices] = tcod.map.compute_fov(
        transparent[area.slices],
        (eye[0] - area.top, eye[1] - area.left),
        radius=radius,
        algorithm=tcod.constants.FOV_SYMMETRIC_SHADOWCAST,
    )
    return visible
