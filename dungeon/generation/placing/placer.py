"""Place the encounters of a map one after another; make room for an encounter that fits nowhere.

A request is an encounter to place. A site is a free room or cave; an annex is a site that is dug for one request. An
occupant is a placed encounter. Sites kept for stairs are used only if nothing else helps.

`Placer.place` tries in this order:

1. a free site;
2. an annex dug for the encounter, or a free site altered for it;
3. a site kept for stairs;
4. moving one earlier encounter, or a chain of two, to another site.

    The den fits only into room A, which the shop has:    A: shop   B: free
    The shop also fits into room B, so it moves there:    A: den    B: shop

Encounters and sites are the two sides of a bipartite graph, and a chain of moves is an augmenting path in it (Berge 1957, "Two
theorems in graph theory").
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from itertools import islice
from typing import TYPE_CHECKING

from dungeon import terrain as t
from dungeon.core.registry import ANY_ACCESS, blamed
from dungeon.generation.placing.alterations import AlterationLimits, Alterations
from dungeon.generation.placing.annexes import LONGEST_HALLWAY, AnnexGround, AnnexPlan, annex_cells
from dungeon.generation.placing.attempt import (
    PlacedRequest,
    PlacingRequest,
    attempt,
    prefabs_in_order,
    suitable_regions,
    variants_of,
)
from dungeon.generation.placing.refusals import SpaceRefusal
from dungeon.generation.placing.sites import Sites
from dungeon.generation.placing.walkability import EDGES, walkability
from dungeon.grid.rect import Rect

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from dungeon.core.streams import Streams
    from dungeon.generation.placing.spacing import Spacing
    from dungeon.level.canvas import Canvas, Snapshot

MOST_TRIES = 20
"""Maximum number of annexes tried for an encounter, and then of altered sites, before it is refused.

Each try changes the map, checks the drawing and undoes the change, so the limit bounds the time of a refusal.
"""

MOST_CHAINS = 6
"""Maximum number of single moves tried for an encounter, and then of chains of two moves."""

ANNEX_REACH = 2 * LONGEST_HALLWAY + 4
"""How far from its block an annex may change the map, in cells.

Two hallways fit in, of which `break_through` digs the second, with doors and walls; a few cells are spare.
"""


@dataclass(slots=True)
class Occupant:
    """An encounter that has been placed on the map and so occupies a site: its request, and where it was placed."""

    request: PlacingRequest
    placed: PlacedRequest

    @property
    def can_move(self) -> bool:
        """Whether the encounter may be moved: its site is as the layout made it, neither dug nor altered for it."""
        return not (self.placed.dug or self.placed.altered)


Chain = list[tuple[int, int]]
"""The moves of a chain, in order: (index of an occupant, id of the region that it moves to).

Each occupant moves to the site that the next one leaves; the last one moves to a free site.
"""


class Placer:
    """Places encounters on a map and keeps a list of them, so that an earlier one can be moved for a later one.

    Args:
        canvas: The map. It changes with every placed encounter.
        streams: The level's random streams.
        kinds: The kinds of region that may be dug as annexes or altered; empty forbids both.
        limits: A function that returns the doors and cells that alterations must leave alone. It is called at most once, when
            first needed. None: alterations may change any.
        kept: The ids of the regions kept for stairs. An encounter takes one only if it fits nowhere else.
        spacing: The distances between encounters; None if there are none.

    Attributes:
        occupants: The placed encounters, in the order of placing.
        spacing: The distances between encounters.
        moved: The indices of the occupants that the last call of `place` moved.
    """

    def __init__(
        self,
        canvas: Canvas,
        streams: Streams,
        *,
        kinds: Collection[str],
        limits: Callable[[], AlterationLimits] | None = None,
        kept: Collection[int] = (),
        spacing: Spacing | None = None,
    ) -> None:
        self.occupants: list[Occupant] = []
        self.moved: list[int] = []
        self._canvas = canvas
        self._streams = streams
        self._kinds = frozenset(kinds)
        self._find_limits = limits or partial(AlterationLimits.none, canvas)
        self._kept = frozenset(kept)
        self.spacing = spacing

    @cached_property
    def _sites(self) -> Sites:
        """All free sites of the map, those kept for stairs included."""
        return Sites.of(self._canvas)

    @cached_property
    def _regions_not_kept(self) -> frozenset[int] | None:
        """The ids of the regions that are sites and not kept for stairs; None for all regions, if none is kept."""
        return frozenset(self._sites.sites).difference(self._kept) if self._kept else None

    def place(self, request: PlacingRequest) -> PlacedRequest | SpaceRefusal:
        """Place a request, or return why it fits nowhere. Earlier encounters may move to make room."""
        self.moved = []
        with blamed("placing mode", request.mode):
            return self._place(request)

    def _place(self, request: PlacingRequest) -> PlacedRequest | SpaceRefusal:
        """Try to place a request on a free site, on a dug or altered one, on one kept for stairs, and by moving others, in this order.

        Return the first success; else why no free, dug or altered site fits.
        """
        found = self._attempt(request, self._regions_but_kept(request))
        if (
            isinstance(found, SpaceRefusal)
            and request.access[1] > 0
            and self._kinds.intersection(request.mode.kinds)
        ):
            found = self._place_on_new_site(request, found)
        if isinstance(found, SpaceRefusal) and self._kept:
            on_kept = self._attempt(request, request.regions)
            found = found if isinstance(on_kept, SpaceRefusal) else on_kept
        if isinstance(found, SpaceRefusal):
            found = self._place_after_moves(request) or found
        return found

    def _regions_but_kept(self, request: PlacingRequest) -> frozenset[int] | None:
        """Return the ids of the regions that a request may use and that are not kept for stairs; None for any region."""
        if self._regions_not_kept is None or request.regions is None:
            return self._regions_not_kept if request.regions is None else request.regions
        return request.regions & self._regions_not_kept

    def _attempt(
        self, request: PlacingRequest, regions: frozenset[int] | None
    ) -> PlacedRequest | SpaceRefusal:
        """Place a request on a free site of the given regions, without digging or moving; `regions` None means any."""
        found = attempt(self._canvas, self._sites, self._with_distances(request, regions), self._streams)
        if isinstance(found, PlacedRequest):
            self._record(request, found)
        return found

    def _record(self, request: PlacingRequest, placed: PlacedRequest) -> None:
        """Record that a request was placed, in `occupants` and in `spacing`."""
        self.occupants.append(Occupant(request, placed))
        if self.spacing is not None:
            self.spacing.add(request.encounter, self._covered_cells(placed))

    def _with_distances(
        self, request: PlacingRequest, regions: frozenset[int] | None, made: Rect | None = None
    ) -> PlacingRequest:
        """Return a copy of a request that must lie in some regions and keep the distances to what is on the map now.

        Args:
            request: What to place.
            regions: The ids of the regions; None for any.
            made: The rectangle that was changed to make a site for the request; None if none was made.
        """
        spaced = request._replace(regions=regions)
        if self.spacing is None:
            return spaced
        name, broken_distance = request.encounter, self.spacing.broken_distance

        def verify(cells: int, changed: Rect) -> str | None:
            return broken_distance(name, cells, changed if made is None else changed.joined(made))

        return spaced._replace(distances=self.spacing.distances(name), verify=verify)

    def _covered_cells(self, placed: PlacedRequest) -> int:
        """Return the mask of the cells that a placed request covers: its drawing, or its whole region."""
        if placed.drawing is None:
            return self._canvas.board.from_array(self._canvas.region == placed.region)
        return self._canvas.board.block(*placed.bounds)

    # -- moving ---------------------------------------------------------------------------------

    def _place_after_moves(self, request: PlacingRequest) -> PlacedRequest | None:
        """Place a request on the site of an earlier encounter, which moves to another site; return None if no such move works."""
        is_altered = any(each.placed.altered for each in self.occupants)
        holders = {
            each.placed.region: index
            for index, each in enumerate(self.occupants)
            if each.can_move
            and each.placed.site.region.kind in request.mode.kinds
            and not (is_altered and self._opens_ways(each.placed))
            and (self.spacing is None or self.spacing.may_move(each.request.encounter, request.encounter))
        }
        if not holders:
            return None
        wanted = self._holders_of_sites_for(request, holders)
        for chains in (self._single_moves(wanted), self._double_moves(wanted, holders)):
            for each in islice(chains, MOST_CHAINS):
                if (found := self._try_chain(request, each)) is not None:
                    return found
        return None

    def _opens_ways(self, placed: PlacedRequest) -> bool:
        """Return whether a drawing has opened closed cells, so that it must not move once sites have been altered.

        An alteration may have walled up a door because these cells lead around it.
        """
        is_open = self._canvas.terrain_set.open
        return bool((is_open.take(placed.after.terrain) & ~is_open.take(placed.before.terrain)).any())

    def _single_moves(self, wanted: Sequence[int]) -> Iterator[Chain]:
        """Yield chains of one move: an encounter whose site suits the new one moves to a free site.

        `wanted` are the indices of the occupants whose sites suit the new encounter, best first.
        """
        for index in wanted:
            for region in self._free_regions_for(index):
                yield [(index, region)]

    def _double_moves(self, wanted: Sequence[int], holders: Mapping[int, int]) -> Iterator[Chain]:
        """Yield chains of two moves: an encounter whose site suits the new one moves to the site of another, which moves to a free site.

        Args:
            wanted: The indices of the occupants whose sites suit the new encounter, best first.
            holders: Region id -> the index of the occupant there, for all occupants that may move.
        """
        for first in wanted[:MOST_CHAINS]:
            for second in self._holders_of_sites_for(self.occupants[first].request, holders):
                if second != first:
                    for region in self._free_regions_for(second):
                        yield [(first, self.occupants[second].placed.region), (second, region)]

    def _holders_of_sites_for(self, request: PlacingRequest, holders: Mapping[int, int]) -> list[int]:
        """Return the indices of the occupants whose sites would suit a request, in the order in which these sites would be tried.

        A site is judged as if its occupant were gone, with the present doors and distances.

        Args:
            request: What to place.
            holders: Region id -> the index of the occupant there, for all occupants that may move.
        """
        sites = {region: self.occupants[index].placed.site.renewed() for region, index in holders.items()}
        held = Sites(self._sites.ground, self._sites.kinds, sites)
        spaced = self._with_distances(request, self._regions_but_kept(request))
        return [holders[region] for region in suitable_regions(self._canvas, held, spaced, self._streams)]

    def _free_regions_for(self, index: int) -> list[int]:
        """Return the ids of at most two free regions to which the occupant `index` could move: it had a spot there when it was placed."""
        others = self.occupants[index].placed.others
        return [*islice((number for number in others if number in self._sites.sites), 2)]

    def _try_chain(self, request: PlacingRequest, chain: Chain) -> PlacedRequest | None:
        """Make the moves of a chain and place a request on the site that becomes free. If any step fails, undo all and return None."""
        moving = [self.occupants[index] for index, _ in chain]
        distances = None if self.spacing is None else self.spacing.snapshot()
        removed: list[tuple[Occupant, Snapshot]] = []
        anew: list[Occupant] = []
        for each in moving:
            as_it_was = self._canvas.snapshot(each.placed.before.rect)
            if not self._remove(each):
                break
            removed.append((each, as_it_was))
        else:
            targets = [moving[0].placed.region, *(region for _, region in chain)]
            for plan, region in zip([request, *(each.request for each in moving)], targets, strict=True):
                if isinstance(self._attempt(plan, frozenset([region])), SpaceRefusal):
                    break
                anew.append(self.occupants.pop())
        if len(anew) > len(chain):  # the request and every mover found a place
            for (index, _), old, new in zip(chain, moving, anew[1:], strict=True):
                new.placed = new.placed._replace(others=old.placed.others)
                self.occupants[index] = new
                self.moved.append(index)
            self.occupants.append(anew[0])
            return anew[0].placed
        for each in reversed(anew):
            self._canvas.restore(each.placed.before)
            self._sites.free(each.placed.site, each.placed.before.rect)
        for each, as_it_was in reversed(removed):
            self._canvas.restore(as_it_was)
            self._sites.take(each.placed.region, as_it_was.rect)
        if self.spacing is not None and distances is not None:
            self.spacing.restore(distances)
        return None

    def _remove(self, occupant: Occupant) -> bool:
        """Take an occupant off the map and free its site; return False, and change nothing, if later changes overlap its own.

        The list of occupants stays as it is.
        """
        placed = occupant.placed
        if not self._canvas.take_back(placed.before, placed.after, placed.site.region):
            return False
        if self.spacing is not None:
            self.spacing.remove(occupant.request.encounter, self._covered_cells(placed))
        self._sites.free(placed.site, placed.before.rect)
        return True

    # -- making sites ---------------------------------------------------------------------------

    @cached_property
    def _limits(self) -> AlterationLimits:
        """The doors and cells that alterations must leave alone, without the obstacles of placed encounters."""
        return self._find_limits()

    def _current_limits(self) -> AlterationLimits:
        """Return the doors and cells that alterations must leave alone; the cells include the obstacles of all placed drawings."""
        limits = self._limits.copy()
        for each in self.occupants:
            if each.placed.drawing is not None:
                limits.stopped[each.placed.bounds.slices] |= each.placed.drawing.barriers
        return limits

    def _place_on_new_site(
        self, request: PlacingRequest, refused: SpaceRefusal
    ) -> PlacedRequest | SpaceRefusal:
        """Place a request in an annex, or else on an altered site; if neither works, leave the map as it was.

        Args:
            request: What to place.
            refused: Why no free site fits.

        Returns:
            The placed request; or `refused`, with the numbers of annexes and altered sites tried.
        """
        canvas, streams = self._canvas, self._streams.under(*request.name)
        plans = [each for each in _annex_plans(request, streams, canvas) if each.annex.kind in self._kinds]
        if not plans:
            return refused
        taken = {each.placed.region for each in self.occupants}
        alterations = Alterations(
            canvas=canvas,
            request=self._with_distances(request, request.regions),
            plans=plans,
            limits=self._current_limits,
            taken=taken | self._kept,
            closings=[door.kind for door in canvas.connections if door.kind in (t.DOORWAY, t.DOOR)]
            or [t.DOOR],
            streams=streams,
        )
        dug, found = self._place_on_any(request, self._dug_annexes(alterations), is_dug=True)
        if found is not None:
            return found
        altered, found = self._place_on_any(request, alterations.sites(self._sites), is_dug=False)
        return refused.besides(_count_in_words(dug), _count_in_words(altered)) if found is None else found

    def _place_on_any(
        self, request: PlacingRequest, made: Iterator[tuple[Sites, int, Snapshot]], *, is_dug: bool
    ) -> tuple[int, PlacedRequest | None]:
        """Try to place a request on new sites, one by one, `MOST_TRIES` at most; return (the number tried, the placed request or None).

        Args:
            request: What to place.
            made: For each new site (the site alone, its region id, a snapshot of the cells before it was made).
            is_dug: Whether the sites are annexes; else they are altered sites.
        """
        tried, before = 0, None
        for tried, (sites, region, before) in enumerate(islice(made, MOST_TRIES), 1):
            spaced = self._with_distances(request, frozenset([region]), before.rect)
            found = attempt(self._canvas, sites, spaced, self._streams)
            if isinstance(found, PlacedRequest):
                self._sites.renew(before.rect.joined(found.before.rect), gone=region)
                found = found._replace(dug=is_dug, altered=not is_dug)
                self._record(request, found)
                return tried, found
        if before is not None:
            self._canvas.restore(before)  # `islice` stopped before the generator could undo the last site
        return tried, None

    def _dug_annexes(self, alterations: Alterations) -> Iterator[tuple[Sites, int, Snapshot]]:
        """Dig one annex after another, `MOST_TRIES` at most; fill each in again before the next.

        Yields:
            (the new site alone, its region id, a snapshot of the cells before digging).
        """
        canvas, request = self._canvas, alterations.request
        shut = {each.placed.region for each in self.occupants if each.request.access[1] < ANY_ACCESS[1]}
        ground = AnnexGround.of(self._sites.ground, request.regions, request.within, shut)
        stream = alterations.streams.stream("annex")
        for spot in islice(ground.spots(alterations.plans, alterations.streams), MOST_TRIES):
            block = Rect(spot.y, spot.x, spot.plan.annex.height, spot.plan.annex.width)
            before = canvas.snapshot(block.grown(ANNEX_REACH).clipped(canvas.height, canvas.width))
            region = ground.dig(spot, stream.pick(alterations.closings), stream)
            if alterations.break_through(region, request.access[0] - 1, stream):
                yield Sites.of(canvas, [region]), region, before
            canvas.restore(before)


def _count_in_words(count: int) -> str:
    """Return the number of sites that were tried, in words: 3 -> "3"; the maximum, 20 -> "the first 20"; 0 -> ""."""
    return f"the first {count}" if count == MOST_TRIES else str(count or "")


def _annex_plans(request: PlacingRequest, streams: Streams, canvas: Canvas) -> Iterator[AnnexPlan]:
    """Yield plans of annexes in which one of the request's prefabs would fit: one for each prefab, shape and side of the door."""
    mode = request.mode
    if mode.annex is None:
        return
    options = mode.settle(request.params, streams.stream("options"))
    stream = streams.stream("annex", "shape")
    for prefab in prefabs_in_order(request, streams):
        walks = walkability(next(variants_of(request, prefab, streams)).drawing, canvas.terrain_set)
        for shape, orientations in prefab.shapes(faces=mode.faces):
            annex = mode.annex(shape, options)
            cells = annex_cells(annex, stream)
            for side in annex.sides:
                if cells.shape == (shape.height, shape.width):
                    # An exact fit: the prefab's own edge decides where a door may lead in.
                    drawn = (walks.edge(each, side) for each in orientations)
                    edge = tuple(map(any, zip(*drawn, strict=True)))
                else:
                    edge = tuple(cells[EDGES[side]].tolist())
                yield AnnexPlan(annex, cells, side, edge)
