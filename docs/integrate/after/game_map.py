"""A floor: its tiles, which of them are visible or explored, and its entities."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import tcod.constants
import tcod.map

from .tile_types import SHROUD, WALL

if TYPE_CHECKING:
    from tcod.console import Console

    from .entity import Entity


class GameMap:
    """A floor of the cellar. All arrays are indexed [x, y]."""

    def __init__(self, width: int, height: int) -> None:
        self.tiles = np.full((width, height), WALL, order="F")
        self.visible = np.zeros((width, height), bool, order="F")
        self.explored = np.zeros((width, height), bool, order="F")
        self.entities: list[Entity] = []
        self.start = (0, 0)
        self.exits: dict[tuple[int, int], str] = {}

    def is_walkable(self, x: int, y: int) -> bool:
        """Return whether (x, y) is a walkable cell of the floor."""
        width, height = self.tiles.shape
        return 0 <= x < width and 0 <= y < height and bool(self.tiles["walkable"][x, y])

    def blocker_at(self, x: int, y: int) -> Entity | None:
        """Return the entity that blocks (x, y), or None."""
        return next((each for each in self.entities if each.blocks and each.xy == (x, y)), None)

    def see_from(self, xy: tuple[int, int], radius: int) -> None:
        """Set `visible` to the cells in sight from `xy`, and add them to `explored`."""
        self.visible[:] = tcod.map.compute_fov(
            self.tiles["transparent"], xy, radius, algorithm=tcod.constants.FOV_SYMMETRIC_SHADOWCAST
        )
        self.explored |= self.visible

    def render(self, console: Console) -> None:
        """Draw visible and explored tiles, and visible entities, from the top left corner."""
        width, height = self.tiles.shape
        console.rgb[:width, :height] = np.select(
            [self.visible, self.explored], [self.tiles["light"], self.tiles["dark"]], SHROUD
        )
        for entity in sorted(self.entities, key=lambda each: each.blocks):
            if self.visible[entity.xy]:
                console.print(*entity.xy, entity.char, fg=entity.colour)
