"""The maps that worlds of a content have, as far as encounters care, and how likely each is to be in a world."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from dungeon.generation.atlas import is_sure, maps_of
from dungeon.generation.encounters.shares import Place
from dungeon.generation.odds.odds import Estimate, margin

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dungeon.content.library import Content


def places_in(content: Content, seed: int) -> list[Place]:
    """Return the maps of the world of a seed."""
    return [Place(node.id, node.name, node.depth) for node in maps_of(content, seed)]


def likely_places(content: Content, samples: int) -> Mapping[Place, Estimate]:
    """Return the maps that worlds have, in order of depth, and how likely each is, as many worlds say.

    Args:
        content: The content.
        samples: How many worlds are looked at where it is left to chance what they have, of the seeds 0, 1...
    """
    if is_sure(content):
        return dict.fromkeys(places_in(content, 0), Estimate(1.0))
    counted = Counter(place for seed in range(samples) for place in places_in(content, seed))
    order = {map_id: number for number, map_id in enumerate(content.chart.spots)}
    places = sorted(counted, key=lambda place: (place.depth, order[place.map_id], place.name))
    return {
        place: Estimate(1.0)
        if counted[place] == samples
        else Estimate(counted[place] / samples, margin(counted[place], counted[place], samples))
        for place in places
    }
