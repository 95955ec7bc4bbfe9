"""Chooses the cells of the stairs: the *entrance*, where the player arrives, and one *exit* per map that the level leads to.

*Drawn* stairs are part of a prefab; they may be *bound* to one map. *Foreseen* stairs were chosen before encounters were
placed, and are kept if possible. Candidate cells come in *pools*: a list of masks, the best choice first and each next one a
fallback. The *ground* is the connected part of the map in which all stairs lie.

Stairs lie far apart, off the encounters and out of the way. Distances are walks of 4-neighbour steps (distance maps):

    <    entrance      far from drawn exits
    >    each exit     at least FAR_SHARE of the longest walk away from all other stairs,
                       and, with `way`, at least that share of the map's longest way from <
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dungeon import terrain as t
from dungeon.core.errors import CrowdedError
from dungeon.core.frozen import NOTHING
from dungeon.generation.layouts.exits_pools import (
    cells_reaching_all,
    in_plain_sight,
    pools_of,
    usable_pools,
    with_least_lack,
)
from dungeon.grid.rect import Cell
from dungeon.grid.walks import walks_over

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from dungeon.core.streams import Streams
    from dungeon.generation.layouts.exits_pools import LaidDrawing
    from dungeon.grid.walks import Walks
    from dungeon.level.canvas import Canvas
    from dungeon.level.model import Placement

# -- drawn ------------------------------------------------------------------------------------------
#
# Stairs that are part of drawings, and the maps that they lead to.


def drawn_exits(
    stairs: Sequence[Cell],
    leads_to: Sequence[str],
    bound: Mapping[Cell, str],
    first: Container[Cell],
    streams: Streams,
) -> list[Cell | None]:
    """Return, for each map in `leads_to`, the cell of the drawn stairs that lead there; None for a map without drawn stairs.

    Args:
        stairs: The cells of the drawn stairs down.
        leads_to: The ids of the maps that the level leads to, such as `foundry/3`.
        bound: Cell of stairs -> the name or id of the map that they must lead to; others may lead anywhere.
        first: Stairs that are preferred if there are more than needed; a random order decides among the others.
        streams: The random streams ("exits", "drawn", "down", map name).
    """
    exits: dict[str, Cell] = {}
    if not stairs:
        return [None] * len(leads_to)
    for name in (*dict.fromkeys(target.rsplit("/", 1)[0] for target in leads_to), None):
        ways = [each for each in leads_to if each not in exits and name in (None, each.rsplit("/", 1)[0])]
        cells = [cell for cell in stairs if bound.get(cell) == name or bound.get(cell) in ways]
        picked = _fitting(cells, ways, bound)
        if len(picked) < len(cells):
            streams.stream("exits", "drawn", "down", name or "").shuffle(cells)
            cells.sort(key=lambda cell: cell not in first)
            picked = sorted(_fitting(cells, ways, bound))
        exits |= {bound[cell]: cell for cell in picked if bound.get(cell) in ways}
        rest = [each for each in ways if each not in exits]
        exits |= zip(rest, [cell for cell in picked if bound.get(cell) == name], strict=False)
    return [exits.get(each) for each in leads_to]


def _fitting(stairs: Sequence[Cell], ways: Sequence[str], bound: Mapping[Cell, str]) -> list[Cell]:
    """Return the stairs that can be used together, at most one for each map of `ways`; earlier stairs are preferred.

    Args:
        stairs: The cells of the stairs.
        ways: The ids of the maps that still need stairs.
        bound: Cell of stairs -> the name or id of the map that they must lead to; others may lead anywhere.
    """
    kept: list[Cell] = []
    taken: set[str] = set()
    for cell in stairs:
        word = bound.get(cell)
        if len(kept) < len(ways) and word not in taken:
            kept.append(cell)
            if word is not None and word in ways:
                taken.add(word)
    return kept


# -- choosing ---------------------------------------------------------------------------------------


FAR_SHARE = 0.6
"""How far an exit lies from all other stairs, at least: a share of the longest walk from them to any candidate cell.

Not 1: the exit would always be in the same farthest corner. Lower shares put exits too near.
"""

FARTHEST = 0.9
"""The same share if no cell is as far from the entrance as `way` demands: only nearly the farthest cells are left."""


NO_CELL = "the map has no cell left for stairs"
"""The error message for a map without enough cells for its stairs."""

SPACED = 3
"""The entrance is chosen so that the longest walk from it exceeds the demanded distance by this many cells per exit."""


@dataclass(frozen=True, slots=True)
class LevelStairs:
    """The chosen stairs of a level.

    Attributes:
        entrance: The cell where the player arrives.
        exits: One cell for each map that the level leads to, in the order of these maps.
        ground: (height, width) bool, the cells that can be walked to from the entrance.
        dropped: (cell, map) of drawn stairs that became floor: they are bound to a map that the level does not lead to, or
            that other stairs lead to.
        linked: The cells of the other stairs of towers.
        least: The number of steps that every exit should be away from the entrance.
        near: The exits that are nearer than that.
    """

    entrance: Cell
    exits: tuple[Cell, ...]
    ground: NDArray[np.bool_]
    dropped: tuple[tuple[Cell, str], ...] = ()
    linked: tuple[Cell, ...] = ()
    least: int = 0
    near: tuple[Cell, ...] = ()

    @property
    def all_cells(self) -> tuple[Cell, ...]:
        """The cells of all stairs, the entrance first."""
        return (self.entrance, *self.exits, *self.linked)


class ForeseenStairs(NamedTuple):
    """Stairs as they would be if no encounter were placed: the cell, and the id of its region (0 for none)."""

    cell: Cell
    region: int


class StairContext(NamedTuple):
    """What is known of a map, besides its terrain, when its stairs are chosen.

    Attributes:
        placements: The encounters on the map.
        bound: Cell of drawn stairs -> the name or id of the map that they lead to; other stairs may lead anywhere.
        linked: Cell of stairs of a tower -> the id of the map that they lead to. They all stay. The first stairs down to a map are
            its exit; no other drawn stairs lead there.
        arrivals: Those of them at which the player arrives: one is the entrance. Empty if he arrives elsewhere.
        lacking: "entrance" or "exits" -> (height, width) int32, by how many steps stairs in each cell would break the
            distance rules of the map's features. Stairs are put where this is 0, or else where it is smallest. Drawn stairs
            ignore it.
        obstacles: (height, width) bool, cells on which an object may stop walkers for good.
        objects: (height, width) bool, cells on which an object is drawn.
        laid: The drawings on the map, with their positions.
        entrance_area: (height, width) bool, where the entrance should be if it can; None for anywhere.
        foreseen: The entrance and the exits, in this order, that were chosen before encounters were placed. The same cell is
            taken if it is still free, else another cell of the same region; only then a new cell is searched.
        preferred: (height, width) bool, the cells that are preferred for stairs; None for none.
        satisfying: "entrance" or "exits" -> (height, width) bool, the cells that satisfy the distance rules of encounters.
            All cells do if a name is missing.
        exit_areas: Id of a map to which an exit leads -> (height, width) bool, where that exit should be if it can; anywhere if the id
            is missing.
    """

    placements: Sequence[Placement] = ()
    bound: Mapping[Cell, str] = NOTHING
    linked: Mapping[Cell, str] = NOTHING
    arrivals: Container[Cell] = ()
    lacking: Mapping[str, NDArray[np.int32]] = NOTHING
    obstacles: NDArray[np.bool_] | None = None
    objects: NDArray[np.bool_] | None = None
    laid: Sequence[LaidDrawing] = ()
    entrance_area: NDArray[np.bool_] | None = None
    foreseen: Sequence[ForeseenStairs] = ()
    preferred: NDArray[np.bool_] | None = None
    satisfying: Mapping[str, NDArray[np.bool_]] = NOTHING
    exit_areas: Mapping[str, NDArray[np.bool_]] = NOTHING


def choose_stairs(
    canvas: Canvas,
    leads_to: Sequence[str],
    streams: Streams,
    context: StairContext | None = None,
    way: float = 0,
) -> LevelStairs:
    """Choose and draw stairs up for the entrance, and stairs down for each map that the level leads to.

    Drawn stairs come first, row by row: those bound to one map, then those for any map. If there are more than
    needed, foreseen ones are preferred, then chance decides evenly. Surplus stairs, and stairs that can't be reached,
    become floor. The stairs of towers all stay.

    Other stairs go into rooms without an encounter, or else anywhere off the encounters. The entrance lies far from
    drawn exits, each exit far from the entrance and from other exits. No stairs lie behind a secret door if there is
    space for all of them elsewhere. From the entrance a player can reach everything, with keys for locked doors on
    the way, if such a cell exists.

    Args:
        canvas: The map.
        leads_to: The ids of the maps that the level leads to.
        streams: The random streams ("exits", ...).
        context: What else is known of the map; None for nothing.
        way: The least walk from the entrance to each exit, as a share (0 to 1) of the longest walk on the map; 0 for no rule.

    Raises:
        CrowdedError: The map has too few cells, or no way leads to the stairs of a tower.
    """
    return _StairSearch(canvas, streams, context or StairContext()).find(leads_to, way)


class _StairSearch:
    """The search for the stairs of one map.

    Args:
        canvas: The map; its drawn stairs become floor in `base`, until they are chosen.
        streams: The random streams.
        context: What else is known of the map.
    """

    def __init__(self, canvas: Canvas, streams: Streams, context: StairContext) -> None:
        self.canvas, self.streams, self.context = canvas, streams, context
        self.base = canvas.base
        self.up = self.base == t.STAIRS_UP
        self.down = (self.base == t.STAIRS_DOWN) | (self.base == t.EXIT)
        drawn = self.up | self.down
        self.free = _free(canvas, context.obstacles, drawn)
        self.stairs = _cells(drawn)
        self.base[drawn] = t.FLOOR  # stairs that are not chosen become floor
        usable = self.free if context.objects is None else self.free & ~context.objects
        self.pools: Sequence[NDArray[np.bool_]] = pools_of(canvas, self.base, context.placements, usable)
        self.walks = walks_over(self.free, canvas.leaps)

    def find(self, leads_to: Sequence[str], way: float) -> LevelStairs:
        """Choose the entrance and all exits, and draw their stairs.

        Args:
            leads_to: The ids of the maps that the level leads to.
            way: The least walk from the entrance to each exit, as a share (0 to 1) of the longest walk on the map; 0 for no
                rule.
        """
        context, bound = self.context, self.context.bound
        arrival = self._drawn_entrance()
        ground = self._ground(arrival)
        exits = self._drawn_exits(ground, leads_to)
        linked = tuple(cell for cell in context.linked if cell != arrival and cell not in exits)
        drawn = [*(each for each in exits if each), *linked]
        kept = [*filter(None, [arrival]), *drawn]
        for cell in self.stairs:
            if cell not in kept:
                self.canvas.put(*cell, t.FLOOR)
        self._narrow_pools(ground, arrival, drawn, exits.count(None))
        for cell in drawn:
            self.walks.begin(cell)
        entrance, home, least = self._choose_entrance(arrival, exits, way)
        self.walks.join(home)
        self.pools = _without(self.pools, entrance)
        found = self._choose_exits(exits, leads_to, home, least)
        dropped = tuple((cell, to) for cell, to in bound.items() if cell not in drawn)
        return LevelStairs(entrance, found, ground, dropped, linked, least, home.nearer(found, least))

    def _drawn_entrance(self) -> Cell | None:
        """Return the drawn stairs up where the player arrives; None if none are drawn that can be walked on.

        Of several, foreseen ones are preferred, then those in the largest part of the map; chance decides among the rest.
        """
        up = [cell for cell in self.stairs if self.up[cell] and self.free[cell]]
        cells = [cell for cell in up if cell in self.context.arrivals]
        cells = cells or [cell for cell in up if cell not in self.context.linked]
        if len(cells) < 2:
            return cells[0] if cells else None
        before, most = [each.cell for each in self.context.foreseen], self.walks.part([])
        best = [cell for cell in cells if cell in before] or [cell for cell in cells if most[cell]] or cells
        return self.streams.stream("exits", "drawn", "up").pick(best)

    def _drawn_exits(self, ground: NDArray[np.bool_], leads_to: Sequence[str]) -> list[Cell | None]:
        """Return, for each map that the level leads to, the drawn stairs that lead there; None for a map without drawn stairs.

        Args:
            ground: (height, width) bool, the part of the map in which all stairs must lie.
            leads_to: The ids of the maps.

        Raises:
            CrowdedError: Stairs of a tower do not lie in that part.
        """
        linked = self.context.linked
        if not all(ground[cell] for cell in linked):
            raise CrowdedError("no way leads to the stairs of a tower")
        first: dict[str, Cell] = {}
        for cell, target in linked.items():
            if self.down[cell]:
                first.setdefault(target, cell)
        reached = [cell for cell in self.stairs if self.down[cell] and ground[cell] and cell not in linked]
        rest = [target for target in leads_to if target not in first]
        before = [each.cell for each in self.context.foreseen]
        others = iter(drawn_exits(reached, rest, self.context.bound, before, self.streams))
        return [first[target] if target in first else next(others) for target in leads_to]

    def _ground(self, arrival: Cell | None) -> NDArray[np.bool_]:
        """Return (height, width) bool: the connected part of the map in which all stairs must lie.

        It is the part that the drawn stairs lie in, or else the largest one.

        Args:
            arrival: The drawn entrance; None if none is drawn.
        """
        linked = self.context.linked
        begun = [cell for cell in self.stairs if cell == arrival or self.down[cell] or cell in linked]
        if begun:
            return self.walks.part(begun, None)
        # Search from the likely entrance: its distance map is needed anyway, so one sweep is saved.
        for likely in self.context.foreseen[:1]:
            if self.free[likely.cell]:
                return self.walks.part([], likely.cell)
        return self.walks.part([], self._try_pick(self.pools, "entrance"))

    def _narrow_pools(
        self, ground: NDArray[np.bool_], arrival: Cell | None, drawn: Sequence[Cell], lacking: int
    ) -> None:
        """Cut the pools to cells of `ground` that lie behind no secret door, and from which all locked doors can be opened.

        A cut that would leave too few cells is not made. Cells behind secret doors stay, too, if the missing stairs would find
        too few cells that satisfy the distance rules of encounters.

        Args:
            ground: (height, width) bool, the part of the map in which all stairs must lie.
            arrival: The drawn entrance; None if none is drawn.
            drawn: The drawn exits that are used.
            lacking: The number of exits without drawn stairs.
        """
        context, begun = self.context, [*filter(None, [arrival])] or drawn
        taken = [*filter(None, [arrival]), *drawn]
        pools = usable_pools(self.pools, ground, taken, lacking + (arrival is None))
        seen = _in_part(pools, in_plain_sight(self.canvas, self.base, ground, pools[-1], begun))
        wanted = {"entrance": int(arrival is None), "exits": lacking}
        if all(
            _has_left(seen[-1], pools[-1] & right, wanted[name]) for name, right in context.satisfying.items()
        ):
            pools = [*seen]
        if arrival is None:
            pools = cells_reaching_all(self.canvas, self.base, pools, context.laid, ground)
        self.pools = pools if context.preferred is None else [pools[0] & context.preferred, *pools]

    def _choose_entrance(
        self, arrival: Cell | None, exits: Sequence[Cell | None], way: float
    ) -> tuple[Cell, Walks, int]:
        """Choose the entrance and draw its stairs, unless they are drawn already.

        Args:
            arrival: The drawn entrance; None if none is drawn.
            exits: For each map that the level leads to, the drawn stairs; None for a map without drawn stairs.
            way: The least walk from the entrance to each exit, as a share (0 to 1) of the longest walk on the map.

        Returns:
            The entrance, the walking distances from it, and the least number of steps from it to each exit.
        """
        context, walks, drawn = self.context, self.walks, any(exits)
        places = _in_part(_in_part(self.pools, context.satisfying.get("entrance")), context.entrance_area)
        places = with_least_lack(places, context.lacking, "entrance")
        entrance = arrival or self._as_foreseen(context.foreseen[:1], places, "entrance")
        entrance = entrance or self._pick(places, "entrance")
        home, least = walks.alone(entrance), 0
        if exits and way and self.pools[-1].any():
            # Double sweep: the cell farthest from any cell is one end of (nearly) the longest way.
            end = home.farthest(self.pools[-1])
            ends = home if end is None else walks.alone(end)
            least = ceil(way * ends.longest())
            if arrival is None and not _leads_far(home, end, exits, least):
                apart = _apart(places, walks, least) if drawn else _apart(places, ends, _roomy(least, exits))
                entrance = self._pick(apart, "entrance")
                home = walks.alone(entrance)
        if arrival is None:
            self.canvas.put(*entrance, t.STAIRS_UP)
        return entrance, home, least

    def _choose_exits(
        self, drawn: Sequence[Cell | None], leads_to: Sequence[str], home: Walks, least: int
    ) -> tuple[Cell, ...]:
        """Return the exits, one for each map that the level leads to, and draw stairs at those that no prefab has drawn.

        Args:
            drawn: For each map that the level leads to, the drawn stairs; None for a map without drawn stairs.
            leads_to: The ids of these maps.
            home: The walking distances from the entrance.
            least: The number of steps that each exit should be away from the entrance.
        """
        context, exits = self.context, list(drawn)
        usable = with_least_lack(
            _in_part(self.pools, context.satisfying.get("exits")), context.lacking, "exits"
        )
        wanted = [_in_part(usable, context.exit_areas.get(target)) for target in leads_to]
        new: list[Cell] = []
        for number, before in enumerate(context.foreseen[1:]):
            if exits[number] is None:
                same: Cell | None = before.cell
                pools = wanted[number]
                if not pools[0][before.cell] or home.nearer([before.cell], least):
                    far = (home.beyond(pool, least) if least else pool for pool in pools)
                    same = self._as_foreseen([before], far, "exit", number)
                if same is not None and same not in new:
                    new.append(same)
                    exits[number] = same
        for number, cell in enumerate(exits):
            if cell is None:
                for other in new:
                    self.walks.begin(other)
                new = [self._pick(_apart(wanted[number], home, least), "exit", number)]
                exits[number] = new[0]
        found = tuple(cell for cell in exits if cell)
        for cell in found:
            if cell not in drawn:
                self.canvas.put(*cell, t.STAIRS_DOWN)
        return found

    # -- picking --------------------------------------------------------------------------------

    def _as_foreseen(
        self, foreseen: Sequence[ForeseenStairs], pools: Iterable[NDArray[np.bool_]], *name: str | int
    ) -> Cell | None:
        """Return the cell of foreseen stairs if it can be used, else a random cell of its region; None if neither can be used.

        A cell can be used if a pool has it. The pools are tried in order.

        Args:
            foreseen: The stairs that were chosen before encounters were placed; the first that can be kept is taken.
            pools: (height, width) bool masks of candidate cells, the best first.
            *name: The rest of the name of the random stream.
        """
        for before in foreseen:
            room = self.canvas.region == before.region if before.region else None
            for pool in pools:
                if pool[before.cell]:
                    return before.cell
                if room is not None and (left := pool & room).any():
                    return _cell(self.streams.stream("exits", *name).pick_set(left), left)
        return None

    def _pick(self, pools: Iterable[NDArray[np.bool_]], *name: str | int) -> Cell:
        """Choose a random cell for stairs, far from all stairs chosen so far, from the first pool that has such a cell.

        Args:
            pools: (height, width) bool masks of candidate cells, the best first.
            *name: The rest of the name of the random stream: "entrance", or "exit" and a number.

        Raises:
            CrowdedError: No pool has such a cell.
        """
        cell = self._try_pick(pools, *name)
        if cell is None:
            raise CrowdedError(NO_CELL)
        return cell

    def _try_pick(self, pools: Iterable[NDArray[np.bool_]], *name: str | int) -> Cell | None:
        """Choose a random cell for stairs, far from all stairs chosen so far; return None if no pool has such a cell.

        Args:
            pools: (height, width) bool masks of candidate cells, the best first. The first with such a cell is used.
            *name: The rest of the name of the random stream: "entrance", or "exit" and a number.
        """
        for pool in pools:
            cells = self.walks.far(pool, FAR_SHARE)
            if cells is not None and cells.any():
                return _cell(self.streams.stream("exits", *name).pick_set(cells), cells)
        return None


def _free(
    canvas: Canvas, obstacles: NDArray[np.bool_] | None, stairs: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Return (height, width) bool: the cells that can be walked on, doors of every kind included.

    Sealed regions and obstacles are left out, but stairs under an obstacle stay in.

    Args:
        canvas: The map.
        obstacles: (height, width) bool, cells on which an object may stop walkers for good; None for none.
        stairs: (height, width) bool, the drawn stairs.
    """
    free = canvas.passable()
    if sealed := [region.id for region in canvas.regions if region.sealed]:
        free &= ~canvas.within(sealed)
    if obstacles is not None:
        free &= ~obstacles | stairs
    return free


def _in_part(
    pools: Sequence[NDArray[np.bool_]], part: NDArray[np.bool_] | None
) -> Sequence[NDArray[np.bool_]]:
    """Return the pools (masks of candidate cells) cut to `part`; unchanged if `part` is None or would empty the last pool."""
    if part is None or not (pools[-1] & part).any():
        return pools
    return [pool & part for pool in pools]


def _has_left(pool: NDArray[np.bool_], cells: NDArray[np.bool_], wanted: int) -> bool:
    """Tell whether a pool still has `wanted` of these cells, or all of them if they are fewer. Masks are (height, width) bool."""
    return int(np.count_nonzero(pool & cells)) >= min(int(np.count_nonzero(cells)), wanted)


def _without(pools: Sequence[NDArray[np.bool_]], cell: Cell) -> list[NDArray[np.bool_]]:
    """Return copies of the pools (masks of candidate cells), without one cell."""
    left = [pool.copy() for pool in pools]
    for pool in left:
        pool[cell] = False
    return left


def _roomy(least: int, exits: Sequence[Cell | None]) -> int:
    """Return how many steps the farthest cell must lie from an entrance, so that all exits find space `least` steps away or farther.

    These are `least` steps, and `SPACED` more for each exit.
    """
    return least + SPACED * len(exits)


def _leads_far(home: Walks, end: Cell | None, exits: Sequence[Cell | None], least: int) -> bool:
    """Tell whether all exits can lie `least` steps or more away from an entrance.

    Each drawn exit must lie that far away. For exits that are not drawn, there must be space that far away.

    Args:
        home: The walking distances from the entrance.
        end: The candidate cell farthest from the entrance; None if no other cell can be reached.
        exits: For each exit, its drawn stairs; None for an exit that is not drawn.
        least: The least number of steps from the entrance to an exit.
    """
    drawn = [cell for cell in exits if cell]
    if home.nearer(drawn, least):
        return False
    return len(drawn) == len(exits) or (end is not None and not home.nearer([end], _roomy(least, exits)))


def _apart(pools: Sequence[NDArray[np.bool_]], walks: Walks, least: int) -> Iterator[NDArray[np.bool_]]:
    """Yield masks of candidate cells for stairs that keep a distance, the best first.

    First comes each pool cut to its cells at least `least` steps away, then the farthest cells of the last pool, then the
    whole pools. If `least` is 0, only the whole pools come.

    Args:
        pools: (height, width) bool masks of candidate cells.
        walks: The walking distances from the cells to keep away from.
        least: A number of steps.
    """
    if least:
        for pool in pools:
            yield walks.beyond(pool, least)
        farthest = walks.far(pools[-1], FARTHEST)
        if farthest is not None:
            yield farthest
    yield from pools


def _cells(mask: NDArray[np.bool_]) -> list[Cell]:
    """Return the set cells of a mask, row by row."""
    return [_cell(at, mask) for at in np.flatnonzero(mask).tolist()]


def _cell(at: int, mask: NDArray[np.bool_]) -> Cell:
    """Return the cell with the flat index `at` in a mask, counted row by row from 0."""
    return Cell(*divmod(at, mask.shape[1]))
