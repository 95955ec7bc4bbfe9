"""Ground plans of maps, and the encounters that fit on none of them.

A ground plan is a map with its rooms and corridors dug, but still without encounters.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from dungeon.core.errors import GenerationError
from dungeon.core.frozen import Frozen
from dungeon.generation.encounters.draw import Arrival
from dungeon.generation.odds.odds import causes_by_share
from dungeon.generation.placing.refusals import SpaceRefusal
from dungeon.generation.stages.brief import Brief, finished
from dungeon.generation.stages.layout import lay_out, plan
from dungeon.generation.stages.place import place_alone
from dungeon.generation.stages.seed import seed

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from dungeon.content.library import Content
    from dungeon.generation.encounters.shares import WorldMap
    from dungeon.generation.odds.odds import Cause
    from dungeon.generation.placing.attempt import PlacedRequest
    from dungeon.generation.stages.layout import LaidOutMap
    from dungeon.generation.stages.seed import SeededMap
    from dungeon.level.canvas import Canvas


class GroundPlan(NamedTuple):
    """A ground plan: the input of its level, the map with its features, and the map with its layout."""

    brief: Brief
    seeded: SeededMap
    ground: LaidOutMap

    @classmethod
    def of(cls, brief: Brief) -> GroundPlan:
        """Make the ground plan of a level.

        Raises:
            GenerationError: The layout fails.
        """
        seeded = finished(seed(brief, finished(plan(brief)).canvas))
        return cls(brief, seeded, finished(lay_out(brief, seeded)))

    def place_alone(self, encounter: str, copy: int = 1) -> tuple[Canvas, PlacedRequest] | SpaceRefusal:
        """Place a copy of an encounter on the plan; return (canvas with it, where it lies), or why it has no place."""
        return place_alone(*self, Arrival(encounter, copy))


def ground_plans(content: Content, place: WorldMap, count: int) -> Iterator[GroundPlan]:
    """Yield ground plans of a map, for the seeds 0 to `count` - 1; seeds for which the layout fails are left out."""
    for number in range(count):
        brief = Brief(
            content=content,
            seed=number,
            id=place.map_id,
            name=place.name,
            depth=place.depth,
            leads_to=content.chart.leads_to.get(place.map_id, ()),
            shares={},
            watched=False,
        )
        try:
            yield GroundPlan.of(brief)
        except GenerationError:
            continue


Unplaced = Frozen[str, tuple["Cause", ...]]
"""Encounter that fits on no ground plan of a map -> the rules that left it no place, the most frequent first."""


def unplaced_on(content: Content, place: WorldMap, count: int) -> Unplaced:
    """Return the encounters of a map that fit on none of `count` ground plans, even without other encounters.

    Plans are made only until each encounter has found a place.
    """
    rules: Mapping[str, Counter[str]] = {
        name: Counter() for name in content.weights_on(place.name, place.depth)
    }
    left: Collection[str] = rules
    for each in ground_plans(content, place, count) if left else ():
        found = {name: each.place_alone(name) for name in left}
        refused = {name: why for name, why in found.items() if isinstance(why, SpaceRefusal)}
        for name, why in refused.items():
            rules[name].update(why.rules)
        if not refused:
            return Frozen()
        left = refused
    return Frozen({name: causes_by_share(rules[name]) for name in left if rules[name]})
