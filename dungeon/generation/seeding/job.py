"""What the seeding of a level is given, and what comes of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy as np
    from numpy.typing import NDArray

    from dungeon.content.models.maps import MapEntry
    from dungeon.content.prefab.drawing import Drawing
    from dungeon.content.prefab.prefab import Prefab
    from dungeon.content.values.fields import Weight
    from dungeon.content.values.grammar import Value
    from dungeon.core.streams import Streams
    from dungeon.core.vocabulary import Category
    from dungeon.grid.rect import Cell
    from dungeon.level.canvas import Mouth
    from dungeon.level.journal import Journal
    from dungeon.level.model import Placement
    from dungeon.terrain import Colour


@dataclass(frozen=True, slots=True, kw_only=True)
class Seeded:
    """A drawing that has been seeded.

    Attributes:
        label: The feature it came with.
        copy: Which copy of that, from 1.
        y: The row of its top left cell, and `x` the column.
        index: Its index among the placements; None for mere stairs.
        lock: What its outer doors are to be locked with, if anything.
        stopped: (height, width) bool, its open cells that no way need lead to, nor may lead through.
    """

    label: str
    copy: int
    drawing: Drawing
    y: int
    x: int
    index: int | None
    stopped: NDArray[np.bool_]
    lock: Value[str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SeedJob:
    """One attempt at seeding a level.

    Attributes:
        entry: The map, which lists the features.
        called: Name or tag -> the prefabs that go by it.
        weigh: Tells what a weight word is worth.
        tint: Tells the colour that the author gives a category.
        leads_to: The ids of the maps that the level leads to.
        streams: Where randomness comes from; name the streams "seed", ...
        journal: Where decisions are noted.
        attempt: 0 at first; higher if an earlier attempt found no place for a feature that must be there.
        mouths: Takes where what has been seeded is to be joined.
        placements: Takes the prefabs.
        drawn: Takes the drawings, in which things are going to stand.
        bound: Takes the cells of stairs that lead to the map that a feature names.
        lacking: Takes "entrance" or "exits" -> (height, width) int32, how many steps each cell is too near to a
            feature, or too far from it, where these are not seeded themselves.
    """

    entry: MapEntry
    called: Mapping[str, tuple[Prefab, ...]]
    weigh: Callable[[Weight], float]
    tint: Callable[[Category], Colour | None]
    leads_to: tuple[str, ...]
    streams: Streams
    journal: Journal
    attempt: int = 0
    mouths: list[Mouth] = field(default_factory=list)
    placements: list[Placement] = field(default_factory=list)
    drawn: list[Seeded] = field(default_factory=list)
    bound: dict[Cell, str] = field(default_factory=dict)
    lacking: dict[str, NDArray[np.int32]] = field(default_factory=dict)
