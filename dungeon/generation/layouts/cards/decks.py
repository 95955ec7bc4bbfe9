"""The decks of a level: what is left of them, and which of their prefabs can lie where."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dungeon.content.models.deck import shares
from dungeon.generation.layouts.cards.faces import Grid, try_face

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dungeon.content.models.deck import DeckEntry
    from dungeon.content.prefab.prefab import Variant
    from dungeon.generation.layouts.cards.faces import Face
    from dungeon.generation.layouts.cards.params import CardsParams
    from dungeon.generation.layouts.job import LayoutJob
    from dungeon.terrain import TerrainSet

ROOM, PASSAGE = " room", " passage"
"""What is drawn besides prefabs; no prefab has such a name."""


class Table:
    """What has been dealt of all decks, and what is still to be had.

    A prefab that varies shows one variant until that is laid, then another one.
    """

    def __init__(self, params: CardsParams, job: LayoutJob, terrain_set: TerrainSet) -> None:
        self.params = params
        self.job = job
        self.terrain_set = terrain_set
        self.grid = Grid(params.cell.height, params.cell.width, params.gap)
        self.dealt: dict[str, int] = {}
        self._variants: dict[tuple[str, int], Variant] = {}
        self._faces: dict[tuple[str, int], tuple[Face, ...]] = {}

    def faces(self, name: str) -> tuple[Face, ...]:
        """Return how a prefab can lie as a card, in every orientation that makes a difference."""
        prefab = self.job.prefabs[name]
        copy = self.dealt.get(name, 0) if prefab.varies else 0
        key = name, copy
        if key not in self._faces:
            stream = self.job.streams.stream("layout", "cards", self.job.attempt, "variant", name, copy)
            found = (
                try_face(drawing, self.grid, self.terrain_set)
                for drawing in prefab.variant(stream).drawings
                if not drawing.repeats
            )
            self._faces[key] = tuple(face for face in found if face is not None)
        return self._faces[key]


class DeckOfZone:
    """The deck of a zone.

    Attributes:
        weights: Prefab, room or passage -> how likely it is to be drawn.
    """

    def __init__(self, deck: Mapping[str, DeckEntry], table: Table) -> None:
        job, params = table.job, table.params
        self.table = table
        self.weights, self._limits = shares(deck, job.called, job.weigh)
        self.weights[ROOM] = job.weigh(params.rooms)
        self.weights[PASSAGE] = job.weigh(params.passages)

    def left(self) -> dict[str, float]:
        """Return what may still be drawn, with its weight."""
        dealt = self.table.dealt
        return {
            name: weight
            for name, weight in self.weights.items()
            if weight > 0 and dealt.get(name, 0) < self._limits.get(name, 1 << 30)
        }
