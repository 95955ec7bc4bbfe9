"""Where the player arrives and where the ways on are: far apart, off the encounters, out of the way."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dungeon import terrain as t
from dungeon.content.prefab.locked_ground import LockedGround
from dungeon.core.errors import GenerationError
from dungeon.grid.bits import Board
from dungeon.grid.neighbours import touching
from dungeon.grid.paths.walks import walks_over
from dungeon.grid.rect import Cell
from dungeon.level.model import SPACES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from dungeon.content.prefab.drawing import Drawing
    from dungeon.core.streams import Streams
    from dungeon.grid.paths.walks import Walks
    from dungeon.level.canvas import Canvas
    from dungeon.level.model import Placement

FAR_SHARE = 0.6
"""An exit lies at least this far from the entrance, as a share of the longest walk."""


@dataclass(frozen=True, slots=True)
class Ways:
    """The way in, and a way out for each map that the level leads to, in their order.

    Attributes:
        ground: (height, width) bool, the cells that can be walked to from the entrance.
        dropped: Stairs that a drawing has for a map to which the level has no way, or no other way; now floor.
    """

    entrance: Cell
    exits: tuple[Cell, ...]
    ground: NDArray[np.bool_]
    dropped: tuple[tuple[Cell, str], ...] = ()


Laid = tuple["Drawing", int, int]
"""A drawing, and the row and column of its top-left cell."""


class There(NamedTuple):
    """What is on a map whose ways are looked for.

    Attributes:
        obstacles: (height, width) bool, cells on which an object may stop walkers for good.
        meant: (height, width) bool, cells on which an object is drawn.
        laid: The drawings that lie on it.
        home: (height, width) bool, where the entrance is to be, if it can.
    """

    obstacles: NDArray[np.bool_] | None = None
    meant: NDArray[np.bool_] | None = None
    laid: Sequence[Laid] = ()
    home: NDArray[np.bool_] | None = None


def locked_ground_on(canvas: Canvas, laid: Iterable[Laid], free: NDArray[np.bool_]) -> LockedGround:
    """Return the ground of a map on which drawings lie; `free` is where one gets who can open every door."""
    locks, keys = [], []
    for drawing, y, x in laid:
        if drawing.locks:
            locks += [each.moved(y, x) for each in drawing.locks]
            keys += [each.moved(y, x) for each in drawing.keys]
    board = Board(canvas.height, canvas.width)
    return LockedGround.on(board, canvas.terrain, free, locks, keys, canvas.terrain_set)


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
    bound: Mapping[Cell, str] | None = None,
    there: There | None = None,
    lacking: Mapping[str, NDArray[np.int32]] | None = None,
) -> Ways:
    """Choose, and draw, stairs up for the entrance and stairs down for each map that the level leads to.

    Stairs that a drawing has come first, row by row: those for a certain map, then those for any. Where there are more
    than are needed chance picks, each as likely as any other; surplus ones, and those to which no way leads, become floor.
    Otherwise cells are taken in rooms without an encounter (then anywhere else off the encounters): the entrance
    far from drawn exits, each exit far from the entrance and from the other exits. From the entrance one gets everywhere,
    through the locked doors that something opens on the way, if there is such a place.

    Args:
        canvas: The map.
        placements: What encounters cover.
        leads_to: The ids of the maps that the level leads to.
        streams: Where chance comes from.
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
    free = canvas.passable() & ~canvas.within(region.id for region in canvas.regions if region.sealed)
    if there.obstacles is not None:
        free &= ~there.obstacles | up | down
    walks = walks_over(free)
    entrances = _cells(up & free)
    if len(entrances) > 1:
        most = walks.part([])
        best = [cell for cell in entrances if most[cell]] or entrances
        entrances = [streams.stream("exits", "drawn", "up").pick(best)]
    ground = walks.part([*entrances, *_cells(down)])
    exits = _drawn_exits(_cells(down & ground), leads_to, bound or {}, streams)
    for surplus in _cells(up | down):
        if surplus not in entrances and surplus not in exits:
            canvas.put(*surplus, t.FLOOR)
    dropped = tuple((cell, to) for cell, to in (bound or {}).items() if cell not in exits)
    pools = _pools(canvas, placements, ground if there.meant is None else ground & ~there.meant)
    new = [each for each in exits if each]
    if entrances:
        entrance = entrances[0]
    else:
        if (base[ground] == t.LOCKED_DOOR).any():
            begin = _beginnings(locked_ground_on(canvas, there.laid, ground))
            pools = [pool & begin for pool in pools] if (pools[-1] & begin).any() else pools
        arrivals = pools
        if there.home is not None and (pools[-1] & there.home).any():
            arrivals = [pool & there.home for pool in pools]
        entrance = _pick(_better(arrivals, lacking, "entrance"), walks, new, streams, "entrance")
        canvas.put(*entrance, t.STAIRS_UP)
        new = []
    new.append(entrance)
    for number, drawn in enumerate(exits):
        if drawn is None:
            cell = _pick(_better(pools, lacking, "exits"), walks, new, streams, "exit", number)
            canvas.put(*cell, t.STAIRS_DOWN)
            exits[number] = cell
            new = [cell]
    return Ways(entrance, tuple(filter(None, exits)), ground, dropped)


def _beginnings(locked_ground: LockedGround) -> NDArray[np.bool_]:
    """Return (height, width) bool: the cells from which one gets everywhere."""
    parts = [part for part in locked_ground.parts if not locked_ground.shut([part])]
    return locked_ground.board.to_array(reduce(or_, parts, 0))


def _drawn_exits(
    stairs: Sequence[Cell], leads_to: Sequence[str], bound: Mapping[Cell, str], streams: Streams
) -> list[Cell | None]:
    """Return, for each map that the level leads to, the drawn stairs that go there, or None."""
    exits: dict[str, Cell] = {}
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
    return [Cell(*divmod(at, mask.shape[1])) for at in np.flatnonzero(mask).tolist()]


def _pools(
    canvas: Canvas, placements: Sequence[Placement], usable: NDArray[np.bool_]
) -> list[NDArray[np.bool_]]:
    """Return the cells that may become stairs, best choice first: off the doors' way, in rooms, in drawn ones, anywhere.

    Drawn rooms are those that the layout has drawn itself; where all there is was drawn, any of its floor must do.
    """
    base = canvas.base
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
    pools = [quiet, in_rooms, floor & spaces, plain]
    return pools if plain.any() else [floor & spaces, floor]


def _better(
    pools: Sequence[NDArray[np.bool_]], lacking: Mapping[str, NDArray[np.int32]] | None, name: str
) -> Sequence[NDArray[np.bool_]]:
    """Return, of each pool, the cells that lack nothing, then those that lack least of all."""
    lack = (lacking or {}).get(name)
    if lack is None or not pools[-1].any():
        return pools
    least = int(lack[pools[-1]].min())
    return [*(pool & (lack == 0) for pool in pools), *(pool & (lack <= least) for pool in pools)]


def _pick(
    pools: Sequence[NDArray[np.bool_]],
    walks: Walks,
    new: Sequence[Cell],
    streams: Streams,
    *name: str | int,
) -> Cell:
    """Pick a cell of the first pool that has one, far from all stairs if there are any; `new` are those since the last pick."""
    for stairs in new:
        walks.begin(stairs)
    for pool in pools:
        cells = walks.far(pool, FAR_SHARE)
        if cells is not None and cells.any():
            index = streams.stream("exits", *name).pick_set(cells)
            return Cell(*divmod(index, cells.shape[1]))
    raise GenerationError("the map has no cell left for stairs")
