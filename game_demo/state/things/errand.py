"""What the player has come for."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dungeon import World


def goal_of(world: World) -> str:
    """Return the name of what wins a game in a world: the catalog's item that is the `goal`, or else the heart of the world."""
    kinds = world.content.catalog.things.values()
    goals = (each.name for things in kinds for each in things.values() if each.data.get("goal") is True)
    return next(goals, f"heart of {world.content.world.name}")


def errand(world: World) -> str:
    """Return what there is to do in a world, in a sentence: what to take, how deep it lies, and what comes of it."""
    depth = max(node.depth for node in world.maps)
    return f"You are after the {goal_of(world)}, at depth {depth}: that ends {world.content.world.name}."
