"""A level measured once for all rules: where spawns stand, and which cells a player can reach. A place is the index of a cell in flat arrays, which hold the rows of the map one after another.

A player walks by 4-neighbour steps over walkable terrain, around every spawn that blocks and never moves; robots step aside.
Portals lead to their ends. Doors open, secret ones too. A locked door stays closed, unless it has a `Lock` and the player can
reach something that `opens` its word without passing it. The same holds for a portal with a lock. `puzzle_drops.solve` finds
the order.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dungeon import terrain as t
from dungeon.proof.flat import IS_DOOR, IS_GAP, FlatLevel, beside, flood, parts_of
from dungeon.proof.level_puzzle import puzzle_of
from dungeon.proof.puzzle_drops import solve

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray

    from dungeon.level.model import Exit
    from dungeon.proof.fields import Fields
    from dungeon.proof.flat import Passage
    from dungeon.proof.level_puzzle import LevelPuzzle
    from dungeon.proof.puzzle import PuzzleOutcome


class SolvedPuzzle(NamedTuple):
    """The locks and keys of a level as a puzzle, and the outcome of playing it."""

    level: LevelPuzzle
    outcome: PuzzleOutcome


class ConnectionCells(NamedTuple):
    """The cells of the level's n connections: (n,) arrays in the level's order, apart from `listed`.

    Attributes:
        place: The index of the cell in the survey's flat arrays; 0 outside the map.
        listed: Flat bool over the whole map: the cells that are a connection and are a door or gap.
        on_door: Whether the cell is a door or a gap (terrain that a connection may have).
        down: Whether `on_door` holds, walls are to the left and right of the cell, and open cells above and below it.
        right: Whether `on_door` holds, walls are above and below the cell, and open cells to its left and right.
    """

    place: NDArray[np.intp]
    listed: NDArray[np.bool_]
    on_door: NDArray[np.bool_]
    down: NDArray[np.bool_]
    right: NDArray[np.bool_]


class RegionRuns(NamedTuple):
    """The map's regions cut into horizontal runs of cells, row by row: arrays with one entry for each run.

    Attributes:
        region: The id of the region.
        start: The place (index in the survey's flat arrays) of the run's first cell.
        y: The row of the run.
        left: The column of the run's first cell.
        right: The column after the run's last cell.
    """

    region: NDArray[np.uint16]
    start: NDArray[np.intp]
    y: NDArray[np.intp]
    left: NDArray[np.intp]
    right: NDArray[np.intp]


class Pocket(NamedTuple):
    """A connected piece of ground that water, a blocking prop or a locked door cuts off from the player.

    Attributes:
        cells: The places of its cells in the survey's flat arrays, ascending.
        exits: The exits in it.
        items: The tags of the items in it.
    """

    cells: NDArray[np.intp]
    exits: list[Exit]
    items: list[str]


class Survey(FlatLevel):
    """A level as flat arrays, with the cells that a player can reach.

    Args:
        fields: The level.
        given: The names of the locks with keys on other maps (`Lock.keys_on`) whose keys the player has; None for all of them.

    Attributes:
        clear: bool: the cells where a player can stand; walkable, without a blocking prop, and no door that stays closed.
        walked: bool: the cells of `clear` that a player reaches from the entrance, fetching keys on the way.
        reached: bool: the open cells that 4-neighbour steps would reach if water, props and locked doors did not matter.
        closed: The places of the locked doors that stay closed.
        played: The solved locks and keys; None if the level has no locks and no one-way portals.
    """

    def __init__(self, fields: Fields, given: Collection[str] | None = None) -> None:
        super().__init__(fields)
        self._given = given
        self.closed = self.among((t.LOCKED_DOOR,))
        self.played: SolvedPuzzle | None = None
        if self.entrance is None:
            self.clear = self.walked = self.reached = np.zeros_like(self.open)
            return
        self.clear = self.walkable & ~self.stopped
        if self.closed:
            self.clear[self.closed] = False
        self.clear[self.entrance] = True
        passages = self.passages
        if self.level.locks or any(not each.both for each in passages):
            passages = self._solve_locks()
        self.walked = self._reached_from(self.clear, [self.entrance], passages)
        # The remaining open cells are mostly the obstacles themselves, which are beside walked cells.
        rest = self.open & ~self.walked
        left, stride, walked = rest.nonzero()[0], self.stride, self.walked
        near = walked[left - stride] | walked[left - 1] | walked[left + 1] | walked[left + stride]
        self.reached = self.open
        if not near.all():
            starts = [*left[near].tolist(), *_portal_ends(walked, self.passages)]
            self.reached = walked | self._reached_from(rest, starts, self.passages)

    def _solve_locks(self) -> list[Passage]:
        """Solve the locks and keys, open what can be opened, and return the portals that are open then."""
        level = puzzle_of(self, self.clear, self._given)
        self.played = SolvedPuzzle(level, solve(level.puzzle))
        opened = {level.locked[lock].place for lock in self.played.outcome.order}
        doors = [place for place in self.closed if place in opened]
        self.closed = [place for place in self.closed if place not in opened]
        self.clear[doors] = ~self.stopped[doors]
        shut = {each.place for each in level.locked if each.what == "portal"} - opened
        return [each for each in self.passages if each.begin not in shut]

    def _reached_from(
        self, mask: NDArray[np.bool_], starts: Sequence[int], passages: Sequence[Passage]
    ) -> NDArray[np.bool_]:
        """Return the cells of a flat mask that a player reaches from the starts, by steps and portals within the mask.

        Args:
            mask: The cells that may be entered.
            starts: The places to begin from; places outside the mask don't count.
            passages: The portals.
        """
        reached = np.zeros_like(mask)
        fresh = [start for start in starts if mask[start]]
        while fresh:
            found = flood(mask, np.array(fresh), self.pieces(mask))
            reached = found if not reached.any() else reached | found
            fresh = [place for place in _portal_ends(reached, passages) if mask[place] and not reached[place]]
        return reached

    @cached_property
    def sealed(self) -> NDArray[np.bool_]:
        """bool: the cells that may be cut off from the player.

        They are the cells of sealed regions, and the open cells without a region beside them, which are their doors.
        """
        inside = self.within(region.id for region in self.level.regions if region.sealed)
        inside |= beside(inside, self.stride) & self.open & (self.region == 0)
        return inside

    @cached_property
    def lost(self) -> NDArray[np.bool_]:
        """bool: the cells of `clear` that a player should reach but can't, sealed ones left out.

        A closed locked door counts as lost only if the player reaches no cell beside it, and no prop blocks it.
        """
        lost = self.clear & ~self.walked
        if self.entrance is None:
            lost[:] = False
            return lost
        steps = np.array([-self.stride, -1, 1, self.stride])
        for door in self.closed:
            lost[door] = not self.stopped[door] and not self.walked[door + steps].any()
        return lost & ~self.sealed

    @cached_property
    def region_runs(self) -> RegionRuns:
        """All regions of the map, cut into horizontal runs of cells."""
        edges = (self.region[1:] != self.region[:-1]).nonzero()[0] + 1
        ids = self.region[edges]
        inside = ids.nonzero()[0]
        starts, ends = edges[inside], edges[inside + 1]
        y, left = np.divmod(starts, self.stride)
        return RegionRuns(ids[inside], starts, y - 1, left - 1, left - 1 + ends - starts)

    @cached_property
    def connection_cells(self) -> ConnectionCells:
        """The cells of the level's connections (doors and gaps between regions), with what lies around each."""
        place, _ = self.places(self.connections["y"], self.connections["x"])
        on_gap = IS_GAP[self.base[place]]
        listed = np.zeros(self.base.shape, np.bool_)
        listed[place[on_gap]] = True
        down = self._leading_through(place, on_gap, listed, self.stride, 1)
        right = self._leading_through(place, on_gap, listed, 1, self.stride)
        return ConnectionCells(place, listed, on_gap, down, right)

    @cached_property
    def doors(self) -> NDArray[np.intp]:
        """The places of all door cells, ascending."""
        return IS_DOOR.take(self.base).nonzero()[0]

    @cached_property
    def unlisted(self) -> list[int]:
        """The places of the door cells that are no connection."""
        unlisted: list[int] = self.doors[~self.connection_cells.listed[self.doors]].tolist()
        return unlisted

    @cached_property
    def drawn_doors(self) -> set[int]:
        """The places of doors that are no connection and that a prefab has drawn: they lie in its bounds, or in a region of kind prefab."""
        bounds = [placement.bounds for placement in self.level.placements if placement.prefab]
        own = {region.id for region in self.level.regions if region.kind == "prefab"}
        drawn = set()
        for place in self.unlisted:
            y, x = divmod(place, self.stride)
            if self.region.item(place) in own or any(each.contains(y - 1, x - 1) for each in bounds):
                drawn.add(place)
        return drawn

    def _leading_through(
        self,
        place: NDArray[np.intp],
        on_gap: NDArray[np.bool_],
        listed: NDArray[np.bool_],
        across: int,
        along: int,
    ) -> NDArray[np.bool_]:
        """Return for n doors or gaps whether each leads through a wall: open cells before and behind, solid ones on both sides.

        Args:
            place: (n,) indices of their cells in the flat arrays.
            on_gap: (n,) bool: whether each is a door or gap.
            listed: Flat bool: the cells of all connections.
            across: The step through the wall, `stride` or 1.
            along: The step along the wall, 1 or `stride`.
        """
        is_open = self.open
        leads: NDArray[np.bool_] = on_gap & is_open[place - across] & is_open[place + across]
        # Most have solid cells on both sides along the wall. The others may be part of a wide connection: see `_leads_through`.
        flanked = leads & (is_open[place - along] | is_open[place + along])
        for index in flanked.nonzero()[0].tolist():
            leads[index] = self._leads_through(int(place[index]), across, along, listed)
        return leads

    def _leads_through(self, place: int, across: int, along: int, listed: NDArray[np.bool_]) -> bool:
        """Tell whether one door or gap leads through a wall: open cells before and behind, solid ones on both sides.

        The cell may be part of a wide connection. So on each side, neighbours along the wall that are connections or doors are
        skipped, and the first other cell must be solid.

        Args:
            place: The place of the cell.
            across: The step through the wall, `stride` or 1.
            along: The step along the wall, 1 or `stride`.
            listed: Flat bool: the cells of all connections.
        """
        bases = self.bases
        if bases[place - across] <= t.BLOCKED or bases[place + across] <= t.BLOCKED:
            return False
        for step in (-along, along):
            flank = place + step
            while listed[flank] or bases[flank] in t.DOORS:
                flank += step
            if bases[flank] > t.BLOCKED:
                return False
        return True

    @cached_property
    def pockets(self) -> list[Pocket]:
        """The connected pieces of ground that water, a prop or a locked door cuts off, in order of their first cells."""
        if self.walked is self.clear and not self.closed:
            return []

        mask = self.lost & self.reached
        if not mask.any():
            return []
        owner = np.full(mask.size, -1, np.intp)
        parts = [*parts_of(mask, self.stride)]
        for number, cells in enumerate(parts):
            owner[cells] = number
        exits: dict[int, list[Exit]] = defaultdict(list)
        for way in (*self.level.exits, *self.level.ways_back):
            place = self.at(way.y, way.x)
            if place is not None:
                exits[int(owner[place])].append(way)
        items: dict[int, list[str]] = defaultdict(list)
        for place, index in zip(self.standing.place.tolist(), self.standing.owner.tolist(), strict=True):
            if owner[place] >= 0 and self.spawns.like[index] == "item":
                items[int(owner[place])].append(self.level.spawns[index].tag)
        return [Pocket(cells, exits[number], items[number]) for number, cells in enumerate(parts)]


def _portal_ends(reached: NDArray[np.bool_], passages: Sequence[Passage]) -> list[int]:
    """Return the places to which portals lead from reached cells. A portal that leads both ways may be entered at either end."""
    ends = [each.end for each in passages if reached[each.begin]]
    return ends + [each.begin for each in passages if each.both and reached[each.end]]
