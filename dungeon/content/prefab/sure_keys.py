"""What in a drawing is sure to open locked doors.

A locked door says `lock: word`, and whatever says `opens: word` opens it. Words that `locks.yaml` explains are opened by
the level, which has a key somewhere; to any other word the key comes with the drawing of its door. A key that may stay away, or may open something
else, is none that anybody could rely on: what counts here comes every time, where it is drawn.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from dungeon.content.prefab.drawing import Box, Key
from dungeon.content.values.grammar import Constant, Value
from dungeon.core.vocabulary import UNDERFOOT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from dungeon.content.catalog.catalog import Catalog, Thing
    from dungeon.content.catalog.symbols import SymbolEntry
    from dungeon.content.prefab.drawing import Lock, Machine, Reference
    from dungeon.grid.rect import Cell


def words_of(opens: object) -> tuple[str, ...]:
    """Return the words in the keyword `opens` of an object: one, or a list of them."""
    listed = opens if isinstance(opens, list | tuple) else (opens,)
    return tuple(word for word in listed if isinstance(word, str))


class Opens(NamedTuple):
    """What an object opens.

    Attributes:
        words: The words that it is sure to open.
        consumed: Whether it may be used up by the first lock that it opens.
    """

    words: tuple[str, ...] = ()
    consumed: bool = False


def opens_nothing(_symbol: SymbolEntry) -> Opens:
    """Say of any symbol that it is not sure to open anything."""
    return Opens()


def what_opens(symbol: SymbolEntry, catalog: Catalog) -> Opens:
    """Return what the object of a symbol is sure to open, if it is sure to come."""
    words = _sure_words(symbol, catalog)
    if not words or symbol.kind is None or symbol.selector is None:
        return Opens()
    return Opens(
        words, any(_may_be_consumed(symbol, thing) for thing in catalog.members(symbol.kind, symbol.selector))
    )


def _may_be_consumed(symbol: SymbolEntry, thing: Thing) -> bool:
    """Tell whether a thing may be used up by a lock: what its symbol says counts for more than what the catalog says."""
    said = _said("consumed", symbol, thing)
    return True in said.outcomes() if isinstance(said, Value) else said is True


def _said(keyword: str, symbol: SymbolEntry, thing: Thing) -> object:
    """Return what is said of a free keyword of an object; None if nothing is."""
    told: tuple[Mapping[str, object], ...] = (symbol.roll, symbol.data, thing.roll, thing.data)
    return next((each[keyword] for each in told if keyword in each), None)


def _sure_words(symbol: SymbolEntry, catalog: Catalog) -> tuple[str, ...]:
    kind, selector = symbol.kind, symbol.selector
    if (
        kind is None
        or symbol.like == "robot"
        or selector is None
        or selector.tags is None
        or symbol.group is not None
    ):
        return ()
    comes = all(chance is None or chance >= 1 for chance in symbol.chance.odds())
    if not comes or None in selector.tags.odds():
        return ()
    opened = [_words(symbol, thing) for thing in catalog.members(kind, selector)]
    return tuple(word for word in opened[0] if all(word in words for words in opened)) if opened else ()


def _words(symbol: SymbolEntry, thing: Thing) -> tuple[str, ...]:
    """Return what a thing is sure to open: what its symbol says counts for more than what the catalog says."""
    if symbol.opens is not None:
        outcomes = list(symbol.opens.odds())
        return words_of(outcomes[0]) if len(outcomes) == 1 else ()
    said = _said("opens", symbol, thing)
    return words_of(said.value if isinstance(said, Constant) else said)


def sure_keys(
    references: Sequence[Reference],
    machines: Sequence[Machine],
    opens: Callable[[SymbolEntry], Opens],
    stops: Callable[[SymbolEntry], bool],
) -> tuple[Key, ...]:
    """Return the keys among what stands in a drawing.

    What may be moved by `shift` stays on its side of every door, unless it stands in the way itself. Where something else is
    drawn on the same cell, it might come first.

    Args:
        references: What stands on single cells.
        machines: What stands on several.
        opens: Tells what an object of a symbol is sure to open.
        stops: Tells whether it will stop walkers for good.
    """
    crowd = Counter((each.y, each.x) for each in references)
    crowd.update(cell for machine in machines for cell in machine.cells)
    return tuple(
        Key(
            cells,
            word,
            underfoot=symbol.like in UNDERFOOT,
            consumed=opened.consumed,
            locked=next(iter(_locked_with(symbol)), ""),
        )
        for cells, symbol in _drawn(references, machines)
        for opened in [opens(symbol)]
        for word in opened.words
        if (symbol.is_fixed or not stops(symbol))
        and all(crowd[cell] == 1 for cell in cells)
        and len(_locked_with(symbol)) < 2
    )


def keys_and_boxes(
    references: Sequence[Reference],
    machines: Sequence[Machine],
    locks: Sequence[Lock],
    opens: Callable[[SymbolEntry], Opens],
    stops: Callable[[SymbolEntry], bool],
    given: frozenset[str],
) -> tuple[tuple[Key, ...], tuple[Box, ...]]:
    """Return the keys of a drawing with locked doors, and the locked props on which keys may be spent; without doors none.

    Args:
        references: What stands on single cells.
        machines: What stands on several.
        locks: What bars the locked doors.
        opens: Tells what an object of a symbol is sure to open.
        stops: Tells whether it will stop walkers for good.
        given: The words that the level sees to.
    """
    if not locks:
        return (), ()
    keys, boxes = sure_keys(references, machines, opens, stops), tuple[Box, ...]()
    if any(key.consumed or key.locked for key in keys):
        boxes = locked_props(references, machines)
    return keys + given_keys((*locks, *boxes), given), boxes


def locked_props(references: Sequence[Reference], machines: Sequence[Machine]) -> tuple[Box, ...]:
    """Return the locked props among what stands in a drawing."""
    return tuple(
        Box(cells, word) for cells, symbol in _drawn(references, machines) for word in _locked_with(symbol)
    )


def _locked_with(symbol: SymbolEntry) -> list[str]:
    """Return the words that may lock an object."""
    return [] if symbol.lock is None or symbol.kind is None else [*symbol.lock.outcomes()]


def given_keys(locks: Iterable[Lock | Box], given: frozenset[str]) -> tuple[Key, ...]:
    """Return the keys to those locks of a drawing that the level sees to, wherever these keys will lie."""
    return tuple(Key((), word) for word in dict.fromkeys(lock.word for lock in locks) if word in given)


def _drawn(
    references: Sequence[Reference], machines: Sequence[Machine]
) -> Iterator[tuple[tuple[Cell, ...], SymbolEntry]]:
    for reference in references:
        yield (reference.cell,), reference.symbol
    for machine in machines:
        if machine.symbol is not None:
            yield machine.cells, machine.symbol
