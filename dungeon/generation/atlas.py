"""Decide by the world seed which maps a world has and where they lead, before any map is made.

A branch is a chain of maps, such as `caves/1` and `caves/2`. The chart of a content (`content.chart`) lists every map
that its worlds may have; a world has some of them. A branch may be optional, and may be entered from one of several
maps.

Each decision has a random stream of its own, named after its branch or map: whether an optional branch exists, which of several
branches exist, from which map a branch is entered, the type of a map. So another branch or type in the content changes only the
worlds in which it wins. A map that no way leads to is not in the world.
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
        id: Branch and depth in the branch: ``caves/2``.
        name: The type of map, an entry of the content; mostly named like the branch.
        depth: Its depth in the world.
        branch_depth: Its depth in its branch, from 1.
        leads_to: The ids of the maps that its exits lead to.
        one_way: Whether the player can't go back from this map to the map he came from.
    """

    id: str
    name: str
    depth: int
    leads_to: tuple[str, ...]
    branch_depth: int = 1
    one_way: bool = False

    @property
    def branch(self) -> str:
        """The map's branch: the part of its id before "/"."""
        return self.id.rsplit("/", 1)[0]


def is_sure(content: Content) -> bool:
    """Return whether all worlds of a content have the same maps, with the same types and the same ways between them."""
    world = content.world
    sure = all(branch.chance >= 1 and not branch.entered_from for branch in world.maps.values())
    return sure and not world.choose and all(len(spot.types) == 1 for spot in content.chart.spots.values())


def maps_of(content: Content, seed: int) -> tuple[MapNode, ...]:
    """Return the maps that the world with this seed has, in order of depth."""
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
    """Return the names of the branches that a world does not have, by chance (`chance`) or because others were chosen (`choose`)."""
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
    """Walk a world from the maps on which games begin, and choose for each branch the map that leads into it.

    `choose` is called once for each branch of `chart.entered_from`, when all its possible entrances have been reached. Entrances that lie
    behind the branch itself are not waited for. Which maps are reached does not depend on the choice.

    Args:
        content: The content.
        spots: The ids of the maps that the world may have.
        choose: Called with (first map of a branch, the reached maps that may lead there); returns one of these.

    Returns:
        Id of each map that can be reached -> the ids of the maps that it leads to.
    """
    chart = content.chart
    found: dict[str, tuple[str, ...]] = {}
    shut = [first for first in chart.entered_from if first in spots]
    ever = _ever_reached(content, spots)
    waiting = [*chart.starts]
    while waiting:
        while waiting:
            map_id = waiting.pop()
            if map_id not in found:
                found[map_id] = tuple(each for each in chart.leads_to.get(map_id, ()) if each in spots)
                waiting += found[map_id]
        # A branch may be entered from another branch, once that has been reached.
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
    """Return the ids of the maps that a game can reach if every branch is entered from all its possible entrances."""
    chart = content.chart
    found: set[str] = set()
    waiting = [*chart.starts]
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
    """Return the type of a map; if the chart allows several, choose one at random by weight."""
    if len(spot.types) == 1:
        return next(iter(spot.types))
    weights = {name: content.weight_at(weight, spot.depth) for name, weight in spot.types.items()}
    return streams.winner(weights, "type", spot.id)
