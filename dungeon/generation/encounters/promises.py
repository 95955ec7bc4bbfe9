"""What a map has been promised, and what may be promised to it besides without making the promise void.

What is promised comes with whatever it requires, or it could wait for that in vain.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from dungeon.core.vocabulary import LANDMARKS
from dungeon.generation.encounters.budget import Budget
from dungeon.generation.encounters.draw import guaranteed, with_required

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from dungeon.content.library import Content


class Promises:
    """The encounters that a map has first of all: what it must have by itself, then what the world gives to it.

    Args:
        content: The content.
        map_name: The type of map.
        depth: Its depth.
        wanted: How many encounters it is to have.
        shared: The encounters that it has only if they are given to it.

    Attributes:
        there: Encounter -> how many copies of it have been promised.
    """

    def __init__(
        self, content: Content, map_name: str, depth: int, wanted: int, shared: Collection[str]
    ) -> None:
        self._content = content
        self._budget = Budget(content, map_name, depth, wanted)
        self.there: Counter[str] = Counter()
        weights = content.weights_on(map_name, depth)
        limits = {name: 0 if name in shared else content.encounters[name].limit.map for name in weights}
        self._able = {name for name, limit in limits.items() if limit != 0}
        needed = guaranteed(content, limits)
        for name in [
            each for each in limits if each in self._able and self._able.issuperset(self._missing(each))
        ]:
            for _ in range(max(content.encounters[name].least.map, name in needed)):
                self.add(name)

    def add(self, name: str) -> None:
        """Promise one copy of an encounter, and what it requires, whether or not that can be kept."""
        for each in [*self._missing(name), name]:
            self.there[each] += 1
            self._budget.spend(each)

    def allow(self, name: str, least: int) -> None:
        """Say that the map may have of one that is shared out, by chance at least, and then has so many copies of it first of all."""
        self._able.add(name)
        for _ in range(least - self.there[name]):
            self.add(name)

    def have_room_for(self, name: str) -> bool:
        """Tell whether the map can keep one promise more: with all that it has been promised, by its mix and by its budget."""
        missing = self._missing(name)
        if not self._able.issuperset(missing) or not self._has_company(name):
            return False
        there, budget = [*self.there], self._budget.copy()
        for each in [*missing, name]:
            if self._is_shunned(each, there):
                return False
            if not self._content.encounters[name].guaranteed:  # else it comes whatever the map is to have
                if budget.objection(each) or budget.keeps_from(each) or budget.left <= 0:
                    return False
                budget.spend(each)
            there.append(each)
        return True

    def _has_company(self, name: str) -> bool:
        """Tell whether there may be somebody for each word for whom an encounter is to be near."""
        encounters = self._content.encounters
        return all(
            word in LANDMARKS
            or any(encounters[other].goes_by(other, word) for other in (*self.there, *self._able))
            for word in encounters[name].near
        )

    def _missing(self, name: str) -> list[str]:
        """Return what an encounter requires and is not there, and before each of these what it requires itself."""
        if not self._content.encounters[name].requires:  # few require anything
            return []
        required = with_required(self._content, self._content.encounters, [name])
        return [each for each in required if each != name and each not in self.there]

    def _is_shunned(self, name: str, there: Iterable[str]) -> bool:
        """Tell whether an encounter is shut out by others."""
        entry = self._content.encounters[name]
        for other in there:
            rival = self._content.encounters[other]
            shun = other in entry.conflicts or name in rival.conflicts
            if other != name and (shun or not set(entry.group.map).isdisjoint(rival.group.map)):
                return True
        return False
