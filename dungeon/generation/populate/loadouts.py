"""Loadouts: the items that robots hold, rolled when everything stands where it stays.

What a robot holds is drawn from a stream of its own, by its cell: a longer loadout, or another robot, changes nothing else.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dungeon.content.values.grammar import roll
from dungeon.generation.populate.choosing import Chooser
from dungeon.level.model import Spawn

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from dungeon.content.catalog.catalog import Thing
    from dungeon.content.catalog.symbols import Loadout
    from dungeon.content.prefab.drawing import Machine
    from dungeon.core.streams import Streams
    from dungeon.generation.populate.references import Populator
    from dungeon.grid.rect import Cell


def spawn_of(
    thing: Thing,
    cells: tuple[Cell, ...],
    keywords: Mapping[str, object],
    source: str,
    placement: int | None,
    machine: Machine | None = None,
) -> Spawn:
    """Return a thing as it is on a level.

    Args:
        thing: What.
        cells: Where; the first is its own.
        keywords: What the game is told of it.
        source: The prefab and the character, or the map, that asked for it.
        placement: The index of the placement that it comes with.
        machine: What is drawn of it, if that is more than the thing itself.
    """
    glyphs, fgs = (machine.glyphs, machine.fgs) if machine else ((), ())
    return Spawn(
        kind=thing.kind,
        tag=thing.tag,
        name=thing.name,
        y=cells[0].y,
        x=cells[0].x,
        glyph=glyphs[0] if glyphs else thing.glyph,
        fg=fgs[0] if fgs else thing.fg,
        cells=cells,
        glyphs=glyphs,
        fgs=fgs,
        blocks=thing.blocks,
        opaque=thing.opaque,
        keywords=keywords,
        placement=placement,
        source=source,
    )


def hand_out(populator: Populator, streams: Streams) -> None:
    """Give all robots that have been put what they hold.

    Args:
        populator: What has filled the level.
        streams: Where chance comes from: ("populate", "loadout", y, x) of the robot, number of the entry.
    """
    for index, loadout in enumerate(populator.loadouts):
        if loadout:
            spawn = populator.spawns[index]
            named = streams.under("populate", "loadout", spawn.y, spawn.x)
            populator.spawns[index] = replace(spawn, loadout=tuple(_held(populator, spawn, loadout, named)))


def _held(populator: Populator, holder: Spawn, loadout: Loadout, streams: Streams) -> Iterator[Spawn]:
    """Yield the items of a loadout, each of which fits the depth where its holder stands."""
    below = 0 if populator.below is None else int(populator.below[holder.y, holder.x])
    chooser = Chooser.of(populator.catalog, populator.depth + below)
    for number, entry in enumerate(loadout):
        request = chooser.request(entry)
        for stream in streams.branches(roll(entry.count, streams.stream(number), 0), number):
            if request.comes(stream):
                thing = chooser.choose(request, stream, holder.source, populator.journal)
                if thing is not None:
                    keywords = request.keywords(thing, stream)
                    yield spawn_of(thing, holder.cells[:1], keywords, holder.source, holder.placement)
