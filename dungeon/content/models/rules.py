"""`Entries`, the input of rules that compare several entries, and a search for circles among them.

A rule is a function of `Entries` that logs problems. It stands in the module of the model that it checks, and
is listed with that model in `loading.draft.ENTRY_TYPES`.
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
    """All entries of a content.

    Attributes:
        log: All problems found so far; rules add to it.
        kinds: The kinds of objects.
        records: Kind -> name -> entry as written.
        entries: Kind -> name -> entry, for entries that are valid by themselves.
        undrawn: Prefabs without a drawing, which exist only for others to be `like` them.
        called: Name or tag -> the names of the prefabs that go by it.
        catalog: The valid objects.
        trusted: Whether prefabs are taken as valid without having been read.
    """

    log: ProblemLog = field(default_factory=ProblemLog)
    kinds: Kinds = field(default_factory=Kinds)
    records: dict[str, dict[str, Record]] = field(init=False)
    entries: dict[str, dict[str, BaseModel]] = field(init=False)
    undrawn: Collection[str] = ()
    called: Mapping[str, Sequence[str]] = field(default_factory=dict)
    catalog: Catalog = field(default_factory=lambda: Catalog(NOTHING))
    trusted: bool = False

    def all_of(self, kind: str, model: type[E]) -> dict[str, E]:
        """Return the valid entries of a kind."""
        return {name: entry for name, entry in self.entries[kind].items() if isinstance(entry, model)}

    @property
    def drawn(self) -> dict[str, Record]:
        """The prefabs as written, without the undrawn ones."""
        return {name: record for name, record in self.records["prefab"].items() if name not in self.undrawn}


def find_circles(below: Mapping[str, Iterable[str]]) -> dict[str, list[str]]:
    """Return name -> the shortest circle through it, its own name first and last, for each name that leads back to itself.

    Args:
        below: Name -> the names that it leads to.
    """
    return {name: way for name in below if (way := _way_back(name, below))}


def _way_back(start: str, below: Mapping[str, Iterable[str]]) -> list[str] | None:
    """Return the shortest way from `start` back to itself, `start` first and last; None if there is none."""
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
