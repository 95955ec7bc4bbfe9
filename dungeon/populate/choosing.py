"""Which object a symbol asks for, and what the game is told of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from dungeon.content.catalog import Terms
from dungeon.content.values import roll

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dungeon.content.catalog import Answers, Catalog, Thing
    from dungeon.content.symbols import ObjectEntry
    from dungeon.content.values import Value
    from dungeon.level.journal import Journal
    from dungeon.streams import Stream
    from dungeon.vocabulary import SpawnKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Chooser:
    """Finds the objects that symbols ask for.

    Attributes:
        catalog: All objects.
        depth: How deep, which decides what members of a class fit.
        journal: Takes note of what is asked for and cannot be.
        settled: Symbol -> what answers it, for symbols that always ask for the same. By `id`: they belong to the
            content, which outlives a level, and comparing them costs more than choosing.
    """

    catalog: Catalog
    depth: int
    journal: Journal
    settled: dict[int, Answers] = field(default_factory=dict)

    def choose(self, symbol: ObjectEntry, stream: Stream, source: str) -> Thing | None:
        """Return the object that a symbol asks for, or None where none answers (which is journalled)."""
        answers = self.settled.get(id(symbol))
        if answers is None:
            kind, selector = symbol.kind, symbol.selector
            if kind is None or selector is None:
                return None
            if selector.tags is not None:
                return self._tagged(kind, selector.tags, stream)
            terms = self._terms(symbol, stream)
            if selector.equipped_by is not None:
                robot = selector.equipped_by.roll(stream)
                selector = None if robot is None else self.catalog["robot", robot].carries
                if selector is None:
                    return None
                if selector.tags is not None:
                    return self._tagged(kind, selector.tags, stream)
            answers = self.catalog.answers(kind, selector, terms)
            if answers is None:
                asking = [*_words(selector.classes), *_words(selector.categories)]
                what = f"{'prototype of ' if terms.prototype else ''}{' or '.join(asking)}"
                reason = f"no {kind} of {what} fits depth {terms.depth}"
                self.journal.note("populate", source, "refused", reason)
                return None
            if symbol.is_settled:
                self.settled[id(symbol)] = answers
        draw = stream.random()
        return answers.winner(draw).winner(draw)

    def _tagged(self, kind: SpawnKind, tags: Value[str], stream: Stream) -> Thing | None:
        tag = tags.roll(stream)
        return None if tag is None else self.catalog[kind, tag]

    def _terms(self, symbol: ObjectEntry, stream: Stream) -> Terms:
        deeper = roll(symbol.rating, stream, 0) + roll(symbol.strong, stream, otherwise=False)
        return Terms(
            self.depth + deeper,
            prototype=roll(symbol.prototype, stream, otherwise=False),
            fallback=roll(symbol.fallback, stream, otherwise=False),
        )


def keywords_of(thing: Thing, symbol: ObjectEntry, stream: Stream) -> Mapping[str, object]:
    """Return what the game is told of an object: the catalog's keywords under those of its symbol."""
    if symbol.is_plain and not thing.roll and not thing.prototype:
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
