"""The branches of the world, beside the types of map that there are."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dungeon.content.source.faults import Fault
from dungeon.content.values.weights import weight_at

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dungeon.content.loading.draft import Draft
    from dungeon.content.models.worlds.world import WorldEntry
    from dungeon.content.source.names import Names


def declared(draft: Draft) -> list[str]:
    """Return the branches that the world declares, be they right or not."""
    world = draft.singles.get("world.yaml")
    said = world.fields.get("maps") if world else None
    return list(said) if isinstance(said, dict) else []


def typeless(world: WorldEntry, names: Names, words: Mapping[str, float]) -> list[Fault]:
    """Return which branches have maps of no type: that of their own name, if they name none, must be there.

    Args:
        world: The world.
        names: All names.
        words: What the words for weights are worth.
    """
    faults = []
    for branch, said in world.maps.items():
        if not said.maps and (fault := names.fault("map", branch)):
            faults.append(replace(fault, path=("maps", branch), key=True))
        weights = list(said.maps.values())
        bare = [depth for depth in said.depths if not any(weight_at(each, depth, words) for each in weights)]
        if weights and bare:
            message = f"no type of map has a weight above 0 at depth {bare[0]}"
            faults.append(Fault(message=message, path=("maps", branch, "maps"), key=True))
    return faults
