"""The decks of the layout `cards`: which cards a zone may get, the copies laid so far, and the faces of each prefab.

A *face* is a prefab's drawing as a card. A *deck* gives weights and numbers of copies to cards.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dungeon.content.models.layouts import shares
from dungeon.content.values.prefab_weights import counted_as
from dungeon.core.streams import Race
from dungeon.generation.layouts.cards_faces import Grid, try_face

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from dungeon.content.models.layouts import DeckEntry
    from dungeon.content.prefab.prefab import Variant
    from dungeon.generation.layouts.cards_faces import Face
    from dungeon.generation.layouts.cards_params import CardsParams, CardZone, Offsets
    from dungeon.generation.layouts.job import LayoutJob
    from dungeon.terrain import TerrainSet

ROOM, PASSAGE = " room", " passage"
"""Cards that are no prefabs. The leading space keeps them apart from names of prefabs."""

ANY_NUMBER = 1 << 30
"""The limit of copies for a prefab without one."""


class DealtCopies:
    """The copies of prefabs laid as cards so far, counted over all decks, and each prefab's faces (its drawings as cards).

    A prefab with random variants keeps one variant until a card with that variant is laid; then its next variant is drawn.

    Args:
        params: The author's parameters.
        job: The job of the layout.
        terrain_set: The terrain of the game.

    Attributes:
        grid: The size of the grid's cells.
        dealt: Prefab -> the number of its copies laid; copies of a variant count for its base, too.
    """

    def __init__(self, params: CardsParams, job: LayoutJob, terrain_set: TerrainSet) -> None:
        self.params = params
        self.job = job
        self.terrain_set = terrain_set
        self.grid = Grid(params.cell.height, params.cell.width, params.spacing)
        self.dealt: dict[str, int] = {}
        self._variants: dict[tuple[str, int], Variant] = {}
        self._faces: dict[tuple[str, int], tuple[Face, ...]] = {}

    def count(self, name: str) -> None:
        """Count a copy of the card `name` that is laid."""
        for each in counted_as(name, self.job.variants):
            self.dealt[each] = self.dealt.get(each, 0) + 1

    def faces(self, name: str) -> tuple[Face, ...]:
        """Return the faces of a prefab: its drawings in all orientations that can be cards; empty if none can."""
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
    """The cards that may be laid on the grid cells of one zone, with their weights and limits.

    Args:
        deck: The author's deck.
        table: The copies laid from all decks so far.
        plain: `ROOM` and `PASSAGE` -> the weights of these cards that are no prefabs.
    """

    def __init__(self, deck: Mapping[str, DeckEntry], table: DealtCopies, plain: Mapping[str, float]) -> None:
        self._table = table
        weights, self._limits = shares(deck, table.job.called, table.job.weigh, table.job.variants)
        runners = [(name, weight, name) for name, weight in {**weights, **plain}.items() if weight > 0]
        self._race = Race(runners, "card") if runners else None

    def order(self, draw: float) -> list[str]:
        """Return the names of all cards of the deck in a random order by weight; cards without copies left are included.

        Args:
            draw: The random number, from 0 up to 1, that decides the order.
        """
        return self._race.order(draw) if self._race else []

    def has(self, name: str) -> bool:
        """Tell whether copies of the card `name` are left. Plain rooms and passages always are."""
        return self.allows(name, self._table.dealt)

    def allows(self, name: str, taken: Mapping[str, int]) -> bool:
        """Tell whether one more copy of the card `name` is allowed, given how many are `taken` of it and of its base."""
        names = counted_as(name, self._table.job.variants)
        return all(taken.get(each, 0) < self._limits.get(each, ANY_NUMBER) for each in names)


def deck_of(zone: CardZone | None, table: DealtCopies) -> DeckOfZone:
    """Return the deck of a zone; of the whole map for None."""
    params, weigh = table.params, table.job.weigh
    plain = {ROOM: weigh(params.rooms), PASSAGE: weigh(params.passages)}
    return DeckOfZone(params.deck if zone is None or zone.deck is None else zone.deck, table, plain)


class DeckShapes:
    """The shapes of the cards in a zone's deck, by which the zone grows with `sections: deck`.

    Args:
        deck: The deck.
        table: The faces of its prefabs.
        drawn: Prefab -> the number of its shapes taken by all zones so far, so that no more are taken than it has copies.
    """

    def __init__(self, deck: DeckOfZone, table: DealtCopies, drawn: dict[str, int]) -> None:
        self._deck = deck
        self._table = table
        self._drawn = drawn
        self._known: dict[str, tuple[Offsets, ...]] = {}

    def in_order(self, draw: float) -> Iterator[tuple[str, tuple[Offsets, ...]]]:
        """Yield (card, its positions) for all cards of which copies are left, in a random order by weight.

        Each position is the (y, x) offsets of the card's grid cells from one of them, (0, 0).

        Args:
            draw: The random number, from 0 up to 1, that decides the order.
        """
        for name in self._deck.order(draw):
            if self._deck.allows(name, self._drawn):
                yield name, self._positions(name)

    def take(self, name: str) -> None:
        """Note that the zone has taken a shape of this card."""
        for each in counted_as(name, self._table.job.variants):
            self._drawn[each] = self._drawn.get(each, 0) + 1

    def _positions(self, name: str) -> tuple[Offsets, ...]:
        """Return the positions of a card in all its orientations, so that each of its grid cells lies at (0, 0) in some."""
        if name in (ROOM, PASSAGE):
            return (((0, 0),),)
        if name not in self._known:
            shapes = {face.cells: None for face in self._table.faces(name)}
            positions = {
                tuple((y - top, x - left) for y, x in cells): None for cells in shapes for top, left in cells
            }
            self._known[name] = tuple(positions)
        return self._known[name]
