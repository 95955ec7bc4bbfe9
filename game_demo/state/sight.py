"""What the player sees of a level, and remembers of it."""

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
"""How many cells the player sees, without parts."""

MOST_VIEWS: Final = 512
"""For how many cells the field of view is cached; each takes as many bytes as the level has cells."""


class View(NamedTuple):
    """The field of view of a cell: see `Sight`."""

    area: Area
    visible: NDArray[np.bool_]
    mask: int


class Sight:
    """One level as the player sees and remembers it.

    Attributes:
        radius: How many cells he sees.
        visible: (height, width) bool, the cells in sight.
        mask: The same as a bitmask, in the form of `mask_of`.
        area: The part of the level that contains the cells in sight.
        explored: (height, width) bool, the cells that were ever seen.
        memory: (height, width) of tcod's `rgb_graphic`, how the explored cells looked when last seen, without robots.
    """

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.radius = SIGHT_RADIUS
        self.visible = np.zeros(shape, dtype=np.bool_)
        self.mask = 0
        self.area = Area(0, 0, 0, 0)
        self.explored = np.zeros(shape, dtype=np.bool_)
        self.memory = np.zeros(shape, dtype=rgb_graphic)
        self._familiar = np.zeros(shape, dtype=np.bool_)  # where `memory` is as it was in `_version`
        self._version = 0
        self._views: dict[Cell, View] = {}

    def update(self, transparent: NDArray[np.bool_], eye: Cell) -> None:
        """Compute what the player sees from a cell, and add it to the explored cells.

        Args:
            transparent: (height, width) bool, where sight passes. `look_anew` must be told when it changes.
            eye: The cell.
        """
        view = self._views.get(eye)
        if view is None:
            if len(self._views) >= MOST_VIEWS:
                self.forget_views()
            area = area_around(eye, self.radius, self.explored.shape)
            visible = _seen_within(area, transparent, eye, self.radius)
            view = self._views[eye] = View(area, visible, mask_of(visible))
            self.explored |= visible
        self.area, self.visible, self.mask = view

    def look_anew(self, changed: Sequence[Cell]) -> None:
        """Forget the cached fields of view that contain some cells, where transparency has changed."""
        for eye, view in [*self._views.items()]:
            if any(view.area.within(cell) for cell in changed):
                del self._views[eye]

    def reach(self, radius: int) -> None:
        """Set the radius."""
        if radius != self.radius:
            self.radius = radius
            self.forget_views()

    def forget_views(self) -> None:
        """Forget all cached fields of view, when the player leaves the level."""
        self._views.clear()

    def unfamiliar(self, version: int) -> Area | None:
        """Return the part of the level in sight that may look different from `memory`; None for none.

        Args:
            version: `GameMap.version`: while it stays the same, things that don't walk look the same.
        """
        if version != self._version:
            self._version = version
            self._familiar[:] = False
        new = self.visible[self.area.slices] & ~self._familiar[self.area.slices]
        rows, columns = np.flatnonzero(new.any(axis=1)), np.flatnonzero(new.any(axis=0))
        if not rows.size:
            return None
        top, left = self.area.top, self.area.left
        return Area(
            top + int(rows[0]), left + int(columns[0]), top + int(rows[-1]) + 1, left + int(columns[-1]) + 1
        )

    def remember(self, area: Area, picture: NDArray[np.void]) -> None:
        """Store how the cells in sight look.

        Args:
            area: The part of the level.
            picture: (height, width) of tcod's `rgb_graphic`, how that part looks now.
        """
        visible = self.visible[area.slices]
        self.memory[area.slices][visible] = picture[visible]
        self._familiar[area.slices] |= visible


def field_of_view(transparent: NDArray[np.bool_], eye: Cell, radius: int) -> NDArray[np.bool_]:
    """Return the (height, width) bool mask of what is seen from a cell, up to `radius` cells away."""
    return _seen_within(area_around(eye, radius, transparent.shape), transparent, eye, radius)


def _seen_within(area: Area, transparent: NDArray[np.bool_], eye: Cell, radius: int) -> NDArray[np.bool_]:
    """Return the cells seen from `eye` up to `radius` cells away, as a bool mask of `area` only, a part of the map around `eye`."""
    visible = np.zeros(transparent.shape, dtype=np.bool_)
    visible[area.slices] = tcod.map.compute_fov(
        transparent[area.slices],
        (eye[0] - area.top, eye[1] - area.left),
        radius=radius,
        algorithm=tcod.constants.FOV_SYMMETRIC_SHADOWCAST,
    )
    return visible
