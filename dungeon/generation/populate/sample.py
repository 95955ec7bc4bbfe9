"""A random sample of a prefab: one of its variants, filled with objects, as `dungeon.sample_prefab` returns it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dungeon.core.errors import counted

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from dungeon.content.prefab.drawing import Drawing
    from dungeon.grid.symmetry import Orientation
    from dungeon.level.journal import Decision
    from dungeon.level.model import Spawn
    from dungeon.terrain import TerrainSet


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Sample:
    """A random sample of a prefab: one of its variants, filled with random objects.

    Attributes:
        name: The prefab's name; of a prefab with variants, the name of the one that was drawn, such as `yard/wet`.
        number: The number of the sample; with one seed, each number gives a different sample.
        depth: The depth for which members of classes were chosen.
        drawing: The variant that was chosen, turned and mirrored as it is shown.
        terrain_set: The meaning of the terrain codes.
        spawns: The objects; the drawing's top left cell is (0, 0).
        journal: The objects that the prefab asks for but that could not be put, with the reasons.
    """

    name: str
    number: int
    depth: int
    drawing: Drawing
    terrain_set: TerrainSet
    spawns: tuple[Spawn, ...]
    journal: tuple[Decision, ...]

    def __repr__(self) -> str:
        how = f"{self.orientation.label}, number {self.number}, depth {self.depth}"
        return f"<Sample of {self.name!r} {how}: {counted(len(self.spawns), 'spawn')}>"

    @property
    def orientation(self) -> Orientation:
        """How the drawing is turned and mirrored."""
        return self.drawing.orientation

    @property
    def terrain(self) -> NDArray[np.uint8]:
        """(height, width) uint8 codes of the drawing's terrain; `KEEP` where the map would show through."""
        return self.drawing.terrain
