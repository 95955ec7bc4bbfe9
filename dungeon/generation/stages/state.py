"""What one stage hands to the next, once a level has its ground plan and its encounters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dungeon.generation.layouts.exits import Foreseen
    from dungeon.generation.populate.placed import PlacedDrawing
    from dungeon.generation.stages.layout import GroundPlan
    from dungeon.generation.stages.place import Furnishing
    from dungeon.generation.stages.seed import SeededMap
    from dungeon.level.canvas import Canvas
    from dungeon.level.model import Placement
    from dungeon.level.territory import Territory


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelState:
    """A level on which everything is placed, and which is yet to be filled.

    Attributes:
        seeded: The prefabs that lay there before the layout.
        ground: The ground plan, as the layout made it.
        furnishing: What has been placed on it.
        foreseen: Where stairs would be if no encounter came.
    """

    seeded: SeededMap
    ground: GroundPlan
    furnishing: Furnishing
    foreseen: tuple[Foreseen, ...] = ()

    @property
    def canvas(self) -> Canvas:
        """The map, which goes on changing."""
        return self.furnishing.canvas

    @property
    def placements(self) -> tuple[Placement, ...]:
        """The prefabs of the map's features, then its encounters."""
        return self.furnishing.placements

    @property
    def drawings(self) -> tuple[PlacedDrawing, ...]:
        """All prefabs that lie on the map: its features', the layout's, its encounters'."""
        return (*self.seeded.drawings, *self.ground.drawings, *self.furnishing.drawings)

    @property
    def zones(self) -> tuple[Territory, ...]:
        """The zones that the layout has made."""
        return self.ground.zones
