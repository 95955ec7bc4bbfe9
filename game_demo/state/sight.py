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

    visible: NDArray[np.bool_]

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.visible = np.zeros(shape, dtype=np.bool_)
        self.explored = np.zeros(shape, dtype=np.bool_)
        self.memory = np.zeros(shape, dtype=rgb_graphic)
        self._views: dict[Cell, NDArray[np.bool_]] = {}

    def update(self, transparent: NDArray[np.bool_], eye: Cell) -> bool:
        """See what there is to be seen from a cell, and tell whether that was not known from an earlier look.

        Args:
            transparent: (height, width) bool, where sight passes; `forget_views` tells that it has changed.
            eye: The cell.
        """
        view = self._views.get(eye)
        if view is not None:
            self.visible = view
            return False
        self.visible = self._views[eye] = field_of_view(transparent, eye, SIGHT_RADIUS)
        near = area_around(eye, SIGHT_RADIUS, self.explored.shape).slices
        self.explored[near] |= self.visible[near]
        return True

    def forget_views(self) -> None:
        """Look anew from every cell: something has changed, or nobody will look from there for long."""
        self._views.clear()

    def remember(self, area: Area, picture: NDArray[np.void]) -> None:
        """Keep in mind what is seen in a part of the level.

        Args:
            area: The part; it holds all that is visible.
            picture: (height, width) of tcod's `rgb_graphic`, how that part looks now.
        """
        visible = self.visible[area.slices]
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
