"""Loops of the layout `connected`: unused connectors are joined, so that players need not walk back all the way.

A *piece* is a prefab or auto-room. A *connector* is a place at its edge where a hallway can be joined; a *joint* is a connector
on the map to which nothing is joined yet. A connector's *way* is the cells of its piece that are opened when it is used.

After step 9 of "How I Learned to Stop Worrying and Love Prefabs", with its three kinds of loops:

    ..#..    a connector with floor on both     ..#  #..    two that face      ..#          two at right angles,
    ..*..    sides becomes a door               ..*--*..    each other         ..*--+       joined by an L
    ..#..                                       ..#  #..                       ..#  |
                                                                                  ##*##
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dungeon.grid.bits import without
from dungeon.grid.rect import Cell
from dungeon.level.steps import Phase, Step

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dungeon.core.streams import Stream
    from dungeon.generation.layouts.connected_ground import PieceGround
    from dungeon.generation.layouts.connected_pieces import ConnectedParams, OpenConnector


class Loop(NamedTuple):
    """A hallway or door that may close a loop.

    Attributes:
        joint: The connector where it begins.
        other: The connector where it ends; None if `joint` only opens into the cell in front of it.
        out: The number of cells dug straight ahead of `joint`.
        back: The number of cells dug straight ahead of `other`, until they meet the cells ahead of `joint`.
    """

    joint: OpenConnector
    other: OpenConnector | None
    out: int = 0
    back: int = 0

    @property
    def cells(self) -> list[Cell]:
        """The cells to dig for the loop, in order from one connector to the other."""
        joint, other, out, back = self
        cells = [joint.ahead(step) for step in range(1, out + 1)]
        return cells if other is None else cells + [other.ahead(step) for step in range(back, 0, -1)]


def add_loops(
    ground: PieceGround, params: ConnectedParams, stream: Stream, *, watched: bool
) -> Iterator[Step]:
    """Close loops: join unused connectors by hallways or doors, each time with a chance, and only where that saves enough steps.

    Args:
        ground: The map with its connectors.
        params: The author's parameters: `loops` is the chance, `saves` the fewest steps to save, `reach` the longest hallway.
        stream: The random stream, which decides the order.
        watched: Whether to yield a step for each loop; if not, nothing is yielded.
    """
    if params.loops <= 0:
        return
    loops = [*_doors(ground), *_ways(ground, params.reach)]
    stream.shuffle(loops)
    for loop in loops:
        if (
            stream.chance(params.loops)
            and _is_possible(loop, ground)
            and _saves_enough(loop, ground, params.saves)
        ):
            joint, other = loop[:2]
            if other is None:
                ground.open_into(joint, int(ground.canvas.region[joint.ahead(1)]))
            else:
                ground.join(joint, other, loop.cells)
            if watched:
                yield Step(Phase.LAYOUT, f"a loop at y {joint.y}, x {joint.x}", ground.canvas)


def _doors(ground: PieceGround) -> Iterator[Loop]:
    """Yield a loop for each unused connector that has a walkable cell right in front of it, so that a door is enough."""
    for joint in ground.joints.values():
        y, x = joint.ahead(1)
        band = ground.band_at(y)
        if not joint.is_open and without(band.walked, band.doors) >> band.place(y, x) & 1:
            yield Loop(joint, None)


def _ways(ground: PieceGround, reach: int) -> Iterator[Loop]:
    """Yield a loop for each pair of unused connectors that a hallway, straight or with one bend, can join.

    The hallway has at most `reach` cells. A ray runs straight ahead from each connector. Two connectors can be joined where
    their rays meet:

        *----+
             |        `through` keeps, per cell, the rays that have come through it
             *
    """
    board, stride = ground.board, ground.board.stride
    free = ground.whole("clear")
    clear, first = board.to_flags(free), board.to_flags(free | ground.whole("fronts"))
    through: dict[int, list[tuple[OpenConnector, int]]] = {}
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
                # Rays that face each other meet in many cells; only the cell right before `other` counts.
                if _may_join(joint, other) and steps + back - 1 <= reach and (back == 1 or not is_straight):
                    yield Loop(joint, other, steps, back - 1)
            others.append((joint, steps))


def _may_join(first: OpenConnector, second: OpenConnector) -> bool:
    """Tell whether two connectors have the same kind, belong to different pieces and point in different directions."""
    if first.kind != second.kind or first.region == second.region:
        return False
    return (first.dy, first.dx) != (second.dy, second.dx)


def _is_possible(loop: Loop, ground: PieceGround) -> bool:
    """Tell whether a loop can still be dug after the loops before it: its connectors are unused, and its cells are still earth."""
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


def _saves_enough(loop: Loop, ground: PieceGround, saves: int) -> bool:
    """Tell whether the walk between a loop's ends is at least `saves` steps longer than the loop; True if there is no walk.

    A BFS on masks from one end: one shift of the whole front per step.
    """
    joint, other, out, back = loop
    begin = _inside(joint)
    end = joint.ahead(1) if other is None else _inside(other)
    limit, stride = out + back + 2 + saves, ground.board.stride
    band = ground.band_at((begin.y + end.y) // 2)
    # A walk of at most `limit` steps stays within these rows.
    detour = max(limit - abs(begin.y - end.y), 0) // 2
    top, bottom = max(min(begin.y, end.y) - detour, band.top), max(begin.y, end.y) + detour + 1
    walked = band.walked >> (top - band.top) * stride & (1 << (bottom - top) * stride) - 1
    front, goal = (1 << (y - top) * stride + x for y, x in (begin, end))
    front &= walked
    for _ in range(limit):
        walked ^= front
        # Steps by (1, 1) and by (1, -1) give all four neighbours, each one row too far down; shift back up by a row.
        front |= front << stride + 1
        front = (front | front << stride - 1) >> stride & walked
        if front & goal:
            return False
    return True


def _inside(joint: OpenConnector) -> Cell:
    """Return the open cell of a piece from which one steps into the way of a connector."""
    if joint.is_open:
        return Cell(joint.y, joint.x)
    return joint.ahead(-len(joint.connector.way))
