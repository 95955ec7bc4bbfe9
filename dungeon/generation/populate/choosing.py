"""Choosing the object that a *symbol* (the meaning of a drawn character) or an entry asks for, and making it a spawn.

A symbol names an object by its tag, or asks for any object of some *classes* that suits the depth. A *spawn* is an object on a
level; its *keywords* are values that the game reads.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import repeat
from operator import call
from typing import TYPE_CHECKING, Any

from dungeon.content.catalog.catalog import ChoiceTerms
from dungeon.content.catalog.requests import StandingEntry
from dungeon.content.values.grammar import Constant, roll
from dungeon.core.frozen import Frozen
from dungeon.core.streams import Race
from dungeon.level.model import Spawn

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from dungeon.content.catalog.catalog import Answers, Catalog, CatalogObject
    from dungeon.content.catalog.requests import Loadout, ObjectEntry
    from dungeon.content.catalog.selector import Selector
    from dungeon.content.prefab.drawing import Machine
    from dungeon.content.values.grammar import Value
    from dungeon.core.streams import Stream
    from dungeon.grid.rect import Cell
    from dungeon.level.journal import Journal


@dataclass(slots=True)
class ObjectRequest:
    """The object that a symbol (a character's meaning in a legend) asks for at one depth, with caches for what is not random.

    Attributes:
        symbol: The symbol of a drawing, or an entry that asks for an object in the same way.
        certain: Whether an object is put every time.
        likely: The probability that an object is put; None if this probability is itself random.
        loadout: The items that a robot or prop holds, if the symbol says so; else None.
        answer: The cached object, or weighted choice among objects; None if it is not known yet or differs from time to time.
        told: Tag of an object -> its cached keywords, only for objects whose keywords are the same every time.
    """

    symbol: ObjectEntry
    certain: bool = field(init=False)
    likely: float | None = field(init=False)
    loadout: Loadout | None = field(init=False)
    answer: CatalogObject | Answers | None = None
    told: dict[str, Mapping[str, object]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        symbol = self.symbol
        self.likely = symbol.chance.value if isinstance(symbol.chance, Constant) else None
        self.certain = self.likely is not None and self.likely >= 1
        self.loadout = symbol.loadout if isinstance(symbol, StandingEntry) else None

    def comes(self, stream: Stream) -> bool:
        """Decide at random, with the symbol's probability (`chance`), whether its object is put this time."""
        if self.certain:
            return True
        if self.likely is not None:
            return stream.chance(self.likely)
        chance = self.symbol.chance.roll(stream)
        return chance is None or chance >= 1 or stream.chance(chance)

    def keywords(self, thing: CatalogObject, stream: Stream) -> Mapping[str, object]:
        """Return the keywords (values that the game reads) of the object that was chosen for this request."""
        known = self.told.get(thing.tag)
        if known is None:
            known = keywords_of(thing, self.symbol, stream)
            if not _varies(thing, self.symbol):
                self.told[thing.tag] = known
        return known


@dataclass(slots=True)
class ObjectChooser:
    """Chooses objects for symbols at one depth. All levels of a content share it.

    Attributes:
        catalog: All objects.
        depth: The depth; it decides which objects of a class suit.
        requests: Python's `id` of a symbol -> the symbol's request. By `id`, as symbols are slow to compare; a request keeps its
            symbol alive, so an `id` is never reused.
    """

    catalog: Catalog
    depth: int
    requests: dict[int, ObjectRequest] = field(default_factory=dict)

    @classmethod
    def of(cls, catalog: Catalog, depth: int) -> ObjectChooser:
        """Return the chooser for this catalog and depth; it is cached in the catalog."""
        found = catalog.notes.get((cls, depth))
        if not isinstance(found, cls):
            found = catalog.notes[cls, depth] = cls(catalog, depth)
        return found

    def request(self, symbol: ObjectEntry) -> ObjectRequest:
        """Return the request for what a symbol asks for; it is cached."""
        found = self.requests.get(id(symbol))
        if found is None:
            found = self.requests[id(symbol)] = ObjectRequest(symbol)
        return found

    def choose(
        self, request: ObjectRequest, stream: Stream, source: str, journal: Journal
    ) -> CatalogObject | None:
        """Return a random object for a request; None if no object suits, which is noted in the journal.

        Args:
            request: The request.
            stream: The random stream.
            source: The prefab and character, or the entry, that asks for the object, for the journal.
            journal: The journal.
        """
        answer = request.answer or self._answer(request, stream, source, journal)
        if not isinstance(answer, Race):
            return answer
        draw = stream.random()
        return answer.winner(draw).winner(draw)

    def _answer(
        self, request: ObjectRequest, stream: Stream, source: str, journal: Journal
    ) -> CatalogObject | Answers | None:
        """Return the object that a request names, or the weighted choice among the objects that suit it; None if none does."""
        symbol = request.symbol
        kind, selector = symbol.kind, symbol.selector
        if kind is None or selector is None:
            return None
        if selector.tags is not None:
            answer = self._named(kind, selector.tags, stream)
        else:
            answer = self._fitting(symbol, kind, selector, stream, source, journal)
        if symbol.is_settled:
            request.answer = answer
        return answer

    def _named(self, kind: str, tags: Value[str], stream: Stream) -> CatalogObject | Answers | None:
        """Return the object of this kind that a symbol names by its tag; None if the tag is random and chance gives none."""
        tag = tags.roll(stream)
        return None if tag is None else self.catalog[kind, tag]

    def _fitting(
        self,
        symbol: ObjectEntry,
        kind: str,
        selector: Selector,
        stream: Stream,
        source: str,
        journal: Journal,
    ) -> CatalogObject | Answers | None:
        """Return what a symbol asks for that names classes of objects, or a robot whose equipment the object is to be.

        The result is one object, or a weighted choice among several; None if no object suits.

        Args:
            symbol: The symbol.
            kind: The kind of object, such as "robot".
            selector: The classes of objects, or the robot, that the symbol names.
            stream: The random stream.
            source: The prefab and character, or the entry, that asks for the object, for the journal.
            journal: The journal, which gets a note if no object suits.
        """
        terms = self._terms(symbol, stream)
        if selector.equipped_by is not None:
            carried = self.catalog.carried_by(selector.equipped_by.roll(stream))
            if carried is None:
                return None
            if carried.tags is not None:
                return self._named(kind, carried.tags, stream)
            selector = carried
        answers = self.catalog.answers(kind, selector, terms)
        if answers is None:
            asking = [*_words(selector.classes), *_words(selector.categories)]
            what = f"{'prototype of ' if terms.prototype else ''}{' or '.join(asking) or 'any sort'}"
            reason = f"no {kind} of {what} fits depth {terms.depth}"
            journal.note("populate", source, "refused", reason)
        return answers

    def _terms(self, symbol: ObjectEntry, stream: Stream) -> ChoiceTerms:
        """Return a symbol's conditions for objects of a class: the depth, whether they are prototypes, and `fallback`.

        With `fallback`, the weakest objects of the class may be taken if none suits the depth.
        """
        depth = self.catalog.rated(roll(symbol.rating, stream, 0), self.depth)
        return ChoiceTerms(
            depth + roll(symbol.strong, stream, otherwise=False),
            prototype=roll(symbol.prototype, stream, otherwise=False),
            fallback=roll(symbol.fallback, stream, otherwise=False),
        )


def keywords_of(thing: CatalogObject, symbol: ObjectEntry, stream: Stream) -> Mapping[str, object]:
    """Return the keywords of an object. A keyword of the symbol replaces the same keyword of the catalog."""
    if symbol.is_plain and not thing.roll and not thing.prototype:
        return thing.data
    keywords = {**thing.data, **_rolled(thing.roll, stream), **symbol.data, **_rolled(symbol.roll, stream)}
    if thing.prototype:
        spared = roll(symbol.never_faulty, stream, otherwise=False)
        keywords |= {"prototype": True, "faulty": stream.chance(thing.faulty) and not spared}
    keywords |= _rolled(symbol.said, stream)
    return Frozen.holding(keywords)


def spawn_of(
    thing: CatalogObject,
    cells: tuple[Cell, ...],
    keywords: Mapping[str, object],
    source: str,
    placement: int | None,
    machine: Machine | None = None,
) -> Spawn:
    """Return an object of the catalog as it stands on a level.

    Args:
        thing: The object.
        cells: The cells that the object covers; the first gives `Spawn.y` and `Spawn.x`.
        keywords: The keywords that the game reads from the object.
        source: The prefab and the character, or the map's entry, that asked for the object.
        placement: The index of the placement that the object belongs to; None for the map itself.
        machine: The machine that is drawn over the object's cells, if any.
    """
    glyphs, fgs = (machine.glyphs, machine.fgs) if machine else ((), ())
    looks = glyphs[0] if glyphs else thing.glyph, fgs[0] if fgs else thing.fg, cells, glyphs, fgs
    told = keywords if type(keywords) is Frozen else Frozen(keywords)
    begin = thing.kind, thing.like, thing.tag, thing.name, *cells[0], *looks, thing.blocks, thing.opaque
    return _made((*begin, told, placement, source, 0, False, (), ()))


def changed(spawn: Spawn, **fields: object) -> Spawn:
    """Return a spawn with some fields changed, as `dataclasses.replace` does, but faster."""
    return _made([fields[name] if name in fields else getattr(spawn, name) for name in Spawn.__slots__])


SETTERS = tuple(vars(Spawn)[name].__set__ for name in Spawn.__slots__)
"""The descriptors that set the fields of a spawn, in order of the fields."""


def _made(values: Iterable[object]) -> Spawn:
    """Return a spawn with these field values, in a fifth of the time of `Spawn(...)`: levels have thousands of them."""
    spawn = object.__new__(Spawn)
    for _ in map(call, SETTERS, repeat(spawn), values):
        pass
    return spawn


def _varies(thing: CatalogObject, symbol: ObjectEntry) -> bool:
    """Tell whether the keywords of an object may differ from one spawn to the next, because values in them are random."""
    rolled = [*thing.roll.values(), *symbol.roll.values(), *symbol.said.values()]
    return thing.prototype or not all(isinstance(value, Constant) for value in rolled)


def _rolled(values: Mapping[str, Value[Any]], stream: Stream) -> dict[str, object]:
    """Return keyword -> random value, without the keywords that chance leaves out this time."""
    rolled = {}
    for name, value in values.items():
        outcome = value.roll(stream)
        if outcome is not None:
            rolled[name] = outcome
    return rolled


def _words(value: Value[str] | None) -> list[str]:
    """Return all words that a value may have, each once; empty for None."""
    return [] if value is None else list(dict.fromkeys(value.outcomes()))
