"""All *entries* (prefabs, maps, ...) of a content as the input of *rules*, which compare them; and a search for circular references.

A *record* is an entry as written, before
it is validated as a model. A rule is a function of `Entries` that logs problems. It stands in the module of the model
that it checks, and is listed with that model in `loading.draft.ENTRY_TYPES`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from pydantic import BaseModel

from dungeon.content.catalog.catalog import Catalog
from dungeon.content.source.files import ProblemLog, Record
from dungeon.core.frozen import NOTHING
from dungeon.core.kinds import Kinds

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

E = TypeVar("E", bound=BaseModel)


@dataclass(slots=True)
class Entries:
    """All that the author has written, as input of the rules that compare entries with each other.

    Attributes:
        log: All problems found so far; rules add to it.
        kinds: The kinds of objects (item, robot, ...), with those that the content declares.
        records: Kind of entry, such as `prefab` -> name -> entry as written.
        entries: Kind of entry -> name -> validated entry. Entries that are invalid by themselves are missing.
        undrawn: The names of prefabs that can't be drawn themselves: those without a drawing, which exist only so that
            others can be `like` them, and those with variants.
        variants: Name of a variant of a prefab, such as `yard/wet` -> the name of the prefab.
        called: Name or tag -> the names of the prefabs with this name or tag.
        catalog: The objects whose entries are valid.
        trusted: Whether prefabs are taken as valid without having been read.
    """

    log: ProblemLog = field(default_factory=ProblemLog)
    kinds: Kinds = field(default_factory=Kinds)
    records: dict[str, dict[str, Record]] = field(init=False)
    entries: dict[str, dict[str, BaseModel]] = field(init=False)
    undrawn: Collection[str] = ()
    variants: dict[str, str] = field(default_factory=dict)
    called: Mapping[str, Sequence[str]] = field(default_factory=dict)
    catalog: Catalog = field(default_factory=lambda: Catalog(NOTHING))
    trusted: bool = False

    def all_of(self, kind: str, model: type[E]) -> dict[str, E]:
        """Return name -> validated entry, for the valid entries of a kind (`kind` is a key of `entries`, `model` its class)."""
        return {name: entry for name, entry in self.entries[kind].items() if isinstance(entry, model)}

    @property
    def drawn(self) -> dict[str, Record]:
        """Name -> prefab as written, for all prefabs that have a drawing and no variants; each variant is such a prefab."""
        return {name: record for name, record in self.records["prefab"].items() if name not in self.undrawn}


def find_circles(below: Mapping[str, Iterable[str]]) -> dict[str, list[str]]:
    """Find names that refer to themselves, perhaps by way of others: return name -> the shortest circle from it back to it.

    Example: {a: [b], b: [a], c: [a]} -> {a: [a, b, a], b: [b, a, b]}.

    Args:
        below: Name -> the names that it refers to.
    """
    return {name: way for name in below if (way := _way_back(name, below))}


def _way_back(start: str, below: Mapping[str, Iterable[str]]) -> list[str] | None:
    """Return the shortest chain of references from the name `start` back to it, `start` first and last; None without one.

    Args:
        start: The name.
        below: Name -> the names that it refers to.
    """
    came: dict[str, str] = {}
    waiting = [start]
    for name in waiting:  # a breadth-first search: the list grows while it is iterated
        for each in below.get(name, ()):
            if each == start:
                way = [name]
                while way[-1] != start:
                    way.append(came[way[-1]])
                return [*reversed(way), start]
            if each not in came:
                came[each] = name
                waiting.append(each)
    return None
