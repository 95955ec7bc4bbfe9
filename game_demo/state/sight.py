"""What the player sees of a level and remembers of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import tcod.constants
import tcod.map
from tcod.console import rgb_graphic

from game_demo.state.geometry import Area, area_around, mask_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from game_demo.state.geometry import Cell

SIGHT_RADIUS: Final = 16
"""How many cells the player's bare eyes see."""

MOST_VIEWS: Final = 512
"""From so many cells at most it is remembered what is to be seen there, as each takes as many bytes as the level has cells."""


class View(NamedTuple):
    """What is seen from a cell: see `Sight`."""

    area: Area
    visible: NDArray[np.bool_]
    mask: int


class Sight:
    """One level through the player's eyes.

    Attributes:
        radius: How many cells he sees.
        visible: (height, width) bool, what is seen now; `mask`: the same as `mask_of` has it.
        area: The part of the level in which that lies.
        explored: (height, width) bool, what was ever seen.
        memory: (height, width) of tcod's `rgb_graphic`, how it looked then; robots are not remembered.
    """

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.radius = SIGHT_RADIUS
        self.visible = np.zeros(shape, dtype=np.bool_)
        self.mask = 0
        self.area = Area(0, 0, 0, 0)
        self.explored = np.zeros(shape, dtype=np.bool_)
        self.memory = np.zeros(shape, dtype=rgb_graphic)
        self._views: dict[Cell, View] = {}

    def update(self, transparent: NDArray[np.bool_], eye: Cell) -> bool:
        """See what there is to be seen from a cell, and tell whether that was not known from an earlier look.

        Args:
            transparent: (height, width) bool, where sight passes; `look_anew` tells that it has changed.
            eye: The cell.
        """
        view = self._views.get(eye)
        if is_new := view is None:
            if len(self._views) >= MOST_VIEWS:
                self.forget_views()
            area = area_around(eye, self.radius, self.explored.shape)
            visible = _seen_within(area, transparent, eye, self.radius)
            view = self._views[eye] = View(area, visible, mask_of(visible))
            self.explored |= visible
        self.area, self.visible, self.mask = view
        return is_new

    def look_anew(self, changed: Sequence[Cell]) -> None:
        """Look anew from where some cells may be seen: sight passes there now, or does so no longer."""
        for eye, view in [*self._views.items()]:
            if any(view.area.within(cell) for cell in changed):
                del self._views[eye]

    def reach(self, radius: int) -> None:
        """See so many cells from now on."""
        if radius != self.radius:
            self.radius = radius
            self.forget_views()

    def forget_views(self) -> None:
        """Look anew from every cell: nobody will look from most of them for long."""
        self._views.clear()

    def remember(self, picture: NDArray[np.void]) -> None:
        """Keep in mind what is seen.

        Args:
            picture: (height, width) of tcod's `rgb_graphic`, how the area of what is visible looks now.
        """
        visible = self.visible[self.area.slices]
        self.memory[self.area.slices][visible] = picture[visible]


def field_of_view(transparent: NDArray[np.bool_], eye: Cell, radius: int) -> NDArray[np.bool_]:
    """Return the (height, width) bool mask of what is seen from a cell, up to `radius` cells away."""
    return _seen_within(area_around(eye, radius, transparent.shape), transparent, eye, radius)


def _seen_within(area: Area, transparent: NDArray[np.bool_], eye: Cell, radius: int) -> NDArray[np.bool_]:
    """Return the same, given the area that lies around the cell."""
    visible = np.zeros(transparent.shape, dtype=np.bool_)
    visible[area.slices] = tcod.map.compute_fov(
        transparent[area.slices],
        (eye[0] - area.top, eye[1] - area.left),
        radius=radius,
        algorithm=tcod.constants.FOV_SYMMETRIC_SHADOWCAST,
    )
    return visible
