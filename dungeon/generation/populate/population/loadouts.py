"""Loadouts: the items that robots and props hold, rolled when everything stands where it stays.

What one holds is drawn from a stream of its own, by its cell: a longer loadout, or another holder, changes nothing else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dungeon.content.values.grammar import Constant, roll
from dungeon.generation.populate.choosing import Chooser, changed, spawn_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dungeon.content.catalog.symbols import Loadout
    from dungeon.core.streams import Streams
    from dungeon.generation.populate.references import Populator
    from dungeon.level.model import Spawn


def hand_out(populator: Populator, streams: Streams) -> None:
    """Give all robots and props that have been put what they hold.

    A prop beside which its drawing leaves walkers no cell holds nothing, which is journalled.

    Args:
        populator: What has filled the level.
        streams: Where chance comes from: ("populate", "loadout", y, x) of the holder, number of the entry.
    """
    own = streams.under("populate", "loadout")
    for index, loadout in enumerate(populator.loadouts):
        if loadout:
            spawn = populator.spawns[index]
            if populator.occupancy.stand_on(spawn.cells) and not populator.occupancy.has_access(spawn.cells):
                subject = f"{spawn.source} ({spawn.tag})"
                populator.journal.note("populate", subject, "noted", "it holds nothing: no walker gets to it")
                continue
            if held := tuple(_held(populator, spawn, loadout, own)):
                populator.spawns[index] = changed(spawn, loadout=held)


def _held(populator: Populator, holder: Spawn, loadout: Loadout, streams: Streams) -> Iterator[Spawn]:
    """Yield the items of a loadout, each of which fits the depth where its holder stands."""
    y, x = holder.y, holder.x
    below = 0 if populator.below is None else int(populator.below[y, x])
    chooser = Chooser.of(populator.catalog, populator.depth + below)
    for number, entry in enumerate(loadout):
        request = chooser.request(entry)
        count = (
            entry.count.value
            if isinstance(entry.count, Constant)
            else roll(entry.count, streams.stream(y, x, number), 0)
        )
        for stream in streams.branches(count, y, x, number):
            if request.comes(stream):
                thing = chooser.choose(request, stream, holder.source, populator.journal)
                if thing is not None:
                    keywords = request.keywords(thing, stream)
                    yield spawn_of(thing, holder.cells[:1], keywords, holder.source, holder.placement)
