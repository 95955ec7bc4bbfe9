"""The expected *cost* of encounters and prefabs: the sums of `threat` and `worth`, the *stakes*, of the objects that they bring.

A *symbol* is the meaning of a character of a drawing, such as a robot of some class. A *form* is an encounter with one of its
variants.

Each object counts with its probability. Of a prefab that varies, the average over a fixed sample of variants
is taken. If an encounter can take several prefabs or forms, each counts with the probability that it is tried
first.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from dungeon.content.catalog.catalog import chosen_odds, presence, symbol_odds
from dungeon.content.catalog.requests import StandingEntry
from dungeon.content.catalog.scattered import STEPS_AROUND, PopulationEntry, cells_within, followers_of
from dungeon.content.catalog.symbols import SymbolEntry
from dungeon.content.values.grammar import weight_at, weight_of
from dungeon.core.frozen import NOTHING, Derived
from dungeon.core.streams import Streams
from dungeon.core.vocabulary import STAKES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from dungeon.content.catalog.catalog import Catalog
    from dungeon.content.catalog.requests import HeldEntry, ObjectEntry
    from dungeon.content.catalog.scattered import AroundEntry, FollowerEntry
    from dungeon.content.models.encounters import EncounterForm
    from dungeon.content.prefab.drawing import Drawing, Machine, Reference
    from dungeon.content.prefab.prefab import Prefab
    from dungeon.content.values.fields import Weight
    from dungeon.content.values.grammar import Value
    from dungeon.core.vocabulary import Stake

VARIANTS = 32
"""How many variants of a varying prefab are sampled."""

Cost = dict["Stake", float]
"""Stake (`threat` or `worth`) -> expected sum; a stake with the sum 0 is left out."""

Times = tuple["SymbolEntry", float]
"""A symbol, and the expected number of cells that have it."""


@dataclass(frozen=True, slots=True)
class Costs:
    """The expected costs of all encounters of a content; results are cached.

    Attributes:
        catalog: The objects, with their `threat` and `worth`.
        forms: Encounter -> its forms.
        choices: Label of a form -> the prefabs that it may be placed with.
        preferences: Label of a form -> prefab name -> weight with which this prefab is tried first.
        words: Weight word, such as `rare` -> number.
    """

    catalog: Catalog
    forms: Mapping[str, Sequence[EncounterForm]]
    choices: Mapping[str, Sequence[Prefab]]
    preferences: Mapping[str, Mapping[str, float]]
    words: Mapping[str, float]
    notes: Derived = field(default_factory=Derived, init=False, repr=False, compare=False)

    def of_encounter(self, name: str, depth: int) -> Cost:
        """Return the expected cost of an encounter at a depth, averaged over its forms by their weights."""
        return self.notes.once((name, depth), self._of_encounter, name, depth)

    def _of_encounter(self, name: str, depth: int) -> Cost:
        weights = [weight_at(form.weight, depth, self.words) for form in self.forms[name]]
        parts = zip(self.forms[name], weights, strict=True)
        return _summed(
            (self._of_form(form, depth), weight / sum(weights)) for form, weight in parts if weight > 0
        )

    def _of_form(self, form: EncounterForm, depth: int) -> Cost:
        """Return the expected cost of an encounter in one of its forms, at a depth.

        Content with a `density` counts as one object, because the number of its cells is not known yet.
        """
        weights = self.preferences[form.label]
        whole = sum(weights.values())
        parts = [
            (self.of_prefab(prefab, depth), weights[prefab.name] / whole)
            for prefab in self.choices[form.label]
        ]
        content = [each for each in form.entry.content if each.depth[0] <= depth <= each.depth[1]]
        return _summed([*parts, *((self._of_symbol(each, depth), _expected(each.count)) for each in content)])

    def of_prefab(self, prefab: Prefab, depth: int) -> Cost:
        """Return the expected cost of a prefab at a depth."""
        found = self.notes.once(prefab.name, self._symbols_of, prefab)
        return _summed((self._of_symbol(symbol, depth), times) for symbol, times in found)

    def _symbols_of(self, prefab: Prefab) -> list[Times]:
        streams = Streams("costs", prefab.name)
        count = VARIANTS if prefab.varies else 1
        drawings = (prefab.variant(streams.stream(number)).drawing for number in range(count))
        return _counted(drawings, count, partial(weight_of, words=self.words))

    def _of_symbol(self, symbol: ObjectEntry, depth: int) -> Cost:
        """Return the expected cost of one object asked for by a symbol, with the items that it holds and its company, at a depth."""
        kind, catalog = symbol.kind, self.catalog
        odds = symbol_odds(symbol, catalog, depth) if symbol.like in ("robot", "trap", "item") else {}
        things = [(catalog[kind, tag], likely) for tag, likely in odds.items() if kind and tag is not None]
        parts: list[tuple[Cost, float]] = []
        for thing, likely in things:
            parts.append(({stake: getattr(thing, stake) for stake in STAKES}, likely))
            own = symbol.loadout if isinstance(symbol, StandingEntry) else None
            loadout = thing.loadout if own is None else own
            more: list[HeldEntry | FollowerEntry] = [*loadout, *followers_of(symbol, thing.band)]
            parts += [(self._of_symbol(each, depth), likely * _expected(each.count)) for each in more]
        for around in symbol.around if isinstance(symbol, SymbolEntry | PopulationEntry) else ():
            low, high = around.depth
            if low <= depth <= high:
                times = presence(symbol) * _expected_around(around, depth)
                parts.append((self._of_symbol(around, depth), times))
        return _summed(parts)


def _expected(count: Value[int]) -> float:
    """Return the expected value of a count in the value grammar; if the count does not apply, it counts as 0."""
    return sum((number or 0) * likely for number, likely in count.odds().items())


def _expected_around(entry: AroundEntry, depth: int) -> float:
    """Return the expected number of objects around a cell; of a `density`, where all cells within reach are free."""
    if entry.density is None:
        return _expected(entry.count)
    odds = entry.within.odds().items()
    cells = sum(cells_within(steps or STEPS_AROUND) * likely for steps, likely in odds)
    return weight_at(entry.density, depth, NOTHING) * cells / 100


def _counted(drawings: Iterable[Drawing], count: int, weigh: Callable[[Weight], float]) -> list[Times]:
    """Return, for each symbol, (symbol, average number of a drawing's cells on which this symbol puts an object).

    A cell of a symbol with a `group` counts with the probability that the group chooses the symbol.

    Args:
        drawings: The drawings.
        count: How many drawings there are.
        weigh: Converts a weight, which may be a word such as `rare`, to a number.
    """
    found: dict[int, Times] = {}  # keyed by `id`: comparing symbols is slow
    for drawing in drawings:
        drawn: list[tuple[Reference | Machine, SymbolEntry]] = [
            (each, each.symbol) for each in drawing.references
        ]
        drawn += [
            (each, each.symbol) for each in drawing.machines if each.symbol is not None and each.symbol.around
        ]
        parts: dict[int, dict[str, SymbolEntry]] = {}
        if any(symbol.group is not None for _, symbol in drawn):
            for each, symbol in drawn:
                parts.setdefault(each.part, {})[each.called] = symbol
        for each, symbol in drawn:
            chosen = chosen_odds(each.called, parts[each.part], weigh) if symbol.group is not None else 1.0
            _, times = found.get(id(symbol), (symbol, 0.0))
            found[id(symbol)] = symbol, times + chosen / count
    return list(found.values())


def _summed(parts: Iterable[tuple[Mapping[Stake, float], float]]) -> Cost:
    """Return the sum of costs, each multiplied by a factor.

    Args:
        parts: (cost, factor) for each cost.
    """
    found: Cost = {}
    for cost, times in parts:
        for stake, amount in cost.items():
            if amount:
                found[stake] = found.get(stake, 0.0) + amount * times
    return found
