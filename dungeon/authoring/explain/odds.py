"""Exact odds of what a symbol becomes: no sampling, every value in the grammar is mixed as likely as it is."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, TypeVar

from dungeon.content.catalog.catalog import Terms

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from dungeon.content.catalog.catalog import Catalog
    from dungeon.content.catalog.symbols import ObjectEntry, SymbolEntry
    from dungeon.content.values.fields import Weight
    from dungeon.content.values.grammar import Value

T = TypeVar("T")

Odds = dict[str | None, float]
"""Tag -> how likely it is; None stands for nothing."""


def presence(symbol: ObjectEntry) -> float:
    """Return how likely an object is there at all, as far as its `chance` says."""
    return sum(share * likely for share, likely in _settled(symbol.chance, 1.0))


def choice_odds(symbol: ObjectEntry, catalog: Catalog, depth: int) -> Odds:
    """Return tag -> how likely it is chosen once the object is there; None where nothing answers."""
    kind, selector = symbol.kind, symbol.selector
    result: Odds = {}
    if kind is None or selector is None:
        return result
    for terms, likely in _terms(symbol, depth):
        for tag, share in catalog.odds(kind, selector, terms).items():
            result[tag] = result.get(tag, 0.0) + share * likely
    return result


def symbol_odds(symbol: ObjectEntry, catalog: Catalog, depth: int, chosen: float = 1.0) -> Odds:
    """Return tag -> how likely a cell with this symbol gets it; None stands for nothing.

    Args:
        symbol: What the cell's character stands for.
        catalog: The objects.
        depth: How deep it is.
        chosen: How likely the symbol is the one of its group that comes true.
    """
    there = chosen * presence(symbol)
    result = {tag: likely * there for tag, likely in choice_odds(symbol, catalog, depth).items()}
    result[None] = result.get(None, 0.0) + 1 - there
    if result[None] <= 0:
        del result[None]
    return result


def group_odds(
    symbols: Mapping[str, SymbolEntry], weigh: Callable[[Weight], float]
) -> dict[str, dict[str, float]]:
    """Return group -> character -> how likely it is the one that comes true, if all of them are drawn.

    A character of which one case is in the group counts as one that is drawn.
    """
    weights: dict[str, dict[str, float]] = {}
    for char, symbol in symbols.items():
        for leaf, _ in symbol.leaves():
            if leaf.group is not None:
                weights.setdefault(leaf.group, {}).setdefault(char, weigh(leaf.weight))
    totals = {group: sum(each.values()) for group, each in weights.items()}
    return {
        group: {char: weight / totals[group] if totals[group] else 0.0 for char, weight in each.items()}
        for group, each in weights.items()
    }


def _terms(symbol: ObjectEntry, depth: int) -> Iterator[tuple[Terms, float]]:
    """Yield the terms on which a member of a class may be chosen, and how likely they are."""
    keywords = (
        _settled(symbol.rating, 0),
        _settled(symbol.strong, False),
        _settled(symbol.prototype, False),
        _settled(symbol.fallback, False),
    )
    for (rating, a), (strong, b), (prototype, c), (fallback, d) in product(*keywords):
        yield Terms(depth + rating + strong, prototype=prototype, fallback=fallback), a * b * c * d


def _settled(value: Value[T], otherwise: T) -> list[tuple[T, float]]:
    """Return the odds of a value, where `otherwise` holds when it does not apply."""
    return [(otherwise if each is None else each, likely) for each, likely in value.odds().items()]
