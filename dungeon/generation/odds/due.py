"""What a level is due: the encounters that are drawn for it where there is space for whatever comes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dungeon.content.values.grammar import roll
from dungeon.core.streams import Streams
from dungeon.generation.encounters.draw import Draw
from dungeon.generation.encounters.shares import share_out

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dungeon.content.library import Content
    from dungeon.generation.encounters.shares import Place


def due_in_world(
    content: Content, seed: int, places: Sequence[Place], asked: Iterable[str]
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
    wanted = set(asked)
    for place in places:
        if place.map_id in wanted:
            own = {name: count for (name, map_id), count in shares.items() if map_id == place.map_id}
            streams = Streams(seed, place.map_id)
            draw = Draw(content, place.name, place.depth, own, streams)
            count = roll(content.maps[place.name].encounters, streams.stream("plan", "encounters"), 0)
            yield place.map_id, _drawn(draw, count)


def _drawn(draw: Draw, wanted: int) -> list[str]:
    """Return the encounters that are drawn, everything being placed."""
    names: list[str] = []
    while len(names) < wanted and (arrival := draw.next()):
        if draw.excluded_by(arrival) is None:
            draw.place(arrival)
            names.append(arrival.encounter)
    return names
