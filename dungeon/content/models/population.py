"""The population of a map: objects scattered over it outside of encounters.

The `content` of an encounter is written the same way (`catalog.scattered.PopulationEntry`) and lies in its room or cave.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dungeon.content.catalog.scattered import PopulationEntry
from dungeon.content.values.fields import Flag

if TYPE_CHECKING:
    from dungeon.content.source.problems import ValueProblem


class MapPopulationEntry(PopulationEntry):
    """Objects scattered over a map outside of encounters.

    Attributes:
        in_sight: Whether the robots may start where they can be seen from the entrance.
    """

    in_sight: Flag = False

    def _problems(self) -> list[ValueProblem]:
        problems = super()._problems()
        if self.like not in (None, "robot"):
            problems += self.refused("in_sight", message="only robots can have this key")
        return problems
