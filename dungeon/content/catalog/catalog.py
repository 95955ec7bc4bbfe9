"""The catalogs of objects, and how a reference finds its object in them."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from dungeon.content.values.weights import weight_at
from dungeon.core.frozen import NOTHING, by_fields
from dungeon.core.streams import Race

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from dungeon.content.catalog.selector import Selector
    from dungeon.content.catalog.symbols import HeldEntry
    from dungeon.content.values.grammar import Value
    from dungeon.content.values.weights import WeightByDepth
    from dungeon.core.vocabulary import SpawnKind
    from dungeon.terrain import Colour

Pools = tuple[tuple[str, float, "Mapping[str, float]"], ...]
"""Groups of objects to choose from: what each is called, how likely it is taken, and its objects with their weights."""

Answers = Race[Race["Thing"]]
"""The same, ready to choose from: a race of groups, of which each is a race of its objects."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Thing:
    """An object of a catalog, with every default filled in.

    Attributes:
        roll: What is rolled for each: its state and its free keywords, by name.
        kind: What levels call its kind; `like` is the built-in kind that this is like, or is.
        stays: Whether it stops walkers for good: robots step aside.
    """

    kind: str
    like: SpawnKind
    tag: str
    name: str
    glyph: str
    fg: Colour
    classes: tuple[str, ...]
    categories: tuple[str, ...]
    depth: int
    weight: float | WeightByDepth
    blocks: bool
    opaque: bool
    light: int
    prototype: bool = False
    faulty: float = 0.0
    carries: Selector | None = None
    loadout: tuple[HeldEntry, ...] = ()
    threat: float = 0.0
    worth: float = 0.0
    roll: Mapping[str, Value[object]] = field(default_factory=lambda: NOTHING)
    data: Mapping[str, object] = field(default_factory=lambda: NOTHING)
    stays: bool = field(init=False)

    __reduce__ = by_fields

    def __post_init__(self) -> None:
        object.__setattr__(self, "stays", self.blocks and self.like != "robot")

    def weight_at(self, depth: int) -> float:
        """Return how often it is chosen among its like at a depth."""
        return weight_at(self.weight, depth, NOTHING)


class Terms(NamedTuple):
    """How a member of a class or category is chosen.

    Attributes:
        depth: The rating that it may have at most.
        prototype: Whether it is taken from among the prototypes, if any of them answers; else it is none.
        fallback: Whether the weakest member will do where none fits the depth.
    """

    depth: int
    prototype: bool = False
    fallback: bool = False


@dataclass(frozen=True, slots=True, repr=False)
class Catalog:
    """All objects of a game, by kind and tag.

    Attributes:
        things: The objects.
        notes: What others have found out about them, so that they need not find out again.
    """

    things: Mapping[str, Mapping[str, Thing]]
    notes: dict[tuple[type, int], object] = field(default_factory=dict, init=False, repr=False, compare=False)
    _races: dict[tuple[str, Selector, Terms], Answers | None] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    __reduce__ = by_fields

    def __repr__(self) -> str:
        counts = ", ".join(f"{len(each)} {kind}" for kind, each in self.things.items())
        return f"<Catalog of {counts}>"

    def __getitem__(self, key: tuple[str, str]) -> Thing:
        kind, tag = key
        return self.things[kind][tag]

    def members(self, kind: str, selector: Selector) -> Iterator[Thing]:
        """Yield every object that a selector could ever give, at any depth, each once."""
        known = self.things[kind]
        if selector.tags is not None:
            yield from (known[tag] for tag in dict.fromkeys(selector.tags.outcomes()) if tag in known)
        elif selector.equipped_by is not None:
            given = (
                each
                for carried in self._carried(selector.equipped_by)
                for each in self.members(kind, carried)
            )
            yield from {thing.tag: thing for thing in given}.values()
        else:
            pools = [self._answering(kind, *asked) for asked, _ in _asked(selector)]
            yield from {thing.tag: thing for pool in pools for thing in pool}.values()

    def pools(self, kind: str, selector: Selector, terms: Terms) -> Pools:
        """Return what answers classes or categories on these terms, in groups of which one is taken.

        Of a class, the members with the highest rating that is not above the depth; where only a category is asked
        for, or anything, every member not above the depth. Groups without members are left out: a class that does not
        fit the depth leaves the choice to the others. Where prototypes are asked for and none answers, what is common
        does, on terms that are the same otherwise.
        """
        found = self._pools(kind, selector, terms)
        if terms.prototype and not any(likely > 0 for _, likely, _ in found):
            found = self._pools(kind, selector, terms._replace(prototype=False))
        return found

    def _pools(self, kind: str, selector: Selector, terms: Terms) -> Pools:
        """Return what answers, of the prototypes alone or of the others alone."""
        found = []
        for (name, category), likely in _asked(selector):
            weights = {
                thing.tag: thing.weight_at(terms.depth)
                for thing in self._fitting(kind, name, category, terms)
            }
            weights = {tag: weight for tag, weight in weights.items() if weight > 0}
            if weights:
                found.append((" ".join(filter(None, (name, category))), likely, weights))
        return tuple(found)

    def answers(self, kind: str, selector: Selector, terms: Terms) -> Answers | None:
        """Return the same, ready to choose from; None where nothing answers.

        Another object in the catalog changes only the choices that it wins.
        """
        asked = kind, selector, terms
        if asked not in self._races:
            known = self.things[kind]
            pools = [
                (name, likely, Race((tag, weight, known[tag]) for tag, weight in weights.items()))
                for name, likely, weights in self.pools(*asked)
            ]
            self._races[asked] = Race(pools, "pool") if any(likely > 0 for _, likely, _ in pools) else None
        return self._races[asked]

    def odds(self, kind: str, selector: Selector, terms: Terms) -> dict[str | None, float]:
        """Return tag -> how likely it is chosen; None stands for nothing."""
        if selector.tags is not None:
            return selector.tags.odds()
        parts: list[tuple[dict[str | None, float], float]]
        if selector.equipped_by is not None:
            parts = [
                (self.odds(kind, carried, terms) if carried is not None else {None: 1.0}, likely)
                for carried, likely in self._equipment(selector.equipped_by)
            ]
        else:
            parts = [
                ({tag: weight / sum(weights.values()) for tag, weight in weights.items()}, likely)
                for _, likely, weights in self.pools(kind, selector, terms)
            ]
            total = sum(likely for _, likely in parts)
            parts = [(odds, likely / total) for odds, likely in parts] or [({None: 1.0}, 1.0)]
        result: dict[str | None, float] = {}
        for odds, likely in parts:
            for tag, share in odds.items():
                result[tag] = result.get(tag, 0.0) + share * likely
        return result

    def _equipment(self, robots: Value[str]) -> Iterator[tuple[Selector | None, float]]:
        for tag, likely in robots.odds().items():
            yield self.carried_by(tag), likely

    def carried_by(self, tag: str | None) -> Selector | None:
        """Return the items that a robot, or what is like one, would carry; None for none."""
        named = (things.get(tag) for things in self.things.values()) if tag is not None else ()
        return next(
            (thing.carries for thing in named if thing is not None and thing.carries is not None), None
        )

    def _carried(self, robots: Value[str]) -> Iterator[Selector]:
        yield from (carried for carried, _ in self._equipment(robots) if carried is not None)

    def _answering(self, kind: str, name: str | None, category: str | None) -> list[Thing]:
        """Return the objects of a class, of a category, of both, or all."""
        return [
            thing
            for thing in self.things[kind].values()
            if (name is None or name in thing.classes) and (category is None or category in thing.categories)
        ]

    def _fitting(self, kind: str, name: str | None, category: str | None, terms: Terms) -> Iterable[Thing]:
        all_of = [each for each in self._answering(kind, name, category) if each.prototype == terms.prototype]
        fit = [thing for thing in all_of if thing.depth <= terms.depth]
        if not fit and terms.fallback:
            weakest = min((thing.depth for thing in all_of), default=0)
            return [thing for thing in all_of if thing.depth == weakest]
        if name is None:
            return fit
        best = max((thing.depth for thing in fit), default=0)
        return [thing for thing in fit if thing.depth == best]


def _asked(selector: Selector) -> Iterator[tuple[tuple[str | None, str | None], float]]:
    """Yield every pair of class and category that may be asked for, None for any, and how likely it is."""
    if selector.anything:
        yield (None, None), 1.0
        return
    classes = selector.classes.odds() if selector.classes is not None else {None: 1.0}
    categories = selector.categories.odds() if selector.categories is not None else {None: 1.0}
    for (name, likely), (category, share) in product(classes.items(), categories.items()):
        if name is not None or category is not None:
            yield (name, category), likely * share
