"""Lint checks of requests, the places in the content that ask for an object, such as an item of a class: requests that no object of the catalog fits, and objects that no request can get."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from dungeon.authoring.lint.encounters import depths_in_words
from dungeon.authoring.lint.subject import EncounterAppearance
from dungeon.content.catalog.catalog import ChoiceTerms
from dungeon.content.catalog.symbols import SymbolEntry
from dungeon.content.models.locks import written_openers
from dungeon.content.values.fields import DEEPEST
from dungeon.content.values.grammar import Choice, Constant, Sometimes, Value
from dungeon.content.values.ratings import AsOnMap
from dungeon.core.errors import written

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dungeon.authoring.lint.subject import Path, Rules, Says, Subject
    from dungeon.content.catalog.catalog import Pools
    from dungeon.content.catalog.requests import ObjectEntry, StandingEntry
    from dungeon.content.catalog.scattered import ScatteredEntry
    from dungeon.content.catalog.selector import Selector
    from dungeon.content.source.files import Record

SAYS: Says = {
    "warning": {
        "no member": "no {kind} of {asked} in the catalog fits {depths} {fallback}, but {way} asks for one",
        "rating of no map": "no world has this map, so the object is chosen for {depth}",
    },
    "note": {
        "no prototype": "'prototype' has no effect: no {kind} of {asked} that fits {depths} is a prototype",
        "unreachable object": "this object is never used: no part of the content asks for it",
    },
}
"""Severity -> check -> message, with placeholders in braces; `docs/checks.md` tells how to fix each."""


T = TypeVar("T")


@dataclass(slots=True)
class _Request:
    """A place in a content file that asks for an object, such as an item of a class.

    Attributes:
        asks: What it asks for, as read from the file.
        record: The entry of the content file.
        path: The YAML keys of the request in that entry.
        appearances: The maps on which the object may be put; empty if they are unknown, or the prefab is not used.
    """

    asks: ObjectEntry
    record: Record
    path: Path
    appearances: dict[EncounterAppearance, None] = field(default_factory=dict)


def check_requests(subject: Subject) -> None:
    """Check all requests for objects, and report objects that nothing uses."""
    _Requests(subject).check()


class _Requests:
    """All requests of the content for objects of the catalog, and the objects that they may get.

    Attributes:
        given: (kind, tag) of each object that some request may get, so that it may appear in levels.
        certain: Whether all requests and their maps are known. If not, every member of a requested class counts as one that
            may appear.
    """

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.given: set[tuple[str, str]] = set()
        self.certain = subject.depths is not None and subject.all_sound(
            "prefab", "legend", "map", "encounter", "world"
        )
        self._pools: dict[tuple[str, Selector, ChoiceTerms], Pools] = {}

    def check(self) -> None:
        """Find the objects that each request may get and report requests without one; then report objects that no request gets."""
        subject = self.subject
        for request in self.requests():
            kind, selector = request.asks.kind, request.asks.selector
            if kind is not None and selector is not None:
                self.ask(request, kind, selector)
            self.check_rating(request)
        for entry in subject.maps.values():
            self.given |= {("prop", tag) for value, _ in entry.portals() for tag in value.outcomes() if tag}
        if not (self.certain and subject.all_sound("weight word", "lock", *subject.catalog.things)):
            return
        for kind, things in subject.catalog.things.items():
            for tag in things:
                if (kind, tag) not in self.given:
                    subject.say("unreachable object", subject.records[kind][tag], key=True)

    def check_rating(self, request: _Request) -> None:
        """Report a rating such as `{as: mines/4}` if no world has that map."""
        chart = self.subject.draft.chart
        known = {*self.subject.catalog.shallowest, *(chart.spots if chart is not None else ())}
        for rating in request.asks.rating.outcomes() if known else ():
            if not isinstance(rating, AsOnMap) or rating.place in known:
                continue
            of_map = rating.place.partition("/")[2]
            depth = f"depth {of_map}" if of_map else "the depth of its own map"
            at = *request.path[:-1], "rating"
            self.subject.say("rating of no map", request.record, *at, value=rating.place, depth=depth)

    def requests(self) -> Iterator[_Request]:
        """Yield the requests of prefabs (characters, machines), maps, encounters, loadouts and locks."""
        subject = self.subject
        found: dict[tuple[int, Path], _Request] = {}
        for name in subject.prefabs:
            appearances = dict.fromkeys(subject.appearances.get(name, ()))
            for asks, record, path, used_at in self.asked_by(name):
                request = found.setdefault((id(record), path), _Request(asks, record, path))
                request.appearances |= _within(used_at, appearances)
        yield from found.values()
        for name, entry in subject.maps.items():
            depths = (subject.depths or {}).get(name, ())
            appearances = dict.fromkeys(
                EncounterAppearance(f"{name}/{depth}", depth, f"map {name}/{depth}") for depth in depths
            )
            record = subject.records["map"][name]
            for number, population in enumerate(entry.population):
                yield from _scattered(population, record, ("population", number), appearances)
        yield from self.asked_by_encounters()
        yield from self.asked_by_catalog()
        for name, lock in subject.locks.items():
            record = subject.records["lock"][name]
            for (path, _), opener in zip(written_openers(record), lock.opened_by, strict=True):
                if (asked := opener.asked) is not None:
                    yield _Request(asked, record, (*path, str(asked.word)))

    def asked_by_encounters(self) -> Iterator[_Request]:
        """Yield the requests for the objects that encounters scatter over their rooms."""
        subject = self.subject
        for name, path, contents in subject.contents():
            appearances = {
                EncounterAppearance(
                    f"{each}/{depth}", depth, f"encounter {written(name)!r} on {each}/{depth}"
                ): None
                for each, depth in subject.places_of(name)
            }
            record = subject.records["encounter"][name]
            for number, content in enumerate(contents):
                yield from _scattered(content, record, (*path, number), appearances)

    def asked_by_catalog(self) -> Iterator[_Request]:
        """Yield the requests of objects: for the items that they hold, and for the robots of their band."""
        for kind, things in self.subject.catalog.things.items():
            for name, thing in things.items():
                record = self.subject.records[kind][name]
                for number, held in enumerate(thing.loadout):
                    yield _Request(held, record, ("loadout", number, str(held.word)))
                for number, follower in enumerate(thing.band):
                    yield from _scattered(follower, record, ("band", number), {})

    def asked_by(self, name: str) -> Iterator[tuple[ObjectEntry, Record, Path, range]]:
        """Yield (symbol, entry, path, depths) of each request of a prefab."""
        for meant in self.subject.meanings(name).values():
            for leaf, path in meant.symbol.leaves():
                for asks, below, depths in _all_asked(leaf):
                    yield asks, meant.record, (*meant.path, *path, *below), depths
        machine = self.subject.entries[name].machine
        if machine is not None:
            asks = SymbolEntry.model_validate({"prop": machine})
            yield asks, self.subject.records["prefab"][name], ("machine",), range(DEEPEST + 1)

    def ask(self, request: _Request, kind: str, selector: Selector) -> None:
        """Add to `given` the objects that a request may get. Report the depths at which it gets none."""
        if selector.tags is not None:
            self.given |= {(kind, tag) for tag in selector.tags.outcomes()}
        elif selector.equipped_by is not None:
            for tag in dict.fromkeys(selector.equipped_by.outcomes()):
                carried = self.subject.catalog.carried_by(tag)
                if carried is not None:
                    self.ask(request, kind, carried)
        else:
            if not (request.appearances and self.certain):
                self.given |= {(kind, thing.tag) for thing in self.subject.catalog.members(kind, selector)}
            self.ask_at_depths(request, kind, selector)

    def ask_at_depths(self, request: _Request, kind: str, selector: Selector) -> None:
        """Look up a request that names no single object (a class, a category, any object) at each depth at which it may be made."""
        ways: dict[int, str] = {}
        for _, depth, way in request.appearances:
            ways.setdefault(depth, way)
        missing: dict[bool, set[int]] = {}
        common: set[int] = set()  # depths with objects, where a prototype is asked for
        prototypes = False
        for depth in ways:
            for terms in _terms(request.asks, kind, depth, self.subject):
                pools = self.pools(kind, selector, terms)
                found = {tag for _, _, weights in pools for tag in weights}
                self.given |= {(kind, tag) for tag in found}
                if not found:
                    missing.setdefault(terms.fallback, set()).add(depth)
                elif terms.prototype:
                    prototypes |= any(self.subject.catalog[kind, tag].prototype for tag in found)
                    common.add(depth)
        if not self.subject.all_sound(kind):  # an unreadable object may answer the request
            return
        asked = [*_asked("class", selector.classes), *_asked("category", selector.categories)]
        words = " and ".join(asked) or "any sort"
        for fallback, depths in missing.items():
            self.subject.say(
                "no member",
                request.record,
                *request.path,
                kind=kind,
                asked=words,
                depths=depths_in_words(sorted(depths)),
                way=ways[min(depths)],
                fallback="even with 'fallback: true'" if fallback else "without 'fallback: true'",
            )
        if common and not prototypes:
            self.subject.say(
                "no prototype",
                request.record,
                *request.path[:-1],
                "prototype",
                key=True,
                kind=kind,
                asked=words,
                depths=depths_in_words(sorted(common)),
            )

    def pools(self, kind: str, selector: Selector, terms: ChoiceTerms) -> Pools:
        """Return the groups of catalog objects from which the generator answers a request on these terms. Cached."""
        asked = kind, selector, terms
        if asked not in self._pools:
            self._pools[asked] = self.subject.catalog.pools(*asked)
        return self._pools[asked]


def _scattered(
    entry: ScatteredEntry, record: Record, path: Path, appearances: dict[EncounterAppearance, None]
) -> Iterator[_Request]:
    """Yield the requests of one entry of a map's `population` or an encounter's `content`, at those depths that the entry names."""
    for asks, below, depths in _all_asked(entry):
        yield _Request(asks, record, (*path, *below), _within(depths, appearances))


def _all_asked(entry: StandingEntry) -> Iterator[tuple[ObjectEntry, Path, range]]:
    """Yield (request, path of YAML keys in the entry, depths) for an entry and its company, and for what each of them holds."""
    for asks, below, depths in entry.asked():
        if asks.kind is not None:
            yield asks, (*below, str(asks.word)), depths
        for number, held in enumerate(asks.loadout or ()):
            yield held, (*below, "loadout", number, str(held.word)), depths


def _within(depths: range, appearances: dict[EncounterAppearance, None]) -> dict[EncounterAppearance, None]:
    """Return the appearances at these depths."""
    return {appearance: None for appearance in appearances if appearance.depth in depths}


def _asked(what: str, value: Value[str] | None) -> Iterator[str]:
    if value is not None:
        yield f"{what} {' or '.join(repr(word) for word in dict.fromkeys(value.outcomes()))}"


def _terms(asks: ObjectEntry, kind: str, depth: int, subject: Subject) -> list[ChoiceTerms]:
    """Return the possible terms (depth, prototype, fallback) on which a request chooses an object on a map at `depth`.

    The rating of a request changes the depth. Of a range of ratings, only its ends and the depths at which another object
    begins to fit are tried.
    """
    depths = {subject.catalog.rated(rating, depth) for rating in _possible(asks.rating, 0)}
    low, high = min(depths), max(depths)
    known = {thing.depth for thing in subject.catalog.things[kind].values()}
    depths |= {each for each in known if low < each < high}
    return [
        ChoiceTerms(each + strong, prototype=prototype, fallback=fallback)
        for each in sorted(depths)
        for strong in _possible(asks.strong, otherwise=False)
        for prototype in _possible(asks.prototype, otherwise=False)
        for fallback in _possible(asks.fallback, otherwise=False)
    ]


def _possible(value: Value[T], otherwise: T) -> list[T]:
    """Return the possible outcomes of a value, with `otherwise` added if a chance may leave the value without outcome."""
    outcomes = list(value.outcomes())
    return list(dict.fromkeys([*outcomes, otherwise] if _may_not_apply(value) else outcomes))


def _may_not_apply(value: Value[T]) -> bool:
    """Tell whether a value may have no outcome, because of a chance below 1."""
    match value:
        case Sometimes():
            return value.chance < 1 or _may_not_apply(value.value)
        case Choice():
            return any(_may_not_apply(option) for option, weight in value.options if weight > 0)
        case Constant() | _:
            return False


RULES: Rules = (check_requests,)
