"""What encounters cost: the threat and the worth of what they bring, as it is to be expected.

A cell with a symbol brings each object as often as its odds say, each of which has a `threat` or a `worth`. Of a prefab that varies,
some variants are looked at, always the same ones; of several prefabs each counts as often as it is tried first.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dungeon.content.catalog.odds import chosen_odds, symbol_odds
from dungeon.core.streams import Streams

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from dungeon.content.catalog.catalog import Catalog
    from dungeon.content.catalog.symbols import ObjectEntry, SymbolEntry
    from dungeon.content.library import Content
    from dungeon.content.prefab.drawing import Drawing
    from dungeon.content.prefab.prefab import Prefab
    from dungeon.core.vocabulary import Stake

VARIANTS = 32
"""So many variants of a prefab that varies are looked at."""

Cost = dict["Stake", float]
"""How much threat and worth there is."""


@dataclass(slots=True)
class Costs:
    """What encounters cost at one depth, as far as anybody has asked."""

    content: Content
    depth: int
    _known: dict[str, Cost] = field(default_factory=dict)

    @classmethod
    def of(cls, content: Content, depth: int) -> Costs:
        """Return the costs at a depth: they serve all levels."""
        notes = content.catalog.notes
        found = notes.get((cls, depth))
        if not isinstance(found, cls):
            found = notes[cls, depth] = cls(content, depth)
        return found

    def of_encounter(self, name: str) -> Cost:
        """Return what an encounter costs."""
        if name not in self._known:
            entry = self.content.encounters[name]
            weights = self.content.preferences[name]
            whole = sum(weights.values())
            parts = [
                (cost_of_prefab(prefab, self.content, self.depth), weights[prefab.name] / whole)
                for prefab in self.content.choices[name]
            ]
            for each in entry.content:
                count = sum((number or 0) * likely for number, likely in each.count.odds().items())
                parts.append((_of_object(each, self.content.catalog, self.depth), count))
            self._known[name] = _summed(parts)
        return self._known[name]


def cost_of_prefab(prefab: Prefab, content: Content, depth: int) -> Cost:
    """Return how much threat and worth a prefab brings, as it is to be expected.

    Args:
        prefab: The prefab.
        content: Where it is from.
        depth: How deep it is placed.
    """
    streams = Streams("costs", prefab.name)
    count = VARIANTS if prefab.varies else 1
    drawings = (prefab.variant(streams.stream(number)).drawing for number in range(count))
    return _summed((cost, 1 / count) for drawing in drawings for cost in _of_drawing(drawing, content, depth))


def _of_drawing(drawing: Drawing, content: Content, depth: int) -> Iterator[Cost]:
    """Yield what the references of a drawing bring."""
    parts: dict[int, dict[str, SymbolEntry]] = {}
    for reference in drawing.references:
        parts.setdefault(reference.part, {})[reference.char] = reference.symbol
    known: dict[tuple[int, str], Cost] = {}
    for part, symbols in parts.items():
        for char, symbol in symbols.items():
            chosen = chosen_odds(char, symbols, content.weight)
            known[part, char] = _of_object(symbol, content.catalog, depth, chosen)
    for reference in drawing.references:
        yield known[reference.part, reference.char]


def _of_object(symbol: ObjectEntry, catalog: Catalog, depth: int, chosen: float = 1.0) -> Cost:
    """Return what one cell with a symbol brings."""
    kind = symbol.kind
    if kind is None:
        return {}
    odds = symbol_odds(symbol, catalog, depth, chosen)
    things = [(catalog[kind, tag], likely) for tag, likely in odds.items() if tag is not None]
    return _summed(({"threat": thing.threat, "worth": thing.worth}, likely) for thing, likely in things)


def _summed(parts: Iterable[tuple[Mapping[Stake, float], float]]) -> Cost:
    """Return the sum of costs, each so many times."""
    found: Cost = {}
    for cost, times in parts:
        for stake, amount in cost.items():
            found[stake] = found.get(stake, 0.0) + amount * times
    return found
