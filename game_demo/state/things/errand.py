"""What the player has come for."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from dungeon import World


def goal_of(world: World) -> str:
    """Return the name of what wins a game in a world: the catalog's item that is the `goal`, or else the heart of the world."""
    return next((name for name, _ in _goals(world)), f"heart of {world.content.world.name}")


def errand(world: World) -> str:
    """Return what there is to do in a world: what its author says of it, or what to take, how deep it lies, and what comes of it."""
    for _, keywords in _goals(world):
        if isinstance(told := keywords.get("errand"), str):
            return told
    depth = max(node.depth for node in world.maps)
    return f"Find the {goal_of(world)}, at depth {depth}, and take it: that ends {world.content.world.name}."


def _goals(world: World) -> Iterator[tuple[str, Mapping[str, object]]]:
    """Yield the names and keywords of what wins a game in a world."""
    for things in world.content.catalog.things.values():
        yield from ((each.name, each.data) for each in things.values() if each.data.get("goal") is True)
