"""The catalogs of objects, and how a reference finds its object in them."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from dungeon.content.selector import Selector
    from dungeon.terrain import Colour
    from dungeon.vocabulary import SpawnKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Thing:
    """An object of a catalog, with every default filled in."""

    kind: SpawnKind
    tag: str
    name: str
    glyph: str
    fg: Colour
    classes: tuple[str, ...]
    categories: tuple[str, ...]
    depth: int
    weight: float
    blocks: bool
    opaque: bool
    light: int
    data: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))

    def answers(self, selector: Selector) -> bool:
        """Tell whether it belongs to one of the classes, and to one of the categories, that are asked for."""
        return (not selector.classes or any(name in selector.classes for name in self.classes)) and (
            not selector.categories or any(name in selector.categories for name in self.categories)
        )


@dataclass(frozen=True, slots=True)
class Catalog:
    """All objects of a game, by kind and tag."""

    things: Mapping[SpawnKind, Mapping[str, Thing]]

    def __getitem__(self, key: tuple[SpawnKind, str]) -> Thing:
        kind, tag = key
        return self.things[kind][tag]

    def members(self, kind: SpawnKind, selector: Selector) -> Iterator[Thing]:
        """Yield every object that a selector could ever give, at any depth, in the catalog's order."""
        known = self.things[kind]
        if selector.tags is not None:
            yield from (known[tag] for tag in dict.fromkeys(selector.tags.outcomes()) if tag in known)
        else:
            yield from (thing for thing in known.values() if thing.answers(selector))

    def fitting(self, kind: SpawnKind, selector: Selector, depth: int) -> list[Thing]:
        """Return the objects that answer classes or categories and fit the depth best.

        Of every class that is asked for, the members with the highest rating not above the depth; where only
        categories are asked for, every object not above the depth.
        """
        fit = [thing for thing in self.members(kind, selector) if thing.depth <= depth]
        if not selector.classes:
            return fit
        best: dict[str, Thing] = {}
        for name in selector.classes:
            members = [thing for thing in fit if name in thing.classes]
            rating = max((thing.depth for thing in members), default=0)
            best |= {thing.tag: thing for thing in members if thing.depth == rating}
        return list(best.values())
