"""Which maps a world has, of all that it may have, and where they lead: decided by its seed before any map is made.

Each decision has a stream of its own, named after the branch or the map that it is about: whether there is a branch that is
left to chance, which of several branches there are, from which map a branch is entered, of which type a map is. So another
branch, or another type of map, changes only the worlds in which it wins. What no way leads to is not in a world.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dungeon.content.values.grammar import roll
from dungeon.core.streams import Streams

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from dungeon.content.library import Content
    from dungeon.content.models.world import ChartMap


@dataclass(frozen=True, slots=True, kw_only=True)
class MapNode:
    """A map of the world.

    Attributes:
        id: ``branch/depth``.
        name: The type of map; mostly the branch is called like it.
        depth: How deep it lies in the world.
        branch_depth: How deep it lies in its branch: 1 for the first map of it.
        leads_to: The ids of the maps that its exits lead to.
        one_way: Whether no way leads back from here to where one came from.
    """

    id: str
    name: str
    depth: int
    leads_to: tuple[str, ...]
    branch_depth: int = 1
    one_way: bool = False

    @property
    def branch(self) -> str:
        """The branch: all maps with ids that begin so."""
        return self.id.rsplit("/", 1)[0]


def is_sure(content: Content) -> bool:
    """Tell whether all worlds of a content have the same maps."""
    world = content.world
    sure = all(branch.chance >= 1 and not branch.entered_from for branch in world.maps.values())
    return sure and not world.choose and all(len(spot.types) == 1 for spot in content.chart.spots.values())


def maps_of(content: Content, seed: int) -> tuple[MapNode, ...]:
    """Return the maps of a world, in order of depth.

    Args:
        content: The content.
        seed: The seed of the world.
    """
    streams = Streams(seed, "world")
    lacking = _absent_branches(content, streams)
    spots = {spot.id: spot for spot in content.chart.spots.values() if spot.branch not in lacking}
    reached = reached_in(
        content, spots, lambda first, mouths: streams.winner(dict.fromkeys(mouths, 1.0), "entered", first)
    )
    nodes = [
        MapNode(
            id=spot.id,
            name=_type_of(content, spot, streams),
            depth=spot.depth,
            leads_to=reached[spot.id],
            branch_depth=spot.branch_depth,
            one_way=spot.one_way,
        )
        for spot in spots.values()
        if spot.id in reached
    ]
    return tuple(sorted(nodes, key=lambda node: node.depth))


def _absent_branches(content: Content, streams: Streams) -> set[str]:
    """Return the branches that a world does not have."""
    lacking = {
        branch
        for branch, said in content.world.maps.items()
        if said.chance < 1 and streams.unit("branch", branch) > said.chance
    }
    for choice in content.world.choose:
        count = roll(choice.count, streams.stream("choose", "count", *sorted(choice.of)[:1]), 0)
        lacking.update(streams.race(dict.fromkeys(choice.of, 1.0), "choose")[count:])
    return lacking


def reached_in(
    content: Content, spots: Collection[str], choose: Callable[[str, list[str]], str]
) -> dict[str, tuple[str, ...]]:
    """Return the maps to which ways lead from the start, each with the maps that it leads to.

    Which these are does not depend on what is chosen. A branch is entered when all maps have been reached from which it may be,
    unless that takes what lies behind it itself.

    Args:
        content: The content.
        spots: The maps that there are, be they reached or not.
        choose: Called with the first map of a branch and all maps from which it may be entered, returns one of them.
    """
    chart = content.chart
    found: dict[str, tuple[str, ...]] = {}
    shut = [first for first in chart.entered_from if first in spots]
    ever = _ever_reached(content, spots)
    waiting = [chart.start]
    while waiting:
        while waiting:
            map_id = waiting.pop()
            if map_id not in found:
                found[map_id] = tuple(each for each in chart.leads_to.get(map_id, ()) if each in spots)
                waiting += found[map_id]
        # A branch may be entered from another one, which must have been reached for that.
        mouths = {first: [each for each in chart.entered_from[first] if each in found] for first in shut}
        able = [first for first in shut if mouths[first]]
        whole = (first for first in able if ever.intersection(chart.entered_from[first]) <= found.keys())
        first = next(whole, able[0] if able else None)
        if first is not None:
            shut.remove(first)
            mouth = choose(first, mouths[first])
            found[mouth] = tuple(dict.fromkeys([*found[mouth], first]))
            waiting.append(first)
    return found


def _ever_reached(content: Content, spots: Collection[str]) -> set[str]:
    """Return all maps to which ways lead from the start, whatever is chosen."""
    chart = content.chart
    found: set[str] = set()
    waiting = [chart.start]
    while waiting:
        map_id = waiting.pop()
        if map_id not in found:
            found.add(map_id)
            waiting += [each for each in chart.leads_to.get(map_id, ()) if each in spots]
            waiting += [
                first for first, mouths in chart.entered_from.items() if first in spots and map_id in mouths
            ]
    return found


def _type_of(content: Content, spot: ChartMap, streams: Streams) -> str:
    """Return of which type a map is."""
    if len(spot.types) == 1:
        return next(iter(spot.types))
    weights = {name: content.weight_at(weight, spot.depth) for name, weight in spot.types.items()}
    return streams.winner(weights, "type", spot.id)
