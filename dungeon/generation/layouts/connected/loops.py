"""What is left over is joined: loops, so that nobody has to walk back all the way.

After step 9 of "How I Learned to Stop Worrying and Love Prefabs", whose three kinds are

    ..#..    a connector with floor on both     ..#  #..    two that face      ..#          two at right angles,
    ..*..    sides becomes a door               ..*--*..    each other         ..*--+       joined by an L
    ..#..                                       ..#  #..                       ..#  |
                                                                                  ##*##
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dungeon import terrain as t
from dungeon.content.values.grammar import roll
from dungeon.grid.bits import without
from dungeon.grid.rect import Cell, Rect
from dungeon.level.steps import Phase, Step

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dungeon.core.streams import Stream
    from dungeon.generation.layouts.connected.ground import Ground, Joint
    from dungeon.generation.layouts.connected.params import ConnectedParams
    from dungeon.level.canvas import Canvas


class Loop(NamedTuple):
    """A way that may be dug.

    Attributes:
        joint: Where it begins.
        other: Where it ends; None for one that opens right into what is before it.
        out: How many cells are dug straight ahead of where it begins; `back`: of where it ends, up to the last of these.
    """

    joint: Joint
    other: Joint | None
    out: int = 0
    back: int = 0

    @property
    def cells(self) -> list[Cell]:
        """What is dug for it."""
        joint, other, out, back = self
        cells = [joint.ahead(step) for step in range(1, out + 1)]
        return cells if other is None else cells + [other.ahead(step) for step in range(back, 0, -1)]


def add_loops(ground: Ground, params: ConnectedParams, stream: Stream, *, watched: bool) -> Iterator[Step]:
    """Join connectors that are left over, in random order, where a way saves as many steps as it is to."""
    if params.loops <= 0:
        return
    loops = [*_doors(ground), *_ways(ground, params.reach)]
    stream.shuffle(loops)
    for loop in loops:
        if stream.chance(params.loops) and _is_possible(loop, ground) and _saves(loop, ground, params.saves):
            joint, other = loop[:2]
            if other is None:
                ground.open_into(joint, int(ground.canvas.region[joint.ahead(1)]))
            else:
                ground.join(joint, other, loop.cells)
            if watched:
                yield Step(Phase.LAYOUT, f"a loop at y {joint.y}, x {joint.x}", ground.canvas)


def _doors(ground: Ground) -> Iterator[Loop]:
    """Yield the connectors that have something to walk on right before them."""
    for joint in ground.joints.values():
        y, x = joint.ahead(1)
        band = ground.band_at(y)
        if not joint.is_open and without(band.walked, band.doors) >> band.place(y, x) & 1:
            yield Loop(joint, None)


def _ways(ground: Ground, reach: int) -> Iterator[Loop]:
    """Yield the pairs of connectors between which a hallway, straight or with one bend, may be dug.

    Both lie ahead of the cells where their rays meet, so that what meets nothing costs nothing.
    """
    board, stride = ground.board, ground.board.stride
    free = ground.whole("clear")
    clear, first = board.to_flags(free), board.to_flags(free | ground.whole("fronts"))
    through: dict[int, list[tuple[Joint, int]]] = {}
    for joint in ground.joints.values():
        if not joint.is_open:
            facing = ground.joints.get((*joint.ahead(1), -joint.dy, -joint.dx))
            if facing and not facing.is_open and facing.place > joint.place and _may_join(joint, facing):
                yield Loop(joint, facing)
        place, by = joint.y * stride + joint.x, joint.dy * stride + joint.dx
        for steps in range(1, reach + 1):
            place += by
            if not (first if steps == 1 else clear)[place]:
                break
            others = through.setdefault(place, [])
            for other, back in others:
                is_straight = (other.dy, other.dx) == (-joint.dy, -joint.dx)
                # Rays that face each other meet in many cells, of which the one before the other connector counts.
                if _may_join(joint, other) and steps + back - 1 <= reach and (back == 1 or not is_straight):
                    yield Loop(joint, other, steps, back - 1)
            others.append((joint, steps))


def _may_join(first: Joint, second: Joint) -> bool:
    """Tell whether two connectors are of a kind, belong to different pieces and do not face the same side."""
    if first.kind != second.kind or first.region == second.region:
        return False
    return (first.dy, first.dx) != (second.dy, second.dx)


def _is_possible(loop: Loop, ground: Ground) -> bool:
    """Tell whether a way can still be dug: others have been meanwhile."""
    for joint in filter(None, loop[:2]):
        if joint.place not in ground.joints or joint.place in ground.barred:
            return False
    cells = loop.cells
    if not cells:
        return True
    band = ground.band_at(cells[0].y)
    places = [band.place(*cell) for cell in cells]
    if not all((band.clear | band.fronts) >> places[end] & 1 for end in (0, -1)):
        return False
    return all(band.clear >> place & 1 for place in places[1:-1])


def _saves(loop: Loop, ground: Ground, saves: int) -> bool:
    """Tell whether walking around takes that many steps more than a way; so, too, where there is no way around."""
    joint, other, out, back = loop
    begin = _inside(joint)
    end = joint.ahead(1) if other is None else _inside(other)
    limit, stride = out + back + 2 + saves, ground.board.stride
    band = ground.band_at((begin.y + end.y) // 2)
    # What is no longer than the limit does not lead farther up and down than through these rows.
    detour = max(limit - abs(begin.y - end.y), 0) // 2
    top, bottom = max(min(begin.y, end.y) - detour, band.top), max(begin.y, end.y) + detour + 1
    walked = band.walked >> (top - band.top) * stride & (1 << (bottom - top) * stride) - 1
    front, goal = (1 << (y - top) * stride + x for y, x in (begin, end))
    front &= walked
    for _ in range(limit):
        walked ^= front
        # A move by (1, 1) and one by (1, -1) make all four steps, each a row too far down.
        front |= front << stride + 1
        front = (front | front << stride - 1) >> stride & walked
        if front & goal:
            return False
    return True


def _inside(joint: Joint) -> Cell:
    """Return the cell from which a connector's way leads out."""
    if joint.is_open:
        return Cell(joint.y, joint.x)
    return joint.ahead(-len(joint.connector.way))


# -- overlays ---------------------------------------------------------------------------------------
#
# Rooms laid over what is there: they open a map up, and make it more dangerous.
#
#     ######  #####        #############
#     #....+--+...#        #...........#
#     #....#  #...#   ->   #...........#
#     ######  #####        ####.....####
#                             #######
#
# Whatever they touch becomes part of one open zone.


def lay_over(ground: Ground, params: ConnectedParams, stream: Stream) -> Iterator[Step]:
    """Lay rooms over auto-rooms and hallways, where they join two regions at least and touch no prefab."""
    canvas, board = ground.canvas, ground.board
    kept, opened = board.from_array(canvas.drawn), ground.whole("opened")
    for _ in range(roll(params.overlays, stream, 0)):
        height, width = roll(params.side, stream, 3), roll(params.side, stream, 3)
        free = board.full & ~kept & (ground.free | opened)
        spots = (
            board.fits(free, height + 2, width + 2)
            & board.fits(ground.inner, height, width) >> board.stride + 1
        )
        spots &= board.touches(opened, height, width) >> board.stride + 1
        cells = board.to_array(spots)
        while cells.any():
            y, x = divmod(stream.pick_set(cells), canvas.width)
            rect = Rect(y + 1, x + 1, height, width)
            touched = np.unique(canvas.region[rect.slices])
            if touched[touched > 0].size > 1:
                _lay(canvas, rect)
                opened |= board.block(*rect)
                yield Step(Phase.LAYOUT, f"a room laid over others at y {rect.y}, x {rect.x}", canvas)
                break
            cells[y, x] = False


def _lay(canvas: Canvas, rect: Rect) -> None:
    """Open a rectangle, with all that it touches."""
    near = rect.grown().clipped(canvas.height, canvas.width)
    region = canvas.add_region("zone", rect)
    around = [number for number in np.unique(canvas.region[near.slices]).tolist() if number]
    doors = [door for door in canvas.connections if near.contains(door.y, door.x)]
    canvas.remove_doors((door.y, door.x) for door in doors)
    canvas.carve(rect, t.FLOOR, region)
    for door in doors:
        if not rect.contains(door.y, door.x):
            canvas.carve(Rect(door.y, door.x, 1, 1), t.FLOOR, region)
            canvas.widen_bounds(region, Rect(door.y, door.x, 1, 1))
            around += [number for number in door.between if number]
    for number in dict.fromkeys(around):
        canvas.unroom(number)
        bounds = canvas.regions[number - 1].bounds
        if (canvas.region[bounds.slices] == number).any():
            canvas.settle_bounds(number, bounds)
