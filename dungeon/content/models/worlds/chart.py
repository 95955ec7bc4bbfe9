"""The chart of a world: all maps that worlds of a content may have, and all ways between them, written out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dungeon.core.frozen import by_fields

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dungeon.content.values.weights import DepthWeight


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """A map that worlds may have.

    Attributes:
        id: ``branch/depth``.
        branch: The branch, by default called like its type of map.
        depth: How deep it lies.
        branch_depth: How deep that is within its branch: 1 for the shallowest map of it.
        types: Type of map -> how often it is of it.
        one_way: Whether no way leads back from it.
    """

    id: str
    branch: str
    depth: int
    branch_depth: int
    types: Mapping[str, DepthWeight]
    one_way: bool = False

    __reduce__ = by_fields


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """All maps that worlds may have, and all ways between them.

    Attributes:
        start: The id of the first map.
        spots: Map id -> the map.
        leads_to: Map id -> the ids of the maps to which its exits lead in every world that has both; nothing for those that
            lead nowhere.
        entered_from: Id of the shallowest map of a branch -> the ids of the maps of which one leads there.
        mouths: Map id -> the maps to which it is one of those that may lead.
    """

    start: str
    spots: Mapping[str, Spot]
    leads_to: Mapping[str, tuple[str, ...]]
    entered_from: Mapping[str, tuple[str, ...]]
    mouths: Mapping[str, tuple[str, ...]]

    __reduce__ = by_fields

    def may_lead_to(self, map_id: str) -> tuple[str, ...]:
        """Return the ids of all maps to which a map's exits lead in some world."""
        return tuple(dict.fromkeys([*self.leads_to.get(map_id, ()), *self.mouths.get(map_id, ())]))

    def reached(self) -> set[str]:
        """Return the ids of all maps to which ways lead from the start in some world."""
        found, waiting = {self.start}, [self.start]
        while waiting:
            new = [each for each in self.may_lead_to(waiting.pop()) if each not in found]
            found.update(new)
            waiting += new
        return found
