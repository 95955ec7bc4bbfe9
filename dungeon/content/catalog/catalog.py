"""Catalogs of objects by *kind* (item, robot, ...) and *tag* (their name), and how a *selector* chooses one of them, with odds.

A selector asks by tag, class or category. The *rating* of an object is the depth from which it is found. A *pool* is a group of
candidates: the members of one class or category. *Odds* map each outcome to its probability.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from dungeon.content.values.grammar import weight_at
from dungeon.content.values.ratings import rated_depth
from dungeon.core.frozen import NOTHING, Derived, by_fields
from dungeon.core.streams import Race
from dungeon.core.vocabulary import LYING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from dungeon.content.catalog.requests import HeldEntry, ObjectEntry
    from dungeon.content.catalog.scattered import FollowerEntry
    from dungeon.content.catalog.selector import Selector
    from dungeon.content.catalog.symbols import SymbolEntry
    from dungeon.content.values.fields import Weight
    from dungeon.content.values.grammar import Value, WeightByDepth
    from dungeon.content.values.ratings import Rating
    from dungeon.core.vocabulary import SpawnKind
    from dungeon.terrain import Colour

Pools = tuple[tuple[str, float, "Mapping[str, float]"], ...]
"""Groups of candidates, of which one is drawn first: (name, weight of the group, tag -> weight within the group)."""

Answers = Race[Race["CatalogObject"]]
"""The same groups, ready for drawing: a race between groups, each a race between its objects."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogObject:
    """An object of a catalog, with every default filled in.

    Attributes:
        kind: The name of its kind on levels.
        like: The built-in kind whose rules the object follows: `kind` itself, or the one that the content's own kind is `like`.
        roll: Keyword -> value rolled for each copy of the object: `state`, and the keywords under `roll`.
        stays: Whether the object blocks walkers permanently; robots don't, since they move.
        lies: Whether the object may be drawn where another one is: items and debris may, unless they block walkers.
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
    band: tuple[FollowerEntry, ...] = ()
    threat: float = 0.0
    worth: float = 0.0
    roll: Mapping[str, Value[object]] = field(default_factory=lambda: NOTHING)
    data: Mapping[str, object] = field(default_factory=lambda: NOTHING)
    stays: bool = field(init=False)
    lies: bool = field(init=False)

    __reduce__ = by_fields

    def __post_init__(self) -> None:
        object.__setattr__(self, "stays", self.blocks and self.like != "robot")
        object.__setattr__(self, "lies", not self.blocks and self.like in LYING)

    def weight_at(self, depth: int) -> float:
        """Return the object's weight among the objects of its class or category at a depth."""
        return weight_at(self.weight, depth, NOTHING)


class ChoiceTerms(NamedTuple):
    """The conditions under which a member of a class or category is chosen.

    Attributes:
        depth: The greatest rating that a candidate may have: objects found only at greater depths are no candidates.
        prototype: Whether only prototypes are candidates. If there are no prototypes, common objects are candidates.
        fallback: Whether the members with the lowest rating are candidates if no member fits the depth.
    """

    depth: int
    prototype: bool = False
    fallback: bool = False


@dataclass(frozen=True, slots=True, repr=False)
class Catalog:
    """All objects of a game, by kind and tag.

    Attributes:
        things: Kind -> tag -> object.
        shallowest: Branch or type of map -> the depth of its shallowest map in any world, for ratings such as `{as: mines}`.
        notes: Cache of values derived from the catalog.
    """

    things: Mapping[str, Mapping[str, CatalogObject]]
    shallowest: Mapping[str, int] = field(default_factory=lambda: NOTHING)
    notes: Derived = field(default_factory=Derived, init=False, repr=False, compare=False)

    __reduce__ = by_fields

    def __repr__(self) -> str:
        counts = ", ".join(f"{len(each)} {kind}" for kind, each in self.things.items())
        return f"<Catalog of {counts}>"

    def __getitem__(self, key: tuple[str, str]) -> CatalogObject:
        kind, tag = key
        return self.things[kind][tag]

    def rated(self, rating: Rating, depth: int) -> int:
        """Return the depth for which an object with this rating is chosen on a map at `depth`."""
        return rated_depth(rating, depth, self.shallowest)

    def members(self, kind: str, selector: Selector) -> Iterator[CatalogObject]:
        """Yield each object of a kind that a selector could choose, at whatever depth, once."""
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
            pools = [self._answering(kind, *asked) for asked, _ in _classes_and_categories(selector)]
            yield from {thing.tag: thing for pool in pools for thing in pool}.values()

    def pools(self, kind: str, selector: Selector, terms: ChoiceTerms) -> Pools:
        """Return the candidates for a choice by class or category, as pools; one pool is drawn first, then an object of it.

        The pool of a class is its members with the highest rating that `terms.depth` permits. The pool of a category alone,
        or of `any`, is every member whose rating `terms.depth` permits. Empty pools are left out. If prototypes are
        asked for and there are none, common objects are used instead.
        """
        found = self._pools(kind, selector, terms)
        if terms.prototype and not any(likely > 0 for _, likely, _ in found):
            found = self._pools(kind, selector, terms._replace(prototype=False))
        return found

    def _pools(self, kind: str, selector: Selector, terms: ChoiceTerms) -> Pools:
        """Return the pools of candidates: of prototypes only if `terms.prototype` is set, otherwise of common objects only."""
        found = []
        for (name, category), likely in _classes_and_categories(selector):
            weights = {
                thing.tag: thing.weight_at(terms.depth)
                for thing in self._fitting(kind, name, category, terms)
            }
            weights = {tag: weight for tag, weight in weights.items() if weight > 0}
            if weights:
                found.append((" ".join(filter(None, (name, category))), likely, weights))
        return tuple(found)

    def answers(self, kind: str, selector: Selector, terms: ChoiceTerms) -> Answers | None:
        """Return the candidates for a choice by class or category as a `Race`, from which one is drawn; None if there are none.

        A `Race` is a weighted choice in which each candidate gets a random number of its own. So a new object in the catalog
        changes an earlier choice only if the new object itself is now chosen.

        Args:
            kind: The kind of object.
            selector: What the author asks for: a class, a category, or any object.
            terms: The depth and the other conditions that candidates must meet.
        """
        asked = kind, selector, terms
        return self.notes.once(asked, self._answers, *asked)

    def _answers(self, kind: str, selector: Selector, terms: ChoiceTerms) -> Answers | None:
        known = self.things[kind]
        pools = [
            (name, likely, Race((tag, weight, known[tag]) for tag, weight in weights.items()))
            for name, likely, weights in self.pools(kind, selector, terms)
        ]
        return Race(pools, "pool") if any(likely > 0 for _, likely, _ in pools) else None

    def odds(self, kind: str, selector: Selector, terms: ChoiceTerms) -> dict[str | None, float]:
        """Return tag -> probability that a selector chooses this object of a kind; the key None stands for no object."""
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
        """Return the selector under `carries` of the robot with this tag; None if it carries nothing."""
        named = (things.get(tag) for things in self.things.values()) if tag is not None else ()
        return next(
            (thing.carries for thing in named if thing is not None and thing.carries is not None), None
        )

    def _carried(self, robots: Value[str]) -> Iterator[Selector]:
        yield from (carried for carried, _ in self._equipment(robots) if carried is not None)

    def _answering(self, kind: str, name: str | None, category: str | None) -> list[CatalogObject]:
        """Return the objects of a kind that are in a class, in a category, or in both.

        Args:
            kind: The kind of objects.
            name: The class; None for any.
            category: The category; None for any.
        """
        return [
            thing
            for thing in self.things[kind].values()
            if (name is None or name in thing.classes) and (category is None or category in thing.categories)
        ]

    def _fitting(
        self, kind: str, name: str | None, category: str | None, terms: ChoiceTerms
    ) -> Iterable[CatalogObject]:
        """Return the objects of a kind that may be chosen from a class, a category, or both.

        Args:
            kind: The kind of objects.
            name: The class; None for any. Of a class, only the members with the highest rating that fits the depth are returned.
            category: The category; None for any.
            terms: The depth, whether prototypes are asked for, and whether the weakest members count if none fits the depth.
        """
        all_of = [each for each in self._answering(kind, name, category) if each.prototype == terms.prototype]
        fit = [thing for thing in all_of if thing.depth <= terms.depth]
        if not fit and terms.fallback:
            weakest = min((thing.depth for thing in all_of), default=0)
            return [thing for thing in all_of if thing.depth == weakest]
        if name is None:
            return fit
        best = max((thing.depth for thing in fit), default=0)
        return [thing for thing in fit if thing.depth == best]


def _classes_and_categories(selector: Selector) -> Iterator[tuple[tuple[str | None, str | None], float]]:
    """Yield ((class, category), probability) for each pair that a selector may ask for; in a pair None stands for any."""
    if selector.anything:
        yield (None, None), 1.0
        return
    classes = selector.classes.odds() if selector.classes is not None else {None: 1.0}
    categories = selector.categories.odds() if selector.categories is not None else {None: 1.0}
    for (name, likely), (category, share) in product(classes.items(), categories.items()):
        if name is not None or category is not None:
            yield (name, category), likely * share


T = TypeVar("T")

Odds = dict[str | None, float]
"""Tag -> probability; the key None stands for no object."""


def presence(symbol: ObjectEntry) -> float:
    """Return the probability that an object is put where its symbol is drawn, from the symbol's `chance`."""
    return sum(share * likely for share, likely in _outcome_odds(symbol.chance, 1.0))


def choice_odds(symbol: ObjectEntry, catalog: Catalog, depth: int) -> Odds:
    """Return tag -> probability that a symbol chooses this object, if an object is put there at all.

    The key None stands for "no candidate".

    Args:
        symbol: The symbol.
        catalog: The objects.
        depth: The depth of the map.
    """
    kind, selector = symbol.kind, symbol.selector
    result: Odds = {}
    if kind is None or selector is None:
        return result
    for terms, likely in _terms(symbol, catalog, depth):
        for tag, share in catalog.odds(kind, selector, terms).items():
            result[tag] = result.get(tag, 0.0) + share * likely
    return result


def symbol_odds(symbol: ObjectEntry, catalog: Catalog, depth: int, chosen: float = 1.0) -> Odds:
    """Return tag -> probability that this object is put on one cell with the symbol; the key None stands for no object.

    Args:
        symbol: The meaning of the cell's character.
        catalog: The objects.
        depth: The depth of the map.
        chosen: The probability that this symbol is the one that its `group` uses; 1 without a group.
    """
    there = chosen * presence(symbol)
    result = {tag: likely * there for tag, likely in choice_odds(symbol, catalog, depth).items()}
    result[None] = result.get(None, 0.0) + 1 - there
    if result[None] <= 0:
        del result[None]
    return result


def chosen_odds(char: str, symbols: Mapping[str, SymbolEntry], weigh: Callable[[Weight], float]) -> float:
    """Return the probability that a character of a drawing is used. Of all characters in one `group`, only one is used.

    All groups and weights that may be rolled are combined. A character with a `switch` counts as a member of a group if one
    of its cases is a member.

    Args:
        char: The character.
        symbols: Character -> its meaning, for all characters of the drawing.
        weigh: Converts a weight, which may be a word such as `rare`, to a number.
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
        own = _number_odds(symbol.weight, weigh)
        found += inside * sum(
            likely * share * weight / (weight + others)
            for weight, likely in own.items()
            for others, share in rest.items()
            if weight > 0
        )
    return found


def groups_of(symbol: SymbolEntry) -> set[str]:
    """Return the names of the groups (`group`) that a symbol, or one of its cases, may be in."""
    values = [leaf.group for leaf, _ in symbol.leaves() if leaf.group is not None]
    return {group for value in values for group in value.outcomes()}


def _weights_in(group: str, symbol: SymbolEntry, weigh: Callable[[Weight], float]) -> dict[float, float]:
    """Return weight -> probability that a symbol has this weight in a group; weight 0 means that it is not in the group.

    Args:
        group: The name of a group of characters, of which just one is used.
        symbol: The meaning of a character.
        weigh: Converts a weight, which may be a word such as `rare`, to a number.
    """
    for leaf, _ in symbol.leaves():
        inside = leaf.group.odds().get(group, 0.0) if leaf.group is not None else 0.0
        if inside > 0:
            found = {weight: likely * inside for weight, likely in _number_odds(leaf.weight, weigh).items()}
            found[0.0] = found.get(0.0, 0.0) + 1 - inside
            return found
    return {0.0: 1.0}


def _number_odds(weight: Value[Weight], weigh: Callable[[Weight], float]) -> dict[float, float]:
    """Return number -> probability for a weight that may itself be rolled.

    Args:
        weight: The weight in the value grammar. Equally likely `rare` or 5 -> {0.1: 0.5, 5.0: 0.5}, if `rare` is 0.1.
        weigh: Converts a weight, which may be a word such as `rare`, to a number.
    """
    found: dict[float, float] = {}
    for each, likely in _outcome_odds(weight, 1.0):
        worth = float(weigh(each))
        found[worth] = found.get(worth, 0.0) + likely
    return found


def _summed(parts: Iterable[Mapping[float, float]]) -> dict[float, float]:
    """Return sum -> probability, for the sum of independent random numbers (a convolution).

    Args:
        parts: For each of the numbers, value -> probability.
    """
    total = {0.0: 1.0}
    for part in parts:
        wider: dict[float, float] = {}
        for (so_far, a), (each, b) in product(total.items(), part.items()):
            if b > 0:
                wider[so_far + each] = wider.get(so_far + each, 0.0) + a * b
        total = wider
    return total


def _terms(symbol: ObjectEntry, catalog: Catalog, depth: int) -> Iterator[tuple[ChoiceTerms, float]]:
    """Yield (terms of the choice, probability) for each way that `rating`, `strong`, `prototype`, `fallback` of a symbol may roll."""
    keywords = (
        _outcome_odds(symbol.rating, 0),
        _outcome_odds(symbol.strong, False),
        _outcome_odds(symbol.prototype, False),
        _outcome_odds(symbol.fallback, False),
    )
    for (rating, a), (strong, b), (prototype, c), (fallback, d) in product(*keywords):
        at = catalog.rated(rating, depth) + strong
        yield ChoiceTerms(at, prototype=prototype, fallback=fallback), a * b * c * d


def _outcome_odds(value: Value[T], otherwise: T) -> list[tuple[T, float]]:
    """Return (outcome, probability) for each outcome of a value; `otherwise` takes the place of None, "does not apply"."""
    return [(otherwise if each is None else each, likely) for each, likely in value.odds().items()]
