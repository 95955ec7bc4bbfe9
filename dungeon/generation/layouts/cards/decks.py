"""The decks of a level: what is left of them, and which of their prefabs can lie where."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dungeon.content.models.layouts import shares
from dungeon.core.streams import Race
from dungeon.generation.layouts.cards.faces import Grid, try_face

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dungeon.content.models.layouts import DeckEntry
    from dungeon.content.prefab.prefab import Variant
    from dungeon.generation.layouts.cards.faces import Face
    from dungeon.generation.layouts.cards.params import CardsParams
    from dungeon.generation.layouts.job import LayoutJob
    from dungeon.terrain import TerrainSet

ROOM, PASSAGE = " room", " passage"
"""What is dealt besides prefabs; no prefab has such a name."""

ANY_NUMBER = 1 << 30


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

    Args:
        deck: What its author says.
        table: What has been dealt of all decks.
        plain: What there is besides prefabs, with its weight.
    """

    def __init__(self, deck: Mapping[str, DeckEntry], table: Table, plain: Mapping[str, float]) -> None:
        self._table = table
        weights, self._limits = shares(deck, table.job.called, table.job.weigh)
        runners = [(name, weight, name) for name, weight in {**weights, **plain}.items() if weight > 0]
        self._race = Race(runners, "card") if runners else None

    def order(self, draw: float) -> list[str]:
        """Return what there is to deal, in the order in which it comes; ask of each whether there are copies left.

        Args:
            draw: What decides, evenly from [0, 1).
        """
        return self._race.order(draw) if self._race else []

    def has(self, name: str) -> bool:
        """Tell whether copies of something are left."""
        return self._table.dealt.get(name, 0) < self._limits.get(name, ANY_NUMBER)
