"""What a level is due: the encounters that are drawn for it where there is space for whatever comes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dungeon.content.values.grammar import roll
from dungeon.core.streams import Streams
from dungeon.generation.encounters.draw import Draw
from dungeon.generation.encounters.shares import share_out

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from dungeon.content.library import Content
    from dungeon.generation.encounters.shares import Place


def due_in_world(
    content: Content, seed: int, places: Sequence[Place], asked: Collection[str]
) -> Iterator[tuple[str, list[str]]]:
    """Yield of some of a world's maps the ids, and their encounters in the order in which they are drawn.

    Streams are those of the levels: where everything that is drawn finds space, a level has just that.

    Args:
        content: The content.
        seed: The seed of the world.
        places: Every map of the world.
        asked: The ids of those that are asked for.
    """
    shares = share_out(content, places, Streams(seed, "world"))
    for place in places:
        if place.map_id in asked:
            own = {name: count for (name, map_id), count in shares.items() if map_id == place.map_id}
            streams = Streams(seed, place.map_id)
            yield place.map_id, due_on(content, place.name, place.depth, own, streams)


def due_on(content: Content, name: str, depth: int, shares: Mapping[str, int], streams: Streams) -> list[str]:
    """Return the encounters that a level is due, in the order in which they are drawn.

    Args:
        content: The content.
        name: The type of map.
        depth: How deep it lies.
        shares: Encounter -> how many of the copies that the world may have this level may have.
        streams: The level's streams.
    """
    draw = Draw(content, name, depth, shares, streams)
    wanted = roll(content.maps[name].encounters, streams.stream("plan", "encounters"), 0)
    names: list[str] = []
    while len(names) < wanted and (arrival := draw.next()):
        if draw.excluded_by(arrival) is None:
            draw.place(arrival)
            names.append(arrival.encounter)
    return names
