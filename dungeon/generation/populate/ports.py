"""What stands where portals begin and end: props of the catalog that have the name of their kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dungeon.content.catalog.selector import Selector
from dungeon.content.catalog.symbols import ObjectEntry
from dungeon.content.values.grammar import Constant

if TYPE_CHECKING:
    from dungeon.core.streams import Streams
    from dungeon.generation.populate.references import Populator


def put_ports(populator: Populator, streams: Streams) -> None:
    """Put the props of all portals of the map where one may go by them; of a kind that is no prop nothing is seen."""
    for number, portal in enumerate(populator.canvas.portals):
        if portal.kind not in populator.catalog.things["prop"]:
            continue
        asked = ObjectEntry.model_validate({"prop": Selector(tags=Constant(portal.kind))})
        request = populator.chooser.request(asked)
        for side, cell in enumerate(portal.entries):
            stream, source = streams.stream("populate", "portal", number, side), f"portal {number + 1}"
            thing = populator.chooser.choose(request, stream, source, populator.journal)
            if thing is not None:
                populator.put(thing, (cell,), request.keywords(thing, stream), source, None)
