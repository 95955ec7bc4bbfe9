"""Where the player arrives and where the ways on are: far apart, off the encounters, out of the way."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dungeon import terrain as t
from dungeon.content.prefab.locked_ground import LockedGround
from dungeon.core.errors import CrowdedError
from dungeon.core.frozen import NOTHING
from dungeon.core.vocabulary import SPACES
from dungeon.grid.bits import nth_bit
from dungeon.grid.rect import Cell
from dungeon.grid.regions import Parts, touching
from dungeon.grid.walks import walks_over

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from dungeon.content.prefab.drawing import Drawing
    from dungeon.core.streams import Streams
    from dungeon.grid.walks import Walks
    from dungeon.level.canvas import Canvas
    from dungeon.level.model import Placement

# -- drawn ------------------------------------------------------------------------------------------
#
# Stairs that drawings have, and which of them lead where.


def drawn_exits(
    stairs: Sequence[Cell],
    leads_to: Sequence[str],
    bound: Mapping[Cell, str],
    first: Container[Cell],
    streams: Streams,
) -> list[Cell | None]:
    """Return, for each map that the level leads to, the drawn stairs that go there, or None; some of them come `first`."""
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
    """Return the stairs that can lead to different ones of these maps: each of them unless those before it leave none."""
    kept: list[Cell] = []
    taken: set[str] = set()
    for cell in stairs:
        word = bound.get(cell)
        if len(kept) < len(ways) and word not in taken:
            kept.append(cell)
            if word is not None and word in ways:
                taken.add(word)
    return kept


# -- locked -----------------------------------------------------------------------------------------
#
# From where one gets everywhere on a map with locked doors.


Laid = tuple["Drawing", int, int]
"""A drawing, and the row and column of its top-left cell."""


def locked_ground_on(canvas: Canvas, laid: Iterable[Laid], free: NDArray[np.bool_]) -> LockedGround:
    """Return the ground of a map on which drawings lie; `free` is where one gets who can open every door."""
    locks, keys, boxes = [], [], []
    for drawing, y, x in laid:
        if drawing.locks:
            locks += [each.moved(y, x) for each in drawing.locks]
            keys += [each.moved(y, x) for each in drawing.keys]
            boxes += [each.moved(y, x) for each in drawing.boxes]
    board = canvas.board
    return LockedGround.on(board, canvas.terrain, free, locks, keys, canvas.terrain_set, canvas.leaps, boxes)


def beginnings(
    canvas: Canvas,
    base: NDArray[np.uint8],
    pools: list[NDArray[np.bool_]],
    laid: Iterable[Laid],
    ground: NDArray[np.bool_],
) -> list[NDArray[np.bool_]]:
    """Return of each pool the cells from which one gets everywhere, through locked doors too; all if there is none."""
    if not (ground & (base == t.LOCKED_DOOR)).any():
        return pools
    locked_ground = locked_ground_on(canvas, laid, ground)
    board, free = locked_ground.board, locked_ground.free
    asked, begin = free & board.from_array(np.logical_or.reduce(pools)), 0
    while asked:
        # From its middle a part is soonest found. One in which no stairs may be, such as a vault, is not looked for.
        part = board.flood(free, 1 << nth_bit(asked, asked.bit_count() // 2))
        asked &= ~part
        if locked_ground.stuck([part]) is None:
            begin |= part
    cells = board.to_array(begin)
    return [pool & cells for pool in pools] if (pools[-1] & cells).any() else pools


# -- pools ------------------------------------------------------------------------------------------
#
# The cells that may become stairs, best choice first.


def pools_of(
    canvas: Canvas, base: NDArray[np.uint8], placements: Sequence[Placement], usable: NDArray[np.bool_]
) -> list[NDArray[np.bool_]]:
    """Return the cells that may become stairs, best choice first: off the doors' way, in rooms, in drawn ones, anywhere.

    Drawn rooms are those that the layout has drawn itself. The last is all floor there is, drawn by whomever, but for where portals
    begin and end.
    """
    floor = usable & (base >= t.FLOOR) & (base <= t.CAVE)
    doors = np.zeros(floor.shape, np.bool_)
    doors[[door.y for door in canvas.connections], [door.x for door in canvas.connections]] = True
    floor &= ~doors  # a gap in a wall is floor like any other, but not for stairs
    for portal in canvas.portals:
        floor[portal.begin] = floor[portal.end] = False
    plain = floor & ~canvas.drawn
    for placement in placements:
        area = placement.bounds.slices
        plain[area] &= placement.scattered and canvas.region[area] != placement.region
    taken = {placement.region for placement in placements}
    others = (each.id for each in canvas.regions if each.kind in SPACES and each.id not in taken)
    spaces = canvas.within(others)
    in_rooms = plain & spaces
    quiet = in_rooms & ~touching(doors)
    return [quiet, in_rooms, floor & spaces, plain, floor]


def usable(
    pools: Sequence[NDArray[np.bool_]], ground: NDArray[np.bool_], taken: Iterable[Cell], wanted: int
) -> list[NDArray[np.bool_]]:
    """Return what of the pools is on the ground and not taken; with fewer cells than wanted off what was drawn, any floor must do."""
    usable = ground.copy()
    for cell in taken:
        usable[cell] = False
    quiet, in_rooms, in_drawn, plain, floor = (pool & usable for pool in pools)
    if plain.any() and np.count_nonzero(plain) >= wanted:
        return [quiet, in_rooms, in_drawn, plain]
    return [plain | in_drawn, floor]


def in_plain_sight(
    canvas: Canvas,
    base: NDArray[np.uint8],
    ground: NDArray[np.bool_],
    pool: NDArray[np.bool_],
    begun: Iterable[Cell],
) -> NDArray[np.bool_] | None:
    """Return where stairs may be so that nobody has to find a secret door on the way from one to another; None for anywhere.

    Args:
        canvas: The map.
        base: (height, width) uint8, its built-in terrain.
        ground: (height, width) bool, where one gets who finds every door.
        pool: (height, width) bool, the cells that may become stairs.
        begun: Stairs that are on the map already.

    Returns:
        (height, width) bool, the part of the first of these, or else that with most of the pool; None if there are no secret
        doors, or less than half of the pool is there.
    """
    secret = ground & (base == t.SECRET_DOOR)
    if not secret.any():
        return None
    labels = Parts(ground & ~secret, canvas.leaps).labels
    own = next((int(labels[cell]) for cell in begun), 0) or int(
        np.bincount(labels[pool], minlength=1).argmax()
    )
    part: NDArray[np.bool_] = labels == own
    return part if 2 * np.count_nonzero(pool & part) >= np.count_nonzero(pool) else None


def better(
    pools: Sequence[NDArray[np.bool_]], lacking: Mapping[str, NDArray[np.int32]], name: str
) -> Sequence[NDArray[np.bool_]]:
    """Return, of each pool, the cells that lack nothing, then those that lack least of all."""
    lack = lacking.get(name)
    if lack is None or not pools[-1].any():
        return pools
    right, best = lack == 0, lack <= int(lack[pools[-1]].min())
    return [*(pool & right for pool in pools), *(pool & best for pool in pools)]


FAR_SHARE = 0.6
"""An exit lies at least this far from all other stairs, as a share of the longest walk from them to a cell for stairs."""

FARTHEST = 0.9
"""The same where there is no cell as far from the entrance as an exit is to be."""


NO_CELL = "the map has no cell left for stairs"
"""What is said of a map with too few cells."""

SPACED = 3
"""How many cells of the way's end are left for each exit when the entrance is chosen."""


@dataclass(frozen=True, slots=True)
class Ways:
    """The way in, and a way out for each map that the level leads to, in their order.

    Attributes:
        ground: (height, width) bool, the cells that can be walked to from the entrance.
        dropped: Stairs that a drawing has for a map to which the level has no way, or no other way; now floor.
        least: How many steps every exit should be from the entrance.
        near: The exits that are nearer.
    """

    entrance: Cell
    exits: tuple[Cell, ...]
    ground: NDArray[np.bool_]
    dropped: tuple[tuple[Cell, str], ...] = ()
    least: int = 0
    near: tuple[Cell, ...] = ()


class Foreseen(NamedTuple):
    """Where stairs would be if nothing were placed any more: the cell, and the id of its region, 0 for none."""

    cell: Cell
    region: int


class There(NamedTuple):
    """What is on a map whose ways are looked for.

    Attributes:
        placements: What encounters cover.
        bound: Cell of drawn stairs -> the name or id of the map that they are for; others are for any.
        lacking: "entrance" or "exits" -> (height, width) int32, how many steps each cell is too near to something, or
            too far from it. Stairs that are not drawn are put where that is 0, or as little as possible.
        obstacles: (height, width) bool, cells on which an object may stop walkers for good.
        meant: (height, width) bool, cells on which an object is drawn.
        laid: The drawings that lie on it.
        home: (height, width) bool, where the entrance is to be, if it can.
        foreseen: Where the entrance and each exit were to be before more was placed. There they are if they still may be,
            or else in the same region; only then a place is looked for anew.
        first: (height, width) bool, where stairs come first.
        right: "entrance" or "exits" -> (height, width) bool, the cells that lie right for those who keep a distance; all do of
            what is not there.
    """

    placements: Sequence[Placement] = ()
    bound: Mapping[Cell, str] = NOTHING
    lacking: Mapping[str, NDArray[np.int32]] = NOTHING
    obstacles: NDArray[np.bool_] | None = None
    meant: NDArray[np.bool_] | None = None
    laid: Sequence[Laid] = ()
    home: NDArray[np.bool_] | None = None
    foreseen: Sequence[Foreseen] = ()
    first: NDArray[np.bool_] | None = None
    right: Mapping[str, NDArray[np.bool_]] = NOTHING


def find_ways(
    canvas: Canvas, leads_to: Sequence[str], streams: Streams, there: There | None = None, way: float = 0
) -> Ways:
    """Choose, and draw, stairs up for the entrance and stairs down for each map that the level leads to.

    Stairs that a drawing has come first, row by row: those for a certain map, then those for any. Where there are more
    than are needed those come first that were foreseen; else chance picks, each as likely as any other. Surplus ones, and
    those to which no way leads, become floor.
    Otherwise cells are taken in rooms without an encounter (then anywhere else off the encounters, where the rooms are too
    near): the entrance far from drawn exits, each exit far from the entrance and from the other exits, and none behind a secret
    door if all of them have room before one. From the entrance
    one gets everywhere, through the locked doors that something opens on the way, if there is such a place.

    Args:
        canvas: The map.
        leads_to: The ids of the maps that the level leads to.
        streams: Where chance comes from.
        there: What is on it; by default nothing.
        way: How far every exit is to be from the entrance, as a share (0 to 1) of the longest way on the map.

    Raises:
        CrowdedError: The map has too few cells.
    """
    return _StairSearch(canvas, streams, there or There()).find(leads_to, way)


class _StairSearch:
    """A search for the stairs of a map.

    Args:
        canvas: The map.
        streams: Where chance comes from.
        there: What is on it.
    """

    def __init__(self, canvas: Canvas, streams: Streams, there: There) -> None:
        self.canvas, self.streams, self.there = canvas, streams, there
        self.base = canvas.base
        self.up = self.base == t.STAIRS_UP
        self.down = (self.base == t.STAIRS_DOWN) | (self.base == t.EXIT)
        drawn = self.up | self.down
        self.free = _free(canvas, there.obstacles, drawn)
        self.stairs = _cells(drawn)
        self.base[drawn] = t.FLOOR  # which they become unless they are wanted
        usable = self.free if there.meant is None else self.free & ~there.meant
        self.pools: Sequence[NDArray[np.bool_]] = pools_of(canvas, self.base, there.placements, usable)
        self.walks = walks_over(self.free, canvas.leaps)

    def find(self, leads_to: Sequence[str], way: float) -> Ways:
        """Choose the stairs and draw them: see `find_ways`."""
        there, bound = self.there, self.there.bound
        arrival = self._drawn_entrance()
        ground = self._ground(arrival)
        reached = [cell for cell in self.stairs if self.down[cell] and ground[cell]]
        before = [each.cell for each in there.foreseen]
        exits = drawn_exits(reached, leads_to, bound, before, self.streams)
        drawn = [each for each in exits if each]
        kept = [*filter(None, [arrival]), *drawn]
        for cell in self.stairs:
            if cell not in kept:
                self.canvas.put(*cell, t.FLOOR)
        self._narrow_pools(ground, arrival, drawn, len(exits) - len(drawn))
        for cell in drawn:
            self.walks.begin(cell)
        entrance, home, least = self._choose_entrance(arrival, exits, way)
        self.walks.join(home)
        self.pools = _without(self.pools, entrance)
        found = self._choose_exits(exits, home, least)
        dropped = tuple((cell, to) for cell, to in bound.items() if cell not in drawn)
        return Ways(entrance, found, ground, dropped, least, home.nearer(found, least))

    def _drawn_entrance(self) -> Cell | None:
        """Return the drawn stairs up at which the player arrives; None if there are none that can be walked on."""
        cells = [cell for cell in self.stairs if self.up[cell] and self.free[cell]]
        if len(cells) < 2:
            return cells[0] if cells else None
        before, most = [each.cell for each in self.there.foreseen], self.walks.part([])
        best = [cell for cell in cells if cell in before] or [cell for cell in cells if most[cell]] or cells
        return self.streams.stream("exits", "drawn", "up").pick(best)

    def _ground(self, arrival: Cell | None) -> NDArray[np.bool_]:
        """Return where one gets on foot: from the drawn stairs, or in the largest part of the map."""
        begun = [*filter(None, [arrival]), *(cell for cell in self.stairs if self.down[cell])]
        if begun:
            return self.walks.part(begun, None)
        # The walks that find the largest part are begun where the entrance will mostly be: one sweep less.
        for likely in self.there.foreseen[:1]:
            if self.free[likely.cell]:
                return self.walks.part([], likely.cell)
        return self.walks.part([], self._try_pick(self.pools, "entrance"))

    def _narrow_pools(
        self, ground: NDArray[np.bool_], arrival: Cell | None, drawn: Sequence[Cell], lacking: int
    ) -> None:
        """Leave in the pools what is on the ground, before secret doors, and from where all locks can be opened."""
        there, begun = self.there, [*filter(None, [arrival])] or drawn
        taken = [*filter(None, [arrival]), *drawn]
        pools = usable(self.pools, ground, taken, lacking + (arrival is None))
        sight = in_plain_sight(self.canvas, self.base, ground, pools[-1], begun)
        pools = [*_in_part(pools, sight)]
        if arrival is None:
            pools = beginnings(self.canvas, self.base, pools, there.laid, ground)
        self.pools = pools if there.first is None else [pools[0] & there.first, *pools]

    def _choose_entrance(
        self, arrival: Cell | None, exits: Sequence[Cell | None], way: float
    ) -> tuple[Cell, Walks, int]:
        """Return the entrance, the walks from it and how many steps each exit should be away; draw it if no drawing has it."""
        there, walks, drawn = self.there, self.walks, any(exits)
        places = _in_part(_in_part(self.pools, there.right.get("entrance")), there.home)
        places = better(places, there.lacking, "entrance")
        entrance = arrival or self._as_foreseen(there.foreseen[:1], places, "entrance")
        entrance = entrance or self._pick(places, "entrance")
        home, least = walks.alone(entrance), 0
        if exits and way and self.pools[-1].any():
            end = home.farthest(self.pools[-1])  # one end of the longest way
            ends = home if end is None else walks.alone(end)
            least = ceil(way * ends.longest())
            if arrival is None and not _leads_far(home, end, exits, least):
                apart = _apart(places, walks, least) if drawn else _apart(places, ends, _roomy(least, exits))
                entrance = self._pick(apart, "entrance")
                home = walks.alone(entrance)
        if arrival is None:
            self.canvas.put(*entrance, t.STAIRS_UP)
        return entrance, home, least

    def _choose_exits(self, drawn: Sequence[Cell | None], home: Walks, least: int) -> tuple[Cell, ...]:
        """Return all exits; draw stairs for those that no drawing has, at least so many steps from home."""
        there, exits = self.there, list(drawn)
        pools = better(_in_part(self.pools, there.right.get("exits")), there.lacking, "exits")
        new: list[Cell] = []
        for number, before in enumerate(there.foreseen[1:]):
            if exits[number] is None:
                same: Cell | None = before.cell
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
                new = [self._pick(_apart(pools, home, least), "exit", number)]
                exits[number] = new[0]
        found = tuple(cell for cell in exits if cell)
        for cell in found:
            if cell not in drawn:
                self.canvas.put(*cell, t.STAIRS_DOWN)
        return found

    # -- picking --------------------------------------------------------------------------------

    def _as_foreseen(
        self, foreseen: Sequence[Foreseen], pools: Iterable[NDArray[np.bool_]], *name: str | int
    ) -> Cell | None:
        """Return the cell at which stairs were foreseen, or else one of the same region; None if all that is taken."""
        for before in foreseen:
            room = self.canvas.region == before.region if before.region else None
            for pool in pools:
                if pool[before.cell]:
                    return before.cell
                if room is not None and (left := pool & room).any():
                    return _cell(self.streams.stream("exits", *name).pick_set(left), left)
        return None

    def _pick(self, pools: Iterable[NDArray[np.bool_]], *name: str | int) -> Cell:
        """Pick a cell of the first pool that has one, far from where walks begin."""
        cell = self._try_pick(pools, *name)
        if cell is None:
            raise CrowdedError(NO_CELL)
        return cell

    def _try_pick(self, pools: Iterable[NDArray[np.bool_]], *name: str | int) -> Cell | None:
        for pool in pools:
            cells = self.walks.far(pool, FAR_SHARE)
            if cells is not None and cells.any():
                return _cell(self.streams.stream("exits", *name).pick_set(cells), cells)
        return None


def _free(
    canvas: Canvas, obstacles: NDArray[np.bool_] | None, stairs: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Return where walkers may get who can open every door: off what is sealed, and off obstacles but on stairs."""
    free = canvas.passable()
    if sealed := [region.id for region in canvas.regions if region.sealed]:
        free &= ~canvas.within(sealed)
    if obstacles is not None:
        free &= ~obstacles | stairs
    return free


def _in_part(
    pools: Sequence[NDArray[np.bool_]], part: NDArray[np.bool_] | None
) -> Sequence[NDArray[np.bool_]]:
    """Return what of each pool lies in a part of the map, if anything does."""
    if part is None or not (pools[-1] & part).any():
        return pools
    return [pool & part for pool in pools]


def _without(pools: Sequence[NDArray[np.bool_]], cell: Cell) -> list[NDArray[np.bool_]]:
    """Return what is left of the pools when a cell has been taken."""
    left = [pool.copy() for pool in pools]
    for pool in left:
        pool[cell] = False
    return left


def _roomy(least: int, exits: Sequence[Cell | None]) -> int:
    """Return how long a way must be that has space for so many exits at its end."""
    return least + SPACED * len(exits)


def _leads_far(home: Walks, end: Cell | None, exits: Sequence[Cell | None], least: int) -> bool:
    """Tell whether the exits that are drawn are so many steps from home, and others can be: before the way ends."""
    drawn = [cell for cell in exits if cell]
    if home.nearer(drawn, least):
        return False
    return len(drawn) == len(exits) or (end is not None and not home.nearer([end], _roomy(least, exits)))


def _apart(pools: Sequence[NDArray[np.bool_]], walks: Walks, least: int) -> Iterator[NDArray[np.bool_]]:
    """Yield what of each pool is so many steps from where walks begin; then the farthest cells there are, then all."""
    if least:
        for pool in pools:
            yield walks.beyond(pool, least)
        farthest = walks.far(pools[-1], FARTHEST)
        if farthest is not None:
            yield farthest
    yield from pools


def _cells(mask: NDArray[np.bool_]) -> list[Cell]:
    return [_cell(at, mask) for at in np.flatnonzero(mask).tolist()]


def _cell(at: int, mask: NDArray[np.bool_]) -> Cell:
    return Cell(*divmod(at, mask.shape[1]))
