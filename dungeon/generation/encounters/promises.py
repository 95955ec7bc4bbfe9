"""What a map has been promised, and what may be promised to it besides without making the promise void."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dungeon.generation.encounters.budget import Budget
from dungeon.generation.encounters.draw import guaranteed

if TYPE_CHECKING:
    from collections.abc import Collection

    from dungeon.content.library import Content


class Promises:
    """The encounters that a map has first of all: what it must have by itself, then what the world gives to it.

    Args:
        content: The content.
        map_name: The type of map.
        depth: Its depth.
        wanted: How many encounters it is to have.
        shared: The encounters that it has only if they are given to it.
    """

    def __init__(
        self, content: Content, map_name: str, depth: int, wanted: int, shared: Collection[str]
    ) -> None:
        self._content = content
        self._budget = Budget(content, map_name, depth, wanted)
        self._there: dict[str, None] = {}
        weights = content.weights_on(map_name, depth)
        limits = {name: 0 if name in shared else content.encounters[name].limit.map for name in weights}
        needed = guaranteed(content, limits)
        for name in weights:
            if name not in shared:
                for _ in range(max(content.encounters[name].least.map, name in needed)):
                    self.add(name)

    def add(self, name: str) -> None:
        """Promise one copy of an encounter."""
        self._there[name] = None
        self._budget.spend(name)

    def have_room_for(self, name: str) -> bool:
        """Tell whether the map can keep one promise more: with all that it has been promised, by its mix and by its budget."""
        entry = self._content.encounters[name]
        for other in self._there:
            rival = self._content.encounters[other]
            shun = other in entry.conflicts or name in rival.conflicts
            if other != name and (shun or not set(entry.group.map).isdisjoint(rival.group.map)):
                return False
        if entry.guaranteed:  # it comes whatever the map is to have
            return True
        return (
            not self._budget.objection(name) and not self._budget.keeps_from(name) and self._budget.left > 0
        )
