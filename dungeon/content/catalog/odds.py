"""Exact odds of what a symbol becomes: no sampling, every value in the grammar is mixed as likely as it is."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, TypeVar

from dungeon.content.catalog.catalog import Terms

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

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


def chosen_odds(char: str, symbols: Mapping[str, SymbolEntry], weigh: Callable[[Weight], float]) -> float:
    """Return how likely a character is one that comes true as far as its group says, if all of them are drawn.

    Every group it may be in is asked for all weights that it may have, against all that the others may have together. A
    character of which one case is in the group counts as one that is drawn.

    Args:
        char: The character.
        symbols: Character -> what it stands for, of all that are drawn.
        weigh: Tells what a weight word is worth.
    """
    symbol = symbols[char]
    if symbol.group is None:
        return 1.0
    found = 0.0
    for group, inside in symbol.group.odds().items():
        if group is None:
            found += inside
            continue
        rest = _summed(_weights_in(group, symbols[other], weigh) for other in symbols if other != char)
        own = _worths(symbol.weight, weigh)
        found += inside * sum(
            likely * share * weight / (weight + others)
            for weight, likely in own.items()
            for others, share in rest.items()
            if weight > 0
        )
    return found


def groups_of(symbol: SymbolEntry) -> set[str]:
    """Return the groups that a symbol, or one of its cases, may be in."""
    values = [leaf.group for leaf, _ in symbol.leaves() if leaf.group is not None]
    return {group for value in values for group in value.outcomes()}


def _weights_in(group: str, symbol: SymbolEntry, weigh: Callable[[Weight], float]) -> dict[float, float]:
    """Return what a symbol may weigh in a group, 0 where it is not in it, and how likely that is."""
    for leaf, _ in symbol.leaves():
        inside = leaf.group.odds().get(group, 0.0) if leaf.group is not None else 0.0
        if inside > 0:
            found = {weight: likely * inside for weight, likely in _worths(leaf.weight, weigh).items()}
            found[0.0] = found.get(0.0, 0.0) + 1 - inside
            return found
    return {0.0: 1.0}


def _worths(weight: Value[Weight], weigh: Callable[[Weight], float]) -> dict[float, float]:
    """Return what a weight may be worth, and how likely that is."""
    found: dict[float, float] = {}
    for each, likely in _settled(weight, 1.0):
        worth = float(weigh(each))
        found[worth] = found.get(worth, 0.0) + likely
    return found


def _summed(parts: Iterable[Mapping[float, float]]) -> dict[float, float]:
    """Return the odds of a sum whose parts have these odds."""
    total = {0.0: 1.0}
    for part in parts:
        wider: dict[float, float] = {}
        for (so_far, a), (each, b) in product(total.items(), part.items()):
            if b > 0:
                wider[so_far + each] = wider.get(so_far + each, 0.0) + a * b
        total = wider
    return total


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
