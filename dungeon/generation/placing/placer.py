"""Placing encounters, one after the other: on a site that the map has, or in an annex that is dug for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dungeon import terrain as t
from dungeon.generation.placing.annexes import AnnexGround, Wish, cells_of
from dungeon.generation.placing.attempt import Placed, PlacingRequest, Refused, attempt, in_turn
from dungeon.generation.placing.edges import EDGES, edge_of
from dungeon.generation.placing.sites import Sites
from dungeon.grid.rect import Rect

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from dungeon.core.streams import Streams
    from dungeon.level.canvas import Canvas

MOST_ANNEXES = 20
"""So many annexes are dug, and filled in again, before an encounter is refused that fits into none of them."""


class Placer:
    """Who places encounters on a map.

    Args:
        canvas: The map.
        streams: Where chance comes from.
        kinds: The kinds of region of which annexes may be dug.
        kept: The ids of the regions that are taken only by what has no other place.
    """

    def __init__(
        self, canvas: Canvas, streams: Streams, *, kinds: Collection[str], kept: Collection[int] = ()
    ) -> None:
        self._canvas = canvas
        self._streams = streams
        self._kinds = kinds
        self._found: Sites | None = None
        self._kept = frozenset(kept)
        self._taken: set[int] = set()

    @property
    def _sites(self) -> Sites:
        """What is free; all of the map is looked at, if anybody asks."""
        if self._found is None:
            self._found = Sites.of(self._canvas, self._taken | self._kept)
        return self._found

    def place(self, request: PlacingRequest) -> Placed | Refused:
        """Place something; if there is no site for it, in an annex, or else in what is kept."""
        found = attempt(self._canvas, self._sites, request, self._streams)
        if isinstance(found, Refused) and request.access[0] <= 1 <= request.access[1]:
            found = self._in_annex(request, found)
        if isinstance(found, Refused) and self._kept:
            there = attempt(self._canvas, Sites.of(self._canvas, self._taken), request, self._streams)
            if isinstance(there, Placed):
                found = there
                self._kept -= {there.region}
                self._found = None
        if isinstance(found, Placed):
            self._taken.add(found.region)
        return found

    def _in_annex(self, request: PlacingRequest, refused: Refused) -> Placed | Refused:
        """Place something in an annex, if there is space for any; else the map stays as it was."""
        canvas, streams = self._canvas, self._streams.under(*request.name)
        wishes = [each for each in _wishes(request, streams, canvas) if each.annex.kind in self._kinds]
        if not wishes:
            return refused
        ground = AnnexGround.of(self._sites.ground, request.regions, request.within)
        stream = streams.stream("annex")
        closings = [door.kind for door in canvas.doors if door.kind in (t.DOORWAY, t.DOOR)] or [t.DOOR]
        before = canvas.snapshot(Rect(0, 0, canvas.height, canvas.width))
        for _, spot in zip(range(MOST_ANNEXES), ground.spots(wishes, streams), strict=False):
            region = ground.dig(spot, stream.pick(closings), stream)
            sites = Sites.of(canvas, self._taken | self._kept)
            there = request._replace(regions=frozenset([region]))
            found = attempt(canvas, sites, there, self._streams)
            if isinstance(found, Placed):
                self._found = sites
                return found._replace(dug=True)
            canvas.restore(before)
        return refused._replace(reason=f"{refused.reason}, nor is there space to dig one")


def _wishes(request: PlacingRequest, streams: Streams, canvas: Canvas) -> Iterator[Wish]:
    """Yield the annexes that would do for one of the prefabs as it may lie."""
    mode = request.mode
    if mode.annex is None:
        return
    options = mode.settle(request.params, streams.stream("options"))
    stream = streams.stream("annex", "shape")
    for prefab in in_turn(request, streams):
        variant = next(iter(prefab.variants(streams, "variant", prefab.name)))
        for shape, orientations in prefab.shapes(faces=mode.faces):
            annex = mode.annex(shape, options)
            cells = cells_of(annex, stream)
            for side in annex.sides:
                edge = tuple(cells[EDGES[side]].tolist())
                if cells.shape == (shape.height, shape.width):
                    # What fits exactly has its own edge there.
                    drawn = [
                        edge_of(each, side, canvas.terrain_set)
                        for each in variant.lying(frozenset(orientations))
                    ]
                    edge = tuple(map(any, zip(*drawn, strict=True))) if drawn else edge
                yield Wish(annex, cells, side, edge)
