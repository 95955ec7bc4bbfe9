"""Loadouts: the items that robots and props hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dungeon.content.values.grammar import Constant, roll
from dungeon.generation.populate.choosing import ObjectChooser, changed, spawn_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dungeon.content.catalog.requests import Loadout
    from dungeon.core.streams import Streams
    from dungeon.generation.populate.populator import Populator
    from dungeon.level.model import Spawn


def give_loadouts(populator: Populator, streams: Streams) -> None:
    """Give the robots and props on the level the items that they hold (their loadouts).

    A prop that no walker can stand beside holds nothing; this is noted in the journal.

    Args:
        populator: Holds the objects of the level.
        streams: The random streams, named ("populate", "loadout", y, x, number of the entry).
    """
    own = streams.under("populate", "loadout")
    for index, loadout in enumerate(populator.loadouts):
        if loadout:
            spawn = populator.spawns[index]
            if populator.occupancy.are_obstacles(spawn.cells) and not populator.occupancy.has_access(
                spawn.cells
            ):
                subject = f"{spawn.source} ({spawn.tag})"
                populator.journal.note(
                    "populate", subject, "noted", "it holds nothing, as no walker can stand beside it"
                )
                continue
            if held := tuple(_held(populator, spawn, loadout, own)):
                populator.spawns[index] = changed(spawn, loadout=held)


def _held(populator: Populator, holder: Spawn, loadout: Loadout, streams: Streams) -> Iterator[Spawn]:
    """Yield the items that a robot or prop holds, chosen for the depth of the cell on which it stands.

    Args:
        populator: Holds the objects of the level.
        holder: The robot or prop.
        loadout: The entries that say which items it holds.
        streams: The random streams, named (y, x, number of the entry).
    """
    y, x = holder.y, holder.x
    below = 0 if populator.below is None else int(populator.below[y, x])
    chooser = ObjectChooser.of(populator.catalog, populator.depth + below)
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
