"""Placing one encounter's prefab: every spot is found, one is picked, tried, and kept if the map stays whole."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING

import numpy as np

from dungeon import terrain as t
from dungeon.grid.rect import Cell, Rect
from dungeon.placing.edges import hangs_together, is_whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dungeon.content.laid import Drawing
    from dungeon.content.prefab import Prefab
    from dungeon.grid.bits import Board
    from dungeon.level.canvas import Canvas, Snapshot
    from dungeon.placing.sites import Room, Sites
    from dungeon.registry import Parameters, Placing
    from dungeon.streams import Streams
    from dungeon.terrain import TerrainSet

Counts = tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What is to be placed.

    Attributes:
        name: What its random streams are named after: ("place", encounter, copy).
        prefabs: The prefabs it may take; those that fit nowhere are passed over.
        access: How many doors the room may have, from and to.
    """

    name: tuple[str | int, ...]
    mode: Placing[Parameters]
    params: Parameters
    prefabs: Sequence[Prefab]
    access: tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """Where it went, and how many spots there were to choose from."""

    drawing: Drawing
    region: int
    bounds: Rect
    spots: int


@dataclass(frozen=True, slots=True)
class Refused:
    """Why it fits nowhere: a sentence, and the rooms counted by the first rule each one fails."""

    reason: str
    counts: Counts


def attempt(canvas: Canvas, sites: Sites, wish: Wish, streams: Streams) -> Placed | Refused:
    """Place a wish on the canvas.

    Args:
        canvas: Changed only if the wish can be placed.
        sites: The rooms that are free.
        wish: What to place.
        streams: Where chance comes from.
    """
    eligible = sites.having(*wish.access)
    by_name = {prefab.name: prefab for prefab in wish.prefabs}
    cut_off: set[int] = set()
    for name in streams.race(dict.fromkeys(by_name, 1.0), *wish.name, "prefab"):
        prefab = by_name[name]
        ways = frozenset(each for each in prefab.orientations if eligible.fits(*prefab.size(each)))
        if not ways:
            continue
        tried = set()
        for variant in prefab.variants(streams, *wish.name, "variant", name):
            ground = _ground(variant.drawing, canvas.terrain_set)
            if ground in tried:
                continue  # what is walked alike fits no better
            tried.add(ground)
            placed = _try(canvas, eligible, wish, variant.lying(ways), streams, cut_off)
            if placed is not None:
                return placed
    return Refused(*_why_not(sites, eligible, wish, cut_off))


def _ground(drawing: Drawing, terrain_set: TerrainSet) -> tuple[bytes, bytes]:
    """Return all that decides where a drawing fits: its terrain as far as walkers care, and what stands in their way."""
    codes = drawing.terrain
    nature = terrain_set.base[codes] * 4 + terrain_set.walkable[codes] * 2 + (codes == t.KEEP)
    return nature.tobytes(), drawing.obstacles.tobytes()


def _try(
    canvas: Canvas,
    sites: Sites,
    wish: Wish,
    drawings: Sequence[Drawing],
    streams: Streams,
    cut_off: set[int],
) -> Placed | None:
    """Place one of a prefab's drawings; where that would cut something off, add the room's region to `cut_off`."""
    name = drawings[0].name
    masks = [(drawing, wish.mode.spots(sites, drawing, wish.params)) for drawing in drawings]
    masks = [(drawing, mask) for drawing, mask in masks if mask]
    total = sum(mask.bit_count() for _, mask in masks)
    if not total:
        return None
    spots = reduce(or_, (mask for _, mask in masks))
    fitting = [room for room in sites.rooms.values() if spots & room.mask]
    if not hangs_together(drawings[0], canvas.terrain_set):
        cut_off.update(room.region.id for room in fitting)
        return None
    for room in _in_order(fitting, streams, wish.name):
        region, corner = room.region.id, room.region.bounds[:2]
        options = [(drawing, mask & room.mask) for drawing, mask in masks if mask & room.mask]
        stream = streams.stream(*wish.name, "spot", name, *corner)
        while count := sum(mask.bit_count() for _, mask in options):
            drawing, cell = _nth(sites.board, options, stream.below(count))
            if _commit(canvas, drawing, cell, region, wish):
                bounds = Rect(*cell, drawing.height, drawing.width)
                return Placed(drawing=drawing, region=region, bounds=bounds, spots=total)
            cut_off.add(region)
            bit = sites.board.from_cells([cell])
            options = [(each, mask & ~bit if each is drawing else mask) for each, mask in options]
    return None


def _in_order(rooms: Sequence[Room], streams: Streams, name: tuple[str | int, ...]) -> list[Room]:
    """Return the rooms in random order; a room's place in it depends on where the room is, on nothing else."""
    rank = streams.ranks(*name, "room")
    return sorted(rooms, key=lambda room: rank(room.region.bounds.y, room.region.bounds.x))


def _nth(board: Board, options: Sequence[tuple[Drawing, int]], index: int) -> tuple[Drawing, Cell]:
    """Return the spot with that index among all options."""
    for drawing, mask in options:
        count = mask.bit_count()
        if index < count:
            return drawing, board.nth(mask, index)
        index -= count
    raise IndexError(index)


def _commit(canvas: Canvas, drawing: Drawing, cell: Cell, region: int, wish: Wish) -> bool:
    """Place it; take it back and return False if that would break the room."""
    room = canvas.regions[region - 1].bounds
    before = canvas.snapshot(room.grown())
    wish.mode.place(canvas, drawing, cell, region, wish.params)
    if _is_sound(canvas, before, region, drawing, cell):
        return True
    canvas.restore(before)
    return False


def _is_sound(canvas: Canvas, before: Snapshot, region: int, drawing: Drawing, cell: Cell) -> bool:
    """Tell whether everything in a room can still be reached.

    All of it can be walked to from its doors, obstacles left out; the doors drawn in it lead somewhere;
    stairs that were there still are.
    """
    around = before.rect
    base = canvas.terrain_set.base[canvas.terrain[around.slices]]
    stood = canvas.terrain_set.base[before.terrain]
    if np.any((stood >= t.STAIRS_UP) & (stood <= t.EXIT) & (stood != base)):
        return False
    is_open = base > t.BLOCKED
    opened = is_open & (canvas.region[around.slices] == region)
    for y, x in np.argwhere(opened & (base >= t.DOORWAY) & (base <= t.LOCKED_DOOR)).tolist():
        if int(is_open[y - 1, x]) + is_open[y + 1, x] + is_open[y, x - 1] + is_open[y, x + 1] < 2:
            return False
    for door in canvas.doors:
        if region in door.between and around.contains(door.y, door.x):
            opened[door.y - around.y, door.x - around.x] = True
    walked = opened & canvas.passable(around)
    top, left = cell.y - around.y, cell.x - around.x
    walked[top : top + drawing.height, left : left + drawing.width] &= ~drawing.obstacles
    return is_whole(walked, opened)


def _why_not(sites: Sites, eligible: Sites, wish: Wish, cut_off: set[int]) -> tuple[str, Counts]:
    """Say why no room will do, counting each room under the first rule that it fails."""
    counts = sites.door_counts(number for number in sites.rooms if number not in eligible.rooms)
    sizes = {size for prefab in wish.prefabs for size in prefab.sizes}
    bounds = [room.region.bounds for room in eligible.rooms.values()]
    small = sum(all(height > b.height or width > b.width for height, width in sizes) for b in bounds)
    if small:
        counts.append(("too small", small))
    if cut_off:
        counts.append(("where it would cut something off", len(cut_off)))
    rest = len(eligible.rooms) - small - len(cut_off)
    if rest > 0:
        counts.append((f"without a spot that is {wish.mode.name}", rest))
    total = len(sites.rooms)
    return f"none of {total} free room{'' if total == 1 else 's'} will do", tuple(counts)
