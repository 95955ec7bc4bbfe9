"""Loaded content: everything the authors wrote, checked and ready to generate from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from dungeon.content.catalog import Catalog
    from dungeon.content.fields import Weight
    from dungeon.content.models import EncounterEntry, MapEntry, WorldEntry
    from dungeon.content.prefab import Prefab
    from dungeon.errors import Source
    from dungeon.registry import Parameters
    from dungeon.terrain import TerrainSet


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """The content of one game.

    Attributes:
        folder: Where it was read from.
        terrain_set: All kinds of terrain.
        themes: Theme -> (256,) uint8, the code that each code is painted as.
        weights: Weight word -> number.
        catalog: The objects.
        prefabs: The prefabs by name.
        encounters: The encounters by name; `maps` likewise.
        layouts: Map -> the parameters of its layout.
        placings: Encounter -> the parameters of its placing mode.
        choices: Encounter -> the prefabs it may take.
        sources: (kind, name) -> where the entry stands.
    """

    folder: str
    terrain_set: TerrainSet
    themes: Mapping[str, NDArray[np.uint8]]
    weights: Mapping[str, float]
    catalog: Catalog
    prefabs: Mapping[str, Prefab]
    encounters: Mapping[str, EncounterEntry]
    maps: Mapping[str, MapEntry]
    world: WorldEntry
    layouts: Mapping[str, Parameters]
    placings: Mapping[str, Parameters]
    choices: Mapping[str, tuple[Prefab, ...]]
    sources: Mapping[tuple[str, str], Source]

    def weight(self, weight: Weight) -> float:
        """Return a weight word's number; a number is its own."""
        return self.weights[weight] if isinstance(weight, str) else weight
