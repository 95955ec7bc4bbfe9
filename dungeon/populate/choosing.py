"""Which object a symbol asks for, and what the game is told of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from dungeon.content.catalog import Pools, Terms, Thing
from dungeon.content.selector import Selector
from dungeon.content.values import roll
from dungeon.streams import UNIT, Streams
from dungeon.vocabulary import SPAWN_KINDS, SpawnKind

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dungeon.content.catalog import Catalog
    from dungeon.content.symbols import ObjectEntry
    from dungeon.content.values import Value
    from dungeon.level.journal import Journal
    from dungeon.streams import Stream

Fitting = dict[tuple[SpawnKind, Selector, Terms], Pools]
"""What answers each selector, on the terms on which it has been asked for."""

PLAIN = frozenset({*SPAWN_KINDS, "chance", "terrain", "unique", "shift", "group", "weight", "count"})
"""What may be said of an object without telling the game more than the catalog does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chooser:
    """Finds the objects that symbols ask for.

    Attributes:
        catalog: All objects.
        depth: How deep, which decides what members of a class fit.
        journal: Takes note of what is asked for and cannot be.
        fitting: What has been asked for so far.
    """

    catalog: Catalog
    depth: int
    journal: Journal
    fitting: Fitting = field(default_factory=dict)

    def choose(self, symbol: ObjectEntry, stream: Stream, source: str) -> Thing | None:
        """Return the object that a symbol asks for, or None where none answers (which is journalled)."""
        kind, selector = symbol.kind, symbol.selector
        if kind is None or selector is None:
            return None
        deeper = roll(symbol.rating, stream, 0) + roll(symbol.strong, stream, otherwise=False)
        terms = Terms(
            self.depth + deeper,
            prototype=roll(symbol.prototype, stream, otherwise=False),
            fallback=roll(symbol.fallback, stream, otherwise=False),
        )
        if selector.equipped_by is not None:
            robot = selector.equipped_by.roll(stream)
            carried = None if robot is None else self.catalog["robot", robot].carries
            if carried is None:
                return None
            selector = carried
        return self._select(kind, selector, terms, stream, source)

    def _select(
        self, kind: SpawnKind, selector: Selector, terms: Terms, stream: Stream, source: str
    ) -> Thing | None:
        if selector.tags is not None:
            tag = selector.tags.roll(stream)
            return None if tag is None else self.catalog[kind, tag]
        asked = kind, selector, terms
        if asked not in self.fitting:
            self.fitting[asked] = self.catalog.pools(*asked)
        pools = self.fitting[asked]
        # A race: another object in the catalog changes only the choices that it wins.
        race = Streams(int(stream.random() / UNIT))
        if not pools:
            asking = [*_words(selector.classes), *_words(selector.categories)]
            what = f"{'prototype of ' if terms.prototype else ''}{' or '.join(asking)}"
            self.journal.note("populate", source, "refused", f"no {kind} of {what} fits depth {terms.depth}")
            return None
        members = {name: weights for name, _, weights in pools}
        name = (
            race.winner({name: likely for name, likely, _ in pools}, "pool")
            if len(pools) > 1
            else pools[0][0]
        )
        return self.catalog[kind, race.winner(members[name])]


def keywords_of(thing: Thing, symbol: ObjectEntry, stream: Stream) -> Mapping[str, object]:
    """Return what the game is told of an object: the catalog's keywords under those of its symbol."""
    if not thing.roll and not thing.prototype and symbol.model_fields_set <= PLAIN:
        return thing.data
    keywords = {**thing.data, **_rolled(thing.roll, stream), **symbol.data, **_rolled(symbol.roll, stream)}
    if thing.prototype:
        spared = roll(symbol.never_faulty, stream, otherwise=False)
        keywords |= {"prototype": True, "faulty": stream.chance(thing.faulty) and not spared}
    said = {"state": symbol.state, "lock": symbol.lock, "opens": symbol.opens}
    keywords |= _rolled({name: value for name, value in said.items() if value is not None}, stream)
    return MappingProxyType(keywords)


def _rolled(values: Mapping[str, Value[Any]], stream: Stream) -> dict[str, object]:
    """Return what free keywords turn out to be, without those that do not apply this time."""
    drawn = {name: value.roll(stream) for name, value in values.items()}
    return {name: value for name, value in drawn.items() if value is not None}


def _words(value: Value[str] | None) -> list[str]:
    return [] if value is None else list(dict.fromkeys(value.outcomes()))
