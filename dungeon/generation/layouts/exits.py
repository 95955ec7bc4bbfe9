"""Where the player arrives and where the ways on are: far apart, off the encounters, out of the way."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import reduce
from math import ceil
from operator import or_
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dungeon import terrain as t
from dungeon.content.prefab.locked_ground import LockedGround
from dungeon.core.errors import GenerationError
from dungeon.core.frozen import NOTHING
from dungeon.grid.bits import Board
from dungeon.grid.neighbours import touching
from dungeon.grid.paths.walks import walks_over
from dungeon.grid.rect import Cell
from dungeon.level.model import SPACES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from dungeon.content.prefab.drawing import Drawing
    from dungeon.core.streams import Streams
    from dungeon.grid.paths.walks import Walks
    from dungeon.level.canvas import Canvas
    from dungeon.level.model import Placement

FAR_SHARE = 0.6
"""An exit lies at least this far from all other stairs, as a share of the longest walk from them to a cell for stairs."""

FARTHEST = 0.9
"""The same where there is no cell as far from the entrance as an exit is to be."""


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


Laid = tuple["Drawing", int, int]
"""A drawing, and the row and column of its top-left cell."""


class There(NamedTuple):
    """What is on a map whose ways are looked for.

    Attributes:
        obstacles: (height, width) bool, cells on which an object may stop walkers for good.
        meant: (height, width) bool, cells on which an object is drawn.
        laid: The drawings that lie on it.
        home: (height, width) bool, where the entrance is to be, if it can.
        right: "entrance" or "exits" -> (height, width) bool, the cells that lie right for those who keep a distance; all do of
            what is not there.
    """

    obstacles: NDArray[np.bool_] | None = None
    meant: NDArray[np.bool_] | None = None
    laid: Sequence[Laid] = ()
    home: NDArray[np.bool_] | None = None
    right: Mapping[str, NDArray[np.bool_]] = NOTHING


def locked_ground_on(canvas: Canvas, laid: Iterable[Laid], free: NDArray[np.bool_]) -> LockedGround:
    """Return the ground of a map on which drawings lie; `free` is where one gets who can open every door."""
    locks, keys = [], []
    for drawing, y, x in laid:
        if drawing.locks:
            locks += [each.moved(y, x) for each in drawing.locks]
            keys += [each.moved(y, x) for each in drawing.keys]
    board = Board(canvas.height, canvas.width)
    return LockedGround.on(board, canvas.terrain, free, locks, keys, canvas.terrain_set, canvas.leaps)


def unseal(canvas: Canvas, walked: NDArray[np.bool_], stopped: NDArray[np.bool_]) -> None:
    """Say of regions which are sealed, and into which walkers get all the same, that they are not.

    A region was sealed because something might stand before it, which has stayed away. Where that is so of a part of it,
    the rest becomes a sealed region of its own.

    Args:
        canvas: The map, with all that stands on it.
        walked: (height, width) bool, where walkers get.
        stopped: Likewise, where something stops them for good.
    """
    walkable = canvas.terrain_set.walkable.take(canvas.terrain) & ~stopped
    for region in [each for each in canvas.regions if each.sealed]:
        area = region.bounds.slices
        own = (canvas.region[area] == region.id) & walkable[area]
        if not (own & walked[area]).any():
            continue
        canvas.regions[region.id - 1] = replace(region, sealed=False)
        rest = own & ~walked[area]
        if rest.any():
            number = canvas.add_region(region.kind, region.bounds, sealed=True)
            canvas.region[area][rest] = number
            canvas.settle_bounds(number, region.bounds)
            canvas.settle_bounds(region.id, region.bounds)


def find_ways(
    canvas: Canvas,
    placements: Sequence[Placement],
    leads_to: Sequence[str],
    streams: Streams,
    *,
    way: float = 0,
    bound: Mapping[Cell, str] | None = None,
    there: There | None = None,
    lacking: Mapping[str, NDArray[np.int32]] | None = None,
) -> Ways:
    """Choose, and draw, stairs up for the entrance and stairs down for each map that the level leads to.

    Stairs that a drawing has come first, row by row: those for a certain map, then those for any. Where there are more
    than are needed chance picks, each as likely as any other; surplus ones, and those to which no way leads, become floor.
    Otherwise cells are taken in rooms without an encounter (then anywhere else off the encounters, where the rooms are too
    near): the entrance far from drawn exits, each exit far from the entrance and from the other exits. From the entrance
    one gets everywhere, through the locked doors that something opens on the way, if there is such a place.

    Args:
        canvas: The map.
        placements: What encounters cover.
        leads_to: The ids of the maps that the level leads to.
        streams: Where chance comes from.
        way: How far every exit is to be from the entrance, as a share (0 to 1) of the longest way on the map.
        bound: Cell of drawn stairs -> the name or id of the map that they are for; by default none are for any.
        there: What is on it; by default nothing.
        lacking: "entrance" or "exits" -> (height, width) int32, how many steps each cell is too near to something, or
            too far from it. Stairs that are not drawn are put where that is 0, or as little as possible.

    Raises:
        GenerationError: The map has too few cells.
    """
    there = there or There()
    base = canvas.base
    up, down = base == t.STAIRS_UP, (base == t.STAIRS_DOWN) | (base == t.EXIT)
    either = up | down
    free, stairs = _free(canvas, there.obstacles, either), _cells(either)
    base[either] = t.FLOOR  # which they become unless they are wanted
    pools = _pools(canvas, base, placements, free if there.meant is None else free & ~there.meant)
    walks = walks_over(free, canvas.leaps)
    entrances = [cell for cell in stairs if up[cell] and free[cell]]
    if len(entrances) > 1:
        most = walks.part([])
        best = [cell for cell in entrances if most[cell]] or entrances
        entrances = [streams.stream("exits", "drawn", "up").pick(best)]
    begun = [*entrances, *(cell for cell in stairs if down[cell])]
    # Where no stairs are drawn, the walks that find the largest part are begun where the entrance will mostly be: one sweep less.
    likely = None if begun else _try_pick(pools, walks, streams, "entrance")
    ground = walks.part(begun, likely)
    exits = _drawn_exits(
        [cell for cell in stairs if down[cell] and ground[cell]], leads_to, bound or {}, streams
    )
    drawn = [each for each in exits if each]
    for cell in stairs:
        if cell not in entrances and cell not in drawn:
            canvas.put(*cell, t.FLOOR)
    dropped = tuple((cell, to) for cell, to in (bound or {}).items() if cell not in drawn)
    pools = _usable(pools, ground, [*entrances, *drawn])
    for cell in drawn:
        walks.begin(cell)
    if not entrances:
        pools = _beginnings(canvas, base, pools, there.laid, ground)
    places = _better(_in_part(_in_part(pools, there.right.get("entrance")), there.home), lacking, "entrance")
    entrance = entrances[0] if entrances else _pick(places, walks, streams, "entrance")
    home, least = walks.alone(entrance), 0
    if exits and way and pools[-1].any():
        ends = _end(home, walks, pools[-1])
        least = ceil(way * ends.longest())
        if not entrances and not _leads_far(home, pools[-1], exits, least):
            apart = _apart(places, walks, least) if drawn else _apart(places, ends, _roomy(least, exits))
            entrance = _pick(apart, walks, streams, "entrance")
            home = walks.alone(entrance)
    if not entrances:
        canvas.put(*entrance, t.STAIRS_UP)
    walks.join(home)
    places = _better(_in_part(pools, there.right.get("exits")), lacking, "exits")
    found = _all_exits(canvas, exits, places, home, walks, least, streams)
    return Ways(entrance, found, ground, dropped, least, home.nearer(found, least))


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


def _end(home: Walks, walks: Walks, pool: NDArray[np.bool_]) -> Walks:
    """Return the walks from one end of the longest way: from the cell for stairs that is farthest from home."""
    end = home.farthest(pool)
    return home if end is None else walks.alone(end)


def _roomy(least: int, exits: Sequence[Cell | None]) -> int:
    """Return how long a way must be that has space for so many exits at its end."""
    return least + SPACED * len(exits)


def _leads_far(home: Walks, pool: NDArray[np.bool_], exits: Sequence[Cell | None], least: int) -> bool:
    """Tell whether the exits that are drawn are so many steps from home, and others can be."""
    drawn = [cell for cell in exits if cell]
    if home.nearer(drawn, least):
        return False
    return len(drawn) == len(exits) or home.leads(pool, _roomy(least, exits))


def _all_exits(
    canvas: Canvas,
    drawn: Sequence[Cell | None],
    pools: Sequence[NDArray[np.bool_]],
    home: Walks,
    walks: Walks,
    least: int,
    streams: Streams,
) -> tuple[Cell, ...]:
    """Return all exits; draw stairs for those that no drawing has, at least so many steps from home."""
    exits = list(drawn)
    new: list[Cell] = []
    for number, cell in enumerate(drawn):
        if cell is None:
            for before in new[-1:]:
                walks.begin(before)
            new.append(_pick(_apart(pools, home, least), walks, streams, "exit", number))
            canvas.put(*new[-1], t.STAIRS_DOWN)
            exits[number] = new[-1]
    return tuple(filter(None, exits))


def _apart(pools: Sequence[NDArray[np.bool_]], walks: Walks, least: int) -> Iterator[NDArray[np.bool_]]:
    """Yield what of each pool is so many steps from where walks begin; then the farthest cells there are, then all."""
    if least:
        for pool in pools:
            yield walks.beyond(pool, least)
        farthest = walks.far(pools[-1], FARTHEST)
        if farthest is not None:
            yield farthest
    yield from pools


def _beginnings(
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
    parts = [part for part in locked_ground.parts if not locked_ground.shut([part])]
    begin = locked_ground.board.to_array(reduce(or_, parts, 0))
    return [pool & begin for pool in pools] if (pools[-1] & begin).any() else pools


def _drawn_exits(
    stairs: Sequence[Cell], leads_to: Sequence[str], bound: Mapping[Cell, str], streams: Streams
) -> list[Cell | None]:
    """Return, for each map that the level leads to, the drawn stairs that go there, or None."""
    exits: dict[str, Cell] = {}
    if not stairs:
        return [None] * len(leads_to)
    for name in (*dict.fromkeys(target.rsplit("/", 1)[0] for target in leads_to), None):
        ways = [each for each in leads_to if each not in exits and name in (None, each.rsplit("/", 1)[0])]
        cells = [cell for cell in stairs if bound.get(cell) == name or bound.get(cell) in ways]
        picked = _fitting(cells, ways, bound)
        if len(picked) < len(cells):
            streams.stream("exits", "drawn", "down", name or "").shuffle(cells)
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


def _cells(mask: NDArray[np.bool_]) -> list[Cell]:
    return [_cell(at, mask) for at in np.flatnonzero(mask).tolist()]


def _cell(at: int, mask: NDArray[np.bool_]) -> Cell:
    return Cell(*divmod(at, mask.shape[1]))


def _pools(
    canvas: Canvas, base: NDArray[np.uint8], placements: Sequence[Placement], usable: NDArray[np.bool_]
) -> list[NDArray[np.bool_]]:
    """Return the cells that may become stairs, best choice first: off the doors' way, in rooms, in drawn ones, anywhere.

    Drawn rooms are those that the layout has drawn itself. The last is all floor there is, drawn by whomever.
    """
    floor = usable & (base >= t.FLOOR) & (base <= t.CAVE)
    doors = np.zeros(floor.shape, np.bool_)
    doors[[door.y for door in canvas.doors], [door.x for door in canvas.doors]] = True
    floor &= ~doors  # a gap in a wall is floor like any other, but not for stairs
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


def _usable(
    pools: Sequence[NDArray[np.bool_]], ground: NDArray[np.bool_], taken: Iterable[Cell]
) -> list[NDArray[np.bool_]]:
    """Return what of the pools is on the ground and not taken; where all of that was drawn, any floor must do."""
    usable = ground.copy()
    for cell in taken:
        usable[cell] = False
    quiet, in_rooms, in_drawn, plain, floor = (pool & usable for pool in pools)
    return [quiet, in_rooms, in_drawn, plain] if plain.any() else [in_drawn, floor]


def _better(
    pools: Sequence[NDArray[np.bool_]], lacking: Mapping[str, NDArray[np.int32]] | None, name: str
) -> Sequence[NDArray[np.bool_]]:
    """Return, of each pool, the cells that lack nothing, then those that lack least of all."""
    lack = (lacking or {}).get(name)
    if lack is None or not pools[-1].any():
        return pools
    least = int(lack[pools[-1]].min())
    return [*(pool & (lack == 0) for pool in pools), *(pool & (lack <= least) for pool in pools)]


def _pick(pools: Iterable[NDArray[np.bool_]], walks: Walks, streams: Streams, *name: str | int) -> Cell:
    """Pick a cell of the first pool that has one, far from where walks begin."""
    cell = _try_pick(pools, walks, streams, *name)
    if cell is None:
        raise GenerationError("the map has no cell left for stairs")
    return cell


def _try_pick(
    pools: Iterable[NDArray[np.bool_]], walks: Walks, streams: Streams, *name: str | int
) -> Cell | None:
    for pool in pools:
        cells = walks.far(pool, FAR_SHARE)
        if cells is not None and cells.any():
            return _cell(streams.stream("exits", *name).pick_set(cells), cells)
    return None
