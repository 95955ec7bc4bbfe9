"""A deck: the prefabs that a layout draws from, with weights, and how many copies of each a level may have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar

from pydantic import Field, model_validator

from dungeon.content.source.entry import Entry
from dungeon.content.source.names import MAX_LISTED
from dungeon.content.values.fields import MAX_WEIGHT, Count, Given, PrefabOrTag, Weight
from dungeon.content.values.prefab_words import shared_out

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from dungeon.content.prefab.prefab import Prefab


class DeckEntry(Entry):
    """What a deck says of a prefab, or of all prefabs with a tag; a mere weight will do.

    Attributes:
        weight: How often it is drawn: a word or a number. Prefabs with one tag share the weight.
        copies: How many of each prefab a level has at most.
    """

    short_form: ClassVar = {
        "type": ["string", "number"],
        "minLength": 1,
        "minimum": 0,
        "maximum": MAX_WEIGHT,
    }

    weight: Weight = 1.0
    copies: Given[Count] = None

    @model_validator(mode="before")
    @classmethod
    def _mere_weight(cls, raw: object) -> object:
        return raw if isinstance(raw, dict | DeckEntry) else {"weight": raw}


Deck = Annotated[dict[PrefabOrTag, DeckEntry], Field(max_length=MAX_LISTED)]
"""Name or tag of a prefab -> what the deck says of it."""


def shares(
    deck: Mapping[str, DeckEntry],
    called: Mapping[str, tuple[Prefab, ...]],
    weigh: Callable[[Weight], float],
) -> tuple[dict[str, float], dict[str, int]]:
    """Return how likely each prefab of a deck is to be drawn, by name, and the most copies of those that have a limit.

    Args:
        deck: The deck.
        called: Name or tag -> the prefabs that go by it.
        weigh: Tells what a weight word is worth.
    """
    names = {word: [prefab.name for prefab in called.get(word, ())] for word in deck}
    weights = shared_out({word: weigh(entry.weight) for word, entry in deck.items()}, names)
    limits: dict[str, int] = {}
    for word, entry in deck.items():
        for name in names[word]:
            if entry.copies is not None:
                limits[name] = limits.get(name, 0) + entry.copies
    return weights, limits
