"""What is left over is joined: loops, so that nobody has to walk back all the way.

After step 9 of "How I Learned to Stop Worrying and Love Prefabs", whose three kinds are

    ..#..    a connector with floor on both     ..#  #..    two that face      ..#          two at right angles,
    ..*..    sides becomes a door               ..*--*..    each other         ..*--+       joined by an L
    ..#..                                       ..#  #..                       ..#  |
                                                                                  ##*##
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dungeon.grid.rect import Cell
from dungeon.level.steps import Phase, Step

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dungeon.core.streams import Stream
    from dungeon.generation.layouts.connected.ground import Ground, Joint
    from dungeon.generation.layouts.connected.params import ConnectedParams


class Loop(NamedTuple):
    """A way that may be dug.

    Attributes:
        joint: Where it begins.
        other: Where it ends; None for one that opens right into what is before it.
        cells: What is dug for it.
    """

    joint: Joint
    other: Joint | None
    cells: tuple[Cell, ...]


def add_loops(ground: Ground, params: ConnectedParams, stream: Stream) -> Iterator[Step]:
    """Join connectors that are left over, in random order, where a way saves as many steps as it is to."""
    if params.loops <= 0:
        return
    loops = [*_doors(ground), *_ways(ground, params.reach)]
    stream.shuffle(loops)
    for loop in loops:
        if stream.chance(params.loops) and _is_possible(loop, ground) and _saves(loop, ground, params.saves):
            joint, other, cells = loop
            if other is None:
                ground.open_into(joint, int(ground.canvas.region[joint.ahead(1)]))
            else:
                ground.join(joint, other, cells)
            yield Step(Phase.LAYOUT, f"a loop at y {joint.y}, x {joint.x}", ground.canvas)


def _doors(ground: Ground) -> Iterator[Loop]:
    """Yield the connectors that have something to walk on right before them."""
    walked = ground.walked
    stride = ground.board.stride
    for joint in ground.joints.values():
        y, x = joint.ahead(1)
        if joint.way and walked >> (y * stride + x) & 1:
            yield Loop(joint, None, ())


def _ways(ground: Ground, reach: int) -> Iterator[Loop]:
    """Yield the pairs of connectors between which a hallway, straight or with one bend, may be dug."""
    clear, stride = ground.clear, ground.board.stride
    free: dict[Joint, int] = {}
    for joint in ground.joints.values():
        if joint.way:
            steps = 0
            while steps < reach:
                y, x = joint.ahead(steps + 1)
                if not clear >> (y * stride + x) & 1:
                    break
                steps += 1
            free[joint] = steps
    joints = list(free)
    for number, first in enumerate(joints):
        for second in joints[number + 1 :]:
            if first.kind == second.kind and first.region != second.region:
                cells = _between(first, second, free)
                if cells is not None and len(cells) <= reach:
                    yield Loop(first, second, cells)


def _between(first: Joint, second: Joint, free: dict[Joint, int]) -> tuple[Cell, ...] | None:
    """Return the cells of a hallway between two connectors that face each other, or stand at right angles."""
    if (first.dy, first.dx) == (-second.dy, -second.dx):
        ahead = (second.y - first.y) * first.dy + (second.x - first.x) * first.dx
        if first.ahead(ahead) != (second.y, second.x) or not 1 <= ahead <= free[first] + 1:
            return None
        return tuple(first.ahead(step) for step in range(1, ahead))
    if first.dy * second.dy or first.dx * second.dx:
        return None
    corner = Cell(second.y, first.x) if first.dy else Cell(first.y, second.x)
    one = (corner.y - first.y) * first.dy + (corner.x - first.x) * first.dx
    two = (corner.y - second.y) * second.dy + (corner.x - second.x) * second.dx
    if not (1 <= one <= free[first] and 1 <= two <= free[second]):
        return None
    out = [first.ahead(step) for step in range(1, one + 1)]
    return (*out, *(second.ahead(step) for step in range(two - 1, 0, -1)))


def _is_possible(loop: Loop, ground: Ground) -> bool:
    """Tell whether a way can still be dug: others have been meanwhile."""
    for joint in filter(None, loop[:2]):
        if (Cell(joint.y, joint.x), (joint.dy, joint.dx)) not in ground.joints:
            return False
    clear, stride = ground.clear, ground.board.stride
    return all(clear >> (y * stride + x) & 1 for y, x in loop.cells)


def _saves(loop: Loop, ground: Ground, saves: int) -> bool:
    """Tell whether walking around takes that many steps more than a way; so, too, where there is no way around."""
    joint, other, cells = loop
    begin = _inside(joint)
    end = joint.ahead(1) if other is None else _inside(other)
    board = ground.board
    walked, goal = ground.walked, board.from_cells([end])
    reached = front = board.from_cells([begin]) & walked
    for _ in range(len(cells) + 2 + saves):
        front = board.beside(front) & walked & ~reached
        reached |= front
        if reached & goal:
            return False
    return True


def _inside(joint: Joint) -> Cell:
    """Return the cell from which a connector's way leads out."""
    y, x = joint.way[0]
    return Cell(y - joint.dy, x - joint.dx)
