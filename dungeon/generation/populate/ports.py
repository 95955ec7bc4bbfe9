"""What stands where portals begin and end: props of the catalog that have the name of their kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dungeon.content.catalog.selector import Selector
from dungeon.content.catalog.symbols import ObjectEntry
from dungeon.content.values.grammar import Constant

if TYPE_CHECKING:
    from dungeon.core.streams import Stream, Streams
    from dungeon.generation.populate.references import Populator
    from dungeon.grid.rect import Cell


def put_ports(populator: Populator, streams: Streams) -> None:
    """Put the props of all portals of the map where one may go by them; of a kind that is no prop nothing is seen."""
    for number, portal in enumerate(populator.canvas.portals):
        for side, cell in enumerate(portal.entries):
            stream = streams.stream("populate", "portal", number, side)
            put_port(populator, portal.kind, cell, f"portal {number + 1}", stream)


def put_port(populator: Populator, kind: str, cell: Cell, source: str, stream: Stream) -> None:
    """Put the prop of a kind of portal on a cell, if there is one."""
    if kind not in populator.catalog.things["prop"]:
        return
    asked = ObjectEntry.model_validate({"prop": Selector(tags=Constant(kind))})
    request = populator.chooser.request(asked)
    thing = populator.chooser.choose(request, stream, source, populator.journal)
    if thing is not None:
        populator.put(thing, (cell,), request.keywords(thing, stream), source, None)
