"""Placing encounters, one after the other: on a site that the map has, in an annex that is dug for it, or on a site altered for it."""

from __future__ import annotations

from contextlib import contextmanager
from functools import cached_property, partial
from itertools import islice
from typing import TYPE_CHECKING

from dungeon import terrain as t
from dungeon.core.registry import ANY_ACCESS, blamed
from dungeon.generation.placing.alterations import Alterations, Lasting
from dungeon.generation.placing.annexes import AnnexGround, Wish, cells_of
from dungeon.generation.placing.attempt import Placed, PlacingRequest, Refused, attempt, in_turn, variants_of
from dungeon.generation.placing.edges import EDGES, footing
from dungeon.generation.placing.sites import Sites
from dungeon.grid.rect import Rect

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from dungeon.content.prefab.drawing import Drawing
    from dungeon.core.streams import Streams
    from dungeon.level.canvas import Canvas

MOST_TRIES = 20
"""So many annexes are dug, and filled in again, and then so many sites altered, before an encounter is refused that fits into none."""


class Placer:
    """Who places encounters on a map.

    Args:
        canvas: The map.
        streams: Where chance comes from.
        kinds: The kinds of region of which annexes may be dug, and which may be altered.
        lasting: Called at most once, returns what alterations have to reckon with; that is nothing, unless it is given.
        kept: The ids of the regions that are taken only by what has no other place.
    """

    def __init__(
        self,
        canvas: Canvas,
        streams: Streams,
        *,
        kinds: Collection[str],
        lasting: Callable[[], Lasting] | None = None,
        kept: Collection[int] = (),
    ) -> None:
        self._canvas = canvas
        self._streams = streams
        self._kinds = kinds
        self._find_lasting = lasting or partial(Lasting.nothing, canvas)
        self._drawn: list[tuple[Rect, Drawing]] = []  # since alterations have reckoned with the others
        self._found: Sites | None = None
        self._spared = [frozenset(kept)]
        self._taken: set[int] = set()
        self._shut: set[int] = set()  # of these, who may get no more ways in

    def spare(self, regions: Collection[int]) -> None:
        """Take these regions, too, only from now on for what has no other place; but rather these than those spared before."""
        self._spared.insert(0, frozenset(regions))
        self._found = None

    @property
    def _sites(self) -> Sites:
        """What is free; all of the map is looked at, if anybody asks."""
        if self._found is None:
            self._found = Sites.of(self._canvas, self._taken.union(*self._spared))
        return self._found

    @contextmanager
    def on_trial(self) -> Iterator[None]:
        """Go back in the end to what is there now, whatever has been placed."""
        canvas, taken, shut, sites = self._canvas, {*self._taken}, {*self._shut}, self._sites
        drawn = [*self._drawn]
        before, quiet = canvas.snapshot(Rect(0, 0, canvas.height, canvas.width)), canvas.quiet.copy()
        self._found = None  # what is known of these sites is right again in the end
        try:
            yield
        finally:
            canvas.restore(before)
            canvas.quiet[...] = quiet
            self._taken, self._shut, self._found = taken, shut, sites
            self._drawn = [each for each in self._drawn if each in drawn]  # some may have been reckoned with

    def place(self, request: PlacingRequest, home: int | None = None) -> Placed | Refused:
        """Place something; if there is no site for it, in one that is made so, or else in what is kept.

        Args:
            request: What is to be placed.
            home: The id of the region in which it is placed if it can be, kept or not; None if there is none.
        """
        with blamed("placing mode", request.mode):
            return self._place(request, home)

    def _place(self, request: PlacingRequest, home: int | None) -> Placed | Refused:
        at_home = self._at(request, home) if home is not None and home not in self._taken else None
        found = at_home or attempt(self._canvas, self._sites, request, self._streams)
        if isinstance(found, Refused) and request.access[1] > 0:
            found = self._on_new_site(request, found)
        if isinstance(found, Refused):
            found = self._on_spared(request) or found
        if isinstance(found, Placed):
            self._taken.add(found.region)
            if request.access[1] < ANY_ACCESS[1]:
                self._shut.add(found.region)
            if found.drawing is not None:
                self._drawn.append((found.bounds, found.drawing))
        return found

    def _at(self, request: PlacingRequest, region: int) -> Placed | None:
        """Place something on one site, if it can be."""
        if request.regions is not None and region not in request.regions:
            return None
        there = request._replace(regions=frozenset([region]))
        found = attempt(self._canvas, Sites.of(self._canvas, self._taken), there, self._streams)
        if isinstance(found, Refused):
            return None
        self._found = None
        return found

    def _on_spared(self, request: PlacingRequest) -> Placed | None:
        """Place something on a site that is spared, if it can be."""
        for number, regions in enumerate(self._spared, 1):
            if regions:
                sites = Sites.of(self._canvas, self._taken.union(*self._spared[number:]))
                found = attempt(self._canvas, sites, request, self._streams)
                if isinstance(found, Placed):
                    self._found = None
                    return found
        return None

    @cached_property
    def _lasting(self) -> Lasting:
        return self._find_lasting()

    def _lasting_now(self) -> Lasting:
        """Return what alterations have to reckon with, all that has been placed included."""
        while self._drawn:
            bounds, drawing = self._drawn.pop()
            self._lasting.stopped[bounds.slices] |= drawing.obstacles
        return self._lasting

    def _on_new_site(self, request: PlacingRequest, refused: Refused) -> Placed | Refused:
        """Place something in an annex, or on a site that is altered, if there is any; else the map stays as it was."""
        canvas, streams = self._canvas, self._streams.under(*request.name)
        wishes = [each for each in _wishes(request, streams, canvas) if each.annex.kind in self._kinds]
        if not wishes:
            return refused
        alterations = Alterations(
            canvas=canvas,
            request=request,
            wishes=wishes,
            lasting=self._lasting_now,
            taken=self._taken.union(*self._spared),
            closings=[door.kind for door in canvas.connections if door.kind in (t.DOORWAY, t.DOOR)]
            or [t.DOOR],
            streams=streams,
        )
        dug, found = self._on_any(request, self._annexes(alterations))
        if found is not None:
            return found._replace(dug=True)
        altered, found = self._on_any(request, alterations.sites(self._sites))
        if found is not None:
            return found._replace(altered=True)
        return refused.besides(_first(dug), _first(altered))

    def _on_any(
        self, request: PlacingRequest, made: Iterator[tuple[Sites, int]]
    ) -> tuple[int, Placed | None]:
        """Try one new site after the other; return how many were tried, and where it has been placed, if it has."""
        canvas, tried = self._canvas, 0
        before = canvas.snapshot(Rect(0, 0, canvas.height, canvas.width))
        for tried, (sites, region) in enumerate(islice(made, MOST_TRIES), 1):
            there = request._replace(regions=frozenset([region]))
            found = attempt(canvas, sites, there, self._streams)
            if isinstance(found, Placed):
                self._found = sites
                return tried, found
        canvas.restore(before)  # what was tried last may be there still
        return tried, None

    def _annexes(self, alterations: Alterations) -> Iterator[tuple[Sites, int]]:
        """Dig one annex after the other, and fill it in again before the next; yield all sites, and which has been dug."""
        canvas, request = self._canvas, alterations.request
        ground = AnnexGround.of(self._sites.ground, request.regions, request.within, self._shut)
        stream = alterations.streams.stream("annex")
        before = canvas.snapshot(Rect(0, 0, canvas.height, canvas.width))
        for spot in islice(ground.spots(alterations.wishes, alterations.streams), MOST_TRIES):
            region = ground.dig(spot, stream.pick(alterations.closings), stream)
            if alterations.break_through(region, request.access[0] - 1, stream):
                yield Sites.of(canvas, alterations.taken), region
            canvas.restore(before)


def _first(count: int) -> str:
    """Return how many were tried, in words that tell where there may be more; nothing if none was."""
    return f"the first {count}" if count == MOST_TRIES else str(count or "")


def _wishes(request: PlacingRequest, streams: Streams, canvas: Canvas) -> Iterator[Wish]:
    """Yield the annexes that would do for one of the prefabs as it may lie."""
    mode = request.mode
    if mode.annex is None:
        return
    options = mode.settle(request.params, streams.stream("options"))
    stream = streams.stream("annex", "shape")
    for prefab in in_turn(request, streams):
        walks = footing(next(variants_of(request, prefab, streams)).drawing, canvas.terrain_set)
        for shape, orientations in prefab.shapes(faces=mode.faces):
            annex = mode.annex(shape, options)
            cells = cells_of(annex, stream)
            for side in annex.sides:
                if cells.shape == (shape.height, shape.width):
                    # What fits exactly has its own edge there.
                    drawn = (walks.edge(each, side) for each in orientations)
                    edge = tuple(map(any, zip(*drawn, strict=True)))
                else:
                    edge = tuple(cells[EDGES[side]].tolist())
                yield Wish(annex, cells, side, edge)
