"""What a level is due: the encounters that are drawn for it where there is space for whatever comes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dungeon.core.streams import Streams
from dungeon.generation.encounters.draw import Draw
from dungeon.generation.encounters.shares import share_out

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from dungeon.content.library import Content
    from dungeon.generation.encounters.shares import Shares, WorldMap


def due_in_world(
    content: Content, seed: int, places: Sequence[WorldMap], asked: Collection[WorldMap]
) -> Iterator[tuple[WorldMap, list[str]]]:
    """Yield some of a world's maps, each with its encounters in the order in which they are drawn.

    Streams are those of the levels: where everything that is drawn finds space, a level has just that.

    Args:
        content: The content.
        seed: The seed of the world.
        places: Every map of the world.
        asked: Those that are asked for.
    """
    shares = share_out(content, places, seed)
    for place in places:
        if place in asked:
            yield place, due_on(content, place, shares, Streams(seed, place.map_id))


def due_on(content: Content, place: WorldMap, shares: Shares, streams: Streams) -> list[str]:
    """Return the encounters that a level is due, in the order in which they are drawn.

    Args:
        content: The content.
        place: The map.
        shares: What the maps of the world have of what is shared out.
        streams: The level's streams.

    Returns:
        Their names, and `NO_ENCOUNTER` for each turn at which nothing comes.
    """
    most, first = shares.on(place.map_id)
    draw = Draw(content, place.name, place.depth, most, streams, first)
    return [turn.taking.encounter for turn in draw.run(draw.objection) if turn.taking]
